"""mssql-python (Microsoft's own ODBC driver inside), encrypted."""

import importlib.metadata
import os

import cases
import mssql_python

port, user, password = cases.arguments()
certificate = os.environ.get("CERTIFICATE")
run = cases.Cases(f"mssql-python {importlib.metadata.version('mssql-python')}")


def connect(autocommit=False, encrypt="yes"):
    trust = f"ServerCertificate={certificate}" if encrypt == "strict" else "TrustServerCertificate=yes"
    encrypt = "no" if "RECORDING" in os.environ else encrypt
    target = f"SERVER=localhost,{port};UID={user};PWD={password};Encrypt={encrypt};{trust}"
    return mssql_python.connect(target, autocommit=autocommit)


def simple(encrypt):
    cursor = connect(encrypt=encrypt).cursor()
    cursor.execute("SELECT 1")
    cases.check(tuple(cursor.fetchone()) == (1,), "SELECT 1")


def parameters():
    values = (7, "日本", b"\x01\x02", None, 1.5)
    cursor = connect().cursor()
    for _ in range(3):
        cursor.execute("SELECT ?, ?, ?, ?, ?", values)
        row = cursor.fetchone()
        cases.check(tuple(row) == values, row)


def failing():
    try:
        connect().cursor().execute(cases.FAILING)
    except mssql_python.Error as error:
        cases.check("told to" in str(error), error)
    else:
        raise AssertionError("no error")


def procedure():
    connection = connect(autocommit=True)
    cursor = connection.cursor()
    cursor.execute(cases.PROCEDURE)
    cursor.execute("{CALL dbo.double_it (?, ?)}", (21, "abc"))
    row = cursor.fetchone()
    cases.check(tuple(row) == (21, "abc"), row)


def transactions():
    connection = connect()
    cursor = connection.cursor()
    cursor.execute("SELECT @@TRANCOUNT")
    cases.check(cursor.fetchone()[0] == 1, "a transaction is open")
    connection.commit()
    connection.rollback()


run.run("connect and select", lambda: simple("yes"))
run.run("encryption of the login only", lambda: simple("no"))
if certificate:
    run.run("encryption from the first byte", lambda: simple("strict"))
run.run("every type", lambda: cases.every_type(connect().cursor()))
run.run("many rows", lambda: cases.many_rows(connect().cursor()))
run.run("parameters", parameters)
run.run("errors", failing)
run.run("two results", lambda: cases.two_results(connect().cursor()))
run.run("procedure", procedure)
run.run("transactions", transactions)
run.real(connect)
if cases.REAL:
    run.run("a transaction after one that an error ended", lambda: cases.begins_again(connect()))
run.end()
