"""Reads the DBF files of a folder with `dbfread`, an independent reader, in the form of rows.py.

    python read_back.py FOLDER [OUTPUT_FOLDER]

Writes NAME.dbfread.json for each NAME.dbf (into the folder itself unless another is given). dbfread knows no NULLs of
Visual FoxPro and no .cpg files; the code page is taken from the .cpg file or the language byte here. A file that
dbfread cannot read is reported and left out.
"""
import datetime
import struct
import sys
from decimal import Decimal, InvalidOperation
from pathlib import Path

import dbfread
from dbfread.field_parser import FieldParser, InvalidValue

import rows

LANGUAGES = {0x00: "cp437", 0x01: "cp437", 0x02: "cp850", 0x03: "cp1252", 0x1F: "cp852", 0x26: "cp866", 0x57: "cp1252", 0x64: "cp852",
             0x65: "cp866", 0x66: "cp865", 0x68: "cp895", 0x69: "mazovia", 0x6A: "cp737", 0x6B: "cp857", 0xC8: "cp1250",
             0xC9: "cp1251", 0xCA: "cp1254", 0xCB: "cp1253"}


class ExactParser(FieldParser):
    """dbfread's parser, but numbers keep their digits, and what cannot be read is no value instead of an error."""

    def parse(self, field, data):
        try:
            return super().parse(field, data)
        except (ValueError, struct.error):
            return None

    def parseN(self, field, data):
        text = data.replace(b"\0", b"").strip()
        try:
            return Decimal(text.decode("ascii")) if text else None
        except (InvalidOperation, UnicodeDecodeError):
            return None

    parseF = parseN

    def parseY(self, field, data):
        return Decimal(struct.unpack("<q", data)[0]) / 10000

    def parseC(self, field, data):
        return bytes(data) if is_binary(field) else self.decode_text(data.rstrip(b"\0 "))

    def parseM(self, field, data):
        if not is_binary(field):
            return super().parseM(field, data)
        memo = self.get_memo(self._parse_memo_index(data))
        return None if memo is None else bytes(memo)


def is_binary(field):
    """Visual FoxPro's flag 0x04 in byte 18 of the field descriptor; dbfread calls the word there `reserved1`."""
    return bool(field.reserved1 & 0x04) and field.type in "CM"


def encoding_of(path):
    """The code page: named by a .cpg file, else by the language byte; cp437 if neither says."""
    for suffix in (".cpg", ".CPG"):
        named = path.with_suffix(suffix)
        if named.exists():
            return named.read_text("ascii").strip()
    with open(path, "rb") as file:
        return LANGUAGES.get(file.read(30)[29], "cp437")


def read_table(path):
    """All rows that are not deleted."""
    table = dbfread.DBF(str(path), encoding=encoding_of(path), parserclass=ExactParser, char_decode_errors="strict")
    hidden = {field.name for field in table.fields if field.type == "0"}
    return [{name.upper(): plain(value) for name, value in record.items() if name not in hidden} for record in table]


def plain(value):
    if isinstance(value, InvalidValue):
        return None
    if isinstance(value, (str, bytes, bool, int, float, Decimal, datetime.date)) or value is None:
        return value
    return bytes(value)


def main():
    folder = Path(sys.argv[1])
    output = Path(sys.argv[2]) if len(sys.argv) > 2 else folder
    output.mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.glob("*.[dD][bB][fF]")):
        try:
            rows.write(output / f"{path.stem}.dbfread.json", read_table(path))
        except Exception as error:  # dbfread raises whatever it meets
            print(f"{path.name}: not read by dbfread: {error!r}", file=sys.stderr)


if __name__ == "__main__":
    main()
