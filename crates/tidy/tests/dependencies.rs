//! The edges between the crates, against ARCHITECTURE.md.

use mainstay_tidy::{Repository, assert_none, dependencies};

const PAGE: &str = "# Page\n\n```layers\nbase\ntable\ndatafusion\nquery\ncli\n```\n\n```dependencies\nbase ->\ntable -> base\ndatafusion ->\nquery -> base, datafusion, table\ncli -> query\n```\n";

/// What is found in an invented workspace with this page; `changed` replaces one manifest.
fn reasons(page: &str, changed: (&str, &str)) -> Vec<String> {
    let manifests = [
        ("crates/base/Cargo.toml", ""),
        ("crates/table/Cargo.toml", "[dependencies]\nmainstay-base.workspace = true\n"),
        ("crates/datafusion/Cargo.toml", "[dependencies]\ndatafusion-common = \"1\"\n"),
        (
            "crates/query/Cargo.toml",
            "[dependencies]\nmainstay-base.workspace = true\nmainstay-datafusion.workspace = true\nmainstay-table.workspace = true\n",
        ),
        ("crates/cli/Cargo.toml", "[dev-dependencies]\nmainstay-query.workspace = true\n"),
    ];
    let mut files: Vec<(&str, &str)> = manifests.into_iter().filter(|(path, _)| *path != changed.0).collect();
    files.extend([(dependencies::PAGE, page), changed]);
    dependencies::check(&Repository::invented(&files)).iter().map(ToString::to_string).collect()
}

fn assert_one(reasons: &[String], part: &str) {
    assert!(reasons.len() == 1 && reasons[0].contains(part), "{part:?} expected, found {reasons:?}");
}

#[test]
fn edges_are_listed_and_point_down() {
    assert_none(dependencies::check(&Repository::this()));
}

#[test]
fn a_sound_workspace_has_no_findings() {
    assert_eq!(reasons(PAGE, ("x", "")), [""; 0]);
}

#[test]
fn new_edges_are_seen() {
    let cli = "[dev-dependencies]\nmainstay-query.workspace = true\nmainstay-base.workspace = true\n";
    assert_one(
        &reasons(PAGE, ("crates/cli/Cargo.toml", cli)),
        "crates/cli/Cargo.toml:3: ARCHITECTURE.md does not list `cli -> base`",
    );
}

#[test]
fn vanished_edges_are_seen() {
    assert_one(&reasons(PAGE, ("crates/table/Cargo.toml", "")), "ARCHITECTURE.md:13: `table -> base` is listed");
}

#[test]
fn upward_edges_are_seen() {
    let page = PAGE.replace("base ->\n", "base -> table\n");
    let base = "[dependencies]\nmainstay-table = { path = \"../table\" }\n";
    assert_one(
        &reasons(&page, ("crates/base/Cargo.toml", base)),
        "crates/base/Cargo.toml:2: `table` is not in a lower layer",
    );
}

#[test]
fn datafusion_below_its_crate_is_seen() {
    let table = "[dependencies]\nmainstay-base.workspace = true\ndatafusion-common = \"1\"\n";
    assert_one(
        &reasons(PAGE, ("crates/table/Cargo.toml", table)),
        "crates/table/Cargo.toml:3: `table` links datafusion-common",
    );
}

#[test]
fn crates_that_only_one_side_knows_are_seen() {
    let found = reasons(PAGE, ("crates/new/Cargo.toml", ""));
    assert!(found.len() == 2 && found.iter().all(|reason| reason.contains("`new`")), "{found:?}");
    let page = PAGE.replace("cli\n```", "cli, gone\n```");
    assert_one(&reasons(&page, ("x", "")), "ARCHITECTURE.md:8: there is no crate `gone`");
    assert!(!reasons("nothing here", ("x", "")).is_empty());
}
