"""Types at the prompt of `mainstay` on a terminal of its own: python3 prompt.py PROGRAM FOLDER.

A statement that writes for long is stopped with Ctrl-C, pressed twice; the next statement runs, and Ctrl-D leaves.
"""

import os
import pty
import select
import sys
import time

CURSOR_WANTED, CURSOR = b"\x1b[6n", b"\x1b[1;1R"


class Terminal:
    def __init__(self, program, folder):
        self.seen = b""
        self.process, self.file = pty.fork()
        if self.process == 0:
            os.environ["TERM"] = "xterm"
            os.environ["NO_COLOR"] = "1"
            os.execv(program, [program, folder])

    def read(self, seconds):
        if not select.select([self.file], [], [], seconds)[0]:
            return
        try:
            new = os.read(self.file, 65536)
        except OSError:
            return
        for _ in range(new.count(CURSOR_WANTED)):
            os.write(self.file, CURSOR)
        self.seen += new

    def wait_for(self, text, seconds=60):
        """Reads until this comes, and forgets everything up to it."""
        end = time.time() + seconds
        while text not in self.seen:
            if time.time() > end:
                sys.exit("%r did not come, but %r" % (text, self.seen))
            self.read(0.1)
        self.seen = self.seen[self.seen.index(text) + len(text):]

    def pause(self, seconds):
        end = time.time() + seconds
        while time.time() < end:
            self.read(0.05)

    def type(self, text):
        os.write(self.file, text)


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
terminal.type(b"\x04")
_, status = os.waitpid(terminal.process, 0)
if os.waitstatus_to_exitcode(status) != 0:
    sys.exit("it ended with %d" % os.waitstatus_to_exitcode(status))
