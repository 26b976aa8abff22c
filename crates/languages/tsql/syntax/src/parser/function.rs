//! Calls of functions, windows, conversions, data types.

use super::Parser;
use crate::error::Parse;
use crate::tree::*;
use mainstay_syntax::TokenKind;

/// Types whose names are several words.
const LONG_TYPES: [&str; 17] = [
    "NATIONAL CHARACTER VARYING",
    "NATIONAL CHAR VARYING",
    "NATIONAL CHARACTER",
    "NATIONAL CHAR",
    "NATIONAL TEXT",
    "CHARACTER VARYING",
    "CHAR VARYING",
    "BINARY VARYING",
    "DOUBLE PRECISION",
    "CURSOR",
    "TABLE",
    "NCHAR VARYING",
    "CHARACTER LARGE OBJECT",
    "CHAR LARGE OBJECT",
    "BINARY LARGE OBJECT",
    "NATIONAL CHARACTER LARGE OBJECT",
    "NATIONAL CHAR LARGE OBJECT",
];

impl Parser<'_> {
    /// A call whose name has been read.
    pub(super) fn call(&mut self, name: ObjectName) -> Parse<Expr> {
        let mut call = Call { name, ..Call::default() };
        self.checks.call(&call.name);
        self.expect("(")?;
        call.quantifier = self.set_quantifier();
        let mut second = self.at;
        if call.name.is("TRIM") {
            call.arguments.push(self.trim()?);
        } else if !self.sees_any(&[")", "NULL ON", "ABSENT ON"]) {
            let is_choice = call.name.is("IIF");
            let mut is_first = true;
            call.arguments = self.list(|parser| {
                let is_first = std::mem::take(&mut is_first);
                let argument = parser.argument(is_choice && is_first)?;
                second = if is_first { parser.at } else { second };
                Ok(argument)
            })?;
        }
        // COUNT takes one value, and its grammar knows it; STRING_AGG takes a separator besides.
        let takes_one = call.quantifier.is_some() && !call.name.is("STRING_AGG");
        if takes_one && call.arguments.len() > 1 {
            self.at = second;
            return Err(self.unexpected());
        }
        call.json_nulls = self.accept_any(&["NULL ON NULL", "ABSENT ON NULL"]).map(|words| words.starts_with("NULL"));
        self.expect(")")?;
        if self.accept("WITHIN GROUP (") {
            call.within_group = self.order_by()?;
            self.expect(")")?;
        }
        call.ignore_nulls =
            self.accept_any(&["IGNORE NULLS", "RESPECT NULLS"]).map(|words| words.starts_with("IGNORE"));
        if self.sees("OVER") {
            let span = self.span();
            self.advance();
            if call.quantifier == Some(SetQuantifier::Distinct) {
                return Err(self.error(10759, span, "Use of DISTINCT is not allowed with the OVER clause."));
            }
            call.over = Some(if self.sees("(") { Over::Window(self.window()?) } else { Over::Name(self.name()?) });
        }
        Ok(Expr::Call(Box::new(call)))
    }

    pub(super) fn set_quantifier(&mut self) -> Option<SetQuantifier> {
        match self.accept_any(&["DISTINCT", "ALL"])? {
            "ALL" => Some(SetQuantifier::All),
            _ => Some(SetQuantifier::Distinct),
        }
    }

    fn argument(&mut self, is_condition: bool) -> Parse<Argument> {
        if self.accept("*") {
            return Ok(Argument::Value(Expr::Star(None)));
        }
        let value = if is_condition { self.condition()? } else { self.expression()? };
        if self.accept(":") {
            return Ok(Argument::KeyValue(value, self.expression()?));
        }
        Ok(Argument::Value(value))
    }

    fn trim(&mut self) -> Parse<Argument> {
        let side = self.sees_any(&["LEADING", "TRAILING", "BOTH"]) && !self.is(1, ")") && !self.is(1, ".");
        let side = if side { Some(self.take_name()) } else { None };
        if side.is_some() && self.accept("FROM") {
            return Ok(Argument::Trim(side, None, self.expression()?));
        }
        let value = self.expression()?;
        match self.accept("FROM") {
            true => Ok(Argument::Trim(side, Some(value), self.expression()?)),
            false if side.is_none() => Ok(Argument::Value(value)),
            false => Err(self.unexpected()),
        }
    }

    /// A window in its parentheses.
    pub(super) fn window(&mut self) -> Parse<Window> {
        self.expect("(")?;
        let mut window = Window::default();
        if self.is_name(0) && !self.sees_any(&["PARTITION BY", "ROWS", "RANGE"]) {
            window.base = Some(self.name()?);
        }
        if self.accept("PARTITION BY") {
            window.partition = self.list(Self::expression)?;
        }
        if self.sees("ORDER") {
            window.order = self.order_by()?;
        }
        if let Some(word) = self.accept_any(&["ROWS", "RANGE"]) {
            let between = self.accept("BETWEEN");
            let start = self.bound()?;
            let end = if between {
                self.expect("AND")?;
                Some(self.bound()?)
            } else {
                None
            };
            window.frame = Some(Frame { range: word == "RANGE", start, end });
        }
        self.expect(")")?;
        Ok(window)
    }

    fn bound(&mut self) -> Parse<Bound> {
        match self.accept_any(&["UNBOUNDED PRECEDING", "UNBOUNDED FOLLOWING", "CURRENT ROW"]) {
            Some("UNBOUNDED PRECEDING") => return Ok(Bound::UnboundedPreceding),
            Some("UNBOUNDED FOLLOWING") => return Ok(Bound::UnboundedFollowing),
            Some(_) => return Ok(Bound::CurrentRow),
            None => {}
        }
        let count = Box::new(self.expression()?);
        match self.accept("PRECEDING") {
            true => Ok(Bound::Preceding(count)),
            false => {
                self.expect("FOLLOWING")?;
                Ok(Bound::Following(count))
            }
        }
    }

    /// CAST and its kin, if one of them comes next.
    pub(super) fn conversion(&mut self) -> Parse<Option<Expr>> {
        let kinds = [
            ("CAST (", CastKind::Cast),
            ("TRY_CAST (", CastKind::TryCast),
            ("PARSE (", CastKind::Parse),
            ("TRY_PARSE (", CastKind::TryParse),
            ("CONVERT (", CastKind::Convert),
            ("TRY_CONVERT (", CastKind::TryConvert),
        ];
        let Some((_, kind)) = kinds.into_iter().find(|(words, _)| self.accept(words)) else { return Ok(None) };
        let cast = if matches!(kind, CastKind::Convert | CastKind::TryConvert) {
            let data_type = self.data_type()?;
            self.expect(",")?;
            let value = self.expression()?;
            Cast { kind, value, data_type, style: self.after(",", Self::expression)? }
        } else {
            let value = self.expression()?;
            self.expect("AS")?;
            Cast { kind, value, data_type: self.data_type()?, style: self.after("USING", Self::expression)? }
        };
        self.expect(")")?;
        Ok(Some(Expr::Cast(Box::new(cast))))
    }

    /// A data type.
    pub(super) fn data_type(&mut self) -> Parse<DataType> {
        let first = self.at;
        let name = match self.accept_any(&LONG_TYPES) {
            Some(words) => {
                let span = self.span_from(first);
                let name = Name { text: words.to_ascii_lowercase(), quoted: false, span };
                ObjectName { parts: vec![name], span }
            }
            None => self.object_name()?,
        };
        let arguments = self.optional_parens(Self::type_argument)?;
        Ok(DataType { name, arguments, span: self.span_from(first) })
    }

    fn type_argument(&mut self) -> Parse<TypeArgument> {
        if self.kind() == TokenKind::Integer {
            return Ok(TypeArgument::Number(self.take_name().text));
        }
        if self.sees("MAX") {
            self.advance();
            return Ok(TypeArgument::Max);
        }
        let form = match self.is_name(1) {
            true if self.accept("CONTENT") => Some(XmlForm::Content),
            true if self.accept("DOCUMENT") => Some(XmlForm::Document),
            _ => None,
        };
        Ok(TypeArgument::Schema(form, self.object_name()?))
    }
}
