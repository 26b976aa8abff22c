//! Keys of the tags of an Advantage table.
//!
//! The expressions of an ADI name fields by their numbers in the table, and a key is put together of parts:
//!
//! ```text
//!   key    UPPER(F2);F4     --> part text of field 2 in capitals, part double of field 4
//!   FOR    F10 <> NULL      --> .NOT. ISNULL(F10), over fields that are called F1, F2, ...
//! ```
//! A part is a field, or `UPPER()` or `LOWER()` of one; its bytes are made of the bytes of the field, because NULL has a key of
//! its own ([`KeyForm`]). Other expressions of Advantage are not understood: the tag is listed and not used. The same
//! holds for fields of types whose keys are not known: Numeric, Time, Raw and the types of varying length.
//!
//! Programs and SQL name the fields; [`to_file`] and [`to_names`] translate. Limit: where a field is called `F2` and is not the
//! second one, an expression by numbers is taken for one by names when a tag is made of it.

use crate::adt::Type;
use crate::dbf::{Dbf, Field};
use crate::expr::{CaseTable, Compiled, Condition, Context, ExprValue, Expression, KeyPart, Scratch};
use crate::index::{KeyForm, KeyType, TagHeader, ordered_double};
use mainstay_types::{Code, Error, Result};

/// The parts of a key.
#[derive(Clone, Debug)]
pub(crate) struct AdvantageKey {
    parts: Vec<Part>,
    letters: CaseTable,
    /// The expression and the condition with the names of fields.
    pub(super) names: (String, Option<String>),
    /// The FOR condition.
    pub(super) listing: Option<ListedIf>,
    /// The parts as conditions are compared with them, if there are several, and the types of their keys.
    pub(super) searched: Option<(Vec<KeyPart>, Vec<KeyType>)>,
}

/// A FOR condition, in which a comparison with NULL is not true, whatever `.NOT.` stands before it.
#[derive(Clone, Debug)]
pub(crate) enum ListedIf {
    All(Vec<ListedIf>),
    Any(Vec<ListedIf>),
    /// The expression has this value.
    Is(Box<Compiled>, bool),
}

impl ListedIf {
    /// Compiles a condition that was taken apart.
    pub(crate) fn compile(condition: &Condition, context: &Context<'_>) -> Result<ListedIf> {
        let each = |parts: &[Condition]| -> Result<Vec<ListedIf>> {
            parts.iter().map(|part| ListedIf::compile(part, context)).collect()
        };
        let leaf = |expression: &Expression, value| Ok(ListedIf::Is(Box::new(expression.compile(context)?), value));
        match condition {
            Condition::And(parts) => each(parts).map(ListedIf::All),
            Condition::Or(parts) => each(parts).map(ListedIf::Any),
            Condition::Compare { whole, .. } | Condition::Other(whole) => leaf(whole, true),
            Condition::Flag { subject, value } => leaf(subject, *value),
        }
    }

