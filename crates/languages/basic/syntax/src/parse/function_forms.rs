//! Arguments of functions that are more than a list of values: arrays in DIM, `ADD` and `NEXT FROM` of XML, the relation of POS.

use super::{Parsed, Parser};
use crate::token::Token;
use crate::tree::*;

/// `DIM(FIND MAX(A))`, `DIM(FIND A=value)`, `DIM(ADD A)`.
pub(super) fn array_form(parser: &mut Parser, call: &mut Call) -> Parsed<()> {
    let Token::Word(word, None, false) = parser.peek().clone() else { return Ok(()) };
    if !matches!(word.as_str(), "FIND" | "ADD" | "INDEX" | "KEY" | "DROP" | "LIST")
        || !matches!(parser.ahead(1), Token::Word(..))
    {
        return Ok(());
    }
    parser.next();
    let finds = word == "FIND";
    let lists = word == "LIST";
    let names_element = matches!(word.as_str(), "INDEX" | "KEY" | "DROP");
    call.words.push(word);
    if names_element {
        return element_argument(parser, call);
    }
    if lists {
        for form in ["SORT", "EDIT"] {
            if parser.is_word(form) && matches!(parser.ahead(1), Token::Word(..)) {
                parser.next();
                call.words.push(form.to_owned());
            }
        }
    }
    for extreme in ["MAX", "MIN"] {
        if finds && parser.is_word(extreme) && parser.is_ahead(1, "(") {
            parser.at += 2;
            call.words.push(extreme.to_owned());
            array_argument(parser, call)?;
            return parser.expect(")", "behind the array");
        }
    }
    array_argument(parser, call)?;
    if !finds {
        return Ok(());
    }
    call.relation = match parser.peek() {
        Token::Symbol(symbol @ ("=" | "<>" | "<" | "<=" | ">" | ">=")) => Some(*symbol),
        _ => return parser.fail(format!("expected a comparison, found {}", parser.found()), "as in DIM(FIND A=1)"),
    };
    parser.next();
    let value = Some(parser.sum()?);
    call.arguments.push(Argument { prefix: None, value, mask: None });
    Ok(())
}

/// An element as two arguments, the array and the subscript.
fn element_argument(parser: &mut Parser, call: &mut Call) -> Parsed<()> {
    let value = parser.primary()?;
    let place = value.place;
    let ExprKind::Element(name, mut indexes) = value.kind else {
        return parser.fail_at(42, place, "an element is needed here", "as in DIM(INDEX A$[\"KEY\"])");
    };
    if indexes.len() > 1 {
        return parser.fail_at(42, place, "an array with keywords has one dimension", "");
    }
    let array = Some(Expr { place, kind: ExprKind::Variable(name) });
    for value in [array, indexes.pop()] {
        call.arguments.push(Argument { prefix: None, value, mask: None });
    }
    Ok(())
}

/// An array as an argument, with `{ALL}` or without.
fn array_argument(parser: &mut Parser, call: &mut Call) -> Parsed<()> {
    let mut value = parser.primary()?;
    if let ExprKind::Range(name, None) = value.kind {
        value.kind = ExprKind::Variable(name);
    }
    match value.kind {
        ExprKind::Variable(_) => {
            call.arguments.push(Argument { prefix: None, value: Some(value), mask: None });
            Ok(())
        }
        _ => parser.fail_at(42, value.place, "an array is needed here", ""),
    }
}

/// `XML(ADD value TO text`, `XML(NEXT FROM text`, the same behind PROPERTY.
pub(super) fn xml_form(parser: &mut Parser, call: &mut Call) -> Parsed<()> {
    if parser.accept_word("PROPERTY") {
        call.words.push("PROPERTY".to_owned());
    }
    let adds = parser.accept_word("ADD");
    if !(adds || parser.accept_word("NEXT") && parser.accept_word("FROM")) {
        return parser.fail("expected ADD or NEXT FROM in XML", "as in XML(ADD A$ TO X$,KEY=\"name\")");
    }
    call.words.push(if adds { "ADD" } else { "NEXT" }.to_owned());
    let value = Some(parser.sum()?);
    call.arguments.push(Argument { prefix: None, value, mask: None });
    if adds {
        if !parser.accept_word("TO") {
            return parser.fail("expected TO behind the value", "as in XML(ADD A$ TO X$,KEY=\"name\")");
        }
        let value = Some(parser.sum()?);
        call.arguments.push(Argument { prefix: None, value, mask: None });
    }
    Ok(())
}

/// Strings joined by `+`, without `^`, which is a relation of POS.
fn concatenation(parser: &mut Parser) -> Parsed<Expr> {
    let mut left = parser.postfix()?;
    while parser.accept("+") {
        let place = left.place;
        let right = parser.postfix()?;
        left = Expr { place, kind: ExprKind::Binary(Binary::Add, Box::new(left), Box::new(right)) };
    }
    Ok(left)
}

/// `POS(pattern relation string`.
pub(super) fn relation(parser: &mut Parser, call: &mut Call) -> Parsed<()> {
    let pattern = concatenation(parser)?;
    let relation = match parser.peek() {
        Token::Symbol(symbol @ ("=" | "<>" | "<" | "<=" | ">" | ">=" | ":" | "^")) => *symbol,
        _ => {
            return parser.fail(format!("expected a relation in POS, found {}", parser.found()), "as in POS(\"A\"=X$)");
        }
    };
    parser.next();
    let text = parser.sum()?;
    call.relation = Some(relation);
    for value in [pattern, text] {
        call.arguments.push(Argument { prefix: None, value: Some(value), mask: None });
    }
    Ok(())
}
