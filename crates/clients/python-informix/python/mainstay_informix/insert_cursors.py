"""Insert cursors: rows that are put into a table in the layout of its columns, many in one message group."""

import itertools

from .errors import InterfaceError

#: Bytes of rows that are collected before they are sent.
GROUP_BYTES = 256 << 10
#: Rows whose values are taken from an iterable at a time.
PORTION = 500


class BaseInsertCursor:
    """The state of an insert cursor."""

    def __init__(self, connection):
        self._connection, self._session = connection, connection._session
        self._number = next(connection._numbers)
        self._is_closed = False
        #: Rows that were inserted.
        self.rowcount = 0

    @property
    def closed(self):
        """True if the cursor cannot be used any more."""
        return self._is_closed

    def _check(self):
        if self._is_closed:
            raise InterfaceError("the insert cursor is closed")

    def _count(self, error=None):
        """Counts the rows of the last group; an error tells how many were inserted before it, of all."""
        changed, _, done, _ = self._session.outcome()
        self.rowcount += changed or done
        if error is not None:
            error.executed = self.rowcount

    def _give_up(self):
        if not self._is_closed:
            self._is_closed = True
            self._connection._forgotten.append(self._number)


class InsertCursor(BaseInsertCursor):
    """Puts rows of a blocking connection: `with connection.insert_cursor("INSERT INTO t VALUES (?, ?)") as rows: rows.put((1, "x"))`.

    Rows are sent when there are enough of them, by `flush`, and at the end of the block. An exception drops those not sent.
    """

    def put(self, row):
        """Puts one row."""
        self.put_many([row])

    def put_many(self, rows):
        """Puts rows of an iterable, of which only a portion is in memory at a time."""
        self._check()
        rows = iter(rows)
        while portion := list(itertools.islice(rows, PORTION)):
            with self._connection._lock:
                collected = self._session.collect(self._number, portion)
            if collected >= GROUP_BYTES:
                self.flush()

    def flush(self):
        """Sends the rows that were put, and waits until they are inserted."""
        self._check()
        with self._connection._lock:
            try:
                self._connection._operation(self._session.put, self._number)
            except Exception as error:
                self._count(error)
                raise
            self._count()

    def close(self):
        """Sends the rows that were put, and closes the cursor."""
        if not self._is_closed:
            try:
                self.flush()
            finally:
                self._give_up()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.close() if kind is None else self._give_up()


class AsyncInsertCursor(BaseInsertCursor):
    """Puts rows of an AsyncConnection; see `InsertCursor`."""

    async def put(self, row):
        """Puts one row."""
        await self.put_many([row])

    async def put_many(self, rows):
        """Puts rows of an iterable, of which only a portion is in memory at a time."""
        self._check()
        rows = iter(rows)
        while portion := list(itertools.islice(rows, PORTION)):
            async with self._connection._lock:
                collected = self._session.collect(self._number, portion)
            if collected >= GROUP_BYTES:
                await self.flush()

    async def flush(self):
        """Sends the rows that were put, and waits until they are inserted."""
        self._check()
        async with self._connection._lock:
            self._connection._close_forgotten()
            self._session.put(self._number)
            try:
                await self._connection._run(self._connection._settings.timeout)
            except Exception as error:
                self._count(error)
                raise
            self._count()

    async def close(self):
        """Sends the rows that were put, and closes the cursor."""
        if not self._is_closed:
            try:
                await self.flush()
            finally:
                self._give_up()

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, error, trace):
        if kind is None:
            await self.close()
        else:
            self._give_up()
