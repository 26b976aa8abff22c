//! The type of a column, from the shapes of all its values.
//!
//! A [`Guess`] only collects: the shapes that were seen, and the largest number of digits. Nothing is
//! decided before the last value, so order does not matter, and one value is enough to make a column
//! TEXT. The rules, in short:
//!
//! | values                                              | type                                   |
//! |-----------------------------------------------------|----------------------------------------|
//! | whole numbers of 64 bits                            | BIGINT                                 |
//! | numbers of together up to 38 digits                 | DECIMAL(p,s), no digit lost            |
//! | some with exponents, none too long for a double     | DOUBLE                                 |
//! | `true`, `false`                                     | BOOLEAN                                |
//! | 2024-12-31, or 31.12.2024                           | DATE                                   |
//! | 31/12/2024 or 12/31/2024, one order impossible      | DATE                                   |
//! | 2024-12-31 23:59:59.123456                          | TIMESTAMP (mixed with dates: midnight) |
//! | anything else, a mixture, or an empty text in quotes| TEXT                                   |

use crate::options::DateFormat;
use crate::shape::{NumberFormat, Shape};
use arrow_schema::{DataType, TimeUnit};

/// Which number of a date with slashes is the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DayOrder {
    /// 31/12/2024.
    DayFirst,
    /// 12/31/2024.
    MonthFirst,
}

/// The type of a column, and how its texts are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// BIGINT.
    Integer,
    /// DECIMAL.
    Decimal {
        /// Digits in all.
        precision: u8,
        /// Digits after the point.
        scale: u8,
        /// True if a comma stands for the point.
        comma: bool,
    },
    /// DOUBLE.
    Double,
    /// BOOLEAN.
    Boolean,
    /// DATE as 2024-12-31.
    IsoDate,
    /// DATE as 31.12.2024.
    DottedDate,
    /// DATE as 31/12/2024 or 12/31/2024.
    SlashedDate(DayOrder),
    /// TIMESTAMP, of milliseconds or microseconds.
    Timestamp {
        /// True if some value has more than three digits of a second.
        micros: bool,
    },
    /// TEXT.
    Text,
}

impl ColumnType {
    /// The type in SQL, as Arrow writes it.
    pub fn sql_type(self) -> DataType {
        match self {
            ColumnType::Integer => DataType::Int64,
            ColumnType::Decimal { precision, scale, .. } => DataType::Decimal128(precision, scale as i8),
            ColumnType::Double => DataType::Float64,
            ColumnType::Boolean => DataType::Boolean,
            ColumnType::IsoDate | ColumnType::DottedDate | ColumnType::SlashedDate(_) => DataType::Date32,
            ColumnType::Timestamp { micros: false } => DataType::Timestamp(TimeUnit::Millisecond, None),
            ColumnType::Timestamp { micros: true } => DataType::Timestamp(TimeUnit::Microsecond, None),
            ColumnType::Text => DataType::Utf8View,
        }
    }

    /// The type of decoded vectors, but for text: a decimal is as narrow as its digits allow.
    pub(crate) fn physical_type(self) -> DataType {
        match self {
            ColumnType::Decimal { precision: ..=9, scale, .. } => self.decimal_of(DataType::Decimal32, scale),
            ColumnType::Decimal { precision: ..=18, scale, .. } => self.decimal_of(DataType::Decimal64, scale),
            _ => self.sql_type(),
        }
    }

    fn decimal_of(self, make: fn(u8, i8) -> DataType, scale: u8) -> DataType {
        match self {
            ColumnType::Decimal { precision, .. } => make(precision, scale as i8),
            _ => self.sql_type(),
        }
    }
}

const INTEGER: u16 = 1;
const POINT: u16 = 1 << 1;
const COMMA: u16 = 1 << 2;
const DOUBLE: u16 = 1 << 3;
const BOOLEAN: u16 = 1 << 4;
const ISO_DATE: u16 = 1 << 5;
const DOTTED_DATE: u16 = 1 << 6;
const SLASHED_DATE: u16 = 1 << 7;
const TIMESTAMP: u16 = 1 << 8;
const TEXT: u16 = 1 << 9;

