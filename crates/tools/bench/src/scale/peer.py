"""DuckDB for the scale suite: each line of standard input is a task, each line of standard output its time and rows."""
import json
import os
import sys
import time

try:
    import duckdb
except ImportError as error:
    print(json.dumps({"absent": str(error)}), flush=True)
    sys.exit()

FOLDER, CSV, PARQUET = sys.argv[1:4]
FILE = os.path.join(FOLDER, "scale.duckdb")
TABLE = (
    "CREATE TABLE sales (id BIGINT PRIMARY KEY, customer INTEGER NOT NULL, amount DOUBLE NOT NULL, "
    "city TEXT NOT NULL, day DATE NOT NULL)"
)
TOTALS = "SELECT COUNT(*), SUM(customer)::BIGINT FROM sales"


def ask(question):
    begin = time.perf_counter_ns()
    connection = duckdb.connect(FILE)
    rows = connection.execute(question).fetchall()
    connection.close()
    return time.perf_counter_ns() - begin, rows


def load(source):
    for name in os.listdir(FOLDER):
        os.remove(os.path.join(FOLDER, name))
    begin = time.perf_counter_ns()
    connection = duckdb.connect(FILE)
    connection.execute(TABLE)
    connection.execute(f"INSERT INTO sales SELECT * FROM {source}")
    connection.close()
    return time.perf_counter_ns() - begin, ask(TOTALS)[1]


TASKS = {
    "open": lambda: ask("SELECT 1"),
    "point": lambda: ask("SELECT customer FROM sales WHERE id = 4321"),
    "load_parquet": lambda: load(f"read_parquet('{PARQUET}')"),
    "load_csv": lambda: load(f"read_csv('{CSV}')"),
}

print(json.dumps({"ready": f"DuckDB {duckdb.__version__} (Python), its own threads"}), flush=True)
for line in sys.stdin:
    try:
        nanoseconds, rows = TASKS[json.loads(line)["task"]]()
        print(json.dumps({"ns": nanoseconds, "rows": rows}), flush=True)
    except Exception as error:
        print(json.dumps({"error": str(error)}), flush=True)