    /// True if it holds for a record.
    pub(crate) fn is_true(&self, scratch: &mut Scratch, record: &[u8], recno: u32) -> Result<bool> {
        match self {
            ListedIf::Is(expression, value) => {
                Ok(expression.evaluate(scratch, record, recno)? == ExprValue::Logical(*value))
            }
            ListedIf::All(parts) => {
                for part in parts {
                    if !part.is_true(scratch, record, recno)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            ListedIf::Any(parts) => {
                for part in parts {
                    if part.is_true(scratch, record, recno)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Part {
    field: usize,
    kind: Type,
    /// Where the field is in a record.
    at: (usize, usize),
    case: Case,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    Kept,
    Upper,
    Lower,
}

impl AdvantageKey {
    /// Understands the key expression of a tag, with fields by their numbers.
    pub(crate) fn parse(text: &[u8], dbf: &Dbf, letters: CaseTable) -> Result<AdvantageKey> {
        let text = String::from_utf8_lossy(text);
        let parts = text.split(';').map(|part| Part::parse(part.trim(), dbf.fields())).collect::<Result<Vec<_>>>()?;
        Ok(AdvantageKey { parts, letters, names: Default::default(), listing: None, searched: None })
    }

    /// Bytes of a key.
    pub(crate) fn key_len(&self) -> usize {
        self.parts.iter().map(Part::key_len).sum()
    }

    /// The parts of a key of several, each as the key of a tag of its own would be.
    ///
    /// Errors: those of compiling the expression of a part.
    pub(super) fn compile_parts(&self, context: &Context<'_>) -> Result<Option<(Vec<KeyPart>, Vec<KeyType>)>> {
        if !self.has_parts() {
            return Ok(None);
        }
        let (mut parts, mut types) = (Vec::new(), Vec::new());
        for part in &self.parts {
            let compiled = Expression::parse(part.expression(false))?.compile(context)?;
            let [only] = compiled.parts() else { return Ok(None) };
            parts.push(KeyPart { length: Some(part.key_len()), ..only.clone() });
            types.push(KeyType::of_part(part.form(), part.key_len()));
        }
        Ok(Some((parts, types)))
    }

    /// The storage of the keys.
    pub(crate) fn form(&self) -> KeyForm {
        match self.parts[..] {
            [part] => part.form(),
            // Several texts are one: programs seek the beginning of it.
            _ if self.parts.iter().all(|part| part.form() == KeyForm::Text) => KeyForm::Text,
            _ => KeyForm::Parts { text_last: self.parts.last().is_some_and(|part| part.form() == KeyForm::Text) },
        }
    }

    /// The type of the keys of a tag, if they have the length that the expression gives.
    pub(crate) fn key_type(&self, header: &TagHeader) -> Result<KeyType> {
        if self.key_len() != header.key_length {
            let (stated, own) = (header.key_length, self.key_len());
            let message = format!("tag {}: the keys have {stated} bytes, and the expression gives {own}", header.name);
            return Err(Error::new(Code::IndexDamaged, message));
        }
        KeyType::in_form(header, self.form())
    }

    /// True if a letter beyond ASCII can have another key with other letters.
    pub(crate) fn depends_on_letters(&self) -> bool {
        self.parts.iter().any(|part| part.case != Case::Kept)
    }

    /// True if there are several parts.
    pub(crate) fn has_parts(&self) -> bool {
        self.parts.len() > 1
    }

    /// Adds the key of a record to `key`.
    pub(crate) fn write(&self, record: &[u8], key: &mut Vec<u8>) -> Result<()> {
        self.parts.iter().try_for_each(|part| {
            let (offset, length) = part.at;
            let cell = record.get(offset..offset + length).ok_or_else(short_record)?;
            part.write(cell, &self.letters, key).ok_or_else(short_record)
        })
    }

    /// True if keys of text are in other letters than the expression says: those of a field that ignores case.
    pub(crate) fn ignores_case(&self) -> bool {
        let ignores = |part: &Part| part.kind == Type::CiCharacter && part.case == Case::Lower;
        self.form() == KeyForm::Text && self.parts.iter().any(ignores)
    }

    /// The text that is sought, in the letters of such keys.
    pub(crate) fn fold(&self, text: &mut [u8]) {
        let mut rest = text;
        for part in &self.parts {
            let (own, behind) = rest.split_at_mut(part.key_len().min(rest.len()));
            // The program has made the changes of the expression already.
            if part.kind == Type::CiCharacter && part.case == Case::Lower {
                part.fold(&self.letters, own);
            }
            rest = behind;
        }
    }

    /// An xBase expression over fields that are called `F1`, `F2` ...: the form of the key that is compared with
    /// conditions. With several parts, the same values as one text.
    pub(crate) fn expression(&self) -> String {
        let several = self.has_parts();
        let parts: Vec<String> = self.parts.iter().map(|part| part.expression(several)).collect();
        parts.join("+")
    }
}

#[cold]
fn short_record() -> Error {
    Error::new(Code::Damaged, "the record is shorter than its fields")
}

impl Part {
    fn parse(text: &str, fields: &[Field]) -> Result<Part> {
        let capitals = text.to_ascii_uppercase();
        let (case, inner) = match capitals.strip_suffix(')') {
            Some(call) => match call.split_once('(') {
                Some((name, inner)) if name.trim() == "UPPER" => (Case::Upper, inner.trim()),
                Some((name, inner)) if name.trim() == "LOWER" => (Case::Lower, inner.trim()),
                _ => return Err(not_understood(text)),
            },
            None => (Case::Kept, capitals.as_str()),
        };
        let Some(number) = field_number(inner) else { return Err(not_understood(text)) };
        let Some(field) = number.checked_sub(1).and_then(|place| fields.get(place)) else {
            let message = format!("the key names field {number}, and the table has {}", fields.len());
            return Err(Error::new(Code::IndexDamaged, message));
        };
        let Some(kind) = field.adt else {
            return Err(Error::new(Code::Unsupported, "an Advantage index belongs to an Advantage table"));
        };
        let is_text = matches!(kind, Type::Character | Type::CiCharacter);
        if form_of(kind).is_none() || case != Case::Kept && !is_text {
            let message = format!("the keys of {} fields are not known ({})", kind.name(), field.name);
            return Err(Error::new(Code::Unsupported, message));
        }
        let case = if kind == Type::CiCharacter && case == Case::Kept { Case::Lower } else { case };
        Ok(Part { field: number, kind, at: (field.offset, field.length), case })
    }

    fn form(&self) -> KeyForm {
        form_of(self.kind).unwrap_or(KeyForm::Text)
    }

    fn key_len(&self) -> usize {
        self.form().key_len().unwrap_or(self.at.1)
    }

    fn fold(&self, letters: &CaseTable, text: &mut [u8]) {
        let table = match self.case {
            Case::Kept => return,
            Case::Upper => &letters.upper,
            Case::Lower => &letters.lower,
        };
        text.iter_mut().for_each(|byte| *byte = table[usize::from(*byte)]);
    }

    /// Adds the key of a field's bytes; `None` if these are too few.
    fn write(&self, cell: &[u8], letters: &CaseTable, key: &mut Vec<u8>) -> Option<()> {
        let start = key.len();
        if self.kind.is_null(cell) {
            let null = if self.form() == KeyForm::Logical { b' ' } else { 0 };
            key.resize(start + self.key_len(), null);
            return Some(());
        }
        let double = |number: f64| ordered_double(number);
        let ordered = |number: u64| (number ^ 1 << 63).to_be_bytes();
        match self.kind {
            Type::Character | Type::CiCharacter => {
                key.extend_from_slice(cell);
                self.fold(letters, &mut key[start..]);
            }
            Type::Logical => key.push(*cell.first()?),
            Type::Integer => key.extend(double(i32::from_le_bytes(*cell.first_chunk()?).into())),
            Type::ShortInt => key.extend(double(i16::from_le_bytes(*cell.first_chunk()?).into())),
            Type::AutoIncrement | Type::Date => key.extend(double(u32::from_le_bytes(*cell.first_chunk()?).into())),
            Type::Double | Type::CurDouble => key.extend(double(f64::from_le_bytes(*cell.first_chunk()?))),
            Type::Money | Type::LongInt | Type::RowVersion => {
                key.extend(ordered(u64::from_le_bytes(*cell.first_chunk()?)));
            }
            Type::TimeStamp | Type::ModTime => {
                let ms = u32::from_le_bytes(*cell.get(4..)?.first_chunk()?);
                key.extend(u32::from_le_bytes(*cell.first_chunk()?).to_be_bytes());
                key.extend(ms.wrapping_add(1).to_be_bytes());
            }
            _ => return None,
        }
        Some(())
    }

    fn expression(&self, as_text: bool) -> String {
        let field = format!("F{}", self.field);
        match (self.form(), self.case) {
            (KeyForm::Text, Case::Upper) => format!("UPPER({field})"),
            (KeyForm::Text, Case::Lower) => format!("LOWER({field})"),
            (KeyForm::Date, _) if as_text => format!("DTOS({field})"),
            (KeyForm::Timestamp, _) if as_text => format!("TTOC({field},1)"),
            (KeyForm::Logical, _) if as_text => format!("IIF({field},\"T\",\"F\")"),
            (KeyForm::Double | KeyForm::Currency | KeyForm::LongInteger, _) if as_text => format!("STR({field},20,4)"),
            _ => field,
        }
    }
}

/// The form of the keys of a type, where it is known.
fn form_of(kind: Type) -> Option<KeyForm> {
    Some(match kind {
        Type::Character | Type::CiCharacter => KeyForm::Text,
        Type::Integer | Type::ShortInt | Type::AutoIncrement | Type::Double | Type::CurDouble => KeyForm::Double,
        Type::Date => KeyForm::Date,
        Type::Money => KeyForm::Currency,
        Type::LongInt | Type::RowVersion => KeyForm::LongInteger,
        Type::TimeStamp | Type::ModTime => KeyForm::Timestamp,
        Type::Logical => KeyForm::Logical,
        _ => return None,
    })
}

fn not_understood(part: &str) -> Error {
    let message = format!("the part {part} of an Advantage key is neither a field nor UPPER() or LOWER() of one");
    Error::new(Code::Unsupported, message).hint("parts are put side by side with a semicolon: UPPER(name);born")
}

/// The number of a field in an expression of a file.
fn field_number(word: &str) -> Option<usize> {
    let digits = word.strip_prefix(['F', 'f'])?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { digits.parse().ok() } else { None }
}

/// The fields of a table under the names that the expressions of its index give them.
pub(crate) fn numbered(fields: &[Field]) -> Vec<Field> {
    let each = |(place, field): (usize, &Field)| Field { name: format!("F{}", place + 1), ..field.clone() };
    fields.iter().enumerate().map(each).collect()
}

/// A FOR condition of a file as an xBase expression: comparisons with NULL are calls.
pub(crate) fn condition(text: &[u8]) -> Vec<u8> {
    let tokens = tokens(text);
    let words: Vec<(usize, &[u8])> = tokens
        .iter()
        .enumerate()
        .filter(|(_, token)| !token.trim_ascii().is_empty())
        .map(|(at, token)| (at, *token))
        .collect();
    let is =
        |at: usize, word: &str| words.get(at).is_some_and(|(_, token)| token.eq_ignore_ascii_case(word.as_bytes()));
    let mut out: Vec<Vec<u8>> = tokens.iter().map(|token| token.to_vec()).collect();
    for (at, (place, word)) in words.iter().enumerate() {
        let (is_null, end) = match () {
            () if is(at + 1, "IS") && is(at + 2, "NULL") => (true, at + 2),
            () if is(at + 1, "IS") && is(at + 2, "NOT") && is(at + 3, "NULL") => (false, at + 3),
            () if (is(at + 1, "=") || is(at + 1, "==")) && is(at + 2, "NULL") => (true, at + 2),
            () if ["<>", "#", "!="].iter().any(|operator| is(at + 1, operator)) && is(at + 2, "NULL") => {
                (false, at + 2)
            }
            () => continue,
        };
        let not: &[u8] = if is_null { b"" } else { b".NOT. " };
        let last = words[end].0;
        out[*place] = [not, b"ISNULL(", word, b")"].concat();
        out[place + 1..=last].iter_mut().for_each(Vec::clear);
    }
    out.concat()
}

/// Words, literals, operators and blanks, one after the other.
fn tokens(text: &[u8]) -> Vec<&[u8]> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let is_operator = |byte: &u8| matches!(byte, b'<' | b'>' | b'=' | b'!');
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.first() {
        let run = |belongs: &dyn Fn(&u8) -> bool| rest.iter().take_while(|byte| belongs(byte)).count();
        let length = match first {
            b'"' | b'\'' => rest[1..].iter().position(|byte| byte == first).map_or(rest.len(), |end| end + 2),
            first if is_word(first) => run(&is_word),
            first if is_operator(first) => run(&is_operator),
            first if first.is_ascii_whitespace() => run(&|byte: &u8| byte.is_ascii_whitespace()),
            _ => 1,
        };
        let (token, behind) = rest.split_at(length.min(rest.len()));
        found.push(token);
        rest = behind;
    }
    found
}

/// An expression with the names of fields, as the file has it.
pub(crate) fn to_file(text: &[u8], dbf: &Dbf) -> Vec<u8> {
    let tokens = tokens(text);
    let number = |(at, token): (usize, &&[u8])| {
        let is_call =
            tokens[at + 1..].iter().find(|next| !next.trim_ascii().is_empty()).is_some_and(|next| *next == b"(");
        let word = dbf.code_page().decode(token).text;
        let place = dbf.fields().iter().position(|field| field.name.to_lowercase() == word.to_lowercase());
        match place.filter(|_| !is_call) {
            Some(place) => format!("F{}", place + 1).into_bytes(),
            None => token.to_vec(),
        }
    };
    tokens.iter().enumerate().flat_map(number).collect()
}

/// The key of a new tag as the file has it. Texts that are added are parts, too.
pub(crate) fn key_to_file(text: &[u8], dbf: &Dbf) -> Vec<u8> {
    let mut key = to_file(text, dbf);
    key.iter_mut().filter(|byte| **byte == b'+').for_each(|byte| *byte = b';');
    key.retain(|byte| !byte.is_ascii_whitespace());
    key
}

/// An expression of a file with the names of fields.
pub(crate) fn to_names(text: &[u8], dbf: &Dbf) -> String {
    let name = |token: &&[u8]| {
        let word = String::from_utf8_lossy(token).into_owned();
        let place = field_number(&word).and_then(|number| number.checked_sub(1));
        place.and_then(|place| dbf.fields().get(place)).map_or(word, |field| field.name.clone())
    };
    tokens(text).iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_with_null_are_calls() {
        let of = |text: &str| String::from_utf8(condition(text.as_bytes())).unwrap();
        assert_eq!(of("F4 <> NULL"), ".NOT. ISNULL(F4)");
        assert_eq!(of("F4 = NULL .AND. F2 = 1"), "ISNULL(F4) .AND. F2 = 1");
        assert_eq!(of("f4 is not null"), ".NOT. ISNULL(f4)");
        assert_eq!(of("F2 = 'a <> NULL'"), "F2 = 'a <> NULL'");
        assert_eq!(of("F2 = 'never ended"), "F2 = 'never ended");
        assert_eq!(of(""), "");
    }

    #[test]
    fn fields_have_numbers() {
        assert_eq!(
            [field_number("F12"), field_number("f1"), field_number("FX"), field_number("F")],
            [Some(12), Some(1), None, None]
        );
    }
}
