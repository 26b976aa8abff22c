//! From an optimized plan to a block of the row executor.
//!
//! ```text
//!   Limit? <- Sort? <- Projection* <- Filter? <- Aggregate? <- Projection*, Filter* <- joins <- tables
//! ```
//!
//! A plan of this form over native tables is one block: columns of the operators above are replaced by what they stand for,
//! until every expression names tables. Whatever has another form, or an expression or type that the row executor does not
//! know, stays with the batch executor: `None`, everywhere here, means that.

use crate::condition::{comparison, value_of};
use crate::planner::Planner;
use crate::relation::{Visibility, table_of};
use crate::text::Text;
use crate::{Catalog, Delete, Update};
use arrow_schema::{DataType, SchemaRef, TimeUnit};
use datafusion::common::{DFSchema, JoinType, NullEquality};
use datafusion::logical_expr::expr::{AggregateFunction, Placeholder};
use datafusion::logical_expr::{
    Aggregate as AggregateNode, BinaryExpr, Expr, ExprSchemable, FetchType, Join, Limit, LogicalPlan, Operator,
    SkipType, Sort, TableScan,
};
use datafusion::sql::sqlparser::ast::Statement;
use mainstay_base::{Result, Value};
use mainstay_rows::{Aggregate, Block, Call, Expression, Number, Operation, ParameterType, Plan, SortKey, Source};
use mainstay_table::Comparison;

/// A statement that the row executor runs. It belongs to one state of the catalog.
#[derive(Debug)]
pub struct Short {
    /// How.
    pub plan: Plan,
    /// The columns of its rows, as the user named them.
    pub schema: SchemaRef,
}

impl Planner {
    /// The query, with parameters `$1` and so on, for the row executor; `None` where that does not do it, or where the
    /// text has a mistake that planning it will tell.
    pub fn short_query(&self, source: &str, catalog: &dyn Catalog, visibility: Visibility) -> Result<Option<Short>> {
        let text = Text::new(source)?;
        text.check_length()?;
        if text.is_deep() || text.mentions("_deleted") {
            return Ok(None);
        }
        let statement = text.parse()?;
        let short = self.short(&text, statement, catalog, visibility, false);
        // A column of which only the parameter will tell the type.
        Ok(short.filter(|short| short.schema.fields().iter().all(|field| field.data_type() != &DataType::Null)))
    }

    /// The rows that an UPDATE changes, as [`Planner::plan_update`] gives them.
    pub fn short_update(&self, source: &str, update: &Update, catalog: &dyn Catalog) -> Result<Option<Short>> {
        let (text, statement) = crate::change::update_query(source, update, (crate::POSITION, &[]))?;
        Ok(self.short(&text, statement, catalog, Visibility::Live, true))
    }

    /// The rows that a DELETE ends, as [`Planner::plan_delete`] gives them.
    pub fn short_delete(&self, source: &str, delete: &Delete, catalog: &dyn Catalog) -> Result<Option<Short>> {
        let (text, statement) = crate::change::delete_query(source, delete, (crate::POSITION, &[]))?;
        Ok(self.short(&text, statement, catalog, Visibility::Live, true))
    }

    fn short(
        &self,
        text: &Text,
        statement: Statement,
        catalog: &dyn Catalog,
        visibility: Visibility,
        hidden_columns: bool,
    ) -> Option<Short> {
        let logical = self.logical_of_short(text, statement, catalog, visibility, hidden_columns)?;
        let (mut block, scope) = whole(&logical)?;
        block.output = scope.outputs;
        let schema = crate::planner::named_schema(logical.schema().inner(), text);
        Some(Short { plan: Plan::of(block)?, schema })
    }
}

/// What the columns of an operator stand for.
struct Scope<'p> {
    schema: &'p DFSchema,
    outputs: Vec<Expression>,
}

