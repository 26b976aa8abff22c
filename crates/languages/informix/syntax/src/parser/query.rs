//! SELECT.

use super::primary::refused;
use super::{Body, Parser};
use crate::error::Parse;
use crate::tree::{
    CommonTable, Expr, GroupBy, Grouping, ObjectName, OrderItem, Query, QueryBody, Select, SelectItem, SetOperator,
    SetQuantifier, Top, With,
};

impl Parser<'_> {
    /// A query, from SELECT or WITH up to what ends it.
    pub(super) fn query(&mut self) -> Parse<Query> {
        self.nested(Self::whole_query)
    }

    fn whole_query(&mut self) -> Parse<Query> {
        let with = self.with()?;
        let (select, mut offset) = self.select()?;
        let mut body = QueryBody::Select(Box::new(select));
        while let Some(word) = self.accept_any(&["UNION", "INTERSECT", "MINUS", "EXCEPT"]) {
            self.link()?;
            let operator = match word {
                "UNION" => SetOperator::Union,
                "INTERSECT" => SetOperator::Intersect,
                _ => SetOperator::Except,
            };
            let all = self.accept("ALL");
            let (right, _) = self.select()?;
            body = QueryBody::Set(Box::new(body), operator, all, Box::new(QueryBody::Select(Box::new(right))));
        }
        let order = if self.accept("ORDER BY") { self.list(Self::order_item)? } else { Vec::new() };
        let fetch = if self.accept("LIMIT") { Some(self.primary()?) } else { None };
        if self.accept("OFFSET") {
            offset = Some(self.primary()?);
        }
        self.temporary_target(&mut body)?;
        while let Some(words) = self.accept_any(&["FOR READ ONLY", "FOR UPDATE", "FOR FETCH ONLY"]) {
            self.is_for_update |= words == "FOR UPDATE" && self.depth == 1;
            if self.accept("OF") {
                self.list(Self::name)?;
            }
        }
        Ok(Query { with, body, order, offset, fetch, format: None, hints: Vec::new() })
    }

    fn with(&mut self) -> Parse<With> {
        let mut with = With::default();
        if !self.accept("WITH") {
            return Ok(with);
        }
        with.tables = self.list(|it| {
            let name = it.name()?;
            let columns = if it.sees("(") { it.names()? } else { Vec::new() };
            it.expect("AS (")?;
            let query = it.query()?;
            it.expect(")")?;
            Ok(CommonTable { name, columns, query })
        })?;
        Ok(with)
    }

    /// INTO TEMP stands behind everything else.
    fn temporary_target(&mut self, body: &mut QueryBody) -> Parse<()> {
        if !self.accept("INTO TEMP") && !self.accept("INTO SCRATCH") {
            return Ok(());
        }
        let name = self.object_name()?;
        self.accept("WITH NO LOG");
        set_target(body, name);
        Ok(())
    }

    pub(super) fn order_item(&mut self) -> Parse<OrderItem> {
        let value = self.expression()?;
        let descending = match self.accept_any(&["ASC", "DESC"]) {
            Some("DESC") => Some(true),
            Some(_) => Some(false),
            None => None,
        };
        // NULL is the lowest value: these are the orders that there are anyway.
        let is_plain = match descending {
            Some(true) => self.accept("NULLS LAST"),
            _ => self.accept("NULLS FIRST"),
        };
        if !is_plain && self.accept("NULLS") {
            return Err(refused("NULLS FIRST and NULLS LAST against the order of the values"));
        }
        Ok(OrderItem { value, descending })
    }

    fn select(&mut self) -> Parse<(Select, Option<Expr>)> {
        self.expect("SELECT")?;
        let (mut select, mut offset) = (Select::default(), None);
        while let Some(word) = self.projection_word() {
            self.advance();
            match word {
                "SKIP" => offset = Some(self.primary()?),
                "FIRST" | "LIMIT" => {
                    select.top = Some(Top { count: self.primary()?, percent: false, with_ties: false });
                }
                "ALL" => select.quantifier = Some(SetQuantifier::All),
                _ => select.quantifier = Some(SetQuantifier::Distinct),
            }
        }
        select.items = self.list(Self::select_item)?;
        if self.body == Body::Routine && self.sees("INTO") && !self.is(1, "TEMP") && !self.is(1, "SCRATCH") {
            self.advance();
            self.targets = Some(self.list(Self::name)?);
        }
        if self.accept("FROM") {
            select.from = self.sources()?;
        }
        if self.accept("WHERE") {
            select.condition = Some(self.expression()?);
        }
        if self.sees("START WITH") || self.sees("CONNECT BY") {
            return Err(refused("CONNECT BY"));
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

    /// SKIP, FIRST and LIMIT are words of the projection when a number or parameter follows; they may be columns, too.
    fn projection_word(&self) -> Option<&'static str> {
        use crate::lexer::Kind;
        let counts = self.token(1).kind == Kind::Integer || self.is(1, "?");
        let word = ["SKIP", "FIRST", "LIMIT"].into_iter().find(|word| self.sees(word) && counts);
        let follows = !self.is(1, ",") && !self.is(1, "FROM") && !self.is(1, ".");
        word.or_else(|| ["ALL", "DISTINCT", "UNIQUE"].into_iter().find(|word| self.sees(word) && follows))
    }

    fn select_item(&mut self) -> Parse<SelectItem> {
        if self.accept("*") {
            return Ok(SelectItem::Star(None));
        }
        let value = self.expression()?;
        if let Expr::Star(table) = value {
            return Ok(SelectItem::Star(table));
        }
        let alias = match self.accept("AS") || self.is_alias(0) {
            true => Some(self.name()?),
            false => None,
        };
        Ok(SelectItem::Value(value, alias))
    }
}

/// Writes the name of a temporary table into the first SELECT of a query.
fn set_target(body: &mut QueryBody, name: ObjectName) {
    match body {
        QueryBody::Select(select) => select.into = Some((name, None)),
        QueryBody::Set(left, ..) => set_target(left, name),
    }
}
