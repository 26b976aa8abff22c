//! Optimization of a logical plan, and its physical plan.
//!
//! DataFusion runs some twenty-five rules over every logical plan, up to three times, and twenty more over the physical
//! plan: a third of a millisecond, whatever the statement. Most statements that programs send are *plain*: one table or
//! a UNION ALL of such, with conditions, groups, an order and a limit. For them only a dozen rules can have an effect,
//! and one pass is enough; and if fusion turns them into a plan of Mainstay's leaves alone, only a limit may still have
//! to be pushed down.
//!
//! ```text
//!   plain?  --yes-->  short list, one pass  -->  only our own leaves?  --yes-->  done
//!     | no                                              | no
//!     v                                                 v
//!   all rules                                     all physical rules
//! ```
//!
//! Before its rules run over a plan that is not plain, inner joins of large tables get the order with the least estimated
//! work ([`join_order`]).
//!
//! Groups that an optimized plan contains more than once are computed once ([`repeated_groups`]).
//!
//! The short lists only omit work: a plan that is less optimized has the same meaning.

pub(crate) mod disabled_rules;
pub(crate) mod fuse;
mod join_order;
pub(crate) mod keyed;
mod repeated_groups;
pub(crate) mod rows;
pub(crate) mod wide_joins;

use crate::analyze::outer_reference_types::AfterCoercion;
use crate::execute::busy_operators::WatchJoins;
use crate::execute::compact_batches::CompactKept;
use crate::execute::concatenate::{CombineForLimits, Concatenate, KeepOrder};
use crate::execute::spilling::{SortedJoins, SortedTops};
use crate::functions::result_sizes::ResultLimits;
use crate::lateral::{LateralPlanner, Rewrite};
use crate::leaves::dictionary_groups::CodeGroups;
use crate::leaves::fused::Fused;
use crate::leaves::parquet::NameFiles;
use crate::leaves::scan::TableScan;
use crate::optimize::disabled_rules::DisabledRules;
use crate::optimize::fuse::Fuse;
use crate::optimize::join_order::Tables;
use crate::optimize::wide_joins::WideJoins;
use crate::passes::Passes;
use crate::planning_cancellation::Ended;
use crate::tree::search::is_plain;
use crate::types::narrow_decimals::NarrowDecimals;
use crate::types::ticks::{MomentPlanner, NoNumbers};
use crate::upstream::aggregate_filters::FilteredArguments;
use crate::upstream::circular_equivalences::Circular;
use crate::upstream::duplicate_field_names::DistinctNames;
use crate::upstream::filter_pushdown::AboveGroups;
use crate::upstream::functional_dependencies::Determined;
use crate::upstream::grouping_set_properties::UnknownRows;
use crate::upstream::in_lists::Lists;
use crate::upstream::nested_subqueries::NestedTests;
use crate::upstream::null_equal_joins::NullKeys;
use crate::upstream::outer_join_properties::OuterRows;
use crate::upstream::projection_pushdown::PickedColumns;
use crate::upstream::sort_pushdown::HeldLimits;
use crate::upstream::union_equivalences::UnionRows;
use datafusion::common::Result;
use datafusion::common::config::ConfigNonZeroUsize;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::execution::context::SessionConfig;
use datafusion::execution::memory_pool::MemoryLimit;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SessionRules, SessionState, default_expr_planners};
use datafusion::logical_expr::LogicalPlan;
use datafusion::logical_expr::planner::ExprPlanner;
use datafusion::optimizer::{Analyzer, Optimizer, OptimizerRule};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::limit_pushdown::LimitPushdown;
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::projection::ProjectionExec;
use std::sync::Arc;

/// The rules that can do something for a plain plan, by the names that DataFusion gives them.
const PLAIN_RULES: [&str; 13] = [
    "optimize_unions",
    "simplify_expressions",
    "replace_distinct_aggregate",
    "eliminate_duplicated_expr",
    "eliminate_filter",
    "eliminate_limit",
    "propagate_empty_relation",
    "push_down_limit",
    "push_down_filter",
    "single_distinct_aggregation_to_group_by",
    "eliminate_group_by_constant",
    "common_sub_expression_eliminate",
    "optimize_projections",
];

/// Of how many bytes that statements may hold the sorts of one keep one for their merges.
const RESERVED_SHARE: usize = 16;

