"""Values there and back: extremes, and random ones from a seed."""

import datetime
import decimal
import math
import random
import uuid

import pytest

import mainstay

D = decimal.Decimal
UTC = datetime.timezone.utc
DATES = [datetime.date.min, datetime.date(1582, 10, 15), datetime.date(1970, 1, 1), datetime.date(2024, 2, 29), datetime.date.max]
MOMENTS = [datetime.datetime.min, datetime.datetime(1969, 12, 31, 23, 59, 59, 999_999), datetime.datetime.max]
TEXTS = ["", " ", "a'b\"c", "Malmö", "\U0001f600", "\x00\x01", "x" * 100_000, "trailing  ", "line\nline", "\u202e"]

EXTREMES = {
    "BOOLEAN": [True, False],
    "TINYINT": [-128, 127],
    "SMALLINT": [-32_768, 32_767],
    "INTEGER": [-(2**31), 2**31 - 1],
    "BIGINT": [-(2**63), -1, 0, 2**63 - 1],
    "DECIMAL(38,0)": [D("9" * 38), D("-" + "9" * 38), D(0)],
    "DECIMAL(38,38)": [D("0." + "9" * 38), D("-0." + "0" * 37 + "1")],
    "DECIMAL(10,2)": [D("99999999.99"), D("-0.01")],
    "DOUBLE": [1.7976931348623157e308, 5e-324, -0.1, math.inf, -math.inf],
    "TEXT": TEXTS,
    "VARBINARY": [b"", b"\x00\xff", bytes(range(256)) * 100],
    "DATE": DATES,
    "TIME(6)": [datetime.time.min, datetime.time(12, 30, 0, 1), datetime.time.max],
    "TIMESTAMP(6)": MOMENTS,
    "TIMESTAMP(7)": MOMENTS,
    "TIMESTAMP(6) WITH TIME ZONE": [
        datetime.datetime(2024, 2, 29, 12, tzinfo=UTC),
        datetime.datetime(1900, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=14))),
        datetime.datetime(2100, 1, 1, 0, 0, 0, 1, tzinfo=datetime.timezone(-datetime.timedelta(hours=9, minutes=30))),
    ],
    "INTERVAL DAY TO SECOND": [datetime.timedelta(0), datetime.timedelta(days=-3, microseconds=1), datetime.timedelta(days=9999)],
    "INTERVAL YEAR TO MONTH": [mainstay.YearMonth(0, 0), mainstay.YearMonth(-1, -6), mainstay.YearMonth(100, 11)],
    "UUID": [uuid.UUID(int=0), uuid.UUID(int=2**128 - 1), uuid.UUID("12345678-1234-5678-1234-567812345678")],
}


@pytest.mark.parametrize("kind", EXTREMES)
def test_extremes(memory, kind):
    values = [*EXTREMES[kind], None]
    memory.execute(f"CREATE TABLE t (n INTEGER, v {kind})")
    memory.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(values)))
    back = [row[0] for row in memory.execute("SELECT v FROM t ORDER BY n").fetchall()]
    assert back == values
    assert [type(value) for value in back] == [type(value) for value in values]
    for place, value in enumerate(values[:-1]):
        found = memory.execute("SELECT n FROM t WHERE v = ?", [value]).fetchall()
        assert (place,) in found


def test_not_a_number(memory):
    memory.execute("CREATE TABLE t (v DOUBLE)")
    memory.execute("INSERT INTO t VALUES (?)", [math.nan])
    assert math.isnan(memory.execute("SELECT v FROM t").fetchone()[0])


def test_real(memory):
    memory.execute("CREATE TABLE t (v REAL)")
    memory.executemany("INSERT INTO t VALUES (?)", [[1.5], [3.4028234663852886e38]])
    assert memory.execute("SELECT v FROM t").fetchall() == [(1.5,), (3.4028234663852886e38,)]


@pytest.mark.parametrize(
    "value",
    [10**38, D("1e39"), D("NaN"), D("Infinity"), datetime.time(1, tzinfo=UTC), "\ud800"],
    ids=["int", "decimal", "nan", "infinity", "time zone", "surrogate"],
)
def test_values_beyond_the_types(memory, value):
    with pytest.raises(mainstay.DataError):
        memory.execute("SELECT ?", [value])


