//! Queries: lists, groups, orders, counts of rows.

use super::Reducer;
use crate::error::{Parse, SqlError};
use crate::tree::{
    Expr, GroupBy, Grouping, Literal, ObjectName, OrderItem, Query, QueryBody, Select, SelectItem, SetQuantifier,
};
use mainstay_ads_types::native;
use mainstay_types::Value;

impl Reducer<'_> {
    pub(super) fn query(&mut self, query: &Query) -> Parse<()> {
        self.depth += 1;
        let written = self.whole_query(query);
        self.depth -= 1;
        written
    }

    fn whole_query(&mut self, query: &Query) -> Parse<()> {
        match &query.body {
            QueryBody::Select(select) => {
                self.select(select, &query.order)?;
                let offset = query.offset.as_ref().map(|offset| self.count(offset)).transpose()?;
                if let Some(top) = select.top.as_ref().filter(|top| !top.percent) {
                    let count = self.count(&top.count)?;
                    self.push(" LIMIT ");
                    self.number(count);
                }
                if select.top.as_ref().is_some_and(|top| top.percent) && self.depth > 1 {
                    return Err(SqlError::unsupported("TOP PERCENT in a subquery"));
                }
                match offset {
                    Some(0) => return Err(SqlError::new(native::ARGUMENT, "START AT must be greater than 0")),
                    Some(offset) => {
                        self.push(" OFFSET ");
                        self.number(offset - 1);
                    }
                    None => {}
                }
            }
            body => {
                self.body(body)?;
                self.order(&query.order, None)?;
            }
        }
        Ok(())
    }

    /// The number of TOP and START AT.
    pub(super) fn count(&mut self, value: &Expr) -> Parse<u64> {
        let refused = || SqlError::new(native::ARGUMENT, "TOP must be a whole number that is not negative");
        match value {
            Expr::Literal(Literal::Integer(digits)) => digits.parse().map_err(|_| refused()),
            Expr::Variable(name) => match self.scope.value(&name.text.to_lowercase())? {
                Some((Value::Integer(number), _)) => u64::try_from(number).map_err(|_| refused()),
                _ => Err(refused()),
            },
            _ => Err(refused()),
        }
    }

    fn body(&mut self, body: &QueryBody) -> Parse<()> {
        match body {
            QueryBody::Select(select) => self.select(select, &[]),
            QueryBody::Set(left, _, all, right) => {
                self.body(left)?;
                self.push(if *all { " UNION ALL " } else { " UNION " });
                self.body(right)
            }
        }
    }

    fn select(&mut self, select: &Select, order: &[OrderItem]) -> Parse<()> {
        if self.depth > 1 && select.into.is_some() {
            return Err(SqlError::new(native::UNEXPECTED, "Unexpected token: INTO"));
        }
        self.tables.push(Self::tables_of(&select.from));
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
        self.list(&select.items, |it, item| it.item(item, &mut unnamed))?;
        self.from(&select.from)?;
        if let Some(condition) = &select.condition {
            self.push(" WHERE ");
            self.expression(condition)?;
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

    fn item(&mut self, item: &SelectItem, unnamed: &mut usize) -> Parse<()> {
        match item {
            SelectItem::Star(None) => self.push("*"),
            SelectItem::Star(Some(table)) => {
                self.name(table.last());
                self.push(".*");
            }
            SelectItem::Value(value, alias) => {
                self.expression(value)?;
                let name = match (alias, value) {
                    (Some(alias), _) => alias.text.clone(),
                    // A column of a table keeps its name; a variable's value has none.
                    (None, Expr::Column(name)) if self.out.ends_with('"') => {
                        let _ = name;
                        return Ok(());
                    }
                    (None, Expr::Column(name)) => name.last().to_owned(),
                    (None, _) => {
                        *unnamed += 1;
                        match *unnamed {
                            1 => "EXPR".to_owned(),
                            number => format!("EXPR_{}", number - 1),
                        }
                    }
                };
                self.push(" AS ");
                self.name(&name);
            }
            SelectItem::Assign(..) => return Err(SqlError::unsupported("an assignment in a query")),
        }
        Ok(())
    }

    /// An alias of the list goes before a column of the same name.
    fn group(&mut self, group: &GroupBy, items: &[SelectItem]) -> Parse<()> {
        self.push(" GROUP BY ");
        self.list(&group.items, |it, item| match item {
            Grouping::Value(value) => match aliased(value, items) {
                Some(value) => it.expression(value),
                None => it.ordinal_or_value(value),
            },
            _ => Err(SqlError::unsupported("this GROUP BY")),
        })
    }

    /// A whole number is the place of a column.
    fn ordinal_or_value(&mut self, value: &Expr) -> Parse<()> {
        match value {
            Expr::Literal(Literal::Integer(digits)) => {
                self.push(digits);
                Ok(())
            }
            value => self.expression(value),
        }
    }

    /// NULL comes first. `items` are those of the one SELECT that is ordered.
    fn order(&mut self, order: &[OrderItem], items: Option<&[SelectItem]>) -> Parse<()> {
        if order.is_empty() {
            return Ok(());
        }
        self.push(" ORDER BY ");
        self.list(order, |it, item| {
            match (&item.value, items) {
                (Expr::Column(name), Some(items)) if aliased(&item.value, items).is_some() => it.name(name.last()),
                (Expr::Collate(inner, collation), _) if collation.text.to_lowercase().ends_with("_ci") => {
                    it.push("upper(");
                    it.expression(inner)?;
                    it.push(")");
                }
                (value, _) => it.ordinal_or_value(value)?,
            }
            it.push(if item.descending == Some(true) { " DESC NULLS LAST" } else { " ASC NULLS FIRST" });
            Ok(())
        })
    }
}

/// The expression that an alias of the list stands for.
fn aliased<'i>(value: &Expr, items: &'i [SelectItem]) -> Option<&'i Expr> {
    let Expr::Column(ObjectName { parts, .. }) = value else { return None };
    let [name] = &parts[..] else { return None };
    items.iter().find_map(|item| match item {
        SelectItem::Value(value, Some(alias)) if alias.is(&name.text) => Some(value),
        _ => None,
    })
}
