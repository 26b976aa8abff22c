"""Insert cursors (PUT)."""

import asyncio
import datetime
import decimal

import pytest

import mainstay_informix as driver

COLUMNS = """i INTEGER, b BIGINT, d DECIMAL(12,3), f FLOAT, c CHAR(5), v VARCHAR(30), l LVARCHAR(400), t BOOLEAN, o DATE,
p DATETIME YEAR TO FRACTION(5), q INTERVAL DAY TO SECOND, y INTERVAL YEAR TO MONTH, s SMALLINT"""
ROW = (
    -7, 2**62, decimal.Decimal("-1.250"), 1.5, "ab   ", "é", "long" * 50, True, datetime.date(2020, 2, 29),
    datetime.datetime(2020, 2, 29, 1, 2, 3, 123450), datetime.timedelta(days=3, seconds=5), driver.YearMonth(1, 6), 32767,
)


@pytest.fixture
def wide(table):
    return table(COLUMNS)


def test_values_of_each_type(connection, wide):
    marks = ", ".join("?" * len(ROW))
    with connection.insert_cursor(f"INSERT INTO {wide} VALUES ({marks})") as rows:
        rows.put(ROW)
        rows.put([None] * len(ROW))
    assert rows.closed and rows.rowcount == 2
    assert connection.execute(f"SELECT * FROM {wide}").fetchall() == [ROW, (None,) * len(ROW)]


def test_many_rows_of_an_iterable(connection, table):
    name = table("n INTEGER, v VARCHAR(40)")
    with connection.insert_cursor(f"INSERT INTO {name} (v, n) VALUES (?, ?)") as rows:
        rows.put_many((f"row {number}", number) for number in range(30_000))
        # Other statements run in between.
        assert connection.execute(f"SELECT COUNT(*) FROM {name}").fetchone()[0] <= 30_000
    connection.commit()
    assert rows.rowcount == 30_000
    found = connection.execute(f"SELECT COUNT(*), MIN(n), MAX(n), SUM(n) FROM {name}").fetchone()
    assert found == (30_000, 0, 29_999, 29_999 * 15_000)


def test_the_row_that_is_refused_ends_the_group(connection, table):
    name = table("n INTEGER PRIMARY KEY")
    rows = connection.insert_cursor(f"INSERT INTO {name} VALUES (?)")
    rows.put_many([(1,), (2,), (1,), (3,)])
    with pytest.raises(driver.IntegrityError) as caught:
        rows.close()
    assert caught.value.executed == rows.rowcount == 2 and rows.closed
    assert connection.execute(f"SELECT n FROM {name} ORDER BY n").fetchall() == [(1,), (2,)]


def test_an_exception_drops_what_was_not_sent(connection, table):
    name = table("n INTEGER")
    with pytest.raises(KeyError):
        with connection.insert_cursor(f"INSERT INTO {name} VALUES (?)") as rows:
            rows.put((1,))
            rows.flush()
            rows.put((2,))
            raise KeyError
    assert connection.execute(f"SELECT n FROM {name}").fetchall() == [(1,)]


def test_values_that_no_column_holds(connection, table):
    name = table("n SMALLINT, v VARCHAR(5)")
    rows = connection.insert_cursor(f"INSERT INTO {name} VALUES (?, ?)")
    for wrong in [(100_000, "x"), ("x", "x"), (1, 2), (1,), (1, "x", 3)]:
        with pytest.raises(driver.DataError):
            rows.put(wrong)
    with pytest.raises(driver.ProgrammingError):
        rows.put(7)
    rows.put((1, "x"))
    rows.close()
    assert connection.execute(f"SELECT * FROM {name}").fetchall() == [(1, "x")]
    with pytest.raises(driver.InterfaceError):
        rows.put((1, "x"))


@pytest.mark.parametrize(
    "statement",
    ["SELECT n FROM {} WHERE n = ?", "INSERT INTO {} VALUES (1)", "UPDATE {} SET n = ?", "INSERT INTO {} VALUES (:a)", "INSERT INTO {} (b) VALUES (?)"],
)
def test_statements_that_take_no_rows(connection, table, statement):
    name = table("n INTEGER, b BLOB")
    with pytest.raises(driver.ProgrammingError):
        connection.insert_cursor(statement.format(name))
    assert connection.execute(f"SELECT COUNT(*) FROM {name}").fetchone() == (0,)


def test_the_end_of_a_transaction_closes_it(connection, table):
    name = table("n INTEGER")
    rows = connection.insert_cursor(f"INSERT INTO {name} VALUES (?)")
    rows.put((1,))
    connection.rollback()
    with pytest.raises(driver.ProgrammingError, match="end of the transaction"):
        rows.flush()


def test_tasks_put_rows(server, table):
    name = table("n INTEGER, v VARCHAR(10)")

    async def run():
        async with await driver.connect_async(**server) as connection:
            async with await connection.insert_cursor(f"INSERT INTO {name} VALUES (?, ?)") as rows:
                await rows.put((0, "first"))
                await rows.put_many((number, "more") for number in range(1, 3000))
            assert rows.rowcount == 3000
            cursor = await connection.execute(f"SELECT COUNT(*) FROM {name}")
            assert await cursor.fetchone() == (3000,)

    asyncio.run(run())
