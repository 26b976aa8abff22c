"""Intervals and plain data in frames; results that are closed; progress displays."""

import datetime
import io
import sys
import threading
import types

import pytest

import mainstay
from mainstay.progress import ProgressDisplay

SPAN = datetime.timedelta(days=1, microseconds=-1)


@pytest.fixture
def spans(memory):
    memory.execute("CREATE TABLE spans (a BIGINT, span INTERVAL DAY TO SECOND, months INTERVAL YEAR TO MONTH)")
    memory.executemany("INSERT INTO spans VALUES (?, ?, ?)", [(1, SPAN, mainstay.YearMonth(1, 2)), (2, None, None)])
    return memory


def test_intervals_of_days_are_durations(spans):
    pyarrow, polars = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    pandas = pytest.importorskip("pandas")
    table = spans.sql("SELECT span, months FROM spans ORDER BY a").arrow()
    assert table.schema.types == [pyarrow.duration("us"), pyarrow.month_day_nano_interval()]
    assert table["span"].to_pylist() == [SPAN, None]
    frame = spans.sql("SELECT span, months FROM spans ORDER BY a").pl()
    assert frame.rows() == [(SPAN, 14), (None, None)]
    assert polars.DataFrame(spans.sql("SELECT span FROM spans ORDER BY a")).rows() == [(SPAN,), (None,)]
    assert spans.sql("SELECT span FROM spans ORDER BY a").df()["span"][0] == pandas.Timedelta(SPAN)
    assert spans.create_table("copy", table.select(["span"])) == 2
    assert spans.execute("SELECT span FROM copy WHERE span IS NOT NULL").fetchall() == [(SPAN,)]


def test_the_rows_decide_on_the_kind_of_an_expression(memory):
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("polars")
    months = "SELECT INTERVAL '1-2' YEAR TO MONTH AS m"
    assert memory.sql(months).pl().rows() == [(14,)]
    assert pyarrow.table(memory.sql(months)).schema.types == [pyarrow.month_day_nano_interval()]
    assert memory.sql("SELECT INTERVAL '2' DAY AS m").pl().rows() == [(datetime.timedelta(days=2),)]
    assert memory.sql("SELECT INTERVAL '2' DAY AS m WHERE 1 = 0").pl().shape == (0, 1)
    # One column has only one of both kinds.
    with pytest.raises(Exception, match="CAST it to VARCHAR"):
        memory.sql("SELECT INTERVAL '1 month 2 days' AS m").pl()
    assert memory.sql("SELECT INTERVAL '1 month 2 days' AS m").arrow()["m"][0].as_py().days == 2


def test_frames_of_pandas_with_types_of_arrow(memory):
    pandas = pytest.importorskip("pandas")
    query = "SELECT a FROM (VALUES (1), (NULL)) t (a) ORDER BY a"
    assert str(memory.sql(query).df()["a"].dtype) == "float64"
    assert isinstance(memory.sql(query).df(dtype_backend="pyarrow")["a"].dtype, pandas.ArrowDtype)
    with pytest.raises(mainstay.InterfaceError, match="dtype_backend"):
        memory.sql(query).df(dtype_backend="numpy")


def test_plain_data_and_lazy_frames_become_tables(memory):
    polars = pytest.importorskip("polars")
    assert memory.create_table("t", {"a": [1, 2], "b": ["x", None]}) == 2
    assert memory.append("t", [{"a": 3}, {"b": "y"}]) == 2
    assert memory.append("t", polars.DataFrame({"a": [4]}).lazy()) == 1
    rows = memory.execute("SELECT a, b FROM t ORDER BY a").fetchall()
    assert sorted(rows, key=str) == sorted([(1, "x"), (2, None), (3, None), (4, None), (None, "y")], key=str)
    assert memory.sql("SELECT sum(n) FROM given", data={"given": {"n": [1, 2]}}).fetchall() == [(3,)]
    for wrong in [[(1, "x")], {"a": [1], "b": []}, {"a": [1, "x"]}]:
        with pytest.raises(mainstay.InterfaceError):
            memory.append("t", wrong)


def test_results_are_context_managers(memory):
    with memory.sql("SELECT 1 UNION ALL SELECT 2") as result:
        assert result.fetchone() in [(1,), (2,)]
    assert result.fetchall() == []
    with pytest.raises(mainstay.ProgrammingError, match="whole number"):
        memory.execute("SELECT 1").fetchmany(-1)
    with pytest.raises(mainstay.InterfaceError, match="threads"):
        mainstay.connect(threads=0)


class Terminal(io.StringIO):
    """What a display writes to a terminal."""

    def isatty(self):
        return True


def test_a_display_shows_long_statements_and_is_removed(slow):
    connection, query = slow
    terminal = Terminal()
    display = ProgressDisplay(0.2, terminal)
    connection.set_progress_handler(display, 0.05, display.ended)
    assert connection.execute("SELECT 1").fetchone() == (1,) and terminal.getvalue() == ""
    timer = threading.Timer(1.0, connection.interrupt)
    timer.start()
    with pytest.raises(mainstay.OperationalError):
        connection.execute(query).fetchone()
    timer.join()
    shown = terminal.getvalue()
    assert "rows read" in shown and shown.endswith("\r\x1b[K")
    connection.show_progress(False)


def test_a_display_of_a_notebook_is_updated(slow, monkeypatch):
    connection, query = slow
    seen = []

    class Handle:
        def update(self, shown):
            seen.append(shown)

    def display(shown, display_id):
        seen.append(shown)
        return Handle()

    # Stands for IPython, which the tests do not need.
    shell = types.SimpleNamespace(kernel=object())
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: shell
    ipython.display = types.ModuleType("IPython.display")
    ipython.display.display, ipython.display.HTML = display, str
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython.display)
    connection.show_progress(after=0.2)
    timer = threading.Timer(1.0, connection.interrupt)
    timer.start()
    with pytest.raises(mainstay.OperationalError):
        connection.execute(query).fetchone()
    timer.join()
    assert len(seen) > 2 and "<progress" in seen[0] and seen[-1] == ""
