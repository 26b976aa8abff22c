//! Aggregates in subqueries whose columns are all of the outer query: they are that query's aggregates.
//!
//! ```text
//!   SELECT c.Name, (SELECT MAX(l.Rate) FROM Levels l WHERE l.Least <= SUM(o.Amount))
//!   FROM Customers c JOIN Orders o ON ... GROUP BY c.Name
//!
//!   SELECT "#o1"."#g0", (SELECT max(l.rate) FROM levels l WHERE l.least <= "#o1"."#a0")
//!   FROM (SELECT c.name AS "#g0", sum(o.amount) AS "#a0" FROM customers c JOIN ... GROUP BY c.name) AS "#o1"
//! ```
//!
//! A derived table computes the groups, and the query above it names their values and aggregates. A subquery names
//! columns of the outer query with their tables ([`super::outer_names`]). Limit: GROUP BY ALL.

use super::Reducer;
use super::updatable::leaves_of;
use crate::tree::{Argument, Case, Expr, Grouping, OrderItem, Query, QueryBody, Select, SelectItem, Source, Test};
use mainstay_tsql_types::Message;

/// A query whose groups are made below it.
pub(super) struct Grouped {
    /// The depth of the query.
    depth: usize,
    /// The names of its sources.
    aliases: Vec<String>,
    groups: Vec<Expr>,
    aggregates: Vec<Expr>,
}

impl Grouped {
    /// The name of the groups.
    fn name(&self) -> String {
        format!("\"#o{}\"", self.depth)
    }

    /// The group that an expression is, which stands `within` a subquery or not.
    fn group(&self, value: &Expr, within: bool) -> Option<usize> {
        let Expr::Column(name) = value else {
            return if within { None } else { self.groups.iter().position(|group| group == value) };
        };
        let qualifier = |expr: &Expr| match expr {
            Expr::Column(name) => {
                name.parts.len().checked_sub(2).and_then(|place| name.parts.get(place)).map(|part| part.text.clone())
            }
            _ => None,
        };
        let own = qualifier(value);
        if within && !own.as_ref().is_some_and(|own| is_among(&self.aliases, own)) {
            return None;
        }
        self.groups.iter().position(|group| {
            let Expr::Column(known) = group else { return false };
            let is_same = match (&own, qualifier(group)) {
                (Some(own), Some(known)) => own.eq_ignore_ascii_case(&known),
                _ => true,
            };
            is_same && known.last().eq_ignore_ascii_case(name.last())
        })
    }
}

impl Reducer<'_> {
    /// Takes a SELECT whose groups have to be made below it; false for any other.
    ///
    /// Errors: those of its expressions.
    pub(super) fn groups_below(&mut self, select: &Select, order: &[OrderItem]) -> Result<bool, Message> {
        if !has_outer(select, order) {
            return Ok(false);
        }
        if select.group.as_ref().is_some_and(|group| group.all) {
            return Ok(false);
        }
        let mut groups = Vec::new();
        select.group.iter().flat_map(|group| &group.items).for_each(|item| note_groups(item, &mut groups));
        self.grouped.push(Grouped { depth: self.depth, aliases: aliases_of(select), groups, aggregates: Vec::new() });
        // The written text is dropped: writing finds the aggregates.
        for value in values_of(select, order) {
            self.aside(|it| if value.is_condition() { it.condition(value) } else { it.expression(value) })?;
        }
        Ok(true)
    }

    /// Writes FROM and WHERE of such a SELECT: its groups, and HAVING.
    pub(super) fn groups_of(&mut self, select: &Select) -> Result<(), Message> {
        let Some(own) = self.grouped.pop() else { return Ok(()) };
        let (name, groups, aggregates) = (own.name(), own.groups.clone(), own.aggregates.clone());
        self.push(" FROM (SELECT ");
        let columns = groups.iter().enumerate().map(|(number, value)| ("g", number, value));
        let columns = columns.chain(aggregates.iter().enumerate().map(|(number, value)| ("a", number, value)));
        self.list(columns, |it, (kind, number, value)| {
            it.expression(value)?;
            it.push(&format!(" AS \"#{kind}{number}\""));
            Ok(())
        })?;
        self.tables_and_conditions(select)?;
        if let Some(group) = &select.group {
            self.group(group)?;
        }
        self.push(&format!(") AS {name}"));
        self.grouped.push(own);
        if let Some(having) = &select.having {
            self.push(" WHERE ");
            self.condition(having)?;
        }
        Ok(())
    }

    /// The column of the groups below that an expression is.
    pub(super) fn grouped_instead(&mut self, value: &Expr) -> Option<String> {
        let depth = self.depth;
        self.grouped.iter_mut().rev().find_map(|grouped| {
            let within = depth > grouped.depth;
            if let Some(place) = grouped.group(value, within) {
                return Some(format!("{}.\"#g{place}\"", grouped.name()));
            }
            let Expr::Call(call) = value else { return None };
            let is_own = super::function::is_aggregate(call) && (!within || is_of(value, &grouped.aliases));
            is_own.then(|| {
                let place = grouped.aggregates.iter().position(|known| known == value).unwrap_or_else(|| {
                    grouped.aggregates.push(value.clone());
                    grouped.aggregates.len() - 1
                });
                format!("{}.\"#a{place}\"", grouped.name())
            })
        })
    }
}

