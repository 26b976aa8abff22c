"""Pools for threads."""

import threading
import time

import pytest

import mainstay_informix as driver


def test_threads_share_a_pool(server):
    with driver.Pool(**server, max_size=3) as pool:
        def work():
            for _ in range(5):
                with pool.connection() as connection:
                    assert connection.execute("SELECT tabid FROM systables WHERE tabid = 1").fetchone() == (1,)

        threads = [threading.Thread(target=work) for _ in range(8)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        metrics = pool.metrics
        assert metrics.acquired == 40 and metrics.opened <= 3 and metrics.used == 0
    assert pool.closed
    with pytest.raises(driver.InterfaceError):
        pool.acquire()


def test_what_is_not_committed_is_rolled_back(server, table):
    name = table("id INTEGER")
    with driver.Pool(**server, max_size=1) as pool:
        connection = pool.acquire()
        connection.execute(f"INSERT INTO {name} VALUES (1)")
        pool.release(connection)
        with pytest.raises(driver.InterfaceError):
            pool.release(connection)
        with pytest.raises(ZeroDivisionError):
            with pool.connection() as connection:
                connection.execute(f"INSERT INTO {name} VALUES (2)")
                raise ZeroDivisionError
        with pool.connection() as connection:
            assert connection.execute(f"SELECT COUNT(*) FROM {name}").fetchone() == (0,)


def test_a_connection_that_has_only_read_comes_back_without_waiting(server, table):
    name = table("id INTEGER")
    with driver.Pool(**server, max_size=1) as pool:
        for number in range(5):
            connection = pool.acquire()
            assert connection.execute(f"SELECT COUNT(*) FROM {name}").fetchone() == (number,)
            assert connection.in_transaction
            pool.release(connection)
            assert not connection.in_transaction
            # The next operation of the connection finds the answer to ROLLBACK before its own.
            with driver.connect(**server) as other:
                other.execute(f"INSERT INTO {name} VALUES (?)", (number,))
        with pool.connection() as connection:
            connection.execute(f"INSERT INTO {name} VALUES (9)")
        connection = pool.acquire()
        assert connection.execute(f"SELECT COUNT(*) FROM {name}").fetchone() == (6,)
        pool.release(connection)


def test_a_connection_that_breaks_while_it_comes_back_is_closed(server):
    with driver.Pool(**server, max_size=1) as pool:
        connection = pool.acquire()
        connection.execute("SELECT tabid FROM systables WHERE tabid = 1").fetchone()
        connection._socket.shutdown(2)
        pool.release(connection)
        assert connection.closed and pool.metrics.closed == 1
        with pool.connection() as second:
            assert second.execute("SELECT tabid FROM systables WHERE tabid = 1").fetchone() == (1,)


def test_broken_and_old_connections_are_replaced(server):
    with driver.Pool(**server, max_size=1, check_after=0.0, max_age=0.5) as pool:
        with pool.connection() as first:
            pass
        first._socket.shutdown(2)
        with pool.connection() as second:
            assert second is not first
        assert pool.metrics.failed_checks == 1
        time.sleep(0.6)
        with pool.connection() as third:
            assert third is not second
        assert pool.metrics.opened == 3 and pool.metrics.closed == 2


def test_a_full_pool_makes_wait(server):
    with driver.Pool(**server, max_size=1) as pool:
        connection = pool.acquire()
        with pytest.raises(driver.OperationalError):
            pool.acquire(timeout=0.05)
        threading.Timer(0.1, pool.release, (connection,)).start()
        assert pool.acquire(timeout=5) is connection
        pool.release(connection)
        assert pool.metrics.timeouts == 1 and pool.metrics.wait_seconds > 0.1
