//! Nested loops over indexes.

use crate::access::Access;
use crate::aggregate::Groups;
use crate::block::SortKey;
use crate::buffer::Buffer;
use crate::expression::{Current, Expression, MAX_SOURCES, compare};
use crate::plan::{Plan, Step};
use crate::subquery::Answers;
use crate::whole::Whole;
use bumpalo::Bump;
use mainstay_store::index::{Cursor, Direction};
use mainstay_store::key::Ends;
use mainstay_store::{Reader, Version, View};
use mainstay_types::{Code, Error, Result, Value, ValueRef};
use std::cmp::Ordering;
use std::ops::{Bound, ControlFlow};

/// Versions that a run looks at before it leaves the statement to the batch executor.
const VISITS: usize = 4_096;

/// The same where functions are slow.
const SLOW_VISITS: usize = 512;

/// The number of columns of an index that take part in a search.
const KEY_COLUMNS: usize = 16;

/// The outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The answer is in the buffer.
    Done,
    /// It would look at so many rows that the batch executor is faster.
    TooMany,
    /// A parameter is not exactly of the type that the statement gives it.
    OtherTypes,
    /// A calculation failed. It is for the batch executor to say how, so that a mistake reads the same whichever
    /// executor meets it.
    Failed,
}

/// Scratch memory that runs reuse: buffers for keys.
#[derive(Debug, Default)]
pub struct Scratch {
    probes: Vec<Probe>,
    reads: Vec<Reads>,
}

impl Scratch {
    /// The reads of the last run per table, in the order of [`Plan::all_tables`]. Subqueries are not counted.
    pub fn reads(&self) -> &[Reads] {
        &self.reads
    }
}

/// The reads of one table by a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    /// The number of scans begun, of a range of an index or of the whole table. Looking up one key is no scan.
    pub scans: u32,
    /// Rows that were fetched by an index, and groups that were read from one end to the other.
    pub reads: u32,
}

impl Reads {
    /// The whole table is read.
    fn add_scan(&mut self, reader: &Reader<'_>) {
        self.scans += 1;
        self.reads += u32::try_from(reader.directory().groups().len()).unwrap_or(u32::MAX);
    }
}

#[derive(Debug)]
struct Probe {
    low: Vec<u8>,
    high: Vec<u8>,
    cursor: Cursor,
}

impl Default for Probe {
    fn default() -> Probe {
        Probe { low: Vec::new(), high: Vec::new(), cursor: Cursor::new(&[], None, Direction::Ascending) }
    }
}