/// The rows of a batch where memory is short.
const SMALL_BATCH_ROWS: usize = 2_048;

/// The optimizers for statements of different kinds.
pub(crate) struct Optimizers {
    /// For plain statements.
    plain: SessionState,
    /// For statements over tables that one thread reads fastest.
    single: SessionState,
    /// For statements over large tables.
    parallel: SessionState,
    /// For statements that have met the memory limit.
    spilling: SessionState,
    /// True if joins are made in the order of the statement.
    keeps_join_order: bool,
    /// True if groups that a plan contains more than once are computed in each place.
    repeats_groups: bool,
}

/// The rules of a planner's sessions.
pub(crate) struct Rules {
    /// Kernels answer what they can: see [`Fuse`].
    pub(crate) fuse: bool,
    pub(crate) disabled: DisabledRules,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules { fuse: true, disabled: DisabledRules::default() }
    }
}

/// A plan that is ready to run.
pub(crate) struct Physical {
    pub(crate) plan: Arc<dyn ExecutionPlan>,
    /// True if operators of the plan keep state from a run, so that each run needs a fresh copy.
    pub(crate) stateful: bool,
    /// True if it reads so much that several threads are worth their hand-over.
    pub(crate) large: bool,
    /// How many operators are within each other.
    pub(crate) levels: usize,
}

impl Optimizers {
    /// Optimizers for statements of up to this many threads.
    pub(crate) fn new(threads: usize, rules: &Rules, runtime_env: &Arc<RuntimeEnv>) -> Optimizers {
        let plain = plain_session(rules, runtime_env);
        let lateral = Arc::new(LateralPlanner { plain: Arc::new(plain.clone()) });
        let session = |need, threads| session(need, threads, rules, (runtime_env, Arc::clone(&lateral)));
        let (single, parallel) = (session(Need::Speed, 1), session(Need::Speed, threads));
        let (keeps_join_order, repeats_groups) = (rules.disabled.keeps_join_order(), rules.disabled.repeats_groups());
        let spilling = session(Need::Memory, 1);
        Optimizers { plain, single, parallel, spilling, keeps_join_order, repeats_groups }
    }

    /// DataFusion's session state.
    pub(crate) fn session(&self) -> &SessionState {
        &self.single
    }

    /// The plan with its types settled, optimized.
    pub(crate) fn logical(&self, plan: &LogicalPlan) -> Result<LogicalPlan> {
        if is_plain(plan) {
            return self.plain.optimize(plan);
        }
        let state = &self.single;
        let plan = crate::analyze::group_by_subqueries::by_columns(plan.clone())?;
        let analyzed = state.analyzer().execute_and_check(
            crate::analyze::order_by_subqueries::by_columns(plan)?,
            state.config_options(),
            |_, _| {},
        )?;
        let tables =
            Tables { rows: crate::leaves::relation::known_rows, distinct: crate::leaves::relation::distinct_values };
        let ordered = match self.keeps_join_order {
            true => analyzed,
            false => join_order::reordered(analyzed, &tables)?,
        };
        crate::lateral::optimized(state, ordered)
    }

    /// The operators for an optimized plan.
    pub(crate) fn physical(&self, logical: &LogicalPlan) -> Result<Physical> {
        let logical = &*crate::upstream::columnless_orders::unordered(logical)?;
        let large = is_large(logical);
        if !large && is_plain(logical) {
            let plan = self.plain.create_physical_plan(logical)?;
            let levels = crate::bounds::levels_of(&plan)?;
            if !is_stateful(&plan) {
                return Ok(Physical { plan, stateful: false, large, levels });
            }
        }
        let session = if large { &self.parallel } else { &self.single };
        let shared = if self.repeats_groups { None } else { repeated_groups::shared(logical)? };
        let plan = session.create_physical_plan(shared.as_ref().unwrap_or(logical))?;
        let levels = crate::bounds::levels_of(&plan)?;
        Ok(Physical { stateful: is_stateful(&plan), plan, large, levels })
    }

    /// The operators for an optimized plan that is run once more, for want of memory.
    pub(crate) fn spilling(&self, logical: &LogicalPlan) -> Result<Arc<dyn ExecutionPlan>> {
        self.spilling.create_physical_plan(logical)
    }
}

