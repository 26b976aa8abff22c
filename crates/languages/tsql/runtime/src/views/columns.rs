//! Columns and parameters: `sys.columns`, `sys.identity_columns`, `sys.computed_columns`, `sys.parameters`.

use super::{Facts, Rows, View, row};
use crate::catalog::{Catalog, Column, Object, collation_name, parameters};
use mainstay_tsql_types::DataType;
use mainstay_types::{Decimal, Value};

const COLUMN: &str = "object_id:i name:n column_id:i system_type_id:t user_type_id:i max_length:s precision:t scale:t \
    collation_name:n is_nullable:b is_ansi_padded:b is_rowguidcol:b=0 is_identity:b is_computed:b is_filestream:b=0 \
    is_replicated:b=0 is_non_sql_subscribed:b=0 is_merge_published:b=0 is_dts_replicated:b=0 is_xml_document:b=0 \
    xml_collection_id:i=0 default_object_id:i rule_object_id:i=0 is_sparse:b=0 is_column_set:b=0 \
    generated_always_type:t=0 generated_always_type_desc:n60=NOT_APPLICABLE encryption_type:i=null \
    encryption_type_desc:n64=null encryption_algorithm_name:n=null column_encryption_key_id:i=null \
    column_encryption_key_database_name:n=null is_hidden:b=0 is_masked:b=0 graph_type:i=null graph_type_desc:n60=null \
    is_data_deletion_filter_column:b=0 ledger_view_column_type:i=null ledger_view_column_type_desc:n60=null \
    is_dropped_ledger_column:b=0";

const IDENTITY: &str = "object_id:i name:n column_id:i system_type_id:t user_type_id:i max_length:s precision:t scale:t \
    collation_name:n is_nullable:b is_ansi_padded:b is_rowguidcol:b=0 is_identity:b is_computed:b is_filestream:b=0 \
    is_replicated:b=0 is_non_sql_subscribed:b=0 is_merge_published:b=0 is_dts_replicated:b=0 is_xml_document:b=0 \
    xml_collection_id:i=0 default_object_id:i rule_object_id:i=0 is_sparse:b=0 is_column_set:b=0 \
    generated_always_type:t=0 generated_always_type_desc:n60=NOT_APPLICABLE is_hidden:b=0 is_masked:b=0 seed_value:m \
    increment_value:m last_value:m is_not_for_replication:b=0";

const COMPUTED: &str = "object_id:i name:n column_id:i system_type_id:t user_type_id:i max_length:s precision:t scale:t \
    collation_name:n is_nullable:b is_ansi_padded:b is_rowguidcol:b=0 is_identity:b is_computed:b is_filestream:b=0 \
    is_replicated:b=0 is_non_sql_subscribed:b=0 is_merge_published:b=0 is_dts_replicated:b=0 is_xml_document:b=0 \
    xml_collection_id:i=0 default_object_id:i rule_object_id:i=0 is_sparse:b=0 is_column_set:b=0 \
    generated_always_type:t=0 generated_always_type_desc:n60=NOT_APPLICABLE is_hidden:b=0 is_masked:b=0 definition:x \
    uses_database_collation:b=1 is_persisted:b=1";

const PARAMETER: &str = "object_id:i name:n parameter_id:i system_type_id:t user_type_id:i max_length:s precision:t \
    scale:t is_output:b is_cursor_ref:b is_xml_document:b=0 has_default_value:b=0 default_value:z=null \
    xml_collection_id:i=0 is_readonly:b is_nullable:b=1 encryption_type:i=null encryption_type_desc:n64=null \
    encryption_algorithm_name:n=null column_encryption_key_id:i=null column_encryption_key_database_name:n=null";

