//! UPDATE whose variables go on from row to row: each row sees the values that the row before has assigned.
//!
//! ```text
//!   UPDATE t SET @n = @n + 1, Number = @n                         numbers
//!   UPDATE t SET @sum = Balance = @sum + Amount                   a running total
//!   UPDATE lines SET Delivered = @now, @total = @total + Amount   a sum on the way
//! ```
//!
//! The rows are read and locked first, in their table's order; a small batch runs over each of them, as for SELECT @s =
//! @s + x (`accumulate`); then one UPDATE gives the rows the computed values, so that triggers and OUTPUT see one
//! statement. Values are set in the order of the text. In joins the rows are not locked before they are changed. An
//! UPDATE that finds one row by its key (`running_row`), and one in which no column depends on a variable, is planned
//! as usual.

use crate::changes::accumulate::{Accumulation, Fold, column_name, lift_in, names_assigned};
use crate::session::Inner;
use crate::statements::errors::raised;
use crate::statements::flow::first;
use crate::statements::runner::{Ran, Runner};
use mainstay_tsql_syntax::compile::HostStatement;
use mainstay_tsql_syntax::print_expression;
use mainstay_tsql_syntax::reduce::{self, Scope, quoted, type_name};
use mainstay_tsql_syntax::tree::{
    Alias, AssignOperator, BinaryOperator, Change, Expr, Name, ObjectName, Phrase, PhraseItem, Query, QueryBody,
    Select, SetItem, Source, TableSource, Target, Update, With,
};
use mainstay_tsql_types::DataType;
use mainstay_types::Value;
use mainstay_vm::{Raised, RunArgument, StatementCall};
use std::sync::Arc;

/// The temporary table of the values that were made.
const MADE: &str = "#mainstay_running";

/// Returns true if an UPDATE sets variables from their values in the row before.
pub(crate) fn is_running(change: &Change, host: &HostStatement) -> bool {
    let Change::Update(update) = change else { return false };
    let goes_on = |item: &SetItem| match item {
        SetItem::Variable(_, operator, value) => *operator != AssignOperator::Set || names_assigned(value, host),
        SetItem::Both(_, _, _, value) | SetItem::Column(_, _, value) => names_assigned(value, host),
        SetItem::Method(..) => false,
    };
    !host.outputs.is_empty() && update.items.iter().any(goes_on)
}

/// The parts of an UPDATE whose variables go on from row to row.
struct Running {
    accumulation: Accumulation,
    /// The columns that get values that were made, with their types.
    made: Vec<(ObjectName, DataType)>,
    /// The columns that are set from the rows alone.
    kept: Vec<SetItem>,
    /// The columns of the rows: their numbers, and what the variables are set from.
    lifted: Vec<Expr>,
    /// The target, and its hidden column of rows.
    table: TableSource,
    number: &'static str,
}

