//! Indexes and constraints: `sys.indexes`, `sys.key_constraints`, `sys.foreign_keys` and their like.

use super::{Facts, Rows, View, row};
use crate::catalog::{Detail, ForeignKey, Index, Object, action};
use mainstay_types::Value;

pub(super) const VIEWS: [View; 18] = [
    View {
        name: "sys.indexes",
        columns: "object_id:i name:n index_id:i type:t type_desc:n60 is_unique:b \
        data_space_id:i=1 ignore_dup_key:b is_primary_key:b is_unique_constraint:b fill_factor:t=0 is_padded:b=0 \
        is_disabled:b=0 is_hypothetical:b=0 is_ignored_in_optimization:b=0 allow_row_locks:b=1 allow_page_locks:b=1 \
        has_filter:b filter_definition:x compression_delay:i=null suppress_dup_key_messages:b=0 auto_created:b=0 \
        optimize_for_sequential_key:b=0",
        rows: indexes,
    },
    View {
        name: "sys.index_columns",
        columns: "object_id:i index_id:i index_column_id:i column_id:i key_ordinal:t \
        partition_ordinal:t=0 is_descending_key:b is_included_column:b=0 column_store_order_ordinal:t=0",
        rows: index_columns,
    },
    View {
        name: "sys.key_constraints",
        columns: "name:n object_id:i principal_id:i=null schema_id:i parent_object_id:i \
        type:c2 type_desc:n60 create_date:d modify_date:d is_ms_shipped:b=0 is_published:b=0 is_schema_published:b=0 \
        unique_index_id:i is_system_named:b is_enforced:b=1",
        rows: keys,
    },
    View {
        name: "sys.check_constraints",
        columns: "name:n object_id:i principal_id:i=null schema_id:i \
        parent_object_id:i type:c2 type_desc:n60 create_date:d modify_date:d is_ms_shipped:b=0 is_published:b=0 \
        is_schema_published:b=0 is_disabled:b=0 is_not_for_replication:b=0 is_not_trusted:b=0 parent_column_id:i \
        definition:x uses_database_collation:b=1 is_system_named:b",
        rows: checks,
    },
    View {
        name: "sys.default_constraints",
        columns: "name:n object_id:i principal_id:i=null schema_id:i \
        parent_object_id:i type:c2 type_desc:n60 create_date:d modify_date:d is_ms_shipped:b=0 is_published:b=0 \
        is_schema_published:b=0 parent_column_id:i definition:x is_system_named:b",
        rows: defaults,
    },
    View {
        name: "sys.foreign_keys",
        columns: "name:n object_id:i principal_id:i=null schema_id:i parent_object_id:i \
        type:c2 type_desc:n60 create_date:d modify_date:d is_ms_shipped:b=0 is_published:b=0 is_schema_published:b=0 \
        referenced_object_id:i key_index_id:i is_disabled:b=0 is_not_for_replication:b=0 is_not_trusted:b=0 \
        delete_referential_action:t delete_referential_action_desc:n60 update_referential_action:t \
        update_referential_action_desc:n60 is_system_named:b",
        rows: foreign_keys,
    },
    View {
        name: "sys.foreign_key_columns",
        columns: "constraint_object_id:i constraint_column_id:i parent_object_id:i \
        parent_column_id:i referenced_object_id:i referenced_column_id:i",
        rows: foreign_key_columns,
    },
    View {
        name: "sys.partitions",
        columns: "partition_id:l object_id:i index_id:i partition_number:i=1 hobt_id:l rows:l \
        filestream_filegroup_id:s=0 data_compression:t=0 data_compression_desc:n60=NONE xml_compression:b=0 \
        xml_compression_desc:v3=OFF",
        rows: partitions,
    },
    View {
        name: "sys.allocation_units",
        columns: "allocation_unit_id:l type:t=1 type_desc:n60=IN_ROW_DATA container_id:l \
        data_space_id:i=1 total_pages:l used_pages:l data_pages:l",
        rows: allocation_units,
    },
    View {
        name: "sys.dm_db_partition_stats",
        columns: "partition_id:l object_id:i index_id:i partition_number:i=1 \
        in_row_data_page_count:l in_row_used_page_count:l in_row_reserved_page_count:l lob_used_page_count:l=0 \
        lob_reserved_page_count:l=0 row_overflow_used_page_count:l=0 row_overflow_reserved_page_count:l=0 \
        used_page_count:l reserved_page_count:l row_count:l",
        rows: partition_stats,
    },
    View {
        name: "sys.stats",
        columns: "object_id:i name:n stats_id:i auto_created:b=0 user_created:b=0 no_recompute:b=0 \
        has_filter:b=0 filter_definition:x=null is_temporary:b=0 is_incremental:b=0 has_persisted_sample:b=0 \
        stats_generation_method:i=0 stats_generation_method_desc:v80=Sort",
        rows: stats,
    },
    View {
        name: "sys.stats_columns",
        columns: "object_id:i stats_id:i stats_column_id:i column_id:i",
        rows: stats_columns,
    },
    View { name: "sys.data_spaces", columns: DATA_SPACE, rows: |_| vec![Vec::new()] },
    View {
        name: "sys.filegroups",
        columns: "name:n=PRIMARY data_space_id:i=1 type:c2=FG type_desc:n60=ROWS_FILEGROUP \
        is_default:b=1 is_system:b=0 filegroup_guid:g=null log_filegroup_id:i=null is_read_only:b=0 \
        is_autogrow_all_files:b=0",
        rows: |_| vec![Vec::new()],
    },
    View {
        name: "sys.partition_schemes",
        columns: "name:n data_space_id:i type:c2 type_desc:n60 is_default:b \
        is_system:b function_id:i",
        rows: |_| Vec::new(),
    },
    View {
        name: "sys.xml_indexes",
        columns: "object_id:i name:n index_id:i type:t type_desc:n60 is_unique:b \
        xml_index_type:t",
        rows: |_| Vec::new(),
    },
    View {
        name: "sys.fulltext_indexes",
        columns: "object_id:i unique_index_id:i fulltext_catalog_id:i is_enabled:b",
        rows: |_| Vec::new(),
    },
    View {
        name: "sys.spatial_indexes",
        columns: "object_id:i name:n index_id:i type:t type_desc:n60 \
        spatial_index_type:t",
        rows: |_| Vec::new(),
    },
];

