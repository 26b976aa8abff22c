//! Objects and modules: `sys.objects`, `sys.tables`, `sys.sql_modules`, `sys.schemas`, `sys.types`.

use super::{Facts, Rows, View, row};
use crate::catalog::{Catalog, Detail, Object, system_types};
use mainstay_tsql_syntax::tree::{CreateType, StatementKind};
use mainstay_tsql_types::Switches;
use mainstay_types::Value;

const OBJECT: &str = "name:n object_id:i principal_id:i=null schema_id:i parent_object_id:i type:c2 type_desc:n60 \
    create_date:d modify_date:d is_ms_shipped:b=0 is_published:b=0 is_schema_published:b=0";

const SYSTEM_OBJECT: &str = "name:n object_id:i principal_id:i=null schema_id:i parent_object_id:i=0 type:c2 type_desc:n60 \
    create_date:d modify_date:d is_ms_shipped:b=1 is_published:b=0 is_schema_published:b=0";

const SYSTEM_VIEW: &str = "name:n object_id:i principal_id:i=null schema_id:i parent_object_id:i=0 type:c2 type_desc:n60 \
    create_date:d modify_date:d is_ms_shipped:b=1 is_published:b=0 is_schema_published:b=0 is_replicated:b=0 \
    has_replication_filter:b=0 has_opaque_metadata:b=0 has_unchecked_assembly_data:b=0 with_check_option:b=0 \
    is_date_correlation_view:b=0 is_tracked_by_cdc:b=0 has_snapshot:b=0";

pub(super) const VIEWS: [View; 22] = [
    View { name: "sys.objects", columns: OBJECT, rows: |facts| objects(facts, &[]) },
    View { name: "sys.all_objects", columns: OBJECT, rows: |facts| objects(facts, &[]) },
    View { name: "sys.tables", columns: TABLE, rows: tables },
    View { name: "sys.views", columns: VIEW, rows: |facts| objects(facts, &["V"]) },
    View { name: "sys.all_views", columns: VIEW, rows: |facts| objects(facts, &["V"]) },
    View { name: "sys.system_objects", columns: SYSTEM_OBJECT, rows: system_objects },
    View { name: "sys.system_views", columns: SYSTEM_VIEW, rows: system_views },
    View { name: "sys.procedures", columns: PROCEDURE, rows: |facts| objects(facts, &["P"]) },
    View { name: "sys.triggers", columns: TRIGGER, rows: triggers },
    View {
        name: "sys.trigger_events",
        columns: "object_id:i type:i type_desc:n60 is_first:b=0 is_last:b=0 \
        event_group_type:i=null event_group_type_desc:n60=null is_trigger_event:b=1",
        rows: trigger_events,
    },
    View { name: "sys.sql_modules", columns: MODULE, rows: modules },
    View { name: "sys.all_sql_modules", columns: MODULE, rows: modules },
    View { name: "sys.schemas", columns: "name:n schema_id:i principal_id:i", rows: schemas },
    View { name: "sys.types", columns: TYPE, rows: types },
    View { name: "sys.table_types", columns: TABLE_TYPE, rows: table_types },
    View { name: "sys.sequences", columns: SEQUENCE, rows: sequences },
    View { name: "sys.synonyms", columns: SYNONYM, rows: synonyms },
    View {
        name: "sys.sql_expression_dependencies",
        columns: DEPENDENCY,
        rows: |facts| crate::definitions::dependencies::rows(facts.catalog),
    },
    View {
        name: "sys.sql_dependencies",
        columns: "class:t class_desc:n60 object_id:i column_id:i referenced_major_id:i \
        referenced_minor_id:i is_selected:b is_updated:b is_select_all:b",
        rows: |facts| crate::definitions::dependencies::old_rows(facts.catalog),
    },
    View {
        name: "sys.xml_schema_collections",
        columns: "xml_collection_id:i schema_id:i principal_id:i name:n create_date:d modify_date:d",
        rows: |_| Vec::new(),
    },
    View {
        name: "sys.assemblies",
        columns: "name:n principal_id:i assembly_id:i clr_name:n permission_set:t \
        permission_set_desc:n60 is_visible:b create_date:d modify_date:d is_user_defined:b",
        rows: |_| Vec::new(),
    },
    View {
        name: "sys.assembly_types",
        columns: "name:n system_type_id:t user_type_id:i schema_id:i assembly_id:i \
        assembly_class:n is_user_defined:b is_assembly_type:b",
        rows: |_| Vec::new(),
    },
];

