"""Pools of connections, blocking and for asyncio.

A connection that comes back is rolled back. Nobody waits for the answer where its transaction has only read. One that was idle for longer than `check_after` seconds is asked for an answer
before it is lent; one that is older than `max_age` or does not answer is replaced.
"""

import asyncio
import contextlib
import dataclasses
import threading
import time

from . import aio, connection as blocking
from .errors import Error, InterfaceError, OperationalError
from .settings import Settings


@dataclasses.dataclass
class Metrics:
    """Counts since the pool was made, and its present state."""

    #: Connections that were opened.
    opened: int = 0
    #: Connections that were closed because of their age or state, or at the end.
    closed: int = 0
    #: Connections that failed their check.
    failed_checks: int = 0
    #: Times that a connection was lent.
    acquired: int = 0
    #: Times that nothing was idle and the pool was full.
    waited: int = 0
    #: Times that the wait was too long.
    timeouts: int = 0
    #: Seconds of all waits.
    wait_seconds: float = 0.0
    #: Connections that are idle.
    idle: int = 0
    #: Connections that are lent.
    used: int = 0


class _Lent:
    """A connection of a pool with its times."""

    __slots__ = ("connection", "made", "returned")

    def __init__(self, connection):
        self.connection = connection
        self.made = self.returned = time.monotonic()


class _Base:
    def __init__(self, *args, min_size=0, max_size=10, acquire_timeout=30.0, check_after=5.0, max_age=3600.0, max_idle=600.0, **options):
        if max_size < 1 or not 0 <= min_size <= max_size:
            raise InterfaceError("a pool has 0 <= min_size <= max_size and max_size >= 1")
        self._settings = Settings(*args, **options)
        self.min_size, self.max_size, self.acquire_timeout = min_size, max_size, acquire_timeout
        self.check_after, self.max_age, self.max_idle = check_after, max_age, max_idle
        self._idle, self._lent, self._opening = [], {}, 0
        self._is_closed = False
        self._metrics = Metrics()

    @property
    def metrics(self):
        """A copy of the counts."""
        return dataclasses.replace(self._metrics, idle=len(self._idle), used=len(self._lent))

    @property
    def closed(self):
        """True if the pool lends nothing any more."""
        return self._is_closed

    def _has_room(self):
        return len(self._idle) + len(self._lent) + self._opening < self.max_size

    def _is_stale(self, entry):
        now = time.monotonic()
        is_spare = len(self._idle) + len(self._lent) >= self.min_size and now - entry.returned > self.max_idle
        return entry.connection.closed or now - entry.made > self.max_age or is_spare

    def _needs_check(self, entry):
        return time.monotonic() - entry.returned > self.check_after

    def _lend(self, entry):
        self._lent[id(entry.connection)] = entry
        self._metrics.acquired += 1
        return entry.connection

    def _take_back(self, connection):
        entry = self._lent.pop(id(connection), None)
        if entry is None:
            raise InterfaceError("the connection is not one of this pool, or it was returned before")
        return entry


class Pool(_Base):
    """A pool for threads.

    The arguments are those of `connect`, and min_size, max_size, acquire_timeout, check_after, max_age and max_idle.
    """

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self._condition = threading.Condition()
        for _ in range(self.min_size):
            self._idle.append(self._open())

    def _open(self):
        self._metrics.opened += 1
        return _Lent(blocking.Connection(self._settings))

    def acquire(self, timeout=None):
        """Lends a connection, which `release` takes back."""
        end = time.monotonic() + (self.acquire_timeout if timeout is None else timeout)
        while True:
            entry = self._next(end)
            if entry is not None:
                if self._is_healthy(entry):
                    with self._condition:
                        return self._lend(entry)
                self._discard(entry)
                continue
            try:
                entry = self._open()
            finally:
                with self._condition:
                    self._opening -= 1
                    self._condition.notify()
            with self._condition:
                return self._lend(entry)

    def _next(self, end):
        """An idle connection, or None if one may be opened."""
        with self._condition:
            started = None
            while True:
                if self._is_closed:
                    raise InterfaceError("the pool is closed")
                if self._idle:
                    entry = self._idle.pop()
                    self._opening += 1
                    break
                if self._has_room():
                    self._opening += 1
                    entry = None
                    break
                if started is None:
                    started = time.monotonic()
                    self._metrics.waited += 1
                left = end - time.monotonic()
                if left <= 0 or not self._condition.wait(left):
                    self._metrics.timeouts += 1
                    self._metrics.wait_seconds += time.monotonic() - started
                    raise OperationalError("no connection of the pool became free in time")
            if started is not None:
                self._metrics.wait_seconds += time.monotonic() - started
            return entry

    def _is_healthy(self, entry):
        healthy = not self._is_stale(entry)
        if healthy and self._needs_check(entry):
            try:
                entry.connection.ping()
            except Error:
                self._metrics.failed_checks += 1
                healthy = False
        if healthy:
            with self._condition:
                self._opening -= 1
        return healthy

    def _discard(self, entry):
        entry.connection.close()
        with self._condition:
            self._metrics.closed += 1
            self._opening -= 1
            self._condition.notify()

    def release(self, connection):
        """Takes a connection back; what it has not committed is rolled back."""
        with self._condition:
            entry = self._take_back(connection)
            self._opening += 1
        try:
            if not connection.closed:
                connection._abandon()
        except Error:
            connection.close()
        with self._condition:
            self._opening -= 1
            if connection.closed or self._is_closed:
                self._metrics.closed += 1
            else:
                entry.returned = time.monotonic()
                self._idle.append(entry)
            self._condition.notify()
        if self._is_closed:
            connection.close()

    @contextlib.contextmanager
    def connection(self, timeout=None):
        """Lends a connection for a block: its end commits, an error rolls back."""
        connection = self.acquire(timeout)
        try:
            yield connection
            connection.commit()
        finally:
            self.release(connection)

    def close(self):
        """Closes the idle connections now, the others when they come back."""
        with self._condition:
            self._is_closed = True
            idle, self._idle = self._idle, []
            self._metrics.closed += len(idle)
            self._condition.notify_all()
        for entry in idle:
            entry.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.close()


