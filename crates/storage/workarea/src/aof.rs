//! Optimized filters (AOF, Rushmore): conditions that are answered by indexes as far as possible.
//!
//! ```text
//!   TAG = 'AAAA' .AND. AMT > 100      both indexed: two bitmaps, intersected         Full
//!   TAG = 'AAAA' .AND. NAME $ 'xyz'   one bitmap; the rest is asked of its records    Part
//!   NAME $ 'xyz'                      every record is asked                            None
//! ```
//! An open order answers a comparison if its key expression is the compared expression (`UPPER(NAME)` with a tag on
//! `UPPER(NAME)`), in any spelling, and if it lists every record. A text beyond ASCII is sought in capitals only where
//! those of the tag are those of the condition. The result is a superset: the whole condition is evaluated for every
//! remaining record when the area moves to it, so a record that another program changed is not shown by mistake. A
//! record that *begins* to fulfil the condition by another program's change is shown after [`Area::refresh_aof`], or
//! after a move to the top or bottom detects the change of the index.
//!
//! Records can be added and removed by hand ([`Area::customize_aof`]); this overrides the condition.

use crate::area::Area;
use crate::bits::Bits;
use crate::order::Order;
use crate::seek::{Sought, sought};
use crate::test::{Run, Test};
use crate::value::SeekKey;
use crate::words::SearchedWords;
use mainstay_types::{Code, Error, Result};
use mainstay_xbase::expr::{Condition, Constant, Expression, Relation, Scratch};
use mainstay_xbase::keys::Letters;
use mainstay_xbase::lock::ReadingLock;
use std::collections::HashMap;
use std::ops::{Bound, ControlFlow};

/// The extent to which the indexes answer a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimized {
    /// All of it (`ADS_OPTIMIZED_FULL`).
    Full,
    /// Some of it, and the rest is asked of the records that are left (`ADS_OPTIMIZED_PART`).
    Part,
    /// Nothing: every record is asked (`ADS_OPTIMIZED_NONE`).
    None,
}

/// A change of an AOF for single records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Customize {
    /// They are shown.
    Add,
    /// They are not.
    Remove,
    /// Those that are shown are not any more, and the other way round.
    Toggle,
}

/// The AOF of an area.
#[derive(Debug)]
pub(crate) struct Aof {
    text: String,
    test: Test,
    level: Optimized,
    /// The records that may pass; those behind its end may, too.
    candidates: Option<Bits>,
    /// Records that the program added or removed.
    by_hand: HashMap<u32, bool>,
    /// The states of the index files that the candidates are from: numbers and versions.
    of: Vec<(u32, u64)>,
}

impl Aof {
    /// Returns true if a record is shown.
    #[inline]
    pub(crate) fn shows(&self, scratch: &mut Scratch, recno: u32, record: &[u8]) -> Result<bool> {
        if !self.by_hand.is_empty()
            && let Some(shown) = self.by_hand.get(&recno)
        {
            return Ok(*shown);
        }
        if let Some(candidates) = &self.candidates
            && candidates.get(recno as usize - 1) == Some(false)
        {
            return Ok(false);
        }
        self.test.passes(scratch, recno, record)
    }

    /// The first record from `from` on, or back from it, that may be shown.
    #[inline]
    pub(crate) fn next_candidate(&self, from: u32, forward: bool) -> Option<u32> {
        let Some(candidates) = &self.candidates else { return Some(from) };
        let at = from.checked_sub(1)? as usize;
        if at >= candidates.len() {
            return Some(from);
        }
        let found =
            if forward { Some(candidates.next(at).unwrap_or(candidates.len())) } else { candidates.previous(at) };
        found.map(|at| at as u32 + 1)
    }

    /// The records of a run that may be shown, the run's first one first.
    pub(crate) fn candidates_of(&self, first: u32, count: usize) -> Bits {
        match &self.candidates {
            Some(candidates) => candidates.part(first as usize - 1, count),
            None => Bits::filled(count, true),
        }
    }