const TABLE: &str = "name:n object_id:i principal_id:i=null schema_id:i parent_object_id:i type:c2 type_desc:n60 \
    create_date:d modify_date:d is_ms_shipped:b=0 is_published:b=0 is_schema_published:b=0 lob_data_space_id:i=0 \
    filestream_data_space_id:i=null max_column_id_used:i lock_on_bulk_load:b=0 uses_ansi_nulls:b=1 is_replicated:b=0 \
    has_replication_filter:b=0 is_merge_published:b=0 is_sync_tran_subscribed:b=0 has_unchecked_assembly_data:b=0 \
    text_in_row_limit:i=0 large_value_types_out_of_row:b=0 is_tracked_by_cdc:b=0 lock_escalation:t=0 \
    lock_escalation_desc:n60=TABLE is_filetable:b=0 is_memory_optimized:b=0 durability:t=0 \
    durability_desc:n60=SCHEMA_AND_DATA temporal_type:t=0 temporal_type_desc:n60=NON_TEMPORAL_TABLE \
    history_table_id:i=null is_remote_data_archive_enabled:b=0 is_external:b=0 history_retention_period:i=null \
    history_retention_period_unit:i=null history_retention_period_unit_desc:n10=null is_node:b=0 is_edge:b=0 \
    ledger_type:t=0 ledger_type_desc:n60=NON_LEDGER_TABLE is_dropped_ledger_table:b=0";

const VIEW: &str = "name:n object_id:i principal_id:i=null schema_id:i parent_object_id:i type:c2 type_desc:n60 \
    create_date:d modify_date:d is_ms_shipped:b=0 is_published:b=0 is_schema_published:b=0 is_replicated:b=0 \
    has_replication_filter:b=0 has_opaque_metadata:b=0 has_unchecked_assembly_data:b=0 with_check_option:b=0 \
    is_date_correlation_view:b=0 is_tracked_by_cdc:b=0 has_snapshot:b=0 ledger_view_type:t=0 \
    ledger_view_type_desc:n60=NON_LEDGER_VIEW is_dropped_ledger_view:b=0";

const PROCEDURE: &str = "name:n object_id:i principal_id:i=null schema_id:i parent_object_id:i type:c2 type_desc:n60 \
    create_date:d modify_date:d is_ms_shipped:b=0 is_published:b=0 is_schema_published:b=0 is_auto_executed:b=0 \
    is_execution_replicated:b=0 is_repl_serializable_only:b=0 skips_repl_constraints:b=0";

const TRIGGER: &str = "name:n object_id:i parent_class:t=1 parent_class_desc:n60=OBJECT_OR_COLUMN parent_id:i type:c2 \
    type_desc:n60 create_date:d modify_date:d is_ms_shipped:b=0 is_disabled:b is_not_for_replication:b \
    is_instead_of_trigger:b";

const MODULE: &str = "object_id:i definition:x uses_ansi_nulls:b uses_quoted_identifier:b is_schema_bound:b=0 \
    uses_database_collation:b=0 is_recompiled:b=0 null_on_null_input:b=0 execute_as_principal_id:i=null \
    uses_native_compilation:b=0 inline_type:b=0 is_inlineable:b=0";

const TYPE: &str = "name:n system_type_id:t user_type_id:i schema_id:i principal_id:i=null max_length:s precision:t \
    scale:t collation_name:n is_nullable:b is_user_defined:b is_assembly_type:b default_object_id:i=0 \
    rule_object_id:i=0 is_table_type:b";

const TABLE_TYPE: &str = "name:n system_type_id:t=243 user_type_id:i schema_id:i principal_id:i=null max_length:s=-1 \
    precision:t=0 scale:t=0 collation_name:n=null is_nullable:b=0 is_user_defined:b=1 is_assembly_type:b=0 \
    default_object_id:i=0 rule_object_id:i=0 is_table_type:b=1 type_table_object_id:i is_memory_optimized:b=0";

const SEQUENCE: &str = "name:n object_id:i principal_id:i=null schema_id:i parent_object_id:i=0 type:c2=SO \
    type_desc:n60=SEQUENCE_OBJECT create_date:d modify_date:d is_ms_shipped:b=0 is_published:b=0 \
    is_schema_published:b=0 start_value:l increment:l minimum_value:l maximum_value:l is_cycling:b is_cached:b=1 \
    cache_size:i=null system_type_id:t user_type_id:i precision:t scale:t=0 current_value:l \
    is_exhausted:b=0 last_used_value:l=null";

