//! Operands: literals, columns, parameters, functions, CASE, subqueries.

use super::Parser;
use super::expression::call;
use crate::error::{Parse, SqlError};
use crate::lexer::Kind;
use crate::tree::{
    Argument, Bound, Call, Case, Cast, CastKind, Expr, Frame, Literal, Name, ObjectName, Over, SetQuantifier, Window,
};
use crate::types::{Field, Type};

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Parse<Expr> {
        match self.kind() {
            Kind::Integer => Ok(self.literal(Literal::Integer)),
            Kind::Decimal => Ok(self.literal(Literal::Decimal)),
            Kind::Float => Ok(self.literal(Literal::Float)),
            Kind::String => self.string().map(|text| Expr::Literal(Literal::String(text))),
            Kind::Word => self.word(),
            Kind::Quoted => self.column_or_call(),
            Kind::Symbol if self.accept("?") => {
                self.marks += 1;
                let text = format!("?{}", self.marks);
                Ok(Expr::Variable(Name { text, ..Name::default() }))
            }
            Kind::Symbol if self.accept("(") => {
                let inner = match self.sees("SELECT") || self.sees("WITH") {
                    true => Expr::Subquery(Box::new(self.query()?)),
                    false => self.expression()?,
                };
                self.expect(")")?;
                Ok(inner)
            }
            _ => Err(self.unexpected()),
        }
    }

    fn literal(&mut self, make: fn(String) -> Literal) -> Expr {
        let text = self.token_text(0).to_owned();
        self.advance();
        Expr::Literal(make(text))
    }

    fn word(&mut self) -> Parse<Expr> {
        let word = self.token_text(0).to_ascii_uppercase();
        let is_call = self.is(1, "(");
        let is_qualified = self.is(1, ".");
        match word.as_str() {
            "NULL" if !is_call && !is_qualified => {
                self.advance();
                Ok(Expr::Literal(Literal::Null))
            }
            "TODAY" | "USER" | "CURRENT_USER" | "DBSERVERNAME" | "SITENAME" if !is_call && !is_qualified => {
                self.advance();
                Ok(Expr::Niladic(word))
            }
            "CURRENT" | "SYSDATE" if !is_call && !is_qualified => {
                self.advance();
                let default = if word == "SYSDATE" { Field(15) } else { Field(13) };
                let known = match self.sees_field() {
                    true => self.datetime_qualifier()?,
                    false => Type::DateTime(Field::YEAR, default),
                };
                Ok(self.cast_of(Expr::Niladic("CURRENT".to_owned()), known))
            }
            "CASE" => self.case(),
            "EXISTS" if is_call => {
                self.advance();
                self.expect("(")?;
                let query = self.query()?;
                self.expect(")")?;
                Ok(Expr::Exists(Box::new(query)))
            }
            "CAST" if is_call => {
                self.expect("CAST (")?;
                let value = self.expression()?;
                self.expect("AS")?;
                let cast = self.cast_to(value)?;
                self.expect(")")?;
                Ok(cast)
            }
            "EXTEND" if is_call => self.extend(),
            "DATETIME" | "INTERVAL" if is_call => self.moment_literal(&word),
            "TRIM" if is_call => self.trim(),
            "SUBSTRING" if is_call => self.substring(),
            "DEFAULT" if !is_call && !is_qualified => {
                self.advance();
                Ok(Expr::Default)
            }
            _ => self.column_or_call(),
        }
    }

    fn cast_of(&self, value: Expr, known: Type) -> Expr {
        let data_type = Self::shared(known, self.span());
        Expr::Cast(Box::new(Cast { kind: CastKind::Cast, value, data_type, style: None }))
    }

    pub(super) fn cast_to(&mut self, value: Expr) -> Parse<Expr> {
        let (known, _) = self.data_type()?;
        Ok(self.cast_of(value, known))
    }

    /// `EXTEND(x, YEAR TO DAY)`.
    fn extend(&mut self) -> Parse<Expr> {
        self.expect("EXTEND (")?;
        let value = self.expression()?;
        let known = match self.accept(",") {
            true => self.datetime_qualifier()?,
            false => Type::DateTime(Field::YEAR, Field(13)),
        };
        self.expect(")")?;
        Ok(self.cast_of(value, known))
    }

    /// `DATETIME (2024-02-29 10:34) YEAR TO MINUTE`: what stands in the parentheses is no expression.
    fn moment_literal(&mut self, word: &str) -> Parse<Expr> {
        self.advance();
        self.expect("(")?;
        let first = self.span().start as usize;
        while !self.sees(")") {
            if self.kind() == Kind::End {
                return Err(self.unexpected());
            }
            self.advance();
        }
        let text = self.text.get(first..self.span().start as usize).unwrap_or("").trim().to_owned();
        self.expect(")")?;
        let known = if word == "DATETIME" { self.datetime_qualifier()? } else { self.interval_qualifier()? };
        Ok(self.cast_of(Expr::Literal(Literal::String(text)), known))
    }

    fn column_or_call(&mut self) -> Parse<Expr> {
        let first = self.at;
        let mut parts = vec![self.name()?];
        while self.accept(".") {
            if self.accept("*") {
                let span = self.span_from(first);
                return Ok(Expr::Star(Some(ObjectName { parts, span })));
            }
            if parts.len() == 3 {
                return Err(self.unexpected());
            }
            parts.push(self.name()?);
        }
        let name = ObjectName { parts, span: self.span_from(first) };
        if self.sees("(") { self.arguments(name) } else { Ok(Expr::Column(name)) }
    }

    fn arguments(&mut self, name: ObjectName) -> Parse<Expr> {
        self.expect("(")?;
        let mut call = Call { name, ..Call::default() };
        if !self.accept(")") {
            call.quantifier = match self.accept_any(&["DISTINCT", "UNIQUE", "ALL"]) {
                Some("ALL") => Some(SetQuantifier::All),
                Some(_) => Some(SetQuantifier::Distinct),
                None => None,
            };
            call.arguments = self.list(|it| {
                let value = if it.accept("*") { Expr::Star(None) } else { it.expression()? };
                Ok(Argument::Value(value))
            })?;
            self.expect(")")?;
        }
        if self.accept("OVER") {
            call.over = Some(Over::Window(self.window()?));
        }
        Ok(Expr::Call(Box::new(call)))
    }

    fn window(&mut self) -> Parse<Window> {
        self.expect("(")?;
        let mut window = Window::default();
        if self.accept("PARTITION BY") {
            window.partition = self.list(Self::expression)?;
        }
        if self.accept("ORDER BY") {
            window.order = self.list(Self::order_item)?;
        }
        if let Some(word) = self.accept_any(&["ROWS", "RANGE"]) {
            let between = self.accept("BETWEEN");
            let start = self.bound()?;
            let end = match between {
                true => {
                    self.expect("AND")?;
                    Some(self.bound()?)
                }
                false => None,
            };
            window.frame = Some(Frame { range: word == "RANGE", start, end });
        }
        self.expect(")")?;
        Ok(window)
    }

    fn bound(&mut self) -> Parse<Bound> {
        match self.accept_any(&["UNBOUNDED PRECEDING", "UNBOUNDED FOLLOWING", "CURRENT ROW"]) {
            Some("UNBOUNDED PRECEDING") => Ok(Bound::UnboundedPreceding),
            Some("UNBOUNDED FOLLOWING") => Ok(Bound::UnboundedFollowing),
            Some(_) => Ok(Bound::CurrentRow),
            None => {
                let value = Box::new(self.value()?);
                match self.accept_any(&["PRECEDING", "FOLLOWING"]) {
                    Some("PRECEDING") => Ok(Bound::Preceding(value)),
                    Some(_) => Ok(Bound::Following(value)),
                    None => Err(self.unexpected()),
                }
            }
        }
    }

    fn case(&mut self) -> Parse<Expr> {
        self.expect("CASE")?;
        let operand = if self.sees("WHEN") { None } else { Some(self.expression()?) };
        let mut branches = Vec::new();
        while self.accept("WHEN") {
            let when = self.expression()?;
            self.expect("THEN")?;
            branches.push((when, self.expression()?));
        }
        if branches.is_empty() {
            return Err(self.unexpected());
        }
        let otherwise = if self.accept("ELSE") { Some(self.expression()?) } else { None };
        self.expect("END")?;
        Ok(Expr::Case(Box::new(Case { operand, branches, otherwise })))
    }

    /// `TRIM([LEADING | TRAILING | BOTH] [what] [FROM] text)`.
    fn trim(&mut self) -> Parse<Expr> {
        self.expect("TRIM (")?;
        let name = match self.accept_any(&["LEADING", "TRAILING", "BOTH"]) {
            Some("LEADING") => "ltrim",
            Some("TRAILING") => "rtrim",
            _ => "trim",
        };
        if self.accept("FROM") {
            let text = self.expression()?;
            self.expect(")")?;
            return Ok(call(name, vec![text]));
        }
        let first = self.expression()?;
        let arguments = match self.accept("FROM") {
            true => vec![self.expression()?, first],
            false => vec![first],
        };
        self.expect(")")?;
        Ok(call(name, arguments))
    }

    /// `SUBSTRING(text FROM start FOR length)`.
    fn substring(&mut self) -> Parse<Expr> {
        self.expect("SUBSTRING (")?;
        let mut arguments = vec![self.expression()?];
        if self.accept_any(&["FROM", ","]).is_none() {
            return Err(self.unexpected());
        }
        arguments.push(self.expression()?);
        if self.accept_any(&["FOR", ","]).is_some() {
            arguments.push(self.expression()?);
        }
        self.expect(")")?;
        Ok(call("substr", arguments))
    }
}

/// The error of a clause that the language has and this parser does not read.
pub(super) fn refused(what: &str) -> Box<SqlError> {
    SqlError::unsupported(what)
}
