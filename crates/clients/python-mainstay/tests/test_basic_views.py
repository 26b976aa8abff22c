"""Views over keyed files of Business BASIC. `INFORMIX_TEST_SERVER` is the `mainstay` program, which runs the programs."""

import os
import subprocess

import pytest

import mainstay

PROGRAM = """10 KEYED "orders",6,0,64
20 OPEN (1)"orders"
30 WRITE (1,KEY="A1") "A1","Ann",12.5
40 WRITE (1,KEY="B2") "B2","Bob",7
50 CLOSE (1)
60 END
"""
VIEW = """CREATE VIEW heads AS SELECT field_text(record, 1) AS id, field_text(record, 2, 30) AS customer,
field_number(record, 3, 2) AS total, key_0 FROM orders"""


@pytest.fixture
def shop(tmp_path):
    program = os.environ.get("INFORMIX_TEST_SERVER")
    if program is None:
        pytest.skip("INFORMIX_TEST_SERVER does not name the program mainstay")
    (tmp_path / "orders.bas").write_text(PROGRAM)
    folder = tmp_path / "shop"
    folder.mkdir()
    subprocess.run([program, "run", tmp_path / "orders.bas", "--folder", folder], check=True, stdin=subprocess.DEVNULL)
    with mainstay.connect(folder) as connection:
        connection.execute(VIEW)
    connection.close()
    return folder


@pytest.mark.parametrize("dialect", ["core", "tsql", "informix"])
def test_records_are_changed_through_their_view(connect, shop, dialect):
    connection = connect(shop, dialect=dialect)
    assert connection.execute("UPDATE heads SET total = total + 1 WHERE id = 'A1'").rowcount == 1
    # The key follows from the record by the definition of the file.
    assert connection.execute("INSERT INTO heads (id, customer, key_0) VALUES ('C3', 'Cy', ?)", [b"C3"]).rowcount == 1
    connection.commit()
    rows = connection.execute("SELECT id, customer, total FROM heads ORDER BY id").fetchall()
    assert [(row[0], row[1]) for row in rows] == [("A1", "Ann"), ("B2", "Bob"), ("C3", "Cy")]
    assert [row[2] and float(row[2]) for row in rows] == [13.5, 7.0, None]
    with pytest.raises(mainstay.DatabaseError):
        connection.execute("INSERT INTO heads (id, customer, key_0) VALUES ('C3', 'Di', ?)", [b"C3"])
    connection.rollback()
