"""Results of statements: rows as tuples, as Arrow data, as frames."""

import html

from .errors import InterfaceError, ProgrammingError

#: Rows that a notebook shows.
SHOWN_ROWS = 20


def check_size(size):
    """The number of rows of a `fetchmany`."""
    if not isinstance(size, int) or size < 0:
        raise ProgrammingError(f"the number of rows to fetch is a whole number from 0, not {size!r}")


class _FrameStream:
    """Rows in the types of data frames."""

    def __init__(self, native):
        self._native = native

    def __arrow_c_stream__(self, requested_schema=None):
        return self._native.frame_stream()


class Result:
    """The rows of a statement, read as they are asked for, and once.

    A result is a source of Arrow data: whatever takes objects with `__arrow_c_stream__` (pyarrow, polars, pandas, nanoarrow,
    DuckDB) takes it. A statement without rows gives a result with `changed` rows and no columns.
    """

    def __init__(self, native):
        self._native = native
        self._ahead = []

    @property
    def columns(self):
        """Names of the columns."""
        return [column[0] for column in self._native.columns or []]

    @property
    def types(self):
        """Types of the columns in words of SQL."""
        return [column[1] for column in self._native.columns or []]

    @property
    def changed(self):
        """Rows that the statement inserted, changed or deleted; `None` for one that changes none."""
        return self._native.changed

    @property
    def messages(self):
        """What the statement says beside its rows."""
        return self._native.messages()

    def fetchone(self):
        """The next row, or `None`."""
        rows = self.fetchmany(1)
        return rows[0] if rows else None

    def fetchmany(self, size=1000):
        """The next rows, at most so many."""
        check_size(size)
        taken, self._ahead = self._ahead[:size], self._ahead[size:]
        return taken + self._native.fetch(size - len(taken)) if len(taken) < size else taken

    def fetchall(self):
        """All remaining rows."""
        taken, self._ahead = self._ahead, []
        return taken + self._native.fetch()

    def __iter__(self):
        while rows := self.fetchmany():
            yield from rows

    def __arrow_c_stream__(self, requested_schema=None):
        self._whole()
        return self._native.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self):
        return self._native.__arrow_c_schema__()

    def _whole(self):
        if self._native.columns is None:
            raise ProgrammingError("the statement gives no rows")
        if self._ahead:
            raise InterfaceError("rows were shown or fetched before: execute the statement again")

    def reader(self):
        """A `pyarrow.RecordBatchReader` over the remaining rows, which come as they are read."""
        import pyarrow

        self._whole()
        return pyarrow.RecordBatchReader.from_stream(self)

    def arrow(self):
        """The remaining rows as a `pyarrow.Table`; without pyarrow as an object with `__arrow_c_stream__`."""
        self._whole()
        # Ctrl-C ends the reading of rows here, and not within another package.
        self._native.load()
        try:
            import pyarrow
        except ImportError:
            return self
        return pyarrow.table(self)

    def pl(self):
        """The remaining rows as a `polars.DataFrame`. INTERVAL YEAR TO MONTH becomes a number of months."""
        import polars

        self._whole()
        self._native.load()
        return polars.DataFrame(_FrameStream(self._native))

    def df(self, dtype_backend=None):
        """The remaining rows as a `pandas.DataFrame`.

        Columns have numpy's types and those of pandas: numbers with NULL become floats, and exact numbers and dates are objects.
        With `dtype_backend="pyarrow"` they have the types of Arrow, as in functions of pandas.
        """
        if dtype_backend not in (None, "pyarrow"):
            raise InterfaceError(f'dtype_backend is None or "pyarrow", not {dtype_backend!r}')
        table = self.arrow()
        if table is self:
            raise InterfaceError("frames of pandas are made with pyarrow, which is not installed")
        if dtype_backend is None:
            return table.to_pandas()
        import pandas

        return table.to_pandas(types_mapper=pandas.ArrowDtype)

    def close(self):
        """Gives up the remaining rows."""
        self._ahead = []
        self._native.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def show(self, rows=SHOWN_ROWS):
        """Prints the first rows, aligned in columns."""
        print(self._text(rows))

    def _text(self, rows):
        if self._native.columns is None:
            return f"{self.changed or 0} rows changed"
        shown, more = self._first(rows)
        cells = [self.columns, *([("NULL" if cell is None else str(cell)) for cell in row] for row in shown)]
        widths = [max(len(row[place]) for row in cells) for place in range(len(self.columns))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells]
        lines.insert(1, "  ".join("-" * width for width in widths))
        return "\n".join(lines + (["..."] if more else []))

    def _first(self, rows):
        """The first rows, which are kept for whoever reads them, and if there are more."""
        missing = rows + 1 - len(self._ahead)
        if missing > 0:
            self._ahead += self._native.fetch(missing)
        return self._ahead[:rows], len(self._ahead) > rows

    def __repr__(self):
        return self._text(SHOWN_ROWS)

    def _repr_html_(self):
        if self._native.columns is None:
            return f"<p>{self.changed or 0} rows changed</p>"
        shown, more = self._first(SHOWN_ROWS)
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        cell = lambda value: "<td><i>NULL</i></td>" if value is None else f"<td>{html.escape(str(value))}</td>"  # noqa: E731
        body = "".join("<tr>" + "".join(map(cell, row)) + "</tr>" for row in shown)
        rest = "<p>...</p>" if more else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"
