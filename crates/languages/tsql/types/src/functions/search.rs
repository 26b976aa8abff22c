//! Search of a text within a text, by a collation.

use mainstay_types::Collation;

/// Where `needle` is found first from byte `from` on: its start and its end, in bytes. An empty one is nowhere.
pub fn find(haystack: &str, needle: &str, from: usize, collation: Collation) -> Option<(usize, usize)> {
    let rest = haystack.get(from..)?;
    if needle.is_empty() {
        return None;
    }
    if !collation.folds_case() {
        return rest.find(needle).map(|at| (from + at, from + at + needle.len()));
    }
    if rest.is_ascii() && needle.is_ascii() {
        let (rest, needle) = (rest.as_bytes(), needle.as_bytes());
        let at = rest.windows(needle.len()).position(|window| window.eq_ignore_ascii_case(needle))?;
        return Some((from + at, from + at + needle.len()));
    }
    let key = collation.text_key(needle, false);
    let starts = rest.char_indices().map(|(at, _)| at);
    starts.into_iter().find_map(|at| {
        let end = matched(rest.get(at..)?, &key, collation)?;
        Some((from + at, from + at + end))
    })
}

/// The number of bytes at the front of a text that have this key.
fn matched(text: &str, key: &str, collation: Collation) -> Option<usize> {
    let mut left = key;
    for (at, character) in text.char_indices() {
        let end = at + character.len_utf8();
        let folded = collation.text_key(text.get(at..end)?, false);
        left = left.strip_prefix(folded.as_str())?;
        if left.is_empty() {
            // Accents behind the last character belong to it.
            let rest = text.get(end..)?;
            let marks = rest.chars().take_while(|c| collation.text_key(c.encode_utf8(&mut [0; 4]), false).is_empty());
            return Some(end + marks.map(char::len_utf8).sum::<usize>());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn found_as_the_collation_sees_it() {
        let ci = Collation::CaseAccentInsensitive;
        assert_eq!(find("Hello World", "WORLD", 0, ci), Some((6, 11)));
        assert_eq!(find("Hello World", "WORLD", 0, Collation::Binary), None);
        assert_eq!(find("in Malmö", "malmo", 0, ci), Some((3, 9)));
        assert_eq!(find("Straße", "SS", 0, ci), Some((4, 6)));
        assert_eq!(find("abcabc", "B", 2, ci), Some((4, 5)));
        assert_eq!(find("abc", "", 0, ci), None);
        assert_eq!(find("e\u{301}x", "E", 0, ci), Some((0, 3)));
    }
}
