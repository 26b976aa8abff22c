//! KEY, KEF, KEL, KEC, KEN, KEP, RNO and IND. None of them moves the channel.

use super::{KeyedFile, shown};
use crate::error::{Result, end_of_file, record_missing};
use crate::file::{KeyFunction, RecordReference};
use crate::storage::KeyedStorage;

impl<S: KeyedStorage> KeyedFile<S> {
    /// Does something in the order of a key, and puts everything back as it was.
    pub(super) fn in_order<T>(
        &mut self,
        key_number: Option<usize>,
        work: impl FnOnce(&mut Self, usize) -> Result<T>,
    ) -> Result<T> {
        let number = key_number.unwrap_or(self.current_key);
        self.definition.keys.key(number)?;
        let before = (self.spot.clone(), self.current_key);
        self.current_key = number;
        let outcome = work(self, number);
        (self.spot, self.current_key) = before;
        outcome
    }

    pub(super) fn key_of(&mut self, function: KeyFunction<'_>, number: usize) -> Result<Vec<u8>> {
        let found = match function {
            KeyFunction::Current => return self.current_key_of(number),
            KeyFunction::First => self.storage.after(number, &[], 0)?,
            KeyFunction::Last => self.storage.before(number, None)?,
            KeyFunction::Next => self.find_relative(1, crate::Order::Key(number)).map(|()| true)?,
            KeyFunction::AfterNext => {
                self.find_relative(1, crate::Order::Key(number))?;
                let (key, id) = (self.storage.loaded().key.to_vec(), self.storage.loaded().id);
                self.storage.after(number, &key, id)?
            }
            KeyFunction::After(key) => {
                let key = self.compared(number, key)?;
                self.storage.after(number, &key, u64::MAX)?
            }
            KeyFunction::Previous => {
                self.enter_order(number)?;
                let (key, id) = (self.spot.key.clone(), self.spot.id);
                self.storage.before(number, Some((&key, id)))?
            }
            KeyFunction::Before(key) => {
                let key = self.compared(number, key)?;
                self.storage.before(number, Some((&key, 0)))?
            }
            KeyFunction::AtIndex(index) => {
                self.find_index(index)?;
                return self.shown_key_of_loaded(number);
            }
            KeyFunction::AtNumber(record) => self.find_number(record).map(|()| true)?,
        };
        if found { self.shown_loaded(number) } else { Err(end_of_file()) }
    }

    fn current_key_of(&mut self, number: usize) -> Result<Vec<u8>> {
        let is_sought = self.spot.is_sought && self.spot.order == number;
        if !self.enter_order(number)? && !is_sought {
            return Err(end_of_file());
        }
        let mut key = Vec::new();
        self.definition.keys.key(number)?.shown(&self.spot.key, &mut key);
        Ok(key)
    }

    fn compared(&self, number: usize, key: &[u8]) -> Result<Vec<u8>> {
        let mut compared = Vec::new();
        self.definition.keys.key(number)?.compared(key, &mut compared);
        self.definition.strip_key(number, &mut compared);
        Ok(compared)
    }

    fn shown_loaded(&self, number: usize) -> Result<Vec<u8>> {
        let mut key = Vec::new();
        self.definition.keys.key(number)?.shown(self.storage.loaded().key, &mut key);
        Ok(key)
    }

    /// The same for a record that was not searched by this key.
    fn shown_key_of_loaded(&mut self, number: usize) -> Result<Vec<u8>> {
        if !self.key_of_loaded(number)? {
            return Err(record_missing(format_args!("a key of number {number}")));
        }
        let mut key = Vec::new();
        self.definition.keys.key(number)?.shown(&self.scratch, &mut key);
        Ok(key)
    }

    /// Loads the record that RNO or IND is about, by the key of this number where it is in its order.
    pub(super) fn load_reference(&mut self, record: RecordReference<'_>, number: usize) -> Result<()> {
        match record {
            RecordReference::Next => self.find_relative(1, crate::Order::Key(number)),
            RecordReference::Index(index) => self.find_index(index),
            RecordReference::Number(record) => self.find_number(record),
            RecordReference::Key(key) => {
                let compared = self.compared(number, key)?;
                if self.storage.exactly(number, &compared)? {
                    Ok(())
                } else {
                    Err(record_missing(format_args!("the key {}", shown(key))))
                }
            }
        }
    }

    pub(super) fn number_of_loaded(&mut self, number: usize) -> Result<u64> {
        let id = self.storage.loaded().id;
        if !self.key_of_loaded(number)? {
            return Err(record_missing(format_args!("a key of number {number}")));
        }
        let key = std::mem::take(&mut self.scratch);
        let rank = self.storage.rank(number, &key, id);
        self.scratch = key;
        Ok(rank? + 1)
    }

    pub(super) fn index_of_loaded(&mut self, number: usize) -> Result<i64> {
        let index = match self.storage.indexes_by_rank() {
            true => self.number_of_loaded(number)? - 1,
            false => self.storage.loaded().id,
        };
        Ok(i64::try_from(index).unwrap_or(i64::MAX))
    }
}
