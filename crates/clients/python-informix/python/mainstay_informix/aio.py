"""Connections and cursors for asyncio: the session is fed by a protocol of the event loop, without threads."""

import asyncio
import os
import socket
import weakref

from .base import SCROLL_ROWS, BaseConnection, BaseCursor, check_name, portions
from .errors import Error, InterfaceError, OperationalError, ProgrammingError
from .insert_cursors import AsyncInsertCursor
from .lobs import AsyncLob
from .settings import INTERRUPT, Settings, tune

_ALL = 1 << 62


async def connect(*args, **options):
    """Opens a connection; the arguments are those of `mainstay_informix.connect`."""
    connection = AsyncConnection(Settings(*args, **options))
    await connection._connect()
    return connection


class _Protocol(asyncio.Protocol):
    """Feeds the session, and wakes the operation when it is over."""

    def __init__(self, session):
        self.session = session
        self.transport = None
        self.waiter = None
        self.is_writable = asyncio.Event()
        self.is_writable.set()

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.session.receive(data)
        self.flush()

    def flush(self):
        output = self.session.output()
        if output is not None and not self.transport.is_closing():
            self.transport.write(output)
        if self.session.done and self.waiter is not None and not self.waiter.done():
            self.waiter.set_result(None)

    def connection_lost(self, error):
        reason = f"the connection is broken: {error}" if error else "the server closed the connection"
        self.session.disconnect(reason)
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_result(None)


