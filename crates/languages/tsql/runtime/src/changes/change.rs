//! INSERT, UPDATE, DELETE and MERGE, with OUTPUT, variables, identities and triggers.
//!
//! ```text
//!   the statement --reduce--> the core's SQL with RETURNING --> rows: OUTPUT | variables | identity | check | whole rows
//!                                                                       |                                  |
//!                                                                client or table                    triggers (fire)
//! ```

mod parts;

use parts::limited;
pub(crate) use parts::{events_of, outputs_of, target_of, word_of};

use crate::changes::identity::{check_identities, number_of};
use crate::objects::modules::Loaded;
use crate::session::Inner;
use crate::session::sent_rows::stopped;
use crate::statements::errors::raised;
use crate::statements::flow::Origin;
use crate::statements::query::{Plan, shown};
use crate::statements::runner::{Ran, Runner, set};
use mainstay_engine::CollectedRows;
use mainstay_engine::Prepared;
use mainstay_tsql_planner::type_of_field;
use mainstay_tsql_syntax::compile::HostStatement;
use mainstay_tsql_syntax::reduce::{self, Parameter, ReducedChange, Scope, Source};
use mainstay_tsql_syntax::tree::{Change, MergeAction, ObjectName, SetItem};
use mainstay_tsql_types::convert::{is_identity, truncates};
use mainstay_tsql_types::{DataType, Message};
use mainstay_types::{Code, Value, ValueRef};
use mainstay_vm::{Flow, Raised, StatementCall};
use std::sync::Arc;

/// A snapshot has met the change of another transaction.
const CONFLICT: i32 = 3960;

/// The rows that a change gives back, with the types of their columns.
pub(crate) struct Returned {
    pub(crate) schema: Option<arrow_schema::SchemaRef>,
    pub(crate) rows: CollectedRows,
}

/// The most times that a change is planned: again each time another transaction has committed a change of its tables.
const MOST_PLANS: usize = 100;

fn is_of_definition(error: &Raised) -> bool {
    error.source.as_ref().is_some_and(|source| source.code() == Code::DefinitionChanged)
}

