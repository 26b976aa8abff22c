"""Types the steps of a script into a program on a pseudo-terminal: python3 screens.py STEPS.json ROWS COMMAND...

Each step has keys and the texts that the screen shows, or no longer shows, afterwards. Texts are compared with single blanks
between words. The emulator knows the sequences that the terminal face of programs writes: positions, clearing, the alternate
screen; attributes are passed over.
"""

import fcntl
import json
import os
import pty
import re
import select
import struct
import sys
import termios
import time

COLUMNS = 80
PATIENCE_SECONDS = 60
KEYS = {
    "Enter": b"\r", "Tab": b"\t", "Escape": b"\x1b", "Backspace": b"\x7f", "Delete": b"\x1b[3~", "Insert": b"\x1b[2~",
    "ArrowUp": b"\x1b[A", "ArrowDown": b"\x1b[B", "ArrowRight": b"\x1b[C", "ArrowLeft": b"\x1b[D",
    "Home": b"\x1b[H", "End": b"\x1b[F", "PageUp": b"\x1b[5~", "PageDown": b"\x1b[6~",
    "F1": b"\x1bOP", "F2": b"\x1bOQ", "F3": b"\x1bOR", "F4": b"\x1bOS", "F6": b"\x1b[17~", "F7": b"\x1b[18~", "F8": b"\x1b[19~",
}
SEQUENCE = re.compile(r"\x1b\[([?>=]?)([\d;]*)([A-Za-z])|\x1b[()][A-Z0-9]|\x1b[=>78]")


class Screen:
    """The cells of a terminal."""

    def __init__(self, rows):
        self.rows = rows
        self.rest = b""
        self.clear()

    def clear(self):
        self.cells = [[" "] * COLUMNS for _ in range(self.rows)]
        self.at = (0, 0)

    def feed(self, data):
        data = self.rest + data
        # An incomplete character or sequence at the end waits for its other bytes.
        cut = len(data)
        escape = data.rfind(b"\x1b")
        if escape >= 0 and not re.match(rb"\x1b(\[[?>=]?[\d;]*[A-Za-z]|[()].|[=>78])", data[escape:]):
            cut = escape
        while cut > 0 and data[cut - 1:cut] >= b"\x80" and not decodes(data[:cut]):
            cut -= 1
        data, self.rest = data[:cut], data[cut:]
        text, place = data.decode(), 0
        for found in SEQUENCE.finditer(text):
            self.put(text[place:found.start()])
            self.perform(found)
            place = found.end()
        self.put(text[place:])

    def put(self, text):
        for character in text:
            row, column = self.at
            if character == "\r":
                column = 0
            elif character == "\n":
                row = min(row + 1, self.rows - 1)
            elif character >= " ":
                if row < self.rows and column < COLUMNS:
                    self.cells[row][column] = character
                column += 1
            self.at = (row, column)

    def perform(self, found):
        private, numbers, final = found.group(1, 2, 3)
        if private == "?" and final in "hl" and numbers == "1049" or (final == "J" and not private):
            self.clear()
        elif final == "H" and not private:
            row, column = ([int(number) for number in numbers.split(";") if number] + [1, 1])[:2]
            self.at = (row - 1, column - 1)

    def text(self):
        return re.sub(r"\s+", " ", " ".join("".join(row) for row in self.cells))


def decodes(data):
    try:
        data.decode()
        return True
    except UnicodeDecodeError:
        return False


def main():
    steps, rows, command = json.load(open(sys.argv[1])), int(sys.argv[2]), sys.argv[3:]
    process, terminal = pty.fork()
    if process == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, COLUMNS, 0, 0))
        os.environ["TERM"] = "xterm"
        os.execvp(command[0], command)
    screen = Screen(rows)

    def read(seconds):
        if select.select([terminal], [], [], seconds)[0]:
            try:
                screen.feed(os.read(terminal, 65536))
            except OSError:
                return False
        return True

    for number, step in enumerate(steps, 1):
        for key in step["keys"]:
            os.write(terminal, KEYS.get(key, key.encode()))
        shows, hides = step.get("shows", []), step.get("hides", [])
        until = time.monotonic() + PATIENCE_SECONDS
        while not all(text in screen.text() for text in shows) or any(text in screen.text() for text in hides):
            if not read(0.1) or time.monotonic() > until:
                lines = "\n".join("".join(row).rstrip() for row in screen.cells)
                sys.exit("step %d %r: the screen does not show %r without %r:\n%s" % (number, step["keys"], shows, hides, lines))
    # The program has ended: its last screen waits for Enter.
    os.write(terminal, b"\r")
    while read(1):
        pass
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))


main()
