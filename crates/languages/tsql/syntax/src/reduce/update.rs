//! UPDATE and DELETE.
//!
//! ```text
//!   UPDATE TOP (2) t SET n = n + 1      UPDATE "t" AS "#t" SET "n" = "#s"."#v0"
//!   OUTPUT x.k FROM t JOIN x ON ... --> FROM (SELECT "t"._rowid AS "#id", "n" + 1 AS "#v0", "x"."k" AS "#b0"
//!                                             FROM "t" JOIN "x" ON ... LIMIT 2) AS "#s"
//!                                       WHERE "#t"._rowid = "#s"."#id" RETURNING "#s"."#b0"
//! ```
//!
//! This form serves rows that TOP counts, that are a side of an outer join, or that a view or a common table expression
//! shows; the statement itself finds all others.

use super::change::{compound, table_of};
use super::output::{Assigned, Kind, OutputNames, Returned};
use super::target::flatten;
use super::updatable::{Mapped, Resolved};
use super::{ReducedChange, Reducer, TableColumn, not_supported, quoted, refusals};
use crate::tree::{
    AssignOperator, BinaryOperator, Delete, Expr, Literal, Name, ObjectName, SetItem, Source, TableSource, Top, Update,
};
use mainstay_tsql_types::{DataType, Message};
use std::borrow::Cow;
use std::rc::Rc;

/// Where the rows of a change come from.
struct RowsOf<'u> {
    resolved: &'u Resolved,
    condition: Option<&'u Expr>,
    top: Option<&'u Top>,
}

