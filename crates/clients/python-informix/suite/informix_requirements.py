"""Which parts of the suite apply to Informix."""

from sqlalchemy.testing import exclusions
from sqlalchemy.testing.requirements import SuiteRequirements

YES, NO = exclusions.open, exclusions.closed

#: Informix has it.
HAS = """
    autocommit isolation_level get_isolation_level_values savepoints sequences sequences_optional views
    view_reflection datetime_interval date time datetime self_referential_foreign_keys
    table_reflection primary_key_constraint_reflection foreign_key_constraint_reflection
    foreign_key_constraint_option_reflection_ondelete index_reflection unique_constraint_reflection unique_constraints_reflect_as_index
    implements_get_lastrowid dbapi_lastrowid unicode_data boolean_col_expressions window_functions
    ctes text_type selectone duplicate_key_raises_integrity_error precision_numerics_enotation_small
    fetch_null_from_numeric float_is_numeric reflects_pk_names indexes_with_ascdesc reflect_indexes_with_ascdesc
    order_by_label_with_expression
""".split()

#: Informix, or its DATETIME with five digits of a second, does not have it.
LACKS = """
    table_value_constructor deferrable_fks on_update_cascade empty_inserts empty_inserts_executemany
    insert_returning update_returning delete_returning insert_executemany_returning multivalues_inserts tuple_in
    tuple_in_w_empty schemas cross_schema_fk_reflection comment_reflection json_type array_type two_phase_transactions
    datetime_microseconds timestamp_microseconds time_microseconds datetime_timezone time_timezone
    timestamp_microseconds_implicit_bound date_implicit_bound time_implicit_bound datetime_implicit_bound
    regexp_match regexp_replace computed_columns identity_columns unbounded_varchar temp_table_names
    percent_schema_names update_from delete_from supports_is_distinct_from ctes_on_dml
    fetch_ties fetch_percent fetch_first fetch_offset_with_options binary_comparisons binary_literals
    supports_bitwise_or supports_bitwise_and supports_bitwise_not supports_bitwise_xor supports_bitwise_shift
    expressions_against_unbounded_text precision_numerics_enotation_large infinity_floats
    temporary_views standalone_binds expression_server_defaults order_by_collation
    uuid_data_type sql_expression_limit_offset temp_table_reflection temp_table_reflect_indexes has_temp_table temp_table_comment_reflection
    parens_in_union_contained_select_w_limit_offset parens_in_union_contained_select_wo_limit_offset create_temp_table_as
""".split()


class Requirements(SuiteRequirements):
    """Those of Informix."""


for names, make in [(HAS, YES), (LACKS, NO)]:
    for name in names:
        if hasattr(SuiteRequirements, name):
            setattr(Requirements, name, property(lambda self, make=make: make()))
