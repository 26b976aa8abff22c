//! Grouping by dictionary numbers in place of the texts of small tables.
//!
//! A report joins a large table with small ones and groups by columns of these: sales by region and category. The
//! general operators carry the texts through the joins, hash them and compare them for every row of the large table.
//! But a small table has few texts. So its scan numbers them, the joins carry the numbers, the aggregate groups by
//! them, and only the groups get their texts back:
//!
//! ```text
//!   Aggregate by region            DecodeTexts                  number -> text
//!     HashJoin                       Aggregate by number
//!       Scan customers      ->         HashJoin
//!       Scan sales                       EncodeTexts            text -> number
//!                                          Scan customers
//!                                        Scan sales
//! ```
//!
//! A [`Dictionary`] that belongs to the run assigns numbers in the order in which texts appear; NULL has number 0, so
//! that numbers are never NULL. Two columns of numbers become one word for the groups.
//!
//! **Limits.** Only texts that no operator below the groups uses (no condition, no join key, no other expression), of
//! Mainstay's scans below inner hash joins, where the table has an eighth of the rows of the largest one or less. The
//! tables' sizes are those of the time of planning; a table that has grown since gives the same answer.

mod nodes;
mod trace;

use crate::tree::nodes::Tree;
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode, PhysicalGroupBy};
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode};
use nodes::{Decode, Pack, Shown};
use std::sync::Arc;

/// The rule. It runs when the joins are what they will be, and before they are watched.
#[derive(Debug)]
pub(crate) struct CodeGroups;

impl PhysicalOptimizerRule for CodeGroups {
    fn name(&self) -> &str {
        "code_groups"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.map_up(|node| {
            Ok(match node.downcast_ref::<AggregateExec>().map(coded).transpose()?.flatten() {
                Some(coded) => Transformed::yes(coded),
                None => Transformed::no(node),
            })
        })
        .data()
    }
}

/// The same groups, found by numbers; `None` when there is nothing to number.
fn coded(aggregate: &AggregateExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let is_plain = *aggregate.mode() == AggregateMode::Single
        && aggregate.group_expr().is_single()
        && aggregate.limit_options().is_none()
        && *aggregate.input_order_mode() == InputOrderMode::Linear
        && aggregate.aggr_expr().iter().all(|expr| expr.order_bys().is_empty());
    let group_by = aggregate.group_expr().expr();
    let columns: Option<Vec<usize>> =
        group_by.iter().map(|(expr, _)| Some(expr.downcast_ref::<Column>()?.index())).collect();
    let (true, Some(columns)) = (is_plain, columns) else { return Ok(None) };
    let mut input = Arc::clone(aggregate.input());
    let Some(most_rows) = trace::most_rows(&input) else { return Ok(None) };
    let used = used_by_aggregates(aggregate);
    let mut dictionaries = vec![None; columns.len()];
    for (at, column) in columns.iter().enumerate() {
        if used.contains(column) || columns[..at].contains(column) {
            continue;
        }
        if let Some((encoded, dictionary)) = trace::encoded(&input, *column, most_rows / trace::SMALLER)? {
            (input, dictionaries[at]) = (encoded, Some(dictionary));
        }
    }
    if dictionaries.iter().all(Option::is_none) {
        return Ok(None);
    }
    // Two numbers and nothing else are one word.
    let packs = matches!(dictionaries.as_slice(), [Some(_), Some(_)]);
    if packs {
        input = Arc::new(Pack::new(input, [columns[0], columns[1]]));
    }
    let (schema, mut keys) = (input.schema(), Vec::with_capacity(columns.len()));
    let places = if packs { vec![schema.fields().len() - 1] } else { columns };
    for place in places {
        let name = schema.field(place).name().clone();
        keys.push((Arc::new(Column::new(&name, place)) as Arc<dyn PhysicalExpr>, name));
    }
    let by_number = AggregateExec::try_new(
        AggregateMode::Single,
        PhysicalGroupBy::new_single(keys),
        aggregate.aggr_expr().to_vec(),
        aggregate.filter_expr().to_vec(),
        input,
        schema,
    )?;
    let shown = Shown { dictionaries, packed: packs, schema: aggregate.schema() };
    Ok(Some(Arc::new(Decode::new(Arc::new(by_number), shown))))
}

/// The columns of the input that the aggregates look at themselves.
fn used_by_aggregates(aggregate: &AggregateExec) -> Vec<usize> {
    let arguments = aggregate.aggr_expr().iter().flat_map(|expr| expr.expressions());
    let filters = aggregate.filter_expr().iter().flatten().cloned();
    arguments.chain(filters).flat_map(|expr| collect_columns(&expr)).map(|column| column.index()).collect()
}
