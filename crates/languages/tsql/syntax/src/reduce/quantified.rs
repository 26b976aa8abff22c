//! Comparisons with ANY and ALL of a query.
//!
//! ```text
//!   x > ANY (SELECT y ...)           EXISTS (SELECT 1 FROM (SELECT y ...) AS "#q" ("#v") WHERE x > "#v")
//!   x > ALL (SELECT y ...)           NOT EXISTS (... WHERE x > "#v" is not true)
//!   NOT x > ANY (SELECT y ...)       NOT EXISTS (... WHERE x > "#v" is not false)
//! ```
//!
//! With EXISTS both sides compare as in T-SQL, but the result is never unknown. It need not be: of a whole condition
//! only its truth counts. So an unknown comparison counts as false, and under NOT as true.

use super::Reducer;
use crate::tree::{BinaryOperator, Expr, Name, ObjectName, Quantifier, Query};
use mainstay_tsql_types::Message;

impl Reducer<'_> {
    /// Writes NOT and what it is around.
    pub(super) fn not(&mut self, inner: impl FnOnce(&mut Self) -> Result<(), Message>) -> Result<(), Message> {
        self.is_negated = !self.is_negated;
        self.push("NOT (");
        let written = inner(self);
        self.push(")");
        self.is_negated = !self.is_negated;
        written
    }

    /// Writes a condition of CASE or IIF: a NOT around the value does not apply to it.
    pub(super) fn condition_of_value(&mut self, condition: &Expr) -> Result<(), Message> {
        let is_negated = std::mem::replace(&mut self.is_negated, false);
        let written = self.condition(condition);
        self.is_negated = is_negated;
        written
    }

    /// Writes `left operator ANY (query)`, or ALL.
    pub(super) fn quantified(
        &mut self,
        left: &Expr,
        operator: BinaryOperator,
        quantifier: Quantifier,
        query: &Query,
    ) -> Result<(), Message> {
        self.check_single_column(query)?;
        let is_all = quantifier == Quantifier::All;
        self.push(match (is_all, self.in_value) {
            (true, false) => "NOT EXISTS (SELECT 1 FROM (",
            (false, false) => "EXISTS (SELECT 1 FROM (",
            (true, true) => "(0 = (SELECT count(1) FROM (",
            (false, true) => "(0 < (SELECT count(1) FROM (",
        });
        self.nameless_query(query)?;
        self.push(") AS \"#q\" (\"#v\") WHERE ");
        let found = Name { text: "#v".to_owned(), ..Name::default() };
        let found = Expr::Column(ObjectName { parts: vec![found], ..ObjectName::default() });
        // ALL looks for rows that are against it, ANY for one that is for it.
        let (before, after) = match (is_all, self.is_negated) {
            (false, false) => ("", ""),
            (false, true) => ("CASE WHEN NOT (", ") THEN FALSE ELSE TRUE END"),
            (true, false) => ("CASE WHEN ", " THEN FALSE ELSE TRUE END"),
            (true, true) => ("NOT (", ")"),
        };
        self.push(before);
        self.call(operator.function(), &[left, &found])?;
        self.push(after);
        self.push(if self.in_value { "))" } else { ")" });
        Ok(())
    }
}
