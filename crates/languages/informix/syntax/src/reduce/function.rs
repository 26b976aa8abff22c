//! Functions: most have the name that the core knows, or another one; the rest have a form of their own.

use super::{Reducer, text_literal};
use crate::error::{Parse, SqlError};
use crate::tree::{Argument, Bound, Call, Expr, Literal, Over, SetQuantifier, Window};

/// Functions and their names in the core.
const NAMES: [(&str, &str); 51] = [
    ("abs", "abs"),
    ("acos", "acos"),
    ("ascii", "ascii"),
    ("asin", "asin"),
    ("atan", "atan"),
    ("atan2", "atan2"),
    ("avg", "avg"),
    ("ceil", "ceil"),
    ("char_length", "char_length"),
    ("character_length", "char_length"),
    ("chr", "chr"),
    ("coalesce", "coalesce"),
    ("concat", "concat"),
    ("cos", "cos"),
    ("count", "count"),
    ("dense_rank", "dense_rank"),
    ("exp", "exp"),
    ("first_value", "first_value"),
    ("floor", "floor"),
    ("initcap", "initcap"),
    ("instr", "strpos"),
    ("lag", "lag"),
    ("last_value", "last_value"),
    ("lead", "lead"),
    ("ln", "ln"),
    ("log10", "log10"),
    ("logn", "ln"),
    ("lower", "lower"),
    ("lpad", "lpad"),
    ("ltrim", "ltrim"),
    ("max", "max"),
    ("min", "min"),
    ("ntile", "ntile"),
    ("nullif", "nullif"),
    ("nvl", "coalesce"),
    ("octet_length", "octet_length"),
    ("pow", "power"),
    ("power", "power"),
    ("rank", "rank"),
    ("replace", "replace"),
    ("reverse", "reverse"),
    ("round", "round"),
    ("row_number", "row_number"),
    ("rpad", "rpad"),
    ("rtrim", "rtrim"),
    ("sin", "sin"),
    ("sqrt", "sqrt"),
    ("stdev", "stddev"),
    ("substr", "substr"),
    ("sum", "sum"),
    ("tan", "tan"),
];

/// Further functions that only differ in name.
const MORE_NAMES: [(&str, &str); 12] = [
    ("trim", "btrim"),
    ("trunc", "trunc"),
    ("upper", "upper"),
    ("variance", "var_samp"),
    ("percent_rank", "percent_rank"),
    ("cume_dist", "cume_dist"),
    ("to_char", "to_char"),
    ("left", "left"),
    ("right", "right"),
    ("degrees", "degrees"),
    ("radians", "radians"),
    ("sign", "sign"),
];

/// Parts of a date that are functions.
const PARTS: [(&str, &str); 5] =
    [("day", "day"), ("month", "month"), ("year", "year"), ("weekday", "dow"), ("quarter", "quarter")];

