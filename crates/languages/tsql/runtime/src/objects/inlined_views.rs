//! Views that depend on the session or the catalog: `CREATE VIEW v AS SELECT ... WHERE due < GETDATE()`.
//!
//! The core's views are the same for all sessions, so it cannot contain these. It stores a shape of such a view, a
//! placeholder with its columns and no rows, for readers of the catalog; in a statement that names the view, the view's
//! own query takes its place. The same is done for any view in a session whose options change the meaning of values.

use crate::session::Inner;
use crate::session::scope::{Names, local_name};
use crate::statements::query::shown;
use mainstay_tsql_syntax::reduce::{ReducedQuery, quoted};
use mainstay_tsql_syntax::tree::{ObjectName, View};
use mainstay_types::ValueRef;
use mainstay_vm::Raised;

/// The condition of a shape, which no row meets and which marks it as one.
const SHAPE: &str = "'mainstay:inlined' IS NULL";

impl Inner {
    /// A query of the core that has the columns of another one, and no rows.
    pub(crate) fn shape_of(&mut self, reduced: ReducedQuery) -> Result<String, Box<Raised>> {
        let ReducedQuery { text, parameters, heads } = reduced;
        let values = vec![ValueRef::Null; parameters.len()];
        let mut plan = self.plan(&text, parameters, heads)?;
        let rows = plan.prepared.query(&mut self.core, &values).map_err(crate::statements::errors::raised_error)?;
        let columns = rows.schema().map_or_else(Vec::new, |schema| shown(schema, &plan.heads));
        let column = |column: &crate::columns::Column| {
            format!("\"mssql:cast:{}\"(NULL) AS {}", column.data_type, quoted(&column.name))
        };
        let columns: Vec<String> = columns.iter().map(column).collect();
        Ok(format!("SELECT {} WHERE {SHAPE}", columns.join(", ")))
    }
}

impl Names<'_> {
    /// The view of this name, if the core has its shape only, or another view than the session's options make of it.
    pub(crate) fn view_by_its_text(&self, name: &ObjectName) -> Option<View> {
        let view = self.modules.view(name)?;
        let (schema, name) = local_name(&view.name);
        let wanted = schema.unwrap_or("dbo");
        let shared = self.core.borrow().definitions().shared;
        let is_shape = shared.views.iter().any(|known| {
            let schema = shared.schemas.iter().find(|schema| schema.id == known.schema);
            let schema = schema.map_or("dbo", |schema| if schema.name == "main" { "dbo" } else { &schema.name });
            known.name.eq_ignore_ascii_case(name) && schema.eq_ignore_ascii_case(wanted) && known.text.contains(SHAPE)
        });
        // The core's view means what it means to a new connection.
        (is_shape || self.state.options.settings.counts_for_rows()).then(|| view.clone())
    }
}
