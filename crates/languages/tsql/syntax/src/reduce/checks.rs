//! Errors of a query that show in its text, independent of its tables.
//!
//! ```text
//!   107          a star of a source that there is not
//!   108          ORDER BY a place that the list does not have
//!   116          several columns of a subquery where a value is wanted
//!   127, 1060    TOP of less than nothing, and of what is no whole number; 1031 of more than a hundred per cent
//!   10744        FETCH of less than one row
//!   313, 8144    a function of the database with another number of arguments than it has parameters
//!   305, 306     XML or TEXT in ORDER BY and GROUP BY, as far as it is a column of a table or of a derived table, a variable, a
//!                CAST, or one of these within ISNULL, COALESCE, CASE and their like; 421 in a DISTINCT list
//!   145          DISTINCT ordered by a value without columns that is not in the list
//!   169          ORDER BY a column that it has already
//!   144, 147     an aggregate in GROUP BY, in WHERE
//!   207          GROUP BY a name of the list that is none of a column
//!   1011 - 1013  two sources of one name
//!   4506, 4511   columns of a view or an inline function with one name, or without a name; 8158, 8159 another number of them
//!   5308, 5309   a constant in the ORDER BY of OVER
//!   8161         GROUPING of a column that the query does not group by
//!   8155, 8156   columns of a derived table without a name, or with one name
//! ```

use super::function::{has_aggregate, values};
use super::outer_aggregate::{each, values_of};
use super::updatable::Leaf;
use super::within::has_subquery;
use super::{Head, Reducer};
use crate::tree::{
    Alias, Call, Expr, GroupBy, Grouping, Literal, Name, ObjectName, OrderItem, Query, QueryBody, Select, SelectItem,
    SetQuantifier, Source, Top, UnaryOperator,
};
use mainstay_tsql_types::{DataType, Message};

/// True if an order goes by a value without columns that a list does not have: CURRENT_TIMESTAMP.
fn is_unlisted(item: &OrderItem, select: &Select) -> bool {
    let mut is_of_values = matches!(item.value, Expr::Call(_) | Expr::Niladic(_));
    each(&item.value, &mut |part| is_of_values &= !matches!(part, Expr::Column(_) | Expr::Subquery(_)));
    let text = crate::print_expression(&item.value);
    let is_it = |listed: &SelectItem| match listed {
        SelectItem::Value(value, _) => crate::print_expression(value).eq_ignore_ascii_case(&text),
        _ => false,
    };
    is_of_values && !select.items.iter().any(is_it)
}

/// True if an order has one column twice, by its name or its place in the list.
fn is_ordered_twice(select: &Select, order: &[OrderItem]) -> bool {
    let listed = |digits: &str| match select.items.get(digits.parse::<usize>().ok()?.checked_sub(1)?)? {
        SelectItem::Value(Expr::Column(name), _) => Some(name),
        _ => None,
    };
    let column = |item: &'_ OrderItem| match &item.value {
        Expr::Column(name) => Some(lower_parts(name)),
        Expr::Literal(Literal::Integer(digits)) => listed(digits).map(lower_parts),
        _ => None,
    };
    let columns: Vec<Vec<String>> = order.iter().filter_map(column).collect();
    let is_known = |place: usize| columns[..place].contains(&columns[place]);
    (0..columns.len()).any(is_known)
}

fn lower_parts(name: &ObjectName) -> Vec<String> {
    name.parts.iter().map(|part| part.text.to_lowercase()).collect()
}

/// The columns among what rows are grouped by.
fn grouped_columns<'g>(items: &'g [Grouping], columns: &mut Vec<&'g str>) {
    let of_value = |value: &'g Expr| match value {
        Expr::Column(name) => Some(name.last()),
        _ => None,
    };
    for item in items {
        match item {
            Grouping::Value(value) => columns.extend(of_value(value)),
            Grouping::Tuple(values) => columns.extend(values.iter().filter_map(of_value)),
            Grouping::Rollup(items) | Grouping::Cube(items) | Grouping::Sets(items) => grouped_columns(items, columns),
        }
    }
}

