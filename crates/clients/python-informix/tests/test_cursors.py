"""Scroll, hold and named cursors, cancellation and timeouts."""

import gc
import os
import signal
import threading
import time

import pytest

import mainstay_informix as driver


@pytest.fixture
def numbers(connection, table):
    name = table("id INTEGER, v VARCHAR(50)")
    connection.cursor().executemany(f"INSERT INTO {name} VALUES (?, ?)", [(n, f"v{n}") for n in range(500)])
    connection.commit()
    return name


def test_scrolling(connection, numbers):
    cursor = connection.cursor(scrollable=True)
    cursor.execute(f"SELECT id FROM {numbers} ORDER BY id")
    assert cursor.fetchone() == (0,)
    cursor.scroll(5, mode="absolute")
    assert cursor.fetchone() == (5,) and cursor.rownumber == 6
    cursor.scroll(-3)
    assert cursor.fetchmany(2) == [(3,), (4,)]
    cursor.scroll(499, mode="absolute")
    assert cursor.fetchall() == [(499,)] and cursor.fetchone() is None
    for value, mode in [(-501, "relative"), (-1, "absolute"), (10_000, "absolute")]:
        with pytest.raises(IndexError):
            cursor.scroll(value, mode=mode)
    cursor.scroll(0, mode="absolute")
    assert cursor.count_rows() == 500
    assert len(cursor.fetchall()) == 500
    with pytest.raises(driver.NotSupportedError):
        connection.execute(f"SELECT id FROM {numbers}").scroll(1)


def test_hold_cursors_stay_open(connection, numbers):
    held = connection.cursor(hold=True).execute(f"SELECT id FROM {numbers} ORDER BY id")
    assert held.fetchone() == (0,)
    connection.commit()
    assert len(held.fetchall()) == 499


def test_the_end_of_a_transaction_closes_other_cursors(connection, table):
    name = table("v CHAR(1000)")
    connection.cursor().executemany(f"INSERT INTO {name} VALUES (?)", [("x",)] * 500)
    cursor = connection.execute(f"SELECT v FROM {name}")
    first = cursor.fetchone()
    connection.commit()
    # Rows that had come stay readable; no error, and no endless wait.
    assert first is not None and len(cursor.fetchall()) < 500


def test_the_current_row_of_a_named_cursor_is_changed(connection, numbers):
    cursor = connection.cursor(name="mine")
    cursor.execute(f"SELECT id FROM {numbers} WHERE id < 10 FOR UPDATE")
    for (number,) in cursor:
        if number % 2:
            connection.execute(f"UPDATE {numbers} SET v = 'odd' WHERE CURRENT OF mine")
    rows = connection.execute(f"SELECT id FROM {numbers} WHERE v = 'odd' ORDER BY id").fetchall()
    assert rows == [(1,), (3,), (5,), (7,), (9,)]
    with pytest.raises(driver.ProgrammingError):
        connection.cursor(name="a b")


def test_forgotten_cursors_are_closed(connection, numbers):
    # A server allows only so many statements at a time.
    for number in range(3000):
        connection.execute(f"SELECT id FROM {numbers} WHERE id = {number % 100}")
    gc.collect()
    assert connection.execute("SELECT tabid FROM systables WHERE tabid = 1").fetchone() == (1,)


SLOW = "SELECT COUNT(*) FROM {0} a, {0} b, {0} c, {0} d WHERE a.id + b.id + c.id + d.id = -1"


def test_a_timeout_ends_the_statement_and_not_the_connection(connection, numbers):
    cursor = connection.cursor()
    cursor.timeout = 0.3
    started = time.monotonic()
    with pytest.raises(driver.OperationalError, match="longer than 0.3 s") as caught:
        cursor.execute(SLOW.format(numbers)).fetchall()
    assert caught.value.sqlcode == -213 and time.monotonic() - started < 5
    assert connection.execute(f"SELECT COUNT(*) FROM {numbers}").fetchone() == (500,)


def test_another_thread_cancels(connection, numbers):
    timer = threading.Timer(0.3, connection.cancel)
    timer.start()
    with pytest.raises(driver.OperationalError) as caught:
        connection.execute(SLOW.format(numbers)).fetchall()
    assert caught.value.sqlcode == -213
    timer.join()
    connection.cancel()
    assert connection.execute(f"SELECT COUNT(*) FROM {numbers}").fetchone() == (500,)


def test_an_interrupt_of_the_keyboard_cancels(connection, numbers):
    # A shell starts background jobs with the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            connection.execute(SLOW.format(numbers)).fetchall()
    finally:
        signal.signal(signal.SIGINT, before)
    assert connection.execute(f"SELECT COUNT(*) FROM {numbers}").fetchone() == (500,)


def test_threads_share_a_connection(connection, numbers):
    found, failures = [], []

    def work(start):
        try:
            for _ in range(50):
                found.append(len(connection.execute(f"SELECT id FROM {numbers} WHERE id < ?", (start,)).fetchall()) == start)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(10 * number,)) for number in range(1, 5)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not failures and len(found) == 200 and all(found)
