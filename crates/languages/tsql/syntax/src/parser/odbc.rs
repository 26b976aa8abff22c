//! ODBC's escapes: `{fn UCASE(name)}`, `{ts '2026-01-31 10:00:00'}`, `{? = call p(1)}`.
//!
//! Escapes are translated to T-SQL's tree here, so that no other module handles them; only dates and times stay
//! escapes. (ODBC's reference, "Scalar functions" and "Interval, date and time escapes"; SQL Server's reference, "ODBC
//! scalar functions".)

use super::Parser;
use super::primary::FUNCTIONS;
use crate::error::Parse;
use crate::tree::*;
use mainstay_syntax::{Span, TokenKind};

/// Functions that T-SQL has under another name.
const RENAMED: [(&str, &str); 15] = [
    ("ATAN2", "ATN2"),
    ("CHARACTER_LENGTH", "LEN"),
    ("CHAR_LENGTH", "LEN"),
    ("CURRENT_TIMESTAMP", "GETDATE"),
    ("DATABASE", "DB_NAME"),
    ("IFNULL", "ISNULL"),
    ("INSERT", "STUFF"),
    ("LCASE", "LOWER"),
    ("LENGTH", "LEN"),
    ("LOCATE", "CHARINDEX"),
    ("NOW", "GETDATE"),
    ("OCTET_LENGTH", "DATALENGTH"),
    ("REPEAT", "REPLICATE"),
    ("UCASE", "UPPER"),
    ("USER", "USER_NAME"),
];

/// Functions that are a part of a date, and the part.
const PARTS: [(&str, &str); 7] = [
    ("DAYOFMONTH", "day"),
    ("DAYOFWEEK", "weekday"),
    ("DAYOFYEAR", "dayofyear"),
    ("HOUR", "hour"),
    ("MINUTE", "minute"),
    ("QUARTER", "quarter"),
    ("SECOND", "second"),
];

/// The types of `{fn CONVERT(x, SQL_INTEGER)}`, and T-SQL's names of them.
const TYPES: [(&str, &str); 21] = [
    ("SQL_BIGINT", "bigint"),
    ("SQL_BINARY", "binary"),
    ("SQL_BIT", "bit"),
    ("SQL_CHAR", "char"),
    ("SQL_DATE", "datetime"),
    ("SQL_DECIMAL", "decimal"),
    ("SQL_DOUBLE", "float"),
    ("SQL_FLOAT", "float"),
    ("SQL_GUID", "uniqueidentifier"),
    ("SQL_INTEGER", "int"),
    ("SQL_NUMERIC", "numeric"),
    ("SQL_REAL", "real"),
    ("SQL_SMALLINT", "smallint"),
    ("SQL_TIMESTAMP", "datetime"),
    ("SQL_TINYINT", "tinyint"),
    ("SQL_TYPE_DATE", "datetime"),
    ("SQL_TYPE_TIMESTAMP", "datetime"),
    ("SQL_VARBINARY", "varbinary"),
    ("SQL_VARCHAR", "varchar"),
    ("SQL_WCHAR", "nchar"),
    ("SQL_WVARCHAR", "nvarchar"),
];

/// Conversions, whose arguments are no plain ones in T-SQL.
const CONVERSIONS: [&str; 6] = ["CAST", "CONVERT", "PARSE", "TRY_CAST", "TRY_CONVERT", "TRY_PARSE"];

impl Parser<'_> {
    /// `{d '..'}`, `{fn f()}`.
    pub(super) fn odbc(&mut self) -> Parse<Expr> {
        self.expect("{")?;
        let value = if self.accept("FN") {
            self.odbc_function()?
        } else if self.sees_any(&["D", "T", "TS", "GUID"]) {
            let word: Name = self.take_name();
            Expr::OdbcLiteral(word, self.string()?)
        } else {
            return Err(self.unexpected());
        };
        self.expect("}")?;
        Ok(value)
    }

    /// `{call p(1, 'a')}` and `{@status = call p}` as a statement.
    pub(super) fn odbc_call(&mut self) -> Parse<Execute> {
        self.expect("{")?;
        let status = if self.kind() == TokenKind::Variable {
            let name = self.variable()?;
            self.checks.scalar(&name, true);
            self.expect("=")?;
            Some(name)
        } else {
            None
        };
        self.expect("CALL")?;
        let name = self.object_name()?;
        let mut arguments = Vec::new();
        if self.accept("(") {
            if !self.sees(")") {
                arguments = self.list(Self::execute_argument)?;
            }
            self.expect(")")?;
        }
        self.expect("}")?;
        Ok(Execute { status, module: ExecuteModule::Procedure(name, None, arguments), options: Vec::new() })
    }

    /// A function of ODBC may be named by a reserved word: `{fn USER()}`, `{fn CONVERT(x, SQL_INTEGER)}`.
    fn odbc_function(&mut self) -> Parse<Expr> {
        let is_reserved = self.kind() == TokenKind::Reserved;
        let name = if is_reserved { self.reserved_name() } else { self.dotted_name()? };
        let span = name.span;
        if !self.sees("(") {
            return Ok(meant(&name.last().to_ascii_uppercase(), Vec::new(), span).unwrap_or(Expr::Column(name)));
        }
        if name.is("EXTRACT") {
            self.expect("(")?;
            let part = Expr::Column(self.object_name()?);
            self.expect("FROM")?;
            let value = self.expression()?;
            self.expect(")")?;
            return Ok(call("DATEPART", vec![part, value], span));
        }
        if name.is("POSITION") {
            self.expect("(")?;
            let wanted = self.expression()?;
            self.expect("IN")?;
            let text = self.expression()?;
            self.expect(")")?;
            return Ok(call("CHARINDEX", vec![wanted, text], span));
        }
        match self.call(name)? {
            Expr::Call(plain) if plain.name.parts.len() == 1 => {
                let values = plain.arguments.iter().map(|argument| match argument {
                    Argument::Value(value) => Some(value.clone()),
                    _ => None,
                });
                let values: Option<Vec<Expr>> = values.collect();
                let name = plain.name.last().to_ascii_uppercase();
                match values.and_then(|values| meant(&name, values, span)) {
                    Some(value) => Ok(value),
                    // Names with a grammar of their own in T-SQL, or names of no function.
                    None if is_reserved && !FUNCTIONS.contains(&name.as_str())
                        || CONVERSIONS.contains(&name.as_str()) =>
                    {
                        Err(self.unexpected())
                    }
                    None => Ok(Expr::Call(plain)),
                }
            }
            other => Ok(other),
        }
    }
}

