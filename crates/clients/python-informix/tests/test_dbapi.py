"""PEP 249: module, connections, cursors, errors."""

import datetime
import inspect

import pytest

import mainstay_informix as driver


def test_module():
    assert (driver.apilevel, driver.threadsafety, driver.paramstyle) == ("2.0", 2, "qmark")
    assert issubclass(driver.Warning, Exception) and issubclass(driver.Error, Exception)
    for name in ["InterfaceError", "DatabaseError"]:
        assert issubclass(getattr(driver, name), driver.Error)
    for name in ["DataError", "OperationalError", "IntegrityError", "InternalError", "ProgrammingError", "NotSupportedError"]:
        assert issubclass(getattr(driver, name), driver.DatabaseError)
        assert getattr(driver.Connection, name) is getattr(driver, name)
    assert driver.Date(2024, 2, 29) == datetime.date(2024, 2, 29)
    assert driver.TimestampFromTicks(0).year in (1969, 1970)
    assert driver.Binary(b"x") == b"x"
    assert driver.STRING == 13 and driver.STRING != 2 and driver.NUMBER == 52 and driver.DATETIME == 7 and driver.BINARY == 11
    assert len({driver.STRING, driver.NUMBER, driver.DATETIME, driver.BINARY, driver.ROWID}) == 5


def test_asynchronous_classes_have_the_same_methods():
    public = lambda kind: {name for name, _ in inspect.getmembers(kind) if not name.startswith("_")}
    assert public(driver.Cursor) - public(driver.AsyncCursor) <= {"count_rows"}
    errors = {name for name in dir(driver.Connection) if name.endswith("Error") or name == "Warning"}
    assert public(driver.Connection) - public(driver.AsyncConnection) - errors == set()


def test_description_and_rows(connection, table):
    name = table("id SERIAL, v VARCHAR(20), d DECIMAL(8,2), b BOOLEAN, n INTEGER NOT NULL")
    cursor = connection.cursor()
    assert cursor.description is None and cursor.rowcount == -1
    cursor.execute(f"SELECT * FROM {name}")
    described = {column[0]: column for column in cursor.description}
    assert all(len(column) == 7 for column in cursor.description)
    assert described["v"][1] == driver.STRING and described["v"][3] == 20
    assert described["d"][1] == driver.NUMBER and described["d"][4:6] == (8, 2)
    assert described["d"][1].name == "DECIMAL" and described["b"][1].name == "BOOLEAN"
    assert not described["n"][6] and described["v"][6]
    assert cursor.fetchall() == [] and cursor.fetchone() is None and cursor.fetchmany(3) == []
    cursor.execute(f"INSERT INTO {name} (id, v, n) VALUES (0, 'a', 1)")
    assert cursor.description is None and (cursor.rowcount, cursor.lastrowid) == (1, 1)
    with pytest.raises(driver.ProgrammingError):
        cursor.fetchone()


def test_fetching(connection, table):
    name = table("id INTEGER")
    cursor = connection.cursor()
    cursor.executemany(f"INSERT INTO {name} VALUES (?)", [(number,) for number in range(5000)])
    cursor.execute(f"SELECT id FROM {name} ORDER BY id")
    assert cursor.fetchone() == (0,) and cursor.rownumber == 1
    assert cursor.fetchmany() == [(1,)]
    cursor.arraysize = 10
    assert cursor.fetchmany() == [(number,) for number in range(2, 12)]
    assert cursor.fetchmany(3) == [(12,), (13,), (14,)]
    assert next(iter(cursor)) == (15,)
    assert cursor.fetchall() == [(number,) for number in range(16, 5000)]
    assert cursor.rownumber == 5000 and cursor.nextset() is None


def test_parameters(connection):
    query = "SELECT tabid FROM systables WHERE tabid IN ({}) ORDER BY tabid"
    rows = lambda *given: [row[0] for row in connection.execute(*given)]
    assert rows(query.format("?, ?"), (1, 2)) == [1, 2]
    assert rows(query.format(":2, :1, :2"), [3, 4]) == [3, 4]
    assert rows(query.format(":low, :high, :low"), {"low": 5, "high": 6, "other": None}) == [5, 6]
    with pytest.raises(driver.ProgrammingError, match="2 parameters, and 1 values"):
        rows(query.format("?, ?"), (1,))
    with pytest.raises(driver.ProgrammingError, match=":high"):
        rows(query.format(":low, :high"), {"low": 5})
    with pytest.raises(driver.ProgrammingError):
        rows(query.format("?"), "1")
    assert rows("SELECT tabid FROM systables WHERE tabname <> '?' AND tabid = ? -- ?", (7,)) == [7]


