"""SQLAlchemy's suite for dialects."""

from sqlalchemy.testing.suite import *  # noqa: F401, F403
