//! SQL Server's collations by name, and their counterparts here.
//!
//! A name has its language or code page, then its sensitivities: `Latin1_General_100_CI_AS_SC_UTF8`. The engine has
//! four comparisons, so only the sensitivity to case and accents is read from a name. Limits: a case-sensitive
//! collation is accent-sensitive; there are no orders of single languages. Languages whose VARCHAR has no code page
//! (Hindi, Khmer) are unknown.

use mainstay_character_sets::CodePage;
use mainstay_types::Collation;

/// The name of the collation that a database has unless it says another.
pub const DEFAULT: &str = "SQL_Latin1_General_CP1_CI_AS";

/// The collation of text without a collation.
pub const COMPARISON: Collation = Collation::CaseInsensitive;

/// The families of names that exist, each with its code page; what is behind them is read by [`by_name`].
const FAMILIES: [(&str, CodePage); 85] = [
    ("Albanian", CodePage::Cp1250),
    ("Arabic", CodePage::Cp1256),
    ("Azeri_Cyrillic", CodePage::Cp1251),
    ("Azeri_Latin", CodePage::Cp1254),
    ("Bashkir", CodePage::Cp1251),
    ("Bosnian_Cyrillic", CodePage::Cp1251),
    ("Bosnian_Latin", CodePage::Cp1250),
    ("Breton", CodePage::Cp1252),
    ("Chinese_Hong_Kong_Stroke", CodePage::Cp950),
    ("Chinese_PRC", CodePage::Cp936),
    ("Chinese_Simplified", CodePage::Cp936),
    ("Chinese_Taiwan", CodePage::Cp950),
    ("Chinese_Traditional", CodePage::Cp950),
    ("Corsican", CodePage::Cp1252),
    ("Croatian", CodePage::Cp1250),
    ("Cyrillic_General", CodePage::Cp1251),
    ("Czech", CodePage::Cp1250),
    ("Danish_Greenlandic", CodePage::Cp1252),
    ("Danish_Norwegian", CodePage::Cp1252),
    ("Dari", CodePage::Cp1256),
    ("Estonian", CodePage::Cp1257),
    ("Finnish_Swedish", CodePage::Cp1252),
    ("French", CodePage::Cp1252),
    ("Frisian", CodePage::Cp1252),
    ("Georgian_Modern_Sort", CodePage::Cp1252),
    ("German_PhoneBook", CodePage::Cp1252),
    ("Greek", CodePage::Cp1253),
    ("Hebrew", CodePage::Cp1255),
    ("Hungarian", CodePage::Cp1250),
    ("Icelandic", CodePage::Cp1252),
    ("Japanese", CodePage::Cp932),
    ("Kazakh", CodePage::Cp1251),
    ("Korean", CodePage::Cp949),
    ("Latin1_General", CodePage::Cp1252),
    ("Latvian", CodePage::Cp1257),
    ("Lithuanian", CodePage::Cp1257),
    ("Macedonian_FYROM", CodePage::Cp1251),
    ("Mapudungan", CodePage::Cp1252),
    ("Modern_Spanish", CodePage::Cp1252),
    ("Mohawk", CodePage::Cp1252),
    ("Norwegian", CodePage::Cp1252),
    ("Persian", CodePage::Cp1256),
    ("Polish", CodePage::Cp1250),
    ("Romanian", CodePage::Cp1250),
    ("Romansh", CodePage::Cp1252),
    ("Sami_Norway", CodePage::Cp1252),
    ("Sami_Sweden_Finland", CodePage::Cp1252),
    ("Serbian_Cyrillic", CodePage::Cp1251),
    ("Serbian_Latin", CodePage::Cp1250),
    ("Slovak", CodePage::Cp1250),
    ("Slovenian", CodePage::Cp1250),
    ("Tamazight", CodePage::Cp1252),
    ("Tatar", CodePage::Cp1251),
    ("Thai", CodePage::Cp874),
    ("Traditional_Spanish", CodePage::Cp1252),
    ("Turkish", CodePage::Cp1254),
    ("Turkmen", CodePage::Cp1250),
    ("Uighur", CodePage::Cp1256),
    ("Ukrainian", CodePage::Cp1251),
    ("Upper_Sorbian", CodePage::Cp1252),
    ("Urdu", CodePage::Cp1256),
    ("Uzbek_Latin", CodePage::Cp1254),
    ("Vietnamese", CodePage::Cp1258),
    ("Welsh", CodePage::Cp1252),
    ("Yakut", CodePage::Cp1251),
    // Those of SQL Server itself say their page: `CP850`, and `CP1` for 1252.
    ("SQL_1xCompat", CodePage::Cp1252),
    ("SQL_AltDiction", CodePage::Cp1252),
    ("SQL_Croatian", CodePage::Cp1252),
    ("SQL_Czech", CodePage::Cp1252),
    ("SQL_Danish", CodePage::Cp1252),
    ("SQL_EBCDIC", CodePage::Cp1252),
    ("SQL_Estonian", CodePage::Cp1252),
    ("SQL_Hungarian", CodePage::Cp1252),
    ("SQL_Icelandic", CodePage::Cp1252),
    ("SQL_Latin1_General", CodePage::Cp1252),
    ("SQL_Latvian", CodePage::Cp1252),
    ("SQL_Lithuanian", CodePage::Cp1252),
    ("SQL_Polish", CodePage::Cp1252),
    ("SQL_Romanian", CodePage::Cp1252),
    ("SQL_Scandinavian", CodePage::Cp1252),
    ("SQL_Slovak", CodePage::Cp1252),
    ("SQL_Slovenian", CodePage::Cp1252),
    ("SQL_SwedishPhone", CodePage::Cp1252),
    ("SQL_SwedishStd", CodePage::Cp1252),
    ("SQL_Ukrainian", CodePage::Cp1252),
];

