//! Conditions on fields of records as ranges of keys.
//!
//! **Problem.** A statement of SQL compares a field of the record (`field_text(record, 2) = 'Rome'`), and the file has a key that begins
//! with this field. Reading all records takes longer the larger the file is.
//!
//! **Idea.** Keys are made of the record by the definition of the file, so that a condition on the field leaves a range of keys:
//!
//! ```text
//!   key [2:1:10]+[1:1:6]      field 2 = 'Rome'                          key >= "Rome"    AND key < "Romf"
//!                             field 2 = 'Timbuktu..' (10 characters)
//!                               AND field 1 >= '000200'                 key >= "Timbuktu..000200" AND key < "Timbuktu.."+1
//!                             field 2 LIKE 'Ro%'                        key >= "Ro"      AND key < "Rp"
//! ```
//!
//! A text of SQL has no blanks and $00$ at its end, and the field may have some, so that a text ends the range unless it fills its
//! segment. An order of texts is that of the bytes if the constant is ASCII without control characters: then all bytes from 80 on,
//! and all blanks behind a text, compare as the characters do.
//!
//! A comparison that ignores case (T-SQL) is one of capitals: a range for each way to write the first five letters.
//!
//! **Limits.** Segments are those of whole fields from their first byte. Numeric, signed and swapped segments, and numbers in SQL, leave
//! all keys. So do keys that records may be missing from (attributes K and N), unless the condition excludes such records.

use crate::rules::refusal;
use crate::schema::{self, Places, RECORD, RECORD_INDEX};
use mainstay_basic_files::key::{KeyDefinition, KeySegment, SegmentField};
use mainstay_code_page as code_page;
use mainstay_columnar::{Comparison, DerivedKeys, Predicate, Term, Test};
use mainstay_store::{Isolation, NativeTable, Store};
use mainstay_types::{Result, Value};
use std::sync::Arc;

/// Values of IN up to which ranges are made.
const MOST_VALUES: usize = 64;

/// Ways to write the letters of a text, up to which each gets a range.
const MOST_SPELLINGS: usize = 32;

/// The keys of a file, with their columns.
#[derive(Debug)]
pub struct FileKeys {
    keys: Vec<(usize, KeyDefinition)>,
    separator: u8,
}

impl FileKeys {
    /// The keys of a table, which comes with its number in the catalog; `None` for one that is not a file's.
    ///
    /// Errors: `Damaged` for a definition that cannot be read or does not fit the table; those of the store.
    pub fn of(store: &Arc<Store>, (number, table): (u64, &NativeTable)) -> Result<Option<FileKeys>> {
        let columns = &table.definition().columns;
        if columns.get(RECORD_INDEX).is_none_or(|column| column.name != "record_index") {
            return Ok(None);
        }
        let mut transaction = store.begin(Isolation::ReadCommitted);
        let definition = schema::definition(store, &mut transaction, number).map_err(refusal)?;
        let Some(definition) = definition else { return Ok(None) };
        let places = Places::of(table, &definition.keys).map_err(refusal)?;
        let keys = places.keys.iter().zip(definition.keys.keys());
        let keys = keys.filter_map(|(place, key)| Some((place.as_ref()?.column, key.clone()))).collect();
        Ok(Some(FileKeys { keys, separator: definition.separator }))
    }

