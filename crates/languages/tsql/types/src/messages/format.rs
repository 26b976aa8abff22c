//! The formats of RAISERROR and FORMATMESSAGE: those of C's printf, with some of its types.
//!
//! ```text
//!   % [flags: - + 0 # blank] [width or *] [. precision or *] [h | l | I64] type: d i o s u x X
//! ```
//!
//! A missing or NULL argument shows as `(null)`. The source is the reference page of RAISERROR.

use super::Message;
use mainstay_types::ValueRef;

/// The most arguments that RAISERROR takes.
const MAX_ARGUMENTS: usize = 20;

/// The widest field, so that a format cannot ask for gigabytes.
const MAX_WIDTH: usize = 2047;

/// The longest message that RAISERROR shows, in characters.
const MAX_CHARACTERS: usize = 2047;

/// The text of a format and its arguments: whole numbers, texts and bytes (which show as hexadecimal digits). Errors:
/// 2747 for too many arguments, 2748 for a kind that no format takes, 2786 for one that this format does not take, 2787
/// for an invalid format.
pub fn format(template: &str, arguments: &[ValueRef<'_>]) -> Result<String, Message> {
    if arguments.len() > MAX_ARGUMENTS {
        return Err(Message::numbered(2747, &[&MAX_ARGUMENTS]));
    }
    let mut arguments = Arguments { all: arguments, next: 0 };
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find('%') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let after = from.get(1..).unwrap_or_default();
        if let Some(behind) = after.strip_prefix('%') {
            out.push('%');
            rest = behind;
            continue;
        }
        rest = Field::read(after, &mut arguments)?.show(&mut arguments, &mut out)?;
    }
    out.push_str(rest);
    Ok(shortened(out))
}

/// At most as many characters as a message has; three points stand for the others.
fn shortened(text: String) -> String {
    match text.char_indices().nth(MAX_CHARACTERS) {
        None => text,
        Some(_) => text.chars().take(MAX_CHARACTERS - 3).chain("...".chars()).collect(),
    }
}

struct Arguments<'a> {
    all: &'a [ValueRef<'a>],
    next: usize,
}

impl<'a> Arguments<'a> {
    fn take(&mut self) -> ValueRef<'a> {
        let value = self.all.get(self.next).copied().unwrap_or(ValueRef::Null);
        self.next += 1;
        value
    }

    /// The argument that was taken last is not of the kind that its format wants.
    fn mismatch(&self) -> Message {
        Message::numbered(2786, &[&self.next])
    }
}

#[derive(Default)]
struct Field<'a> {
    left: bool,
    plus: bool,
    zero: bool,
    sharp: bool,
    blank: bool,
    width: usize,
    precision: Option<usize>,
    wide: bool,
    kind: char,
    /// The text behind it.
    rest: &'a str,
}

impl<'a> Field<'a> {
    /// Reads what stands behind a percent sign.
    fn read(text: &'a str, arguments: &mut Arguments<'_>) -> Result<Field<'a>, Message> {
        let invalid = || Message::numbered(2787, &[&format_args!("%{text}")]);
        let mut field = Field::default();
        let mut rest = text;
        while let Some(flag) = rest.chars().next().filter(|c| "-+0# ".contains(*c)) {
            match flag {
                '-' => field.left = true,
                '+' => field.plus = true,
                '0' => field.zero = true,
                '#' => field.sharp = true,
                _ => field.blank = true,
            }
            rest = &rest[1..];
        }
        (field.width, rest) = size(rest, arguments).ok_or_else(invalid)?;
        if let Some(behind) = rest.strip_prefix('.') {
            let (precision, behind) = size(behind, arguments).ok_or_else(invalid)?;
            (field.precision, rest) = (Some(precision), behind);
        }
        if let Some(behind) = rest.strip_prefix("I64") {
            (field.wide, rest) = (true, behind);
        } else {
            rest = rest.trim_start_matches(['h', 'l']);
        }
        field.kind = rest.chars().next().filter(|c| "diosuxX".contains(*c)).ok_or_else(invalid)?;
        field.rest = &rest[1..];
        Ok(field)
    }

    /// Appends the next argument in this form, and gives the text behind the field.
    fn show(self, arguments: &mut Arguments<'_>, out: &mut String) -> Result<&'a str, Message> {
        let value = arguments.take();
        let text = match (self.kind, value) {
            (_, ValueRef::Null) => "(null)".to_owned(),
            ('s', ValueRef::Text(text)) => self.cut(text),
            ('s', ValueRef::Binary(bytes)) => self.cut(&crate::text::hex(bytes)),
            ('s', ValueRef::Integer(_)) => return Err(arguments.mismatch()),
            // An integer beyond 32 bits needs I64.
            (_, ValueRef::Integer(value)) if !self.wide && i32::try_from(value).is_err() => {
                return Err(arguments.mismatch());
            }
            (_, ValueRef::Integer(value)) => self.number(value),
            (_, ValueRef::Text(_) | ValueRef::Binary(_)) => return Err(arguments.mismatch()),
            _ => return Err(Message::numbered(2748, &[&kind_name(value), &arguments.next])),
        };
        let blanks = self.width.saturating_sub(text.chars().count());
        let pad = |out: &mut String| out.extend(std::iter::repeat_n(' ', blanks));
        if !self.left {
            pad(out);
        }
        out.push_str(&text);
        if self.left {
            pad(out);
        }
        Ok(self.rest)
    }

    fn cut(&self, text: &str) -> String {
        match self.precision {
            Some(precision) => text.chars().take(precision).collect(),
            None => text.to_owned(),
        }
    }

    fn number(&self, value: i64) -> String {
        // Without I64 a negative number of an unsigned form is one of 32 bits.
        let bits = if self.wide { value as u64 } else { u64::from(value as u32) };
        let (sign, digits) = match self.kind {
            'd' | 'i' if value < 0 => ("-", value.unsigned_abs().to_string()),
            'd' | 'i' if self.plus => ("+", value.to_string()),
            'd' | 'i' if self.blank => (" ", value.to_string()),
            'o' if self.sharp => ("", format!("0{bits:o}")),
            'o' => ("", format!("{bits:o}")),
            'x' if self.sharp && value != 0 => ("0x", format!("{bits:x}")),
            'x' => ("", format!("{bits:x}")),
            'X' if self.sharp && value != 0 => ("0X", format!("{bits:X}")),
            'X' => ("", format!("{bits:X}")),
            'u' => ("", bits.to_string()),
            _ => ("", value.to_string()),
        };
        let zeros = match self.precision {
            Some(precision) => precision,
            None if self.zero && !self.left => self.width.saturating_sub(sign.len()),
            None => 0,
        };
        format!("{sign}{digits:0>zeros$}")
    }
}