/// The scarce resource that a session is set up for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Speed,
    Memory,
}

/// The session settings of this project.
fn config(partitions: usize, runtime_env: &RuntimeEnv) -> SessionConfig {
    let mut config = SessionConfig::new().with_target_partitions(partitions).with_information_schema(false);
    let options = config.options_mut();
    options.sql_parser.enable_ident_normalization = false;
    options.sql_parser.parse_float_as_decimal = true;
    // NULL is the lowest value, as an empty field is in an xBase index.
    options.sql_parser.default_null_ordering = "nulls_min".to_owned();
    // Each scan of a Parquet file decides by itself: see `leaves::parquet::late`.
    options.execution.parquet.pushdown_filters = false;
    // Each run chooses the joins that give filters: see `execute::join_filters`.
    options.optimizer.enable_join_dynamic_filter_pushdown = true;
    // Of IS DISTINCT FROM the logical plan knows that it is never NULL, and the physical one does not.
    options.execution.skip_physical_aggregate_schema_check = true;
    options.extensions.insert(ResultLimits::of(&runtime_env.memory_pool));
    // See `spilled`.
    if let Ok(one) = ConfigNonZeroUsize::try_new(1) {
        options.execution.max_spill_file_size_bytes = one;
    }
    // Every sort keeps so much for its merges: of a small limit, little would be left for what is sorted.
    if let MemoryLimit::Finite(bytes) = runtime_env.memory_pool.memory_limit() {
        let reserved = &mut options.execution.sort_spill_reservation_bytes;
        *reserved = (*reserved).min(bytes / RESERVED_SHARE / partitions.max(1));
    }
    config
}

/// The common set-up of all sessions, with these rules over the logical plan and the operators.
fn rules(
    optimizer: Vec<Arc<dyn OptimizerRule + Send + Sync>>,
    physical: Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>>,
) -> SessionRules {
    let mut analyzer = Analyzer::new().rules;
    analyzer.insert(0, Arc::new(Passes));
    analyzer.push(Arc::new(AfterCoercion));
    // Two values are alike or not when both are of one type.
    analyzer.push(Arc::new(Lists));
    analyzer.push(Arc::new(NoNumbers));
    analyzer.push(Arc::new(FilteredArguments));
    analyzer.push(Arc::new(Rewrite { all: false }));
    analyzer.push(Arc::new(NestedTests));
    let analyzer = analyzer.into_iter().map(Ended::analysis).collect();
    let mut expr_planners: Vec<Arc<dyn ExprPlanner>> =
        vec![Arc::new(MomentPlanner), Arc::new(crate::names::outer_names::Fields)];
    expr_planners.extend(default_expr_planners());
    SessionRules {
        expr_planners,
        analyzer,
        optimizer,
        physical,
        nodes: None,
        ended: crate::planning_cancellation::check,
    }
}

/// A session with all of DataFusion's rules and ours.
fn session(
    need: Need,
    partitions: usize,
    of: &Rules,
    (runtime_env, nodes): (&Arc<RuntimeEnv>, Arc<LateralPlanner>),
) -> SessionState {
    let fuse = of.fuse;
    let mut physical = before(fuse);
    physical.push(Arc::new(Circular));
    physical.push(Arc::new(OuterRows));
    physical.push(Arc::new(UnionRows));
    if need == Need::Memory {
        physical.push(Arc::new(SortedJoins));
    }
    let known = PhysicalOptimizer::new().rules.into_iter().filter(|rule| of.disabled.keeps_physical(rule));
    physical.extend(known.map(PickedColumns::hold).map(DistinctNames::hold).map(HeldLimits::hold));
    match need {
        Need::Speed if fuse => physical.push(Arc::new(CodeGroups)),
        Need::Speed => {}
        Need::Memory => physical.push(Arc::new(SortedTops)),
    }
    if !of.disabled.widens_decimals() {
        physical.push(Arc::new(NarrowDecimals));
    }
    physical.push(Arc::new(KeepOrder { is_parallel: partitions > 1 }));
    physical.push(Arc::new(CompactKept));
    physical.push(Arc::new(WatchJoins));
    physical.push(Arc::new(NameFiles));
    let physical = physical.into_iter().map(Ended::physical).collect();
    let logical = Optimizer::new().rules.into_iter().filter(|rule| of.disabled.keeps_logical(rule));
    let logical = logical.map(AboveGroups::hold).map(Determined::hold).map(NullKeys::hold);
    let logical = logical.map(WideJoins::hold).map(Ended::logical).collect();
    let mut config = config(partitions, runtime_env);
    if need == Need::Memory {
        config = config.with_batch_size(SMALL_BATCH_ROWS);
    }
    let rules = SessionRules { nodes: Some(nodes), ..rules(logical, physical) };
    SessionState::new(config, Arc::clone(runtime_env), rules)
}

