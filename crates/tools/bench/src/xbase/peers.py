"""Times DuckDB or Polars on the table of the xbase suite.

python3 peers.py DuckDB|Polars bench.csv

Writes {"ready": description} or {"absent": reason}, then answers each request line
{"row", "sql", "repeats", "at_most", "enough_ns"} with {"times": [ns, ...], "rows": [[...], ...]} or
{"error": text}. The table is in memory in the form that the library's users would have: a DuckDB table, a
Polars DataFrame. A run ends when the whole answer is there as columns (Arrow or NumPy, DataFrame).
"""

import decimal
import json
import sys
import time


def duckdb_peer(path):
    import duckdb

    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE bench AS SELECT * FROM read_csv(?, header = true,"
        " columns = {'ID': 'INTEGER', 'TAG': 'VARCHAR', 'AMT': 'DECIMAL(8,2)'})",
        [path],
    )
    try:
        import pyarrow

        # The method was renamed.
        method = "to_arrow_table" if hasattr(connection, "to_arrow_table") else "fetch_arrow_table"
        fetch, form = (lambda result: getattr(result, method)()), f"Arrow {pyarrow.__version__}"

        def rows_of(table):
            return [list(row) for row in zip(*(column.to_pylist() for column in table.columns))]

    except ImportError:
        fetch, form = (lambda result: result.fetchnumpy()), "NumPy arrays"

        def rows_of(columns):
            return [list(row) for row in zip(*(column.tolist() for column in columns.values()))]

    run = lambda request: fetch(connection.execute(request["sql"]))
    run({"sql": "SELECT COUNT(*) FROM bench"})
    return f"DuckDB {duckdb.__version__}, a table in memory, answers as {form}", run, rows_of


def polars_peer(path):
    import polars as pl

    table = pl.read_csv(path, schema={"ID": pl.Int32, "TAG": pl.String, "AMT": pl.Float64}).rechunk()
    tag, amount, key = pl.col("TAG"), pl.col("AMT"), pl.col("ID")
    groups = lambda: table.group_by("TAG").len()
    statements = {
        "count": lambda: table.select(pl.len()),
        "tag_first_10": lambda: table.filter(tag == "AAAA").head(10),
        "tag_all": lambda: table.filter(tag == "AAAA"),
        "tag_count": lambda: table.select((tag == "AAAA").sum()),
        "totals": lambda: table.select(
            amount.sum().alias("sum"), amount.mean().alias("avg"), amount.min().alias("min"), amount.max().alias("max")
        ),
        "group_by": groups,
        "order_limit": lambda: table.bottom_k(10, by="AMT"),
        "distinct": lambda: table.select("TAG").unique(),
        "amt_between": lambda: table.select(amount.is_between(100, 500).sum()),
        "id_equal": lambda: table.filter(key == 50000),
        "id_between": lambda: table.filter(key.is_between(10000, 20000)),
        "union_all": lambda: pl.concat([table.filter(tag == "AAAA"), table.filter(tag == "BBBB")]),
        "having": lambda: groups().filter(pl.col("len") > table.height // 26),
    }
    rows_of = lambda frame: [list(row) for row in frame.rows()]
    return f"Polars {pl.__version__}, a DataFrame in memory", lambda request: statements[request["row"]](), rows_of


def cell(value):
    if isinstance(value, decimal.Decimal):
        return {"d": format(value, "f")}
    return value


def measure(run, rows_of, request):
    run(request)
    times, spent, answer = [], 0, None
    while len(times) < request["repeats"] or (len(times) < request["at_most"] and spent < request["enough_ns"]):
        start = time.perf_counter_ns()
        answer = run(request)
        times.append(time.perf_counter_ns() - start)
        spent += times[-1]
    return {"times": times, "rows": [[cell(value) for value in row] for row in rows_of(answer)]}


def main():
    name, path = sys.argv[1:3]
    try:
        description, run, rows_of = {"DuckDB": duckdb_peer, "Polars": polars_peer}[name](path)
    except ImportError as error:
        # DuckDB, for one, gives its columns out through NumPy and does not bring it along.
        print(json.dumps({"absent": f"the Python package {error.name or name.lower()} is not installed"}))
        return
    except Exception as error:
        print(json.dumps({"absent": f"{type(error).__name__}: {error}"}))
        return
    print(json.dumps({"ready": description}))
    for line in sys.stdin:
        try:
            reply = measure(run, rows_of, json.loads(line))
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply))


main()
