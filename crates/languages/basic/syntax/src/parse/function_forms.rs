//! Arguments of functions that are more than a list of values: arrays in DIM, `ADD` and `NEXT FROM` of XML, the relation of POS.

use super::{Parsed, Parser};
use crate::token::Token;
use crate::tree::*;

impl Parser {
    /// `DIM(FIND MAX(A))`, `DIM(FIND A=value)`, `DIM(ADD A)`.
    pub(super) fn array_form(&mut self, call: &mut Call) -> Parsed<()> {
        let Token::Word(word, None, false) = self.peek().clone() else { return Ok(()) };
        if !matches!(word.as_str(), "FIND" | "ADD" | "INDEX" | "KEY" | "DROP" | "LIST")
            || !matches!(self.ahead(1), Token::Word(..))
        {
            return Ok(());
        }
        self.next();
        let finds = word == "FIND";
        let lists = word == "LIST";
        let names_element = matches!(word.as_str(), "INDEX" | "KEY" | "DROP");
        call.words.push(word);
        if names_element {
            return self.element_argument(call);
        }
        if lists {
            for form in ["SORT", "EDIT"] {
                if self.is_word(form) && matches!(self.ahead(1), Token::Word(..)) {
                    self.next();
                    call.words.push(form.to_owned());
                }
            }
        }
        for extreme in ["MAX", "MIN"] {
            if finds && self.is_word(extreme) && self.is_ahead(1, "(") {
                self.at += 2;
                call.words.push(extreme.to_owned());
                self.array_argument(call)?;
                return self.expect(")", "behind the array");
            }
        }
        self.array_argument(call)?;
        if !finds {
            return Ok(());
        }
        call.relation = match self.peek() {
            Token::Symbol(symbol @ ("=" | "<>" | "<" | "<=" | ">" | ">=")) => Some(*symbol),
            _ => return self.fail(format!("expected a comparison, found {}", self.found()), "as in DIM(FIND A=1)"),
        };
        self.next();
        let value = Some(self.sum()?);
        call.arguments.push(Argument { prefix: None, value, mask: None });
        Ok(())
    }

    /// An element as two arguments, the array and the subscript.
    fn element_argument(&mut self, call: &mut Call) -> Parsed<()> {
        let value = self.primary()?;
        let place = value.place;
        let ExprKind::Element(name, mut indexes) = value.kind else {
            return self.fail_at(42, place, "an element is needed here", "as in DIM(INDEX A$[\"KEY\"])");
        };
        if indexes.len() > 1 {
            return self.fail_at(42, place, "an array with keywords has one dimension", "");
        }
        let array = Some(Expr { place, kind: ExprKind::Variable(name) });
        for value in [array, indexes.pop()] {
            call.arguments.push(Argument { prefix: None, value, mask: None });
        }
        Ok(())
    }

    /// An array as an argument, with `{ALL}` or without.
    fn array_argument(&mut self, call: &mut Call) -> Parsed<()> {
        let mut value = self.primary()?;
        if let ExprKind::Range(name, None) = value.kind {
            value.kind = ExprKind::Variable(name);
        }
        match value.kind {
            ExprKind::Variable(_) => {
                call.arguments.push(Argument { prefix: None, value: Some(value), mask: None });
                Ok(())
            }
            _ => self.fail_at(42, value.place, "an array is needed here", ""),
        }
    }

    /// `XML(ADD value TO text`, `XML(NEXT FROM text`, the same behind PROPERTY.
    pub(super) fn xml_form(&mut self, call: &mut Call) -> Parsed<()> {
        if self.accept_word("PROPERTY") {
            call.words.push("PROPERTY".to_owned());
        }
        let adds = self.accept_word("ADD");
        if !(adds || self.accept_word("NEXT") && self.accept_word("FROM")) {
            return self.fail("expected ADD or NEXT FROM in XML", "as in XML(ADD A$ TO X$,KEY=\"name\")");
        }
        call.words.push(if adds { "ADD" } else { "NEXT" }.to_owned());
        let value = Some(self.sum()?);
        call.arguments.push(Argument { prefix: None, value, mask: None });
        if adds {
            if !self.accept_word("TO") {
                return self.fail("expected TO behind the value", "as in XML(ADD A$ TO X$,KEY=\"name\")");
            }
            let value = Some(self.sum()?);
            call.arguments.push(Argument { prefix: None, value, mask: None });
        }
        Ok(())
    }

    /// Strings joined by `+`, without `^`, which is a relation of POS.
    fn concatenation(&mut self) -> Parsed<Expr> {
        let mut left = self.postfix()?;
        while self.accept("+") {
            let place = left.place;
            let right = self.postfix()?;
            left = Expr { place, kind: ExprKind::Binary(Binary::Add, Box::new(left), Box::new(right)) };
        }
        Ok(left)
    }

    /// `POS(pattern relation string`.
    pub(super) fn relation(&mut self, call: &mut Call) -> Parsed<()> {
        let pattern = self.concatenation()?;
        let relation = match self.peek() {
            Token::Symbol(symbol @ ("=" | "<>" | "<" | "<=" | ">" | ">=" | ":" | "^")) => *symbol,
            _ => {
                return self.fail(format!("expected a relation in POS, found {}", self.found()), "as in POS(\"A\"=X$)");
            }
        };
        self.next();
        let text = self.sum()?;
        call.relation = Some(relation);
        for value in [pattern, text] {
            call.arguments.push(Argument { prefix: None, value: Some(value), mask: None });
        }
        Ok(())
    }
}
