//! Conditions and orders by computed values, for tables with indexes of such values.
//!
//! A condition that no kernel supports (`upper(name) = 'ADAMS'`) stays above the scan, and is applied there. Some
//! indexes are ordered by exactly that value, or by one that bounds it. So the scan passes such a condition to the
//! table, together with its own conditions, and reads only the rows that an index leaves:
//!
//! ```text
//!   Filter: upper(name) = 'ADAMS'                    Filter: upper(name) = 'ADAMS'
//!     TableScan: where=born > 1980-01-01      ->       TableScan: index=NAMEBORN of staff.cdx: ..., where=born > 1980-01-01
//! ```

use crate::analyze::collate::collation_of;
use crate::leaves::condition::{comparison, keeps_order, value_of};
use crate::leaves::scan::{Scan, TableScan};
use crate::parse::packed_views::DEFAULT_SEPARATOR;
use datafusion::arrow::datatypes::DataType;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{
    BinaryExpr, CastExpr, Column, InListExpr, IsNotNullExpr, IsNullExpr, LikeExpr, Literal, NotExpr,
};
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use mainstay_columnar::{Operation, Sought, Term, Test};
use mainstay_types::{Collation, Value};
use std::sync::Arc;

/// A scan, by itself or below a projection that computes values of its columns: the planner computes what a statement has twice
/// below the rest of it.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) leaf: &'a TableScan,
    pub(crate) projection: Option<&'a ProjectionExec>,
}

impl<'a> Source<'a> {
    /// The scan that a node is, or that is right below it.
    pub(crate) fn of(node: &'a Arc<dyn ExecutionPlan>) -> Option<Source<'a>> {
        match node.downcast_ref::<ProjectionExec>() {
            Some(projection) => {
                let leaf = projection.input().downcast_ref::<TableScan>()?;
                Some(Source { leaf, projection: Some(projection) })
            }
            None => node.downcast_ref::<TableScan>().map(|leaf| Source { leaf, projection: None }),
        }
    }

    pub(crate) fn scan(self) -> &'a Scan {
        self.leaf.scan.as_ref()
    }

    /// The expression over the scan that a column is computed from.
    pub(crate) fn computed(self, expr: &Arc<dyn PhysicalExpr>) -> Option<&'a Arc<dyn PhysicalExpr>> {
        let column = expr.downcast_ref::<Column>()?;
        Some(&self.projection?.expr().get(column.index())?.expr)
    }

    fn data_type(self, expr: &Arc<dyn PhysicalExpr>) -> Option<DataType> {
        match self.projection {
            Some(projection) => expr.data_type(&projection.schema()).ok(),
            None => expr.data_type(&self.scan().schema).ok(),
        }
    }

    /// The column of the table that an expression is.
    fn column(self, expr: &Arc<dyn PhysicalExpr>) -> Option<usize> {
        match self.computed(expr) {
            Some(computed) => Source { projection: None, ..self }.column(computed),
            None if self.projection.is_some() => None,
            None => self.scan().columns.get(expr.downcast_ref::<Column>()?.index()).copied(),
        }
    }
}

/// The filter above a scan that reads what an index leaves of its rows, if one does.
pub(crate) fn with_access(node: &Arc<dyn ExecutionPlan>, filter: &FilterExec) -> Option<Arc<dyn ExecutionPlan>> {
    let source = Source::of(filter.input())?;
    let (scan, table) = (source.scan(), &source.scan().source.table);
    if scan.limit.is_some() || !table.has_computed_keys() {
        return None;
    }
    let above = Some(sought(filter.predicate(), source)).filter(|sought| !sought.is_any())?;
    let all = match &scan.source.predicate {
        Some(predicate) => Sought::And(vec![Sought::from(predicate), above]),
        None => above,
    };
    let access = table.access_of(&all, scan.source.visible_only())?;
    let mut input: Arc<dyn ExecutionPlan> = Arc::new(source.leaf.clone().with_access(access));
    if source.projection.is_some() {
        input = replace_children_if_necessary(Arc::clone(filter.input()), vec![input]).ok()?;
    }
    replace_children_if_necessary(Arc::clone(node), vec![input]).ok()
}

