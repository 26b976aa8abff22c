"""Runs SQLAlchemy's suite for dialects over a server that is started for it.

    python suite/run.py [options of pytest]

Prints how many tests passed of those that apply, and of all.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

import conftest as servers  # noqa: E402


def main():
    with tempfile.TemporaryDirectory() as folder:
        served = pathlib.Path(folder) / "served"
        served.mkdir()
        process, port = servers.start(served)
        try:
            url = f"informix://{servers.USER}:{servers.PASSWORD}@127.0.0.1:{port}/served"
            command = [sys.executable, "-m", "pytest", "test_suite.py", "--dburi", url, *sys.argv[1:]]
            ended = subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, text=True)
        finally:
            process.terminate()
            process.wait(20)
    print(ended.stdout)
    count = lambda word: sum(int(number) for number in re.findall(rf"(\d+) {word}", ended.stdout.splitlines()[-1]))
    passed, failed, skipped = count("passed"), count("failed") + count("error"), count("skipped")
    print(f"{passed} passed of {passed + failed} that apply, of {passed + failed + skipped} in all")
    sys.exit(ended.returncode)


if __name__ == "__main__":
    main()
