"""Mainstay, a database engine over a folder's files, embedded in Python: PEP 249, Arrow, SQLAlchemy.

>>> import mainstay
>>> connection = mainstay.connect(":memory:")
>>> connection.execute("SELECT 1 + 1").fetchone()
(2,)
"""

from .connection import Connection, connect, default_connection, sql
from .cursor import Cursor
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
    Warning,  # noqa: A004 - the name that PEP 249 asks for
)
from .results import Result
from .types import (
    BINARY,
    DATETIME,
    NUMBER,
    ROWID,
    STRING,
    Binary,
    Date,
    DateFromTicks,
    Output,
    Time,
    TimeFromTicks,
    Timestamp,
    TimestampFromTicks,
    YearMonth,
)

#: PEP 249.
apilevel = "2.0"
#: Threads may share the module and connections; cursors belong to one thread at a time.
threadsafety = 2
#: `?`; names written `:name` take values of a mapping.
paramstyle = "qmark"

__version__ = "0.1.0"

__all__ = [
    "BINARY",
    "Binary",
    "Connection",
    "Cursor",
    "DATETIME",
    "DataError",
    "DatabaseError",
    "Date",
    "DateFromTicks",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NUMBER",
    "NotSupportedError",
    "OperationalError",
    "Output",
    "ProgrammingError",
    "ROWID",
    "Result",
    "STRING",
    "Time",
    "TimeFromTicks",
    "Timestamp",
    "TimestampFromTicks",
    "Warning",
    "YearMonth",
    "apilevel",
    "connect",
    "default_connection",
    "paramstyle",
    "sql",
    "threadsafety",
]