    /// Takes those of these records out that are not shown.
    pub(crate) fn narrow(&self, scratch: &mut Scratch, run: &Run<'_>, shown: &mut Bits) -> Result<()> {
        match self.by_hand.is_empty() {
            true => self.test.narrow(scratch, run, shown),
            false => shown.try_retain(|at| self.shows(scratch, run.first + at as u32, run.record(at))),
        }
    }

    /// A record was written by ourselves: it may pass now.
    pub(crate) fn note_change(&mut self, recno: u32) {
        if let Some(candidates) = &mut self.candidates {
            candidates.set(recno as usize - 1, true);
        }
    }
}

impl Area {
    /// Shows only the records for which this condition is true, of which the open indexes answer what they can; says
    /// how much that is. It is set beside a filter, in place of an AOF before.
    ///
    /// Errors: as [`Area::set_filter`]; then everything stays as it was.
    pub fn set_aof(&mut self, condition: &str) -> Result<Optimized> {
        let test = self.test(condition)?;
        let (level, candidates) = self.plan(&self.parse(condition)?)?;
        let of = self.files.iter().map(|file| (file.number, file.version)).collect();
        let text = condition.to_owned();
        self.visibility.aof = Some(Aof { text, test, level, candidates, by_hand: HashMap::new(), of });
        self.visibility.touch();
        Ok(level)
    }

    /// Takes the AOF away.
    pub fn clear_aof(&mut self) {
        self.visibility.aof = None;
        self.visibility.touch();
    }

    /// The AOF's condition.
    pub fn aof(&self) -> Option<&str> {
        self.visibility.aof.as_ref().map(|aof| aof.text.as_str())
    }

    /// The extent to which the indexes answered the AOF.
    pub fn aof_level(&self) -> Option<Optimized> {
        self.visibility.aof.as_ref().map(|aof| aof.level)
    }

    /// The extent to which the open indexes would answer a condition.
    pub fn aof_level_of(&mut self, condition: &str) -> Result<Optimized> {
        self.test(condition)?;
        Ok(self.plan(&self.parse(condition)?)?.0)
    }

    /// Asks the indexes again. What was said about single records by hand is forgotten.
    pub fn refresh_aof(&mut self) -> Result<()> {
        match self.visibility.aof.as_ref().map(|aof| aof.text.clone()) {
            Some(text) => self.set_aof(&text).map(drop),
            None => Ok(()),
        }
    }

    /// The same, and what was said by hand stays.
    pub(crate) fn refresh_candidates(&mut self) -> Result<()> {
        let by_hand = self.visibility.aof.as_mut().map(|aof| std::mem::take(&mut aof.by_hand)).unwrap_or_default();
        self.refresh_aof()?;
        for (recno, shown) in by_hand {
            self.customize_aof(&[recno], if shown { Customize::Add } else { Customize::Remove })?;
        }
        Ok(())
    }

    /// The same if an index has been read anew since, and nothing was said by hand.
    pub(crate) fn refresh_aof_if_stale(&mut self) -> Result<()> {
        let Some(aof) = self.visibility.aof.as_ref().filter(|aof| aof.by_hand.is_empty()) else { return Ok(()) };
        let same = |file: &crate::index_file::IndexFile| aof.of.contains(&(file.number, file.version));
        if aof.candidates.is_some() && !self.files.iter().all(same) {
            return self.refresh_aof();
        }
        Ok(())
    }

    /// Adds records to the AOF, or removes them.
    ///
    /// Errors: `InvalidValue` when no AOF is set.
    pub fn customize_aof(&mut self, records: &[u32], how: Customize) -> Result<()> {
        for recno in records {
            let value = match how {
                Customize::Add => true,
                Customize::Remove => false,
                Customize::Toggle => !self.is_record_in_aof(*recno)?,
            };
            let Some(aof) = self.visibility.aof.as_mut() else { return Err(no_aof()) };
            aof.by_hand.insert(*recno, value);
            if value && *recno > 0 {
                aof.note_change(*recno);
            }
        }
        self.visibility.touch();
        Ok(())
    }

