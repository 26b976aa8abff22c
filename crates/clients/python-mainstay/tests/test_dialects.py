"""T-SQL, Advantage SQL and Informix SQL through the same interface."""

import datetime
import decimal
import uuid

import pytest

import mainstay

D = decimal.Decimal


@pytest.fixture
def tsql(connect):
    return connect(dialect="tsql", autocommit=True)


@pytest.fixture
def ads(connect):
    return connect(dialect="ads", autocommit=True)


@pytest.fixture
def informix(connect):
    return connect(dialect="informix", autocommit=True)


def test_tsql_procedures(tsql):
    tsql.execute(
        "CREATE PROCEDURE twice @a int, @b int OUTPUT, @c nvarchar(20) = N'none' AS BEGIN "
        "SET @b = @a * 2; SELECT @a AS one; SELECT @b AS two, @c AS three; PRINT 'done'; RETURN 7 END"
    )
    cursor = tsql.cursor()
    assert cursor.callproc("twice", [21, mainstay.Output(0)]) == [21, 42]
    assert cursor.return_status == 7 and cursor.messages == ["done"]
    assert cursor.fetchall() == [(21,)] and cursor.nextset()
    assert cursor.fetchall() == [(42, "none")] and cursor.nextset() is None
    answered = cursor.callproc("dbo.twice", {"a": 1, "b": mainstay.Output(0), "c": "x"})
    assert answered == {"a": 1, "b": 2, "c": "x"}


def test_tsql_batches(tsql):
    cursor = tsql.execute(
        "CREATE TABLE #t (a int, b nvarchar(10)); INSERT INTO #t VALUES (1, N'x'), (2, NULL);"
        "SELECT * FROM #t ORDER BY a; UPDATE #t SET b = N'y'; PRINT 'text'; SELECT @@TRANCOUNT AS n"
    )
    assert cursor.rowcount == 2 and cursor.nextset()
    assert cursor.fetchall() == [(1, "x"), (2, None)]
    assert cursor.nextset() and cursor.rowcount == 2
    assert cursor.nextset() and cursor.fetchall() == [(0,)] and cursor.messages == ["text"]


@pytest.mark.parametrize(
    "kind, value",
    [
        ("bit", True),
        ("tinyint", 255),
        ("bigint", -(2**63)),
        ("decimal(38,10)", D("9999999999999999999999999999.9999999999")),
        ("money", D("922337203685477.5807")),
        ("float", 5e-324),
        ("nvarchar(max)", "Malmö \U0001f600" * 3000),
        ("varbinary(max)", bytes(range(256)) * 100),
        ("date", datetime.date(1, 1, 1)),
        ("time(6)", datetime.time(23, 59, 59, 999_999)),
        ("datetime2(6)", datetime.datetime(9999, 12, 31, 23, 59, 59, 999_999)),
        ("datetimeoffset(6)", datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.timezone(datetime.timedelta(hours=-3)))),
        ("uniqueidentifier", uuid.UUID("12345678-1234-5678-1234-567812345678")),
    ],
)
def test_tsql_values(tsql, kind, value):
    tsql.execute(f"CREATE TABLE t (n int identity, v {kind})")
    cursor = tsql.execute("INSERT INTO t (v) VALUES (?)", [value])
    assert (cursor.rowcount, cursor.lastrowid) == (1, 1)
    tsql.executemany("INSERT INTO t (v) VALUES (?)", [[None], [value]])
    rows = tsql.execute("SELECT v FROM t ORDER BY n").fetchall()
    assert rows == [(value,), (None,), (value,)] and type(rows[0][0]) is type(value)
    assert tsql.execute("SELECT count(*) FROM t WHERE v = :v", {"v": value}).fetchone() == (2,)
    assert tsql.sql("SELECT v FROM t ORDER BY n").arrow().num_rows == 3


def test_tsql_null_has_no_type(tsql):
    tsql.execute("CREATE TABLE t (n int, v varbinary(max), m money, x xml)")
    given = {"n": 1, "v": None}
    tsql.execute("INSERT INTO t VALUES (:n, :v, :v, :v)", given)
    tsql.executemany("INSERT INTO t VALUES (:n, :v, NULL, NULL)", [given, {"n": 2, "v": b"x"}])
    tsql.execute("INSERT INTO t VALUES (?, ?, ?, ?)", [1, None, None, None])
    rows = tsql.execute("SELECT n, v, m, x FROM t WHERE v IS NULL AND @v IS NULL AND n = :n", given).fetchall()
    assert rows == [(1, None, None, None)] * 3


