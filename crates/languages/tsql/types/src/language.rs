//! Languages of a session: names of months and days, and the order of dates.
//!
//! The rows are those of `sys.syslanguages`: identifier, name, alias, date order, first day of the week.

use crate::context::DateFormat;
use mainstay_types::Date;
use std::hash::{Hash, Hasher};

/// A language of `sys.syslanguages`.
#[derive(Debug)]
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

impl PartialEq for Language {
    fn eq(&self, other: &Language) -> bool {
        self.id == other.id
    }
}

impl Eq for Language {}

impl Hash for Language {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl Language {
    /// The language of this identifier.
    pub fn by_id(id: i16) -> Option<&'static Language> {
        ALL.iter().find(|language| language.id == id).copied()
    }

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
    months: Date::MONTHS,
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

static JAPANESE: Language = Language {
    id: 3,
    name: "日本語",
    alias: "Japanese",
    locale: 1041,
    date_format: DateFormat::Ymd,
    date_first: 7,
    months: ["01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12"],
    short_months: ["01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12"],
    days: ["月曜日", "火曜日", "水曜日", "木曜日", "金曜日", "土曜日", "日曜日"],
};

static DANISH: Language = Language {
    id: 4,
    name: "Dansk",
    alias: "Danish",
    locale: 1030,
    date_format: DateFormat::Dmy,
    date_first: 1,
    months: [
        "januar",
        "februar",
        "marts",
        "april",
        "maj",
        "juni",
        "juli",
        "august",
        "september",
        "oktober",
        "november",
        "december",
    ],
    short_months: ["jan", "feb", "mar", "apr", "maj", "jun", "jul", "aug", "sep", "okt", "nov", "dec"],
    days: ["mandag", "tirsdag", "onsdag", "torsdag", "fredag", "lørdag", "søndag"],
};

static DUTCH: Language = Language {
    id: 7,
    name: "Nederlands",
    alias: "Dutch",
    locale: 1043,
    date_format: DateFormat::Dmy,
    date_first: 1,
    months: [
        "januari",
        "februari",
        "maart",
        "april",
        "mei",
        "juni",
        "juli",
        "augustus",
        "september",
        "oktober",
        "november",
        "december",
    ],
    short_months: ["jan", "feb", "mrt", "apr", "mei", "jun", "jul", "aug", "sep", "okt", "nov", "dec"],
    days: ["maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag"],
};

static NORWEGIAN: Language = Language {
    id: 8,
    name: "Norsk",
    alias: "Norwegian",
    locale: 2068,
    date_format: DateFormat::Dmy,
    date_first: 1,
    months: [
        "januar",
        "februar",
        "mars",
        "april",
        "mai",
        "juni",
        "juli",
        "august",
        "september",
        "oktober",
        "november",
        "desember",
    ],
    short_months: ["jan", "feb", "mar", "apr", "mai", "jun", "jul", "aug", "sep", "okt", "nov", "des"],
    days: ["mandag", "tirsdag", "onsdag", "torsdag", "fredag", "lørdag", "søndag"],
};

static PORTUGUESE: Language = Language {
    id: 9,
    name: "Português",
    alias: "Portuguese",
    locale: 2070,
    date_format: DateFormat::Dmy,
    date_first: 7,
    months: [
        "janeiro",
        "fevereiro",
        "março",
        "abril",
        "maio",
        "junho",
        "julho",
        "agosto",
        "setembro",
        "outubro",
        "novembro",
        "dezembro",
    ],
    short_months: ["jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez"],
    days: ["segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado", "domingo"],
};

static FINNISH: Language = Language {
    id: 10,
    name: "Suomi",
    alias: "Finnish",
    locale: 1035,
    date_format: DateFormat::Dmy,
    date_first: 1,
    months: [
        "tammikuuta",
        "helmikuuta",
        "maaliskuuta",
        "huhtikuuta",
        "toukokuuta",
        "kesäkuuta",
        "heinäkuuta",
        "elokuuta",
        "syyskuuta",
        "lokakuuta",
        "marraskuuta",
        "joulukuuta",
    ],
    short_months: [
        "tammi", "helmi", "maalis", "huhti", "touko", "kesä", "heinä", "elo", "syys", "loka", "marras", "joulu",
    ],
    days: ["maanantai", "tiistai", "keskiviikko", "torstai", "perjantai", "lauantai", "sunnuntai"],
};

static SWEDISH: Language = Language {
    id: 11,
    name: "Svenska",
    alias: "Swedish",
    locale: 1053,
    date_format: DateFormat::Ymd,
    date_first: 1,
    months: [
        "januari",
        "februari",
        "mars",
        "april",
        "maj",
        "juni",
        "juli",
        "augusti",
        "september",
        "oktober",
        "november",
        "december",
    ],
    short_months: ["jan", "feb", "mar", "apr", "maj", "jun", "jul", "aug", "sep", "okt", "nov", "dec"],
    days: ["måndag", "tisdag", "onsdag", "torsdag", "fredag", "lördag", "söndag"],
};

static CZECH: Language = Language {
    id: 12,
    name: "čeština",
    alias: "Czech",
    locale: 1029,
    date_format: DateFormat::Dmy,
    date_first: 1,
    months: [
        "leden",
        "únor",
        "březen",
        "duben",
        "květen",
        "červen",
        "červenec",
        "srpen",
        "září",
        "říjen",
        "listopad",
        "prosinec",
    ],
    short_months: ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"],
    days: ["pondělí", "úterý", "středa", "čtvrtek", "pátek", "sobota", "neděle"],
};

static HUNGARIAN: Language = Language {
    id: 13,
    name: "magyar",
    alias: "Hungarian",
    locale: 1038,
    date_format: DateFormat::Ymd,
    date_first: 1,
    months: [
        "január",
        "február",
        "március",
        "április",
        "május",
        "június",
        "július",
        "augusztus",
        "szeptember",
        "október",
        "november",
        "december",
    ],
    short_months: ["jan", "febr", "márc", "ápr", "máj", "jún", "júl", "aug", "szept", "okt", "nov", "dec"],
    days: ["hétfő", "kedd", "szerda", "csütörtök", "péntek", "szombat", "vasárnap"],
};

static POLISH: Language = Language {
    id: 14,
    name: "polski",
    alias: "Polish",
    locale: 1045,
    date_format: DateFormat::Dmy,
    date_first: 1,
    months: [
        "styczeń",
        "luty",
        "marzec",
        "kwiecień",
        "maj",
        "czerwiec",
        "lipiec",
        "sierpień",
        "wrzesień",
        "październik",
        "listopad",
        "grudzień",
    ],
    short_months: ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"],
    days: ["poniedziałek", "wtorek", "środa", "czwartek", "piątek", "sobota", "niedziela"],
};

static RUSSIAN: Language = Language {
    id: 21,
    name: "русский",
    alias: "Russian",
    locale: 1049,
    date_format: DateFormat::Dmy,
    date_first: 1,
    months: [
        "Январь",
        "Февраль",
        "Март",
        "Апрель",
        "Май",
        "Июнь",
        "Июль",
        "Август",
        "Сентябрь",
        "Октябрь",
        "Ноябрь",
        "Декабрь",
    ],
    short_months: ["янв", "фев", "мар", "апр", "май", "июн", "июл", "авг", "сен", "окт", "ноя", "дек"],
    days: ["понедельник", "вторник", "среда", "четверг", "пятница", "суббота", "воскресенье"],
};

static TURKISH: Language = Language {
    id: 22,
    name: "Türkçe",
    alias: "Turkish",
    locale: 1055,
    date_format: DateFormat::Dmy,
    date_first: 1,
    months: [
        "Ocak", "Şubat", "Mart", "Nisan", "Mayıs", "Haziran", "Temmuz", "Ağustos", "Eylül", "Ekim", "Kasım", "Aralık",
    ],
    short_months: ["Oca", "Şub", "Mar", "Nis", "May", "Haz", "Tem", "Ağu", "Eyl", "Eki", "Kas", "Ara"],
    days: ["Pazartesi", "Salı", "Çarşamba", "Perşembe", "Cuma", "Cumartesi", "Pazar"],
};

static BRAZILIAN: Language = Language {
    id: 27,
    name: "Português (Brasil)",
    alias: "Brazilian",
    locale: 1046,
    date_format: DateFormat::Dmy,
    date_first: 7,
    months: [
        "Janeiro",
        "Fevereiro",
        "Março",
        "Abril",
        "Maio",
        "Junho",
        "Julho",
        "Agosto",
        "Setembro",
        "Outubro",
        "Novembro",
        "Dezembro",
    ],
    short_months: ["Jan", "Fev", "Mar", "Abr", "Mai", "Jun", "Jul", "Ago", "Set", "Out", "Nov", "Dez"],
    days: ["Segunda-Feira", "Terça-Feira", "Quarta-Feira", "Quinta-Feira", "Sexta-Feira", "Sábado", "Domingo"],
};

/// All that are known.
pub static ALL: [&Language; 19] = [
    &US_ENGLISH,
    &BRITISH,
    &GERMAN,
    &FRENCH,
    &SPANISH,
    &ITALIAN,
    &JAPANESE,
    &DANISH,
    &DUTCH,
    &NORWEGIAN,
    &PORTUGUESE,
    &FINNISH,
    &SWEDISH,
    &CZECH,
    &HUNGARIAN,
    &POLISH,
    &RUSSIAN,
    &TURKISH,
    &BRAZILIAN,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_months() {
        assert_eq!(Language::by_name("german").map(|language| language.id), Some(1));
        assert_eq!(Language::by_name("FRANÇAIS").map(|language| language.id), Some(2));
        assert_eq!(Language::by_name("Brazilian").map(|language| language.id), Some(27));
        assert!(Language::by_name("klingon").is_none());
        for (i, language) in ALL.iter().enumerate() {
            assert!(ALL.iter().skip(i + 1).all(|other| other.id != language.id && other.name != language.name));
        }
        assert_eq!(US_ENGLISH.month("SEP"), Some(9));
        assert_eq!(GERMAN.month("märz"), Some(3));
        assert_eq!(GERMAN.month("march"), Some(3));
        assert_eq!(US_ENGLISH.month("sept"), None);
    }
}