    /// Returns true if a record is in the AOF, or true without one.
    pub fn is_record_in_aof(&mut self, recno: u32) -> Result<bool> {
        if recno == 0 || recno > self.blocks.count() {
            return Ok(false);
        }
        let Some(aof) = &self.visibility.aof else { return Ok(true) };
        if self.row.is_new && recno == self.recno {
            // It is in no file yet. As of any record, its changes count when they are written.
            return aof.shows(&mut self.scratch, recno, &self.row.before);
        }
        if self.has_unwritten {
            self.settle_all()?;
        }
        let record = self.blocks.record(recno)?;
        match &self.visibility.aof {
            Some(aof) => aof.shows(&mut self.scratch, recno, record),
            None => Ok(true),
        }
    }

    /// The indexes' answer to a condition: its extent, and the remaining records.
    fn plan(&mut self, expression: &Expression) -> Result<(Optimized, Option<Bits>)> {
        self.write()?;
        if self.has_unwritten || self.has_unwritten_keys {
            self.settle_all()?;
        }
        self.blocks.look(&self.dbf)?;
        if self.exact {
            // With SET EXACT texts compare without trailing blanks: bounds are made for the other rule.
            return Ok((Optimized::None, None));
        }
        let condition = expression.condition();
        let words = if expression.searches() { self.search_words(&condition)? } else { Vec::new() };
        for _ in 0..ATTEMPTS {
            let mut locked = Vec::with_capacity(self.files.len());
            let planned = self.lock_and_renew(&mut locked).and_then(|()| {
                let (letters, count) = (Letters::of_table(&self.dbf), self.blocks.count() as usize);
                Planner { orders: &self.orders, letters, words: &words, count }.plan(&condition)
            });
            let mut is_consistent = true;
            for (file, locked) in self.files.iter_mut().zip(locked) {
                file.unlock(locked)?;
                is_consistent &= file.is_consistent(locked.is_some())?;
            }
            if is_consistent {
                return planned;
            }
        }
        Err(Error::new(Code::Busy, "the indexes change faster than they can be read").hint("try again later"))
    }

    /// Has all orders ready as they are in the files now; files that are doubtful stay locked.
    fn lock_and_renew(&mut self, locked: &mut Vec<Option<ReadingLock>>) -> Result<()> {
        for place in 0..self.files.len() {
            let file = &mut self.files[place];
            file.look()?;
            let (is_doubtful, number) = (file.is_doubtful(), file.number);
            locked.push(if is_doubtful { file.lock()? } else { None });
            for at in 0..self.orders.len() {
                if self.orders[at].file == number {
                    self.renew(at, place, is_doubtful)?;
                }
            }
        }
        Ok(())
    }
}

/// The number of retries while indexes are being written to.
const ATTEMPTS: usize = 50;

fn no_aof() -> Error {
    Error::new(Code::InvalidValue, "no AOF is set")
}

/// Answers conditions from the open orders.
struct Planner<'a> {
    orders: &'a [Order],
    /// The letters that the condition knows.
    letters: Letters,
    words: &'a SearchedWords,
    count: usize,
}

