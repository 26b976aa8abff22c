"""Connections over folders of their own."""

import signal

import pytest

import mainstay


@pytest.fixture(autouse=True)
def interrupts_of_the_keyboard():
    """Ctrl-C raises KeyboardInterrupt: a shell starts background jobs with the signal ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def connect(tmp_path):
    """Opens connections to a new folder, or to another one; they are closed at the end of the test."""
    opened = []

    def open_one(folder=tmp_path, **options):
        opened.append(mainstay.connect(folder, **options))
        return opened[-1]

    yield open_one
    for connection in opened:
        connection.close()


@pytest.fixture
def memory():
    """A database in memory in which each statement is a transaction."""
    connection = mainstay.connect(autocommit=True)
    yield connection
    connection.close()


@pytest.fixture
def slow(memory):
    """A connection, and a query that runs for minutes."""
    memory.execute("CREATE TABLE numbers (n BIGINT)")
    memory.executemany("INSERT INTO numbers VALUES (?)", [(number,) for number in range(4000)])
    return memory, "SELECT count(*) FROM numbers a, numbers b, numbers c WHERE a.n + b.n * c.n = 17"


@pytest.fixture
def slow_tsql(connect, tmp_path):
    """Opens a T-SQL connection with options, and gives a query that runs for minutes."""

    def open_one(**options):
        with mainstay.connect(tmp_path, "tsql", autocommit=True) as filling:
            filling.execute("CREATE TABLE numbers (n INT)")
            filling.executemany("INSERT INTO numbers VALUES (?)", [(number,) for number in range(500)])
        filling.close()
        tables = ", ".join(f"numbers {name}" for name in "abcdef")
        query = f"SELECT count(*) FROM {tables} WHERE a.n + b.n * c.n + d.n + e.n + f.n = 17"
        return connect(dialect="tsql", autocommit=True, **options), query

    return open_one