/// Errors: 8161 for GROUPING and GROUPING_ID of a column that rows are not grouped by.
fn check_groupings(select: &Select, group: &GroupBy) -> Result<(), Message> {
    let mut columns = Vec::new();
    grouped_columns(&group.items, &mut columns);
    let mut wrong = None;
    let mut look = |part: &Expr| {
        let Expr::Call(call) = part else { return };
        let function = call.name.last().to_ascii_uppercase();
        if !matches!(function.as_str(), "GROUPING" | "GROUPING_ID") {
            return;
        }
        let is_other = |value: &&Expr| match value {
            Expr::Column(name) => !columns.iter().any(|column| column.eq_ignore_ascii_case(name.last())),
            _ => false,
        };
        let place = values(call).ok().and_then(|values| values.iter().position(is_other));
        wrong = wrong.take().or(place.map(|place| (place + 1, function)));
    };
    values_of(select, &[]).for_each(|value| each(value, &mut look));
    match wrong {
        Some((place, function)) => Err(Message::numbered(8161, &[&place, &function])),
        None => Ok(()),
    }
}

/// SQL Server's limit for the list of a SELECT.
const MOST_SELECTED: usize = 4_096;

impl Reducer<'_> {
    /// Errors: 107, 127, 144, 147, 207, 1011, 1012, 1013, 1031, 1060.
    pub(super) fn check_select(&self, select: &Select) -> Result<(), Message> {
        if select.items.len() > MOST_SELECTED {
            return Err(Message::numbered(1056, &[&MOST_SELECTED]));
        }
        check_names(&select.from, &select.items)?;
        if let Some(top) = &select.top {
            self.check_top(top)?;
        }
        // Below the outermost query it may be an aggregate of that.
        if self.depth <= 1 && select.condition.as_ref().is_some_and(has_aggregate) {
            return Err(Message::numbered(147, &[]));
        }
        match &select.group {
            Some(group) if groups_by_aggregate(group) => return Err(Message::numbered(144, &[])),
            Some(group) => {
                check_groupings(select, group)?;
                self.check_grouped(select, group)?;
                self.check_sorted(select, group.items.iter().filter_map(grouped))?;
            }
            None => {}
        }
        match select.quantifier {
            Some(SetQuantifier::Distinct) => self.check_distinct(select),
            _ => Ok(()),
        }
    }

    /// Errors: 305 and 306 for values that have no order.
    fn check_sorted<'e>(&self, select: &Select, values: impl IntoIterator<Item = &'e Expr>) -> Result<(), Message> {
        let wrong = values.into_iter().find_map(|value| self.type_without_order(select, value));
        match wrong {
            Some(DataType::Xml) => Err(Message::numbered(305, &[&"XML"])),
            Some(_) => Err(Message::numbered(306, &[])),
            None => Ok(()),
        }
    }

    /// Errors: 207 for the name of an item of the list that is no column of the sources, as far as these are tables.
    fn check_grouped(&self, select: &Select, group: &GroupBy) -> Result<(), Message> {
        let is_alias = |name: &str| {
            select.items.iter().any(|item| matches!(item, SelectItem::Value(_, Some(alias)) if alias.is(name)))
        };
        let mut wrong = group.items.iter().filter_map(grouped).filter_map(|value| match value {
            Expr::Column(name) if name.parts.len() == 1 && is_alias(name.last()) => Some(name.last()),
            _ => None,
        });
        let Some(name) = wrong.next() else { return Ok(()) };
        let columns: Option<Vec<_>> = leaves(select).iter().map(|leaf| self.columns_of(&leaf.source)).collect();
        match columns {
            Some(columns) if !columns.iter().flatten().any(|column| column.eq_ignore_ascii_case(name)) => {
                Err(Message::error(207, format!("Invalid column name '{name}'.")))
            }
            _ => Ok(()),
        }
    }

    /// Errors: 116 for a subquery of several columns where a value is wanted.
    pub(super) fn check_single_column(&self, query: &Query) -> Result<(), Message> {
        if query.format.is_some() {
            return Ok(());
        }
        let heads = super::query::heads(&query.body);
        let count = match heads.contains(&Head::Star) && heads.len() == 1 {
            true => {
                let source = Source::Query(Box::new(query.clone()), Alias { name: None, columns: Vec::new() });
                self.columns_of(&source).map_or(1, |columns| columns.len())
            }
            false => heads.len(),
        };
        if count > 1 { Err(Message::numbered(116, &[])) } else { Ok(()) }
    }

    /// Errors: 421 for a column whose values cannot be compared.
    fn check_distinct(&self, select: &Select) -> Result<(), Message> {
        let wrong = select.items.iter().find_map(|item| match item {
            SelectItem::Value(value, _) => self.type_without_order(select, value),
            SelectItem::Star(of) => {
                let is_meant = |leaf: &Leaf| of.as_ref().is_none_or(|of| of.is(&leaf.alias));
                let leaves = leaves(select).into_iter().filter(is_meant);
                let mut types = leaves.flat_map(|leaf| self.columns_of_leaf(&leaf)).map(|(_, data_type)| data_type);
                types.find(|data_type| has_no_order(*data_type))
            }
            SelectItem::Assign(..) => None,
        });
        match wrong {
            Some(data_type) => Err(Message::numbered(421, &[&data_type.name()])),
            None => Ok(()),
        }
    }

    /// The type of a value, if its values have no order and it can be told from the text.
    fn type_without_order(&self, select: &Select, value: &Expr) -> Option<DataType> {
        let any = |values: &[&Expr]| values.iter().find_map(|value| self.type_without_order(select, value));
        let data_type = match value {
            Expr::Cast(cast) => self.data_type(&cast.data_type).ok()?,
            Expr::Variable(name) => self.scope.variable(&name.text)?,
            Expr::Collate(inner, _) => return self.type_without_order(select, inner),
            // A type without an order comes before those of strings.
            Expr::Case(case) => {
                return any(&case.branches.iter().map(|(_, then)| then).chain(&case.otherwise).collect::<Vec<_>>());
            }
            Expr::Call(call) => {
                let (all, is) = (call.arguments.len(), |name: &str| call.name.is(name));
                let takes = match () {
                    () if is("ISNULL") || is("NULLIF") => 0..1,
                    () if is("COALESCE") => 0..all,
                    () if is("IIF") || is("CHOOSE") => 1..all,
                    () => return None,
                };
                return any(values(call).ok()?.get(takes).unwrap_or_default());
            }
            Expr::Column(name) => {
                let qualifier = name.parts.len().checked_sub(2).and_then(|place| name.parts.get(place));
                let is_meant = |leaf: &Leaf| qualifier.is_none_or(|qualifier| qualifier.is(&leaf.alias));
                let leaves = leaves(select).into_iter().filter(is_meant);
                let mut columns = leaves.flat_map(|leaf| self.columns_of_leaf(&leaf));
                columns.find(|(known, _)| known.eq_ignore_ascii_case(name.last()))?.1
            }
            _ => return None,
        };
        has_no_order(data_type).then_some(data_type)
    }

    /// The columns of a source that is a table of the core's own; of a view, a common table expression and a derived table
    /// those without an order, as their texts tell.
    fn columns_of_leaf(&self, leaf: &Leaf) -> Vec<(String, DataType)> {
        let table = match &leaf.source {
            Source::Table(table) => table,
            Source::Query(query, alias) => return self.without_order_in(query, alias),
            _ => return Vec::new(),
        };
        if self.common.iter().any(|known| table.name.is(known)) {
            let known = self.common_without_order.iter().rev().find(|(name, _)| table.name.is(name));
            return known.map_or_else(Vec::new, |(_, columns)| columns.clone());
        }
        if self.scope.natural_order(&table.name).is_none() {
            return match self.scope.view(&table.name) {
                Some(view) => self.without_order_in(&view.query, &Alias { name: None, columns: view.columns.clone() }),
                None => Vec::new(),
            };
        }
        let columns = self.scope.columns(&table.name).unwrap_or_default();
        columns.into_iter().map(|column| (column.name, column.data_type)).collect()
    }

    /// The columns of a derived table whose values have no order; those of a star have their names in its tables.
    pub(super) fn without_order_in(&self, query: &Query, alias: &Alias) -> Vec<(String, DataType)> {
        let QueryBody::Select(select) = &query.body else { return Vec::new() };
        let mut found = Vec::new();
        for (place, item) in select.items.iter().enumerate() {
            match item {
                SelectItem::Value(value, name) => {
                    let own = if let Expr::Column(own) = value { own.last() } else { "" };
                    let name = alias.columns.get(place).or(name.as_ref()).map_or(own, |name| &name.text);
                    found.extend(self.type_without_order(select, value).map(|of| (name.to_owned(), of)));
                }
                SelectItem::Star(of) if alias.columns.is_empty() => {
                    let is_meant = |leaf: &Leaf| of.as_ref().is_none_or(|of| of.is(&leaf.alias));
                    let leaves = leaves(select).into_iter().filter(is_meant);
                    let columns = leaves.flat_map(|leaf| self.columns_of_leaf(&leaf));
                    found.extend(columns.filter(|(_, data_type)| has_no_order(*data_type)));
                }
                _ => {}
            }
        }
        found
    }

    /// Errors: 108 for a place in the order that the list does not have, 145 for a value of a DISTINCT query that is not in
    /// its list, 169 for a column that is there twice, 305 and 306 for values that have no order.
    pub(super) fn check_order(&self, query: &Query) -> Result<(), Message> {
        if let QueryBody::Select(select) = &query.body {
            self.check_sorted(select, query.order.iter().map(|item| &item.value))?;
        }
        let heads = super::query::heads(&query.body);
        if heads.contains(&Head::Star) {
            return Ok(());
        }
        for item in &query.order {
            let Expr::Literal(Literal::Integer(digits)) = &item.value else { continue };
            if !digits.parse::<usize>().is_ok_and(|place| (1..=heads.len()).contains(&place)) {
                return Err(Message::numbered(108, &[digits]).severity(16));
            }
        }
        let QueryBody::Select(select) = &query.body else { return Ok(()) };
        if select.quantifier == Some(SetQuantifier::Distinct)
            && query.order.iter().any(|item| is_unlisted(item, select))
        {
            return Err(Message::numbered(145, &[]));
        }
        match is_ordered_twice(select, &query.order) {
            true => Err(Message::numbered(169, &[])),
            false => Ok(()),
        }
    }

    /// Errors: 127, 1031, 1060.
    pub(super) fn check_top(&self, top: &Top) -> Result<(), Message> {
        if !top.percent {
            return self.check_count(&top.count);
        }
        match number(&top.count) {
            Some(share) if !(0.0..=100.0).contains(&share) => Err(Message::numbered(1031, &[])),
            _ => Ok(()),
        }
    }

    /// The number of rows of FETCH. Errors: 10744 for less than one, 1060 for one that is not whole.
    pub(super) fn check_fetch(&self, count: &Expr) -> Result<(), Message> {
        match number(count) {
            Some(rows) if rows < 1.0 => Err(Message::numbered(10744, &[])),
            _ => self.check_count(count),
        }
    }

    /// A number of rows. Errors: 127 for one below nothing, 1060 for one that is not whole.
    pub(super) fn check_count(&self, count: &Expr) -> Result<(), Message> {
        let is_whole = match count {
            Expr::Literal(Literal::Integer(_)) => true,
            Expr::Literal(_) => false,
            Expr::Variable(name) => self.scope.variable(&name.text).is_none_or(|data_type| data_type.is_integer()),
            _ => true,
        };
        match number(count) {
            _ if !is_whole => Err(Message::numbered(1060, &[])),
            Some(rows) if rows < 0.0 => Err(Message::numbered(127, &[])),
            _ => Ok(()),
        }
    }
}

