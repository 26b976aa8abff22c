//! Walks over DataFusion's plans and expressions, compiled once for all callers.
//!
//! DataFusion's own `transform_up`, `apply` and similar functions are generic over the closure: each of the hundred
//! calls here would be another copy of the walk through every kind of node, as with the parser's tree
//! ([`crate::parse::walk`]). These functions pass the closure as a trait object.

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::{Expr, LogicalPlan};

/// A tree of one kind of node: expressions, logical or physical plans.
pub trait Tree: TreeNode {
    /// Changes every node, those below it first.
    fn map_up(self, mut change: impl FnMut(Self) -> Result<Transformed<Self>>) -> Result<Transformed<Self>> {
        let change: &mut dyn FnMut(Self) -> Result<Transformed<Self>> = &mut change;
        self.transform_up(change)
    }

    /// Changes every node, and then those below what has become of it.
    fn map_down(self, mut change: impl FnMut(Self) -> Result<Transformed<Self>>) -> Result<Transformed<Self>> {
        let change: &mut dyn FnMut(Self) -> Result<Transformed<Self>> = &mut change;
        self.transform_down(change)
    }

    /// Looks at every node, before those below it.
    fn each<'n>(&'n self, mut look: impl FnMut(&'n Self) -> Result<TreeNodeRecursion>) -> Result<TreeNodeRecursion> {
        let look: &mut dyn FnMut(&'n Self) -> Result<TreeNodeRecursion> = &mut look;
        self.apply(look)
    }

    /// Returns true if there is a node that is so.
    fn has(&self, mut is_so: impl FnMut(&Self) -> Result<bool>) -> Result<bool> {
        let is_so: &mut dyn FnMut(&Self) -> Result<bool> = &mut is_so;
        self.exists(is_so)
    }
}

impl<N: TreeNode> Tree for N {}

/// Walks that only logical plans have: over expressions, and over the plans within them.
pub trait PlanTree {
    /// Changes every node, those of subqueries too and those below it first.
    fn map_up_with_subqueries(
        self,
        change: impl FnMut(LogicalPlan) -> Result<Transformed<LogicalPlan>>,
    ) -> Result<Transformed<LogicalPlan>>;

    /// Changes every node, those of subqueries too, and then those below what has become of it.
    fn map_down_with_subqueries(
        self,
        change: impl FnMut(LogicalPlan) -> Result<Transformed<LogicalPlan>>,
    ) -> Result<Transformed<LogicalPlan>>;

    /// Looks at every node, before those below it, and at those of subqueries.
    fn each_with_subqueries(
        &self,
        look: impl FnMut(&LogicalPlan) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion>;

    /// Changes the expressions of this node.
    fn map_each_expression(
        self,
        change: impl FnMut(Expr) -> Result<Transformed<Expr>>,
    ) -> Result<Transformed<LogicalPlan>>;

    /// Looks at the expressions of this node.
    fn each_expression(&self, look: impl FnMut(&Expr) -> Result<TreeNodeRecursion>) -> Result<TreeNodeRecursion>;
}

impl PlanTree for LogicalPlan {
    fn map_up_with_subqueries(
        self,
        mut change: impl FnMut(LogicalPlan) -> Result<Transformed<LogicalPlan>>,
    ) -> Result<Transformed<LogicalPlan>> {
        let change: &mut dyn FnMut(LogicalPlan) -> Result<Transformed<LogicalPlan>> = &mut change;
        self.transform_up_with_subqueries(change)
    }

    fn map_down_with_subqueries(
        self,
        mut change: impl FnMut(LogicalPlan) -> Result<Transformed<LogicalPlan>>,
    ) -> Result<Transformed<LogicalPlan>> {
        let change: &mut dyn FnMut(LogicalPlan) -> Result<Transformed<LogicalPlan>> = &mut change;
        self.transform_down_with_subqueries(change)
    }

    fn each_with_subqueries(
        &self,
        mut look: impl FnMut(&LogicalPlan) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        let look: &mut dyn FnMut(&LogicalPlan) -> Result<TreeNodeRecursion> = &mut look;
        self.apply_with_subqueries(look)
    }

    fn map_each_expression(
        self,
        mut change: impl FnMut(Expr) -> Result<Transformed<Expr>>,
    ) -> Result<Transformed<LogicalPlan>> {
        let change: &mut dyn FnMut(Expr) -> Result<Transformed<Expr>> = &mut change;
        self.map_expressions(change)
    }

    fn each_expression(&self, mut look: impl FnMut(&Expr) -> Result<TreeNodeRecursion>) -> Result<TreeNodeRecursion> {
        let look: &mut dyn FnMut(&Expr) -> Result<TreeNodeRecursion> = &mut look;
        self.apply_expressions(look)
    }
}
