//! Expressions over DECIMALs whose point floats.
//!
//! The core has such values as bytes ([`crate::floating`]): it compares, sorts and groups them by itself, but it cannot
//! compute with them. So whatever meets one becomes one, and operators become functions of the language:
//!
//! ```text
//!   amount * 2 > price          ("informix:multiply"("amount", X'C102') > "informix:decimal"("price"))
//!   SUM(amount)                 "informix:sum"("amount")
//!   SQRT(amount), amount || ''  sqrt("informix:double"("amount")), ("informix:text"("amount") || '')
//! ```
//!
//! `"informix:decimal"` takes any number, a text of one, and what is such a DECIMAL already; `"informix:decimal 16"` rounds
//! it to 16 digits. It also tells the type of a value of which the core does not: that of MIN, CASE and NVL.
//!
//! Types of columns of derived tables and common table expressions follow from their queries.

use super::{Known, Mode, Reducer};
use crate::error::Parse;
use crate::floating::{FloatingDecimal, MOST_DIGITS};
use crate::tree::{
    Argument, BinaryOperator, Call, Expr, Literal, Name, ObjectName, Query, QueryBody, SelectItem, UnaryOperator,
};
use crate::types::Type;

/// The type of what is computed with such a DECIMAL.
const FLOATING: Type = Type::Decimal(MOST_DIGITS as u8, None);

/// Functions that the core computes with doubles.
const OF_DOUBLES: [&str; 23] = [
    "acos", "asin", "atan", "atan2", "cos", "degrees", "exp", "ln", "log10", "logn", "pow", "power", "radians", "root",
    "sign", "sin", "sqrt", "stdev", "tan", "variance", "to_char", "chr", "repeat",
];
/// Functions that take values of any type as they are.
const OF_ANY: [&str; 8] =
    ["count", "rank", "dense_rank", "row_number", "ntile", "percent_rank", "cume_dist", "octet_length"];
/// Functions of the core whose value is one of their first argument.
const OF_FIRST: [&str; 6] = ["min", "max", "lag", "lead", "first_value", "last_value"];
/// Functions of the language over such DECIMALs.
const COMPUTED: [&str; 6] = ["abs", "round", "trunc", "ceil", "floor", "mod"];

fn function_of(operator: BinaryOperator) -> Option<&'static str> {
    Some(match operator {
        BinaryOperator::Add => "add",
        BinaryOperator::Subtract => "subtract",
        BinaryOperator::Multiply => "multiply",
        BinaryOperator::Divide => "divide",
        _ => return None,
    })
}

/// A call of a function of the language: `double`, `text`.
fn wrapped(function: &str, value: &Expr) -> Expr {
    call_of(&format!("informix:{function}"), value)
}

fn call_of(function: &str, value: &Expr) -> Expr {
    let name = Name { text: function.to_owned(), quoted: true, ..Name::default() };
    let name = ObjectName { parts: vec![name], ..ObjectName::default() };
    Expr::Call(Box::new(Call { name, arguments: vec![Argument::Value(value.clone())], ..Call::default() }))
}

/// The bytes of a number as a literal of the core.
fn bytes_literal(number: FloatingDecimal) -> String {
    let digits: String = number.to_bytes().iter().map(|byte| format!("{byte:02X}")).collect();
    format!("X'{digits}'")
}

/// The number that a literal is.
fn constant(value: &Expr) -> Option<Parse<FloatingDecimal>> {
    match value {
        Expr::Literal(Literal::Integer(text) | Literal::Decimal(text) | Literal::Float(text)) => Some(text.parse()),
        Expr::Literal(Literal::String(text) | Literal::NationalString(text)) => Some(text.parse()),
        Expr::Unary(UnaryOperator::Minus, operand) => Some(constant(operand)?.map(FloatingDecimal::negated)),
        Expr::Unary(UnaryOperator::Plus, operand) => constant(operand),
        _ => None,
    }
}

fn values(call: &Call) -> Vec<&Expr> {
    fn value(argument: &Argument) -> Option<&Expr> {
        if let Argument::Value(value) = argument { Some(value) } else { None }
    }
    call.arguments.iter().filter_map(value).collect()
}