/// A session with the rules for plain statements.
fn plain_session(of: &Rules, runtime_env: &Arc<RuntimeEnv>) -> SessionState {
    let is_kept = |rule: &Arc<dyn OptimizerRule + Send + Sync>| {
        PLAIN_RULES.contains(&rule.name()) && of.disabled.keeps_logical(rule)
    };
    let logical = Optimizer::new().rules.into_iter().filter(is_kept);
    let logical = logical.map(AboveGroups::hold).map(Ended::logical).collect();
    let mut config = config(1, runtime_env);
    config.options_mut().optimizer.max_passes = 1;
    let mut physical = before(of.fuse);
    physical.push(Arc::new(CombineForLimits));
    let limits: Arc<dyn PhysicalOptimizerRule + Send + Sync> = Arc::new(LimitPushdown::new());
    physical.extend(of.disabled.keeps_physical(&limits).then_some(limits));
    if !of.disabled.widens_decimals() {
        physical.push(Arc::new(NarrowDecimals));
    }
    physical.push(Arc::new(KeepOrder { is_parallel: false }));
    physical.push(Arc::new(NameFiles));
    let physical = physical.into_iter().map(Ended::physical).collect();
    SessionState::new(config, Arc::clone(runtime_env), rules(logical, physical))
}

/// The rules that come before DataFusion's.
fn before(fuse: bool) -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
    if fuse { vec![Arc::new(Fuse), Arc::new(UnknownRows)] } else { vec![Arc::new(UnknownRows)] }
}

/// Returns true if a plan reads so much that several threads are worth their hand-over.
fn is_large(plan: &LogicalPlan) -> bool {
    let mut large = false;
    // The closure does not fail.
    let _ = crate::lateral::each_node(plan, &mut |node| {
        if let LogicalPlan::TableScan(scan) = node {
            large |= crate::leaves::relation::is_large(&scan.source);
        }
        Ok(if large { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    });
    large
}

/// Returns true if anything but our leaves, plain projections, filters, limits and unions is in the plan: those keep
/// nothing from a run.
fn is_stateful(plan: &Arc<dyn ExecutionPlan>) -> bool {
    use datafusion::physical_plan::filter::FilterExec;
    use datafusion::physical_plan::limit::{GlobalLimitExec, LocalLimitExec};
    use datafusion::physical_plan::union::UnionExec;
    let is_stateless = plan.is::<TableScan>()
        || plan.is::<Fused>()
        || plan.is::<ProjectionExec>()
        || plan.is::<FilterExec>()
        || plan.is::<GlobalLimitExec>()
        || plan.is::<LocalLimitExec>()
        || plan.is::<Concatenate>()
        || plan.is::<UnionExec>();
    !is_stateless || plan.children().into_iter().any(is_stateful)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// DataFusion's issue 24883: see [`crate::execute::spilled`].
    #[test]
    fn files_of_spilled_rows_end_with_their_first_batch_in_every_session() {
        let environment = Arc::new(RuntimeEnv::default());
        let all = Optimizers::new(4, &Rules::default(), &environment);
        for session in [&all.plain, &all.single, &all.parallel, &all.spilling] {
            assert_eq!(session.config_options().execution.max_spill_file_size_bytes.get(), 1);
        }
    }

    /// A rule that DataFusion gives another name would silently be left out.
    #[test]
    fn the_rules_for_plain_statements_are_there() {
        let all: Vec<String> = Optimizer::new().rules.iter().map(|rule| rule.name().to_owned()).collect();
        for rule in PLAIN_RULES {
            assert!(all.iter().any(|known| known == rule), "no rule {rule} among {all:?}");
        }
    }
}
