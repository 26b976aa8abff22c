"""What blocking and asynchronous cursors share: statements, results, descriptions. Nothing here waits."""

import collections
import itertools
import re

from .errors import (
    DatabaseError,
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    Warning,
    of_fault,
)
from .lobs import file_maker
from .rows import tuple_row
from .types import type_code

_NAME = re.compile(r"[\w$.:@\"]+\Z")
#: Rows that a scroll cursor fetches at a time, unless arraysize is larger.
SCROLL_ROWS = 64


#: Sets of parameters of `executemany` that are in memory at a time.
PORTION = 10_000


def portions(parameters):
    """Sets of parameters in lists: one of them even if there are none."""
    parameters = iter(parameters)
    portion = list(itertools.islice(parameters, PORTION))
    while True:
        yield portion
        portion = list(itertools.islice(parameters, PORTION))
        if not portion:
            return


def check_name(name, what):
    """A name that is put into a statement."""
    if not isinstance(name, str) or not _NAME.match(name):
        raise ProgrammingError(f"{name!r} is not the name of a {what}")
    return name


class BaseConnection:
    """The state of a connection beside its socket."""

    # PEP 249: exceptions as attributes of connections.
    Warning, Error, InterfaceError, DatabaseError = Warning, Error, InterfaceError, DatabaseError
    DataError, OperationalError, IntegrityError = DataError, OperationalError, IntegrityError
    InternalError, ProgrammingError, NotSupportedError = InternalError, ProgrammingError, NotSupportedError

    def __init__(self, settings, session):
        self._settings, self._session = settings, session
        self._numbers = itertools.count(1)
        # Numbers of cursors that were dropped. The garbage collector may run anywhere: the next operation closes them.
        self._forgotten = collections.deque()
        self._forgotten_lobs = collections.deque()
        #: Makes rows of tuples; see `mainstay_informix.rows`.
        self.row_factory = tuple_row

    @property
    def autocommit(self):
        """True if statements begin no transaction."""
        return self._session.autocommit

    @property
    def in_transaction(self):
        """True while a transaction is open."""
        return self._session.in_transaction

    @property
    def server_version(self):
        """The version that the server announced, such as `IBM Informix Dynamic Server Version 14.10.FC7`."""
        return self._session.server_version

    @property
    def closed(self):
        """True if the connection cannot be used any more."""
        return self._session.closed

    @property
    def encoding(self):
        """The codeset of texts, as Python names it."""
        return self._settings.encoding

    def _close_forgotten(self):
        while self._forgotten:
            self._session.close_cursor(self._forgotten.popleft())
        while self._forgotten_lobs:
            self._session.lob_forget(self._forgotten_lobs.popleft())

    def _raise_fault(self):
        fault = self._session.fault()
        if fault is not None:
            error = of_fault(fault)
            error.executed = self._session.outcome()[2]
            raise error

    def __repr__(self):
        state = "closed" if self.closed else "open"
        return f"<{type(self).__name__} {self._settings.host}:{self._settings.port}/{self._settings.database} {state}>"


class BaseCursor:
    """The state of a cursor: its number in the session, its rows, its results."""

    #: The class of BLOB and CLOB values as files.
    _lob_class = None

    def __init__(self, connection, scrollable, hold, name, row_factory, lob_files=False):
        self._connection, self._session = connection, connection._session
        self._number = next(connection._numbers)
        self._opening = None
        if scrollable or hold or name or lob_files:
            name = check_name(name, "cursor") if name else None
            self._opening = {
                "is_scrolling": bool(scrollable),
                "is_held": bool(hold),
                "lob_files": bool(lob_files),
                "name": name,
            }
        self._files = file_maker(connection, self._lob_class) if lob_files else None
        self._scrolls = bool(scrollable)
        self._is_closed = False
        #: Rows of `fetchmany` without a size.
        self.arraysize = 1
        #: Makes rows of tuples.
        self.row_factory = row_factory or connection.row_factory
        #: Seconds that an operation may take; None for those of the connection.
        self.timeout = None
        self._reset()

    def _reset(self):
        self._rows = self._make = self._description = None
        self._has_rows = False
        self._raw_description = None
        self._position = 0
        self._window = None
        self.rowcount = -1
        #: The last SERIAL value that the last INSERT generated, or None.
        self.lastrowid = None

    @property
    def connection(self):
        """The connection of the cursor."""
        return self._connection

    @property
    def description(self):
        """Name, type code, None, bytes, precision, scale and nullability of each column, or None without rows."""
        if self._description is None and self._raw_description is not None:
            self._description = [
                (name, type_code(code, extended), None, size, precision, scale, nullable)
                for name, code, extended, nullable, precision, scale, size in self._raw_description
            ]
        return self._description

    @property
    def rownumber(self):
        """The number of the next row, counted from 0, or None without rows."""
        return self._position if self._has_rows else None

    @property
    def closed(self):
        """True if the cursor cannot be used any more."""
        return self._is_closed

    def setinputsizes(self, sizes):
        """Does nothing: parameters have the types of their values."""

    def setoutputsize(self, size, column=None):
        """Does nothing: values have any length."""

    def nextset(self):
        """Returns None: a statement of Informix has one set of rows."""
        self._check()
        return None

    def _check(self):
        if self._is_closed:
            raise InterfaceError("the cursor is closed")

    def _check_rows(self):
        self._check()
        if not self._has_rows:
            raise ProgrammingError("the last statement has no rows")

    def _executed(self):
        """Takes the result of an execution."""
        changed, serial, _, has_rows = self._session.outcome()
        self.lastrowid = serial
        self._has_rows = has_rows
        if has_rows:
            self._raw_description = self._session.description(self._number)
            self._rows = self._session.rows(self._number, self._files)
            self._session.load(self._number, self._rows)
            self._make = self.row_factory(self)
        else:
            self.rowcount = changed

    @staticmethod
    def _add_executed(error, done):
        """Adds the executions before the portion that has failed."""
        if error.executed is not None or done:
            error.executed = (error.executed or 0) + done

    def _finish_rows(self, rows):
        self._position += len(rows)
        make = self._make
        return rows if make is None else [make(row) for row in rows]

    def _routine(self, name, parameters):
        marks = ", ".join("?" * len(parameters))
        return f"EXECUTE PROCEDURE {check_name(name, 'routine')}({marks})"

    def _target(self, value, mode):
        """The row that a scroll leads to, counted from 0."""
        self._check_rows()
        if not self._scrolls:
            raise NotSupportedError("the cursor does not scroll: connection.cursor(scrollable=True)")
        if mode not in ("relative", "absolute"):
            raise ProgrammingError("the mode of a scroll is 'relative' or 'absolute'")
        target = value + (self._position if mode == "relative" else 0)
        if target < 0:
            raise IndexError("a scroll before the first row")
        return target
