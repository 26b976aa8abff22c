"""A dialect of SQLAlchemy 2 for the core's SQL: `mainstay:///folder`, `mainstay://` for a database in memory.

Arguments of `connect` are options of the URL: `mainstay:///shop?memory_limit=1GB&timeout=30&read_only=true`.
"""

from sqlalchemy import exc, pool
from sqlalchemy.engine import default, reflection
from sqlalchemy.engine.reflection import ReflectionDefaults
from sqlalchemy.sql import sqltypes
from sqlalchemy.sql.compiler import InsertmanyvaluesSentinelOpts

from .sqlalchemy_compiler import (
    MainstayCompiler,
    MainstayDDLCompiler,
    MainstayIdentifierPreparer,
    MainstayTypeCompiler,
)
from .sqlalchemy_types import DATETIME, INTERVAL, YEAR_MONTH, of_text

_ISOLATION = ("READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE")
_DEFAULT_SCHEMAS = ("main", "public", "dbo")


class MainstayExecutionContext(default.DefaultExecutionContext):
    """Sequences, and numbers that identity columns give."""

    def fire_sequence(self, sequence, type_):
        name = self.identifier_preparer.format_sequence(sequence).replace("'", "''")
        return self._execute_scalar(f"SELECT nextval('{name}')", type_)

    def get_lastrowid(self):
        return self.cursor.lastrowid


