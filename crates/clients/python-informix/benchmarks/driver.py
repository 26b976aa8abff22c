"""Decoding and round trips beside the public informix-driver, against one server.

    python benchmarks/driver.py [--server PATH_OF_MAINSTAY]

The rows of the fetch loops are recorded once and decoded again and again, without the server.
"""

import argparse
import gc
import os
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests"))

import conftest  # noqa: E402 - the server of the tests

import mainstay_informix  # noqa: E402
from mainstay_informix import _native  # noqa: E402
from mainstay_informix.settings import Settings  # noqa: E402

try:
    import informix_db
except ImportError:
    informix_db = None

ROUNDS = 7


def best(action, count):
    """Seconds of one of `count` parts of an action, the best of some rounds."""
    times = []
    for _ in range(ROUNDS):
        gc.collect()
        gc.disable()
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
        gc.enable()
    return min(times) / count


def show(row, ours, theirs=None, target=None):
    scale = lambda seconds: "-" if seconds is None else f"{seconds * 1e9:.0f} ns" if seconds < 1e-5 else f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"
    print(f"{row:52} {scale(ours):>10} {scale(theirs):>10} {target or '':>8}", flush=True)


class Recorded:
    """A session that is fed with recorded answers."""

    def __init__(self, server, query, fetch_bytes=65536):
        import socket

        self.settings = Settings(**server, fetch_bytes=fetch_bytes)
        plain = socket.create_connection((server["host"], server["port"]))
        session = self.settings.session()
        self.parts, self.query = [], query

        def run():
            part = []
            while not session.done:
                output = session.output()
                if output is not None:
                    plain.sendall(output)
                data = plain.recv(1 << 20)
                part.append(data)
                session.receive(data)
            fault = session.fault()
            assert fault is None, fault
            self.parts.append(part)

        run()
        session.execute(1, query, None, False, None)
        run()
        self.count = 0
        rows = session.rows(1)
        session.load(1, rows)
        while len(rows):
            self.count += len(rows)
            session.fetch(1)
            run()
            session.load(1, rows)
        plain.close()

    def replay(self, take, streams=False):
        """Feeds the answers; `take` gets the rows of each fetch, or all of them as a stream.

        Returns the seconds of all but the login and the PREPARE.
        """
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

        started = time.perf_counter()
        if streams:
            take(rows.arrow(more))
        else:
            take(rows)
            while more() is not None:
                take(rows)
        return time.perf_counter() - started

    def row_time(self, take, streams=False):
        times = []
        for _ in range(ROUNDS):
            gc.collect()
            gc.disable()
            times.append(self.replay(take, streams))
            gc.enable()
        return min(times) / self.count


def codec():
    decode, data, repeat = _native.decode, (123456).to_bytes(4, "big"), 200_000

    def ours():
        for _ in range(repeat):
            decode(2, 4, data)

    def ours_encode():
        encode = _native.encode
        for _ in range(repeat):
            encode(123456)

    show("decode INT, one call (loop included)", best(ours, repeat), None, "60 ns")
    show("encode an INT parameter (BIND with its head)", best(ours_encode, repeat), None, "90 ns")


def theirs_fetch(server, query, count):
    """Seconds a row of the public driver, the server's time included."""
    if informix_db is None:
        return None
    with informix_db.connect(**server, server="mainstay") as connection:
        cursor = connection.cursor()

        def read():
            cursor.execute(query)
            assert len(cursor.fetchall()) == count

        return best(read, count)


def fetches(server, connection):
    import pyarrow

    arrow = lambda stream: pyarrow.RecordBatchReader.from_stream(stream).read_all()
    for row, query, targets in [
        ("5 columns", "SELECT * FROM b5", ("120 ns", None)),
        ("100 INTs", "SELECT * FROM b100", ("4.5 us", "400 ns")),
    ]:
        recorded = Recorded(server, query)
        whole = best(lambda: connection.execute(query).fetchall(), recorded.count)
        connection.commit()
        show(f"{row}: a row of fetchall, recorded", recorded.row_time(lambda rows: rows.take([], 1 << 30)), None, targets[0])
        show(f"{row}: a row of a for loop, recorded", recorded.row_time(lambda rows: [None for _ in rows]), None, targets[0])
        show(f"{row}: a row as Arrow, recorded", recorded.row_time(arrow, streams=True), None, targets[1])
        show(f"{row}: a row of fetchall, server included", whole, theirs_fetch(server, query, recorded.count))


