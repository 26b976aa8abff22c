//! INSERT, UPDATE and DELETE, with OUTPUT, variables, identities and triggers.

use crate::errors::raised;
use crate::modules::Loaded;
use crate::query::{Plan, shown, stopped};
use crate::runner::{Ran, Runner, set};
use crate::session::Inner;
use mainstay_base::{Value, ValueRef};
use mainstay_mssql::Message;
use mainstay_program::{Flow, Raised, StatementCall};
use mainstay_query::mssql::type_of_field;
use mainstay_tds::{BulkRows, Column, Command};
use mainstay_tsql::compile::HostStatement;
use mainstay_tsql::reduce::{self, ReducedChange, Scope};
use mainstay_tsql::tree::{Change, ObjectName, Target};
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
        let outcome = self.run_change(&mut plan, &values);
        let reduced = plan.change.clone();
        self.put_plan(loaded, number, plan);
        let (count, returned) = outcome?;
        let Some(reduced) = reduced else { return Ok(Flow::Next) };
        self.after_change(&reduced, host, &returned, call)?;
        self.inner.state.row_count = count as i64;
        self.done(command_of(change), Some(count));
        Ok(Flow::Next)
    }

    fn run_change(&mut self, plan: &mut Plan, values: &[Value]) -> Result<(u64, Returned), Box<Raised>> {
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

    /// What comes of the rows: variables, identities, OUTPUT.
    fn after_change(
        &mut self,
        change: &ReducedChange,
        host: &HostStatement,
        returned: &Returned,
        call: &mut StatementCall<'_>,
    ) -> Result<(), Box<Raised>> {
        let width = returned.schema.as_ref().map_or(0, |schema| schema.fields().len());
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
            && let Some(Value::Integer(identity)) = last.and_then(|row| row.last())
        {
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
        let names = self.inner.names(&host.inputs);
        let table = names.table(target).map_err(raised)?;
        let known = names.columns(target);
        drop(names);
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

impl Inner {
    fn plan_change(&mut self, host: &HostStatement, change: &Change) -> Result<Plan, Box<Raised>> {
        let target = match change {
            Change::Insert(insert) => Some(&insert.target),
            Change::Update(update) => Some(&update.target),
            Change::Delete(delete) => Some(&delete.target),
            Change::Merge(_) => None,
        };
        let identity_insert = match (target, &self.state.identity_insert) {
            (Some(Target::Table(name, _)), Some(open)) => name.last().eq_ignore_ascii_case(open),
            _ => false,
        };
        let reduced = reduce::change(change, &self.names(&host.inputs), identity_insert).map_err(raised)?;
        self.refuse_triggers(&reduced.target, change)?;
        let mut plan = self.plan(&reduced.text, reduced.parameters.clone(), reduced.heads.clone())?;
        plan.change = Some(reduced);
        Ok(plan)
    }

    /// A table with triggers is not changed without them.
    fn refuse_triggers(&self, table: &ObjectName, change: &Change) -> Result<(), Box<Raised>> {
        let event = match change {
            Change::Insert(_) => "INSERT",
            Change::Update(_) => "UPDATE",
            _ => "DELETE",
        };
        match self.modules.has_triggers(table, event) {
            true => Err(raised(reduce::not_supported("A change of a table with triggers"))),
            false => Ok(()),
        }
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

fn command_of(change: &Change) -> Command {
    match change {
        Change::Insert(_) => Command::INSERT,
        Change::Update(_) => Command::UPDATE,
        Change::Delete(_) => Command::DELETE,
        Change::Merge(_) => Command::MERGE,
    }
}
