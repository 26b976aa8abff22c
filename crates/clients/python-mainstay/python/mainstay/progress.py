"""Progress of long statements, shown in a notebook or on a terminal."""

import html
import sys
import time

#: Cells of a bar on a terminal.
BAR_CELLS = 30


def in_notebook():
    """True in a kernel of Jupyter."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


def fraction(progress):
    """The part that is done, from 0 to 1, or `None` if the whole is unknown.

    >>> fraction((50, 200, 10, None)), fraction((50, 200, 10, 20)), fraction((50, None, 10, None)), fraction(None)
    (0.25, 0.5, None, None)
    """
    if progress is None:
        return None
    rows, all_rows, done, whole = progress
    if whole:
        return min(done / whole, 1.0)
    return min(rows / all_rows, 1.0) if all_rows else None


def words(progress):
    """The progress in words.

    >>> words((50, 200, 10, 20)), words((1234, None, 10, None))
    ('50 % (50 rows read)', '1,234 rows read')
    """
    part, rows = fraction(progress), f"{progress[0]:,} rows read"
    return rows if part is None else f"{part:.0%} ({rows})".replace("%", " %")


class ProgressDisplay:
    """Shows the progress of statements that take longer than `after` seconds, and removes it at their end."""

    def __init__(self, after=1.0, stream=None):
        self.after = after
        self._stream = sys.stderr if stream is None else stream
        self._is_notebook = in_notebook()
        self._begun = self._handle = None
        self._is_shown = False

    def __call__(self, progress):
        """Takes the progress of the running statement."""
        now = time.monotonic()
        if self._begun is None:
            self._begun = now
        if progress is None or now - self._begun < self.after:
            return
        if self._is_notebook:
            self._show_html(progress)
        elif self._stream.isatty():
            self._stream.write(f"\r{self._bar(progress)}\x1b[K")
            self._stream.flush()
        else:
            return
        self._is_shown = True

    def ended(self):
        """Removes what is shown: the statement has ended."""
        if self._is_shown and self._handle is not None:
            self._handle.update(_raw_html(""))
        elif self._is_shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
        self._begun = self._handle = None
        self._is_shown = False

    def _show_html(self, progress):
        part = fraction(progress)
        value = "" if part is None else f' value="{part:.3f}"'
        shown = _raw_html(f"<progress{value}></progress> {html.escape(words(progress))}")
        if self._handle is None:
            from IPython.display import display

            self._handle = display(shown, display_id=True)
        else:
            self._handle.update(shown)

    @staticmethod
    def _bar(progress):
        part = fraction(progress)
        if part is None:
            return words(progress)
        filled = int(part * BAR_CELLS)
        return f"[{'#' * filled}{' ' * (BAR_CELLS - filled)}] {words(progress)}"


def _raw_html(text):
    from IPython.display import HTML

    return HTML(text)
