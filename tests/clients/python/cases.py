"""The cases that every Python client runs, and how they are reported.

A client is a module with `connect(port, user, password)`, and what it cannot do left out. The statements are ordinary T-SQL;
the comments at their ends tell the scripted backend of the door's own tests what to answer.
"""

import datetime
import decimal
import os
import sys
import threading
import time
import traceback
import uuid

SELECTED = """SELECT CAST(1 AS bit) AS c_bit, CAST(200 AS tinyint) AS c_tinyint, CAST(-32000 AS smallint) AS c_smallint,
 CAST(-2000000000 AS int) AS c_int, CAST(9000000000000000000 AS bigint) AS c_bigint,
 CAST(-1234567890.1234 AS decimal(20, 4)) AS c_decimal, CAST(12.34 AS smallmoney) AS c_smallmoney,
 CAST(-922337203685477.5808 AS money) AS c_money, CAST(1.5 AS real) AS c_real, CAST(0.1 AS float) AS c_float,
 CAST('2024-02-29' AS date) AS c_date, CAST('13:14:15.1234567' AS time(7)) AS c_time,
 CAST('2024-02-29 13:14' AS smalldatetime) AS c_smalldatetime, CAST('2024-02-29 13:14:15.123' AS datetime) AS c_datetime,
 CAST('2024-02-29 13:14:15.1234567' AS datetime2(7)) AS c_datetime2,
 CAST('2024-02-29 14:44:15.1234567 +01:30' AS datetimeoffset(7)) AS c_datetimeoffset,
 CAST('ab' AS char(5)) AS c_char, CAST(N'Malmö €' AS varchar(20)) AS c_varchar,
 REPLICATE(CAST(N'é' AS varchar(max)), 9000) AS c_varchar, CAST(N'日本' AS nchar(3)) AS c_nchar,
 CAST(N'日本 😀' AS nvarchar(20)) AS c_nvarchar, REPLICATE(CAST(N'日' AS nvarchar(max)), 9000) AS c_nvarchar,
 CAST(N'long text é' AS text) AS c_text, CAST(N'long ntext 日' AS ntext) AS c_ntext,
 CAST(0x0001FEFF AS binary(4)) AS c_binary, CAST(0x010203 AS varbinary(10)) AS c_varbinary,
 CAST(REPLICATE(CAST(CHAR(7) AS varchar(max)), 10000) AS varbinary(max)) AS c_varbinary,
 CAST(REPLICATE(CHAR(9), 100) AS image) AS c_image, CAST(0x00000000000007D1 AS rowversion) AS c_timestamp,
 CAST('00112233-4455-6677-8899-aabbccddeeff' AS uniqueidentifier) AS c_uniqueidentifier,
 CAST(N'<a>é</a>' AS xml) AS c_xml, CAST(N'variant' AS sql_variant) AS c_sql_variant
UNION ALL SELECT """ + ", ".join(["NULL"] * 32) + " ORDER BY c_bit DESC /* types */"

EXPECTED = {
    "c_bit": True,
    "c_tinyint": 200,
    "c_smallint": -32000,
    "c_int": -2000000000,
    "c_bigint": 9000000000000000000,
    "c_decimal": decimal.Decimal("-1234567890.1234"),
    "c_smallmoney": decimal.Decimal("12.34"),
    "c_money": decimal.Decimal("-922337203685477.5808"),
    "c_real": 1.5,
    "c_float": 0.1,
    "c_date": datetime.date(2024, 2, 29),
    "c_time": datetime.time(13, 14, 15, 123456),
    "c_smalldatetime": datetime.datetime(2024, 2, 29, 13, 14),
    "c_datetime": datetime.datetime(2024, 2, 29, 13, 14, 15, 123000),
    "c_datetime2": datetime.datetime(2024, 2, 29, 13, 14, 15, 123456),
    "c_datetimeoffset": datetime.datetime(
        2024, 2, 29, 14, 44, 15, 123456, datetime.timezone(datetime.timedelta(minutes=90))
    ),
    "c_char": "ab   ",
    "c_varchar": {"Malmö €", "é" * 9000},
    "c_nchar": "日本 ",
    "c_nvarchar": {"日本 😀", "日" * 9000},
    "c_text": "long text é",
    "c_ntext": "long ntext 日",
    "c_binary": b"\x00\x01\xfe\xff",
    "c_varbinary": {b"\x01\x02\x03", b"\x07" * 10000},
    "c_image": b"\x09" * 100,
    "c_timestamp": b"\x00\x00\x00\x00\x00\x00\x07\xd1",
    "c_uniqueidentifier": uuid.UUID("00112233-4455-6677-8899-aabbccddeeff"),
    "c_xml": "<a>é</a>",
    "c_sql_variant": "variant",
}

