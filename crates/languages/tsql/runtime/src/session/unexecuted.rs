//! Batches that are parsed, or compiled, and not run: SET NOEXEC and PARSEONLY, and SHOWPLAN, which shows plans.
//!
//! ```text
//!   PRINT 'a'                      PRINT 'a'
//!   SET NOEXEC ON                  SET NOEXEC ON
//!   EXEC p                  -->    IF @@mainstay_noexec = 0 EXEC p
//!   WHILE 1 = 1 PRINT 'b'          IF @@mainstay_noexec = 0 WHILE 1 = 1 PRINT 'b'
//!   SET NOEXEC OFF                 SET NOEXEC OFF
//! ```
//!
//! NOEXEC takes effect at the statement that sets it, so a batch that sets it, or begins under it, checks it before
//! each of its statements. PARSEONLY is set when the batch is parsed: a batch that leaves it ON does not run at all,
//! not even the statements before it.
//!
//! **SHOWPLAN_TEXT, SHOWPLAN_ALL and SHOWPLAN_XML** show the statements of a batch and their plans, by the rules of "SET
//! SHOWPLAN_ALL" in SQL Server's reference:
//!
//! ```text
//!   text --parse--> statements --one by one--> compiled, reduced, planned as for a run --> operators --> rows or a document
//!                        |
//!                        EXEC p: the statements of p
//! ```
//!
//! Each statement is compiled on its own, with the variables of its batch as parameters. Since no statement runs,
//! variables have no values: a plan of the batch executor is made for a sample value of each, which its conditions
//! show, and a statement that reads a table which the batch itself creates is an error (208), as in SQL Server. Table
//! variables are declared for the time of planning.
//!
//! Limits: texts that EXEC runs are not examined; for a statement of a procedure that cannot be planned, the column
//! Warnings contains the reason.

use crate::columns::{Column, Messages};
use crate::objects::modules::Loaded;
use crate::plans::listing::{Row, Shown, all_columns, rows_of, text_columns};
use crate::plans::measures::PlanForm;
use crate::plans::xml::document;
use crate::session::{Session, report};
use crate::statements::errors::{raised, raised_error};
use crate::statements::query::Plan;
use crate::statements::runner::Runner;
use mainstay_engine::{Node, Operator};
use mainstay_session::push::{Command, Done, DoneKind, Sink};
use mainstay_tsql_syntax::compile::{self, Action, HostStatement, ModuleParameter, ParameterKind, Variable};
use mainstay_tsql_syntax::reduce::{self, Parameter, Source};
use mainstay_tsql_syntax::tree::{
    BinaryOperator, Body, Declaration, ExecuteModule, Expr, Literal, Name, ObjectName, Phrase, PhraseItem, Procedure,
    QueryBody, Statement, StatementKind,
};
use mainstay_tsql_syntax::{Options, Span, parse};
use mainstay_tsql_types::{DataType, Length, Message};
use mainstay_types::{Date, Decimal, Time, Timestamp, Value, ValueRef};
use mainstay_vm::Raised;
use std::sync::Arc;

/// Procedures that call each other are shown this deep, as deep as they may call each other.
const DEEPEST: usize = 32;

/// The name of the only column of SHOWPLAN_XML.
const DOCUMENT: &str = "Microsoft SQL Server 2005 XML Showplan";

impl Session {
    /// Parses a batch that contains PARSEONLY, or runs under it, and reports its errors; returns true if it is not run.
    pub(crate) fn is_only_parsed(&mut self, text: &str, sink: &mut dyn Sink) -> bool {
        let was_on = self.inner.state.options.parse_only;
        if !was_on && !text.to_ascii_uppercase().contains("PARSEONLY") {
            return false;
        }
        let quoted_identifier = self.inner.state.options.quoted_identifier();
        let parsed = parse(text, Options { quoted_identifier });
        for statement in &parsed.statements {
            if let Some(on) = set_of(statement, "PARSEONLY") {
                self.inner.state.options.parse_only = on;
            }
        }
        if !self.inner.state.options.parse_only {
            return false;
        }
        for error in &parsed.errors {
            sink.tell(&error.told());
        }
        let error = !parsed.errors.is_empty();
        sink.done(Done { kind: DoneKind::Statement, command: Command::None, count: None, error });
        true
    }
}

