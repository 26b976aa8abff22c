//! Translates an expression to SQL, so that xBase conditions can be used in queries.
//!
//! The compiler has checked it, so every part has a type. Differences between the languages are made explicit:
//!
//! ```text
//!   name = 'Mill'             "NAME" LIKE 'Mill%'              EXACT OFF: the right text decides how far
//!   'il' $ name               strpos("NAME", 'il') > 0
//!   balance < 5               COALESCE("BALANCE" < 5, TRUE)    a blank field is 0, and NULL in SQL
//!   shipped = {}              "SHIPPED" IS NULL
//!   EMPTY(city)               btrim("CITY") = ''
//! ```
//!
//! Every condition is true or false, never unknown. A comparison that a blank field does not pass is a plain comparison
//! where it is a whole condition or a part of an `.AND.`: there an index can answer it.
//!
//! Limits: blanks at the end of texts do not count in comparisons, not even for `==`; texts are ordered as SQL orders them.
//! Functions without a counterpart in SQL are refused.

use super::catalog::Builtin;
use super::compile::Compiler;
use super::tree::{Binary, Node, NodeKind, Unary};
use super::types::{Context, Kind};
use super::{Expression, unsupported};
use mainstay_types::{Code, Date, Error, Result, Timestamp};

/// Before all days: what a blank one is compared as.
const BLANK_DAY: &str = "DATE '0001-01-01'";

/// The substitute for a blank day in sums and differences: before all days, with room for the result.
const BLANK_DAY_IN_SUMS: &str = "DATE '0100-01-01'";

impl Expression {
    /// The expression as an expression of SQL over the columns that have the names of the fields. With `as_condition` it is
    /// what a WHERE takes.
    ///
    /// Errors: as [`Expression::compile`]; `Unsupported` for what SQL has nothing like, with its place.
    pub fn to_sql(&self, context: &Context<'_>, as_condition: bool) -> Result<String> {
        let kind = self.compile(context)?.result_type().kind;
        let writer = Writer { context };
        match as_condition {
            true if kind == Kind::Logical => writer.condition(&self.root),
            true => {
                let message = format!("a condition is true or false, and this is {}", kind.name());
                Err(Error::new(Code::TypeMismatch, message).span(self.root.span.0, self.root.span.1))
            }
            false => writer.value(&self.root),
        }
    }
}

struct Writer<'w, 'f> {
    context: &'w Context<'f>,
}

impl Writer<'_, '_> {
    /// The column of a field, which may be named by more than the ten letters that it has.
    fn column(&self, name: &str) -> String {
        let named = |wanted: &str| self.context.fields.iter().find(|field| field.name.eq_ignore_ascii_case(wanted));
        let field = named(name).or_else(|| name.get(..10).and_then(named));
        quoted(field.map_or(name, |field| &field.name))
    }

    fn kind(&self, node: &Node) -> Result<Kind> {
        Ok(Compiler::type_of(self.context, node)?.kind)
    }

    /// The fixed length of a text, with the blanks at its end.
    fn length(&self, node: &Node) -> Result<Option<usize>> {
        Ok(Compiler::type_of(self.context, node)?.text.exact())
    }

    /// A condition, or a part of an AND, which may also be unknown where it is false.
    fn condition(&self, node: &Node) -> Result<String> {
        match &node.kind {
            NodeKind::Binary(Binary::And, left, right) => {
                Ok(format!("({} AND {})", self.condition(left)?, self.condition(right)?))
            }
            NodeKind::Binary(operator, left, right) => match self.of_field(*operator, left, right)? {
                Some((plain, false)) => Ok(plain),
                _ => self.value(node),
            },
            NodeKind::Name { name, .. } => Ok(self.column(name)),
            _ => self.value(node),
        }
    }

