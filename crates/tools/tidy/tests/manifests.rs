//! Rules for the manifest of each crate.

use mainstay_tidy::{Repository, assert_none, manifests};

const SOUND: &str = "\
[package]
name = \"mainstay-x\"
version.workspace = true
edition.workspace = true
rust-version.workspace = true
license.workspace = true
description = \"Says what the crate is for\"

[lints]
workspace = true
";

#[test]
fn crates_say_what_they_are_and_under_which_licence() {
    assert_none(manifests::check(&Repository::this()));
}

#[test]
fn what_is_missing_is_seen() {
    let found = |text: &str| manifests::check(&Repository::invented(&[("crates/x/Cargo.toml", text)])).len();
    assert_eq!(found(SOUND), 0);
    let changes = [
        ("Says what the crate is for", ""),
        ("description = \"Says what the crate is for\"\n", ""),
        ("license.workspace = true", "license = \"MIT\""),
        ("edition.workspace = true\n", ""),
        ("[lints]\nworkspace = true\n", ""),
    ];
    for (from, to) in changes {
        assert_eq!(found(&SOUND.replace(from, to)), 1, "without {from:?}");
    }
}
