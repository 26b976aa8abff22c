//! SELECT.

use super::Parser;
use crate::error::Parse;
use crate::tree::{
    Expr, GroupBy, Grouping, OrderItem, Query, QueryBody, Select, SelectItem, SetOperator, SetQuantifier, Top, With,
};

impl Parser<'_> {
    /// A query, from SELECT up to what ends it.
    pub(super) fn query(&mut self) -> Parse<Query> {
        self.nested(Self::whole_query)
    }

    fn whole_query(&mut self) -> Parse<Query> {
        let (select, offset) = self.select()?;
        let mut body = QueryBody::Select(Box::new(select));
        while self.accept("UNION") {
            self.link()?;
            let all = self.accept("ALL");
            let (right, _) = self.select()?;
            body =
                QueryBody::Set(Box::new(body), SetOperator::Union, all, Box::new(QueryBody::Select(Box::new(right))));
        }
        let order = if self.accept("ORDER BY") { self.list(Self::order_item)? } else { Vec::new() };
        Ok(Query { with: With::default(), body, order, offset, fetch: None, format: None, hints: Vec::new() })
    }

    fn order_item(&mut self) -> Parse<OrderItem> {
        let value = self.expression()?;
        let descending = match self.accept_any(&["ASC", "DESC"]) {
            Some("DESC") => Some(true),
            Some(_) => Some(false),
            None => None,
        };
        Ok(OrderItem { value, descending })
    }

    fn select(&mut self) -> Parse<(Select, Option<Expr>)> {
        self.expect("SELECT")?;
        let (mut select, mut offset) = (Select::default(), None);
        loop {
            if self.accept("{ STATIC }") {
                select.quantifier = select.quantifier.or(Some(SetQuantifier::All));
            } else if self.accept("{ SCROLL }") || self.accept("{ LIVE }") {
                continue;
            } else if self.sees("TOP") && select.top.is_none() && self.begins_top() {
                (select.top, offset) = self.top()?;
            } else if select.quantifier != Some(SetQuantifier::Distinct) && self.accept("DISTINCT") {
                select.quantifier = Some(SetQuantifier::Distinct);
            } else if select.quantifier.is_none() && self.accept("ALL") {
                select.quantifier = Some(SetQuantifier::All);
            } else {
                break;
            }
        }
        select.items = self.list(Self::select_item)?;
        if self.accept("INTO") {
            select.into = Some((self.table_name()?, None));
        }
        if self.accept("FROM") {
            select.from = self.sources()?;
        }
        if self.accept("WHERE") {
            select.condition = Some(self.expression()?);
        }
        if self.accept("GROUP BY") {
            let items = self.list(|it| it.expression().map(Grouping::Value))?;
            select.group = Some(GroupBy { all: false, items, with_cube: None });
        }
        if self.accept("HAVING") {
            select.having = Some(self.expression()?);
        }
        Ok((select, offset))
    }

    /// `top` may be a column.
    fn begins_top(&self) -> bool {
        use mainstay_syntax::TokenKind::{Integer, Variable};
        matches!(self.token(1).kind, Integer | Variable) || [":", "?", "("].iter().any(|symbol| self.is(1, symbol))
    }

    fn top(&mut self) -> Parse<(Option<Top>, Option<Expr>)> {
        self.expect("TOP")?;
        let count = self.primary()?;
        let percent = self.accept("PERCENT");
        let offset = if self.accept("START AT") { Some(self.primary()?) } else { None };
        Ok((Some(Top { count, percent, with_ties: false }), offset))
    }

    fn select_item(&mut self) -> Parse<SelectItem> {
        if self.accept("*") {
            return Ok(SelectItem::Star(None));
        }
        let value = self.expression()?;
        if let Expr::Star(table) = value {
            return Ok(SelectItem::Star(table));
        }
        let alias = if self.accept("AS") {
            Some(self.any_name()?)
        } else if self.is_name(0) {
            Some(self.name()?)
        } else {
            None
        };
        Ok(SelectItem::Value(value, alias))
    }
}
