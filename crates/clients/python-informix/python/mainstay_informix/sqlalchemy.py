"""A dialect of SQLAlchemy 2: `informix://user:password@host:9088/database?server=ol_prod`.

Names in quotes need DELIMIDENT, which the dialect sets. Queries without a table are given one row of a set.
"""

from sqlalchemy import exc, schema as sa_schema, sql, types as sqltypes
from sqlalchemy.engine import default, interfaces
from sqlalchemy.sql import compiler, elements

from .sqlalchemy_reflection import Reflection
from .sqlalchemy_types import DATETIME, INTERVAL, YEAR_MONTH

_ISOLATION = {
    "READ UNCOMMITTED": "DIRTY READ",
    "READ COMMITTED": "COMMITTED READ",
    "REPEATABLE READ": "CURSOR STABILITY",
    "SERIALIZABLE": "REPEATABLE READ",
    "DIRTY READ": "DIRTY READ",
    "COMMITTED READ": "COMMITTED READ",
    "LAST COMMITTED": "COMMITTED READ LAST COMMITTED",
    "CURSOR STABILITY": "CURSOR STABILITY",
}


#: Functions of the fields of a date.
_DATE_PARTS = {"year": "YEAR", "quarter": "QUARTER", "month": "MONTH", "day": "DAY", "dow": "WEEKDAY"}
#: Directives of TO_CHAR for the fields of a time of day.
_TIME_PARTS = {"hour": "%H", "minute": "%M", "second": "%S"}


class InformixCompiler(compiler.SQLCompiler):
    """Queries."""

    def default_from(self):
        return " FROM TABLE(SET{1})"

    def get_select_precolumns(self, select, **options):
        text = ""
        if select._offset_clause is not None:
            text += f"SKIP {self.process(select._offset_clause, **options)} "
        if select._has_row_limiting_clause and self._limit_of(select) is not None:
            text += f"FIRST {self.process(self._limit_of(select), **options)} "
        return text + super().get_select_precolumns(select, **options)

    @staticmethod
    def _limit_of(select):
        return select._limit_clause if select._limit_clause is not None else select._fetch_clause

    def limit_clause(self, select, **options):
        if isinstance(select, sql.CompoundSelect):
            text = ""
            if select._limit_clause is not None:
                text += f"\n LIMIT {self.process(select._limit_clause, **options)}"
            if select._offset_clause is not None:
                raise exc.CompileError("Informix has no OFFSET for the result of a UNION: select from it")
            return text
        return ""

    def fetch_clause(self, select, **options):
        return ""

    def for_update_clause(self, select, **options):
        return " FOR UPDATE"

    def visit_true(self, element, **options):
        return "'t'::BOOLEAN"

    def visit_false(self, element, **options):
        return "'f'::BOOLEAN"

    def visit_is__binary(self, binary, operator, **options):
        return self._is(binary, " IS ", " = ", options)

    def visit_is_not_binary(self, binary, operator, **options):
        return self._is(binary, " IS NOT ", " <> ", options)

    def _is(self, binary, words, sign, options):
        """IS knows NULL alone."""
        is_boolean = isinstance(binary.right, (elements.True_, elements.False_))
        left, right = self.process(binary.left, **options), self.process(binary.right, **options)
        return f"{left}{sign if is_boolean else words}{right}"

    def visit_label(self, label, within_columns_clause=False, **options):
        element = label.element
        if within_columns_clause and isinstance(element, elements.BindParameter):
            options["casts_parameter"] = True
        return super().visit_label(label, within_columns_clause=within_columns_clause, **options)

    def visit_bindparam(self, bindparam, within_columns_clause=False, casts_parameter=False, **options):
        """A parameter that is a column of a result needs a type."""
        text = super().visit_bindparam(bindparam, within_columns_clause=within_columns_clause, **options)
        is_column = casts_parameter or within_columns_clause
        if not is_column or options.get("literal_binds") or isinstance(bindparam.type, sqltypes.NullType):
            return text
        return f"CAST({text} AS {self.dialect.type_compiler_instance.process(bindparam.type)})"

    def render_bind_cast(self, type_, dbapi_type, sqltext):
        return f"CAST({sqltext} AS {self.dialect.type_compiler_instance.process(dbapi_type)})"

    def visit_frame_clause(self, frameclause, **options):
        # The bounds of a frame are literals.
        options.pop("within_columns_clause", None)
        return super().visit_frame_clause(frameclause, **{**options, "literal_execute": True})

    def get_cte_preamble(self, recursive):
        # A recursive query has no word of its own.
        return "WITH"

    def visit_mod_binary(self, binary, operator, **options):
        return f"MOD({self.process(binary.left, **options)}, {self.process(binary.right, **options)})"

    def visit_extract(self, extract, **options):
        value, field = self.process(extract.expr, **options), extract.field.lower()
        if field in _DATE_PARTS:
            return f"{_DATE_PARTS[field]}({value})"
        if field == "doy":
            return f"(DATE({value}) - MDY(1, 1, YEAR({value})) + 1)"
        if field in _TIME_PARTS:
            return f"TO_CHAR({value}, '{_TIME_PARTS[field]}')::INTEGER"
        raise exc.CompileError(f"Informix has no function for the field {field!r} of a date or time")

    def visit_now_func(self, function, **options):
        return "CURRENT YEAR TO FRACTION(5)"

    def visit_current_timestamp_func(self, function, **options):
        return "CURRENT YEAR TO FRACTION(5)"

    def visit_current_date_func(self, function, **options):
        return "TODAY"

    def visit_char_length_func(self, function, **options):
        return f"CHAR_LENGTH{self.function_argspec(function)}"

    def visit_sequence(self, sequence, **options):
        return f"{self.preparer.format_sequence(sequence)}.NEXTVAL"

    def visit_empty_set_expr(self, element_types, **options):
        columns = ", ".join("1" for _ in element_types or [sqltypes.INTEGER()])
        return f"SELECT {columns} FROM TABLE(SET{{1}}) WHERE 1 = 0"


