//! Operands: constants, columns, variables, parentheses, CASE, and postfix forms.

use super::Parser;
use crate::error::Parse;
use crate::tree::{Case, Expr, FullText, Literal, ObjectName};
use mainstay_syntax::TokenKind;

/// Functions without parentheses.
const NILADIC: [&str; 7] =
    ["CURRENT_TIMESTAMP", "CURRENT_USER", "SESSION_USER", "SYSTEM_USER", "USER", "CURRENT_DATE", "CURRENT_TIME"];

/// Reserved words that are functions when a parenthesis follows.
pub(super) const FUNCTIONS: [&str; 8] =
    ["COALESCE", "NULLIF", "LEFT", "RIGHT", "IDENTITY", "OPENXML", "OPENQUERY", "OPENDATASOURCE"];

impl Parser<'_> {
    /// A value and what follows it directly: methods, COLLATE, AT TIME ZONE.
    pub(super) fn postfixed(&mut self) -> Parse<Expr> {
        let mut value = self.primary()?;
        loop {
            if self.sees("COLLATE") {
                self.advance();
                value = Expr::Collate(Box::new(value), self.word()?);
            } else if self.accept("AT TIME ZONE") {
                let zone = self.primary()?;
                value = Expr::AtTimeZone(Box::new(value), Box::new(zone));
            } else if self.is(0, ".") && self.is_name(1) && !matches!(value, Expr::Literal(_)) {
                self.advance();
                let name = self.name()?;
                let arguments = if self.sees("(") { Some(self.arguments(Self::expression)?) } else { None };
                value = Expr::Method(Box::new(value), name, arguments);
            } else {
                return Ok(value);
            }
            self.grow()?;
        }
    }

    fn primary(&mut self) -> Parse<Expr> {
        if let Some(literal) = self.accept_literal() {
            return Ok(Expr::Literal(literal));
        }
        match self.kind() {
            TokenKind::Variable => {
                let name = self.take_name();
                self.checks.scalar(&name, false);
                Ok(Expr::Variable(name))
            }
            TokenKind::Word | TokenKind::Quoted | TokenKind::DoubleQuoted => self.named(),
            TokenKind::Reserved => self.reserved(),
            TokenKind::Symbol if self.sees("(") => self.parenthesized(),
            TokenKind::Symbol if self.sees("{") => self.odbc(),
            _ => Err(self.unexpected()),
        }
    }

    fn parenthesized(&mut self) -> Parse<Expr> {
        let is_query = self.sees_query_after_parenthesis();
        self.expect("(")?;
        let value = if is_query { Expr::Subquery(Box::new(self.subquery()?)) } else { self.any_expression()? };
        self.expect(")")?;
        Ok(value)
    }

    /// Expressions that start with a name: a column, a function, a type's method.
    fn named(&mut self) -> Parse<Expr> {
        if self.sees("NEXT VALUE FOR") {
            return self.next_value();
        }
        if self.is(1, "(")
            && let Some(conversion) = self.conversion()?
        {
            return Ok(conversion);
        }
        let name = self.dotted_name()?;
        if self.sees("(") {
            return self.call(name);
        }
        if self.accept("::") {
            return self.type_method(name);
        }
        Ok(Expr::Column(name))
    }

    fn type_method(&mut self, data_type: ObjectName) -> Parse<Expr> {
        let method = self.word()?;
        let arguments = if self.sees("(") { Some(self.arguments(Self::expression)?) } else { None };
        Ok(Expr::TypeMethod(data_type, method, arguments))
    }

    fn reserved(&mut self) -> Parse<Expr> {
        let at = self.at;
        if self.accept("CASE") {
            return self.nested(|parser| parser.case());
        }
        if let Some(word) = self.accept_any(&NILADIC) {
            return Ok(Expr::Niladic(word.to_owned()));
        }
        if self.accept("EXISTS") {
            self.expect("(")?;
            let query = self.subquery()?;
            self.expect(")")?;
            self.condition_at = at;
            return Ok(Expr::Exists(Box::new(query)));
        }
        if self.sees_any(&["CONTAINS", "FREETEXT"]) {
            return self.full_text();
        }
        if self.sees("UPDATE (") {
            self.condition_at = at;
        } else if self.sees_any(&["CONVERT", "TRY_CONVERT"]) {
            return self.conversion()?.ok_or_else(|| self.unexpected());
        } else if self.accept("DEFAULT") {
            return Ok(Expr::Default);
        } else if self.sees_any(&["IDENTITYCOL", "ROWGUIDCOL"]) {
            return Ok(Expr::Column(self.reserved_name()));
        } else if !(self.is(1, "(") && self.sees_any(&FUNCTIONS)) {
            return Err(self.unexpected());
        }
        let name = self.reserved_name();
        self.call(name)
    }

    /// A reserved word that has a meaning as a name here.
    pub(super) fn reserved_name(&mut self) -> ObjectName {
        let name = self.take_name();
        let span = name.span;
        ObjectName { parts: vec![name], span }
    }

    fn case(&mut self) -> Parse<Expr> {
        let operand = if self.sees("WHEN") { None } else { Some(self.expression()?) };
        let mut branches = Vec::new();
        while self.accept("WHEN") {
            let when = if operand.is_some() { self.expression()? } else { self.condition()? };
            self.expect("THEN")?;
            branches.push((when, self.expression()?));
        }
        if branches.is_empty() {
            return Err(self.unexpected());
        }
        let otherwise = self.after("ELSE", Self::expression)?;
        self.expect("END")?;
        Ok(Expr::Case(Box::new(Case { operand, branches, otherwise })))
    }

    fn next_value(&mut self) -> Parse<Expr> {
        self.expect("NEXT VALUE FOR")?;
        let sequence = self.object_name()?;
        let order = if self.accept("OVER (") {
            let order = self.order_by()?;
            self.expect(")")?;
            Some(order)
        } else {
            None
        };
        Ok(Expr::NextValue(sequence, order))
    }

    /// CONTAINS and FREETEXT.
    fn full_text(&mut self) -> Parse<Expr> {
        self.condition_at = self.at;
        let free = self.sees("FREETEXT");
        self.advance();
        self.expect("(")?;
        let columns = match self.accept("(") {
            true => {
                let columns = self.list(Self::full_text_column)?;
                self.expect(")")?;
                columns
            }
            false => vec![self.full_text_column()?],
        };
        self.expect(",")?;
        let text = self.expression()?;
        let language = self.after(", LANGUAGE", Self::expression)?;
        self.expect(")")?;
        Ok(Expr::FullText(Box::new(FullText { free, columns, text, language })))
    }

    fn full_text_column(&mut self) -> Parse<Expr> {
        if self.accept("*") {
            return Ok(Expr::Star(None));
        }
        let name = self.dotted_name()?;
        if self.sees("(") { self.call(name) } else { Ok(Expr::Column(name)) }
    }

    /// A constant with a sign, as options have them.
    pub(super) fn signed_literal(&mut self) -> Parse<Expr> {
        let sign = self.accept_any(&["-", "+"]);
        let value = match self.accept_literal() {
            Some(Literal::Null) | None => return Err(self.unexpected()),
            Some(literal) => Expr::Literal(literal),
        };
        Ok(match sign {
            Some("-") => Expr::Unary(crate::tree::UnaryOperator::Minus, Box::new(value)),
            Some(_) => Expr::Unary(crate::tree::UnaryOperator::Plus, Box::new(value)),
            None => value,
        })
    }
}
