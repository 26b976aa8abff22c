//! SELECT: to the client, to variables, or for one value; and the plans of statements.

use crate::changes::accumulate::{Accumulation, Fold};
use crate::changes::change::Direct;
use crate::columns::{Column, sent};
use crate::objects::modules::Loaded;
use crate::objects::table_calls::PlannedCall;
use crate::session::Inner;
use crate::session::plan_dependencies::{Surroundings, Uses};
use crate::session::scope::Names;
use crate::session::sent_rows::{send_row, stopped};
use crate::statements::errors::{message_of, raised};
use crate::statements::null_variables::Asked;
use crate::statements::runner::{Ran, Runner, set};
use mainstay_engine::Prepared;
use mainstay_session::push::{self, Command};
use mainstay_tsql_planner::type_of_field;
use mainstay_tsql_syntax::compile::{Action, HostStatement};
use mainstay_tsql_syntax::reduce::{
    self, CursorQueries, Head, Parameter, ReducedChange, ReducedQuery, Source, SourceColumn, TakingColumn,
};
use mainstay_tsql_syntax::tree::{AssignOperator, Expr, ObjectName, Query, QueryBody};
use mainstay_tsql_types::convert::{Conversion, convert, truncates, truncation};
use mainstay_tsql_types::{DataType, Length, Settings, Switches, variant};
use mainstay_types::{Value, ValueRef};
use mainstay_vm::{Flow, Raised, StatementCall};
use std::cell::RefCell;
use std::sync::Arc;

/// The columns of a result, and the places of those that it is ordered by.
#[derive(Clone)]
struct Shown {
    columns: Arc<[Column]>,
    /// The columns as clients are told of them.
    sent: Arc<[push::Column]>,
    /// The columns, from 1, that the rows are in the order of.
    order: Arc<[u16]>,
}

/// A statement in the core's SQL, ready to run. It belongs to one state of the names that it uses.
pub(crate) struct Plan {
    version: (u64, u64, u64),
    /// The options that it was made under.
    settings: Settings,
    /// The variables that it was made for being NULL or not.
    nulls: Vec<Asked>,
    /// The version of the shared catalog, from before its names were looked up.
    pub(crate) catalog: u64,
    /// The names that it was made for, for comparison.
    uses: Uses,
    surroundings: Surroundings,
    pub(crate) prepared: Prepared,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) heads: Vec<Head>,
    /// The sources of its columns, where they are known.
    sources: Vec<Option<SourceColumn>>,
    /// The columns of its rows, once it has run, and those among them that the rows are ordered by.
    columns: Option<Shown>,
    /// The types of its columns, once it has run.
    pub(crate) types: Option<Arc<[Option<DataType>]>>,
    pub(crate) change: Option<Arc<ReducedChange>>,
    /// The parameters of that change, if nothing but its count is needed.
    pub(crate) direct: Option<Direct>,
    /// The fold that its rows pass, where its variables go on from row to row.
    pub(crate) fold: Option<Arc<Fold>>,
    /// The queries of the cursor whose list of rows this is.
    pub(crate) cursor: Option<Arc<CursorQueries>>,
    /// The functions whose tables it reads.
    pub(crate) calls: Vec<PlannedCall>,
}

impl Inner {
    fn name_version(&self) -> (u64, u64, u64) {
        (self.modules.version(), self.state.version, self.core.catalog_version())
    }

    /// The meaning of names in a statement with these variables.
    pub(crate) fn names<'n>(&'n mut self, variables: &'n [(String, DataType)]) -> Names<'n> {
        // The calls of a statement that was not planned do not belong to the next one.
        drop(self.table_calls.planned());
        Names {
            instance: &self.instance,
            cache: &self.catalog,
            is_momentary: &self.is_momentary,
            uses: &self.uses,
            disguises: self.disguises.get(),
            core: RefCell::new(&mut self.core),
            modules: &self.modules,
            state: &self.state,
            calls: &self.table_calls,
            nulls: &self.nulls,
            variables,
        }
    }

