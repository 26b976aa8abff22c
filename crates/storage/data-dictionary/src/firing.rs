//! Triggers of a table of the dictionary, fired by writes through a handle of the table.
//!
//! ```text
//!   Guard   before_write   INSTEAD OF, or BEFORE  \
//!           after_write    AFTER                   >  Fires (the connection)  -->  the engine of SQL runs their scripts
//! ```
//! The first write of an appended record fires INSERT, a change UPDATE, a mark of deletion DELETE; recalling a record
//! fires nothing. The write, its cascading changes and the changes of its triggers are one transaction: a trigger that
//! fails undoes all of it.
//!
//! Limits: an AFTER or BEFORE trigger cannot change the record that fired it, which is locked; an INSTEAD OF trigger
//! can. Triggers in libraries and for replication (ON CONFLICT) do not fire.

use mainstay_types::Value;
use mainstay_workarea::{Area, FieldValue};
use mainstay_xbase::indexed::{IndexedTable, Transaction};

use crate::constants::*;
use crate::contents::{Contents, Object, same};
use crate::failure::Result;

/// The fields of a record by name.
pub type Image = Vec<(String, Value)>;

/// A change of a record, as its triggers see it.
#[derive(Clone, Debug)]
pub struct Firing {
    /// The table's name in the dictionary.
    pub table: String,
    /// ADS_TRIGEVENT_INSERT, ADS_TRIGEVENT_UPDATE or ADS_TRIGEVENT_DELETE.
    pub event: u32,
    /// ADS_TRIGTYPE_BEFORE, ADS_TRIGTYPE_INSTEADOF or ADS_TRIGTYPE_AFTER: the triggers that are meant.
    pub time: u32,
    /// The record as it was; not for an insert.
    pub old: Option<Image>,
    /// The record as it becomes; not for a delete.
    pub new: Option<Image>,
}

/// Runs triggers: a connection, with its statements of SQL.
pub trait Fires: Send + Sync {
    /// Has the statements of triggers take part in this transaction, unless the connection has one under way already.
    ///
    /// Errors: those of the engine; AE_NOT_IMPLEMENTED without one.
    fn begin(&self, transaction: &Transaction) -> Result<()>;

    /// Runs the triggers of a change.
    ///
    /// Errors: what a trigger has put into `__error`; those of its statements.
    fn fire(&self, firing: &Firing) -> Result<()>;

    /// Ends a transaction that [`Fires::begin`] was called for, or one that it was not called for: `work` ends it, with
    /// the tables that statements have open.
    ///
    /// Errors: those of `work`.
    fn end(&self, work: &mut dyn FnMut(&mut [&mut IndexedTable]) -> mainstay_types::Result<()>) -> Result<()>;

    /// Works with the tables that statements have open.
    ///
    /// Errors: those of `work`.
    fn with_tables(&self, work: &mut dyn FnMut(&mut [&mut IndexedTable]) -> mainstay_types::Result<()>) -> Result<()>;
}

/// Returns true if a trigger fires: it is a script, and neither it nor the triggers of its table or of all tables are
/// disabled.
pub fn is_on(contents: &Contents, trigger: &Object) -> bool {
    let is_off = |object: &Object| object.number(ADS_DD_TRIGGERS_DISABLED) != 0;
    trigger.number(ADS_DD_TRIG_CONTAINER_TYPE) == ADS_TRIG_SCRIPT
        && !is_off(trigger)
        && !contents.find(ADS_DD_TABLE_OBJECT, "", &trigger.parent).is_some_and(is_off)
        && !contents.database().is_some_and(is_off)
}

/// The times at which triggers of a table fire for an event, ADS_TRIGTYPE_ added up.
fn times(contents: &Contents, table: &str, event: u32) -> u32 {
    let of_event = contents
        .all(ADS_DD_TRIGGER_OBJECT)
        .filter(|trigger| same(&trigger.parent, table) && trigger.number(ADS_DD_TRIG_EVENT_TYPE) == event);
    let times = of_event.filter(|trigger| is_on(contents, trigger));
    times.fold(0, |times, trigger| times | trigger.number(ADS_DD_TRIG_TRIGGER_TYPE))
}

/// The fields of the current record.
fn image(area: &mut Area) -> mainstay_types::Result<Image> {
    let names: Vec<String> = area.fields().iter().map(|field| field.name.clone()).collect();
    let mut image = Image::with_capacity(names.len());
    for (field, name) in names.into_iter().enumerate() {
        let value = match area.get(field)? {
            FieldValue::Text(bytes) => Value::Text(area.decode_text(&bytes).trim_end_matches(' ').to_owned()),
            value => value.to_value(|bytes| area.decode_text(bytes)),
        };
        image.push((name, value));
    }
    Ok(image)
}

/// The event and times (ADS_TRIGTYPE_ added up) of the triggers that a write of the current record fires; `None` if it
/// fires none.
///
/// Errors: those of reading the record.
pub fn of_write(area: &mut Area, contents: &Contents, table: &str, is_appended: bool) -> Result<Option<(u32, Firing)>> {
    if contents.children(ADS_DD_TRIGGER_OBJECT, table).next().is_none() {
        return Ok(None);
    }
    let is_deleted = area.is_deleted()?;
    let layout = area.header().layout;
    let was_deleted = !is_appended && area.record_before()?.is_some_and(|before| layout.is_deleted(before));
    let event = match (is_appended, was_deleted, is_deleted) {
        (true, _, false) => ADS_TRIGEVENT_INSERT,
        (false, false, true) => ADS_TRIGEVENT_DELETE,
        (false, false, false) if area.is_record_changed() => ADS_TRIGEVENT_UPDATE,
        _ => return Ok(None),
    };
    let times = times(contents, table, event);
    if times == 0 {
        return Ok(None);
    }
    let old = match event {
        ADS_TRIGEVENT_INSERT => None,
        _ => Some(area.on_record_before(image)?),
    };
    let new = match event {
        ADS_TRIGEVENT_DELETE => None,
        _ => Some(image(area)?),
    };
    Ok(Some((times, Firing { table: table.to_owned(), event, time: 0, old, new })))
}
