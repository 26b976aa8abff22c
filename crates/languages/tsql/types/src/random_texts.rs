//! Random texts for all parsers of texts: the worst result is an error.

use crate::context::Context;
use crate::convert::tests::{TYPES, data_type};
use crate::{dotnet, json, literal, messages};
use mainstay_types::ValueRef;

const PIECES: [&str; 40] = [
    "0",
    "1",
    "99999999999999999999",
    ".",
    ",",
    "-",
    "+",
    "e",
    "E+",
    "'",
    "\"",
    "[",
    "]",
    "{",
    "}",
    ":",
    "\\",
    "\\u12",
    "$",
    "%",
    "%*.*s",
    "%I64d",
    "#",
    ";",
    "/",
    " ",
    "Jan",
    "PM",
    "T",
    "Z",
    "true",
    "null",
    "strict ",
    "append ",
    "N'",
    "0x",
    "é",
    "漢",
    "😀",
    "\u{0}",
];

#[test]
fn no_text_breaks_a_reader() {
    let context = Context::default();
    let mut state = 7u64;
    let mut draw = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };
    let (mut literals, mut documents, mut numbers) = (0, 0, 0);
    for _ in 0..20_000 {
        let text: String = (0..draw(7)).map(|_| PIECES[draw(PIECES.len())]).collect();
        literals += usize::from(literal::literal(&text).is_ok());
        documents += usize::from(json::read(&text).is_ok());
        if let Ok(path) = json::Path::read(&text) {
            let _ = path.find("{\"a\": [1, {\"b\": null}]}");
        }
        let arguments = [ValueRef::Integer(-5), ValueRef::Text("x"), ValueRef::Null, ValueRef::Integer(i64::MAX)];
        let _ = messages::format(&text, &arguments);
        let culture = ["en-US", "de-DE", "fr-FR", "ja-JP"][draw(4)];
        let to = data_type(TYPES[draw(TYPES.len())]);
        numbers += usize::from(dotnet::parse(&context, &text, to, Some(culture)).is_ok());
        for value in [ValueRef::Integer(i64::MIN), ValueRef::Float(-1e308), ValueRef::Float(0.0)] {
            let _ = dotnet::number(value, &text, &dotnet::EN_US);
        }
    }
    assert!(literals > 100 && documents > 100 && numbers > 100);
}
