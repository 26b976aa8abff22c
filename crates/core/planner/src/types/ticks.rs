//! The core's SQL over timestamps that DataFusion has no type for: `TIMESTAMP(7)` and `TIMESTAMP WITH TIME ZONE`.
//!
//! ```text
//!   column = TIMESTAMP '9999-12-31 23:59:59.9999999'      both sides, also texts, in the wider of the two types
//!   CASE, IN, BETWEEN                                     the same
//!   column + INTERVAL '1 day'                             in the column's type: all digits, in local time
//!   EXTRACT, date_trunc, column - column                  with all digits, of the local time: `clock`
//!   CAST(column AS VARCHAR), CAST('...' AS TIMESTAMP(7))  by the text, with all digits and the offset
//! ```
//!
//! The operators are replaced when they are planned, since DataFusion asks for their types at once. Its date functions
//! are wrapped until then ([`OverMoments`]); the rule removes the wrappers.
//!
//! Limits: to_char with the format of `strftime`, date_bin and other functions of a timestamp have microseconds, in
//! UTC. SUM and AVG of timestamps are refused.

use crate::analyze::char_columns::is_comparison;
use crate::carried_error::to_datafusion;
use crate::tree::nodes::{PlanTree, Tree};
use crate::tree::rewrite::schema_of;
use crate::tree::search::{any_expression, any_node};
use crate::types::date_parts::Part;
use crate::types::offset::{as_micros, as_offset, as_text, as_ticks, as_time};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, TimeUnit};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNodeRecursion};
use datafusion::common::{DFSchema, Result, ScalarValue, internal_err, plan_err};
use datafusion::logical_expr::expr::{InList, ScalarFunction};
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr, TypePlanner};
use datafusion::logical_expr::type_coercion::functions::fields_with_udf;
use datafusion::logical_expr::{
    Between, BinaryExpr, Case, Cast, ColumnarValue, Expr, ExprSchemable, LogicalPlan, Operator, ReturnFieldArgs,
    ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use datafusion::optimizer::AnalyzerRule;
use datafusion::sql::sqlparser::ast::{self, BinaryOperator, TimezoneInfo};
use mainstay_columnar::values::{OFFSET, TICKS};
use mainstay_types::{Code, Error, Value};
use std::sync::{Arc, LazyLock};

/// DataFusion's functions that take moments.
const FUNCTIONS: [&str; 11] = [
    "date_part",
    "datepart",
    "date_trunc",
    "datetrunc",
    "date_bin",
    "to_char",
    "date_format",
    "to_date",
    "to_timestamp",
    "to_unixtime",
    "to_local_time",
];

/// Those that are of what the clock of an offset shows.
const LOCAL: [&str; 3] = ["date_part", "datepart", "to_date"];

/// Plans operators, EXTRACT and the names of types.
#[derive(Debug)]
pub(crate) struct MomentPlanner;

/// Returns true if it is one of the two types.
pub(crate) fn is_ours(data_type: &DataType) -> bool {
    *data_type == TICKS || *data_type == OFFSET
}

/// The type in microseconds that DataFusion calculates with.
pub(crate) fn in_micros(data_type: &DataType) -> DataType {
    let zone = (*data_type == OFFSET).then(|| "+00:00".into());
    DataType::Timestamp(TimeUnit::Microsecond, zone)
}

impl TypePlanner for MomentPlanner {
    fn plan_type_field(&self, sql_type: &ast::DataType) -> Result<Option<FieldRef>> {
        if let Some(named) = crate::analyze::cast::named_type(sql_type)? {
            return Ok(Some(named));
        }
        let found = match sql_type {
            ast::DataType::Timestamp(Some(7), TimezoneInfo::None | TimezoneInfo::WithoutTimeZone) => TICKS,
            ast::DataType::Timestamp(_, TimezoneInfo::WithTimeZone | TimezoneInfo::Tz) => OFFSET,
            // As columns of this type have it, of all years.
            ast::DataType::Timestamp(_, _) | ast::DataType::Datetime(_) => {
                DataType::Timestamp(TimeUnit::Microsecond, None)
            }
            ast::DataType::Time(Some(_), TimezoneInfo::None | TimezoneInfo::WithoutTimeZone) => {
                DataType::Time64(TimeUnit::Nanosecond)
            }
            _ => return Ok(None),
        };
        Ok(Some(Arc::new(Field::new("", found, true))))
    }
}

impl ExprPlanner for MomentPlanner {
    fn plan_binary_op(&self, expr: RawBinaryExpr, schema: &DFSchema) -> Result<PlannerResult<RawBinaryExpr>> {
        use BinaryOperator as B;
        crate::planning_cancellation::check()?;
        let expr = crate::analyze::overflow::with_integers(expr, schema);
        let expr = match crate::types::wide_decimals::planned(expr, schema) {
            PlannerResult::Original(expr) => expr,
            planned => return Ok(planned),
        };
        let op = match expr.op {
            B::Eq => Operator::Eq,
            B::Spaceship => Operator::IsNotDistinctFrom,
            B::NotEq => Operator::NotEq,
            B::Lt => Operator::Lt,
            B::LtEq => Operator::LtEq,
            B::Gt => Operator::Gt,
            B::GtEq => Operator::GtEq,
            B::Plus => Operator::Plus,
            B::Minus => Operator::Minus,
            B::Multiply | B::Divide => return Ok(crate::types::moment_arithmetic::of_interval(expr, schema)),
            B::StringConcat => {
                let mut expr = crate::types::uuid::joined_to_texts(expr, schema);
                for side in [&mut expr.left, &mut expr.right] {
                    if side.get_type(schema).is_ok_and(|of| is_ours(&of)) {
                        *side = as_text(side.clone())?;
                    }
                }
                return Ok(PlannerResult::Original(expr));
            }
            _ => return Ok(PlannerResult::Original(expr)),
        };
        let RawBinaryExpr { op: written, left, right } = expr;
        let (left, right) = crate::types::moment_arithmetic::with_moments(op, left, right, schema);
        let (left, right) = match is_comparison(op) {
            true => crate::analyze::text_literals::read(left, right, schema)?,
            false => (left, right),
        };
        let of = |expr: &Expr| expr.get_type(schema).ok().filter(is_ours);
        if op == Operator::Minus && crate::types::moment_arithmetic::are_local(&left, &right, schema) {
            let difference =
                crate::types::date_parts::difference(brought(left, &TICKS, schema)?, brought(right, &TICKS, schema)?);
            return Ok(PlannerResult::Planned(difference));
        }
        if of(&left).is_none() && of(&right).is_none() {
            return Ok(PlannerResult::Original(RawBinaryExpr { op: written, left, right }));
        }
        if let Some(moved) = moved(op, &left, &right, schema) {
            return Ok(PlannerResult::Planned(moved));
        }
        let is_point = |expr: &Expr| text_of(expr).is_some() || expr.get_type(schema).is_ok_and(|it| is_point(&it));
        if op == Operator::Minus
            && is_point(&left)
            && is_point(&right)
            && let Some(to) = common([&left, &right].into_iter(), schema)
        {
            let difference =
                crate::types::date_parts::difference(brought(left, &to, schema)?, brought(right, &to, schema)?);
            return Ok(PlannerResult::Planned(difference));
        }
        let (left, right) = match is_comparison(op) {
            true => match common([&left, &right].into_iter(), schema) {
                Some(to) => (brought(left, &to, schema)?, brought(right, &to, schema)?),
                None => (left, right),
            },
            false => (plain(left, schema)?, plain(right, schema)?),
        };
        let (left, right) = (Box::new(left), Box::new(right));
        Ok(PlannerResult::Planned(Expr::BinaryExpr(BinaryExpr { left, op, right })))
    }

    fn plan_extract(&self, args: Vec<Expr>) -> Result<PlannerResult<Vec<Expr>>> {
        let function = over_moments(datafusion::functions::datetime::date_part());
        Ok(PlannerResult::Planned(Expr::ScalarFunction(ScalarFunction::new_udf(function, args))))
    }
}

/// A moment of ours and an interval that is added to it or taken from it.
fn moved(op: Operator, left: &Expr, right: &Expr, schema: &DFSchema) -> Option<Expr> {
    let of = |expr: &Expr| expr.get_type(schema).ok();
    let (is_moment, is_interval) = (
        |expr: &Expr| of(expr).is_some_and(|it| is_ours(&it)),
        |expr: &Expr| matches!(of(expr), Some(DataType::Interval(_))),
    );
    let (function, moment, interval) = match op {
        Operator::Plus if is_moment(left) && is_interval(right) => (&MOVED[0], left, right),
        Operator::Plus if is_interval(left) && is_moment(right) => (&MOVED[0], right, left),
        Operator::Minus if is_moment(left) && is_interval(right) => (&MOVED[1], left, right),
        _ => return None,
    };
    let args = vec![moment.clone(), interval.clone()];
    Some(Expr::ScalarFunction(ScalarFunction::new_udf(Arc::clone(function), args)))
}

/// A moment later, and earlier.
static MOVED: LazyLock<[Arc<ScalarUDF>; 2]> = LazyLock::new(|| {
    [("moment_plus", false), ("moment_minus", true)].map(|(name, back)| {
        let signature = Signature::user_defined(Volatility::Immutable);
        Arc::new(ScalarUDF::from(Moved { name, back, signature }))
    })
});

/// A moment by an interval later or earlier, in its own type. What its clock shows moves; the offset stays.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Moved {
    name: &'static str,
    back: bool,
    signature: Signature,
}

