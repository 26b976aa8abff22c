//! Queries: lists, groups, orders, counts of rows.

use super::function::has_aggregate;
use super::order_names::{by_place, hides_ordered, unnamed};
use super::recursion::{is_recursive, recursive_parts};
use super::{Head, Reducer, not_supported};
use crate::tree::{
    Expr, Literal, Name, ObjectName, OrderItem, Query, QueryBody, Select, SelectItem, SetOperator, SetQuantifier,
    Source, Top, With,
};
use mainstay_tsql_types::Message;
use std::borrow::Cow;

/// The heads of the columns of a query: those of its first SELECT.
pub(super) fn heads(body: &QueryBody) -> Vec<Head> {
    match body {
        QueryBody::Set(first, ..) => heads(first),
        QueryBody::Select(select) => select.items.iter().map(head).collect(),
    }
}

/// The head of one item.
pub(super) fn head(item: &SelectItem) -> Head {
    match item {
        SelectItem::Star(_) => Head::Star,
        SelectItem::Value(_, Some(alias)) => Head::Named(alias.text.clone()),
        SelectItem::Value(Expr::Column(name), None) => Head::Named(name.last().to_owned()),
        SelectItem::Value(_, None) | SelectItem::Assign(..) => Head::Named(String::new()),
    }
}

/// The order of a UNION and its like, where a column of the first query that has another name there is named by its own:
/// `SELECT a AS x FROM t UNION SELECT b FROM u ORDER BY a`. A name of the result goes first. Source: "ORDER BY clause
/// (Transact-SQL)", Arguments: the column names or aliases of the first query.
fn by_head(body: &QueryBody, order: &[OrderItem]) -> Vec<OrderItem> {
    let mut first = body;
    while let QueryBody::Set(left, ..) = first {
        first = left;
    }
    let QueryBody::Select(select) = first else { return order.to_vec() };
    let is_head = |name: &Name| {
        select.items.iter().any(|item| match head(item) {
            Head::Star => true,
            Head::Named(head) => name.is(&head),
        })
    };
    let alias_of = |name: &Name| {
        select.items.iter().find_map(|item| match item {
            SelectItem::Value(Expr::Column(own), Some(alias)) if name.is(own.last()) => Some(alias.clone()),
            _ => None,
        })
    };
    let renamed = |item: &OrderItem| {
        let Expr::Column(name) = &item.value else { return item.clone() };
        let alias = name.parts.last().filter(|name| !is_head(name)).and_then(alias_of);
        match alias {
            Some(alias) => {
                let column = ObjectName { parts: vec![alias], span: name.span };
                OrderItem { value: Expr::Column(column), ..item.clone() }
            }
            None => item.clone(),
        }
    };
    order.iter().map(renamed).collect()
}