impl Runner<'_> {
    /// A change. When its tables were changed between its planning and its writing, or while it waited for another
    /// session's changes, nothing was done, and it begins again with the new tables and triggers.
    pub(crate) fn change(
        &mut self,
        loaded: &Arc<Loaded>,
        number: usize,
        host: &HostStatement,
        change: &Change,
        call: &mut StatementCall<'_>,
    ) -> Ran {
        // The triggers are those at the time of writing, however long ago the batch began.
        self.inner.refresh_changed().map_err(raised)?;
        for _ in 0..MOST_PLANS {
            match self.change_once(loaded, number, host, change, call) {
                Err(error) if is_of_definition(&error) && !self.inner.has_lost_transaction() => {
                    // The transaction that committed the change reports it after the commit, and may not have done so
                    // yet.
                    self.inner.instance.version.bump();
                    self.inner.refresh().map_err(raised)?;
                }
                done => return done,
            }
        }
        self.change_once(loaded, number, host, change, call)
    }

    fn change_once(
        &mut self,
        loaded: &Arc<Loaded>,
        number: usize,
        host: &HostStatement,
        change: &Change,
        call: &mut StatementCall<'_>,
    ) -> Ran {
        if let Some(outcome) = self.direct_change(loaded, number, change, call) {
            let count = outcome?;
            return self.changed(change, count);
        }
        if self.inner.is_composed(change) {
            return self.composed_change(host, change, call);
        }
        if let Some((table, trigger)) = self.inner.instead_of(change) {
            return self.change_instead(&table, &trigger, host, change, call);
        }
        if let Some(done) = self.change_of_free_rows(host, change, call) {
            return done;
        }
        if self.inner.state.options.row_limit > 0
            && let Some(limited) = limited(change, self.inner.state.options.row_limit)
        {
            let count = self.made_change(host, &limited, call)?;
            return self.changed(change, count);
        }
        self.inner.check_writable()?;
        let mut plan = match self.held_plan(loaded, number) {
            Some(plan) => plan,
            None => {
                let is_running = crate::changes::running_variables::is_running(change, host);
                let rewritten = if is_running { self.inner.rewritten(host, change) } else { None };
                // Columns that are set from what goes on from row to row have no plan.
                if is_running
                    && rewritten.is_none()
                    && let Some(done) = self.running_update(host, change, call)
                {
                    return done;
                }
                self.made_plan(|inner| {
                    let (change, fold) = rewritten.as_ref().map_or((change, None), |(it, fold)| (it, fold.clone()));
                    let mut plan = inner.plan_change(host, change)?;
                    (plan.direct, plan.fold) = (Direct::of(&plan, host), fold);
                    Ok(plan)
                })?
            }
        };
        let outcome = self.planned_change(&mut plan, host, change, call);
        self.put_plan(loaded, number, plan);
        self.changed(change, outcome?)
    }

    /// A change of which nothing is to be known but how many rows it changed, with values that variables have as they are
    /// wanted, while its plan holds; `None` for others.
    fn direct_change(
        &mut self,
        loaded: &Loaded,
        number: usize,
        change: &Change,
        call: &StatementCall<'_>,
    ) -> Option<Result<u64, Box<Raised>>> {
        let mut plans = loaded.plans();
        let plan = plans.get_mut(number)?.as_deref_mut()?;
        let direct = plan.direct.as_ref()?;
        let inner = &mut *self.inner;
        let is_plain = inner.is_current(plan)
            && plan.catalog == inner.core.shared_catalog_version()
            && !inner.modules.has_instead_triggers()
            && !inner.instance.watch.is_wanted()
            && !inner.state.doomed;
        if !is_plain {
            return None;
        }
        let mut values = [ValueRef::Null; MOST_DIRECT];
        for (slot, (place, column)) in values.iter_mut().zip(&direct.inputs) {
            *slot = call.input(*place);
            if column.is_some_and(|column| truncates(*slot, column)) {
                return None;
            }
        }
        let values = values.get(..direct.inputs.len())?;
        let reduced = plan.change.as_deref();
        let done = inner.counted_change((&mut plan.prepared, plan.catalog), reduced, values);
        Some(done.map_err(|error| self.explained_change(error, reduced.map(|reduced| &reduced.target), change)))
    }

    /// A change that was made for this run.
    pub(crate) fn made_change(
        &mut self,
        host: &HostStatement,
        change: &Change,
        call: &mut StatementCall<'_>,
    ) -> Result<u64, Box<Raised>> {
        if let Some((table, trigger)) = self.inner.instead_of(change) {
            return self.run_instead(&table, &trigger, host, change, call);
        }
        let mut plan = self.inner.plan_change(host, change)?;
        self.planned_change(&mut plan, host, change, call)
    }

    /// A statement has changed so many rows.
    pub(crate) fn changed(&mut self, change: &Change, count: u64) -> Ran {
        self.inner.state.row_count = count as i64;
        self.done(parts::command_of(change), Some(count));
        Ok(Flow::NEXT)
    }

    fn planned_change(
        &mut self,
        plan: &mut Plan,
        host: &HostStatement,
        change: &Change,
        call: &mut StatementCall<'_>,
    ) -> Result<u64, Box<Raised>> {
        let outcome = self.carry_out(plan, host, change, call);
        outcome.map_err(|error| {
            let target = plan.change.as_ref().map(|reduced| reduced.target.clone());
            self.explained_change(error, target.as_ref(), change)
        })
    }

    /// The error of a change, in the words of its table.
    fn explained_change(&mut self, error: Box<Raised>, target: Option<&ObjectName>, change: &Change) -> Box<Raised> {
        let mut error = match (target, &error.detail) {
            (Some(target), None) if error.number == CONFLICT => {
                let (schema, table) = crate::session::scope::local_name(target);
                let table = format!("{}.{table}", schema.unwrap_or("dbo"));
                let mut error = error;
                error.text = Message::numbered(CONFLICT, &[&table, &self.inner.state.database]).text;
                error
            }
            (Some(target), None) => self.inner.explained(error, word_of(change), target),
            _ => error,
        };
        // Errors in the names of a change are found before it runs.
        if error.detail.is_none() && !crate::statements::errors::is_found_late(error.number) {
            error.detail = Some(Box::new(Origin::Change));
        }
        error
    }

    fn carry_out(
        &mut self,
        plan: &mut Plan,
        host: &HostStatement,
        change: &Change,
        call: &mut StatementCall<'_>,
    ) -> Result<u64, Box<Raised>> {
        self.inner.check_writable()?;
        let cursor = plan.parameters.iter().find_map(|parameter| match &parameter.source {
            Source::CurrentRow(name, ..) => Some(name.clone()),
            _ => None,
        });
        let values = self.values(plan, host, call)?;
        let Some(reduced) = plan.change.clone() else { return Ok(0) };
        let watched = self.inner.instance.watch.is_wanted();
        if let Some(cursor) = &cursor {
            self.check_current(cursor, &reduced.target, change)?;
        }
        let count = match reduced.images.is_some() || reduced.check.is_some() || reduced.narrow_identity {
            true => self.unit(call, |it, call| {
                let (count, returned) = it.run_change(plan, &values)?;
                it.after_change(&reduced, host, &returned, call)?;
                if let Some(fold) = &plan.fold.clone() {
                    it.fold_change(fold, (&*reduced, host), &returned, call)?;
                }
                if reduced.images.is_some() {
                    let fired = fired(&reduced, change, &returned);
                    it.fire(&reduced.target, change, fired, count, call)?;
                }
                Ok(count)
            })?,
            false => {
                let (count, returned) = self.run_change(plan, &values)?;
                self.after_change(&reduced, host, &returned, call)?;
                if let Some(fold) = &plan.fold.clone() {
                    self.fold_change(fold, (&*reduced, host), &returned, call)?;
                }
                count
            }
        };
        if watched {
            self.tell_watchers(&reduced.target, change);
        }
        match cursor {
            Some(_) if count == 0 => Err(raised(Message::error(16947, "No rows were updated or deleted."))),
            Some(cursor) => self.refresh_current(&cursor).map(|()| count),
            None => Ok(count),
        }
    }

    /// Lets open cursors know of a change.
    fn tell_watchers(&mut self, table: &ObjectName, change: &Change) {
        let names = self.inner.names(&[]);
        let Ok(core) = names.table(table) else { return };
        let moves = match change {
            Change::Insert(_) | Change::Merge(_) => true,
            Change::Delete(_) => false,
            Change::Update(update) => {
                let key = names.key(table).unwrap_or_default();
                update.items.iter().any(|item| match item {
                    SetItem::Column(name, ..) | SetItem::Both(_, name, ..) | SetItem::Method(name, ..) => {
                        key.iter().any(|column| name.is(&column.name) || name.last().eq_ignore_ascii_case(&column.name))
                    }
                    SetItem::Variable(..) => false,
                })
            }
        };
        self.inner.instance.watch.changed(&core, moves);
        if self.inner.state.transactions > 0 && !self.inner.state.changed.contains(&(core.clone(), moves)) {
            self.inner.state.changed.push((core, moves));
        }
    }

    pub(crate) fn run_core_change(
        &mut self,
        plan: &mut Plan,
        values: &[Value],
    ) -> Result<(u64, Returned), Box<Raised>> {
        let parameters: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        if plan.change.as_ref().is_none_or(|change| change.returns == 0) {
            let count =
                self.inner.counted_change((&mut plan.prepared, plan.catalog), plan.change.as_deref(), &parameters)?;
            return Ok((count, Returned { schema: None, rows: CollectedRows::default() }));
        }
        let mut all = self.inner.core.collected_rows("the rows of a change");
        let core = &mut self.inner.core;
        let rows = plan.prepared.query_as_planned(core, plan.catalog, &parameters);
        let mut rows = rows.map_err(crate::statements::errors::raised_error)?;
        let schema = rows.schema().cloned();
        while let Some(row) = rows.next().map_err(crate::statements::errors::raised_error)? {
            all.push((0..row.len()).map(|column| row.get(column).to_value()).collect())
                .map_err(crate::statements::errors::raised_error)?;
        }
        Ok((all.len() as u64, Returned { schema, rows: all }))
    }

    /// Processes the returned rows: the check of a view, variables, identities, OUTPUT.
    fn after_change(
        &mut self,
        change: &ReducedChange,
        host: &HostStatement,
        returned: &Returned,
        call: &mut StatementCall<'_>,
    ) -> Result<(), Box<Raised>> {
        if let Some(check) = change.check
            && returned.rows.iter().any(|row| row.get(check) != Some(&Value::Boolean(true)))
        {
            let text = "The attempted insert or update failed because the target view either specifies WITH CHECK OPTION \
                        or spans a view that specifies WITH CHECK OPTION and one or more rows resulting from the \
                        operation did not qualify under the CHECK OPTION constraint.";
            return Err(raised(Message::error(550, text)));
        }
        check_identities(change, &returned.rows)?;
        let last = returned.rows.last();
        for assigned in &change.assigned {
            let Some(value) = last.and_then(|row| row.get(assigned.column)) else { continue };
            let Some(output) = host.outputs.iter().position(|(name, _)| name.eq_ignore_ascii_case(&assigned.variable))
            else {
                continue;
            };
            let field = returned.schema.as_ref().and_then(|schema| schema.fields().get(assigned.column).cloned());
            let from = field.and_then(|field| type_of_field(&field));
            let value = self.converted(value, from, host.outputs[output].1)?;
            set(call, output, value.as_ref())?;
        }
        self.note_identity(change, returned);
        let mut first = 0;
        for output in &change.outputs {
            let places = first..first + output.heads.len();
            first = places.end;
            let rows: Vec<Vec<Value>> =
                returned.rows.iter().filter_map(|row| row.get(places.clone()).map(<[Value]>::to_vec)).collect();
            match &output.into {
                Some((table, columns)) => {
                    let list = self.inner.column_list(table, columns)?;
                    self.inner.insert_rows(&list, output.heads.len(), &rows)?;
                }
                None => self.send_output(output, returned, places, &rows)?,
            }
        }
        Ok(())
    }

    /// The identity of the last row that was put in.
    fn note_identity(&mut self, change: &ReducedChange, returned: &Returned) {
        let Some(place) = change.identity else { return };
        let is_new = |row: &&Vec<Value>| match change.action.and_then(|action| row.get(action)) {
            Some(Value::Text(action)) => action == "INSERT",
            _ => true,
        };
        let last = returned.rows.iter().rev().find(is_new).and_then(|row| row.get(place));
        let identity = last.and_then(number_of);
        if self.inner.gives_identity(&change.target) {
            let given = returned.rows.iter().filter(is_new).filter_map(|row| row.get(place).and_then(number_of));
            self.inner.given_identity(&change.target, given);
        }
        self.inner.state.note_identity(identity);
    }

    fn send_output(
        &mut self,
        output: &reduce::ReducedOutput,
        returned: &Returned,
        places: std::ops::Range<usize>,
        rows: &[Vec<Value>],
    ) -> Result<(), Box<Raised>> {
        let Some(schema) = &returned.schema else { return Ok(()) };
        let fields: Vec<_> = schema.fields().get(places).unwrap_or_default().to_vec();
        let columns = shown(&Arc::new(arrow_schema::Schema::new(fields)), &output.heads);
        if let Some(captured) = self.inner.state.captured.last_mut() {
            return captured.take(&columns, rows.iter().cloned());
        }
        self.columns(&columns)?;
        for row in rows {
            let cells: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
            self.sink.row(&cells).map_err(stopped)?;
        }
        Ok(())
    }
}