const DATA_SPACE: &str =
    "name:n=PRIMARY data_space_id:i=1 type:c2=FG type_desc:n60=ROWS_FILEGROUP is_default:b=1 is_system:b=0";

/// The indexes of all tables.
fn each<'f>(facts: &'f Facts<'_>) -> impl Iterator<Item = (&'f Object, &'f Index)> {
    let tables = facts.objects().filter(|object| object.kind == "U");
    tables.flat_map(|table| table.indexes.iter().map(move |index| (table, index)))
}

fn indexes(facts: &Facts<'_>) -> Rows {
    let row = |(table, index): (&Object, &Index)| {
        let (kind, words) = index.kind();
        let filter = index.filter.as_ref();
        let (unique, constraint) = (index.unique, index.constraint);
        row![
            table.id,
            index.name.as_ref(),
            index.id,
            kind,
            words,
            unique,
            index.ignores_duplicates,
            index.primary,
            constraint,
            filter.is_some(),
            filter
        ]
    };
    each(facts).map(row).collect()
}

fn index_columns(facts: &Facts<'_>) -> Rows {
    let mut rows = Vec::new();
    for (table, index) in each(facts) {
        for (place, (column, descending)) in index.columns.iter().enumerate() {
            let place = place as i64 + 1;
            rows.push(row![table.id, index.id, place, *column, place, *descending]);
        }
    }
    rows
}

/// The values that the rows of all constraints begin with.
fn head(facts: &Facts<'_>, of: &Object) -> Vec<Value> {
    let schema = facts.catalog.by_id(of.parent).map_or(of.schema, |table| table.schema);
    row![&of.name, of.id, schema, of.parent, of.kind, of.description(), facts.started(), facts.started()]
}

fn keys(facts: &Facts<'_>) -> Rows {
    let row = |of: &Object| {
        let Detail::Key(index) = of.detail else { return None };
        let mut row = head(facts, of);
        row.extend(row![index, of.is_system_named]);
        Some(row)
    };
    facts.of(&["PK", "UQ"]).filter_map(row).collect()
}

