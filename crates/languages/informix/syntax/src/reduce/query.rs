//! SELECT.

use super::{Mode, Reducer};
use crate::error::{Parse, SqlError};
use crate::tree::{
    Expr, GroupBy, Grouping, Literal, OrderItem, Query, QueryBody, Select, SelectItem, SetOperator, SetQuantifier,
};

impl Reducer<'_> {
    /// Writes a query.
    pub(super) fn query(&mut self, query: &Query) -> Parse<()> {
        self.depth += 1;
        let written = self.query_here(query);
        self.depth -= 1;
        written
    }

    fn query_here(&mut self, query: &Query) -> Parse<()> {
        let (common, floats) = (self.common.len(), std::mem::take(&mut self.floats));
        let written = self.query_parts(query);
        self.common.truncate(common);
        self.floats = floats;
        written
    }

    fn query_parts(&mut self, query: &Query) -> Parse<()> {
        if !query.with.tables.is_empty() {
            self.push("WITH RECURSIVE ");
            self.list(&query.with.tables, |it, table| {
                it.name(&table.name.text);
                if !table.columns.is_empty() {
                    it.push(" (");
                    it.list(&table.columns, |it, column| {
                        it.name(&column.text);
                        Ok(())
                    })?;
                    it.push(")");
                }
                it.push(" AS (");
                it.query(&table.query)?;
                it.push(")");
                it.add_common(table);
                Ok(())
            })?;
            self.push(" ");
        }
        let top = match &query.body {
            QueryBody::Select(select) => {
                self.select(select, &query.order)?;
                select.top.as_ref().map(|top| &top.count)
            }
            body => {
                self.floats = self.floating_places(body);
                self.body(body)?;
                self.order(&query.order, None)?;
                None
            }
        };
        self.limits(top.or(query.fetch.as_ref()), query.offset.as_ref())
    }

    fn limits(&mut self, count: Option<&Expr>, offset: Option<&Expr>) -> Parse<()> {
        if self.depth == 1 && matches!(self.mode, Mode::Describe(_)) {
            self.push(" LIMIT 0");
            return Ok(());
        }
        for (word, value) in [(" LIMIT ", count), (" OFFSET ", offset)] {
            if let Some(value) = value {
                self.push(word);
                match value {
                    Expr::Literal(Literal::Integer(_)) | Expr::Variable(_) => self.expression(value)?,
                    _ => {
                        return Err(SqlError::new(
                            SqlError::SYNTAX,
                            "A syntax error has occurred: FIRST and SKIP take a number.",
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    fn body(&mut self, body: &QueryBody) -> Parse<()> {
        match body {
            QueryBody::Select(select) => {
                self.select(select, &[])?;
                match &select.top {
                    Some(_) => Err(SqlError::unsupported("FIRST in a part of a UNION")),
                    None => Ok(()),
                }
            }
            QueryBody::Set(left, operator, all, right) => {
                self.body(left)?;
                self.push(match operator {
                    SetOperator::Union => " UNION",
                    SetOperator::Except => " EXCEPT",
                    SetOperator::Intersect => " INTERSECT",
                });
                self.push(if *all { " ALL " } else { " " });
                self.body(right)
            }
        }
    }

    fn select(&mut self, select: &Select, order: &[OrderItem]) -> Parse<()> {
        let known = self.tables_of(&select.from);
        self.tables.push(known);
        let written = self.select_here(select, order);
        self.tables.pop();
        written
    }

    fn select_here(&mut self, select: &Select, order: &[OrderItem]) -> Parse<()> {
        self.push("SELECT ");
        if select.quantifier == Some(SetQuantifier::Distinct) {
            self.push("DISTINCT ");
        }
        let mut unnamed = 0;
        let floats = std::mem::take(&mut self.floats);
        self.list(select.items.iter().enumerate(), |it, (place, item)| {
            it.item(item, &mut unnamed, floats.get(place) == Some(&true))
        })?;
        self.floats = floats;
        if let Some(column) = self.row_number.clone().filter(|_| self.depth == 1) {
            self.push(&format!(", {column}"));
        }
        let left = self.from(&select.from, select.condition.as_ref())?;
        if !left.is_empty() {
            self.push(" WHERE ");
            for (place, part) in left.iter().enumerate() {
                self.push(if place > 0 { " AND " } else { "" });
                self.expression(part)?;
            }
        }
        if let Some(group) = &select.group {
            self.group(group, &select.items)?;
        }
        if let Some(having) = &select.having {
            self.push(" HAVING ");
            self.expression(having)?;
        }
        self.order(order, Some(&select.items))
    }

    /// The names of columns that are no columns of a table: `(expression)`, `(constant)`, `(count)`. The manual numbers those
    /// of a temporary table; a result may have several of one name.
    fn item(&mut self, item: &SelectItem, unnamed: &mut usize, floats: bool) -> Parse<()> {
        match item {
            SelectItem::Star(None) => self.push("*"),
            SelectItem::Star(Some(table)) => {
                self.name(table.last());
                self.push(".*");
            }
            SelectItem::Value(value, alias) => {
                match value {
                    value if floats => self.floating(value)?,
                    // A whole number is an INTEGER as long as it fits.
                    Expr::Literal(Literal::Integer(digits)) if digits.parse::<i32>().is_ok() => {
                        self.push(&format!("CAST({digits} AS INTEGER)"));
                    }
                    value => self.expression(value)?,
                }
                let name = match (alias, value) {
                    (Some(alias), _) => alias.text.clone(),
                    (None, Expr::Column(name))
                        if !floats && self.out.ends_with('"') && self.row_number(name).is_none() =>
                    {
                        return Ok(());
                    }
                    (None, Expr::Column(name)) => name.last().to_owned(),
                    (None, Expr::Literal(_)) => "(constant)".to_owned(),
                    (None, Expr::Call(call)) if call.name.last() == "substring_range" => match call.arguments.first() {
                        Some(crate::tree::Argument::Value(Expr::Column(name))) => name.last().to_owned(),
                        _ => "(expression)".to_owned(),
                    },
                    (None, Expr::Call(call)) if ["count", "sum", "avg", "min", "max"].contains(&call.name.last()) => {
                        format!("({})", call.name.last())
                    }
                    (None, _) => "(expression)".to_owned(),
                };
                *unnamed += 1;
                self.push(" AS ");
                self.name(&name);
            }
            SelectItem::Assign(..) => return Err(SqlError::unsupported("an assignment in a query")),
        }
        Ok(())
    }

    fn group(&mut self, group: &GroupBy, items: &[SelectItem]) -> Parse<()> {
        self.push(" GROUP BY ");
        self.list(&group.items, |it, item| match item {
            Grouping::Value(value) => it.expression(aliased(value, items).unwrap_or(value)),
            _ => Err(SqlError::unsupported("this GROUP BY")),
        })
    }

    /// NULL comes first in ascending order and last in descending one. `items` are those of the one SELECT that is ordered.
    fn order(&mut self, order: &[OrderItem], items: Option<&[SelectItem]>) -> Parse<()> {
        if order.is_empty() {
            return Ok(());
        }
        self.push(" ORDER BY ");
        self.list(order, |it, item| {
            match (&item.value, items) {
                (Expr::Column(name), Some(items)) if aliased(&item.value, items).is_some() => it.name(name.last()),
                // Behind a UNION only the names of the result are known.
                (Expr::Column(name), None) => it.name(name.last()),
                (value, _) => it.expression(value)?,
            }
            it.push(if item.descending == Some(true) { " DESC NULLS LAST" } else { " ASC NULLS FIRST" });
            Ok(())
        })
    }
}

/// The expression behind an alias of the list.
fn aliased<'i>(value: &Expr, items: &'i [SelectItem]) -> Option<&'i Expr> {
    let Expr::Column(name) = value else { return None };
    let [name] = &name.parts[..] else { return None };
    items.iter().find_map(|item| match item {
        SelectItem::Value(value, Some(alias)) if alias.is(&name.text) => Some(value),
        _ => None,
    })
}
