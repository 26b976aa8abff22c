"""Writes DBF files with other people's libraries, and what they must be read as.

    python write_foreign.py FOLDER

For each table NAME.dbf (with memo, .cpg, .shp files as the library makes them) a NAME.expected.json. Python `dbf`
writes dBASE III, Clipper, FoxPro and Visual FoxPro tables; GDAL writes the table of a shapefile. The values below are
the ones handed to the libraries, not read back from them.
"""
import datetime
import sys
import warnings
from decimal import Decimal
from pathlib import Path

import dbf
import numpy
import pyogrio.raw

import rows

NOTHING = ["", None]  # what an empty memo or an unset string may be read as
DAY = datetime.date
TIME = datetime.datetime


def write_dbf(folder, name, kind, codepage, spec, records, deleted=()):
    """One table by Python `dbf`. A record is a list of (written, expected) pairs or plain values that are both."""
    table = dbf.Table(str(folder / f"{name}.dbf"), spec, dbf_type=kind, codepage=codepage)
    table.open(mode=dbf.READ_WRITE)
    columns = [part.strip().split(" ")[0].upper() for part in spec.split(";")]
    expected = []
    for number, record in enumerate(records):
        pairs = [value if isinstance(value, tuple) else (value, value) for value in record]
        table.append()
        with table[-1] as row:
            for column, (written, _) in zip(columns, pairs):
                row[column] = written
        if number in deleted:
            dbf.delete(table[-1])
        else:
            expected.append(dict(zip(columns, (wanted for _, wanted in pairs))))
    table.close()
    rows.write(folder / f"{name}.expected.json", expected)


def write_dbase3(folder):
    spec = "NAME C(20); BORN D; COUNT N(6,0); PRICE N(12,3); RATE F(10,4); OK L; NOTE M"
    unset = [("", ""), (None, None), (None, None), (None, None), (None, None), (None, None), ("", NOTHING)]
    records = [
        ["Müller", DAY(1964, 2, 29), 7, Decimal("1234.500"), Decimal("0.2500"), True, "first\r\nsecond line"],
        ["Ångström  x", DAY(1899, 12, 31), -99999, Decimal("-0.001"), Decimal("-17.0625"), False, "½ £ ñ " * 120],
        unset,
        ["x" * 20, DAY(2099, 1, 1), 999999, Decimal("99999999.999"), Decimal("0.0000"), True, ("", NOTHING)],
    ]
    write_dbf(folder, "db3_types", "db3", "cp437", spec, records)
    write_dbf(folder, "db3_deleted", "db3", "cp437", spec, records * 5, deleted={0, 3, 7, 19})
    write_dbf(folder, "db3_all_deleted", "db3", "cp437", spec, records, deleted={0, 1, 2, 3})
    write_dbf(folder, "db3_no_rows", "db3", "cp437", spec, [])
    write_dbf(folder, "db3_cp866", "db3", "cp866", "NAME C(12); TEXT M", [["Иванов", "ёж и щука"], ["Ёлкин", "№ 7"]])
    many = [[number, f"row {number}", Decimal(number) / 100] for number in range(5000)]
    write_dbf(folder, "db3_many", "db3", "ascii", "ID N(8,0); NAME C(12); AMT N(10,2)", many, deleted=set(range(0, 5000, 7)))


def write_clipper(folder):
    spec = "NAME C(20); LONG C(1000); PRICE N(19,4); BORN D; OK L; NOTE M"
    records = [
        ["Łódź", "0123456789" * 100, Decimal("123456789012.3456"), DAY(2024, 2, 29), True, "Žižkov"],
        ["Győr", "short", Decimal("-0.0001"), DAY(1, 1, 1), False, ("", NOTHING)],
    ]
    write_dbf(folder, "clp_types", "clp", "cp852", spec, records)


def write_foxpro(folder):
    spec = "NAME C(20); BORN D; COUNT N(6,0); PRICE N(12,3); RATE F(10,4); OK L; NOTE M"
    records = [
        ["Åkesson", DAY(1964, 2, 29), 7, Decimal("1234.500"), Decimal("0.2500"), True, "Crème brûlée\nà la carte"],
        [("", ""), (None, None), (None, None), (None, None), (None, None), (None, None), ("", NOTHING)],
        ["Œuvre", DAY(1999, 12, 31), 0, Decimal("0.000"), Decimal("-1.5000"), False, "memo " * 3000],
    ]
    write_dbf(folder, "fp_types", "fp", "cp1252", spec, records)
    write_dbf(folder, "fp_cp1251", "fp", "cp1251", "NAME C(12); NOTE M", [["Иванов", "ёж"], ["щука", "щ" * 1000]])


