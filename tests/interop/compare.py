"""Does mainstay read foreign files as their writers meant them, and as an independent reader does?

    python compare.py MAINSTAY FOLDER [--dbfread]

For each NAME.expected.json in FOLDER runs `MAINSTAY FOLDER -c "SELECT * FROM NAME" --format ndjson` and compares what
it prints with that file; with --dbfread also with NAME.dbfread.json where read_back.py could write one. Rows are
compared in order; since SQL promises none, the same rows in another order are right too.

Exits with 0 if everything agrees, 1 with a report of every difference, 2 if mainstay or the folder cannot be used.
"""
import argparse
import base64
import json
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import rows

SHOWN = 10  # differences shown per table
TIMESTAMP = re.compile(r"^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?Z?$")


def equal(wanted, got, loosely=False):
    """Whether a printed value is the wanted one. `loosely`: what dbfread takes for blank may be NULL."""
    if isinstance(wanted, list):
        return any(equal(choice, got, loosely) for choice in wanted)
    if loosely and got is None:
        return wanted is None or not wanted or wanted == "hex:"
    if loosely and wanted is None:
        return got in (None, "", False, 0)
    if wanted is None or got is None:
        return wanted is got
    if isinstance(wanted, bool) or isinstance(got, bool):
        return wanted is got
    if isinstance(wanted, (int, Decimal)):
        return equal_number(wanted, got)
    if isinstance(wanted, str) and wanted.startswith("hex:"):
        return equal_bytes(bytes.fromhex(wanted[4:]), got)
    return isinstance(got, str) and same_text(wanted) == same_text(got)


def equal_number(wanted, got):
    """Decimals digit by digit; a double in any form that reads back as the same double."""
    try:
        number = Decimal(got) if isinstance(got, (int, str)) else got
    except ArithmeticError:
        return False
    return number == wanted or float(number) == float(wanted) and not str(wanted).lstrip("-").isdigit()


def equal_bytes(wanted, got):
    if not isinstance(got, str):
        return False
    forms = {wanted.hex(), "0x" + wanted.hex(), "\\x" + wanted.hex(), "hex:" + wanted.hex()}
    return got.lower() in forms or got == base64.b64encode(wanted).decode() or got.rstrip(" ").encode("latin-1", "replace") == wanted.rstrip(b" ")


def same_text(text):
    """Text without trailing blanks; timestamps in one spelling."""
    match = TIMESTAMP.match(text)
    if not match:
        return text.rstrip(" ")
    fraction = (match[3] or "").rstrip("0")
    return f"{match[1]} {match[2]}" + (f".{fraction}" if fraction else "")


def differences(wanted_rows, got_rows, loosely=False):
    """What differs, as lines for a person; empty if nothing does."""
    got_rows = [{name.upper(): value for name, value in row.items()} for row in got_rows]
    found = []
    if len(wanted_rows) != len(got_rows):
        found.append(f"{len(got_rows)} rows instead of {len(wanted_rows)}")
    for number, (wanted, got) in enumerate(zip(wanted_rows, got_rows), 1):
        found += [f"row {number}: {line}" for line in row_differences(wanted, got, loosely)]
    if found and len(wanted_rows) == len(got_rows) and same_in_any_order(wanted_rows, got_rows, loosely):
        return []
    return found


def row_differences(wanted, got, loosely):
    found = [f"no column {name}" for name in wanted if name not in got]
    found += [f"unexpected column {name}" for name in got if name not in wanted]
    for name in wanted:
        if name in got and not equal(wanted[name], got[name], loosely):
            found.append(f"{name}: wanted {shown(wanted[name])}, got {shown(got[name])}")
    return found


def same_in_any_order(wanted_rows, got_rows, loosely):
    left = list(got_rows)
    for wanted in wanted_rows:
        for position, got in enumerate(left):
            if not row_differences(wanted, got, loosely):
                del left[position]
                break
        else:
            return False
    return True


def shown(value):
    text = rows.as_json(value)
    return text if len(text) <= 70 else f"{text[:50]}... ({len(text)} characters)"


def run_mainstay(mainstay, folder, table):
    """The rows mainstay prints for a table, or a complaint."""
    command = [mainstay, str(folder), "-c", f'SELECT * FROM "{table}"' if not table.isidentifier() else f"SELECT * FROM {table}",
               "--format", "ndjson"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=120)
        if done.returncode != 0:
            return None, f"exit code {done.returncode}: {done.stderr.decode('utf-8', 'replace').strip()}"
        return rows.read_lines(done.stdout.decode("utf-8")), None
    except subprocess.TimeoutExpired:
        return None, "no answer within 120 seconds"
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        return None, f"printed something else than ndjson: {error}"


def check_table(mainstay, folder, expected, with_dbfread):
    """All complaints about one table."""
    table = expected.name.removesuffix(".expected.json")
    got, complaint = run_mainstay(mainstay, folder, table)
    if complaint:
        return [complaint]
    found = differences(rows.read(expected), got)
    peer = folder / f"{table}.dbfread.json"
    if with_dbfread and peer.exists():
        found += [f"against dbfread: {line}" for line in differences(rows.read(peer), got, loosely=True)]
    return found


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mainstay")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--dbfread", action="store_true", help="compare with NAME.dbfread.json too")
    options = parser.parse_args(arguments)
    tables = sorted(options.folder.glob("*.expected.json"))
    if not tables:
        print(f"{options.folder}: no *.expected.json here", file=sys.stderr)
        return 2
    wrong = 0
    for expected in tables:
        try:
            found = check_table(options.mainstay, options.folder, expected, options.dbfread)
        except OSError as error:
            print(f"{options.mainstay}: {error}", file=sys.stderr)
            return 2
        wrong += bool(found)
        print(f"{expected.name.removesuffix('.expected.json')}: {'DIFFERS' if found else 'same'}")
        for line in found[:SHOWN]:
            print(f"    {line}")
        if len(found) > SHOWN:
            print(f"    and {len(found) - SHOWN} more")
    print(f"{len(tables) - wrong} passed, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
