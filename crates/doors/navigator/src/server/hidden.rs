//! Columns that a client may not read: blank in the records it is sent, and refused in its conditions.

use super::session::Open;
use crate::dictionary::{Dictionary, Hidden, refused};
use crate::wire::messages::{Page, Reply, Step};
use mainstay_types::Result;
use mainstay_workarea::{Area, FieldValue};
use mainstay_xbase::expr::Expression;
use std::ops::Range;

/// AE_PERMISSION_NOT_GRANTED of the interface.
const NOT_GRANTED: u32 = 7087;

/// The rules of a dictionary for an open table.
pub(crate) struct Bound {
    /// Its name there.
    pub name: String,
    fields: Vec<usize>,
    cells: Vec<Range<usize>>,
    blank: Vec<u8>,
    in_conditions: bool,
}

impl Bound {
    pub fn new(name: &str, hidden: &Hidden, area: &mut Area) -> Result<Bound> {
        let is_hidden = |column: &str| hidden.columns.iter().any(|known| known.eq_ignore_ascii_case(column));
        let of_table = area.fields().iter().enumerate().filter(|(_, field)| is_hidden(&field.name));
        let found: Vec<(usize, Range<usize>)> =
            of_table.map(|(at, field)| (at, field.offset..field.offset + field.length)).collect();
        let (fields, cells) = found.into_iter().unzip();
        let aside = area.show_blank();
        let blank = area.record().map(<[u8]>::to_vec);
        area.take_back(aside);
        Ok(Bound { name: name.to_owned(), fields, cells, blank: blank?, in_conditions: hidden.in_conditions })
    }

    fn hides_some(&self) -> bool {
        !self.fields.is_empty()
    }

    fn cover(&self, bytes: &mut [u8]) {
        for cell in &self.cells {
            if let (Some(shown), Some(blank)) = (bytes.get_mut(cell.clone()), self.blank.get(cell.clone())) {
                shown.copy_from_slice(blank);
            }
        }
    }

    fn cover_page(&self, page: &mut Page) {
        for row in &mut page.rows {
            self.cover(&mut row.bytes);
            row.key = None;
        }
    }
}

impl Open {
    /// Refuses a step that would tell what is hidden, or that the dictionary has something against.
    pub(crate) fn check(&self, step: &Step, dictionary: &dyn Dictionary) -> Result<()> {
        let Some(bound) = &self.bound else { return Ok(()) };
        if matches!(step, Step::Zap) {
            dictionary.check_zap(&bound.name)?;
        }
        if !bound.hides_some() {
            return Ok(());
        }
        let uses = |text: &str| {
            // A search of all fields that have an index of words names none of them.
            Expression::parse(text).is_ok_and(|condition| condition.searches_all())
                || dictionary.fields_of(&self.area, text).iter().any(|field| bound.fields.contains(field))
        };
        let tells = match step {
            Step::SetFilter(Some(condition)) | Step::SetAof(condition) | Step::AofLevelOf(condition) => {
                !bound.in_conditions && uses(condition)
            }
            Step::CreateOrder(new) => uses(&new.key) || new.condition.as_deref().is_some_and(uses),
            Step::CreateWordIndex(new) => uses(&new.field),
            Step::CopyTo { .. } => true,
            _ => false,
        };
        match tells {
            true => Err(refused(NOT_GRANTED, "a column is used that is not to be read")),
            false => Ok(()),
        }
    }

    /// Covers what is hidden in a reply.
    pub(crate) fn cover(&self, step: &Step, mut reply: Reply) -> Reply {
        let Some(bound) = self.bound.as_ref().filter(|bound| bound.hides_some()) else { return reply };
        match (&mut reply, step) {
            (Reply::Page(page), _) => bound.cover_page(page),
            (Reply::Row(bytes), _) => bound.cover(bytes),
            (Reply::Value(value), Step::Value(field)) if bound.fields.contains(&usize::from(*field)) => {
                *value = FieldValue::Null;
            }
            (Reply::MaybeBytes(key), Step::Key(None)) => *key = None,
            _ => {}
        }
        reply
    }
}
