//! The functions: their names, abbreviations and arguments.
//!
//! A function is known by its name, by any of its other names, and by the first four or more letters
//! of either when no other function begins with them. Functions that exist in these languages and are
//! deliberately not evaluated are listed too, so that an abbreviation that could mean one of them is never resolved to
//! another, and so that the refusal has a reason.

use mainstay_types::{Code, Error};

/// A function that can be evaluated.
#[derive(Debug, PartialEq)]
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) builtin: Builtin,
    /// One letter for each argument: C character, N numeric, D date, T timestamp, X date or timestamp,
    /// A anything; small letters may be left out, and `*` repeats the last one.
    pub(super) arguments: &'static str,
}

macro_rules! functions {
    ($($builtin:ident $name:literal $arguments:literal;)*) => {
        /// The machine's operation for a call.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(super) enum Builtin { $($builtin,)* }

        pub(super) static FUNCTIONS: &[Function] =
            &[$(Function { name: $name, builtin: Builtin::$builtin, arguments: $arguments },)*];
    };
}

functions! {
    Abs "ABS" "N";
    AllTrim "ALLTRIM" "C";
    Asc "ASC" "C";
    At "AT" "CC";
    Between "BETWEEN" "AAA";
    Bin2I "BIN2I" "C";
    Bin2L "BIN2L" "C";
    Bin2W "BIN2W" "C";
    BinToC "BINTOC" "Nn";
    Cdow "CDOW" "X";
    Ceiling "CEILING" "N";
    Chr "CHR" "N";
    ChrTran "CHRTRAN" "CCC";
    Cmonth "CMONTH" "X";
    CToBin "CTOBIN" "C";
    CToD "CTOD" "C";
    Day "DAY" "X";
    Deleted "DELETED" "";
    Descend "DESCEND" "A";
    Dow "DOW" "X";
    DToC "DTOC" "Xn";
    DToS "DTOS" "X";
    DToT "DTOT" "D";
    Empty "EMPTY" "A";
    Floor "FLOOR" "N";
    Hour "HOUR" "T";
    I2Bin "I2BIN" "N";
    Iif "IIF" "LAA";
    InList "INLIST" "AA*";
    Int "INT" "N";
    IsAlpha "ISALPHA" "C";
    IsDigit "ISDIGIT" "C";
    IsLower "ISLOWER" "C";
    IsNull "ISNULL" "A";
    IsUpper "ISUPPER" "C";
    L2Bin "L2BIN" "N";
    Left "LEFT" "CN";
    Len "LEN" "C";
    Like "LIKE" "CC";
    Lower "LOWER" "C";
    LTrim "LTRIM" "C";
    Max "MAX" "AA*";
    Min "MIN" "AA*";
    Minute "MINUTE" "T";
    Mod "MOD" "NN";
    Month "MONTH" "X";
    Nvl "NVL" "AA";
    PadC "PADC" "ANc";
    PadL "PADL" "ANc";
    PadR "PADR" "ANc";
    Rat "RAT" "CC";
    Recno "RECNO" "";
    Replicate "REPLICATE" "CN";
    Reverse "REVERSE" "C";
    Right "RIGHT" "CN";
    Round "ROUND" "NN";
    Sec "SEC" "T";
    Sign "SIGN" "N";
    Soundex "SOUNDEX" "C";
    Space "SPACE" "N";
    Sqrt "SQRT" "N";
    SToD "STOD" "C";
    SToTS "STOTS" "C";
    Str "STR" "Nnn";
    StrTran "STRTRAN" "CCcnn";
    StrZero "STRZERO" "Nnn";
    Stuff "STUFF" "CNNC";
    SubStr "SUBSTR" "CNn";
    Transform "TRANSFORM" "AC";
    Trim "TRIM" "C";
    TToC "TTOC" "Tn";
    TToD "TTOD" "X";
    TToS "HB_TTOS" "X";
    Upper "UPPER" "C";
    Val "VAL" "C";
    Week "WEEK" "X";
    Year "YEAR" "X";
}

/// Other names of the same functions.
const SYNONYMS: &[(&str, &str)] = &[
    ("CEIL", "CEILING"),
    ("HB_DTOT", "DTOT"),
    ("HB_HOUR", "HOUR"),
    ("HB_MINUTE", "MINUTE"),
    ("HB_STOD", "STOD"),
    ("HB_TTOD", "TTOD"),
    ("IF", "IIF"),
    ("PAD", "PADR"),
    ("RTRIM", "TRIM"),
    ("TSTOD", "TTOD"),
];

/// Functions that are understood and not evaluated, with the reason.
const REFUSED: &[(&str, &str)] = &[
    ("ALIAS", PROGRAM),
    ("BOF", PROGRAM),
    ("CTOT", "its result depends on SET DATE"),
    ("CTOTS", "its result depends on SET DATE"),
    ("CURDIR", PROGRAM),
    ("DATE", CLOCK),
    ("DATETIME", CLOCK),
    ("DIFFERENCE", UNCLEAR),
    ("EOF", PROGRAM),
    ("EVALUATE", PROGRAM),
    ("EXP", UNCLEAR),
    ("FCOUNT", PROGRAM),
    ("FIELD", PROGRAM),
    ("FIELDGET", PROGRAM),
    ("FIELDNAME", PROGRAM),
    ("FOUND", PROGRAM),
    ("GETENV", PROGRAM),
    ("HB_DATETIME", CLOCK),
    ("HB_SEC", UNCLEAR),
    ("HB_TTOC", "its result depends on SET DATE"),
    ("ISBLANK", UNCLEAR),
    ("LASTREC", PROGRAM),
    ("LEFTPAD", UNCLEAR),
    ("LOG", UNCLEAR),
    ("MEMOLINE", PROGRAM),
    ("OCCURS", UNCLEAR),
    ("ORDKEY", PROGRAM),
    ("PROPER", "where it sees the beginning of a word is not documented"),
    ("RAND", CLOCK),
    ("RECCOUNT", PROGRAM),
    ("SECONDS", CLOCK),
    ("STREXTRACT", UNCLEAR),
    ("SYS", PROGRAM),
    ("TIME", CLOCK),
    ("TODAY", CLOCK),
    ("TYPE", PROGRAM),
    ("USED", PROGRAM),
    ("USERID", PROGRAM),
];