const SYNONYM: &str = "name:n object_id:i principal_id:i=null schema_id:i parent_object_id:i type:c2 type_desc:n60 \
    create_date:d modify_date:d is_ms_shipped:b=0 is_published:b=0 is_schema_published:b=0 base_object_name:n1035";

const DEPENDENCY: &str = "referencing_id:i referencing_minor_id:i referencing_class:t referencing_class_desc:n60 \
    is_schema_bound_reference:b referenced_class:t referenced_class_desc:n60 referenced_server_name:n \
    referenced_database_name:n referenced_schema_name:n referenced_entity_name:n referenced_id:i referenced_minor_id:i \
    is_caller_dependent:b is_ambiguous:b";

fn object(facts: &Facts<'_>, object: &Object) -> Vec<Value> {
    row![
        &object.name,
        object.id,
        object.schema,
        object.parent,
        object.kind,
        object.description(),
        facts.started(),
        facts.started()
    ]
}

fn objects(facts: &Facts<'_>, kinds: &[&str]) -> Rows {
    let is_shown = |of: &&Object| match kinds.is_empty() {
        true => !matches!(of.kind, "UDT" | "TT"),
        false => kinds.contains(&of.kind),
    };
    facts.objects().filter(is_shown).map(|of| object(facts, of)).collect()
}

/// A row of the system's own objects, which have numbers below 0.
fn system_object(facts: &Facts<'_>, number: usize, name: &str, schema: i64, kind: (&str, &str)) -> Vec<Value> {
    let number = super::number_of_view(number);
    row![name, number, schema, kind.0, kind.1, facts.started(), facts.started()]
}

fn system_views(facts: &Facts<'_>) -> Rows {
    let row = |(number, view): (usize, &View)| match view.name.split_once('.') {
        Some(("sys", name)) => system_object(facts, number, name, 4, ("V ", "VIEW")),
        _ => {
            let name = view.name.rsplit('.').next().unwrap_or_default().to_uppercase();
            system_object(facts, number, &name, 3, ("V ", "VIEW"))
        }
    };
    super::all().enumerate().map(row).collect()
}

fn system_objects(facts: &Facts<'_>) -> Rows {
    let mut rows = system_views(facts);
    for name in crate::system::names() {
        rows.push(system_object(facts, rows.len(), name, 4, ("P ", "SQL_STORED_PROCEDURE")));
    }
    rows
}

fn tables(facts: &Facts<'_>) -> Rows {
    let table = |of: &Object| {
        let mut row = object(facts, of);
        row.push(Value::Integer(of.columns.iter().map(|column| column.id).max().unwrap_or(0)));
        row
    };
    facts.of(&["U"]).map(table).collect()
}

fn triggers(facts: &Facts<'_>) -> Rows {
    let row = |of: &Object| {
        let StatementKind::Trigger(trigger) = &of.statement.as_ref()?.kind else { return None };
        Some(row![
            &of.name,
            of.id,
            of.parent,
            of.kind,
            of.description(),
            facts.started(),
            facts.started(),
            facts.modules.is_disabled(of),
            trigger.not_for_replication,
            trigger.instead
        ])
    };
    facts.of(&["TR"]).filter_map(row).collect()
}

fn trigger_events(facts: &Facts<'_>) -> Rows {
    let mut rows = Vec::new();
    for of in facts.of(&["TR"]) {
        let Some(StatementKind::Trigger(trigger)) = of.statement.as_ref().map(|statement| &statement.kind) else {
            continue;
        };
        for event in &trigger.events {
            let number = match event.as_str() {
                "INSERT" => 1,
                "UPDATE" => 2,
                _ => 3,
            };
            rows.push(row![of.id, number, event]);
        }
    }
    rows
}

fn modules(facts: &Facts<'_>) -> Rows {
    let row = |of: &Object| {
        let has = |switch: Switches| of.made_under.has(switch);
        Some(row![of.id, of.text.as_deref()?, has(Switches::ANSI_NULLS), has(Switches::QUOTED_IDENTIFIER)])
    };
    facts.of(&["P", "FN", "IF", "TF", "TR", "V"]).filter_map(row).collect()
}

fn schemas(facts: &Facts<'_>) -> Rows {
    facts.catalog.schemas.iter().map(|(id, name)| row![name, *id, if *id <= 4 { *id } else { 1 }]).collect()
}

