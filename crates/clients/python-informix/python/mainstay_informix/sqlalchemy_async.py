"""The dialect over asynchronous connections: `informix+mainstay_async://...`."""

from sqlalchemy import pool
from sqlalchemy.connectors.asyncio import (
    AsyncAdapt_dbapi_connection,
    AsyncAdapt_dbapi_cursor,
    AsyncAdapt_dbapi_module,
    AsyncAdapt_dbapi_ss_cursor,
    AsyncAdapt_terminate,
)
from sqlalchemy.util import concurrency

from .sqlalchemy import InformixDialect

# The name of SQLAlchemy 2.1, and that of 2.0.
await_only = getattr(concurrency, "await_", None) or concurrency.await_only


class _Cursor(AsyncAdapt_dbapi_cursor):
    __slots__ = ()

    def _make_new_cursor(self, connection):
        return connection.cursor()

    @property
    def lastrowid(self):
        return self._cursor.lastrowid


class _StreamingCursor(AsyncAdapt_dbapi_ss_cursor, _Cursor):
    __slots__ = ()


class _Connection(AsyncAdapt_terminate, AsyncAdapt_dbapi_connection):
    __slots__ = ("sqlalchemy_isolation",)

    _cursor_cls = _Cursor
    _ss_cursor_cls = _StreamingCursor

    @property
    def autocommit(self):
        return self._connection.autocommit

    @autocommit.setter
    def autocommit(self, value):
        await_only(self._connection.set_autocommit(value))

    @property
    def closed(self):
        return self._connection.closed

    @property
    def server_version(self):
        return self._connection.server_version

    def ping(self):
        await_only(self._connection.ping())

    def savepoint(self, name):
        await_only(self._connection.savepoint(name))

    def rollback_to(self, name):
        await_only(self._connection.rollback_to(name))

    def release_savepoint(self, name):
        await_only(self._connection.release_savepoint(name))

    def _terminate_force_close(self):
        self._connection._drop()

    async def _terminate_graceful_close(self):
        await self._connection.close()


class _Module(AsyncAdapt_dbapi_module):
    def __init__(self, driver):
        super().__init__(driver)
        self.driver = driver
        for name in dir(driver):
            if not name.startswith("_") and not hasattr(self, name):
                setattr(self, name, getattr(driver, name))
        self.paramstyle = "qmark"

    def connect(self, *args, **options):
        return await_only(_Connection.create(self, self.driver.connect_async(*args, **options)))


class AsyncInformixDialect(InformixDialect):
    """The dialect over the asynchronous driver."""

    driver = "mainstay_async"
    is_async = True
    supports_statement_cache = True
    supports_server_side_cursors = True
    has_terminate = True

    @classmethod
    def import_dbapi(cls):
        import mainstay_informix

        return _Module(mainstay_informix)

    @classmethod
    def get_pool_class(cls, url):
        return pool.AsyncAdaptedQueuePool

    def do_terminate(self, dbapi_connection):
        dbapi_connection.terminate()

    def get_driver_connection(self, connection):
        return connection._connection


dialect = AsyncInformixDialect
