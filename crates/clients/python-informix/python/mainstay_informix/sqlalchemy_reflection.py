"""Reflection of the system catalog, described in IBM's Guide to SQL: Reference.

One table is described by a few statements about it. While a whole schema is reflected (`MetaData.reflect`, `get_multi_columns` and
its like), each of these statements is executed once, for all tables.
"""

import collections

from sqlalchemy import exc
from sqlalchemy.engine import reflection
from sqlalchemy.engine.reflection import ReflectionDefaults

from .sqlalchemy_types import of_column

#: Statements about tables: their text, and the column that has the number of the table.
_PARTS = ", ".join(f"part{place}" for place in range(1, 17))
_CATALOG = {
    "columns": (
        "SELECT tabid, colname, coltype, collength, extended_id, colno FROM syscolumns WHERE {} ORDER BY colno",
        "tabid",
    ),
    "defaults": ('SELECT tabid, colno, type, "default" FROM sysdefaults WHERE {}', "tabid"),
    "indexes": (f"SELECT tabid, idxname, idxtype, {_PARTS} FROM sysindexes WHERE {{}} ORDER BY idxname", "tabid"),
    "constraints": (
        "SELECT tabid, constrname, constrtype, idxname FROM sysconstraints WHERE {} ORDER BY constrname",
        "tabid",
    ),
    "references": (
        "SELECT c.tabid, c.constrname, c.idxname, t.tabname, t.owner, t.tabid, p.idxname, r.delrule "
        "FROM sysconstraints c, sysreferences r, systables t, sysconstraints p "
        "WHERE {} AND c.constrtype = 'R' AND r.constrid = c.constrid AND t.tabid = r.ptabid "
        'AND p.constrid = r."primary" ORDER BY c.constrname',
        "c.tabid",
    ),
    "checks": (
        "SELECT c.tabid, c.constrname, k.seqno, k.checktext FROM sysconstraints c, syschecks k "
        "WHERE {} AND c.constrtype = 'C' AND k.constrid = c.constrid AND k.type = 'T' ORDER BY c.constrname, k.seqno",
        "c.tabid",
    ),
}
#: The key of the cache that says that a whole schema is reflected.
_WHOLE = "informix: the whole schema"
#: The number of the first table that is not part of the catalog.
_FIRST_TABLE = 100
#: So many tables that are asked for by name are reflected one by one.
_FEW_TABLES = 3