    /// A value, which is never NULL unless it is a blank day.
    fn value(&self, node: &Node) -> Result<String> {
        Ok(match &node.kind {
            NodeKind::Text(text) => literal(&String::from_utf8_lossy(text)),
            NodeKind::Number(digits) => digits.clone(),
            NodeKind::Logical(value) => if *value { "TRUE" } else { "FALSE" }.to_owned(),
            NodeKind::Date(0) => "CAST(NULL AS DATE)".to_owned(),
            NodeKind::Date(day) => format!("DATE '{}'", Date::from_julian(*day)),
            NodeKind::Timestamp(day, ms) => {
                let moment = Timestamp::new(Date::from_julian(*day), u32::try_from(*ms).unwrap_or_default());
                format!("TIMESTAMP '{}'", moment.display(3))
            }
            NodeKind::Name { name, .. } => match self.kind(node)? {
                Kind::Character => format!("COALESCE({}, '')", self.column(name)),
                Kind::Numeric => format!("COALESCE({}, 0)", self.column(name)),
                Kind::Logical => format!("COALESCE({}, FALSE)", self.column(name)),
                Kind::Date | Kind::Timestamp => self.column(name),
            },
            NodeKind::Unary(Unary::Not, operand) => format!("(NOT {})", self.value(operand)?),
            NodeKind::Unary(Unary::Negate, operand) => format!("(- {})", self.value(operand)?),
            NodeKind::Binary(operator, left, right) => self.binary(*operator, left, right)?,
            NodeKind::Call { name, function, arguments } => match function {
                Some(function) => self.call(node, (function.name, function.builtin), arguments)?,
                None => return Err(no_such(node, name)),
            },
        })
    }

    fn binary(&self, operator: Binary, left: &Node, right: &Node) -> Result<String> {
        if let Some((plain, blank_passes)) = self.of_field(operator, left, right)? {
            return Ok(format!("COALESCE({plain}, {})", if blank_passes { "TRUE" } else { "FALSE" }));
        }
        let (first, second) = (self.value(left)?, self.value(right)?);
        let kind = self.kind(left)?;
        Ok(match operator {
            Binary::And => format!("({first} AND {second})"),
            Binary::Or => format!("({first} OR {second})"),
            Binary::Contained if is_empty_text(left) => "FALSE".to_owned(),
            Binary::Contained => format!("(strpos({second}, {first}) > 0)"),
            Binary::Plus if kind == Kind::Character => format!("({} || {second})", self.padded(left)?),
            Binary::Minus if kind == Kind::Character => format!("(rtrim({first}) || {second})"),
            Binary::Plus | Binary::Minus => {
                let (first, second) = (self.summand(left, first)?, self.summand(right, second)?);
                format!("({first} {} {second})", operator.symbol())
            }
            Binary::Divide => format!("COALESCE(CAST({first} AS DOUBLE) / NULLIF({second}, 0), 0)"),
            Binary::Modulo => format!("COALESCE({first} % NULLIF({second}, 0), 0)"),
            Binary::Power => format!("power({first}, {second})"),
            Binary::Multiply => format!("({first} * {second})"),
            _ => self.comparison(operator, left, right)?,
        })
    }

    /// A comparison of a field with a number, a day or a truth value that is written: without care for NULL, and whether a
    /// blank field passes it. `None` for other operands.
    fn of_field(&self, operator: Binary, left: &Node, right: &Node) -> Result<Option<(String, bool)>> {
        let NodeKind::Name { name, .. } = &left.kind else { return Ok(None) };
        let Some(symbol) = sign_of(operator) else { return Ok(None) };
        let zero_passes = |other: f64| match operator {
            Binary::Equal | Binary::ExactlyEqual => other == 0.0,
            Binary::NotEqual => other != 0.0,
            Binary::Less => 0.0 < other,
            Binary::LessOrEqual => 0.0 <= other,
            Binary::Greater => 0.0 > other,
            _ => 0.0 >= other,
        };
        let name = self.column(name);
        Ok(match &right.kind {
            NodeKind::Number(digits) => {
                let other = digits.parse().unwrap_or(f64::NAN);
                Some((format!("({name} {symbol} {digits})"), zero_passes(other)))
            }
            // Every day is behind a blank one.
            NodeKind::Date(day) if *day != 0 => {
                Some((format!("({name} {symbol} {})", self.value(right)?), zero_passes(1.0)))
            }
            NodeKind::Date(_) => Some((of_blank_day(operator, &name), false)),
            NodeKind::Text(text) if operator == Binary::Equal => {
                let text = String::from_utf8_lossy(text);
                let is_plain = !text.is_empty() && !text.ends_with(' ') && !text.contains(['%', '_', '\\']);
                is_plain.then(|| (format!("({name} LIKE {})", literal(&format!("{text}%"))), false))
            }
            _ => None,
        })
    }

    /// A value as a part of a sum or a difference.
    fn summand(&self, node: &Node, value: String) -> Result<String> {
        Ok(match self.kind(node)? {
            Kind::Date => format!("COALESCE({value}, {BLANK_DAY_IN_SUMS})"),
            _ => value,
        })
    }

