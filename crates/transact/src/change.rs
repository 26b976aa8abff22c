//! INSERT, UPDATE and DELETE, with OUTPUT, variables, identities and triggers.

use crate::errors::raised;
use crate::modules::Loaded;
use crate::query::{Plan, shown, stopped};
use crate::runner::{Ran, Runner, set};
use crate::session::Inner;
use crate::state::{Level, TemporaryTable};
use mainstay_base::{Value, ValueRef};
use mainstay_mssql::Message;
use mainstay_program::{Flow, Raised, StatementCall};
use mainstay_query::mssql::type_of_field;
use mainstay_tds::{BulkRows, Column, Command};
use mainstay_tsql::compile::{Action, HostStatement};
use mainstay_tsql::reduce::{self, ReducedChange, Scope};
use mainstay_tsql::tree::{Change, Insert, InsertRows, ObjectName, SetItem, Target};
use std::sync::Arc;

/// The rows that a change gives back, with the types of their columns.
struct Returned {
    schema: Option<arrow_schema::SchemaRef>,
    rows: Vec<Vec<Value>>,
}

impl Runner<'_> {
    /// A change.
    pub(crate) fn change(
        &mut self,
        loaded: &Arc<Loaded>,
        number: usize,
        host: &HostStatement,
        change: &Change,
        call: &mut StatementCall<'_>,
    ) -> Ran {
        let mut plan = self.planned(loaded, number, |inner| inner.plan_change(host, change))?;
        let values = self.values(&plan, host, call);
        let Some(reduced) = plan.change.clone() else { return Ok(Flow::Next) };
        if reduced.images.is_some() {
            let outcome = self.with_triggers(&mut plan, &values, &reduced, change, host, call);
            self.put_plan(loaded, number, plan);
            let count = outcome?;
            self.inner.state.row_count = count as i64;
            self.done(command_of(change), Some(count));
            return Ok(Flow::Next);
        }
        let outcome = self.run_change(&mut plan, &values);
        self.put_plan(loaded, number, plan);
        let (count, returned) = outcome?;
        self.after_change(&reduced, host, &returned, call)?;
        self.inner.state.row_count = count as i64;
        self.done(command_of(change), Some(count));
        Ok(Flow::Next)
    }

    fn run_change(&mut self, plan: &mut Plan, values: &[Value]) -> Result<(u64, Returned), Box<Raised>> {
        let outcome = self.change_rows(plan, values);
        outcome.map_err(|error| {
            let verb = plan.change.as_ref().and_then(|change| change.text.split_whitespace().next());
            self.inner.violation(verb.unwrap_or("UPDATE"), None, error)
        })
    }

    fn change_rows(&mut self, plan: &mut Plan, values: &[Value]) -> Result<(u64, Returned), Box<Raised>> {
        let parameters: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        let core = &mut self.inner.core;
        let returns = plan.change.as_ref().is_some_and(|change| change.text.contains(" RETURNING "));
        if !returns {
            let count = plan.prepared.execute(core, &parameters).map_err(crate::errors::raised_error)?;
            return Ok((count, Returned { schema: None, rows: Vec::new() }));
        }
        let mut rows = plan.prepared.query(core, &parameters).map_err(crate::errors::raised_error)?;
        let schema = rows.schema().cloned();
        let mut all = Vec::new();
        while let Some(row) = rows.next().map_err(crate::errors::raised_error)? {
            all.push((0..row.len()).map(|column| row.get(column).to_value()).collect::<Vec<_>>());
        }
        Ok((all.len() as u64, Returned { schema, rows: all }))
    }

    /// A change with the triggers that it fires, all of it or nothing.
    fn with_triggers(
        &mut self,
        plan: &mut Plan,
        values: &[Value],
        reduced: &ReducedChange,
        change: &Change,
        host: &HostStatement,
        call: &mut StatementCall<'_>,
    ) -> Result<u64, Box<Raised>> {
        let own = self.inner.state.transactions == 0;
        match own {
            true => {
                self.inner.execute("BEGIN")?;
                self.inner.state.transactions = 1;
            }
            false => drop(self.inner.execute("SAVEPOINT \"#trigger\"")?),
        }
        let mut work = |it: &mut Self, call: &mut StatementCall<'_>| -> Result<u64, Box<Raised>> {
            let (count, returned) = it.run_change(plan, values)?;
            it.after_change(reduced, host, &returned, call)?;
            it.fire(reduced, change, &returned, call)?;
            Ok(count)
        };
        let outcome = work(self, call);
        match (own, &outcome) {
            _ if self.inner.state.transactions == 0 => {
                // A trigger has rolled everything back.
                let text = "The transaction ended in the trigger. The batch has been aborted.";
                return outcome.and(Err(raised(Message::error(3609, text))));
            }
            (true, Ok(_)) => {
                self.inner.state.transactions = 0;
                self.inner.execute("COMMIT")?;
            }
            (true, Err(_)) => self.inner.rollback(None)?,
            (false, Ok(_)) => drop(self.inner.execute("RELEASE SAVEPOINT \"#trigger\"")?),
            (false, Err(_)) => drop(self.inner.execute("ROLLBACK TO SAVEPOINT \"#trigger\"")?),
        }
        outcome
    }

    /// Runs the AFTER triggers of a change that is done.
    fn fire(
        &mut self,
        reduced: &ReducedChange,
        change: &Change,
        returned: &Returned,
        call: &mut StatementCall<'_>,
    ) -> Result<(), Box<Raised>> {
        let (Some(width), Some(columns)) = (reduced.images, self.inner.names(&[]).columns(&reduced.target)) else {
            return Ok(());
        };
        let total = returned.schema.as_ref().map_or(0, |schema| schema.fields().len());
        let images = if matches!(change, Change::Update(_)) { 2 } else { 1 };
        let first = total.saturating_sub(images * width);
        let part = |from: usize| -> Vec<Vec<Value>> {
            returned.rows.iter().map(|row| row[from..from + width].to_vec()).collect()
        };
        let (new, old) = match change {
            Change::Update(_) => (part(first), part(first + width)),
            Change::Delete(_) => (Vec::new(), part(first)),
            _ => (part(first), Vec::new()),
        };
        let updated = match change {
            Change::Update(update) => update.items.iter().filter_map(set_column).collect(),
            _ => columns.iter().map(|column| column.name.clone()).collect(),
        };
        for trigger in self.inner.modules.triggers(&reduced.target, event_of(change), false) {
            let loaded = self.inner.modules.load(&trigger).map_err(|message| raised(*message))?;
            let mut level = Level { columns_updated: Some(Vec::clone(&updated)), ..Level::default() };
            let depth = self.inner.state.levels.len() + 1;
            for (name, rows) in [("inserted", &new), ("deleted", &old)] {
                let core = format!("{name}@{depth}");
                let list: Vec<String> = columns
                    .iter()
                    .map(|column| format!("{} {}", reduce::quoted(&column.name), reduce::type_name(column.data_type)))
                    .collect();
                self.inner.execute(&format!("DROP TABLE IF EXISTS {}", reduce::quoted(&core)))?;
                self.inner.execute(&format!(
                    "CREATE TEMPORARY TABLE {} ({})",
                    reduce::quoted(&core),
                    list.join(", ")
                ))?;
                self.inner.insert_rows(&reduce::quoted(&core), width, rows)?;
                level.tables.insert(name.to_owned(), TemporaryTable { core, borrowed: false });
            }
            self.inner.state.version += 1;
            self.coming = Some(level);
            self.inner.state.row_count = returned.rows.len() as i64;
            self.nested(&loaded, call)?;
        }
        Ok(())
    }

    /// What comes of the rows: variables, identities, OUTPUT.
    fn after_change(
        &mut self,
        change: &ReducedChange,
        host: &HostStatement,
        returned: &Returned,
        call: &mut StatementCall<'_>,
    ) -> Result<(), Box<Raised>> {
        let all = returned.schema.as_ref().map_or(0, |schema| schema.fields().len());
        let images = change.images.map_or(0, |columns| columns * if change.text.contains("\"old\".*") { 2 } else { 1 });
        let width = all.saturating_sub(images);
        let behind = change.assigned.len() + usize::from(change.identity.is_some());
        let outputs = width.saturating_sub(behind);
        let last = returned.rows.last();
        for (number, assigned) in change.assigned.iter().enumerate() {
            let place = outputs + number;
            let Some(value) = last.and_then(|row| row.get(place)) else { continue };
            let Some(output) = host.outputs.iter().position(|(name, _)| name.eq_ignore_ascii_case(&assigned.variable))
            else {
                continue;
            };
            let field = returned.schema.as_ref().and_then(|schema| schema.fields().get(place).cloned());
            let from = field.and_then(|field| type_of_field(&field));
            let value = self.converted(value, from, host.outputs[output].1)?;
            set(call, output, value.as_ref())?;
        }
        if change.identity.is_some()
            && let Some(Value::Integer(identity)) = last.and_then(|row| row.get(width.saturating_sub(1)))
        {
            if let Some(Target::Table(table, _)) = insert_target(host)
                && self.inner.gives_identity(table)
            {
                let numbers = returned.rows.iter().filter_map(|row| match row.get(width.saturating_sub(1)) {
                    Some(Value::Integer(number)) => Some(*number),
                    _ => None,
                });
                self.inner.given_identity(table, numbers);
            }
            self.inner.state.identity = Some(*identity);
            if let Some(level) = self.inner.state.level() {
                level.identity = Some(*identity);
            }
        }
        if change.heads.is_empty() {
            return Ok(());
        }
        let rows: Vec<Vec<Value>> = returned.rows.iter().map(|row| row[..outputs].to_vec()).collect();
        match &change.into {
            Some((table, columns)) => {
                let table = self.inner.names(&[]).table(table).map_err(raised)?;
                let columns: Vec<String> = columns.iter().map(|name| reduce::quoted(&name.text)).collect();
                let table = if columns.is_empty() { table } else { format!("{table} ({})", columns.join(", ")) };
                self.inner.insert_rows(&table, outputs, &rows)
            }
            None => self.send_output(change, returned, outputs, &rows),
        }
    }

    fn send_output(
        &mut self,
        change: &ReducedChange,
        returned: &Returned,
        outputs: usize,
        rows: &[Vec<Value>],
    ) -> Result<(), Box<Raised>> {
        let Some(schema) = &returned.schema else { return Ok(()) };
        let fields: Vec<_> = schema.fields()[..outputs].to_vec();
        let columns = shown(&Arc::new(arrow_schema::Schema::new(fields)), &change.heads);
        if let Some(captured) = self.inner.state.captured.last_mut() {
            captured.extend(rows.iter().cloned());
            return Ok(());
        }
        self.sink.columns(&columns).map_err(stopped)?;
        for row in rows {
            let cells: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
            self.sink.row(&cells).map_err(stopped)?;
        }
        Ok(())
    }

    /// The end of INSERT ... EXEC: the rows that the procedure gave go into the table.
    pub(crate) fn insert_captured(&mut self, host: &HostStatement, change: &Change, _: &mut StatementCall<'_>) -> Ran {
        let rows = self.inner.state.captured.pop().unwrap_or_default();
        let Change::Insert(insert) = change else { return Ok(Flow::Next) };
        let Target::Table(target, _) = &insert.target else { return Ok(Flow::Next) };
        let (table, known) = {
            let names = self.inner.names(&host.inputs);
            (names.table(target).map_err(raised)?, names.columns(target))
        };
        let given = match &known {
            Some(columns) => reduce::insert_columns(columns, &insert.columns, target, false).map_err(raised)?,
            None => Vec::new(),
        };
        if let Some(row) = rows.first()
            && !given.is_empty()
            && row.len() != given.len()
        {
            let text = "Column name or number of supplied values does not match table definition.";
            return Err(raised(Message::error(213, text)));
        }
        let columns: Vec<String> = given.iter().map(|column| reduce::quoted(&column.name)).collect();
        let list = if columns.is_empty() { table } else { format!("{table} ({})", columns.join(", ")) };
        self.inner.insert_rows(&list, rows.first().map_or(0, Vec::len), &rows)?;
        self.inner.state.row_count = rows.len() as i64;
        self.done(Command::INSERT, Some(rows.len() as u64));
        Ok(Flow::Next)
    }
}

