//! Keys as programs see them, and the functions KEY, KEF, KEL, KEC, KEN and KEP.
//!
//! The parts of a key stand one after the other, each but the last one filled with $00$ to its width. A record number is ten
//! digits.

use crate::access::{Record, Stretch};
use crate::channel::{Spot, TableChannel};
use crate::text::{self, Kind};
use mainstay_basic_files::error::end_of_file;
use mainstay_basic_files::{KeyFunction, Place, Result};
use mainstay_types::Value;

impl TableChannel {
    /// The values of a key, or of its beginning.
    ///
    /// Errors: 46 for a text that is not a value.
    pub(crate) fn values_of(&self, order: usize, mut key: &[u8]) -> Result<Vec<Value>> {
        let sequence = self.access.shape.order(order)?;
        let mut values = Vec::new();
        for (at, part) in sequence.parts[..sequence.known].iter().enumerate() {
            if key.is_empty() {
                break;
            }
            let is_last = at + 1 == sequence.known;
            let width = if is_last { key.len() } else { (part.width as usize).min(key.len()) };
            let (own, rest) = key.split_at(width);
            values.push(match text::value(own, part.kind)? {
                // A text key of blanks: DBF fields and NOT NULL columns have an empty text.
                Value::Null if part.kind == Kind::Text => Value::Text(String::new()),
                value => value,
            });
            key = rest;
        }
        Ok(values)
    }

    /// The key of a place.
    pub(crate) fn shown_key(&self, order: usize, place: &[Value]) -> Vec<u8> {
        let sequence = &self.access.shape.orders[order];
        let mut key = Vec::new();
        for (at, (part, value)) in sequence.parts[..sequence.known].iter().zip(place).enumerate() {
            let start = key.len();
            match value {
                Value::Integer(number) if part.field.is_none() && part.width == 10 => {
                    key.extend_from_slice(format!("{number:010}").as_bytes());
                }
                value => text::append(value.as_ref(), &mut key),
            }
            if at + 1 < sequence.known {
                key.resize((start + part.width as usize).max(key.len()), 0);
            }
        }
        key
    }

    /// A key function. The channel stays where it is.
    pub(crate) fn key_of(&mut self, function: KeyFunction<'_>, order: usize) -> Result<Vec<u8>> {
        let whole = |forward| Stretch { order, place: &[], forward, included: true };
        let found: Option<Record> = match function {
            KeyFunction::First => self.access.step(&whole(true), 0)?,
            KeyFunction::Last => self.access.step(&whole(false), 0)?,
            KeyFunction::Current => {
                if let (Some(sought), true) = (&self.spot.sought, self.spot.order == order) {
                    return Ok(sought.clone());
                }
                match self.spot.current.clone() {
                    Some(identity) => self.access.identified(order, &identity)?,
                    None => None,
                }
            }
            KeyFunction::Next => self.beside(order, true, 0)?,
            KeyFunction::AfterNext => self.beside(order, true, 1)?,
            KeyFunction::Previous => self.beside(order, false, 0)?,
            KeyFunction::After(key) => self.beside_key(order, key, true)?,
            KeyFunction::Before(key) => self.beside_key(order, key, false)?,
            KeyFunction::AtIndex(index) => Some(self.find_index(index, order)?),
            KeyFunction::AtNumber(number) => {
                let place = Place::Number(number);
                Some(self.found(place, order)?)
            }
        };
        found.map(|record| self.shown_key(order, &record.place)).ok_or_else(end_of_file)
    }

    fn beside(&mut self, order: usize, forward: bool, distance: u64) -> Result<Option<Record>> {
        let Spot { place, included, .. } = self.spot_in(order)?;
        let is_nowhere = place.is_empty() && !forward;
        let stretch = Stretch { order, place: &place, forward, included: included && forward };
        if is_nowhere { Ok(None) } else { self.access.step(&stretch, distance) }
    }

    fn beside_key(&mut self, order: usize, key: &[u8], forward: bool) -> Result<Option<Record>> {
        let place = self.values_of(order, key)?;
        if place.is_empty() && !forward {
            return Ok(None);
        }
        self.access.step(&Stretch { order, place: &place, forward, included: false }, 0)
    }
}