class InformixDDLCompiler(compiler.DDLCompiler):
    """Definitions. Informix has the name of a constraint behind it."""

    def get_column_specification(self, column, **options):
        text = self.preparer.format_column(column) + " " + self._column_type(column)
        default_text = self.get_column_default_string(column)
        if default_text is not None:
            text += f" DEFAULT {default_text}"
        if not column.nullable:
            text += " NOT NULL"
        return text

    def _column_type(self, column):
        has_other_default = column.identity is None and column.server_default is not None
        is_serial = column.table is not None and column is column.table._autoincrement_column and not has_other_default
        sequence = column.default if isinstance(column.default, sa_schema.Sequence) else None
        if is_serial and (sequence is None or sequence.optional):
            kind = "BIGSERIAL" if isinstance(column.type, sqltypes.BigInteger) else "SERIAL"
            start = column.identity.start if column.identity is not None else None
            return kind if start is None else f"{kind}({start})"
        return self.dialect.type_compiler_instance.process(column.type, type_expression=column)

    def define_constraint_preamble(self, constraint, **options):
        return ""

    def visit_primary_key_constraint(self, constraint, **options):
        return self._unnamed(constraint, super().visit_primary_key_constraint, options)

    def visit_unique_constraint(self, constraint, **options):
        return self._unnamed(constraint, super().visit_unique_constraint, options)

    def visit_foreign_key_constraint(self, constraint, **options):
        return self._unnamed(constraint, super().visit_foreign_key_constraint, options)

    def visit_check_constraint(self, constraint, **options):
        return self._unnamed(constraint, super().visit_check_constraint, options)

    def _unnamed(self, constraint, visit, options):
        """Moves the name from before the constraint to its end; SQLAlchemy 2.1 asks `define_constraint_preamble` for it."""
        text = visit(constraint, **options)
        name = self.preparer.format_constraint(constraint) if constraint.name is not None else None
        return f"{text.removeprefix(f'CONSTRAINT {name} ')} CONSTRAINT {name}" if text and name else text

    def visit_add_constraint(self, create, **options):
        table = self.preparer.format_table(create.element.table)
        return f"ALTER TABLE {table} ADD CONSTRAINT {self.process(create.element)}"

    def define_constraint_cascades(self, constraint):
        # ON UPDATE does not exist.
        return " ON DELETE CASCADE" if (constraint.ondelete or "").upper() == "CASCADE" else ""

    def get_identity_options(self, options):
        text = super().get_identity_options(options)
        for name in ("MINVALUE", "MAXVALUE", "CYCLE", "ORDER", "CACHE"):
            text = text.replace(f"NO {name}", f"NO{name}")
        return text

    def post_create_table(self, table):
        return " WITH NO LOG" if "TEMPORARY" in table._prefixes or "TEMP" in table._prefixes else ""


