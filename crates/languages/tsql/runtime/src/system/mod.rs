//! System procedures that are written in T-SQL, over the views of the catalog: `sp_columns`, `sp_help` and their like.
//!
//! Each is a file of this folder with one CREATE PROCEDURE, which is parsed at the first call. Those that need the
//! session itself are in [`procedures`](crate::objects::procedures).

use crate::objects::modules::{OF_SYSTEM, Object, read};
use mainstay_tsql_syntax::tree::ObjectName;
use std::sync::OnceLock;

/// A procedure: its text, and what is made of it when it is first called.
struct Text {
    name: &'static str,
    text: &'static str,
    object: OnceLock<Option<Object>>,
    /// The same over the views of `tempdb`, for calls there.
    of_temporary: OnceLock<Option<Object>>,
}

/// Procedures that describe temporary tables when they are called as procedures of `tempdb`.
const OF_TEMPORARY: [&str; 3] = ["sp_help", "sp_helpconstraint", "sp_helpindex"];

/// The procedures, by the names of their files.
macro_rules! texts {
    ($($name:literal),* $(,)?) => {
        [$(Text {
            name: $name,
            text: include_str!(concat!($name, ".sql")),
            object: OnceLock::new(),
            of_temporary: OnceLock::new(),
        }),*]
    };
}

static TEXTS: [Text; 60] = texts![
    "sp_addrole",
    "sp_addrolemember",
    "sp_addtype",
    "sp_bindefault",
    "sp_column_privileges",
    "sp_columns",
    "sp_columns_100",
    "sp_configure",
    "sp_databases",
    "sp_datatype_info",
    "sp_datatype_info_100",
    "sp_depends",
    "sp_droprole",
    "sp_droprolemember",
    "sp_droptype",
    "sp_fkeys",
    "sp_getapplock",
    "sp_help",
    "sp_helpconstraint",
    "sp_helpdb",
    "sp_helpfile",
    "sp_helpindex",
    "sp_helprole",
    "sp_helptrigger",
    "sp_helpuser",
    "sp_linkedservers",
    "sp_lock",
    "sp_mainstay_datatype_info",
    "sp_mainstay_foreach",
    "sp_mainstay_special_columns",
    "sp_msforeachdb",
    "sp_msforeachtable",
    "sp_pkeys",
    "sp_procedure_params_100_managed",
    "sp_procedure_params_managed",
    "sp_procedure_params_rowset",
    "sp_recompile",
    "sp_refreshsqlmodule",
    "sp_refreshview",
    "sp_releaseapplock",
    "sp_sequence_get_range",
    "sp_server_info",
    "sp_spaceused",
    "sp_special_columns",
    "sp_special_columns_100",
    "sp_sproc_columns",
    "sp_sproc_columns_100",
    "sp_statistics",
    "sp_statistics_100",
    "sp_stored_procedures",
    "sp_table_privileges",
    "sp_tablecollations_100",
    "sp_tableoption",
    "sp_tables",
    "sp_updatestats",
    "sp_who",
    "sp_who2",
    "sp_xml_preparedocument",
    "sp_xml_removedocument",
    "xp_msver",
];

/// The system procedure of this name: with the schema `sys` or `dbo`, or with none.
pub(crate) fn find(name: &ObjectName) -> Option<&'static Object> {
    let schema = name.parts.len().checked_sub(2).and_then(|place| name.parts.get(place));
    let is_open = schema.is_none_or(|schema| schema.is("sys") || schema.is("dbo") || schema.text.is_empty());
    let last = name.last();
    let known = TEXTS.iter().find(|known| known.name.eq_ignore_ascii_case(last)).filter(|_| is_open)?;
    let database = name.parts.len().checked_sub(3).and_then(|place| name.parts.get(place));
    if database.is_some_and(|database| database.is("tempdb")) && OF_TEMPORARY.contains(&known.name) {
        return known.of_temporary.get_or_init(|| object_of_temporary(known)).as_ref();
    }
    known.object.get_or_init(|| object(known)).as_ref()
}

