//! Languages of a session: names of months and days, and how each reads dates.
//!
//! The rows are those of `sys.syslanguages`: identifier, name, alias, date order, first day of the week.

use crate::context::DateFormat;

/// A language of `sys.syslanguages`.
#[derive(Debug, PartialEq, Eq)]
pub struct Language {
    /// `langid`.
    pub id: i16,
    /// The name, as `@@LANGUAGE` gives it.
    pub name: &'static str,
    /// The English name.
    pub alias: &'static str,
    /// Its `msglangid`, which is the Windows locale.
    pub locale: i32,
    /// The order of a date's numbers.
    pub date_format: DateFormat,
    /// The first day of the week, 1 for Monday to 7 for Sunday.
    pub date_first: u8,
    /// The twelve months.
    pub months: [&'static str; 12],
    /// The twelve months, shortened.
    pub short_months: [&'static str; 12],
    /// The days, from Monday.
    pub days: [&'static str; 7],
}

impl Language {
    /// The language of this name or alias in any case.
    pub fn by_name(name: &str) -> Option<&'static Language> {
        let same = |other: &str| other.to_lowercase() == name.to_lowercase();
        ALL.iter().find(|language| same(language.name) || same(language.alias)).copied()
    }

    /// The month (1 to 12) that a word names: in full, or the first three letters or more of an English one.
    pub fn month(&self, word: &str) -> Option<u32> {
        let word = word.to_lowercase();
        let among = |names: &[&str; 12]| names.iter().position(|name| name.to_lowercase() == word);
        let index = among(&self.months).or_else(|| among(&self.short_months)).or_else(|| {
            // English names are read in every language.
            among(&US_ENGLISH.months).or_else(|| among(&US_ENGLISH.short_months))
        });
        index.map(|index| index as u32 + 1)
    }
}

/// The language that a session has unless it asks for another.
pub static US_ENGLISH: Language = Language {
    id: 0,
    name: "us_english",
    alias: "English",
    locale: 1033,
    date_format: DateFormat::Mdy,
    date_first: 7,
    months: [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    short_months: ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
    days: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
};

static BRITISH: Language = Language {
    id: 23,
    name: "British",
    alias: "British English",
    locale: 2057,
    date_format: DateFormat::Dmy,
    date_first: 1,
    ..US_ENGLISH
};

static GERMAN: Language = Language {
    id: 1,
    name: "Deutsch",
    alias: "German",
    locale: 1031,
    date_format: DateFormat::Dmy,
    date_first: 1,
    months: [
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ],
    short_months: ["Jan", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez"],
    days: ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"],
};

static FRENCH: Language = Language {
    id: 2,
    name: "Français",
    alias: "French",
    locale: 1036,
    date_format: DateFormat::Dmy,
    date_first: 1,
    months: [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ],
    short_months: ["janv", "févr", "mars", "avr", "mai", "juin", "juil", "août", "sept", "oct", "nov", "déc"],
    days: ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"],
};

static SPANISH: Language = Language {
    id: 5,
    name: "Español",
    alias: "Spanish",
    locale: 3082,
    date_format: DateFormat::Dmy,
    date_first: 1,
    months: [
        "Enero",
        "Febrero",
        "Marzo",
        "Abril",
        "Mayo",
        "Junio",
        "Julio",
        "Agosto",
        "Septiembre",
        "Octubre",
        "Noviembre",
        "Diciembre",
    ],
    short_months: ["Ene", "Feb", "Mar", "Abr", "May", "Jun", "Jul", "Ago", "Sep", "Oct", "Nov", "Dic"],
    days: ["Lunes", "Martes", "Miércoles", "Jueves", "Viernes", "Sábado", "Domingo"],
};

static ITALIAN: Language = Language {
    id: 6,
    name: "Italiano",
    alias: "Italian",
    locale: 1040,
    date_format: DateFormat::Dmy,
    date_first: 1,
    months: [
        "gennaio",
        "febbraio",
        "marzo",
        "aprile",
        "maggio",
        "giugno",
        "luglio",
        "agosto",
        "settembre",
        "ottobre",
        "novembre",
        "dicembre",
    ],
    short_months: ["gen", "feb", "mar", "apr", "mag", "giu", "lug", "ago", "set", "ott", "nov", "dic"],
    days: ["lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica"],
};

/// All that are known.
pub static ALL: [&Language; 6] = [&US_ENGLISH, &BRITISH, &GERMAN, &FRENCH, &SPANISH, &ITALIAN];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_months() {
        assert_eq!(Language::by_name("german").map(|language| language.id), Some(1));
        assert_eq!(Language::by_name("FRANÇAIS").map(|language| language.id), Some(2));
        assert!(Language::by_name("klingon").is_none());
        assert_eq!(US_ENGLISH.month("SEP"), Some(9));
        assert_eq!(GERMAN.month("märz"), Some(3));
        assert_eq!(GERMAN.month("march"), Some(3));
        assert_eq!(US_ENGLISH.month("sept"), None);
    }
}
