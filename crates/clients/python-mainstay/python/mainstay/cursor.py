"""Cursors of PEP 249."""

import itertools

from .errors import InterfaceError, ProgrammingError
from .results import Result, check_size
from .types import Output

#: Executions of `executemany` whose values are in memory at once.
PORTION = 10_000


class Cursor:
    """Executes statements, and has the rows of the last one. Made by `Connection.cursor`."""

    #: Rows that `fetchmany` gives without a number.
    arraysize = 1

    def __init__(self, connection):
        #: The connection.
        self.connection = connection
        #: What makes a row of a tuple: a function of the cursor and the tuple, or `None` for tuples.
        self.row_factory = connection.row_factory
        #: The return status of the procedure that was called last (T-SQL).
        self.return_status = None
        self._results = []
        self._current = None
        self._messages = []
        self._rowcount = -1
        self._lastrowid = None
        self._closed = False

    def _open(self):
        if self._closed:
            raise InterfaceError("the cursor is closed")
        return self.connection._open()

    def _kept(self):
        return [self._current, *self._results]

    def _take(self, results):
        self._results = list(results)
        self._messages = []
        self._current, self._rowcount, self._lastrowid = None, -1, None
        if self._results:
            self._step()
        return self

    def _step(self):
        self._current = self._results.pop(0)
        changed = self._current.changed
        self._rowcount = -1 if changed is None else changed
        self._lastrowid = self._current.last_id

    def execute(self, operation, parameters=None):
        """Executes a statement, or several of the dialect's; returns the cursor.

        Parameters are a sequence for `?` or a mapping for `:name`.
        """
        native = self._open()
        self._release()
        return self._take(native.run(operation, parameters, self.connection.autocommit))

    def executemany(self, operation, seq_of_parameters):
        """Executes a statement for each of these parameters; `rowcount` is the number of rows of all.

        With autocommit all executions together are one transaction.
        """
        native = self._open()
        self._release()
        self._lastrowid, self._rowcount = None, 0
        is_own = self.connection.autocommit and not native.in_transaction()
        done, parameters = 0, iter(seq_of_parameters)
        try:
            while portion := list(itertools.islice(parameters, PORTION)):
                changed = native.run_many(operation, portion, self.connection.autocommit and not is_own)
                self._rowcount = -1 if changed is None else self._rowcount + changed
                done += len(portion)
        except BaseException as error:
            if getattr(error, "executed", None) is not None:
                error.executed += done
            if is_own:
                native.rollback()
            raise
        if is_own:
            native.commit()
        return self

    def callproc(self, procname, parameters=()):
        """Calls a procedure; returns the parameters, with the values of those that are an `Output`."""
        native = self._open()
        self._release()
        results = native.call(procname, parameters, self.connection.autocommit)
        is_named = hasattr(parameters, "keys")
        names = list(parameters) if is_named else range(len(parameters))
        answered = dict(parameters) if is_named else list(parameters)
        for name in names:
            if isinstance(answered[name], Output):
                answered[name] = answered[name].value
        self.return_status = None
        for result in results:
            if result.status is not None:
                self.return_status = result.status
            for place, value in result.outputs:
                answered[names[place]] = value
        self._take(result for result in results if result.columns is not None or result.changed is not None)
        self._messages = [text for result in results if result not in self._kept() for text in result.messages()]
        return answered

    @property
    def description(self):
        """Name, type, displayed size, internal size, precision, scale and nullability of each column of the rows."""
        if self._current is None or self._current.columns is None:
            return None
        return [
            (name, type_name, None, size, precision, scale, nullable)
            for name, type_name, size, precision, scale, nullable in self._current.columns
        ]

    @property
    def rowcount(self):
        """Rows that the last statement changed; -1 for queries, whose rows are not counted before they are read."""
        return self._rowcount

    @property
    def lastrowid(self):
        """The number that the last new row was given by its table, after an INSERT; else `None`."""
        return self._lastrowid

    @property
    def messages(self):
        """What the last statement said beside its rows: notices, texts of PRINT."""
        return self._messages + ([] if self._current is None else self._current.messages())

    def _rows(self):
        self._open()
        if self._current is None or self._current.columns is None:
            raise ProgrammingError("the last statement gives no rows")
        return self._current

    def _made(self, rows):
        return rows if self.row_factory is None else [self.row_factory(self, row) for row in rows]

    def fetchone(self):
        """The next row, or `None` behind the last."""
        rows = self._made(self._rows().fetch(1))
        return rows[0] if rows else None

    def fetchmany(self, size=None):
        """The next rows, at most `size`, or `arraysize`."""
        size = self.arraysize if size is None else size
        check_size(size)
        return self._made(self._rows().fetch(size))

    def fetchall(self):
        """All remaining rows."""
        return self._made(self._rows().fetch())

    def __iter__(self):
        return self

    def __next__(self):
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def nextset(self):
        """Goes on to the next result; `None` if there is no other."""
        self._open()
        if not self._results:
            return None
        if self._current is not None:
            self._current.close()
        self._step()
        return True

    def result(self):
        """The rows of the last statement as a `Result`, with `.arrow()`, `.pl()` and `.df()`."""
        return Result(self._rows())

    def __arrow_c_stream__(self, requested_schema=None):
        return self._rows().__arrow_c_stream__(requested_schema)

    def setinputsizes(self, sizes):
        """Does nothing: values say their types."""

    def setoutputsize(self, size, column=None):
        """Does nothing: values have no limit."""

    def _release(self):
        for result in self._kept():
            if result is not None:
                result.close()
        self._results, self._current = [], None

    def close(self):
        """Gives up the rows. A closed cursor cannot be used any more."""
        if not self._closed:
            self._release()
            self._closed = True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
