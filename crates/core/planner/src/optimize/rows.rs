//! Conversion of an optimized plan to a block of the row executor.
//!
//! ```text
//!   Limit? <- Sort? <- Projection* <- Filter? <- Aggregate?, Window* <- Projection*, Filter* <- joins <- tables
//! ```
//!
//! A plan of this form over native tables is one block: columns of the operators are replaced by their expressions,
//! until every expression refers to tables. A plan with another form, or with an expression or type that the row
//! executor does not support, goes to the batch executor: `None` always means that in this module.

mod called;
mod expression;
mod numbered;

use crate::leaves::relation::table_of;
use crate::parse::text::Text;
use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, SchemaRef};
use datafusion::common::{DFSchema, JoinType, NullEquality};
use datafusion::logical_expr::{
    Aggregate as AggregateNode, ExprSchemable, FetchType, Join, Limit, LogicalPlan, SkipType, Sort, TableScan,
};
use expression::is_comparable;
use mainstay_columnar::Comparison;
use mainstay_columnar::values::array_of;
use mainstay_row_executor::{Aggregate, Block, Buffer, Expression, ParameterType, Plan, Role, SortKey, Source};
use mainstay_types::{Code, Error, Result};
use std::sync::Arc;

/// A statement that the row executor runs. It belongs to one state of the catalog.
#[derive(Debug)]
pub struct Short {
    /// How.
    pub plan: Plan,
    /// The columns of its rows, as the user named them.
    pub schema: SchemaRef,
}

impl Short {
    /// The block of an optimized plan, if it is one for the row executor.
    pub(crate) fn of(logical: &LogicalPlan, text: &Text) -> Option<Short> {
        let (mut block, scope) = whole(logical)?;
        block.output = scope.outputs;
        let schema = crate::names::shown_names::named_schema(logical.schema().inner(), text);
        Some(Short { plan: Plan::of(block)?, schema })
    }

    /// Returns true if it has no column of which only the parameter will tell the type.
    pub(crate) fn has_known_types(&self) -> bool {
        self.schema.fields().iter().all(|field| field.data_type() != &DataType::Null)
    }

    /// Returns true if it is for statements that were not prepared, too: their rows are wanted in vectors, and the
    /// batch executor fills those faster where all rows of a table are looked at.
    pub(crate) fn is_for_texts(&self) -> bool {
        let is_known =
            |field: &arrow_schema::FieldRef| array_of(field.data_type(), &[]).data_type() == field.data_type();
        self.plan.is_brief() && self.schema.fields().iter().all(is_known)
    }

    /// The rows of a run as vectors.
    ///
    /// Errors: `Internal`.
    pub fn batch(&self, buffer: &Buffer) -> Result<RecordBatch> {
        let mut values = Vec::with_capacity(buffer.len());
        let columns = self.schema.fields().iter().enumerate().map(|(column, field)| {
            values.clear();
            values.extend((0..buffer.len()).map(|row| buffer.value(row, column)));
            array_of(field.data_type(), &values)
        });
        let columns = columns.collect();
        let options = RecordBatchOptions::new().with_row_count(Some(buffer.len()));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
            .map_err(|error| Error::new(Code::Internal, format!("rows that are no batch: {error}")))
    }
}

/// The expressions that the columns of an operator stand for.
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
            if block.numbered.is_some() {
                return numbered::chosen(&filter.predicate, block, scope);
            }
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
        LogicalPlan::Window(window) => numbered::numbered(window),
        LogicalPlan::Join(join) => joined(join),
        LogicalPlan::TableScan(scan) => table(scan),
        LogicalPlan::EmptyRelation(empty) => {
            empty.produce_one_row.then(|| (Block::default(), Scope { schema: &empty.schema, outputs: Vec::new() }))
        }
        _ => None,
    }
}

/// Returns true if rows have been ordered or counted out: conditions and joins come before that.
fn is_ended(block: &Block) -> bool {
    !block.order.is_empty() || block.fetch.is_some() || block.skip > 0 || block.numbered.is_some()
}

/// The limit of a block whose parameters say how many rows there are.
const UNKNOWN_ROWS: usize = usize::MAX / 2;