/// The family that a name is of, in any case, with its code page.
fn family(name: &str) -> Option<(&'static str, CodePage)> {
    FAMILIES.into_iter().find(|(family, _)| {
        let front = name.get(..family.len());
        front.is_some_and(|front| front.eq_ignore_ascii_case(family))
            && name.as_bytes().get(family.len()) == Some(&b'_')
    })
}

/// Returns true if a name is that of the database's own collation.
fn is_default(name: &str) -> bool {
    name.eq_ignore_ascii_case("database_default") || name.eq_ignore_ascii_case("catalog_default")
}

/// The comparison of the collation with this name, in any case; `None` for an unknown name.
pub fn by_name(name: &str) -> Option<Collation> {
    if let Some(own) = Collation::by_name(name) {
        return Some(own);
    }
    if is_default(name) {
        return Some(COMPARISON);
    }
    family(name)?;
    let parts: Vec<String> = name.split('_').map(str::to_ascii_uppercase).collect();
    let has = |part: &str| parts.iter().any(|other| other == part);
    match (has("CI"), has("CS"), has("BIN") || has("BIN2")) {
        (true, false, false) if has("AI") => Some(Collation::CaseAccentInsensitive),
        (true, false, false) => Some(Collation::CaseInsensitive),
        (false, true, false) => Some(Collation::CaseSensitive),
        (false, false, true) => Some(Collation::Binary),
        _ => None,
    }
}

/// The code page of CHAR, VARCHAR and TEXT under the collation of this name, in any case: the family's, the one that a
/// name of SQL Server itself says, or UTF-8. The default's for an unknown name.
pub fn code_page(name: &str) -> CodePage {
    let Some((_, page)) = family(name) else { return CodePage::DEFAULT };
    let said = name.split('_').find_map(|part| match part.to_ascii_uppercase().as_str() {
        "UTF8" => Some(CodePage::Utf8),
        "CP1" => Some(CodePage::Cp1252),
        other => CodePage::from_number(other.strip_prefix("CP")?.parse().ok()?),
    });
    said.unwrap_or(page)
}

/// The result of COLLATIONPROPERTY: the code page, the number of the locale, the bits of the differences that do not
/// count, or the version. `None` for an unknown name or property, and for the locale of a family whose number is not
/// known here.
pub fn property(name: &str, property: &str) -> Option<i64> {
    by_name(name)?;
    let (family, _) = family(name)?;
    let parts: Vec<String> = name.split('_').map(str::to_ascii_uppercase).collect();
    let has = |part: &str| parts.iter().any(|other| other == part);
    match property.to_ascii_lowercase().as_str() {
        "codepage" => Some(code_page(name).number().into()),
        "lcid" => LOCALES.iter().find(|(known, _)| *known == family.trim_start_matches("SQL_")).map(|(_, lcid)| *lcid),
        "comparisonstyle" if has("BIN") || has("BIN2") => Some(0),
        "comparisonstyle" => {
            let ignored = [("CS", 1), ("AS", 2), ("KS", 0x1_0000), ("WS", 0x2_0000)];
            Some(ignored.iter().filter(|(part, _)| !has(part)).map(|(_, bit)| bit).sum())
        }
        "version" => Some(if has("140") {
            3
        } else if has("100") {
            2
        } else {
            has("90").into()
        }),
        _ => None,
    }
}