/// What an INSERT changes.
fn insert_target(host: &HostStatement) -> Option<&Target> {
    match &host.action {
        Action::Change(change) => match change.as_ref() {
            Change::Insert(insert) => Some(&insert.target),
            _ => None,
        },
        _ => None,
    }
}

impl Inner {
    /// Whether statements give this table the numbers of its identity column themselves.
    fn gives_identity(&self, table: &ObjectName) -> bool {
        self.state.identity_insert.as_deref().is_some_and(|open| table.last().eq_ignore_ascii_case(open))
    }

    /// Refuses an INSERT that gives an identity column a number without naming its columns.
    ///
    /// Errors: 8101.
    fn check_named_columns(&mut self, insert: &Insert) -> Result<(), Box<Raised>> {
        let (Target::Table(table, _), true) = (&insert.target, insert.columns.is_empty()) else { return Ok(()) };
        let columns = self.names(&[]).columns(table).unwrap_or_default();
        let stored = columns.iter().filter(|column| !column.is_computed).count();
        let gives_all = match &insert.rows {
            InsertRows::Values(rows) => rows.iter().any(|row| row.len() == stored),
            InsertRows::Default => false,
            _ => self.gives_identity(table),
        };
        if gives_all && columns.iter().any(|column| column.is_identity) {
            let text = format!(
                "An explicit value for the identity column in table '{}' can only be specified when a column list is used \
                 and IDENTITY_INSERT is ON.",
                table.last()
            );
            return Err(raised(Message::error(8101, text)));
        }
        Ok(())
    }