const CLOCK: &str = "its result depends on when it runs";
const PROGRAM: &str = "its result depends on the program that runs it";
const UNCLEAR: &str = "programs do not agree on its result";

/// The result of looking up a name.
#[derive(Debug)]
pub(super) enum Lookup {
    Found(&'static Function),
    /// Known, and never evaluated.
    Refused,
    /// An abbreviation of these two, at least.
    Ambiguous(&'static str, &'static str),
    Unknown,
}

fn function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

fn exact(name: &str) -> Option<&'static Function> {
    let synonym = SYNONYMS.iter().find(|(other, _)| *other == name).map(|(_, name)| *name);
    function(synonym.unwrap_or(name))
}

/// Every name there is, with the name of the function it means.
fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    let own = FUNCTIONS.iter().map(|function| (function.name, function.name));
    own.chain(SYNONYMS.iter().copied()).chain(REFUSED.iter().map(|(name, _)| (*name, *name)))
}

/// The function of this upper-case name or abbreviation.
pub(super) fn find(name: &str) -> Lookup {
    if let Some(function) = exact(name) {
        return Lookup::Found(function);
    }
    if name.len() < 4 || REFUSED.iter().any(|(refused, _)| *refused == name) {
        return if REFUSED.iter().any(|(refused, _)| *refused == name) { Lookup::Refused } else { Lookup::Unknown };
    }
    let mut candidates = names().filter(|(full, _)| full.starts_with(name)).map(|(_, means)| means);
    let Some(first) = candidates.next() else { return Lookup::Unknown };
    match candidates.find(|other| *other != first) {
        Some(second) => Lookup::Ambiguous(first, second),
        None => function(first).map_or(Lookup::Refused, Lookup::Found),
    }
}

/// Why a call of this name cannot be compiled.
pub(super) fn refusal(name: &str) -> Error {
    if let Some((refused, reason)) =
        REFUSED.iter().find(|(refused, _)| refused.starts_with(name) && name.len() >= 4 || *refused == name)
    {
        return Error::new(Code::Unsupported, format!("{refused}() cannot be evaluated: {reason}"));
    }
    let error = Error::new(Code::UnknownFunction, format!("there is no function {name}()"));
    match nearest(name, names().map(|(name, _)| name)) {
        Some(near) => error.hint(format!("did you mean {near}()?")),
        None => error.hint("functions of the program that made the index are not in the file"),
    }
}

/// The candidate that is one or two edits away, if there is one.
pub(super) fn nearest<'n>(name: &str, candidates: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let allowed = if name.len() > 4 { 2 } else { 1 };
    let ranked = candidates.map(|candidate| (distance(name.as_bytes(), candidate.as_bytes()), candidate));
    ranked.min_by_key(|(edits, _)| *edits).filter(|(edits, _)| *edits <= allowed).map(|(_, candidate)| candidate)
}

/// Levenshtein's distance. Long names are not compared: the table would grow with their product.
fn distance(left: &[u8], right: &[u8]) -> usize {
    if left.len() > 32 || right.len() > 32 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (line, byte) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, other) in right.iter().enumerate() {
            let substituted = diagonal + usize::from(!byte.eq_ignore_ascii_case(other));
            diagonal = row[column + 1];
            row[column + 1] = substituted.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_synonyms_mean_something() {
        let all: Vec<&str> = names().map(|(name, _)| name).collect();
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
        assert!(SYNONYMS.iter().all(|(_, name)| function(name).is_some()));
    }

    #[test]
    fn the_documentation_lists_every_function() {
        let page = include_str!("../../../../../docs/xbase-expressions.md");
        for (name, _) in names() {
            assert!(page.contains(&format!("`{name}(")), "{name}() is not in docs/xbase-expressions.md");
        }
    }

    #[test]
    fn abbreviations_of_four_letters_are_taken_unless_they_are_ambiguous() {
        let found = |name: &str| match find(name) {
            Lookup::Found(function) => function.name,
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(found("UPPE"), "UPPER");
        assert_eq!(found("RTRI"), "TRIM");
        assert_eq!(found("DESC"), "DESCEND");
        assert!(matches!(find("UPP"), Lookup::Unknown));
        assert_eq!(found("SUBS"), "SUBSTR");
        assert!(matches!(find("HB_T"), Lookup::Ambiguous(..)));
        assert!(matches!(find("DATE"), Lookup::Refused));
        assert!(matches!(find("SECO"), Lookup::Refused));
    }

    #[test]
    fn a_refusal_says_why_or_what_was_meant() {
        assert_eq!(refusal("DATE").code(), Code::Unsupported);
        assert_eq!(refusal("UPER").hint_text(), Some("did you mean UPPER()?"));
        assert_eq!(refusal("MYKEY").code(), Code::UnknownFunction);
    }
}
