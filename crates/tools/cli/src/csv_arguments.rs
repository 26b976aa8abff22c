//! Flags for CSV files of programs with other regional settings.

use crate::output::csv_style::{CsvStyle, DatePattern};
use clap::Args;

/// The flags for CSV.
#[derive(Debug, Default, Args)]
pub(crate) struct Csv {
    /// The character between the fields of CSV, or tab [default: a comma, and a semicolon beside a decimal comma]
    #[arg(long, value_name = "CHARACTER", value_parser = parse_character)]
    delimiter: Option<char>,

    /// The decimal character of numbers in CSV, such as a comma [default: a point]
    #[arg(long, value_name = "CHARACTER", value_parser = parse_character)]
    decimal: Option<char>,

    /// Begin CSV with a byte order mark, by which Excel knows UTF-8
    #[arg(long)]
    bom: bool,

    /// The form of dates in CSV, such as dd.mm.yyyy or m/d/yy [default: yyyy-mm-dd]
    #[arg(long, value_name = "FORMAT", value_parser = DatePattern::parse)]
    date_format: Option<DatePattern>,
}

impl Csv {
    /// The choices as the format takes them.
    pub(crate) fn style(&self) -> CsvStyle {
        let Csv { delimiter, decimal, bom, date_format } = self;
        CsvStyle { delimiter: *delimiter, decimal: *decimal, bom: *bom, dates: date_format.clone() }
    }
}

/// A character that may stand between fields or digits.
fn parse_character(text: &str) -> Result<char, String> {
    let mut characters = text.chars();
    match (text, characters.next(), characters.next()) {
        ("tab" | "\\t", ..) => Ok('\t'),
        (_, Some(one), None) if !one.is_alphanumeric() && !matches!(one, '"' | '\n' | '\r' | '-' | '+') => Ok(one),
        _ => Err("one character that is no letter, digit, sign or quote, or tab".to_owned()),
    }
}