class AsyncPool(_Base):
    """A pool for the tasks of an event loop; the arguments are those of `Pool`."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self._condition = asyncio.Condition()

    async def open(self):
        """Opens the first `min_size` connections."""
        while len(self._idle) + len(self._lent) < self.min_size:
            self._idle.append(await self._open())
        return self

    async def _open(self):
        self._metrics.opened += 1
        connection = aio.AsyncConnection(self._settings)
        await connection._connect()
        return _Lent(connection)

    async def acquire(self, timeout=None):
        """Lends a connection, which `release` takes back."""
        started, entry = time.monotonic(), None
        try:
            async with asyncio.timeout(self.acquire_timeout if timeout is None else timeout):
                entry = await self._next()
        except TimeoutError:
            self._metrics.timeouts += 1
            self._metrics.wait_seconds += time.monotonic() - started
            raise OperationalError("no connection of the pool became free in time") from None
        try:
            if entry is not None and not await self._is_healthy(entry):
                await entry.connection.close()
                self._metrics.closed += 1
                entry = None
            if entry is None:
                entry = await self._open()
            return self._lend(entry)
        finally:
            self._opening -= 1
            async with self._condition:
                self._condition.notify()

    async def _next(self):
        """An idle connection, or None if one may be opened; its place is reserved."""
        async with self._condition:
            if not self._idle and not self._has_room() and not self._is_closed:
                started = time.monotonic()
                self._metrics.waited += 1
                await self._condition.wait_for(lambda: self._idle or self._has_room() or self._is_closed)
                self._metrics.wait_seconds += time.monotonic() - started
            if self._is_closed:
                raise InterfaceError("the pool is closed")
            self._opening += 1
            return self._idle.pop() if self._idle else None

    async def _is_healthy(self, entry):
        if self._is_stale(entry):
            return False
        if self._needs_check(entry):
            try:
                await entry.connection.ping()
            except Error:
                self._metrics.failed_checks += 1
                return False
        return True

    async def release(self, connection):
        """Takes a connection back; what it has not committed is rolled back."""
        entry = self._take_back(connection)
        self._opening += 1
        try:
            if not connection.closed:
                await connection._abandon()
        except Error:
            await connection.close()
        finally:
            self._opening -= 1
            if connection.closed or self._is_closed:
                self._metrics.closed += 1
            else:
                entry.returned = time.monotonic()
                self._idle.append(entry)
            async with self._condition:
                self._condition.notify()
        if self._is_closed:
            await connection.close()

    @contextlib.asynccontextmanager
    async def connection(self, timeout=None):
        """Lends a connection for a block: its end commits, an error rolls back."""
        connection = await self.acquire(timeout)
        try:
            yield connection
            await connection.commit()
        finally:
            await self.release(connection)

    async def close(self):
        """Closes the idle connections now, the others when they come back."""
        self._is_closed = True
        idle, self._idle = self._idle, []
        self._metrics.closed += len(idle)
        for entry in idle:
            await entry.connection.close()
        async with self._condition:
            self._condition.notify_all()

    async def __aenter__(self):
        return await self.open()

    async def __aexit__(self, kind, error, trace):
        await self.close()
