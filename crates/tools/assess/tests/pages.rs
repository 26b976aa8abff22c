//! The pages "Not supported" are what the tables say. `UPDATE_REFERENCE=1` writes them.

use mainstay_vfs::{Create, Disk, FileSystem};
use std::path::Path;

#[test]
fn pages_are_written_from_the_tables() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs");
    for (name, page) in mainstay_assess::pages::all() {
        let path = docs.join(name);
        if std::env::var_os("UPDATE_REFERENCE").is_some() {
            let file = Disk.create(&path, Create::Truncate).unwrap();
            file.write_at(page.as_bytes(), 0).unwrap();
        }
        let written = Disk.read(&path).map(|bytes| String::from_utf8(bytes).unwrap()).unwrap_or_default();
        assert!(written == page, "{name}: run this test with UPDATE_REFERENCE=1");
    }
}
