"""The Python side of the suite `informix`: mainstay_informix, and the public informix-driver in the same process.

    python3 -u driver.py HOST PORT

Each line of standard input is a request, {"who": "mainstay" or "public", "row": key, "repeats": n, "at_most": n,
"enough_ns": n}; each line of the answer has the times of all runs in nanoseconds and the answer of the last run.

Rows of fetch loops are recorded once and decoded again and again, so that no server takes part in them. The public driver
has no such seam: its rows include the server.
"""

import gc
import json
import platform
import subprocess
import sys
import time
from importlib import metadata

CALLS = 100_000
TRIPS = 200
CONNECTS = 20
ROWS_5 = 20_000
ROWS_100 = 2_000
STREAMED = 1_000_000
COLLECTED = 100_000

HOST, PORT = sys.argv[1], int(sys.argv[2])
LOGIN = {"host": HOST, "port": PORT, "user": "bench", "password": "", "database": "served"}


class Recorded:
    """A session of mainstay_informix that is fed with recorded answers."""

    def __init__(self, query):
        import socket

        from mainstay_informix.settings import Settings

        self.settings, self.query, self.parts = Settings(**LOGIN, fetch_bytes=65536), query, []
        session = self.settings.session()
        with socket.create_connection((HOST, PORT)) as plain:
            self.record(session, plain)
            session.execute(1, query, None, False, None)
            self.record(session, plain)
            rows = session.rows(1)
            session.load(1, rows)
            while len(rows):
                session.fetch(1)
                self.record(session, plain)
                session.load(1, rows)

    def record(self, session, plain):
        part = []
        while not session.done:
            output = session.output()
            if output is not None:
                plain.sendall(output)
            part.append(plain.recv(1 << 20))
            session.receive(part[-1])
        fault = session.fault()
        if fault is not None:
            raise RuntimeError(fault)
        self.parts.append(part)

    def replay(self, take, streams=False):
        """Feeds the answers; `take` gets the rows of each fetch, or all of them as a stream. Gives the nanoseconds behind
        login and PREPARE."""
        session = self.settings.session()
        parts = iter(self.parts)
        for data in next(parts):
            session.receive(data)
        session.execute(1, self.query, None, False, None)
        for data in next(parts):
            session.receive(data)
        rows = session.rows(1)
        session.load(1, rows)

        def more():
            part = next(parts, None)
            if part is None:
                return None
            session.fetch(1)
            for data in part:
                session.receive(data)
            session.load(1, rows)
            return rows

        begin = time.perf_counter_ns()
        if streams:
            take(rows.arrow(more))
        else:
            take(rows)
            while more() is not None:
                take(rows)
        return time.perf_counter_ns() - begin


def timed(action):
    begin = time.perf_counter_ns()
    answer = action()
    return time.perf_counter_ns() - begin, answer


def resident_peak():
    """Bytes of the largest resident set since the last call of `resident_reset`."""
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def resident_reset():
    with open("/proc/self/clear_refs", "w") as peak:
        peak.write("5")
    return resident_peak()


def growth(action):
    """The bytes by which an action makes the process larger at its largest, in place of its time, and its answer."""
    gc.collect()
    before = resident_reset()
    answer = action()
    return max(resident_peak() - before, 0), answer


def in_new_process(row):
    """A row of memory in a process of its own: one that has run it before has the memory already."""
    ran = subprocess.run([sys.executable, __file__, HOST, str(PORT), row], stdout=subprocess.PIPE, check=True)
    return tuple(json.loads(ran.stdout))


def stream_memory(connection):
    def stream():
        count = total = 0
        for row in connection.execute("SELECT * FROM bl"):
            count, total = count + 1, total + row[0]
        return [count, total]

    return growth(stream)


def arrow_memory(connection):
    import pyarrow

    def whole():
        cursor = connection.execute(f"SELECT FIRST {COLLECTED} * FROM bl ORDER BY id")
        return pyarrow.RecordBatchReader.from_stream(cursor).read_all()

    took, table = growth(whole)
    return took, arrow_summary(table)