impl Reducer<'_> {
    pub(super) fn function(&mut self, call: &Call) -> Parse<()> {
        let name = call.name.last().to_lowercase();
        let arguments: Vec<&Expr> = call
            .arguments
            .iter()
            .filter_map(|argument| match argument {
                Argument::Value(value) => Some(value),
                _ => None,
            })
            .collect();
        if let ("trunc", [value, Expr::Literal(Literal::String(format))]) = (name.as_str(), &arguments[..])
            && let Some(unit) = Self::unit_of_format(format)
        {
            return self.around(&format!("CAST(date_trunc('{unit}', "), &[value], ") AS DATE)");
        }
        if let Some((_, core)) = NAMES.iter().chain(&MORE_NAMES).find(|(known, _)| *known == name) {
            return self.plain(core, call, &arguments);
        }
        match (name.as_str(), &arguments[..]) {
            ("substring_range", [text, Expr::Literal(Literal::Integer(from)), Expr::Literal(Literal::Integer(to))]) => {
                let (from, to): (u32, u32) = (from.parse().unwrap_or(1), to.parse().unwrap_or(1));
                self.push("substr(");
                self.expression(text)?;
                self.push(&format!(", {from}, {})", to.saturating_add(1).saturating_sub(from)));
                Ok(())
            }
            ("matches", [text, pattern, rest @ ..]) => self.matches(text, pattern, rest.first().copied()),
            ("units", [count, Expr::Literal(Literal::String(unit))]) => self.units(count, unit),
            ("length" | "len", [text]) => self.around("char_length(rtrim(", &[text], "))"),
            ("mod", [left, right]) => self.between("%", left, right),
            ("mdy", [month, day, year]) => self.around("make_date(", &[year, month, day], ")"),
            ("greatest" | "least", [_, _, ..]) => self.extreme(&name, &arguments),
            ("last_day", [value]) => self.last_day(value),
            ("add_months", [value, count]) => self.add_months(value, count),
            ("charindex", [part, text]) => self.around("strpos(", &[text, part], ")"),
            ("space", [count]) => self.around("repeat(' ', ", &[count], ")"),
            ("root", [number]) => self.around("sqrt(", &[number], ")"),
            ("range", [value]) => {
                self.around("(max(", &[value], ") - ")?;
                self.around("min(", &[value], "))")
            }
            ("bitand", [left, right]) => self.between("&", left, right),
            ("bitor", [left, right]) => self.between("|", left, right),
            ("date", [value]) => self.date_of(value),
            ("next_day", [value, Expr::Literal(Literal::String(day))]) => self.next_day(value, day),
            ("hex", [number]) => self.around("concat('0x', lpad(upper(to_hex(", &[number], ")), 8, '0'))"),
            ("to_number", [value]) => self.around("\"informix:decimal\"(", &[value], ")"),
            ("to_date", [text, format]) => self.around("to_timestamp(", &[text, format], ")"),
            ("substring_index", [text, separator, count]) => {
                self.around("substr_index(", &[text, separator, count], ")")
            }
            ("root", [number, degree]) => {
                self.around("power(", &[number], ", 1.0 / (").and_then(|()| self.around("", &[degree], "))"))
            }
            ("bitxor", [left, right]) => self.between("#", left, right),
            ("bitnot", [number]) => self.around("(~ ", &[number], ")"),
            ("ratio_to_report", [value]) => {
                self.around("(1.0 * ", &[value], " / ")?;
                self.plain("sum", call, &arguments)?;
                self.push(")");
                Ok(())
            }
            ("nvl2", [value, set, unset]) => match self.is_floating(set) || self.is_floating(unset) {
                true => self.marked(|it| it.nvl2(value, set, unset, true)),
                false => self.nvl2(value, set, unset, false),
            },
            ("decode", [value, rest @ ..]) if rest.len() >= 2 => {
                let mut results = rest.chunks(2).filter_map(|pair| pair.last());
                match results.any(|result| self.is_floating(result)) {
                    true => self.marked(|it| it.decode(value, rest, true)),
                    false => self.decode(value, rest, false),
                }
            }
            ("locopy", [value, ..]) => self.expression(value),
            ("filetoblob" | "filetoclob" | "lotofile", _) => Err(SqlError::unsupported(&format!(
                "{}, which copies a file of the server or of the client",
                name.to_uppercase()
            ))),
            ("dbinfo", words) => self.information(words),
            ("user", []) => {
                let user = text_literal(&self.scope.user());
                self.push(&user);
                Ok(())
            }
            (part, [value]) if PARTS.iter().any(|(known, _)| *known == part) => {
                let unit = PARTS.iter().find(|(known, _)| *known == part).map_or("day", |(_, unit)| unit);
                self.around(&format!("CAST(extract({unit} FROM "), &[value], ") AS SMALLINT)")
            }
            (name, arguments) if self.metadata_function(name, arguments)? => Ok(()),
            _ if self.scope.function(&call.name, call.arguments.len()).is_some() => self.routine(call, &arguments),
            _ => {
                let text = format!("Routine ({name}) can not be resolved.");
                Err(SqlError::at(-674, call.name.span, text).about(&name))
            }
        }
    }

    /// A function of the database.
    fn routine(&mut self, call: &Call, arguments: &[&Expr]) -> Parse<()> {
        let Some((function, known)) = self.scope.function(&call.name, arguments.len()) else { return Ok(()) };
        if known.is_floating() {
            let before = super::floating::conversion(known).0;
            self.push(&before);
        }
        self.push(&format!("CAST({}(", super::quoted(&function)));
        self.list(arguments, |it, value| it.expression(value))?;
        self.push(&format!(") AS {})", known.sql_type()));
        self.push(if known.is_floating() { ")" } else { "" });
        Ok(())
    }

    pub(super) fn around(&mut self, before: &str, values: &[&Expr], behind: &str) -> Parse<()> {
        self.push(before);
        self.list(values, |it, value| it.expression(value))?;
        self.push(behind);
        Ok(())
    }

    fn between(&mut self, operator: &str, left: &Expr, right: &Expr) -> Parse<()> {
        self.push("(");
        self.expression(left)?;
        self.push(&format!(" {operator} "));
        self.expression(right)?;
        self.push(")");
        Ok(())
    }

    pub(super) fn plain(&mut self, core: &str, call: &Call, arguments: &[&Expr]) -> Parse<()> {
        self.push(core);
        self.push("(");
        if call.quantifier == Some(SetQuantifier::Distinct) {
            self.push("DISTINCT ");
        }
        self.list(arguments, |it, value| it.expression(value))?;
        self.push(")");
        match &call.over {
            Some(Over::Window(window)) => self.window(window),
            Some(Over::Name(_)) => Err(SqlError::unsupported("a named window")),
            None => Ok(()),
        }
    }

    fn window(&mut self, window: &Window) -> Parse<()> {
        self.push(" OVER (");
        if !window.partition.is_empty() {
            self.push("PARTITION BY ");
            self.list(&window.partition, |it, value| it.expression(value))?;
        }
        if !window.order.is_empty() {
            self.push(" ORDER BY ");
            self.list(&window.order, |it, item| {
                it.expression(&item.value)?;
                it.push(if item.descending == Some(true) { " DESC NULLS LAST" } else { " ASC NULLS FIRST" });
                Ok(())
            })?;
        }
        if let Some(frame) = &window.frame {
            self.push(if frame.range { " RANGE " } else { " ROWS " });
            self.push(if frame.end.is_some() { "BETWEEN " } else { "" });
            self.bound(&frame.start)?;
            if let Some(end) = &frame.end {
                self.push(" AND ");
                self.bound(end)?;
            }
        }
        self.push(")");
        Ok(())
    }

    fn bound(&mut self, bound: &Bound) -> Parse<()> {
        match bound {
            Bound::UnboundedPreceding => self.push("UNBOUNDED PRECEDING"),
            Bound::UnboundedFollowing => self.push("UNBOUNDED FOLLOWING"),
            Bound::CurrentRow => self.push("CURRENT ROW"),
            Bound::Preceding(value) => return self.around("", &[value], " PRECEDING"),
            Bound::Following(value) => return self.around("", &[value], " FOLLOWING"),
        }
        Ok(())
    }

    fn nvl2(&mut self, value: &Expr, set: &Expr, unset: &Expr, floats: bool) -> Parse<()> {
        self.around("CASE WHEN ", &[value], " IS NOT NULL THEN ")?;
        self.result(set, floats)?;
        self.push(" ELSE ");
        self.result(unset, floats)?;
        self.push(" END");
        Ok(())
    }

    /// DECODE compares NULL with NULL as equal.
    fn decode(&mut self, value: &Expr, rest: &[&Expr], floats: bool) -> Parse<()> {
        self.push("CASE");
        let mut pairs = rest.chunks_exact(2);
        for pair in &mut pairs {
            let [when, then] = pair else { break };
            self.push(" WHEN ");
            match when {
                Expr::Literal(Literal::Null) => self.around("", &[value], " IS NULL")?,
                when if self.is_floating(value) || self.is_floating(when) => self.equal(value, when)?,
                when => {
                    self.around("", &[value], " = ")?;
                    self.expression(when)?;
                }
            }
            self.push(" THEN ");
            self.result(then, floats)?;
        }
        if let [otherwise] = pairs.remainder() {
            self.push(" ELSE ");
            self.result(otherwise, floats)?;
        }
        self.push(" END");
        Ok(())
    }

    fn information(&mut self, words: &[&Expr]) -> Parse<()> {
        let words: Vec<String> = words
            .iter()
            .filter_map(|word| match word {
                Expr::Literal(Literal::String(text)) => Some(text.to_ascii_lowercase()),
                _ => None,
            })
            .collect();
        match self.scope.database_information(&words) {
            Some(literal) => {
                self.push(&literal);
                Ok(())
            }
            None => Err(SqlError::unsupported(&format!("DBINFO({})", words.join(", ")))),
        }
    }

    /// `*` and `?` of MATCHES are `%` and `_` of LIKE; classes of characters need a regular expression.
    fn matches(&mut self, text: &Expr, pattern: &Expr, escape: Option<&Expr>) -> Parse<()> {
        let escape = match escape {
            None => '\\',
            Some(Expr::Literal(Literal::String(escape))) => escape.chars().next().unwrap_or('\\'),
            Some(_) => return Err(SqlError::unsupported("an ESCAPE that is no literal")),
        };
        if !matches!(pattern, Expr::Literal(Literal::String(_))) {
            return self.matches_value(text, pattern, escape);
        }
        self.push("(");
        match self.is_floating(text) {
            true => self.of_floating(text, crate::types::Type::LVarChar(255))?,
            false => self.expression(text)?,
        }
        match pattern {
            Expr::Literal(Literal::String(pattern)) if pattern.contains('[') => {
                self.push(&format!(" ~ {}", text_literal(&as_regular_expression(pattern, escape))));
            }
            Expr::Literal(Literal::String(pattern)) => {
                self.push(&format!(" LIKE {} ESCAPE '\\'", text_literal(&as_like(pattern, escape))));
            }
            _ => {}
        }
        self.push(")");
        Ok(())
    }

    /// MATCHES with a pattern that is known when the statement runs.
    fn matches_value(&mut self, text: &Expr, pattern: &Expr, escape: char) -> Parse<()> {
        self.push("\"informix:matches\"(");
        self.expression(text)?;
        self.push(", CAST(");
        self.of_type(pattern, crate::types::Type::LVarChar(255))?;
        self.push(&format!(" AS VARCHAR), {})", text_literal(&escape.to_string())));
        Ok(())
    }
}

