//! Settings of a table in the folder's `mainstay.toml`. Missing ones are taken from the file, or detected.
//!
//! Besides `code_page` and the lock settings ([`mainstay_xbase::lock::LockSettings`], which tables read themselves),
//! they describe CSV files:
//!
//! ```toml
//! [tables.prices]
//! delimiter = ";"                # one ASCII character
//! quote = "'"                    # "" if no character is a quote
//! header = true                  # the first row holds the names of the columns
//! skip = 3                       # lines above it that are not part of the table
//! decimal = ","                  # the decimal sign: "." or ","
//! thousands = "."                # the sign between thousands: ".", ",", "'" or a blank
//! dates = "dd/mm/yyyy"           # or mm/dd/yyyy, dd.mm.yyyy, yyyy-mm-dd
//! nulls = ["NULL", "n/a"]        # texts without quotes that stand for NULL
//! code_page = "utf-8"            # or cp850, windows-1252 ...
//! types = { code = "text", price = "decimal(9,2)" }
//! ```

use crate::options::code_page;
use mainstay_csv::{CsvOptions, DateFormat, DayOrder, DeclaredType};
use mainstay_types::{Code, Error, Result};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The number of UTF-8 among code pages.
const UTF_8: u16 = 65_001;

/// The keys of a `[tables.NAME]` section.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableSettings {
    pub(crate) code_page: Option<String>,
    #[serde(rename = "lock_scheme")]
    _lock_scheme: Option<String>,
    #[serde(rename = "lock_timeout_ms")]
    _lock_timeout_ms: Option<u64>,
    #[serde(rename = "lock_interval_ms")]
    _lock_interval_ms: Option<u64>,
    #[serde(rename = "adt_shared")]
    _adt_shared: Option<bool>,
    delimiter: Option<String>,
    quote: Option<String>,
    header: Option<bool>,
    skip: Option<u64>,
    decimal: Option<String>,
    thousands: Option<String>,
    dates: Option<String>,
    #[serde(default)]
    nulls: Vec<String>,
    #[serde(default)]
    types: BTreeMap<String, String>,
}

impl TableSettings {
    /// The options for the reader of a CSV file.
    pub(crate) fn csv_options(&self) -> Result<CsvOptions> {
        let types = self.types.iter().map(|(column, name)| Ok((column.clone(), declared_type(name)?)));
        let options = CsvOptions {
            delimiter: self.delimiter.as_deref().map(|text| character("delimiter", text)).transpose()?,
            quote: match self.quote.as_deref() {
                Some("") => Some(0),
                quote => quote.map(|text| character("quote", text)).transpose()?,
            },
            header: self.header,
            skip: self.skip.unwrap_or_default(),
            decimal: self.decimal.as_deref().map(|text| character("decimal", text)).transpose()?,
            thousands: self.thousands.as_deref().map(|text| character("thousands", text)).transpose()?,
            dates: self.dates.as_deref().map(date_format).transpose()?,
            nulls: self.nulls.clone(),
            types: types.collect::<Result<_>>()?,
            code_page: self.code_page.as_deref().map(csv_code_page).transpose()?,
        };
        options.check()?;
        Ok(options)
    }
}

fn character(key: &str, text: &str) -> Result<u8> {
    match text.as_bytes() {
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err(Error::new(Code::InvalidSetting, format!("{key} = {text:?} is not one ASCII character"))),
    }
}

fn date_format(text: &str) -> Result<DateFormat> {
    Ok(match text.to_lowercase().as_str() {
        "yyyy-mm-dd" => DateFormat::Iso,
        "dd.mm.yyyy" => DateFormat::Dotted,
        "dd/mm/yyyy" => DateFormat::Slashed(DayOrder::DayFirst),
        "mm/dd/yyyy" => DateFormat::Slashed(DayOrder::MonthFirst),
        _ => {
            let error = Error::new(Code::InvalidSetting, format!("dates = {text:?} is not a known form of dates"));
            return Err(error.hint("the forms are yyyy-mm-dd, dd.mm.yyyy, dd/mm/yyyy and mm/dd/yyyy"));
        }
    })
}

fn declared_type(text: &str) -> Result<DeclaredType> {
    let text = text.trim().to_lowercase();
    let unknown = || {
        let error = Error::new(Code::InvalidSetting, format!("{text:?} is not a type of a CSV column"));
        error.hint("the types are text, integer, decimal(p,s), double, boolean, date and timestamp")
    };
    Ok(match text.as_str() {
        "text" | "varchar" => DeclaredType::Text,
        "integer" | "bigint" => DeclaredType::Integer,
        "double" => DeclaredType::Double,
        "boolean" => DeclaredType::Boolean,
        "date" => DeclaredType::Date,
        "timestamp" => DeclaredType::Timestamp,
        _ => {
            let digits = text.strip_prefix("decimal").map(str::trim).and_then(|rest| rest.strip_prefix('('));
            let digits = digits.and_then(|rest| rest.strip_suffix(')')).ok_or_else(unknown)?;
            let (precision, scale) = digits.split_once(',').unwrap_or((digits, "0"));
            let number = |text: &str| text.trim().parse::<u8>().map_err(|_| unknown());
            DeclaredType::Decimal(number(precision)?, number(scale)?)
        }
    })
}

fn csv_code_page(name: &str) -> Result<mainstay_csv::CodePage> {
    let page = code_page(name)?;
    if page.number() == UTF_8 {
        return Ok(mainstay_csv::CodePage::Utf8);
    }
    let upper = std::array::from_fn(|at| {
        let byte = [128 + at as u8];
        page.decode(&byte).text.chars().next().unwrap_or('\u{fffd}')
    });
    Ok(mainstay_csv::CodePage::Table { name: page.name().to_owned(), upper: std::sync::Arc::new(upper) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<CsvOptions> {
        toml::from_str::<TableSettings>(text).expect("settings").csv_options()
    }

    #[test]
    fn settings_become_options() {
        let text = "delimiter = ';'\nquote = ''\nskip = 2\ndecimal = ','\nthousands = '.'\ndates = 'DD/MM/YYYY'\n\
                    nulls = ['NULL']\ntypes = { code = 'text', price = 'decimal(9, 2)', n = 'decimal(5)' }\n";
        let options = read(text).expect("options");
        assert_eq!((options.delimiter, options.quote, options.skip), (Some(b';'), Some(0), 2));
        assert_eq!((options.decimal, options.thousands), (Some(b','), Some(b'.')));
        assert_eq!(options.dates, Some(DateFormat::Slashed(DayOrder::DayFirst)));
        let declared = [
            ("code".to_owned(), DeclaredType::Text),
            ("n".to_owned(), DeclaredType::Decimal(5, 0)),
            ("price".to_owned(), DeclaredType::Decimal(9, 2)),
        ];
        assert_eq!(options.types, declared);
    }

    #[test]
    fn settings_that_make_no_sense_are_refused() {
        for text in [
            "delimiter = ';;'",
            "delimiter = 'ä'",
            "decimal = ';'",
            "decimal = ','\nthousands = ','",
            "dates = 'yy'",
            "types = { a = 'money' }",
            "types = { a = 'decimal(40,2)' }",
            "types = { a = 'decimal(x)' }",
        ] {
            assert_eq!(read(text).map_err(|error| error.code()), Err(Code::InvalidSetting), "{text}");
        }
    }
}
