"""A driver for Informix servers over SQLI: PEP 249, blocking and asyncio, rows as tuples, named rows or Arrow.

>>> import mainstay_informix
>>> mainstay_informix.apilevel, mainstay_informix.threadsafety, mainstay_informix.paramstyle
('2.0', 2, 'qmark')
"""

from .aio import AsyncConnection, AsyncCursor, connect as connect_async
from .connection import Connection, Cursor, connect
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
)
from .insert_cursors import AsyncInsertCursor, InsertCursor
from .lobs import AsyncLob, Lob
from .pool import AsyncPool, Pool
from .rows import dict_row, named_row, tuple_row
from .types import (
    BINARY,
    DATETIME,
    NUMBER,
    ROWID,
    STRING,
    Binary,
    Date,
    DateFromTicks,
    Time,
    TimeFromTicks,
    Timestamp,
    TimestampFromTicks,
    YearMonth,
)

__version__ = "0.1.0"

apilevel = "2.0"
#: Threads may share the module and connections: a connection runs one operation at a time.
threadsafety = 2
#: The preferred style. `:1` and `:name` are understood, too.
paramstyle = "qmark"

__all__ = [
    "AsyncConnection",
    "AsyncCursor",
    "AsyncInsertCursor",
    "AsyncLob",
    "AsyncPool",
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
    "InsertCursor",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "Lob",
    "NUMBER",
    "NotSupportedError",
    "OperationalError",
    "Pool",
    "ProgrammingError",
    "ROWID",
    "STRING",
    "Time",
    "TimeFromTicks",
    "Timestamp",
    "TimestampFromTicks",
    "Warning",
    "YearMonth",
    "apilevel",
    "connect",
    "connect_async",
    "dict_row",
    "named_row",
    "paramstyle",
    "threadsafety",
    "tuple_row",
]