/// Translates a function of ODBC to T-SQL; `None` for a function that has the same name and meaning there.
fn meant(name: &str, mut arguments: Vec<Expr>, span: Span) -> Option<Expr> {
    let now = || call("GETDATE", Vec::new(), span);
    if let Some((_, own)) = RENAMED.iter().find(|(known, _)| *known == name) {
        return Some(call(own, arguments, span));
    }
    if let Some((_, part)) = PARTS.iter().find(|(known, _)| *known == name) {
        arguments.insert(0, word(part, span));
        return Some(call("DATEPART", arguments, span));
    }
    Some(match (name, &mut arguments[..]) {
        ("CURDATE" | "CURRENT_DATE", []) => convert("varchar", Some(10), now(), Some("23"), span),
        ("CURTIME" | "CURRENT_TIME", []) => convert("varchar", Some(8), now(), Some("108"), span),
        ("DAYNAME", _) => {
            arguments.insert(0, word("weekday", span));
            call("DATENAME", arguments, span)
        }
        ("MONTHNAME", _) => {
            arguments.insert(0, word("month", span));
            call("DATENAME", arguments, span)
        }
        ("WEEK", _) => {
            arguments.insert(0, word("week", span));
            call("DATEPART", arguments, span)
        }
        ("BIT_LENGTH", _) => multiplied(call("DATALENGTH", arguments, span)),
        ("MOD", [_, _]) => {
            let divisor = arguments.pop()?;
            Expr::Binary(Box::new(arguments.pop()?), BinaryOperator::Modulo, Box::new(divisor))
        }
        ("TRUNCATE", [_, _]) => {
            arguments.push(Expr::Literal(Literal::Integer("1".to_owned())));
            call("ROUND", arguments, span)
        }
        ("TIMESTAMPADD" | "TIMESTAMPDIFF", [Expr::Column(unit), ..]) => {
            let unit = unit.last().to_ascii_uppercase();
            let part = match unit.strip_prefix("SQL_TSI_")? {
                "FRAC_SECOND" => "nanosecond".to_owned(),
                part => part.to_ascii_lowercase(),
            };
            arguments[0] = word(&part, span);
            call(if name == "TIMESTAMPADD" { "DATEADD" } else { "DATEDIFF" }, arguments, span)
        }
        ("CONVERT", [_, Expr::Column(to)]) => {
            let to = to.last().to_ascii_uppercase();
            let (_, own) = TYPES.iter().find(|(known, _)| *known == to)?;
            convert(own, None, arguments.swap_remove(0), None, span)
        }
        _ => return None,
    })
}

fn object(text: &str, span: Span) -> ObjectName {
    ObjectName { parts: vec![Name { text: text.to_owned(), quoted: false, span }], span }
}

fn word(text: &str, span: Span) -> Expr {
    Expr::Column(object(text, span))
}

fn call(name: &str, arguments: Vec<Expr>, span: Span) -> Expr {
    let arguments = arguments.into_iter().map(Argument::Value).collect();
    Expr::Call(Box::new(Call { name: object(name, span), arguments, ..Call::default() }))
}

fn convert(to: &str, length: Option<u16>, value: Expr, style: Option<&str>, span: Span) -> Expr {
    let arguments = length.into_iter().map(|length| TypeArgument::Number(length.to_string())).collect();
    let data_type = DataType { name: object(to, span), arguments, span };
    let style = style.map(|style| Expr::Literal(Literal::Integer(style.to_owned())));
    Expr::Cast(Box::new(Cast { kind: CastKind::Convert, value, data_type, style }))
}

/// A count of bytes as one of bits.
fn multiplied(bytes: Expr) -> Expr {
    let eight = Expr::Literal(Literal::Integer("8".to_owned()));
    Expr::Binary(Box::new(bytes), BinaryOperator::Multiply, Box::new(eight))
}