class AsyncConnection(BaseConnection):
    """A connection of an event loop. Tasks may share it: it runs one operation at a time."""

    def __init__(self, settings):
        super().__init__(settings, settings.session())
        self._lock = asyncio.Lock()
        self._protocol = None

    async def _connect(self):
        settings = self._settings
        loop = asyncio.get_running_loop()
        tls = {"ssl": settings.tls, "server_hostname": settings.tls_hostname} if settings.tls else {}
        try:
            async with asyncio.timeout(settings.connect_timeout):
                _, self._protocol = await loop.create_connection(
                    lambda: _Protocol(self._session), settings.host, settings.port, **tls
                )
        except OSError as error:
            message = f"cannot connect to {settings.host}:{settings.port}: {error}"
            raise OperationalError(message) from error
        plain = self._protocol.transport.get_extra_info("socket")
        if plain is not None:
            tune(plain, settings.keepalive)
        try:
            await self._run(settings.connect_timeout)
            for text in settings.first_statements:
                self._session.execute(0, text, None, False, None)
                await self._run(settings.timeout)
        except BaseException:
            self._drop()
            raise

    async def _run(self, timeout):
        """Waits until the operation is over, and raises its error."""
        protocol, session = self._protocol, self._session
        if not session.done:
            protocol.waiter = asyncio.get_running_loop().create_future()
            protocol.flush()
            try:
                async with asyncio.timeout(timeout):
                    await protocol.waiter
            except TimeoutError:
                await self._interrupt()
                fault = session.fault()
                error = OperationalError(f"the operation took longer than {timeout} s")
                if fault is not None and fault[0] == "server":
                    error.sqlcode, error.isam = fault[1], fault[2]
                raise error from None
            except asyncio.CancelledError:
                # The task is told to stop: the server stops first, so that the connection can be used again.
                await asyncio.shield(asyncio.ensure_future(self._interrupt()))
                session.fault()
                raise
            finally:
                protocol.waiter = None
        self._raise_fault()

    async def _interrupt(self):
        """Cancels the running request and waits for its end; the connection is closed if that takes too long."""
        protocol, session = self._protocol, self._session
        if session.done:
            return
        protocol.waiter = asyncio.get_running_loop().create_future()
        try:
            self._send_interrupt()
            async with asyncio.timeout(self._settings.cancel_timeout):
                await protocol.waiter
        except (TimeoutError, OSError):
            session.disconnect("the server did not stop the request that was cancelled")
            protocol.transport.abort()

    def _send_interrupt(self):
        # The urgent byte goes beside the stream, TLS or not.
        with socket.socket(fileno=os.dup(self._protocol.transport.get_extra_info("socket").fileno())) as plain:
            plain.send(INTERRUPT, socket.MSG_OOB)

    def cancel(self):
        """Interrupts the operation that another task waits for: it fails with SQLCODE -213."""
        if not self._session.done:
            self._send_interrupt()

    async def _operation(self, start, *args):
        async with self._lock:
            self._close_forgotten()
            start(*args)
            await self._run(self._settings.timeout)

    def cursor(self, *, scrollable=False, hold=False, name=None, row_factory=None, lob_files=False):
        """A cursor; see `Connection.cursor`."""
        if self.closed:
            raise InterfaceError("the connection is closed")
        return AsyncCursor(self, scrollable, hold, name, row_factory, lob_files)

    async def execute(self, statement, parameters=None):
        """Executes a statement with a new cursor, and returns the cursor."""
        return await self.cursor().execute(statement, parameters)

    async def executemany(self, statement, parameters):
        """Executes a statement for each set of parameters with a new cursor, and returns the cursor."""
        return await self.cursor().executemany(statement, parameters)

    async def insert_cursor(self, statement):
        """An insert cursor (PUT) for an INSERT with `?` for each column."""
        cursor = AsyncInsertCursor(self)
        await self._operation(self._session.insert_cursor, cursor._number, statement)
        return cursor

    async def create_blob(self, source=None):
        """A new BLOB for a parameter: the bytes of `source` or of a file object, else an empty one to be written."""
        return await AsyncLob._create(self, False, source)

    async def create_clob(self, source=None):
        """A new CLOB for a parameter: a text, or that of a file object, else an empty one to be written."""
        return await AsyncLob._create(self, True, source)

    async def _lob_operation(self, name, *args):
        async with self._lock:
            self._close_forgotten()
            getattr(self._session, name)(*args)
            await self._run(self._settings.timeout)
            return self._session.lob_answer()

    async def commit(self):
        """Ends the transaction; its changes stay."""
        await self._operation(self._session.commit)

    async def rollback(self):
        """Ends the transaction; its changes are undone."""
        await self._operation(self._session.rollback)

    async def _abandon(self):
        """Rolls back for a pool. The answer of a transaction that has only read is left to the next operation."""
        async with self._lock:
            self._close_forgotten()
            self._session.abandon()
            if self._session.done and not self.closed:
                self._protocol.flush()
            await self._run(self._settings.timeout)

    async def begin(self):
        """Begins a transaction, for connections with autocommit."""
        await self._operation(self._session.begin)

    async def set_autocommit(self, value):
        """Changes autocommit outside of a transaction."""
        if self._session.in_transaction and bool(value) != self._session.autocommit:
            raise ProgrammingError("autocommit cannot be changed inside a transaction")
        self._session.autocommit = bool(value)

    async def savepoint(self, name):
        """Sets a savepoint in the transaction."""
        await self._operation(self._session.savepoint, check_name(name, "savepoint"))

    async def release_savepoint(self, name):
        """Forgets a savepoint."""
        await self._operation(self._session.release_savepoint, check_name(name, "savepoint"))

    async def rollback_to(self, name):
        """Undoes the changes since a savepoint."""
        await self._operation(self._session.rollback_to, check_name(name, "savepoint"))

    async def ping(self):
        """Asks the server for an answer; raises an OperationalError if there is none."""
        await self._operation(self._session.ping)

    async def close(self):
        """Closes the connection; an open transaction is rolled back."""
        async with self._lock:
            if not self.closed:
                try:
                    if self._session.in_transaction:
                        self._session.rollback()
                        await self._run(self._settings.cancel_timeout)
                    self._session.exit()
                    await self._run(self._settings.cancel_timeout)
                except Error:
                    pass
            self._drop()

    def _drop(self):
        self._session.disconnect("the connection is closed")
        if self._protocol is not None and self._protocol.transport is not None:
            self._protocol.transport.abort()

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, error, trace):
        """Commits, or rolls back after an error, and closes the connection."""
        try:
            if not self.closed:
                await (self.commit() if kind is None else self.rollback())
        finally:
            await self.close()


