//! SQL Server's order of UNIQUEIDENTIFIERs, which begins with the last six bytes.
//!
//! The core orders UUIDs like their text. Comparisons, orders and MIN of T-SQL use a key, the same bytes in the order
//! of their weight:
//!
//! ```text
//!   a < b, a BETWEEN b AND c              guid_key(a) < guid_key(b)
//!   ORDER BY a, OVER (ORDER BY a)         by guid_key(a)
//!   MIN(a)                                guid_of_key(min(guid_key(a)))
//! ```
//!
//! Equality needs no key, and finds its indexes; the keys of an index have the core's order, so conditions on the order
//! do not.
//!
//! The columns' declared types, or T-SQL's functions in the statement, mark T-SQL's UUIDs. So a column that was
//! declared in T-SQL has this order in the core's SQL, too, as text has that of its collation.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, FixedSizeBinaryBuilder};
use datafusion::arrow::datatypes::{DataType as ArrowType, Field, FieldRef};
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{Column, DFSchema, Result, ScalarValue, exec_err};
use datafusion::logical_expr::expr::{AggregateFunction, Between, FieldMetadata, ScalarFunction, Sort};
use datafusion::logical_expr::{
    Aggregate, BinaryExpr, ColumnarValue, Expr, ExprSchemable, LogicalPlan, Operator, Projection, ScalarFunctionArgs,
    ScalarUDF,
};
use mainstay_planner::dialect::{DECLARED, DialectFunction, PlanTree, Tree, scalar_function};
use mainstay_planner::tools::{any_node, by_peers, rewritten_node, schema_of, with_uuids};
use mainstay_tsql_types::DataType;
use mainstay_tsql_types::operators::{uuid_key, uuid_of_key};
use mainstay_types::{Value, ValueRef};
use std::sync::{Arc, LazyLock};

/// How many bytes a UUID has.
const BYTES: i32 = 16;

static KEY: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| scalar_function(Turn { to: To::Key }));
static OF_KEY: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| scalar_function(Turn { to: To::Uuid }));

/// The result of a function.
#[derive(Clone, Copy, Debug)]
enum To {
    /// The key of a UUID.
    Key,
    /// The UUID of a key.
    Uuid,
}

/// Puts the bytes of UUIDs in another order.
#[derive(Clone, Copy, Debug)]
struct Turn {
    to: To,
}

impl Turn {
    fn turned(&self, bytes: [u8; 16]) -> [u8; 16] {
        match self.to {
            To::Key => uuid_key(bytes),
            To::Uuid => uuid_of_key(bytes),
        }
    }

    fn of_array(&self, array: &ArrayRef) -> Result<ArrayRef> {
        let Some(uuids) = array.as_fixed_size_binary_opt() else {
            return exec_err!("{} of {}", self.name(), array.data_type());
        };
        let mut turned = FixedSizeBinaryBuilder::with_capacity(uuids.len(), BYTES);
        for uuid in uuids {
            match uuid.and_then(|bytes| bytes.try_into().ok()) {
                Some(bytes) => turned.append_value(self.turned(bytes))?,
                None => turned.append_null(),
            }
        }
        Ok(Arc::new(turned.finish()))
    }
}

impl DialectFunction for Turn {
    fn name(&self) -> &str {
        match self.to {
            To::Key => "guid_key",
            To::Uuid => "guid_of_key",
        }
    }

    fn is_volatile(&self) -> bool {
        false
    }

    fn field(&self, _: &[FieldRef], _: &[Option<&ScalarValue>]) -> Result<FieldRef> {
        Ok(Arc::new(Field::new(self.name(), ArrowType::FixedSizeBinary(BYTES), true)))
    }

    fn for_rows(&self) -> Option<Arc<dyn mainstay_row_executor::Function>> {
        Some(Arc::new(*self))
    }

    fn evaluate(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match arguments.args.as_slice() {
            [ColumnarValue::Array(array)] => self.of_array(array).map(ColumnarValue::Array),
            [ColumnarValue::Scalar(value)] => {
                let turned = self.of_array(&value.to_array()?)?;
                ScalarValue::try_from_array(&turned, 0).map(ColumnarValue::Scalar)
            }
            _ => exec_err!("{} takes one UUID", self.name()),
        }
    }
}

/// The same for the row executor.
impl mainstay_row_executor::Function for Turn {
    fn call(&self, arguments: &[ValueRef<'_>]) -> mainstay_types::Result<Value> {
        Ok(match arguments {
            [ValueRef::Uuid(uuid)] => Value::Uuid(self.turned(*uuid)),
            _ => Value::Null,
        })
    }
}

fn call(function: &Arc<ScalarUDF>, expr: Expr) -> Expr {
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::clone(function), vec![expr]))
}

/// The sort key of a UNIQUEIDENTIFIER.
pub(super) fn key(expr: Expr) -> Expr {
    call(&KEY, expr)
}

/// The UNIQUEIDENTIFIER of which this is the key.
pub(super) fn of_key(expr: Expr) -> Expr {
    call(&OF_KEY, expr)
}

fn is_key(expr: &Expr) -> bool {
    matches!(expr, Expr::ScalarFunction(call) if call.name() == KEY.name())
}

