"""Constructors and type objects of PEP 249, and values that Python has no type for."""

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
    """Equals the types of a family, as they stand in `Cursor.description`.

    >>> "DECIMAL(8,2)" == NUMBER, "varchar(20)" == STRING, "DATE" == NUMBER
    (True, True, False)
    """

    def __init__(self, name, words):
        self.name, self.words = name, frozenset(words)

    def __eq__(self, other):
        if isinstance(other, TypeObject):
            return self.words == other.words
        return isinstance(other, str) and base_name(other) in self.words

    def __hash__(self):
        return hash(self.words)

    def __repr__(self):
        return f"mainstay.{self.name}"


def base_name(type_name):
    """The name of a type without its arguments, in lower case.

    >>> base_name("TIMESTAMP(6) WITH TIME ZONE")
    'timestamp'
    """
    return type_name.partition("(")[0].split(" ")[0].lower()


#: Type codes in `Cursor.description` are the types in words of SQL, as the dialect declares them.
STRING = TypeObject(
    "STRING",
    "char varchar text nchar nvarchar ntext lvarchar character clob xml sql_variant cicharacter memo uniqueidentifier".split(),
)
BINARY = TypeObject("BINARY", "binary varbinary image rowversion blob byte bytea raw".split())
NUMBER = TypeObject(
    "NUMBER",
    "tinyint smallint integer int bigint int8 decimal numeric money smallmoney real double float smallfloat serial serial8 "
    "bigserial boolean bit autoinc".split(),
)
DATETIME = TypeObject("DATETIME", "date time timestamp datetime datetime2 datetimeoffset smalldatetime interval".split())
#: The rows of the engine's tables have no address: no column has this type.
ROWID = TypeObject("ROWID", [])


class Output:
    """An output parameter of a procedure, with the value that it is called with, whose type the result has.

    `cursor.callproc("dbo.next_number", ["orders", Output(0)])`
    """

    __slots__ = ("value",)

    def __init__(self, value=None):
        self.value = value

    def __repr__(self):
        return f"Output({self.value!r})"


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