class MainstayDialect(default.DefaultDialect):
    """The dialect."""

    name = "mainstay"
    driver = "mainstay"
    default_paramstyle = "qmark"
    default_schema_name = "main"
    supports_statement_cache = True
    supports_native_boolean = True
    supports_native_decimal = True
    supports_native_uuid = True
    supports_native_enum = False
    supports_sane_rowcount = True
    supports_sane_multi_rowcount = True
    supports_sane_rowcount_returning = False
    supports_default_values = True
    supports_default_metavalue = True
    supports_empty_insert = False
    supports_multivalues_insert = True
    supports_sequences = True
    sequences_optional = True
    preexecute_autoincrement_sequences = False
    supports_identity_columns = True
    supports_alter = True
    supports_comments = False
    supports_schemas = True
    supports_is_distinct_from = True
    postfetch_lastrowid = True
    insert_returning = update_returning = delete_returning = True
    update_returning_multifrom = delete_returning_multifrom = True
    insert_executemany_returning = True
    use_insertmanyvalues = True
    insertmanyvalues_implicit_sentinel = InsertmanyvaluesSentinelOpts.ANY_AUTOINCREMENT
    requires_name_normalize = False
    tuple_in_values = False
    div_is_floordiv = True
    max_identifier_length = 128

    statement_compiler = MainstayCompiler
    ddl_compiler = MainstayDDLCompiler
    type_compiler_cls = MainstayTypeCompiler
    preparer = MainstayIdentifierPreparer
    execution_ctx_cls = MainstayExecutionContext

    colspecs = {sqltypes.Interval: INTERVAL, sqltypes.DateTime: DATETIME}

    @classmethod
    def import_dbapi(cls):
        import mainstay

        return mainstay

    @classmethod
    def get_pool_class(cls, url):
        # A database in memory belongs to its connection.
        return pool.QueuePool if _folder(url) != ":memory:" else pool.SingletonThreadPool

    def create_connect_args(self, url):
        kinds = {"timeout": float, "threads": int, "read_only": lambda text: text.lower() in ("true", "1", "yes")}
        options = {name: kinds.get(name, str)(value) for name, value in url.query.items()}
        return [_folder(url)], options

    def _get_server_version_info(self, connection):
        return tuple(int(part) for part in self.loaded_dbapi.__version__.split("."))

    def _get_default_schema_name(self, connection):
        return "main"

    def is_disconnect(self, error, connection, cursor):
        return isinstance(error, self.loaded_dbapi.InterfaceError) and connection is not None and connection.closed

    def get_isolation_level_values(self, dbapi_connection):
        return [*_ISOLATION, "AUTOCOMMIT"]

    def set_isolation_level(self, dbapi_connection, level):
        dbapi_connection.autocommit = level == "AUTOCOMMIT"
        if level != "AUTOCOMMIT":
            dbapi_connection.execute(f"SET isolation = '{level.lower()}'")

    def get_isolation_level(self, dbapi_connection):
        if dbapi_connection.autocommit:
            return "AUTOCOMMIT"
        return dbapi_connection.execute("SHOW isolation").fetchone()[1].upper()

    # Reflection: the catalog is read once for an inspector, whatever is asked for.

    def _catalog(self, connection, options):
        cache = options.get("info_cache")
        if cache is not None and "mainstay_catalog" in cache:
            return cache["mainstay_catalog"]
        catalog = _Catalog(connection.connection.dbapi_connection)
        if cache is not None:
            cache["mainstay_catalog"] = catalog
        return catalog

    def _table(self, connection, name, schema, options):
        """The definition of a table; `None` for a view.

        Raises `NoSuchTableError`.
        """
        catalog = self._catalog(connection, options)
        table = catalog.table(name, schema)
        if table is None and catalog.view(name, schema) is None:
            raise exc.NoSuchTableError(f"{schema}.{name}" if schema else name)
        return table

    @reflection.cache
    def get_schema_names(self, connection, **options):
        return sorted({"main", *self._catalog(connection, options).schemas} - {"sys", "public", "dbo"})

    def has_schema(self, connection, schema_name, **options):
        return schema_name.lower() in [name.lower() for name in self.get_schema_names(connection, **options)]

    @reflection.cache
    def get_table_names(self, connection, schema=None, **options):
        return self._catalog(connection, options).table_names(schema)

    @reflection.cache
    def get_temp_table_names(self, connection, schema=None, **options):
        return list(self._catalog(connection, options).temporary)

    @reflection.cache
    def get_view_names(self, connection, schema=None, **options):
        return [name for key, name, _ in self._catalog(connection, options).views if key == _key(schema)]

    @reflection.cache
    def get_sequence_names(self, connection, schema=None, **options):
        return [name for key, name in self._catalog(connection, options).sequences if key == _key(schema)]

    def has_table(self, connection, table_name, schema=None, **options):
        self._ensure_has_table_connection(connection)
        catalog = self._catalog(connection, options)
        return catalog.table(table_name, schema) is not None or catalog.view(table_name, schema) is not None

    def has_sequence(self, connection, sequence_name, schema=None, **options):
        names = self.get_sequence_names(connection, schema, **options)
        return sequence_name.lower() in [name.lower() for name in names]

    @reflection.cache
    def get_columns(self, connection, table_name, schema=None, **options):
        table = self._table(connection, table_name, schema, options)
        if table is None:
            # Only the query of a view knows its columns; nothing is read of it.
            quoted = self.identifier_preparer.quote_identifier
            path = quoted(table_name) if _key(schema) == "main" else f"{quoted(schema)}.{quoted(table_name)}"
            cursor = connection.connection.dbapi_connection.execute(f"SELECT * FROM {path} LIMIT 0")
            return [_column({"name": one[0], "type": one[1], "nullable": one[6]}) for one in cursor.description]
        columns = [_column(column) for column in table["columns"]]
        return columns or ReflectionDefaults.columns()

    @reflection.cache
    def get_pk_constraint(self, connection, table_name, schema=None, **options):
        table = self._table(connection, table_name, schema, options)
        key = table and table.get("primary_key")
        return {"constrained_columns": key[1], "name": key[0]} if key else ReflectionDefaults.pk_constraint()

    @reflection.cache
    def get_unique_constraints(self, connection, table_name, schema=None, **options):
        table = self._table(connection, table_name, schema, options) or {}
        return [{"name": name, "column_names": columns} for name, columns in sorted(table.get("unique", []))]

    @reflection.cache
    def get_check_constraints(self, connection, table_name, schema=None, **options):
        table = self._table(connection, table_name, schema, options) or {}
        checks = sorted(table.get("checks", []))
        return [{"name": name, "sqltext": text} for name, text in checks]

    @reflection.cache
    def get_indexes(self, connection, table_name, schema=None, **options):
        table = self._table(connection, table_name, schema, options) or {}
        shown = []
        for name, unique, columns, descending in table.get("indexes", []):
            index = {"name": name, "unique": unique, "column_names": columns}
            if any(descending):
                index["column_sorting"] = {column: ("desc",) for column, down in zip(columns, descending) if down}
            shown.append(index)
        return sorted(shown, key=lambda index: index["name"])

    @reflection.cache
    def get_foreign_keys(self, connection, table_name, schema=None, **options):
        table = self._table(connection, table_name, schema, options) or {}
        shown = []
        for key in table.get("foreign_keys", []):
            actions = {"ondelete": key["on_delete"], "onupdate": key["on_update"]}
            chosen = {name: action for name, action in actions.items() if action}
            if key["deferrable"]:
                chosen["deferrable"] = True
            is_default = key["schema"] in _DEFAULT_SCHEMAS and schema is None
            shown.append(
                {
                    "name": key["name"],
                    "constrained_columns": key["columns"],
                    "referred_schema": None if is_default else key["schema"],
                    "referred_table": key["table"],
                    "referred_columns": key["referenced"],
                    "options": chosen,
                }
            )
        return sorted(shown, key=lambda key: key["name"])

    @reflection.cache
    def get_table_comment(self, connection, table_name, schema=None, **options):
        self._table(connection, table_name, schema, options)
        return ReflectionDefaults.table_comment()

    @reflection.cache
    def get_view_definition(self, connection, view_name, schema=None, **options):
        view = self._catalog(connection, options).view(view_name, schema)
        if view is None:
            raise exc.NoSuchTableError(view_name)
        return view


