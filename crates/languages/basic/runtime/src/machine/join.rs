//! `SELECT .. WITH [REQUIRED] SELECT`: records of several files joined, in nested turns.
//!
//! ```text
//!   level 0   a record of the first file           WHERE decides about the joined record
//!   level 1     each record of the second file     its WHERE decides which ones are partners
//!   level 2       each record of the third ...
//! ```
//!
//! A level reads its range anew for each record of the level above, so that BEGIN and END may name that one's fields. A record
//! without a partner has one turn with empty fields, unless the level is REQUIRED. Source: the manual's page SELECT, Join Select.
//!
//! Limits: each level is read once for each record above it; no index is chosen by a condition.

use super::Machine;
use super::channels::file_fault;
use crate::code::*;
use crate::fault::{Fault, Outcome};
use mainstay_basic_files::Scan;

/// A joined level of a SELECT that runs.
#[derive(Debug)]
pub struct JoinLevel {
    /// The channel.
    pub channel: i64,
    /// SELECT opened the channel.
    pub owns_channel: bool,
    /// How far it has come for the record above; `None` behind its last record.
    pub scan: Option<Scan>,
    /// The record above has had a partner.
    pub is_matched: bool,
}

impl Machine {
    /// Reads the next joined record. False behind the last one.
    pub(super) fn advance_joined(&mut self, select: &SelectCode) -> Outcome<bool> {
        let last = select.joins.len();
        let mut level = self.selecting()?.level;
        loop {
            if self.step_level(select, level)? {
                if level == last {
                    self.selecting()?.level = last;
                    return Ok(true);
                }
                level += 1;
                self.begin_level(select, level)?;
            } else if level == 0 {
                return Ok(false);
            } else {
                level -= 1;
            }
        }
    }

    fn begin_level(&mut self, select: &SelectCode, level: usize) -> Outcome<()> {
        let Some(join) = select.joins.get(level - 1) else { return Err(Fault::new(120)) };
        let channel = self.selecting()?.joined.get(level - 1).map_or(0, |joined| joined.channel);
        let scan = self.scan_of(&join.select, channel)?;
        if let Some(joined) = self.selecting()?.joined.get_mut(level - 1) {
            joined.scan = Some(scan);
            joined.is_matched = false;
        }
        Ok(())
    }

    /// The next record of a level, or the turn without a partner.
    fn step_level(&mut self, select: &SelectCode, level: usize) -> Outcome<bool> {
        if level == 0 {
            return self.read_selected(select);
        }
        let Some(join) = select.joins.get(level - 1) else { return Err(Fault::new(120)) };
        loop {
            let Some(joined) = self.selecting()?.joined.get_mut(level - 1) else { return Err(Fault::new(120)) };
            let (channel, is_matched) = (joined.channel, joined.is_matched);
            let Some(mut scan) = joined.scan.take() else { return Ok(false) };
            let data = self.channels.get(channel)?.file.scan_next(&mut scan).map_err(file_fault)?;
            let Some(data) = data.map(|record| record.data.to_vec()) else {
                if is_matched || join.required {
                    return Ok(false);
                }
                self.take_record(&join.select, channel, &[])?;
                return Ok(true);
            };
            if let Some(joined) = self.selecting()?.joined.get_mut(level - 1) {
                joined.scan = Some(scan);
            }
            super::memory::charge_record(self, data.len())?;
            self.take_record(&join.select, channel, &data)?;
            let is_partner = match &join.select.condition {
                Some(condition) => self.is_true(condition)?,
                None => true,
            };
            if is_partner {
                if let Some(joined) = self.selecting()?.joined.get_mut(level - 1) {
                    joined.is_matched = true;
                }
                return Ok(true);
            }
        }
    }
}
