from typing import Any

from . import errors
from .connection import Connection, RowFactory
from .types import TypeCode

class BaseConnection:
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
    row_factory: RowFactory
    @property
    def autocommit(self) -> bool: ...
    @property
    def in_transaction(self) -> bool: ...
    @property
    def server_version(self) -> str: ...
    @property
    def closed(self) -> bool: ...
    @property
    def encoding(self) -> str: ...

class BaseCursor:
    arraysize: int
    rowcount: int
    lastrowid: int | None
    timeout: float | None
    row_factory: RowFactory
    @property
    def connection(self) -> Any: ...
    @property
    def description(self) -> list[tuple[str, TypeCode, None, int | None, int | None, int | None, bool]] | None: ...
    @property
    def rownumber(self) -> int | None: ...
    @property
    def closed(self) -> bool: ...
    def setinputsizes(self, sizes: Any) -> None: ...
    def setoutputsize(self, size: int, column: int | None = None) -> None: ...
    def nextset(self) -> Any: ...
