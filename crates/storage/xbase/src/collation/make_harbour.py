#!/usr/bin/env python3
"""Makes harbour.rs: the collations and letters of Harbour's code pages, as tables.

    make_harbour.py HARBOUR_SOURCES > harbour.rs

HARBOUR_SOURCES is a checkout of the Harbour compiler (github.com/harbour/core). Read are its code pages
(src/codepage/cp*.c, l_*.h) and the tables of their characters (src/codepage/uc*.c, src/rtl/cdpapi.c). A code page is
either given by tables (HB_CP_RAW), or by two lists of letters, the capitals and the small ones in their order:

    ~x    x is an accented form of the letter before it
    .xy.  x and y together are one letter; "=HHHH" behind them is its Unicode character, which sorting does not need
    ' '   no such letter

The weight of a byte follows from the lists as the comment in cp_tpl.c and hb_buildCodePage() of cdpapi.c have it: all
capitals in their order, then all small letters (UPLO), or each small letter behind its capital (MIXED); what is no
letter keeps its place before the first capital, between capitals and small letters, or behind the small letters.
Accented letters have a weight of their own (NONE), that of their letter (EQUAL), or that of their letter and a second
weight that decides between texts that are equal otherwise (INTERLEAVED).
"""

import pathlib
import re
import sys

# Numbers under which src/codepage.rs knows the character tables; 0 where it does not have one.
NUMBERS = {
    "8859_1": 1252, "8859_1B": 1252, "8859_2": 28592, "8859_5": 28595, "8859_7": 28597, "8859_9": 1254,
    "8859_15": 28605, "KOI_8": 20866, "KOI_8U": 21866, "KAM": 895, "MAZ": 620, "MIK": 0, "646YU": 0, "646YUC": 0,
    "1125": 0,
}


