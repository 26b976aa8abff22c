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

/// A link says by its own extension what it is; the file that it leads to is found under its own name.
#[test]
fn a_link_does_not_hide_its_target() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("v1.sql"), "SELECT a FROM t").unwrap();
    fs::write(folder.join("stock.dbf"), "no table").unwrap();
    // All of them sort before the targets.
    for (link, target) in [("current", "v1.sql"), ("a.bak", "v1.sql"), ("a.bas", "v1.sql"), ("a", "stock.dbf")] {
        symlink(target, folder.join(link)).unwrap();
    }
    let found = report(&[folder], None);
    assert!(scripts(&found).contains(&"v1.sql"), "{:?}", found.files);
    let about_table = |found: &Report| {
        let places = found.findings.iter().flat_map(|finding| &finding.places);
        places.filter(|place| place.path == folder.join("stock.dbf")).count()
    };
    assert!(about_table(&found) > 0, "{:?}", found.findings);
    assert_eq!(found.others.get("bak"), Some(&1));
    let again = report(&[folder, &folder.join("a.bak"), &folder.join("stock.dbf")], None);
    assert_eq!((again.others.get("bak"), about_table(&again)), (Some(&1), about_table(&found)));
}

#[test]
fn a_file_that_is_named_beside_its_folder_is_assessed_or_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    let (named, program) = (folder.path().join("orders.ddl"), folder.path().join("menu"));
    fs::write(&named, "DENY SELECT ON t TO ann").unwrap();
    fs::write(&program, "0010 PRINT 1\n").unwrap();
    symlink(&named, folder.path().join("link.ddl")).unwrap();
    for paths in [[folder.path(), &named, &named], [&named, folder.path(), &folder.path().join("link.ddl")]] {
        let read = report(&paths, Some(Dialect::Tsql));
        assert_eq!((read.verdict(), scripts(&read), read.unread.len()), (Verdict::Changes, vec!["orders.ddl"], 0));
        let unread = report(&paths, None).unread;
        assert_eq!(unread.iter().map(|(path, _)| path).collect::<Vec<_>>(), [&named]);
    }
    assert_eq!(scripts(&report(&[folder.path(), &program], Some(Dialect::Basic))), ["menu"]);
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
