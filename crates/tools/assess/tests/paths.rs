//! Files that several paths lead to, named files without a known extension, and pipes.
#![allow(clippy::disallowed_methods)]

use mainstay_assess::{Dialect, Report, Request, TableSettings, Verdict, assess};
use mainstay_types::compatibility::Support;
use mainstay_vfs::{Disk, FileSystem};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

fn report(paths: &[&Path], dialect: Option<Dialect>) -> Report {
    let files: Arc<dyn FileSystem> = Arc::new(Disk);
    let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
    assess(&files, &Request { paths: &paths, dialect, settings: &|_| Ok(TableSettings::default()) }).unwrap()
}

fn project(script: &str) -> String {
    format!("<Project><ItemGroup><Build Include=\"{script}\"/></ItemGroup></Project>")
}

/// The names of scripts in the report.
fn scripts(report: &Report) -> Vec<&str> {
    let names = report.files.iter().filter(|file| file.statements > 0).filter_map(|file| file.path.file_name());
    names.filter_map(|name| name.to_str()).collect()
}

#[test]
fn a_file_is_assessed_once_whatever_path_leads_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("db")).unwrap();
    fs::write(folder.join("t.sql"), "SELECT a FROM t").unwrap();
    fs::write(folder.join("db/db.sqlproj"), project("..\\t.sql")).unwrap();
    symlink(folder.join("t.sql"), folder.join("z.sql")).unwrap();
    for path in [folder.to_owned(), folder.join("."), folder.join("db/.."), folder.join("./db/../db/..")] {
        let once = report(&[&path], None);
        assert_eq!((scripts(&once), once.class(Support::Supported).uses), (vec!["t.sql"], 1), "{}", path.display());
    }
    let twice = report(&[&folder.join("db/../t.sql"), &folder.join("t.sql"), folder, &folder.join("db")], None);
    assert_eq!(scripts(&twice), ["t.sql"]);
}

#[test]
fn a_named_file_is_assessed_or_reported() {
    let folder = tempfile::tempdir().unwrap();
    let (named, program) = (folder.path().join("orders.ddl"), folder.path().join("menu"));
    fs::write(&named, "DENY SELECT ON t TO ann").unwrap();
    fs::write(&program, "0010 PRINT 1\n").unwrap();
    // In a folder it is one file of many that have nothing to do with a move.
    assert_eq!(report(&[folder.path()], None).verdict(), Verdict::Ready);
    let unread = report(&[&named], None);
    assert_eq!((unread.verdict(), unread.unread.len()), (Verdict::Review, 1));
    assert_eq!(unread.unread[0].0, named);
    let read = report(&[&named], Some(Dialect::Tsql));
    assert_eq!((read.verdict(), scripts(&read), read.unread.len()), (Verdict::Changes, vec!["orders.ddl"], 0));
    assert_eq!(scripts(&report(&[&program], Some(Dialect::Basic))), ["menu"]);
}

/// An index of Advantage beside a named table is read with it.
#[test]
fn indexes_beside_a_named_table_are_assessed() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("t.dbf");
    fs::write(&table, "no table").unwrap();
    for extension in ["adi", "cdx", "idx", "ntx"] {
        let index = table.with_extension(extension);
        fs::write(&index, "no index").unwrap();
        let found = report(&[&table], None).findings;
        assert!(found.iter().any(|it| it.places.iter().any(|place| place.path == index)), "{extension}: {found:?}");
        fs::remove_file(&index).unwrap();
    }
}

/// Opening a pipe waits for a writer.
#[test]
fn pipes_are_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let pipes = ["pipe.sql", "pipe.dbf", "pipe.add", "pipe"].map(|name| folder.join(name));
    assert!(Command::new("mkfifo").args(&pipes).status().unwrap().success());
    for pipe in &pipes {
        let refused = report(&[pipe], Some(Dialect::Tsql));
        let unread: Vec<_> = refused.unread.iter().map(|(path, _)| path).collect();
        assert_eq!((unread, refused.verdict()), (vec![pipe], Verdict::Review));
    }
    let all = folder.join("all.sqlproj");
    fs::write(&all, project("pipe.sql")).unwrap();
    let refused = report(&[&all], None);
    assert_eq!(refused.unread, [(pipes[0].clone(), refused.unread[0].1.clone())]);
    assert!(report(&[folder], None).tables.is_empty());
}