def without_dead_code(text):
    """The text without /* */ comments and #if 0 sections."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"#if 0\b.*?#endif", "", text, flags=re.S)


def defines(text):
    return dict(re.findall(r"^#define[ \t]+(\w+)[ \t]*(.*?)[ \t]*$", text, flags=re.M))


def characters(folder):
    """The Unicode characters of the bytes, for each table by the name of its variable."""
    tables = {}
    for path in [*folder.glob("src/codepage/uc*.c"), folder / "src/rtl/cdpapi.c"]:
        text = path.read_text(encoding="utf-8", errors="replace")
        for codes, name in re.findall(r"s_uniCodes\[.*?\]\s*=\s*\{(.*?)\};.*?HB_UNITABLE\s+(\w+)\s*=", text, flags=re.S):
            tables[name] = [int(code, 16) for code in re.findall(r"0x[0-9A-Fa-f]+", codes)]
    names = defines((folder / "include/hbapicdp.h").read_text())
    return {key[len("HB_UNITB_"):]: tables[value.lstrip("&")]
            for key, value in names.items() if key.startswith("HB_UNITB_") and value.lstrip("&") in tables}


def string(literal):
    """The text of a C string."""
    return "".join(re.findall(r'"([^"]*)"', literal))


def letters(text, table):
    """The letters of a list: (byte, accented), ((byte, byte), False), or (None, accented) for a blank."""
    def byte(letter):
        return ord(letter) if ord(letter) < 127 else table.index(ord(letter))

    found, at = [], 0
    while at < len(text):
        if text[at] == ".":
            end = text.index(".", at + 1)
            found.append(((byte(text[at + 1]), byte(text[at + 2])), False))
            at = end + 1
            continue
        accented = text[at] == "~"
        at += accented
        found.append((None if text[at] == " " else byte(text[at]), accented))
        at += 1
    return found


def ascii_case():
    upper, lower = list(range(256)), list(range(256))
    for small in range(ord("a"), ord("z") + 1):
        upper[small], lower[small - 32] = small - 32, small
    return upper, lower


def build(capitals, smalls, accents, case):
    """Upper, lower, weights, second weights and pairs of letters of a code page given by lists."""
    upper, lower = ascii_case()
    has_accents = any(accented for _, accented in capitals)
    accents = accents if has_accents else "NONE"
    weight, second, pairs = [0] * 256, [0] * 256, []
    known_upper, known_lower = set(), set()
    up = accented_up = accented_lo = 0
    # Small letters come behind the capitals.
    lo, used, last_up, last_lo = 0, set(), 0, 0
    is_sorted = case == "UPLO" and accents == "NONE"
    for (capital, _), (small, _) in zip(capitals, smalls, strict=True):
        if isinstance(capital, tuple):
            lo, is_sorted = lo + 1, False
            continue
        if capital is not None and capital not in used:
            is_sorted, last_up = is_sorted and capital >= last_up, capital
            used.add(capital)
            lo += 1
        if small is not None and small not in used:
            is_sorted, last_lo = is_sorted and small >= last_lo, small
            used.add(small)
    first_up = first_lo = 255
    for (capital, accented), (small, _) in zip(capitals, smalls):
        marked = accented and accents != "NONE"
        if isinstance(capital, tuple):
            up += 1
            heavy = up - accented_up
            if case == "UPLO":
                lo += 1
            elif case == "MIXED":
                up += 1
                lo = up
            else:
                lo = up
            pairs.append([capital, small, heavy, lo - accented_lo])
            continue
        if capital is not None:
            if small is not None and capital not in known_upper:
                lower[capital] = small
                known_upper.add(capital)
            if weight[capital] == 0:
                accented_up += marked
                up += 1
                weight[capital], second[capital] = up - accented_up, up
                first_up = min(first_up, capital)
        if small is not None:
            if capital is not None and small not in known_lower:
                upper[small] = capital
                known_lower.add(small)
            if weight[small] == 0:
                if case == "UPLO":
                    accented_lo += marked
                    lo += 1
                else:
                    if case == "MIXED":
                        accented_up += marked
                        up += 1
                    accented_lo, lo = accented_up, up
                weight[small], second[small] = lo - accented_lo, lo
                first_lo = min(first_lo, small)
    # What is no letter. Where two bytes can be one letter, the first 33 bytes have no weight: they compare as bytes.
    start = 1 if not pairs else 33 if len(pairs) <= 32 else 65
    first_lo = first_lo if case == "UPLO" else 0
    others = [byte for byte in range(start, 256) if weight[byte] == 0]
    before = sum(byte < first_up for byte in others)
    between = sum(first_up <= byte < first_lo for byte in others)
    count = [0, 0, 0]
    for byte in range(start, 256):
        if weight[byte] == 0:
            place = 0 if byte < first_up else 1 if byte < first_lo else 2
            count[place] += 1
            add = count[place] + [0, up + before, before + lo + between][place]
        else:
            add = before if weight[byte] <= up else before + between
        weight[byte] += add
        second[byte] += add
    for pair in pairs:
        pair[2] += before
        pair[3] += before + between
    if is_sorted:
        # Letters that rise with their bytes: Harbour compares bytes.
        weight = None
    return upper, lower, weight, second if accents == "INTERLEAVED" else None, pairs


def raw(text):
    tables = dict(re.findall(r"s_(upper|lower|sort)\s*\[\s*256\s*\]\s*=\s*\{(.*?)\}", text, flags=re.S))
    upper, lower, sort = ([int(number) for number in tables[name].split(",")] for name in ("upper", "lower", "sort"))
    return upper, lower, None if sort == list(range(256)) else sort, None, []


def pages(folder):
    tables = characters(folder)
    for path in sorted(folder.glob("src/codepage/cp[a-z][a-z]*.c")):
        text = without_dead_code(path.read_text(encoding="utf-8", errors="replace"))
        for name in re.findall(r'#include\s+"(l_\w+\.h)"', text):
            text += without_dead_code((path.parent / name).read_text(encoding="utf-8"))
        facts = defines(text)
        table = facts.get("HB_CP_UNITB", "").removeprefix("HB_UNITB_")
        if table not in tables:
            continue
        number = NUMBERS[table] if table in NUMBERS else int(table)
        if "HB_CP_RAW" in facts:
            yield facts["HB_CP_ID"], number, raw(text)
        else:
            capitals = letters(string(facts["HB_CP_UPPER"]), tables[table])
            smalls = letters(string(facts["HB_CP_LOWER"]), tables[table])
            accents = facts["HB_CP_ACSORT"].removeprefix("HB_CDP_ACSORT_")
            case = facts.get("HB_CP_CSSORT", "HB_CDP_CSSORT_UPLO").removeprefix("HB_CDP_CSSORT_")
            yield facts["HB_CP_ID"], number, build(capitals, smalls, accents, case)


def literal(values):
    def one(byte):
        if byte in (0x22, 0x5C):
            return "\\" + chr(byte)
        return chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}"
    return 'b"' + "".join(map(one, values)) + '"'


def changed(table, plain):
    return literal([part for byte in range(256) if table[byte] != plain[byte] for part in (byte, table[byte])])


def main():
    plain_upper, plain_lower = ascii_case()
    rows = {}
    for name, number, facts in pages(pathlib.Path(sys.argv[1])):
        rows.setdefault(repr(facts), (facts, []))[1].append((name, number))
    print("//! Collations and letters of Harbour's code pages. Made by `make_harbour.py` from Harbour's public sources; not edited")
    print("//! by hand.")
    print()
    print("use super::{Collation, Pair};")
    print()
    print("#[rustfmt::skip]")
    print("pub(super) static COLLATIONS: &[Collation] = &[")
    for (upper, lower, weights, second, pairs), names in rows.values():
        listed = ", ".join(f'("{name}", {number})' for name, number in names)
        option = lambda table: "None" if table is None else f"Some({literal(table)})"
        pair = lambda p: f"Pair {{ capital: {list(p[0])}, small: {list(p[1])}, weights: [{p[2]}, {p[3]}] }}"
        print(f"    Collation {{ pages: &[{listed}],")
        print(f"        upper: {changed(upper, plain_upper)},")
        print(f"        lower: {changed(lower, plain_lower)},")
        print(f"        weights: {option(weights)},")
        print(f"        accents: {option(second)}, pairs: &[{', '.join(map(pair, pairs))}] }},")
    print("];")


if __name__ == "__main__":
    main()