@pytest.mark.parametrize("value, kind", [(128, "TINYINT"), (2**31, "INTEGER"), (D("1e8"), "DECIMAL(10,2)"), ("x", "DATE")])
def test_values_beyond_the_column(memory, value, kind):
    memory.execute(f"CREATE TABLE t (v {kind})")
    with pytest.raises(mainstay.DataError):
        memory.execute("INSERT INTO t VALUES (?)", [value])
    assert memory.execute("SELECT count(*) FROM t").fetchone() == (0,)


def test_other_objects_as_values(memory):
    numpy = pytest.importorskip("numpy")
    values = [numpy.int64(7), numpy.float32(0.5), numpy.bool_(True), bytearray(b"ab"), memoryview(b"cd"), 2**64]
    assert memory.execute("SELECT ?, ?, ?, ?, ?, ?", values).fetchone() == (7, 0.5, True, b"ab", b"cd", D(2**64))


def test_moments_of_numpy_and_pandas(memory):
    numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    values = [
        numpy.datetime64("2024-02-29T01:02:03.000004", "ns"),
        numpy.timedelta64(1500, "ms"),
        pandas.Timestamp("2024-02-29 01:02:03.000004"),
        numpy.datetime64("NaT"),
        pandas.NaT,
    ]
    moment = datetime.datetime(2024, 2, 29, 1, 2, 3, 4)
    wanted = (moment, datetime.timedelta(seconds=1, milliseconds=500), moment, None, None)
    assert memory.execute("SELECT ?, ?, ?, ?, ?", values).fetchone() == wanted


def random_value(random, kind):
    match kind:
        case "INTEGER":
            return random.randint(-(2**31), 2**31 - 1) >> random.randint(0, 31)
        case "BIGINT":
            return random.randint(-(2**63), 2**63 - 1) >> random.randint(0, 63)
        case "DECIMAL(30,8)":
            return D(random.randint(-(10**30) + 1, 10**30 - 1)).scaleb(-8)
        case "DOUBLE":
            return random.uniform(-1, 1) * 10.0 ** random.randint(-300, 300)
        case "TEXT":
            return "".join(chr(random.choice([*range(32, 127), 228, 8364, 0x1F600])) for _ in range(random.randint(0, 40)))
        case "VARBINARY":
            return random.randbytes(random.randint(0, 40))
        case "DATE":
            return datetime.date.fromordinal(random.randint(1, datetime.date.max.toordinal()))
        case "TIMESTAMP(6)":
            return datetime.datetime.min + datetime.timedelta(microseconds=random.randrange(315_537_897_600 * 10**6))
        case "TIME(6)":
            return (datetime.datetime.min + datetime.timedelta(microseconds=random.randrange(86_400 * 10**6))).time()
        case "UUID":
            return uuid.UUID(int=random.getrandbits(128))
        case "BOOLEAN":
            return random.random() < 0.5


KINDS = "INTEGER BIGINT DECIMAL(30,8) DOUBLE TEXT VARBINARY DATE TIMESTAMP(6) TIME(6) UUID BOOLEAN".split()


@pytest.mark.parametrize("seed", range(5))
def test_random_values(memory, seed):
    chance = random.Random(seed)
    rows = [
        (number, *(None if chance.random() < 0.1 else random_value(chance, kind) for kind in KINDS)) for number in range(300)
    ]
    columns = ", ".join(f"c{place} {kind}" for place, kind in enumerate(KINDS))
    marks = ", ".join("?" for _ in range(len(KINDS) + 1))
    memory.execute(f"CREATE TABLE t (n INTEGER PRIMARY KEY, {columns})")
    memory.executemany(f"INSERT INTO t VALUES ({marks})", rows)
    assert memory.execute("SELECT * FROM t ORDER BY n").fetchall() == rows
    row = chance.choice(rows)
    assert memory.execute("SELECT * FROM t WHERE n = ?", [row[0]]).fetchone() == row
    # As literals that the planner converts, in one statement.
    assert memory.execute(f"SELECT {marks}", list(row)).fetchone()[1:] == row[1:]
