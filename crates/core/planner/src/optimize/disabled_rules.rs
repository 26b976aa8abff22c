//! Optimizer rules that a planner can leave out, for diagnosis.
//!
//! A wrong answer that disappears without one rule comes from that rule, or from another rule's treatment of its plan.
//! Tests run the same statement with and without a rule and compare the rows. The list excludes rules that plans need
//! (they turn subqueries into joins, expand COALESCE, remove LIMIT 0, which the top-n operator does not support, find
//! the keys of NOT IN joins, without which these take NULL for a value, and meet the demands of operators for
//! partitions and orders).

use datafusion::optimizer::OptimizerRule;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use mainstay_types::{Code, Error, Result};
use std::sync::Arc;

/// The name of the join order, which is not a rule of DataFusion.
const JOIN_ORDER: &str = "join_order";

/// The name of sharing groups that a plan contains more than once, which is not a rule of DataFusion either.
const REPEATED_GROUPS: &str = "repeated_groups";

/// The name of the arithmetic of small decimals.
const NARROW_DECIMALS: &str = "narrow_decimals";

/// The names of the rules that can be left out: our own, those over the logical plan, those over operators.
pub const OPTIONAL_RULES: [&str; 29] = [
    JOIN_ORDER,
    REPEATED_GROUPS,
    NARROW_DECIMALS,
    "optimize_unions",
    "unions_to_filter",
    "eliminate_join",
    "eliminate_duplicated_expr",
    "eliminate_filter",
    "eliminate_cross_join",
    "propagate_empty_relation",
    "filter_null_join_keys",
    "eliminate_outer_join",
    "push_down_limit",
    "push_down_filter",
    "single_distinct_aggregation_to_group_by",
    "eliminate_group_by_constant",
    "common_sub_expression_eliminate",
    "optimize_projections",
    "aggregate_statistics",
    "join_selection",
    "LimitedDistinctAggregation",
    "FilterPushdown",
    "WindowTopN",
    "CombinePartialFinalAggregate",
    "OptimizeAggregateOrder",
    "ProjectionPushdown",
    "LimitAggregation",
    "LimitPushPastWindows",
    "LimitPushdown",
];

/// The rules that a planner leaves out.
#[derive(Clone, Debug, Default)]
pub(crate) struct DisabledRules(Vec<String>);

impl DisabledRules {
    /// Errors: `InvalidSetting` for a name that is not in [`OPTIONAL_RULES`].
    pub(crate) fn new(names: &[String]) -> Result<DisabledRules> {
        match names.iter().find(|name| !OPTIONAL_RULES.contains(&name.as_str())) {
            Some(name) => {
                let hint = format!("rules that can be left out: {}", OPTIONAL_RULES.join(", "));
                Err(Error::new(Code::InvalidSetting, format!("no optional optimizer rule {name}")).hint(hint))
            }
            None => Ok(DisabledRules(names.to_vec())),
        }
    }

    pub(crate) fn keeps_logical(&self, rule: &Arc<dyn OptimizerRule + Send + Sync>) -> bool {
        !self.has(rule.name())
    }

    pub(crate) fn keeps_physical(&self, rule: &Arc<dyn PhysicalOptimizerRule + Send + Sync>) -> bool {
        !self.has(rule.name())
    }

    /// Returns true if tables are joined in the order of the statement.
    pub(crate) fn keeps_join_order(&self) -> bool {
        self.has(JOIN_ORDER)
    }

    /// Returns true if groups that a plan contains more than once are computed in each place.
    pub(crate) fn repeats_groups(&self) -> bool {
        self.has(REPEATED_GROUPS)
    }

    /// Returns true if decimals are calculated by the general operators alone.
    pub(crate) fn widens_decimals(&self) -> bool {
        self.has(NARROW_DECIMALS)
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|disabled| disabled == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::optimizer::Optimizer;
    use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;

    /// A rule that DataFusion gives another name would silently stay.
    #[test]
    fn optional_rules_are_rules_of_datafusion() {
        let mut all: Vec<String> = Optimizer::new().rules.iter().map(|rule| rule.name().to_owned()).collect();
        all.extend(PhysicalOptimizer::new().rules.iter().map(|rule| rule.name().to_owned()));
        let own = [JOIN_ORDER, REPEATED_GROUPS, NARROW_DECIMALS];
        for rule in OPTIONAL_RULES.into_iter().filter(|rule| !own.contains(rule)) {
            assert!(all.iter().any(|known| known == rule), "no rule {rule} among {all:?}");
        }
    }

    #[test]
    fn other_names_are_refused() {
        let names = ["push_down_filter".to_owned(), "replace_distinct_aggregate".to_owned()];
        assert!(DisabledRules::new(&names[..1]).is_ok());
        assert_eq!(DisabledRules::new(&names).unwrap_err().code(), Code::InvalidSetting);
    }
}