fn leaves(select: &Select) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    select.from.iter().for_each(|source| super::updatable::leaves_of(source, &mut leaves));
    leaves
}

fn has_no_order(data_type: DataType) -> bool {
    matches!(data_type, DataType::Xml | DataType::Text(_) | DataType::NText | DataType::Image)
}

fn grouped(item: &Grouping) -> Option<&Expr> {
    match item {
        Grouping::Value(value) => Some(value),
        _ => None,
    }
}

/// The number that a literal is, perhaps with a sign.
fn number(value: &Expr) -> Option<f64> {
    match value {
        Expr::Unary(UnaryOperator::Minus, inner) => number(inner).map(|number| -number),
        Expr::Literal(Literal::Integer(digits) | Literal::Decimal(digits) | Literal::Float(digits)) => {
            digits.parse().ok()
        }
        _ => None,
    }
}

/// Returns true if a GROUP BY has an aggregate or a subquery in it.
fn groups_by_aggregate(group: &GroupBy) -> bool {
    fn has(item: &Grouping) -> bool {
        let is_wrong = |value: &Expr| has_aggregate(value) || has_subquery(value);
        match item {
            Grouping::Value(value) => is_wrong(value),
            Grouping::Tuple(values) => values.iter().any(is_wrong),
            Grouping::Rollup(items) | Grouping::Cube(items) | Grouping::Sets(items) => items.iter().any(has),
        }
    }
    group.items.iter().any(has)
}