    /// The conditions on a field, and those on its capitals.
    fn tests<'c>(&self, conditions: &[(&Term, &'c Test)], field: u32) -> Tests<'c> {
        let is_of_field = |term: &Term| match term {
            Term::Field { record, number, separator } => {
                **record == Term::Column(RECORD) && *number == field && *separator == self.separator
            }
            _ => false,
        };
        let mut tests = Tests::default();
        for (term, test) in conditions {
            match term {
                term @ Term::Field { .. } if is_of_field(term) => tests.of_text.push(test),
                // The text of such a comparison has no letters, so that all letters are behind it, as their bytes are.
                Term::Folded(inner) if is_of_field(inner) => tests.of_text.push(test),
                Term::Upper(inner) if is_of_field(inner) => tests.of_capitals.push(test),
                _ => {}
            }
        }
        tests
    }

    /// The ranges of a key, and the number of bytes that they have in common.
    fn ranges(&self, key: &KeyDefinition, conditions: &[(&Term, &Test)]) -> Option<(usize, Vec<Range>)> {
        let missing = Missing::of(key)?;
        let mut prefix = Vec::new();
        for (place, segment) in key.segments.iter().enumerate() {
            let SegmentField::Field(field) = segment.field else { break };
            let tests = self.tests(conditions, field);
            if !segment.has_start() || segment.offset > 1 {
                break;
            }
            let first = if place == 0 { missing } else { Missing::None };
            if let Some(text) = tests.of_text.iter().find_map(|test| equal_to(test)) {
                let part = field_bytes(text).and_then(|bytes| part_of(segment, &bytes));
                let Some(part) = part.and_then(|part| first.checked(part)) else { break };
                segment.append_start(&part, &mut prefix);
                if part.len() == segment.length as usize {
                    continue;
                }
                break;
            }
            let ranges = ranges_of(segment, &tests.of_text, first, &prefix);
            let ranges = ranges.or_else(|| ranges_of_capitals(segment, &tests.of_capitals, first, &prefix));
            match ranges {
                Some(ranges) => return Some((prefix.len() + 1, ranges)),
                None => break,
            }
        }
        (!prefix.is_empty()).then(|| (prefix.len(), vec![Range::starting_with(prefix)]))
    }
}

impl DerivedKeys for FileKeys {
    fn implied(&self, conditions: &[(&Term, &Test)]) -> Vec<Predicate> {
        let ranges = self.keys.iter().filter_map(|(column, key)| Some((*column, self.ranges(key, conditions)?)));
        let best = ranges.max_by_key(|(_, (length, _))| *length);
        let best = best.map(|(column, (_, ranges))| {
            let mut parts: Vec<Predicate> = ranges.into_iter().map(|range| range.predicate(column)).collect();
            if parts.len() == 1 { parts.remove(0) } else { Predicate::Or(parts) }
        });
        let whole = conditions.iter().filter_map(|(term, test)| match term {
            Term::Characters(bytes) => match **bytes {
                Term::Column(column) => of_bytes(column, test),
                _ => None,
            },
            _ => None,
        });
        best.into_iter().chain(whole).collect()
    }
}

/// The conditions on a field of a record.
#[derive(Default)]
struct Tests<'c> {
    of_text: Vec<&'c Test>,
    of_capitals: Vec<&'c Test>,
}

/// Records that have no key in an order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    None,
    /// Those in which the first segment is empty.
    Empty,
}

impl Missing {
    /// Those of a key; `None` if they cannot be told by the first segment.
    fn of(key: &KeyDefinition) -> Option<Missing> {
        let mut missing = Missing::None;
        for (place, segment) in key.segments.iter().enumerate() {
            let attributes = &segment.attributes;
            if place > 0 && attributes.suppresses_segment.is_some() {
                return None;
            }
            for byte in [attributes.suppresses_key, attributes.suppresses_segment].into_iter().flatten() {
                if !is_filling(byte) {
                    return None;
                }
                missing = Missing::Empty;
            }
        }
        Some(missing)
    }

    /// The beginning of a segment, unless records without a key may have it.
    fn checked(self, part: Vec<u8>) -> Option<Vec<u8>> {
        (self == Missing::None || !part.iter().copied().all(is_filling)).then_some(part)
    }
}

fn is_filling(byte: u8) -> bool {
    matches!(byte, b' ' | 0)
}

/// Keys from a lower bound to an upper one, which is not part of the range.
#[derive(Debug)]
struct Range {
    from: Vec<u8>,
    to: Option<Vec<u8>>,
}

impl Range {
    fn starting_with(prefix: Vec<u8>) -> Range {
        Range { to: after(&prefix), from: prefix }
    }

    fn predicate(self, column: usize) -> Predicate {
        let bound = |op, bytes| Predicate::Compare { column, op, value: Value::Binary(bytes) };
        let to = self.to.map(|to| bound(Comparison::Less, to));
        Predicate::And([bound(Comparison::GreaterOrEqual, self.from)].into_iter().chain(to).collect())
    }
}

