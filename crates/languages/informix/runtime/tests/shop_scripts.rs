//! Scripts as Informix shops have them: each file of `scripts` is run as `dbaccess` runs it, and its output compared.
//!
//! A script `x.sql` has its output in `x.out`, derived from IBM's manuals; the sections are named in the scripts.
//! `UPDATE_GOLDEN=1` writes the outputs anew: compare them with the manuals before they are kept.

mod common;

use common::Shop;
use mainstay_vfs::Disk;
use std::path::{Path, PathBuf};

/// The output of a script, with the error that ends it.
#[allow(clippy::disallowed_methods, reason = "the scripts are files beside the test")]
fn output(script: &Path) -> String {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(script).unwrap();
    let mut out = Vec::new();
    let ran = Shop::new().backend.run_scripts("informix", &[text], (&Disk, folder.path()), &mut out);
    let mut output = String::from_utf8(out).unwrap();
    if let Err(error) = ran {
        output.push_str(&format!("{error}\n"));
    }
    // Files that UNLOAD has written are part of the output.
    let mut unloaded: Vec<PathBuf> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    unloaded.sort();
    for path in unloaded {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        output.push_str(&format!("== {name}\n{}", std::fs::read_to_string(&path).unwrap()));
    }
    output
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the scripts are files beside the test")]
fn scripts_give_what_the_manuals_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let mut scripts: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    scripts.retain(|path| path.extension().is_some_and(|extension| extension == "sql"));
    scripts.sort();
    assert!(!scripts.is_empty());
    let mut different = Vec::new();
    for script in scripts {
        let (found, golden) = (output(&script), script.with_extension("out"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&golden, &found).unwrap();
        }
        let expected = std::fs::read_to_string(&golden).unwrap_or_default();
        if found != expected {
            different.push(format!("{}:\n{found}\nexpected:\n{expected}", script.display()));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}