/// The exposed name of a source: an alias, or the name of a table.
enum Exposed<'s> {
    Alias(&'s Name),
    Table(&'s ObjectName),
}

impl<'s> Exposed<'s> {
    fn name(&self) -> &'s str {
        match self {
            Exposed::Alias(name) => &name.text,
            Exposed::Table(name) => name.last(),
        }
    }

    /// The error of two sources with one name. Schemas distinguish tables of the same name.
    fn conflict(&self, other: &Exposed<'_>) -> Option<Message> {
        if !self.name().eq_ignore_ascii_case(other.name()) {
            return None;
        }
        let shown = |name: &ObjectName| name.parts.iter().map(|part| &*part.text).collect::<Vec<_>>().join(".");
        let message = match (self, other) {
            (Exposed::Alias(_), Exposed::Alias(second)) => Message::numbered(1011, &[&second.text]),
            (Exposed::Alias(alias), Exposed::Table(table)) | (Exposed::Table(table), Exposed::Alias(alias)) => {
                Message::numbered(1012, &[&alias.text, &shown(table)])
            }
            (Exposed::Table(first), Exposed::Table(second)) if first.parts.len() == second.parts.len() => {
                let is_same = |(a, b): (&Name, &Name)| a.is(&b.text);
                if !first.parts.iter().zip(&second.parts).all(is_same) {
                    return None;
                }
                Message::numbered(1013, &[&shown(first), &shown(second)])
            }
            _ => return None,
        };
        Some(message.severity(16))
    }
}

