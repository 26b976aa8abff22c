//! Messages to clients beside the results of their statements: the state of their transaction, and the output of SET
//! STATISTICS. The counts of `plans::counters` are taken in the same places.
//!
//! **Transactions.** Drivers that commit for their programs follow these announcements, and not their own requests: an
//! error or a text may have ended the transaction that they began, and they begin the next one only when the end was
//! announced. A transaction that the server makes for a single statement is not announced, neither its beginning nor
//! its end.
//!
//! **Statistics.**
//!
//! ```text
//!   a statement begins    a clock is read if the run is to be timed, or if SET STATISTICS is on
//!   its end               counts, messages 3615 and 3612, the plan with its rows (PROFILE, XML)
//! ```
//!
//! Statements with a plan are counted, modules when they are left. The messages of a statement come before its DONE, so
//! that drivers return them with its result.
//!
//! Limits: functions and the statements that they run are not counted. The work of a statement's triggers is part of
//! it.

use crate::columns::{Column, Messages};
use crate::objects::modules::{Loaded, OF_SYSTEM};
use crate::plans::counters::{Counts, Kind, Run};
use crate::plans::listing::{Row, Shown, profile_columns, rows_of};
use crate::plans::measures::{compile_times, execution_times, table_reads};
use crate::plans::thread_clock::cpu_time;
use crate::plans::xml::document;
use crate::session::Inner;
use crate::session::unexecuted::{operators, send, tabled};
use crate::statements::runner::{Ran, Runner};
use mainstay_session::push::{Environment, Sink};
use mainstay_tsql_syntax::compile::{Action, HostStatement};
use mainstay_tsql_types::{DataType, Length};
use mainstay_types::Value;
use mainstay_vm::{Raised, StatementCall};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The number of the only transaction that a session can have.
const TRANSACTION: u64 = 1;

/// The transaction that the client knows of, and what it has yet to hear.
#[derive(Debug, Default)]
pub(crate) struct Announced {
    is_open: bool,
    untold: Vec<Environment>,
}

impl Announced {
    pub(crate) fn begun(&mut self) {
        self.is_open = true;
        self.untold.push(Environment::TransactionBegun(TRANSACTION));
    }

    pub(crate) fn committed(&mut self) {
        self.ended(Environment::TransactionCommitted(TRANSACTION));
    }

    pub(crate) fn rolled_back(&mut self) {
        self.ended(Environment::TransactionRolledBack(TRANSACTION));
    }

    fn ended(&mut self, how: Environment) {
        if std::mem::take(&mut self.is_open) {
            self.untold.push(how);
        }
    }

    /// Discards announcements that the client expects anyway.
    pub(crate) fn forget_untold(&mut self) {
        self.untold.clear();
    }
}

impl Inner {
    /// Tells the client what it has not heard yet.
    #[inline]
    pub(crate) fn announce(&mut self, sink: &mut dyn Sink) {
        // Every statement checks this, and hardly any has something to announce.
        if self.state.announced.untold.is_empty() {
            return;
        }
        self.state.announced.untold.drain(..).for_each(|change| sink.environment(&change));
    }
}

/// The beginning of a statement or of a module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun {
    started: Option<(Instant, Duration)>,
    reads: u64,
}

impl Begun {
    /// Begins now; the clocks are read if it is timed.
    #[inline]
    pub(crate) fn now(inner: &Inner, is_timed: bool) -> Begun {
        // The elapsed time is without the time that reading the other clock takes.
        let started = is_timed.then(cpu_time).map(|cpu| (Instant::now(), cpu));
        Begun { started, reads: inner.core.reads().total() }
    }

    fn times(&self) -> Option<(Duration, Duration)> {
        self.started.map(|(began, cpu)| (began.elapsed(), cpu_time().saturating_sub(cpu)))
    }

    /// The figures since the beginning.
    pub(crate) fn run(&self, inner: &Inner, rows: i64) -> Run {
        Run {
            times: self.times(),
            rows: u64::try_from(rows).unwrap_or(0),
            reads: inner.core.reads().total().saturating_sub(self.reads),
            at: inner.state.known_now(),
        }
    }
}

