"""Exceptions of PEP 249, with the numbers of the dialects."""


class Warning(Exception):  # noqa: A001 - the name that PEP 249 asks for
    """An important warning."""


class Error(Exception):
    """The base of all errors of this package."""

    #: Number of the error in the dialect: of SQL Server, of ACE, or SQLCODE; 0 in the core's SQL and for the package's own errors.
    number = 0
    #: ISAM code of Informix SQL, or the state of T-SQL.
    detail = 0
    #: Five characters of ISO SQL, where the dialect has them.
    sqlstate = None
    #: The engine's name of the error, such as ``"unique_violation"``; core only.
    code = None
    #: Line in the statement, from 1; 0 if unknown.
    line = 0
    #: Character in the statement, from 1; 0 if unknown.
    position = 0
    #: What to try.
    hint = None
    #: The procedure, function or trigger that the error comes from.
    procedure = None
    #: For `executemany`: executions that were done before the error.
    executed = None

    @property
    def sqlcode(self):
        """The same as `number`, as programs for Informix call it."""
        return self.number

    @property
    def isamcode(self):
        """The same as `detail`, as programs for Informix call it."""
        return self.detail


class InterfaceError(Error):
    """Misuse of the package, such as a closed connection."""


class DatabaseError(Error):
    """The base of errors of the database."""


class DataError(DatabaseError):
    """A value that cannot be processed: out of range, not convertible, a division by zero."""


class OperationalError(DatabaseError):
    """Errors of the database's operation: files, locks, timeouts, cancellation, memory."""


class IntegrityError(DatabaseError):
    """A constraint is violated."""


class InternalError(DatabaseError):
    """The database broke one of its own rules."""


class ProgrammingError(DatabaseError):
    """Errors of the statement: syntax, missing tables, wrong number of parameters."""


class NotSupportedError(DatabaseError):
    """The database does not support what is asked for."""


def of_fault(class_name, message, attributes):
    """The exception of an error of the native module."""
    error = globals()[class_name](message)
    error.__dict__.update(attributes)
    return error