impl Plan {
    /// Runs the block as `view` sees its tables, and fills the buffer.
    ///
    /// The buffer counts only when the run is [`Outcome::Done`]. Errors: `Internal`.
    pub fn run(
        &self,
        view: View,
        parameters: &[ValueRef<'_>],
        scratch: &mut Scratch,
        buffer: &mut Buffer,
    ) -> Result<Outcome> {
        if parameters.len() != self.block.parameters.len() {
            return Ok(Outcome::OtherTypes);
        }
        let mut exact = [ValueRef::Null; KEY_COLUMNS];
        let Some(exact) = exact.get_mut(..parameters.len()) else { return Ok(Outcome::OtherTypes) };
        for ((slot, value), declared) in exact.iter_mut().zip(parameters).zip(&self.block.parameters) {
            let Some(value) = declared.exact(*value) else { return Ok(Outcome::OtherTypes) };
            *slot = value;
        }
        self.run_exact(view, exact, scratch, buffer)
    }

    /// [`Plan::run`] with parameters that are exactly of the statement's types.
    pub(crate) fn run_exact(
        &self,
        view: View,
        exact: &[ValueRef<'_>],
        scratch: &mut Scratch,
        buffer: &mut Buffer,
    ) -> Result<Outcome> {
        if self.patience.is_lost() {
            return Ok(Outcome::TooMany);
        }
        let by_kernels = match self.by_kernels() {
            None => None,
            Some((whole, table)) => match whole.run(table, view) {
                Ok(Some(results)) => Some(results),
                Ok(None) => {
                    self.patience.lose();
                    return Ok(Outcome::TooMany);
                }
                Err(error) if is_mistake(&error) => return Ok(Outcome::Failed),
                Err(error) => return Err(error),
            },
        };
        let readers: Vec<Reader<'_>> = self.tables.iter().map(|table| table.reader(view)).collect();
        scratch.reads.clear();
        scratch.reads.resize(readers.len(), Reads::default());
        if by_kernels.is_some()
            && let (Some(reads), Some(reader)) = (scratch.reads.first_mut(), readers.first())
        {
            reads.add_scan(reader);
        }
        scratch.probes.resize_with(self.steps.len().max(scratch.probes.len()), Probe::default);
        let (sorts, texts) = (self.sorts(), Bump::new());
        let answers = self.has_subqueries().then(|| Answers::new(view));
        let current = || {
            let current = Current::new(&self.widths, exact, &texts);
            answers.as_ref().map_or(current, |answers| current.with_answers(answers))
        };
        match &self.stored {
            Some(columns) if !sorts => buffer.clear_for(columns),
            _ => buffer.clear(self.cells(sorts)),
        }
        let fetch = match &self.block.fetch_by {
            None => self.block.fetch,
            Some(rows) => match rows.value(&current(), &[]) {
                Ok(ValueRef::Integer(rows)) if rows >= 0 => Some(rows as usize),
                Err(error) if !is_mistake(&error) => return Err(error),
                _ => return Ok(Outcome::Failed),
            },
        };
        let mut run = Run {
            plan: self,
            readers: &readers,
            current: current(),
            groups: self.block.aggregate.as_ref().map(Groups::new),
            buffer,
            probes: &mut scratch.probes,
            reads: &mut scratch.reads,
            visits: 0,
            sorts,
            skip: if sorts { 0 } else { self.block.skip },
            fetch: if sorts { None } else { fetch },
        };
        let outcome = match &by_kernels {
            Some(results) => run.results(results),
            None => run.whole(),
        };
        let visits = run.visits;
        if visits > self.visits() {
            self.patience.lose();
            return Ok(Outcome::TooMany);
        }
        match outcome {
            Err(error) if is_mistake(&error) => return Ok(Outcome::Failed),
            outcome => outcome?,
        }
        self.patience.keep();
        if sorts {
            match self.sort(buffer, &current(), fetch) {
                Err(error) if is_mistake(&error) => return Ok(Outcome::Failed),
                sorted => sorted?,
            }
        }
        Ok(Outcome::Done)
    }

    /// The number of versions that a run may visit.
    fn visits(&self) -> usize {
        if self.block.is_slow { SLOW_VISITS } else { VISITS }
    }

    /// The number of cells of a row in the buffer while it is filled: the answer's, then those of orders.
    fn cells(&self, sorts: bool) -> usize {
        let keys = if sorts { self.block.order.len() } else { 0 };
        self.block.output.len() + keys + self.block.numbered.as_ref().map_or(0, |numbered| numbered.keys.len())
    }

    /// Brings the rows into their order, and leaves out those that are not chosen.
    fn sort<'r>(&'r self, buffer: &mut Buffer, current: &Current<'r>, fetch: Option<usize>) -> Result<()> {
        let width = self.block.output.len();
        let mut order: Vec<u32> = (0..buffer.len() as u32).collect();
        if let Some(numbered) = &self.block.numbered {
            sort_by(&mut order, buffer, width + self.block.order.len(), &numbered.keys);
            let count = order.len() as i64;
            let mut chosen = Vec::with_capacity(order.len());
            for (row, number) in order.iter().zip(1i64..) {
                let results = [ValueRef::Integer(number), ValueRef::Integer(count)];
                let mut is_chosen = true;
                for condition in &numbered.conditions {
                    is_chosen &= condition.truth(current, &results)? == Some(true);
                }
                if is_chosen {
                    chosen.push(*row);
                }
            }
            order = chosen;
        }
        sort_by(&mut order, buffer, width, &self.block.order);
        let end = fetch.map_or(order.len(), |fetch| self.block.skip.saturating_add(fetch).min(order.len()));
        order.truncate(end);
        order.drain(..self.block.skip.min(order.len()));
        buffer.set_order(order);
        Ok(())
    }
}

/// Sorts rows of the buffer by keys whose cells begin at this place; rows of the same keys stay in their order.
fn sort_by(rows: &mut [u32], buffer: &Buffer, first: usize, keys: &[SortKey]) {
    if keys.is_empty() {
        return;
    }
    rows.sort_by(|a, b| {
        let of = |row: &u32, key: usize| buffer.cell(*row as usize, first + key);
        let keys = keys.iter().enumerate();
        keys.map(|(number, key)| {
            let (left, right) = (of(a, number), of(b, number));
            match (left.is_null(), right.is_null()) {
                (true, true) => Ordering::Equal,
                (true, false) if key.nulls_first => Ordering::Less,
                (true, false) => Ordering::Greater,
                (false, true) if key.nulls_first => Ordering::Greater,
                (false, true) => Ordering::Less,
                (false, false) => {
                    // Of one column, so of one kind.
                    let order = compare(left, right).ok().flatten().unwrap_or(Ordering::Equal);
                    if key.descending { order.reverse() } else { order }
                }
            }
        })
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
    });
}

/// Returns true if a calculation failed, of which the batch executor tells.
fn is_mistake(error: &Error) -> bool {
    matches!(error.code(), Code::InvalidValue | Code::DivisionByZero)
}

/// Returns true if an index takes a value as comparisons do: of the kinds that [`Step::residual`] is made for.
fn is_exact(value: ValueRef<'_>) -> bool {
    matches!(value, ValueRef::Integer(_) | ValueRef::Date(_))
}

struct Run<'r> {
    plan: &'r Plan,
    /// By the places of their tables.
    readers: &'r [Reader<'r>],
    current: Current<'r>,
    groups: Option<Groups<'r>>,
    buffer: &'r mut Buffer,
    probes: &'r mut Vec<Probe>,
    /// By the places of their tables.
    reads: &'r mut [Reads],
    visits: usize,
    /// True if rows are brought into their order when all are there.
    sorts: bool,
    skip: usize,
    /// Rows that are still wanted.
    fetch: Option<usize>,
}

