//! Conditions set by a program rather than an index, evaluated with that program's settings and time.
//!
//! An index stores neither the time at which its keys were made nor its program's date format, so functions that depend
//! on either are refused in it, or use Clipper's defaults. The program that sets a filter knows both. In its text these
//! calls are replaced by their values before it is parsed:
//!
//! ```text
//!   D >= DATE() - 30              D >= {^2026-11-23} - 30
//!   D = CTOD('05.01.2021')        D = {^2021-01-05}                  by DD.MM.CCYY
//!   DTOC(D) = '05.01'             SUBSTR(DTOS(D),7,2)+'.'+SUBSTR(DTOS(D),5,2)+...
//! ```
//!
//! Limits: `CTOD()`, `CTOT()` and `CTOTS()` of anything but a literal are left as they are. A filter keeps the day on
//! which it was set, past midnight.

use super::lexer::{self, Token, TokenKind};
use mainstay_types::Date;

/// The settings of a program, and the current time.
pub struct Moment<'m> {
    /// The Julian day.
    pub day: i32,
    /// Milliseconds since midnight.
    pub ms: i32,
    /// The format of days: letters of MM, DD, CCYY (or YYYY) and YY, and what is between them.
    pub mask: &'m str,
    /// The day that a text means.
    pub read_day: &'m dyn Fn(&str) -> Option<i32>,
    /// The day and the milliseconds of one with a time.
    pub read_moment: &'m dyn Fn(&str) -> Option<(i32, i32)>,
}

/// Clipper's default format of days, and that of functions in expressions.
const AMERICAN: &str = "MM/DD/YY";

/// The text of a condition with everything replaced that depends on the moment. A text that is no expression stays as it is,
/// for the parser to say what is wrong with it.
pub fn at_moment(text: &str, moment: &Moment<'_>) -> String {
    match lexer::tokens(text.as_bytes()) {
        Ok(tokens) => Settling { text, moment }.settled(&tokens, 0, text.len()),
        Err(_) => text.to_owned(),
    }
}

struct Settling<'s> {
    text: &'s str,
    moment: &'s Moment<'s>,
}

impl Settling<'_> {
    /// The part of the text that these tokens are of, from one byte to before another.
    fn settled(&self, tokens: &[Token], start: usize, end: usize) -> String {
        let (mut out, mut copied, mut at) = (String::new(), start, 0);
        while let Some(token) = tokens.get(at) {
            let is_member = at > 0 && matches!(tokens[at - 1].kind, TokenKind::Mark("->" | "."));
            if let TokenKind::Name(name) = &token.kind
                && !is_member
                && let Some(close) = closing(tokens, at + 1)
                && let Some(replacement) = self.replacement(name, &tokens[at + 2..close])
            {
                out.push_str(self.text.get(copied..token.start).unwrap_or_default());
                out.push_str(&replacement);
                (copied, at) = (tokens[close].end, close);
            }
            at += 1;
        }
        out.push_str(self.text.get(copied..end).unwrap_or_default());
        out
    }

    /// The value of a call of a function with these arguments.
    fn replacement(&self, name: &str, arguments: &[Token]) -> Option<String> {
        let moment = self.moment;
        match (name, arguments) {
            ("DATE" | "TODAY", []) => Some(day_literal(moment.day)),
            ("NOW" | "DATETIME", []) => Some(moment_literal((moment.day, moment.ms))),
            ("TIME", []) => Some(format!("'{}'", time_of(moment.ms))),
            ("CTOD", [Token { kind: TokenKind::Text(text), .. }]) => {
                let day = std::str::from_utf8(text).ok().and_then(|text| (moment.read_day)(text.trim()));
                Some(day_literal(day.unwrap_or(0)))
            }
            ("CTOT" | "CTOTS", [Token { kind: TokenKind::Text(text), .. }]) => {
                let read = std::str::from_utf8(text).ok().and_then(|text| (moment.read_moment)(text.trim()));
                read.map(moment_literal)
            }
            ("DTOC", [first, .., last]) if !moment.mask.eq_ignore_ascii_case(AMERICAN) && is_one(arguments) => {
                Some(self.written(&self.settled(arguments, first.start, last.end)))
            }
            ("DTOC", [one]) if !moment.mask.eq_ignore_ascii_case(AMERICAN) => {
                Some(self.written(self.text.get(one.start..one.end).unwrap_or_default()))
            }
            _ => None,
        }
    }

    /// The expression that writes a day by the mask.
    fn written(&self, day: &str) -> String {
        let (mut parts, mut rest) = (Vec::new(), self.moment.mask);
        while let Some(first) = rest.chars().next() {
            let known = [("CCYY", 1, 4), ("YYYY", 1, 4), ("YY", 3, 2), ("MM", 5, 2), ("DD", 7, 2)];
            let begins = |letters: &str| rest.get(..letters.len()).is_some_and(|it| it.eq_ignore_ascii_case(letters));
            let length = match known.into_iter().find(|(letters, ..)| begins(letters)) {
                Some((letters, from, length)) => {
                    parts.push(format!("SUBSTR(DTOS({day}),{from},{length})"));
                    letters.len()
                }
                None => {
                    parts.push(if first == '\'' { "\"'\"".to_owned() } else { format!("'{first}'") });
                    first.len_utf8()
                }
            };
            rest = &rest[length..];
        }
        format!("({})", parts.join("+"))
    }
}

