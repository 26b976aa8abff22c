//! The functions of paths: those of XPath that SQL Server has, `starts-with` besides, and types as functions (`xs:int`).

use super::path::{Around, Expr, Item, Notation, evaluate, local, truth};
use crate::functions::base64_bytes;
use crate::messages::Message;

/// Functions, and how many arguments each takes at least and at most.
const FUNCTIONS: [(&str, usize, usize); 26] = [
    ("avg", 1, 1),
    ("ceiling", 1, 1),
    ("concat", 2, usize::MAX),
    ("contains", 2, 2),
    ("count", 1, 1),
    ("data", 1, 1),
    ("distinct-values", 1, 1),
    ("empty", 1, 1),
    ("false", 0, 0),
    ("floor", 1, 1),
    ("last", 0, 0),
    ("local-name", 0, 1),
    ("lower-case", 1, 1),
    ("max", 1, 1),
    ("min", 1, 1),
    ("not", 1, 1),
    ("number", 0, 1),
    ("position", 0, 0),
    ("round", 1, 1),
    ("starts-with", 2, 2),
    ("string", 0, 1),
    ("string-length", 0, 1),
    ("substring", 2, 3),
    ("sum", 1, 1),
    ("true", 0, 0),
    ("upper-case", 1, 1),
];

/// Types that make values of others, without `xs:`.
const TYPES: [&str; 36] = [
    "anyURI",
    "base64Binary",
    "boolean",
    "byte",
    "date",
    "dateTime",
    "decimal",
    "double",
    "duration",
    "float",
    "gDay",
    "gMonth",
    "gMonthDay",
    "gYear",
    "gYearMonth",
    "hexBinary",
    "ID",
    "IDREF",
    "int",
    "integer",
    "language",
    "long",
    "Name",
    "NCName",
    "negativeInteger",
    "NMTOKEN",
    "nonNegativeInteger",
    "nonPositiveInteger",
    "normalizedString",
    "positiveInteger",
    "short",
    "string",
    "time",
    "token",
    "unsignedInt",
    "untypedAtomic",
];

/// Functions of SQL Server that are not here.
const MISSING: [&str; 5] =
    ["expanded-QName", "id", "local-name-from-QName", "namespace-uri", "namespace-uri-from-QName"];

/// Returns true if there is such a function here that takes so many arguments.
///
/// Errors: 2395 for a function that SQL Server does not have either.
pub(super) fn is_function(name: &str, arguments: usize) -> Result<bool, Message> {
    if let Some((_, least, most)) = FUNCTIONS.iter().find(|(known, ..)| *known == name) {
        return Ok((*least..=*most).contains(&arguments));
    }
    let (space, last) = match name.split_once(':') {
        Some(("xs" | "xdt", last)) if TYPES.contains(&last) || last.starts_with("unsigned") => {
            return Ok(arguments == 1);
        }
        Some(("xs", last)) => ("http://www.w3.org/2001/XMLSchema", last),
        Some(("sql", last)) => ("urn:schemas-microsoft-com:xml-sql", last),
        _ if MISSING.contains(&name) => return Ok(false),
        _ => ("http://www.w3.org/2004/07/xpath-functions", local(name)),
    };
    Err(Message::error(2395, format!("XQuery: There is no function '{{{space}}}:{last}()'")))
}

