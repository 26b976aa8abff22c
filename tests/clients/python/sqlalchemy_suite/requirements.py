"""What SQL Server, with its dialect over pymssql, has of what the suite asks for.

The answers are those of SQLAlchemy's own tests (test/requirements.py of its sources) for this dialect, where they are not
the same for all dialects.
"""

from sqlalchemy.testing import exclusions
from sqlalchemy.testing.requirements import SuiteRequirements

THERE = """
    aggregate_order_by autocommit cast_precision_numerics_many_significant_digits comment_reflection
    comment_reflection_full_unicode computed_columns computed_columns_reflect_persisted
    computed_columns_stored computed_columns_virtual create_or_replace_view create_table_as
    create_temp_table_as cross_schema_fk_reflection ctes ctes_with_update_delete datetime_literals
    emulated_lastrowid except_ expression_server_defaults fetch_expression fetch_first fetch_percent
    fetch_ties fk_constraint_option_reflection_ondelete_noaction float_or_double_precision_behaves_generically
    foreign_key_constraint_name_reflection foreign_key_constraint_option_reflection_ondelete
    foreign_key_constraint_option_reflection_onupdate has_temp_table identity_columns
    index_reflects_included_columns indexes_check_column_order intersect isolation_level json_array_indexes
    json_type mod_operator_as_percent_sign nvarchar_types order_by_collation percent_schema_names
    precision_numerics_enotation_small precision_numerics_many_significant_digits
    precision_numerics_retains_significant_digits reflects_pk_names savepoints schema_create_delete
    server_defaults supports_bitwise_and supports_bitwise_not supports_bitwise_or supports_bitwise_shift
    supports_bitwise_xor table_value_constructor unique_constraints_reflect_as_index update_from
    view_column_reflection view_reflection views window_functions
""".split()

NOT_THERE = """
    binary_comparisons binary_literals datetime_implicit_bound datetime_microseconds nested_aggregates
    order_by_col_from_union recursive_fk_cascade temp_table_reflect_indexes time_microseconds
    unicode_data_no_special_types unique_constraint_reflection
""".split()


class Requirements(SuiteRequirements):
    """Answers by name; what is not named is as the suite has it."""

    def get_isolation_levels(self, config):
        """The levels as the dialect lists them, and the one of a new connection."""
        return {"default": "READ COMMITTED", "supported": config.db.dialect.get_isolation_level_values(None)}

    def get_order_by_collation(self, config):
        """One that is not the database's."""
        return "Latin1_General_CI_AS"


def answered(answer):
    """A requirement with this answer."""
    return property(lambda requirements: answer())


for names, answer in [(THERE, exclusions.open), (NOT_THERE, exclusions.closed)]:
    for name in names:
        setattr(Requirements, name, answered(answer))