impl Moved {
    fn value(&self, moment: Value, interval: Value) -> Result<Value> {
        let Value::Interval(by) = interval else { return Ok(Value::Null) };
        let moved = match moment {
            Value::Timestamp(moment) => moment.moved(by, self.back).map(Value::Timestamp),
            Value::TimestampWithOffset { utc, offset_minutes } => {
                let local = utc.to_local(offset_minutes).moved(by, self.back);
                local.map(|local| Value::TimestampWithOffset { utc: local.to_utc(offset_minutes), offset_minutes })
            }
            _ => return Ok(Value::Null),
        };
        moved.ok_or_else(|| to_datafusion(Error::new(Code::InvalidValue, "a timestamp outside of the years 1 to 9999")))
    }
}

impl ScalarUDFImpl for Moved {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        Ok(types.to_vec())
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(types.first().cloned().unwrap_or(TICKS))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let to = args.return_field.data_type().clone();
        crate::types::date_parts::by_rows(&args, &to, |values| match values {
            [moment, interval] => self.value(moment.clone(), interval.clone()),
            _ => internal_err!("{} of two values", self.name),
        })
    }
}

/// The type that these are compared in; `None` if none of them is a moment of ours.
fn common<'e>(exprs: impl Iterator<Item = &'e Expr>, schema: &DFSchema) -> Option<DataType> {
    let (mut has_ours, mut has_zone) = (false, false);
    for expr in exprs {
        // A text read as a moment says nothing of its own.
        if text_of(expr).is_some() {
            continue;
        }
        let Ok(data_type) = expr.get_type(schema) else { continue };
        has_ours |= is_ours(&data_type);
        has_zone |= data_type == OFFSET || matches!(data_type, DataType::Timestamp(_, Some(_)));
    }
    has_ours.then_some(if has_zone { OFFSET } else { TICKS })
}