impl Reducer<'_> {
    /// Writes a query.
    pub(super) fn query(&mut self, query: &Query) -> Result<(), Message> {
        self.depth += 1;
        let (known, goes_up, tables) = (self.common.len(), self.looks_up, self.read_itself.len());
        let (grouped, in_sight) = (self.grouped.len(), self.columns_in_sight.len());
        let in_value = std::mem::replace(&mut self.in_value, false);
        let is_negated = std::mem::replace(&mut self.is_negated, false);
        let written = self.whole_query(query);
        (self.in_value, self.is_negated) = (in_value, is_negated);
        self.common.truncate(known);
        self.read_itself.truncate(tables);
        self.grouped.truncate(grouped);
        self.columns_in_sight.truncate(in_sight);
        self.looks_up = goes_up;
        self.depth -= 1;
        written
    }

    fn whole_query(&mut self, query: &Query) -> Result<(), Message> {
        if let Some(format) = &query.format {
            return self.formatted(query, format);
        }
        if let Some(grouped) = super::group_all::without_all(query) {
            return self.whole_query(&grouped);
        }
        if let Some(named) = self.with_identities_named(query) {
            return self.whole_query(&named);
        }
        if let Some(named) = self.with_outer_names(query).or_else(|| self.ties_of_windows(query)) {
            return self.whole_query(&named);
        }
        self.recursion_limit(&query.hints)?;
        self.with(&query.with)?;
        self.check_order(query)?;
        let top = match &query.body {
            QueryBody::Select(select) => {
                self.note_read_itself(query, select);
                select.top.as_ref()
            }
            QueryBody::Set(..) => None,
        };
        let order = match top {
            // Without an order to be alike in, there are no ties.
            Some(top) if top.with_ties => Cow::Borrowed(&*query.order),
            _ => self.order_of(query, self.is_ordered && self.depth == 1),
        };
        let order = match &query.body {
            QueryBody::Select(select) => {
                let has_places = top.is_none_or(|top| !top.percent && !is_asked(top));
                by_place(select, order, has_places, self.is_named_outside())
            }
            _ => order,
        };
        match &query.body {
            QueryBody::Select(select) => self.select(select, top, &order)?,
            body => self.body(body)?,
        }
        match top {
            Some(top) if top.percent || is_asked(top) => {}
            Some(top) => self.top(top, &order)?,
            None => self.order_of_query(query, &order)?,
        }
        self.offset(query)?;
        self.locking(query);
        Ok(())
    }

    fn order_of_query(&mut self, query: &Query, order: &[OrderItem]) -> Result<(), Message> {
        if let QueryBody::Set(..) = &query.body {
            let renamed = by_head(&query.body, &query.order);
            let heads = heads(&query.body);
            let is_named = |name: &Name| {
                heads.iter().any(|head| match head {
                    Head::Star => true,
                    Head::Named(head) => head.eq_ignore_ascii_case(&name.text),
                })
            };
            let is_left_out = |item: &OrderItem| match &item.value {
                Expr::Column(name) => name.parts.last().is_some_and(|name| !is_named(name)),
                _ => false,
            };
            if renamed.iter().any(is_left_out) {
                let text = "ORDER BY items must appear in the select list if the statement contains a UNION, INTERSECT or \
                            EXCEPT operator.";
                return Err(Message::error(104, text));
            }
            // A name of a column may have its table's before it, which is the first query's and means nothing here.
            return self.order(&renamed.iter().map(without_table).collect::<Vec<_>>());
        }
        self.order(order)
    }

    /// Writes the common table expressions of a query or a change.
    pub(super) fn with(&mut self, with: &With) -> Result<(), Message> {
        if with.tables.is_empty() {
            return Ok(());
        }
        self.push("WITH ");
        if with.tables.iter().any(is_recursive) {
            self.push("RECURSIVE ");
        }
        for (number, table) in with.tables.iter().enumerate() {
            if number > 0 {
                self.push(", ");
            }
            let as_source = crate::tree::Alias { name: None, columns: table.columns.clone() };
            let without_order = self.without_order_in(&table.query, &as_source);
            self.common_without_order.push((table.name.text.to_lowercase(), without_order));
            self.common.push(table.name.text.to_lowercase());
            if let Some(columns) = self.columns_of(&Source::Query(Box::new(table.query.clone()), as_source)) {
                self.common_columns.push((table.name.text.to_lowercase(), columns));
            }
            if table.columns.is_empty() {
                super::checks::check_columns(&table.query, &table.name.text)?;
            }
            self.name(&table.name.text);
            let columns = self.columns_outside(&table.query, &table.columns);
            if !columns.is_empty() {
                self.push(" (");
                self.names(&columns)?;
                self.push(")");
            }
            self.push(" AS (");
            // Common table expressions see those before them; what their own queries name is theirs.
            self.depth += 1;
            let named = std::mem::replace(&mut self.named_outside, if columns.is_empty() { 0 } else { self.depth });
            match recursive_parts(table) {
                Some((first, again)) => self.recursion(&first, &again)?,
                None => self.whole_query(&table.query)?,
            }
            self.named_outside = named;
            self.depth -= 1;
            self.push(")");
        }
        self.push(" ");
        self.written_with.get_or_insert_with(|| with.clone());
        Ok(())
    }

    pub(super) fn body(&mut self, body: &QueryBody) -> Result<(), Message> {
        let grouped = self.grouped.len();
        let written = self.whole_body(body);
        self.grouped.truncate(grouped);
        written
    }

    fn whole_body(&mut self, body: &QueryBody) -> Result<(), Message> {
        match body {
            QueryBody::Select(select) => match &select.top {
                None => self.select(select, None, &[]),
                Some(top) => {
                    let order = if top.with_ties { Vec::new() } else { self.order_of_select(select, false) };
                    self.push("(");
                    self.select(select, Some(top), &order)?;
                    if !top.percent && !is_asked(top) {
                        self.top(top, &order)?;
                    }
                    self.push(")");
                    Ok(())
                }
            },
            QueryBody::Set(left, operator, all, right) => {
                self.body(left)?;
                self.push(match operator {
                    SetOperator::Union => " UNION ",
                    SetOperator::Except => " EXCEPT ",
                    SetOperator::Intersect => " INTERSECT ",
                });
                if *all {
                    self.push("ALL ");
                }
                // Operators of one rank go from left to right; a right side of its own was in parentheses.
                match right.as_ref() {
                    QueryBody::Set(..) => {
                        self.push("(");
                        self.body(right)?;
                        self.push(")");
                        Ok(())
                    }
                    right => self.body(right),
                }
            }
        }
    }

    /// Writes one SELECT, up to HAVING. With TOP n PERCENT it is a count of rows by their order, which ends it.
    fn select(&mut self, select: &Select, top: Option<&Top>, order: &[OrderItem]) -> Result<(), Message> {
        self.check_select(select)?;
        self.looks_up = super::xml::looks_up(select);
        let is_below = self.groups_below(select, order)?;
        self.push("SELECT ");
        if select.quantifier == Some(SetQuantifier::Distinct) {
            self.push("DISTINCT ");
        }
        let values = select.items.iter().filter_map(|item| match item {
            SelectItem::Value(value, _) | SelectItem::Assign(_, _, value) => Some(value),
            SelectItem::Star(_) => None,
        });
        let around = self.begin_values(values);
        let mut aliases = Vec::new();
        for (number, item) in select.items.iter().enumerate() {
            if number > 0 {
                self.push(", ");
            }
            if self.is_named_outside() && hides_ordered(item, order) {
                self.item(&unnamed(item, number), number)?;
                continue;
            }
            // The core wants columns of different names; the client is told those that were written.
            match item {
                SelectItem::Value(value, Some(alias)) if aliases.contains(&alias.text.to_lowercase()) => {
                    self.item(&SelectItem::Value(value.clone(), Some(made(number))), number)?;
                }
                item => self.item(item, number)?,
            }
            if let SelectItem::Value(_, Some(alias)) = item {
                aliases.push(alias.text.to_lowercase());
            }
        }
        self.end_values(around);
        if is_below {
            self.groups_of(select)?;
        } else {
            self.tables_and_conditions(select)?;
            if let Some(group) = &select.group {
                self.group(group)?;
            }
            if let Some(having) = &select.having {
                self.push(" HAVING ");
                if select.group.is_none() && !has_aggregate(having) {
                    // It makes one group of all rows; the core makes none where nothing is aggregated.
                    self.push("COUNT(*) >= 0 AND (");
                    self.condition(having)?;
                    self.push(")");
                } else {
                    self.condition(having)?;
                }
            }
        }
        if !select.windows.is_empty() {
            self.push(" WINDOW ");
            self.list(&select.windows, |it, (name, window)| {
                it.name(&name.text);
                it.push(" AS (");
                it.window(window)?;
                it.push(")");
                Ok(())
            })?;
        }
        match top {
            Some(top) if top.percent => self.percent(top, order),
            Some(top) if is_asked(top) => self.asked_top(top, select, order),
            _ => Ok(()),
        }
    }

    /// Writes FROM and WHERE.
    pub(super) fn tables_and_conditions(&mut self, select: &Select) -> Result<(), Message> {
        if !select.from.is_empty() {
            self.push(" FROM ");
            let conditions = select.condition.iter().flat_map(super::table_call::conjuncts).cloned().collect();
            let before = std::mem::replace(&mut self.conditions, conditions);
            self.list(&select.from, |it, source| it.source(source))?;
            self.conditions = before;
        }
        if let Some(condition) = &select.condition {
            self.push(" WHERE ");
            if super::function::has_window(condition) {
                let text = "Windowed functions can only appear in the SELECT or ORDER BY clauses.";
                return Err(Message::error(4108, text).severity(15));
            }
            self.condition(condition)?;
        }
        Ok(())
    }

    /// Writes an item of a list of columns. One without a name is given one that shows its place.
    pub(super) fn item(&mut self, item: &SelectItem, number: usize) -> Result<(), Message> {
        let before = std::mem::replace(&mut self.in_value, true);
        let written = self.plain_item(item, number);
        self.in_value = before;
        written
    }

    fn plain_item(&mut self, item: &SelectItem, number: usize) -> Result<(), Message> {
        match item {
            SelectItem::Star(of) if !self.read_itself.is_empty() && self.star_of_moment(of.as_ref())? => Ok(()),
            SelectItem::Star(None) => {
                self.push("*");
                Ok(())
            }
            SelectItem::Star(Some(table)) => {
                self.table_alias(table.last());
                self.push(".*");
                Ok(())
            }
            SelectItem::Value(value, alias) => {
                let column = match value {
                    Expr::Column(name) if self.output.is_none() => Some(name),
                    _ => None,
                };
                match value.is_condition() {
                    true => self.condition(value)?,
                    false => self.expression(value)?,
                }
                match alias {
                    Some(alias) => {
                        self.push(" AS ");
                        self.name(&alias.text);
                    }
                    None => match column {
                        // An expression stands in the place of its name.
                        Some(name) if self.grouped_instead(value).is_some() || self.moment_of(name)?.is_some() => {
                            self.push(" AS ");
                            self.name(name.last());
                        }
                        Some(_) => {}
                        None => {
                            self.push(" AS \"#");
                            self.number(number + 1);
                            self.push("\"");
                        }
                    },
                }
                Ok(())
            }
            SelectItem::Assign(_, _, value) => {
                self.expression(value)?;
                self.push(" AS \"#");
                self.number(number + 1);
                self.push("\"");
                Ok(())
            }
        }
    }

    /// Writes an order. NULL is the least value.
    pub(super) fn order(&mut self, order: &[OrderItem]) -> Result<(), Message> {
        if order.is_empty() {
            return Ok(());
        }
        self.push(" ORDER BY ");
        let in_value = std::mem::replace(&mut self.in_value, true);
        let written = self.order_items(order);
        self.in_value = in_value;
        written
    }

    fn order_items(&mut self, order: &[OrderItem]) -> Result<(), Message> {
        self.list(order, |it, item| {
            match &item.value {
                Expr::Literal(Literal::Integer(place)) => it.push(place),
                value => it.expression(value)?,
            }
            it.push(match item.descending {
                Some(true) => " DESC NULLS LAST",
                _ => " ASC NULLS FIRST",
            });
            Ok(())
        })
    }

    fn top(&mut self, top: &Top, order: &[OrderItem]) -> Result<(), Message> {
        self.order(order)?;
        if top.with_ties {
            if order.is_empty() {
                return Err(ties_without_order());
            }
            self.push(" FETCH FIRST ");
            self.row_count(&top.count)?;
            self.push(" ROWS WITH TIES");
            return Ok(());
        }
        self.push(" LIMIT ");
        self.row_count(&top.count)
    }

    /// Writes a number of rows: plain, for the core's LIMIT has no types. To that NULL is no limit; here it is a mistake, which
    /// [`NO_COUNT`] stands for.
    pub(super) fn row_count(&mut self, count: &Expr) -> Result<(), Message> {
        match count {
            Expr::Literal(Literal::Integer(digits)) => {
                self.push(digits);
                Ok(())
            }
            other => {
                self.push("coalesce(");
                self.call("cast:bigint", &[other])?;
                self.push(&format!(", -{NO_COUNT})"));
                Ok(())
            }
        }
    }

    /// Writes the number of rows of FETCH, of which there is one at least: [`NO_ROWS`] stands for less.
    fn fetched_rows(&mut self, count: &Expr) -> Result<(), Message> {
        if let Expr::Literal(_) = count {
            return self.row_count(count);
        }
        self.push("CASE WHEN ");
        self.call("cast:bigint", &[count])?;
        self.push(&format!(" <= 0 THEN -{NO_ROWS} ELSE "));
        self.row_count(count)?;
        self.push(" END");
        Ok(())
    }

    /// TOP n PERCENT: the rows whose number in the order, or WITH TIES whose rank, is at most so much of their count.
    pub(super) fn percent(&mut self, top: &Top, order: &[OrderItem]) -> Result<(), Message> {
        if top.with_ties && order.is_empty() {
            return Err(ties_without_order());
        }
        self.push(" QUALIFY ");
        self.is_in_share(top, order)?;
        self.order(order)
    }

    /// Returns true if a row is among the first n per cent.
    pub(super) fn is_in_share(&mut self, top: &Top, order: &[OrderItem]) -> Result<(), Message> {
        self.push(if top.with_ties { "rank() OVER (" } else { "row_number() OVER (" });
        self.order(order)?;
        self.push(") <= ceil(count(1) OVER () * CAST(");
        self.call("cast:float", &[&top.count])?;
        self.push(" AS DOUBLE) / 100.0)");
        Ok(())
    }

    /// TOP (SELECT ...), and TOP (@n) WITH TIES: the core's LIMIT has no subqueries, and its FETCH plain numbers only. So these
    /// are the rows whose number in the order, or whose rank, is at most that.
    fn asked_top(&mut self, top: &Top, select: &Select, order: &[OrderItem]) -> Result<(), Message> {
        if select.quantifier == Some(SetQuantifier::Distinct) {
            return Err(not_supported("TOP of a subquery or WITH TIES of a variable with DISTINCT"));
        }
        if top.with_ties && order.is_empty() {
            return Err(ties_without_order());
        }
        self.push(if top.with_ties { " QUALIFY rank() OVER (" } else { " QUALIFY row_number() OVER (" });
        self.order(order)?;
        self.push(") <= ");
        self.call("cast:bigint", &[&top.count])?;
        self.order(order)
    }

    fn offset(&mut self, query: &Query) -> Result<(), Message> {
        if let Some(fetch) = &query.fetch {
            self.check_fetch(fetch)?;
            self.push(" LIMIT ");
            self.fetched_rows(fetch)?;
        }
        if let Some(offset) = &query.offset {
            self.push(" OFFSET ");
            self.row_count(offset)?;
        }
        Ok(())
    }
}

/// The core's stand-in for a number of rows that is NULL, without its sign: the core's error names it.
pub const NO_COUNT: &str = "9223372036854775807";

/// The same for a FETCH of less than one row.
pub const NO_ROWS: &str = "9223372036854775806";

/// The name of a column that has none, or one that another column has.
pub(super) fn made(number: usize) -> Name {
    Name { text: format!("#{}", number + 1), ..Name::default() }
}

/// An item of an order by the name of a column alone.
fn without_table(item: &OrderItem) -> OrderItem {
    let mut item = item.clone();
    if let Expr::Column(name) = &mut item.value {
        name.parts.drain(..name.parts.len().saturating_sub(1));
    }
    item
}

/// Returns true if the count of TOP is what a query says, or of rows with their ties a variable.
fn is_asked(top: &Top) -> bool {
    let is_plain = matches!(top.count, Expr::Literal(Literal::Integer(_)));
    !top.percent && (matches!(top.count, Expr::Subquery(_)) || top.with_ties && !is_plain)
}

fn ties_without_order() -> Message {
    let message = "The TOP N WITH TIES clause is not allowed without a corresponding ORDER BY clause.";
    Message::error(1062, message).severity(15)
}