def write_visual_foxpro(folder):
    spec = "NAME C(20); BORN D; MADE T; COUNT I; PRICE Y; RATE B; AMT N(10,2); OK L; NOTE M"
    records = [
        ["Müller", DAY(1964, 2, 29), TIME(2024, 2, 29, 13, 5, 59), 2147483646, Decimal("922337203685.4775"), 0.1, Decimal("12.50"), True, "naïve"],
        ["Crème", DAY(2000, 1, 1), TIME(1999, 12, 31, 23, 59, 59), -2147483646, Decimal("-0.0001"), -1e300, Decimal("-12.50"), False, "x" * 9000],
        ["zero", DAY(1900, 3, 1), TIME(1970, 1, 1, 0, 0, 0), 0, Decimal("0.0000"), 0.0, Decimal("0.00"), False, ("", NOTHING)],
    ]
    write_dbf(folder, "vfp_types", "vfp", "cp1252", spec, records)
    names = [f"F{number:02}" for number in range(20)]
    kinds = ["C(6)", "N(8,2)", "I", "D", "L", "T", "B", "Y", "M", "C(3)"]
    values = ["text", Decimal("1.25"), 42, DAY(2020, 2, 2), True, TIME(2020, 2, 2, 2, 2, 2), 2.5, Decimal("3.1400"), "memo", "abc"]
    spec = "; ".join(f"{name} {kinds[position % 10]} null" for position, name in enumerate(names))
    records = [[(dbf.Null, None) if (position * 7 + row) % 3 == 0 else values[position % 10] for position in range(20)] for row in range(9)]
    records.append([(dbf.Null, None)] * 20)
    write_dbf(folder, "vfp_nulls", "vfp", "cp1252", spec, records)
    write_dbf(folder, "vfp_binary", "vfp", "cp1250", "ID I; RAW C(4) binary; NOTE M binary; NAME C(8)",
              [[1, bytes([0, 255, 26, 13]), bytes(range(256)), "Łódź"], [2, b"abcd", b"plain", "żółw"]])


GDAL_NAMES = {"utf8": ("UTF-8", ["Müller", "Łódź", "Иванов"]), "cp1252": ("CP1252", ["Müller", "Crème", "5 €"]),
              "cp1250": ("CP1250", ["Łódź", "Příbram", "Győr"]), "cp866": ("CP866", ["Иванов", "ёж", "№ 7"]),
              "latin1": ("ISO-8859-1", ["Müller", "Ærø", "¿Qué?"])}


def write_gdal(folder):
    """Tables of shapefiles: the code page is said by the .cpg file only, an unset number is written as asterisks."""
    integers, longs = [1, -2147483648, 0, None], [10 ** 15, -(10 ** 15), 0, None]
    reals, days = [1.5, -0.0625, 0.0, None], ["2024-02-29", "1899-12-31", "2099-01-01", None]
    for name, (encoding, names) in GDAL_NAMES.items():
        texts = names + [None]
        data = [numpy.array(texts, dtype=object), numpy.array([0 if value is None else value for value in integers], "int32"),
                numpy.array([0 if value is None else value for value in longs], "int64"),
                numpy.array([numpy.nan if value is None else value for value in reals]),
                numpy.array(["NaT" if value is None else value for value in days], "datetime64[D]")]
        unset = numpy.array([False, False, False, True])
        write_shapefile(folder / f"gdal_{name}.shp", data, ["NAME", "COUNT", "LONG", "RATE", "DAY"], encoding,
                        [None, unset, unset, None, None])
        wanted = zip(names + [NOTHING], integers, longs, [None if value is None else Decimal(value) for value in reals], days)
        rows.write(folder / f"gdal_{name}.expected.json", [dict(zip(["NAME", "COUNT", "LONG", "RATE", "DAY"], row)) for row in wanted])


def write_shapefile(path, data, fields, encoding, masks):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pyogrio.raw.write(str(path), geometry=None, field_data=data, fields=fields, field_mask=masks, driver="ESRI Shapefile",
                          geometry_type=None, encoding=encoding)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        sys.exit(f"{folder} is not empty")
    for write in (write_dbase3, write_clipper, write_foxpro, write_visual_foxpro, write_gdal):
        write(folder)
    print(len(list(folder.glob("*.expected.json"))), "tables written")


if __name__ == "__main__":
    main()
