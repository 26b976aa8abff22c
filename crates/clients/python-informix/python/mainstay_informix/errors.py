"""Exceptions of PEP 249, with the numbers of Informix.

The server sends SQLCODE, ISAM code, offset and one name; the texts are the client's own, as in IBM's clients.
"""

import os

from .messages import ISAM_TEXTS, TEXTS


class Warning(Exception):  # noqa: A001 - the name that PEP 249 asks for
    """An important warning."""


class Error(Exception):
    """The base of all errors of this package."""

    #: SQLCODE of the server, negative; 0 if the error is the driver's own.
    sqlcode = 0
    #: Number of the ISAM error behind it, or 0.
    isam = 0
    #: Place in the statement, counted from 1; 0 if unknown.
    offset = 0
    #: The name that the error is about, or an empty text.
    near = ""
    #: For `executemany`: rows that were executed before the error.
    executed = None

    @property
    def isamcode(self):
        """The same as `isam`."""
        return self.isam


class InterfaceError(Error):
    """Misuse of the driver, such as a closed cursor."""


class DatabaseError(Error):
    """The base of errors of the database."""


class DataError(DatabaseError):
    """A value that cannot be processed: out of range, not convertible, too long."""


class OperationalError(DatabaseError):
    """Errors of the database's operation: connections, locks, timeouts, cancellation."""


class IntegrityError(DatabaseError):
    """A constraint is violated."""


class InternalError(DatabaseError):
    """The database met an internal error."""


class ProgrammingError(DatabaseError):
    """Errors of the statement: syntax, missing tables, wrong number of parameters."""


class NotSupportedError(DatabaseError):
    """The database does not support what is asked for."""


#: SQLCODEs of which the class is not ProgrammingError.
CLASSES = {
    IntegrityError: [-239, -268, -271, -391, -530, -691, -692, -703],
    DataError: [
        -415, -461, -1202, -1203, -1204, -1205, -1206, -1207, -1208, -1209, -1210, -1212, -1213, -1214, -1215, -1216,
        -1218, -1226, -1260, -1261, -1262, -1263, -1264, -1265, -1266, -1267, -1268, -1271, -1279, -881, -882, -9630,
        -846, -23103, -9634,
    ],
    OperationalError: [
        -107, -113, -154, -143, -144, -211, -213, -233, -243, -244, -245, -246, -255, -256, -263, -289, -299, -329,
        -387, -388, -406, -407, -408, -425, -457, -458, -535, -605, -901, -908, -930, -931, -951, -952, -956, -1803,
        -23197, -25553, -25580, -25582, -25588, -27001, -27002, -79716, -79730, -79735,
    ],
    NotSupportedError: [-617, -640, -9810, -26005],
    InternalError: [-100, -105, -116, -242, -248, -250, -668, -410],
}
_CLASS_OF = {code: kind for kind, codes in CLASSES.items() for code in codes}


def text_of(sqlcode, isam, near):
    """The message of an SQLCODE, with the name that it is about."""
    text = TEXTS.get(sqlcode)
    if text is None:
        text = near or "The server reports an error without a known text."
    elif "%s" in text:
        text = text.replace("%s", near)
    elif near:
        text = f"{text.rstrip('.')} ({near})."
    if not isam:
        return f"{sqlcode}: {text}"
    # Positive numbers are those of the server's operating system.
    reason = ISAM_TEXTS.get(isam) or (os.strerror(isam).lower() if isam > 0 else "see the ISAM errors of the server")
    return f"{sqlcode}: {text.rstrip('.')}; ISAM {isam}: {reason}"


def of_fault(fault):
    """The exception of a fault of the session: kind, SQLCODE, ISAM code, offset, subject or message."""
    kind, sqlcode, isam, offset, near = fault
    if kind == "connection":
        return OperationalError(near)
    if kind == "usage":
        return ProgrammingError(near)
    class_ = OperationalError if kind == "login" else _CLASS_OF.get(sqlcode, ProgrammingError)
    error = class_(text_of(sqlcode, isam, near))
    error.sqlcode, error.isam, error.offset, error.near = sqlcode, isam, offset, near
    return error
