//! Records of keyed files that statements of SQL change through views of their fields.
//!
//! The engine replaces fields of records ([`mainstay_engine::packed`]); the keys, lengths and numbers of the records follow the
//! definition of the file ([`RecordRules`]).

use mainstay_basic_tables::{FileKeys, NativeTable, RecordRules, Store, Transaction};
use mainstay_columnar::DerivedKeys;
use mainstay_engine::packed::{PackedRows, PackedTables};
use mainstay_types::{Result, Value};
use std::sync::Arc;

struct KeyedFiles;

struct Rules(RecordRules);

impl PackedTables for KeyedFiles {
    fn name(&self) -> &'static str {
        "keyed files"
    }

    fn rules(
        &self,
        store: &Arc<Store>,
        table: (u64, &Arc<NativeTable>),
        transaction: &mut Transaction,
    ) -> Result<Option<Box<dyn PackedRows>>> {
        let rules = RecordRules::of(store, table, transaction)?;
        Ok(rules.map(|rules| Box::new(Rules(rules)) as Box<dyn PackedRows>))
    }

    fn derived_keys(&self, store: &Arc<Store>, table: (u64, &NativeTable)) -> Result<Option<Arc<dyn DerivedKeys>>> {
        let keys = FileKeys::of(store, table)?;
        Ok(keys.map(|keys| Arc::new(keys) as Arc<dyn DerivedKeys>))
    }
}

impl PackedRows for Rules {
    fn is_derived(&self, column: usize) -> bool {
        self.0.is_derived(column)
    }

    fn complete(&self, transaction: &mut Transaction, old: Option<&[Value]>, row: &mut [Value]) -> Result<()> {
        self.0.complete(transaction, old, row)
    }
}

/// Lets statements of all dialects change the fields of keyed files.
pub fn register() {
    mainstay_engine::packed::register(&KeyedFiles);
}
