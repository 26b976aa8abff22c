//! Operators, by the precedence of T-SQL.
//!
//! From the tightest: `~`; `* / %`; `+ - & ^ | << >>` and the signs; comparisons; NOT; AND; OR, BETWEEN, IN, LIKE, ALL, ANY.
//! Source: "Operator precedence (Transact-SQL)". A sign binds *looser* than `*`: `100 / -100 * 10` is `100 / -(100 * 10)`.

use super::Parser;
use crate::error::Parse;
use crate::tree::{Argument, BinaryOperator, Call, Expr, Name, ObjectName, Quantifier, Test, UnaryOperator};
use mainstay_syntax::{Span, TokenKind};

/// The binding power of operators between values.
const MULTIPLICATIVE: u8 = 2;
const ADDITIVE: u8 = 1;

/// An operator between two values.
enum Arithmetic {
    Operator(BinaryOperator),
    /// A function of this name has both as its arguments.
    Function(&'static str),
}

/// The call of a function of the system.
fn called(name: &str, span: Span, arguments: [Expr; 2]) -> Expr {
    let name = Name { text: name.to_owned(), quoted: false, span };
    let name = ObjectName { parts: vec![name], span };
    let arguments = arguments.into_iter().map(Argument::Value).collect();
    Expr::Call(Box::new(Call { name, arguments, ..Call::default() }))
}

impl Parser<'_> {
    /// A value.
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        let value = self.nested(|parser| parser.arithmetic(ADDITIVE))?;
        self.require_value(&value)?;
        Ok(value)
    }

    /// A condition.
    pub(super) fn condition(&mut self) -> Parse<Expr> {
        let condition = self.any_expression()?;
        if !condition.is_condition() {
            if self.assign_operator(0).is_some() {
                // The outer joins of old, and other assignments, are no operators.
                return Err(self.unexpected());
            }
            let (span, near) = self.near();
            let text = format!(
                "An expression of non-boolean type specified in a context where a condition is expected, near '{near}'."
            );
            return Err(self.error(4145, span, text));
        }
        Ok(condition)
    }

    /// A value or a condition.
    pub(super) fn any_expression(&mut self) -> Parse<Expr> {
        self.nested(|parser| parser.disjunction())
    }

    /// A condition in the place of a value: the operator that makes it one is the mistake.
    fn require_value(&mut self, expr: &Expr) -> Parse<()> {
        if expr.is_condition() {
            self.at = self.condition_at;
            return Err(self.unexpected());
        }
        Ok(())
    }

    fn disjunction(&mut self) -> Parse<Expr> {
        self.chain("OR", Self::conjunction, Expr::Or)
    }

    fn conjunction(&mut self) -> Parse<Expr> {
        self.chain("AND", Self::negation, Expr::And)
    }

    /// Conditions joined by AND or by OR: one node, however many.
    fn chain(&mut self, word: &str, read: fn(&mut Self) -> Parse<Expr>, node: fn(Vec<Expr>) -> Expr) -> Parse<Expr> {
        let first = read(self)?;
        if !self.sees(word) {
            return Ok(first);
        }
        self.require_condition(&first)?;
        let mut conditions = vec![first];
        while self.accept(word) {
            // Siblings do not add to each other's height.
            let height = std::mem::take(&mut self.height);
            let next = read(self)?;
            self.height = self.height.max(height);
            self.require_condition(&next)?;
            conditions.push(next);
        }
        self.grow()?;
        Ok(node(conditions))
    }

    fn require_condition(&self, expr: &Expr) -> Parse<()> {
        if expr.is_condition() {
            return Ok(());
        }
        let (span, near) = self.near();
        let text = format!(
            "An expression of non-boolean type specified in a context where a condition is expected, near '{near}'."
        );
        Err(self.error(4145, span, text))
    }

    fn negation(&mut self) -> Parse<Expr> {
        if !self.sees("NOT") {
            return self.comparison();
        }
        let at = self.at;
        self.advance();
        let operand = self.nested(|parser| parser.negation())?;
        self.require_condition(&operand)?;
        self.condition_at = at;
        Ok(Expr::Unary(UnaryOperator::Not, Box::new(operand)))
    }

    /// A value and what it is compared with or tested for.
    fn comparison(&mut self) -> Parse<Expr> {
        let left = self.arithmetic(ADDITIVE)?;
        let at = self.at;
        let result = if let Some(operator) = self.accept_comparison() {
            self.require_value_before(&left, at)?;
            self.compared(left, operator)?
        } else if let Some((negated, word)) = self.accept_test() {
            self.require_value_before(&left, at)?;
            let test = self.test(word)?;
            Expr::Test(Box::new(left), negated, test)
        } else {
            return Ok(left);
        };
        self.condition_at = at;
        self.grow()?;
        Ok(result)
    }

    /// After a condition no operator of values may come.
    fn require_value_before(&mut self, left: &Expr, operator: usize) -> Parse<()> {
        if left.is_condition() {
            self.at = operator;
            return Err(self.unexpected());
        }
        Ok(())
    }

    fn compared(&mut self, left: Expr, operator: BinaryOperator) -> Parse<Expr> {
        let quantifier = match self.accept_any(&["ALL", "ANY", "SOME"]) {
            Some("ALL") => Some(Quantifier::All),
            Some(_) => Some(Quantifier::Any),
            None => None,
        };
        if let Some(quantifier) = quantifier {
            self.expect("(")?;
            let query = self.subquery()?;
            self.expect(")")?;
            return Ok(Expr::Quantified(Box::new(left), operator, quantifier, Box::new(query)));
        }
        let right = self.arithmetic(ADDITIVE)?;
        self.require_value(&right)?;
        Ok(Expr::Binary(Box::new(left), operator, Box::new(right)))
    }

    fn accept_comparison(&mut self) -> Option<BinaryOperator> {
        use BinaryOperator::*;
        if self.kind() != TokenKind::Symbol {
            return None;
        }
        // Blanks may stand between the characters of an operator.
        let forms = [
            ("=", Equal),
            ("<>", NotEqual),
            ("!=", NotEqual),
            ("<=", LessOrEqual),
            (">=", GreaterOrEqual),
            ("!<", GreaterOrEqual),
            ("!>", LessOrEqual),
            ("< =", LessOrEqual),
            ("> =", GreaterOrEqual),
            ("< >", NotEqual),
            ("! =", NotEqual),
            ("<", Less),
            (">", Greater),
        ];
        forms.into_iter().find(|(text, _)| self.accept(text)).map(|(_, operator)| operator)
    }

    /// Returns true if NOT stands before the word of a test, and the word.
    fn accept_test(&mut self) -> Option<(bool, &'static str)> {
        if self.kind() != TokenKind::Reserved {
            return None;
        }
        if self.accept("IS") {
            let negated = self.accept("NOT");
            return Some((negated, "IS"));
        }
        let negated = self.sees("NOT");
        let words = ["BETWEEN", "IN", "LIKE"];
        let word = words.into_iter().find(|word| self.is(usize::from(negated), word))?;
        self.at += 1 + usize::from(negated);
        Some((negated, word))
    }

    fn test(&mut self, word: &str) -> Parse<Test> {
        match word {
            "IS" if self.accept("NULL") => Ok(Test::Null),
            "IS" => {
                self.expect("DISTINCT FROM")?;
                Ok(Test::DistinctFrom(Box::new(self.operand()?)))
            }
            "BETWEEN" => {
                let low = self.operand()?;
                self.expect("AND")?;
                Ok(Test::Between(Box::new(low), Box::new(self.operand()?)))
            }
            "IN" => self.in_test(),
            _ => {
                let pattern = self.operand()?;
                let escape = match self.accept_any(&["ESCAPE", "{ ESCAPE"]) {
                    Some("ESCAPE") => Some(self.operand()?),
                    Some(_) => {
                        let escape = self.operand()?;
                        self.expect("}")?;
                        Some(escape)
                    }
                    None => None,
                };
                Ok(Test::Like(Box::new(pattern), escape.map(Box::new)))
            }
        }
    }

    fn in_test(&mut self) -> Parse<Test> {
        self.expect("(")?;
        let test = if self.sees_query() {
            Test::InQuery(Box::new(self.subquery()?))
        } else {
            Test::InList(self.list(Self::expression)?)
        };
        self.expect(")")?;
        Ok(test)
    }

    /// A value that takes part in a test.
    fn operand(&mut self) -> Parse<Expr> {
        let value = self.arithmetic(ADDITIVE)?;
        self.require_value(&value)?;
        Ok(value)
    }

    /// Values joined by operators that bind at least so tight.
    fn arithmetic(&mut self, least: u8) -> Parse<Expr> {
        let mut left = self.signed()?;
        while let Some((operator, tightness)) = self.arithmetic_operator().filter(|found| found.1 >= least) {
            self.require_value_before(&left, self.at)?;
            let span = self.span();
            self.advance();
            let outer = std::mem::take(&mut self.height);
            let right = self.arithmetic(tightness + 1)?;
            self.require_value(&right)?;
            self.height = self.height.max(outer);
            self.grow()?;
            left = match operator {
                Arithmetic::Operator(operator) => Expr::Binary(Box::new(left), operator, Box::new(right)),
                Arithmetic::Function(name) => called(name, span, [left, right]),
            };
        }
        Ok(left)
    }

    fn arithmetic_operator(&self) -> Option<(Arithmetic, u8)> {
        // "a << n" and "a >> n" are other forms of functions (LEFT_SHIFT and RIGHT_SHIFT of the reference).
        match self.token_text(0) {
            "<<" if self.kind() == TokenKind::Symbol => return Some((Arithmetic::Function("LEFT_SHIFT"), ADDITIVE)),
            ">>" if self.kind() == TokenKind::Symbol => return Some((Arithmetic::Function("RIGHT_SHIFT"), ADDITIVE)),
            _ => {}
        }
        let (operator, tightness) = self.binary_operator()?;
        Some((Arithmetic::Operator(operator), tightness))
    }

    fn binary_operator(&self) -> Option<(BinaryOperator, u8)> {
        use BinaryOperator::*;
        if self.kind() != TokenKind::Symbol {
            return None;
        }
        Some(match self.token_text(0) {
            "*" => (Multiply, MULTIPLICATIVE),
            "/" => (Divide, MULTIPLICATIVE),
            "%" => (Modulo, MULTIPLICATIVE),
            "+" => (Add, ADDITIVE),
            "-" => (Subtract, ADDITIVE),
            "||" => (Concatenate, ADDITIVE),
            "&" => (BitAnd, ADDITIVE),
            "|" => (BitOr, ADDITIVE),
            "^" => (BitXor, ADDITIVE),
            _ => return None,
        })
    }

    /// A value with signs before it.
    fn signed(&mut self) -> Parse<Expr> {
        if self.kind() != TokenKind::Symbol {
            return self.postfixed();
        }
        let (operator, least) = match self.token_text(0) {
            "-" => (UnaryOperator::Minus, MULTIPLICATIVE),
            "+" => (UnaryOperator::Plus, MULTIPLICATIVE),
            "~" => (UnaryOperator::BitNot, MULTIPLICATIVE + 1),
            _ => return self.postfixed(),
        };
        self.advance();
        let operand = self.nested(|parser| parser.arithmetic(least))?;
        self.require_value(&operand)?;
        Ok(Expr::Unary(operator, Box::new(operand)))
    }
}