/// Returns true if a statement has a plan, and so counts.
#[inline]
pub(crate) fn has_plan(action: &Action) -> bool {
    matches!(
        action,
        Action::Query(_) | Action::Assign(..) | Action::Change(_) | Action::Value(..) | Action::Condition(_)
    )
}

/// Returns true if a statement is one of the text, and not a part that the compiler generated.
fn is_told(action: &Action) -> bool {
    !matches!(
        action,
        Action::Operation(_)
            | Action::Session(_)
            | Action::Catalog(_)
            | Action::ColumnUpdated(_)
            | Action::TableParameter(..)
            | Action::CursorParameter(_)
            | Action::Counted(_)
            | Action::BeginRow(_)
            | Action::AfterCall
            | Action::BeginCapture
            | Action::EndCapture(_)
    )
}

fn kind_of(loaded: &Loaded) -> Kind {
    match loaded.made_under {
        Some(_) => Kind::Module,
        None if loaded.module.parameters.is_empty() => Kind::Batch,
        None => Kind::Prepared,
    }
}

/// Returns true if runs of a text are counted: not those of system modules, nor of functions within queries.
fn counts_for(inner: &Inner, loaded: &Loaded) -> bool {
    inner.seat.is_some() && loaded.made_under != Some(OF_SYSTEM)
}

/// The counts of a statement.
fn of_statement<'l>(
    inner: &Inner,
    loaded: &'l Arc<Loaded>,
    number: usize,
    host: &HostStatement,
) -> Option<&'l Arc<Counts>> {
    if !counts_for(inner, loaded) {
        return None;
    }
    let span = (host.span.start as usize, host.span.end as usize);
    let (registry, now) = (&*inner.instance.counts, inner.state.known_now());
    loaded.counts.statement(number, (registry, &loaded.text, kind_of(loaded)), span, now)
}

fn of_module<'l>(inner: &Inner, loaded: &'l Arc<Loaded>) -> Option<&'l Arc<Counts>> {
    if !counts_for(inner, loaded) {
        return None;
    }
    loaded.counts.whole(&inner.instance.counts, &loaded.text, kind_of(loaded), inner.state.known_now())
}

/// A module begins.
pub(crate) fn begin_module(inner: &Inner, loaded: &Arc<Loaded>) -> Begun {
    let is_timed = inner.state.options.statistics.time || of_module(inner, loaded).is_some_and(|it| it.times_next());
    Begun::now(inner, is_timed)
}

/// A module has ended. EXEC is a statement with times of its own, after those of the statements of its procedure.
pub(crate) fn end_module(runner: &mut Runner<'_>, loaded: &Arc<Loaded>, begun: Begun) {
    if let Some(counts) = of_module(runner.inner, loaded) {
        counts.add(&begun.run(runner.inner, 0));
    }
    let is_trigger = runner.inner.state.levels.last().is_some_and(|level| level.trigger.is_some());
    let is_call = loaded.made_under.is_some() && !is_trigger && runner.silent == 0;
    if is_call
        && runner.inner.state.options.statistics.time
        && let Some((elapsed, cpu)) = begun.times()
    {
        runner.message(execution_times(cpu, elapsed));
    }
}

/// A statement begins while SET STATISTICS is on.
fn begin_told(runner: &Runner<'_>, action: &Action) -> Option<Begun> {
    (is_told(action) && runner.silent == 0).then(|| Begun::now(runner.inner, true))
}

/// Runs a statement of the host, counts it if it has a plan, and sends the output of SET STATISTICS.
pub(crate) fn run_measured(
    runner: &mut Runner<'_>,
    loaded: &Arc<Loaded>,
    number: usize,
    host: &HostStatement,
    call: &mut StatementCall<'_>,
) -> Ran {
    let is_watched = runner.inner.state.options.statistics.any();
    let counts = if has_plan(&host.action) { of_statement(runner.inner, loaded, number, host) } else { None };
    let begun = Begun::now(runner.inner, counts.is_some_and(|counts| counts.times_next()));
    let told = if is_watched { begin_told(runner, &host.action) } else { None };
    let outer = std::mem::replace(&mut runner.measured, told);
    let done = runner.run_hinted(loaded, number, host, call);
    if let Some(counts) = counts {
        counts.add(&begun.run(runner.inner, runner.inner.state.row_count));
    }
    tell(runner);
    runner.measured = outer;
    if is_watched && done.is_ok() {
        show_profile(runner, loaded, number, host, call)?;
    }
    done
}