fn limited(limit: &Limit) -> Option<(Block, Scope<'_>)> {
    let (mut block, scope) = whole(&limit.input)?;
    let Ok(SkipType::Literal(skip)) = limit.get_skip_type() else { return None };
    let fetch = match (limit.get_fetch_type(), &limit.fetch) {
        (Ok(FetchType::Literal(fetch)), _) => fetch,
        // The parameter says how many: SELECT TOP (@n).
        (_, Some(rows)) if block.fetch.is_none() && block.skip == 0 => {
            let rows = Scope { schema: limit.input.schema(), outputs: Vec::new() }.expression(rows, &mut block)?;
            (rows.sources() == 0).then_some(())?;
            (block.skip, block.fetch, block.fetch_by) = (skip, Some(UNKNOWN_ROWS), Some(rows));
            return Some((block, scope));
        }
        _ => return None,
    };
    if block.fetch_by.is_some() {
        return None;
    }
    // The inner limit counts the rows that this one leaves out.
    if block.skip > 0 || block.fetch.is_some_and(|known| fetch.is_none_or(|fetch| known < skip.saturating_add(fetch))) {
        return None;
    }
    (block.skip, block.fetch) = (skip, fetch);
    Some((block, scope))
}

fn sorted(sort: &Sort) -> Option<(Block, Scope<'_>)> {
    let (mut block, scope) = whole(&sort.input)?;
    if !block.order.is_empty() || block.fetch.is_some() || block.skip > 0 {
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
        JoinType::LeftSemi | JoinType::LeftAnti | JoinType::RightSemi | JoinType::RightAnti => return existing(join),
        _ => return None,
    };
    let ((mut block, left), (inner, right)) = (whole(left)?, whole(right)?);
    let is_plain = |block: &Block| !is_ended(block) && block.aggregate.is_none() && !block.sources.is_empty();
    if !is_plain(&block) || !is_plain(&inner) || join.null_equality != NullEquality::NullEqualsNothing {
        return None;
    }
    let offset = block.sources.len();
    let is_outer = join.join_type != JoinType::Inner;
    // An outer join fills the columns of one table with NULL.
    let is_column = |output: &Expression| matches!(output, Expression::Column { .. });
    if is_outer && (inner.sources.len() != 1 || !right.outputs.iter().all(is_column)) {
        return None;
    }
    // An inner join whose right side has joins of other kinds would move their tables.
    if inner.sources.iter().any(|source| source.role.partner().is_some()) {
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
        true => sources.iter_mut().for_each(|source| source.role = Role::Outer(std::mem::take(&mut conditions))),
        false => block.conditions.append(&mut conditions),
    }
    block.sources.append(&mut sources);
    Some((block, scope))
}

/// Rows of one side that have a partner on the other, which is one table, or that have none.
fn existing(join: &Join) -> Option<(Block, Scope<'_>)> {
    let (kept, partner) = match join.join_type {
        JoinType::LeftSemi | JoinType::LeftAnti => (&join.left, &join.right),
        _ => (&join.right, &join.left),
    };
    let ((mut block, kept), (inner, partner)) = (whole(kept)?, whole(partner)?);
    let is_plain = |block: &Block| !is_ended(block) && block.aggregate.is_none() && !block.sources.is_empty();
    let is_one_table = matches!(inner.sources.as_slice(), [Source { role: Role::Inner, .. }]);
    // NOT IN keeps a row only where the other side has no NULL at all.
    if !is_plain(&block) || !is_plain(&inner) || !is_one_table || join.null_aware {
        return None;
    }
    if join.null_equality != NullEquality::NullEqualsNothing {
        return None;
    }
    merge_parameters(&mut block, &inner)?;
    let offset = block.sources.len();
    let moved = |mut expression: Expression| {
        expression.shift(offset);
        expression
    };
    let outputs: Vec<Expression> = partner.outputs.into_iter().map(moved).collect();
    let mut conditions: Vec<Expression> = inner.conditions.into_iter().map(moved).collect();
    let partner = Scope { schema: partner.schema, outputs };
    let is_swapped = matches!(join.join_type, JoinType::RightSemi | JoinType::RightAnti);
    for (of_left, of_right) in &join.on {
        let (of_kept, of_partner) = if is_swapped { (of_right, of_left) } else { (of_left, of_right) };
        let (left, right) = (kept.compared(of_kept, &mut block)?, partner.compared(of_partner, &mut block)?);
        conditions.push(Expression::compare(Comparison::Equal, left, right));
    }
    if let Some(filter) = &join.filter {
        let both = kept.schema.join(partner.schema).ok()?;
        let outputs = kept.outputs.iter().chain(&partner.outputs).cloned().collect();
        Scope { schema: &both, outputs }.conditions(filter, &mut block, &mut conditions)?;
    }
    let role = match join.join_type {
        JoinType::LeftSemi | JoinType::RightSemi => Role::Semi(conditions),
        _ => Role::Anti(conditions),
    };
    block.sources.extend(inner.sources.into_iter().map(|source| Source { role: role.clone(), ..source }));
    Some((block, Scope { schema: &join.schema, ..kept }))
}

fn merge_parameters(block: &mut Block, other: &Block) -> Option<()> {
    block.is_slow |= other.is_slow;
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
    block.sources.push(Source { table: table_of(&scan.source)?, role: Role::Inner });
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