/// The text that an expression reads as a moment: a literal, or a parameter in the place of one.
fn text_of(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Cast(cast) if is_text_of_moment(cast) => Some(&cast.expr),
        other => is_text(other).then_some(other),
    }
}

/// Returns true if it is `TIMESTAMP '...'`.
pub(crate) fn is_text_of_moment(cast: &Cast) -> bool {
    is_moment(cast.field.data_type()) && is_text(&cast.expr) && !crate::analyze::cast::has_digits(cast)
}

fn is_text(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(value, _) => matches!(value, ScalarValue::Utf8(_) | ScalarValue::Utf8View(_)),
        Expr::Placeholder(placeholder) => placeholder.field.as_ref().is_some_and(|field| field.data_type().is_string()),
        _ => false,
    }
}

/// Returns true if it is a moment or a day.
fn is_point(data_type: &DataType) -> bool {
    is_moment(data_type) || *data_type == DataType::Date32
}

fn is_moment(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Timestamp(..)) || is_ours(data_type)
}

/// An expression in one of the two types, if it is a moment or a text.
fn brought(expr: Expr, to: &DataType, schema: &DFSchema) -> Result<Expr> {
    let expr = text_of(&expr).cloned().unwrap_or(expr);
    let of_type = expr.get_type(schema).unwrap_or(DataType::Null);
    let is_moment = of_type.is_string() || matches!(of_type, DataType::Timestamp(..) | DataType::Date32);
    match of_type == *to || of_type == DataType::Null {
        true => Ok(expr),
        false if !(is_moment || is_ours(&of_type)) => plan_err!("a moment cannot be compared with {of_type}"),
        false if *to == OFFSET => as_offset(expr),
        false => as_ticks(expr),
    }
}