impl Runner<'_> {
    /// Carries out such an UPDATE; `None` for one of a form that is left to the core.
    pub(crate) fn running_update(
        &mut self,
        host: &HostStatement,
        change: &Change,
        call: &mut StatementCall<'_>,
    ) -> Option<Ran> {
        let Change::Update(update) = change else { return None };
        let running = match self.inner.running(host, update)? {
            Ok(running) => running,
            Err(error) => return Some(Err(error)),
        };
        let done = self.unit(call, |it, call| it.run_over(host, update, running, call));
        Some(done.and_then(|count| self.changed(change, count)))
    }

    fn run_over(
        &mut self,
        host: &HostStatement,
        update: &Update,
        mut running: Running,
        call: &mut StatementCall<'_>,
    ) -> Result<u64, Box<Raised>> {
        let (types, rows) = running.accumulation.rows(self, host, call)?;
        let made = running.made.iter().enumerate();
        let made: String = made
            .map(|(place, (_, data_type))| format!(", {} {} OUTPUT", new_value(place), data_type.as_variable()))
            .collect();
        let declarations = running.accumulation.declarations(host, &types) + &made;
        let module = self.inner.text(&running.accumulation.text, &declarations).map_err(first)?;
        let mut values: Vec<Value> = (0..host.outputs.len()).map(|place| call.output(place).to_value()).collect();
        let mut changed: Vec<Vec<Value>> = Vec::with_capacity(rows.len());
        for row in &rows {
            let nothing = std::iter::repeat_n(&Value::Null, running.made.len());
            let arguments: Vec<RunArgument<'_>> =
                values.iter().chain(row).chain(nothing).map(|value| RunArgument::Value(value.as_ref())).collect();
            self.expect(&module);
            let program = Arc::clone(&module.program);
            call.machine().run(self, &program, &arguments)?;
            let machine = call.machine();
            let first = values.len() + row.len();
            let made = (first..first + running.made.len()).map(|place| machine.parameter(place).to_value());
            changed.push(row.first().cloned().into_iter().chain(made).collect());
            values = (0..values.len()).map(|place| machine.parameter(place).to_value()).collect();
        }
        let count = rows.len() as u64;
        let narrowed = (!running.made.is_empty() || !running.kept.is_empty()).then(|| running.narrowed(update));
        if let Some(narrowed) = narrowed {
            self.give_made(host, &running, &narrowed, &changed, call)?;
        }
        for (place, value) in values.iter().enumerate() {
            crate::statements::runner::set(call, place, value.as_ref())?;
        }
        Ok(count)
    }

    /// The UPDATE that gives the rows their values.
    fn give_made(
        &mut self,
        host: &HostStatement,
        running: &Running,
        narrowed: &Change,
        rows: &[Vec<Value>],
        call: &mut StatementCall<'_>,
    ) -> Result<(), Box<Raised>> {
        let name = crate::session::object_name(MADE);
        let table = self.inner.new_table(&name)?;
        let made = running.made.iter().enumerate();
        let columns: String = made
            .map(|(place, (_, data_type))| format!(", {} {}", quoted(&made_column(place)), type_name(*data_type)))
            .collect();
        self.inner.execute(&format!("CREATE TEMPORARY TABLE {table} (\"#id\" BIGINT PRIMARY KEY{columns})"))?;
        let mut once = std::collections::HashSet::new();
        let is_new = |row: &&Vec<Value>| match row.first() {
            Some(Value::Integer(id)) => once.insert(*id),
            _ => false,
        };
        let rows: Vec<Vec<Value>> = rows.iter().filter(is_new).cloned().collect();
        self.inner.insert_rows(&table, running.made.len() + 1, &rows)?;
        let done = self.made_change(host, narrowed, call);
        self.inner.execute(&format!("DROP TABLE {table}"))?;
        self.inner.forget_temporary(MADE);
        done.map(drop)
    }
}

impl Running {
    /// The UPDATE of the rows that were read.
    fn narrowed(&self, update: &Update) -> Change {
        let part = |text: &str| Name { text: text.to_owned(), ..Name::default() };
        let column = |of: &str, column: &str| {
            Expr::Column(ObjectName { parts: vec![part(of), part(column)], ..ObjectName::default() })
        };
        let mut items = self.kept.clone();
        for (place, (name, _)) in self.made.iter().enumerate() {
            items.push(SetItem::Column(name.clone(), AssignOperator::Set, column(MADE, &made_column(place))));
        }
        let mut from = match update.from.is_empty() {
            true => vec![source_of(&self.table)],
            false => update.from.clone(),
        };
        let made = TableSource { name: crate::session::object_name(MADE), ..TableSource::default() };
        from.push(Source::Table(Box::new(made)));
        let alias = self.table.alias.as_ref().map_or_else(|| self.table.name.last(), |alias| &alias.text);
        let is_row =
            Expr::Binary(Box::new(column(alias, self.number)), BinaryOperator::Equal, Box::new(column(MADE, "#id")));
        let own = if update.from.is_empty() { None } else { update.condition.clone() };
        let condition = match own {
            Some(own) => Expr::And(vec![own, is_row]),
            None => is_row,
        };
        Change::Update(Box::new(Update { top: None, items, from, condition: Some(condition), ..update.clone() }))
    }
}

impl Inner {
    /// The UPDATE that such an UPDATE is to the planner, with what is done with its rows; `None` where columns depend on what
    /// goes on from row to row.
    pub(crate) fn rewritten(&mut self, host: &HostStatement, change: &Change) -> Option<(Change, Option<Arc<Fold>>)> {
        if let Some(single) = self.of_one_row(host, change) {
            return Some((single, None));
        }
        let Change::Update(update) = change else { return None };
        let Running { accumulation, made, kept, lifted, .. } = self.running(host, update)?.ok()?;
        // Variables alone need no change of the rows.
        if !made.is_empty() || kept.is_empty() {
            return None;
        }
        let variable = |place: usize| Name { text: column_name(place), ..Name::default() };
        let given = lifted.into_iter().enumerate().skip(1);
        let given = given.map(|(place, value)| SetItem::Variable(variable(place), AssignOperator::Set, value));
        let items = kept.into_iter().chain(given).collect();
        let fold = Arc::new(accumulation.fold());
        Some((Change::Update(Box::new(Update { items, ..update.as_ref().clone() })), Some(fold)))
    }