    /// Prepares a reduced statement.
    pub(crate) fn plan(
        &mut self,
        text: &str,
        parameters: Vec<Parameter>,
        heads: Vec<Head>,
    ) -> Result<Plan, Box<Raised>> {
        let prepared = self.core.prepare(text).map_err(|error| raised(message_of(&error)))?;
        let mut version = self.name_version();
        if self.is_momentary.replace(false) {
            version.0 = u64::MAX;
        }
        let calls = self.table_calls.planned();
        let (mut uses, surroundings) = (self.uses.borrow_mut().take(), Surroundings::of(&self.state));
        if !calls.is_empty() {
            uses.note_more();
        }
        let (columns, types, change, direct, fold, cursor) = (None, None, None, None, None, None);
        Ok(Plan {
            version,
            settings: self.state.options.settings,
            nulls: self.nulls.take(),
            catalog: self.core.shared_catalog_version(),
            uses,
            surroundings,
            prepared,
            parameters,
            heads,
            sources: Vec::new(),
            columns,
            types,
            change,
            direct,
            fold,
            cursor,
            calls,
        })
    }

    pub(crate) fn is_current(&self, plan: &Plan) -> bool {
        plan.version == self.name_version() && self.means_the_same(plan)
    }

    /// Returns true if a plan was made under the current options, for the variables that are NULL now.
    fn means_the_same(&self, plan: &Plan) -> bool {
        plan.settings == self.state.options.settings && self.nulls.hold(&plan.nulls)
    }

    /// Returns true if a plan is valid: nothing that it depends on has changed.
    fn holds(&mut self, plan: &mut Plan) -> bool {
        if !self.means_the_same(plan) {
            return false;
        }
        let (catalog, now) = (self.core.shared_catalog_version(), self.name_version());
        if plan.version == now && plan.catalog == catalog {
            return true;
        }
        // A plan depends on the database's objects throughout.
        let holds = plan.version.0 == now.0 && self.still_hold(&plan.uses, &plan.surroundings);
        if holds {
            (plan.version, plan.catalog) = (now, catalog);
        }
        holds
    }
}

