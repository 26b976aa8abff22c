//! Comparison of a row of values with the rows of a query.

use crate::parse::fragments::{select_of, template};
use crate::reduce::row_values::unequal;
use datafusion::sql::sqlparser::ast::{
    Expr, Ident, Query, SelectItem, SetExpr, TableAlias, TableAliasColumnDef, TableFactor, TableWithJoins, Value,
};
use mainstay_types::Result;

/// The name of the query whose rows are compared: no statement has such a name, so nothing beside it is taken for a
/// column of it.
const COMPARED: &str = "#compared";

/// A query whose columns have names of their own.
pub(crate) struct Compared<'a> {
    query: &'a Query,
    names: Vec<Expr>,
}

impl<'a> Compared<'a> {
    /// The rows of a query, to be compared with a row of this many members.
    ///
    /// Errors: `Syntax` when it has another number of columns.
    pub(crate) fn new(members: usize, query: &'a Query) -> Result<Compared<'a>> {
        // The number of columns of `*` is not known here; the planner says if it is another.
        if let SetExpr::Select(select) = query.body.as_ref()
            && !select.projection.iter().any(is_wildcard)
            && select.projection.len() != members
        {
            return Err(unequal());
        }
        let name = |number| Expr::CompoundIdentifier(vec![Ident::with_quote('"', COMPARED), column(number)]);
        Ok(Compared { query, names: (0..members).map(name).collect() })
    }

    /// Its columns.
    pub(crate) fn names(&self) -> &[Expr] {
        &self.names
    }

    /// `SELECT value FROM (query) AS names WHERE condition`.
    pub(crate) fn query(&self, value: Expr, condition: Option<Expr>) -> Result<Query> {
        let columns = (0..self.names.len()).map(|number| TableAliasColumnDef { name: column(number), data_type: None });
        let name = Ident::with_quote('"', COMPARED);
        let alias = Some(TableAlias { explicit: true, name, columns: columns.collect(), at: None });
        let subquery = Box::new(self.query.clone());
        let relation = TableFactor::Derived { lateral: false, subquery, alias, sample: None };
        let mut query = template()?;
        let select = select_of(&mut query)?;
        // The planner's own names tell which columns are of the statement around, and change when it moves them.
        select.projection = vec![SelectItem::ExprWithAlias { expr: value, alias: Ident::with_quote('"', "#value") }];
        select.from = vec![TableWithJoins { relation, joins: Vec::new() }];
        select.selection = condition;
        Ok(query)
    }

    /// Returns true if one of its rows is so.
    pub(crate) fn exists(&self, condition: Expr, negated: bool) -> Result<Expr> {
        let one = Expr::Value(Value::Number("1".into(), false).into());
        Ok(Expr::Exists { subquery: Box::new(self.query(one, Some(condition))?), negated })
    }
}

fn column(number: usize) -> Ident {
    Ident::with_quote('"', format!("member{number}"))
}

fn is_wildcard(item: &SelectItem) -> bool {
    matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..))
}