MEMORY = {"stream_memory": stream_memory, "arrow_memory": arrow_memory}


class Mainstay:
    """The rows as mainstay_informix runs them."""

    def __init__(self):
        import mainstay_informix
        from mainstay_informix import _native

        self.module, self.native = mainstay_informix, _native
        self.description = f"mainstay_informix {metadata.version('mainstay_informix')}, Python {platform.python_version()}"
        self.connection = mainstay_informix.connect(**LOGIN, autocommit=True)
        self.pool = mainstay_informix.Pool(**LOGIN)
        self.recorded = {}

    def replayed(self, query):
        if query not in self.recorded:
            self.recorded[query] = Recorded(query)
        return self.recorded[query]

    def decode_int(self):
        decode, data = self.native.decode, (123456).to_bytes(4, "big")

        def calls():
            for _ in range(CALLS):
                value = decode(2, 4, data)
            return value

        return timed(calls)

    def encode_int(self):
        encode = self.native.encode

        def calls():
            for _ in range(CALLS):
                value = encode(123456)
            return value.hex()

        return timed(calls)

    def row_5(self):
        found = []
        took = self.replayed("SELECT * FROM b5 ORDER BY id").replay(lambda rows: found.extend(rows))
        return took, summary(found)

    def row_100(self):
        found = []
        took = self.replayed("SELECT * FROM b100 ORDER BY c0").replay(lambda rows: found.extend(rows))
        return took, summary(found)

    def row_100_arrow(self):
        import pyarrow

        found = []
        read = lambda stream: found.append(pyarrow.RecordBatchReader.from_stream(stream).read_all())
        took = self.replayed("SELECT * FROM b100 ORDER BY c0").replay(read, streams=True)
        return took, arrow_summary(found[0])

    def select_1(self):
        return timed(lambda: [self.connection.execute("SELECT id FROM b5 WHERE id = 1").fetchone()[0] for _ in range(TRIPS)][-1])

    def pool_select(self):
        def one():
            connection = self.pool.acquire()
            value = connection.execute("SELECT id FROM b5 WHERE id = 1").fetchone()[0]
            self.pool.release(connection)
            return value

        return timed(lambda: [one() for _ in range(TRIPS)][-1])

    def connect(self):
        def one():
            connection = self.module.connect(**LOGIN)
            connection.close()
            return 1

        return timed(lambda: [one() for _ in range(CONNECTS)][-1])

    def select_1000(self):
        took, found = timed(lambda: self.connection.execute("SELECT FIRST 1000 * FROM b5 ORDER BY id").fetchall())
        return took, summary(found)

    def executemany(self):
        self.connection.execute("DELETE FROM bm")
        rows = [(number, "x") for number in range(1000)]
        with self.module.connect(**LOGIN) as connection:

            def many():
                connection.cursor().executemany("INSERT INTO bm VALUES (?, ?)", rows)
                connection.commit()

            took, _ = timed(many)
        return took, list(self.connection.execute("SELECT COUNT(*), SUM(id) FROM bm").fetchone())

    def stream_memory(self):
        return in_new_process("stream_memory")

    def arrow_memory(self):
        return in_new_process("arrow_memory")


