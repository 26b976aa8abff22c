//! T-SQL's aggregates in terms of the core's.
//!
//! ```text
//!   SUM(qty) of INT       sum(CAST(qty AS BIGINT)), and above it: as INT, or error 8115
//!   AVG(qty) of INT       sum(...) and count(...), and above them: their quotient, cut off
//!   COUNT(*)              count(1), and above it: as INT
//! ```
//!
//! So an aggregate becomes a few of the core's and an expression over them, which a projection above names as in the
//! statement. Aggregates over windows are rewritten the same way.

use super::PREFIX;
use super::function::failed;
use super::lower::Lowerer;
use super::typed::{By, Typed, call, convert};
use super::{guid, types};
use datafusion::arrow::datatypes::{DataType as ArrowType, FieldRef};
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{Column, DFSchema, ExprSchema, Result, internal_err, not_impl_err};
use datafusion::functions_aggregate::{average, count, first_last, min_max, stddev, sum, variance};
use datafusion::logical_expr::expr::{
    AggregateFunction, AggregateFunctionParams, FieldMetadata, WindowFunction, WindowFunctionParams,
};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::grouping_set_to_exprlist;
use datafusion::logical_expr::{
    Accumulator, Aggregate, AggregateUDF, AggregateUDFImpl, Expr, LogicalPlan, Projection, Signature, Volatility,
    Window, WindowFunctionDefinition, cast, lit,
};
use mainstay_planner::dialect::Tree;
use mainstay_planner::tools::{by_peers, has_case, string_agg_in_one_order};
use mainstay_tsql_types::{DataType, Length, Message, Settings};
use std::sync::Arc;

/// The names of T-SQL's aggregates, without their prefix.
const NAMES: [&str; 16] = [
    "count",
    "count_big",
    "sum",
    "avg",
    "min",
    "max",
    "stdev",
    "stdevp",
    "var",
    "varp",
    "string_agg",
    "single",
    "percentile_cont",
    "percentile_cont_desc",
    "percentile_disc",
    "percentile_disc_desc",
];

/// An aggregate of T-SQL. It is there to be planned with, and replaced before anything runs.
#[derive(Debug, PartialEq, Eq, Hash)]
struct TransactAggregate {
    /// As T-SQL knows it.
    function: &'static str,
    /// As the planner knows it.
    name: String,
    signature: Signature,
}

/// The aggregate of this name, which stands here without its prefix.
pub(crate) fn function(name: &str) -> Option<Arc<AggregateUDF>> {
    let (_, plain) = Settings::of_name(name);
    let function = NAMES.into_iter().find(|known| *known == plain)?;
    let signature = Signature::user_defined(Volatility::Immutable);
    // The planner gives a call another name when its function is called otherwise.
    let name = format!("{PREFIX}{name}");
    Some(Arc::new(AggregateUDF::from(TransactAggregate { function, name, signature })))
}

fn of(function: &AggregateUDF) -> Option<&TransactAggregate> {
    function.inner().downcast_ref::<TransactAggregate>()
}

/// Returns true if an aggregate is one of T-SQL's.
pub(super) fn is_ours(function: &AggregateUDF) -> bool {
    of(function).is_some()
}

/// The options that the name of an aggregate says.
pub(super) fn settings_of(function: &AggregateUDF) -> Option<Settings> {
    let name = of(function)?.name.strip_prefix(PREFIX)?;
    Some(Settings::of_name(name).0)
}

/// Returns true if a window function is one of T-SQL's aggregates.
pub(super) fn is_window(function: &WindowFunction) -> bool {
    match &function.fun {
        WindowFunctionDefinition::AggregateUDF(function) => is_ours(function),
        WindowFunctionDefinition::WindowUDF(_) => false,
    }
}