ROWS = """WITH n AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM n WHERE n < 4999)
SELECT n, CONCAT(N'row ', n) AS t FROM n OPTION (MAXRECURSION 0) /* rows 5000 */"""
FAILING = "\n\n\n\n\n\nTHROW 50001, 'It failed as it was told to.', 3; /* fail */"
TWO = "SELECT 1 AS n; SELECT 2 AS n /* two results */"
SLEEPING = "WAITFOR DELAY '00:00:20' /* sleep 20 */"
PROCEDURE = """CREATE OR ALTER PROCEDURE dbo.double_it @n int OUTPUT, @t nvarchar(50) OUTPUT AS
BEGIN SELECT @n AS n, @t AS t; SET @n = @n * 2; SET @t = UPPER(@t); RETURN 42; END"""


def same(value, wanted):
    """Whether a client's value is the wanted one; clients show bytes, UUIDs and XML in their own ways."""
    if isinstance(wanted, set):
        return any(same(value, one) for one in wanted)
    if isinstance(wanted, bytes) and value is not None:
        return bytes(value) == wanted
    if isinstance(wanted, uuid.UUID):
        return str(value).lower() == str(wanted)
    if isinstance(wanted, datetime.datetime) and isinstance(value, datetime.datetime):
        return value == wanted
    return value == wanted


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def every_type(cursor, leave_out=()):
    """The row of every type, and one of NULLs."""
    cursor.execute(SELECTED)
    names = [column[0] for column in cursor.description]
    rows = cursor.fetchall()
    check(len(rows) == 2, f"{len(rows)} rows")
    for name, value in zip(names, rows[0]):
        if name not in leave_out:
            check(same(value, EXPECTED[name]), f"{name}: {value!r:.80}")
    check(all(value is None for value in rows[1]), "the row of NULLs")


def many_rows(cursor):
    cursor.execute(ROWS)
    rows = cursor.fetchall()
    check(len(rows) == 5000, f"{len(rows)} rows")
    check(tuple(rows[4999]) == (4999, "row 4999"), rows[4999])


def two_results(cursor, next_result=None):
    cursor.execute(TWO)
    check(cursor.fetchall()[0][0] == 1, "the first result")
    check((next_result or cursor.nextset)(), "a second result")
    check(cursor.fetchall()[0][0] == 2, "the second result")


# Whether a whole server answers, and not the scripted backend of the door's own tests.
REAL = "REAL_SERVER" in os.environ


def keeps_and_undoes(connection):
    """That a rollback undoes and a commit keeps, and that a violated key is an error with its number."""
    cursor = connection.cursor()
    cursor.execute("IF OBJECT_ID('dbo.client_kept') IS NOT NULL DROP TABLE dbo.client_kept")
    cursor.execute("CREATE TABLE dbo.client_kept (n int NOT NULL PRIMARY KEY, t nvarchar(20))")
    connection.commit()

    def count():
        cursor.execute("SELECT COUNT(*) FROM dbo.client_kept")
        return cursor.fetchone()[0]

    cursor.execute("INSERT INTO dbo.client_kept VALUES (1, N'one')")
    check(cursor.rowcount == 1, f"{cursor.rowcount} rows inserted")
    connection.rollback()
    check(count() == 0, "a rollback undoes")
    cursor.execute("INSERT INTO dbo.client_kept VALUES (1, N'one')")
    connection.commit()
    check(count() == 1, "a commit keeps")
    try:
        cursor.execute("INSERT INTO dbo.client_kept VALUES (1, N'again')")
    except Exception as error:
        check("2627" in repr(error.args) or "duplicate key" in str(error), error)
    else:
        raise AssertionError("no error")
    connection.rollback()
    cursor.execute("DROP TABLE dbo.client_kept")
    connection.commit()