/// Returns true if a text contains NOEXEC, so that its statements may run under it.
pub(crate) fn says_no_exec(text: &str) -> bool {
    says(text, b"NOEXEC")
}

fn says(text: &str, wanted: &[u8]) -> bool {
    text.as_bytes().windows(wanted.len()).any(|word| word.eq_ignore_ascii_case(wanted))
}

/// The statements of a batch, each behind the question whether it is to run.
pub(crate) fn guarded(statements: &[Statement]) -> Vec<Statement> {
    let guard = |statement: &Statement| {
        let kind = match &statement.kind {
            StatementKind::Label(_) => return statement.clone(),
            StatementKind::SetOption(_) if sets_unexecuted(statement) => return statement.clone(),
            StatementKind::Block(within) => StatementKind::Block(guarded(within)),
            _ => StatementKind::If(Box::new((is_to_run(), statement.clone(), None))),
        };
        Statement { kind, span: statement.span, line: statement.line }
    };
    statements.iter().map(guard).collect()
}

fn is_to_run() -> Expr {
    let flag = Name { text: "@@mainstay_noexec".to_owned(), ..Name::default() };
    let zero = Expr::Literal(Literal::Integer("0".to_owned()));
    Expr::Binary(Box::new(Expr::Variable(flag)), BinaryOperator::Equal, Box::new(zero))
}

/// Returns true if a SET decides if the statements after it run.
fn sets_unexecuted(statement: &Statement) -> bool {
    set_of(statement, "NOEXEC").is_some()
}

/// The value that a SET gives an option.
fn set_of(statement: &Statement, option: &str) -> Option<bool> {
    let StatementKind::SetOption(phrases) = &statement.kind else { return None };
    let is_it = |phrase: &&Phrase| phrase.starts(option);
    phrases.iter().find(is_it).map(|phrase| phrase.starts(&format!("{option} ON")))
}

/// 1067 where a batch or a module sets SHOWPLAN beside other statements.
pub(crate) fn check_alone(text: &str, statements: &[Statement]) -> Result<(), Box<Message>> {
    let may_set = text.to_ascii_uppercase().contains("SHOWPLAN_");
    if !may_set || statements.len() == 1 && statements.first().is_some_and(sets_show_plan) {
        return Ok(());
    }
    match statements.iter().find_map(setting) {
        None => Ok(()),
        Some(statement) => {
            let text = "The SET SHOWPLAN statements must be the only statements in the batch.";
            Err(Box::new(Message { line: statement.line.0, ..Message::error(1067, text).severity(15) }))
        }
    }
}

fn sets_show_plan(statement: &Statement) -> bool {
    let is_it = |phrase: &Phrase| {
        phrase.items.first().is_some_and(|item| {
            let PhraseItem::Word(word) = item else { return false };
            ["SHOWPLAN_TEXT", "SHOWPLAN_ALL", "SHOWPLAN_XML"].iter().any(|option| word.is(option))
        })
    };
    matches!(&statement.kind, StatementKind::SetOption(phrases) if phrases.iter().any(is_it))
}

/// The first statement that sets SHOWPLAN, among those within this one too.
fn setting(statement: &Statement) -> Option<&Statement> {
    match &statement.kind {
        StatementKind::Block(list) | StatementKind::AtomicBlock(_, list) => list.iter().find_map(setting),
        StatementKind::Try(body, catch) => body.iter().chain(catch).find_map(setting),
        StatementKind::If(parts) => setting(&parts.1).or_else(|| parts.2.as_ref().and_then(setting)),
        StatementKind::While(parts) => setting(&parts.1),
        StatementKind::Procedure(procedure) => match &procedure.body {
            Body::Statements(list) => list.iter().find_map(setting),
            Body::External(_) => None,
        },
        _ => Some(statement).filter(|statement| sets_show_plan(statement)),
    }
}

/// Returns true if a compiled batch only sets SHOWPLAN, and so runs at any time.
pub(crate) fn only_sets(loaded: &Loaded) -> bool {
    let sets = |host: &HostStatement| match &host.action {
        Action::SetOption(phrases) => {
            let names = ["SHOWPLAN_TEXT", "SHOWPLAN_ALL", "SHOWPLAN_XML"];
            phrases.iter().any(|phrase| names.iter().any(|name| phrase.starts(name)))
        }
        _ => false,
    };
    loaded.made_under.is_none() && loaded.module.actions.iter().any(sets)
}