@pytest.mark.parametrize(
    "text, kind, number, sqlstate",
    [
        ("SELECT * FROM nowhere", mainstay.ProgrammingError, 208, "42S02"),
        ("SELECT 1 / 0", mainstay.DataError, 8134, "22012"),
        ("SELECT CAST('x' AS int)", mainstay.DataError, 245, "22018"),
        ("INSERT INTO p VALUES (1)", mainstay.IntegrityError, 2627, "23000"),
        ("RAISERROR ('own', 16, 3)", mainstay.ProgrammingError, 50000, "42000"),
        ("SELECT\n1 +", mainstay.ProgrammingError, 102, "42000"),
    ],
)
def test_tsql_errors(tsql, text, kind, number, sqlstate):
    tsql.execute("CREATE TABLE p (a int PRIMARY KEY); INSERT INTO p VALUES (1)")
    with pytest.raises(kind) as caught:
        tsql.execute(text).fetchall()
    error = caught.value
    assert (type(error), error.number, error.sqlstate) == (kind, number, sqlstate) and error.line >= 1


def test_tsql_transactions(connect):
    one, other = connect(dialect="tsql"), connect(dialect="tsql")
    one.execute("CREATE TABLE t (a int)")
    one.commit()
    one.execute("INSERT INTO t VALUES (1)")
    assert one.in_transaction and one.execute("SELECT @@TRANCOUNT").fetchone() == (1,)
    one.rollback()
    assert not one.in_transaction and other.execute("SELECT count(*) FROM t").fetchone() == (0,)
    one.autocommit = True
    one.execute("BEGIN TRANSACTION; INSERT INTO t VALUES (2)")
    assert one.in_transaction
    one.commit()
    assert other.execute("SELECT count(*) FROM t").fetchone() == (1,)


def test_ads(ads, tmp_path):
    ads.execute("CREATE TABLE stock (id AUTOINC, item CHAR(10), onhand NUMERIC(8,2), since DATE, note MEMO)")
    cursor = ads.execute("INSERT INTO stock (item, onhand) VALUES ('bolt', 1.5)")
    assert (cursor.rowcount, cursor.lastrowid) == (1, 1)
    values = {"item": "nut", "onhand": D("2.25"), "since": datetime.date(2024, 2, 29), "note": "long " * 100}
    ads.execute("INSERT INTO stock (item, onhand, since, note) VALUES (:item, :onhand, :since, :note)", values)
    rows = ads.execute("SELECT item, since FROM stock WHERE onhand > ? ORDER BY id", [1]).fetchall()
    assert rows == [("bolt", None), ("nut", datetime.date(2024, 2, 29))]
    assert (tmp_path / "stock.dbf").exists()
    assert ads.sql("SELECT * FROM stock").arrow().num_rows == 2
    script = ads.execute("DECLARE n INTEGER; n = (SELECT count(*) FROM stock); SELECT n + ? AS more FROM system.iota", [1])
    assert script.fetchall() == [(3,)]
    with pytest.raises(mainstay.ProgrammingError) as caught:
        ads.execute("SELECT * FROM nowhere")
    assert caught.value.number == 2122


def test_ads_transactions(connect):
    connection = connect(dialect="ads")
    connection.execute("CREATE TABLE t (a INTEGER)")
    assert not connection.in_transaction
    connection.execute("INSERT INTO t VALUES (1)")
    assert connection.in_transaction
    connection.rollback()
    assert connection.execute("SELECT count(*) AS n FROM t").fetchone() == (0,)
    with connection:
        connection.execute("INSERT INTO t VALUES (2)")
    assert connection.execute("SELECT a FROM t").fetchall() == [(2,)]


def test_informix(informix):
    informix.execute("CREATE TABLE item (id SERIAL, price MONEY(8,2), at DATETIME YEAR TO MINUTE, name VARCHAR(20))")
    cursor = informix.execute("INSERT INTO item (price, name) VALUES (?, ?)", ("1.20", "apple"))
    assert (cursor.rowcount, cursor.lastrowid) == (1, 1)
    moment = datetime.datetime(2024, 2, 29, 12, 30)
    informix.execute("INSERT INTO item (at, name) VALUES (:at, :name)", {"at": moment, "name": "pear"})
    cursor = informix.execute("SELECT * FROM item ORDER BY id")
    assert [column[1].partition("(")[0] for column in cursor.description] == ["serial", "money", "datetime", "varchar"]
    assert cursor.fetchall() == [(1, D("1.20"), None, "apple"), (2, None, moment, "pear")]
    assert informix.sql("SELECT FIRST 1 name FROM item ORDER BY id").arrow().to_pylist() == [{"name": "apple"}]
    informix.execute("CREATE PROCEDURE next(a INT) RETURNING INT, INT; RETURN a, a + 1; END PROCEDURE")
    cursor = informix.cursor()
    assert cursor.callproc("next", [4]) == [4] and cursor.fetchall() == [(4, 5)]


