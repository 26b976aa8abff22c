"""Runs SQLAlchemy's suite for dialects over a folder of its own.

    python suite/run.py [options of pytest]

Prints how many tests passed of those that apply, and of all.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import mainstay

HERE = pathlib.Path(__file__).resolve().parent


def main():
    with tempfile.TemporaryDirectory() as folder:
        # The schemas that the suite expects.
        with mainstay.connect(folder, autocommit=True) as connection:
            connection.execute("CREATE SCHEMA test_schema; CREATE SCHEMA test_schema_2")
        connection.close()
        command = [sys.executable, "-m", "pytest", "test_suite.py", "--dburi", f"mainstay:///{folder}", *sys.argv[1:]]
        ended = subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, text=True)
    print(ended.stdout)
    count = lambda word: sum(int(number) for number in re.findall(rf"(\d+) {word}", ended.stdout.splitlines()[-1]))  # noqa: E731
    passed, failed, skipped = count("passed"), count("failed") + count("error"), count("skipped")
    print(f"{passed} passed of {passed + failed} that apply, of {passed + failed + skipped} in all")
    sys.exit(ended.returncode)


if __name__ == "__main__":
    main()
