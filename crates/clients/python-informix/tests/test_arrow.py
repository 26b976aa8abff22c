"""Rows as Arrow tables."""

import datetime
import decimal

import pytest

import mainstay_informix as driver

pyarrow = pytest.importorskip("pyarrow")

COLUMNS = (
    "id INTEGER, s SMALLINT, big BIGINT, f FLOAT, d DECIMAL(8,2), day DATE, at DATETIME YEAR TO FRACTION(5), "
    "t DATETIME HOUR TO SECOND, b BOOLEAN, v VARCHAR(50), l LVARCHAR(100), c CHAR(3), txt TEXT, raw BYTE, "
    "iv INTERVAL DAY(5) TO SECOND"
)


def a_row(number):
    return (
        number, number % 100, number << 33, number / 4, decimal.Decimal(number) / 4, datetime.date.fromordinal(number + 700_000),
        datetime.datetime(2024, 1, 1) + datetime.timedelta(seconds=number, microseconds=10), datetime.time(number % 24, 1, 2),
        number % 2 == 0, f"é{number}", "x" * (number % 90), "abc", "text" * (number % 7), bytes([number % 256]) * (number % 5),
        datetime.timedelta(seconds=-number),
    )


@pytest.fixture
def filled(connection, table):
    name = table(COLUMNS)
    marks = ", ".join("?" * 15)
    rows = [a_row(number) for number in range(300)] + [(1000,) + (None,) * 14]
    connection.cursor().executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
    return name, rows


def test_every_type(connection, filled):
    name, rows = filled
    cursor = connection.execute(f"SELECT * FROM {name} ORDER BY id")
    table = pyarrow.table(cursor.fetch_arrow())
    assert [tuple(row.values()) for row in table.to_pylist()] == rows
    assert table.schema.field("d").type == pyarrow.decimal128(8, 2)
    assert table.schema.field("iv").type == pyarrow.duration("us")
    assert cursor.fetchall() == []


def test_a_stream_is_read_once_and_fetches_as_it_goes(connection, table):
    name = table("id INTEGER, v VARCHAR(200)")
    connection.cursor().executemany(f"INSERT INTO {name} VALUES (?, ?)", [(n, "x" * 100) for n in range(5000)])
    connection.execute(f"INSERT INTO {name} SELECT id + 5000, v FROM {name}")
    connection.execute(f"INSERT INTO {name} SELECT id + 10000, v FROM {name}")
    cursor = connection.execute(f"SELECT * FROM {name} ORDER BY id")
    assert cursor.fetchone()[0] == 0
    stream = cursor.fetch_arrow()
    reader = pyarrow.RecordBatchReader.from_stream(stream)
    batches = list(reader)
    assert len(batches) > 1 and sum(batch.num_rows for batch in batches) == 19_999
    with pytest.raises(driver.InterfaceError):
        pyarrow.table(stream)
    assert pyarrow.table(connection.execute(f"SELECT id FROM {name} WHERE id < 0")).num_rows == 0
    assert pyarrow.table(connection.execute(f"SELECT id FROM {name} WHERE id < 9"))["id"].to_pylist() == list(range(9))


def test_asynchronous_cursors(server, connection, filled):
    import asyncio

    name, rows = filled
    connection.commit()

    async def work():
        async with await driver.connect_async(**server, client_locale="en_US.utf8") as other:
            cursor = await other.execute(f"SELECT * FROM {name} ORDER BY id")
            table = pyarrow.table(await cursor.fetch_arrow())
            assert [tuple(row.values()) for row in table.to_pylist()] == rows
            cursor = await other.execute(f"SELECT id FROM {name} ORDER BY id")
            counts = [pyarrow.table(batch).num_rows async for batch in cursor.arrow_batches()]
            assert sum(counts) == len(rows)

    asyncio.run(work())


def test_intervals_of_years_and_months(connection, table):
    pyarrow = pytest.importorskip("pyarrow")
    name = table("m INTERVAL YEAR TO MONTH, d INTERVAL DAY TO SECOND")
    connection.execute(f"INSERT INTO {name} VALUES (?, ?)", (driver.YearMonth(1, 6), datetime.timedelta(days=1)))
    found = pyarrow.table(connection.execute(f"SELECT m, d FROM {name}"))
    assert found.schema.types == [pyarrow.month_day_nano_interval(), pyarrow.duration("us")]
    assert found["m"][0].as_py().months == 18 and found["d"][0].as_py() == datetime.timedelta(days=1)