def test_errors_have_the_numbers_of_informix(connection, table):
    with pytest.raises(driver.ProgrammingError) as caught:
        connection.execute("SELECT * FROM nosuch")
    assert (caught.value.sqlcode, caught.value.near) == (-206, "nosuch") and "nosuch" in str(caught.value)
    with pytest.raises(driver.ProgrammingError) as caught:
        connection.execute("SELEC 1")
    assert caught.value.sqlcode == -201
    name = table("id INTEGER PRIMARY KEY, n INTEGER NOT NULL")
    connection.execute(f"INSERT INTO {name} VALUES (1, 1)")
    with pytest.raises(driver.IntegrityError) as caught:
        connection.execute(f"INSERT INTO {name} VALUES (1, 1)")
    assert caught.value.sqlcode in (-239, -268) and caught.value.isam == -100 == caught.value.isamcode
    with pytest.raises(driver.IntegrityError) as caught:
        connection.execute(f"INSERT INTO {name} VALUES (2, NULL)")
    assert caught.value.sqlcode == -391
    assert connection.execute(f"SELECT COUNT(*) FROM {name}").fetchone() == (1,)


def test_executemany_reports_where_it_failed(connection, table):
    name = table("id INTEGER PRIMARY KEY")
    cursor = connection.cursor()
    with pytest.raises(driver.IntegrityError) as caught:
        cursor.executemany(f"INSERT INTO {name} VALUES (?)", [(1,), (2,), (1,), (3,)])
    assert caught.value.executed == 2
    connection.rollback()
    cursor.executemany(f"INSERT INTO {name} VALUES (?)", [])
    cursor.executemany(f"INSERT INTO {name} VALUES (?)", ((number,) for number in range(10_000)))
    assert cursor.rowcount == 10_000
    with pytest.raises(driver.ProgrammingError):
        cursor.executemany(f"SELECT id FROM {name} WHERE id = ?", [(1,), (2,)])
    cursor.executemany(f"UPDATE {name} SET id = id + ? WHERE id < ?", [(20_000, 5), (20_000, 6)])
    assert cursor.rowcount == 6


def test_transactions(connect, table):
    name = table("id INTEGER")
    one, other = connect(), connect(autocommit=True)
    count = lambda: other.execute(f"SELECT COUNT(*) FROM {name}").fetchone()[0]
    one.execute(f"INSERT INTO {name} VALUES (1)")
    assert one.in_transaction
    one.rollback()
    assert not one.in_transaction and count() == 0
    one.execute(f"INSERT INTO {name} VALUES (1)")
    one.savepoint("sp")
    one.execute(f"INSERT INTO {name} VALUES (2)")
    one.rollback_to("sp")
    one.release_savepoint("sp")
    one.commit()
    assert count() == 1
    other.execute(f"INSERT INTO {name} VALUES (3)")
    assert not other.in_transaction
    other.begin()
    other.execute(f"INSERT INTO {name} VALUES (4)")
    with pytest.raises(driver.ProgrammingError):
        other.autocommit = False
    other.rollback()
    other.execute("BEGIN WORK")
    other.execute(f"DELETE FROM {name}")
    other.execute("ROLLBACK WORK")
    assert count() == 2
    other.autocommit = False
    other.execute(f"DELETE FROM {name}")
    assert other.in_transaction
    other.rollback()
    with pytest.raises(driver.ProgrammingError):
        one.savepoint("a; drop table b")


def test_context_managers(connect, server, table):
    name = table("id INTEGER")
    with connect() as one:
        one.execute(f"INSERT INTO {name} VALUES (1)")
    assert one.closed
    with pytest.raises(ZeroDivisionError):
        with connect() as one:
            one.execute(f"INSERT INTO {name} VALUES (2)")
            raise ZeroDivisionError
    assert connect().execute(f"SELECT id FROM {name}").fetchall() == [(1,)]
    with pytest.raises(driver.InterfaceError):
        one.cursor()
    with pytest.raises(driver.OperationalError):
        one.commit()
    cursor = connect().cursor()
    with cursor:
        cursor.execute("SELECT tabid FROM systables")
    with pytest.raises(driver.InterfaceError):
        cursor.fetchone()