/// Tells what the statement that runs has read and how long it took, once.
pub(crate) fn tell(runner: &mut Runner<'_>) {
    let Some(begun) = runner.measured.take() else { return };
    let statistics = runner.inner.state.options.statistics;
    if statistics.io {
        let reads = runner.inner.core.reads().take();
        for of_table in reads.iter().filter(|of_table| !of_table.table.starts_with("mainstay_")) {
            let name = shown_name(runner.inner, &of_table.table);
            runner.message(table_reads(&name, of_table));
        }
    }
    if let (true, Some((elapsed, cpu))) = (statistics.time, begun.times()) {
        runner.message(execution_times(cpu, elapsed));
    }
}

/// The name of a table as its statement has it: of a temporary one without what makes it unique.
fn shown_name(inner: &Inner, core: &str) -> String {
    let mut levels = inner.state.levels.iter().flat_map(|level| &level.tables);
    let own = levels.find(|(_, table)| table.core.eq_ignore_ascii_case(core)).map(|(name, _)| name.clone());
    own.unwrap_or_else(|| core.strip_prefix("#sys.").unwrap_or(core).to_owned())
}

/// Shows the plan of a statement that has run, with the rows that it gave (STATISTICS PROFILE and XML).
///
/// Errors: those of planning it again.
fn show_profile(
    runner: &mut Runner<'_>,
    loaded: &Arc<Loaded>,
    number: usize,
    host: &HostStatement,
    call: &mut StatementCall<'_>,
) -> Result<(), Box<Raised>> {
    let statistics = runner.inner.state.options.statistics;
    let is_shown = matches!(host.action, Action::Query(_) | Action::Change(_) | Action::Assign(..));
    if !is_shown || runner.silent > 0 || !runner.inner.state.captured.is_empty() {
        return Ok(());
    }
    let Some(mut plan) = runner.take_plan(loaded, number) else { return Ok(()) };
    let planned = runner.values(&mut plan, host, call).and_then(|values| operators(runner, &mut plan, &values));
    runner.put_plan(loaded, number, plan);
    let (rows, kind) = (Some(runner.inner.state.row_count), runner.kind());
    let word = host.text.split_whitespace().next().unwrap_or_default().to_uppercase();
    let shown = [Shown { text: host.text.to_string(), kind: word, plans: vec![planned?], rows, ..Shown::default() }];
    if statistics.profile {
        let rows = tabled(runner, |tables| rows_of(&shown, 1, tables))?;
        send(runner, &profile_columns(), rows.iter().map(Row::profile_cells).collect(), kind)?;
    }
    if statistics.xml {
        let text = tabled(runner, |tables| document(&shown, tables))?;
        let column = Column::new("Microsoft SQL Server 2005 XML Showplan", DataType::NVarChar(Length::Max));
        send(runner, &[column], vec![vec![Value::Text(text)]], kind)?;
    }
    Ok(())
}

/// A compiled text, with a message of the time that this took if SET STATISTICS TIME is on.
///
/// Errors: those of compiling it.
pub(crate) fn timed_text(
    inner: &mut Inner,
    text: &str,
    sink: &mut dyn Sink,
) -> Result<Arc<Loaded>, Vec<mainstay_tsql_types::Message>> {
    let begun = inner.state.options.statistics.time.then(Request::now);
    let loaded = inner.text(text, "");
    if let Some((elapsed, cpu)) = begun.map(|begun| begun.times()) {
        sink.tell(&compile_times(cpu, elapsed));
    }
    loaded
}

/// The time of a request, for others to see.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) began: Instant,
    pub(crate) cpu: Duration,
}

impl Request {
    pub(crate) fn now() -> Request {
        Request { began: Instant::now(), cpu: cpu_time() }
    }

    /// Elapsed time and CPU time since.
    pub(crate) fn times(&self) -> (Duration, Duration) {
        (self.began.elapsed(), cpu_time().saturating_sub(self.cpu))
    }
}
