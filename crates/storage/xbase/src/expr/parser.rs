//! Parses tokens to a tree, by precedence climbing.

use super::catalog::{self, Lookup};
use super::lexer::{Token, TokenKind};
use super::tree::{Binary, MAX_HEIGHT, NOT_LEVEL, Node, NodeKind, Unary};
use super::{search, syntax, unsupported};
use mainstay_types::{Code, Error, Result};

/// The tree of the whole text.
pub(super) fn parse(tokens: &[Token]) -> Result<Node> {
    let mut parser = Parser { tokens, position: 0, depth: 0 };
    if parser.peek() == &TokenKind::End {
        return Err(syntax(parser.span(), "the expression is empty"));
    }
    let node = parser.binary(1)?;
    match parser.peek() {
        TokenKind::End => Ok(node),
        TokenKind::Mark(")") => Err(syntax(parser.span(), "this parenthesis closes nothing")),
        _ => Err(syntax(parser.span(), "an operator is missing before this")),
    }
}

struct Parser<'t> {
    tokens: &'t [Token],
    position: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> &TokenKind {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> &TokenKind {
        self.tokens.get(self.position + ahead).map_or(&TokenKind::End, |token| &token.kind)
    }

    fn span(&self) -> (usize, usize) {
        let token = self.tokens.get(self.position).or_else(|| self.tokens.last());
        token.map_or((0, 0), |token| (token.start, token.end))
    }

    /// Where the last token taken ends.
    fn end(&self) -> usize {
        self.tokens.get(self.position.wrapping_sub(1)).map_or(0, |token| token.end)
    }

    fn take(&mut self, mark: &'static str) -> bool {
        let found = self.peek() == &TokenKind::Mark(mark);
        if found {
            self.position += 1;
        }
        found
    }

    fn node(&self, start: usize, height: usize, kind: NodeKind) -> Result<Node> {
        let span = (start, self.end());
        if height > MAX_HEIGHT { Err(too_deep(span)) } else { Ok(Node { kind, span, height }) }
    }

    /// Operators of this level or tighter, grouped from the left.
    fn binary(&mut self, level: u8) -> Result<Node> {
        let mut left = if level <= NOT_LEVEL { self.negation()? } else { self.sign()? };
        while let Some(operator) = self.operator().filter(|operator| operator.level() >= level) {
            self.position += 1;
            let right = self.binary(operator.level() + 1)?;
            let (start, height) = (left.span.0, left.height.max(right.height) + 1);
            left = self.node(start, height, NodeKind::Binary(operator, Box::new(left), Box::new(right)))?;
        }
        Ok(left)
    }

    /// The operator at this place. FoxPro also takes AND and OR without dots.
    fn operator(&self) -> Option<Binary> {
        Some(match self.peek() {
            TokenKind::Name(name) if name == "AND" => Binary::And,
            TokenKind::Name(name) if name == "OR" => Binary::Or,
            TokenKind::Mark(mark) => match *mark {
                ".AND." => Binary::And,
                ".OR." => Binary::Or,
                "=" => Binary::Equal,
                "==" => Binary::ExactlyEqual,
                "<>" => Binary::NotEqual,
                "$" => Binary::Contained,
                "<" => Binary::Less,
                "<=" => Binary::LessOrEqual,
                ">" => Binary::Greater,
                ">=" => Binary::GreaterOrEqual,
                "+" => Binary::Plus,
                "-" => Binary::Minus,
                "*" => Binary::Multiply,
                "/" => Binary::Divide,
                "%" => Binary::Modulo,
                "^" => Binary::Power,
                _ => return None,
            },
            _ => return None,
        })
    }

    /// `.NOT.` in front of everything tighter than `.AND.`, or the operand of a tighter operator.
    fn negation(&mut self) -> Result<Node> {
        let start = self.span().0;
        if !self.take(".NOT.") && !self.take_word_not() {
            return self.sign();
        }
        self.deeper(|parser| {
            let operand = parser.binary(NOT_LEVEL)?;
            parser.node(start, operand.height + 1, NodeKind::Unary(Unary::Not, Box::new(operand)))
        })
    }

    /// FoxPro's NOT without dots, which a field of that name before an operator is not.
    fn take_word_not(&mut self) -> bool {
        let found = matches!(self.peek(), TokenKind::Name(name) if name == "NOT")
            && matches!(self.peek_at(1), TokenKind::Name(_) | TokenKind::Mark("(") | TokenKind::Logical(_));
        if found {
            self.position += 1;
        }
        found
    }

    fn sign(&mut self) -> Result<Node> {
        let start = self.span().0;
        match self.peek() {
            TokenKind::Mark("-") => {
                self.position += 1;
                self.deeper(|parser| {
                    let operand = parser.sign()?;
                    parser.node(start, operand.height + 1, NodeKind::Unary(Unary::Negate, Box::new(operand)))
                })
            }
            TokenKind::Mark("+") => {
                self.position += 1;
                self.deeper(Parser::sign)
            }
            TokenKind::Mark(".NOT.") => self.negation(),
            _ => self.operand(),
        }
    }

    fn operand(&mut self) -> Result<Node> {
        let (start, span) = (self.span().0, self.span());
        let token = self.peek().clone();
        self.position += 1;
        let kind = match token {
            TokenKind::Mark("(") => return self.deeper(Parser::enclosed),
            TokenKind::Name(name) => return self.name(name, start),
            TokenKind::Text(text) => NodeKind::Text(text),
            TokenKind::Number(digits) => NodeKind::Number(digits),
            TokenKind::Logical(value) => NodeKind::Logical(value),
            TokenKind::Date(day) => NodeKind::Date(day),
            TokenKind::Timestamp(day, ms) => NodeKind::Timestamp(day, ms),
            TokenKind::Mark(mark) => return Err(syntax(span, format!("a value is missing before {mark}"))),
            TokenKind::End => return Err(syntax(span, "the expression ends where a value should follow")),
        };
        self.node(start, 1, kind)
    }

    fn enclosed(&mut self) -> Result<Node> {
        let open = self.end().saturating_sub(1);
        let node = self.binary(1)?;
        if self.take(")") {
            Ok(node)
        } else if self.peek() == &TokenKind::End {
            Err(syntax((open, self.end()), "the parenthesis is not closed").hint("add ) at the end"))
        } else {
            Err(syntax(self.span(), "an operator or ) is missing before this"))
        }
    }

    /// A function, a field, or a field with its alias.
    fn name(&mut self, name: String, start: usize) -> Result<Node> {
        if self.take("(") {
            return self.deeper(|parser| parser.call(name, start));
        }
        let (arrow, dot) = (self.take("->"), self.peek() == &TokenKind::Mark("."));
        let qualified = arrow || dot && matches!(self.peek_at(1), TokenKind::Name(_));
        if !qualified {
            return self.node(start, 1, NodeKind::Name { alias: None, name });
        }
        if !arrow {
            self.position += 1;
        }
        let TokenKind::Name(field) = self.peek().clone() else {
            return Err(syntax(self.span(), "a field name is missing after the alias"));
        };
        self.position += 1;
        let span = (start, self.end());
        if matches!(self.peek(), TokenKind::Mark("->") | TokenKind::Mark("(")) {
            return Err(unsupported(span, "expressions in another work area are not understood"));
        }
        self.node(start, 1, NodeKind::Name { alias: alias_of(name, span)?, name: field })
    }

    fn call(&mut self, name: String, start: usize) -> Result<Node> {
        let mut arguments = Vec::new();
        while !self.take(")") {
            if !arguments.is_empty() && !self.take(",") {
                return Err(syntax(self.span(), format!("a comma or ) is missing in {name}()")));
            }
            // `CONTAINS( *, 'words' )` asks all fields that have an index of words.
            let start = self.span().0;
            let is_all = name == search::FUNCTION && arguments.is_empty() && self.take("*");
            arguments.push(match is_all {
                true => self.node(start, 1, NodeKind::Name { alias: None, name: search::ALL.to_owned() })?,
                false => self.binary(1)?,
            });
        }
        let height = arguments.iter().map(|argument| argument.height).max().unwrap_or(0) + 1;
        let (name, function) = match catalog::find(&name) {
            Lookup::Found(function) => (function.name.to_string(), Some(function)),
            Lookup::Ambiguous(first, second) => {
                let message = format!("{name}() can be {first}() or {second}()");
                return Err(Error::new(Code::Ambiguous, message).span(start, start + name.len()));
            }
            Lookup::Refused | Lookup::Unknown => (name, None),
        };
        self.node(start, height, NodeKind::Call { name, function, arguments })
    }

    /// Runs `parse` one level down. The tree's height alone would not stop `((((...`.
    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_HEIGHT {
            return Err(too_deep(self.span()));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }
}

