//! Memos, images and other long values.

use mainstay_vfs::{Disk, FileSystem};

use crate::border::*;
use crate::calls::fields;
use crate::constants::*;
use crate::failure::{Failure, Result};
use crate::files;
use crate::registry;
use crate::table::State;

/// Works with a field of the current record that has its value in the memo file, or is of bytes.
fn on_memo<T>(table: Handle, field: Field, work: impl FnOnce(&mut State, usize, u32) -> Result<T>) -> Result<T> {
    let table = registry::table(table)?;
    table.on_record(|state| {
        let number = fields::number(&table, state, field)?;
        let definition = state.area.fields().get(number).ok_or(AE_INTERNAL_ERROR)?;
        let kind = fields::type_of(state.area.form(), number, table.table_type)?;
        match definition.kind.needs_memo() {
            true if table.hides(state, number) => Err(Failure::new(AE_PERMISSION_NOT_GRANTED, &definition.name)),
            true => work(state, number, kind),
            false => Err(Failure::new(AE_INVALID_FIELD_TYPE, format!("field {} is no memo", definition.name))),
        }
    })
}

/// The bytes of a memo; none if there are none.
fn value(state: &mut State, number: usize) -> Result<Vec<u8>> {
    Ok(state.area.memo_bytes(number)?.unwrap_or_default())
}

pub fn length(table: Handle, field: Field, length: Out<u32>) -> Result<()> {
    let bytes = on_memo(table, field, |state, number, _| Ok(state.area.memo_length(number)?))?;
    length.set(u32::try_from(bytes).unwrap_or(u32::MAX))
}

/// The kind of a memo's value: text (ADS_MEMO) or bytes (ADS_BINARY, ADS_IMAGE).
pub fn data_type(table: Handle, field: Field, kind: Out<u16>) -> Result<()> {
    let found = on_memo(table, field, |_, _, kind| Ok(kind))?;
    kind.set(u16::try_from(found).unwrap_or(0))
}

/// A part of a long value: from an offset as much as fits. The end of the value is no error, being behind it is.
pub fn get_binary(table: Handle, field: Field, offset: u32, buffer: Buffer, length: Out<u32>) -> Result<()> {
    let capacity = length.get()?;
    let bytes = on_memo(table, field, |state, number, _| {
        let value = value(state, number)?;
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
        match value.get(from..) {
            Some(rest) => Ok(rest.get(..capacity as usize).unwrap_or(rest).to_vec()),
            None => Err(Failure::new(AE_INVALID_BINARY_OFFSET, format!("{offset} of {}", value.len()))),
        }
    })?;
    buffer.set_bytes(length, &bytes)
}

pub fn to_file(table: Handle, field: Field, name: Text) -> Result<()> {
    let name = name.string()?;
    let bytes = on_memo(table, field, |state, number, _| value(state, number))?;
    write_file(&name, &bytes)
}

pub fn to_file_wide(table: Handle, field: Field, name: Wide) -> Result<()> {
    let name = name.string()?;
    let bytes = on_memo(table, field, |state, number, _| value(state, number))?;
    write_file(&name, &bytes)
}

fn write_file(name: &str, bytes: &[u8]) -> Result<()> {
    let path = files::in_existing_folder(&files::path_of(name));
    Disk.replace(&path, bytes).map_err(|error| Failure::new(AE_BINARY_FILE_ERROR, error.to_string()))
}

pub fn block_size(table: Handle, size: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    let found = table.without_relation(|state| Ok(state.area.memo_block_size()))?;
    size.set(u16::try_from(found).unwrap_or(u16::MAX))
}