class AsyncCursor(BaseCursor):
    """A cursor of an AsyncConnection."""

    _lob_class = AsyncLob

    def __init__(self, connection, scrollable, hold, name, row_factory, lob_files=False):
        super().__init__(connection, scrollable, hold, name, row_factory, lob_files)
        self._finalizer = weakref.finalize(self, connection._forgotten.append, self._number)
        self._finalizer.atexit = False

    def _timeout(self):
        return self._connection._settings.timeout if self.timeout is None else self.timeout

    async def execute(self, statement, parameters=None):
        """Executes a statement, and returns the cursor."""
        return await self._execute(statement, parameters, False)

    async def executemany(self, statement, parameters):
        """Executes a statement once for each set of parameters; see `Cursor.executemany`."""
        changed = done = 0
        for portion in portions(parameters):
            try:
                await self._execute(statement, portion, True)
            except Error as error:
                self._add_executed(error, done)
                raise
            changed, done = changed + max(self.rowcount, 0), done + len(portion)
            self.rowcount = changed
        return self

    async def _execute(self, statement, parameters, is_many):
        self._check()
        self._reset()
        connection = self._connection
        async with connection._lock:
            connection._close_forgotten()
            self._session.execute(self._number, statement, parameters, is_many, self._opening)
            await connection._run(self._timeout())
            self._executed()
        return self

    async def callproc(self, name, parameters=()):
        """Calls a routine, and returns the parameters. Values that it returns are rows of the cursor."""
        await self.execute(self._routine(name, parameters), list(parameters) or None)
        return parameters

    async def _more(self):
        """Fetches the next rows; false if there are none."""
        if self._scrolls:
            await self._load_window(self._position)
            return len(self._rows) > 0
        async with self._connection._lock:
            self._session.fetch(self._number)
            await self._connection._run(self._timeout())
            self._session.load(self._number, self._rows)
        return len(self._rows) > 0

    async def _load_window(self, first):
        async with self._connection._lock:
            self._session.scroll(self._number, first + 1, max(self.arraysize, SCROLL_ROWS))
            await self._connection._run(self._timeout())
            self._session.load(self._number, self._rows)

    async def fetchone(self):
        """The next row, or None."""
        self._check_rows()
        row = self._rows.next()
        if row is None:
            if not await self._more():
                return None
            row = self._rows.next()
        self._position += 1
        return row if self._make is None else self._make(row)

    async def fetchmany(self, size=None):
        """The next rows, at most `size` or `arraysize`."""
        self._check_rows()
        return await self._fetch(self.arraysize if size is None else max(size, 0))

    async def fetchall(self):
        """All rows that are left."""
        self._check_rows()
        return await self._fetch(_ALL)

    async def _fetch(self, most):
        rows = []
        start = self._position
        while len(rows) < most:
            if self._rows.take(rows, most - len(rows)) == 0 and not await self._more():
                break
            self._position = start + len(rows)
        self._position = start
        return self._finish_rows(rows)

    async def __aiter__(self):
        self._check_rows()
        while True:
            make = self._make
            for row in self._rows:
                self._position += 1
                yield row if make is None else make(row)
            if self._is_closed or not self._has_rows or not await self._more():
                return

    async def scroll(self, value, mode="relative"):
        """Moves to another row, which is fetched next; an IndexError leaves the cursor where it is."""
        target = self._target(value, mode)
        kept = self._position
        await self._load_window(target)
        if len(self._rows) == 0:
            await self._load_window(kept)
            raise IndexError("a scroll beyond the last row")
        self._position = target

    async def count_rows(self):
        """The number of rows of a scroll cursor."""
        self._target(0, "absolute")
        async with self._connection._lock:
            self._session.scroll_last(self._number)
            await self._connection._run(self._timeout())
            count = self._session.last_number(self._number) or 0
            self._session.load(self._number, self._rows)
        await self._load_window(self._position)
        return count

    async def arrow_batches(self):
        """The rows that are left as objects of the Arrow PyCapsule interface, one for each fetch."""
        self._check_rows()
        while len(self._rows) > 0 or await self._more():
            yield self._rows.arrow(None)

    async def fetch_arrow(self):
        """All rows that are left, as a stream of record batches for any consumer of the Arrow PyCapsule interface."""
        self._check_rows()
        stream = self._rows.arrow(None)
        while await self._more():
            stream.add(self._rows)
        return stream

    async def nextset(self):
        """Returns None: a statement of Informix has one set of rows."""
        self._check()

    async def close(self):
        """Closes the cursor; its message goes along with the next operation."""
        if not self._is_closed:
            self._is_closed = True
            self._has_rows = False
            self._finalizer()

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, error, trace):
        await self.close()
