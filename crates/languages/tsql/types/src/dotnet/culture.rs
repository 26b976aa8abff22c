//! Formats of numbers and dates by culture: the values of .NET Framework.

use crate::context::DateFormat;
use crate::language::Language;

/// A culture.
#[derive(Debug)]
pub struct Culture {
    /// Its name: `en-US`.
    pub name: &'static str,
    /// The mark between whole part and fraction.
    pub decimal: &'static str,
    /// The mark between groups of three digits.
    pub group: &'static str,
    /// The sign of its currency.
    pub currency: &'static str,
    /// Digits behind the mark of an amount.
    pub currency_digits: usize,
    /// An amount: `$` for the sign, `n` for the number.
    pub currency_positive: &'static str,
    /// An amount below zero.
    pub currency_negative: &'static str,
    /// A percentage.
    pub percent_positive: &'static str,
    /// A percentage below zero.
    pub percent_negative: &'static str,
    /// `d`
    pub short_date: &'static str,
    /// `D`
    pub long_date: &'static str,
    /// `t`
    pub short_time: &'static str,
    /// `T`
    pub long_time: &'static str,
    /// `M`
    pub month_day: &'static str,
    /// `Y`
    pub year_month: &'static str,
    /// The mark that a `/` of a format stands for.
    pub date_separator: &'static str,
    /// Designators of the first and the second half of a day.
    pub halves: [&'static str; 2],
    /// The order in which dates are read.
    pub order: DateFormat,
    /// The language whose names of months and days it has.
    pub language: &'static str,
}

impl Culture {
    /// The culture of this name, in any case; a name of a language alone (`de`) means its first culture.
    pub fn by_name(name: &str) -> Option<&'static Culture> {
        let exact = ALL.iter().copied().find(|culture| culture.name.eq_ignore_ascii_case(name));
        exact.or_else(|| {
            let alone = name.len() == 2;
            let language = |own: &str| own.get(..2).is_some_and(|own| own.eq_ignore_ascii_case(name));
            ALL.iter().copied().find(|culture| alone && language(culture.name))
        })
    }

    /// The culture that a session has whose language this is.
    pub fn of_language(language: &Language) -> &'static Culture {
        ALL.iter().copied().find(|culture| culture.language == language.name).unwrap_or(&EN_US)
    }

    /// Its names.
    pub fn names(&self) -> &'static Language {
        Language::by_name(self.language).unwrap_or(&crate::language::US_ENGLISH)
    }
}

/// The culture of the United States.
pub static EN_US: Culture = Culture {
    name: "en-US",
    decimal: ".",
    group: ",",
    currency: "$",
    currency_digits: 2,
    currency_positive: "$n",
    currency_negative: "($n)",
    percent_positive: "n %",
    percent_negative: "-n %",
    short_date: "M/d/yyyy",
    long_date: "dddd, MMMM d, yyyy",
    short_time: "h:mm tt",
    long_time: "h:mm:ss tt",
    month_day: "MMMM d",
    year_month: "MMMM yyyy",
    date_separator: "/",
    halves: ["AM", "PM"],
    order: DateFormat::Mdy,
    language: "us_english",
};

static INVARIANT: Culture = Culture {
    name: "",
    currency: "¤",
    currency_negative: "(¤n)",
    short_date: "MM/dd/yyyy",
    long_date: "dddd, dd MMMM yyyy",
    short_time: "HH:mm",
    long_time: "HH:mm:ss",
    month_day: "MMMM dd",
    year_month: "yyyy MMMM",
    ..EN_US
};

static EN_GB: Culture = Culture {
    name: "en-GB",
    currency: "£",
    currency_negative: "-$n",
    percent_positive: "n%",
    percent_negative: "-n%",
    short_date: "dd/MM/yyyy",
    long_date: "dd MMMM yyyy",
    short_time: "HH:mm",
    long_time: "HH:mm:ss",
    month_day: "d MMMM",
    order: DateFormat::Dmy,
    language: "British",
    ..EN_US
};

static DE_DE: Culture = Culture {
    name: "de-DE",
    decimal: ",",
    group: ".",
    currency: "€",
    currency_positive: "n $",
    currency_negative: "-n $",
    short_date: "dd.MM.yyyy",
    long_date: "dddd, d. MMMM yyyy",
    short_time: "HH:mm",
    long_time: "HH:mm:ss",
    month_day: "d. MMMM",
    date_separator: ".",
    halves: ["", ""],
    order: DateFormat::Dmy,
    language: "Deutsch",
    ..EN_US
};

static FR_FR: Culture = Culture {
    name: "fr-FR",
    decimal: ",",
    group: "\u{a0}",
    currency: "€",
    currency_positive: "n $",
    currency_negative: "-n $",
    short_date: "dd/MM/yyyy",
    long_date: "dddd d MMMM yyyy",
    short_time: "HH:mm",
    long_time: "HH:mm:ss",
    month_day: "d MMMM",
    halves: ["", ""],
    order: DateFormat::Dmy,
    language: "Français",
    ..EN_US
};

static ES_ES: Culture = Culture {
    name: "es-ES",
    long_date: "dddd, d' de 'MMMM' de 'yyyy",
    short_time: "H:mm",
    long_time: "H:mm:ss",
    month_day: "d' de 'MMMM",
    year_month: "MMMM' de 'yyyy",
    date_separator: "/",
    short_date: "dd/MM/yyyy",
    language: "Español",
    ..DE_DE
};

static IT_IT: Culture = Culture {
    name: "it-IT",
    long_date: "dddd d MMMM yyyy",
    month_day: "d MMMM",
    date_separator: "/",
    short_date: "dd/MM/yyyy",
    language: "Italiano",
    ..DE_DE
};

