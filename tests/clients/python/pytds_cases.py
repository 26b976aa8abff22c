"""python-tds."""

import importlib.metadata

import cases
import pytds

port, user, password = cases.arguments()
run = cases.Cases(f"python-tds {importlib.metadata.version('python-tds')}")


def connect(**more):
    return pytds.connect(dsn="127.0.0.1", port=port, user=user, password=password, login_timeout=10, **more)


def simple():
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cases.check(cursor.fetchall() == [(1,)], "SELECT 1")


def parameters():
    with connect() as connection, connection.cursor() as cursor:
        # A None is written into the text as NULL.
        values = (7, "日本", pytds.Binary(b"\x01\x02"), 1.5)
        cursor.execute("SELECT %s, %s, %s, %s", values)
        row = cursor.fetchone()
        cases.check(tuple(row) == (7, "日本", b"\x01\x02", 1.5), row)


def failing():
    with connect() as connection, connection.cursor() as cursor:
        try:
            cursor.execute(cases.FAILING)
        except pytds.Error as error:
            cases.check((error.msg_no, error.state, error.line) == (50001, 3, 7), vars(error))
        else:
            raise AssertionError("no error")


def procedure():
    with connect(autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute(cases.PROCEDURE)
        cursor.callproc("dbo.double_it", (pytds.output(value=21), pytds.output(value="abc")))
        rows = cursor.fetchall()
        cases.check(tuple(rows[0]) == (21, "abc"), rows)
        cases.check(cursor.get_proc_return_status() == 42, cursor.get_proc_return_status())
        cases.check(list(cursor.get_proc_outputs()) == [42, "ABC"], cursor.get_proc_outputs())


def transactions():
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT @@TRANCOUNT")
        cases.check(cursor.fetchone()[0] == 1, "a transaction is open")
        connection.commit()
        connection.rollback()


def cancelled():
    connection = connect(autocommit=True)
    cursor = connection.cursor()
    cases.stops(lambda: cursor.execute(cases.SLEEPING), cursor.cancel)


def timeout():
    with connect(timeout=1, autocommit=True) as connection, connection.cursor() as cursor:
        cases.stops(lambda: cursor.execute(cases.SLEEPING), lambda: None)


def bulk():
    with connect(autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS client_bulk; CREATE TABLE client_bulk (n int, t nvarchar(100))")
        columns = [pytds.Column("n", type=pytds.tds_types.IntType()), pytds.Column("t", type=pytds.tds_types.NVarCharType(100))]
        cursor.copy_to(data=[(n, f"row {n} é") for n in range(1000)], table_or_view="client_bulk", columns=columns)
        cursor.execute("SELECT COUNT(*) AS loaded FROM client_bulk")
        cases.check(cursor.fetchone()[0] == 1000, "rows loaded")


def table_value():
    with connect(autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TYPE dbo.client_ids AS TABLE (n int)")
        cursor.execute("CREATE OR ALTER PROCEDURE dbo.count_ids @ids dbo.client_ids READONLY AS SELECT COUNT(*) AS rows FROM @ids")
        table = pytds.TableValuedParam("dbo.client_ids", rows=[[n] for n in range(50)])
        cursor.callproc("dbo.count_ids", (table,))
        cases.check(cursor.fetchall()[0][0] == 50, "rows of the table")


def plans():
    with connect(autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS client_plans; CREATE TABLE client_plans (n int PRIMARY KEY, t nvarchar(20))")
        cursor.execute("INSERT client_plans VALUES (1, N'one'), (2, N'two')")
        cursor.execute("SET SHOWPLAN_ALL ON")
        cursor.execute("SELECT t FROM client_plans WHERE n = 2")
        names = [column[0] for column in cursor.description]
        cases.check(names[:6] == ["StmtText", "StmtId", "NodeId", "Parent", "PhysicalOp", "LogicalOp"], names)
        rows = [dict(zip(names, row)) for row in cursor.fetchall()]
        cases.check([row["Type"] for row in rows] == ["SELECT", "PLAN_ROW"], rows)
        cases.check(rows[1]["PhysicalOp"] == "Index Seek" and "client_plans" in rows[1]["Argument"], rows)
        cursor.execute("DELETE FROM client_plans")
        cursor.fetchall()
        cursor.execute("SET SHOWPLAN_ALL OFF")
        cursor.execute("SELECT COUNT(*) AS n FROM client_plans")
        cases.check(cursor.fetchone()[0] == 2, "nothing was deleted")


def statistics():
    with connect(autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("SET STATISTICS IO, TIME ON")
        cursor.execute("SELECT t FROM client_plans WHERE n = 2")
        cases.check(cursor.fetchall() == [("two",)], "the row")
        while cursor.nextset():
            pass
        told = "\n".join(str(message) for _, message in cursor.messages)
        reads = "Table 'client_plans'. Scan count 0, logical reads 1, physical reads 0"
        cases.check(reads in told and "SQL Server Execution Times:" in told, told)
        cursor.execute("SET STATISTICS IO, TIME OFF")


run.run("connect and select", simple)
run.run("every type", lambda: cases.every_type(connect().cursor()))
run.run("many rows", lambda: cases.many_rows(connect().cursor()))
run.run("parameters", parameters)
run.run("errors", failing)
run.run("two results", lambda: cases.two_results(connect().cursor()))
run.run("output parameters", procedure)
run.run("transactions", transactions)
run.run("attention", timeout)
run.run("bulk load", bulk)
run.run("table as parameter", table_value)
run.real(connect)
if cases.REAL:
    run.run("plans", plans)
    run.run("statistics", statistics)
run.end()