/// A moment of ours as DataFusion calculates with it; others as they are.
fn plain(expr: Expr, schema: &DFSchema) -> Result<Expr> {
    match expr.get_type(schema) {
        Ok(data_type) if is_ours(&data_type) => as_micros(expr, data_type == OFFSET),
        _ => Ok(expr),
    }
}

/// The same as what its clock shows.
fn local(expr: Expr, schema: &DFSchema) -> Result<Expr> {
    match expr.get_type(schema) {
        Ok(data_type) if is_ours(&data_type) => as_micros(expr, false),
        _ => Ok(expr),
    }
}

/// The result of a function over a moment of ours: its type, and itself.
enum Own {
    Part(Part),
    Truncated,
}

impl Own {
    fn of(name: &str, first: Option<&ScalarValue>, moment: Option<&DataType>) -> Option<Own> {
        let moment = moment?;
        match name {
            "date_part" | "datepart" => Part::of(first?, moment).map(Own::Part),
            "date_trunc" | "datetrunc" if is_ours(moment) || *moment == in_micros(&TICKS) => Some(Own::Truncated),
            // As the first moment of the day, of any year.
            "date_trunc" | "datetrunc" if *moment == DataType::Date32 => Some(Own::Truncated),
            _ => None,
        }
    }
}

/// The function, wrapped so that it takes moments of ours, if it is one that takes moments at all.
pub(crate) fn wrapped(function: Arc<ScalarUDF>) -> Arc<ScalarUDF> {
    if FUNCTIONS.contains(&function.name()) { over_moments(function) } else { function }
}

fn over_moments(inner: Arc<ScalarUDF>) -> Arc<ScalarUDF> {
    let signature = Signature::user_defined(inner.signature().volatility);
    Arc::new(ScalarUDF::from(OverMoments { inner, signature }))
}

/// A function of DataFusion's, while its arguments may be moments that it does not know.
#[derive(Debug, PartialEq, Eq, Hash)]
struct OverMoments {
    inner: Arc<ScalarUDF>,
    signature: Signature,
}

impl ScalarUDFImpl for OverMoments {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        Ok(types.to_vec())
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        internal_err!("{} without its arguments", self.inner.name())
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let template = args.scalar_arguments.get(1).copied().flatten();
        if let Some(to) = crate::functions::by_template(self.inner.name(), template) {
            return Ok(Arc::new(Field::new(self.inner.name(), to, true)));
        }
        let moment = args.arg_fields.get(1);
        match Own::of(
            self.inner.name(),
            args.scalar_arguments.first().copied().flatten(),
            moment.map(|it| it.data_type()),
        ) {
            Some(Own::Part(part)) => {
                let data_type = part.data_type(moment.map_or(&TICKS, |moment| moment.data_type()));
                return Ok(Arc::new(Field::new(self.inner.name(), data_type, true)));
            }
            Some(Own::Truncated) => {
                let to = match moment.map(|moment| moment.data_type()) {
                    Some(DataType::Date32) => in_micros(&TICKS),
                    Some(to) => to.clone(),
                    None => TICKS,
                };
                return Ok(Arc::new(Field::new(self.inner.name(), to, true)));
            }
            None => {}
        }
        let is_local = LOCAL.contains(&self.inner.name());
        let known = |field: &FieldRef| match is_ours(field.data_type()) {
            true if is_local => Arc::new(field.as_ref().clone().with_data_type(in_micros(&TICKS))),
            true => Arc::new(field.as_ref().clone().with_data_type(in_micros(field.data_type()))),
            false => Arc::clone(field),
        };
        let fields: Vec<FieldRef> = args.arg_fields.iter().map(known).collect();
        let fields = fields_with_udf(&fields, self.inner.as_ref())?;
        let scalar_arguments = args.scalar_arguments;
        self.inner.return_field_from_args(ReturnFieldArgs { arg_fields: &fields, scalar_arguments })
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> Result<ColumnarValue> {
        internal_err!("{} is still wrapped", self.inner.name())
    }
}

