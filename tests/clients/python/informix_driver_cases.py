"""informix-driver, the public driver in Python."""

import datetime
import decimal

import cases
import informix_db

port, user, password = cases.arguments()
run = cases.Cases("informix-driver")


def connect(**more):
    return informix_db.connect(
        host="127.0.0.1", port=port, user=user, password=password, database="served", server="mainstay", **more
    )


def simple():
    with connect() as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT FIRST 1 tabname FROM systables WHERE tabid = 1")
        cases.check(cursor.fetchall() == [("systables",)], "a row")


def types():
    with connect() as connection:
        cursor = connection.cursor()
        cursor.execute("DROP TABLE IF EXISTS py_types")
        cursor.execute(
            "CREATE TABLE py_types (id SERIAL, v VARCHAR(20), d DECIMAL(8,2), day DATE, at DATETIME YEAR TO FRACTION(3), "
            "b BOOLEAN, f FLOAT, big BIGINT, l LVARCHAR(100))"
        )
        moment = datetime.datetime(2024, 2, 29, 10, 34, 56, 789000)
        values = ("abc", decimal.Decimal("-12.34"), datetime.date(2024, 2, 29), moment, True, 1.5, 1 << 40, "long")
        cursor.execute("INSERT INTO py_types VALUES (0, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        cursor.execute("INSERT INTO py_types VALUES (0, ?, ?, ?, ?, ?, ?, ?, ?)", (None,) * 8)
        connection.commit()
        cursor.execute("SELECT * FROM py_types ORDER BY id")
        rows = cursor.fetchall()
        cases.check(tuple(rows[0]) == (1, *values), rows)
        cases.check(tuple(rows[1]) == (2, *(None,) * 8), rows)


def floating():
    with connect() as connection:
        cursor = connection.cursor()
        cursor.execute("DROP TABLE IF EXISTS py_floating")
        cursor.execute("CREATE TABLE py_floating (id INTEGER, d DECIMAL(16))")
        values = [decimal.Decimal(text) for text in ("0", "1E+20", "-12345678901234.5", "0.000001", "1E-20")]
        for number, value in enumerate([*values, None]):
            cursor.execute("INSERT INTO py_floating VALUES (?, ?)", (number, value))
        connection.commit()
        cursor.execute("SELECT d FROM py_floating ORDER BY id")
        rows = [row[0] for row in cursor.fetchall()]
        cases.check(rows == [*values, None], rows)


def many():
    with connect() as connection:
        cursor = connection.cursor()
        cursor.execute("DROP TABLE IF EXISTS py_many")
        cursor.execute("CREATE TABLE py_many (id INTEGER, v VARCHAR(10))")
        cursor.executemany("INSERT INTO py_many VALUES (?, ?)", [(number, f"v{number}") for number in range(300)])
        connection.commit()
        cursor.execute("SELECT COUNT(*), MAX(id) FROM py_many WHERE v LIKE ?", ("v1%",))
        cases.check(tuple(cursor.fetchone()) == (111, 199), "counts")


def transactions():
    with connect() as connection:
        cursor = connection.cursor()
        cursor.execute("DROP TABLE IF EXISTS py_kept")
        cursor.execute("CREATE TABLE py_kept (id INTEGER)")
        cursor.execute("INSERT INTO py_kept VALUES (1)")
        connection.commit()
        cursor.execute("UPDATE py_kept SET id = 2")
        connection.rollback()
        cursor.execute("SELECT id FROM py_kept")
        cases.check(cursor.fetchall() == [(1,)], "what was rolled back is there")


def failing():
    with connect() as connection:
        cursor = connection.cursor()
        try:
            cursor.execute("SELECT * FROM nosuch")
        except informix_db.ProgrammingError as error:
            cases.check("-206" in str(error) and "nosuch" in str(error), error)
        else:
            raise AssertionError("no error")
        cursor.execute("SELECT FIRST 1 tabid FROM systables WHERE tabid = 1")
        cases.check(cursor.fetchone()[0] == 1, "the connection goes on")


def scrolling():
    with connect() as connection:
        cursor = connection.cursor(scrollable=True)
        cursor.execute("SELECT tabid FROM systables WHERE tabid < 10 ORDER BY tabid")
        cursor.scroll(5, mode="absolute")
        cases.check(cursor.fetchone()[0] == 6, "the row behind five")


run.run("a query", simple)
run.run("every type and NULL", types)
run.run("floating decimals", floating)
run.run("executemany", many)
run.run("transactions", transactions)
run.run("errors", failing)
run.run("a scroll cursor", scrolling)
run.end()
