//! Versions of rows that a view sees.

use super::forms::Form;
use crate::rows::NewRow;
use mainstay_types::Result;

/// Where the rows are that a view sees.
pub(super) fn positions(table: &mainstay_store::NativeTable, view: mainstay_store::View) -> Result<Vec<u64>> {
    let mut positions = Vec::new();
    table.reader(view).for_each(&mut |version| {
        positions.push(version.position);
        Ok(std::ops::ControlFlow::Continue(()))
    })?;
    Ok(positions)
}

/// The values of a version.
pub(super) fn stored(form: &Form, reader: &mainstay_store::Reader<'_>, position: u64) -> NewRow {
    (0..form.definition.columns.len()).map(|column| reader.value(position, column).to_value()).collect()
}
