"""The examples of the documentation and of the modules."""

import doctest
import pathlib

import pytest

import mainstay_informix

PAGE = pathlib.Path(__file__).resolve().parents[4] / "docs/python-informix.md"


@pytest.mark.parametrize("module", [mainstay_informix, mainstay_informix.types])
def test_modules(module):
    result = doctest.testmod(module)
    assert result.attempted > 0 and result.failed == 0


def test_page(server):
    pytest.importorskip("sqlalchemy")
    pytest.importorskip("pyarrow")
    connection = mainstay_informix.connect(**server, autocommit=True)
    connection.execute("DROP TABLE IF EXISTS fruit")
    # Without the installed package the entry point of the dialect is missing.
    from sqlalchemy.dialects import registry

    registry.register("informix", "mainstay_informix.sqlalchemy", "InformixDialect")
    result = doctest.testfile(str(PAGE), module_relative=False, globs={"server": server}, encoding="utf-8")
    connection.execute("DROP TABLE IF EXISTS fruit")
    connection.close()
    assert result.attempted > 20 and result.failed == 0
