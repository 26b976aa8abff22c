"""Rows as JSON, the form in which all programs of this folder exchange what a table holds.

A file is a list of rows, a row is {column: value}, in the order of the records, deleted ones left out. Values:

    text       a string without trailing blanks
    number     a JSON number with every digit that is known (decimals are never passed through a float)
    date       "YYYY-MM-DD"
    timestamp  "YYYY-MM-DD HH:MM:SS" or with ".fff" behind
    logical    true, false
    bytes      "hex:" and the bytes
    no value   null

Where two answers are right (an empty memo may be empty text or no value), the value is a list of both.
"""
import datetime
import json
from decimal import Decimal
from pathlib import Path


def as_json(value):
    """One value as JSON text."""
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        return json.dumps(value.isoformat(sep=" ", timespec="milliseconds" if value.microsecond else "seconds"))
    if isinstance(value, datetime.date):
        return json.dumps(value.isoformat())
    if isinstance(value, (bytes, bytearray)):
        return json.dumps("hex:" + bytes(value).hex())
    if isinstance(value, str):
        return json.dumps(value.rstrip(" "), ensure_ascii=False)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(as_json(item) for item in value) + "]"
    return json.dumps(value)


def write(path, rows):
    """Writes rows to a file, one row a line."""
    lines = ["{" + ", ".join(json.dumps(name) + ": " + as_json(value) for name, value in row.items()) + "}" for row in rows]
    Path(path).write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def read(path):
    """Reads what `write` wrote; numbers with a decimal point come back as Decimal."""
    return json.loads(Path(path).read_text(encoding="utf-8"), parse_float=Decimal)


def read_lines(text):
    """Reads one row a line (ndjson), as a command prints it."""
    return [json.loads(line, parse_float=Decimal) for line in text.splitlines() if line.strip()]