    fn plan_change(&mut self, host: &HostStatement, change: &Change) -> Result<Plan, Box<Raised>> {
        let target = match change {
            Change::Insert(insert) => Some(&insert.target),
            Change::Update(update) => Some(&update.target),
            Change::Delete(delete) => Some(&delete.target),
            Change::Merge(_) => None,
        };
        let identity_insert = matches!(target, Some(Target::Table(name, _)) if self.gives_identity(name));
        let named = target.and_then(|target| match target {
            Target::Table(name, _) => Some(name),
            Target::Remote(_) => None,
        });
        if named.is_some_and(|name| !self.modules.triggers(name, event_of(change), true).is_empty()) {
            return Err(raised(reduce::not_supported("A change of a table with INSTEAD OF triggers")));
        }
        if let Change::Insert(insert) = change {
            self.check_named_columns(insert)?;
        }
        let images = named.is_some_and(|name| self.modules.has_triggers(name, event_of(change)));
        let reduced = reduce::change(change, &self.names(&host.inputs), identity_insert, images).map_err(raised)?;
        let mut plan = self.plan(&reduced.text, reduced.parameters.clone(), reduced.heads.clone())?;
        plan.change = Some(reduced);
        Ok(plan)
    }

    /// Rows of a bulk load, into the table of the `INSERT BULK` before it.
    pub(crate) fn bulk_insert(&mut self, columns: &[Column], rows: &mut dyn BulkRows) -> Result<u64, Message> {
        let Some((table, names)) = self.state.bulk_target.take() else {
            return Err(Message::error(4002, "The incoming tabular data stream (TDS) protocol stream is incorrect."));
        };
        let names = if names.is_empty() { columns.iter().map(|column| column.name.clone()).collect() } else { names };
        let names: Vec<String> = names.iter().map(|name| reduce::quoted(name)).collect();
        let marks = vec!["?"; names.len()].join(", ");
        let text = format!("INSERT INTO {table} ({}) VALUES ({marks})", names.join(", "));
        let failed = |error: mainstay_base::Error| crate::errors::message_of(&error);
        let mut prepared = self.core.prepare(&text).map_err(failed)?;
        let own = self.state.transactions == 0;
        if own {
            self.core.execute("BEGIN").map_err(failed)?;
        }
        let mut work = |core: &mut mainstay_engine::Session| -> Result<u64, Message> {
            let mut count = 0;
            while let Some(row) = rows.next_row()? {
                let values: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
                prepared.execute(core, &values).map_err(failed)?;
                count += 1;
            }
            Ok(count)
        };
        let outcome = work(&mut self.core);
        if own {
            let word = if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" };
            self.core.execute(word).map_err(failed)?;
        }
        outcome
    }
}

/// What a trigger calls this.
fn event_of(change: &Change) -> &'static str {
    match change {
        Change::Insert(_) => "INSERT",
        Change::Update(_) => "UPDATE",
        Change::Delete(_) | Change::Merge(_) => "DELETE",
    }
}

fn set_column(item: &SetItem) -> Option<String> {
    match item {
        SetItem::Column(name, ..) | SetItem::Both(_, name, ..) | SetItem::Method(name, ..) => {
            Some(name.last().to_owned())
        }
        SetItem::Variable(..) => None,
    }
}

fn command_of(change: &Change) -> Command {
    match change {
        Change::Insert(_) => Command::INSERT,
        Change::Update(_) => Command::UPDATE,
        Change::Delete(_) => Command::DELETE,
        Change::Merge(_) => Command::MERGE,
    }
}