impl AggregateUDFImpl for TransactAggregate {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[ArrowType]) -> Result<Vec<ArrowType>> {
        Ok(types.to_vec())
    }

    fn return_type(&self, types: &[ArrowType]) -> Result<ArrowType> {
        Ok(types.first().cloned().unwrap_or(ArrowType::Int64))
    }

    fn return_field(&self, fields: &[FieldRef]) -> Result<FieldRef> {
        let argument = fields.first().and_then(|field| types::declared_type(field));
        match result(self.function, argument).map_err(failed)? {
            Some(data_type) => Ok(Arc::new(types::field(&self.name, data_type))),
            None => match fields.first() {
                Some(field) => Ok(Arc::clone(field)),
                None => internal_err!("{} without an argument", self.name),
            },
        }
    }

    fn accumulator(&self, _: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        not_impl_err!("{} here", self.name)
    }

    fn state_fields(&self, _: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        not_impl_err!("{} here", self.name)
    }
}

/// The type that an aggregate gives, from the reference pages of each; `None` for NULL.
fn result(name: &str, argument: Option<DataType>) -> Result<Option<DataType>, Message> {
    use DataType::*;
    let invalid = |data_type: DataType| {
        Message::error(8117, format!("Operand data type {} is invalid for {name} operator.", data_type.name()))
    };
    Ok(Some(match name {
        "count" => Int,
        "count_big" => BigInt,
        "percentile_cont" | "percentile_cont_desc" => match argument {
            Some(data_type) if !data_type.is_number() => return Err(invalid(data_type)),
            _ => Float,
        },
        "stdev" | "stdevp" | "var" | "varp" => match argument {
            Some(data_type) if !data_type.is_number() => return Err(invalid(data_type)),
            _ => Float,
        },
        "string_agg" => match argument {
            Some(NVarChar(Length::Max) | NText | Xml) => NVarChar(Length::Max),
            Some(VarChar(Length::Max, page) | Text(page)) => VarChar(Length::Max, page),
            Some(VarChar(_, page) | Char(_, page)) => VarChar(Length::Limited(8000), page),
            _ => NVarChar(Length::Limited(4000)),
        },
        "sum" | "avg" => match argument {
            None => return Ok(None),
            Some(TinyInt | SmallInt | Int) => Int,
            Some(BigInt) => BigInt,
            Some(Decimal { scale, .. }) if name == "sum" => Decimal { precision: 38, scale },
            Some(Decimal { scale, .. }) => Decimal { precision: 38, scale: scale.max(6) },
            Some(SmallMoney | Money) => Money,
            Some(Real | Float) => Float,
            Some(other) => return Err(invalid(other)),
        },
        "min" | "max" => match argument {
            Some(data_type @ (Bit | Xml | Text(_) | NText | Image)) => return Err(invalid(data_type)),
            _ => return Ok(argument),
        },
        _ => return Ok(argument),
    }))
}

/// Collects the core's aggregates that stand for T-SQL's.
struct Parts {
    exprs: Vec<Expr>,
    prefix: &'static str,
}

impl Parts {
    /// Adds an expression unless it is there already, and gives the column that it will be.
    fn add_once(&mut self, expr: Expr) -> Expr {
        let known = self.exprs.iter().position(|known| matches!(known, Expr::Alias(alias) if *alias.expr == expr));
        match known {
            Some(place) => Expr::Column(Column::new_unqualified(format!("{}{place}", self.prefix))),
            None => self.add(expr),
        }
    }

    /// Adds an expression, and gives the column that it will be.
    fn add(&mut self, expr: Expr) -> Expr {
        let name = format!("{}{}", self.prefix, self.exprs.len());
        self.exprs.push(expr.alias(name.clone()));
        Expr::Column(Column::new_unqualified(name))
    }
}

/// The surroundings of one aggregate: DISTINCT, FILTER, order, and perhaps a window.
trait Around {
    /// A call of a function of the core in the same surroundings.
    fn call(&self, function: Arc<AggregateUDF>, args: Vec<Expr>) -> Expr;
}

struct InGroup<'p>(&'p AggregateFunctionParams);

impl Around for InGroup<'_> {
    fn call(&self, func: Arc<AggregateUDF>, args: Vec<Expr>) -> Expr {
        Expr::AggregateFunction(AggregateFunction { func, params: AggregateFunctionParams { args, ..self.0.clone() } })
    }
}

struct InWindow<'p>(&'p WindowFunctionParams);