    fn comparison(&self, operator: Binary, left: &Node, right: &Node) -> Result<String> {
        let (first, second) = (self.value(left)?, self.value(right)?);
        let symbol = sign_of(operator).unwrap_or("=");
        Ok(match self.kind(left)? {
            Kind::Character => match (operator, self.compared_length(right)?) {
                (Binary::ExactlyEqual, _) => format!("(rtrim({first}) = rtrim({second}))"),
                // Anything begins with nothing.
                (Binary::Equal | Binary::LessOrEqual | Binary::GreaterOrEqual, Some(0)) => "TRUE".to_owned(),
                (_, Some(0)) => "FALSE".to_owned(),
                (_, Some(length)) => format!("(rtrim(left({first}, {length})) {symbol} rtrim({second}))"),
                (_, None) => {
                    format!("(left({first}, character_length({second})) {symbol} {second})")
                }
            },
            Kind::Date | Kind::Timestamp => {
                let blank = |value: String| format!("COALESCE({value}, {BLANK_DAY})");
                format!("({} {symbol} {})", blank(first), blank(second))
            }
            _ => format!("({first} {symbol} {second})"),
        })
    }

    /// The number of characters of the left text that are compared with this one, if that is known.
    fn compared_length(&self, right: &Node) -> Result<Option<usize>> {
        match &right.kind {
            NodeKind::Text(text) => Ok(Some(String::from_utf8_lossy(text).chars().count())),
            _ => self.length(right),
        }
    }

    /// A text with the blanks that the field has behind it.
    fn padded(&self, node: &Node) -> Result<String> {
        let value = self.value(node)?;
        Ok(match (&node.kind, self.length(node)?) {
            (NodeKind::Name { .. }, Some(length)) => format!("rpad({value}, {length})"),
            _ => value,
        })
    }

    fn call(&self, node: &Node, (name, builtin): (&str, Builtin), arguments: &[Node]) -> Result<String> {
        let values = arguments.iter().map(|argument| self.value(argument)).collect::<Result<Vec<String>>>()?;
        let all = values.join(", ");
        let argument = |place: usize| values.get(place).map_or("", String::as_str);
        let first = argument(0);
        let same = |function: &str| Ok(format!("{function}({all})"));
        let number_of = |part: &str| Ok(format!("COALESCE(EXTRACT({part} FROM {first}), 0)"));
        let written = |template: &str, blank: usize| {
            Ok(format!("COALESCE(to_char({first}, '{template}'), '{}')", " ".repeat(blank)))
        };
        match builtin {
            Builtin::Upper => same("upper"),
            Builtin::Lower => same("lower"),
            Builtin::Trim => same("rtrim"),
            Builtin::LTrim => same("ltrim"),
            Builtin::AllTrim => same("btrim"),
            Builtin::Left => same("left"),
            Builtin::Right => same("right"),
            Builtin::SubStr => same("substr"),
            Builtin::StrTran if values.len() == 3 => same("replace"),
            Builtin::Reverse => same("reverse"),
            Builtin::Replicate => same("repeat"),
            Builtin::PadR => same("rpad"),
            Builtin::PadL => same("lpad"),
            Builtin::Space => Ok(format!("repeat(' ', {first})")),
            Builtin::Chr => same("chr"),
            Builtin::Asc => same("ascii"),
            Builtin::At => Ok(format!("strpos({}, {first})", argument(1))),
            Builtin::Len => Ok(match self.length(&arguments[0])? {
                Some(length) => length.to_string(),
                None => format!("character_length({first})"),
            }),
            Builtin::Abs => same("abs"),
            Builtin::Ceiling => same("ceil"),
            Builtin::Floor => same("floor"),
            Builtin::Int => same("trunc"),
            Builtin::Round => same("round"),
            Builtin::Sqrt => same("sqrt"),
            Builtin::Sign => same("sign"),
            Builtin::Max => same("greatest"),
            Builtin::Min => same("least"),
            Builtin::Year => number_of("YEAR"),
            Builtin::Month => number_of("MONTH"),
            Builtin::Day => number_of("DAY"),
            Builtin::Dow => Ok(format!("COALESCE(EXTRACT(DOW FROM {first}) + 1, 0)")),
            Builtin::DToS => written("YYYYMMDD", 8),
            Builtin::DToC if values.len() == 1 => Ok(format!("COALESCE(to_char({first}, 'MM/DD/YY'), '  /  /  ')")),
            Builtin::Cdow => Ok(format!("COALESCE(btrim(to_char({first}, 'Day')), '')")),
            Builtin::Cmonth => Ok(format!("COALESCE(btrim(to_char({first}, 'Month')), '')")),
            Builtin::Str => self.printed_number(node, name, arguments),
            Builtin::Deleted => Ok(quoted("_deleted")),
            Builtin::Recno => Ok(quoted("_recno")),
            Builtin::Empty => Ok(self.is_empty(&arguments[0], first)?),
            Builtin::IsNull => Ok(match &arguments[0].kind {
                NodeKind::Name { name, .. } => format!("({} IS NULL)", self.column(name)),
                _ => "FALSE".to_owned(),
            }),
            Builtin::Nvl => Ok(match &arguments[0].kind {
                NodeKind::Name { name, .. } => format!("COALESCE({}, {})", self.column(name), argument(1)),
                _ => first.to_owned(),
            }),
            Builtin::Iif => Ok(format!("(CASE WHEN {first} THEN {} ELSE {} END)", argument(1), argument(2))),
            Builtin::Between => {
                let above = self.binary(Binary::GreaterOrEqual, &arguments[0], &arguments[1])?;
                Ok(format!("({above} AND {})", self.binary(Binary::LessOrEqual, &arguments[0], &arguments[2])?))
            }
            Builtin::InList => {
                let equal = |other: &Node| self.binary(Binary::Equal, &arguments[0], other);
                let any = arguments[1..].iter().map(equal).collect::<Result<Vec<String>>>()?;
                Ok(format!("({})", any.join(" OR ")))
            }
            _ => Err(no_such(node, name)),
        }
    }

