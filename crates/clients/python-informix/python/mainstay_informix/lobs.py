"""BLOB and CLOB values as files: their bytes stay at the server until they are read.

A row of a cursor with `lob_files=True` has a `Lob` for each of them; `Connection.create_blob` and `create_clob` make new ones, which
are bound as parameters.
"""

import io
import os
import weakref

from ._native import lob_size
from .errors import InterfaceError

#: Bytes that are read and written at a time.
PIECE_BYTES = 1 << 20


class BaseLob:
    """A BLOB or CLOB value: its locator, and its descriptor while it is open."""

    def __init__(self, connection, locator, is_text, descriptor=None):
        self._connection = connection
        #: The locator, which rows and parameters contain.
        self.locator = bytes(locator)
        #: True for a CLOB.
        self.is_text = bool(is_text)
        self._is_new = descriptor is not None
        self._forget = None
        self._set(descriptor)

    def _set(self, descriptor):
        self._descriptor = descriptor
        if self._forget is not None:
            self._forget.detach()
            self._forget = None
        if descriptor is not None:
            # A value that is dropped is closed along with the next operation: the garbage collector may run anywhere.
            self._forget = weakref.finalize(self, self._connection._forgotten_lobs.append, descriptor)
            self._forget.atexit = False

    @property
    def encoding(self):
        """The codeset of the texts of a CLOB."""
        return self._connection.encoding

    def _name(self):
        return "CLOB" if self.is_text else "BLOB"

    def __repr__(self):
        return f"<{type(self).__name__} {self._name()}{'' if self._descriptor is None else ' open'}>"


def pieces(source, encoding):
    """The bytes of a value, a text or a file object, piece by piece."""
    if not hasattr(source, "read"):
        source = io.StringIO(source) if isinstance(source, str) else io.BytesIO(source)
    while piece := source.read(PIECE_BYTES):
        yield piece.encode(encoding) if isinstance(piece, str) else piece


class Lob(BaseLob, io.RawIOBase):
    """A BLOB or CLOB value as a file of bytes; `open_text` reads a CLOB as text."""

    def __init__(self, connection, locator, is_text, descriptor=None):
        io.RawIOBase.__init__(self)
        BaseLob.__init__(self, connection, locator, is_text, descriptor)

    @classmethod
    def _create(cls, connection, is_text, source):
        numbers, locator, _, _ = connection._lob_operation("lob_create")
        lob = cls(connection, locator, is_text, numbers[0])
        if source is not None:
            for piece in pieces(source, connection.encoding):
                lob.write(piece)
            lob._close_descriptor()
        return lob

    def _open(self):
        if self.closed:
            raise InterfaceError("the value is closed")
        if self._descriptor is None:
            numbers, _, _, _ = self._connection._lob_operation("lob_open", self.locator)
            self._set(numbers[0])
        return self._descriptor

    def readable(self):
        """True."""
        return True

    def seekable(self):
        """True."""
        return True

    def writable(self):
        """True for a value that was created and is open: columns are changed by UPDATE."""
        return self._is_new and self._descriptor is not None

    def readinto(self, buffer):
        """Reads bytes into a buffer."""
        found = self._read(len(buffer))
        buffer[: len(found)] = found
        return len(found)

    def readall(self):
        """The bytes from the position on."""
        found = []
        while piece := self._read(PIECE_BYTES):
            found.append(piece)
        return b"".join(found)

    def _read(self, size):
        return self._connection._lob_operation("lob_read", self._open(), min(size, PIECE_BYTES))[2]

    def write(self, data):
        """Writes bytes at the position."""
        data = memoryview(data).cast("B")
        for start in range(0, len(data), PIECE_BYTES):
            self._connection._lob_operation("lob_write", self._open(), bytes(data[start : start + PIECE_BYTES]))
        return len(data)

    def seek(self, offset, whence=os.SEEK_SET):
        """Moves the position, and returns it."""
        return self._connection._lob_operation("lob_seek", self._open(), offset, whence)[0][0]

    def tell(self):
        """The position."""
        return self.seek(0, os.SEEK_CUR)

    def truncate(self, size=None):
        """Cuts a value that was created."""
        size = self.tell() if size is None else size
        self._connection._lob_operation("lob_truncate", self._open(), size)
        return size

    def size(self):
        """The number of bytes."""
        return lob_size(self._connection._lob_operation("lob_status", self._open())[1])

    def open_text(self):
        """A file of text over the bytes of a CLOB."""
        return io.TextIOWrapper(io.BufferedReader(self, PIECE_BYTES), self.encoding, newline="")

    def _close_descriptor(self):
        descriptor = self._descriptor
        self._set(None)
        if descriptor is not None and not self._connection.closed:
            self._connection._lob_operation("lob_close", descriptor)

    def close(self):
        """Closes the value. Its locator can still be a parameter."""
        if not self.closed:
            try:
                self._close_descriptor()
            finally:
                super().close()

    def __del__(self):
        """Nothing: the finalizer closes the descriptor along with the next operation."""


class AsyncLob(BaseLob):
    """A BLOB or CLOB value of an AsyncConnection."""

    @classmethod
    async def _create(cls, connection, is_text, source):
        numbers, locator, _, _ = await connection._lob_operation("lob_create")
        lob = cls(connection, locator, is_text, numbers[0])
        if source is not None:
            for piece in pieces(source, connection.encoding):
                await lob.write(piece)
            await lob.close()
        return lob

    async def _open(self):
        if self._descriptor is None:
            numbers, _, _, _ = await self._connection._lob_operation("lob_open", self.locator)
            self._set(numbers[0])
        return self._descriptor

    async def read(self, size=-1):
        """At most so many bytes from the position on, or all of them."""
        found, left = [], size if size is not None and size >= 0 else None
        while left is None or left > 0:
            most = PIECE_BYTES if left is None else min(left, PIECE_BYTES)
            piece = (await self._connection._lob_operation("lob_read", await self._open(), most))[2]
            found.append(piece)
            if len(piece) < most:
                break
            left = None if left is None else left - len(piece)
        return b"".join(found)

    async def read_text(self):
        """The text of a CLOB from the position on."""
        return (await self.read()).decode(self.encoding)

    async def write(self, data):
        """Writes bytes at the position of a value that was created."""
        data = memoryview(data).cast("B")
        for start in range(0, len(data), PIECE_BYTES):
            await self._connection._lob_operation("lob_write", await self._open(), bytes(data[start : start + PIECE_BYTES]))
        return len(data)

    async def seek(self, offset, whence=os.SEEK_SET):
        """Moves the position, and returns it."""
        return (await self._connection._lob_operation("lob_seek", await self._open(), offset, whence))[0][0]

    async def size(self):
        """The number of bytes."""
        return lob_size((await self._connection._lob_operation("lob_status", await self._open()))[1])

    async def close(self):
        """Closes the value. Its locator can still be a parameter."""
        descriptor = self._descriptor
        self._set(None)
        if descriptor is not None and not self._connection.closed:
            await self._connection._lob_operation("lob_close", descriptor)

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, error, trace):
        await self.close()


def file_maker(connection, lob_class):
    """Makes file objects of locators, and true for those of CLOBs."""
    return lambda locator, is_text: lob_class(connection, locator, is_text)
