"""pymssql (FreeTDS inside)."""

import cases
import pymssql

port, user, password = cases.arguments()
run = cases.Cases(f"pymssql {pymssql.__version__}")


def connect(**more):
    return pymssql.connect(server="127.0.0.1", port=port, user=user, password=password, login_timeout=10, **more)


def simple():
    with connect() as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT 1")
        cases.check(cursor.fetchall() == [(1,)], "SELECT 1")


def parameters():
    with connect() as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT %d", (7,))
        cases.check(cursor.fetchone()[0] == 7, "a parameter")


def failing():
    with connect() as connection:
        try:
            connection.cursor().execute(cases.FAILING)
        except pymssql.Error as error:
            cases.check(error.args[0] == 50001 and b"told to" in error.args[1], error.args)
        else:
            raise AssertionError("no error")


def procedure():
    with connect(autocommit=True) as connection:
        cursor = connection.cursor()
        cursor.execute(cases.PROCEDURE)
        # Its output parameters of numbers are sent as NULL, and what comes back is given before the rows are read.
        cursor.callproc("dbo.double_it", (pymssql.output(int, 21), pymssql.output(str, "abc")))
        rows = cursor.fetchall()
        cases.check(rows[0][1] == "abc", rows)


def transactions():
    with connect() as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT @@TRANCOUNT")
        cases.check(cursor.fetchone()[0] == 1, "a transaction is open")
        connection.rollback()
        connection.commit()


def timeout():
    with connect(timeout=1, autocommit=True) as connection:
        cursor = connection.cursor()
        cases.stops(lambda: cursor.execute(cases.SLEEPING), lambda: None)


def bulk():
    with connect(autocommit=True) as connection:
        cursor = connection.cursor()
        cursor.execute("DROP TABLE IF EXISTS client_bulk; CREATE TABLE client_bulk (n int, t nvarchar(100))")
        connection.bulk_copy("client_bulk", [(n, f"row {n} é") for n in range(1000)])
        cursor.execute("SELECT COUNT(*) AS loaded FROM client_bulk")
        cases.check(cursor.fetchone()[0] == 1000, "rows loaded")


run.run("connect and select", simple)
run.run("every type", lambda: cases.every_type(connect().cursor(), leave_out=("c_sql_variant",)))
run.run("many rows", lambda: cases.many_rows(connect().cursor()))
run.run("parameters", parameters)
run.run("errors", failing)
run.run("two results", lambda: cases.two_results(connect().cursor()))
run.run("output parameters", procedure)
run.run("transactions", transactions)
run.run("attention", timeout)
run.run("bulk load", bulk)
run.real(connect)
run.end()
