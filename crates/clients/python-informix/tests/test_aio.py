"""Connections, cursors and pools of asyncio."""

import asyncio
import threading

import pytest

import mainstay_informix as driver


def run(coroutine):
    return asyncio.run(coroutine)


SLOW = "SELECT COUNT(*) FROM {0} a, {0} b, {0} c, {0} d WHERE a.id + b.id + c.id + d.id = -1"


@pytest.fixture
def numbers(connection, table):
    name = table("id INTEGER, v VARCHAR(200)")
    connection.cursor().executemany(f"INSERT INTO {name} VALUES (?, ?)", [(n, "x" * 150) for n in range(2000)])
    connection.commit()
    return name


def test_rows_and_transactions(server, numbers):
    async def work():
        async with await driver.connect_async(**server) as connection:
            cursor = await connection.execute(f"SELECT id FROM {numbers} WHERE id < ? ORDER BY id", (1500,))
            assert await cursor.fetchone() == (0,)
            assert await cursor.fetchmany(2) == [(1,), (2,)]
            assert [row async for row in cursor] == [(n,) for n in range(3, 1500)]
            changed = await connection.execute(f"DELETE FROM {numbers} WHERE id > ?", (10,))
            assert changed.rowcount == 1989 and connection.in_transaction
            await connection.rollback()
            await changed.executemany(f"INSERT INTO {numbers} VALUES (:id, :v)", [{"id": -n, "v": None} for n in range(100)])
            assert changed.rowcount == 100
            await connection.savepoint("a")
            await connection.rollback_to("a")
            await connection.rollback()
            scrolling = connection.cursor(scrollable=True)
            await scrolling.execute(f"SELECT id FROM {numbers} ORDER BY id")
            await scrolling.scroll(100, mode="absolute")
            assert await scrolling.fetchone() == (100,)
            with pytest.raises(driver.ProgrammingError):
                await connection.execute("SELECT * FROM nosuch")
            await connection.ping()
        assert connection.closed

    run(work())


def test_tasks_run_side_by_side_without_threads(server, numbers):
    async def one(number):
        async with await driver.connect_async(**server) as connection:
            total = 0
            for _ in range(5):
                cursor = await connection.execute(f"SELECT id FROM {numbers} WHERE id < ?", (number * 10,))
                total += len(await cursor.fetchall())
            return total

    async def work():
        before = threading.active_count()
        totals = await asyncio.gather(*(one(number) for number in range(40)))
        assert totals == [number * 50 for number in range(40)]
        # Looking up the host may start a thread of the loop's executor; none is started for a connection.
        assert threading.active_count() <= before + 1

    run(work())


def test_tasks_share_a_connection(server, numbers):
    async def work():
        async with await driver.connect_async(**server) as connection:
            async def one(number):
                cursor = await connection.execute(f"SELECT id FROM {numbers} WHERE id < ?", (number,))
                return len(await cursor.fetchall())

            assert await asyncio.gather(*(one(number) for number in range(50))) == list(range(50))

    run(work())


def test_a_cancelled_task_leaves_the_connection_usable(server, numbers):
    async def work():
        async with await driver.connect_async(**server) as connection:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.3):
                    await connection.execute(SLOW.format(numbers))
            cursor = await connection.execute(f"SELECT COUNT(*) FROM {numbers}")
            assert await cursor.fetchone() == (2000,)
            cursor.timeout = 0.3
            with pytest.raises(driver.OperationalError, match="longer than"):
                await cursor.execute(SLOW.format(numbers))
            task = asyncio.create_task(connection.execute(SLOW.format(numbers)))
            await asyncio.sleep(0.3)
            connection.cancel()
            with pytest.raises(driver.OperationalError) as caught:
                await task
            assert caught.value.sqlcode == -213
            await connection.ping()

    run(work())


def test_a_pool(server, numbers):
    async def work():
        async with driver.AsyncPool(**server, min_size=1, max_size=3, check_after=0) as pool:
            async def one(number):
                async with pool.connection() as connection:
                    cursor = await connection.execute(f"SELECT id FROM {numbers} WHERE id = ?", (number,))
                    return await cursor.fetchall()

            assert await asyncio.gather(*(one(number) for number in range(30))) == [[(n,)] for n in range(30)]
            metrics = pool.metrics
            assert metrics.acquired == 30 and metrics.opened == 3 and metrics.idle == 3 and metrics.used == 0 and metrics.waited > 0
            lent = [await pool.acquire() for _ in range(3)]
            with pytest.raises(driver.OperationalError):
                await pool.acquire(timeout=0.05)
            lent[0]._protocol.transport.abort()
            for connection in lent:
                await pool.release(connection)
            assert pool.metrics.idle >= 2
            async with pool.connection() as connection:
                assert await (await connection.execute(f"SELECT COUNT(*) FROM {numbers}")).fetchone() == (2000,)
        assert pool.closed

    run(work())


def test_a_server_that_is_not_there():
    async def work():
        with pytest.raises(driver.OperationalError):
            await driver.connect_async("127.0.0.1", 1)

    run(work())


def test_connections_have_the_exceptions_of_the_package(server):
    async def run():
        async with await driver.connect_async(**server) as connection:
            with pytest.raises(connection.ProgrammingError):
                await connection.execute("SELECT * FROM no_such_table")
            cursor = await connection.cursor(scrollable=True).execute("SELECT tabid FROM systables WHERE tabid < 4 ORDER BY 1")
            assert await cursor.count_rows() == 3 and len(await cursor.fetchall()) == 3

    asyncio.run(run())
