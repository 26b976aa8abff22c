"""A server process for all tests, and connections to it.

`INFORMIX_TEST_SERVER` is the `mainstay` program; with `INFORMIX_TEST_URL=host:port:user:password:database` the tests run against
another server.
"""

import os
import pathlib
import subprocess
import threading

import pytest

import mainstay_informix

REPOSITORY = pathlib.Path(__file__).resolve().parents[4]
USER, PASSWORD = "tester", "Tester-1"
SETTINGS = """[[server.users]]
name = "tester"
password_hash = "$argon2id$v=19$m=8,t=1,p=1$GOgmxqwXml0wOUG2NwOyUw$tsYoR1aXiL/4CcOlBsXvx7FRnGmRCzQxo9hCPx4Rzvk"
"""


def start(folder, settings=SETTINGS, options=("--durability", "none")):
    """`mainstay serve` over a folder, and the port of its Informix door."""
    program = os.environ.get("INFORMIX_TEST_SERVER", REPOSITORY / "target/debug/mainstay")
    (folder / "mainstay.toml").write_text(settings)
    command = [program, "serve", folder, "--tds", "127.0.0.1:0", "--sqli", "127.0.0.1:0", *options]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    seen = []
    for line in process.stderr:
        seen.append(line)
        if " event=ready " in line and " sqli=" in line:
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return process, int(line.split(" sqli=127.0.0.1:")[1].split()[0])
    raise RuntimeError(f"{program} did not start: {''.join(seen)}")


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """Arguments of `connect`."""
    url = os.environ.get("INFORMIX_TEST_URL")
    if url:
        host, port, user, password, database = url.split(":")
        yield {"host": host, "port": int(port), "user": user, "password": password, "database": database}
        return
    folder = tmp_path_factory.mktemp("data") / "served"
    folder.mkdir()
    process, port = start(folder)
    yield {"host": "127.0.0.1", "port": port, "user": USER, "password": PASSWORD, "database": "served"}
    process.terminate()
    process.wait(20)


@pytest.fixture
def connect(server):
    """Opens connections, which are closed at the end of the test."""
    opened = []

    def open_one(**options):
        connection = mainstay_informix.connect(**{**server, **options})
        opened.append(connection)
        return connection

    yield open_one
    for connection in opened:
        connection.close()


@pytest.fixture
def connection(connect):
    """A connection with UTF-8 and without autocommit."""
    return connect(client_locale="en_US.utf8")


@pytest.fixture
def table(connection):
    """Makes tables with names of their own."""
    made = []

    def create(columns, name=None):
        name = name or f"t{os.getpid()}_{len(made)}_{id(made) % 100000}"
        cursor = connection.cursor()
        cursor.execute(f"DROP TABLE IF EXISTS {name}")
        cursor.execute(f"CREATE TABLE {name} ({columns})")
        connection.commit()
        made.append(name)
        return name

    yield create
    if not connection.closed:
        connection.rollback()
        for name in made:
            connection.execute(f"DROP TABLE IF EXISTS {name}")
        connection.commit()