/// Refuses plans in which DataFusion takes a moment of ours for the number that it is made of.
#[derive(Debug)]
pub(crate) struct NoNumbers;

impl AnalyzerRule for NoNumbers {
    fn name(&self) -> &str {
        "moments_are_no_numbers"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        if !concerns(&plan) {
            return Ok(plan);
        }
        plan.each_with_subqueries(|node| {
            let schema = schema_of(node);
            for expr in node.expressions() {
                expr.each(|expr| match expr {
                    Expr::Cast(cast) => {
                        let (from, to) = (cast.expr.get_type(&schema)?, cast.field.data_type());
                        let meets_another = |one: &DataType, other: &DataType| is_ours(one) && one != other;
                        match meets_another(&from, to) || (meets_another(to, &from) && from != DataType::Null) {
                            true => plan_err!("a moment meets {}", if is_ours(&from) { to } else { &from }),
                            false => Ok(TreeNodeRecursion::Continue),
                        }
                    }
                    _ => Ok(TreeNodeRecursion::Continue),
                })?;
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(plan)
    }
}

/// Returns true if moments of ours may be in a plan.
fn concerns(plan: &LogicalPlan) -> bool {
    any_node(plan, |node| match node {
        LogicalPlan::TableScan(scan) => scan.source.schema().fields().iter().any(|f| is_ours(f.data_type())),
        _ => any_expression(node, is_concerning),
    })
}

/// The plan with moments of ours in forms that its operators and functions take.
pub(crate) fn in_plan(plan: LogicalPlan) -> Result<LogicalPlan> {
    if !concerns(&plan) {
        return Ok(plan);
    }
    plan.map_up_with_subqueries(|node| crate::tree::rewrite::node(node, in_expression)).data()
}

fn is_concerning(expr: &Expr) -> bool {
    match expr {
        Expr::ScalarFunction(call) => call.func.inner().is::<OverMoments>(),
        Expr::Cast(cast) => is_ours(cast.field.data_type()),
        _ => false,
    }
}

/// The expression with moments of ours in forms that its operators and functions take.
pub(crate) fn in_expression(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    expr.map_up(|expr| replaced(expr, schema))
}

fn replaced(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let of = |expr: &Expr| expr.get_type(schema).ok().filter(is_ours);
    Ok(match expr {
        Expr::ScalarFunction(call) => match call.func.inner().downcast_ref::<OverMoments>() {
            Some(function) => {
                let func = Arc::clone(&function.inner);
                Transformed::yes(over_ours(func, call.args, schema)?)
            }
            None => Transformed::no(Expr::ScalarFunction(call)),
        },
        Expr::Between(Between { expr, negated, low, high }) => {
            match common([expr.as_ref(), &low, &high].into_iter(), schema) {
                Some(to) => {
                    let side = |side: Box<Expr>| brought(*side, &to, schema).map(Box::new);
                    Transformed::yes(Expr::Between(Between {
                        expr: side(expr)?,
                        negated,
                        low: side(low)?,
                        high: side(high)?,
                    }))
                }
                None => Transformed::no(Expr::Between(Between { expr, negated, low, high })),
            }
        }
        Expr::InList(InList { expr, list, negated }) => {
            match common(std::iter::once(expr.as_ref()).chain(&list), schema) {
                Some(to) => {
                    let list = list.into_iter().map(|item| brought(item, &to, schema)).collect::<Result<_>>()?;
                    let expr = Box::new(brought(*expr, &to, schema)?);
                    Transformed::yes(Expr::InList(InList { expr, list, negated }))
                }
                None => Transformed::no(Expr::InList(InList { expr, list, negated })),
            }
        }
        Expr::Case(case) => case_in(case, schema)?,
        Expr::Cast(cast) => match (of(&cast.expr), cast.field.data_type()) {
            (None, to) if is_ours(to) => Transformed::yes(brought(*cast.expr, &to.clone(), schema)?),
            (Some(from), to) if is_ours(to) => match from == *to {
                true => Transformed::yes(*cast.expr),
                false => Transformed::yes(brought(*cast.expr, &to.clone(), schema)?),
            },
            (Some(_), to) if to.is_string() => {
                let text = as_text(*cast.expr)?;
                Transformed::yes(Expr::Cast(Cast { expr: Box::new(text), ..cast }))
            }
            (Some(_), DataType::Time64(_)) => {
                let expr = Box::new(as_time(*cast.expr)?);
                Transformed::yes(Expr::Cast(Cast { expr, ..cast }))
            }
            (Some(_), DataType::Timestamp(_, None) | DataType::Date32) => {
                let expr = Box::new(local(*cast.expr, schema)?);
                Transformed::yes(Expr::Cast(Cast { expr, ..cast }))
            }
            (Some(_), DataType::Timestamp(..)) => {
                let expr = Box::new(plain(*cast.expr, schema)?);
                Transformed::yes(Expr::Cast(Cast { expr, ..cast }))
            }
            (Some(_), to) => return plan_err!("a moment cannot be cast to {to}"),
            (None, _) => Transformed::no(Expr::Cast(cast)),
        },
        Expr::AggregateFunction(call) if matches!(call.func.name(), "sum" | "avg") => {
            if call.params.args.first().and_then(of).is_some() {
                let name = call.func.name();
                let error = Error::new(Code::TypeMismatch, format!("{name} does not take times")).about(name);
                return Err(to_datafusion(error.hint("convert the argument first: CAST(x AS ...)")));
            }
            Transformed::no(Expr::AggregateFunction(call))
        }
        other => Transformed::no(other),
    })
}

/// A function of DataFusion's, or ours in its place.
fn over_ours(func: Arc<ScalarUDF>, args: Vec<Expr>, schema: &DFSchema) -> Result<Expr> {
    let first = match args.first() {
        Some(Expr::Literal(value, _)) => Some(value),
        _ => None,
    };
    let template = match args.get(1) {
        Some(Expr::Literal(value, _)) => Some(value),
        _ => None,
    };
    if args.len() == 2
        && crate::functions::by_template(func.name(), template).is_some()
        && let Some(call) = crate::functions::call(func.name(), args.clone())
    {
        return Ok(call);
    }
    let moment = args.get(1).and_then(|arg| arg.get_type(schema).ok());
    let own = Own::of(func.name(), first, moment.as_ref());
    Ok(match (own, <[Expr; 2]>::try_from(args)) {
        (Some(Own::Part(part)), Ok([_, moment])) => crate::types::date_parts::part(part, moment),
        (Some(Own::Truncated), Ok([unit, day])) if moment == Some(DataType::Date32) => {
            crate::types::date_parts::truncation(unit, datafusion::logical_expr::cast(day, in_micros(&TICKS)))
        }
        (Some(Own::Truncated), Ok([unit, moment])) => crate::types::date_parts::truncation(unit, moment),
        (_, args) => {
            let args = args.map_or_else(|args| args, Vec::from).into_iter();
            let known = |arg| if LOCAL.contains(&func.name()) { local(arg, schema) } else { plain(arg, schema) };
            let args = args.map(known).collect::<Result<_>>()?;
            Expr::ScalarFunction(ScalarFunction { func, args })
        }
    })
}

/// The results of a CASE in one type, and what it compares too.
fn case_in(case: Case, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let Case { expr, when_then_expr, else_expr } = case;
    let results = when_then_expr.iter().map(|(_, then)| then.as_ref()).chain(else_expr.as_deref());
    let of_results = common(results, schema);
    let compared = expr.iter().map(|base| base.as_ref()).chain(when_then_expr.iter().map(|(when, _)| when.as_ref()));
    let of_compared = common(compared, schema).filter(|_| expr.is_some());
    let to = |expr: Box<Expr>, to: &Option<DataType>| match to {
        Some(to) => brought(*expr, to, schema).map(Box::new),
        None => Ok(expr),
    };
    let branches = when_then_expr.into_iter().map(|(when, then)| Ok((to(when, &of_compared)?, to(then, &of_results)?)));
    let when_then_expr = branches.collect::<Result<Vec<_>>>()?;
    let expr = expr.map(|base| to(base, &of_compared)).transpose()?;
    let else_expr = else_expr.map(|otherwise| to(otherwise, &of_results)).transpose()?;
    let is_changed = of_results.is_some() || of_compared.is_some();
    let case = Expr::Case(Case { expr, when_then_expr, else_expr });
    Ok(if is_changed { Transformed::yes(case) } else { Transformed::no(case) })
}
