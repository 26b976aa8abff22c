"""A program on a terminal of its own, which is 24 rows of 80 characters: what it shows is waited for, not slept for."""

import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

CURSOR_WANTED, CURSOR = b"\x1b[6n", b"\x1b[1;1R"
ROWS, COLUMNS = 24, 80

# A machine may be busy with other tests.
PATIENCE_SECONDS = 120


class Terminal:
    def __init__(self, program, folder):
        self.seen = b""
        self.process, self.file = pty.fork()
        if self.process == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
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

    def wait_for(self, text, seconds=PATIENCE_SECONDS):
        """Reads until this comes; forgets everything up to it, and gives it back."""
        end = time.time() + seconds
        while text not in self.seen:
            if time.time() > end:
                sys.exit("%r did not come, but %r" % (text, self.seen))
            self.read(0.1)
        at = self.seen.index(text) + len(text)
        before, self.seen = self.seen[:at], self.seen[at:]
        return before

    def pause(self, seconds):
        end = time.time() + seconds
        while time.time() < end:
            self.read(0.05)

    def type(self, text):
        os.write(self.file, text)

    def leave(self):
        """Presses Ctrl-D, after which the program must end without an error."""
        self.type(b"\x04")
        end = time.time() + PATIENCE_SECONDS
        ended, status = os.waitpid(self.process, os.WNOHANG)
        while ended == 0:
            if time.time() > end:
                sys.exit("it did not end, but wrote %r" % self.seen)
            self.read(0.05)
            ended, status = os.waitpid(self.process, os.WNOHANG)
        if os.waitstatus_to_exitcode(status) != 0:
            sys.exit("it ended with %d" % os.waitstatus_to_exitcode(status))
