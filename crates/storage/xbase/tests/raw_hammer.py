"""A program with record locks of its own, for tests/indexed_shared.rs: it locks records, the header and the index of a
table as another program does, and keeps them for a moment.

    raw_hammer.py TABLE INDEX SCHEME SECONDS
"""

import fcntl
import random
import sys
import time

table, index = open(sys.argv[1], "r+b"), open(sys.argv[2], "r+b")
scheme, seconds = sys.argv[3], float(sys.argv[4])
head = table.read(32)
backwards = bool(head[28] & 1)
length, record = int.from_bytes(head[8:10], "little"), int.from_bytes(head[10:12], "little")


def of_record(number):
    if scheme == "clipper":
        return 1_000_000_000 + number
    if backwards:
        return 0x7FFFFFFE - number
    return 0x40000000 + length + (number - 1) * record


header = 1_000_000_000 if scheme == "clipper" else (0x7FFFFFFE if backwards else 0x40000000)
of_index = 1_000_000_000 if scheme == "clipper" else 0x7FFFFFFE
random.seed(5)
held = 0
end = time.time() + seconds
while time.time() < end:
    file, start = random.choice([(table, of_record(random.randint(1, 20))), (table, header), (index, of_index)])
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, start)
    except OSError:
        continue
    if file is table and start not in (header, of_index):
        # Nobody writes to a record that is locked.
        number = next(n for n in range(1, 21) if of_record(n) == start)
        offset = length + (number - 1) * record
        table.seek(offset)
        before = table.read(record)
        time.sleep(0.001)
        table.seek(offset)
        if table.read(record) != before:
            sys.exit(f"record {number} was changed under a lock")
    else:
        time.sleep(0.0005)
    fcntl.lockf(file, fcntl.LOCK_UN, 1, start)
    held += 1
if held < 20:
    sys.exit(f"only {held} locks were had")
