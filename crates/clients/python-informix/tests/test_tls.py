"""TLS: certificate and host name are verified."""

import shutil
import ssl
import subprocess
import threading

import conftest
import pytest

import mainstay_informix as driver


@pytest.fixture(scope="module")
def secured(tmp_path_factory):
    """Arguments of a server with a certificate for localhost, and the certificate."""
    if not shutil.which("openssl"):
        pytest.skip("openssl makes the certificate")
    folder = tmp_path_factory.mktemp("tls")
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=localhost"
    names = ["-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "certificate.pem"]
    subprocess.run(command.split() + names, cwd=folder, check=True, capture_output=True)
    served = folder / "served"
    served.mkdir()
    head = f'[server]\ncertificate = "{folder}/certificate.pem"\nkey = "{folder}/key.pem"\nencryption = "required"\n'
    process, port = conftest.start(served, head + conftest.SETTINGS)
    options = {"host": "localhost", "port": port, "user": conftest.USER, "password": conftest.PASSWORD, "database": "served"}
    yield options, str(folder / "certificate.pem")
    process.terminate()
    process.wait(20)


def test_a_trusted_server_is_used(secured):
    options, certificate = secured
    with driver.connect(**options, ssl=certificate) as connection:
        assert connection._socket.version() in ("TLSv1.2", "TLSv1.3")
        assert len(connection.execute("SELECT tabid FROM systables WHERE tabid < 5").fetchall()) == 4


def test_others_are_refused(secured):
    options, certificate = secured
    with pytest.raises(driver.OperationalError, match="(?i)certificate"):
        driver.connect(**options, ssl=True)
    with pytest.raises(driver.OperationalError, match="(?i)host"):
        driver.connect(**options, ssl=certificate, ssl_hostname="dbhost")
    with pytest.raises(driver.InterfaceError):
        driver.connect(**options, ssl=7)
    with pytest.raises(driver.Error):
        driver.connect(**options)


def test_a_context_of_the_caller(secured):
    options, _ = secured
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with driver.connect(**options, ssl=context) as connection:
        connection.ping()


def test_the_urgent_byte_cancels_beside_tls(secured):
    options, certificate = secured
    with driver.connect(**options, ssl=certificate, autocommit=True) as connection:
        connection.execute("CREATE TABLE n (id INTEGER)")
        connection.cursor().executemany("INSERT INTO n VALUES (?)", [(number,) for number in range(500)])
        threading.Timer(0.3, connection.cancel).start()
        with pytest.raises(driver.OperationalError) as caught:
            connection.execute("SELECT COUNT(*) FROM n a, n b, n c, n d WHERE a.id + b.id + c.id + d.id = -1").fetchall()
        assert caught.value.sqlcode == -213
        connection.ping()


def test_asynchronous_connections(secured):
    import asyncio

    options, certificate = secured

    async def work():
        async with await driver.connect_async(**options, ssl=certificate) as connection:
            assert await (await connection.execute("SELECT tabid FROM systables WHERE tabid = 1")).fetchone() == (1,)
        with pytest.raises(driver.OperationalError):
            await driver.connect_async(**options, ssl=True)

    asyncio.run(work())
