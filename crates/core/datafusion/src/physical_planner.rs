//! The translation of an optimized logical plan to operators.
//!
//! Each node becomes one operator, most of them in two lines below; grouping sets (`grouping`) and
//! joins (`join`) have their own files. Afterwards the session's rules are applied to the operators.
//!
//! ```text
//!   logical plan --> subqueries of one value --> operators, from the leaves up --> rules --> a plan that can run
//! ```
//!
//! An uncorrelated scalar subquery is a separate plan, which runs before the rest; the expressions then read its value
//! from a place that both share.
//!
//! Limits: statements that change something, EXPLAIN and COPY are not planned here; they give an error.

use crate::execution::SessionState;
use arrow::datatypes::Schema;
use datafusion_common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion_common::{DFSchema, DataFusionError, HashMap, Result, internal_err, not_impl_err, plan_err};
use datafusion_datasource::memory::MemorySourceConfig;
use datafusion_expr::expr::{NullTreatment, WindowFunction, physical_name};
use datafusion_expr::expr_rewriter::unnormalize_cols;
use datafusion_expr::logical_plan::{
    Aggregate, EmptyRelation, Extension, Filter, Limit, Projection, RecursiveQuery, Repartition, Sort, Subquery,
    TableScan, Unnest, Values, Window,
};
use datafusion_expr::physical_planning_context::{PhysicalPlanningContext, ScalarSubqueryResults, SubqueryIndex};
use datafusion_expr::{Expr, FetchType, LogicalPlan, SkipType, UserDefinedLogicalNode, WindowFrame, WindowFrameBound};
use datafusion_physical_expr::aggregate::{LoweredAggregate, LoweredAggregateBuilder};
use datafusion_physical_expr::{
    LexOrdering, PhysicalExpr, create_physical_expr, create_physical_exprs, create_physical_partitioning,
    create_physical_sort_exprs,
};
use datafusion_physical_optimizer::ConfigOnlyContext;
use datafusion_physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion_physical_plan::empty::EmptyExec;
use datafusion_physical_plan::execution_plan::InvariantLevel;
use datafusion_physical_plan::filter::FilterExecBuilder;
use datafusion_physical_plan::limit::{GlobalLimitExec, LocalLimitExec};
use datafusion_physical_plan::placeholder_row::PlaceholderRowExec;
use datafusion_physical_plan::projection::{ProjectionExec, ProjectionExpr};
use datafusion_physical_plan::recursive_query::RecursiveQueryExec;
use datafusion_physical_plan::repartition::RepartitionExec;
use datafusion_physical_plan::scalar_subquery::{ScalarSubqueryExec, ScalarSubqueryLink};
use datafusion_physical_plan::sorts::sort::SortExec;
use datafusion_physical_plan::union::UnionExec;
use datafusion_physical_plan::unnest::{ListUnnest, UnnestExec};
use datafusion_physical_plan::windows::{BoundedWindowAggExec, WindowAggExec, create_window_expr};
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties, InputOrderMode, WindowExpr};
use std::fmt;
use std::sync::Arc;