impl Runner<'_> {
    /// The plan of the statement that runs: the one that is there, if it still holds, or one made now.
    pub(crate) fn planned(
        &mut self,
        loaded: &Arc<Loaded>,
        number: usize,
        make: impl FnOnce(&mut Inner) -> Result<Plan, Box<Raised>>,
    ) -> Result<Box<Plan>, Box<Raised>> {
        match self.held_plan(loaded, number) {
            Some(plan) => Ok(plan),
            None => self.made_plan(make),
        }
    }

    /// The plan of the statement that runs, if it has one that holds.
    pub(crate) fn held_plan(&mut self, loaded: &Arc<Loaded>, number: usize) -> Option<Box<Plan>> {
        let mut plan = self.take_plan(loaded, number)?;
        self.inner.holds(&mut plan).then_some(plan)
    }

    pub(crate) fn made_plan(
        &mut self,
        make: impl FnOnce(&mut Inner) -> Result<Plan, Box<Raised>>,
    ) -> Result<Box<Plan>, Box<Raised>> {
        // The stale one is gone, and the tables of its calls are free for the new one.
        self.inner.uses.take();
        self.inner.nulls.take();
        make(self.inner).map(Box::new)
    }

    /// The values of a plan's parameters: those that the statement was given, and what the session knows.
    ///
    /// Errors: those of bringing a value to the type of the column that takes it.
    pub(crate) fn values(
        &mut self,
        plan: &mut Plan,
        host: &HostStatement,
        call: &mut StatementCall<'_>,
    ) -> Result<Vec<Value>, Box<Raised>> {
        self.inner.tell_functions(plan.change.is_some() || plan.direct.is_some());
        if !plan.calls.is_empty() {
            self.fill_calls(plan, host, call)?;
        }
        let variable = |name: &str| {
            let place = host.inputs.iter().position(|(known, _)| known == name);
            place.map_or(Value::Null, |place| call.input(place).to_value())
        };
        let mut value = |parameter: &Parameter| {
            let value = match &parameter.source {
                Source::Variable(name) => variable(name),
                Source::Session(function) => self.session_value(*function, call.error()),
                Source::Catalog(function, inputs) => self.inner.catalog_answer(function.name, inputs, &variable),
                Source::CurrentRow(name, table, column) => self.inner.current_key(name, table, column),
            };
            match (&parameter.column, parameter.data_type) {
                (Some(column), from) => self.taken(&value, from, column),
                (None, of @ DataType::SqlVariant) => Ok(variant::encode(of, value.as_ref())),
                (None, _) => Ok(value),
            }
        };
        plan.parameters.iter().map(&mut value).collect()
    }

    /// A value as the column has it that takes it.
    fn taken(&self, value: &Value, from: DataType, column: &TakingColumn) -> Result<Value, Box<Raised>> {
        let (value, to) = (value.as_ref(), column.data_type);
        let is_minded = self.inner.state.options.settings.has(Switches::ANSI_WARNINGS);
        if is_minded && truncates(value, to) {
            let table = self.inner.shown_table(&column.table);
            return Err(raised(truncation(value, to, &table, &column.name)));
        }
        convert(&self.context(), value, from, to, None).map_err(raised)
    }

    /// SELECT to the client, or INTO a table.
    pub(crate) fn query(
        &mut self,
        loaded: &Arc<Loaded>,
        number: usize,
        host: &HostStatement,
        query: &Query,
        call: &mut StatementCall<'_>,
    ) -> Ran {
        if let Some(name) = new_table(&query.body) {
            if self.inner.state.options.fmt_only {
                return Ok(Flow::NEXT);
            }
            return self.select_into(host, query, name, call);
        }
        let mut plan = self.planned(loaded, number, |inner| {
            let names = inner.names(&host.inputs);
            let reduced = reduce::query(query, &names).map_err(raised)?;
            let sources = names.result_sources(query);
            let ReducedQuery { text, parameters, heads } = reduced;
            inner.plan(&text, parameters, heads).map(|plan| Plan { sources, ..plan })
        })?;
        let values = self.values(&mut plan, host, call)?;
        let outcome = self.send(&mut plan, &values, query);
        self.put_plan(loaded, number, plan);
        let count = outcome?;
        self.inner.state.row_count = count as i64;
        self.done(Command::Select, Some(count));
        Ok(Flow::NEXT)
    }

    /// The columns of a row that follows.
    pub(crate) fn begin_row(&mut self, loaded: &Loaded, number: usize) -> Ran {
        let columns = loaded.row_columns(number);
        match self.inner.state.captured.last_mut() {
            Some(captured) => captured.expect(columns)?,
            None => self.columns(columns)?,
        }
        Ok(Flow::NEXT)
    }

    /// SELECT of values that are known already: one row, to the client or to the capture around it.
    pub(crate) fn row(&mut self, loaded: &Loaded, number: usize, is_begun: bool, call: &StatementCall<'_>) -> Ran {
        let columns = loaded.row_columns(number);
        if !is_begun {
            self.begin_row(loaded, number)?;
        }
        let is_wanted = !self.inner.state.options.fmt_only;
        let most = self.inner.state.options.most_text();
        match self.inner.state.captured.last_mut() {
            Some(captured) => {
                let row = (0..columns.len()).map(|place| call.input(place).to_value()).collect();
                captured.rows.push(row).map_err(crate::statements::errors::raised_error)?;
            }
            None if is_wanted => send_row(self.sink, (columns, most), |cells| {
                cells.iter_mut().enumerate().for_each(|(place, cell)| *cell = call.input(place));
            })?,
            None => {}
        }
        let count = u64::from(is_wanted);
        self.inner.state.row_count = count as i64;
        self.done(Command::Select, Some(count));
        Ok(Flow::NEXT)
    }

    /// Sends the rows of a plan to the client, or to the capture around them.
    fn send(&mut self, plan: &mut Plan, values: &[Value], query: &Query) -> Result<u64, Box<Raised>> {
        let parameters: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        let limit = match self.inner.state.options.row_limit {
            _ if self.inner.state.options.fmt_only => 0,
            0 => u64::MAX,
            limit => limit,
        };
        let Plan { prepared, heads, sources, columns, .. } = plan;
        let mut rows =
            prepared.query(&mut self.inner.core, &parameters).map_err(crate::statements::errors::raised_error)?;
        let Shown { columns, sent, order } = match columns {
            Some(known) => known.clone(),
            None => {
                let schema = rows.schema().cloned();
                let known: Arc<[Column]> =
                    schema.map_or_else(Vec::new, |schema| sourced(shown(&schema, heads), sources)).into();
                let called: Vec<&str> = known.iter().map(|column| column.name.as_str()).collect();
                let order: Arc<[u16]> = reduce::result_order(query, &called).into();
                let sent: Arc<[push::Column]> = sent(&known).into();
                columns.insert(Shown { columns: known, sent, order }).clone()
            }
        };
        match self.inner.state.captured.last_mut() {
            Some(captured) => captured.expect(&columns)?,
            None => {
                self.gives_rows = true;
                self.sink.columns(&sent).map_err(stopped)?;
                if !order.is_empty() {
                    self.sink.order(&order);
                }
            }
        }
        let mut count = 0;
        if self.inner.state.captured.is_empty() {
            let most = self.inner.state.options.most_text();
            while count < limit
                && let Some(row) = rows.next().map_err(crate::statements::errors::raised_error)?
            {
                count += 1;
                send_row(self.sink, (&columns, most), |cells| row.read(cells))?;
            }
            return Ok(count);
        }
        while count < limit
            && let Some(row) = rows.next().map_err(crate::statements::errors::raised_error)?
        {
            count += 1;
            if let Some(captured) = self.inner.state.captured.last_mut() {
                let row = (0..row.len()).map(|column| row.get(column).to_value()).collect();
                captured.rows.push(row).map_err(crate::statements::errors::raised_error)?;
            }
        }
        Ok(count)
    }

    /// SELECT that sets variables: the last row's values.
    pub(crate) fn assign(
        &mut self,
        loaded: &Arc<Loaded>,
        number: usize,
        host: &HostStatement,
        query: &Query,
        assigned: &[(AssignOperator, Expr)],
        call: &mut StatementCall<'_>,
    ) -> Ran {
        let mut plan = match self.held_plan(loaded, number) {
            Some(plan) => plan,
            None if crate::statements::flow::accumulates(assigned, host) => {
                Accumulation::of(query, assigned, host).map_err(raised)?.planned(self, host)?
            }
            None => self.made_plan(|inner| {
                let ReducedQuery { text, parameters, heads } =
                    reduce::query(query, &inner.names(&host.inputs)).map_err(raised)?;
                inner.plan(&text, parameters, heads)
            })?,
        };
        let values = self.values(&mut plan, host, call)?;
        if plan.fold.is_some() {
            let outcome = self.accumulate(&mut plan, host, &values, call);
            self.put_plan(loaded, number, plan);
            return outcome;
        }
        let parameters: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        let read = |plan: &mut Plan, core: &mut mainstay_engine::Session| -> Result<_, Box<Raised>> {
            let Plan { prepared, types, .. } = plan;
            let mut rows = prepared.query(core, &parameters).map_err(crate::statements::errors::raised_error)?;
            let types = known_types(types, rows.schema());
            let (mut count, mut last) = (0i64, None);
            while let Some(row) = rows.next().map_err(crate::statements::errors::raised_error)? {
                count += 1;
                last = Some((0..row.len()).map(|column| row.get(column).to_value()).collect::<Vec<_>>());
            }
            Ok((types, count, last))
        };
        let outcome = read(&mut plan, &mut self.inner.core);
        self.put_plan(loaded, number, plan);
        let (types, count, last) = outcome?;
        for (place, value) in last.unwrap_or_default().iter().enumerate() {
            let Some((_, to)) = host.outputs.get(place) else { continue };
            let from = types.get(place).copied().flatten();
            let value = self.converted(value, from, *to)?;
            set(call, place, value.as_ref())?;
        }
        (self.inner.state.row_count, self.inner.state.error) = (count, 0);
        Ok(Flow::NEXT)
    }

    /// A value of one type as one of another, which takes it (206, 257).
    pub(crate) fn converted(&self, value: &Value, from: Option<DataType>, to: DataType) -> Result<Value, Box<Raised>> {
        match from {
            Some(from) if from != to => Conversion::implicit(from, to)
                .and_then(|conversion| conversion.evaluate(&self.context(), value.as_ref()))
                .map_err(raised),
            _ => Ok(value.clone()),
        }
    }

    /// A value that a query gives, in an expression over variables.
    pub(crate) fn value(
        &mut self,
        loaded: &Arc<Loaded>,
        number: usize,
        host: &HostStatement,
        value: &Expr,
        call: &mut StatementCall<'_>,
    ) -> Ran {
        if let Action::Value(_, Some(to)) = &host.action
            && let Some(answer) = self.own_function(host, value, call)
        {
            let (value, from) = answer?;
            let value = self.converted(&value, Some(from), *to)?;
            return set(call, 0, value.as_ref());
        }
        let mut plan = self.planned(loaded, number, |inner| {
            let reduced = match &host.action {
                Action::Condition(_) => reduce::condition(value, &inner.names(&host.inputs)),
                _ => reduce::expression(value, &inner.names(&host.inputs)),
            };
            let ReducedQuery { text, parameters, heads } = reduced.map_err(raised)?;
            inner.plan(&text, parameters, heads)
        })?;
        let values = self.values(&mut plan, host, call)?;
        let parameters: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        let read = |plan: &mut Plan, core: &mut mainstay_engine::Session| -> mainstay_types::Result<_> {
            let Plan { prepared, types, .. } = plan;
            let mut rows = prepared.query(core, &parameters)?;
            let from = known_types(types, rows.schema()).first().copied().flatten();
            Ok((from, rows.next()?.map_or(Value::Null, |row| row.get(0).to_value())))
        };
        let outcome = read(&mut plan, &mut self.inner.core);
        self.put_plan(loaded, number, plan);
        let (from, value) = outcome.map_err(crate::statements::errors::raised_error)?;
        let value = match &host.action {
            Action::Value(_, Some(to)) => self.converted(&value, from, *to)?,
            _ => value,
        };
        set(call, 0, value.as_ref())
    }
}

