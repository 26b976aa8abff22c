//! The reference page of the settings is what the code says. `UPDATE_REFERENCE=1` writes it.

use mainstay_server::reference_page;
use mainstay_vfs::{Create, Disk, FileSystem};
use std::path::Path;

#[test]
fn the_reference_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/server-settings.md");
    let disk = Disk;
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        let file = disk.create(&path, Create::Truncate).unwrap();
        file.write_at(reference_page().as_bytes(), 0).unwrap();
    }
    let written = String::from_utf8(disk.read(&path).unwrap()).unwrap();
    assert!(written == reference_page(), "run this test with UPDATE_REFERENCE=1");
}