/// A planner of nodes that are not DataFusion's.
pub trait NodePlanner: fmt::Debug + Send + Sync {
    /// The operator of a node whose inputs are planned; `None` for a node that it does not know.
    fn plan(
        &self,
        node: &dyn UserDefinedLogicalNode,
        inputs: &[Arc<dyn ExecutionPlan>],
        planning: &Planning<'_>,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>>;
}

/// The operators of an optimized plan, with the session's rules applied.
pub fn create_physical_plan(plan: &LogicalPlan, session: &SessionState) -> Result<Arc<dyn ExecutionPlan>> {
    ruled(with_subqueries(plan, session)?, session)
}

/// The operators of a plan, below one that first gets the values of its subqueries if it has such.
fn with_subqueries(plan: &LogicalPlan, session: &SessionState) -> Result<Arc<dyn ExecutionPlan>> {
    let subqueries = match session.config_options().optimizer.enable_physical_uncorrelated_scalar_subquery {
        true => subqueries_of_one_value(plan)?,
        false => Vec::new(),
    };
    if subqueries.is_empty() {
        return Planning { session, context: &PhysicalPlanningContext::default() }.operator(plan);
    }
    let (mut links, mut places) = (Vec::with_capacity(subqueries.len()), HashMap::new());
    for (place, subquery) in subqueries.into_iter().enumerate() {
        let index = SubqueryIndex::new(place);
        links.push(ScalarSubqueryLink { plan: with_subqueries(&subquery.subquery, session)?, index });
        places.insert(subquery, index);
    }
    let results = ScalarSubqueryResults::new(links.len());
    let context = PhysicalPlanningContext::new(places, results.clone());
    let plan = Planning { session, context: &context }.operator(plan)?;
    Ok(Arc::new(ScalarSubqueryExec::new(plan, links, results)))
}

/// The subqueries of one value in a plan's own expressions that do not look at the row around them, each once. Those within
/// subqueries belong to these.
fn subqueries_of_one_value(plan: &LogicalPlan) -> Result<Vec<Subquery>> {
    let mut found: Vec<Subquery> = Vec::new();
    let mut look = |expr: &Expr| {
        if let Expr::ScalarSubquery(subquery) = expr
            && subquery.outer_ref_columns.is_empty()
            && !found.contains(subquery)
        {
            found.push(subquery.clone());
        }
        Ok(TreeNodeRecursion::Continue)
    };
    plan.apply(|node| node.apply_expressions(|expr| expr.apply(&mut look)))?;
    Ok(found)
}

/// The plan after the session's rules, fit to run.
fn ruled(plan: Arc<dyn ExecutionPlan>, session: &SessionState) -> Result<Arc<dyn ExecutionPlan>> {
    let context = ConfigOnlyContext::new(session.config_options());
    let mut plan = plan;
    for rule in session.physical_optimizers() {
        let before = plan.schema();
        let within = |error| DataFusionError::Context(rule.name().to_owned(), Box::new(error));
        plan = rule.optimize_with_context(plan, &context).map_err(within)?;
        if rule.schema_check() && !is_same_but_for_nulls(&before, &plan.schema()) {
            return internal_err!("the rule {} gives {:?} for {before:?}", rule.name(), plan.schema());
        }
    }
    check(&plan)?;
    Ok(plan)
}

/// Returns true if columns are the same as before; a rule may find out that one has no NULLs.
fn is_same_but_for_nulls(before: &arrow::datatypes::Schema, after: &arrow::datatypes::Schema) -> bool {
    let is_same = |(before, after): (&arrow::datatypes::FieldRef, &arrow::datatypes::FieldRef)| {
        before.name() == after.name()
            && before.data_type() == after.data_type()
            && before.metadata() == after.metadata()
            && (before.is_nullable() || !after.is_nullable())
    };
    before.metadata() == after.metadata()
        && before.fields().len() == after.fields().len()
        && before.fields().iter().zip(after.fields()).all(is_same)
}

/// Asks every operator whether it can run.
fn check(plan: &Arc<dyn ExecutionPlan>) -> Result<()> {
    plan.check_invariants(InvariantLevel::Executable).map_err(|error| error.context(plan.name().to_owned()))?;
    plan.children().into_iter().try_for_each(check)
}

/// The context in which the operators of one plan are made.
#[derive(Clone, Copy)]
pub struct Planning<'p> {
    /// The session whose statement it is.
    pub session: &'p SessionState,
    /// Where the values of subqueries are found.
    pub context: &'p PhysicalPlanningContext,
}

