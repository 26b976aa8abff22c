//! The passes of the analyzer, in their order.
//!
//! [`PASSES`] is the order, and each entry gives the reason for its place. Passes of the core's own rules are in
//! `analyze`, corrections of DataFusion in `upstream`; those of the dialects are run by name of their stage.

use crate::analyze::{
    blank_fields, cast, char_columns, coercion, collate, outer_reference_types, overflow, result_types, set_operations,
    text_literals, trailing_blanks,
};
use crate::dialect::{self, Stage};
use crate::execute::work_table;
use crate::tools;
use crate::tree::nodes::PlanTree;
use crate::tree::search::any_node;
use crate::types::{ticks, uuid};
use crate::upstream::{duplicate_sort_keys, scalar_subqueries, window_frames};
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::AnalyzerRule;
use std::sync::Arc;

/// A pass over the logical plan.
#[allow(dead_code, reason = "name and place are for readers, and for the test below")]
struct Pass {
    /// The name of its module.
    name: &'static str,
    /// The reason for its place in the order.
    place: &'static str,
    run: fn(LogicalPlan) -> Result<LogicalPlan>,
}

/// All passes, in the order in which they run.
const PASSES: [Pass; 21] = [
    Pass {
        name: "work_table",
        place: "checks the plan as it was written, before any pass moves a reference to a recursive table",
        run: work_tables,
    },
    Pass {
        name: "trailing_blanks",
        place: "set operations compare whole rows: their branches lose the blanks before types are brought together",
        run: trailing_blanks::in_set_operations,
    },
    Pass {
        name: "set_operations",
        place: "INTERSECT ALL and EXCEPT ALL become groups, whose keys the passes below see",
        run: set_operations::counted,
    },
    Pass {
        name: "duplicate_sort_keys",
        place: "looks for equal keys while they are written alike, before casts make them differ",
        run: duplicate_sort_keys::without,
    },
    Pass {
        name: "scalar_subqueries",
        place: "the result types below need to know that a subquery's value may be NULL",
        run: scalar_subqueries::in_plan,
    },
    Pass {
        name: "result_types",
        place: "gives CASE and UNION one type, which `coercion` compares with the other operand's",
        run: result_types::in_plan,
    },
    Pass {
        name: "outer_reference_types",
        place: "references of subqueries take the types that `result_types` has given their columns, for `coercion`",
        run: outer_reference_types::in_plan,
    },
    Pass {
        name: "coercion",
        place: "brings the operands of comparisons to one type, by casts that `cast` then reads",
        run: coercion::in_plan,
    },
    Pass {
        name: "cast",
        place: "the casts of the statement and of the passes above; functions of a dialect bring casts of their own",
        run: cast::in_plan,
    },
    Pass {
        name: "dialect types",
        place: "lowers the functions of dialects that give columns other types; types of arguments are settled by now",
        run: lower_types,
    },
    Pass {
        name: "outer_reference_types after dialect types",
        place: "the same for the types that a dialect's rules have given the columns of a UNION",
        run: outer_reference_types::in_plan,
    },
    Pass {
        name: "blank_fields",
        place: "these functions are gone, so every reference to a field that may be blank is in the plan",
        run: blank_fields::in_plan,
    },
    Pass {
        name: "window_frames",
        place: "independent of the others; before types are replaced",
        run: window_frames::in_plan,
    },
    Pass {
        name: "dialect operators",
        place: "lowers the functions of the other dialects, which see blank fields as `blank_fields` left them",
        run: lower_operators,
    },
    Pass {
        name: "overflow",
        place: "checks the arithmetic that the dialects' lowering has written too",
        run: overflow::checked_in_plan,
    },
    Pass {
        name: "text_literals",
        place: "a text beside a value of another type is read as a literal of that type, once operators are final",
        run: text_literals::in_plan,
    },
    Pass {
        name: "ticks",
        place: "moments that DataFusion has no type for become numbers: nothing below may ask for their type",
        run: ticks::in_plan,
    },
    Pass { name: "read_moments", place: "texts that are cast to the moments of `ticks`", run: cast::read_moments },
    Pass {
        name: "uuid",
        place: "texts beside UUIDs, which `text_literals` leaves alone",
        run: uuid::compared_with_texts,
    },
    Pass {
        name: "collate",
        place: "comparisons by sort keys; a column that compares by keys is no CHAR column for `char_columns` any more",
        run: collate::by_keys,
    },
    Pass {
        name: "char_columns",
        place: "last: it cuts blanks off the operands that all other passes have left",
        run: char_columns::in_plan,
    },
];

fn work_tables(plan: LogicalPlan) -> Result<LogicalPlan> {
    work_table::check_owners(&plan)?;
    Ok(plan)
}

/// All passes as one rule of DataFusion's analyzer, of which it is the first.
#[derive(Debug)]
pub(crate) struct Passes;

impl AnalyzerRule for Passes {
    fn name(&self) -> &str {
        "mainstay_passes"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        PASSES.iter().try_fold(plan, |plan, pass| (pass.run)(plan))
    }
}

/// Lowers the functions of dialects that give columns other types, and describes both parts of each recursion alike.
fn lower_types(plan: LogicalPlan) -> Result<LogicalPlan> {
    let is_recursive = any_node(&plan, |node| matches!(node, LogicalPlan::RecursiveQuery(_)));
    // A dialect that owns the plan describes the parts itself: what is above them takes types from the description.
    let is_described = is_recursive && dialect::owns_plan(&plan);
    let plan = dialect::lower(plan, Stage::Types)?;
    if is_recursive && !is_described { described(plan) } else { Ok(plan) }
}

/// Lowers the functions of the other dialects.
fn lower_operators(plan: LogicalPlan) -> Result<LogicalPlan> {
    dialect::lower(plan, Stage::Operators)
}

fn described(plan: LogicalPlan) -> Result<LogicalPlan> {
    plan.map_up_with_subqueries(|node| {
        let node = match node {
            LogicalPlan::RecursiveQuery(node) => tools::described_recursion(node, |part| Ok(Arc::clone(part)))?,
            node => node,
        };
        node.recompute_schema().map(Transformed::yes)
    })
    .data()
}

#[cfg(test)]
mod tests {
    use super::PASSES;
    use std::collections::HashSet;

    #[test]
    fn passes_have_names_of_their_own_and_reasons() {
        let names: HashSet<&str> = PASSES.iter().map(|pass| pass.name).collect();
        assert_eq!(names.len(), PASSES.len());
        assert!(PASSES.iter().all(|pass| !pass.place.is_empty()));
    }
}