impl Around for InWindow<'_> {
    fn call(&self, function: Arc<AggregateUDF>, args: Vec<Expr>) -> Expr {
        let fun = WindowFunctionDefinition::AggregateUDF(function);
        let params = WindowFunctionParams { args, ..self.0.clone() };
        Expr::WindowFunction(Box::new(WindowFunction { fun, params }))
    }
}

/// The expression over the core's aggregates that stands for one of T-SQL's.
fn expression(
    name: &str,
    args: Vec<Typed>,
    settings: Settings,
    around: &dyn Around,
    parts: &mut Parts,
) -> Result<Typed> {
    let argument = args.first().and_then(|arg| arg.data_type);
    let data_type = result(name, argument).map_err(failed)?;
    let by = args.first().map_or(By::DEFAULT, |arg| arg.by);
    let exprs: Vec<Expr> = args.iter().map(|arg| arg.expr.clone()).collect();
    let typed = |expr: Expr, data_type: Option<DataType>| Typed { expr, data_type, by };
    let mut core = |function: Arc<AggregateUDF>, args: Vec<Expr>| parts.add(around.call(function, args));
    let float = |expr: &Expr| vec![cast(expr.clone(), ArrowType::Float64)];
    let first = exprs.first().cloned().unwrap_or_else(|| lit(1i64));
    match name {
        "count" => convert(typed(core(count::count_udaf(), exprs), Some(DataType::BigInt)), DataType::Int, settings),
        "count_big" => Ok(typed(core(count::count_udaf(), exprs), data_type)),
        "min" | "max" if data_type == Some(DataType::UniqueIdentifier) => {
            let function = if name == "min" { min_max::min_udaf() } else { min_max::max_udaf() };
            Ok(typed(guid::of_key(core(function, vec![guid::key(first)])), data_type))
        }
        "min" => Ok(typed(core(min_max::min_udaf(), exprs), data_type)),
        "max" => Ok(typed(core(min_max::max_udaf(), exprs), data_type)),
        "stdev" => Ok(typed(core(stddev::stddev_udaf(), float(&first)), data_type)),
        "stdevp" => Ok(typed(core(stddev::stddev_pop_udaf(), float(&first)), data_type)),
        "var" => Ok(typed(core(variance::var_samp_udaf(), float(&first)), data_type)),
        "varp" => Ok(typed(core(variance::var_pop_udaf(), float(&first)), data_type)),
        "string_agg" => {
            let mut given = exprs;
            // With the blanks at its end, which a column does not store.
            if let (Some(value), Some(DataType::Char(..) | DataType::NChar(_)), Some(to)) =
                (given.first_mut(), argument, data_type)
            {
                *value = convert(typed(value.clone(), argument), to, settings)?.expr;
            }
            let joined = typed(core(string_agg_in_one_order(), given), data_type);
            if data_type.is_some_and(|data_type| data_type.limit().is_some()) {
                return call("joined", vec![joined]);
            }
            Ok(joined)
        }
        "percentile_cont" | "percentile_cont_desc" => {
            let mut given = exprs;
            if let Some(value) = given.first_mut() {
                *value = cast(value.clone(), ArrowType::Float64);
            }
            Ok(typed(core(super::percentile::function(name), given), data_type))
        }
        "percentile_disc" | "percentile_disc_desc" => {
            Ok(typed(core(super::percentile::function(name), exprs), data_type))
        }
        "single" => {
            let value = core(first_last::first_value_udaf(), vec![first]);
            let rows = core(count::count_udaf(), vec![lit(1i64)]);
            call("single_value", vec![typed(value, data_type), typed(rows, Some(DataType::BigInt))])
        }
        "sum" | "avg" => {
            let Some(data_type) = data_type else { return Ok(typed(core(min_max::min_udaf(), exprs), None)) };
            if data_type == DataType::Float {
                let function = if name == "sum" { sum::sum_udaf() } else { average::avg_udaf() };
                return Ok(typed(core(function, float(&first)), Some(data_type)));
            }
            let (wide, sum_type) = widened(argument, first.clone());
            let total = typed(core(sum::sum_udaf(), vec![wide]), Some(sum_type));
            if name == "sum" {
                return convert(total, data_type, settings);
            }
            let rows = typed(core(count::count_udaf(), vec![first]), Some(DataType::BigInt));
            call(&format!("{}average:{data_type}", settings.mark()), vec![total, rows])
        }
        other => internal_err!("no aggregate {other}"),
    }
}

