//! The join order of a block's tables, and the place where each condition is evaluated.

use crate::access::{Access, Turn, has_results};
use crate::block::Block;
use crate::expression::{Expression, MAX_SOURCES};
use crate::subquery::Subquery;
use crate::whole::{FEW, Whole};
use mainstay_columnar::Table;
use mainstay_store::{NativeTable, Shown};
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A table of at most so many rows may be read from one end to the other.
const SMALL: usize = 2_048;

/// The same for each row of the tables before it.
const TINY: usize = 64;

/// A table of at most so many rows is read from one end to the other as fast as the batch executor begins.
const BRIEF: usize = 256;

/// A block in the form in which it is run. Belongs to one state of the catalog.
#[derive(Debug)]
pub struct Plan {
    pub(crate) block: Block,
    pub(crate) tables: Vec<Arc<NativeTable>>,
    /// The same, and behind them those of subqueries.
    all_tables: Vec<Arc<NativeTable>>,
    subqueries: Vec<Subquery>,
    /// The number of columns of each table, without the hidden ones.
    pub(crate) widths: Vec<usize>,
    pub(crate) steps: Vec<Step>,
    /// Conditions that look at no table.
    pub(crate) before: Vec<Expression>,
    /// True if rows come in the order of the answer.
    pub(crate) is_ordered: bool,
    /// True if the only table is read from one end to the other for an answer in the order of its row ids: there is
    /// nothing to sort as long as no change has moved a row.
    pub(crate) is_by_row: bool,
    /// The plan of the vector kernels, for a table of more than a few rows.
    pub(crate) whole: Option<Whole>,
    /// The columns of the only table that are the answer as they are stored, in the order in which rows are met.
    pub(crate) stored: Option<Vec<usize>>,
    pub(crate) patience: Patience,
}

/// One of the nested loops.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) source: usize,
    pub(crate) access: Option<Access>,
    /// For the right side of an outer join, and where a partner has to be there or not: what makes a row one.
    pub(crate) partner: Option<Vec<Expression>>,
    /// Tests whose rows stay with or without a partner, where nothing else is asked of partners.
    pub(crate) existence: Option<bool>,
    /// The conditions that can be evaluated when this table has a row.
    pub(crate) conditions: Vec<Expression>,
    /// Those of them that a range of the index leaves open when all its bounds are whole numbers or dates; `None` where it
    /// leaves all open.
    pub(crate) residual: Option<Vec<Expression>>,
}

impl Step {
    /// See [`Step::residual`].
    fn left_open(&self, table: &NativeTable) -> Option<Vec<Expression>> {
        let access = self.access.as_ref().filter(|_| self.partner.is_none())?;
        let indexes = table.indexes();
        let columns = indexes.get(access.index)?.definition().column_numbers();
        let is_settled = |condition: &Expression| access.settles(condition, (table, self.source), &columns);
        let open: Vec<Expression> = self.conditions.iter().filter(|it| !is_settled(it)).cloned().collect();
        (open.len() < self.conditions.len()).then_some(open)
    }
}

impl Plan {
    /// The plan of a block; `None` for what the row executor does not do, or would do slower than the batch executor: a
    /// table that is no native one, a join without an index, a large table without a condition on an index.
    pub fn of(block: Block) -> Option<Plan> {
        if block.output.is_empty() || block.sources.len() > MAX_SOURCES {
            return None;
        }
        if let Some(numbered) = &block.numbered {
            // Rows are written down before they have their numbers.
            let keys = block.order.iter().chain(&numbered.keys).map(|key| &key.expression);
            if block.aggregate.is_some() || block.output.iter().chain(keys).any(has_results) {
                return None;
            }
        }
        let tables: Vec<Arc<NativeTable>> =
            block.sources.iter().map(|source| native(&source.table)).collect::<Option<_>>()?;
        let widths = tables.iter().map(|table| table.types().len()).collect();
        let whole = Whole::of(&block, &tables);
        let subqueries = block.subqueries();
        let mut all_tables: Vec<Arc<NativeTable>> = tables.clone();
        all_tables.extend(subqueries.iter().flat_map(Subquery::tables).cloned());
        let mut plan = Plan {
            all_tables,
            subqueries,
            is_ordered: block.order.is_empty(),
            is_by_row: false,
            block,
            tables,
            widths,
            steps: Vec::new(),
            before: Vec::new(),
            whole,
            stored: None,
            patience: Patience::default(),
        };
        match plan.join() {
            Some(()) => plan.place(),
            None if plan.whole.is_some() => {}
            None => return None,
        }
        plan.is_ordered &= plan.block.numbered.is_none();
        plan.is_by_row &= plan.block.numbered.is_none();
        plan.stored = plan.stored_columns();
        Some(plan)
    }

