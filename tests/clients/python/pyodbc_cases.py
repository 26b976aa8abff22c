"""pyodbc with FreeTDS's driver (tdsodbc)."""

import glob

import cases
import pyodbc

port, user, password = cases.arguments()
run = cases.Cases(f"pyodbc {pyodbc.version} with tdsodbc")
driver = glob.glob("/usr/lib/*/odbc/libtdsodbc.so")[0]


def connect(autocommit=False):
    target = f"DRIVER={driver};SERVER=127.0.0.1;PORT={port};UID={user};PWD={password};TDS_Version=7.4;ClientCharset=UTF-8"
    return pyodbc.connect(target, autocommit=autocommit, timeout=10)


def cursor_for_all():
    connection = connect()
    # A type that pyodbc does not know.
    connection.add_output_converter(-155, lambda value: value)
    connection.add_output_converter(-150, lambda value: value.decode("utf-16-le") if value else None)
    return connection.cursor()


def simple():
    cases.check(tuple(connect().execute("SELECT 1").fetchone()) == (1,), "SELECT 1")


def parameters():
    values = (7, "日本", b"\x01\x02", None, 1.5)
    connection = connect()
    for _ in range(3):
        row = connection.execute("SELECT ?, ?, ?, ?, ?", values).fetchone()
        cases.check(tuple(row) == values, row)


def failing():
    try:
        connect().execute(cases.FAILING)
    except pyodbc.Error as error:
        cases.check("(50001)" in error.args[1] and "told to" in error.args[1], error.args)
    else:
        raise AssertionError("no error")


def procedure():
    connection = connect(autocommit=True)
    connection.execute(cases.PROCEDURE)
    row = connection.execute("{CALL dbo.double_it (?, ?)}", (21, "abc")).fetchone()
    cases.check(tuple(row) == (21, "abc"), row)


def transactions():
    connection = connect()
    cases.check(connection.execute("SELECT @@TRANCOUNT").fetchone()[0] == 1, "a transaction is open")
    connection.commit()
    connection.rollback()


def cancelled():
    cursor = connect(autocommit=True).cursor()
    cases.stops(lambda: cursor.execute(cases.SLEEPING), cursor.cancel)


def timeout():
    connection = connect(autocommit=True)
    connection.timeout = 1
    cases.stops(lambda: connection.execute(cases.SLEEPING), lambda: None)


def catalog():
    connection = connect(autocommit=True)
    connection.execute("IF OBJECT_ID('dbo.client_catalog') IS NOT NULL DROP TABLE dbo.client_catalog")
    connection.execute("CREATE TABLE dbo.client_catalog (n int NOT NULL PRIMARY KEY, t nvarchar(20) NULL)")
    cursor = connection.cursor()
    names = [row.table_name for row in cursor.tables(table="client_catalog", schema="dbo")]
    cases.check(names == ["client_catalog"], names)
    columns = [(row.column_name, row.type_name, row.nullable) for row in cursor.columns(table="client_catalog")]
    cases.check(columns == [("n", "int", 0), ("t", "nvarchar", 1)], columns)
    keys = [row.column_name for row in cursor.primaryKeys(table="client_catalog", schema="dbo")]
    cases.check(keys == ["n"], keys)
    connection.execute("DROP TABLE dbo.client_catalog")


run.run("connect and select", simple)
run.run("every type", lambda: cases.every_type(cursor_for_all(), leave_out=("c_datetimeoffset", "c_sql_variant", "c_time")))
run.run("many rows", lambda: cases.many_rows(connect().cursor()))
run.run("parameters", parameters)
run.run("errors", failing)
run.run("two results", lambda: cases.two_results(connect().cursor()))
run.run("procedure", procedure)
run.run("transactions", transactions)
run.run("attention", timeout)
run.real(connect)
if cases.REAL:
    run.run("catalog functions", catalog)
run.end()