/// Where the parenthesis closes that opens at a place; `None` if none does.
fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match (&token.kind, depth) {
            (TokenKind::Mark("("), _) => depth += 1,
            (_, 0) => return None,
            (TokenKind::Mark(")"), 1) => return Some(at),
            (TokenKind::Mark(")"), _) => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns true if these are one argument.
fn is_one(arguments: &[Token]) -> bool {
    let mut depth = 0;
    arguments.iter().all(|token| {
        match token.kind {
            TokenKind::Mark("(") => depth += 1,
            TokenKind::Mark(")") => depth -= 1,
            _ => {}
        }
        depth > 0 || token.kind != TokenKind::Mark(",")
    })
}

fn day_literal(day: i32) -> String {
    if day <= 0 { "{}".to_owned() } else { format!("{{^{}}}", Date::from_julian(day)) }
}

fn moment_literal((day, ms): (i32, i32)) -> String {
    format!("{{^{} {}}}", Date::from_julian(day), time_of(ms))
}

fn time_of(ms: i32) -> String {
    let seconds = ms / 1000;
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> String {
        let day = Date::from_ymd(2026, 11, 23).map(Date::julian).unwrap_or_default();
        let read_day = |text: &str| (text == "05.01.2021").then_some(day);
        let read_moment = |text: &str| (text == "05.01.2021 07:00").then_some((day, 7 * 3_600_000));
        let moment = Moment { day, ms: 49_271_999, mask: "DD.MM.CCYY", read_day: &read_day, read_moment: &read_moment };
        at_moment(text, &moment)
    }

    #[test]
    fn what_depends_on_the_moment_is_what_it_gives() {
        assert_eq!(at("d >= Date( ) - 30"), "d >= {^2026-11-23} - 30");
        assert_eq!(
            at("YEAR(TODAY()) = 2026 .AND. t < NOW()"),
            "YEAR({^2026-11-23}) = 2026 .AND. t < {^2026-11-23 13:41:11}"
        );
        assert_eq!(at("u > TIME()"), "u > '13:41:11'");
        assert_eq!(at("d = CTOD('05.01.2021')"), "d = {^2026-11-23}");
        assert_eq!(at("d = ctod(\"never\")"), "d = {}");
        assert_eq!(at("t = CTOT('05.01.2021 07:00')"), "t = {^2026-11-23 07:00:00}");
        let written = "(SUBSTR(DTOS(d),7,2)+'.'+SUBSTR(DTOS(d),5,2)+'.'+SUBSTR(DTOS(d),1,4))";
        assert_eq!(at("DTOC(d) = '05'"), format!("{written} = '05'"));
        assert_eq!(at("DTOC(d + (1)) = '05'"), format!("{} = '05'", written.replace("(d)", "(d + (1))")));
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        for text in [
            "name = 'DATE()'",
            "a->date = d",
            "DATE(1)",
            "CTOD(c)",
            "DTOC(d, 1)",
            "date",
            "DATE(",
            "x = 'open",
            "ö = 'ä'",
        ] {
            assert_eq!(at(text), text);
        }
    }
}