impl Reducer<'_> {
    pub(super) fn update(mut self, update: &Update) -> Result<ReducedChange, Message> {
        let named = table_of(&update.target)?;
        let wanted: Vec<String> = update.items.iter().filter_map(set_column).collect();
        let resolved = self.resolve(named, &update.from, &update.with, &wanted)?;
        let columns = self.scope.columns(&resolved.table);
        let map = resolved.map.as_deref().map(|map| (named.last(), map));
        let sets = Sets::of(&update.items, columns.as_deref(), map)?;
        // Variables are set from columns of a view only where the query that finds the rows is one over it.
        let reads_view = resolved.map.is_some() && sets.has_expressions();
        let by_number = resolved.by_number || update.top.is_some() || reads_view;
        self.current = Some((resolved.alias.clone(), resolved.row.clone(), resolved.table.clone()));
        if resolved.map.is_none() {
            self.note_target(&resolved.table, &resolved.alias);
        }
        self.recursion_limit(&update.hints)?;
        self.with(&resolved.with)?;
        let mut returned = Returned::default();
        let map = resolved.map.clone();
        let names = Rc::new(OutputNames { kind: Kind::Update, map, beside: by_number.then(|| resolved.alias.clone()) });
        self.outputs(&update.outputs, (&names, columns.as_deref(), &resolved.from), &mut returned)?;
        self.variables(&sets, by_number, &mut returned)?;
        self.check(&resolved.checks, &mut returned)?;
        self.whole_rows(columns.as_deref(), Kind::Update, &mut returned)?;
        self.push("UPDATE ");
        self.table_name(&resolved.table)?;
        self.push(" AS ");
        self.name(if by_number { "#t" } else { &resolved.alias });
        self.push(" SET ");
        if sets.columns.is_empty() {
            // Variables alone: the row stays as it is.
            self.unchanged(columns.as_deref(), if by_number { "#t" } else { &resolved.alias })?;
        }
        let around = self.begin_values(sets.columns.iter().map(|set| set.value.as_ref()));
        if by_number {
            self.list(sets.columns.iter().enumerate(), |it, (number, set)| {
                it.name(&set.name);
                match set.is_default() {
                    true => it.push(" = DEFAULT"),
                    false => it.push(&format!(" = \"#s\".\"#v{number}\"")),
                }
                Ok(())
            })?;
            self.push(" FROM (SELECT ");
            self.row_number_of(&resolved);
            for (number, set) in sets.columns.iter().enumerate().filter(|(_, set)| !set.is_default()) {
                self.push(", ");
                self.set_value(set, &resolved.alias)?;
                self.push(&format!(" AS \"#v{number}\""));
            }
            self.end_values(around);
            let (condition, top) = (update.condition.as_ref(), update.top.as_ref());
            self.rows_by_number(&RowsOf { resolved: &resolved, condition, top })?;
        } else {
            self.list(&sets.columns, |it, set| {
                it.name(&set.name);
                it.push(" = ");
                it.set_value(set, &resolved.alias)
            })?;
            self.end_values(around);
            self.others(" FROM ", &resolved.from, &resolved.called, update.condition.as_ref())?;
        }
        Ok(self.finish(resolved.table, returned))
    }

    pub(super) fn delete(mut self, delete: &Delete) -> Result<ReducedChange, Message> {
        let named = table_of(&delete.target)?;
        let resolved = self.resolve(named, &delete.from, &delete.with, &[])?;
        let columns = self.scope.columns(&resolved.table);
        let by_number = resolved.by_number || delete.top.is_some();
        self.current = Some((resolved.alias.clone(), resolved.row.clone(), resolved.table.clone()));
        if resolved.map.is_none() {
            self.note_target(&resolved.table, &resolved.alias);
        }
        self.recursion_limit(&delete.hints)?;
        self.with(&resolved.with)?;
        let mut returned = Returned::default();
        let map = resolved.map.clone();
        let names = Rc::new(OutputNames { kind: Kind::Delete, map, beside: by_number.then(|| resolved.alias.clone()) });
        self.outputs(&delete.outputs, (&names, columns.as_deref(), &resolved.from), &mut returned)?;
        self.whole_rows(columns.as_deref(), Kind::Delete, &mut returned)?;
        self.push("DELETE FROM ");
        self.table_name(&resolved.table)?;
        self.push(" AS ");
        self.name(if by_number { "#t" } else { &resolved.alias });
        if by_number {
            self.push(" USING (SELECT ");
            self.row_number_of(&resolved);
            let (condition, top) = (delete.condition.as_ref(), delete.top.as_ref());
            self.rows_by_number(&RowsOf { resolved: &resolved, condition, top })?;
        } else {
            self.others(" USING ", &resolved.from, &resolved.called, delete.condition.as_ref())?;
        }
        Ok(self.finish(resolved.table, returned))
    }

    /// Writes the number of the row that is changed.
    fn row_number_of(&mut self, resolved: &Resolved) {
        self.name(&resolved.alias);
        self.push(".");
        match resolved.row.as_str() {
            row @ ("_rowid" | "_recno") => self.push(row),
            row => self.name(row),
        }
        self.push(" AS \"#id\"");
    }

    /// Writes the rest of a query for the numbers of rows, and the condition that finds them.
    fn rows_by_number(&mut self, rows: &RowsOf<'_>) -> Result<(), Message> {
        for (number, text) in std::mem::take(&mut self.beside).iter().enumerate() {
            self.push(&format!(", {text} AS \"#b{number}\""));
        }
        self.push(" FROM ");
        match &rows.resolved.from[..] {
            [] => {
                self.table_name(&rows.resolved.table)?;
                self.push(" AS ");
                self.name(&rows.resolved.alias);
            }
            from => self.list(from, |it, source| it.source(source))?,
        }
        if let Some(condition) = rows.condition {
            self.push(" WHERE ");
            self.condition(condition)?;
        }
        let order = match (&rows.resolved.from[..], rows.top) {
            (_, None) => Vec::new(),
            ([], Some(_)) => {
                let alias = Some(Name { text: rows.resolved.alias.clone(), ..Name::default() });
                let name = rows.resolved.table.clone();
                let table = Source::Table(Box::new(TableSource { name, alias, ..TableSource::default() }));
                self.order_of_source(&table, rows.condition, true)
            }
            ([source], Some(_)) => self.order_of_source(source, rows.condition, true),
            _ => Vec::new(),
        };
        if let Some(top) = rows.top {
            self.check_top(top)?;
        }
        match rows.top {
            Some(top) if top.percent => self.percent(top, &order)?,
            Some(top) => {
                self.order(&order)?;
                self.push(" LIMIT ");
                self.row_count(&top.count)?;
            }
            None => {}
        }
        let row = self.scope.row_number(&rows.resolved.table);
        self.push(&format!(") AS \"#s\" WHERE \"#t\".{row} = \"#s\".\"#id\""));
        Ok(())
    }

    /// Writes the other tables of a change, and its condition with those of the joins.
    fn others(
        &mut self,
        word: &str,
        from: &[Source],
        target: &ObjectName,
        condition: Option<&Expr>,
    ) -> Result<(), Message> {
        let (mut sources, mut conditions) = (Vec::new(), Vec::new());
        for source in from {
            flatten(source, target, &mut sources, &mut conditions);
        }
        if !sources.is_empty() {
            self.push(word);
            self.list(&sources, |it, source| it.source(source))?;
        }
        conditions.extend(condition);
        for (number, condition) in conditions.iter().enumerate() {
            self.push(if number == 0 { " WHERE " } else { " AND " });
            self.condition(condition)?;
        }
        Ok(())
    }

    pub(super) fn set_value(&mut self, set: &Set<'_>, alias: &str) -> Result<(), Message> {
        if let Some((_, _, table)) = self.current.clone() {
            self.takes(&table, &set.name);
        }
        match set.operator {
            None => self.assigned(&set.value, set.data_type),
            Some(operator) => {
                let column = Name { text: set.name.clone(), ..Name::default() };
                let table = Name { text: alias.to_owned(), ..Name::default() };
                let column = Expr::Column(ObjectName { parts: vec![table, column], ..ObjectName::default() });
                let value = Expr::Binary(Box::new(column), operator, Box::new(set.value.clone().into_owned()));
                self.assigned(&value, set.data_type)
            }
        }
    }

    /// Writes an assignment of a column to itself.
    fn unchanged(&mut self, columns: Option<&[TableColumn]>, alias: &str) -> Result<(), Message> {
        let is_settable = |column: &&TableColumn| !column.is_computed && !column.is_identity;
        let Some(column) = columns.unwrap_or_default().iter().find(is_settable) else {
            return Err(not_supported(refusals::UPDATE_OF_NO_COLUMN));
        };
        self.name(&column.name);
        self.push(" = ");
        self.name(alias);
        self.push(".");
        self.name(&column.name);
        Ok(())
    }

    /// `SET @v = expression` and `SET @v = column = expression`: from what the row was, and what it has become.
    fn variables(&mut self, sets: &Sets<'_>, by_number: bool, returned: &mut Returned) -> Result<(), Message> {
        for (variable, value) in &sets.variables {
            let column = returned.texts.len();
            let text = match value {
                VariableValue::Column(name) => format!("\"new\".{}", quoted(name)),
                VariableValue::Expression(value) => {
                    let text = self.aside(|it| it.expression(value))?;
                    if by_number { self.beside(text) } else { format!("\"returning:before\"({text})") }
                }
            };
            returned.texts.push(format!("{text} AS \"#{}\"", column + 1));
            returned.assigned.push(Assigned { variable: variable.clone(), column });
        }
        Ok(())
    }
}

