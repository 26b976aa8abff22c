"""Do other programs read what mainstay wrote?

    cargo run -p mainstay-xbase --example write_tables -- FOLDER
    python read_written.py FOLDER

Reads each NAME.dbf of FOLDER with dbfread, with Python's dbf, with GDAL, and with LibreOffice Calc where `soffice` is on
the PATH, and compares what they see with NAME.expected.json. dbf also appends a record, which dbfread must find. Exits
with 1 after a report of every difference.

What the programs cannot do is known here: GDAL reads no memos and no types of Visual FoxPro, and shows texts with
their line ends only up to the field's width; dbf opens no memos of dBASE IV, and dbfread takes the length of one for
that of its text, though the eight bytes before it are counted too; dbfread knows no NULL. Calc asks its user for the code
page, reads no memos of Visual FoxPro, shows `_NullFlags`, and has moments as fractions of a day: some are a second early.
"""
import csv
import datetime
import os
import shutil
import subprocess
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

import dbf
import pyogrio

import read_back
import rows
from compare import equal

GDAL_TYPES = set("CNDL")

# LibreOffice's numbers of code pages, by the byte of the header that says which it is: 852, 1250; others are 437.
CODE_PAGES = {0x64: 25, 0xC8: 33}
# Text with every field in quotes, UTF-8, all digits of numbers.
AS_CSV = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,false,false"


def differences(program, wanted_rows, got_rows, columns=None):
    """What differs, as lines for a person."""
    if len(wanted_rows) != len(got_rows):
        return [f"{program}: {len(got_rows)} rows instead of {len(wanted_rows)}"]
    found = []
    for number, (wanted, got) in enumerate(zip(wanted_rows, got_rows), 1):
        for name, value in wanted.items():
            if (columns is None or name in columns) and not equal(value, got.get(name), loosely=True):
                found.append(f"{program}, row {number}, {name}: {got.get(name)!r} instead of {value!r}")
    return found


def json_rows(path, table_rows):
    """Rows as they are after the way through JSON, which all sides of the comparison take."""
    scratch = path.with_suffix(".seen.json")
    rows.write(scratch, table_rows)
    return rows.read(scratch)


def by_dbfread(path):
    return json_rows(path, read_back.read_table(path))


def by_dbf(path):
    def plain(value):
        if value is None or value is dbf.Null:
            return None
        if isinstance(value, (dbf.Date, dbf.DateTime, datetime.date)):
            return str(value)[:19] if value else None
        if isinstance(value, float):
            return Decimal(repr(value))
        return value

    table = dbf.Table(str(path)).open(dbf.READ_ONLY)
    names = [name.upper() for name in table.field_names]
    found = [{name: plain(record[name.lower()]) for name in names} for record in table if not dbf.is_deleted(record)]
    table.close()
    return json_rows(path, found)


def by_gdal(path):
    frame = pyogrio.raw.read(str(path))
    names, columns = list(frame[0]["fields"]), frame[3]

    def plain(value):
        if value is None or value != value:
            return None
        if hasattr(value, "item"):
            value = value.item()
        if isinstance(value, datetime.date):
            return value.isoformat()[:10]
        return Decimal(repr(value)) if isinstance(value, float) else value

    return json_rows(path, [dict(zip(names, map(plain, row))) for row in zip(*columns)])


def letters(path):
    """The type letters of the columns, from the header."""
    content = path.read_bytes()
    found, at = {}, 32
    while content[at] != 0x0D:
        found[content[at:at + 11].split(b"\0")[0].decode("ascii")] = chr(content[at + 11])
        at += 32
    return found


def calc_value(text, letter):
    """A cell as Calc writes it to a file in the C locale."""
    if letter in "CM":
        return text.rstrip(" ")
    if not text:
        return None
    if letter in "DT":
        month, day, year = text[:10].split("/")
        return f"{year}-{month}-{day}{text[10:]}"
    return text == "TRUE" if letter == "L" else Decimal(text)


def by_libreoffice(path):
    with tempfile.TemporaryDirectory() as scratch:
        code_page = CODE_PAGES.get(path.read_bytes()[29], 3)
        command = ["soffice", f"-env:UserInstallation=file://{scratch}/settings", "--headless"]
        command += [f"--infilter=dBase:{code_page}", "--convert-to", AS_CSV, "--outdir", scratch, str(path)]
        environment = {**os.environ, "LC_ALL": "C"}
        said = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
        made = Path(scratch) / f"{path.stem}.csv"
        if not made.exists():
            raise RuntimeError(said.stdout + said.stderr + " (its drivers for databases are a package of their own)")
        with made.open(encoding="utf-8", newline="") as file:
            head, *records = csv.reader(file)
    names, types = [name.split(",")[0] for name in head], letters(path)
    shown = [name for name in names if name != "_NullFlags"]
    cells = [dict(zip(names, record)) for record in records]
    return json_rows(path, [{name: calc_value(record[name], types[name]) for name in shown} for record in cells])


def nearly(wanted_rows, got_rows):
    """The rows, with the wanted moment where the one that is there is up to a second earlier."""
    for wanted, got in zip(wanted_rows, got_rows):
        if "T" in got and got["T"] and wanted["T"]:
            early = datetime.datetime.fromisoformat(wanted["T"]) - datetime.datetime.fromisoformat(got["T"])
            if datetime.timedelta(0) <= early <= datetime.timedelta(seconds=1):
                got["T"] = wanted["T"]
    return got_rows


def append_with_dbf(path):
    """Lets Python's dbf append to the table, and dbfread say what is there then."""
    table = dbf.Table(str(path)).open(dbf.READ_WRITE)
    table.append({"name": "by dbf", "count": 7, **({"note": "its note"} if "note" in table.field_names else {})})
    table.close()
    last = read_back.read_table(path)[-1]
    right = last["NAME"].rstrip() == "by dbf" and last["COUNT"] == 7 and last.get("NOTE", "its note") == "its note"
    return [] if right else [f"dbf appended, and dbfread finds {last!r}"]


def main():
    folder = Path(sys.argv[1])
    found = []
    tables = sorted(folder.glob("w_*.dbf"))
    for path in tables:
        wanted = rows.read(path.with_suffix(".expected.json"))
        types = letters(path)
        dbase4 = path.stem == "w_dbase4"
        programs = [("dbfread", by_dbfread, set(types) - {"NOTE"} if dbase4 else None)]
        if not dbase4:
            programs.append(("dbf", by_dbf, None))
        if path.stem != "w_vfp":
            programs.append(("GDAL", by_gdal, {name for name, letter in types.items() if letter in GDAL_TYPES}))
        if shutil.which("soffice"):
            columns = set(types) - {"NOTE"} if path.stem == "w_vfp" else None
            programs.append(("LibreOffice", lambda path: nearly(wanted, by_libreoffice(path)), columns))
        for program, read, columns in programs:
            try:
                found += [f"{path.name}: {line}" for line in differences(program, wanted, read(path), columns)]
            except Exception as error:  # these libraries raise whatever they meet
                found.append(f"{path.name}: not read by {program}: {error!r}")
        if not dbase4:
            found += [f"{path.name}: {line}" for line in append_with_dbf(path)]
    others = "others, LibreOffice among them," if shutil.which("soffice") else "others (LibreOffice is not here)"
    print("\n".join(found[:40]) or f"{len(tables)} tables are read by {others} as they were written")
    sys.exit(1 if found or not tables else 0)


if __name__ == "__main__":
    main()
