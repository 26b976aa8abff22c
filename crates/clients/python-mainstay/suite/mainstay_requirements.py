"""Parts of the suite that apply to the core's SQL."""

from sqlalchemy.testing import exclusions
from sqlalchemy.testing.requirements import SuiteRequirements

YES, NO = exclusions.open, exclusions.closed

#: The core's SQL has it.
HAS = """
    autocommit isolation_level get_isolation_level_values savepoints sequences sequences_optional views view_reflection
    view_column_reflection datetime_interval date time datetime datetime_microseconds timestamp_microseconds time_microseconds
    datetime_timezone datetime_historic date_historic table_reflection primary_key_constraint_reflection
    foreign_key_constraint_reflection foreign_key_constraint_option_reflection_ondelete
    fk_constraint_option_reflection_ondelete_restrict foreign_key_constraint_option_reflection_onupdate
    fk_constraint_option_reflection_onupdate_restrict self_referential_foreign_keys index_reflection
    unique_constraint_reflection check_constraint_reflection reflects_pk_names indexes_with_ascdesc
    reflect_indexes_with_ascdesc implements_get_lastrowid dbapi_lastrowid unicode_data unicode_ddl boolean_col_expressions
    window_functions ctes ctes_with_update_delete text_type selectone duplicate_key_raises_integrity_error
    precision_numerics_enotation_small precision_numerics_enotation_large precision_numerics_many_significant_digits
    fetch_null_from_numeric float_is_numeric order_by_label_with_expression insert_returning update_returning
    delete_returning insert_executemany_returning insertmanyvalues multivalues_inserts empty_inserts
    schemas cross_schema_fk_reflection schema_reflection schema_create_delete
    identity_columns identity_columns_standard computed_columns computed_columns_default_persisted computed_columns_stored computed_columns_reflect_persisted
    supports_is_distinct_from regexp_match regexp_replace fetch_first fetch_ties fetch_no_order_by fetch_expression
    temporary_tables temp_table_reflection temp_table_names has_temp_table temp_table_reflect_indexes
    update_from delete_from uuid_data_type infinity_floats bound_limit_offset sql_expression_limit_offset
    on_update_cascade deferrable_fks nullsordering standalone_binds intersect except_ unbounded_varchar
    binary_comparisons binary_literals expressions_against_unbounded_text expression_server_defaults
    supports_bitwise_or supports_bitwise_and supports_bitwise_not supports_bitwise_xor supports_bitwise_shift
    parens_in_union_contained_select_w_limit_offset parens_in_union_contained_select_wo_limit_offset
    order_by_col_from_union tuple_in tuple_in_w_empty supports_distinct_on implicit_decimal_binds cast_precision_numerics_many_significant_digits
    precision_numerics_retains_significant_digits table_value_constructor date_implicit_bound time_implicit_bound
    datetime_implicit_bound timestamp_microseconds_implicit_bound window_range create_table_as create_temp_table_as
    percent_schema_names foreign_key_constraint_name_reflection inline_check_constraint_reflection
    ctes_with_values insert_from_select sane_rowcount sane_multi_rowcount datetime_literals like_escapes
    create_or_replace_view foreign_key_ddl named_constraints empty_strings_varchar empty_strings_text
    fetch_rows_post_commit independent_connections
""".split()

#: The core's SQL does not have it.
LACKS = """
    comment_reflection json_type array_type two_phase_transactions ctes_on_dml fetch_percent temporary_views
    fetch_offset_with_options order_by_collation temp_table_comment_reflection time_timezone datetime_timezone_historic
    materialized_views indexes_with_expressions column_collation_reflection computed_columns_virtual
    constraint_comment_reflection empty_inserts_executemany
""".split()


class Requirements(SuiteRequirements):
    """Those of the core's SQL."""


for names, make in [(HAS, YES), (LACKS, NO)]:
    for name in names:
        if hasattr(SuiteRequirements, name):
            setattr(Requirements, name, property(lambda self, make=make: make()))