    /// See [`Plan::stored`].
    fn stored_columns(&self) -> Option<Vec<usize>> {
        let is_as_met = self.is_ordered || self.is_by_row;
        let ([step], true, None) = (self.steps.as_slice(), is_as_met, &self.block.aggregate) else { return None };
        let (width, None) = (self.widths.first()?, &step.partner) else { return None };
        let column = |expression: &Expression| match expression {
            Expression::Column { column, .. } if column < width => Some(*column),
            _ => None,
        };
        self.block.output.iter().map(column).collect()
    }

    /// Returns true if it looks at few rows as far as its tables and their indexes tell: each by an index, the first
    /// ones, or all of a small table.
    pub fn is_brief(&self) -> bool {
        if !self.subqueries.iter().all(|subquery| subquery.plan().is_brief()) {
            return false;
        }
        let rows = if self.block.is_slow { BRIEF / 8 } else { BRIEF };
        let is_small = |step: &Step| self.tables.get(step.source).is_some_and(|it| it.estimated_rows() <= rows);
        let ends_early = self.block.fetch.is_some() && !self.sorts() && self.block.aggregate.is_none();
        let mut steps = self.steps.iter().enumerate();
        self.by_kernels().is_none()
            && steps.all(|(place, step)| step.access.is_some() || is_small(step) || (place == 0 && ends_early))
    }

    /// Returns true if a run of now has to sort what it finds.
    pub(crate) fn sorts(&self) -> bool {
        let is_in_row_order = || self.tables.first().is_some_and(|table| table.directory().is_in_row_order());
        !(self.is_ordered || self.is_by_row && is_in_row_order())
    }

    /// Its loops from the outside in: each table, and the index that gives its rows.
    pub fn describe(&self) -> String {
        let loops = self.steps.iter().filter_map(|step| {
            let table = self.tables.get(step.source)?;
            let name = &table.definition().name;
            Some(match &step.access {
                Some(access) => {
                    let indexes = table.indexes();
                    format!("{name} by {}", indexes.get(access.index)?.definition().name)
                }
                None => format!("all of {name}"),
            })
        });
        let mut parts: Vec<String> = match self.by_kernels() {
            Some((_, table)) => vec![format!("all of {} by vectors", table.definition().name)],
            None => loops.collect(),
        };
        parts.extend(self.subqueries.iter().map(|subquery| subquery.plan().describe()).filter(|it| !it.is_empty()));
        parts.join(", ")
    }

    /// Gives no more rows than this.
    pub fn fetch_at_most(&mut self, rows: usize) {
        self.block.fetch = Some(self.block.fetch.map_or(rows, |known| known.min(rows)));
    }

    /// The kernels, where they are to run it: without a loop to do it, or over many rows.
    pub(crate) fn by_kernels(&self) -> Option<(&Whole, &Arc<NativeTable>)> {
        let (whole, table) = (self.whole.as_ref()?, self.tables.first()?);
        (self.steps.is_empty() || table.estimated_rows() > FEW).then_some((whole, table))
    }

    /// The aggregates over all rows of a table together, of plain columns.
    pub(crate) fn in_one_group(&self) -> Option<&Whole> {
        let has_keys = self.block.aggregate.as_ref().is_some_and(|aggregate| !aggregate.keys.is_empty());
        self.whole.as_ref().filter(|_| !has_keys)
    }

    /// The same plan over other tables, of the same definitions but for their numbers: `table` gives each one's.
    /// `None` where it gives none, and for a plan with subqueries.
    pub fn rebind(&mut self, table: impl Fn(&Arc<NativeTable>) -> Option<Arc<NativeTable>>) -> Option<()> {
        if !self.subqueries.is_empty() {
            return None;
        }
        let tables: Vec<Arc<NativeTable>> = self.tables.iter().map(table).collect::<Option<_>>()?;
        for (source, table) in self.block.sources.iter_mut().zip(&tables) {
            source.table = Arc::new(Shown(Arc::clone(table)));
        }
        self.all_tables.clone_from(&tables);
        self.tables = tables;
        Some(())
    }

    /// True if expressions ask for the values of queries.
    pub(crate) fn has_subqueries(&self) -> bool {
        !self.subqueries.is_empty()
    }

    /// The native tables that it reads, each time one is named: those of its loops, then those of subqueries.
    pub fn all_tables(&self) -> &[Arc<NativeTable>] {
        &self.all_tables
    }