class _Catalog:
    """What exists, with names in lower case as keys."""

    def __init__(self, dbapi_connection):
        shared, temporary = dbapi_connection._definitions()
        self.schemas = shared["schemas"]
        self.tables = {(_key(table["schema"]), table["name"].lower()): table for table in shared["tables"]}
        for table in dbapi_connection._open().files():
            self.tables.setdefault(("main", table["name"].lower()), table)
        self.temporary = {table["name"]: table for table in (temporary or {"tables": []})["tables"]}
        self.views = [(_key(schema), name, text) for schema, name, text in shared["views"]]
        self.sequences = [(_key(schema), name) for schema, name in shared["sequences"]]

    def table(self, name, schema):
        if schema is None:
            for known, table in self.temporary.items():
                if known.lower() == name.lower():
                    return table
        return self.tables.get((_key(schema), name.lower()))

    def table_names(self, schema):
        return sorted(table["name"] for (key, _), table in self.tables.items() if key == _key(schema))

    def view(self, name, schema):
        for key, known, text in self.views:
            if key == _key(schema) and known.lower() == name.lower():
                return text
        return None


def _folder(url):
    return url.database or ":memory:"


def _key(schema):
    return "main" if schema is None or schema.lower() in _DEFAULT_SCHEMAS else schema.lower()


def _column(column):
    """A column as SQLAlchemy describes it."""
    shown = {
        "name": column["name"],
        "type": of_text(column["type"]),
        "nullable": column["nullable"],
        "default": column.get("default"),
        "autoincrement": "identity" in column,
    }
    if "identity" in column:
        always, steps = column["identity"]
        shown["identity"] = {"always": always}
        if steps is not None:
            start, increment, minimum, maximum, cycle = steps
            shown["identity"] |= {
                "start": start,
                "increment": increment,
                "minvalue": minimum,
                "maxvalue": maximum,
                "cycle": cycle,
                "cache": 1,
            }
    if "computed" in column:
        text, stored = column["computed"]
        shown["computed"] = {"sqltext": text, "persisted": stored}
    return shown


dialect = MainstayDialect

__all__ = ["INTERVAL", "MainstayDialect", "YEAR_MONTH", "dialect"]