impl<'r> Run<'r> {
    fn whole(&mut self) -> Result<()> {
        if self.fetch != Some(0) && self.all(&self.plan.before)? {
            match self.plan.in_one_group() {
                Some(whole) => self.walk(whole)?,
                None => {
                    let _ = self.step(0)?;
                }
            }
        }
        let Some(groups) = self.groups.take() else { return Ok(()) };
        groups.finish(|results| self.group(results))
    }

    /// All rows of a table in one group, whose arguments are columns: no expression is looked at.
    fn walk(&mut self, whole: &'r Whole) -> Result<()> {
        let (Some(reader), Some(groups)) = (self.readers.first(), &mut self.groups) else { return Ok(()) };
        let (visits, most) = (&mut self.visits, self.plan.visits());
        if let Some(reads) = self.reads.first_mut() {
            reads.add_scan(reader);
        }
        for seen in reader.groups() {
            *visits += seen.count();
            if *visits > most {
                break;
            }
            seen.group.load()?;
            groups.add_seen(&seen, |call| seen.group.columns().get(whole.argument(call)))?;
        }
        Ok(())
    }

    /// The groups that the kernels have made.
    fn results(&mut self, all: &'r [Vec<Value>]) -> Result<()> {
        let mut results = Vec::new();
        for values in all {
            results.clear();
            results.extend(values.iter().map(Value::as_ref));
            self.group(&results)?;
        }
        Ok(())
    }

