"""Objects whose rows are put into tables."""

from .errors import InterfaceError


def arrow_source(rows):
    """An object with `__arrow_c_stream__`: the object itself, a lazy frame that is computed, or plain data as an Arrow table.

    Plain data is a dictionary of columns, or a list of dictionaries, and needs pyarrow.
    """
    if hasattr(rows, "__arrow_c_stream__"):
        return rows
    if isinstance(rows, dict):
        return _table(rows)
    if isinstance(rows, (list, tuple)) and rows and all(isinstance(row, dict) for row in rows):
        names = dict.fromkeys(name for row in rows for name in row)
        return _table({name: [row.get(name) for row in rows] for name in names})
    if isinstance(rows, (list, tuple)):
        raise InterfaceError("rows without names of columns: pass a list of dictionaries, or use executemany")
    if callable(getattr(rows, "collect", None)):
        return rows.collect()
    return rows


def _table(columns):
    try:
        import pyarrow
    except ImportError:
        raise InterfaceError("dictionaries and lists are taken with pyarrow, which is not installed") from None
    try:
        return pyarrow.table(columns)
    except (pyarrow.ArrowException, TypeError, ValueError) as error:
        raise InterfaceError(f"the values of a column have no common type: {error}") from error