fn too_deep(span: (usize, usize)) -> Error {
    unsupported(span, format!("the expression is nested more than {MAX_HEIGHT} levels deep"))
}

/// The alias to keep: `FIELD->` and `_FIELD->` say nothing, and `M->` is a variable of the program.
fn alias_of(alias: String, span: (usize, usize)) -> Result<Option<String>> {
    match alias.as_str() {
        "FIELD" | "_FIELD" | "FIEL" | "_FIE" | "_FIEL" => Ok(None),
        "M" | "MEMVAR" | "MEMV" | "MEMVA" => {
            Err(unsupported(span, "variables of a program are not in the file").hint("only fields can be used"))
        }
        _ => Ok(Some(alias)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Expression;

    fn canonical(text: &str) -> String {
        Expression::parse(text).unwrap().canonical()
    }

    #[test]
    fn canonical_text_is_the_same_for_every_spelling() {
        for (spelling, expected) in [
            ("upper( name )", "UPPER(NAME)"),
            ("UPPE(field->Name)", "UPPER(NAME)"),
            ("if(!deleted(),'a','b')", "IIF(.NOT.DELETED(),\"a\",\"b\")"),
            ("rtrim(a)+b", "TRIM(A)+B"),
            ("(a)+((b))", "A+B"),
            ("a-(b-c)", "A-(B-C)"),
            ("(a-b)-c", "A-B-C"),
            ("cust.name", "CUST->NAME"),
            ("not a and b", ".NOT.A.AND.B"),
            ("!(a .and. b)", ".NOT.(A.AND.B)"),
            ("a # b", "A<>B"),
            ("-2**2", "-2^2"),
            ("-(2**2)", "-(2^2)"),
        ] {
            assert_eq!(canonical(spelling), expected);
            assert_eq!(canonical(expected), expected, "canonical text parses to itself");
        }
    }

    #[test]
    fn precedence_is_clippers() {
        for (short, explicit) in [
            ("a = b .and. c = d .or. e", "((a = b) .and. (c = d)) .or. e"),
            ("a + b * c ^ d", "a + (b * (c ^ d))"),
            ("2 ^ 3 ^ 2", "(2 ^ 3) ^ 2"),
            (".not. a = b", ".not. (a = b)"),
            ("a = b < c", "a = (b < c)"),
            ("a - b + c", "(a - b) + c"),
            ("-a ^ b", "(-a) ^ b"),
        ] {
            let tree = |text: &str| Expression::parse(text).unwrap().canonical();
            assert_eq!(tree(short), tree(explicit));
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (text, place) in
            [("a +", (3, 3)), ("(a", (0, 2)), ("a b", (2, 3)), ("a)", (1, 2)), ("m->x", (0, 4)), ("", (0, 0))]
        {
            let error = Expression::parse(text).unwrap_err();
            assert_eq!(error.text_span(), Some(place), "{text}: {error}");
        }
    }

    #[test]
    fn depth_and_length_are_limited() {
        for text in ["(".repeat(100_000), "(".repeat(5000), "-".repeat(5000), "!".repeat(5000), "a+".repeat(4000) + "a"]
        {
            assert!(Expression::parse(&text).is_err());
        }
    }
}
