"""Statements and types of SQLAlchemy in the core's SQL."""

from sqlalchemy import exc, schema as sa_schema
from sqlalchemy.sql import compiler, sqltypes


class MainstayCompiler(compiler.SQLCompiler):
    """Queries and changes."""

    def limit_clause(self, select, **options):
        text = ""
        if select._limit_clause is not None:
            text += "\n LIMIT " + self.process(select._limit_clause, **options)
        if select._offset_clause is not None:
            text += "\n OFFSET " + self.process(select._offset_clause, **options)
        return text

    def fetch_clause(self, select, **options):
        if select._fetch_clause_options["percent"]:
            raise exc.CompileError("the core's SQL has no FETCH ... PERCENT")
        if not select._fetch_clause_options["with_ties"]:
            # LIMIT takes expressions.
            text = "\n LIMIT " + self.process(select._fetch_clause, **options)
            offset = select._offset_clause
            return text + ("" if offset is None else "\n OFFSET " + self.process(offset, **options))
        return super().fetch_clause(select, **options)

    def get_select_precolumns(self, select, **options):
        if not select._distinct_on:
            return super().get_select_precolumns(select, **options)
        return f"DISTINCT ON ({', '.join(self.process(column, **options) for column in select._distinct_on)}) "

    def for_update_clause(self, select, **options):
        lock = select._for_update_arg
        words = " FOR"
        if lock.key_share:
            words += " KEY SHARE" if lock.read else " NO KEY UPDATE"
        else:
            words += " SHARE" if lock.read else " UPDATE"
        if lock.of:
            tables = {column.table: None for column in lock.of}
            words += " OF " + ", ".join(self.process(table, ashint=True, use_schema=False, **options) for table in tables)
        return words + (" NOWAIT" if lock.nowait else "") + (" SKIP LOCKED" if lock.skip_locked else "")

    def visit_sequence(self, sequence, **options):
        name = self.preparer.format_sequence(sequence).replace("'", "''")
        return f"nextval('{name}')"

    def visit_is_distinct_from_binary(self, binary, operator, **options):
        return f"{self.process(binary.left, **options)} IS DISTINCT FROM {self.process(binary.right, **options)}"

    def visit_is_not_distinct_from_binary(self, binary, operator, **options):
        return f"{self.process(binary.left, **options)} IS NOT DISTINCT FROM {self.process(binary.right, **options)}"

    def visit_regexp_match_op_binary(self, binary, operator, **options):
        return self._matches("~", binary, options)

    def visit_not_regexp_match_op_binary(self, binary, operator, **options):
        return self._matches("!~", binary, options)

    def _matches(self, sign, binary, options):
        if "i" in (binary.modifiers["flags"] or ""):
            sign += "*"
        return f"{self.process(binary.left, **options)} {sign} {self.process(binary.right, **options)}"

    def visit_regexp_replace_op_binary(self, binary, operator, **options):
        text = f"regexp_replace({self.process(binary.left, **options)}, {self.process(binary.right, **options)}"
        flags = binary.modifiers["flags"]
        return text + (")" if flags is None else f", {self.render_literal_value(flags, sqltypes.STRINGTYPE)})")

    def visit_bitwise_xor_op_binary(self, binary, operator, **options):
        return self._generate_generic_binary(binary, " # ", **options)

    def visit_empty_set_expr(self, element_types, **options):
        columns = ", ".join("1" for _ in element_types or [sqltypes.INTEGER()])
        return f"SELECT {columns} WHERE 1 != 1"

    def update_from_clause(self, update_stmt, from_table, extra_froms, from_hints, **options):
        options["asfrom"] = True
        return "FROM " + ", ".join(
            table._compiler_dispatch(self, fromhints=from_hints, **options) for table in extra_froms
        )

    def delete_extra_from_clause(self, delete_stmt, from_table, extra_froms, from_hints, **options):
        options["asfrom"] = True
        return "USING " + ", ".join(
            table._compiler_dispatch(self, fromhints=from_hints, **options) for table in extra_froms
        )

    def visit_now_func(self, function, **options):
        return "CURRENT_TIMESTAMP"


