//! The report of an assessment as text: `cargo run -p mainstay-assess --example report -- PATH...`. It has no settings of folders;
//! the command `mainstay assess` has them, and the other forms of the report.

use mainstay_assess::{Request, TableSettings, assess, write_text};
use mainstay_vfs::{Disk, FileSystem};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn main() {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let fs: Arc<dyn FileSystem> = Arc::new(Disk);
    let settings = |_: &Path| Ok(TableSettings::default());
    match assess(&fs, &Request { paths: &paths, dialect: None, settings: &settings }) {
        Ok(report) => drop(write_text(&report, &mut std::io::stdout())),
        Err(error) => eprintln!("{error}"),
    }
}
