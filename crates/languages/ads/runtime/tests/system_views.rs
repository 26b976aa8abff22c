//! The columns of the system views, in their order, as the help pages of Advantage Database Server 12 name them (`ads-02`).

use mainstay_ads_runtime::Session;
use mainstay_area_session::SqlSession;
use mainstay_engine::Database;
use std::sync::Arc;

/// The views with the columns of their pages.
const PAGES: [(&str, &str); 11] = [
    (
        "tables",
        "Name,Table_Relative_Path,Table_Type,Table_Auto_Create,Table_Primary_Key,Table_Default_Index,Table_Encryption,\
         Table_Permission_Level,Table_Memo_Block_Size,Table_Validation_Expr,Table_Validation_Msg,Comment,User_Defined_Prop,\
         Triggers_Disabled,Table_Caching,Table_Trans_Free,Table_WEB_Delta,Table_Concurrency_Enabled",
    ),
    (
        "columns",
        "Name,Parent,Field_Num,Field_Type,Field_Length,Field_Decimal,Field_Min_Value,Field_Max_Value,Field_Can_Be_Null,\
         Field_Default_Value,Field_Validation_Msg,Comment,User_Defined_Prop,Field_Options",
    ),
    (
        "indexes",
        "Name,Parent,Index_File_Name,Index_Expression,Index_Condition,Index_Options,Index_Key_Length,Index_FTS_Min_Length,\
         Index_FTS_Delimiters,Index_FTS_Noise,Index_FTS_Drop_Chars,Index_FTS_Conditional_Chars,Comment,Index_Collation",
    ),
    ("views", "Name,View_Stmt_Len,View_Stmt,Comment"),
    (
        "storedprocedures",
        "Name,Proc_Input,Proc_Output,Proc_DLL_Name,Proc_DLL_Function_Name,Comment,Proc_Invoke_Option,SQL_Script",
    ),
    ("functions", "Name,Package,Return Type,Input Parameters,Implementation,Comment,User_Defined_Prop"),
    (
        "triggers",
        "Name,Trig_TableName,Trig_Event_Type,Trig_Trigger_Type,Trig_Container_Type,Trig_Container,Trig_Function_Name,\
         Trig_Priority,Trig_Options,Comment",
    ),
    ("publications", "Name,Comment,Options,User_Defined_Prop"),
    (
        "publicationarticles",
        "Name,Parent,Ident_Columns,Filter,Include_Columns,Exclude_Columns,Update_Merge,Insert_Merge",
    ),
    (
        "subscriptions",
        "Name,Publication,Target,Target_UserName,Replication_Queue,Forward,Enabled,Comment,Options,User_Defined_Prop,Paused,\
         TCP/IP,UDP/IP,IPX",
    ),
    (
        "relations",
        "Name,RI_Primary_Table,RI_Primary_Index,RI_Foreign_Table,RI_Foreign_Index,RI_UpdateRule,RI_DeleteRule,\
         RI_No_Pkey_Error,RI_Cascade_Error",
    ),
];

fn columns(session: &mut Session, view: &str) -> Vec<String> {
    let outcome = session.execute(&format!("SELECT * FROM system.{view}"), &[]).expect(view);
    outcome.columns.iter().map(|column| column.name.to_lowercase()).collect()
}

#[test]
fn system_views_have_the_columns_of_their_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Arc::new(Database::open_with(folder.path(), mainstay_ads_runtime::options()).expect("a database"));
    let mut session = Session::new(database, folder.path(), "");
    for (view, page) in PAGES {
        let expected: Vec<String> = page.split(',').map(str::to_lowercase).collect();
        assert_eq!(columns(&mut session, view), expected, "system.{view}");
        if !matches!(view, "indexes" | "publications" | "subscriptions" | "relations") {
            assert_eq!(columns(&mut session, &format!("ansi_{view}")), expected, "system.ansi_{view}");
        }
    }
    // Views whose texts have no Unicode in the first place have no twin, and what is named by half is no view.
    for unknown in ["ansi_relations", "ansi_", "ansi_nothing", "ansi_ansi_tables"] {
        assert!(session.execute(&format!("SELECT * FROM system.{unknown}"), &[]).is_err(), "{unknown}");
    }
}

/// A tool that compares dictionaries reads the scripts of procedures and views.
#[test]
fn scripts_of_procedures_and_views_are_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Arc::new(Database::open_with(folder.path(), mainstay_ads_runtime::options()).expect("a database"));
    let mut session = Session::new(database, folder.path(), "");
    for statement in [
        "CREATE TABLE stock (id Integer)",
        "CREATE VIEW ids AS SELECT id FROM stock",
        "CREATE PROCEDURE Twice(n Integer, m Integer OUTPUT) BEGIN INSERT INTO __output SELECT n * 2 FROM __input; END",
    ] {
        session.execute(statement, &[]).expect(statement);
    }
    let mut first = |sql: &str| {
        let outcome = session.execute(sql, &[]).expect(sql);
        outcome.rows.first().expect("a row").iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let script = first("SELECT SQL_Script FROM system.storedprocedures");
    assert!(script[0].contains("n * 2"), "{script:?}");
    let view = first("SELECT View_Stmt_Len, LENGTH(View_Stmt), View_Stmt FROM system.ansi_views");
    assert_eq!(view[0], view[1]);
    assert!(view[2].contains("SELECT id FROM stock"), "{view:?}");
}