/// The whole of a plan: its block, and what its columns stand for.
fn whole(plan: &LogicalPlan) -> Option<(Block, Scope<'_>)> {
    match plan {
        LogicalPlan::Limit(limit) => limited(limit),
        LogicalPlan::Sort(sort) => sorted(sort),
        LogicalPlan::Projection(projection) => {
            let (mut block, scope) = whole(&projection.input)?;
            let outputs = projection.expr.iter().map(|expr| scope.output(expr, &mut block));
            let outputs = outputs.collect::<Option<_>>()?;
            Some((block, Scope { schema: &projection.schema, outputs }))
        }
        LogicalPlan::SubqueryAlias(alias) => {
            let (block, scope) = whole(&alias.input)?;
            Some((block, Scope { schema: &alias.schema, ..scope }))
        }
        LogicalPlan::Filter(filter) => {
            let (mut block, scope) = whole(&filter.input)?;
            if is_ended(&block) {
                return None;
            }
            let mut conditions = Vec::new();
            scope.conditions(&filter.predicate, &mut block, &mut conditions)?;
            match &block.aggregate {
                Some(_) => block.having.extend(conditions),
                None => block.conditions.extend(conditions),
            }
            Some((block, scope))
        }
        LogicalPlan::Aggregate(aggregate) => grouped(aggregate),
        LogicalPlan::Join(join) => joined(join),
        LogicalPlan::TableScan(scan) => table(scan),
        LogicalPlan::EmptyRelation(empty) => {
            empty.produce_one_row.then(|| (Block::default(), Scope { schema: &empty.schema, outputs: Vec::new() }))
        }
        _ => None,
    }
}

/// Whether rows have been ordered or counted out: conditions and joins come before that.
fn is_ended(block: &Block) -> bool {
    !block.order.is_empty() || block.fetch.is_some() || block.skip > 0
}

fn limited(limit: &Limit) -> Option<(Block, Scope<'_>)> {
    let (mut block, scope) = whole(&limit.input)?;
    let (Ok(SkipType::Literal(skip)), Ok(FetchType::Literal(fetch))) = (limit.get_skip_type(), limit.get_fetch_type())
    else {
        return None;
    };
    // What is there counts the rows that this one leaves out.
    if block.skip > 0 || block.fetch.is_some_and(|known| fetch.is_none_or(|fetch| known < skip.saturating_add(fetch))) {
        return None;
    }
    (block.skip, block.fetch) = (skip, fetch);
    Some((block, scope))
}

fn sorted(sort: &Sort) -> Option<(Block, Scope<'_>)> {
    let (mut block, scope) = whole(&sort.input)?;
    if is_ended(&block) {
        return None;
    }
    for key in &sort.expr {
        if !is_comparable(&key.expr.get_type(scope.schema).ok()?) {
            return None;
        }
        let expression = scope.expression(&key.expr, &mut block)?;
        block.order.push(SortKey { expression, descending: !key.asc, nulls_first: key.nulls_first });
    }
    block.fetch = sort.fetch;
    Some((block, scope))
}

fn grouped(aggregate: &AggregateNode) -> Option<(Block, Scope<'_>)> {
    let (mut block, scope) = whole(&aggregate.input)?;
    if is_ended(&block) || block.aggregate.is_some() {
        return None;
    }
    let mut keys = Vec::with_capacity(aggregate.group_expr.len());
    for key in &aggregate.group_expr {
        // Doubles that are equal may differ in their bits.
        if matches!(key.get_type(scope.schema).ok()?, DataType::Float16 | DataType::Float32 | DataType::Float64) {
            return None;
        }
        keys.push(scope.expression(key, &mut block)?);
    }
    let calls = aggregate.aggr_expr.iter().map(|call| scope.call(call, &mut block)).collect::<Option<Vec<_>>>()?;
    let outputs = (0..keys.len() + calls.len()).map(Expression::Result).collect();
    block.aggregate = Some(Aggregate { keys, calls });
    Some((block, Scope { schema: &aggregate.schema, outputs }))
}