class MainstayDDLCompiler(compiler.DDLCompiler):
    """Definitions."""

    def get_column_specification(self, column, **options):
        text = self.preparer.format_column(column) + " "
        text += self.dialect.type_compiler_instance.process(column.type, type_expression=column)
        default_text = self.get_column_default_string(column)
        if column.computed is not None:
            return f"{text} {self.process(column.computed)}" + (" NOT NULL" if not column.nullable else "")
        if column.identity is not None:
            text += " " + self.process(column.identity)
        elif self._counts(column):
            text += " GENERATED BY DEFAULT AS IDENTITY"
        elif default_text is not None:
            text += " DEFAULT " + default_text
        return text + ("" if column.nullable else " NOT NULL")

    @staticmethod
    def _counts(column):
        is_counter = column.table is not None and column is column.table._autoincrement_column
        is_counted = isinstance(column.default, sa_schema.Sequence) and not column.default.optional
        return is_counter and column.server_default is None and not is_counted

    def visit_set_table_comment(self, create, **options):
        raise exc.CompileError("the core's SQL has no comments of tables")


class MainstayTypeCompiler(compiler.GenericTypeCompiler):
    """Types."""

    def visit_FLOAT(self, type_, **options):
        return "REAL" if type_.precision and type_.precision <= 24 else "DOUBLE"

    def visit_DOUBLE(self, type_, **options):
        return "DOUBLE"

    def visit_DOUBLE_PRECISION(self, type_, **options):
        return "DOUBLE"

    def visit_NUMERIC(self, type_, **options):
        if type_.precision is None:
            return "DECIMAL(38,10)"
        return f"DECIMAL({type_.precision},{type_.scale or 0})"

    visit_DECIMAL = visit_NUMERIC

    def visit_VARCHAR(self, type_, **options):
        return f"VARCHAR({type_.length})" if type_.length else "TEXT"

    def visit_NVARCHAR(self, type_, **options):
        return self.visit_VARCHAR(type_)

    def visit_NCHAR(self, type_, **options):
        return self.visit_CHAR(type_)

    def visit_CHAR(self, type_, **options):
        return f"CHAR({type_.length or 1})"

    def visit_TEXT(self, type_, **options):
        return "TEXT"

    visit_CLOB = visit_NCLOB = visit_TEXT

    def visit_large_binary(self, type_, **options):
        return "VARBINARY"

    def visit_BLOB(self, type_, **options):
        return "VARBINARY"

    def visit_BINARY(self, type_, **options):
        return f"BINARY({type_.length})" if type_.length else "VARBINARY"

    def visit_VARBINARY(self, type_, **options):
        return f"VARBINARY({type_.length})" if type_.length else "VARBINARY"

    def visit_datetime(self, type_, **options):
        return self.visit_TIMESTAMP(type_)

    def visit_DATETIME(self, type_, **options):
        return self.visit_TIMESTAMP(type_)

    def visit_TIMESTAMP(self, type_, **options):
        precision = getattr(type_, "precision", None)
        digits = 6 if precision is None else precision
        return f"TIMESTAMP({digits})" + (" WITH TIME ZONE" if type_.timezone else "")

    def visit_TIME(self, type_, **options):
        precision = getattr(type_, "precision", None)
        return f"TIME({6 if precision is None else precision})"

    def visit_INTERVAL(self, type_, **options):
        return "INTERVAL DAY TO SECOND"

    def visit_YEAR_MONTH(self, type_, **options):
        return "INTERVAL YEAR TO MONTH"

    def visit_UUID(self, type_, **options):
        return "UUID"

    def visit_uuid(self, type_, **options):
        return "UUID" if type_.native_uuid else "CHAR(32)"


class MainstayIdentifierPreparer(compiler.IdentifierPreparer):
    """Names keep the letters that they are written with, and are found whatever their case."""

    reserved_words = compiler.RESERVED_WORDS | {
        "all", "any", "check", "constraint", "cube", "current_catalog", "current_date", "current_schema",
        "current_time", "current_timestamp", "current_user", "distinct", "exists", "false", "foreign", "from",
        "fulltext", "index", "interval", "key", "lateral", "localtime", "localtimestamp", "not", "null", "primary",
        "rollup", "select", "session_user", "some", "spatial", "struct", "table", "tablesample", "top", "trim",
        "true", "unique", "unnest", "user",
    }  # fmt: skip
