//! SQL Server's collations by name, and what each is here.
//!
//! A name says its language or code page, then what tells texts apart: `Latin1_General_100_CI_AS_SC_UTF8`. Here there are
//! three ways to compare, so a name is read for what matters most: whether case does, and accents. Limits: a collation
//! whose case matters compares bytes; there is no order of any one language.

use mainstay_base::Collation;

/// The name of the collation that a database has unless it says another.
pub const DEFAULT: &str = "SQL_Latin1_General_CP1_CI_AS";

/// How text compares that nothing else is said of.
pub const COMPARISON: Collation = Collation::CaseInsensitive;

/// Families of names that exist; what is behind them is read by [`by_name`].
const FAMILIES: [&str; 40] = [
    "SQL_Latin1_General",
    "SQL_1xCompat",
    "SQL_AltDiction",
    "SQL_Croatian",
    "SQL_Czech",
    "SQL_Danish",
    "SQL_EBCDIC",
    "SQL_Estonian",
    "SQL_Hungarian",
    "SQL_Icelandic",
    "SQL_Latvian",
    "SQL_Lithuanian",
    "SQL_Polish",
    "SQL_Romanian",
    "SQL_Scandinavian",
    "SQL_SwedishPhone",
    "SQL_SwedishStd",
    "SQL_Ukrainian",
    "Latin1_General",
    "Albanian",
    "Arabic",
    "Chinese",
    "Croatian",
    "Cyrillic_General",
    "Czech",
    "Danish_Norwegian",
    "Estonian",
    "Finnish_Swedish",
    "French",
    "German_PhoneBook",
    "Greek",
    "Hebrew",
    "Hungarian",
    "Japanese",
    "Korean",
    "Modern_Spanish",
    "Polish",
    "Thai",
    "Turkish",
    "Vietnamese",
];

/// The way to compare that a name means, in any case; `None` for a name that is none.
pub fn by_name(name: &str) -> Option<Collation> {
    if let Some(own) = Collation::by_name(name) {
        return Some(own);
    }
    if name.eq_ignore_ascii_case("database_default") || name.eq_ignore_ascii_case("catalog_default") {
        return Some(COMPARISON);
    }
    let known = |family: &&str| {
        let front = name.get(..family.len());
        front.is_some_and(|front| front.eq_ignore_ascii_case(family))
            && name.as_bytes().get(family.len()) == Some(&b'_')
    };
    FAMILIES.iter().find(|family| known(family))?;
    let parts: Vec<String> = name.split('_').map(str::to_ascii_uppercase).collect();
    let has = |part: &str| parts.iter().any(|other| other == part);
    match (has("CI"), has("CS") || has("BIN") || has("BIN2")) {
        (true, false) if has("AI") => Some(Collation::CaseAccentInsensitive),
        (true, false) => Some(Collation::CaseInsensitive),
        (false, true) => Some(Collation::Binary),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (name, expected) in [
            (DEFAULT, Some(Collation::CaseInsensitive)),
            ("latin1_general_ci_ai", Some(Collation::CaseAccentInsensitive)),
            ("Latin1_General_100_CS_AS_SC", Some(Collation::Binary)),
            ("Latin1_General_BIN2", Some(Collation::Binary)),
            ("Japanese_CI_AS_KS_WS", Some(Collation::CaseInsensitive)),
            ("DATABASE_DEFAULT", Some(Collation::CaseInsensitive)),
            ("Latin1_General", None),
            ("Nowhere_CI_AS", None),
            ("", None),
        ] {
            assert_eq!(by_name(name), expected, "{name}");
        }
    }
}
