//! Operators, by precedence. From the tightest: signs, `::`; UNITS; `* /`; `+ -`; `||`; comparisons and tests; NOT; AND; OR.

use super::Parser;
use crate::error::Parse;
use crate::tree::{Argument, BinaryOperator, Call, Expr, Literal, Name, ObjectName, Quantifier, Test, UnaryOperator};

/// A call of a function that the statement writes in another way.
pub(super) fn call(name: &str, arguments: Vec<Expr>) -> Expr {
    let name = Name { text: name.to_owned(), ..Name::default() };
    let name = ObjectName { parts: vec![name], ..ObjectName::default() };
    let arguments = arguments.into_iter().map(Argument::Value).collect();
    Expr::Call(Box::new(Call { name, arguments, ..Call::default() }))
}

fn negated(value: Expr, is_negated: bool) -> Expr {
    if is_negated { Expr::Unary(UnaryOperator::Not, Box::new(value)) } else { value }
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
        let mut left = self.value()?;
        loop {
            if let Some(operator) = self.accept_comparison() {
                self.link()?;
                left = self.compared(left, operator)?;
                continue;
            }
            let is_negated =
                self.sees("NOT") && ["LIKE", "MATCHES", "IN", "BETWEEN"].iter().any(|word| self.is(1, word));
            if is_negated {
                self.advance();
            }
            let Some(word) = self.accept_any(&["IS", "LIKE", "MATCHES", "IN", "BETWEEN"]) else { return Ok(left) };
            self.link()?;
            left = self.tested(left, word, is_negated)?;
        }
    }

    fn tested(&mut self, left: Expr, word: &str, is_negated: bool) -> Parse<Expr> {
        let test = match word {
            "IS" => {
                let is_negated = self.accept("NOT");
                self.expect("NULL")?;
                return Ok(Expr::Test(Box::new(left), is_negated, Test::Null));
            }
            "LIKE" => {
                let pattern = self.value()?;
                Test::Like(Box::new(pattern), self.escape()?.map(Box::new))
            }
            "MATCHES" => {
                let arguments = [Some(left), Some(self.value()?), self.escape()?];
                return Ok(negated(call("matches", arguments.into_iter().flatten().collect()), is_negated));
            }
            "IN" => self.in_list()?,
            _ => {
                let low = self.value()?;
                self.expect("AND")?;
                Test::Between(Box::new(low), Box::new(self.value()?))
            }
        };
        Ok(Expr::Test(Box::new(left), is_negated, test))
    }

    fn escape(&mut self) -> Parse<Option<Expr>> {
        if self.accept("ESCAPE") { self.value().map(Some) } else { Ok(None) }
    }

    fn in_list(&mut self) -> Parse<Test> {
        self.expect("(")?;
        let test = match self.sees("SELECT") || self.sees("WITH") {
            true => Test::InQuery(Box::new(self.query()?)),
            false => Test::InList(self.list(Self::expression)?),
        };
        self.expect(")")?;
        Ok(test)
    }

    fn accept_comparison(&mut self) -> Option<BinaryOperator> {
        use BinaryOperator::*;
        const OPERATORS: [(&str, BinaryOperator); 8] = [
            ("==", Equal),
            ("=", Equal),
            ("<>", NotEqual),
            ("!=", NotEqual),
            ("<=", LessOrEqual),
            (">=", GreaterOrEqual),
            ("<", Less),
            (">", Greater),
        ];
        OPERATORS.into_iter().find(|(symbol, _)| self.accept(symbol)).map(|(_, operator)| operator)
    }

    fn compared(&mut self, left: Expr, operator: BinaryOperator) -> Parse<Expr> {
        let quantifier = match self.accept_any(&["ALL", "ANY", "SOME"]) {
            Some("ALL") => Quantifier::All,
            Some(_) => Quantifier::Any,
            None => return Ok(Expr::Binary(Box::new(left), operator, Box::new(self.value()?))),
        };
        self.expect("(")?;
        let query = self.query()?;
        self.expect(")")?;
        Ok(Expr::Quantified(Box::new(left), operator, quantifier, Box::new(query)))
    }

    /// A value without comparisons.
    pub(super) fn value(&mut self) -> Parse<Expr> {
        let chain = std::mem::take(&mut self.chain);
        let value = self.binary(0);
        self.chain = chain;
        value
    }

    /// Operators between values, of this level and tighter ones.
    fn binary(&mut self, level: usize) -> Parse<Expr> {
        const LEVELS: [&[(&str, BinaryOperator)]; 3] = [
            &[("||", BinaryOperator::Concatenate)],
            &[("+", BinaryOperator::Add), ("-", BinaryOperator::Subtract)],
            &[("*", BinaryOperator::Multiply), ("/", BinaryOperator::Divide)],
        ];
        let Some(operators) = LEVELS.get(level) else { return self.with_units() };
        let mut left = self.binary(level + 1)?;
        while let Some((symbol, operator)) = operators.iter().find(|(symbol, _)| self.sees(symbol)) {
            self.accept(symbol);
            self.link()?;
            let right = self.binary(level + 1)?;
            left = Expr::Binary(Box::new(left), *operator, Box::new(right));
        }
        Ok(left)
    }

    /// `n UNITS DAY`.
    fn with_units(&mut self) -> Parse<Expr> {
        let value = self.signed()?;
        if !self.accept("UNITS") {
            return Ok(value);
        }
        let unit = self.name()?.text;
        Ok(call("units", vec![value, Expr::Literal(Literal::String(unit))]))
    }

    fn signed(&mut self) -> Parse<Expr> {
        let operator = match self.accept_any(&["-", "+"]) {
            Some("-") => UnaryOperator::Minus,
            Some(_) => UnaryOperator::Plus,
            None => return self.postfix(),
        };
        let operand = self.nested(Self::signed)?;
        Ok(Expr::Unary(operator, Box::new(operand)))
    }

    /// `x::type`, `x[1,3]`.
    fn postfix(&mut self) -> Parse<Expr> {
        let mut value = self.primary()?;
        loop {
            if self.accept("::") {
                self.link()?;
                value = self.cast_to(value)?;
            } else if matches!(value, Expr::Column(_)) && self.accept("[") {
                let from = self.number()?;
                let to = if self.accept(",") { self.number()? } else { from };
                self.expect("]")?;
                let number = |number: u32| Expr::Literal(Literal::Integer(number.to_string()));
                value = call("substring_range", vec![value, number(from), number(to)]);
            } else {
                return Ok(value);
            }
        }
    }
}
