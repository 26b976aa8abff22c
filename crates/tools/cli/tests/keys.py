"""Types at the prompt of `mainstay` on a terminal of its own: python3 keys.py PROGRAM FOLDER.

The folder has a table `measures` of 100,000 rows. A statement over two lines, the history, the completion of a name, the
progress of a long statement, and BROWSE.
"""

import os
import re
import sys

from terminal import ROWS, Terminal

ENTER, UP, PAGE_DOWN, CONTROL_C = b"\r", b"\x1b[A", b"\x1b[6~", b"\x03"
NAME = os.path.basename(sys.argv[2]).encode()
PROMPT = NAME + b"> "

terminal = Terminal(sys.argv[1], sys.argv[2])
terminal.wait_for(PROMPT)

# A statement goes on until its semicolon.
terminal.type(b"SELECT 40 + 1" + ENTER)
terminal.wait_for(b"-> ")
terminal.type(b"AS answer;" + ENTER)
terminal.wait_for(b" 41 ")
terminal.wait_for(PROMPT)

# The history has both lines.
terminal.type(UP)
terminal.wait_for(b"SELECT 40 + 1")
terminal.wait_for(b"AS answer;")
terminal.type(ENTER)
terminal.wait_for(b" 41 ")
terminal.wait_for(PROMPT)

terminal.type(b"SELECT count(*) FROM mea\t")
terminal.wait_for(b"measures")
terminal.type(b";" + ENTER)
terminal.wait_for(b" 100000 ")
terminal.wait_for(PROMPT)

# Longer than anybody waits: the bar is there until Ctrl-C takes it away with the statement.
terminal.type(b"SELECT SUM(a.amt + b.amt) FROM measures a, measures b;" + ENTER)
terminal.wait_for(b" rows, ")
terminal.type(CONTROL_C)
terminal.wait_for(b"57014")
terminal.wait_for(PROMPT)

# The screen has a line for the names and one for the place; a page down shows the rows behind those that it has shown.
terminal.type(b"BROWSE measures" + ENTER)
terminal.wait_for(b"row 1 of 100,000")
page = ROWS - 2
terminal.type(PAGE_DOWN)
painted = terminal.wait_for(b"row %d of 100,000" % (page + 1))
for line, record in [(2, page + 1), (ROWS - 1, 2 * page)]:
    if not re.search(rb"\x1b\[%d;1H[^\n;]*?\b%d\b" % (line, record), painted):
        sys.exit("record %d is not on line %d of %r" % (record, line, painted))
terminal.type(b"q")
terminal.wait_for(NAME + b":measures> ")
terminal.leave()
