//! The edges between the crates, against ARCHITECTURE.md.

use mainstay_tidy::{Repository, assert_none, dependencies};

const PAGE: &str = "# Page\n\n```layers\nbase\ntable\ndatafusion\nquery\ncli\n```\n\n```groups\nbase ->\nstorage -> base\ncore -> base, storage\nlanguages -> base, core\ntools -> core, languages\n```\n\n```dependencies\nbase ->\ntable -> base\ndatafusion ->\nquery -> base, datafusion, table\ncli ->\n```\n\n```test-dependencies\ncli -> query\n```\n";

/// The manifests of an invented workspace with this page.
fn workspace(page: &str) -> Vec<(&str, &str)> {
    vec![
        ("crates/base/base/Cargo.toml", ""),
        ("crates/storage/table/Cargo.toml", "[dependencies]\nmainstay-base.workspace = true\n"),
        ("crates/core/datafusion/Cargo.toml", "[dependencies]\ndatafusion-common = \"1\"\n"),
        (
            "crates/core/query/Cargo.toml",
            "[dependencies]\nmainstay-base.workspace = true\nmainstay-datafusion.workspace = true\nmainstay-table.workspace = true\n",
        ),
        ("crates/tools/cli/Cargo.toml", "[dev-dependencies]\nmainstay-query.workspace = true\n"),
        (dependencies::PAGE, page),
    ]
}

fn check(files: &[(&str, &str)]) -> Vec<String> {
    dependencies::check(&Repository::invented(files)).iter().map(ToString::to_string).collect()
}

/// The findings in the invented workspace with this page; `changed` replaces one manifest.
fn reasons(page: &str, changed: (&str, &str)) -> Vec<String> {
    let mut files = workspace(page);
    files.retain(|(path, _)| *path != changed.0);
    files.push(changed);
    check(&files)
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
        &reasons(PAGE, ("crates/tools/cli/Cargo.toml", cli)),
        "crates/tools/cli/Cargo.toml:3: ARCHITECTURE.md does not list `cli -> base` in test-dependencies",
    );
}

#[test]
fn vanished_edges_are_seen() {
    assert_one(
        &reasons(PAGE, ("crates/storage/table/Cargo.toml", "")),
        "ARCHITECTURE.md:21: `table -> base` is listed in dependencies",
    );
}

#[test]
fn upward_edges_are_seen() {
    let page = PAGE
        .replace("groups\nbase ->", "groups\nbase -> storage")
        .replace("dependencies\nbase ->", "dependencies\nbase -> table");
    let base = "[dependencies]\nmainstay-table = { path = \"../table\" }\n";
    assert_one(
        &reasons(&page, ("crates/base/base/Cargo.toml", base)),
        "crates/base/base/Cargo.toml:2: `table` is not in a lower layer",
    );
}

#[test]
fn datafusion_below_its_crate_is_seen() {
    let table = "[dependencies]\nmainstay-base.workspace = true\ndatafusion-common = \"1\"\n";
    assert_one(
        &reasons(PAGE, ("crates/storage/table/Cargo.toml", table)),
        "crates/storage/table/Cargo.toml:3: `table` links datafusion-common",
    );
}

#[test]
fn crates_that_only_one_side_knows_are_seen() {
    let found = reasons(PAGE, ("crates/tools/new/Cargo.toml", ""));
    assert!(found.len() == 2 && found.iter().all(|reason| reason.contains("`new`")), "{found:?}");
    let page = PAGE.replace("cli\n```", "cli, gone\n```");
    assert_one(&reasons(&page, ("x", "")), "ARCHITECTURE.md:8: there is no crate `gone`");
    assert!(!reasons("nothing here", ("x", "")).is_empty());
}

#[test]
fn edges_between_groups_that_are_forbidden_are_seen() {
    let page = PAGE
        .replace("datafusion, table\n", "datafusion, table\nsql ->\nbasic -> sql\n")
        .replace("cli\n```", "sql\nbasic\ncli\n```");
    let found = |page: &str| {
        let mut files = workspace(page);
        files.push(("crates/languages/sql/syntax/Cargo.toml", "[package]\nname = \"mainstay-sql\"\n"));
        let basic = "[package]\nname = \"mainstay-basic\"\n[dependencies]\nmainstay-sql.workspace = true\n";
        files.push(("crates/languages/basic/runtime/Cargo.toml", basic));
        check(&files)
    };
    assert_one(&found(&page), "Cargo.toml:4: ARCHITECTURE.md does not allow `basic` to depend on `sql`");
    let excepted = format!("{page}```exceptions\nbasic -> sql\n```\n");
    assert_eq!(found(&excepted), [""; 0]);
    let stale = format!("{page}```exceptions\nbasic -> sql\nquery -> base\n```\n");
    assert_one(&found(&stale), "the exception `query -> base` is not needed any more");
}
