"""SQLAlchemy's suite for dialects over pymssql: PORT USER PASSWORD [whole]

Without `whole` the tests that reflect every kind of object in every way are left out: they are as many as all others and
take far longer. It drops every table of the database first.
"""

import collections
import os
import pathlib
import sys

import pymssql

SUITE = pathlib.Path(__file__).resolve().parent / "sqlalchemy_suite"
SLOW = ["ComponentReflectionTest", "BizarroCharacterTest", "HasTable", "HasIndex"]
DATABASE = "served"


class Tally:
    """What became of the tests of each class."""

    def __init__(self):
        self.outcomes = collections.defaultdict(collections.Counter)
        self.failures = {}

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.split("::")[1].split("_mssql")[0]
        if report.failed:
            self.outcomes[name]["failed"] += 1
            self.failures.setdefault(name, f"{report.nodeid.split('::')[-1]}: {report.longreprtext.strip().splitlines()[-1]}")
        elif report.when == "call":
            self.outcomes[name]["different" if hasattr(report, "wasxfail") else report.outcome] += 1
        elif report.skipped:
            self.outcomes[name]["skipped"] += 1


def main(port, user, password, *how):
    with pymssql.connect(server="127.0.0.1", port=port, user=user, password=password, autocommit=True) as connection:
        with connection.cursor() as cursor:
            for schema in ["test_schema", "test_schema_2"]:
                cursor.execute(f"IF SCHEMA_ID('{schema}') IS NULL EXEC ('CREATE SCHEMA {schema}')")
    # The suite is a project of its own: its settings are read from the folder that it is run in.
    os.chdir(SUITE)
    sys.path.insert(0, str(SUITE))
    sys.dont_write_bytecode = True
    import pytest

    arguments = ["--dburi", f"mssql+pymssql://{user}:{password}@127.0.0.1:{port}/{DATABASE}", "--maxfail=1000000"]
    if "whole" not in how:
        arguments += ["-k", " and ".join(f"not {name}" for name in SLOW)]
    tally = Tally()
    ended = pytest.main(arguments, plugins=[tally])
    for name, counts in sorted(tally.outcomes.items()):
        said = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
        if counts["failed"]:
            print(f"FAIL sqlalchemy_suite: {name}: {said}: {tally.failures[name]}")
        elif counts["passed"] or counts["different"]:
            print(f"PASS sqlalchemy_suite: {name}: {said}")
    if ended not in (0, 1) or not tally.outcomes:
        print(f"FAIL sqlalchemy_suite: it ended with {int(ended)}")
    sys.exit(int(ended))


if __name__ == "__main__":
    main(*sys.argv[1:])
