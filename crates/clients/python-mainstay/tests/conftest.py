"""Connections over folders of their own."""

import pytest

import mainstay


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