def begins_again(connection):
    """That a driver which commits for its program begins a transaction anew when an error has ended the last one."""
    cursor = connection.cursor()
    cursor.execute("DROP TABLE IF EXISTS dbo.client_begun")
    cursor.execute("CREATE TABLE dbo.client_begun (n int)")
    connection.commit()
    cursor.execute("INSERT INTO dbo.client_begun VALUES (900)")
    try:
        cursor.execute("SELECT CONVERT(int, 'x')")
        cursor.fetchall()
    except Exception as error:
        check("onversion failed" in str(error), error)
    else:
        raise AssertionError("no error")
    cursor.execute("INSERT INTO dbo.client_begun VALUES (901)")
    connection.rollback()
    cursor.execute("SELECT n FROM dbo.client_begun")
    check(cursor.fetchall() == [], "rows that were rolled back")
    cursor.execute("DROP TABLE dbo.client_begun")
    connection.commit()


def keeps_temporary_tables(connection):
    """That a temporary table lives as long as its session."""
    cursor = connection.cursor()
    cursor.execute("CREATE TABLE #client_temporary (n int IDENTITY(1, 1), t varchar(10))")
    cursor.execute("INSERT INTO #client_temporary (t) VALUES ('a'), ('b')")
    cursor.execute("SELECT n, t FROM #client_temporary ORDER BY n")
    check([tuple(row) for row in cursor.fetchall()] == [(1, "a"), (2, "b")], "its rows")


# A word of each code page of VARCHAR, with a collation of that page.
WORDS = {
    "Polish_CI_AS": "Łódź",
    "Cyrillic_General_CI_AS": "Привет",
    "Greek_CI_AS": "Αθήνα",
    "Turkish_CI_AS": "İğdır",
    "Hebrew_CI_AS": "שלום",
    "Arabic_CI_AS": "سلام",
    "Lithuanian_CI_AS": "Ąžuolas",
    "Thai_CI_AS": "สวัสดี",
    "Japanese_CI_AS": "日本語",
    "Chinese_PRC_CI_AS": "中文",
    "Korean_Wansung_CI_AS": "한국",
    "Chinese_Taiwan_Stroke_CI_AS": "臺灣",
    "SQL_Latin1_General_CP850_CI_AS": "é½",
    "Latin1_General_100_CI_AS_SC_UTF8": "é日Я",
}


def reads_code_pages(connection):
    """That VARCHAR of every code page is what was put into it, and has the bytes of its page."""
    cursor = connection.cursor()
    columns = ", ".join(f"c{place} varchar(20) COLLATE {name}" for place, name in enumerate(WORDS))
    cursor.execute(f"DROP TABLE IF EXISTS dbo.client_pages; CREATE TABLE dbo.client_pages ({columns})")
    words = ", ".join(f"N'{word}'" for word in WORDS.values())
    cursor.execute(f"INSERT INTO dbo.client_pages VALUES ({words})")
    cursor.execute("SELECT * FROM dbo.client_pages")
    check(list(cursor.fetchone()) == list(WORDS.values()), "the words")
    lengths = ", ".join(f"DATALENGTH(c{place})" for place in range(len(WORDS)))
    cursor.execute(f"SELECT {lengths} FROM dbo.client_pages")
    check(list(cursor.fetchone()) == [4, 6, 5, 5, 4, 4, 7, 6, 6, 4, 4, 4, 2, 7], "their bytes")
    cursor.execute("DROP TABLE dbo.client_pages")
    connection.commit()


def stops(start, stop, limit=5):
    """That a statement which sleeps ends soon when it is stopped after half a second."""
    timer = threading.Timer(0.5, stop)
    timer.start()
    began = time.monotonic()
    try:
        start()
    except Exception:
        pass
    timer.join()
    check(time.monotonic() - began < limit, "it was not stopped")


class Cases:
    """Runs cases one by one; each has a connection of its own unless it makes none."""

    def __init__(self, client):
        self.client = client
        self.failed = 0

    def run(self, name, case):
        try:
            case()
            print(f"PASS {self.client} {name}", flush=True)
        except Exception as error:
            self.failed += 1
            reason = str(error).replace("\n", " ")[:300]
            print(f"FAIL {self.client} {name}: {type(error).__name__}: {reason}", flush=True)
            if "-v" in sys.argv:
                traceback.print_exc()

    def real(self, connect):
        """Cases that only a whole server can answer."""
        if REAL:
            self.run("transactions keep and undo", lambda: keeps_and_undoes(connect()))
            self.run("code pages", lambda: reads_code_pages(connect()))
            self.run("temporary tables", lambda: keeps_temporary_tables(connect()))

    def end(self):
        sys.exit(1 if self.failed else 0)


def arguments():
    return int(sys.argv[1]), sys.argv[2], sys.argv[3]