/// The most digits of a number that every double gives back as they were.
const EXACT_DIGITS: u32 = 15;

/// The most digits that programs print of a double, so that it can be read back.
const PRINTED_DIGITS: u32 = 17;

/// The statistics of a column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guess {
    seen: u16,
    /// Some integer does not fit into 64 bits.
    large: bool,
    not_day_first: bool,
    not_month_first: bool,
    /// The most digits before the point, after it, and together in one value; and of one with exponent.
    whole: u32,
    fraction: u32,
    digits: u32,
    double_digits: u32,
    /// The most digits of a whole number, and of one with a point from its first that is not zero on.
    whole_digits: u32,
    point_digits: u32,
    /// The most digits of a second.
    second_fraction: u32,
    /// Some point is not in the place of a sign between thousands.
    not_grouped: bool,
}

impl Guess {
    pub(crate) fn new() -> Guess {
        Guess {
            seen: 0,
            large: false,
            not_day_first: false,
            not_month_first: false,
            whole: 0,
            fraction: 0,
            digits: 0,
            double_digits: 0,
            whole_digits: 0,
            point_digits: 0,
            second_fraction: 0,
            not_grouped: false,
        }
    }

    /// Takes a value into account. `bytes` are those between the quotes, if there are quotes.
    #[inline(always)]
    pub(crate) fn observe(&mut self, bytes: &[u8], quoted: bool, numbers: NumberFormat) {
        if self.seen & TEXT != 0 || (bytes.is_empty() && !quoted) {
            return;
        }
        match numbers.shape(bytes) {
            // By far the most frequent, and nothing new most of the time.
            Shape::Integer { digits, fits: true } => self.integer(digits),
            Shape::Blank if quoted => self.seen |= TEXT,
            shape => self.take(shape),
        }
    }

    /// The column holds a value that can only be text.
    pub(crate) fn observe_text(&mut self) {
        self.seen |= TEXT;
    }

    fn take(&mut self, shape: Shape) {
        match shape {
            Shape::Blank => {}
            Shape::Integer { digits, fits } => {
                self.large |= !fits;
                self.integer(digits);
            }
            Shape::Decimal { whole, fraction, zeros, comma } => {
                self.point_digits = self.point_digits.max(whole + fraction - zeros);
                self.not_grouped |= !comma && (fraction != 3 || !(1..=3).contains(&whole));
                self.number(if comma { COMMA } else { POINT }, whole, fraction)
            }
            Shape::Double { digits } => {
                self.seen |= DOUBLE;
                self.double_digits = self.double_digits.max(digits);
            }
            Shape::Boolean => self.seen |= BOOLEAN,
            Shape::IsoDate => self.seen |= ISO_DATE,
            Shape::DottedDate => self.seen |= DOTTED_DATE,
            Shape::SlashedDate { day_first, month_first } => {
                self.seen |= SLASHED_DATE;
                self.not_day_first |= !day_first;
                self.not_month_first |= !month_first;
            }
            Shape::Timestamp { fraction } => {
                self.seen |= TIMESTAMP;
                self.second_fraction = self.second_fraction.max(fraction);
            }
            Shape::Text => self.seen |= TEXT,
        }
    }

    #[inline(always)]
    fn integer(&mut self, digits: u32) {
        self.whole_digits = self.whole_digits.max(digits);
        self.number(INTEGER, digits, 0);
    }

    #[inline(always)]
    fn number(&mut self, kind: u16, whole: u32, fraction: u32) {
        self.seen |= kind;
        self.whole = self.whole.max(whole);
        self.fraction = self.fraction.max(fraction);
        self.digits = self.digits.max(whole + fraction);
    }

    /// Returns true if no value has been seen.
    pub(crate) fn is_empty(&self) -> bool {
        self.seen == 0
    }

    /// Some value has a comma for its decimal sign.
    pub(crate) fn has_decimal_comma(&self) -> bool {
        self.seen & COMMA != 0
    }

    /// The column is one of numbers whose points could all stand between thousands: `1.000`, `12.500`, `7`.
    pub(crate) fn may_be_grouped(&self) -> bool {
        self.seen & POINT != 0 && self.seen & !(POINT | INTEGER) == 0 && !self.not_grouped
    }

