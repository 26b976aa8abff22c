"""New-Order of the order-entry benchmark in T-SQL against `mainstay serve` and in PL/pgSQL against PostgreSQL, in one run.

    python3 tests/clients/python/order_entry.py --serve target/release/mainstay --seconds 5 [--durability os]

Both are called by a Python driver that is C below (pymssql, psycopg2), over loopback, with the same draws, from one connection
and from four. `--durability full` is a sync for each commit in both (PostgreSQL: synchronous_commit = on), `os` is none
(off). PostgreSQL runs in a folder of its own that is made for the run; its programs are Debian's (`--postgres` names others).
A terminal is a connection without think times, so these are no tpmC.
"""

import argparse
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
TPCC = REPOSITORY / "crates/tools/bench/src/tpcc"
POSTGRES_SQL = REPOSITORY / "tests/clients/postgres/order_entry.sql"
ITEMS, CUSTOMERS = 10_000, 300


def draws(number):
    """The arguments of one call after the other: one in a hundred orders names an item that there is not."""
    draw, count = random.Random(20240229 + number), 0
    while True:
        count += 1
        district, customer = draw.randint(1, 10), draw.randint(1, CUSTOMERS)
        yield (1, district, customer, draw.randint(5, 15), ITEMS, draw.randint(1, 2_147_483_647), count % 100 == 0)


class Mainstay:
    """`mainstay serve` over a new folder."""

    name = "Mainstay, T-SQL"

    def __init__(self, binary, folder, durability):
        self.folder = folder / "mainstay"
        self.folder.mkdir()
        command = [binary, "serve", self.folder, "--tds", "127.0.0.1:0", "--durability", durability]
        self.server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        ready = next((line for line in self.server.stderr if " event=ready tds=" in line), None)
        if ready is None:
            sys.exit(f"{binary} did not start")
        self.port = int(ready.split(" tds=127.0.0.1:")[1].split()[0])
        threading.Thread(target=self.server.stderr.read, daemon=True).start()
        with self.connect() as connection, connection.cursor() as cursor:
            for script in ["procedures.sql", "schema.sql"]:
                for batch in (TPCC / script).read_text().split("\nGO\n"):
                    cursor.execute(batch)
            cursor.execute(f"EXEC load_all {ITEMS}, {CUSTOMERS}")

    def connect(self):
        import pymssql

        return pymssql.connect("127.0.0.1", "sa", "", port=self.port, autocommit=True)

    def call(self, cursor, arguments):
        cursor.callproc("new_order", arguments)
        return cursor.fetchall() if cursor.description else []

    def stop(self):
        self.server.terminate()
        self.server.wait(20)


class Postgres:
    """PostgreSQL over a new folder. It does not run as root: then it is the user `postgres`."""

    name = "PostgreSQL, PL/pgSQL"

    def __init__(self, programs, folder, durability):
        self.folder = folder / "postgres"
        self.folder.mkdir()
        user = []
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
            folder.chmod(0o755)
            user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        data = self.folder / "data"
        initdb = [*user, programs / "initdb", "-D", data, "-A", "trust", "-U", "bench", "-E", "UTF8"]
        subprocess.run(initdb, check=True, stdout=subprocess.DEVNULL, cwd=self.folder)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        commit = "on" if durability == "full" else "off"
        options = {"port": self.port, "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "synchronous_commit": commit}
        command = [*user, programs / "postgres", "-D", data]
        for name, value in options.items():
            command += ["-c", f"{name}={value}"]
        self.server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder)
        for attempt in range(100):
            try:
                connection = self.connect()
                break
            except Exception:  # It has not begun to listen.
                if attempt == 99:
                    raise
                time.sleep(0.1)
        with connection.cursor() as cursor:
            cursor.execute(POSTGRES_SQL.read_text())
            cursor.execute(f"CALL load_all({ITEMS}, {CUSTOMERS})")
            cursor.execute("ANALYZE")
        connection.close()

    def connect(self):
        import psycopg2

        connection = psycopg2.connect(host="127.0.0.1", port=self.port, user="bench", dbname="postgres")
        connection.autocommit = True
        return connection

    def call(self, cursor, arguments):
        import psycopg2

        try:
            cursor.execute("SELECT * FROM new_order(%s, %s, %s, %s, %s, %s, %s)", arguments)
            return cursor.fetchall()
        except psycopg2.errors.NoDataFound:
            return []

    def stop(self):
        self.server.terminate()
        self.server.wait(20)


def work(system, number, end, done, failed):
    """Calls until the time is over. An order that was entered gives a row, one that fails none."""
    try:
        connection, count = system.connect(), 0
        cursor = connection.cursor()
        for arguments in draws(number):
            if time.monotonic() > end:
                break
            rows = system.call(cursor, arguments)
            if (len(rows) == 1) == arguments[6]:
                raise AssertionError(f"{arguments}: {rows}")
            count += 1
        done.append(count)
        connection.close()
    except Exception as error:
        failed.append(error)


def orders_a_second(system, connections, seconds):
    done, failed = [], []
    end = time.monotonic() + seconds
    threads = [threading.Thread(target=work, args=(system, n, end, done, failed)) for n in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return sum(done) / seconds


def check(system):
    """Each order has the lines that it says, and each district the number of its next order (clause 3.3.2)."""
    connection = system.connect()
    cursor = connection.cursor()
    cursor.execute("SELECT SUM(o_ol_cnt) FROM orders")
    wanted = cursor.fetchall()[0][0]
    cursor.execute("SELECT COUNT(*) FROM order_line")
    lines = cursor.fetchall()[0][0]
    cursor.execute("SELECT SUM(d_next_o_id - 1) FROM district")
    numbers = cursor.fetchall()[0][0]
    cursor.execute("SELECT COUNT(*) FROM orders")
    orders = cursor.fetchall()[0][0]
    connection.close()
    if (wanted, numbers) != (lines, orders):
        sys.exit(f"{system.name}: {wanted} lines are {lines}, {numbers} orders are {orders}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--serve", type=pathlib.Path, required=True, help="the mainstay that is to serve")
    options.add_argument("--postgres", type=pathlib.Path, help="the folder of PostgreSQL's programs")
    options.add_argument("--seconds", type=float, default=5)
    options.add_argument("--durability", choices=["full", "os"], default="full")
    options = options.parse_args()
    programs = options.postgres or next(iter(sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)
    with tempfile.TemporaryDirectory() as folder:
        systems = [Mainstay(options.serve.resolve(), pathlib.Path(folder), options.durability)]
        try:
            if programs is None:
                print("SKIP PostgreSQL: not installed (apt-get install postgresql)")
            else:
                systems.append(Postgres(programs, pathlib.Path(folder), options.durability))
            for connections in [1, 4]:
                for system in systems:
                    rate = orders_a_second(system, connections, options.seconds)
                    print(f"New-Order, {connections} connection(s), {system.name:22} {rate:8.0f} calls/s", flush=True)
            for system in systems:
                check(system)
        finally:
            for system in systems:
                system.stop()


if __name__ == "__main__":
    main()