/// Notes what an item of GROUP BY groups by.
fn note_groups(item: &Grouping, groups: &mut Vec<Expr>) {
    match item {
        Grouping::Value(value) if groups.contains(value) => {}
        Grouping::Value(value) => groups.push(value.clone()),
        Grouping::Tuple(values) => {
            values.iter().for_each(|value| note_groups(&Grouping::Value(value.clone()), groups));
        }
        Grouping::Rollup(items) | Grouping::Cube(items) | Grouping::Sets(items) => {
            items.iter().for_each(|item| note_groups(item, groups));
        }
    }
}

/// Returns true if aggregates in subqueries make groups of the rows of a SELECT.
pub(super) fn is_grouped_by_subqueries(select: &Select) -> bool {
    has_outer(select, &[])
}

fn has_outer(select: &Select, order: &[OrderItem]) -> bool {
    let aliases = aliases_of(select);
    !aliases.is_empty() && values_of(select, order).any(|value| has_in_expr(value, &aliases, false))
}

/// The names of a SELECT's sources.
fn aliases_of(select: &Select) -> Vec<String> {
    let mut leaves = Vec::new();
    select.from.iter().for_each(|source| leaves_of(source, &mut leaves));
    leaves.into_iter().map(|leaf| leaf.alias).collect()
}

/// The values that are calculated from the groups of a SELECT.
pub(super) fn values_of<'s>(select: &'s Select, order: &'s [OrderItem]) -> impl Iterator<Item = &'s Expr> {
    let items = select.items.iter().filter_map(|item| match item {
        SelectItem::Value(value, _) | SelectItem::Assign(_, _, value) => Some(value),
        SelectItem::Star(_) => None,
    });
    items.chain(&select.having).chain(order.iter().map(|item| &item.value))
}

fn is_among(aliases: &[String], name: &str) -> bool {
    aliases.iter().any(|alias| alias.eq_ignore_ascii_case(name))
}

/// Returns true if an expression has columns, all of them of these sources.
fn is_of(value: &Expr, aliases: &[String]) -> bool {
    let (mut columns, mut others) = (0, 0);
    each(value, &mut |part| {
        if let Expr::Column(name) = part {
            let qualifier = name.parts.len().checked_sub(2).and_then(|place| name.parts.get(place));
            match qualifier {
                Some(qualifier) if is_among(aliases, &qualifier.text) => columns += 1,
                _ => others += 1,
            }
        }
    });
    columns > 0 && others == 0
}

/// Returns true if a subquery in an expression has an aggregate of these sources; `within` says that the expression is
/// in one.
fn has_in_expr(value: &Expr, aliases: &[String], within: bool) -> bool {
    let mut found = false;
    each(value, &mut |part| {
        found |= match part {
            Expr::Call(call) => within && super::function::is_aggregate(call) && is_of(part, aliases),
            Expr::Subquery(query) | Expr::Exists(query) | Expr::Quantified(_, _, _, query) => {
                has_in_query(query, aliases)
            }
            Expr::Test(_, _, Test::InQuery(query)) => has_in_query(query, aliases),
            _ => false,
        };
    });
    found
}

fn has_in_query(query: &Query, aliases: &[String]) -> bool {
    fn in_body(body: &QueryBody, aliases: &[String]) -> bool {
        let select = match body {
            QueryBody::Set(left, _, _, right) => return in_body(left, aliases) || in_body(right, aliases),
            QueryBody::Select(select) => select,
        };
        let own = aliases_of(select);
        // A source of the same name hides that of the query around it.
        let aliases: Vec<String> = aliases.iter().filter(|alias| !is_among(&own, alias)).cloned().collect();
        let mut values = values_of(select, &[]).chain(&select.condition);
        values.any(|value| has_in_expr(value, &aliases, true))
            || select.from.iter().any(|source| in_source(source, &aliases))
    }
    fn in_source(source: &Source, aliases: &[String]) -> bool {
        match source {
            Source::Query(query, _) => has_in_query(query, aliases),
            Source::Values(rows, _) => rows.iter().flatten().any(|value| has_in_expr(value, aliases, true)),
            Source::Function(call, ..) => has_in_expr(call, aliases, true),
            Source::Join(join) => in_source(&join.left, aliases) || in_source(&join.right, aliases),
            Source::Apply(left, _, right) => in_source(left, aliases) || in_source(right, aliases),
            Source::Nested(inner) | Source::OdbcJoin(inner) => in_source(inner, aliases),
            _ => false,
        }
    }
    in_body(&query.body, aliases) || query.order.iter().any(|item| has_in_expr(&item.value, aliases, true))
}

