//! Expressions and conditions over variables.
//!
//! Integers, floats, concatenation and comparison of texts, and three-valued logic are instructions of the machine;
//! other operations are those of [`mainstay_tsql_types`], bound to their types here and run by the host. An expression
//! that names a table or a function of the database is a query.

use super::{Action, Compiler, storage_type};
use crate::reduce::{self, Scope, TableColumn};
use crate::tree::{
    Argument, BinaryOperator, Call, Case, Cast, CastKind, Expr, Literal, ObjectName, Test, UnaryOperator,
};
use mainstay_tsql_types::text::Encoding;
use mainstay_tsql_types::{Bound, DataType, Message};
use mainstay_types::Value;
use mainstay_vm::{ArithmeticOp, CompareOp, Expression, ExpressionKind, TextUnit};
use std::sync::Arc;

/// An operation on values, bound to their types.
pub type Operation = Arc<Bound>;

/// An expression with its type; `None` for NULL.
type Typed = (Expression, Option<DataType>);

/// Resolves type names where no tables are known.
pub(super) struct NoTables<'t>(pub(super) &'t dyn super::Types);

impl Scope for NoTables<'_> {
    fn variable(&self, _: &str) -> Option<DataType> {
        None
    }

    fn table(&self, name: &ObjectName) -> Result<String, Message> {
        Err(Message::error(208, format!("Invalid object name '{}'.", name.last())))
    }

    fn columns(&self, _: &ObjectName) -> Option<Vec<TableColumn>> {
        None
    }

    fn is_scalar_function(&self, name: &ObjectName) -> bool {
        self.0.is_scalar_function(name)
    }

    fn inline_function(&self, _: &ObjectName) -> Option<reduce::InlineFunction> {
        None
    }

    fn user_type(&self, name: &ObjectName) -> Option<DataType> {
        self.0.user_type(name)
    }

    fn expression_type(&self, _: &str) -> Result<DataType, Message> {
        Err(reduce::not_supported("This type"))
    }
}

/// The unit in which the machine counts the length of a type of text; `None` for code pages of several bytes a character,
/// which it does not know.
fn unit_of(data_type: DataType) -> Option<TextUnit> {
    match data_type.encoding() {
        Encoding::National => Some(TextUnit::Utf16),
        Encoding::Page(page) if page.most_bytes() == 1 => Some(TextUnit::Characters),
        Encoding::Page(_) => None,
    }
}