/// The keys of a scan's rows that can satisfy a condition.
fn sought(condition: &Arc<dyn PhysicalExpr>, source: Source<'_>) -> Sought {
    let parts = |expr: &BinaryExpr| vec![sought(expr.left(), source), sought(expr.right(), source)];
    match condition.downcast_ref::<BinaryExpr>() {
        Some(expr) if *expr.op() == Operator::And => Sought::And(parts(expr)),
        Some(expr) if *expr.op() == Operator::Or => Sought::Or(parts(expr)),
        _ => match leaf(condition, source) {
            Some((Side::Term(term), test)) => Sought::Leaf(term, test),
            Some((Side::WithoutCase(term), test)) => Sought::without_case(term, test),
            None => Sought::Any,
        },
    }
}

/// The side of a condition that is not constant.
enum Side {
    Term(Term),
    /// The sort key of a term without case: the other side is a key, too.
    WithoutCase(Term),
}

/// The term of a side. Of sort keys only those of fields of records, which have no blanks at their end that keys leave out.
fn side(expr: &Arc<dyn PhysicalExpr>, source: Source<'_>) -> Option<Side> {
    if let Some(computed) = source.computed(expr)
        && source.column(expr).is_none()
    {
        return side(computed, Source { projection: None, ..source });
    }
    let call = expr.downcast_ref::<ScalarFunctionExpr>().filter(|call| call.args().len() == 1);
    match call.filter(|call| collation_of(call.name()) == Some(Collation::CaseInsensitive)) {
        Some(call) => term(&call.args()[0], source).filter(is_field).map(Side::WithoutCase),
        None => term(expr, source).map(Side::Term),
    }
}

fn is_field(term: &Term) -> bool {
    matches!(term, Term::Field { .. })
}

fn leaf(condition: &Arc<dyn PhysicalExpr>, source: Source<'_>) -> Option<(Side, Test)> {
    if let Some(expr) = condition.downcast_ref::<BinaryExpr>() {
        let op = comparison(*expr.op())?;
        let (computed, op, value) = match (constant(expr.left()), constant(expr.right())) {
            (None, Some(value)) => (expr.left(), op, value),
            (Some(value), None) => (expr.right(), op.mirrored(), value),
            _ => return None,
        };
        return (value != Value::Null).then(|| Some((side(computed, source)?, Test::Compare(op, value))))?;
    }
    if let Some(list) = condition.downcast_ref::<InListExpr>().filter(|list| !list.negated()) {
        let values: Option<Vec<Value>> = list.list().iter().map(constant).collect();
        return Some((side(list.expr(), source)?, Test::In(values?)));
    }
    if let Some(like) = condition.downcast_ref::<LikeExpr>().filter(|like| !like.negated() && !like.case_insensitive())
    {
        let Some(Value::Text(pattern)) = constant(like.pattern()) else { return None };
        return Some((side(like.expr(), source)?, Test::Like(pattern)));
    }
    if let Some(expr) = condition.downcast_ref::<IsNullExpr>() {
        return plain(expr.arg(), source).map(|column| (Side::Term(column), Test::Null));
    }
    if let Some(expr) = condition.downcast_ref::<IsNotNullExpr>() {
        return plain(expr.arg(), source).map(|column| (Side::Term(column), Test::NotNull));
    }
    if let Some(expr) = condition.downcast_ref::<NotExpr>() {
        return truth(expr.arg(), source, false);
    }
    truth(condition, source, true)
}

fn plain(expr: &Arc<dyn PhysicalExpr>, source: Source<'_>) -> Option<Term> {
    source.column(expr).map(Term::Column)
}

fn truth(expr: &Arc<dyn PhysicalExpr>, source: Source<'_>, value: bool) -> Option<(Side, Test)> {
    let column = plain(expr, source)?;
    (source.data_type(expr)? == DataType::Boolean).then_some((Side::Term(column), Test::Truth(value)))
}

fn constant(expr: &Arc<dyn PhysicalExpr>) -> Option<Value> {
    value_of(expr.downcast_ref::<Literal>()?.value())
}

