"""BLOB and CLOB values: as values, as files, as parameters."""

import asyncio
import gc
import io
import os

import pytest

import mainstay_informix as driver

DATA = os.urandom(2_500_000)
TEXT = "ünïcode " * 200_000


@pytest.fixture
def lobs(connection, table):
    """A table with a BLOB and a CLOB, written from files."""
    name = table("id INTEGER, b BLOB, t CLOB")
    values = (connection.create_blob(io.BytesIO(DATA)), connection.create_clob(io.StringIO(TEXT)))
    connection.execute(f"INSERT INTO {name} VALUES (1, ?, ?)", values)
    connection.execute(f"INSERT INTO {name} VALUES (2, NULL, NULL)")
    connection.execute(f"INSERT INTO {name} VALUES (3, ?, ?)", (io.BytesIO(b"from a file"), "plain"))
    connection.commit()
    return name


def test_values_are_read_whole_by_default(connection, lobs):
    rows = connection.execute(f"SELECT * FROM {lobs} ORDER BY id").fetchall()
    assert rows == [(1, DATA, TEXT), (2, None, None), (3, b"from a file", "plain")]


def test_values_are_files_that_read_in_parts(connection, lobs):
    cursor = connection.cursor(lob_files=True).execute(f"SELECT b, t FROM {lobs} ORDER BY id")
    blob, clob = cursor.fetchone()
    assert cursor.fetchone() == (None, None)
    assert (blob.is_text, clob.is_text) == (False, True)
    with blob:
        assert blob.size() == len(DATA) and blob.readable() and blob.seekable() and not blob.writable()
        assert blob.read(10) == DATA[:10] and blob.tell() == 10
        assert blob.seek(1_000_000) == 1_000_000 and blob.read(5) == DATA[1_000_000:1_000_005]
        assert blob.seek(-3, os.SEEK_END) == len(DATA) - 3 and blob.read() == DATA[-3:] and blob.read(1) == b""
        assert blob.seek(0) == 0 and blob.readall() == DATA
    with pytest.raises((driver.InterfaceError, ValueError)):
        blob.read(1)
    with clob.open_text() as text:
        assert text.read(9) == TEXT[:9] and text.read() == TEXT[9:]


def test_new_values_are_written_in_parts(connection, table):
    name = table("b BLOB")
    blob = connection.create_blob()
    assert blob.writable() and blob.write(b"hello ") == 6 and blob.write(memoryview(b"world")) == 5
    assert blob.seek(0) == 0 and blob.read() == b"hello world" and blob.truncate(5) == 5
    blob.close()
    connection.execute(f"INSERT INTO {name} VALUES (?)", (blob,))
    assert connection.execute(f"SELECT b FROM {name}").fetchone() == (b"hello",)


def test_executemany_takes_locators(connection, table):
    name = table("id INTEGER, b BLOB")
    rows = [(number, connection.create_blob(bytes([number]) * number)) for number in range(60)]
    assert connection.executemany(f"INSERT INTO {name} VALUES (?, ?)", rows).rowcount == 60
    found = connection.execute(f"SELECT id, b FROM {name} ORDER BY id").fetchall()
    assert found == [(number, bytes([number]) * number) for number in range(60)]


def test_values_that_are_dropped_are_closed(connection, lobs):
    # A connection has only so many open values.
    cursor = connection.cursor(lob_files=True)
    for _ in range(1100):
        (blob,) = cursor.execute(f"SELECT b FROM {lobs} WHERE id = 3").fetchone()
        assert blob.read(4) == b"from"
        del blob
    gc.collect()


def test_frames_have_values_and_no_files(connection, lobs):
    pyarrow = pytest.importorskip("pyarrow")
    found = pyarrow.table(connection.execute(f"SELECT b, t FROM {lobs} ORDER BY id"))
    assert found["b"].to_pylist() == [DATA, None, b"from a file"] and found["t"].to_pylist() == [TEXT, None, "plain"]
    with pytest.raises(driver.NotSupportedError):
        connection.cursor(lob_files=True).execute(f"SELECT b FROM {lobs}").fetch_arrow()


def test_scroll_cursors_have_them_too(connection, lobs):
    cursor = connection.cursor(scrollable=True).execute(f"SELECT t FROM {lobs} ORDER BY id")
    cursor.scroll(2, mode="absolute")
    assert cursor.fetchone() == ("plain",)
    cursor.scroll(0, mode="absolute")
    assert cursor.fetchone() == (TEXT,)


def test_wrong_content_is_refused(connection, lobs):
    class Strange:
        def read(self):
            return 7

    with pytest.raises(driver.ProgrammingError, match="bytes or a text"):
        connection.execute(f"INSERT INTO {lobs} (b) VALUES (?)", (Strange(),))
    with pytest.raises(TypeError):
        connection.create_blob().write("text")
    assert connection.execute(f"SELECT COUNT(*) FROM {lobs}").fetchone() == (3,)


def test_tasks_read_and_write_them(server, lobs):
    async def run():
        async with await driver.connect_async(**server, client_locale="en_US.utf8") as connection:
            blob = await connection.create_blob(io.BytesIO(DATA))
            await connection.execute(f"INSERT INTO {lobs} (id, b, t) VALUES (9, ?, ?)", (blob, await connection.create_clob("é")))
            cursor = await connection.cursor(lob_files=True).execute(f"SELECT b, t FROM {lobs} WHERE id = 9")
            blob, clob = await cursor.fetchone()
            async with blob:
                assert await blob.size() == len(DATA) and await blob.read() == DATA
                assert await blob.seek(7) == 7 and await blob.read(3) == DATA[7:10]
            assert await clob.read_text() == "é"
            await connection.rollback()

    asyncio.run(run())
