"""Runs one TPC-H query in DuckDB: the peer's side of the protocol in worker.rs.

python3 peer.py check
python3 peer.py load FOLDER DATABASE
python3 peer.py run FOLDER DATABASE [BYTES]

The clock stops when the whole answer is there as columns (an Arrow table), as in worker.rs; without pyarrow, when it is there as
tuples of Python. `check` writes {"ready": description} or {"absent": reason}. `load` copies the Parquet files of the folder into a database
file. `run` answers request lines, over the database file or, when its name is -, over the Parquet files.
"""

import datetime
import decimal
import json
import os
import sys
import time


def tables(folder):
    for name in sorted(os.listdir(folder)):
        if name.endswith(".parquet"):
            yield name.removesuffix(".parquet").removeprefix("source_"), os.path.join(folder, name)


def load(duckdb, folder, path):
    connection = duckdb.connect(path)
    for name, file in tables(folder):
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM read_parquet('{file}')")
    connection.close()
    print(json.dumps({"ready": "loaded"}))


def connect(duckdb, folder, path, limit):
    connection = duckdb.connect() if path == "-" else duckdb.connect(path, read_only=True)
    if limit:
        connection.execute(f"SET memory_limit = '{limit}B'")
    if path == "-":
        for name, file in tables(folder):
            connection.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{file}')")
    return connection


def cell(value):
    if isinstance(value, decimal.Decimal):
        return {"d": format(value, "f")}
    if isinstance(value, datetime.date):
        return value.isoformat()
    return value


def columns_of(relation):
    # The method was renamed.
    return relation.to_arrow_table() if hasattr(relation, "to_arrow_table") else relation.fetch_arrow_table()


def answers(connection):
    """Functions that answer a statement and make rows of its answer, of which the first is timed, and a name for its form."""
    try:
        import pyarrow
    except ImportError:
        return lambda sql: connection.execute(sql).fetchall(), lambda rows: rows, "Python tuples"
    rows_of = lambda table: zip(*(column.to_pylist() for column in table.columns))
    # The result of `execute` would be copied once more.
    return lambda sql: columns_of(connection.sql(sql)), rows_of, f"Arrow {pyarrow.__version__}"


def peak_bytes():
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return None


def answer(run, rows_of, request):
    def timed():
        start = time.perf_counter_ns()
        found = run(request["sql"])
        return time.perf_counter_ns() - start, found

    first, found = timed()
    times, spent = [], 0
    if request["repeats"]:
        timed()
    while len(times) < request["repeats"] or (len(times) < request["at_most"] and spent < request["enough_ns"]):
        times.append(timed()[0])
        spent += times[-1]
    rows = [[cell(value) for value in row] for row in rows_of(found)]
    return {"first": first, "times": times, "rows": rows, "peak": peak_bytes()}


def main():
    try:
        import duckdb
    except ImportError as error:
        print(json.dumps({"absent": f"the Python package {error.name or 'duckdb'} is not installed"}))
        return
    task, *arguments = sys.argv[1:]
    if task == "check":
        connection = duckdb.connect()
        threads = connection.execute("SELECT current_setting('threads')").fetchone()[0]
        form = answers(connection)[2]
        print(json.dumps({"ready": f"DuckDB {duckdb.__version__}, {threads} threads, answers as {form}"}))
    elif task == "load":
        load(duckdb, *arguments)
    else:
        folder, path, *limit = arguments
        connection = connect(duckdb, folder, path, limit[0] if limit else None)
        run, rows_of, _ = answers(connection)
        for line in sys.stdin:
            try:
                reply = answer(run, rows_of, json.loads(line))
            except Exception as error:
                reply = {"error": f"{type(error).__name__}: {error}"}
            print(json.dumps(reply), flush=True)


main()