    /// The type of a column of these values, whose dates have this form where it is given.
    pub(crate) fn column_type_with(&self, dates: Option<DateFormat>) -> ColumnType {
        let is_possible = |order| match order {
            DayOrder::DayFirst => !self.not_day_first,
            DayOrder::MonthFirst => !self.not_month_first,
        };
        match (self.seen, dates) {
            (SLASHED_DATE, Some(DateFormat::Slashed(order))) if is_possible(order) => ColumnType::SlashedDate(order),
            (SLASHED_DATE, Some(_)) => ColumnType::Text,
            (DOTTED_DATE, Some(format)) if format != DateFormat::Dotted => ColumnType::Text,
            _ => self.column_type(),
        }
    }

    /// The type of a column of these values.
    pub(crate) fn column_type(&self) -> ColumnType {
        const COMMAS: u16 = INTEGER | COMMA;
        match self.seen {
            INTEGER if !self.large => ColumnType::Integer,
            INTEGER | POINT => self.decimal(false),
            COMMA | COMMAS => self.decimal(true),
            BOOLEAN => ColumnType::Boolean,
            ISO_DATE => ColumnType::IsoDate,
            DOTTED_DATE => ColumnType::DottedDate,
            SLASHED_DATE => match (self.not_day_first, self.not_month_first) {
                (false, true) => ColumnType::SlashedDate(DayOrder::DayFirst),
                (true, false) => ColumnType::SlashedDate(DayOrder::MonthFirst),
                _ => ColumnType::Text,
            },
            seen if seen & TIMESTAMP != 0 && seen & !(TIMESTAMP | ISO_DATE) == 0 => {
                ColumnType::Timestamp { micros: self.second_fraction > 3 }
            }
            seen if seen & DOUBLE != 0 && seen & !(INTEGER | POINT | DOUBLE) == 0 => self.double(),
            seen if seen == INTEGER | POINT => self.decimal(false),
            _ => ColumnType::Text,
        }
    }

    /// Some number has an exponent, so those with a point are doubles as well; but a whole number is a count,
    /// or the key of something.
    fn double(&self) -> ColumnType {
        let printed = self.point_digits.max(self.double_digits);
        let fits = self.whole_digits <= EXACT_DIGITS && printed <= PRINTED_DIGITS;
        if fits { ColumnType::Double } else { ColumnType::Text }
    }