impl Inner {
    /// Runs a statement of the core for its effect.
    pub(crate) fn execute(&mut self, text: &str) -> Result<u64, Box<Raised>> {
        let mut answer = self.core.execute(text).map_err(crate::statements::errors::raised_error)?;
        while answer.next_batch().map_err(crate::statements::errors::raised_error)?.is_some() {}
        Ok(answer.changed().unwrap_or_default())
    }

    /// Inserts rows as they are.
    pub(crate) fn insert_rows(&mut self, table: &str, columns: usize, rows: &[Vec<Value>]) -> Result<(), Box<Raised>> {
        if rows.is_empty() {
            return Ok(());
        }
        let marks = vec!["?"; columns].join(", ");
        let text = format!("INSERT INTO {table} VALUES ({marks})");
        let mut prepared = self.core.prepare(&text).map_err(crate::statements::errors::raised_error)?;
        for row in rows {
            let values: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
            prepared.execute(&mut self.core, &values).map_err(crate::statements::errors::raised_error)?;
        }
        Ok(())
    }
}

/// The types of the columns of a plan's rows: those that are known, or those of the rows if they say it. It is a plan's
/// statement that gives them, so that they are the same in each of its runs.
pub(crate) fn known_types(
    known: &mut Option<Arc<[Option<DataType>]>>,
    schema: Option<&arrow_schema::SchemaRef>,
) -> Arc<[Option<DataType>]> {
    let Some(schema) = schema else { return Arc::default() };
    let of_all = || schema.fields().iter().map(|field| type_of_field(field)).collect();
    match known {
        Some(types) if types.len() == schema.fields().len() => Arc::clone(types),
        _ => Arc::clone(known.insert(of_all())),
    }
}

