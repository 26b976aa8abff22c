"""SQLAlchemy's own suite for dialects; run.py starts it."""

import pytest
from sqlalchemy.dialects import registry

registry.register("mainstay", "mainstay.sqlalchemy", "MainstayDialect")
registry.register("mainstay.mainstay", "mainstay.sqlalchemy", "MainstayDialect")

pytest.register_assert_rewrite("sqlalchemy.testing.assertions")

from sqlalchemy.testing.plugin.pytestplugin import *  # noqa: E402, F403
from sqlalchemy.testing import provision  # noqa: E402


@provision.temp_table_keyword_args.for_db("mainstay")
def _temp_table_keyword_args(cfg, eng):
    return {"prefixes": ["TEMPORARY"]}
