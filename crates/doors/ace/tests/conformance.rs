//! Every entry, called with wrong arguments: with nothing at all, with a handle of another kind, with a closed handle.
//! None may crash; each returns a failure, unless it has nothing to refuse. Those that are not implemented say so.
//!
//! The program is generated from the table of entries, so that no entry is left out.

extern crate mainstay_ace as ace;

mod common;

use std::fmt::Write;

use ace::entries::{self, Entry};
use common::{compile_text, folder_of_tables, run};

/// Entries for which zeros and NULLs are valid arguments.
const CONTENT_WITH_NOTHING: &[&str] = &[
    "AdsApplicationExit",
    "AdsBeginTransaction",
    "AdsCacheOpenCursors",
    "AdsCacheOpenTables",
    "AdsClearCallbackFunction",
    "AdsClearDefault",
    "AdsClearLastError",
    "AdsClearProgressCallback",
    "AdsClearSQLAbortFunc",
    "AdsCloseAllTables",
    "AdsCloseCachedTables",
    "AdsCommitTransaction",
    "AdsConvertStringToMilliseconds",
    "AdsDisconnect",
    "AdsGetLastError",
    "AdsMemLwr",
    "AdsMemLwr90",
    "AdsNullTerminateStrings",
    "AdsRollbackTransaction",
    "AdsSetDecimals",
    "AdsSetDefault",
    "AdsSetExact",
    "AdsSetLastError",
    "AdsSetSearchPath",
    "AdsShowDeleted",
    "AdsShowError",
    "AdsThreadExit",
    "AdsValidateThread",
    "AdsWriteAllRecords",
];

/// A value for a parameter of a C type, where only the first handle is wrong.
fn plausible(kind: &str) -> &'static str {
    match kind {
        "ADSHANDLE " => "0",
        "UNSIGNED8 *" => "bytes",
        "void *" => "bytes",
        "WCHAR *" => "wide",
        "ADSCALLBACK " | "ADSCALLBACK101 " | "ADSPROGRESSCALLBACK " => "NULL",
        kind if kind.ends_with('*') => "numbers",
        _ => "1",
    }
}

fn call(entry: &Entry, first: &str) -> String {
    let rest = entry.parameters.iter().skip(1).map(|(_, kind)| match *kind {
        "SIGNED16 *" | "UNSIGNED16 *" | "SIGNED32 *" | "UNSIGNED32 *" | "SIGNED64 *" | "UNSIGNED64 *" | "double *"
        | "ADSHANDLE *" | "UNSIGNED8 **" => format!("( {kind}) numbers"),
        kind => plausible(kind).to_owned(),
    });
    let arguments: Vec<String> = std::iter::once(first.to_owned()).chain(rest).collect();
    format!("{}( {} )", entry.name, arguments.join(", "))
}

#[test]
fn nothing_at_all_is_refused() {
    let mut text = String::from("#include \"check.h\"\nint main( void )\n{\n");
    for entry in entries::all() {
        let zeros: Vec<&str> =
            entry.parameters.iter().map(|(_, kind)| if kind.ends_with('*') { "NULL" } else { "0" }).collect();
        let call = format!("{}( {} )", entry.name, zeros.join(", "));
        let _ = match entry.done {
            false => writeln!(text, "   ANSWERS( AE_NOT_IMPLEMENTED, {call} );"),
            true if CONTENT_WITH_NOTHING.contains(&entry.name) => writeln!(text, "   ( void ) {call};"),
            true => writeln!(text, "   TRUE_THAT( {call} != AE_SUCCESS );"),
        };
    }
    text.push_str("   END();\n}\n");
    run(&compile_text(&text, &[]), &[]);
}

#[test]
fn handles_of_another_kind_are_refused() {
    let mut text = String::from(
        "#include \"check.h\"\n\
         static int refused( UNSIGNED32 code )\n{\n\
         \x20  return code == AE_INVALID_HANDLE || code == AE_INVALID_TABLE_HANDLE || code == AE_INVALID_INDEX_HANDLE ||\n\
         \x20         code == AE_INVALID_CONNECTION_HANDLE || code == AE_INVALID_SQLSTATEMENT_HANDLE;\n}\n\
         int main( int count, char ** arguments )\n{\n\
         \x20  ADSHANDLE server = 0, closed = 0;\n   UNSIGNED8 bytes[ 65536 ];\n   WCHAR wide[ 4096 ];\n   UNSIGNED64 numbers[ 64 ];\n\
         \x20  if( count < 2 )\n      return 2;\n   OK( AdsMgConnect( T( arguments[ 1 ] ), NULL, NULL, &server ) );\n\
         \x20  OK( AdsConnect60( T( arguments[ 1 ] ), ADS_LOCAL_SERVER, NULL, NULL, ADS_DEFAULT, &closed ) );\n\
         \x20  OK( AdsDisconnect( closed ) );\n",
    );
    let takes_any = ["AdsFindClose", "AdsGetHandleLong", "AdsSetHandleLong", "AdsGetHandleINT64", "AdsSetHandleINT64"];
    let with_handle = entries::all()
        .filter(|entry| entry.done && entry.parameters.first().is_some_and(|(_, kind)| *kind == "ADSHANDLE "))
        .filter(|entry| !takes_any.contains(&entry.name) && !entry.name.starts_with("AdsMg"))
        .filter(|entry| !matches!(entry.name, "AdsSetExact22" | "AdsGetExact22"));
    for entry in with_handle {
        let _ = writeln!(
            text,
            "   memset( bytes, 'x', sizeof( bytes ) ); bytes[ 64 ] = 0; memset( numbers, 0, sizeof( numbers ) ); numbers[ 0 ] = 32; \
             wide[ 0 ] = 'x'; wide[ 1 ] = 0;"
        );
        // A management connection is no object of any of these; the others are closed, and made up.
        for handle in ["server", "closed", "( ADSHANDLE ) 0x7FFFFFFF"] {
            let call = call(entry, handle);
            let _ = writeln!(text, "   TRUE_THAT( refused( {call} ) );");
        }
    }
    text.push_str("   OK( AdsMgDisconnect( server ) );\n   END();\n}\n");
    let tables = folder_of_tables();
    run(&compile_text(&text, &["-Wno-array-parameter"]), &[tables.path()]);
}

#[test]
fn what_is_not_done_is_logged() {
    let folder = folder_of_tables();
    let log = folder.path().join("log.txt");
    let text = format!(
        "#include \"check.h\"\nint main( void )\n{{\n   setenv( \"MAINSTAY_ACE_LOG\", \"{}\", 1 );\n   \
         ANSWERS( AE_NOT_IMPLEMENTED, AdsDDCreateASA( 0, NULL, 0, NULL, NULL ) );\n   END();\n}}\n",
        log.display()
    );
    run(&compile_text(&text, &[]), &[]);
    let written = mainstay_vfs::FileSystem::read(&mainstay_vfs::Disk, &log).unwrap();
    let written = String::from_utf8(written).unwrap();
    assert!(written.contains("AdsDDCreateASA is not supported"), "{written}");
}

#[test]
fn the_header_is_also_for_cpp() {
    let program = compile_text("#include \"ace.h\"\nint main( void ) { return 0; }\n", &["-x", "c++", "-std=c++11"]);
    run(&program, &[]);
}
