//! Statements for the row executor: planned as any other, and compiled to a block where that is possible.

use crate::catalog::Visibility;
use crate::optimize::rows::Short;
use crate::parse::text::Text;
use crate::plan::planner::Planner;
use crate::{Catalog, Delete, Insert, InsertSource, LockingQuery, SqlExpr, Update};
use arrow_schema::{DataType, Schema};
use datafusion::sql::sqlparser::ast::Statement;
use mainstay_types::Result;
use std::sync::Arc;

impl Planner {
    /// The query, with parameters `$1` and so on, for the row executor; `None` where that does not do it, or where the
    /// text has a mistake that planning it will tell.
    pub fn short_query(&self, source: &str, catalog: &dyn Catalog, visibility: Visibility) -> Result<Option<Short>> {
        let text = Text::new(source)?;
        text.check_length()?;
        if text.is_deep() || text.mentions("_deleted") {
            return Ok(None);
        }
        let statement = text.parse()?;
        let short = self.short(&text, statement, catalog, visibility, false);
        Ok(short.filter(Short::has_known_types))
    }

    /// The rows that an UPDATE changes, as [`Planner::plan_update`] gives them.
    pub fn short_update(
        &self,
        source: &str,
        update: &Update,
        beside: &[SqlExpr],
        catalog: &dyn Catalog,
    ) -> Result<Option<Short>> {
        let (text, statement) = crate::plan::change::update_query(source, update, (crate::POSITION, beside))?;
        Ok(self.short(&text, statement, catalog, Visibility::Live, true))
    }

    /// The rows that a DELETE ends, as [`Planner::plan_delete`] gives them.
    pub fn short_delete(
        &self,
        source: &str,
        delete: &Delete,
        beside: &[SqlExpr],
        catalog: &dyn Catalog,
    ) -> Result<Option<Short>> {
        let (text, statement) = crate::plan::change::delete_query(source, delete, (crate::POSITION, beside))?;
        Ok(self.short(&text, statement, catalog, Visibility::Live, true))
    }

    /// The rows that the query of an INSERT gives, as [`Planner::plan_insert`] gives them; `None` where the row executor does
    /// not do it, or where only a parameter will tell the type of a column.
    pub fn short_insert(
        &self,
        source: &str,
        insert: &Insert,
        catalog: &dyn Catalog,
        visibility: Visibility,
    ) -> Result<Option<Short>> {
        let InsertSource::Query(query) = &insert.source else { return Ok(None) };
        let text = Text::new(source)?;
        let statement = Statement::Query(query.clone());
        let short = self.short(&text, statement, catalog, visibility, false);
        Ok(short.filter(Short::has_known_types))
    }

    /// The rows that a query locks, as [`Planner::plan_locking`] gives them: their positions are one more column behind
    /// those of the schema.
    pub fn short_locking(&self, source: &str, locking: &LockingQuery, catalog: &dyn Catalog) -> Result<Option<Short>> {
        let text = Text::new(source)?;
        let statement = crate::plan::change::positioned(locking)?;
        let short = self.short(&text, statement, catalog, Visibility::Live, true);
        Ok(short.and_then(|short| {
            let shown = short.schema.fields().split_last().map(|(_, shown)| shown.to_vec())?;
            let is_known = shown.iter().all(|field| field.data_type() != &DataType::Null);
            is_known.then(|| Short { schema: Arc::new(Schema::new(shown)), ..short })
        }))
    }

    fn short(
        &self,
        text: &Text,
        statement: Statement,
        catalog: &dyn Catalog,
        visibility: Visibility,
        hidden_columns: bool,
    ) -> Option<Short> {
        let logical = self.logical_of_short(text, statement, catalog, visibility, hidden_columns)?;
        Short::of(&logical, text)
    }
}
