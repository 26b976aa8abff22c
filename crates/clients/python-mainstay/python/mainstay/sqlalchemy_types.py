"""Types of SQLAlchemy for those of the core's SQL."""

import datetime
import re

from sqlalchemy.sql import sqltypes


class INTERVAL(sqltypes.NativeForEmulated, sqltypes._AbstractInterval):
    """INTERVAL DAY TO SECOND; values are `timedelta`."""

    __visit_name__ = "INTERVAL"

    @classmethod
    def adapt_emulated_to_native(cls, impl, **options):
        return cls()

    @property
    def _type_affinity(self):
        return sqltypes.Interval

    @property
    def python_type(self):
        return datetime.timedelta

    def literal_processor(self, dialect):
        def process(value):
            microseconds = value // datetime.timedelta(microseconds=1)
            sign, (seconds, fraction) = "-" if microseconds < 0 else "", divmod(abs(microseconds), 1_000_000)
            days, seconds = divmod(seconds, 86_400)
            clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:06}"
            return f"INTERVAL '{sign}{days} {clock}' DAY TO SECOND"

        return process


class DATETIME(sqltypes.DATETIME):
    """Moments, whose literals say their type."""

    def literal_processor(self, dialect):
        def process(value):
            kind = "TIMESTAMP" if value.tzinfo is None else "TIMESTAMP WITH TIME ZONE"
            return f"{kind} '{value.isoformat(' ')}'"

        return process


class YEAR_MONTH(sqltypes.TypeEngine):
    """INTERVAL YEAR TO MONTH; values are `mainstay.YearMonth`."""

    __visit_name__ = "YEAR_MONTH"


class TIMESTAMP(sqltypes.TIMESTAMP):
    """TIMESTAMP of 0 to 7 digits of a second, with or without time zone."""

    def __init__(self, timezone=False, precision=None):
        super().__init__(timezone=timezone)
        self.precision = precision


class TIME(sqltypes.TIME):
    """TIME of 0 to 7 digits of a second."""

    def __init__(self, timezone=False, precision=None):
        super().__init__(timezone=timezone)
        self.precision = precision


_SIMPLE = {
    "BOOLEAN": sqltypes.BOOLEAN,
    "TINYINT": sqltypes.SMALLINT,
    "SMALLINT": sqltypes.SMALLINT,
    "INTEGER": sqltypes.INTEGER,
    "BIGINT": sqltypes.BIGINT,
    "REAL": sqltypes.REAL,
    "DOUBLE": sqltypes.DOUBLE,
    "TEXT": sqltypes.TEXT,
    "DATE": sqltypes.DATE,
    "UUID": sqltypes.UUID,
}


def of_text(name):
    """The type that words of SQL mean.

    >>> of_text("DECIMAL(8,2)"), of_text("INTERVAL YEAR TO MONTH")
    (NUMERIC(precision=8, scale=2), YEAR_MONTH())
    """
    found = re.fullmatch(r"([A-Z]+)(?:\((\d+)(?:,(\d+))?\))?(.*)", name.upper())
    if found is None:
        return sqltypes.NullType()
    word, rest = found[1], found[4]
    first, second = (None if digits is None else int(digits) for digits in found.group(2, 3))
    if word in _SIMPLE:
        return _SIMPLE[word]()
    match word:
        case "DECIMAL":
            return sqltypes.NUMERIC(first, second)
        case "MONEY":
            return sqltypes.NUMERIC(19, 4)
        case "CHAR":
            return sqltypes.CHAR(first)
        case "VARCHAR":
            return sqltypes.VARCHAR(first)
        case "BINARY":
            return sqltypes.BINARY(first)
        case "VARBINARY":
            return sqltypes.VARBINARY(first) if first else sqltypes.BLOB()
        case "TIME":
            return TIME(precision=first)
        case "TIMESTAMP":
            return TIMESTAMP("TIME ZONE" in rest, first)
        case "INTERVAL":
            return YEAR_MONTH() if "MONTH" in rest else INTERVAL()
    return sqltypes.NullType()