/// Shows the plans of a compiled text in place of running it.
pub(crate) fn show(session: &mut Session, loaded: &Arc<Loaded>, form: PlanForm, kind: DoneKind, sink: &mut dyn Sink) {
    let quoted_identifier = session.inner.state.options.quoted_identifier();
    let parsed = parse(&loaded.text, Options { quoted_identifier });
    let batch = Batch { loaded, statements: &parsed.statements };
    let mut runner = Runner::new(&mut session.inner, sink, DoneKind::InProcedure);
    runner.inner.state.levels.push(crate::session::state::Level::default());
    let outcome = batch.show(&mut runner, form, kind);
    runner.finish();
    if let Err(raised) = outcome {
        report(&raised, &mut session.inner.state, sink);
        sink.done(Done { kind, command: Command::None, count: None, error: true });
    }
}

/// A text that is shown.
struct Batch<'b> {
    loaded: &'b Arc<Loaded>,
    statements: &'b [Statement],
}

impl Batch<'_> {
    /// A result for each statement: its text and its operators, in one result or in two; or a document for all.
    fn show(&self, runner: &mut Runner<'_>, form: PlanForm, kind: DoneKind) -> Result<(), Box<Raised>> {
        let (text, variables) = (&*self.loaded.text, &self.loaded.module.variables);
        let mut all: Vec<Shown> = Vec::new();
        for statement in self.statements {
            let mut walk = Walk { runner: &mut *runner, shown: Vec::new(), within: Vec::new() };
            let place = Place { text, parameters: &given(variables), within: None };
            match &statement.kind {
                // A procedure that a driver calls comes with its definition.
                StatementKind::Procedure(procedure) if self.loaded.made_under.is_some() => {
                    walk.procedure(&format!("EXEC {}", procedure.name.last()), procedure, &place, variables)?;
                }
                _ => walk.statement(statement, &place)?,
            }
            let shown = walk.shown;
            if form == PlanForm::Xml {
                all.extend(shown);
                continue;
            }
            let first = all.len() as i64 + 1;
            let rows = tabled(runner, |tables| rows_of(&shown, first, tables))?;
            all.extend(shown);
            give(runner, form, &rows, kind)?;
        }
        if form == PlanForm::Xml {
            let text = tabled(runner, |tables| document(&all, tables))?;
            let column = Column::new(DOCUMENT, DataType::NVarChar(Length::Max));
            send(runner, &[column], vec![vec![Value::Text(text)]], kind)?;
        }
        Ok(())
    }
}

/// Rows as the form has them.
fn give(runner: &mut Runner<'_>, form: PlanForm, rows: &[Row], kind: DoneKind) -> Result<(), Box<Raised>> {
    if rows.is_empty() {
        return Ok(());
    }
    if form == PlanForm::All {
        return send(runner, &all_columns(), rows.iter().map(Row::all_cells).collect(), kind);
    }
    let (operators, statements): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.is_operator);
    for rows in [statements, operators] {
        if !rows.is_empty() {
            send(runner, &text_columns(), rows.into_iter().map(Row::text_cells).collect(), kind)?;
        }
    }
    Ok(())
}

/// A result of rows that are there.
pub(crate) fn send(
    runner: &mut Runner<'_>,
    columns: &[Column],
    rows: Vec<Vec<Value>>,
    kind: DoneKind,
) -> Result<(), Box<Raised>> {
    let count = rows.len() as u64;
    runner.columns(columns)?;
    for row in rows {
        let cells: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
        runner.show_row(&cells)?;
    }
    runner.gives_rows = false;
    runner.sink.done(Done { kind, command: Command::Select, count: Some(count), error: false });
    Ok(())
}

