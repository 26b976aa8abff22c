//! Errors about candidate keys of two records: they name the table, the tag and the value of the key.

use super::IndexedTable;
use super::bag::Live;
use super::build::{IndexSpec, layout_for, new_tag_spec};
use crate::dbf::Dbf;
use crate::expr::Scratch;
use crate::index::BagKind;
use crate::keys::TagKeys;
use mainstay_types::{Code, ConstraintKind, Error};

/// Names the table and the tag of a candidate key, for messages and for languages with errors of their own.
fn of_key(error: Error, dbf: &Dbf, tag: &str) -> Error {
    let table = dbf.file().path().file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    error.at(format!("{table}, unique index {tag}")).of_constraint(ConstraintKind::UniqueIndex, table, tag)
}

/// Names the table, the tag and the value of a key that another record has.
#[cold]
pub(super) fn taken(
    error: Error,
    live: &Live,
    tag: usize,
    (scratch, new, record): (&mut Scratch, Option<&[u8]>, u32),
    dbf: &Dbf,
) -> Error {
    let name = live.writer.tags().nth(tag).map_or_else(String::new, |header| header.name.clone());
    let keys = live.keys.get(tag).and_then(|keys| keys.as_ref().ok());
    let value = keys.zip(new).and_then(|(keys, new)| keys.shown(scratch, new, record));
    let error = of_key(error, dbf, &name);
    value.map_or(error.clone(), |value| error.about(value))
}

impl IndexedTable {
    /// Names the tag and the key of which there are two records.
    #[cold]
    pub(super) fn name_duplicate(&mut self, error: Error, kind: BagKind, spec: &IndexSpec) -> Error {
        if error.code() != Code::UniqueViolation {
            return error;
        }
        let record = error.subject().and_then(|record| record.parse::<u32>().ok());
        let error = of_key(error, &self.indexes.dbf, &spec.name);
        let mut shown = |record: u32| {
            let layout = layout_for(kind, &self.indexes.dbf, spec);
            let header = new_tag_spec(spec, &layout, &self.indexes.dbf).ok()?.header(&layout).ok()?;
            let keys = TagKeys::new(&header, &self.indexes.dbf).ok()?;
            let mut bytes = Vec::new();
            self.writer.read(u64::from(record), &mut bytes).ok()?;
            keys.shown(&mut Scratch::new(), &bytes, record)
        };
        match record.and_then(&mut shown) {
            Some(key) => error.about(key),
            None => error,
        }
    }
}
