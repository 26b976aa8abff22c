//! Patterns of LIKE with any escape character, written with backslashes.

/// The name of the function that rewrites a pattern: its arguments are the pattern and its escape character.
pub(crate) const FUNCTION: &str = "like_pattern";

/// The pattern with backslashes in the place of another character that escapes, or of none.
pub(crate) fn rewritten(pattern: &str, escape: Option<char>) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(character) = chars.next() {
        // An escape at the end stands for itself.
        let literal = if escape == Some(character) { Some(chars.next().unwrap_or(character)) } else { None };
        match literal {
            Some(literal) if matches!(literal, '%' | '_' | '\\') => out.extend(['\\', literal]),
            Some(literal) => out.push(literal),
            None if character == '\\' => out.push_str("\\\\"),
            None => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_character_escapes() {
        assert_eq!(rewritten("50!%%", Some('!')), r"50\%%");
        assert_eq!(rewritten("a!!b!_c\\d!x", Some('!')), r"a!b\_c\\dx");
        assert_eq!(rewritten(r"a\%", Some('\\')), r"a\%");
        assert_eq!(rewritten("a!", Some('!')), "a!");
        assert_eq!(rewritten(r"a\%", None), r"a\\%");
    }
}
