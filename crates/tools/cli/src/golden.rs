//! Golden files beside the code: the expected output of tests, byte for byte.
//!
//! Run the tests with `UPDATE_GOLDEN=1` to rewrite them, and read the difference before committing.
#![allow(clippy::disallowed_methods)]

use std::path::Path;

/// Compares `actual` with the golden file of this name under `src/`.
#[track_caller]
pub(crate) fn check(name: &str, actual: &[u8]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, actual).unwrap();
    }
    let expected = std::fs::read(&path).unwrap_or_default();
    let (actual, expected) = (String::from_utf8_lossy(actual), String::from_utf8_lossy(&expected));
    assert!(actual == expected, "{name} differs\n--- expected\n{expected}\n--- actual\n{actual}");
}
