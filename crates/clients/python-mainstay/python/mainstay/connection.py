"""Connections of PEP 249, and what they have beyond it."""

import os
import re
import threading
import weakref

from . import errors
from ._native import Session
from .cursor import Cursor
from .errors import InterfaceError, ProgrammingError
from .progress import ProgressDisplay, in_notebook
from .results import Result
from .sources import arrow_source

DIALECTS = ("core", "tsql", "ads", "informix")

_UNITS = {"": 1, "b": 1, "k": 1 << 10, "kb": 1 << 10, "m": 1 << 20, "mb": 1 << 20, "g": 1 << 30, "gb": 1 << 30}


def bytes_of(limit):
    """The bytes of a memory limit.

    >>> bytes_of("512MB"), bytes_of(1000), bytes_of(None)
    (536870912, 1000, None)
    """
    if limit is None or isinstance(limit, int):
        return limit
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*", limit)
    if found is None or found[2].lower() not in _UNITS:
        raise InterfaceError(f"the memory limit is a number of bytes, or a text such as '512MB', not {limit!r}")
    return int(float(found[1]) * _UNITS[found[2].lower()])


def connect(
    database=":memory:",
    dialect="core",
    read_only=False,
    memory_limit=None,
    timeout=None,
    *,
    autocommit=False,
    threads=None,
    code_page=None,
):
    """Opens a folder as a database, or one in memory.

    `dialect` is the language of statements: "core", "tsql", "ads" or "informix". `memory_limit` is a number of bytes or a text
    such as "2GB"; `timeout` is in seconds, for each statement; `threads` is how many a statement may use; `code_page` is that of
    DBF tables which do not say theirs. Connections of one process to the same folder share what is read of it.
    """
    return Connection(
        database, dialect, read_only, memory_limit, timeout, autocommit=autocommit, threads=threads, code_page=code_page
    )