/// The first bytes behind all that begin with these; `None` if there are none.
fn after(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte != 0xFF)?;
    let mut bytes = prefix[..=last].to_vec();
    bytes[last] += 1;
    Some(bytes)
}

/// The bytes of a text; `None` for one that no bytes are decoded to.
fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let bytes = code_page::encode(text);
    (code_page::decode(&bytes) == text).then(|| bytes.into_owned())
}

/// The bytes of a field with this text, without its filling; `None` for a text that no field has.
fn field_bytes(text: &str) -> Option<Vec<u8>> {
    bytes_of(text).filter(|bytes| !bytes.contains(&0) && bytes.last() != Some(&b' '))
}

/// The bytes of a field's text that are in a segment; `None` if there are none.
fn part_of(segment: &KeySegment, bytes: &[u8]) -> Option<Vec<u8>> {
    let part = &bytes[..bytes.len().min(segment.length as usize)];
    (!part.is_empty()).then(|| part.to_vec())
}

fn text_of(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

fn equal_to(test: &Test) -> Option<&str> {
    match test {
        Test::Compare(Comparison::Equal, value) => text_of(value),
        Test::In(values) if values.len() == 1 => text_of(&values[0]),
        _ => None,
    }
}

/// The characters of a pattern before the first one with a meaning.
fn start_of(pattern: &str) -> &str {
    pattern.split(['%', '_', '\\']).next().unwrap_or_default()
}

/// The ranges behind `prefix` that the conditions on one segment leave.
fn ranges_of(segment: &KeySegment, tests: &[&Test], missing: Missing, prefix: &[u8]) -> Option<Vec<Range>> {
    let with = |part: &[u8]| {
        let mut bytes = prefix.to_vec();
        segment.append_start(part, &mut bytes);
        bytes
    };
    for test in tests {
        match test {
            Test::In(values) if (2..=MOST_VALUES).contains(&values.len()) => {
                // A text that no field has leaves no keys.
                let texts = values.iter().map(text_of).collect::<Option<Vec<_>>>()?;
                let fields = texts.into_iter().filter_map(field_bytes);
                let part = |bytes: Vec<u8>| missing.checked(part_of(segment, &bytes)?);
                let parts = fields.map(part).collect::<Option<Vec<_>>>()?;
                return Some(parts.iter().map(|part| Range::starting_with(with(part))).collect());
            }
            Test::Like(pattern) => {
                let start = bytes_of(start_of(pattern)).filter(|bytes| !bytes.contains(&0));
                let start = start.and_then(|bytes| part_of(segment, &bytes));
                if let Some(part) = start.and_then(|part| missing.checked(part)) {
                    return Some(vec![Range::starting_with(with(&part))]);
                }
            }
            _ => {}
        }
    }
    let is_in_order = segment.attributes.letter_case.is_none() && !segment.attributes.drops_accents;
    if missing == Missing::Empty || !is_in_order || segment.attributes.ends_at_null {
        return None;
    }
    let bound = |lower: bool| {
        let found = tests.iter().find_map(|test| match test {
            Test::Compare(Comparison::GreaterOrEqual | Comparison::Greater, value) if lower => text_of(value),
            Test::Compare(Comparison::LessOrEqual | Comparison::Less, value) if !lower => text_of(value),
            _ => None,
        });
        let bytes = found.filter(|text| is_printable(text))?.as_bytes();
        Some(with(&part_of(segment, bytes)?))
    };
    let (mut low, mut high) = (bound(true), bound(false));
    if segment.attributes.is_descending {
        std::mem::swap(&mut low, &mut high);
    }
    (low.is_some() || high.is_some()).then(|| {
        let to = high.map_or_else(|| after(prefix), |high| after(&high));
        vec![Range { from: low.unwrap_or_else(|| prefix.to_vec()), to }]
    })
}

/// The ranges that conditions on the capitals of a field leave: one for each way to write the first letters.
fn ranges_of_capitals(segment: &KeySegment, tests: &[&Test], missing: Missing, prefix: &[u8]) -> Option<Vec<Range>> {
    let starts: Vec<&str> = tests.iter().find_map(|test| match test {
        Test::Compare(Comparison::Equal, value) => Some(vec![text_of(value)?]),
        Test::In(values) if values.len() <= MOST_VALUES => values.iter().map(text_of).collect(),
        // An S at the end may be the first half of a sharp s.
        Test::Like(pattern) => Some(vec![start_of(pattern).trim_end_matches('S')]),
        _ => None,
    })?;
    let mut ranges = Vec::new();
    for start in starts {
        let part = missing.checked(part_of(segment, capitals_of(start))?)?;
        let is_folded = segment.attributes.letter_case.is_some();
        for part in if is_folded { vec![part] } else { spellings(&part) } {
            let mut bytes = prefix.to_vec();
            segment.append_start(&part, &mut bytes);
            ranges.push(Range::starting_with(bytes));
        }
    }
    (ranges.len() <= MOST_VALUES * 2).then_some(ranges)
}

/// The capitals that stand for single letters: SS may be a sharp s.
fn capitals_of(text: &str) -> &[u8] {
    let text = text.split("SS").next().unwrap_or_default();
    let is_plain = |byte: &u8| (b' '..=b'~').contains(byte);
    let length = text.bytes().position(|byte| !is_plain(&byte)).unwrap_or(text.len());
    &text.as_bytes()[..length]
}

/// All ways to write the beginning of a text in capitals and small letters, up to the letter at which they get too many.
fn spellings(capitals: &[u8]) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    for byte in capitals {
        if byte.is_ascii_alphabetic() {
            if all.len() >= MOST_SPELLINGS {
                break;
            }
            let small = byte.to_ascii_lowercase();
            all = all
                .into_iter()
                .flat_map(|text| [[&text[..], &[*byte]].concat(), [&text[..], &[small]].concat()])
                .collect();
        } else {
            all.iter_mut().for_each(|text| text.push(*byte));
        }
    }
    all
}