fn types(facts: &Facts<'_>) -> Rows {
    let collation = |is_text: bool| is_text.then_some(crate::catalog::COLLATION);
    let mut rows: Rows = system_types()
        .map(|(name, system, user)| {
            let known = mainstay_tsql_types::operation::data_type(name);
            let (length, precision, scale) = largest(name);
            let is_text = known.is_some_and(|data_type| data_type.is_text()) || name == "sysname";
            let is_nullable = !matches!(name, "sysname" | "timestamp");
            row![
                name,
                system,
                user,
                4,
                length,
                precision,
                scale,
                collation(is_text),
                is_nullable,
                false,
                system == 240,
                false
            ]
        })
        .collect();
    for of in facts.catalog.objects.iter().filter(|of| matches!(of.kind, "UDT" | "TT")) {
        let id = Catalog::user_type_id(of);
        let Some(StatementKind::CreateType(create)) = of.statement.as_ref().map(|statement| &statement.kind) else {
            continue;
        };
        match create.as_ref() {
            CreateType::Alias(_, declared, nullable) => {
                let Some(known) = facts.modules.resolved_type(declared) else { continue };
                rows.push(row![
                    &of.name,
                    i64::from(known.system_type_id()),
                    id,
                    of.schema,
                    i64::from(known.max_length()),
                    i64::from(known.precision()),
                    i64::from(known.scale()),
                    collation(known.is_text()),
                    nullable.unwrap_or(true),
                    true,
                    false,
                    false
                ]);
            }
            _ => rows.push(row![&of.name, 243, id, of.schema, -1, 0, 0, Value::Null, false, true, false, true]),
        }
    }
    rows
}

/// Length, precision and scale of a type as `sys.types` has them.
fn largest(name: &str) -> (i64, i64, i64) {
    match name {
        "image" | "text" | "ntext" => (16, 0, 0),
        "uniqueidentifier" => (16, 0, 0),
        "date" => (3, 10, 0),
        "time" => (5, 16, 7),
        "datetime2" => (8, 27, 7),
        "datetimeoffset" => (10, 34, 7),
        "tinyint" => (1, 3, 0),
        "smallint" => (2, 5, 0),
        "int" => (4, 10, 0),
        "smalldatetime" => (4, 16, 0),
        "real" => (4, 24, 0),
        "money" => (8, 19, 4),
        "datetime" => (8, 23, 3),
        "float" => (8, 53, 0),
        "sql_variant" => (8016, 0, 0),
        "bit" => (1, 1, 0),
        "decimal" | "numeric" => (17, 38, 38),
        "smallmoney" => (4, 10, 4),
        "bigint" => (8, 19, 0),
        "hierarchyid" => (892, 0, 0),
        "geometry" | "geography" | "xml" => (-1, 0, 0),
        "timestamp" => (8, 0, 0),
        "sysname" => (256, 0, 0),
        _ => (8000, 0, 0),
    }
}

fn table_types(facts: &Facts<'_>) -> Rows {
    let types = facts.catalog.objects.iter().filter(|of| of.kind == "TT");
    types.map(|of| row![&of.name, Catalog::user_type_id(of), of.schema, of.id]).collect()
}

fn synonyms(facts: &Facts<'_>) -> Rows {
    let row = |of: &Object| {
        let StatementKind::CreateSynonym(_, target) = &of.statement.as_ref()?.kind else { return None };
        let mut row = object(facts, of);
        let parts: Vec<String> = target.parts.iter().map(|part| format!("[{}]", part.text)).collect();
        row.push(Value::Text(parts.join(".")));
        Some(row)
    };
    facts.of(&["SN"]).filter_map(row).collect()
}

fn sequences(facts: &Facts<'_>) -> Rows {
    let row = |of: &Object| {
        let Detail::Sequence(sequence) = &of.detail else { return None };
        let data_type = crate::definitions::sequences::type_of(sequence);
        Some(row![
            &of.name,
            of.id,
            of.schema,
            facts.started(),
            facts.started(),
            sequence.start,
            sequence.increment,
            sequence.minimum,
            sequence.maximum,
            sequence.cycle,
            i64::from(data_type.system_type_id()),
            i64::from(data_type.system_type_id()),
            i64::from(data_type.precision()),
            facts.current_value(sequence)
        ])
    };
    facts.of(&["SO"]).filter_map(row).collect()
}