fn checks(facts: &Facts<'_>) -> Rows {
    let row = |of: &Object| {
        let Detail::Check(text) = &of.detail else { return None };
        let table = facts.catalog.objects.iter().find(|table| table.id == of.parent)?;
        let mut row = head(facts, of);
        row.extend(row![only_column(text, table), text, of.is_system_named]);
        Some(row)
    };
    facts.of(&["C"]).filter_map(row).collect()
}

/// The number of the column that a condition names, if it is one only: a column's own condition names no other. 0 for those
/// of several columns, which are the table's.
fn only_column(text: &str, table: &Object) -> i64 {
    let mut columns = Vec::new();
    // Text between quotes contains no names; two adjacent literals have nothing between them.
    for outside in text.split('\'').step_by(2) {
        let names = outside.split('[').skip(1).filter_map(|rest| rest.split(']').next());
        columns.extend(names.filter_map(|name| table.column(name)).map(|column| column.id));
    }
    match columns.split_first() {
        Some((first, others)) if others.iter().all(|other| other == first) => *first,
        _ => 0,
    }
}

fn defaults(facts: &Facts<'_>) -> Rows {
    let row = |of: &Object| {
        let Detail::Default(column, text) = &of.detail else { return None };
        let mut row = head(facts, of);
        row.extend(row![*column, text, of.is_system_named]);
        Some(row)
    };
    facts.of(&["D"]).filter_map(row).collect()
}

/// References with their keys.
fn references<'f>(facts: &'f Facts<'_>) -> impl Iterator<Item = (&'f Object, &'f ForeignKey)> {
    facts.objects().filter_map(|of| match &of.detail {
        Detail::Foreign(key) => Some((of, key)),
        _ => None,
    })
}

fn foreign_keys(facts: &Facts<'_>) -> Rows {
    let row = |(of, key): (&Object, &ForeignKey)| {
        let (on_delete, delete_words) = action(key.on_delete);
        let (on_update, update_words) = action(key.on_update);
        let mut row = head(facts, of);
        row.extend(row![
            key.referenced,
            key.key_index,
            on_delete,
            delete_words,
            on_update,
            update_words,
            of.is_system_named
        ]);
        row
    };
    references(facts).map(row).collect()
}

fn foreign_key_columns(facts: &Facts<'_>) -> Rows {
    let mut rows = Vec::new();
    for (of, key) in references(facts) {
        for (place, (own, other)) in key.columns.iter().zip(&key.referenced_columns).enumerate() {
            rows.push(row![of.id, place as i64 + 1, of.parent, *own, key.referenced, *other]);
        }
    }
    rows
}

/// The number of the pages of an index: of a table's own number, so that it is the same everywhere.
fn partition(table: &Object, index: &Index) -> i64 {
    (72_057_594_000_000_000 + (table.id << 8)) + index.id
}

/// Pages of 8 kB that so many rows would take.
fn pages(table: &Object, rows: i64) -> i64 {
    let width: i64 = table.columns.iter().map(|column| i64::from(column.data_type.max_length()).clamp(1, 100)).sum();
    (rows * (width + 9) + 8095) / 8096
}

fn partitions(facts: &Facts<'_>) -> Rows {
    let row = |(table, index): (&Object, &Index)| {
        let number = partition(table, index);
        row![number, table.id, index.id, number, facts.count(table)]
    };
    each(facts).map(row).collect()
}

fn allocation_units(facts: &Facts<'_>) -> Rows {
    let row = |(table, index): (&Object, &Index)| {
        let number = partition(table, index);
        let pages = pages(table, facts.count(table));
        row![number, number, pages, pages, pages]
    };
    each(facts).map(row).collect()
}

fn partition_stats(facts: &Facts<'_>) -> Rows {
    let row = |(table, index): (&Object, &Index)| {
        let rows = facts.count(table);
        let pages = pages(table, rows);
        row![partition(table, index), table.id, index.id, pages, pages, pages, pages, pages, rows]
    };
    each(facts).map(row).collect()
}

fn stats(facts: &Facts<'_>) -> Rows {
    each(facts).filter_map(|(table, index)| Some(row![table.id, index.name.as_ref()?, index.id])).collect()
}

fn stats_columns(facts: &Facts<'_>) -> Rows {
    let mut rows = Vec::new();
    for (table, index) in each(facts) {
        for (place, (column, _)) in index.columns.iter().enumerate() {
            rows.push(row![table.id, index.id, place as i64 + 1, *column]);
        }
    }
    rows
}
