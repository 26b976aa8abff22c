//! Operators, by precedence. From the tightest: signs and `~`; `* /`; `%`; `+ -`; `& | ^ << >>`; comparisons; NOT; AND;
//! OR. Source: the help page "SQL Operators".

use super::Parser;
use crate::error::Parse;
use crate::tree::{Argument, BinaryOperator, Call, Expr, Name, ObjectName, Quantifier, Test, UnaryOperator};
use mainstay_syntax::TokenKind;

/// A call of a function that the engine has no parentheses for.
pub(super) fn call(name: &str, arguments: Vec<Expr>) -> Expr {
    let name = Name { text: name.to_owned(), ..Name::default() };
    let name = ObjectName { parts: vec![name], ..ObjectName::default() };
    let arguments = arguments.into_iter().map(Argument::Value).collect();
    Expr::Call(Box::new(Call { name, arguments, ..Call::default() }))
}

impl Parser<'_> {
    /// A value or a condition.
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        let chain = std::mem::take(&mut self.chain);
        let value = self.nested(Self::disjunction);
        self.chain = chain;
        value
    }

    fn disjunction(&mut self) -> Parse<Expr> {
        let first = self.conjunction()?;
        if !self.sees("OR") {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.accept("OR") {
            parts.push(self.conjunction()?);
        }
        Ok(Expr::Or(parts))
    }

    fn conjunction(&mut self) -> Parse<Expr> {
        let first = self.negation()?;
        if !self.sees("AND") {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.accept("AND") {
            parts.push(self.negation()?);
        }
        Ok(Expr::And(parts))
    }

    fn negation(&mut self) -> Parse<Expr> {
        if !self.accept("NOT") {
            return self.comparison();
        }
        let inner = self.nested(Self::negation)?;
        Ok(Expr::Unary(UnaryOperator::Not, Box::new(inner)))
    }

    fn comparison(&mut self) -> Parse<Expr> {
        let chain = std::mem::take(&mut self.chain);
        let mut left = self.binary(0)?;
        loop {
            if let Some(operator) = self.accept_comparison() {
                self.link()?;
                left = self.compared(left, operator)?;
                continue;
            }
            let negated = self.sees("NOT") && ["LIKE", "IN", "BETWEEN"].iter().any(|word| self.is(1, word));
            if negated {
                self.advance();
            }
            let test = match self.accept_any(&["IS", "LIKE", "IN", "BETWEEN"]) {
                Some("IS") => {
                    let negated = self.accept("NOT");
                    self.expect("NULL")?;
                    left = Expr::Test(Box::new(left), negated, Test::Null);
                    self.link()?;
                    continue;
                }
                Some("LIKE") => self.like()?,
                Some("IN") => self.in_list()?,
                Some(_) => {
                    let low = self.binary(0)?;
                    self.expect("AND")?;
                    Test::Between(Box::new(low), Box::new(self.binary(0)?))
                }
                None => break,
            };
            self.link()?;
            left = Expr::Test(Box::new(left), negated, test);
        }
        self.chain = chain;
        Ok(left)
    }

    fn like(&mut self) -> Parse<Test> {
        let pattern = self.binary(0)?;
        let braced = self.accept("{");
        let escape = match self.accept("ESCAPE") {
            true => Some(Box::new(self.binary(0)?)),
            false if braced => return Err(self.unexpected()),
            false => None,
        };
        if braced {
            self.expect("}")?;
        }
        Ok(Test::Like(Box::new(pattern), escape))
    }

    fn in_list(&mut self) -> Parse<Test> {
        self.expect("(")?;
        let test = match self.sees("SELECT") {
            true => Test::InQuery(Box::new(self.query()?)),
            false => Test::InList(self.list(Self::expression)?),
        };
        self.expect(")")?;
        Ok(test)
    }

    fn accept_comparison(&mut self) -> Option<BinaryOperator> {
        use BinaryOperator::*;
        if self.kind() != TokenKind::Symbol {
            return None;
        }
        let (operator, tokens) = match (self.token_text(0), self.token_text(1)) {
            ("=", _) => (Equal, 1),
            ("<>" | "!=", _) => (NotEqual, 1),
            ("<", "=") => (LessOrEqual, 2),
            ("<", _) => (Less, 1),
            ("<=", _) => (LessOrEqual, 1),
            (">", _) => (Greater, 1),
            (">=", _) => (GreaterOrEqual, 1),
            _ => return None,
        };
        for _ in 0..tokens {
            self.advance();
        }
        Some(operator)
    }

    fn compared(&mut self, left: Expr, operator: BinaryOperator) -> Parse<Expr> {
        let quantifier = match self.accept_any(&["ALL", "ANY", "SOME"]) {
            Some("ALL") => Some(Quantifier::All),
            Some(_) => Some(Quantifier::Any),
            None => None,
        };
        let Some(quantifier) = quantifier else {
            return Ok(Expr::Binary(Box::new(left), operator, Box::new(self.binary(0)?)));
        };
        self.expect("(")?;
        let query = self.query()?;
        self.expect(")")?;
        Ok(Expr::Quantified(Box::new(left), operator, quantifier, Box::new(query)))
    }

    /// Operators between values, of this level and tighter ones.
    fn binary(&mut self, level: usize) -> Parse<Expr> {
        const LEVELS: [&[(&str, Option<BinaryOperator>)]; 4] = [
            &[
                ("&", Some(BinaryOperator::BitAnd)),
                ("|", Some(BinaryOperator::BitOr)),
                ("^", Some(BinaryOperator::BitXor)),
                ("<<", None),
                (">>", None),
            ],
            &[
                ("+", Some(BinaryOperator::Add)),
                ("||", Some(BinaryOperator::Add)),
                ("-", Some(BinaryOperator::Subtract)),
            ],
            &[("%", Some(BinaryOperator::Modulo))],
            &[("*", Some(BinaryOperator::Multiply)), ("/", Some(BinaryOperator::Divide))],
        ];
        let Some(operators) = LEVELS.get(level) else { return self.signed() };
        let mut left = self.binary(level + 1)?;
        while let Some((symbol, operator)) = operators.iter().find(|(symbol, _)| self.sees(symbol)) {
            self.accept(symbol);
            self.link()?;
            let right = self.binary(level + 1)?;
            left = match operator {
                Some(operator) => Expr::Binary(Box::new(left), *operator, Box::new(right)),
                None if *symbol == "<<" => call("shift_left", vec![left, right]),
                None => call("shift_right", vec![left, right]),
            };
        }
        Ok(left)
    }

    fn signed(&mut self) -> Parse<Expr> {
        let operator = match self.accept_any(&["-", "+", "~"]) {
            Some("-") => UnaryOperator::Minus,
            Some("+") => UnaryOperator::Plus,
            Some(_) => UnaryOperator::BitNot,
            None => {
                let mut value = self.primary()?;
                while self.accept("COLLATE") {
                    self.link()?;
                    value = Expr::Collate(Box::new(value), self.name()?);
                }
                return Ok(value);
            }
        };
        let operand = self.nested(Self::signed)?;
        Ok(Expr::Unary(operator, Box::new(operand)))
    }
}