/// The column that an item sets.
fn set_column(item: &SetItem) -> Option<String> {
    match item {
        SetItem::Column(name, ..) | SetItem::Both(_, name, ..) | SetItem::Method(name, ..) => {
            Some(name.last().to_owned())
        }
        SetItem::Variable(..) => None,
    }
}

/// The name of what is changed through, and its columns.
type View<'v> = (&'v str, &'v [Mapped]);

/// `column = value`, perhaps with an operator.
pub(super) struct Set<'c> {
    pub(super) name: String,
    operator: Option<BinaryOperator>,
    value: Cow<'c, Expr>,
    data_type: Option<DataType>,
}

impl Set<'_> {
    /// Returns true if it gives the column its default, which the core knows.
    fn is_default(&self) -> bool {
        matches!(self.value.as_ref(), Expr::Default)
    }
}

enum VariableValue<'c> {
    Column(String),
    Expression(Cow<'c, Expr>),
}

/// The assignments of an UPDATE.
pub(super) struct Sets<'c> {
    pub(super) columns: Vec<Set<'c>>,
    variables: Vec<(String, VariableValue<'c>)>,
}

impl<'c> Sets<'c> {
    /// `map` are the columns of a view, if it is one that is updated.
    ///
    /// Errors: 207, 8102, 264, 4406.
    pub(super) fn of(
        items: &'c [SetItem],
        columns: Option<&[TableColumn]>,
        map: Option<View<'_>>,
    ) -> Result<Sets<'c>, Message> {
        let mut sets = Sets { columns: Vec::new(), variables: Vec::new() };
        for item in items {
            match item {
                SetItem::Column(name, operator, value) => {
                    sets.column(name, *operator, Cow::Borrowed(value), (columns, map))?;
                }
                SetItem::Both(variable, name, operator, value) => {
                    let column = sets.column(name, *operator, Cow::Borrowed(value), (columns, map))?;
                    sets.variables.push((variable.text.clone(), VariableValue::Column(column)));
                }
                SetItem::Variable(variable, operator, value) => {
                    let value = match compound(*operator) {
                        None => Cow::Borrowed(value),
                        Some(operator) => {
                            let before = Box::new(Expr::Variable(variable.clone()));
                            Cow::Owned(Expr::Binary(before, operator, Box::new(value.clone())))
                        }
                    };
                    sets.variables.push((variable.text.clone(), VariableValue::Expression(value)));
                }
                SetItem::Method(name, method, arguments) if method.is("WRITE") => {
                    let value = written(name, arguments)?;
                    sets.column(name, AssignOperator::Set, Cow::Owned(value), (columns, map))?;
                }
                // `c.modify('...')` is `c = c.modify('...')`.
                SetItem::Method(name, method, arguments) => {
                    let target = Box::new(Expr::Column(name.clone()));
                    let value = Expr::Method(target, method.clone(), Some(arguments.clone()));
                    sets.column(name, AssignOperator::Set, Cow::Owned(value), (columns, map))?;
                }
            }
        }
        // A row that changes has a new version.
        let versions = columns.unwrap_or_default().iter().filter(|column| column.data_type == DataType::RowVersion);
        if !sets.columns.is_empty() {
            sets.columns.extend(versions.map(|column| {
                let part = |text: &str| Name { text: text.to_owned(), ..Name::default() };
                let parts = super::ROW_VERSIONS.split('.').map(part).collect();
                let next = Expr::NextValue(ObjectName { parts, ..ObjectName::default() }, None);
                Set {
                    name: column.name.clone(),
                    operator: None,
                    value: Cow::Owned(next),
                    data_type: Some(DataType::Binary(8)),
                }
            }));
        }
        Ok(sets)
    }

    /// True if variables are set from expressions, not only from columns that are set, too.
    fn has_expressions(&self) -> bool {
        self.variables.iter().any(|(_, value)| matches!(value, VariableValue::Expression(_)))
    }

    /// The table's column.
    fn column(
        &mut self,
        name: &ObjectName,
        operator: AssignOperator,
        value: Cow<'c, Expr>,
        (columns, map): (Option<&[TableColumn]>, Option<View<'_>>),
    ) -> Result<String, Message> {
        let unknown = || Message::error(207, format!("Invalid column name '{}'.", name.last()));
        let own = match map {
            None => name.last(),
            Some((view, map)) => {
                let found =
                    map.iter().find(|(shown, _)| shown.eq_ignore_ascii_case(name.last())).ok_or_else(unknown)?;
                found.1.as_deref().ok_or_else(|| super::change::calculated(view))?
            }
        };
        let found = columns.map(|columns| columns.iter().find(|column| column.name.eq_ignore_ascii_case(own)));
        if let Some(None) = found {
            return Err(unknown());
        }
        if found.flatten().is_some_and(|column| column.is_identity) {
            return Err(Message::error(8102, format!("Cannot update identity column '{own}'.")));
        }
        if found.flatten().is_some_and(|column| column.data_type == DataType::RowVersion) {
            return Err(Message::error(272, "Cannot update a timestamp column."));
        }
        if found.flatten().is_some_and(|column| column.is_computed) {
            return Err(super::change::computed(own));
        }
        if self.columns.iter().any(|set| set.name.eq_ignore_ascii_case(own)) {
            return Err(super::change::set_twice(own));
        }
        let data_type = found.flatten().map(|column| column.data_type);
        let operator = compound(operator);
        let own = own.to_owned();
        self.columns.push(Set { name: own.clone(), operator, value, data_type });
        Ok(own)
    }
}