class InformixTypeCompiler(compiler.GenericTypeCompiler):
    """Types."""

    def visit_VARCHAR(self, type_, **options):
        length = type_.length or 255
        return f"VARCHAR({length})" if length <= 255 else f"LVARCHAR({length})"

    def visit_NVARCHAR(self, type_, **options):
        length = type_.length or 255
        return f"NVARCHAR({length})" if length <= 255 else f"LVARCHAR({length})"

    def visit_string(self, type_, **options):
        return self.visit_VARCHAR(type_, **options)

    def visit_unicode(self, type_, **options):
        return self.visit_VARCHAR(type_, **options)

    def visit_text(self, type_, **options):
        return "TEXT"

    def visit_unicode_text(self, type_, **options):
        return "TEXT"

    def visit_large_binary(self, type_, **options):
        return "BYTE"

    def visit_BLOB(self, type_, **options):
        return "BYTE"

    def visit_BINARY(self, type_, **options):
        return "BYTE"

    def visit_VARBINARY(self, type_, **options):
        return "BYTE"

    def visit_datetime(self, type_, **options):
        return "DATETIME YEAR TO FRACTION(5)"

    def visit_DATETIME(self, type_, **options):
        return getattr(type_, "informix_name", None) or "DATETIME YEAR TO FRACTION(5)"

    def visit_TIMESTAMP(self, type_, **options):
        return "DATETIME YEAR TO FRACTION(5)"

    def visit_time(self, type_, **options):
        return "DATETIME HOUR TO FRACTION(5)"

    def visit_TIME(self, type_, **options):
        return "DATETIME HOUR TO FRACTION(5)"

    def visit_interval(self, type_, **options):
        return "INTERVAL DAY(9) TO FRACTION(5)"

    def visit_INTERVAL(self, type_, **options):
        return getattr(type_, "informix_name", None) or "INTERVAL DAY(9) TO FRACTION(5)"

    def visit_YEAR_MONTH(self, type_, **options):
        return "INTERVAL YEAR(9) TO MONTH"

    def visit_FLOAT(self, type_, **options):
        return "SMALLFLOAT" if type_.precision and type_.precision <= 24 else "FLOAT"

    def visit_DOUBLE(self, type_, **options):
        return "FLOAT"

    def visit_DOUBLE_PRECISION(self, type_, **options):
        return "FLOAT"

    def visit_REAL(self, type_, **options):
        return "SMALLFLOAT"

    def visit_NUMERIC(self, type_, **options):
        precision = type_.precision or 16
        return f"DECIMAL({precision})" if type_.scale is None else f"DECIMAL({precision},{type_.scale})"

    visit_DECIMAL = visit_NUMERIC

    def visit_BOOLEAN(self, type_, **options):
        return "BOOLEAN"

    def visit_uuid(self, type_, **options):
        return "CHAR(32)"


class InformixIdentifierPreparer(compiler.IdentifierPreparer):
    """Names are folded to lower case unless they are quoted."""

    reserved_words = compiler.RESERVED_WORDS | {
        "all", "and", "any", "between", "by", "cluster", "column", "current", "date", "datetime", "decimal", "default",
        "delete", "distinct", "first", "for", "from", "group", "having", "in", "index", "insert", "interval", "into",
        "level", "limit", "long", "matches", "mode", "money", "multiset", "on", "option", "or", "order", "outer",
        "public", "row", "rowid", "select", "serial", "set", "skip", "table", "today", "union", "unique", "units",
        "update", "user", "values", "view", "where", "with", "work",
    }


class InformixExecutionContext(default.DefaultExecutionContext):
    """Sequences; SERIAL values come with the result of an INSERT."""

    def create_server_side_cursor(self):
        return self._dbapi_connection.cursor(server_side=True) if self.dialect.is_async else self._dbapi_connection.cursor()

    def fire_sequence(self, sequence, type_):
        name = self.dialect.identifier_preparer.format_sequence(sequence)
        return self._execute_scalar(f"SELECT {name}.NEXTVAL FROM TABLE(SET{{1}})", type_)

    def get_lastrowid(self):
        return self.cursor.lastrowid


