//! The text of a procedure, function, trigger or view as it is stored: that of a CREATE, whichever statement defined
//! it.
//!
//! ```text
//!   ALTER PROCEDURE p AS ...              CREATE PROCEDURE p AS ...
//!   CREATE OR ALTER PROCEDURE p AS ...    CREATE   PROCEDURE p AS ...
//! ```
//!
//! `OBJECT_DEFINITION`, `sp_helptext` and `sys.sql_modules` of SQL Server show the same form. Line numbers stay the
//! same.

/// The text with CREATE for what it begins with. One that begins otherwise stays as it is.
pub(crate) fn as_created(text: &str) -> String {
    let Some(first) = next_word(text, 0) else { return text.to_owned() };
    if is(text, first, "ALTER") {
        return format!("{}CREATE{}", &text[..first.0], &text[first.1..]);
    }
    let second = next_word(text, first.1).filter(|word| is(text, *word, "OR"));
    let third = second.and_then(|word| next_word(text, word.1)).filter(|word| is(text, *word, "ALTER"));
    match (second, third) {
        (Some(second), Some(third)) if is(text, first, "CREATE") => {
            [&text[..second.0], &text[second.1..third.0], &text[third.1..]].concat()
        }
        _ => text.to_owned(),
    }
}

fn is(text: &str, (from, to): (usize, usize), word: &str) -> bool {
    text[from..to].eq_ignore_ascii_case(word)
}

/// The bounds of the next word; comments and blanks are skipped.
fn next_word(text: &str, mut at: usize) -> Option<(usize, usize)> {
    loop {
        let rest = &text[at..];
        let blanks = rest.len() - rest.trim_start().len();
        let rest = rest.trim_start();
        at += blanks;
        if rest.starts_with("--") {
            at += rest.find('\n')?;
        } else if rest.starts_with("/*") {
            at += comment(rest)?;
        } else {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            return (end > 0).then_some((at, at + end));
        }
    }
}

/// The length of a comment, with those in it.
fn comment(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0, 0);
    loop {
        let open = text[at..].find("/*");
        let close = text[at..].find("*/")?;
        match open {
            Some(open) if open < close => {
                depth += 1;
                at += open + 2;
            }
            _ => {
                depth -= 1;
                at += close + 2;
            }
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::as_created;

    #[test]
    fn texts_are_kept_as_those_of_create() {
        assert_eq!(as_created("-- a\n/* b /* c */ */ alter PROC p AS"), "-- a\n/* b /* c */ */ CREATE PROC p AS");
        assert_eq!(as_created("CREATE OR ALTER VIEW v AS"), "CREATE   VIEW v AS");
        assert_eq!(as_created("create view OR_ AS"), "create view OR_ AS");
        assert_eq!(as_created("/* open"), "/* open");
        assert_eq!(as_created(""), "");
    }
}
