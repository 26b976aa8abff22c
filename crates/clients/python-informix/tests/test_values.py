"""Values of every type go to the server and come back, extremes and NULL included."""

import datetime
import decimal
import random
import struct

import pytest

import mainstay_informix
from mainstay_informix import YearMonth

D = decimal.Decimal
SEED = 20260


def letters(count, most=0x24F):
    return "".join(chr(random.choice([random.randint(32, 126), random.randint(0xA1, most)])) for _ in range(count))


def a_date():
    return datetime.date.fromordinal(random.randint(1, datetime.date.max.toordinal()))


def a_moment(digits):
    unit = 10 ** (6 - digits)
    micros = random.randrange(10**digits) * unit
    return datetime.datetime.combine(a_date(), datetime.time(*[random.randrange(n) for n in (24, 60, 60)], micros))


def a_decimal(precision, scale):
    # From a text: arithmetic would round to the 28 digits of the context.
    return D(f"{random.randint(-(10**precision) + 1, 10**precision - 1)}E-{scale}")


def a_floating(precision):
    return D(f"{random.randint(-(10**precision) + 1, 10**precision - 1)}E{random.randint(-90, 90)}")


# type -> (extremes, random value)
CASES = {
    "SMALLINT": ([0, 32767, -32767], lambda: random.randint(-32767, 32767)),
    "INTEGER": ([0, 2147483647, -2147483647], lambda: random.randint(-2147483647, 2147483647)),
    "BIGINT": ([0, 2**63 - 1, -(2**63) + 1], lambda: random.randint(-(2**63) + 1, 2**63 - 1)),
    "INT8": ([0, 2**63 - 1, -(2**63) + 1], lambda: random.randint(-(2**63) + 1, 2**63 - 1)),
    "FLOAT": ([0.0, 1.7976931348623157e308, -5e-324], lambda: random.uniform(-1e10, 1e10)),
    "SMALLFLOAT": ([0.0, -1.5], lambda: struct.unpack("f", struct.pack("f", random.uniform(-1e10, 1e10)))[0]),
    "DECIMAL(8,2)": ([D("999999.99"), D("-999999.99"), D("0.01"), D("0.00")], lambda: a_decimal(8, 2)),
    "DECIMAL(32,0)": ([D("9" * 32), D("-" + "9" * 32)], lambda: a_decimal(32, 0)),
    "DECIMAL(16,16)": ([D("0.9999999999999999"), D("-0.0000000000000001")], lambda: a_decimal(16, 16)),
    "DECIMAL": ([D(0), D("1E+125"), D("-1E-130"), D("9.999999999999999E+125")], lambda: a_floating(16)),
    "DECIMAL(32)": ([D("9" * 32 + "E+94"), D("-" + "9" * 32 + "E+94"), D("1E-130")], lambda: a_floating(32)),
    "DECIMAL(5)": ([D("12345"), D("-0.00001")], lambda: a_floating(5)),
    "MONEY(16,2)": ([D("99999999999999.99"), D("-0.01")], lambda: a_decimal(16, 2)),
    "DATE": ([datetime.date.min, datetime.date.max, datetime.date(1899, 12, 31)], a_date),
    "DATETIME YEAR TO SECOND": ([datetime.datetime(9999, 12, 31, 23, 59, 59)], lambda: a_moment(0)),
    "DATETIME YEAR TO FRACTION(5)": (
        [datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31, 23, 59, 59, 999990)],
        lambda: a_moment(5),
    ),
    "DATETIME YEAR TO DAY": ([datetime.date(2000, 2, 29)], a_date),
    "DATETIME HOUR TO SECOND": ([datetime.time(0), datetime.time(23, 59, 59)], lambda: a_moment(0).time()),
    "DATETIME HOUR TO FRACTION(3)": ([datetime.time(23, 59, 59, 999000)], lambda: a_moment(3).time()),
    "BOOLEAN": ([True, False], lambda: random.random() < 0.5),
    "VARCHAR(255)": (["", " a ", "'\"?:x"], lambda: letters(random.randint(1, 80))),
    "NVARCHAR(100)": (["ß"], lambda: letters(random.randint(1, 40))),
    "LVARCHAR(2000)": (["", "x" * 2000], lambda: letters(random.randint(1, 600))),
    "TEXT": (["", "x" * 100_000, "€" * 20_000], lambda: letters(random.randint(1, 3000))),
    "BYTE": ([b"", bytes(range(256)) * 300], lambda: random.randbytes(random.randint(1, 3000))),
    "INTERVAL DAY(9) TO FRACTION(5)": (
        [datetime.timedelta(days=-999_999_999), datetime.timedelta(microseconds=10)],
        lambda: datetime.timedelta(days=random.randint(-9999, 9999), microseconds=10 * random.randrange(10**8)),
    ),
    "INTERVAL HOUR TO MINUTE": ([datetime.timedelta(0)], lambda: datetime.timedelta(minutes=random.randint(-5999, 5999))),
    "INTERVAL YEAR(9) TO MONTH": ([YearMonth(0), YearMonth(-9999, -11)], lambda: YearMonth(months=random.randint(-99999, 99999))),
}