impl Planner<'_> {
    fn plan(&self, condition: &Condition) -> Result<(Optimized, Option<Bits>)> {
        match condition {
            Condition::And(parts) => self.conjunction(parts),
            Condition::Or(parts) => self.disjunction(parts),
            Condition::Compare { subject, operator, constant, .. } => {
                let ranges = self.ranges(subject, *operator, constant)?;
                self.rows(ranges)
            }
            Condition::Flag { subject, value } if !self.words.is_empty() && subject.searches() => {
                Ok(self.searched(subject, *value))
            }
            Condition::Flag { subject, value } => {
                let ranges = self.ranges(subject, Relation::Equal, &Constant::Logical(*value))?;
                self.rows(ranges)
            }
            Condition::Other(_) => Ok((Optimized::None, None)),
        }
    }

    /// The results of the word indexes for a search.
    fn searched(&self, subject: &Expression, value: bool) -> (Optimized, Option<Bits>) {
        let text = subject.canonical();
        match self.words.iter().find(|(known, ..)| *known == text) {
            Some((_, level, bits)) if value => (*level, Some(bits.clone())),
            Some((_, Optimized::Full, bits)) => {
                let mut others = Bits::filled(self.count, true);
                bits.ones_from(0).for_each(|at| others.set(at, false));
                (Optimized::Full, Some(others))
            }
            _ => (Optimized::None, None),
        }
    }

    fn rows(&self, ranges: Option<(usize, Vec<KeyRange>)>) -> Result<(Optimized, Option<Bits>)> {
        let Some((order, ranges)) = ranges else { return Ok((Optimized::None, None)) };
        let mut bits = Bits::filled(self.count, false);
        for range in &ranges {
            self.add(order, range, &mut bits)?;
        }
        Ok((Optimized::Full, Some(bits)))
    }

    fn add(&self, order: usize, range: &KeyRange, bits: &mut Bits) -> Result<()> {
        let tag = self.orders[order].tag();
        let visit = |record: u32, _: &[u8]| {
            bits.set((record as usize).wrapping_sub(1), true);
            ControlFlow::Continue(())
        };
        tag.range(range.lower.as_ref().map(Vec::as_slice), range.upper.as_ref().map(Vec::as_slice), visit)
    }

    /// A conjunction may leave parts out, and two ranges of one order become one.
    fn conjunction(&self, parts: &[Condition]) -> Result<(Optimized, Option<Bits>)> {
        let mut one_order: Vec<(usize, KeyRange)> = Vec::new();
        let (mut all, mut any, mut bits) = (true, false, None);
        let mut keep = |more: Bits| match &mut bits {
            None => bits = Some(more),
            Some(bits) => bits.intersect(&more),
        };
        for part in parts {
            if let Condition::Compare { subject, operator, constant, .. } = part
                && let Some((order, mut ranges)) = self.ranges(subject, *operator, constant)?
                && ranges.len() == 1
                && let Some(range) = ranges.pop()
            {
                match one_order.iter_mut().find(|(known, _)| *known == order) {
                    Some((_, known)) => known.narrow(range),
                    None => one_order.push((order, range)),
                }
                any = true;
                continue;
            }
            let (level, found) = self.plan(part)?;
            all &= level == Optimized::Full;
            if let Some(found) = found {
                any = true;
                keep(found);
            }
        }
        for (order, range) in one_order {
            let mut found = Bits::filled(self.count, false);
            self.add(order, &range, &mut found)?;
            keep(found);
        }
        let level = if all && any {
            Optimized::Full
        } else if any {
            Optimized::Part
        } else {
            Optimized::None
        };
        Ok((level, bits))
    }

    /// A disjunction needs an answer for each of its parts.
    fn disjunction(&self, parts: &[Condition]) -> Result<(Optimized, Option<Bits>)> {
        let (mut level, mut bits) = (Optimized::Full, Bits::filled(self.count, false));
        for part in parts {
            match self.plan(part)? {
                (part_level, Some(found)) => {
                    bits.unite(&found);
                    if part_level != Optimized::Full {
                        level = Optimized::Part;
                    }
                }
                (_, None) => return Ok((Optimized::None, None)),
            }
        }
        Ok((level, Some(bits)))
    }

    /// The ranges of an order's keys in which a comparison can hold, if an order has them.
    fn ranges(
        &self,
        subject: &Expression,
        operator: Relation,
        constant: &Constant,
    ) -> Result<Option<(usize, Vec<KeyRange>)>> {
        let wanted = subject.canonical();
        // Whatever letters are known: beside a constant of ASCII, what they make of others stays beyond it.
        let is_ascii = !matches!(constant, Constant::Text(text) if !text.is_ascii());
        let is_usable = |order: &&Order| {
            let header = order.header();
            // A filter compares bytes, whatever the order of the keys is.
            let is_plain = header.collation.is_none() && order.tag().key_type().order().is_bytes();
            let usable = header.lists_all_records() && is_plain && !header.ignore_case;
            let is_same = is_ascii || !order.keys.depends_on_letters() || order.keys.letters == self.letters;
            let is_comparable = order.keys.compares_as_values(constant);
            let key = || Expression::parse(order.keys.key_bytes(header));
            usable && is_same && is_comparable && key().is_ok_and(|key| key.canonical() == wanted)
        };
        let Some(at) = self.orders.iter().position(|order| is_usable(&order)) else { return Ok(None) };
        let order = &self.orders[at];
        let key = match constant {
            Constant::Text(text) => SeekKey::Text(text.clone()),
            Constant::Number(number) => SeekKey::Number(*number),
            Constant::Date(day) => SeekKey::Date(*day),
            Constant::Timestamp(day, ms) => SeekKey::Timestamp { day: *day, ms: *ms },
            Constant::Logical(value) => SeekKey::Logical(*value),
        };
        // A day compared with a moment, and what else is not of the keys' type, is asked of the records.
        Ok(match sought(order, &key) {
            Ok(sought) => Some((at, KeyRange::of(operator, sought))),
            Err(_) => None,
        })
    }
}

