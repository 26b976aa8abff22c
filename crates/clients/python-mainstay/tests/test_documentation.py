"""The examples of the documentation and of the modules."""

import doctest
import pathlib

import pytest

import mainstay
import mainstay.connection
import mainstay.types

PAGE = pathlib.Path(__file__).resolve().parents[4] / "docs/python-mainstay.md"


@pytest.mark.parametrize("module", [mainstay, mainstay.connection, mainstay.types])
def test_modules(module):
    result = doctest.testmod(module)
    assert result.attempted > 0 and result.failed == 0


def test_types_of_sqlalchemy():
    pytest.importorskip("sqlalchemy")
    import mainstay.sqlalchemy_types

    result = doctest.testmod(mainstay.sqlalchemy_types)
    assert result.attempted > 0 and result.failed == 0


def test_page(tmp_path, monkeypatch):
    for package in ["sqlalchemy", "pyarrow", "polars", "pandas"]:
        pytest.importorskip(package)
    from sqlalchemy.dialects import registry

    # Without the installed package the entry point of the dialect is missing.
    registry.register("mainstay", "mainstay.sqlalchemy", "MainstayDialect")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/customers.csv").write_text("name,city,balance\nAnn,Malmö,1200.50\nBob,Lund,800\nCy,Malmö,1500\n")
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert result.attempted > 25 and result.failed == 0


def test_stubs_name_what_there_is():
    """Names of the stub file are those of the native module, and the other way round."""
    import ast

    from mainstay import _native

    stub = pathlib.Path(mainstay.__file__).with_name("_native.pyi")
    for definition in ast.parse(stub.read_text()).body:
        if not isinstance(definition, ast.ClassDef):
            continue
        declared = {one.name for one in definition.body if isinstance(one, ast.FunctionDef)}
        there = {name for name in vars(getattr(_native, definition.name)) if not name.startswith("_")}
        assert there == {name for name in declared if not name.startswith("_")}