pub(super) const VIEWS: [View; 9] = [
    View { name: "sys.columns", columns: COLUMN, rows: columns },
    View { name: "sys.all_columns", columns: COLUMN, rows: all_columns },
    View { name: "sys.system_columns", columns: COLUMN, rows: system_columns },
    View { name: "sys.identity_columns", columns: IDENTITY, rows: identities },
    View { name: "sys.computed_columns", columns: COMPUTED, rows: computed },
    View { name: "sys.parameters", columns: PARAMETER, rows: all_parameters },
    View { name: "sys.all_parameters", columns: PARAMETER, rows: all_parameters },
    View {
        name: "sys.masked_columns",
        columns: "object_id:i name:n column_id:i is_masked:b masking_function:n4000",
        rows: |_| Vec::new(),
    },
    View {
        name: "sys.column_store_segments",
        columns: "partition_id:l hobt_id:l column_id:i segment_id:i row_count:i",
        rows: |_| Vec::new(),
    },
];

/// The row of a column in `sys.columns` and the views that share its columns.
fn column(object: &Object, column: &Column) -> Vec<Value> {
    let of = column.data_type;
    row![
        object.id,
        &column.name,
        column.id,
        column.system_type_id(),
        column.user_type_id(),
        i64::from(of.max_length()),
        i64::from(of.precision()),
        i64::from(of.scale()),
        column.collation_name(),
        column.nullable,
        of.is_string(),
        column.identity.is_some(),
        column.computed.is_some(),
        column.default
    ]
}

fn columns(facts: &Facts<'_>) -> Rows {
    let mut rows = Vec::new();
    for object in facts.of(&["U", "V", "TT", "TF"]) {
        rows.extend(object.columns.iter().map(|of| column(object, of)));
    }
    rows
}

/// The columns of the views of the catalog.
fn system_columns(_: &Facts<'_>) -> Rows {
    let mut rows = Vec::new();
    for (number, view) in super::all().enumerate() {
        for (place, listed) in view.columns.split_whitespace().map(super::listed).enumerate() {
            let of = listed.data_type;
            rows.push(row![
                super::number_of_view(number),
                listed.name,
                place as i64 + 1,
                i64::from(of.system_type_id()),
                i64::from(of.user_type_id()),
                i64::from(of.max_length()),
                i64::from(of.precision()),
                i64::from(of.scale()),
                collation_name(of),
                true,
                of.is_string(),
                false,
                false,
                0
            ]);
        }
    }
    rows
}

fn all_columns(facts: &Facts<'_>) -> Rows {
    [columns(facts), system_columns(facts)].concat()
}

fn identities(facts: &Facts<'_>) -> Rows {
    let decimal = |value: i64| Value::Decimal(Decimal::new(value.into(), 0));
    let mut rows = Vec::new();
    for object in facts.of(&["U"]) {
        for of in &object.columns {
            let Some((seed, increment)) = of.identity else { continue };
            let mut row = column(object, of);
            row.extend([decimal(seed), decimal(increment), Value::Null]);
            rows.push(row);
        }
    }
    rows
}

fn computed(facts: &Facts<'_>) -> Rows {
    let mut rows = Vec::new();
    for object in facts.of(&["U"]) {
        for of in &object.columns {
            let Some(text) = &of.computed else { continue };
            let mut row = column(object, of);
            row.push(Value::Text(text.clone()));
            rows.push(row);
        }
    }
    rows
}

fn all_parameters(facts: &Facts<'_>) -> Rows {
    let mut rows = Vec::new();
    for object in facts.of(&["P", "FN", "IF", "TF"]) {
        let Some(statement) = &object.statement else { continue };
        let (returns, given) = parameters(facts.modules, &statement.kind);
        let row = |name: &str, place: i64, of: DataType, user: i64, output: bool, readonly: bool| {
            let system = if user > 256 && readonly { 243 } else { i64::from(of.system_type_id()) };
            row![
                object.id,
                name,
                place,
                system,
                user,
                i64::from(of.max_length()),
                i64::from(of.precision()),
                i64::from(of.scale()),
                output,
                false,
                readonly
            ]
        };
        if let Some(of) = returns {
            rows.push(row("", 0, of, of.user_type_id().into(), true, false));
        }
        for (place, (parameter, of)) in given.iter().enumerate() {
            let user = facts.catalog.user_type(&parameter.data_type.name).map(Catalog::user_type_id);
            let user = user.unwrap_or_else(|| of.user_type_id().into());
            rows.push(row(&parameter.name.text, place as i64 + 1, *of, user, parameter.output, parameter.readonly));
        }
    }
    rows
}
