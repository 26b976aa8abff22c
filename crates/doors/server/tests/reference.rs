//! Reference pages of settings and metrics, compared with the code. `UPDATE_REFERENCE=1` writes them.

use mainstay_server::{metrics_page, reference_page};
use mainstay_vfs::{Create, Disk, FileSystem};
use std::path::Path;

fn is_up_to_date(name: &str, page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs").join(name);
    let disk = Disk;
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        let file = disk.create(&path, Create::Truncate).unwrap();
        file.write_at(page.as_bytes(), 0).unwrap();
    }
    let written = String::from_utf8(disk.read(&path).unwrap()).unwrap();
    assert!(written == page, "{name}: run this test with UPDATE_REFERENCE=1");
}

#[test]
fn the_reference_pages_are_up_to_date() {
    is_up_to_date("server-settings.md", &reference_page());
    is_up_to_date("server-metrics.md", &metrics_page());
}
