"""Types at the prompt of `mainstay` on a terminal of its own: python3 prompt.py PROGRAM FOLDER.

A statement that writes for long is stopped with Ctrl-C, pressed twice; the next statement runs, and Ctrl-D leaves.
"""

import sys

from terminal import Terminal

terminal = Terminal(sys.argv[1], sys.argv[2])
terminal.wait_for(b"> ")
terminal.pause(0.5)
terminal.type(b"INSERT INTO t (id, amt) SELECT a.id, 1 FROM t a JOIN t b ON b.id <= 30;\r")
terminal.pause(2.5)
terminal.type(b"\x03")
terminal.pause(0.02)
terminal.type(b"\x03")
terminal.wait_for(b"57014", 15)
terminal.pause(0.5)
terminal.type(b"SELECT count(*) + 41 AS n FROM t;\r")
terminal.wait_for(b"100041")
terminal.pause(0.5)
terminal.leave()