impl Reducer<'_> {
    /// True for an expression that gives DECIMALs whose point floats.
    pub(super) fn is_floating(&self, value: &Expr) -> bool {
        let any = |values: &[&Expr]| values.iter().any(|value| self.is_floating(value));
        match value {
            Expr::Column(_) | Expr::Cast(_) => self.type_of(value).is_some_and(Type::is_floating),
            Expr::Variable(name) => self.parameter_type(name).is_some_and(Type::is_floating),
            Expr::Unary(UnaryOperator::Minus | UnaryOperator::Plus, operand) => self.is_floating(operand),
            Expr::Binary(left, operator, right) => function_of(*operator).is_some() && any(&[left, right]),
            Expr::Case(case) => {
                let results: Vec<&Expr> = case.branches.iter().map(|(_, then)| then).chain(&case.otherwise).collect();
                any(&results)
            }
            Expr::Subquery(query) => {
                self.output_types(query).first().is_some_and(|(_, known)| *known == Some(FLOATING))
            }
            Expr::Call(call) => match (call.name.last().to_lowercase().as_str(), &values(call)[..]) {
                ("sum" | "avg" | "range" | "nullif", [first, ..]) => self.is_floating(first),
                (name, [first, ..]) if OF_FIRST.contains(&name) => self.is_floating(first),
                (name, arguments) if COMPUTED.contains(&name) => any(arguments),
                ("nvl" | "coalesce", arguments) => any(arguments),
                ("nvl2", [_, results @ ..]) => any(results),
                ("decode", [_, rest @ ..]) => {
                    let results: Vec<&Expr> = rest.chunks(2).filter_map(|pair| pair.last().copied()).collect();
                    any(&results)
                }
                (_, arguments) => {
                    let found = self.scope.function(&call.name, arguments.len());
                    found.is_some_and(|(_, known)| known.is_floating())
                }
            },
            _ => false,
        }
    }

    /// The type of a parameter or variable.
    fn parameter_type(&self, name: &Name) -> Option<Type> {
        let number: usize = name.text.trim_start_matches('?').parse().ok()?;
        let types = match &self.mode {
            Mode::Execute(_, types) | Mode::Describe(types) | Mode::Routine(_, types) => types,
        };
        types.get(number.wrapping_sub(1)).copied()
    }

    /// Writes a number as a DECIMAL whose point floats.
    pub(super) fn floating(&mut self, value: &Expr) -> Parse<()> {
        self.floating_of(value, None)
    }

    /// The same with so many digits.
    pub(super) fn floating_of(&mut self, value: &Expr, precision: Option<u8>) -> Parse<()> {
        if let Expr::Literal(Literal::Null) = value {
            self.push("CAST(NULL AS VARBINARY)");
            return Ok(());
        }
        if let Some(number) = constant(value) {
            let number = number?.with_digits(precision.map_or(MOST_DIGITS, u32::from))?;
            self.push(&bytes_literal(number));
            return Ok(());
        }
        if precision.is_none() && self.is_floating(value) {
            return match value {
                Expr::Variable(_) => self.typed_parameter(value),
                value => self.expression(value),
            };
        }
        self.push(&conversion(Type::Decimal(precision.unwrap_or(32), None)).0);
        self.typed_parameter(value)?;
        self.push(")");
        Ok(())
    }

    /// Writes a value; a parameter of which the core would not know the type has its cast.
    fn typed_parameter(&mut self, value: &Expr) -> Parse<()> {
        match value {
            Expr::Variable(name) => {
                let known = self.parameter_type(name).unwrap_or(FLOATING);
                self.push("CAST(");
                self.expression(value)?;
                self.push(&format!(" AS {})", known.sql_type()));
                Ok(())
            }
            value => self.expression(value),
        }
    }

    /// Writes a value of another type, made of a DECIMAL whose point floats.
    pub(super) fn of_floating(&mut self, value: &Expr, to: Type) -> Parse<()> {
        let (before, behind) = conversion(to);
        self.push(&before);
        self.floating(value)?;
        self.push(&behind);
        Ok(())
    }

    /// Writes an expression if it gives DECIMALs whose point floats, or is about such; `None` for others.
    pub(super) fn floating_expression(&mut self, value: &Expr) -> Option<Parse<()>> {
        match value {
            Expr::Unary(UnaryOperator::Minus, operand) if self.is_floating(operand) => {
                Some(self.computed("negate", &[operand]))
            }
            Expr::Binary(left, operator, right) => {
                let floats = self.is_floating(left) || self.is_floating(right);
                match function_of(*operator) {
                    _ if !floats => None,
                    Some(function) => Some(self.computed(function, &[left, right])),
                    None if operator.is_comparison() => Some(self.compared_floating(left, operator.text(), right)),
                    None => {
                        let [left, right] = [left, right].map(|side| self.as_text(side));
                        Some(self.expression(&Expr::Binary(Box::new(left), *operator, Box::new(right))))
                    }
                }
            }
            Expr::Call(call) => self.floating_call(call),
            _ => None,
        }
    }

    fn as_text(&self, value: &Expr) -> Expr {
        if self.is_floating(value) { wrapped("text", value) } else { value.clone() }
    }

    fn compared_floating(&mut self, left: &Expr, operator: &str, right: &Expr) -> Parse<()> {
        self.push("(");
        self.operand(left, right)?;
        self.push(&format!(" {operator} "));
        self.operand(right, left)?;
        self.push(")");
        Ok(())
    }

    /// Writes an operand of a comparison: the core knows the type of a parameter beside a column.
    fn operand(&mut self, value: &Expr, other: &Expr) -> Parse<()> {
        match (value, other) {
            (Expr::Variable(_), Expr::Column(_)) if self.is_floating(value) => self.expression(value),
            (value, _) => self.floating(value),
        }
    }

    /// Writes a call of a function of the language over such DECIMALs.
    fn computed(&mut self, function: &str, arguments: &[&Expr]) -> Parse<()> {
        self.push(&format!("\"informix:{function}\"("));
        self.list(arguments, |it, value| it.floating(value))?;
        self.push(")");
        Ok(())
    }

    /// Writes a call with such an argument.
    fn floating_call(&mut self, call: &Call) -> Option<Parse<()>> {
        let name = call.name.last().to_lowercase();
        let arguments = values(call);
        if let Some(function) = name.strip_prefix("informix:") {
            return Some(self.computed(function, &arguments));
        }
        let floats = arguments.iter().any(|value| self.is_floating(value));
        if !floats {
            return None;
        }
        let written = match (name.as_str(), &arguments[..]) {
            ("sum" | "avg", arguments) => self.plain(&format!("\"informix:{name}\""), call, arguments),
            ("to_char", [value]) => self.expression(&wrapped("text", value)),
            (name, [first, distance, default]) if OF_FIRST.contains(&name) => {
                let default = wrapped("decimal", default);
                self.marked(|it| it.plain(name, call, &[*first, *distance, &default]))
            }
            (name, arguments) if OF_FIRST.contains(&name) => self.marked(|it| it.plain(name, call, arguments)),
            ("range", [first]) => {
                self.push("\"informix:subtract\"(");
                let (most, least) = (call_of("max", first), call_of("min", first));
                self.list([&most, &least], |it, value| it.floating(value)).map(|()| self.push(")"))
            }
            (name @ ("round" | "trunc"), [number, places]) => self.rounded(name, number, Some(places)),
            (name @ ("round" | "trunc"), [number]) => self.rounded(name, number, None),
            (name, arguments) if COMPUTED.contains(&name) => self.computed(name, arguments),
            (name @ ("nvl" | "coalesce" | "nullif"), arguments) => {
                let core = if name == "nullif" { "nullif(" } else { "coalesce(" };
                self.marked(|it| {
                    it.push(core);
                    // The core gives all of them one type if they are calls alike.
                    it.list(arguments, |it, value| it.marked(|it| it.floating(value)))?;
                    it.push(")");
                    Ok(())
                })
            }
            ("nvl2" | "decode", _) => return None,
            (name, _) if OF_ANY.contains(&name) => return None,
            (name, _) => {
                let function = if OF_DOUBLES.contains(&name) { "double" } else { "text" };
                let mut plain = call.clone();
                for argument in &mut plain.arguments {
                    if let Argument::Value(value) = argument
                        && self.is_floating(value)
                    {
                        *value = wrapped(function, value);
                    }
                }
                self.function(&plain)
            }
        };
        Some(written)
    }

    fn rounded(&mut self, name: &str, number: &Expr, places: Option<&Expr>) -> Parse<()> {
        self.push(&format!("\"informix:{name}\"("));
        self.floating(number)?;
        if let Some(places) = places {
            self.push(", ");
            self.typed_parameter(places)?;
        }
        self.push(")");
        Ok(())
    }

    /// Writes a value of the core of which only the language knows that it is such a DECIMAL.
    pub(super) fn marked(&mut self, write: impl FnOnce(&mut Self) -> Parse<()>) -> Parse<()> {
        self.push("\"informix:decimal\"(");
        write(self)?;
        self.push(")");
        Ok(())
    }

    /// The columns of a query, with their types where grammar and columns tell them.
    pub(super) fn output_types(&self, query: &Query) -> Vec<(String, Option<Type>)> {
        let mut inner = Reducer::new(self.mode.clone(), self.scope);
        inner.tables.clone_from(&self.tables);
        inner.common.clone_from(&self.common);
        for table in &query.with.tables {
            inner.add_common(table);
        }
        inner.types_of_body(&query.body)
    }

    fn types_of_body(&mut self, body: &QueryBody) -> Vec<(String, Option<Type>)> {
        let select = match body {
            QueryBody::Select(select) => select,
            QueryBody::Set(left, _, _, right) => {
                let right = self.types_of_body(right);
                let left = self.types_of_body(left).into_iter();
                let both = left.zip(right).map(|((name, left), (_, right))| {
                    let floats = [left, right].contains(&Some(FLOATING));
                    (name, if floats { Some(FLOATING) } else { left })
                });
                return both.collect();
            }
        };
        let known = self.tables_of(&select.from);
        self.tables.push(known);
        let mut types = Vec::new();
        for item in &select.items {
            match item {
                SelectItem::Star(of) => {
                    let is_meant = |known: &&Known| {
                        of.as_ref().is_none_or(|of| of.parts.last().is_some_and(|of| of.is(&known.alias)))
                    };
                    let tables = self.tables.last().into_iter().flatten().filter(is_meant);
                    types.extend(
                        tables.flat_map(|known| known.columns.clone()).map(|(name, known)| (name, general(known))),
                    );
                }
                SelectItem::Value(value, alias) => {
                    let own = if let Expr::Column(name) = value { name.last() } else { "" };
                    let name = alias.as_ref().map_or(own, |alias| &alias.text).to_owned();
                    let known = if self.is_floating(value) { Some(FLOATING) } else { self.type_of(value) };
                    types.push((name, general(known)));
                }
                SelectItem::Assign(..) => {}
            }
        }
        self.tables.pop();
        types
    }

    /// The places of a set operation's columns that are such DECIMALs in one of its parts.
    pub(super) fn floating_places(&self, body: &QueryBody) -> Vec<bool> {
        let mut inner = Reducer::new(self.mode.clone(), self.scope);
        inner.tables.clone_from(&self.tables);
        inner.common.clone_from(&self.common);
        inner.types_of_body(body).into_iter().map(|(_, known)| known == Some(FLOATING)).collect()
    }
}

/// A floating type of any number of digits is one of 32.
fn general(known: Option<Type>) -> Option<Type> {
    known.map(|known| if known.is_floating() { FLOATING } else { known })
}

/// The texts around such a DECIMAL that make a value of another type of it.
pub(super) fn conversion(to: Type) -> (String, String) {
    let core = to.sql_type();
    match to {
        Type::Decimal(32, None) => ("\"informix:decimal\"(".into(), ")".into()),
        Type::Decimal(precision, None) => (format!("\"informix:decimal {precision}\"("), ")".into()),
        Type::Decimal(precision, Some(scale)) | Type::Money(precision, scale) => {
            (format!("\"informix:exact {precision} {scale}\"("), ")".into())
        }
        Type::Float | Type::SmallFloat => ("CAST(\"informix:double\"(".into(), format!(") AS {core})")),
        known if known.is_integer() => {
            ("CAST(\"informix:exact 38 0\"(\"informix:trunc\"(".into(), format!(")) AS {core})"))
        }
        _ => ("CAST(\"informix:text\"(".into(), format!(") AS {core})")),
    }
}