/// The plan with keys where UNIQUEIDENTIFIERs are ordered. With T-SQL's functions in it, all its UUIDs are such.
pub(super) fn ordered_by_keys(plan: LogicalPlan, is_transact: bool) -> Result<LogicalPlan> {
    let is_guid = |field: &Field| {
        let is_declared =
            || field.metadata().get(DECLARED).is_some_and(|name| *name == DataType::UniqueIdentifier.to_string());
        *field.data_type() == ArrowType::FixedSizeBinary(BYTES) && (is_transact || is_declared())
    };
    if !any_node(&plan, |node| node.schema().fields().iter().any(|field| is_guid(field))) {
        return Ok(plan);
    }
    plan.map_up_with_subqueries(|node| {
        let schema = schema_of(&node);
        rewritten_node(node, in_expression)?.transform_data(|node| match node {
            LogicalPlan::Sort(mut sort) => {
                by_keys(&mut sort.expr, &schema);
                Ok(Transformed::yes(LogicalPlan::Sort(sort)))
            }
            LogicalPlan::Aggregate(node) if node.aggr_expr.iter().any(|expr| is_extreme(expr, &schema)) => {
                extremes(node, &schema).map(Transformed::yes)
            }
            node => Ok(Transformed::no(node)),
        })
    })
    .data()
}

/// Returns true if an expression is MIN or MAX of UUIDs.
fn is_extreme(expr: &Expr, schema: &DFSchema) -> bool {
    match expr {
        Expr::Alias(alias) => is_extreme(&alias.expr, schema),
        Expr::AggregateFunction(call) => {
            matches!(call.func.name(), "min" | "max")
                && call.params.args.first().is_some_and(|arg| is_uuid(arg, schema))
        }
        _ => false,
    }
}

/// MIN and MAX of the core's SQL: those of the keys, and a projection above that makes UUIDs of them.
fn extremes(node: Aggregate, schema: &DFSchema) -> Result<LogicalPlan> {
    let Aggregate { input, group_expr, aggr_expr, schema: named, .. } = node;
    let groups = named.fields().len() - aggr_expr.len();
    let name = |place: usize| format!("#guid{place}");
    let mut places = Vec::new();
    let by_key = |(place, expr): (usize, Expr)| match expr {
        expr if !is_extreme(&expr, schema) => expr,
        expr => {
            places.push(groups + place);
            let Expr::AggregateFunction(mut call) = expr.unalias() else { return Expr::default() };
            call.params.args = call.params.args.into_iter().map(key).collect();
            Expr::AggregateFunction(call).alias(name(groups + place))
        }
    };
    let aggr_expr = aggr_expr.into_iter().enumerate().map(by_key).collect();
    let new = Aggregate::try_new(input, group_expr, aggr_expr)?;
    let mut projection = Vec::with_capacity(named.fields().len());
    for (place, (qualifier, field)) in named.iter().enumerate() {
        // The internal column of GROUPING is dropped once it is evaluated.
        if field.name() == Aggregate::INTERNAL_GROUPING_ID {
            continue;
        }
        projection.push(match places.contains(&place) {
            true => {
                let value = of_key(Expr::Column(Column::new_unqualified(name(place))));
                let metadata = Some(FieldMetadata::from(field.metadata().clone()));
                value.alias_qualified_with_metadata(qualifier.cloned(), field.name(), metadata)
            }
            false => Expr::Column(Column::from((qualifier, field))),
        });
    }
    Ok(LogicalPlan::Projection(Projection::try_new(projection, Arc::new(LogicalPlan::Aggregate(new)))?))
}

/// The expression with its comparisons, and the orders within it, by keys.
pub(super) fn in_expression(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    expr.map_up(|expr| ordered(expr, schema))
}

/// Returns true if an expression gives UUIDs, and not their keys.
fn is_uuid(expr: &Expr, schema: &DFSchema) -> bool {
    !is_key(expr) && expr.get_type(schema).is_ok_and(|of| of == ArrowType::FixedSizeBinary(BYTES))
}

fn by_keys(sorts: &mut [Sort], schema: &DFSchema) {
    for sort in sorts.iter_mut().filter(|sort| is_uuid(&sort.expr, schema)) {
        sort.expr = key(std::mem::take(&mut sort.expr));
    }
}

fn ordered(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let keyed = |expr: Box<Expr>| Box::new(key(*expr));
    // Of what is compared with a text that is one.
    Ok(match with_uuids(expr, schema)?.data {
        Expr::BinaryExpr(BinaryExpr { left, op, right })
            if matches!(op, Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq)
                && is_uuid(&left, schema)
                && is_uuid(&right, schema) =>
        {
            Transformed::yes(Expr::BinaryExpr(BinaryExpr { left: keyed(left), op, right: keyed(right) }))
        }
        Expr::Between(Between { expr, negated, low, high })
            if [&expr, &low, &high].iter().all(|part| is_uuid(part, schema)) =>
        {
            let (expr, low, high) = (keyed(expr), keyed(low), keyed(high));
            Transformed::yes(Expr::Between(Between { expr, negated, low, high }))
        }
        Expr::WindowFunction(mut function) => {
            by_keys(&mut function.params.order_by, schema);
            Transformed::yes(by_peers(function, schema).data)
        }
        Expr::AggregateFunction(AggregateFunction { func, mut params }) => {
            by_keys(&mut params.order_by, schema);
            Transformed::yes(Expr::AggregateFunction(AggregateFunction { func, params }))
        }
        other => Transformed::no(other),
    })
}