class InformixDialect(Reflection, default.DefaultDialect):
    """The dialect over the blocking driver."""

    name = "informix"
    driver = "mainstay"
    default_paramstyle = "qmark"
    supports_statement_cache = True
    supports_native_boolean = True
    supports_native_decimal = True
    supports_native_enum = False
    supports_sane_rowcount = True
    supports_sane_multi_rowcount = True
    supports_default_values = False
    supports_default_metavalue = False
    supports_empty_insert = False
    supports_multivalues_insert = False
    cte_follows_insert = True
    bind_typing = interfaces.BindTyping.RENDER_CASTS
    supports_sequences = True
    sequences_optional = True
    supports_alter = True
    supports_comments = False
    postfetch_lastrowid = True
    insert_returning = update_returning = delete_returning = False
    use_insertmanyvalues = False
    requires_name_normalize = False
    supports_schemas = True
    max_identifier_length = 128
    tuple_in_values = False
    div_is_floordiv = False

    statement_compiler = InformixCompiler
    ddl_compiler = InformixDDLCompiler
    type_compiler_cls = InformixTypeCompiler
    preparer = InformixIdentifierPreparer
    execution_ctx_cls = InformixExecutionContext

    colspecs = {sqltypes.DateTime: DATETIME, sqltypes.Interval: INTERVAL}

    @classmethod
    def import_dbapi(cls):
        import mainstay_informix

        return mainstay_informix

    @classmethod
    def get_async_dialect_cls(cls, url):
        from .sqlalchemy_async import AsyncInformixDialect

        return AsyncInformixDialect

    def create_connect_args(self, url):
        options = url.translate_connect_args(username="user")
        numbers = {"connect_timeout": float, "timeout": float, "fetch_bytes": int, "statement_cache": int, "lock_wait": int}
        for name, value in url.query.items():
            if name in ("ssl", "strip_char", "keepalive") and value.lower() in ("true", "1", "yes"):
                options[name] = True
            else:
                options[name] = numbers.get(name, str)(value)
        options["environment"] = {"DELIMIDENT": "Y", **options.get("environment", {})}
        options.setdefault("client_locale", "en_US.utf8")
        return [], options

    def _get_server_version_info(self, connection):
        version = connection.connection.dbapi_connection.server_version.rpartition("Version ")[2]
        numbers = []
        for part in version.split("."):
            digits = "".join(letter for letter in part if letter.isdigit())
            if not digits:
                break
            numbers.append(int(digits[:2]))
        return tuple(numbers)

    def _get_default_schema_name(self, connection):
        return connection.exec_driver_sql("SELECT USER FROM TABLE(SET{1})").scalar().strip()

    def is_disconnect(self, error, connection, cursor):
        return isinstance(error, self.loaded_dbapi.Error) and connection is not None and getattr(connection, "closed", False)

    def do_ping(self, dbapi_connection):
        dbapi_connection.ping()
        return True

    def do_savepoint(self, connection, name):
        connection.connection.dbapi_connection.savepoint(name)

    def do_rollback_to_savepoint(self, connection, name):
        connection.connection.dbapi_connection.rollback_to(name)

    def do_release_savepoint(self, connection, name):
        connection.connection.dbapi_connection.release_savepoint(name)

    def get_isolation_level_values(self, dbapi_connection):
        return [*_ISOLATION, "AUTOCOMMIT"]

    def set_isolation_level(self, dbapi_connection, level):
        dbapi_connection.autocommit = level == "AUTOCOMMIT"
        if level != "AUTOCOMMIT":
            cursor = dbapi_connection.cursor()
            cursor.execute(f"SET ISOLATION TO {_ISOLATION[level]}")
            cursor.close()
            self._levels(dbapi_connection)["level"] = level

    def get_isolation_level(self, dbapi_connection):
        return "AUTOCOMMIT" if dbapi_connection.autocommit else self._levels(dbapi_connection)["level"]

    @staticmethod
    def _levels(dbapi_connection):
        """The level that was set last: the server does not report it."""
        if not hasattr(dbapi_connection, "sqlalchemy_isolation"):
            dbapi_connection.sqlalchemy_isolation = {"level": "COMMITTED READ"}
        return dbapi_connection.sqlalchemy_isolation


dialect = InformixDialect

__all__ = ["InformixDialect", "DATETIME", "INTERVAL", "YEAR_MONTH", "dialect"]
