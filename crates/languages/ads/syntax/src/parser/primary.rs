//! Operands of operators: literals, columns, variables, parameters, functions, CASE, subqueries.

use super::Parser;
use super::expression::call;
use crate::error::{Parse, SqlError};
use crate::tree::{
    Argument, Call, Case, Cast, CastKind, DataType, Expr, Literal, Name, ObjectName, SetQuantifier, TypeArgument,
};
use mainstay_ads_types::native;
use mainstay_syntax::TokenKind;

/// Reserved words that are functions when a parenthesis follows.
const FUNCTION_WORDS: [&str; 9] = ["LEFT", "RIGHT", "INSERT", "COUNT", "SUM", "AVG", "MIN", "MAX", "USER"];

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Parse<Expr> {
        match self.kind() {
            TokenKind::Integer => self.literal(Literal::Integer),
            TokenKind::Decimal => self.literal(Literal::Decimal),
            TokenKind::Float => self.literal(Literal::Float),
            TokenKind::String | TokenKind::NationalString => {
                self.string().map(|text| Expr::Literal(Literal::String(text)))
            }
            TokenKind::Variable => self.variable_name().map(Expr::Variable),
            TokenKind::Word | TokenKind::Reserved => self.word(),
            TokenKind::Quoted | TokenKind::DoubleQuoted => self.column_or_call(),
            TokenKind::Symbol | TokenKind::Unknown => self.symbol(),
            _ => Err(self.unexpected()),
        }
    }

    fn literal(&mut self, make: fn(String) -> Literal) -> Parse<Expr> {
        let text = self.token_text(0).to_owned();
        self.advance();
        Ok(Expr::Literal(make(text)))
    }

    fn symbol(&mut self) -> Parse<Expr> {
        match self.token_text(0) {
            "(" => self.parentheses(),
            "?" => {
                let span = self.span();
                self.advance();
                self.marks += 1;
                let text = format!("?{}", self.marks);
                self.parameters.push(text.clone());
                Ok(Expr::Variable(Name { text, quoted: false, span }))
            }
            ":" => {
                self.advance();
                let name = self.any_name()?;
                if !self.parameters.iter().any(|known| known.eq_ignore_ascii_case(&name.text)) {
                    self.parameters.push(name.text.clone());
                }
                Ok(Expr::Variable(Name { text: format!(":{}", name.text.to_lowercase()), ..name }))
            }
            "::" => self.system_variable().map(Expr::Variable),
            "{" => self.escape(),
            _ => Err(self.unexpected()),
        }
    }

    /// `::stmt.UpdateCount`.
    pub(super) fn system_variable(&mut self) -> Parse<Name> {
        self.expect("::")?;
        let (first, span) = (self.any_name()?, self.span());
        self.expect(".")?;
        let second = self.any_name()?;
        Ok(Name { text: format!("::{}.{}", first.text, second.text).to_lowercase(), quoted: false, span })
    }

    fn parentheses(&mut self) -> Parse<Expr> {
        self.expect("(")?;
        let inner = match self.sees("SELECT") {
            true => Expr::Subquery(Box::new(self.query()?)),
            false => self.expression()?,
        };
        self.expect(")")?;
        Ok(inner)
    }

    /// `{d '..'}`, `{fn NOW()}`.
    fn escape(&mut self) -> Parse<Expr> {
        self.expect("{")?;
        let word = self.any_name().map_err(|_| self.malformed())?;
        let value = match word.text.to_ascii_lowercase().as_str() {
            "fn" => self.nested(Self::primary)?,
            "d" | "t" | "ts" => Expr::OdbcLiteral(word, self.string().map_err(|_| self.malformed())?),
            _ => return Err(self.malformed()),
        };
        self.expect("}")?;
        Ok(value)
    }

    fn malformed(&self) -> Box<SqlError> {
        SqlError::at(native::ESCAPE, self.span(), "Malformed escape clause")
    }

    fn word(&mut self) -> Parse<Expr> {
        let word = self.token_text(0).to_ascii_uppercase();
        let next_is_string = self.token(1).kind == TokenKind::String;
        let touches = self.token(1).span.start == self.span().end;
        let with_parenthesis = self.is(1, "(");
        match word.as_str() {
            "NULL" => {
                self.advance();
                Ok(Expr::Literal(Literal::Null))
            }
            "TRUE" | "FALSE" => {
                self.advance();
                Ok(Expr::Niladic(word))
            }
            "X" if next_is_string && touches => self.binary_literal(),
            "DATE" | "TIME" | "TIMESTAMP" if next_is_string => {
                self.advance();
                let kind = match word.as_str() {
                    "DATE" => "d",
                    "TIME" => "t",
                    _ => "ts",
                };
                let name = Name { text: kind.to_owned(), ..Name::default() };
                Ok(Expr::OdbcLiteral(name, self.string()?))
            }
            "DEFAULT" => {
                self.advance();
                Ok(Expr::Default)
            }
            "CASE" => self.case(),
            "CAST" if with_parenthesis => self.cast(),
            "CONVERT" if with_parenthesis => self.convert(),
            "EXISTS" => {
                self.advance();
                self.expect("(")?;
                let query = self.query()?;
                self.expect(")")?;
                Ok(Expr::Exists(Box::new(query)))
            }
            "TRIM" if with_parenthesis => self.trim(),
            "EXTRACT" if with_parenthesis => self.extract(),
            "POSITION" if with_parenthesis => self.position(),
            "USER" if !with_parenthesis => {
                self.advance();
                Ok(call("user", Vec::new()))
            }
            other if with_parenthesis && FUNCTION_WORDS.contains(&other) => {
                let name = self.any_name()?;
                self.arguments(ObjectName { span: name.span, parts: vec![name] })
            }
            _ => self.column_or_call(),
        }
    }

    /// `x'CAFE'`: blanks between the digits are allowed.
    fn binary_literal(&mut self) -> Parse<Expr> {
        self.advance();
        let span = self.span();
        let digits: String = self.string()?.chars().filter(|letter| !letter.is_whitespace()).collect();
        match digits.len().is_multiple_of(2) && digits.chars().all(|digit| digit.is_ascii_hexdigit()) {
            true => Ok(Expr::Literal(Literal::Binary(format!("0x{digits}")))),
            false => Err(SqlError::at(native::EXPECTED + 1, span, "Malformed binary string literal")),
        }
    }

    fn column_or_call(&mut self) -> Parse<Expr> {
        let first = self.at;
        let mut parts = vec![self.name()?];
        while self.sees(".") {
            self.advance();
            if parts.len() == 4 {
                return Err(self.unexpected());
            }
            if self.accept("*") {
                let span = self.span_from(first);
                return Ok(Expr::Star(Some(ObjectName { parts, span })));
            }
            parts.push(self.any_name()?);
        }
        let name = ObjectName { parts, span: self.span_from(first) };
        if self.sees("(") { self.arguments(name) } else { Ok(Expr::Column(name)) }
    }

    fn arguments(&mut self, name: ObjectName) -> Parse<Expr> {
        self.expect("(")?;
        let mut call = Call { name, ..Call::default() };
        if self.accept(")") {
            return Ok(Expr::Call(Box::new(call)));
        }
        call.quantifier = match self.accept_any(&["DISTINCT", "ALL"]) {
            Some("DISTINCT") => Some(SetQuantifier::Distinct),
            Some(_) => Some(SetQuantifier::All),
            None => None,
        };
        call.arguments = self.list(|it| {
            let value = if it.accept("*") { Expr::Star(None) } else { it.expression()? };
            Ok(Argument::Value(value))
        })?;
        // CHAR_LENGTH( x USING OCTETS )
        if self.accept("USING") {
            let unit = self.any_name()?.text.to_lowercase();
            call.arguments.push(Argument::Value(Expr::Literal(Literal::String(unit))));
        }
        self.expect(")")?;
        Ok(Expr::Call(Box::new(call)))
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

    fn cast(&mut self) -> Parse<Expr> {
        self.expect("CAST (")?;
        let value = self.expression()?;
        self.expect("AS")?;
        let data_type = self.data_type()?;
        self.converted(CastKind::Cast, value, data_type)
    }

    fn convert(&mut self) -> Parse<Expr> {
        self.expect("CONVERT (")?;
        let value = self.expression()?;
        self.expect(",")?;
        let data_type = self.data_type()?;
        self.converted(CastKind::Convert, value, data_type)
    }

    fn converted(&mut self, kind: CastKind, value: Expr, data_type: DataType) -> Parse<Expr> {
        if crate::reduce::sql_type(&data_type).is_none() {
            let text = format!("No such type: {}", type_text(&data_type));
            return Err(SqlError::at(native::TYPE, data_type.span, text));
        }
        self.expect(")")?;
        Ok(Expr::Cast(Box::new(Cast { kind, value, data_type, style: None })))
    }

    /// `TRIM([LEADING | TRAILING | BOTH] [what] [FROM] text)`.
    fn trim(&mut self) -> Parse<Expr> {
        self.expect("TRIM (")?;
        let side = self.accept_any(&["LEADING", "TRAILING", "BOTH"]);
        let name = match side {
            Some("LEADING") => "trim_leading",
            Some("TRAILING") => "trim_trailing",
            _ => "trim",
        };
        if side.is_some() && self.accept("FROM") {
            let text = self.expression()?;
            self.expect(")")?;
            return Ok(call(name, vec![text]));
        }
        let first = self.expression()?;
        let mut arguments = vec![first];
        if self.accept("FROM") || self.accept(",") {
            arguments.push(self.expression()?);
        }
        self.expect(")")?;
        Ok(call(name, arguments))
    }

    /// `EXTRACT(YEAR FROM x)` is `YEAR(x)`.
    fn extract(&mut self) -> Parse<Expr> {
        self.expect("EXTRACT (")?;
        let part = self.any_name()?;
        self.expect("FROM")?;
        let value = self.expression()?;
        self.expect(")")?;
        let known = ["year", "month", "day", "hour", "minute", "second", "frac_second"];
        match known.iter().find(|known| part.is(known)) {
            Some(function) => Ok(call(function, vec![value])),
            None => {
                let text = "Invalid argument to scalar function: EXTRACT";
                Err(SqlError::at(native::ARGUMENT, part.span, text))
            }
        }
    }

    fn position(&mut self) -> Parse<Expr> {
        self.expect("POSITION (")?;
        // IN would be an operator to an expression.
        let wanted = self.nested(Self::primary)?;
        if !self.accept(",") {
            self.expect("IN")?;
        }
        let text = self.expression()?;
        self.expect(")")?;
        Ok(call("position", vec![wanted, text]))
    }
}

/// A type as it is written.
pub(crate) fn type_text(data_type: &DataType) -> String {
    let numbers: Vec<&str> = data_type
        .arguments
        .iter()
        .filter_map(|argument| match argument {
            TypeArgument::Number(digits) => Some(digits.as_str()),
            _ => None,
        })
        .collect();
    match numbers.is_empty() {
        true => data_type.name.last().to_owned(),
        false => format!("{}({})", data_type.name.last(), numbers.join(",")),
    }
}