/// A procedure whose views are those of `tempdb`.
fn object_of_temporary(known: &Text) -> Option<Object> {
    const NAMED: &str = "OBJECT_ID(CASE WHEN @objname LIKE 'tempdb.%' THEN @objname ELSE 'tempdb..' + @objname END)";
    let text = known.text.replace("FROM sys.", "FROM tempdb.sys.").replace("JOIN sys.", "JOIN tempdb.sys.");
    let text = text.replace("EXEC sys.", "EXEC tempdb.sys.").replace("OBJECT_ID(@objname)", NAMED);
    let made = read(text.replace("= DB_NAME()", "= 'tempdb'"), OF_SYSTEM)?;
    let (key, name) = (format!("{PREFIX}tempdb.{}", known.name), format!("sys.{}", known.name));
    Some(Object { key, name, kind: "P".to_owned(), ..made })
}

/// The names of the system procedures that users know.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    TEXTS.iter().map(|known| known.name).filter(|name| !name.starts_with("sp_mainstay"))
}

/// The system's functions of rows.
static FUNCTIONS: [Text; 19] = texts![
    "dm_db_incremental_stats_properties",
    "dm_db_index_operational_stats",
    "dm_db_index_physical_stats",
    "dm_db_stats_histogram",
    "dm_db_stats_properties",
    "dm_exec_input_buffer",
    "dm_exec_plan_attributes",
    "dm_exec_query_plan",
    "dm_exec_query_plan_stats",
    "dm_exec_query_statistics_xml",
    "dm_exec_sql_text",
    "dm_exec_text_query_plan",
    "dm_io_virtual_file_stats",
    "dm_os_volume_stats",
    "dm_sql_referenced_entities",
    "dm_sql_referencing_entities",
    "fn_helpcollations",
    "fn_listextendedproperty",
    "fn_my_permissions",
];

/// The system function of this name.
pub(crate) fn function(name: &ObjectName) -> Option<&'static Object> {
    let last = name.last();
    let known = FUNCTIONS.iter().find(|known| known.name.eq_ignore_ascii_case(last))?;
    known.object.get_or_init(|| object(known)).as_ref()
}

/// The key that a system procedure has among the objects, which no object of a database has.
pub(crate) const PREFIX: &str = "sys.system:";

fn object(known: &Text) -> Option<Object> {
    let made = read(known.text.to_owned(), OF_SYSTEM)?;
    let (key, name) = (format!("{PREFIX}{}", known.name), format!("sys.{}", known.name));
    Some(Object { key, name, kind: "P".to_owned(), ..made })
}

#[cfg(test)]
mod tests {
    use super::{FUNCTIONS, TEXTS, names, object};
    use mainstay_tsql_syntax::tree::StatementKind;

    /// Every file is one procedure that bears the file's name.
    #[test]
    fn every_text_is_a_procedure_of_its_name() {
        for known in &TEXTS {
            let parsed = mainstay_tsql_syntax::parse(known.text, mainstay_tsql_syntax::Options::default());
            assert!(parsed.errors.is_empty(), "{}: {:?}", known.name, parsed.errors);
            assert_eq!(parsed.statements.len(), 1, "{}", known.name);
            let made = object(known).expect("an object");
            let StatementKind::Procedure(procedure) = &made.statement.kind else {
                panic!("{}: no procedure", known.name)
            };
            assert_eq!(procedure.name.last(), known.name);
        }
    }

    /// `mainstay assess` knows the system's objects by a list of the syntax crate; UPDATE_REFERENCE=1 writes it.
    #[test]
    fn the_list_of_the_assessment_is_this_one() {
        use mainstay_vfs::{Create, Disk, FileSystem};
        let views = crate::views::names().map(|name| format!("view {name}"));
        let functions = FUNCTIONS.iter().map(|known| format!("function {}", known.name));
        let procedures = names().chain(crate::objects::procedures::names()).map(|name| format!("procedure {name}"));
        let mut lines: Vec<String> = views.chain(functions).chain(procedures).collect();
        lines.sort();
        lines.dedup();
        let wanted = lines.join("\n") + "\n";
        if std::env::var_os("UPDATE_REFERENCE").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../syntax/src/compatibility/system_objects.txt");
            let file = Disk.create(path.as_ref(), Create::Truncate).unwrap();
            file.write_at(wanted.as_bytes(), 0).unwrap();
            return;
        }
        assert_eq!(mainstay_tsql_syntax::compatibility::SYSTEM_OBJECTS, wanted);
    }
}