fn joined(join: &Join) -> Option<(Block, Scope<'_>)> {
    let (left, right) = match join.join_type {
        JoinType::Inner | JoinType::Left => (&join.left, &join.right),
        JoinType::Right => (&join.right, &join.left),
        _ => return None,
    };
    let ((mut block, left), (inner, right)) = (whole(left)?, whole(right)?);
    let is_plain = |block: &Block| !is_ended(block) && block.aggregate.is_none() && !block.sources.is_empty();
    if !is_plain(&block) || !is_plain(&inner) || join.null_equality != NullEquality::NullEqualsNothing {
        return None;
    }
    let offset = block.sources.len();
    let is_outer = join.join_type != JoinType::Inner;
    // What an outer join fills up with NULL is one table's columns.
    let is_column = |output: &Expression| matches!(output, Expression::Column { .. });
    if is_outer && (inner.sources.len() != 1 || !right.outputs.iter().all(is_column)) {
        return None;
    }
    // An inner join whose right side has outer joins would move their tables.
    if inner.sources.iter().any(|source| source.outer.is_some()) {
        return None;
    }
    merge_parameters(&mut block, &inner)?;
    let moved = |mut expression: Expression| {
        expression.shift(offset);
        expression
    };
    let right_outputs: Vec<Expression> = right.outputs.into_iter().map(moved).collect();
    let mut conditions: Vec<Expression> = inner.conditions.into_iter().map(moved).collect();
    let (left_outputs, is_swapped) = (left.outputs, join.join_type == JoinType::Right);
    let outputs = match is_swapped {
        true => right_outputs.iter().chain(&left_outputs).cloned().collect(),
        false => left_outputs.iter().chain(&right_outputs).cloned().collect(),
    };
    // The schema of the join has the columns of both, in the order in which it was written.
    let (a, b) = match is_swapped {
        true => (right_outputs, left_outputs),
        false => (left_outputs, right_outputs),
    };
    let a = Scope { schema: join.left.schema(), outputs: a };
    let b = Scope { schema: join.right.schema(), outputs: b };
    for (of_left, of_right) in &join.on {
        if !is_comparable(&of_left.get_type(a.schema).ok()?) || !is_comparable(&of_right.get_type(b.schema).ok()?) {
            return None;
        }
        let (left, right) = (a.expression(of_left, &mut block)?, b.expression(of_right, &mut block)?);
        conditions.push(Expression::compare(Comparison::Equal, left, right));
    }
    let scope = Scope { schema: &join.schema, outputs };
    if let Some(filter) = &join.filter {
        scope.conditions(filter, &mut block, &mut conditions)?;
    }
    let mut sources = inner.sources;
    match is_outer {
        true => sources.iter_mut().for_each(|source| source.outer = Some(std::mem::take(&mut conditions))),
        false => block.conditions.append(&mut conditions),
    }
    block.sources.append(&mut sources);
    Some((block, scope))
}

fn merge_parameters(block: &mut Block, other: &Block) -> Option<()> {
    for (number, declared) in other.parameters.iter().enumerate() {
        declare(block, number, *declared)?;
    }
    Some(())
}

/// Notes the type of a parameter; one that has two types has none.
fn declare(block: &mut Block, number: usize, declared: ParameterType) -> Option<()> {
    if block.parameters.len() <= number {
        block.parameters.resize(number + 1, ParameterType::Unknown);
    }
    let known = &mut block.parameters[number];
    if *known == ParameterType::Unknown {
        *known = declared;
    }
    (declared == ParameterType::Unknown || *known == declared).then_some(())
}

fn table(scan: &TableScan) -> Option<(Block, Scope<'_>)> {
    let mut block = Block::default();
    block.sources.push(Source { table: table_of(&scan.source)?, outer: None });
    let schema = scan.source.schema();
    let column = |column: usize| Expression::Column { source: 0, column };
    let all = DFSchema::try_from_qualified_schema(scan.table_name.clone(), &schema).ok()?;
    let whole = Scope { schema: &all, outputs: (0..schema.fields().len()).map(column).collect() };
    let mut conditions = Vec::new();
    for filter in &scan.filters {
        whole.conditions(filter, &mut block, &mut conditions)?;
    }
    block.conditions = conditions;
    let outputs = match &scan.projection {
        Some(columns) => columns.iter().map(|number| column(*number)).collect(),
        None => whole.outputs,
    };
    // A limit of the scan is only a hint: it stands above, too.
    Some((block, Scope { schema: &scan.projected_schema, outputs }))
}

