//! Links and paths in the pages of this repository.

use mainstay_tidy::{Repository, assert_none, documents};

/// Where something is wrong on an invented page, docs/page.md.
fn findings(page: &str) -> Vec<String> {
    let files = [
        ("docs/page.md", page),
        ("docs/other.md", "# The other page: 2nd `part`\n"),
        ("crates/x/tests/walk.rs", "fn walks() {}\n"),
        ("tests/interop/test_it.py", "    def test_this(self):\n"),
    ];
    documents::check(&Repository::invented(&files)).iter().map(ToString::to_string).collect()
}

#[test]
fn links_and_named_tests_exist() {
    assert_none(documents::check(&Repository::this()));
}

#[test]
fn what_is_there_is_found() {
    let page = "\
# Page
[a](other.md) [b](../crates/x/tests) [c](#page) [d](other.md#the-other-page-2nd-part) [e](https://example.org/x)
`tests/walk.rs::walks`, `tests/walk::walks`, `crates/x/tests/walk.rs::walks`, `tests/interop/test_it.py::test_this`,
`mainstay_xbase::index` is no test.
```
[f](nowhere.md)
```
";
    assert_eq!(findings(page), [""; 0]);
}

#[test]
fn what_is_not_there_is_seen() {
    let wrong = [
        "[a](nowhere.md)",
        "[a](other.md#nowhere)",
        "[a](#nowhere)",
        "[a](../../outside)",
        "`tests/walk.rs::runs`",
        "`tests/gone.rs::walks`",
        "(tests/walk::runs)",
    ];
    for text in wrong {
        let found = findings(&format!("# Page\n\n{text}\n"));
        assert!(found.len() == 1 && found[0].starts_with("docs/page.md:3: "), "{text}: {found:?}");
    }
}