/// `column.WRITE(text, offset, length)` as an expression. Without an offset the text is put behind, without a length
/// everything from the offset on is replaced, without a text it is cut off there.
fn written(name: &ObjectName, arguments: &[Expr]) -> Result<Expr, Message> {
    let [text, offset, length] = arguments else { return Err(not_supported("WRITE without three arguments")) };
    let is_null = |value: &Expr| matches!(value, Expr::Literal(Literal::Null));
    let column = crate::print_expression(&Expr::Column(name.clone()));
    let print = crate::print_expression;
    let nothing = format!("SUBSTRING({column}, 1, 0)");
    let shown = if is_null(text) { nothing.clone() } else { format!("ISNULL({}, {nothing})", print(text)) };
    let head = format!("SUBSTRING({column}, 1, {})", print(offset));
    let tail = format!("SUBSTRING({column}, ({}) + ({}) + 1, 2147483647)", print(offset), print(length));
    let written = match (is_null(offset), is_null(length), is_null(text)) {
        (true, ..) => format!("{column} + {shown}"),
        (_, _, true) => head,
        (_, true, _) => format!("{head} + {shown}"),
        _ => format!(
            "CASE WHEN {offset} IS NULL THEN {column} + {shown} WHEN {length} IS NULL THEN {head} + {shown} ELSE {head} + \
             {shown} + {tail} END",
            offset = print(offset),
            length = print(length),
        ),
    };
    let parsed = crate::parse(&format!("SELECT {written}"), crate::Options::default());
    let query = parsed.statements.into_iter().next().map(|statement| statement.kind);
    if let Some(crate::tree::StatementKind::Select(query)) = query
        && let crate::tree::QueryBody::Select(select) = query.body
        && let Some(crate::tree::SelectItem::Value(value, _)) = select.items.into_iter().next()
    {
        return Ok(value);
    }
    Err(not_supported("WRITE of this form"))
}