/// The rows of a change, as triggers see them.
#[derive(Debug)]
pub(crate) struct Fired {
    /// INSERT, UPDATE or DELETE.
    pub(crate) event: &'static str,
    pub(crate) inserted: Vec<Vec<Value>>,
    pub(crate) deleted: Vec<Vec<Value>>,
}

/// The rows of a change by what was done with them.
fn fired(reduced: &ReducedChange, change: &Change, returned: &Returned) -> Vec<Fired> {
    let Some(images) = reduced.images else { return Vec::new() };
    let width = images.columns;
    let behind = width * (usize::from(images.new) + usize::from(images.old));
    let first = reduced.returns.saturating_sub(behind);
    let part = |event: Option<&str>, from: usize| -> Vec<Vec<Value>> {
        let is_of = |row: &&Vec<Value>| match (event, reduced.action.and_then(|action| row.get(action))) {
            (Some(event), Some(Value::Text(action))) => event == action,
            _ => true,
        };
        let rows = returned.rows.iter().filter(is_of);
        rows.filter_map(|row| row.get(from..from + width).map(<[Value]>::to_vec)).collect()
    };
    let fired = |event, of: Option<&str>, new: Option<usize>, old: Option<usize>| Fired {
        event,
        inserted: new.map_or_else(Vec::new, |from| part(of, from)),
        deleted: old.map_or_else(Vec::new, |from| part(of, from)),
    };
    let second = first + width;
    match change {
        Change::Insert(_) => vec![fired("INSERT", None, Some(first), None)],
        Change::Update(_) => vec![fired("UPDATE", None, Some(first), Some(second))],
        Change::Delete(_) => vec![fired("DELETE", None, None, Some(first))],
        Change::Merge(merge) => {
            let does = |wanted: fn(&MergeAction) -> bool| merge.branches.iter().any(|branch| wanted(&branch.action));
            let mut all = Vec::new();
            if does(|action| matches!(action, MergeAction::Insert(..))) {
                all.push(fired("INSERT", Some("INSERT"), Some(first), None));
            }
            if does(|action| matches!(action, MergeAction::Update(_))) {
                all.push(fired("UPDATE", Some("UPDATE"), Some(first), Some(second)));
            }
            if does(|action| matches!(action, MergeAction::Delete)) {
                all.push(fired("DELETE", Some("DELETE"), None, Some(second)));
            }
            all
        }
    }
}

