//! Names of files in calls: patterns and parts of paths.

use std::path::Path;

pub use mainstay_data_dictionary::files::{existing, exists, in_existing_folder, path_of, with_extension};

/// Returns true if a name matches a pattern with `*` and `?`, without regard to case.
pub fn matches(name: &str, pattern: &str) -> bool {
    fn go(name: &[char], pattern: &[char]) -> bool {
        match pattern.split_first() {
            None => name.is_empty(),
            Some(('*', rest)) => (0..=name.len()).any(|skipped| go(name.get(skipped..).unwrap_or(&[]), rest)),
            Some(('?', rest)) => name.split_first().is_some_and(|(_, name)| go(name, rest)),
            Some((letter, rest)) => name.split_first().is_some_and(|(first, name)| first == letter && go(name, rest)),
        }
    }
    let letters = |text: &str| text.to_lowercase().chars().collect::<Vec<char>>();
    // Runs of stars would only repeat each other's work.
    let mut pattern = letters(pattern);
    pattern.dedup_by(|next, last| *next == '*' && *last == '*');
    go(&letters(name), &pattern)
}

/// The part of a path that a call requests: ADS_BASENAME 1, ADS_BASENAMEANDEXT 2, ADS_FULLPATHNAME 3.
pub fn part(path: &Path, option: u16) -> Option<String> {
    Some(match option {
        1 => path.file_stem()?.to_string_lossy().into_owned(),
        2 => path.file_name()?.to_string_lossy().into_owned(),
        3 if crate::remote::is_far(path) => path.to_string_lossy().into_owned(),
        3 => std::path::absolute(path).ok()?.to_string_lossy().into_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_in_either_case() {
        assert!(matches("ORDERS.DBF", "*.dbf") && matches("orders.dbf", "o?ders.*") && matches("a", "***a"));
        assert!(!matches("orders.cdx", "*.dbf") && !matches("a", "?a"));
    }
}