class Public:
    """The rows as the public driver runs them."""

    def __init__(self):
        import informix_db

        self.module = informix_db
        self.description = f"informix-driver {metadata.version('informix-driver')}; the server takes part in its rows"
        self.connection = self.connected(autocommit=True)

    def connected(self, **more):
        return self.module.connect(**LOGIN, server="mainstay", **more)

    def fetched(self, query):
        cursor = self.connection.cursor()
        cursor.execute(query)
        return cursor.fetchall()

    def row_5(self):
        took, found = timed(lambda: self.fetched("SELECT * FROM b5 ORDER BY id"))
        return took, summary(found)

    def row_100(self):
        took, found = timed(lambda: self.fetched("SELECT * FROM b100 ORDER BY c0"))
        return took, summary(found)

    def select_1(self):
        return timed(lambda: [self.fetched("SELECT id FROM b5 WHERE id = 1")[0][0] for _ in range(TRIPS)][-1])

    def connect(self):
        def one():
            self.connected().close()
            return 1

        return timed(lambda: [one() for _ in range(CONNECTS)][-1])

    def select_1000(self):
        took, found = timed(lambda: self.fetched("SELECT FIRST 1000 * FROM b5 ORDER BY id"))
        return took, summary(found)

    def executemany(self):
        self.connection.cursor().execute("DELETE FROM bm")
        rows = [(number, "x") for number in range(1000)]
        connection = self.connected()

        def many():
            connection.cursor().executemany("INSERT INTO bm VALUES (?, ?)", rows)
            connection.commit()

        took, _ = timed(many)
        connection.close()
        return took, [int(value) for value in self.fetched("SELECT COUNT(*), SUM(id) FROM bm")[0]]


def summary(rows):
    """How many rows, the sum of the first column, and the last row as a text."""
    return [len(rows), sum(row[0] for row in rows), "|".join(str(value).strip() for value in rows[-1])]


def arrow_summary(table):
    first = table.column(0)
    return [table.num_rows, sum(sum(chunk.to_pylist()) for chunk in first.chunks), "|".join(str(column[-1].as_py()).strip() for column in table.columns)]


def fill():
    import mainstay_informix

    with mainstay_informix.connect(**LOGIN) as connection:
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE b5 (id INTEGER PRIMARY KEY, v VARCHAR(20), f FLOAT, day DATE, n SMALLINT)")
        cursor.execute("CREATE TABLE b100 (" + ", ".join(f"c{place} INTEGER" for place in range(100)) + ")")
        cursor.execute("CREATE TABLE bm (id INTEGER, v VARCHAR(20))")
        cursor.execute("CREATE TABLE bl (id INTEGER, v VARCHAR(20), f FLOAT, day DATE, n SMALLINT)")
        import datetime

        day = lambda number: datetime.date(2024, 1, 1) + datetime.timedelta(days=number % 365)
        row = lambda number: (number, f"value {number}", number / 8, day(number), number % 1000)
        cursor.executemany("INSERT INTO b5 VALUES (?, ?, ?, ?, ?)", [row(number) for number in range(1, ROWS_5 + 1)])
        marks = ", ".join("?" * 100)
        cursor.executemany(f"INSERT INTO b100 VALUES ({marks})", [tuple(range(number * 1000, number * 1000 + 100)) for number in range(ROWS_100)])
        for start in range(0, STREAMED, ROWS_5):
            cursor.execute(f"INSERT INTO bl SELECT id + {start}, v, f, day, n FROM b5")
        connection.commit()


def measure(run, request):
    run()
    times, spent, answer = [], 0, None
    while len(times) < request["repeats"] or (len(times) < request["at_most"] and spent < request["enough_ns"]):
        begin = time.perf_counter_ns()
        took, answer = run()
        times.append(took)
        spent += time.perf_counter_ns() - begin
    return {"times": times, "answer": answer}


def main():
    if len(sys.argv) > 3:
        import mainstay_informix

        print(json.dumps(MEMORY[sys.argv[3]](mainstay_informix.connect(**LOGIN, autocommit=True))))
        return
    try:
        fill()
        systems = {"mainstay": Mainstay()}
    except ImportError as error:
        print(json.dumps({"absent": f"the Python package {error.name} is not installed"}))
        return
    except Exception as error:
        print(json.dumps({"absent": f"{type(error).__name__}: {error}"}))
        return
    hello = {"ready": systems["mainstay"].description}
    try:
        systems["public"] = Public()
        hello["public"] = systems["public"].description
    except Exception as error:
        hello["public_absent"] = f"{type(error).__name__}: {error}"
    print(json.dumps(hello))
    for line in sys.stdin:
        request = json.loads(line)
        try:
            run = getattr(systems[request["who"]], request["row"], None)
            reply = {"none": True} if run is None else measure(run, request)
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply))


main()