/// The value that an expression over the columns of a scan is, if tables have a word for it.
pub(crate) fn term(expr: &Arc<dyn PhysicalExpr>, source: Source<'_>) -> Option<Term> {
    if let Some(column) = plain(expr, source) {
        return Some(column);
    }
    if let Some(computed) = source.computed(expr) {
        return term(computed, Source { projection: None, ..source });
    }
    if let Some(cast) = expr.downcast_ref::<CastExpr>() {
        let (from, to) = (source.data_type(cast.expr())?, cast.cast_type());
        let keeps = is_text(&from) && is_text(to) || is_exact(&from) && is_exact(to) && keeps_order(&from, to);
        return keeps.then(|| term(cast.expr(), source))?;
    }
    if let Some(literal) = expr.downcast_ref::<Literal>() {
        return value_of(literal.value())?.as_decimal().map(Term::Number);
    }
    if let Some(expr) = expr.downcast_ref::<BinaryExpr>() {
        let operation = match expr.op() {
            Operator::Plus => Operation::Plus,
            Operator::Minus => Operation::Minus,
            Operator::Multiply => Operation::Times,
            _ => return None,
        };
        let side = |side: &Arc<dyn PhysicalExpr>| {
            is_exact(&source.data_type(side)?).then(|| term(side, source).map(Box::new))?
        };
        return Some(Term::Arithmetic(operation, side(expr.left())?, side(expr.right())?));
    }
    call(expr.downcast_ref::<ScalarFunctionExpr>()?, source)
}

/// A function that xBase has too.
fn call(call: &ScalarFunctionExpr, source: Source<'_>) -> Option<Term> {
    let (name, arguments) = (call.name(), call.args());
    // A dialect's function may be one of xBase.
    let of_dialect = crate::dialect::with_prefix(name).and_then(|(dialect, name)| dialect.key_function(name));
    let name = of_dialect.unwrap_or(name);
    let size = |place: usize| match constant(arguments.get(place)?)? {
        Value::Integer(number) => usize::try_from(number).ok(),
        _ => None,
    };
    let inner = |place: usize| term(arguments.get(place)?, source).map(Box::new);
    let is_of = |place: usize, kind: fn(&DataType) -> bool| {
        arguments.get(place).and_then(|argument| source.data_type(argument)).is_some_and(|of| kind(&of))
    };
    let count = arguments.len();
    Some(match name {
        "upper" | "ucase" if count == 1 => Term::Upper(inner(0)?),
        "lower" | "lcase" if count == 1 => Term::Lower(inner(0)?),
        "left" if count == 2 => Term::Part { text: inner(0)?, start: 0, length: Some(size(1)?) },
        "substr" | "substring" if count == 2 || count == 3 => {
            let length = if count == 3 { Some(size(2)?) } else { None };
            Term::Part { text: inner(0)?, start: size(1)?.checked_sub(1)?, length }
        }
        "rtrim" if count == 1 => Term::Trimmed { text: inner(0)?, start: false },
        "btrim" | "trim" | "alltrim" if count == 1 => Term::Trimmed { text: inner(0)?, start: true },
        "rpad" | "padr" if count == 2 && is_of(0, is_text) => Term::Padded { text: inner(0)?, length: size(1)? },
        "str" | "strzero" if (1..=3).contains(&count) && is_of(0, is_exact) => {
            let width = if count > 1 { Some(size(1)?) } else { None };
            let decimals = if count > 2 { size(2)? } else { 0 };
            Term::Digits { number: inner(0)?, width, decimals, zeros: name == "strzero" }
        }
        "dtos" if count == 1 && is_of(0, is_date) => Term::DayDigits(inner(0)?),
        "to_char" if count == 2 && is_of(0, is_date) => {
            let is_compact = constant(&arguments[1]) == Some(Value::Text("YYYYMMDD".to_owned()));
            is_compact.then(|| inner(0).map(Term::DayDigits))??
        }
        "field_text" if (2..=4).contains(&count) => {
            let separator = if count == 4 { u8::try_from(size(3)?).ok()? } else { DEFAULT_SEPARATOR };
            Term::Field { record: inner(0)?, number: u32::try_from(size(1)?).ok()?, separator }
        }
        "code_page_text" if count == 1 || count == 2 => Term::Characters(inner(0)?),
        "year" | "month" | "day" if count == 1 && is_of(0, is_date) => part_of_day(name, inner(0)?)?,
        "date_part" if count == 2 && is_of(1, is_date) => match constant(&arguments[0])? {
            Value::Text(part) => part_of_day(&part.to_lowercase(), inner(1)?)?,
            _ => return None,
        },
        _ => return None,
    })
}

fn part_of_day(name: &str, day: Box<Term>) -> Option<Term> {
    Some(match name {
        "year" => Term::Year(day),
        "month" => Term::Month(day),
        "day" => Term::Day(day),
        _ => return None,
    })
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn is_date(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Date32)
}

/// Returns true if numbers of the type are what they are written as.
fn is_exact(data_type: &DataType) -> bool {
    use DataType::{Decimal128, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32};
    matches!(data_type, Decimal128(_, 0..) | Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32)
}