/// The table that a query makes: the first SELECT of a UNION names it.
fn new_table(body: &QueryBody) -> Option<&ObjectName> {
    match body {
        QueryBody::Select(select) => select.into.as_ref().map(|(name, _)| name),
        QueryBody::Set(first, ..) => new_table(first),
    }
}

/// The columns of a result as the client sees them.
pub(crate) fn shown(schema: &arrow_schema::SchemaRef, heads: &[Head]) -> Vec<Column> {
    let fields = schema.fields();
    // A star stands for all columns that the other heads leave over.
    let stars = heads.iter().filter(|head| **head == Head::Star).count();
    let others = heads.len() - stars;
    let mut names: Vec<Option<String>> = Vec::with_capacity(fields.len());
    for head in heads {
        match head {
            Head::Named(name) => names.push(Some(name.clone())),
            Head::Star if stars == 1 => names.extend(vec![None; fields.len().saturating_sub(others)]),
            Head::Star => break,
        }
    }
    let column = |(place, field): (usize, &Arc<arrow_schema::Field>)| {
        let name = names.get(place).cloned().flatten().unwrap_or_else(|| field.name().clone());
        let name = if name.starts_with('#') { String::new() } else { name };
        let data_type = type_of_field(field).unwrap_or(match field.data_type() {
            arrow_schema::DataType::Null => DataType::Int,
            _ => DataType::NVarChar(Length::Max),
        });
        Column::new(name, data_type)
    };
    fields.iter().enumerate().map(column).collect()
}

/// Columns with what is known of where they come from.
fn sourced(mut columns: Vec<Column>, sources: &[Option<SourceColumn>]) -> Vec<Column> {
    if columns.len() == sources.len() {
        for (column, source) in columns.iter_mut().zip(sources) {
            let Some(source) = source else { continue };
            (column.identity, column.computed) = (source.is_identity, source.is_computed);
            (column.updatable, column.nullable) = (source.is_writable(), source.is_nullable);
        }
    }
    columns
}
