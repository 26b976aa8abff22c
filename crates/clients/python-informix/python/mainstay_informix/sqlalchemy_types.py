"""Types of SQLAlchemy for those of Informix."""

import datetime

from sqlalchemy.sql import sqltypes

_UNITS = {0: "YEAR", 2: "MONTH", 4: "DAY", 6: "HOUR", 8: "MINUTE", 10: "SECOND"}


def _unit(number):
    return _UNITS.get(number) or f"FRACTION({number - 10})"


def qualifier(length, is_interval):
    """The qualifier that the length of a DATETIME or INTERVAL stands for, such as YEAR TO SECOND."""
    digits, first, last = length >> 8, length >> 4 & 15, length & 15
    leading = digits - (min(last, 10) - first) - max(last - 10, 0)
    start = f"{_unit(first)}({leading})" if is_interval and first <= 10 else _unit(first)
    return start if first == last and first <= 10 else f"{start} TO {_unit(last)}"


class DATETIME(sqltypes.DATETIME):
    """DATETIME with its qualifier; values have 5 digits of a second at most."""

    def __init__(self, timezone=False, informix_name=None):
        super().__init__(timezone)
        self.informix_name = informix_name

    def bind_processor(self, dialect):
        def process(value):
            if isinstance(value, datetime.datetime) and value.tzinfo is not None:
                return value.astimezone(datetime.UTC).replace(tzinfo=None)
            return value

        return process


class INTERVAL(sqltypes.NativeForEmulated, sqltypes._AbstractInterval):
    """INTERVAL of days and smaller fields; values are timedelta."""

    __visit_name__ = "INTERVAL"
    #: A parameter of arithmetic has the type of the other side otherwise.
    render_bind_cast = True

    def __init__(self, informix_name=None):
        self.informix_name = informix_name

    @classmethod
    def adapt_emulated_to_native(cls, impl, **options):
        return cls()

    @property
    def _type_affinity(self):
        return sqltypes.Interval

    def literal_processor(self, dialect):
        def process(value):
            ticks = (value.days * 86_400 + value.seconds) * 100_000 + value.microseconds // 10
            sign, ticks = ("-", -ticks) if ticks < 0 else ("", ticks)
            seconds, fraction = divmod(ticks, 100_000)
            (minutes, second), (days, hours) = divmod(seconds, 60), divmod(seconds // 3600, 24)
            return f"INTERVAL ({sign}{days} {hours:02}:{minutes % 60:02}:{second:02}.{fraction:05}) DAY(9) TO FRACTION(5)"

        return process

    @property
    def python_type(self):
        return datetime.timedelta


class YEAR_MONTH(sqltypes.TypeEngine):
    """INTERVAL YEAR TO MONTH: values are `mainstay_informix.YearMonth`."""

    __visit_name__ = "YEAR_MONTH"


def of_column(code, length, extended):
    """The type of a column of syscolumns."""
    match code:
        case 0 | 15:
            return sqltypes.CHAR(length) if code == 0 else sqltypes.NCHAR(length)
        case 1:
            return sqltypes.SMALLINT()
        case 2 | 6:
            return sqltypes.INTEGER()
        case 17 | 18 | 52 | 53:
            return sqltypes.BIGINT()
        case 3:
            return sqltypes.FLOAT()
        case 4:
            return sqltypes.REAL()
        case 5 | 8:
            scale = length & 255
            return sqltypes.NUMERIC(length >> 8, None if scale == 255 else scale)
        case 7:
            return sqltypes.DATE()
        case 10:
            name = qualifier(length, False)
            if length >> 4 & 15 >= 6:
                return sqltypes.TIME()
            return DATETIME(informix_name=f"DATETIME {name}")
        case 14:
            return YEAR_MONTH() if (length >> 4 & 15) <= 2 else INTERVAL(informix_name=f"INTERVAL {qualifier(length, True)}")
        case 11:
            return sqltypes.LargeBinary()
        case 12:
            return sqltypes.TEXT()
        case 13 | 16:
            # The high byte of the length is the reserved minimum.
            return sqltypes.VARCHAR(length & 255) if code == 13 else sqltypes.NVARCHAR(length & 255)
        case 40 | 43:
            return sqltypes.VARCHAR(length)
        case 41:
            return {5: sqltypes.BOOLEAN, 10: sqltypes.LargeBinary, 11: sqltypes.TEXT, 1: sqltypes.VARCHAR}.get(extended, sqltypes.NullType)()
        case 45:
            return sqltypes.BOOLEAN()
    return sqltypes.NullType()
