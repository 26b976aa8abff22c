"""Answers that are cut or changed end in an error of this package, at once, and never in a crash."""

import random
import socket
import threading

import pytest

import mainstay_informix as driver
from mainstay_informix.settings import Settings


def conversation(server):
    """What a server answers to a session that reads rows of many types."""
    plain = socket.create_connection((server["host"], server["port"]), 10)
    session = Settings(**server).session()
    answers = []

    def run():
        while not session.done:
            output = session.output()
            if output is not None:
                plain.sendall(output)
            data = plain.recv(1 << 16)
            answers.append(data)
            session.receive(data)

    run()
    for start in steps(session):
        start()
        run()
        assert session.fault() is None
    plain.close()
    return answers


def steps(session):
    query = "SELECT tabname, tabid, created, nrows FROM systables WHERE tabid < ?"
    yield lambda: session.execute(1, query, (90,), False, None)
    yield lambda: session.fetch(1)
    yield lambda: session.execute(2, "SELECT tabid FROM systables", None, False, {"is_scrolling": True, "is_held": False, "lob_files": False, "name": None})
    yield lambda: session.scroll(2, 3, 4)
    yield lambda: session.rollback()


def replay(server, answers):
    """Feeds a session; true if it broke off or ended the operation with a fault."""
    session = Settings(**server).session()
    todo = iter(steps(session))
    for data in answers:
        session.output()
        session.receive(data)
        if session.done:
            fault = session.fault()
            assert fault is None or fault[0] in ("server", "login", "connection", "usage")
            rows = session.rows(1)
            if rows is not None:
                session.load(1, rows)
                try:
                    list(rows)
                except driver.DataError:
                    pass
            if session.closed:
                return
            step = next(todo, None)
            if step is None:
                return
            step()
    session.disconnect("the end")
    assert session.done and session.closed


def test_changed_answers_do_no_harm(server):
    answers = conversation(server)
    replay(server, answers)
    random.seed(7)
    for _ in range(4000):
        changed = [bytearray(data) for data in answers]
        for _ in range(random.choice([1, 1, 2, 8])):
            data = changed[random.randrange(len(changed))]
            at = random.randrange(len(data))
            match random.randrange(3):
                case 0:
                    data[at] = random.choice([0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)])
                case 1:
                    del data[at : at + random.randrange(1, 9)]
                    data += b"\0" if not data else b""
                case 2:
                    data[at:at] = random.randbytes(random.randrange(1, 9))
        replay(server, [bytes(data) for data in changed])


def test_answers_in_single_bytes_are_understood(server):
    answers = conversation(server)
    replay(server, [bytes([byte]) for data in answers for byte in data])


@pytest.mark.parametrize("seed", range(12))
def test_connections_that_are_cut(server, seed):
    random.seed(seed)
    left = random.randrange(20, 3000)
    listener = socket.create_server(("127.0.0.1", 0))

    def forward():
        client, _ = listener.accept()
        with client, socket.create_connection((server["host"], server["port"])) as target:
            def up():
                try:
                    while data := client.recv(4096):
                        target.sendall(data)
                except OSError:
                    pass
            threading.Thread(target=up, daemon=True).start()
            budget = left
            while budget > 0 and (data := target.recv(min(4096, budget))):
                budget -= len(data)
                client.sendall(data)
            # A thread reads from the client: closing alone would not end the connection.
            client.shutdown(socket.SHUT_RDWR)

    threading.Thread(target=forward, daemon=True).start()
    with pytest.raises(driver.OperationalError):
        connection = driver.connect(**{**server, "port": listener.getsockname()[1]})
        while True:
            connection.execute("SELECT tabname FROM systables").fetchall()
    listener.close()