    /// Decides the order of the loops, and an index for each.
    fn join(&mut self) -> Option<()> {
        let block = &self.block;
        let has_outer = block.sources.iter().any(|source| source.role.is_outer());
        let is_existence = |source: &usize| block.sources[*source].role.existence().is_some();
        let conditions: Vec<&Expression> = block.conditions.iter().collect();
        let by_row = match (self.tables.as_slice(), block.order.as_slice()) {
            ([table], [key]) if block.aggregate.is_none() && block.numbered.is_none() => {
                Turn { table, source: 0, bound: 0, conditions: &[] }.is_row_id(key)
            }
            _ => false,
        };
        let mut bound = 0u32;
        let mut steps: Vec<Step> = Vec::new();
        while steps.len() < self.tables.len() {
            let is_open = |source: &usize| bound & 1 << *source == 0;
            // Partners that only have to be there, or not, are looked for when all other tables have a row.
            let only_existence = (0..self.tables.len()).filter(is_open).all(|source| is_existence(&source));
            let open = (0..self.tables.len()).filter(is_open);
            let open = open.filter(|source| has_outer || only_existence || !is_existence(source));
            // Tables of an outer join stay in their order.
            let open = open.take(if has_outer { 1 } else { usize::MAX });
            let turn = |source: usize| {
                let partner = block.sources[source].role.partner();
                let of_partner: Vec<&Expression> = partner.into_iter().flatten().collect();
                let conditions = if partner.is_some() { &of_partner } else { &conditions };
                let (table, conditions) = (self.tables[source].as_ref(), conditions.as_slice());
                Turn { table, source, bound, conditions }.best()
            };
            // The best index first; without one, the smallest table.
            let rated = open.map(|source| {
                let served = turn(source);
                let score = served.as_ref().map_or(0, |(score, _)| *score);
                (score, std::cmp::Reverse(self.tables[source].estimated_rows()), source, served)
            });
            let (_, std::cmp::Reverse(rows), source, served) = rated.max_by_key(|(score, rows, ..)| (*score, *rows))?;
            let access = served.map(|(_, access)| access);
            let is_first = steps.is_empty();
            let ends_early = block.numbered.is_none()
                && block.fetch.is_some()
                && (block.order.is_empty() || by_row)
                && block.aggregate.is_none();
            if access.is_none() && rows > if is_first { SMALL } else { TINY } && !(is_first && ends_early) {
                // An order may still give an index.
                if !is_first || block.order.is_empty() || block.fetch.is_none() || block.aggregate.is_some() {
                    return None;
                }
            }
            let role = &block.sources[source].role;
            let (partner, existence) = (role.partner().cloned(), role.existence());
            steps.push(Step { source, access, partner, existence, conditions: Vec::new(), residual: None });
            bound |= 1 << source;
        }
        self.is_ordered = block.order.is_empty();
        if let Some(first) = steps.first_mut()
            && !block.order.is_empty()
            && block.aggregate.is_none()
        {
            let (table, source) = (self.tables[first.source].as_ref(), first.source);
            let turn = Turn { table, source, bound: 0, conditions: &conditions };
            let is_needed = first.access.is_some() || block.fetch.is_some();
            if let Some(access) = turn.ordered(first.access.as_ref(), &block.order).filter(|_| is_needed) {
                first.access = Some(access);
                self.is_ordered = true;
            }
            self.is_by_row = by_row && first.access.is_none();
            let ends_early = self.is_by_row && block.fetch.is_some() && table.directory().is_in_row_order();
            if first.access.is_none() && table.estimated_rows() > SMALL && !ends_early {
                return None;
            }
        }
        self.steps = steps;
        Some(())
    }

    /// Puts each condition where all its tables have a row.
    fn place(&mut self) {
        let mut bound = 0u32;
        let mut waiting = self.block.conditions.clone();
        let mut take = |bound: u32| -> Vec<Expression> {
            let (ready, rest) = waiting.drain(..).partition(|condition| condition.sources() & !bound == 0);
            waiting = rest;
            ready
        };
        self.before = take(0);
        for step in &mut self.steps {
            bound |= 1 << step.source;
            step.conditions = take(bound);
            step.residual = self.tables.get(step.source).and_then(|table| step.left_open(table));
        }
    }
}

fn native(table: &Arc<dyn Table>) -> Option<Arc<NativeTable>> {
    let any: &dyn Any = table.as_ref();
    any.downcast_ref::<Shown>().map(|shown| Arc::clone(&shown.0))
}

/// The retries of a plan that met too many rows: after 1 run of the other executor, after 3, 7 ... 63.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    penalty: AtomicU32,
    waiting: AtomicU32,
}

impl Patience {
    /// Returns true if this run is the other executor's.
    pub(crate) fn is_lost(&self) -> bool {
        match self.waiting.load(Ordering::Relaxed) {
            0 => false,
            waiting => {
                self.waiting.store(waiting - 1, Ordering::Relaxed);
                true
            }
        }
    }

    /// It met too many rows.
    pub(crate) fn lose(&self) {
        let penalty = (self.penalty.load(Ordering::Relaxed) * 2 + 1).min(63);
        self.penalty.store(penalty, Ordering::Relaxed);
        self.waiting.store(penalty, Ordering::Relaxed);
    }

    /// It was done.
    pub(crate) fn keep(&self) {
        self.penalty.store(0, Ordering::Relaxed);
    }
}
