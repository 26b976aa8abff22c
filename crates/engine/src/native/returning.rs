//! RETURNING: what a change gives of its rows.

use super::forms::{Form, NewRow};
use mainstay_base::Result;
use mainstay_query::{Answer, Name, Planner, Returning};

/// The answer of a change: the count, and what RETURNING asks for. `alias` is what the statement calls the table.
pub(super) fn answer(
    planner: &Planner,
    form: &Form,
    alias: Option<&Name>,
    returning: Option<&Returning>,
    rows: Rows,
) -> Result<Answer> {
    let Some(returning) = returning else {
        return Ok(Answer::of(std::sync::Arc::new(arrow_schema::Schema::empty()), Vec::new()).with_changed(rows.count));
    };
    let key = alias.map_or_else(|| form.definition.name.to_lowercase(), |alias| alias.key.clone());
    let expressions = planner.row_returning(returning, &key, &form.schema, 0)?;
    let batch = expressions.evaluate(&form.batch(&rows.kept)?)?;
    Ok(Answer::of(expressions.schema().clone(), vec![batch]).with_changed(rows.count))
}

/// The rows that a change has written or ended.
#[derive(Default)]
pub(crate) struct Rows {
    /// How many.
    pub(crate) count: u64,
    /// Their values, when something asks for them.
    pub(crate) kept: Vec<NewRow>,
}