/// Looks at an expression and its parts, but not into queries.
pub(super) fn each(value: &Expr, look: &mut dyn FnMut(&Expr)) {
    look(value);
    match value {
        Expr::Call(call) => call.arguments.iter().for_each(|argument| match argument {
            Argument::Value(value) | Argument::Trim(_, None, value) => each(value, look),
            Argument::KeyValue(one, other) | Argument::Trim(_, Some(one), other) => {
                each(one, look);
                each(other, look);
            }
        }),
        Expr::Unary(_, inner) | Expr::Collate(inner, _) => each(inner, look),
        Expr::Quantified(inner, ..) => each(inner, look),
        Expr::Binary(left, _, right) | Expr::AtTimeZone(left, right) => {
            each(left, look);
            each(right, look);
        }
        Expr::And(parts) | Expr::Or(parts) => parts.iter().for_each(|part| each(part, look)),
        Expr::Cast(cast) => each(&cast.value, look),
        Expr::Case(case) => {
            let Case { operand, branches, otherwise } = case.as_ref();
            let parts = operand.iter().chain(otherwise).chain(branches.iter().flat_map(|(a, b)| [a, b]));
            parts.for_each(|part| each(part, look));
        }
        Expr::Test(inner, _, test) => {
            each(inner, look);
            match test {
                Test::Between(one, other) | Test::Like(one, Some(other)) => {
                    each(one, look);
                    each(other, look);
                }
                Test::DistinctFrom(one) | Test::Like(one, None) => each(one, look),
                Test::InList(items) => items.iter().for_each(|item| each(item, look)),
                Test::Null | Test::InQuery(_) => {}
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::reduce::{self, InlineFunction, Scope, TableColumn};
    use crate::tree::{ObjectName, StatementKind};
    use mainstay_tsql_types::{DataType, Message};

    struct Names;

    impl Scope for Names {
        fn variable(&self, _: &str) -> Option<DataType> {
            None
        }

        fn table(&self, name: &ObjectName) -> Result<String, Message> {
            Ok(reduce::quoted(name.last()))
        }

        fn columns(&self, _: &ObjectName) -> Option<Vec<TableColumn>> {
            None
        }

        fn is_scalar_function(&self, _: &ObjectName) -> bool {
            false
        }

        fn inline_function(&self, _: &ObjectName) -> Option<InlineFunction> {
            None
        }

        fn user_type(&self, _: &ObjectName) -> Option<DataType> {
            None
        }

        fn expression_type(&self, _: &str) -> Result<DataType, Message> {
            Ok(DataType::Int)
        }
    }

    fn reduced(text: &str) -> String {
        let statement = crate::parse(text, crate::Options::default()).statements.remove(0);
        let StatementKind::Select(query) = statement.kind else { panic!("{text}") };
        reduce::query(&query, &Names).expect(text).text
    }

    #[test]
    fn groups_are_made_below_what_asks_for_them() {
        let text = "SELECT c.n, (SELECT MAX(l.r) FROM l WHERE l.k = c.k AND l.least < SUM(o.a)) AS r FROM c JOIN o ON o.c = c.i \
                    GROUP BY c.n, k HAVING COUNT(*) > 1 ORDER BY SUM(o.a)";
        let expected = "SELECT \"#o1\".\"#g0\" AS \"n\", (SELECT \"mssql:max\"(\"l\".\"r\") AS \"#1\" FROM \"l\" WHERE \
                        (\"mssql:equal\"(\"l\".\"k\", \"#o1\".\"#g1\") AND \"mssql:less\"(\"l\".\"least\", \"#o1\".\"#a0\"))) AS \"r\" \
                        FROM (SELECT \"c\".\"n\" AS \"#g0\", \"k\" AS \"#g1\", \"mssql:sum\"(\"o\".\"a\") AS \"#a0\", \
                        \"mssql:count\"(1) AS \"#a1\" FROM \"c\" JOIN \"o\" ON \"mssql:equal\"(\"o\".\"c\", \"c\".\"i\") GROUP BY \
                        \"c\".\"n\", \"k\") AS \"#o1\" WHERE \"mssql:greater\"(\"#o1\".\"#a1\", \"mssql:int\"(1)) ORDER BY \
                        \"#o1\".\"#a0\" ASC NULLS FIRST";
        assert_eq!(reduced(text), expected);
    }

    #[test]
    fn other_queries_stay_as_they_are() {
        for text in [
            "SELECT c.n, (SELECT SUM(o.a) FROM o WHERE o.c = c.i) AS s FROM c",
            "SELECT c.n, (SELECT SUM(c.a) FROM c WHERE c.i = 1) AS s FROM c GROUP BY c.n",
            "SELECT c.n, (SELECT SUM(o.a + c.i) FROM o) AS s FROM c GROUP BY c.n, c.i",
        ] {
            assert!(!reduced(text).contains("#o"), "{text}");
        }
    }
}