/// Makes something with the names that clients know tables by.
pub(crate) fn tabled<T>(
    runner: &mut Runner<'_>,
    make: impl FnOnce(crate::plans::operators::TableNames<'_>) -> T,
) -> Result<T, Box<Raised>> {
    let catalog = runner.inner.catalog().map_err(raised_error)?;
    let levels = runner.inner.state.levels.iter().flat_map(|level| &level.tables);
    let own: Vec<(String, String)> = levels.map(|(name, table)| (table.core.clone(), name.clone())).collect();
    let names = |core: &str| {
        let known = own.iter().find(|(known, _)| known.eq_ignore_ascii_case(core));
        catalog.table_name(known.map_or(core, |(_, name)| name))
    };
    Ok(make(&names))
}

/// The variables of a text as parameters of each of its statements.
fn given(variables: &[Variable]) -> Vec<ModuleParameter> {
    let parameter = |variable: &Variable| {
        Some(ModuleParameter {
            name: variable.name.clone(),
            data_type: variable.data_type?,
            is_output: false,
            has_default: false,
            kind: ParameterKind::Value,
        })
    };
    variables.iter().filter_map(parameter).collect()
}

/// A text whose statements are shown.
struct Place<'p> {
    text: &'p str,
    parameters: &'p [ModuleParameter],
    /// The place in the list of the EXEC that runs it.
    within: Option<usize>,
}

/// A walk through the statements of a batch, and of the procedures that it calls.
struct Walk<'w, 'r> {
    runner: &'w mut Runner<'r>,
    shown: Vec<Shown>,
    /// The procedures that are open, by their names.
    within: Vec<String>,
}

impl Walk<'_, '_> {
    fn statements(&mut self, statements: &[Statement], place: &Place<'_>) -> Result<(), Box<Raised>> {
        statements.iter().try_for_each(|statement| self.statement(statement, place))
    }

    fn statement(&mut self, statement: &Statement, place: &Place<'_>) -> Result<(), Box<Raised>> {
        match &statement.kind {
            StatementKind::Block(list) | StatementKind::AtomicBlock(_, list) => self.statements(list, place),
            StatementKind::Try(body, catch) => {
                self.statements(body, place)?;
                self.statements(catch, place)
            }
            StatementKind::If(parts) => {
                let (condition, then, otherwise) = &**parts;
                let alone = StatementKind::If(Box::new((condition.clone(), nothing(statement), None)));
                self.head(statement, then, alone, place)?;
                self.statement(then, place)?;
                otherwise.as_ref().map_or(Ok(()), |otherwise| self.statement(otherwise, place))
            }
            StatementKind::While(parts) => {
                let (condition, body) = &**parts;
                let alone = StatementKind::While(Box::new((condition.clone(), nothing(statement))));
                self.head(statement, body, alone, place)?;
                self.statement(body, place)
            }
            StatementKind::Declare(declarations) => {
                self.declare(declarations)?;
                let is_set = |one: &Declaration| matches!(one, Declaration::Scalar(_, _, Some(_)));
                match declarations.iter().any(is_set) {
                    true => self.add(statement, statement.span.of(place.text), place).map(|_| ()),
                    false => Ok(()),
                }
            }
            StatementKind::Execute(execute) => match &execute.module {
                ExecuteModule::Procedure(name, ..) => self.call(statement, name, place),
                _ => self.add(statement, statement.span.of(place.text), place).map(|_| ()),
            },
            StatementKind::Label(_) => Ok(()),
            _ => self.add(statement, statement.span.of(place.text), place).map(|_| ()),
        }
    }

    /// IF and WHILE with their conditions, without the statements that they decide about.
    fn head(
        &mut self,
        statement: &Statement,
        body: &Statement,
        alone: StatementKind,
        place: &Place<'_>,
    ) -> Result<(), Box<Raised>> {
        let text = Span { start: statement.span.start, end: body.span.start }.of(place.text).trim_end();
        let alone = Statement { kind: alone, span: statement.span, line: statement.line };
        self.add(&alone, text, place).map(|_| ())
    }

