"""Blocking connections and cursors."""

import os
import socket
import threading
import time
import weakref

from .base import SCROLL_ROWS, BaseConnection, BaseCursor, check_name, portions
from .errors import Error, InterfaceError, OperationalError, ProgrammingError
from .insert_cursors import InsertCursor
from .lobs import Lob
from .settings import INTERRUPT, Settings, tune

#: Bytes that are read at a time: an answer to a fetch. Buffers of 128 KB and more would be mapped and unmapped for each read.
_READ_BYTES = 96 << 10
_ALL = 1 << 62


def connect(*args, **options):
    """Opens a connection; see `Settings` for the arguments.

    The first ones are host, port, user, password, database and server (INFORMIXSERVER).
    """
    return Connection(Settings(*args, **options))


class Connection(BaseConnection):
    """A connection. Threads may share it: it runs one operation at a time."""

    def __init__(self, settings):
        super().__init__(settings, settings.session())
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._socket = self._open_socket()
        try:
            self._run(settings.connect_timeout)
            with self._lock:
                for text in settings.first_statements:
                    self._session.execute(0, text, None, False, None)
                    self._run(settings.timeout)
        except BaseException:
            self._drop()
            raise

    def _open_socket(self):
        settings = self._settings
        try:
            plain = socket.create_connection((settings.host, settings.port), settings.connect_timeout)
        except OSError as error:
            message = f"cannot connect to {settings.host}:{settings.port}: {error}"
            raise OperationalError(message) from error
        tune(plain, settings.keepalive)
        if settings.tls is None:
            return plain
        try:
            return settings.tls.wrap_socket(plain, server_hostname=settings.tls_hostname)
        except OSError as error:
            plain.close()
            raise OperationalError(f"TLS with {settings.host}:{settings.port} failed: {error}") from error

    def _run(self, timeout):
        """Sends and receives until the operation is over, and raises its error."""
        session = self._session
        if not session.done or session.closed:
            self._exchange(timeout)
        self._raise_fault()

    def _exchange(self, timeout):
        session, sock = self._session, self._socket
        self._check_process()
        end = None if timeout is None else time.monotonic() + timeout
        try:
            if end is None and sock.gettimeout() is not None:
                sock.settimeout(None)
            is_done = session.done
            while not is_done:
                if end is not None:
                    sock.settimeout(max(end - time.monotonic(), 0.000001))
                output = session.output()
                if output is not None:
                    sock.sendall(output)
                data = sock.recv(_READ_BYTES)
                if not data:
                    return self._lost("the server closed the connection")
                is_done = session.receive(data)
        except TimeoutError:
            self._interrupt(f"the operation took longer than {timeout} s")
        except OSError as error:
            self._lost(f"the connection is broken: {error}")
        except BaseException:
            # KeyboardInterrupt: the connection goes on once the server has stopped.
            self._interrupt(None)
            raise

    def _check_process(self):
        if self._process != os.getpid():
            raise InterfaceError("the connection was opened by another process: open one after fork()")

    def _interrupt(self, reason):
        """Cancels the running request and waits for its end; the connection is closed if that takes too long."""
        session, sock = self._session, self._socket
        end = time.monotonic() + self._settings.cancel_timeout
        try:
            self._send_interrupt()
            while not session.done:
                sock.settimeout(max(end - time.monotonic(), 0.000001))
                output = session.output()
                if output is not None:
                    sock.sendall(output)
                data = sock.recv(_READ_BYTES)
                if not data:
                    raise OSError("closed")
                session.receive(data)
        except OSError:
            self._lost("the server did not stop the request that was cancelled")
        if reason is not None:
            fault = session.fault()
            error = OperationalError(reason)
            if fault is not None and fault[0] == "server":
                error.sqlcode, error.isam = fault[1], fault[2]
            raise error

    def _lost(self, reason):
        self._session.disconnect(reason)
        self._close_socket()

    def _send_interrupt(self):
        # The urgent byte goes beside the stream, TLS or not; a TLS socket refuses to send it.
        with socket.socket(fileno=os.dup(self._socket.fileno())) as plain:
            plain.send(INTERRUPT, socket.MSG_OOB)

    def cancel(self):
        """Interrupts the operation that another thread runs: it fails with SQLCODE -213, and the connection goes on."""
        if self._session_is_busy():
            try:
                self._send_interrupt()
            except OSError as error:
                raise OperationalError(f"the cancellation cannot be sent: {error}") from error

    def _session_is_busy(self):
        if self._lock.acquire(blocking=False):
            self._lock.release()
            return False
        return True

    def _operation(self, start, *args, timeout=None):
        with self._lock:
            self._close_forgotten()
            start(*args)
            self._run(self._settings.timeout if timeout is None else timeout)

    def cursor(self, *, scrollable=False, hold=False, name=None, row_factory=None, lob_files=False):
        """A cursor. `scrollable` fetches in any order, `hold` stays open after COMMIT, `name` is for WHERE CURRENT OF.

        `lob_files` gives values of BLOB and CLOB columns as file objects.
        """
        if self.closed:
            raise InterfaceError("the connection is closed")
        return Cursor(self, scrollable, hold, name, row_factory, lob_files)

    def execute(self, statement, parameters=None):
        """Executes a statement with a new cursor, and returns the cursor."""
        return self.cursor().execute(statement, parameters)

    def executemany(self, statement, parameters):
        """Executes a statement for each set of parameters with a new cursor, and returns the cursor."""
        return self.cursor().executemany(statement, parameters)

    def insert_cursor(self, statement):
        """An insert cursor (PUT) for an INSERT with `?` for each column."""
        cursor = InsertCursor(self)
        self._operation(self._session.insert_cursor, cursor._number, statement)
        return cursor

    def create_blob(self, source=None):
        """A new BLOB for a parameter: the bytes of `source` or of a file object, else an empty one to be written."""
        return Lob._create(self, False, source)

    def create_clob(self, source=None):
        """A new CLOB for a parameter: a text, or that of a file object, else an empty one to be written."""
        return Lob._create(self, True, source)

    def _lob_operation(self, name, *args):
        with self._lock:
            self._operation(getattr(self._session, name), *args)
            return self._session.lob_answer()

    def commit(self):
        """Ends the transaction; its changes stay."""
        self._operation(self._session.commit)

    def rollback(self):
        """Ends the transaction; its changes are undone."""
        self._operation(self._session.rollback)

    def _abandon(self):
        """Rolls back for a pool. The answer of a transaction that has only read is left to the next operation."""
        with self._lock:
            self._close_forgotten()
            self._session.abandon()
            if self._session.done and not self.closed:
                self._send_output()
            self._run(self._settings.timeout)

    def _send_output(self):
        """Sends what need not be answered now."""
        self._check_process()
        output = self._session.output()
        if output is not None:
            try:
                self._socket.sendall(output)
            except OSError as error:
                self._lost(f"the connection is broken: {error}")

    def begin(self):
        """Begins a transaction, for connections with autocommit."""
        self._operation(self._session.begin)

    @BaseConnection.autocommit.setter
    def autocommit(self, value):
        if self._session.in_transaction and bool(value) != self._session.autocommit:
            raise ProgrammingError("autocommit cannot be changed inside a transaction")
        self._session.autocommit = bool(value)

    def savepoint(self, name):
        """Sets a savepoint in the transaction."""
        self._operation(self._session.savepoint, check_name(name, "savepoint"))

    def release_savepoint(self, name):
        """Forgets a savepoint."""
        self._operation(self._session.release_savepoint, check_name(name, "savepoint"))

    def rollback_to(self, name):
        """Undoes the changes since a savepoint."""
        self._operation(self._session.rollback_to, check_name(name, "savepoint"))

    def ping(self):
        """Asks the server for an answer; raises an OperationalError if there is none."""
        self._operation(self._session.ping)

    def close(self):
        """Closes the connection; an open transaction is rolled back."""
        with self._lock:
            if not self.closed:
                try:
                    if self._session.in_transaction:
                        self._session.rollback()
                        self._run(self._settings.cancel_timeout)
                    self._session.exit()
                    self._run(self._settings.cancel_timeout)
                except Error:
                    pass
            self._drop()

    def _drop(self):
        self._session.disconnect("the connection is closed")
        self._close_socket()

    def _close_socket(self):
        try:
            self._socket.close()
        except OSError:
            pass

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        """Commits, or rolls back after an error, and closes the connection."""
        try:
            if not self.closed:
                self.commit() if kind is None else self.rollback()
        finally:
            self.close()


