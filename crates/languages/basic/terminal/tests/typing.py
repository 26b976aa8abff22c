"""Runs the test program on a pseudo-terminal of 24 lines and 80 columns and types into it: python3 typing.py TEST-PROGRAM."""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "--exact", "program_on_the_terminal", "--nocapture"])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

seen = b""


def wait_for(text):
    """Reads until the terminal has got a text, and forgets what was before its end."""
    global seen
    until = time.monotonic() + 20
    while text not in seen:
        if time.monotonic() > until:
            sys.exit("%r is not in %r" % (text, seen))
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                seen += os.read(terminal, 65536)
            except OSError:
                sys.exit("the terminal ended before %r: %r" % (text, seen))
    seen = seen.split(text, 1)[1]


def type_keys(keys):
    os.write(terminal, keys)


def choose(keys):
    """Types keys of menus when the program waits in INPUT: before it does, they only ring the bell."""
    time.sleep(0.5)
    type_keys(keys)


wait_for(b"\x1b[?1049h")
wait_for(b"Name:")
type_keys(b"Adam\x7fa")
wait_for(b"d")
type_keys(b"\r")
wait_for(b"line 5")
wait_for(b"Hello Adaa")
# Tab reaches the list; End shows its last lines, Enter picks one.
type_keys(b"\t\x1b[F")
wait_for(b"100")
type_keys(b"\r")
wait_for(b"CTL 10 line 100")
# The screen has as many rows as the terminal: the bar is over its first row while it is open. Alt and a letter is Escape and the
# letter.
wait_for(b"[ More ]")
choose(b"\x1be")
wait_for(b"Paste")
type_keys(b"\x1b[B\r")
wait_for(b"CTL 9 bar EP")
# With a row more the bar stands above the screen, and a click opens a group.
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 25, 80, 0, 0))
os.kill(pid, signal.SIGWINCH)
wait_for(b"File")
choose(b"\x1b[<0;3;1M\x1b[<0;3;1m")
wait_for(b"Open")
type_keys(b"o")
wait_for(b"CTL 200 bar FO")
# The right button on the control, then Shift and F10: its row is one further down now.
choose(b"\x1b[<2;4;12M\x1b[<2;4;12m")
wait_for(b"Two")
type_keys(b"t")
wait_for(b'CTL 77 popup Some("T")')
choose(b"\x1b[21;2~")
wait_for(b"One")
type_keys(b"\x1b")
# The alternate screen is left, and the last text stands on the terminal.
wait_for(b"\x1b[?1049l")
wait_for(b"CTL 77 popup None")
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status))
