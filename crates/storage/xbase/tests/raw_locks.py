"""A program with record locks of its own, for tests/write_shared.rs: what another program's locks look like.

Reads commands from standard input, one a line, and answers each with a line:
    lock START LENGTH       takes a traditional record lock (fcntl): "ok" or "busy"
    unlock START LENGTH     gives it back: "ok"
    share | alone           claims the whole file (flock): "ok" or "busy"
"""

import fcntl
import sys

file = open(sys.argv[1], "r+b")
for line in sys.stdin:
    command, *numbers = line.split()
    try:
        if command == "lock":
            start, length = map(int, numbers)
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, length, start)
        elif command == "unlock":
            start, length = map(int, numbers)
            fcntl.lockf(file, fcntl.LOCK_UN, length, start)
        elif command == "share":
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        elif command == "alone":
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        print("ok", flush=True)
    except OSError:
        print("busy", flush=True)
