"""SQLAlchemy's own suite for dialects; run.py starts it."""

import pytest
from sqlalchemy.dialects import registry

registry.register("informix", "mainstay_informix.sqlalchemy", "InformixDialect")
registry.register("informix.mainstay", "mainstay_informix.sqlalchemy", "InformixDialect")
registry.register("informix.mainstay_async", "mainstay_informix.sqlalchemy_async", "AsyncInformixDialect")

pytest.register_assert_rewrite("sqlalchemy.testing.assertions")

from sqlalchemy.testing.plugin.pytestplugin import *  # noqa: E402, F403
from sqlalchemy.testing import provision  # noqa: E402


@provision.temp_table_keyword_args.for_db("informix")
def _temp_table_keyword_args(cfg, eng):
    return {"prefixes": ["TEMP"]}