    /// Table variables are declared, so that statements can be planned that name them.
    fn declare(&mut self, declarations: &[Declaration]) -> Result<(), Box<Raised>> {
        for declaration in declarations {
            match declaration {
                Declaration::Table(name, elements) => {
                    self.runner.declare_table(&name.text, elements)?;
                }
                Declaration::Scalar(name, declared, _) => {
                    let elements = self.runner.inner.modules.table_type(&declared.name).map(<[_]>::to_vec);
                    if let Some(elements) = elements {
                        self.runner.declare_table(&name.text, &elements)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// EXEC of a procedure, and the statements of its body.
    fn call(&mut self, statement: &Statement, name: &ObjectName, place: &Place<'_>) -> Result<(), Box<Raised>> {
        let object = self.runner.inner.modules.called(name).cloned();
        let text = statement.span.of(place.text);
        let procedure = object.as_ref().and_then(|object| match &object.statement.kind {
            StatementKind::Procedure(procedure) => Some((object, procedure)),
            _ => None,
        });
        let Some((object, procedure)) = procedure else { return self.add(statement, text, place).map(|_| ()) };
        let loaded = self.runner.inner.load(object).map_err(|message| raised(*message))?;
        let of_procedure = Place { text: &object.text, ..*place };
        self.procedure(text, procedure, &of_procedure, &loaded.module.variables)
    }

    fn procedure(
        &mut self,
        text: &str,
        procedure: &Procedure,
        place: &Place<'_>,
        variables: &[Variable],
    ) -> Result<(), Box<Raised>> {
        let number = self.push(text.to_owned(), "EXECUTE PROC".to_owned(), place);
        let name = procedure.name.last().to_lowercase();
        let Body::Statements(statements) = &procedure.body else { return Ok(()) };
        if self.within.contains(&name) || self.within.len() >= DEEPEST {
            return Ok(());
        }
        self.within.push(name);
        for parameter in &procedure.parameters {
            let elements = self.runner.inner.modules.table_type(&parameter.data_type.name).map(<[_]>::to_vec);
            if let Some(elements) = elements {
                self.runner.declare_table(&parameter.name.text, &elements)?;
            }
        }
        let parameters = given(variables);
        self.statements(statements, &Place { text: place.text, parameters: &parameters, within: Some(number) })?;
        self.within.pop();
        Ok(())
    }

    fn push(&mut self, text: String, kind: String, place: &Place<'_>) -> usize {
        let depth = self.within.len();
        self.shown.push(Shown { text, kind, within: place.within, depth, ..Shown::default() });
        self.shown.len() - 1
    }

    /// A statement with its plans.
    ///
    /// Errors: those of planning a statement of the batch itself.
    fn add(&mut self, statement: &Statement, text: &str, place: &Place<'_>) -> Result<usize, Box<Raised>> {
        let number = self.push(text.to_owned(), kind_of(statement, text), place);
        let planned = self.plans(statement, place);
        let Some(shown) = self.shown.get_mut(number) else { return Ok(number) };
        match planned {
            Ok(plans) => shown.plans = plans,
            Err(error) if place.within.is_some() => shown.warning = Some(error.text.clone()),
            Err(mut error) => {
                error.line = statement.line.0;
                return Err(error);
            }
        }
        Ok(number)
    }

    fn plans(&mut self, statement: &Statement, place: &Place<'_>) -> Result<Vec<Node>, Box<Raised>> {
        let reading = self.runner.inner.state.options.reading();
        let list = std::slice::from_ref(statement);
        let module = compile::batch(place.text, list, place.parameters, &self.runner.inner.modules, reading)
            .map_err(|message| raised(*message))?;
        let mut plans = Vec::new();
        for host in &module.actions {
            plans.extend(self.plan(host)?);
        }
        Ok(plans)
    }

    /// The operators of a statement of the host; `None` for one without a plan.
    fn plan(&mut self, host: &HostStatement) -> Result<Option<Node>, Box<Raised>> {
        self.runner.inner.begin_nulls(host.inputs.iter().map(|(name, _)| (name.as_str(), false)));
        let is_value = matches!(host.action, Action::Value(..) | Action::Condition(_));
        let inner = &mut *self.runner.inner;
        // Nothing of the statement before belongs to this one.
        inner.uses.take();
        inner.nulls.take();
        let reduced = match &host.action {
            Action::Query(query) | Action::Assign(query, _) => Some(reduce::query(query, &inner.names(&host.inputs))),
            Action::DeclareCursor(_, cursor) => Some(reduce::query(&cursor.query, &inner.names(&host.inputs))),
            Action::Value(value, _) => Some(reduce::expression(value, &inner.names(&host.inputs))),
            Action::Condition(condition) => Some(reduce::condition(condition, &inner.names(&host.inputs))),
            _ => None,
        };
        let mut plan = match (reduced, &host.action) {
            (Some(reduced), _) => {
                let reduced = reduced.map_err(raised)?;
                inner.plan(&reduced.text, reduced.parameters, reduced.heads)?
            }
            (None, Action::Change(change)) => inner.plan_change(host, change)?,
            (None, Action::Row { .. }) => return Ok(Some(Node::new(Operator::Constants, Vec::new()))),
            (None, _) => return Ok(None),
        };
        let values = samples(&plan.parameters);
        let node = operators(self.runner, &mut plan, &values)?;
        Ok(match &host.action {
            Action::Query(query) => match into(&query.body) {
                Some(name) => Some(Node::new(Operator::Insert, vec![node]).of_table(name.last())),
                None => Some(node),
            },
            _ if is_value && !reads_table(&node) => None,
            _ => Some(node),
        })
    }
}

/// The operators of a plan for these values of its parameters.
pub(crate) fn operators(runner: &mut Runner<'_>, plan: &mut Plan, values: &[Value]) -> Result<Node, Box<Raised>> {
    let name = |parameter: &Parameter| match &parameter.source {
        Source::Variable(name) => name.clone(),
        Source::Session(function) => function.name.to_owned(),
        Source::Catalog(function, _) => format!("{}()", function.name),
        Source::CurrentRow(_, _, column) => format!("CURRENT.{column}"),
    };
    let names: Vec<String> = plan.parameters.iter().map(name).collect();
    let values: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
    let core = &mut runner.inner.core;
    match plan.prepared.operators(core, &values, &names) {
        Ok(node) => Ok(node),
        // The sample may be none of the values that the statement takes; NULL is one of all types.
        Err(_) => {
            let nulls = vec![ValueRef::Null; values.len()];
            plan.prepared.operators(core, &nulls, &names).map_err(raised_error)
        }
    }
}

/// A value for each parameter, of its type.
fn samples(parameters: &[Parameter]) -> Vec<Value> {
    let sample = |parameter: &Parameter| {
        let data_type = parameter.column.as_ref().map_or(parameter.data_type, |column| column.data_type);
        match data_type {
            DataType::Bit => Value::Boolean(true),
            DataType::Decimal { .. } => Value::Decimal(Decimal::new(1, 0)),
            DataType::Float | DataType::Real => Value::Float(1.0),
            DataType::Date => Value::Date(Date(0)),
            DataType::Time(_) => Value::Time(Time(0)),
            of if of.is_integer() => Value::Integer(1),
            of if of.is_money() => Value::Decimal(Decimal::new(10_000, 4)),
            of if of.is_text() => Value::Text("1".to_owned()),
            of if of.is_binary() => Value::Binary(vec![1]),
            of if of.is_moment() => Value::Timestamp(Timestamp(0)),
            _ => Value::Null,
        }
    };
    parameters.iter().map(sample).collect()
}

fn reads_table(node: &Node) -> bool {
    node.table.is_some() || node.inputs.iter().any(reads_table)
}

/// A statement that does nothing, in the place of what a condition decides about.
fn nothing(statement: &Statement) -> Statement {
    Statement { kind: StatementKind::Block(Vec::new()), span: statement.span, line: statement.line }
}

/// The table that a query creates.
fn into(body: &QueryBody) -> Option<&ObjectName> {
    match body {
        QueryBody::Select(select) => select.into.as_ref().map(|(name, _)| name),
        QueryBody::Set(first, ..) => into(first),
    }
}

/// The kind of a statement, as in the column Type.
fn kind_of(statement: &Statement, text: &str) -> String {
    let known = match &statement.kind {
        StatementKind::Select(query) if into(&query.body).is_some() => "SELECT INTO",
        StatementKind::Select(_) => "SELECT",
        StatementKind::If(_) | StatementKind::While(_) => "COND",
        StatementKind::SetVariable(_) | StatementKind::Declare(_) => "ASSIGN",
        StatementKind::DeclareCursor(..) => "DECLARE CURSOR",
        StatementKind::Execute(execute) => match &execute.module {
            ExecuteModule::Text(..) => "EXECUTE STRING",
            _ => "EXECUTE PROC",
        },
        StatementKind::Change(change) => crate::changes::change::word_of(change),
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let takes_two = ["CREATE", "ALTER", "DROP", "BEGIN", "COMMIT", "ROLLBACK"];
    let first = words.first().copied().unwrap_or_default().to_uppercase();
    match words.get(1) {
        Some(second) if takes_two.contains(&first.as_str()) => format!("{first} {}", second.to_uppercase()),
        _ => first.trim_end_matches(';').to_owned(),
    }
}