class Cursor(BaseCursor):
    """A cursor of a blocking connection. Any number may be open at a time."""

    _lob_class = Lob

    def __init__(self, connection, scrollable, hold, name, row_factory, lob_files=False):
        super().__init__(connection, scrollable, hold, name, row_factory, lob_files)
        # A cursor that is forgotten must not keep its statement at the server.
        self._finalizer = weakref.finalize(self, connection._forgotten.append, self._number)
        self._finalizer.atexit = False

    def execute(self, statement, parameters=None):
        """Executes a statement, and returns the cursor."""
        return self._execute(statement, parameters, False)

    def executemany(self, statement, parameters):
        """Executes a statement once for each set of parameters, many of them in one group of messages.

        Of an iterable only a portion is in memory at a time.
        """
        changed = done = 0
        for portion in portions(parameters):
            try:
                self._execute(statement, portion, True)
            except Error as error:
                self._add_executed(error, done)
                raise
            changed, done = changed + max(self.rowcount, 0), done + len(portion)
            self.rowcount = changed
        return self

    def _execute(self, statement, parameters, is_many):
        self._check()
        self._reset()
        connection = self._connection
        timeout = connection._settings.timeout if self.timeout is None else self.timeout
        with connection._lock:
            connection._close_forgotten()
            self._session.execute(self._number, statement, parameters, is_many, self._opening)
            connection._run(timeout)
            self._executed()
        return self

    def callproc(self, name, parameters=()):
        """Calls a routine, and returns the parameters. Values that it returns are rows of the cursor."""
        self.execute(self._routine(name, parameters), list(parameters) or None)
        return parameters

    def _more(self):
        """Fetches the next rows; false if there are none."""
        if self._window is not None or self._scrolls:
            return self._next_window()
        connection = self._connection
        with connection._lock:
            self._session.fetch(self._number)
            connection._run(connection._settings.timeout if self.timeout is None else self.timeout)
            self._session.load(self._number, self._rows)
        return len(self._rows) > 0

    def _next_window(self):
        self._load_window(self._position, max(self.arraysize, SCROLL_ROWS))
        return len(self._rows) > 0

    def _load_window(self, first, count):
        connection = self._connection
        with connection._lock:
            self._session.scroll(self._number, first + 1, count)
            connection._run(connection._settings.timeout if self.timeout is None else self.timeout)
            self._session.load(self._number, self._rows)

    def fetchone(self):
        """The next row, or None."""
        rows = self._rows
        if rows is None or self._is_closed:
            self._check_rows()
        row = rows.next()
        if row is None:
            if not self._more():
                return None
            row = rows.next()
        self._position += 1
        return row if self._make is None else self._make(row)

    def fetchmany(self, size=None):
        """The next rows, at most `size` or `arraysize`."""
        self._check_rows()
        return self._fetch(self.arraysize if size is None else max(size, 0))

    def fetchall(self):
        """All rows that are left."""
        self._check_rows()
        return self._fetch(_ALL)

    def _fetch(self, most):
        rows = []
        start = self._position
        while len(rows) < most:
            if self._rows.take(rows, most - len(rows)) == 0 and not self._more():
                break
            self._position = start + len(rows)
        self._position = start
        return self._finish_rows(rows)

    def __iter__(self):
        self._check_rows()
        while True:
            make = self._make
            for row in self._rows:
                self._position += 1
                yield row if make is None else make(row)
            if self._is_closed or not self._has_rows or not self._more():
                return

    def scroll(self, value, mode="relative"):
        """Moves to another row, which is fetched next; an IndexError leaves the cursor where it is."""
        target = self._target(value, mode)
        kept = self._position
        self._load_window(target, max(self.arraysize, SCROLL_ROWS))
        if len(self._rows) == 0:
            self._load_window(kept, max(self.arraysize, SCROLL_ROWS))
            raise IndexError("a scroll beyond the last row")
        self._position = target

    def count_rows(self):
        """The number of rows of a scroll cursor."""
        self._target(0, "absolute")
        connection = self._connection
        with connection._lock:
            self._session.scroll_last(self._number)
            connection._run(connection._settings.timeout)
            count = self._session.last_number(self._number) or 0
            self._session.load(self._number, self._rows)
        self._load_window(self._position, max(self.arraysize, SCROLL_ROWS))
        return count

    def fetch_arrow(self):
        """All rows that are left, as a stream of record batches for any consumer of the Arrow PyCapsule interface."""
        self._check_rows()
        return self._rows.arrow(self._more_arrow)

    def _more_arrow(self):
        return self._rows if not self._is_closed and self._has_rows and self._more() else None

    def __arrow_c_stream__(self, requested_schema=None):
        return self.fetch_arrow().__arrow_c_stream__(requested_schema)

    def close(self):
        """Closes the cursor; its message goes along with the next operation."""
        if not self._is_closed:
            self._is_closed = True
            self._has_rows = False
            self._finalizer()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.close()
