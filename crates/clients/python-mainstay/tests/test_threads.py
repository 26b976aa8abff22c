"""Threads, signals, time limits and progress."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import mainstay


def test_threads_share_a_connection(memory):
    memory.execute("CREATE TABLE t (n BIGINT)")
    memory.executemany("INSERT INTO t VALUES (?)", [(number,) for number in range(1000)])
    seen, errors = [], []

    def work():
        try:
            for number in range(100):
                seen.append(memory.execute("SELECT count(*) FROM t WHERE n < ?", [number]).fetchone()[0] == number)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and len(seen) == 400 and all(seen)


def test_other_threads_run_while_the_engine_works(slow):
    connection, query = slow
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.01):
            ticks.append(time.monotonic())
        connection.interrupt()

    thread = threading.Thread(target=tick)
    thread.start()
    threading.Timer(0.5, done.set).start()
    with pytest.raises(mainstay.OperationalError) as caught:
        connection.execute(query).fetchall()
    thread.join()
    assert caught.value.code == "cancelled" and len(ticks) > 10
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_keyboard_interrupt(slow):
    connection, query = slow
    threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        connection.execute(query).fetchall()
    assert time.monotonic() - begun < 5
    assert connection.execute("SELECT count(*) FROM numbers").fetchone() == (4000,)


def test_interrupted_rows_do_not_look_like_all_of_them(slow):
    pyarrow = pytest.importorskip("pyarrow")
    connection, query = slow
    cursor = connection.execute("SELECT n FROM numbers UNION ALL (" + query + ") ORDER BY 1")
    threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        cursor.fetchall()
    for again in [cursor.fetchone, cursor.fetchall, lambda: pyarrow.table(cursor)]:
        with pytest.raises(mainstay.InterfaceError):
            again()
    assert len(connection.execute("SELECT n FROM numbers").fetchall()) == 4000


def test_keyboard_interrupt_of_a_change_undoes_it(slow):
    connection, _ = slow
    connection.execute("CREATE TABLE copy (n BIGINT)")
    threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        connection.execute("INSERT INTO copy SELECT a.n + b.n * c.n FROM numbers a, numbers b, numbers c")
    assert connection.execute("SELECT count(*) FROM copy").fetchone() == (0,)


@pytest.mark.parametrize("dialect", ["core", "tsql", "informix", "ads"])
def test_time_limits(tmp_path, dialect):
    with mainstay.connect(tmp_path, dialect, autocommit=True) as filling:
        filling.execute("CREATE TABLE numbers (n INT)")
        filling.executemany("INSERT INTO numbers VALUES (?)", [(number,) for number in range(600)])
    filling.close()
    connection = mainstay.connect(tmp_path, dialect, timeout=0.3, autocommit=True)
    tables = ", ".join(f"numbers {name}" for name in "abcdef")
    begun = time.monotonic()
    with pytest.raises(mainstay.OperationalError) as caught:
        connection.execute(f"SELECT count(*) FROM {tables} WHERE a.n + b.n * c.n + d.n + e.n + f.n = 17").fetchall()
    assert time.monotonic() - begun < 5 and caught.value.sqlstate == "57014"
    assert connection.execute("SELECT count(*) FROM numbers").fetchone()[0] == 600
    connection.close()


def while_another_thread_runs(connection, query, work):
    """Does work while a statement of another thread has the connection; returns how that statement ended."""
    ended, has_begun = [], threading.Event()

    def run():
        has_begun.set()
        try:
            ended.append(connection.execute(query).rowcount)
        except mainstay.Error as error:
            ended.append(error.code)

    thread = threading.Thread(target=run)
    thread.start()
    has_begun.wait()
    time.sleep(0.3)
    try:
        work()
    finally:
        if thread.is_alive():
            connection.interrupt()
        thread.join()
    return ended[0]


def test_keyboard_interrupt_while_another_thread_runs(slow):
    connection, query = slow
    connection.execute("CREATE TABLE counts (n BIGINT)")

    def work():
        threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
        begun = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            connection.execute("INSERT INTO numbers VALUES (5000)")
        assert time.monotonic() - begun < 2
        # The other statement has not noticed.
        time.sleep(0.3)
        assert len(threading.enumerate()) > threads

    threads = threading.active_count()
    # A query gives the connection back before its rows are read; a change has it until its end.
    assert while_another_thread_runs(connection, f"INSERT INTO counts {query}", work) == "cancelled"
    # The statement that was given up is never run.
    assert connection.execute("SELECT count(*) FROM numbers").fetchone() == (4000,)


@pytest.mark.parametrize("dialect", ["tsql", "ads"])
def test_the_time_limit_counts_from_the_turn_of_a_statement(tmp_path, dialect):
    with mainstay.connect(tmp_path, dialect, autocommit=True) as filling:
        filling.execute("CREATE TABLE numbers (n INT)")
        filling.executemany("INSERT INTO numbers VALUES (?)", [(number,) for number in range(500)])
    filling.close()
    connection = mainstay.connect(tmp_path, dialect, timeout=1.5, autocommit=True)
    tables = ", ".join(f"numbers {name}" for name in "abcdef")
    query = f"SELECT count(*) FROM {tables} WHERE a.n + b.n * c.n + d.n + e.n + f.n = 17"
    ended = []

    def run():
        with pytest.raises(mainstay.OperationalError) as caught:
            connection.execute(query).fetchall()
        ended.append((caught.value.code, time.monotonic()))

    threads = [threading.Thread(target=run) for _ in range(2)]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
        time.sleep(0.2)
    # Both run until their limit, one behind the other; the third has waited for longer than that.
    assert connection.execute("SELECT count(*) FROM numbers").fetchone()[0] == 500
    for thread in threads:
        thread.join()
    assert [code for code, _ in ended] == ["timeout", "timeout"]
    times = [begun, *(end for _, end in ended)]
    assert all(after - before > 1.3 for before, after in zip(times, times[1:]))
    connection.close()


def test_progress(slow):
    connection, query = slow
    seen = []

    def handler(progress):
        seen.append(progress)
        if len(seen) == 5:
            raise ZeroDivisionError

    connection.set_progress_handler(handler, 0.02)
    with pytest.raises(ZeroDivisionError):
        connection.execute(query).fetchall()
    assert len(seen) == 5 and seen[-1][1] == 12_000 and seen[-1][0] > 0
    connection.set_progress_handler(None)
    assert connection.execute("SELECT 1").fetchone() == (1,) and len(seen) == 5


def source(pyarrow, make):
    """A reader whose only row is made by code, when it is read."""

    def batches():
        yield pyarrow.record_batch({"n": [make()]})

    return pyarrow.RecordBatchReader.from_batches(pyarrow.schema([("n", pyarrow.int64())]), batches())


def test_limits_of_a_connection_that_makes_rows_for_another(memory, slow_tsql):
    pyarrow = pytest.importorskip("pyarrow")
    limited, query = slow_tsql(timeout=0.3)
    memory.execute("CREATE TABLE t (n BIGINT)")
    seen = []

    def make():
        with pytest.raises(mainstay.OperationalError) as caught:
            limited.execute(query).fetchall()
        seen.append(caught.value.code)
        return limited.execute("SELECT count(*) FROM numbers").fetchone()[0]

    # Without a limit the statement would run for minutes.
    guard = threading.Timer(20, limited.interrupt)
    guard.start()
    assert memory.append("t", source(pyarrow, make)) == 1
    guard.cancel()
    assert seen == ["timeout"]
    assert memory.execute("SELECT n FROM t").fetchall() == [(500,)]


def test_progress_of_a_connection_that_makes_rows_for_another(memory, connect):
    pyarrow = pytest.importorskip("pyarrow")
    watched, seen = connect(autocommit=True), []
    query = "SELECT count(*) FROM numbers a, numbers b, numbers c WHERE a.n + b.n * c.n = 17"
    watched.execute("CREATE TABLE numbers (n BIGINT)")
    watched.executemany("INSERT INTO numbers VALUES (?)", [(number,) for number in range(4000)])
    memory.execute("CREATE TABLE t (n BIGINT)")

    def handler(progress):
        seen.append(progress)
        if len(seen) == 5:
            raise ZeroDivisionError

    def make():
        with pytest.raises(ZeroDivisionError):
            watched.execute(query).fetchall()
        return len(seen)

    # Without the handler the statement would run for minutes.
    guard = threading.Timer(20, watched.interrupt)
    guard.start()
    watched.set_progress_handler(handler, 0.02)
    memory.append("t", source(pyarrow, make))
    guard.cancel()
    assert memory.execute("SELECT n FROM t").fetchall() == [(5,)]


def test_rows_that_wait_for_the_connection_they_come_back_to(memory, slow_tsql):
    pyarrow = pytest.importorskip("pyarrow")
    limited, _ = slow_tsql(timeout=60)
    limited.execute("CREATE TABLE t (n BIGINT)")
    memory.execute("CREATE TABLE t (n BIGINT)")
    rows = memory.execute("SELECT 7")

    def inner():
        # Its thread is one that the thread of `memory` waits for; rows need the thread only, not the connection.
        with pytest.raises(mainstay.InterfaceError, match="waiting for these rows"):
            memory.execute("SELECT 1")
        return rows.fetchone()[0]

    def outer():
        return limited.append("t", source(pyarrow, inner))

    assert memory.append("t", source(pyarrow, outer)) == 1
    assert limited.execute("SELECT n FROM t").fetchall() == [(7,)]


def test_fork(connect):
    connection = connect()
    connection.execute("SELECT 1")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            connection.execute("SELECT 1")
        except mainstay.InterfaceError:
            os.write(writing, b"refused")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reading, 100) == b"refused"


def test_data_is_kept_at_exit(tmp_path):
    program = f"""
import mainstay
connection = mainstay.connect({str(tmp_path)!r})
connection.execute("CREATE TABLE t (a INTEGER)")
connection.execute("INSERT INTO t VALUES (1)")
connection.commit()
connection.execute("INSERT INTO t VALUES (2)")
"""
    subprocess.run([sys.executable, "-c", program], check=True)
    with mainstay.connect(tmp_path) as connection:
        assert connection.execute("SELECT a FROM t").fetchall() == [(1,)]
    connection.close()


def test_another_process_has_the_native_tables(connect, tmp_path):
    connection = connect(autocommit=True)
    connection.execute("CREATE TABLE t (a INTEGER)")
    program = f"""
import mainstay
try:
    mainstay.connect({str(tmp_path)!r}).execute("SELECT * FROM t")
except mainstay.OperationalError as error:
    print(error.code)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.stdout == "busy\n", ended.stderr