@pytest.mark.parametrize(
    "text, kind, number",
    [
        ("SELECT * FROM nowhere", mainstay.ProgrammingError, -206),
        ("SELECT 1 / 0 FROM systables", mainstay.DataError, -1202),
        ("INSERT INTO p VALUES (1)", mainstay.IntegrityError, -268),
        ("COMMIT WORK", mainstay.OperationalError, -255),
    ],
)
def test_informix_errors(informix, text, kind, number):
    informix.execute("CREATE TABLE p (a INT PRIMARY KEY)")
    informix.execute("INSERT INTO p VALUES (1)")
    with pytest.raises(kind) as caught:
        informix.execute(text).fetchall()
    assert (type(caught.value), caught.value.sqlcode) == (kind, number)


def test_dialects_share_the_tables(connect):
    core, tsql, informix = (connect(dialect=dialect, autocommit=True) for dialect in ["core", "tsql", "informix"])
    tsql.execute("CREATE TABLE t (a int, b nvarchar(10))")
    informix.execute("INSERT INTO t VALUES (1, 'x')")
    assert core.execute("SELECT * FROM t").fetchall() == [(1, "x")]
    assert tsql.tables() == informix.tables() == ["t"]


def test_rows_of_objects_in_other_dialects(connect):
    pyarrow = pytest.importorskip("pyarrow")
    rows = pyarrow.table({"a": [1, 2], "b": ["x", None]})
    tsql, reading = connect(dialect="tsql"), connect(dialect="tsql", read_only=True)
    tsql.execute("CREATE TABLE t (a int PRIMARY KEY, b nvarchar(10))")
    with pytest.raises(mainstay.NotSupportedError):
        tsql.append("t", rows)
    tsql.commit()
    assert tsql.append("t", rows) == 2
    with pytest.raises(mainstay.IntegrityError):
        tsql.append("t", rows)
    with pytest.raises(mainstay.NotSupportedError):
        tsql.register("r", rows)
    with pytest.raises(mainstay.ProgrammingError):
        reading.append("t", rows)
    assert tsql.execute("SELECT a, b FROM dbo.t ORDER BY a").fetchall() == [(1, "x"), (2, None)]
    informix = connect(dialect="informix")
    assert informix.create_table("u", rows) == 2
    assert informix.execute("SELECT count(*) FROM u").fetchone() == (2,)
    ads = connect(dialect="ads")
    ads.execute("CREATE TABLE stock (a INTEGER, b CHAR(10))")
    assert ads.append("stock", rows) == 2
    assert ads.execute("SELECT a, b FROM stock ORDER BY a").fetchall() == [(1, "x"), (2, "")]


@pytest.mark.parametrize("dialect", ["tsql", "ads"])
def test_results_that_do_not_fit(tmp_path, dialect):
    connection = mainstay.connect(tmp_path, dialect, memory_limit="24MB", autocommit=True)
    connection.execute("CREATE TABLE t (a CHAR(200))")
    connection.executemany("INSERT INTO t VALUES (?)", [("x" * 200,)] * 60)
    with pytest.raises(mainstay.OperationalError) as caught:
        connection.execute("SELECT a.a, b.a AS b, c.a AS c FROM t a, t b, t c").fetchall()
    assert caught.value.sqlstate == "53200"
    connection.close()


def test_output_parameters_hold_longer_values(connect):
    server = connect(dialect="tsql", autocommit=True)
    server.execute(
        "CREATE PROCEDURE longer @t nvarchar(20) OUTPUT, @n bigint OUTPUT, @d decimal(9,2) OUTPUT, @b varbinary(9) OUTPUT AS "
        "BEGIN SET @t = N'output'; SET @n = 5000000000; SET @d = 1234.5; SET @b = 0x010203 END"
    )
    given = [mainstay.Output(value) for value in ("", 0, decimal.Decimal("0.00"), b"")]
    assert server.cursor().callproc("longer", given) == ["output", 5_000_000_000, decimal.Decimal("1234.50"), b"\1\2\3"]