def test_logins_that_are_refused(server):
    with pytest.raises(driver.OperationalError) as caught:
        driver.connect(**{**server, "password": "wrong"})
    assert caught.value.sqlcode == -951
    with pytest.raises(driver.OperationalError):
        driver.connect(**{**server, "database": "nosuch"})
    with pytest.raises(driver.OperationalError, match="cannot connect"):
        driver.connect("127.0.0.1", 1)
    with pytest.raises(driver.NotSupportedError):
        driver.connect(**server, client_locale="ja_JP.sjis")


def test_settings_of_the_connection(connect):
    connection = connect(lock_wait=3, isolation="committed read")
    assert connection.execute("SELECT FIRST 1 tabid FROM systables").fetchone()
    connection.ping()
    assert "Informix" in connection.server_version


def test_many_cursors_are_open_at_a_time(connection, table):
    name = table("id INTEGER, v CHAR(200)")
    connection.cursor().executemany(f"INSERT INTO {name} VALUES (?, ?)", [(number, "x") for number in range(2000)])
    cursors = [connection.execute(f"SELECT id FROM {name} WHERE id >= ? ORDER BY id", (start,)) for start in range(8)]
    for step in range(1000):
        assert [cursor.fetchone() for cursor in cursors] == [(start + step,) for start in range(8)]
    inner = [(a, b) for (a,) in connection.execute(f"SELECT id FROM {name} WHERE id < 3 ORDER BY id")
             for (b,) in connection.execute(f"SELECT id FROM {name} WHERE id < ?", (a,))]
    assert sorted(inner) == [(1, 0), (2, 0), (2, 1)]


def test_a_statement_is_prepared_again_after_its_table_has_changed(connection, table):
    name = table("id INTEGER")
    cursor = connection.cursor()
    for _ in range(3):
        assert cursor.execute(f"SELECT * FROM {name} WHERE id = ?", (1,)).fetchall() == []
    cursor.execute(f"ALTER TABLE {name} ADD v INTEGER")
    cursor.execute(f"SELECT * FROM {name} WHERE id = ?", (1,))
    assert len(cursor.description) == 2


def test_row_factories(connection):
    from mainstay_informix.rows import dict_row, named_row

    cursor = connection.cursor(row_factory=named_row)
    row = cursor.execute("SELECT tabid, tabname, tabid + 1 FROM systables WHERE tabid = 1").fetchone()
    assert row.tabid == 1 and row.tabname == "systables" and row[2] == 2
    connection.row_factory = dict_row
    assert connection.execute("SELECT tabid AS number FROM systables WHERE tabid = 1").fetchall() == [{"number": 1}]


def test_newcomers_find_their_way(connection, table):
    name = table("id INTEGER, v VARCHAR(9)")
    assert connection.executemany(f"INSERT INTO {name} VALUES (:id, :v)", [{"id": 1, "v": "a"}]).rowcount == 1
    rows = connection.cursor(row_factory=driver.dict_row).execute(f"SELECT * FROM {name}").fetchall()
    assert rows == [{"id": 1, "v": "a"}]
    assert connection.encoding == "utf-8"


@pytest.mark.parametrize("options", [{"timeout": "a"}, {"connect_timeout": -1}, {"cancel_timeout": True}])
def test_options_that_are_no_seconds(server, options):
    with pytest.raises(driver.InterfaceError, match="seconds"):
        driver.connect(**server, **options)


def test_messages_name_the_isam_error(connection):
    with pytest.raises(driver.ProgrammingError) as caught:
        connection.execute("SELECT * FROM no_such_table")
    expected = "-206: The specified table (no_such_table) is not in the database; ISAM -111: no record found"
    assert str(caught.value) == expected


def test_executemany_takes_long_iterables(connection, table):
    name = table("id INTEGER PRIMARY KEY")
    cursor = connection.cursor()
    assert cursor.executemany(f"INSERT INTO {name} VALUES (?)", ((number,) for number in range(25_000))).rowcount == 25_000
    assert cursor.executemany(f"DELETE FROM {name} WHERE id = ?", []).rowcount == 0
    with pytest.raises(driver.IntegrityError) as caught:
        cursor.executemany(f"INSERT INTO {name} VALUES (?)", ((number % 35_000,) for number in range(25_000, 60_000)))
    assert caught.value.executed == 10_000
    connection.rollback()
