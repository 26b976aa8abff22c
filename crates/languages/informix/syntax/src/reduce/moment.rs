//! DATETIME and INTERVAL values, which a statement may write with some fields only.

use super::{Reducer, text_literal};
use crate::error::{Parse, SqlError};
use crate::shown::completed;
use crate::tree::{Argument, Expr, Literal};
use crate::types::{Field, Type};

/// The core's word for a field of an INTERVAL.
fn unit(field: Field) -> &'static str {
    Field::NAMES.get(field.0.min(10) as usize / 2).copied().unwrap_or("second")
}

/// The last day of the month of a value: its day is moved by as many as are left.
fn last_day_of(text: &str) -> String {
    let end = format!("(date_trunc('month', {text}) + INTERVAL '1' month - INTERVAL '1' day)");
    let left = format!("CAST(extract(day FROM {end}) - extract(day FROM {text}) AS INTEGER)");
    format!("(({text}) + (INTERVAL '1' day * {left}))")
}

/// A moment as one of the type of the value that it was made of.
fn of_type(text: &str, known: Option<Type>) -> String {
    match known {
        Some(Type::Date) => format!("CAST({text} AS DATE)"),
        _ => text.to_owned(),
    }
}

impl Reducer<'_> {
    /// DATE: a text or moment as a date.
    pub(super) fn date_of(&mut self, value: &Expr) -> Parse<()> {
        self.push("CAST(");
        self.of_type(value, Type::Date)?;
        self.push(" AS DATE)");
        Ok(())
    }

    /// LAST_DAY: the last day of the month of a value, which keeps its time of day.
    pub(super) fn last_day(&mut self, value: &Expr) -> Parse<()> {
        let known = self.moment_type(value);
        let text = self.written(value)?;
        self.push(&of_type(&last_day_of(&text), known));
        Ok(())
    }

    /// ADD_MONTHS: a value at the end of its month stays at the end of one, and days that the month lacks become its last one
    /// ("ADD_MONTHS Function", Guide to SQL: Syntax).
    pub(super) fn add_months(&mut self, value: &Expr, count: &Expr) -> Parse<()> {
        let known = self.moment_type(value);
        let (text, count) = (self.written(value)?, self.written(count)?);
        let moved = format!("(({text}) + (INTERVAL '1' month * ({count})))");
        let is_last = format!("extract(day FROM (({text}) + INTERVAL '1' day)) = 1");
        let text = format!("CASE WHEN {is_last} THEN {} ELSE {moved} END", last_day_of(&moved));
        self.push(&of_type(&text, known));
        Ok(())
    }

    /// The type of a value, functions of dates included.
    fn moment_type(&self, value: &Expr) -> Option<Type> {
        let Expr::Call(call) = value else { return self.type_of(value) };
        match (call.name.last().to_lowercase().as_str(), call.arguments.first()) {
            ("mdy" | "date", Some(_)) => Some(Type::Date),
            ("last_day" | "add_months", Some(Argument::Value(value))) => self.moment_type(value),
            _ => self.type_of(value),
        }
    }

    /// The text of an expression, for forms that need it more than once.
    fn written(&mut self, value: &Expr) -> Parse<String> {
        let before = std::mem::take(&mut self.out);
        let done = self.expression(value);
        let text = std::mem::replace(&mut self.out, before);
        done.map(|()| text)
    }

    /// Writes a cast.
    pub(super) fn cast(&mut self, value: &Expr, known: Type) -> Parse<()> {
        match (known, value) {
            // The function carries the type of a constant, too.
            (known, value) if known.is_floating() || self.is_floating(value) => self.of_floating(value, known),
            (Type::DateTime(first, last), value) => self.datetime(value, first, last),
            (Type::Interval(first, _, last), Expr::Literal(Literal::String(text))) => {
                let range = match first.0.min(10) == last.0.min(10) {
                    true => unit(first).to_owned(),
                    false => format!("{} TO {}", unit(first), unit(last)),
                };
                self.push(&format!("INTERVAL {} {range}", text_literal(text.trim())));
                Ok(())
            }
            (known, value) => {
                self.push("CAST(");
                if !known.is_text() || !self.moment_as_text(value)? {
                    self.of_type(value, known)?;
                }
                self.push(&format!(" AS {})", known.sql_type()));
                Ok(())
            }
        }
    }

    fn datetime(&mut self, value: &Expr, first: Field, last: Field) -> Parse<()> {
        let is_time = first >= Field::HOUR;
        let digits = last.fraction_digits();
        if let Expr::Literal(Literal::String(text)) = value {
            let text = text_literal(&completed(text, first, last)?);
            self.push(&match is_time {
                true => format!("CAST({text} AS TIME({digits}))"),
                false => format!("CAST({text} AS TIMESTAMP({digits}))"),
            });
            return Ok(());
        }
        // The core rounds; a server cuts. A time of day is cut as part of a moment, so that it does not leave its day.
        let is_moment = match self.type_of(value) {
            Some(Type::DateTime(first, _)) => first < Field::HOUR,
            Some(Type::Date) => true,
            _ => !is_time,
        };
        let cut = match last {
            last if last < Field::SECOND => Some(unit(last)),
            Field::SECOND if is_moment => Some("second"),
            last if is_moment && last.fraction_digits() == 3 => Some("millisecond"),
            _ => None,
        };
        let half = (is_moment && cut.is_none()).then(|| format!("0.{}5", "0".repeat(digits.into())));
        self.push(if is_time { "CAST(" } else { "" });
        match (&half, cut) {
            // Rounding a moment that is half of the last digit earlier cuts it.
            (Some(half), _) => {
                self.push("CAST((CAST(");
                self.expression(value)?;
                self.push(&format!(" AS TIMESTAMP(6)) - INTERVAL '{half}' second) AS TIMESTAMP({digits}))"));
            }
            (None, Some(unit)) => {
                let (kind, digits) = if is_moment { ("TIMESTAMP", 6) } else { ("TIME", digits) };
                self.push(&format!("CAST(date_trunc('{unit}', CAST("));
                self.expression(value)?;
                self.push(&format!(" AS {kind}({digits}))) AS {kind}({}))", last.fraction_digits()));
            }
            (None, None) => {
                self.push("CAST(");
                self.expression(value)?;
                self.push(&format!(" AS TIME({digits}))"));
            }
        }
        self.push(&if is_time { format!(" AS TIME({digits}))") } else { String::new() });
        Ok(())
    }

    /// NEXT_DAY: the first day of a name behind a date.
    pub(super) fn next_day(&mut self, value: &Expr, day: &str) -> Parse<()> {
        const DAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
        let wanted = day.trim().get(..3).unwrap_or_default().to_ascii_uppercase();
        let place = DAYS.iter().position(|known| *known == wanted);
        let place = place.ok_or_else(|| SqlError::new(-9978, "The day is not one of a week.").about(day))?;
        let text = self.written(value)?;
        let distance = format!("(({} - CAST(extract(dow FROM {text}) AS INTEGER)) % 7 + 1)", place + 6);
        self.push(&format!("CAST(({text}) + INTERVAL '1' day * {distance} AS DATE)"));
        Ok(())
    }

    /// ROUND and TRUNC of a date to a unit; `None` for units that are no parts of dates.
    pub(super) fn unit_of_format(format: &str) -> Option<&'static str> {
        Some(match format.trim().to_ascii_uppercase().as_str() {
            "YEAR" | "YYYY" => "year",
            "MONTH" | "MM" | "MON" => "month",
            "DD" | "DAY" => "day",
            _ => return None,
        })
    }

    /// `n UNITS DAY`.
    pub(super) fn units(&mut self, value: &Expr, field: &str) -> Parse<()> {
        let known = Field::of_name(field)
            .ok_or_else(|| SqlError::new(SqlError::SYNTAX, "A syntax error has occurred near UNITS."))?;
        match value {
            Expr::Literal(Literal::Integer(digits)) => self.push(&format!("INTERVAL '{digits}' {}", unit(known))),
            value => {
                self.push(&format!("(INTERVAL '1' {} * ", unit(known)));
                self.expression(value)?;
                self.push(")");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_are_not_written_are_the_first_of_their_kind() {
        assert_eq!(completed("2024-2-29 10:34", Field::YEAR, Field(8)).unwrap(), "2024-02-29 10:34:00");
        assert_eq!(completed("10:34:56.78", Field::HOUR, Field(12)).unwrap(), "10:34:56.78");
        assert_eq!(completed("12", Field::MONTH, Field::MONTH).unwrap(), "1900-12-01 00:00:00");
        assert_eq!(completed("2024-02-29 10", Field::YEAR, Field::DAY).unwrap_err().code, -1264);
    }
}