    fn is_empty(&self, node: &Node, value: &str) -> Result<String> {
        Ok(match self.kind(node)? {
            Kind::Character => format!("(btrim({value}) = '')"),
            Kind::Numeric => format!("({value} = 0)"),
            Kind::Date | Kind::Timestamp => format!("({value} IS NULL)"),
            Kind::Logical => format!("(NOT {value})"),
        })
    }

    /// `STR(n, width, decimals)`, whose width and decimals are written.
    fn printed_number(&self, node: &Node, name: &str, arguments: &[Node]) -> Result<String> {
        let [number, rest @ ..] = arguments else { return Err(no_such(node, name)) };
        let written: Option<Vec<usize>> = rest
            .iter()
            .map(|argument| match &argument.kind {
                NodeKind::Number(digits) => digits.parse().ok(),
                _ => None,
            })
            .collect();
        let Some(written) = written else { return Err(no_such(node, name)) };
        let (width, decimals) = (written.first().copied().unwrap_or(10), written.get(1).copied().unwrap_or(0));
        let number = self.value(number)?;
        let printed = format!("CAST(CAST({number} AS DECIMAL(30, {})) AS VARCHAR)", decimals.min(15));
        let too_wide = format!("character_length({printed}) > {width}");
        Ok(format!("(CASE WHEN {too_wide} THEN repeat('*', {width}) ELSE lpad({printed}, {width}) END)"))
    }
}

/// The operator of a comparison in SQL.
fn sign_of(operator: Binary) -> Option<&'static str> {
    Some(match operator {
        Binary::Equal | Binary::ExactlyEqual => "=",
        Binary::NotEqual | Binary::Less | Binary::LessOrEqual | Binary::Greater | Binary::GreaterOrEqual => {
            operator.symbol()
        }
        _ => return None,
    })
}

/// The comparison of a day with the blank one.
fn of_blank_day(operator: Binary, name: &str) -> String {
    match operator {
        Binary::Equal | Binary::ExactlyEqual | Binary::LessOrEqual => format!("({name} IS NULL)"),
        Binary::NotEqual | Binary::Greater => format!("({name} IS NOT NULL)"),
        Binary::Less => "FALSE".to_owned(),
        _ => "TRUE".to_owned(),
    }
}

fn is_empty_text(node: &Node) -> bool {
    matches!(&node.kind, NodeKind::Text(text) if text.is_empty())
}

fn no_such(node: &Node, name: &str) -> Error {
    unsupported(node.span, format!("{name}() with these arguments has nothing like it in SQL"))
        .hint("ask for it in other words, or by a condition of SQL")
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