/// Parameters for which a direct change needs no list.
const MOST_DIRECT: usize = 16;

/// The parameters of a change that returns nothing but its count.
pub(crate) struct Direct {
    /// For each parameter the place of the variable, and the type of the column where a text may be too long for it.
    inputs: Vec<(usize, Option<DataType>)>,
}

impl Direct {
    /// `None` for a change that does more, or whose values have to be made first.
    fn of(plan: &Plan, host: &HostStatement) -> Option<Direct> {
        let reduced = plan.change.as_ref()?;
        let is_counted =
            reduced.returns == 0 && reduced.images.is_none() && reduced.check.is_none() && !reduced.ignores_keys;
        if !is_counted || !plan.calls.is_empty() || plan.parameters.len() > MOST_DIRECT {
            return None;
        }
        let input = |parameter: &Parameter| {
            let Source::Variable(name) = &parameter.source else { return None };
            let place = host.inputs.iter().position(|(known, _)| known == name)?;
            match &parameter.column {
                None => Some((place, None)),
                Some(column) if is_identity(parameter.data_type, column.data_type) => {
                    Some((place, Some(column.data_type)))
                }
                Some(_) => None,
            }
        };
        Some(Direct { inputs: plan.parameters.iter().map(input).collect::<Option<_>>()? })
    }
}