fn as_like(pattern: &str, escape: char) -> String {
    let mut like = String::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        let (letter, is_escaped) = match letter == escape {
            true => (letters.next().unwrap_or(letter), true),
            false => (letter, false),
        };
        match letter {
            '*' if !is_escaped => like.push('%'),
            '?' if !is_escaped => like.push('_'),
            '%' | '_' | '\\' => like.extend(['\\', letter]),
            other => like.push(other),
        }
    }
    like
}

fn as_regular_expression(pattern: &str, escape: char) -> String {
    let mut regular = "^".to_owned();
    let mut letters = pattern.chars();
    let mut in_class = false;
    while let Some(letter) = letters.next() {
        match letter {
            _ if letter == escape => {
                let next = letters.next().unwrap_or(letter);
                regular.push_str(&literal_letter(next));
            }
            '*' if !in_class => regular.push_str(".*"),
            '?' if !in_class => regular.push('.'),
            '[' if !in_class => {
                in_class = true;
                regular.push('[');
            }
            ']' if in_class => {
                in_class = false;
                regular.push(']');
            }
            '^' | '-' if in_class => regular.push(letter),
            other => regular.push_str(&literal_letter(other)),
        }
    }
    regular.push('$');
    regular
}

/// A letter that means itself in a regular expression.
fn literal_letter(letter: char) -> String {
    if letter.is_alphanumeric() || letter == ' ' { letter.to_string() } else { format!("\\{letter}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_matches() {
        assert_eq!(as_like("a*b?c%", '\\'), "a%b_c\\%");
        assert_eq!(as_like("a!*", '!'), "a*");
        assert_eq!(as_regular_expression("[a-c]*.x", '\\'), "^[a-c].*\\.x$");
    }
}
