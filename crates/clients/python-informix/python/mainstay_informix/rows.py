"""Forms of rows. A row factory gets a cursor, and returns a callable that makes a row of a tuple, or None for tuples."""

import collections
import keyword
import re


def tuple_row(cursor):
    """Rows as tuples, the default."""
    return None


def _field_names(description):
    names = []
    for place, column in enumerate(description):
        name = re.sub(r"\W", "_", column[0]).strip("_")
        if not name or name[0].isdigit() or keyword.iskeyword(name) or name in names:
            name = f"column_{place + 1}"
        names.append(name)
    return names


def named_row(cursor):
    """Rows as named tuples; columns without a usable name of their own are `column_1` and so on."""
    return collections.namedtuple("Row", _field_names(cursor.description))._make


def dict_row(cursor):
    """Rows as dictionaries from names of columns."""
    names = [column[0] for column in cursor.description]
    return lambda row: dict(zip(names, row))
