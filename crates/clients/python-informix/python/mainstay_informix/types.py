"""Constructors and type objects of PEP 249, and the type of year-month intervals."""

import datetime
import functools
import time

Date = datetime.date
Time = datetime.time
Timestamp = datetime.datetime
Binary = bytes


def DateFromTicks(ticks):  # noqa: N802 - the name that PEP 249 asks for
    """The local date of seconds since the epoch."""
    return Date(*time.localtime(ticks)[:3])


def TimeFromTicks(ticks):  # noqa: N802
    """The local time of day of seconds since the epoch."""
    return Time(*time.localtime(ticks)[3:6])


def TimestampFromTicks(ticks):  # noqa: N802
    """The local date and time of seconds since the epoch."""
    return Timestamp(*time.localtime(ticks)[:6])


class TypeObject:
    """Equals the type codes of a family, as they stand in `Cursor.description`."""

    def __init__(self, name, codes):
        self.name, self.codes = name, frozenset(codes)

    def __eq__(self, other):
        if isinstance(other, TypeObject):
            return self.codes == other.codes
        return isinstance(other, int) and int(other) in self.codes

    def __hash__(self):
        return hash(self.codes)

    def __repr__(self):
        return f"mainstay_informix.{self.name}"


#: Type codes are those of syscolumns.coltype; BOOLEAN, BLOB and CLOB, which share 41, have 45, 102 and 101 here.
STRING = TypeObject("STRING", [0, 12, 13, 15, 16, 19, 20, 21, 22, 23, 40, 43])
BINARY = TypeObject("BINARY", [11, 41, 101, 102])
NUMBER = TypeObject("NUMBER", [1, 2, 3, 4, 5, 6, 8, 17, 18, 45, 52, 53])
DATETIME = TypeObject("DATETIME", [7, 10, 14])
#: Row identifiers are INTEGERs in Informix: no column has this type.
ROWID = TypeObject("ROWID", [])

TYPE_NAMES = {
    0: "CHAR", 1: "SMALLINT", 2: "INTEGER", 3: "FLOAT", 4: "SMALLFLOAT", 5: "DECIMAL", 6: "SERIAL", 7: "DATE", 8: "MONEY",
    10: "DATETIME", 11: "BYTE", 12: "TEXT", 13: "VARCHAR", 14: "INTERVAL", 15: "NCHAR", 16: "NVARCHAR", 17: "INT8",
    18: "SERIAL8", 19: "SET", 20: "MULTISET", 21: "LIST", 22: "ROW", 23: "COLLECTION", 40: "LVARCHAR", 41: "OPAQUE",
    43: "LVARCHAR", 45: "BOOLEAN", 52: "BIGINT", 53: "BIGSERIAL", 101: "CLOB", 102: "BLOB",
}


class TypeCode(int):
    """The number of a column's type."""

    __slots__ = ()

    @property
    def name(self):
        """Its name in SQL."""
        return TYPE_NAMES.get(int(self), "UNKNOWN")

    def __repr__(self):
        return f"<{self.name} {int(self)}>"


def type_code(code, extended_id):
    """The type code of a column."""
    if code == 41:
        code = {5: 45, 10: 102, 11: 101}.get(extended_id, code)
    return TypeCode(code)


@functools.total_ordering
class YearMonth:
    """A value of INTERVAL YEAR TO MONTH, YEAR or MONTH.

    >>> YearMonth(1, 6) + YearMonth(months=7)
    YearMonth(2, 1)
    >>> str(YearMonth(months=-18)), YearMonth(months=-18).total_months
    ('-1-06', -18)
    """

    __slots__ = ("total_months",)

    def __init__(self, years=0, months=0):
        self.total_months = 12 * years + months

    @property
    def years(self):
        """Whole years, towards zero."""
        return int(self.total_months / 12)

    @property
    def months(self):
        """Months beyond the years, with the sign of the interval."""
        return self.total_months - 12 * self.years

    def __eq__(self, other):
        return self.total_months == other.total_months if isinstance(other, YearMonth) else NotImplemented

    def __lt__(self, other):
        return self.total_months < other.total_months if isinstance(other, YearMonth) else NotImplemented

    def __hash__(self):
        return hash(("YearMonth", self.total_months))

    def __add__(self, other):
        return YearMonth(months=self.total_months + other.total_months) if isinstance(other, YearMonth) else NotImplemented

    def __sub__(self, other):
        return YearMonth(months=self.total_months - other.total_months) if isinstance(other, YearMonth) else NotImplemented

    def __neg__(self):
        return YearMonth(months=-self.total_months)

    def __mul__(self, factor):
        return YearMonth(months=self.total_months * factor) if isinstance(factor, int) else NotImplemented

    __rmul__ = __mul__

    def __bool__(self):
        return self.total_months != 0

    def __repr__(self):
        return f"YearMonth({self.years}, {self.months})"

    def __str__(self):
        sign = "-" if self.total_months < 0 else ""
        return f"{sign}{abs(self.total_months) // 12}-{abs(self.total_months) % 12:02}"
