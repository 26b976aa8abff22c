//! Import cycles and sizes of types.

use mainstay_tidy::structure::{self, LIMITS};
use mainstay_tidy::{Repository, assert_none, dependencies};

#[test]
fn cycles_and_types_have_not_grown() {
    assert_none(structure::check(&Repository::this()));
}

/// A crate with a ring of modules, and a type with methods in several blocks.
fn invented(modules: usize, methods: usize, page: &str) -> Vec<String> {
    let name = |number: usize| format!("m{}", number % modules.max(1));
    let ring = (0..modules).map(|number| {
        let path = format!("crates/core/ring/src/{}/mod.rs", name(number));
        (
            path,
            format!(
                "use super::{{{}::X, std::fmt}};\n#[cfg(test)]\nmod tests {{ use crate::m0::X; }}\n",
                name(number + 1)
            ),
        )
    });
    let functions = "fn f(&self) { \"fn\"; }\n".repeat(methods / 2);
    let types = format!(
        "impl<T: Into<u8>> Wide<T> {{\n{functions}}}\nimpl Clone for Wide<u8> {{ fn clone(&self) {{}} }}\nfn g(x: impl Fn()) {{}}\n"
    );
    let mut files: Vec<(String, String)> = ring.collect();
    files.push(("crates/core/ring/src/lib.rs".into(), types.clone()));
    files.push(("crates/core/ring/src/other.rs".into(), types));
    files.push((dependencies::PAGE.into(), format!("```structure\n{page}\n```\n")));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    structure::check(&Repository::invented(&files)).iter().map(ToString::to_string).collect()
}

#[test]
fn a_crate_within_the_limits_needs_no_line() {
    assert_eq!(invented(LIMITS.folders, LIMITS.methods, ""), [""; 0]);
    let line = invented(LIMITS.folders, 2, "core/ring: 4 modules, 4 folders, 2 methods");
    assert!(line[0].contains("remove its line"), "{line:?}");
}

#[test]
fn growth_is_seen() {
    let folders = invented(LIMITS.folders + 1, 2, "");
    assert!(folders[0].contains("5 modules, 5 folders, 2 methods, more than"), "{folders:?}");
    let methods = invented(2, LIMITS.methods + 2, "");
    assert!(methods[0].contains("2 modules, 2 folders, 62 methods"), "{methods:?}");
    assert_eq!(invented(20, 100, "core/ring: 20 modules, 20 folders, 100 methods"), [""; 0]);
    let grown = invented(20, 102, "core/ring: 20 modules, 20 folders, 100 methods");
    assert!(grown[0].starts_with("ARCHITECTURE.md:2: `core/ring` has grown to"), "{grown:?}");
}

#[test]
fn lines_have_to_be_right() {
    assert!(invented(20, 2, "core/ring: many")[0].contains("expected"));
    assert!(invented(2, 2, "core/none: 20 modules, 20 folders, 100 methods")[0].contains("no crate"));
}