/// Errors: 1011, 1012, 1013 for two sources of one name, 107 for a star of none of them.
fn check_names(from: &[Source], items: &[SelectItem]) -> Result<(), Message> {
    let mut known: Vec<Exposed<'_>> = Vec::new();
    from.iter().for_each(|source| expose(source, &mut known));
    for (place, second) in known.iter().enumerate() {
        if let Some(message) = known[..place].iter().find_map(|first| first.conflict(second)) {
            return Err(message);
        }
    }
    let is_known = |of: &ObjectName| known.iter().any(|source| source.name().eq_ignore_ascii_case(of.last()));
    let wrong = items.iter().find_map(|item| match item {
        SelectItem::Star(Some(of)) if !is_known(of) => Some(of.last()),
        _ => None,
    });
    match wrong {
        Some(name) => Err(Message::numbered(107, &[&name])),
        None => Ok(()),
    }
}

fn expose<'s>(source: &'s Source, known: &mut Vec<Exposed<'s>>) {
    let of_alias = |alias: &'s Alias| alias.name.as_ref().map(Exposed::Alias);
    match source {
        Source::Table(table) => {
            known.push(table.alias.as_ref().map_or(Exposed::Table(&table.name), Exposed::Alias));
        }
        Source::Variable(name, alias) => known.push(of_alias(alias).unwrap_or(Exposed::Alias(name))),
        Source::Function(call, _, alias) => match (call.as_ref(), &alias.name) {
            (Expr::Call(call), None) => known.push(Exposed::Table(&call.name)),
            _ => known.extend(of_alias(alias)),
        },
        Source::Query(_, alias)
        | Source::Values(_, alias)
        | Source::Change(_, alias)
        | Source::OpenRowset(_, _, alias)
        | Source::FunctionLike(_, _, alias) => known.extend(of_alias(alias)),
        Source::Pivot(pivot) => known.extend(of_alias(&pivot.alias)),
        Source::Unpivot(unpivot) => known.extend(of_alias(&unpivot.alias)),
        Source::Join(join) => {
            expose(&join.left, known);
            expose(&join.right, known);
        }
        Source::Apply(left, _, right) => {
            expose(left, known);
            expose(right, known);
        }
        Source::Nested(inner) | Source::OdbcJoin(inner) => expose(inner, known),
    }
}