    /// A decimal of all the digits; if together they are too many, doubles that give back every value;
    /// if they do not, text.
    fn decimal(&self, comma: bool) -> ColumnType {
        let digits = (self.whole + self.fraction).max(1);
        match (u8::try_from(digits), u8::try_from(self.fraction)) {
            (Ok(precision @ ..=38), Ok(scale)) => ColumnType::Decimal { precision, scale, comma },
            _ if self.digits <= EXACT_DIGITS && !comma => ColumnType::Double,
            _ => ColumnType::Text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(values: &[&str]) -> ColumnType {
        guess_with(values, false)
    }

    const POINTS: NumberFormat = NumberFormat { comma: false, point: true, thousands: None };

    fn guess_with(values: &[&str], comma: bool) -> ColumnType {
        seen(values, NumberFormat { comma, ..POINTS }).column_type()
    }

    fn seen(values: &[&str], numbers: NumberFormat) -> Guess {
        let mut guess = Guess::new();
        values.iter().for_each(|value| guess.observe(value.as_bytes(), false, numbers));
        guess
    }

    fn decimal(precision: u8, scale: u8) -> ColumnType {
        ColumnType::Decimal { precision, scale, comma: false }
    }

    #[test]
    fn numbers() {
        assert_eq!(guess(&["1", "", "-20"]), ColumnType::Integer);
        assert_eq!(guess(&["9223372036854775808", "1"]), decimal(19, 0));
        assert_eq!(guess(&["1", "2.50", "-.125"]), decimal(4, 3));
        assert_eq!(guess(&["0.0", "0"]), decimal(2, 1));
        assert_eq!(guess(&["12345678901234567890123456789012345678"]), decimal(38, 0));
        assert_eq!(guess(&["123456789012345678901234567890123456789"]), ColumnType::Text);
        assert_eq!(guess(&["1234567890123456789012345678", "0.12345678901"]), ColumnType::Text);
        assert_eq!(guess(&["1", "2.5", "1e5"]), ColumnType::Double);
        assert_eq!(guess(&["1234567890123456", "1e5"]), ColumnType::Text);
        assert_eq!(guess(&["-2.2250738585072014e-308", "1"]), ColumnType::Double);
        assert_eq!(guess(&["0.3333333333333333", "1e-5"]), ColumnType::Double);
        assert_eq!(guess(&["0.00012345678901234567", "1234567890.1234567", "5e-324"]), ColumnType::Double);
        assert_eq!(guess(&["0.333333333333333333", "1e-5"]), ColumnType::Text);
        assert_eq!(guess(&["1.23456789012345678e5"]), ColumnType::Text);
        assert_eq!(guess(&["1", "2", "003"]), ColumnType::Text);
        assert_eq!(guess(&[""]), ColumnType::Text);
    }

    #[test]
    fn decimal_commas_agree_or_are_text() {
        let comma = ColumnType::Decimal { precision: 3, scale: 2, comma: true };
        assert_eq!(guess_with(&["1,5", "2", "3,25"], true), comma);
        assert_eq!(guess_with(&["1,5", "2.5"], true), ColumnType::Text);
        assert_eq!(guess(&["1,5"]), ColumnType::Text);
    }

    #[test]
    fn points_in_the_places_of_thousands() {
        assert!(seen(&["1.000", "7", "12.500"], POINTS).may_be_grouped());
        for values in [&["1.000", "1.5"], &["0.125", "1.000"], &["1234.567", "1"], &["1", "2"], &["1.000", "x"]] {
            assert!(!seen(values, POINTS).may_be_grouped(), "{values:?}");
        }
    }

    #[test]
    fn given_forms_of_dates() {
        let slashed = |values: &[&str], dates| seen(values, POINTS).column_type_with(Some(dates));
        let day_first = DateFormat::Slashed(DayOrder::DayFirst);
        assert_eq!(slashed(&["01/02/2024"], day_first), ColumnType::SlashedDate(DayOrder::DayFirst));
        assert_eq!(slashed(&["01/31/2024"], day_first), ColumnType::Text);
        assert_eq!(slashed(&["31.01.2024"], day_first), ColumnType::Text);
        assert_eq!(slashed(&["2024-01-31"], day_first), ColumnType::IsoDate);
    }

    #[test]
    fn dates_and_times() {
        assert_eq!(guess(&["2024-01-31", ""]), ColumnType::IsoDate);
        assert_eq!(guess(&["01.02.2024", "1.12.1999"]), ColumnType::DottedDate);
        assert_eq!(guess(&["12.31.2024", "01.02.2024"]), ColumnType::Text);
        assert_eq!(guess(&["01/02/2024"]), ColumnType::Text);
        assert_eq!(guess(&["01/02/2024", "31/12/2024"]), ColumnType::SlashedDate(DayOrder::DayFirst));
        assert_eq!(guess(&["01/02/2024", "12/31/2024"]), ColumnType::SlashedDate(DayOrder::MonthFirst));
        assert_eq!(guess(&["31/12/2024", "12/31/2024"]), ColumnType::Text);
        assert_eq!(guess(&["2024-01-31 10:00", "2024-01-31"]), ColumnType::Timestamp { micros: false });
        assert_eq!(guess(&["2024-01-31T10:00:00.1234"]), ColumnType::Timestamp { micros: true });
        assert_eq!(guess(&["2024-01-31", "31.12.2024"]), ColumnType::Text);
        assert_eq!(guess(&["true", "False"]), ColumnType::Boolean);
        assert_eq!(guess(&["true", "1"]), ColumnType::Text);
    }

    #[test]
    fn an_empty_text_in_quotes_is_no_number() {
        let mut guess = Guess::new();
        guess.observe(b"1", false, POINTS);
        guess.observe(b"", true, POINTS);
        assert_eq!(guess.column_type(), ColumnType::Text);
    }
}