class Reflection:
    """The methods of a dialect that describe tables."""

    def _rows(self, connection, text, *parameters):
        return connection.exec_driver_sql(text, parameters).fetchall()

    def _owner(self, schema):
        return schema or self.default_schema_name

    @reflection.cache
    def get_schema_names(self, connection, **options):
        return [owner.strip() for (owner,) in self._rows(connection, "SELECT DISTINCT owner FROM systables ORDER BY owner") if owner.strip()]

    def _names(self, connection, schema, kinds):
        text = f"SELECT tabname FROM systables WHERE owner = ? AND tabid >= 100 AND tabtype IN ({kinds}) ORDER BY tabname"
        return [name for (name,) in self._rows(connection, text, self._owner(schema))]

    @reflection.cache
    def get_table_names(self, connection, schema=None, **options):
        return self._names(connection, schema, "'T'")

    @reflection.cache
    def get_view_names(self, connection, schema=None, **options):
        return self._names(connection, schema, "'V'")

    @reflection.cache
    def get_sequence_names(self, connection, schema=None, **options):
        return self._names(connection, schema, "'Q'")

    @reflection.cache
    def has_table(self, connection, table_name, schema=None, **options):
        self._ensure_has_table_connection(connection)
        return self._find(connection, table_name, schema, "'T', 'V'") is not None

    @reflection.cache
    def has_sequence(self, connection, sequence_name, schema=None, **options):
        return self._find(connection, sequence_name, schema, "'Q'") is not None

    def _find(self, connection, name, schema, kinds):
        text = f"SELECT tabid FROM systables WHERE tabname = ? AND owner = ? AND tabtype IN ({kinds})"
        rows = self._rows(connection, text, name, self._owner(schema))
        return rows[0][0] if rows else None

    def _tabid(self, connection, table_name, schema, options):
        owner, cache = self._owner(schema), options.get("info_cache")
        if cache is not None and _WHOLE in cache:
            key = ("informix", "tables", owner)
            if key not in cache:
                text = "SELECT tabname, tabid FROM systables WHERE owner = ? AND tabtype IN ('T', 'V')"
                cache[key] = dict(tuple(row) for row in self._rows(connection, text, owner))
            number = cache[key].get(table_name)
        else:
            number = self._find(connection, table_name, schema, "'T', 'V'")
        if number is None:
            raise exc.NoSuchTableError(f"{schema}.{table_name}" if schema else table_name)
        return number

    def _catalog(self, connection, what, number, options):
        """Rows of the catalog about a table, without its number."""
        (text, column), cache = _CATALOG[what], options.get("info_cache")
        if cache is None or _WHOLE not in cache:
            return [tuple(row)[1:] for row in self._rows(connection, text.format(f"{column} = ?"), number)]
        key = ("informix", what)
        if key not in cache:
            found = collections.defaultdict(list)
            for row in self._rows(connection, text.format(f"{column} >= {_FIRST_TABLE}")):
                found[row[0]].append(tuple(row)[1:])
            cache[key] = found
        return cache[key].get(number, [])

    def _multi(self, name, connection, options):
        names, cache = options.get("filter_names"), options.get("info_cache")
        if cache is not None and (names is None or len(names) > _FEW_TABLES):
            cache[_WHOLE] = True
        try:
            return list(getattr(super(), name)(connection, **options))
        finally:
            # Later questions about one table read the catalog again.
            for key in [key for key in cache or () if key == _WHOLE or key[:1] == ("informix",)]:
                del cache[key]

    def get_multi_columns(self, connection, **options):
        return self._multi("get_multi_columns", connection, options)

    def get_multi_pk_constraint(self, connection, **options):
        return self._multi("get_multi_pk_constraint", connection, options)

    def get_multi_foreign_keys(self, connection, **options):
        return self._multi("get_multi_foreign_keys", connection, options)

    def get_multi_indexes(self, connection, **options):
        return self._multi("get_multi_indexes", connection, options)

    def get_multi_unique_constraints(self, connection, **options):
        return self._multi("get_multi_unique_constraints", connection, options)

    def get_multi_check_constraints(self, connection, **options):
        return self._multi("get_multi_check_constraints", connection, options)

    @reflection.cache
    def get_columns(self, connection, table_name, schema=None, **options):
        number = self._tabid(connection, table_name, schema, options)
        defaults = self._defaults(connection, number, options)
        columns = []
        for name, code, length, extended, place in self._catalog(connection, "columns", number, options):
            kind = of_column(code & 0xFF, length, extended)
            column = {"name": name, "type": kind, "nullable": not code & 0x100, "default": defaults.get(place)}
            if code & 0xFF in (6, 18, 53):
                column["autoincrement"] = True
            columns.append(column)
        return columns

    def _defaults(self, connection, number, options):
        found = {}
        for place, kind, text in self._catalog(connection, "defaults", number, options):
            text = (text or "").strip()
            # Literals of other types than text have a coded form before a blank.
            found[place] = {"U": "USER", "C": "CURRENT", "T": "TODAY", "N": "NULL", "S": "DBSERVERNAME"}.get(kind, text)
            if kind == "L" and not text.rpartition(" ")[2].lstrip("-+").replace(".", "", 1).isdigit():
                found[place] = "'" + text.replace("'", "''") + "'"
            elif kind == "L":
                found[place] = text.rpartition(" ")[2]
        return found

    def _indexed_columns(self, connection, number, options):
        """The kind of each index, names of its columns, and which are descending."""
        columns = self._catalog(connection, "columns", number, options)
        names = {place: name for name, _, _, _, place in columns}
        indexes = {}
        for name, kind, *places in self._catalog(connection, "indexes", number, options):
            used = [place for place in places if place]
            indexes[name] = (kind, [names[abs(place)] for place in used], [place < 0 for place in used])
        return indexes

    def _constraints(self, connection, number, kinds, options):
        return [row for row in self._catalog(connection, "constraints", number, options) if row[1] in kinds]

    @reflection.cache
    def get_pk_constraint(self, connection, table_name, schema=None, **options):
        number = self._tabid(connection, table_name, schema, options)
        for name, _, index in self._constraints(connection, number, "P", options):
            _, columns, _ = self._indexed_columns(connection, number, options)[index]
            return {"constrained_columns": columns, "name": name}
        return ReflectionDefaults.pk_constraint()

    @reflection.cache
    def get_unique_constraints(self, connection, table_name, schema=None, **options):
        number = self._tabid(connection, table_name, schema, options)
        indexes = self._indexed_columns(connection, number, options)
        rows = self._constraints(connection, number, "U", options)
        return [{"name": name, "column_names": indexes[index][1]} for name, _, index in rows if index in indexes]

    @reflection.cache
    def get_foreign_keys(self, connection, table_name, schema=None, **options):
        number = self._tabid(connection, table_name, schema, options)
        own, found = self._indexed_columns(connection, number, options), []
        for row in self._catalog(connection, "references", number, options):
            name, index, target, owner, target_number, target_index, rule = row
            referred = self._indexed_columns(connection, target_number, options)
            owner = owner.strip()
            found.append(
                {
                    "name": name,
                    "constrained_columns": own[index][1],
                    "referred_schema": owner if schema or owner != self.default_schema_name else None,
                    "referred_table": target,
                    "referred_columns": referred[target_index][1],
                    "options": {"ondelete": "CASCADE"} if rule == "C" else {},
                }
            )
        return found

    @reflection.cache
    def get_indexes(self, connection, table_name, schema=None, **options):
        number = self._tabid(connection, table_name, schema, options)
        constraints = {index: kind for _, kind, index in self._constraints(connection, number, "PUR", options)}
        found = []
        for name, (kind, columns, descending) in sorted(self._indexed_columns(connection, number, options).items()):
            if constraints.get(name) in ("P", "R"):
                continue
            index = {"name": name, "column_names": columns, "unique": kind in ("U", "u"), "dialect_options": {}}
            if name in constraints:
                index["duplicates_constraint"] = name
            if any(descending):
                index["column_sorting"] = {column: ("desc",) for column, down in zip(columns, descending) if down}
            found.append(index)
        return found

    @reflection.cache
    def get_check_constraints(self, connection, table_name, schema=None, **options):
        number = self._tabid(connection, table_name, schema, options)
        texts = {}
        for name, _, part in self._catalog(connection, "checks", number, options):
            texts[name] = texts.get(name, "") + part
        return [{"name": name, "sqltext": text.strip()} for name, text in texts.items()]

    def get_multi_table_comment(self, connection, **options):
        return self._multi("get_multi_table_comment", connection, options)

    @reflection.cache
    def get_table_comment(self, connection, table_name, schema=None, **options):
        self._tabid(connection, table_name, schema, options)
        return {"text": None}

    @reflection.cache
    def get_view_definition(self, connection, view_name, schema=None, **options):
        number = self._find(connection, view_name, schema, "'V'")
        if number is None:
            raise exc.NoSuchTableError(view_name)
        parts = self._rows(connection, "SELECT viewtext FROM sysviews WHERE tabid = ? ORDER BY seqno", number)
        return "".join(part for (part,) in parts).strip()