impl Inner {
    /// Runs a change that gives no rows: how many it changed. Notes the identity that it gave.
    fn counted_change(
        &mut self,
        (prepared, catalog): (&mut Prepared, u64),
        reduced: Option<&ReducedChange>,
        values: &[ValueRef<'_>],
    ) -> Result<u64, Box<Raised>> {
        let core = &mut self.core;
        let count =
            prepared.execute_as_planned(core, catalog, values).map_err(crate::statements::errors::raised_error)?;
        if let Some(table) = reduced.and_then(|change| change.identity_table.as_deref()) {
            let identity = match prepared.identity_sequence() {
                Some(sequence) => core.last_of_sequence(sequence),
                None => core.last_identity(table).map_err(crate::statements::errors::raised_error)?,
            };
            self.state.note_identity(identity);
        }
        Ok(count)
    }

    pub(crate) fn plan_change(&mut self, host: &HostStatement, change: &Change) -> Result<Plan, Box<Raised>> {
        let catalog = self.core.shared_catalog_version();
        let identity_insert = target_of(change).is_some_and(|name| self.gives_identity(name));
        if let Change::Insert(insert) = change {
            self.check_named_columns(insert)?;
        }
        // The table may stand behind an alias or a view: what is changed is known when it is reduced.
        let mut reduced = reduce::change(change, &self.names(&host.inputs), identity_insert, false).map_err(raised)?;
        let fires = events_of(change).iter().any(|event| !self.firing(&reduced.target, event).is_empty());
        if fires {
            if outputs_of(change).iter().any(|output| output.into.is_none()) {
                let text = format!(
                    "The target table '{}' of the DML statement cannot have any enabled triggers if the statement contains \
                     an OUTPUT clause without INTO clause.",
                    reduced.target.last()
                );
                return Err(raised(Message::error(334, text)));
            }
            reduced = reduce::change(change, &self.names(&host.inputs), identity_insert, true).map_err(raised)?;
        }
        let mut plan = self.plan(&reduced.text, reduced.parameters.clone(), Vec::new())?;
        (plan.change, plan.catalog) = (Some(Arc::new(reduced)), catalog);
        Ok(plan)
    }

    /// The number of values in a row for these columns of a table, if the table is known.
    pub(crate) fn width_of(
        &mut self,
        table: &ObjectName,
        named: &[mainstay_tsql_syntax::tree::Name],
    ) -> Result<Option<usize>, Box<Raised>> {
        let open = self.state.identity_insert.as_ref().is_some_and(|open| table.last().eq_ignore_ascii_case(open));
        let Some(known) = self.names(&[]).columns(table) else { return Ok(None) };
        reduce::insert_columns(&known, named, table, open).map(|given| Some(given.len())).map_err(raised)
    }

    /// A table with the columns that rows are put into: those that are named, or all that take values.
    pub(crate) fn column_list(
        &mut self,
        table: &ObjectName,
        named: &[mainstay_tsql_syntax::tree::Name],
    ) -> Result<String, Box<Raised>> {
        let (name, known) = {
            let names = self.names(&[]);
            (names.table(table).map_err(raised)?, names.columns(table))
        };
        let Some(known) = known else { return Ok(name) };
        let given = reduce::insert_columns(&known, named, table, false).map_err(raised)?;
        let columns: Vec<String> = given.iter().map(|column| reduce::quoted(&column.name)).collect();
        Ok(format!("{name} ({})", columns.join(", ")))
    }
}