    /// The results of one group.
    fn group(&mut self, results: &[ValueRef<'r>]) -> Result<()> {
        for condition in &self.plan.block.having {
            if condition.truth(&self.current, results)? != Some(true) {
                return Ok(());
            }
        }
        self.emit(results).map(|_| ())
    }

    fn all(&self, conditions: &'r [Expression]) -> Result<bool> {
        for condition in conditions {
            if condition.truth(&self.current, &[])? != Some(true) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The loop of a step, and those inside of it.
    fn step(&mut self, depth: usize) -> Result<ControlFlow<()>> {
        let plan = self.plan;
        let Some(step) = plan.steps.get(depth) else { return self.row() };
        let mut has_partner = false;
        let flow = match &step.access {
            Some(access) => self.look_up(depth, step, access, &mut has_partner)?,
            None => self.scan(depth, step, &mut has_partner)?,
        };
        if let Some(wanted) = step.existence {
            self.current.rows[step.source] = None;
            if self.visits > plan.visits() {
                return Ok(ControlFlow::Break(()));
            }
            return match has_partner == wanted && self.all(&step.conditions)? {
                true => self.step(depth + 1),
                false => Ok(ControlFlow::Continue(())),
            };
        }
        if flow.is_break() || step.partner.is_none() || has_partner {
            return Ok(flow);
        }
        self.current.rows[step.source] = None;
        match self.all(&step.conditions)? {
            true => self.step(depth + 1),
            false => Ok(ControlFlow::Continue(())),
        }
    }

    fn scan(&mut self, depth: usize, step: &'r Step, has_partner: &mut bool) -> Result<ControlFlow<()>> {
        let reader = &self.readers[step.source];
        self.reads[step.source].add_scan(reader);
        let mut flow = ControlFlow::Continue(());
        reader.for_each(&mut |version| {
            flow = self.visit((depth, step), version, &step.conditions, has_partner)?;
            Ok(flow)
        })?;
        Ok(flow)
    }

    fn look_up(
        &mut self,
        depth: usize,
        step: &'r Step,
        access: &'r Access,
        has_partner: &mut bool,
    ) -> Result<ControlFlow<()>> {
        let reader = &self.readers[step.source];
        let mut values = [ValueRef::Null; KEY_COLUMNS];
        let Some(equal) = values.get_mut(..access.equal.len()) else { return self.scan(depth, step, has_partner) };
        for (slot, expression) in equal.iter_mut().zip(&access.equal) {
            *slot = expression.value(&self.current, &[])?;
            if slot.is_null() {
                // Nothing equals NULL.
                return Ok(ControlFlow::Continue(()));
            }
        }
        let equal = &*equal;
        let conditions = match &step.residual {
            Some(residual) if equal.iter().all(|value| is_exact(*value)) => residual,
            _ => &step.conditions,
        };
        // A key that is not there was looked for, too.
        self.reads[step.source].reads += u32::from(access.is_point);
        // Taken out while the loop runs; the loops inside have others.
        let mut probe = std::mem::take(&mut self.probes[depth]);
        let flow = match access.is_point {
            true => match reader.get_with(access.index, equal, &mut probe.low) {
                Ok(Some(version)) => self.visit((depth, step), version, conditions, has_partner),
                Ok(None) => Ok(ControlFlow::Continue(())),
                // The column cannot hold the value, so it does not equal it.
                Err(error) if error.code() == Code::InvalidValue => Ok(ControlFlow::Continue(())),
                Err(error) => Err(error),
            },
            false => self.range((depth, step), (access, equal), conditions, &mut probe, has_partner),
        };
        self.probes[depth] = probe;
        flow
    }

    fn range(
        &mut self,
        (depth, step): (usize, &'r Step),
        (access, equal): (&'r Access, &[ValueRef<'r>]),
        mut conditions: &'r [Expression],
        probe: &mut Probe,
        has_partner: &mut bool,
    ) -> Result<ControlFlow<()>> {
        let reader = &self.readers[step.source];
        let end = |of: &'r Option<(Expression, bool)>| -> Result<Bound<ValueRef<'r>>> {
            Ok(match of {
                None => Bound::Unbounded,
                Some((expression, true)) => Bound::Included(expression.value(&self.current, &[])?),
                Some((expression, false)) => Bound::Excluded(expression.value(&self.current, &[])?),
            })
        };
        let (from, to) = (end(&access.from)?, end(&access.to)?);
        let is_exact_bound = |bound: &Bound<ValueRef<'_>>| match bound {
            Bound::Included(value) | Bound::Excluded(value) => is_exact(*value),
            Bound::Unbounded => true,
        };
        if !(is_exact_bound(&from) && is_exact_bound(&to)) {
            conditions = &step.conditions;
        }
        let indexes = reader.directory().indexes();
        let Some(index) = indexes.get(access.index) else { return self.scan(depth, step, has_partner) };
        let encoder = index.encoder();
        let Probe { low, high, cursor } = probe;
        let ends = match encoder.range_into(equal, from, to, (low, high)) {
            // A bound that the column cannot hold: without it the range is only longer.
            Err(error) if error.code() == Code::InvalidValue => {
                conditions = &step.conditions;
                encoder.range_into(equal, Bound::Unbounded, Bound::Unbounded, (low, high))
            }
            ends => ends,
        };
        let high = match ends {
            Ok(Ends::Empty) => return Ok(ControlFlow::Continue(())),
            Err(error) if error.code() == Code::InvalidValue => return Ok(ControlFlow::Continue(())),
            Err(error) => return Err(error),
            Ok(Ends::Bounded) => Some(high.as_slice()),
            Ok(Ends::Open) => None,
        };
        cursor.reset(low, high, access.direction);
        self.reads[step.source].scans += 1;
        let mut flow = ControlFlow::Continue(());
        reader.scan_with(cursor, access.index, true, &mut |version| {
            self.reads[step.source].reads += 1;
            flow = self.visit((depth, step), version, conditions, has_partner)?;
            Ok(flow)
        })?;
        Ok(flow)
    }

    /// A row of a step, with the conditions that are left to be looked at.
    fn visit(
        &mut self,
        (depth, step): (usize, &'r Step),
        version: Version<'r>,
        conditions: &'r [Expression],
        has_partner: &mut bool,
    ) -> Result<ControlFlow<()>> {
        self.visits += 1;
        if self.visits > self.plan.visits() {
            return Ok(ControlFlow::Break(()));
        }
        self.current.rows[step.source] = Some(version);
        if let Some(partner) = &step.partner {
            if !self.all(partner)? {
                return Ok(ControlFlow::Continue(()));
            }
            *has_partner = true;
            if step.existence.is_some() {
                return Ok(ControlFlow::Break(()));
            }
        }
        match self.all(conditions)? {
            true => self.step(depth + 1),
            false => Ok(ControlFlow::Continue(())),
        }
    }

    /// All tables have a row.
    fn row(&mut self) -> Result<ControlFlow<()>> {
        match &mut self.groups {
            Some(groups) => groups.add(&self.current).map(ControlFlow::Continue),
            None => self.emit(&[]),
        }
    }

    /// Writes a row of the answer.
    fn emit(&mut self, results: &[ValueRef<'r>]) -> Result<ControlFlow<()>> {
        if self.skip > 0 {
            self.skip -= 1;
            return Ok(ControlFlow::Continue(()));
        }
        if self.fetch == Some(0) {
            return Ok(ControlFlow::Break(()));
        }
        let block = &self.plan.block;
        if let (Some(_), Some(version), false) = (&self.plan.stored, &self.current.rows[0], self.sorts) {
            self.buffer.push_stored(version.group, version.offset);
            return Ok(self.count_out());
        }
        for expression in &block.output {
            self.buffer.push(expression.value(&self.current, results)?);
        }
        if self.sorts {
            for key in &block.order {
                self.buffer.push(key.expression.value(&self.current, results)?);
            }
        }
        for key in block.numbered.iter().flat_map(|numbered| &numbered.keys) {
            self.buffer.push(key.expression.value(&self.current, results)?);
        }
        Ok(self.count_out())
    }

    /// One of the rows that are wanted is there.
    fn count_out(&mut self) -> ControlFlow<()> {
        match &mut self.fetch {
            Some(1) => {
                self.fetch = Some(0);
                ControlFlow::Break(())
            }
            Some(left) => {
                *left -= 1;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Continue(()),
        }
    }
}

const _: () = assert!(MAX_SOURCES <= u32::BITS as usize);