/// The result of a function.
pub(super) fn called<'t>(name: &str, arguments: &[Expr], context: &Item<'t>, around: &Around<'_, 't>) -> Vec<Item<'t>> {
    let argument = |place: usize| match arguments.get(place) {
        Some(expr) => evaluate(expr, context, around),
        None => vec![context.clone()],
    };
    let text = |place: usize| argument(place).first().map(Item::text).unwrap_or_default();
    let numbers = |place: usize| -> Vec<f64> {
        argument(place).iter().filter_map(|item| item.text().trim().parse().ok()).collect()
    };
    let atom = |text: String| vec![Item::Atom(text)];
    let of_number = |work: fn(f64) -> f64| -> Vec<Item<'t>> {
        numbers(0).first().map(|number| Item::Atom(work(*number).to_string())).into_iter().collect()
    };
    match name {
        "count" => atom(argument(0).len().to_string()),
        "sum" => atom(numbers(0).iter().sum::<f64>().to_string()),
        "min" => {
            numbers(0).into_iter().reduce(f64::min).map(|number| Item::Atom(number.to_string())).into_iter().collect()
        }
        "max" => {
            numbers(0).into_iter().reduce(f64::max).map(|number| Item::Atom(number.to_string())).into_iter().collect()
        }
        "avg" => match numbers(0) {
            numbers if numbers.is_empty() => Vec::new(),
            numbers => atom((numbers.iter().sum::<f64>() / numbers.len() as f64).to_string()),
        },
        "not" => vec![Item::Truth(!truth(&argument(0)))],
        "empty" => vec![Item::Truth(argument(0).is_empty())],
        "true" => vec![Item::Truth(true)],
        "false" => vec![Item::Truth(false)],
        "contains" => vec![Item::Truth(text(0).contains(&text(1)))],
        "starts-with" => vec![Item::Truth(text(0).starts_with(&text(1)))],
        "concat" => atom((0..arguments.len()).map(text).collect()),
        "string-length" => atom(text(0).chars().count().to_string()),
        "upper-case" => atom(text(0).to_uppercase()),
        "lower-case" => atom(text(0).to_lowercase()),
        "substring" => atom(substring(&text(0), &numbers(1), (arguments.len() > 2).then(|| numbers(2)).as_deref())),
        "floor" => of_number(f64::floor),
        "ceiling" => of_number(f64::ceil),
        // Halves go up, those below nothing too.
        "round" => of_number(|number| (number + 0.5).floor()),
        "number" => of_number(|number| number),
        "string" => atom(text(0)),
        "distinct-values" => {
            let mut seen = Vec::new();
            argument(0).iter().map(Item::text).for_each(|text| {
                if !seen.contains(&text) {
                    seen.push(text);
                }
            });
            seen.into_iter().map(Item::Atom).collect()
        }
        "xs:base64Binary" => bytes_of(argument(0).first(), Notation::Base64),
        "xs:hexBinary" => bytes_of(argument(0).first(), Notation::Hex),
        "position" => atom(around.position.to_string()),
        "last" => atom(around.last.to_string()),
        "local-name" => match argument(0).first() {
            Some(Item::Element(element)) => atom(local(&element.name).to_owned()),
            Some(Item::Attribute(name, _)) => atom(local(name).to_owned()),
            _ => atom(String::new()),
        },
        // `data`, and types of values: the conversion decides the use of the text.
        _ => argument(0).into_iter().map(|item| Item::Atom(item.text())).collect(),
    }
}

/// The characters of a text from a place on, which is counted from 1, of which there are so many at most.
fn substring(text: &str, start: &[f64], length: Option<&[f64]>) -> String {
    let round = |number: &f64| (number + 0.5).floor();
    let Some(start) = start.first().map(round) else { return String::new() };
    let end = match length {
        Some(length) => length.first().map_or(start, |length| start + round(length)),
        None => f64::INFINITY,
    };
    let is_within = |(place, _): &(usize, char)| {
        let place = (place + 1) as f64;
        place >= start && place < end
    };
    text.chars().enumerate().filter(is_within).map(|(_, c)| c).collect()
}

/// Bytes from bytes, or from the text that stands for them; nothing for a text that stands for none.
fn bytes_of<'t>(item: Option<&Item<'t>>, notation: Notation) -> Vec<Item<'t>> {
    let bytes = match (item, notation) {
        (None, _) => None,
        (Some(Item::Bytes(bytes, _)), _) => Some(bytes.clone()),
        (Some(item), Notation::Base64) => base64_bytes(&item.text()),
        (Some(item), Notation::Hex) => hex_bytes(item.text().trim()),
    };
    bytes.map(|bytes| Item::Bytes(bytes, notation)).into_iter().collect()
}

/// The bytes of pairs of hexadecimal digits.
fn hex_bytes(digits: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = digits.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect())
}