impl Scope<'_> {
    /// The parts of a condition that are joined by AND.
    fn conditions(&self, condition: &Expr, block: &mut Block, into: &mut Vec<Expression>) -> Option<()> {
        match condition {
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => {
                self.conditions(left, block, into)?;
                self.conditions(right, block, into)
            }
            Expr::Between(between) if !between.negated => {
                let value = self.expression(&between.expr, block)?;
                let (low, high) = (self.compared(&between.low, block)?, self.compared(&between.high, block)?);
                self.is_comparable(&between.expr)?;
                into.push(Expression::compare(Comparison::GreaterOrEqual, value.clone(), low));
                into.push(Expression::compare(Comparison::LessOrEqual, value, high));
                Some(())
            }
            other => {
                into.push(self.expression(other, block)?);
                Some(())
            }
        }
    }

    /// An operand of a comparison.
    fn compared(&self, expr: &Expr, block: &mut Block) -> Option<Expression> {
        self.is_comparable(expr)?;
        self.expression(expr, block)
    }

    fn is_comparable(&self, expr: &Expr) -> Option<()> {
        is_comparable(&expr.get_type(self.schema).ok()?).then_some(())
    }

    /// An expression that is only handed on: so may be a parameter of which nothing says what it is.
    fn output(&self, expr: &Expr, block: &mut Block) -> Option<Expression> {
        match expr {
            Expr::Alias(alias) => self.output(&alias.expr, block),
            Expr::Placeholder(Placeholder { id, field: None }) => {
                let number = crate::statement::parameter_number(id)?;
                declare(block, number, ParameterType::Any)?;
                Some(Expression::Parameter(number))
            }
            other => self.expression(other, block),
        }
    }

    fn number(&self, expr: &Expr) -> Option<Number> {
        number(&expr.get_type(self.schema).ok()?)
    }

    fn expression(&self, expr: &Expr, block: &mut Block) -> Option<Expression> {
        Some(match expr {
            Expr::Alias(alias) => self.expression(&alias.expr, block)?,
            Expr::Column(column) => self.outputs.get(self.schema.index_of_column(column).ok()?)?.clone(),
            Expr::Literal(value, _) => Expression::Constant(value_of(value)?),
            Expr::Placeholder(placeholder) => parameter(placeholder, block)?,
            Expr::BinaryExpr(binary) => self.binary(expr, binary, block)?,
            Expr::Not(inner) => Expression::Not(self.boxed(inner, block)?),
            Expr::IsNull(inner) => Expression::IsNull(self.boxed(inner, block)?),
            Expr::IsNotNull(inner) => Expression::Not(Box::new(Expression::IsNull(self.boxed(inner, block)?))),
            Expr::IsTrue(inner) => Expression::Is(self.boxed(inner, block)?, true),
            Expr::IsFalse(inner) => Expression::Is(self.boxed(inner, block)?, false),
            Expr::IsNotTrue(inner) => Expression::Not(Box::new(Expression::Is(self.boxed(inner, block)?, true))),
            Expr::IsNotFalse(inner) => Expression::Not(Box::new(Expression::Is(self.boxed(inner, block)?, false))),
            Expr::Between(between) => {
                let mut parts = Vec::new();
                let positive = Expr::Between(datafusion::logical_expr::Between { negated: false, ..between.clone() });
                self.conditions(&positive, block, &mut parts)?;
                match between.negated {
                    true => Expression::Not(Box::new(Expression::And(parts))),
                    false => Expression::And(parts),
                }
            }
            Expr::InList(list) => {
                self.is_comparable(&list.expr)?;
                let expression = self.boxed(&list.expr, block)?;
                let items = list.list.iter().map(|item| self.compared(item, block)).collect::<Option<_>>()?;
                Expression::In { expression, list: items, negated: list.negated }
            }
            Expr::Negative(inner) => {
                let (to, right) = (self.number(expr)?, self.boxed(inner, block)?);
                let zero = match to {
                    // The sign of a double is turned around even for zero.
                    Number::Double => return None,
                    _ => Box::new(Expression::Constant(Value::Integer(0))),
                };
                Expression::Calculate { operation: Operation::Subtract, left: zero, right, to }
            }
            Expr::Cast(cast) => {
                let (from, to) = (cast.expr.get_type(self.schema).ok()?, cast.field.data_type());
                self.cast(&cast.expr, &from, to, block)?
            }
            Expr::Case(case) => self.case(case, block)?,
            Expr::ScalarFunction(call) => match (call.name(), call.args.as_slice()) {
                ("checked_add", [left, right]) => self.checked(Operation::Add, (expr, left, right), block)?,
                ("checked_subtract", [left, right]) => self.checked(Operation::Subtract, (expr, left, right), block)?,
                ("checked_multiply", [left, right]) => self.checked(Operation::Multiply, (expr, left, right), block)?,
                ("rtrim", [text]) => Expression::Trim(self.boxed(text, block)?),
                ("coalesce", parts) => {
                    Expression::Coalesce(parts.iter().map(|part| self.expression(part, block)).collect::<Option<_>>()?)
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    fn boxed(&self, expr: &Expr, block: &mut Block) -> Option<Box<Expression>> {
        self.expression(expr, block).map(Box::new)
    }

    fn binary(&self, whole: &Expr, binary: &BinaryExpr, block: &mut Block) -> Option<Expression> {
        let BinaryExpr { left, op, right } = binary;
        let comparison = match op {
            Operator::And => {
                return Some(Expression::And(vec![self.expression(left, block)?, self.expression(right, block)?]));
            }
            Operator::Or => {
                return Some(Expression::Or(vec![self.expression(left, block)?, self.expression(right, block)?]));
            }
            Operator::Plus | Operator::Minus | Operator::Multiply | Operator::Divide | Operator::Modulo => {
                return self.calculation(whole, binary, block);
            }
            op => comparison(*op)?,
        };
        Some(Expression::compare(comparison, self.compared(left, block)?, self.compared(right, block)?))
    }

    fn calculation(&self, whole: &Expr, binary: &BinaryExpr, block: &mut Block) -> Option<Expression> {
        let to = self.number(whole)?;
        let (of_left, of_right) = (self.number(&binary.left)?, self.number(&binary.right)?);
        let operation = match binary.op {
            Operator::Plus => Operation::Add,
            Operator::Minus => Operation::Subtract,
            Operator::Multiply => Operation::Multiply,
            Operator::Divide => Operation::Divide,
            _ => Operation::Remainder,
        };
        let fits = match (to, of_left, of_right) {
            (Number::Integer(_), Number::Integer(_), Number::Integer(_)) => true,
            (Number::Double, Number::Double, Number::Double) => true,
            (Number::Decimal { scale, .. }, Number::Decimal { scale: a, .. }, Number::Decimal { scale: b, .. }) => {
                match operation {
                    Operation::Add | Operation::Subtract => a <= scale && b <= scale,
                    Operation::Multiply => a + b == scale,
                    _ => false,
                }
            }
            _ => false,
        };
        let (left, right) = (self.boxed(&binary.left, block)?, self.boxed(&binary.right, block)?);
        fits.then_some(Expression::Calculate { operation, left, right, to })
    }

    /// An operator over whole numbers that looks whether they fit: here all do.
    fn checked(
        &self,
        operation: Operation,
        (whole, left, right): (&Expr, &Expr, &Expr),
        block: &mut Block,
    ) -> Option<Expression> {
        let Some(to @ Number::Integer(_)) = self.number(whole) else { return None };
        let (left, right) = (self.boxed(left, block)?, self.boxed(right, block)?);
        Some(Expression::Calculate { operation, left, right, to })
    }

    fn cast(&self, expr: &Expr, from: &DataType, to: &DataType, block: &mut Block) -> Option<Expression> {
        let is_text = |kind: &DataType| matches!(kind, DataType::Utf8 | DataType::Utf8View | DataType::LargeUtf8);
        if from == to || (is_text(from) && is_text(to)) {
            return self.expression(expr, block);
        }
        if matches!((from, to), (DataType::Float32, DataType::Float64)) {
            return self.expression(expr, block);
        }
        let (from, number) = (number(from)?, number(to)?);
        let keeps_all = match (from, number) {
            (Number::Integer(from), Number::Integer(to)) => from <= to,
            (Number::Integer(_), Number::Decimal { .. } | Number::Double) => true,
            (Number::Decimal { scale: from, .. }, Number::Decimal { scale: to, .. }) => from <= to,
            // Up to here the double nearest to a decimal is the same, whichever way it is found.
            (Number::Decimal { precision, .. }, Number::Double) => precision <= 15,
            _ => false,
        };
        let expression = self.boxed(expr, block)?;
        keeps_all.then_some(Expression::Cast { expression, to: number })
    }

    fn case(&self, case: &datafusion::logical_expr::Case, block: &mut Block) -> Option<Expression> {
        let base = match &case.expr {
            Some(base) => Some(self.compared(base, block)?),
            None => None,
        };
        let mut branches = Vec::with_capacity(case.when_then_expr.len());
        for (when, then) in &case.when_then_expr {
            let when = match &base {
                Some(base) => Expression::compare(Comparison::Equal, base.clone(), self.compared(when, block)?),
                None => self.expression(when, block)?,
            };
            branches.push((when, self.expression(then, block)?));
        }
        let otherwise = match &case.else_expr {
            Some(otherwise) => Some(self.boxed(otherwise, block)?),
            None => None,
        };
        Some(Expression::Case { branches, otherwise })
    }

    fn call(&self, expr: &Expr, block: &mut Block) -> Option<Call> {
        let call = match expr {
            Expr::Alias(alias) => return self.call(&alias.expr, block),
            Expr::AggregateFunction(call) => call,
            _ => return None,
        };
        let AggregateFunction { func, params } = call;
        if params.distinct || params.filter.is_some() || !params.order_by.is_empty() || params.null_treatment.is_some()
        {
            return None;
        }
        let [argument] = params.args.as_slice() else { return None };
        let is_constant = |expr: &Expr| matches!(expr, Expr::Literal(value, _) if !value.is_null());
        Some(match func.name() {
            "count" if is_constant(argument) => Call::Rows,
            "count" => Call::Count(self.expression(argument, block)?),
            "sum" => Call::Sum(self.summand(argument, block)?, self.number(expr)?),
            "avg" => Call::Average(self.summand(argument, block)?, self.number(expr)?),
            "min" => Call::Least(self.compared(argument, block)?),
            "max" => Call::Greatest(self.compared(argument, block)?),
            _ => return None,
        })
    }

    fn summand(&self, argument: &Expr, block: &mut Block) -> Option<Expression> {
        self.number(argument)?;
        self.expression(argument, block)
    }
}

fn parameter(placeholder: &Placeholder, block: &mut Block) -> Option<Expression> {
    let number = crate::statement::parameter_number(&placeholder.id)?;
    let declared = match placeholder.field.as_ref()?.data_type() {
        DataType::Int8 => ParameterType::Integer(8),
        DataType::Int16 => ParameterType::Integer(16),
        DataType::Int32 => ParameterType::Integer(32),
        DataType::Int64 => ParameterType::Integer(64),
        DataType::Decimal128(precision, scale) => {
            ParameterType::Decimal { precision: *precision, scale: u8::try_from(*scale).ok()? }
        }
        DataType::Float64 => ParameterType::Double,
        DataType::Boolean => ParameterType::Boolean,
        DataType::Utf8 | DataType::Utf8View | DataType::LargeUtf8 => ParameterType::Text,
        DataType::BinaryView => ParameterType::Binary,
        DataType::Date32 => ParameterType::Date,
        DataType::Timestamp(TimeUnit::Microsecond, None) => ParameterType::Timestamp(10),
        DataType::Timestamp(TimeUnit::Nanosecond, None) => ParameterType::Timestamp(1),
        _ => return None,
    };
    declare(block, number, declared)?;
    Some(Expression::Parameter(number))
}

fn number(data_type: &DataType) -> Option<Number> {
    Some(match data_type {
        DataType::Int8 => Number::Integer(8),
        DataType::Int16 => Number::Integer(16),
        DataType::Int32 => Number::Integer(32),
        DataType::Int64 => Number::Integer(64),
        DataType::Decimal128(precision, scale) => {
            Number::Decimal { precision: *precision, scale: u8::try_from(*scale).ok()? }
        }
        DataType::Float64 => Number::Double,
        _ => return None,
    })
}

/// Whether both executors compare values of a type in the same way.
fn is_comparable(data_type: &DataType) -> bool {
    use DataType::*;
    matches!(
        data_type,
        Boolean
            | Int8
            | Int16
            | Int32
            | Int64
            | Decimal128(..)
            | Float32
            | Float64
            | Utf8
            | Utf8View
            | LargeUtf8
            | BinaryView
            | Date32
            | Time64(_)
            | Timestamp(..)
            | FixedSizeBinary(16)
            | Null
    )
}