/// The argument in a type whose sum cannot overflow, and the type of the sum.
fn widened(argument: Option<DataType>, expr: Expr) -> (Expr, DataType) {
    match argument {
        Some(DataType::BigInt) => {
            (cast(expr, ArrowType::Decimal128(28, 0)), DataType::Decimal { precision: 38, scale: 0 })
        }
        Some(DataType::Decimal { scale, .. }) => (expr, DataType::Decimal { precision: 38, scale }),
        Some(DataType::Money | DataType::SmallMoney) => (expr, DataType::Decimal { precision: 29, scale: 4 }),
        _ => (cast(expr, ArrowType::Int64), DataType::BigInt),
    }
}

/// The metadata of an expression's field.
fn metadata_of(typed: &Typed) -> Option<FieldMetadata> {
    let data_type = typed.data_type?;
    Some(FieldMetadata::from(types::metadata_collated(data_type, typed.by.collation)))
}

/// The metadata of the grouping expressions, now that the types of the input are known.
fn grouped_types(group_expr: &[Expr], lowerer: &Lowerer<'_>) -> Result<Vec<Option<FieldMetadata>>> {
    let of = |expr: &Expr| match expr {
        Expr::Column(column) => {
            let field = lowerer.schema.field_from_column(column).ok();
            Ok(field.map(|field| FieldMetadata::from(field.metadata().clone())))
        }
        expr => Ok(metadata_of(&lowerer.lower(expr.clone())?)),
    };
    grouping_set_to_exprlist(group_expr).unwrap_or_default().into_iter().map(of).collect()
}

/// An aggregate node over the core's aggregates, with a projection above that has the names and types of T-SQL's.
pub(super) fn lowered(node: Aggregate, lowerer: &Lowerer<'_>) -> Result<LogicalPlan> {
    let Aggregate { input, group_expr, aggr_expr, schema, .. } = node;
    let grouped = grouped_types(&group_expr, lowerer)?;
    let group_expr = group_expr.into_iter().map(|expr| Ok(lowerer.lower(expr)?.expr)).collect::<Result<Vec<_>>>()?;
    let mut parts = Parts { exprs: Vec::new(), prefix: "#a" };
    let mut below = Parts { exprs: Vec::new(), prefix: "#o" };
    let mut results = Vec::with_capacity(aggr_expr.len());
    for expr in aggr_expr {
        results.push(match expr.unalias() {
            Expr::AggregateFunction(call) if is_ours(&call.func) => {
                let AggregateFunction { func, mut params } = call;
                let args = std::mem::take(&mut params.args);
                let args = args.into_iter().map(|arg| lowerer.lower(arg)).collect::<Result<Vec<_>>>()?;
                for sort in &mut params.order_by {
                    let by = lowerer.lower(sort.expr.clone())?.expr;
                    // Rows that are sorted by a CASE are not seen to be.
                    sort.expr = if has_case(&by) { below.add_once(by) } else { by };
                }
                let name = of(&func).map_or("", |function| function.function);
                expression(name, args, lowerer.settings, &InGroup(&params), &mut parts)?
            }
            other => {
                let typed = lowerer.lower(other)?;
                Typed { expr: parts.add(typed.expr), ..typed }
            }
        });
    }
    let groups = schema.fields().len() - results.len();
    let new = Aggregate::try_new(with_columns(input, below.exprs)?, group_expr, parts.exprs)?;
    let mut projection = Vec::with_capacity(schema.fields().len());
    let known: Vec<Expr> = new.schema.iter().map(|field| Expr::Column(Column::from(field))).collect();
    for (place, (qualifier, field)) in schema.iter().enumerate() {
        // The internal column of GROUPING is dropped once it is evaluated.
        if field.name() == Aggregate::INTERNAL_GROUPING_ID {
            continue;
        }
        let (value, metadata) = match place.checked_sub(groups).and_then(|place| results.get(place)) {
            Some(typed) => (typed.expr.clone(), metadata_of(typed)),
            None => match known.get(place) {
                Some(column) => {
                    let known = grouped.get(place).cloned().flatten();
                    (column.clone(), known.or_else(|| Some(FieldMetadata::from(field.metadata().clone()))))
                }
                None => return internal_err!("a group without a column"),
            },
        };
        projection.push(value.alias_qualified_with_metadata(qualifier.cloned(), field.name(), metadata));
    }
    Ok(LogicalPlan::Projection(Projection::try_new(projection, Arc::new(LogicalPlan::Aggregate(new)))?))
}