impl Planning<'_> {
    /// An expression over these columns.
    pub fn expression(&self, expr: &Expr, columns: &DFSchema) -> Result<Arc<dyn PhysicalExpr>> {
        self.session.check_ended()?;
        create_physical_expr(expr, columns, self.session.execution_props(), self.context)
    }

    fn operator(&self, node: &LogicalPlan) -> Result<Arc<dyn ExecutionPlan>> {
        self.session.check_ended()?;
        match node {
            LogicalPlan::TableScan(scan) => self.scan(scan),
            LogicalPlan::Values(values) => self.values(values),
            LogicalPlan::EmptyRelation(EmptyRelation { produce_one_row: true, schema }) => {
                Ok(Arc::new(PlaceholderRowExec::new(Arc::clone(schema.inner()))))
            }
            LogicalPlan::EmptyRelation(EmptyRelation { schema, .. }) => {
                Ok(Arc::new(EmptyExec::new(Arc::clone(schema.inner()))))
            }
            LogicalPlan::SubqueryAlias(alias) => self.operator(&alias.input),
            LogicalPlan::Projection(Projection { expr, input, schema, .. }) => {
                self.projection(expr, input.schema(), self.operator(input)?, schema)
            }
            LogicalPlan::Filter(filter) => self.filter(filter),
            LogicalPlan::Sort(sort) => self.sort(sort),
            LogicalPlan::Limit(limit) => self.limit(limit),
            LogicalPlan::Aggregate(aggregate) => self.aggregate(aggregate),
            LogicalPlan::Window(window) => self.window(window),
            LogicalPlan::Join(join) => self.join(join, self.operator(&join.left)?, self.operator(&join.right)?),
            LogicalPlan::Union(union) => {
                let inputs = union.inputs.iter().map(|input| self.operator(input)).collect::<Result<_>>()?;
                UnionExec::try_new(inputs)
            }
            LogicalPlan::Unnest(unnest) => self.unnest(unnest),
            LogicalPlan::Repartition(Repartition { input, partitioning_scheme }) => {
                let props = self.session.execution_props();
                let scheme = create_physical_partitioning(partitioning_scheme, input.schema(), props, self.context)?;
                Ok(Arc::new(RepartitionExec::try_new(self.operator(input)?, scheme)?))
            }
            LogicalPlan::RecursiveQuery(recursive) => self.recursive(recursive),
            LogicalPlan::Extension(extension) => self.extension(extension),
            LogicalPlan::Subquery(_) => not_impl_err!("a subquery that looks at the row around it, in this place"),
            other => not_impl_err!("a plan for {}", other.display()),
        }
    }

    fn scan(&self, scan: &TableScan) -> Result<Arc<dyn ExecutionPlan>> {
        let table = crate::catalog::source_as_provider(&scan.source)?;
        let filters = unnormalize_cols(scan.filters.iter().cloned());
        table.scan(self.session, scan.projection.as_ref(), &filters, scan.fetch)
    }

    fn values(&self, Values { schema, values }: &Values) -> Result<Arc<dyn ExecutionPlan>> {
        let row = |row: &Vec<Expr>| row.iter().map(|expr| self.expression(expr, schema)).collect::<Result<Vec<_>>>();
        let rows = values.iter().map(row).collect::<Result<Vec<_>>>()?;
        let is_subquery = |expr: &Expr| Ok(matches!(expr, Expr::ScalarSubquery(_)));
        let mut exprs = values.iter().flatten();
        if !exprs.any(|expr| expr.exists(is_subquery).unwrap_or(true)) {
            return Ok(MemorySourceConfig::try_new_as_values(Arc::clone(schema.inner()), rows)?);
        }
        // The values of subqueries are known when the plan runs: each row is a separate projection.
        let of_row = |row: Vec<Arc<dyn PhysicalExpr>>| -> Result<Arc<dyn ExecutionPlan>> {
            let names = schema.fields().iter().map(|field| field.name().clone());
            let exprs = row.into_iter().zip(names).map(|(expr, alias)| ProjectionExpr { expr, alias });
            let nothing = Arc::new(PlaceholderRowExec::new(Arc::new(Schema::empty())));
            let one = ProjectionExec::try_new_with_schema_metadata(exprs, nothing, schema.as_arrow())?;
            Ok(Arc::new(one))
        };
        UnionExec::try_new(rows.into_iter().map(of_row).collect::<Result<_>>()?)
    }

    /// Expressions over the rows of an operator, whose columns the logical plan knows as `columns`.
    pub(crate) fn projection(
        &self,
        exprs: &[Expr],
        columns: &DFSchema,
        input: Arc<dyn ExecutionPlan>,
        output: &DFSchema,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let schema = input.schema();
        let named = |expr: &Expr| {
            // A column has the name that the operator below gave it: in the logical plan's there may be a table's.
            let below = match expr {
                Expr::Column(column) => columns.index_of_column(column).ok(),
                _ => None,
            };
            let alias = match below {
                Some(index) => schema.field(index).name().clone(),
                None => physical_name(expr)?,
            };
            Ok(ProjectionExpr { expr: self.expression(expr, columns)?, alias })
        };
        let exprs = exprs.iter().map(named).collect::<Result<Vec<_>>>()?;
        Ok(Arc::new(ProjectionExec::try_new_with_schema_metadata(exprs, input, output.as_arrow())?))
    }

    fn filter(&self, Filter { predicate, input, .. }: &Filter) -> Result<Arc<dyn ExecutionPlan>> {
        let predicate = self.expression(predicate, input.schema())?;
        let config = self.session.config();
        let filter = FilterExecBuilder::new(predicate, self.operator(input)?).with_batch_size(config.batch_size());
        let selectivity = config.options().optimizer.default_filter_selectivity;
        Ok(Arc::new(filter.build()?.with_default_selectivity(selectivity)?))
    }

    fn sort(&self, Sort { expr, input, fetch }: &Sort) -> Result<Arc<dyn ExecutionPlan>> {
        let props = self.session.execution_props();
        let keys = create_physical_sort_exprs(expr, input.schema(), props, self.context)?;
        let Some(keys) = LexOrdering::new(keys) else { return internal_err!("an order by nothing") };
        Ok(Arc::new(SortExec::new(keys, self.operator(input)?).with_fetch(*fetch)))
    }

    fn limit(&self, limit: &Limit) -> Result<Arc<dyn ExecutionPlan>> {
        let (SkipType::Literal(skip), FetchType::Literal(fetch)) = (limit.get_skip_type()?, limit.get_fetch_type()?)
        else {
            return not_impl_err!("a limit that is not a number");
        };
        let input = self.operator(&limit.input)?;
        // No partition needs to give more than all together.
        let input = match fetch {
            Some(fetch) if input.output_partitioning().partition_count() > 1 => {
                Arc::new(LocalLimitExec::new(input, fetch.saturating_add(skip)))
            }
            _ => input,
        };
        Ok(Arc::new(GlobalLimitExec::new(input, skip, fetch)))
    }

    /// Groups in two steps, each partition by itself and then all together; the rules join the steps where one is enough.
    fn aggregate(&self, node: &Aggregate) -> Result<Arc<dyn ExecutionPlan>> {
        let input = self.operator(&node.input)?;
        let (schema, columns) = (input.schema(), node.input.schema());
        let groups = self.groups(&node.group_expr, columns, &schema)?;
        let lowered = |expr: &Expr| {
            let props = self.session.execution_props();
            LoweredAggregateBuilder::new(expr, columns, &schema, props, self.context).build()
        };
        let lowered = node.aggr_expr.iter().map(lowered).collect::<Result<Vec<LoweredAggregate>>>()?;
        let (aggregates, filters): (Vec<_>, Vec<_>) =
            lowered.into_iter().map(|lowered| (lowered.aggregate, lowered.filter)).unzip();
        let config = self.session.config();
        let is_shared = !groups.is_empty() && config.target_partitions() > 1 && config.repartition_aggregations();
        let first = Arc::new(AggregateExec::try_new(
            AggregateMode::Partial,
            groups,
            aggregates,
            filters.clone(),
            input,
            Arc::clone(&schema),
        )?);
        let mode = if is_shared { AggregateMode::FinalPartitioned } else { AggregateMode::Final };
        // Making the first step may have changed aggregates: a FIRST_VALUE to the LAST_VALUE of the order turned round.
        let (groups, aggregates) = (first.group_expr().as_final(), first.aggr_expr().to_vec());
        Ok(Arc::new(AggregateExec::try_new(mode, groups, aggregates, filters, first, schema)?))
    }

    fn window(&self, node: &Window) -> Result<Arc<dyn ExecutionPlan>> {
        let window = |expr: &Expr| self.window_function(expr, &node.schema);
        let windows = node.window_expr.iter().map(window).collect::<Result<Vec<_>>>()?;
        let config = self.session.config();
        let is_shared = config.target_partitions() > 1 && config.repartition_window_functions();
        let input = self.operator(&node.input)?;
        Ok(match windows.iter().all(|window| window.uses_bounded_memory()) {
            true => Arc::new(BoundedWindowAggExec::try_new(windows, input, InputOrderMode::Sorted, is_shared)?),
            false => Arc::new(WindowAggExec::try_new(windows, input, is_shared)?),
        })
    }

    fn window_function(&self, expr: &Expr, columns: &DFSchema) -> Result<Arc<dyn WindowExpr>> {
        let (name, function) = match expr {
            Expr::Alias(alias) => (alias.name.clone(), alias.expr.as_ref().clone().unalias_nested().data),
            other => (other.schema_name().to_string(), other.clone()),
        };
        let Expr::WindowFunction(function) = function else { return internal_err!("a window of {function}") };
        let WindowFunction { fun, params } = *function;
        let (frame, props) = (params.window_frame, self.session.execution_props());
        if !is_frame(&frame) {
            return plan_err!("a window from {} to {} ends before it begins", frame.start_bound, frame.end_bound);
        }
        let exprs = |exprs: &[Expr]| create_physical_exprs(exprs, columns, props, self.context);
        create_window_expr(
            &fun,
            name,
            &exprs(&params.args)?,
            &exprs(&params.partition_by)?,
            &create_physical_sort_exprs(&params.order_by, columns, props, self.context)?,
            Arc::new(frame),
            Arc::clone(columns.inner()),
            params.null_treatment == Some(NullTreatment::IgnoreNulls),
            params.distinct,
            params.filter.as_ref().map(|filter| self.expression(filter, columns)).transpose()?,
        )
    }

    fn unnest(&self, node: &Unnest) -> Result<Arc<dyn ExecutionPlan>> {
        let lists = node.list_type_columns.iter();
        let lists = lists.map(|(index, list)| ListUnnest { index_in_input_schema: *index, depth: list.depth });
        let structures = node.struct_type_columns.clone();
        let (input, schema) = (self.operator(&node.input)?, Arc::clone(node.schema.inner()));
        Ok(Arc::new(UnnestExec::new(input, lists.collect(), structures, schema, node.options.clone())?))
    }

    fn recursive(&self, node: &RecursiveQuery) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(RecursiveQueryExec::try_new(
            node.name.clone(),
            Arc::clone(node.schema.inner()),
            self.operator(&node.static_term)?,
            self.operator(&node.recursive_term)?,
            node.is_distinct,
        )?))
    }

    fn extension(&self, Extension { node }: &Extension) -> Result<Arc<dyn ExecutionPlan>> {
        let inputs = node.inputs().into_iter().map(|input| self.operator(input)).collect::<Result<Vec<_>>>()?;
        let planned = match self.session.nodes() {
            Some(nodes) => nodes.plan(node.as_ref(), &inputs, self)?,
            None => None,
        };
        match planned {
            Some(plan) if node.schema().matches_arrow_schema(&plan.schema()) => Ok(plan),
            Some(plan) => internal_err!("{node:?} is {:?} and gives {:?}", node.schema(), plan.schema()),
            None => internal_err!("no operator for {node:?}"),
        }
    }
}

/// Returns true if a frame does not end before it begins.
fn is_frame(frame: &WindowFrame) -> bool {
    use WindowFrameBound::{CurrentRow, Following, Preceding};
    match (&frame.start_bound, &frame.end_bound) {
        (Following(_), Preceding(_) | CurrentRow) | (CurrentRow, Preceding(_)) => false,
        // Without a number it is the beginning.
        (Preceding(start), Preceding(end)) => !end.is_null() && (start.is_null() || start >= end),
        (Following(start), Following(end)) => !start.is_null() && (end.is_null() || start <= end),
        _ => true,
    }
}
