"""Checks compare.py itself, with a stand-in that prints canned rows in place of mainstay: python -m unittest."""
import io
import json
import stat
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from decimal import Decimal
from pathlib import Path

import compare
import rows

ROW = {"NAME": "Müller", "AMT": Decimal("12.50"), "BORN": "2024-02-29", "MADE": "2024-02-29 13:05:59", "RAW": b"\x00\xff",
       "OK": True, "RATE": 0.1, "NOTE": ["", None], "GONE": None}
PRINTED = ('{"name": "Müller", "amt": 12.5, "born": "2024-02-29", "made": "2024-02-29T13:05:59.000", "raw": "00ff", '
           '"ok": true, "rate": 0.1, "note": null, "gone": null}\n')


class Compare(unittest.TestCase):
    def run_with(self, printed, exit_code=0, wanted=(ROW,)):
        """compare.py's exit code and report for a command that prints this."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            rows.write(folder / "t.expected.json", list(wanted))
            (folder / "printed").write_text(printed, encoding="utf-8")
            command = folder / "stand-in"
            command.write_text(f"#!{sys.executable}\nimport sys\n"
                               f"assert sys.argv[2:] == ['-c', 'SELECT * FROM t', '--format', 'ndjson'], sys.argv\n"
                               f"sys.stdout.buffer.write(open({json.dumps(str(folder / 'printed'))}, 'rb').read())\n"
                               f"sys.exit({exit_code})\n")
            command.chmod(command.stat().st_mode | stat.S_IXUSR)
            report = io.StringIO()
            with redirect_stdout(report), redirect_stderr(report):
                return compare.main([str(command), str(folder)]), report.getvalue()

    def test_equal_rows_pass(self):
        self.assertEqual(self.run_with(PRINTED)[0], 0)

    def test_every_kind_of_wrong_value_is_named(self):
        for right, wrong, column in [("Müller", "Muller", "NAME"), ("12.5,", "12.51,", "AMT"), ('"born": "2024', '"born": "2023', "BORN"),
                                     ("59.000", "59.001", "MADE"), ("00ff", "00fe", "RAW"), ("true", "false", "OK"), ("0.1", "0.10001", "RATE"),
                                     ('"note": null', '"note": "x"', "NOTE"), ('"gone": null', '"gone": 0', "GONE")]:
            code, report = self.run_with(PRINTED.replace(right, wrong))
            self.assertEqual(code, 1, column)
            self.assertIn(f"row 1: {column}:", report)

    def test_missing_rows_and_columns_are_named(self):
        self.assertIn("0 rows instead of 1", self.run_with("")[1])
        self.assertIn("no column GONE", self.run_with(PRINTED.replace(', "gone": null', ""))[1])
        self.assertIn("unexpected column MORE", self.run_with(PRINTED.replace("}", ', "more": 1}'))[1])

    def test_order_does_not_matter_but_number_does(self):
        wanted = [{"A": 1}, {"A": 2}, {"A": 2}]
        self.assertEqual(self.run_with('{"a":2}\n{"a":1}\n{"a":2}\n', wanted=wanted)[0], 0)
        self.assertEqual(self.run_with('{"a":2}\n{"a":1}\n{"a":1}\n', wanted=wanted)[0], 1)

    def test_a_failing_command_fails(self):
        self.assertEqual(self.run_with(PRINTED, exit_code=3)[0], 1)
        self.assertEqual(self.run_with("not json\n")[0], 1)

    def test_long_integers_are_compared_digit_by_digit(self):
        self.assertFalse(compare.equal(10 ** 17 + 1, 10 ** 17 + 2))
        self.assertFalse(compare.equal(Decimal("123456789012.3456"), Decimal("123456789012.3457")))


if __name__ == "__main__":
    unittest.main()