@pytest.mark.parametrize("kind", CASES)
def test_values_come_back(connection, table, kind):
    random.seed(SEED)
    extremes, make = CASES[kind]
    values = [*extremes, None, *(make() for _ in range(40))]
    name = table(f"id INTEGER, v {kind}")
    cursor = connection.cursor()
    cursor.executemany(f"INSERT INTO {name} VALUES (?, ?)", list(enumerate(values)))
    assert cursor.rowcount == len(values)
    cursor.execute(f"SELECT v FROM {name} ORDER BY id")
    read = [value for (value,) in cursor]
    assert read == values
    assert [type(value) for value in read] == [type(value) for value in values]


def test_char_is_padded_unless_asked_for(connection, table, connect):
    name = table("c CHAR(5), n NCHAR(4)")
    connection.execute(f"INSERT INTO {name} VALUES (?, ?)", ("ab", "xy"))
    connection.commit()
    assert connection.execute(f"SELECT * FROM {name}").fetchone() == ("ab   ", "xy  ")
    connection.commit()
    stripping = connect(client_locale="en_US.utf8", strip_char=True)
    assert stripping.execute(f"SELECT * FROM {name}").fetchone() == ("ab", "xy")


def test_latin1_is_the_default_and_refuses_what_it_lacks(connect, table):
    name = table("v VARCHAR(20), l LVARCHAR(20)")
    connection = connect()
    connection.execute(f"INSERT INTO {name} VALUES (?, ?)", ("äöü", "ÿ"))
    assert connection.execute(f"SELECT * FROM {name}").fetchone() == ("äöü", "ÿ")
    with pytest.raises(mainstay_informix.DataError, match="'€'"):
        connection.execute(f"INSERT INTO {name} VALUES (?, ?)", ("€", ""))
    connection.rollback()


def test_whole_numbers_beyond_bigint_are_decimals(connection, table):
    name = table("v DECIMAL(32,0)")
    connection.execute(f"INSERT INTO {name} VALUES (?)", (10**31,))
    assert connection.execute(f"SELECT v FROM {name}").fetchone() == (D(10**31),)


@pytest.mark.parametrize("value", [object(), [1], datetime.datetime.now(datetime.UTC), D("NaN"), D(10) ** 200, 10**33 + 1])
def test_values_that_no_parameter_can_hold(connection, value):
    with pytest.raises((mainstay_informix.DataError, mainstay_informix.ProgrammingError)):
        connection.execute("SELECT tabid FROM systables WHERE tabid = ?", (value,))
    assert connection.execute("SELECT tabid FROM systables WHERE tabid = 1").fetchone() == (1,)


def test_single_values_are_decoded():
    decode = mainstay_informix._native.decode
    assert decode(2, 4, b"\xff\xff\xff\xfe") == -2
    assert decode(2, 4, b"\x80\0\0\0") is None
    assert decode(13, 20, b"\x03abc") == "abc"
    assert decode(5, 0x0602, bytes([0xC2, 12, 34, 56, 0])) == D("1234.56")
    with pytest.raises(mainstay_informix.DataError):
        decode(2, 4, b"\0")
