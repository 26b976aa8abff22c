//! A folder with tables, scripts and programs of all kinds, and the report that it must give, derived by hand.

#![allow(clippy::disallowed_methods)]

use mainstay_assess::{Dialect, Report, Request, TableSettings, Verdict, assess, write_html, write_json, write_text};
use mainstay_types::compatibility::Support;
use mainstay_types::{Date, Timestamp, ValueRef};
use mainstay_vfs::{FileSystem, Memory};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{Building, IndexSpec, IndexedTable};
use mainstay_xbase::writer::{self, Access, WriteOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn options() -> WriteOptions {
    let clock = || Timestamp::new(Date::from_ymd(2026, 11, 22).unwrap(), 0);
    WriteOptions { clock, ..WriteOptions::new(Access::Exclusive) }
}

/// A table of names and numbers with two tags, the second of which lists each number once; 20 records, one of which is deleted.
fn table(fs: &Arc<dyn FileSystem>, path: &Path) {
    fs.create_folder(path.parent().unwrap()).unwrap();
    let fields = vec![
        FieldSpec::new("name", b'C', 12, 0),
        FieldSpec::new("number", b'N', 8, 2),
        FieldSpec::new("note", b'M', 0, 0),
    ];
    writer::create(&**fs, path, &TableSpec::new(Format::FoxPro, fields), &options()).unwrap();
    let mut table = IndexedTable::open(Arc::clone(fs), path, options()).unwrap();
    for row in 0..20_i64 {
        let name = format!("name {row}");
        table.append(&[ValueRef::Text(&name), ValueRef::Integer(row / 2), ValueRef::Text("a note")]).unwrap();
    }
    for spec in [IndexSpec::new("NAME", "UPPER(NAME)"), IndexSpec { unique: true, ..IndexSpec::new("NUM", "NUMBER") }] {
        table.create_index(None, BagKind::Cdx, &spec, Building::default()).unwrap();
    }
    table.delete(3).unwrap();
    table.close().unwrap();
}

fn report(fs: &Arc<dyn FileSystem>, paths: &[&str], dialect: Option<Dialect>) -> Report {
    let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    let settings = |_: &Path| Ok(TableSettings::default());
    assess(fs, &Request { paths: &paths, dialect, settings: &settings }).unwrap()
}

/// Findings as `class: construct subject x count at file:line`.
fn findings(report: &Report) -> Vec<String> {
    let shown = report.findings.iter().map(|it| {
        let place = it.places.first().map(|at| format!("{}:{}", at.path.display(), at.line)).unwrap_or_default();
        format!("{}: {} {} x{} {place}", it.construct.support.name(), it.construct.id, it.subject, it.count)
    });
    let mut shown: Vec<String> = shown.collect();
    shown.sort();
    shown
}

fn texts(report: &Report) -> [String; 3] {
    [write_text, write_json, write_html].map(|write| {
        let mut out = Vec::new();
        write(report, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    })
}

#[test]
fn a_mixed_folder_is_reported_as_it_is() {
    let memory = Memory::new();
    memory.write("shop/notes.csv", "id,price\n1,2.5\n2,3.5\n");
    let wide: Vec<u8> = "\u{feff}SELECT a FROM t WITH (NOLOCK)\r\nGO\r\nEXEC xp_cmdshell 'dir'\r\nGO\r\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    memory.write("shop/sql/wide.sql", wide);
    memory.write(
        "shop/sql/view.sql",
        ":setvar db other\nSELECT 1\nGO\nSELECT x FROM $(db).dbo.t\nGO\nGRANT SELECT ON t TO ann\n",
    );
    memory.write("shop/sql/count.spl", "CREATE FUNCTION f() RETURNING INT; RETURN 1 WITH RESUME; END FUNCTION;");
    memory.write("shop/programs/menu.bas", "0010 PRINT \"hello\"\n0020 GOTO 9000\n0030 IF A>1 THEN START 10\n");
    memory.write("shop/old.mdx", "");
    memory.write("shop/.hidden/x.sql", "SELECT FROM");
    let fs: Arc<dyn FileSystem> = Arc::new(memory);
    table(&fs, Path::new("shop/stock.dbf"));
    let report = report(&fs, &["shop"], None);

    let tables: Vec<_> = report
        .tables
        .iter()
        .map(|it| (it.path.to_str().unwrap(), it.kind.as_str(), it.columns, it.rows, it.deleted))
        .collect();
    assert_eq!(tables, [("shop/notes.csv", "CSV", 2, 2, 0), ("shop/stock.dbf", "DBF (FoxPro 2)", 3, 19, 1)]);
    let stock = &report.tables[1];
    assert_eq!(stock.memo.as_ref().unwrap().path, Path::new("shop/stock.fpt"));
    let page = stock.code_page.as_ref().unwrap();
    assert_eq!((page.name.as_str(), page.evidence, page.letters), ("cp437", "header", 0));
    let tags: Vec<_> = stock.tags.iter().map(|tag| (tag.name.as_str(), tag.state, tag.keys)).collect();
    assert_eq!(tags, [("NAME", "usable", Some(20)), ("NUM", "not used", Some(10))]);

    assert_eq!(
        findings(&report),
        [
            "ignored: grant  x1 shop/sql/view.sql:6",
            "ignored: unused-tag  x1 shop/stock.cdx:0",
            "not supported: program no line with this number or a higher one x1 shop/programs/menu.bas:2",
            "not supported: system-procedure xp_cmdshell x1 shop/sql/wide.sql:3",
            "review performance: return-with-resume  x1 shop/sql/count.spl:1",
            "review semantics: mdx  x1 shop:0",
            "review semantics: other-database other x1 shop/sql/view.sql:4",
            "review semantics: partial-item START x1 shop/programs/menu.bas:3",
            "review semantics: read-uncommitted NOLOCK x1 shop/sql/wide.sql:1",
        ]
    );
    assert_eq!(report.verdict(), Verdict::Changes);
    let classes = Support::ALL.map(|support| report.class(support).uses);
    // Statements: 3 and 2 of T-SQL, 2 of SPL, 3 lines of BASIC; 7 lines have a finding.
    assert_eq!(classes, [2, 4, 1, 2, 3]);
    let dialects: Vec<_> = report.files.iter().map(|file| file.dialect.name()).collect();
    assert_eq!(dialects, ["Business BASIC", "Informix SQL", "T-SQL", "T-SQL"]);

    let [text, json, html] = texts(&report);
    assert!(text.starts_with("verdict: changes are needed (not supported: 2, to review: 5)."), "{text}");
    assert!(
        text.contains("1 x xp_cmdshell: shop/sql/wide.sql:3\n") && text.contains("to do: Do it in the program"),
        "{text}"
    );
    assert!(json.starts_with("{\"version\":1,\"paths\":[\"shop\"],\"verdict\":\"changes\""), "{json}");
    assert!(json.contains("\"construct\":\"read-uncommitted\""), "{json}");
    for outside in ["http:", "https:", "<script", "<link", "src="] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert!(html.contains("<code>shop/sql/wide.sql:1</code>") && html.ends_with("</body></html>\n"));
}

/// Nothing to do is an answer, too.
#[test]
fn a_folder_without_findings_is_ready() {
    let memory = Memory::new();
    memory.write("a/one.sql", "CREATE TABLE t (a INT PRIMARY KEY)\nGO\nSELECT a FROM t\n");
    let fs: Arc<dyn FileSystem> = Arc::new(memory);
    let ready = report(&fs, &["a"], None);
    assert_eq!((findings(&ready), ready.verdict()), (vec![], Verdict::Ready));
    assert_eq!(ready.class(Support::Supported).uses, 2);
    let nothing = report(&fs, &["a/one.sql"], Some(Dialect::Informix));
    assert!(!findings(&nothing).is_empty(), "GO is no statement of Informix");
    let settings = |_: &Path| Ok(TableSettings::default());
    let paths = [PathBuf::from("nowhere")];
    assert!(assess(&fs, &Request { paths: &paths, dialect: None, settings: &settings }).is_err());
}

/// A tag that another program did not keep up, a table without a code page, an index that is cut.
#[test]
fn indexes_and_code_pages_tell_their_state() {
    let memory = Memory::new();
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    table(&fs, Path::new("shop/stock.dbf"));
    let index = fs.read(Path::new("shop/stock.cdx")).unwrap();
    let mut bytes = fs.read(Path::new("shop/stock.dbf")).unwrap();
    // The name of the first record is another one than its key, with a letter of code page 437, and the header says no page.
    let first = usize::from(u16::from_le_bytes([bytes[8], bytes[9]])) + 1;
    bytes[first..first + 4].copy_from_slice(b"\x84hre");
    bytes[29] = 0;
    memory.write("shop/stock.dbf", bytes);
    memory.write("shop/stock.cdx", index.clone());
    let stale = report(&fs, &["shop"], None);
    let page = stale.tables[0].code_page.as_ref().unwrap();
    assert_eq!((page.evidence, page.letters), ("assumed", 1));
    assert_eq!(stale.tables[0].tags[0].state, "stale");
    let found = findings(&stale);
    assert!(found.iter().any(|it| it.starts_with("review semantics: assumed-code-page")), "{found:?}");
    assert!(found.iter().any(|it| it.starts_with("review performance: stale-tag")), "{found:?}");

    memory.write("shop/stock.cdx", &index[..index.len() / 2]);
    let cut = report(&fs, &["shop"], None);
    let found = findings(&cut);
    assert!(found.iter().any(|it| it.contains("damaged-") || it.contains("unreadable-values")), "{found:?}");
}

/// A dictionary of Mainstay is used, so it is no finding; one of Advantage and a container are.
#[test]
fn dictionaries_are_named_with_their_objects() {
    let memory = Memory::new();
    let text = "mainstay dictionary 1\nlast 2\nobject table \"\" \"a\" 1\nobject user \"\" \"b\" 2\nobject table \"\" \"c\" 3\nend\n";
    memory.write("d/own.add", text);
    memory.write("d/other.add", "ADS Data Dictionary\0\x01");
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    let fields = vec![FieldSpec::new("objecttype", b'C', 10, 0)];
    writer::create(&*fs, Path::new("d/t.dbf"), &TableSpec::new(Format::FoxPro, fields), &options()).unwrap();
    let mut table = IndexedTable::open(Arc::clone(&fs), Path::new("d/t.dbf"), options()).unwrap();
    for kind in ["Database", "Table", "Table"] {
        table.append(&[ValueRef::Text(kind)]).unwrap();
    }
    table.close().unwrap();
    memory.write("d/shop.dbc", fs.read(Path::new("d/t.dbf")).unwrap());
    let report = report(&fs, &["d"], None);
    let named: Vec<_> = report.dictionaries.iter().map(|it| (it.kind.as_str(), it.contents.as_str())).collect();
    let wanted = [
        ("data dictionary of Advantage", "21 bytes"),
        ("data dictionary of Mainstay", "2 table, 1 user"),
        ("database container of Visual FoxPro", "1 Database, 2 Table"),
    ];
    assert_eq!(named, wanted);
    let found = findings(&report);
    assert_eq!(
        found,
        [
            "review semantics: data-dictionary  x1 d/other.add:0",
            "review semantics: database-container  x1 d/shop.dbc:0"
        ]
    );
}

/// Files cut at every byte, and noise under every extension: a line for each, never a crash.
#[test]
fn damaged_files_are_lines_of_the_report() {
    let memory = Memory::new();
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    table(&fs, Path::new("whole/stock.dbf"));
    let whole = fs.read(Path::new("whole/stock.dbf")).unwrap();
    for end in (0..whole.len()).step_by(7) {
        memory.write("cut/stock.dbf", &whole[..end]);
        let report = report(&fs, &["cut"], None);
        assert_eq!(report.tables.len(), 1, "{end}");
        assert!(report.verdict() != Verdict::Ready, "{end}: a cut table is no reason to go on");
        texts(&report);
    }
    let noise: Vec<u8> = (0..4096_u32).map(|place| (place.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let extensions = "dbf adt csv parquet cdx idx ntx adi sql spl bas sqlproj dacpac dbc add mdx fpt";
    for (number, extension) in extensions.split(' ').enumerate() {
        memory.write(format!("noise/f{number}.{extension}"), &noise[number..]);
        memory.write(format!("noise/empty{number}.{extension}"), "");
    }
    let report = report(&fs, &["noise"], None);
    assert_eq!(report.verdict(), Verdict::Changes);
    assert!(report.unread.iter().any(|(path, _)| path.ends_with("f8.sql")), "{:?}", report.unread);
    texts(&report);
}

/// Scripts of every dialect cut at every byte, in every dialect.
#[test]
fn cut_scripts_are_lines_of_the_report() {
    let script = "CREATE PROCEDURE p @a INT AS BEGIN IF @a > 1 SELECT 'x' FROM [t] WHERE a IN (1, 2) END\nGO\n\
        DECLARE c CURSOR AS SELECT a FROM t; WHILE FETCH c DO i = i + 1; END;\nFOREACH SELECT a INTO b FROM t {x} END FOREACH;";
    let memory = Memory::new();
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    for end in 0..script.len() {
        memory.write("s/a.sql", &script[..end]);
        for dialect in [None, Some(Dialect::Tsql), Some(Dialect::Ads), Some(Dialect::Informix)] {
            report(&fs, &["s"], dialect);
        }
    }
}

/// The project names one script that exists outside of its folder, and one that does not; the package has two tables.
#[test]
fn projects_and_packages_are_read() {
    let memory = Memory::new();
    memory.write(
        "p/db/db.sqlproj",
        "<Project xmlns=\"http://schemas.microsoft.com/developer/msbuild/2003\"><ItemGroup><Build Include=\"..\\tables\\t.sql\" />\
         <Build Include=\"gone.sql\" /><None Include=\"readme.txt\" /></ItemGroup></Project>",
    );
    memory.write("p/tables/t.sql", "CREATE TABLE t (a hierarchyid)");
    let mut packed = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    packed.start_file("model.xml", zip::write::SimpleFileOptions::default()).unwrap();
    packed
        .write_all(
            b"<DataSchemaModel><Model><Element Type=\"SqlTable\" Name=\"[dbo].[a]\"><Relationship><Entry>\
              <Element Type=\"SqlSimpleColumn\"/></Entry></Relationship></Element><Element Type=\"SqlTable\" Name=\"[dbo].[b]\"/>\
              </Model></DataSchemaModel>",
        )
        .unwrap();
    memory.write("p/db/db.dacpac", packed.finish().unwrap().into_inner());
    let fs: Arc<dyn FileSystem> = Arc::new(memory);
    let report = report(&fs, &["p/db"], None);
    let notes: Vec<_> = report.files.iter().map(|file| (file.path.to_str().unwrap(), file.note.as_str())).collect();
    assert_eq!(
        notes,
        [
            ("p/db/db.dacpac", "a package with 2 SqlTable"),
            ("p/db/db.sqlproj", "a project of 2 scripts, 1 of which do not exist"),
            ("p/tables/t.sql", ""),
        ]
    );
    let found = findings(&report);
    assert!(
        found.contains(&"not supported: spatial-types The type hierarchyid x1 p/tables/t.sql:1".to_owned()),
        "{found:?}"
    );
    assert_eq!(report.unread.len(), 1);
}

/// Statements without a finding are counted, whatever the number of findings and lines of the others.
#[test]
fn a_statement_with_many_findings_is_one() {
    let memory = Memory::new();
    let columns: Vec<String> = (0..20).map(|number| format!("c{number} INT SPARSE")).collect();
    memory.write("s/sparse.sql", format!("CREATE TABLE t (\n{}\n)", columns.join(",\n")));
    memory.write("s/select.sql", ["SELECT a FROM t"; 10].join("; "));
    // A text that cannot be read is no statement; of two statements on a line one is supported.
    memory.write("s/cut.sql", "SELECT FROM\nGO\nDENY SELECT ON t TO ann; SELECT 1");
    memory.write("s/menu.bas", "0010 PRINT 1\n0020 START 10; START 20\n0030 GOTO 9000\n");
    let fs: Arc<dyn FileSystem> = Arc::new(memory);
    let report = report(&fs, &["s"], None);
    let files: Vec<_> = report.files.iter().map(|file| (file.statements, file.supported)).collect();
    assert_eq!(files, [(2, 1), (3, 1), (10, 10), (1, 0)]);
    let sparse = report.findings.iter().find(|found| found.subject == "SPARSE").unwrap();
    assert_eq!((sparse.count, report.class(Support::Supported).uses), (20, 12));
}
