//! SELECT: ranges of a key's order, or all records in physical order.

use super::KeyedFile;
use crate::error::{FileError, FileErrorKind, Result};
use crate::file::{Scan, Scanned};
use crate::options::{EndMatch, Order, ReadMode, ReadOptions, ScanRange};
use crate::storage::KeyedStorage;

impl<S: KeyedStorage> KeyedFile<S> {
    pub(super) fn begin_scan(&mut self, range: &ScanRange<'_>) -> Result<Scan> {
        let order = self.switch(range.order)?;
        self.release_lock();
        let mut scan = Scan {
            order,
            options: ReadOptions {
                mode: ReadMode::Read,
                order: Some(order),
                wait: range.wait,
                ignores_locks: range.ignores_locks,
            },
            place: (Vec::new(), 0),
            end: None,
            end_is_prefix: range.end_match == EndMatch::Prefix,
        };
        match order {
            Order::Physical if range.begin.is_some() || range.end.is_some() => {
                Err(FileError::new(FileErrorKind::InvalidOption, "BEGIN and END do not go with KNO=*"))
            }
            Order::Physical => Ok(scan),
            Order::Key(number) => {
                let key = self.definition.keys.key(number)?;
                if let Some(begin) = range.begin {
                    key.bound(begin, &mut scan.place.0);
                }
                scan.end = range.end.map(|end| {
                    let mut bound = Vec::new();
                    key.bound(end, &mut bound);
                    bound
                });
                Ok(scan)
            }
        }
    }

    pub(super) fn next_of_scan(&mut self, scan: &mut Scan) -> Result<Option<Scanned<'_>>> {
        let found = match scan.order {
            Order::Physical => self.storage.after_id(scan.place.1)?,
            Order::Key(number) => self.storage.after(number, &scan.place.0, scan.place.1)?,
        };
        if !found {
            return Ok(None);
        }
        let id = self.storage.loaded().id;
        if let (Order::Key(_), Some(end)) = (scan.order, &scan.end)
            && is_behind(self.storage.loaded().key, end, scan.end_is_prefix)
        {
            return Ok(None);
        }
        if !scan.options.ignores_locks {
            self.check_record(id, scan.options.wait)?;
        }
        if let Order::Key(_) = scan.order {
            scan.place.0.clear();
            scan.place.0.extend_from_slice(self.storage.loaded().key);
        }
        scan.place.1 = id;
        self.settle();
        self.shown_scanned()
    }

    fn shown_scanned(&mut self) -> Result<Option<Scanned<'_>>> {
        let loaded = self.storage.loaded();
        self.scratch.clear();
        self.definition.keys.key(loaded.key_number)?.shown(loaded.key, &mut self.scratch);
        Ok(Some(Scanned { data: loaded.data, key: &self.scratch }))
    }
}

/// True if a key is behind the end of a range.
fn is_behind(key: &[u8], end: &[u8], is_prefix: bool) -> bool {
    let compared = if is_prefix { &key[..key.len().min(end.len())] } else { key };
    compared > end
}