    fn running(&mut self, host: &HostStatement, update: &Update) -> Option<Result<Running, Box<Raised>>> {
        let Target::Table(target, hints) = &update.target else { return None };
        let mut table = match &update.from[..] {
            [] => TableSource { name: target.clone(), hints: hints.clone(), ..TableSource::default() },
            from => from.iter().find_map(|source| leaf(source, target))?.clone(),
        };
        if target.last().starts_with('@') {
            table.hints.clear();
        }
        let (number, columns) = {
            let names = self.names(&[]);
            names.key(&table.name)?;
            (names.row_number(&table.name), names.columns(&table.name)?)
        };
        let alias = table.alias.as_ref().map_or_else(|| table.name.last().to_owned(), |alias| alias.text.clone());
        let part = |text: &str| Name { text: text.to_owned(), ..Name::default() };
        let id = Expr::Column(ObjectName { parts: vec![part(&alias), part(number)], ..ObjectName::default() });
        let (mut lifted, mut text) = (vec![id], String::new());
        let (mut made, mut kept) = (Vec::new(), Vec::new());
        for item in &update.items {
            let (variable, column, operator, value) = match item {
                SetItem::Variable(variable, operator, value) => (Some(variable), None, *operator, value),
                SetItem::Both(variable, column, operator, value) => (Some(variable), Some(column), *operator, value),
                SetItem::Column(column, operator, value) if names_assigned(value, host) => {
                    (None, Some(column), *operator, value)
                }
                item => {
                    kept.push(item.clone());
                    continue;
                }
            };
            let mut value = match (column, reduce::compound(operator)) {
                (Some(column), Some(operator)) => {
                    Expr::Binary(Box::new(Expr::Column(column.clone())), operator, Box::new(value.clone()))
                }
                _ => value.clone(),
            };
            if let Err(error) = lift_in(&mut value, &mut lifted, host) {
                return Some(Err(raised(error)));
            }
            let shown = print_expression(&value);
            match column {
                None => {
                    let name = variable.map_or("", |name| &name.text);
                    text.push_str(&format!("SET {name} {} {shown};\n", operator.text()));
                }
                Some(column) => {
                    let known = columns.iter().find(|known| known.name.eq_ignore_ascii_case(column.last()))?;
                    let new = new_value(made.len());
                    text.push_str(&format!("SET {new} = {shown};\n"));
                    if let Some(variable) = variable {
                        text.push_str(&format!("SET {} = {new};\n", variable.text));
                    }
                    made.push((column.clone(), known.data_type));
                }
            }
        }
        let query = rows_of(update, &table);
        let accumulation = Accumulation::over(query, &lifted, text);
        Some(Ok(Running { accumulation, made, kept, lifted, table, number }))
    }
}

/// The query of the rows that an UPDATE changes, without its columns.
fn rows_of(update: &Update, table: &TableSource) -> Query {
    let from = match update.from.is_empty() {
        true => {
            let word = PhraseItem::Word(Name { text: "UPDLOCK".to_owned(), ..Name::default() });
            let mut locked = table.clone();
            locked.hints.push(Phrase { items: vec![word] });
            vec![source_of(&locked)]
        }
        false => update.from.clone(),
    };
    let select = Select { top: update.top.clone(), from, condition: update.condition.clone(), ..Select::default() };
    Query {
        with: With { ..update.with.clone() },
        body: QueryBody::Select(Box::new(select)),
        order: Vec::new(),
        offset: None,
        fetch: None,
        format: None,
        hints: Vec::new(),
    }
}

/// A table as a source of its own.
fn source_of(table: &TableSource) -> Source {
    match table.name.parts.last() {
        Some(name) if name.text.starts_with('@') => Source::Variable(name.clone(), Alias::default()),
        _ => Source::Table(Box::new(table.clone())),
    }
}

/// The table in a FROM that an UPDATE calls so.
fn leaf<'s>(source: &'s Source, target: &ObjectName) -> Option<&'s TableSource> {
    match source {
        Source::Table(table) => {
            let is_it = match &table.alias {
                Some(alias) => target.parts.len() == 1 && target.is(&alias.text),
                None => table.name.last().eq_ignore_ascii_case(target.last()),
            };
            is_it.then_some(table.as_ref())
        }
        Source::Join(join) => leaf(&join.left, target).or_else(|| leaf(&join.right, target)),
        Source::Nested(inner) | Source::OdbcJoin(inner) => leaf(inner, target),
        _ => None,
    }
}

fn new_value(place: usize) -> String {
    format!("@#new{place}")
}

fn made_column(place: usize) -> String {
    format!("#v{place}")
}