/// The rows of a plan with these columns beside them.
fn with_columns(input: Arc<LogicalPlan>, columns: Vec<Expr>) -> Result<Arc<LogicalPlan>> {
    if columns.is_empty() {
        return Ok(input);
    }
    let known = input.schema().iter().map(|field| Expr::Column(Column::from(field)));
    let all = known.chain(columns).collect();
    Ok(Arc::new(LogicalPlan::Projection(Projection::try_new(all, input)?)))
}

/// All functions over windows in an expression by peers where their keys have no distances.
fn all_by_peers(expr: Expr, schema: &DFSchema) -> Result<Expr> {
    let changed = expr.map_up(|expr| match expr {
        Expr::WindowFunction(function) => Ok(by_peers(function, schema)),
        expr => Ok(Transformed::no(expr)),
    });
    changed.data()
}

/// A window node over the core's aggregates, with a projection above.
pub(super) fn lowered_window(node: Window, lowerer: &Lowerer<'_>) -> Result<LogicalPlan> {
    let Window { input, window_expr, schema } = node;
    let mut parts = Parts { exprs: Vec::new(), prefix: "#w" };
    let mut results = Vec::with_capacity(window_expr.len());
    for expr in window_expr {
        results.push(match expr.unalias() {
            Expr::WindowFunction(call) if is_window(&call) => {
                let WindowFunction { fun, mut params } = *call;
                let args = std::mem::take(&mut params.args);
                let args = args.into_iter().map(|arg| lowerer.lower(arg)).collect::<Result<Vec<_>>>()?;
                for expr in &mut params.partition_by {
                    *expr = lowerer.lower(expr.clone())?.expr;
                }
                for sort in &mut params.order_by {
                    sort.expr = lowerer.lower(sort.expr.clone())?.expr;
                }
                let name = match &fun {
                    WindowFunctionDefinition::AggregateUDF(function) => {
                        of(function).map_or("", |function| function.function)
                    }
                    WindowFunctionDefinition::WindowUDF(_) => "",
                };
                expression(name, args, lowerer.settings, &InWindow(&params), &mut parts)?
            }
            other => {
                let typed = lowerer.lower(other)?;
                Typed { expr: parts.add(typed.expr), ..typed }
            }
        });
    }
    let inputs = schema.fields().len() - results.len();
    let exprs = parts.exprs.into_iter().map(|expr| all_by_peers(expr, input.schema()));
    let new = Window::try_new(exprs.collect::<Result<_>>()?, input)?;
    let mut projection = Vec::with_capacity(schema.fields().len());
    for (place, (qualifier, field)) in schema.iter().enumerate() {
        // It went with the aggregate below ([`lowered`]).
        if place < inputs && field.name() == Aggregate::INTERNAL_GROUPING_ID {
            continue;
        }
        projection.push(match place.checked_sub(inputs).and_then(|place| results.get(place)) {
            Some(typed) => {
                let metadata = metadata_of(typed);
                typed.expr.clone().alias_qualified_with_metadata(qualifier.cloned(), field.name(), metadata)
            }
            None => Expr::Column(Column::from((qualifier, field))),
        });
    }
    Ok(LogicalPlan::Projection(Projection::try_new(projection, Arc::new(LogicalPlan::Window(new)))?))
}