class Connection:
    """A session of a dialect over a folder. Threads may share it: their calls run one after the other."""

    # PEP 249, optional extensions: exceptions as attributes.
    Warning = errors.Warning
    Error = errors.Error
    InterfaceError = errors.InterfaceError
    DatabaseError = errors.DatabaseError
    DataError = errors.DataError
    OperationalError = errors.OperationalError
    IntegrityError = errors.IntegrityError
    InternalError = errors.InternalError
    ProgrammingError = errors.ProgrammingError
    NotSupportedError = errors.NotSupportedError

    def __init__(
        self,
        database=":memory:",
        dialect="core",
        read_only=False,
        memory_limit=None,
        timeout=None,
        *,
        autocommit=False,
        threads=None,
        code_page=None,
    ):
        if dialect not in DIALECTS:
            raise InterfaceError(f"there is no dialect {dialect!r}: use {', '.join(DIALECTS)}")
        if threads is not None and threads < 1:
            raise InterfaceError("threads is the number of threads that a statement may use: 1 or more")
        #: The folder.
        self.database = os.fspath(database)
        #: The language of statements.
        self.dialect = dialect
        #: What makes a row of a tuple, for new cursors; `None` for tuples.
        self.row_factory = None
        self._autocommit = bool(autocommit)
        self._native = Session(
            self.database, dialect, bool(read_only), bytes_of(memory_limit), timeout, threads, code_page
        )
        self._closed = False
        self._close_at_exit = weakref.finalize(self, _close, self._native)
        if dialect == "core" and in_notebook():
            self.show_progress()

    def _open(self):
        if self._closed:
            raise InterfaceError("the connection is closed")
        return self._native

    @property
    def closed(self):
        """True after `close`."""
        return self._closed

    @property
    def autocommit(self):
        """True if each statement is a transaction of its own. Setting it to true commits the open transaction."""
        return self._autocommit

    @autocommit.setter
    def autocommit(self, value):
        if value and not self._autocommit:
            self.commit()
        self._autocommit = bool(value)

    @property
    def in_transaction(self):
        """True if a transaction is open."""
        return self._open().in_transaction()

    def cursor(self):
        """A new cursor."""
        self._open()
        return Cursor(self)

    def execute(self, operation, parameters=None):
        """Executes a statement with a new cursor, and returns that."""
        return self.cursor().execute(operation, parameters)

    def executemany(self, operation, seq_of_parameters):
        """Executes a statement for each of these parameters with a new cursor, and returns that."""
        return self.cursor().executemany(operation, seq_of_parameters)

    def sql(self, query, parameters=None, *, data=None):
        """Executes a statement; returns the `Result` of the last one, if there are several.

        `data` maps names to objects, which `register` copies to temporary tables of these names before.
        """
        for name, rows in (data or {}).items():
            self.register(name, rows)
        results = self._open().run(query, parameters, self._autocommit)
        with_rows = [result for result in results if result.columns is not None]
        if not results:
            raise errors.ProgrammingError("there is no statement in the text")
        return Result((with_rows or results)[-1])

    def begin(self):
        """Begins a transaction now."""
        self._open().begin()

    def commit(self):
        """Commits the open transaction, if there is one."""
        self._open().commit()

    def rollback(self):
        """Rolls the open transaction back, if there is one."""
        self._open().rollback()

    def interrupt(self):
        """Ends the statement that runs, from any thread."""
        self._open().interrupt()

    def set_progress_handler(self, handler, interval=0.1, ended=None):
        """Has a function called about every `interval` seconds while a statement runs, with the same as `progress` gives.

        An exception of the function ends the statement. `None` removes it. `ended` is called without arguments at the end of
        a statement of which the handler has heard.
        """
        native = self._open()
        if handler is None:
            native.watch(None)
            return
        native.watch(lambda: handler(native.progress()), interval, ended)

    def show_progress(self, show=True, *, after=1.0):
        """Shows the progress of statements that take longer than `after` seconds, in a notebook or on a terminal.

        Connections with the core's SQL do so in notebooks unless this is called with a false value.
        """
        display = ProgressDisplay(after) if show else None
        self.set_progress_handler(display, 0.2, None if display is None else display.ended)

    def progress(self):
        """Rows read by the running statement, all rows of its tables, bytes read, all bytes; core only, else `None`."""
        return self._open().progress()

    def create_table(self, name, rows, *, temporary=False, replace=False):
        """Creates a table with the columns and rows of an object: a table of pyarrow, a frame of polars or pandas, a result,
        a dictionary of columns, a list of dictionaries.

        Returns how many rows there were. If a row is refused, there is no table.
        """
        return self._open().create_table(name, arrow_source(rows), temporary, replace, self._autocommit)

    def register(self, name, rows):
        """Gives an object a name in statements of this connection: its rows are copied to a temporary table."""
        return self._open().create_table(name, arrow_source(rows), True, True, True)

    def unregister(self, name):
        """Removes a name that `register` has given."""
        quoted = name.replace('"', '""')
        self._open().run(f'DROP TABLE IF EXISTS "{quoted}"', None, True)

    def append(self, table, rows):
        """Appends the rows of an object to a table: how many there were. All of them, or none."""
        return self._open().append(table, arrow_source(rows), self._autocommit)

    def tables(self):
        """Names of the tables and views."""
        shared, temporary = self._definitions()
        names = [_path(table["schema"], table["name"]) for table in shared["tables"]]
        names += [_path(schema, name) for schema, name, _ in shared["views"]]
        names += [table["name"] for table in (temporary or {"tables": []})["tables"]]
        names += [table["name"] for table in self._open().files()]
        return sorted(name for name in set(names) if not name.startswith("sys."))

    def _definitions(self):
        return self._open().definitions()

    def backup(self, file):
        """Writes everything that the folder is into one file, while others go on working."""
        self._open().backup(os.fspath(file))

    def close(self):
        """Rolls the open transaction back and closes the session. Results that are being read stay readable."""
        if not self._closed:
            # A connection that cannot be closed now, because it waits for the rows that the caller makes, stays open.
            self._native.close()
            self._native.watch(None)
            self._closed = True
            self._close_at_exit.detach()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        """Commits, or rolls back after an exception. The connection stays open."""
        if not self._closed:
            self.commit() if kind is None else self.rollback()

    def __repr__(self):
        return f"<mainstay.Connection {self.database!r} {self.dialect}{' closed' if self._closed else ''}>"


def _close(native):
    native.close()
    # The handler refers to the session.
    native.watch(None)


def _path(schema, name):
    return name if schema in ("main", "public", "dbo") else f"{schema}.{name}"


_default = None
_default_lock = threading.Lock()


def default_connection():
    """The connection of `mainstay.sql`: a database in memory, made when it is first used."""
    global _default
    with _default_lock:
        if _default is None or _default.closed:
            _default = Connection(autocommit=True)
        return _default


def sql(query, parameters=None, /, **objects):
    """Executes a statement in a database in memory; objects are registered under the names of the arguments.

    >>> sql("SELECT 40 + ? AS answer", [2]).fetchall()
    [(42,)]
    """
    connection = default_connection()
    for name, rows in objects.items():
        connection.register(name, rows)
    try:
        return connection.sql(query, parameters)
    except ProgrammingError as error:
        if error.code == "unknown_table" and error.hint is None:
            error.hint = "pass an object as a table by its name: sql(query, name=frame)"
            error.args = (f"{error} ({error.hint})",)
        raise