def round_trips(server):
    def ours_select(connection):
        for _ in range(200):
            connection.execute("SELECT id FROM b5 WHERE id = 1").fetchone()

    ours = mainstay_informix.connect(**server, autocommit=True)
    theirs = informix_db and informix_db.connect(**server, server="mainstay", autocommit=True)

    def theirs_select():
        cursor = theirs.cursor()
        for _ in range(200):
            cursor.execute("SELECT id FROM b5 WHERE id = 1")
            cursor.fetchone()

    show("SELECT of one row, round trip", best(lambda: ours_select(ours), 200), theirs and best(theirs_select, 200), "60 us")
    pool = mainstay_informix.Pool(**server)

    def pooled():
        for _ in range(200):
            connection = pool.acquire()
            connection.execute("SELECT id FROM b5 WHERE id = 1").fetchone()
            pool.release(connection)

    show("pool acquire + SELECT", best(pooled, 200), None, "80 us")
    connect = lambda module, **more: [module.connect(**server, **more).close() for _ in range(10)]
    show("connect and close", best(lambda: connect(mainstay_informix), 10), informix_db and best(lambda: connect(informix_db, server="mainstay"), 10), "1 ms")
    rows = [(number, "x") for number in range(1000)]

    def many(module, **more):
        def insert():
            with module.connect(**server, **more) as connection:
                connection.cursor().executemany("INSERT INTO bm VALUES (?, ?)", rows)
                connection.rollback()

        return insert

    show("executemany(1000) in one transaction", best(many(mainstay_informix), 1), informix_db and best(many(informix_db, server="mainstay"), 1), "4 ms")


def fill(connection):
    connection.execute("CREATE TABLE b5 (id INTEGER, v VARCHAR(20), f FLOAT, day DATE, n SMALLINT)")
    columns = ", ".join(f"c{place} INTEGER" for place in range(100))
    connection.execute(f"CREATE TABLE b100 ({columns})")
    connection.execute("CREATE TABLE bm (id INTEGER, v VARCHAR(20))")
    import datetime

    days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=number) for number in range(365)]
    cursor = connection.cursor()
    cursor.executemany("INSERT INTO b5 VALUES (?, ?, ?, ?, ?)", [(n, f"value {n}", n / 7, days[n % 365], n % 1000) for n in range(625)])
    for _ in range(5):
        cursor.execute("INSERT INTO b5 SELECT * FROM b5")
    marks = ", ".join("?" * 100)
    cursor.executemany(f"INSERT INTO b100 VALUES ({marks})", [tuple(range(n * 1000, n * 1000 + 100)) for n in range(125)])
    for _ in range(4):
        cursor.execute("INSERT INTO b100 SELECT * FROM b100")
    connection.commit()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--server", help="the mainstay program; that of the debug build by default")
    options = options.parse_args()
    if options.server:
        os.environ["INFORMIX_TEST_SERVER"] = options.server
    with tempfile.TemporaryDirectory() as folder:
        served = pathlib.Path(folder) / "served"
        served.mkdir()
        process, port = conftest.start(served)
        try:
            server = {"host": "127.0.0.1", "port": port, "user": conftest.USER, "password": conftest.PASSWORD, "database": "served"}
            connection = mainstay_informix.connect(**server)
            fill(connection)
            print(f"{'':52} {'ours':>10} {'public':>10} {'target':>8}")
            codec()
            fetches(server, connection)
            round_trips(server)
            connection.close()
        finally:
            process.terminate()
            process.wait(20)


if __name__ == "__main__":
    main()