/// The numbers of locales, of the families that are used most.
const LOCALES: [(&str, i64); 33] = [
    ("Albanian", 1052),
    ("Arabic", 1025),
    ("Chinese_PRC", 2052),
    ("Chinese_Taiwan", 1028),
    ("Croatian", 1050),
    ("Cyrillic_General", 1049),
    ("Czech", 1029),
    ("Danish_Norwegian", 1030),
    ("Estonian", 1061),
    ("Finnish_Swedish", 1035),
    ("French", 1036),
    ("Greek", 1032),
    ("Hebrew", 1037),
    ("Hungarian", 1038),
    ("Icelandic", 1039),
    ("Japanese", 1041),
    ("Kazakh", 1087),
    ("Korean", 1042),
    ("Latin1_General", 1033),
    ("Latvian", 1062),
    ("Lithuanian", 1063),
    ("Macedonian_FYROM", 1071),
    ("Modern_Spanish", 3082),
    ("Persian", 1065),
    ("Polish", 1045),
    ("Romanian", 1048),
    ("Slovak", 1051),
    ("Slovenian", 1060),
    ("Thai", 1054),
    ("Traditional_Spanish", 1034),
    ("Turkish", 1055),
    ("Ukrainian", 1058),
    ("Vietnamese", 1066),
];

/// The collations of every family, in the order of their names, and what each does. Limit: each is named in one version; the
/// kinds of kana and width that a name can say are left out.
pub fn all() -> Vec<(String, String)> {
    const WAYS: [(&str, &str); 6] = [
        ("BIN", "binary sort"),
        ("BIN2", "binary code point comparison sort"),
        ("CI_AI", "case-insensitive, accent-insensitive, kanatype-insensitive, width-insensitive"),
        ("CI_AS", "case-insensitive, accent-sensitive, kanatype-insensitive, width-insensitive"),
        ("CS_AI", "case-sensitive, accent-insensitive, kanatype-insensitive, width-insensitive"),
        ("CS_AS", "case-sensitive, accent-sensitive, kanatype-insensitive, width-insensitive"),
    ];
    let of_family = |(family, page): &(&str, CodePage)| {
        let page = match family.starts_with("SQL_") {
            true if *page == CodePage::Cp1252 => "_CP1".to_owned(),
            true => format!("_CP{}", page.number()),
            false => String::new(),
        };
        let title = family.trim_start_matches("SQL_").replace('_', "-");
        WAYS.map(|(way, does)| (format!("{family}{page}_{way}"), format!("{title}, {does}")))
    };
    let mut all: Vec<_> = FAMILIES.iter().flat_map(of_family).collect();
    all.sort();
    all
}

/// The name of a collation of this code page: the default's own, or the one that is used most.
pub fn name_of(page: CodePage) -> &'static str {
    match page {
        CodePage::Cp437 => "SQL_Latin1_General_CP437_CI_AS",
        CodePage::Cp850 => "SQL_Latin1_General_CP850_CI_AS",
        CodePage::Cp874 => "Thai_CI_AS",
        CodePage::Cp932 => "Japanese_CI_AS",
        CodePage::Cp936 => "Chinese_PRC_CI_AS",
        CodePage::Cp949 => "Korean_Wansung_CI_AS",
        CodePage::Cp950 => "Chinese_Taiwan_Stroke_CI_AS",
        CodePage::Cp1250 => "Polish_CI_AS",
        CodePage::Cp1251 => "Cyrillic_General_CI_AS",
        CodePage::Cp1252 => DEFAULT,
        CodePage::Cp1253 => "Greek_CI_AS",
        CodePage::Cp1254 => "Turkish_CI_AS",
        CodePage::Cp1255 => "Hebrew_CI_AS",
        CodePage::Cp1256 => "Arabic_CI_AS",
        CodePage::Cp1257 => "Lithuanian_CI_AS",
        CodePage::Cp1258 => "Vietnamese_CI_AS",
        CodePage::Utf8 => "Latin1_General_100_CI_AS_SC_UTF8",
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
            ("Latin1_General_100_CS_AS_SC", Some(Collation::CaseSensitive)),
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
    #[test]
    fn code_pages() {
        for (name, number) in [
            (DEFAULT, 1252),
            ("DATABASE_DEFAULT", 1252),
            ("polish_ci_as", 1250),
            ("Cyrillic_General_100_BIN2", 1251),
            ("Japanese_Bushu_Kakusu_100_CI_AS", 932),
            ("Chinese_PRC_CI_AS", 936),
            ("Korean_Wansung_CI_AS", 949),
            ("Chinese_Taiwan_Stroke_CI_AS", 950),
            ("Thai_CI_AS", 874),
            ("SQL_Latin1_General_CP437_CI_AS", 437),
            ("SQL_Latin1_General_CP850_BIN", 850),
            ("SQL_Latin1_General_CP1251_CS_AS", 1251),
            ("Latin1_General_100_CI_AS_SC_UTF8", 65001),
        ] {
            let page = code_page(name);
            assert_eq!(page.number(), number, "{name}");
            assert_eq!(code_page(name_of(page)), page, "{name}");
        }
    }
}
