//! GROUP BY, with GROUPING SETS, CUBE and ROLLUP.
//!
//! Several groupings in one are the list of all their expressions, and for each grouping the expressions that it
//! replaces by NULL:
//!
//! ```text
//!   ROLLUP (a, b)                 (-, -)  (a, -)  (a, b)
//!   CUBE (a, b)                   (a, b)  (-, b)  (a, -)  (-, -)
//!   GROUPING SETS ((a, b), (b))   (a, b)  (-, b)
//! ```

use crate::physical_planner::Planning;
use datafusion_common::arrow::datatypes::Schema;
use datafusion_common::{DFSchema, Result, ScalarValue, plan_err};
use datafusion_expr::Expr;
use datafusion_expr::expr::{GroupingSet, physical_name};
use datafusion_physical_expr::PhysicalExpr;
use datafusion_physical_expr::expressions::lit;
use datafusion_physical_plan::aggregates::PhysicalGroupBy;
use std::sync::Arc;

/// PostgreSQL's and SQL Server's limit of a CUBE, which has two to the power of this many groupings.
const MOST_CUBED: usize = 12;

impl Planning<'_> {
    /// The groups by these expressions over the rows of an input.
    pub(crate) fn groups(&self, exprs: &[Expr], columns: &DFSchema, input: &Schema) -> Result<PhysicalGroupBy> {
        match exprs {
            [] => Ok(PhysicalGroupBy::new(Vec::new(), Vec::new(), Vec::new(), false)),
            [Expr::GroupingSet(GroupingSet::Rollup(exprs))] => {
                let nulls = (0..=exprs.len()).map(|taken| (0..exprs.len()).map(|at| at >= taken).collect());
                self.several(exprs, nulls.collect(), columns, input)
            }
            [Expr::GroupingSet(GroupingSet::Cube(exprs))] => {
                self.several(exprs, combinations(exprs.len())?, columns, input)
            }
            [Expr::GroupingSet(GroupingSet::GroupingSets(sets))] => {
                let mut exprs: Vec<Expr> = Vec::new();
                for expr in sets.iter().flatten() {
                    if !exprs.contains(expr) {
                        exprs.push(expr.clone());
                    }
                }
                let nulls = sets.iter().map(|set| exprs.iter().map(|expr| !set.contains(expr)).collect());
                self.several(&exprs, nulls.collect(), columns, input)
            }
            exprs => {
                let exprs = exprs.iter().map(|expr| self.group(expr, columns)).collect::<Result<_>>()?;
                Ok(PhysicalGroupBy::new_single(exprs))
            }
        }
    }

    fn group(&self, expr: &Expr, columns: &DFSchema) -> Result<(Arc<dyn PhysicalExpr>, String)> {
        Ok((self.expression(expr, columns)?, physical_name(expr)?))
    }

    fn several(
        &self,
        exprs: &[Expr],
        nulls: Vec<Vec<bool>>,
        columns: &DFSchema,
        input: &Schema,
    ) -> Result<PhysicalGroupBy> {
        let exprs = exprs.iter().map(|expr| self.group(expr, columns)).collect::<Result<Vec<_>>>()?;
        let null = |(expr, name): &(Arc<dyn PhysicalExpr>, String)| {
            let null = ScalarValue::try_from(&expr.data_type(input)?)?;
            Ok((lit(null), name.clone()))
        };
        let in_place = exprs.iter().map(null).collect::<Result<_>>()?;
        Ok(PhysicalGroupBy::new(exprs, in_place, nulls, true))
    }
}

/// All ways to leave some out, those first that leave out the fewest, and of these those first that leave out the first.
fn combinations(of: usize) -> Result<Vec<Vec<bool>>> {
    if of > MOST_CUBED {
        return plan_err!("CUBE is limited to {MOST_CUBED} elements");
    }
    let mut all: Vec<Vec<bool>> = (0..1_u32 << of).map(|set| (0..of).map(|at| set >> at & 1 == 1).collect()).collect();
    let left_out = |nulls: &Vec<bool>| -> Vec<usize> { (0..of).filter(|at| nulls[*at]).collect() };
    all.sort_by_cached_key(|nulls| (left_out(nulls).len(), left_out(nulls)));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cube_has_all_combinations() {
        let shown = |of: usize| -> Vec<String> {
            let nulls = combinations(of).unwrap();
            nulls.iter().map(|nulls| nulls.iter().map(|is| if *is { '-' } else { 'x' }).collect()).collect()
        };
        assert_eq!(shown(0), [""]);
        assert_eq!(shown(2), ["xx", "-x", "x-", "--"]);
        assert_eq!(shown(3), ["xxx", "-xx", "x-x", "xx-", "--x", "-x-", "x--", "---"]);
        assert!(combinations(MOST_CUBED + 1).is_err());
    }
}
