//! SQL Server project files: the scripts that a `.sqlproj` lists, and the objects of a `.dacpac`.
//!
//! A `.sqlproj` is XML of MSBuild: `<Build Include="Tables\Orders.sql"/>`. A project in the SDK's style lists nothing and has all
//! scripts below its folder. A `.dacpac` is a ZIP archive whose `model.xml` has the objects, not their scripts: they are counted by
//! kind. Paths that lead out of the project's folder are taken as they are only if they exist; nothing is written.

use crate::Dialect;
use crate::collect::{self, Collected, extension};
use crate::inventory::PACKAGE;
use crate::report::{File, Report};
use mainstay_types::compatibility::Occurrence;
use mainstay_vfs::FileSystem;
use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::path::{Component, Path, PathBuf};

/// Elements of a project that name scripts.
const ITEMS: [&str; 4] = ["Build", "None", "PreDeploy", "PostDeploy"];

/// Reads the projects that were found; scripts that they list are added to the others.
pub(crate) fn read(fs: &dyn FileSystem, collected: &mut Collected, report: &mut Report) {
    for path in std::mem::take(&mut collected.projects) {
        let read = match extension(&path).as_str() {
            "dacpac" => package(fs, &path, report),
            _ => project(fs, &path, collected, report),
        };
        if let Err(reason) = read {
            report.unread.push((path, reason));
        }
    }
}

fn project(fs: &dyn FileSystem, path: &Path, collected: &mut Collected, report: &mut Report) -> Result<(), String> {
    let bytes = collect::content(fs, path)?;
    let text = mainstay_tsql_syntax::script_text(&bytes, None).text;
    let document = roxmltree::Document::parse(&text).map_err(|error| format!("not a project file: {error}"))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let (mut scripts, mut missing) = (0u64, 0u64);
    for node in document.descendants().filter(|node| ITEMS.contains(&node.tag_name().name())) {
        let Some(include) = node.attribute("Include") else { continue };
        for name in include.split(';').filter(|name| name.to_lowercase().ends_with(".sql") && !name.contains('*')) {
            let script = normalized(&folder.join(name.replace('\\', "/")));
            match fs.stamp(&script) {
                Ok(_) => {
                    scripts += 1;
                    match fs.is_pipe_or_device(&script) {
                        true => report.unread.push((script, collect::NO_FILE.to_owned())),
                        false => collected.add_script(fs, script),
                    }
                }
                Err(_) => {
                    missing += 1;
                    report.unread.push((script, "the project names it, and it does not exist".to_owned()));
                }
            }
        }
    }
    let note = match (scripts, missing) {
        (0, 0) => "a project that lists no scripts: those below its folder are assessed".to_owned(),
        (_, 0) => format!("a project of {scripts} scripts"),
        _ => format!("a project of {} scripts, {missing} of which do not exist", scripts + missing),
    };
    report.files.push(File { path: path.to_owned(), dialect: Dialect::Tsql, statements: 0, supported: 0, note });
    Ok(())
}

/// A path without `.`, and without the folders that `..` leaves.
fn normalized(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

fn package(fs: &dyn FileSystem, path: &Path, report: &mut Report) -> Result<(), String> {
    let bytes = collect::content(fs, path)?;
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| format!("not a package: {error}"))?;
    let model = archive.by_name("model.xml").map_err(|error| format!("not a package: model.xml: {error}"))?;
    let mut text = String::new();
    let most = crate::MOST_BYTES;
    model.take(most).read_to_string(&mut text).map_err(|error| format!("model.xml cannot be read: {error}"))?;
    let document = roxmltree::Document::parse(&text).map_err(|error| format!("model.xml cannot be read: {error}"))?;
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for element in document.descendants().filter(|node| node.tag_name().name() == "Element") {
        // The objects are the children of the model, and have a name; parts of objects are below them.
        let is_object = element.parent().is_some_and(|parent| parent.tag_name().name() == "Model");
        if let (true, Some(kind)) = (is_object, element.attribute("Type")) {
            *kinds.entry(kind).or_default() += 1;
        }
    }
    let listed: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let note =
        format!("a package with {}", if listed.is_empty() { "no objects".to_owned() } else { listed.join(", ") });
    report.files.push(File { path: path.to_owned(), dialect: Dialect::Tsql, statements: 0, supported: 0, note });
    report.add(Dialect::Files, path, Occurrence::new(&PACKAGE, "", 0));
    Ok(())
}
