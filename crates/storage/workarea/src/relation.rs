//! Relations: a child area follows its parent's record.
//!
//! The parent's expression is evaluated on its record. A child with an order seeks the value in it; without one it goes
//! to the record of that number. A *scoped* relation also makes the value the child's scope, so that it shows nothing
//! but the parent's. At the parent's EOF the child goes to its own.

use crate::area::Area;
use crate::options::{SeekHow, Side};
use crate::value::{FieldValue, SeekKey};
use mainstay_types::Result;

/// The relation of a child to its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// The expression over the parent's fields.
    pub expression: String,
    /// True if the child shows nothing but what belongs to the parent's record.
    pub scoped: bool,
}

impl Area {
    /// The value that a child of this area seeks; `None` at EOF.
    pub fn relation_value(&mut self, relation: &Relation) -> Result<Option<FieldValue>> {
        if self.eof || !self.is_positioned() {
            return Ok(None);
        }
        self.evaluate(&relation.expression).map(Some)
    }

    /// Goes where the parent's value says.
    pub fn follow(&mut self, value: Option<FieldValue>, scoped: bool) -> Result<()> {
        let Some(key) = value.and_then(FieldValue::into_key) else { return self.go_eof() };
        if self.current.is_none() {
            let number = match key {
                SeekKey::Number(number) if number >= 1.0 && number <= f64::from(u32::MAX) => number as u32,
                _ => 0,
            };
            self.go_to(number)?;
            self.found = !self.eof;
            return Ok(());
        }
        if scoped {
            self.set_scope(Side::Top, &key)?;
            self.set_scope(Side::Bottom, &key)?;
        }
        self.seek(&key, SeekHow::default()).map(drop)
    }

    /// Checks that an expression can be that of a relation.
    pub fn check_relation(&self, relation: &Relation) -> Result<()> {
        self.check_expression(&relation.expression).map(drop)
    }
}
