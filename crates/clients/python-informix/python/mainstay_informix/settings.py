"""Settings of a connection, from arguments and from the environment variables that Informix clients know."""

import os
import socket
import ssl as ssl_module
import sys

from ._native import Session
from .errors import InterfaceError, NotSupportedError

DEFAULT_PORT = 9088
DEFAULT_TLS_PORT = 9089
#: The locale of Informix clients without CLIENT_LOCALE.
DEFAULT_LOCALE = "en_US.8859-1"
#: Codesets that texts can be read and written in.
CODESETS = {"8859-1", "819", "iso8859-1", "utf8", "utf-8", "57372"}


class Settings:
    """All that a connection needs to know."""

    def __init__(
        self,
        host="localhost",
        port=None,
        user="",
        password="",
        database="",
        server="",
        *,
        autocommit=False,
        exclusive=False,
        connect_timeout=10.0,
        timeout=None,
        cancel_timeout=5.0,
        ssl=None,
        ssl_hostname=None,
        client_locale=None,
        db_locale=None,
        environment=None,
        application=None,
        fetch_bytes=65536,
        statement_cache=64,
        strip_char=False,
        lock_wait=None,
        isolation=None,
        keepalive=True,
    ):
        self.host = host
        self.tls = self._tls(ssl)
        self.tls_hostname = ssl_hostname or host
        self.port = port or (DEFAULT_TLS_PORT if self.tls else DEFAULT_PORT)
        self.user, self.password, self.database = user, password, database
        self.server = server or os.environ.get("INFORMIXSERVER", "informix")
        self.autocommit, self.exclusive = bool(autocommit), bool(exclusive)
        self.connect_timeout = self._seconds("connect_timeout", connect_timeout)
        self.timeout = self._seconds("timeout", timeout)
        self.cancel_timeout = self._seconds("cancel_timeout", 5.0 if cancel_timeout is None else cancel_timeout)
        self.keepalive = keepalive
        self.fetch_bytes = min(max(int(fetch_bytes), 512), 1 << 24)
        self.statement_cache = max(int(statement_cache), 0)
        self.strip_char = bool(strip_char)
        self.application = application or os.path.basename(sys.argv[0] or "python")
        self.environment = self._environment(client_locale, db_locale, environment)
        self.encoding = self._encoding()
        self.first_statements = self._first_statements(lock_wait, isolation)

    @staticmethod
    def _seconds(name, value):
        if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0):
            return value
        raise InterfaceError(f"{name} is a number of seconds or None, not {value!r}")

    def _encoding(self):
        codeset = dict(self.environment).get("CLIENT_LOCALE", "").partition(".")[2].partition("@")[0].lower()
        return "utf-8" if codeset in ("utf8", "utf-8", "57372") else "iso8859-1"

    @staticmethod
    def _tls(ssl):
        """None, or a context that verifies the server's certificate unless the caller made another one."""
        if not ssl:
            return None
        if ssl is True:
            return ssl_module.create_default_context()
        if isinstance(ssl, (str, os.PathLike)):
            return ssl_module.create_default_context(cafile=os.fspath(ssl))
        if isinstance(ssl, ssl_module.SSLContext):
            return ssl
        raise InterfaceError("ssl is True, a file of trusted certificates, or an ssl.SSLContext")

    @staticmethod
    def _environment(client_locale, db_locale, more):
        known = {
            "DBPATH": ".",
            "CLIENT_LOCALE": client_locale or os.environ.get("CLIENT_LOCALE") or DEFAULT_LOCALE,
            "CLNT_PAM_CAPABLE": "1",
            "DBDATE": "Y4MD-",
            "IFX_UPDDESC": "1",
            "NODEFDAC": "no",
        }
        locale = db_locale or os.environ.get("DB_LOCALE")
        if locale:
            known["DB_LOCALE"] = locale
        known.update({str(name): str(value) for name, value in (more or {}).items()})
        codeset = known["CLIENT_LOCALE"].partition(".")[2].partition("@")[0].lower()
        if codeset and codeset not in CODESETS:
            raise NotSupportedError(f"the codeset {codeset!r} of CLIENT_LOCALE: use 8859-1 or utf8")
        return list(known.items())

    @staticmethod
    def _first_statements(lock_wait, isolation):
        statements = []
        if lock_wait is not None:
            wait = {True: "WAIT", False: "NOT WAIT"}.get(lock_wait) if isinstance(lock_wait, bool) else f"WAIT {int(lock_wait)}"
            statements.append(f"SET LOCK MODE TO {wait}")
        if isolation:
            words = isolation.replace("_", " ").upper()
            if not words.replace(" ", "").isalpha():
                raise InterfaceError(f"{isolation!r} is not an isolation level")
            statements.append(f"SET ISOLATION TO {words}")
        return statements

    def session(self):
        """A session that is not connected."""
        return Session(
            {
                "user": self.user,
                "password": self.password,
                "server": self.server,
                "database": self.database,
                "is_exclusive": self.exclusive,
                "autocommit": self.autocommit,
                "environment": self.environment,
                "host": socket.gethostname(),
                "process": os.getpid(),
                "directory": _directory(),
                "application": self.application,
                "fetch_bytes": self.fetch_bytes,
                "statements": self.statement_cache,
                "strip_char": self.strip_char,
            }
        )


def _directory():
    try:
        return os.getcwd()
    except OSError:
        return ""


def tune(sock, keepalive):
    """Requests are small and wait for their answer."""
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if keepalive:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)


#: The byte that interrupts the running request, sent as urgent data.
INTERRUPT = b"\x42"