static NL_NL: Culture = Culture {
    name: "nl-NL",
    currency_positive: "$ n",
    currency_negative: "$ -n",
    short_date: "d-M-yyyy",
    date_separator: "-",
    language: "Nederlands",
    ..DE_DE
};

static PT_BR: Culture = Culture {
    name: "pt-BR",
    currency: "R$",
    currency_positive: "$ n",
    currency_negative: "-$ n",
    short_date: "dd/MM/yyyy",
    long_date: "dddd, d' de 'MMMM' de 'yyyy",
    date_separator: "/",
    language: "Português (Brasil)",
    ..DE_DE
};

static JA_JP: Culture = Culture {
    name: "ja-JP",
    currency: "¥",
    currency_digits: 0,
    currency_negative: "-$n",
    percent_positive: "n%",
    percent_negative: "-n%",
    short_date: "yyyy/MM/dd",
    long_date: "yyyy'年'M'月'd'日'",
    short_time: "H:mm",
    long_time: "H:mm:ss",
    month_day: "M'月'd'日'",
    year_month: "yyyy'年'M'月'",
    order: DateFormat::Ymd,
    language: "日本語",
    ..EN_US
};

static ZH_CN: Culture =
    Culture { name: "zh-CN", currency_digits: 2, currency_negative: "$-n", short_date: "yyyy/M/d", ..JA_JP };

static SV_SE: Culture = Culture {
    name: "sv-SE",
    currency: "kr",
    group: "\u{a0}",
    short_date: "yyyy-MM-dd",
    date_separator: "-",
    order: DateFormat::Ymd,
    language: "Svenska",
    ..DE_DE
};

static EN_CA: Culture = Culture {
    name: "en-CA",
    currency_negative: "-$n",
    short_date: "yyyy-MM-dd",
    date_separator: "-",
    order: DateFormat::Ymd,
    ..EN_US
};

static EN_AU: Culture =
    Culture { name: "en-AU", currency: "$", short_date: "d/MM/yyyy", language: "us_english", ..EN_GB };

static EN_IN: Culture = Culture {
    name: "en-IN",
    currency: "₹",
    currency_positive: "$ n",
    currency_negative: "$ -n",
    short_date: "dd-MM-yyyy",
    date_separator: "-",
    ..EN_AU
};

static DE_CH: Culture = Culture {
    name: "de-CH",
    decimal: ".",
    group: "'",
    currency: "CHF",
    currency_positive: "$ n",
    currency_negative: "$-n",
    ..DE_DE
};

static DA_DK: Culture = Culture {
    name: "da-DK",
    currency: "kr",
    currency_positive: "$ n",
    currency_negative: "$ -n",
    short_date: "dd-MM-yyyy",
    long_date: "d. MMMM yyyy",
    date_separator: "-",
    language: "Dansk",
    ..DE_DE
};

static NB_NO: Culture = Culture {
    name: "nb-NO",
    group: "\u{a0}",
    currency: "kr",
    currency_positive: "$ n",
    currency_negative: "$ -n",
    long_date: "dddd d. MMMM yyyy",
    language: "Norsk",
    ..DE_DE
};

static FI_FI: Culture = Culture {
    name: "fi-FI",
    group: "\u{a0}",
    short_date: "d.M.yyyy",
    long_date: "d. MMMM yyyy",
    short_time: "H:mm",
    long_time: "H:mm:ss",
    language: "Suomi",
    ..DE_DE
};

static PL_PL: Culture = Culture {
    name: "pl-PL",
    group: "\u{a0}",
    currency: "zł",
    short_date: "dd.MM.yyyy",
    long_date: "dddd, d MMMM yyyy",
    language: "polski",
    ..DE_DE
};

static RU_RU: Culture = Culture {
    name: "ru-RU",
    group: "\u{a0}",
    currency: "₽",
    long_date: "d MMMM yyyy 'г.'",
    short_time: "H:mm",
    long_time: "H:mm:ss",
    language: "русский",
    ..DE_DE
};

static TR_TR: Culture = Culture {
    name: "tr-TR",
    currency: "₺",
    currency_positive: "$n",
    currency_negative: "-$n",
    percent_positive: "%n",
    percent_negative: "-%n",
    short_date: "d.MM.yyyy",
    long_date: "d MMMM yyyy dddd",
    language: "Türkçe",
    ..DE_DE
};

static PT_PT: Culture = Culture {
    name: "pt-PT",
    group: "\u{a0}",
    short_date: "dd/MM/yyyy",
    long_date: "d' de 'MMMM' de 'yyyy",
    date_separator: "/",
    language: "Português",
    ..DE_DE
};

static ALL: [&Culture; 23] = [
    &EN_US, &INVARIANT, &EN_GB, &DE_DE, &FR_FR, &ES_ES, &IT_IT, &NL_NL, &PT_BR, &JA_JP, &ZH_CN, &SV_SE, &EN_CA, &EN_AU,
    &EN_IN, &DE_CH, &DA_DK, &NB_NO, &FI_FI, &PL_PL, &RU_RU, &TR_TR, &PT_PT,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(Culture::by_name("EN-us").map(|culture| culture.currency), Some("$"));
        assert_eq!(Culture::by_name("de").map(|culture| culture.name), Some("de-DE"));
        assert!(Culture::by_name("xx-XX").is_none() && Culture::by_name("e").is_none());
        assert_eq!(Culture::of_language(&crate::language::US_ENGLISH).name, "en-US");
        for culture in ALL {
            assert!(Language::by_name(culture.language).is_some(), "{}", culture.name);
        }
    }
}