/// A width or precision: digits, or a `*` that takes an argument. Without either it is 0.
fn size<'a>(text: &'a str, arguments: &mut Arguments<'_>) -> Option<(usize, &'a str)> {
    if let Some(rest) = text.strip_prefix('*') {
        let ValueRef::Integer(size) = arguments.take() else { return None };
        return Some((usize::try_from(size).ok()?.min(MAX_WIDTH), rest));
    }
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let size = if digits.is_empty() { 0 } else { digits.parse::<usize>().ok()? };
    Some((size.min(MAX_WIDTH), rest))
}

fn kind_name(value: ValueRef<'_>) -> &'static str {
    match value {
        ValueRef::Boolean(_) => "bit",
        ValueRef::Decimal(_) => "numeric",
        ValueRef::Float(_) => "float",
        ValueRef::Date(_) => "date",
        ValueRef::Time(_) => "time",
        ValueRef::Timestamp(_) => "datetime",
        ValueRef::TimestampWithOffset { .. } => "datetimeoffset",
        ValueRef::Uuid(_) => "uniqueidentifier",
        _ => "sql_variant",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields() {
        let rows: [(&str, &[ValueRef<'_>], &str); 19] = [
            ("no field", &[], "no field"),
            ("%d%%", &[ValueRef::Integer(50)], "50%"),
            (
                "%5d|%-5d|%05d",
                &[ValueRef::Integer(42), ValueRef::Integer(42), ValueRef::Integer(-42)],
                "   42|42   |-0042",
            ),
            ("%+d % d", &[ValueRef::Integer(7), ValueRef::Integer(7)], "+7  7"),
            ("%x %X %#x %o", &[255; 4].map(ValueRef::Integer), "ff FF 0xff 377"),
            ("%u", &[ValueRef::Integer(-1)], "4294967295"),
            ("%I64d", &[ValueRef::Integer(-5_000_000_000)], "-5000000000"),
            ("%s and %s", &[ValueRef::Text("a")], "a and (null)"),
            ("%-7.3s|", &[ValueRef::Text("abcdefghi")], "abc    |"),
            ("%7.3s|", &[ValueRef::Text("abcdefghi")], "    abc|"),
            ("<<%*.*s>>", &[ValueRef::Integer(7), ValueRef::Integer(3), ValueRef::Text("abcde")], "<<    abc>>"),
            ("%d", &[ValueRef::Null], "(null)"),
            ("%s", &[ValueRef::Binary(&[0xAB, 1])], "0xAB01"),
            ("%d", &[ValueRef::Text("a")], "2786"),
            ("%s", &[ValueRef::Integer(1)], "2786"),
            ("%z", &[], "2787"),
            ("%d", &[ValueRef::Float(1.5)], "2748"),
            ("%i", &[ValueRef::Boolean(true)], "2748"),
            ("%d", &[ValueRef::Integer(5_000_000_000)], "2786"),
        ];
        for (template, arguments, expected) in rows {
            let shown = format(template, arguments).unwrap_or_else(|message| message.number.to_string());
            assert_eq!(shown, expected, "{template}");
        }
    }

    #[test]
    fn limits() {
        assert_eq!(format("", &[ValueRef::Integer(1); 21]).unwrap_err().number, 2747);
        assert_eq!(format("%99999999999d", &[ValueRef::Integer(1)]).unwrap().len(), 2047);
        assert!(format(&"x".repeat(3000), &[]).unwrap().ends_with("x..."));
    }
}