impl Compiler<'_> {
    /// A condition.
    pub(super) fn condition(&mut self, condition: &Expr) -> Result<Expression, Box<Message>> {
        match condition {
            Expr::And(parts) => self.chain(parts, Expression::and),
            Expr::Or(parts) => self.chain(parts, Expression::or),
            Expr::Unary(UnaryOperator::Not, inner) => Ok(Expression::not(self.condition(inner)?)),
            Expr::Call(call) if call.name.is("UPDATE") => match &call.arguments[..] {
                [Argument::Value(Expr::Column(column))] => {
                    let action = Action::ColumnUpdated(column.last().to_owned());
                    Ok(self.host_call(action, mainstay_vm::Type::Boolean))
                }
                _ => Err(self.located(reduce::not_supported("UPDATE() of other than a column"))),
            },
            other if self.needs_query(other) => {
                Ok(self.host_call(Action::Condition(Box::new(other.clone())), mainstay_vm::Type::Boolean))
            }
            Expr::Binary(left, operator, right) if operator.is_comparison() => self.comparison(left, *operator, right),
            Expr::Test(value, negated, test) => {
                let tested = self.test(value, test)?;
                Ok(if *negated { Expression::not(tested) } else { tested })
            }
            other => Err(self.located(reduce::not_supported(&format!("This condition ({other:?})")))),
        }
    }

    fn chain(
        &mut self,
        parts: &[Expr],
        join: fn(Expression, Expression) -> Expression,
    ) -> Result<Expression, Box<Message>> {
        let mut joined: Option<Expression> = None;
        for part in parts {
            let part = self.condition(part)?;
            joined = Some(match joined {
                Some(before) => join(before, part),
                None => part,
            });
        }
        Ok(joined.unwrap_or_else(|| Expression::boolean(true)))
    }

    fn test(&mut self, value: &Expr, test: &Test) -> Result<Expression, Box<Message>> {
        match test {
            Test::Null => Ok(Expression::is_null(self.value(value)?.0)),
            Test::Between(low, high) => {
                let low = self.comparison(value, BinaryOperator::GreaterOrEqual, low)?;
                let high = self.comparison(value, BinaryOperator::LessOrEqual, high)?;
                Ok(Expression::and(low, high))
            }
            Test::InList(items) => {
                let mut any: Option<Expression> = None;
                for item in items {
                    let equal = self.comparison(value, BinaryOperator::Equal, item)?;
                    any = Some(match any {
                        Some(before) => Expression::or(before, equal),
                        None => equal,
                    });
                }
                Ok(any.unwrap_or_else(|| Expression::boolean(false)))
            }
            Test::Like(pattern, escape) => {
                let mut arguments = vec![value, pattern.as_ref()];
                arguments.extend(escape.as_deref());
                Ok(self.operation("like", &arguments)?.0)
            }
            Test::DistinctFrom(other) => Ok(self.operation("distinct", &[value, other])?.0),
            Test::InQuery(_) => Err(self.located(reduce::not_supported("IN with a query here"))),
        }
    }

    fn comparison(&mut self, left: &Expr, operator: BinaryOperator, right: &Expr) -> Result<Expression, Box<Message>> {
        if let Some(name) = self.null_comparison(left, operator, right) {
            return Ok(self.operation(name, &[left, right])?.0);
        }
        let (left, right) = (self.value(left)?, self.value(right)?);
        let op = match operator {
            BinaryOperator::Equal => CompareOp::Equal,
            BinaryOperator::NotEqual => CompareOp::NotEqual,
            BinaryOperator::Less => CompareOp::Less,
            BinaryOperator::LessOrEqual => CompareOp::LessOrEqual,
            BinaryOperator::Greater => CompareOp::Greater,
            _ => CompareOp::GreaterOrEqual,
        };
        let name = operator.function();
        let known = self.bind(name, &[&left, &right])?;
        match known.common {
            Some(common) if is_native(common) => {
                let (left, right) = (self.converted(left, common)?, self.converted(right, common)?);
                Ok(Expression::compare(op, left, right))
            }
            Some(common) if common.is_text() && is_text(&left) && is_text(&right) => {
                let (left, right) = (left.0, right.0);
                Ok(Expression::compare_text(op, mainstay_tsql_types::collation::COMPARISON, true, left, right))
            }
            _ => {
                let arguments = vec![left.0, right.0];
                Ok(self.bound_call(known, arguments, mainstay_vm::Type::Boolean))
            }
        }
    }

    /// The operation that a comparison is where ANSI_NULLS may be off and an operand is NULL or a variable that may be: all
    /// other comparisons are those of ANSI_NULLS on.
    fn null_comparison(&self, left: &Expr, operator: BinaryOperator, right: &Expr) -> Option<&'static str> {
        let may_be_null = |operand: &Expr| match operand {
            Expr::Literal(Literal::Null) => true,
            Expr::Variable(name) => !name.text.starts_with("@@"),
            _ => false,
        };
        match operator {
            _ if self.reading.ansi_nulls || !(may_be_null(left) || may_be_null(right)) => None,
            BinaryOperator::Equal => Some("equal_null"),
            BinaryOperator::NotEqual => Some("not_equal_null"),
            _ => None,
        }
    }

    /// A value of this type, which it becomes by itself.
    ///
    /// Errors: 206, 257.
    pub(super) fn value_as(&mut self, value: &Expr, data_type: DataType) -> Result<Expression, Box<Message>> {
        if self.needs_query(value) {
            let action = Action::Value(Box::new(value.clone()), Some(data_type));
            return Ok(self.host_call(action, storage_type(data_type)));
        }
        let typed = self.value(value)?;
        // Conversion errors in a scalar function's body are not reported to its caller.
        let is_checked = self.returns.is_none();
        if let Some(from) = typed.1.filter(|from| is_checked && *from != DataType::SqlVariant) {
            mainstay_tsql_types::types::implicit(from, data_type).map_err(|message| self.located(message))?;
        }
        self.converted(typed, data_type)
    }

    /// A constant of this type: the default of a parameter.
    pub(super) fn constant(&mut self, value: &Expr, data_type: DataType) -> Result<Value, Box<Message>> {
        let negative = matches!(value, Expr::Unary(UnaryOperator::Minus, _));
        let inner = match value {
            Expr::Unary(UnaryOperator::Minus, inner) => inner,
            other => other,
        };
        let text;
        let literal = match inner {
            Expr::Literal(_) => inner,
            // A word without quotes is a text.
            Expr::Column(name) => {
                text = Expr::Literal(Literal::String(name.last().to_owned()));
                &text
            }
            _ => return Err(self.located(reduce::not_supported("A default that is no constant"))),
        };
        let (expression, from) = self.value(literal)?;
        let ExpressionKind::Constant(mut constant) = expression.kind else { return Ok(Value::Null) };
        let Some(from) = from else { return Ok(Value::Null) };
        if negative {
            constant = match constant {
                Value::Integer(number) => Value::Integer(-number),
                Value::Float(number) => Value::Float(-number),
                Value::Decimal(number) => Value::Decimal(mainstay_types::Decimal::new(-number.unscaled, number.scale)),
                other => other,
            };
        }
        let known = mainstay_tsql_types::Operation::by_name(&format!("cast:{data_type}"))
            .ok_or_else(|| reduce::not_supported("This type"))
            .and_then(|operation| operation.bind(&[Some(from)], &[Some(constant.clone())]))
            .map_err(|message| self.located(message))?;
        known
            .evaluate(&mainstay_tsql_types::Context::default(), &[constant.as_ref()])
            .map_err(|message| self.located(message))
    }

    /// A value with its type.
    pub(super) fn value(&mut self, value: &Expr) -> Result<Typed, Box<Message>> {
        if self.needs_query(value) {
            // Its type is what the query gives: any.
            let action = Action::Value(Box::new(value.clone()), None);
            return Ok((self.host_call(action, mainstay_vm::Type::Any), Some(DataType::SqlVariant)));
        }
        match value {
            Expr::Literal(literal) => self.literal(literal),
            Expr::Variable(name) if name.text.starts_with("@@") => self.session(&name.text),
            Expr::Variable(name) => {
                let (slot, data_type) = self.variable(name)?;
                Ok((Expression::slot(&self.routine, slot), Some(data_type)))
            }
            Expr::Niladic(name) => self.session(name),
            Expr::Unary(UnaryOperator::Plus, inner) => self.value(inner),
            Expr::Unary(UnaryOperator::Minus, inner) => self.minus(inner),
            Expr::Unary(UnaryOperator::BitNot, inner) => self.operation("bit_not", &[inner]),
            Expr::Binary(left, operator, right) => self.binary(left, *operator, right),
            Expr::Case(case) => self.case(case),
            Expr::Cast(cast) => self.cast(cast),
            Expr::Call(call) => self.call(call),
            Expr::Collate(inner, _) => self.value(inner),
            Expr::AtTimeZone(inner, zone) => self.operation("at_time_zone", &[inner, zone]),
            _ => Err(self.located(reduce::not_supported("This expression"))),
        }
    }

    fn literal(&mut self, literal: &Literal) -> Result<Typed, Box<Message>> {
        let Some((data_type, value)) = reduce::literal_value(literal).map_err(|message| self.located(message))? else {
            return Ok((Expression::null(mainstay_vm::Type::I32), None));
        };
        Ok((Expression::constant(storage_type(data_type), value), Some(data_type)))
    }

    fn session(&mut self, name: &str) -> Result<Typed, Box<Message>> {
        let Some(function) = reduce::session_function(name) else {
            let text = format!("'{name}' is not a recognized built-in function name.");
            return Err(self.located(Message::error(195, text).severity(15).state(10)));
        };
        let expression = self.host_call(Action::Session(function), storage_type(function.data_type));
        Ok((expression, Some(function.data_type)))
    }

    fn minus(&mut self, inner: &Expr) -> Result<Typed, Box<Message>> {
        if let Expr::Literal(Literal::Integer(digits)) = inner
            && let Ok(number) = format!("-{digits}").parse::<i32>()
        {
            return Ok((Expression::int(number), Some(DataType::Int)));
        }
        self.operation("negate", &[inner])
    }

    fn binary(&mut self, left: &Expr, operator: BinaryOperator, right: &Expr) -> Result<Typed, Box<Message>> {
        let (left, right) = (self.value(left)?, self.value(right)?);
        let known = self.bind(operator.function(), &[&left, &right])?;
        let Some(result) = known.result else {
            return Ok((Expression::null(mainstay_vm::Type::I32), None));
        };
        let arithmetic = match operator {
            BinaryOperator::Add => Some(ArithmeticOp::Add),
            BinaryOperator::Subtract => Some(ArithmeticOp::Subtract),
            BinaryOperator::Multiply => Some(ArithmeticOp::Multiply),
            BinaryOperator::Divide => Some(ArithmeticOp::Divide),
            BinaryOperator::Modulo => Some(ArithmeticOp::Remainder),
            _ => None,
        };
        let ty = storage_type(result);
        let is_plain = self.reading.is_plain;
        if let Some(op) = arithmetic
            && is_native(result)
            && is_plain
        {
            let (left, right) = (self.converted(left, result)?, self.converted(right, result)?);
            return Ok((Expression::arithmetic(ty, op, left, right), Some(result)));
        }
        let is_joining = matches!(operator, BinaryOperator::Add | BinaryOperator::Concatenate) && result.is_text();
        let are_texts = is_text(&left) && is_text(&right) && left.1.is_some() && right.1.is_some();
        if is_plain
            && is_joining
            && are_texts
            && let Some(unit) = unit_of(result)
        {
            let parts = vec![left.0, right.0];
            let kind = ExpressionKind::Concat { parts, null_as_empty: false, unit };
            return Ok((Expression::new(ty, kind), Some(result)));
        }
        let arguments = vec![left.0, right.0];
        Ok((self.bound_call(known, arguments, ty), Some(result)))
    }

    fn case(&mut self, case: &Case) -> Result<Typed, Box<Message>> {
        reduce::check_case(case).map_err(|message| self.located(message))?;
        let mut arms = Vec::with_capacity(case.branches.len());
        for (when, then) in &case.branches {
            let when = match &case.operand {
                Some(operand) => self.comparison(operand, BinaryOperator::Equal, when)?,
                None => self.condition(when)?,
            };
            arms.push((when, self.value(then)?));
        }
        let otherwise = case.otherwise.as_ref().map(|value| self.value(value)).transpose()?;
        let types = arms.iter().map(|(_, then)| then.1).chain(otherwise.iter().map(|typed| typed.1));
        let result = mainstay_tsql_types::types::of_all(types).map_err(|message| self.located(message))?;
        let data_type = result.unwrap_or(DataType::Int);
        let arms = arms
            .into_iter()
            .map(|(when, then)| Ok((when, self.converted(then, data_type)?)))
            .collect::<Result<Vec<_>, Box<Message>>>()?;
        let otherwise = otherwise.map(|typed| self.converted(typed, data_type)).transpose()?.map(Box::new);
        Ok((Expression::new(storage_type(data_type), ExpressionKind::Case { arms, otherwise }), result))
    }

    fn cast(&mut self, cast: &Cast) -> Result<Typed, Box<Message>> {
        let data_type = self.data_type(&cast.data_type, mainstay_tsql_types::types::Declared::Cast)?;
        let name = match cast.kind {
            CastKind::Cast => "cast",
            CastKind::TryCast => "try_cast",
            CastKind::Parse => "parse",
            CastKind::TryParse => "try_parse",
            CastKind::Convert => "convert",
            CastKind::TryConvert => "try_convert",
        };
        let mut arguments = vec![&cast.value];
        arguments.extend(cast.style.as_ref());
        self.operation(&format!("{name}:{data_type}"), &arguments)
    }

    fn call(&mut self, call: &Call) -> Result<Typed, Box<Message>> {
        let name = call.name.last().to_ascii_lowercase();
        if call.arguments.is_empty() && reduce::session_function(&name).is_some() {
            return self.session(&name);
        }
        if let [Argument::Trim(side, characters, value)] = &call.arguments[..] {
            let name = side.as_ref().map_or("trim", reduce::trim_function);
            let mut arguments = vec![value];
            arguments.extend(characters.as_ref());
            return self.operation(name, &arguments);
        }
        let mut arguments = Vec::new();
        for argument in &call.arguments {
            match argument {
                Argument::Value(value) => arguments.push(value),
                _ => return Err(self.located(reduce::not_supported("Arguments of this form"))),
            }
        }
        if let Some(function) = reduce::catalog_function(&name) {
            let values = arguments.iter().map(|value| self.value(value)).collect::<Result<Vec<_>, _>>()?;
            let statement = self.action(Action::Catalog(function), self.span, &[], &[]);
            let arguments = values.into_iter().map(|(value, _)| value).collect();
            let text = Arc::from(function.name);
            let kind = ExpressionKind::HostCall { statement, text, arguments };
            return Ok((Expression::new(storage_type(function.data_type), kind), Some(function.data_type)));
        }
        match (name.as_str(), &arguments[..]) {
            ("coalesce", _) => self.coalesce(&arguments),
            ("isnull", [first, second]) => {
                let (first, second) = (self.value(first)?, self.value(second)?);
                let Some(data_type) = first.1.or(second.1) else { return Ok(first) };
                let list = vec![self.converted(first, data_type)?, self.converted(second, data_type)?];
                Ok((Expression::new(storage_type(data_type), ExpressionKind::Coalesce(list)), Some(data_type)))
            }
            ("nullif", [left, right]) => {
                reduce::check_nullif(left).map_err(|message| self.located(message))?;
                let when = Expr::Binary(Box::new((*left).clone()), BinaryOperator::Equal, Box::new((*right).clone()));
                self.choice(when, Expr::Literal(Literal::Null), (*left).clone())
            }
            ("iif", [condition, yes, no]) => self.choice((*condition).clone(), (*yes).clone(), (*no).clone()),
            (datepart, [Expr::Column(part), rest @ ..]) if reduce::is_datepart_function(datepart) => {
                self.operation(&format!("{name}:{}", part.last().to_ascii_lowercase()), rest)
            }
            _ => self.operation(&reduce::json_operation(&name, call, &arguments), &arguments),
        }
    }

    fn choice(&mut self, condition: Expr, yes: Expr, no: Expr) -> Result<Typed, Box<Message>> {
        self.case(&Case { operand: None, branches: vec![(condition, yes)], otherwise: Some(no) })
    }

    fn coalesce(&mut self, arguments: &[&Expr]) -> Result<Typed, Box<Message>> {
        reduce::check_coalesce(arguments).map_err(|message| self.located(message))?;
        let list = arguments.iter().map(|value| self.value(value)).collect::<Result<Vec<_>, _>>()?;
        let result = mainstay_tsql_types::types::of_all(list.iter().map(|typed| typed.1));
        let result = result.map_err(|message| self.located(message))?;
        let data_type = result.unwrap_or(DataType::Int);
        let list = list.into_iter().map(|typed| self.converted(typed, data_type)).collect::<Result<_, _>>()?;
        Ok((Expression::new(storage_type(data_type), ExpressionKind::Coalesce(list)), result))
    }

    /// An operation of this name over these values.
    fn operation(&mut self, name: &str, arguments: &[&Expr]) -> Result<Typed, Box<Message>> {
        let arguments = arguments.iter().map(|value| self.value(value)).collect::<Result<Vec<_>, _>>()?;
        let known = self.bind(name, &arguments.iter().collect::<Vec<_>>())?;
        let ty = known.result.map_or(mainstay_vm::Type::Boolean, storage_type);
        let result = known.result;
        let arguments = arguments.into_iter().map(|(value, _)| value).collect();
        Ok((self.bound_call(known, arguments, ty), result))
    }

    fn bind(&self, name: &str, arguments: &[&Typed]) -> Result<Bound, Box<Message>> {
        let unknown = || {
            let text = format!("'{name}' is not a recognized built-in function name.");
            Message::error(195, text).severity(15).state(10)
        };
        let types: Vec<Option<DataType>> = arguments.iter().map(|(_, data_type)| *data_type).collect();
        let constant = |(expression, _): &&Typed| match &expression.kind {
            ExpressionKind::Constant(value) => Some(value.clone()),
            _ => None,
        };
        let constants: Vec<Option<Value>> = arguments.iter().map(constant).collect();
        let operation = mainstay_tsql_types::Operation::by_name(name).ok_or_else(unknown);
        operation.and_then(|operation| operation.bind(&types, &constants)).map_err(|message| self.located(message))
    }

    fn bound_call(&mut self, known: Bound, arguments: Vec<Expression>, ty: mainstay_vm::Type) -> Expression {
        let text: Arc<str> = Arc::from(known.name.as_str());
        let statement = self.action(Action::Operation(Arc::new(known)), self.span, &[], &[]);
        Expression::new(ty, ExpressionKind::HostCall { statement, text, arguments })
    }

    /// A call of the host that is given the variables of the statement.
    fn host_call(&mut self, action: Action, ty: mainstay_vm::Type) -> Expression {
        let variables = match &action {
            Action::Session(_) => Vec::new(),
            _ => self.mentioned(self.span),
        };
        let statement = self.action(action, self.span, &variables, &[]);
        let arguments = variables.iter().map(|(_, slot, _)| Expression::slot(&self.routine, *slot)).collect();
        Expression::new(ty, ExpressionKind::HostCall { statement, text: Arc::from("query"), arguments })
    }

    /// A value brought to a type by an implicit conversion.
    fn converted(&mut self, (value, from): Typed, to: DataType) -> Result<Expression, Box<Message>> {
        let ty = storage_type(to);
        let Some(from) = from else { return Ok(Expression::null(ty)) };
        if from == to {
            return Ok(value);
        }
        let widens = match (value.ty.width(), ty.width()) {
            (Some(own), Some(wide)) => wide.includes(own),
            (Some(_), None) => to == DataType::Float,
            _ => from == DataType::Real && to == DataType::Float,
        };
        if widens {
            return Ok(value.convert(ty));
        }
        let is_padded = matches!(to, DataType::Char(..) | DataType::NChar(_));
        if from.is_text()
            && to.is_text()
            && (to.is_national() || from.code_page() == to.code_page())
            && let Some(unit) = unit_of(to)
        {
            return Ok(value.fit(ty, unit, is_padded, false));
        }
        let known = self.bind(&format!("cast:{to}"), &[&(value.clone(), Some(from))])?;
        Ok(self.bound_call(known, vec![value], ty))
    }

    /// Returns true if a value can only be told by a query.
    pub(super) fn needs_query(&self, value: &Expr) -> bool {
        let inner = |value: &Expr| self.needs_query(value);
        match value {
            Expr::Column(_) | Expr::Subquery(_) | Expr::Exists(_) | Expr::Quantified(..) | Expr::NextValue(..) => true,
            Expr::Method(..) | Expr::TypeMethod(..) | Expr::FullText(_) | Expr::Star(_) | Expr::CurrentOf(_) => true,
            // Comparisons by another collation are left to the planner.
            Expr::Collate(..) => true,
            Expr::Unary(_, operand) => inner(operand),
            Expr::Binary(left, _, right) | Expr::AtTimeZone(left, right) => inner(left) || inner(right),
            Expr::And(parts) | Expr::Or(parts) => parts.iter().any(inner),
            Expr::Cast(cast) => inner(&cast.value) || cast.style.as_ref().is_some_and(inner),
            Expr::Case(case) => {
                let Case { operand, branches, otherwise } = case.as_ref();
                operand.iter().chain(otherwise).chain(branches.iter().flat_map(|(a, b)| [a, b])).any(inner)
            }
            Expr::Test(value, _, test) => {
                inner(value)
                    || match test {
                        Test::Null => false,
                        Test::DistinctFrom(other) => inner(other),
                        Test::Between(low, high) => inner(low) || inner(high),
                        Test::InList(items) => items.iter().any(inner),
                        Test::InQuery(_) => true,
                        Test::Like(pattern, escape) => inner(pattern) || escape.as_deref().is_some_and(inner),
                    }
            }
            Expr::Call(call) => self.call_needs_query(call),
            Expr::OdbcLiteral(..) => true,
            Expr::Literal(_) | Expr::Variable(_) | Expr::Niladic(_) | Expr::Default => false,
        }
    }

    fn call_needs_query(&self, call: &Call) -> bool {
        let is_special = call.name.parts.len() > 1 || call.over.is_some() || call.name.is("UPDATE");
        if is_special || call.name.parts.len() > 1 && self.types.is_scalar_function(&call.name) {
            return true;
        }
        let skipped = usize::from(reduce::is_datepart_function(&call.name.last().to_ascii_lowercase()));
        call.arguments.iter().skip(skipped).any(|argument| match argument {
            Argument::Value(value) => self.needs_query(value),
            // JSON_OBJECT has a grammar of its own.
            Argument::KeyValue(..) => true,
            Argument::Trim(_, what, value) => {
                what.as_ref().is_some_and(|what| self.needs_query(what)) || self.needs_query(value)
            }
        })
    }
}

/// Returns true if the machine has instructions for values of this type.
fn is_native(data_type: DataType) -> bool {
    matches!(data_type, DataType::TinyInt | DataType::SmallInt | DataType::Int | DataType::BigInt | DataType::Float)
}

fn is_text((_, data_type): &Typed) -> bool {
    data_type.is_none_or(DataType::is_text)
}