/// Sees that the columns of a derived table or a common table expression have names, and different ones.
///
/// Errors: 8155, 8156.
pub(super) fn check_columns(query: &Query, name: &str) -> Result<(), Message> {
    if query.format.is_some() {
        return Ok(());
    }
    let heads = super::query::heads(&query.body);
    for (place, head) in heads.iter().enumerate() {
        let Head::Named(column) = head else { continue };
        if column.is_empty() && !heads[..place].contains(&Head::Star) {
            return Err(Message::numbered(8155, &[&(place + 1), &name]).state(2));
        }
        let is_same = |other: &Head| matches!(other, Head::Named(other) if other.eq_ignore_ascii_case(column));
        if heads[..place].iter().any(is_same) {
            return Err(Message::numbered(8156, &[column, &name]));
        }
    }
    Ok(())
}

/// Sees that the columns of a view or an inline function have names, and different ones; `given` is its list of them.
///
/// Errors: 4506, 4511; 8158 and 8159 for a list of another length.
pub fn check_module_columns(query: &Query, given: &[Name], name: &str) -> Result<(), Message> {
    let heads = super::query::heads(&query.body);
    if !given.is_empty() {
        let is_known = !heads.contains(&Head::Star);
        return match heads.len().cmp(&given.len()) {
            std::cmp::Ordering::Greater if is_known => Err(Message::numbered(8158, &[&name])),
            std::cmp::Ordering::Less if is_known => Err(Message::numbered(8159, &[&name])),
            _ => Ok(()),
        };
    }
    for (place, head) in heads.iter().enumerate() {
        let Head::Named(column) = head else { continue };
        if column.is_empty() && !heads[..place].contains(&Head::Star) {
            return Err(Message::numbered(4511, &[&(place + 1)]));
        }
        let is_same = |other: &Head| matches!(other, Head::Named(other) if other.eq_ignore_ascii_case(column));
        if heads[..place].iter().any(is_same) {
            return Err(Message::numbered(4506, &[column, &name]).severity(16));
        }
    }
    Ok(())
}

/// Sees that what orders a window is no constant: `ORDER BY (SELECT 1)` says that there is no order.
///
/// Errors: 5308, 5309.
pub(super) fn check_window_order(order: &[OrderItem]) -> Result<(), Message> {
    let what = "Windowed functions, aggregates and NEXT VALUE FOR functions do not support";
    let wrong = order.iter().find_map(|item| match &item.value {
        Expr::Literal(Literal::Integer(_)) => Some((5308, "integer indices")),
        Expr::Literal(_) => Some((5309, "constants")),
        _ => None,
    });
    match wrong {
        Some((number, of)) => Err(Message::error(number, format!("{what} {of} as ORDER BY clause expressions."))),
        None => Ok(()),
    }
}

/// Sees that a function of the database is given as many arguments as it has parameters: DEFAULT has to be said.
///
/// Errors: 313, 8144.
pub(super) fn check_arguments(call: &Call, parameters: usize) -> Result<(), Message> {
    let name: Vec<&str> = call.name.parts.iter().map(|part| part.text.as_str()).collect();
    match call.arguments.len().cmp(&parameters) {
        std::cmp::Ordering::Less => Err(Message::numbered(313, &[&name.join(".")]).state(2)),
        std::cmp::Ordering::Greater => {
            let text = format!("Procedure or function {} has too many arguments specified.", name.join("."));
            Err(Message::error(8144, text).state(2))
        }
        std::cmp::Ordering::Equal => Ok(()),
    }
}