fn is_printable(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

/// A condition on the text of a whole column, as one on its bytes.
fn of_bytes(column: usize, test: &Test) -> Option<Predicate> {
    let value = |value: &Value| bytes_of(text_of(value)?).map(Value::Binary);
    match test {
        Test::Compare(op @ Comparison::Equal, text) => {
            Some(Predicate::Compare { column, op: *op, value: value(text)? })
        }
        Test::Compare(op, text) if *op != Comparison::NotEqual && text_of(text).is_some_and(is_printable) => {
            Some(Predicate::Compare { column, op: *op, value: value(text)? })
        }
        Test::In(values) => {
            let values = values.iter().map(value).collect::<Option<Vec<_>>>()?;
            Some(Predicate::In { column, values, negated: false })
        }
        Test::Like(pattern) => {
            let start = bytes_of(start_of(pattern)).filter(|start| !start.is_empty())?;
            Some(Range::starting_with(start).predicate(column))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_basic_files::KeyDefinitions;
    use mainstay_basic_files::key::KeySource;

    const SEPARATOR: u8 = 0x8A;

    fn keys(text: &str) -> FileKeys {
        let keys = KeyDefinitions::parse(text).unwrap();
        let keys = keys.keys().iter().enumerate().map(|(place, key)| (place + 2, key.clone())).collect();
        FileKeys { keys, separator: SEPARATOR }
    }

    fn field(number: u32) -> Term {
        Term::Field { record: Box::new(Term::Column(RECORD)), number, separator: SEPARATOR }
    }

    fn compare(op: Comparison, text: &str) -> Test {
        Test::Compare(op, Value::Text(text.to_owned()))
    }

    fn range(column: usize, from: &[u8], to: &[u8]) -> Predicate {
        Range { from: from.to_vec(), to: Some(to.to_vec()) }.predicate(column)
    }

    #[test]
    fn conditions_leave_ranges_of_keys() {
        let keys = keys("[1:1:3],[2:1:5]+[1:1:3],[3:1:4:\"CD\"]");
        let of = |conditions: &[(Term, Test)]| {
            let conditions: Vec<_> = conditions.iter().map(|(term, test)| (term, test)).collect();
            keys.implied(&conditions)
        };
        let equal = |number, text: &str| (field(number), compare(Comparison::Equal, text));
        assert_eq!(of(&[equal(2, "Rome")]), [range(3, b"Rome", b"Romf")]);
        // A text that fills its segment is followed by the next one; what is longer is cut.
        let both = [equal(2, "Milano"), (field(1), compare(Comparison::Greater, "02"))];
        assert_eq!(of(&both), [range(3, b"Milan02", b"Milao")]);
        // Capitals, descending.
        assert_eq!(of(&[equal(3, "ab")]), [range(4, &[!b'A', !b'B'], &[!b'A', !b'B' + 1])]);
        let like = (field(2), Test::Like("Ro%".to_owned()));
        assert_eq!(of(&[like]), [range(3, b"Ro", b"Rp")]);
        let values = ["7", "9"].map(|text| Value::Text(text.to_owned())).to_vec();
        let either = Predicate::Or(vec![range(2, b"7", b"8"), range(2, b"9", b":")]);
        assert_eq!(of(&[(field(1), Test::In(values))]), [either]);
        let capitals = |text: &str| (Term::Upper(Box::new(field(1))), compare(Comparison::Equal, text));
        let spelt = [range(2, b"A1", b"A2"), range(2, b"a1", b"a2")];
        assert_eq!(of(&[capitals("A1")]), [Predicate::Or(spelt.to_vec())]);
        let capitals = (Term::Upper(Box::new(field(3))), compare(Comparison::Equal, "GROSS"));
        assert_eq!(of(&[capitals]), [range(4, &[!b'G', !b'R', !b'O'], &[!b'G', !b'R', !b'O' + 1])]);
        let folded = (Term::Folded(Box::new(field(1))), compare(Comparison::GreaterOrEqual, "10"));
        assert_eq!(of(&[folded]), [Range { from: b"10".to_vec(), to: None }.predicate(2)]);
        // No bytes are decoded to it; no part of it is in the key; another field.
        assert!(
            of(&[equal(2, "\u{3a9}")]).is_empty() && of(&[equal(2, "")]).is_empty() && of(&[equal(4, "x")]).is_empty()
        );
        let whole = (Term::Characters(Box::new(Term::Column(2))), compare(Comparison::Equal, "\u{20ac}"));
        let bytes = Value::Binary(vec![0x80]);
        assert_eq!(of(&[whole]), [Predicate::Compare { column: 2, op: Comparison::Equal, value: bytes }]);
    }

    #[test]
    fn keys_that_records_are_missing_from_serve_conditions_that_exclude_these() {
        let of = |definition: &str, test: Test| keys(definition).implied(&[(&field(1), &test)]).len();
        for definition in ["[1:1:3:\"N\"]", "[1:1:3:\"K\"]+[2:1:2]"] {
            assert_eq!(of(definition, compare(Comparison::Equal, "a")), 1, "{definition}");
            assert_eq!(of(definition, compare(Comparison::Equal, "   a")), 0, "{definition}");
            assert_eq!(of(definition, compare(Comparison::Less, "a")), 0, "{definition}");
        }
        assert_eq!(of("[1:1:3]+[2:1:3:\"N\"]", compare(Comparison::Equal, "a")), 0);
    }

    fn holds(test: &Test, text: &str) -> bool {
        match test {
            Test::Compare(op, Value::Text(other)) => op.holds(text.cmp(other.as_str())),
            Test::In(values) => values.contains(&Value::Text(text.to_owned())),
            Test::Like(pattern) => text.starts_with(pattern.strip_suffix('%').unwrap()),
            _ => unreachable!(),
        }
    }

    /// The test of capitals that a comparison without case makes; `None` if there is none.
    fn capitals(test: &Test) -> Option<Test> {
        let term = Term::Number(mainstay_types::Decimal::new(0, 0));
        match mainstay_columnar::Sought::without_case(term, test.clone()) {
            mainstay_columnar::Sought::Leaf(Term::Upper(_), test) => Some(test),
            _ => None,
        }
    }

    fn selects(predicate: &Predicate, keys: &[Option<Vec<u8>>]) -> bool {
        match predicate {
            Predicate::And(parts) => parts.iter().all(|part| selects(part, keys)),
            Predicate::Or(parts) => parts.iter().any(|part| selects(part, keys)),
            Predicate::Compare { column, op, value: Value::Binary(bytes) } => {
                keys[*column - 2].as_ref().is_some_and(|key| op.holds(key.cmp(bytes)))
            }
            other => panic!("{other:?}"),
        }
    }

    /// Every record for which the conditions hold has keys in the ranges that follow from them.
    #[test]
    fn no_record_is_missed() {
        let alphabet = ['a', 'B', ' ', 's', '\u{df}', '\u{20ac}', '\u{ff}', '1', '\0'];
        let definitions = [
            "[1:1:2],[2:1:3]+[1:1:2]",
            "[1:1:2:\"D\"]+[2:1:2:\"C\"],[2:1:3:\"N\"]",
            "[1:1:3:\"K\"]+[2:1:1],[2:1:2:\"L\"]+[1:1:2:\"D\"]",
            "[1:1:4:\"T\"],[2:1:2:\"Z\"]+[1:1:1]",
        ];
        let mut state = 7_u64;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let (mut implied, mut matches) = (0, 0);
        for round in 0..40_000 {
            let keys = keys(definitions[round % definitions.len()]);
            let mut text = |most: usize| -> String { (0..random(most + 1)).map(|_| alphabet[random(9)]).collect() };
            let fields = [text(4), text(4)];
            let given = [text(3), text(3)];
            let mut test = |given: &str| match random(7) {
                0..=2 => compare(Comparison::Equal, given),
                3 => Test::Like(format!("{}%", given.replace('\0', ""))),
                4 => Test::In(vec![Value::Text(given.to_owned()), Value::Text("a".to_owned())]),
                5 => compare([Comparison::Less, Comparison::LessOrEqual][random(2)], given),
                _ => compare([Comparison::Greater, Comparison::GreaterOrEqual][random(2)], given),
            };
            let tests = [test(given[0].as_str()), test(given[1].as_str())];
            let upper = tests.each_ref().map(|test| capitals(test).filter(|_| random(3) == 0));
            let term = |number: u32, upper: bool| match upper {
                true => Term::Upper(Box::new(field(number))),
                false => field(number),
            };
            let terms = [term(1, upper[0].is_some()), term(2, upper[1].is_some())];
            let [first, second] = tests;
            let [first_upper, second_upper] = upper;
            let tests = [first_upper.unwrap_or(first), second_upper.unwrap_or(second)];
            let both: Vec<_> = terms.iter().zip(&tests).take(1 + random(2)).collect();
            let shown = |text: &str| text.trim_end_matches([' ', '\0']).to_owned();
            let conditions = keys.implied(&both);
            let shown_to = |term: &Term, text: &str| match term {
                Term::Upper(_) => shown(text).to_uppercase(),
                _ => shown(text),
            };
            if !both.iter().zip(&fields).all(|((term, test), text)| holds(test, &shown_to(term, text))) {
                continue;
            }
            matches += 1;
            let record: Vec<u8> =
                fields.iter().flat_map(|text| [code_page::encode(text).as_ref(), &[SEPARATOR]].concat()).collect();
            let source = KeySource { record: &record, external: &[], separator: SEPARATOR };
            let made: Vec<Option<Vec<u8>>> = keys
                .keys
                .iter()
                .map(|(_, key)| {
                    let mut bytes = Vec::new();
                    key.make(&source, &mut bytes).then_some(bytes)
                })
                .collect();
            implied += usize::from(!conditions.is_empty());
            for condition in &conditions {
                assert!(selects(condition, &made), "{fields:?} {both:?} {condition:?} {made:?}");
            }
        }
        assert!(matches > 5_000 && implied > 600, "{matches} {implied}");
    }
}