/// A range of keys in the order of their bytes, of which bounds may be beginnings of keys.
#[derive(Clone, Debug)]
struct KeyRange {
    lower: Bound<Vec<u8>>,
    upper: Bound<Vec<u8>>,
}

impl KeyRange {
    /// The ranges in which a comparison can hold; they may hold more.
    fn of(operator: Relation, sought: Sought) -> Vec<KeyRange> {
        use Bound::{Included, Unbounded};
        let one = |lower, upper| vec![KeyRange { lower, upper }];
        match (operator, sought) {
            (_, Sought::Key(key)) if key.is_empty() => one(Unbounded, Unbounded),
            (Relation::NotEqual, _) => one(Unbounded, Unbounded),
            (Relation::Equal | Relation::ExactlyEqual, Sought::Key(key)) => one(Included(key.clone()), Included(key)),
            (Relation::Equal | Relation::ExactlyEqual, _) => Vec::new(),
            (Relation::Less | Relation::LessOrEqual, Sought::Key(key) | Sought::After(key)) => {
                one(Unbounded, Included(key))
            }
            (Relation::Greater | Relation::GreaterOrEqual, Sought::Key(key) | Sought::After(key)) => {
                one(Included(key), Unbounded)
            }
            // Below and Above are in the direction of the order: which it is here, the records tell.
            (_, Sought::Below | Sought::Above) => one(Unbounded, Unbounded),
        }
    }

    /// Keeps what is in the other, too; of two bounds on one side the one that leaves less.
    fn narrow(&mut self, other: KeyRange) {
        self.lower = tighter(std::mem::replace(&mut self.lower, Bound::Unbounded), other.lower, true);
        self.upper = tighter(std::mem::replace(&mut self.upper, Bound::Unbounded), other.upper, false);
    }
}

fn tighter(one: Bound<Vec<u8>>, other: Bound<Vec<u8>>, lower: bool) -> Bound<Vec<u8>> {
    match (one, other) {
        (Bound::Included(one), Bound::Included(other)) => {
            // A bound that is the beginning of the other stands for all its continuations.
            let takes_other = match one.starts_with(&other) || other.starts_with(&one) {
                true => other.len() > one.len(),
                false => (one < other) == lower,
            };
            Bound::Included(if takes_other { other } else { one })
        }
        (Bound::Unbounded, bound) | (bound, _) => bound,
    }
}
