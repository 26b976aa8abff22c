//! Indexes: opening and closing their files, and what their orders are.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mainstay_workarea::OrderInfo;
use mainstay_xbase::index::BagKind;

use crate::border::*;
use crate::calls::expressions;
use crate::constants::*;
use crate::failure::{Failure, Result};
use crate::files;
use crate::registry;
use crate::table::{State, Table};

/// The extension of a table type's index files.
pub fn extension(table_type: u32) -> &'static str {
    if table_type == ADS_NTX { "ntx" } else { "cdx" }
}

/// Where an index file is that a program names: beside its table, in the connection's folder, along the search path.
fn find(table: &Table, name: &str) -> Option<PathBuf> {
    let asked = files::with_extension(files::path_of(name), extension(table.table_type));
    let beside = table.path.parent().unwrap_or(Path::new("")).join(&asked);
    files::existing(&beside).or_else(|| table.connection.find(name, extension(table.table_type)))
}

/// Opens an index file and answers the handles of its orders: as many as fit, and how many there are.
pub fn open(table: Handle, name: Text, indexes: Out<Handle>, count: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    let name = name.string()?;
    let capacity = count.get()?;
    let path = find(&table, &name).ok_or_else(|| Failure::new(AE_FILE_NOT_FOUND, name))?;
    let (was_open, handles) = table.with(|state| {
        let was_open = state.area.index_files().contains(&path);
        let ids = state.area.open_index(&path)?;
        table.name_orders(state)?;
        let handle = |id| state.orders.iter().find(|(known, _)| known == id).map(|(_, handle)| *handle);
        Ok((was_open, ids.iter().filter_map(handle).collect::<Vec<Handle>>()))
    })?;
    let fitting = handles.get(..capacity.into()).unwrap_or(&handles);
    if !indexes.is_null() {
        indexes.set_all(fitting)?;
    }
    count.set(u16::try_from(handles.len()).unwrap_or(u16::MAX))?;
    match was_open {
        true => Err(Failure::new(AE_INDEX_ALREADY_OPEN, path.display().to_string())),
        false => Ok(()),
    }
}

/// Whether an index file is the one that is opened with its table.
fn is_structural(table: &Table, file: &Path) -> bool {
    let same_stem = || {
        file.file_stem().map(|stem| stem.to_ascii_lowercase())
            == table.path.file_stem().map(|stem| stem.to_ascii_lowercase())
    };
    table.table_type != ADS_NTX && file.parent() == table.path.parent() && same_stem()
}

pub fn close(index: Handle) -> Result<()> {
    let order = registry::order(index)?;
    let table = Arc::clone(&order.table);
    order.with(|state, info| {
        if is_structural(&table, &info.file) {
            return Err(Failure::new(AE_AUTOOPEN_INDEX, info.file.display().to_string()));
        }
        state.area.close_index(&info.file)?;
        table.name_orders(state)
    })
}

pub fn close_all(table: Handle) -> Result<()> {
    let table = registry::table(table)?;
    table.with(|state| {
        for file in state.area.index_files() {
            if !is_structural(&table, &file) {
                state.area.close_index(&file)?;
            }
        }
        table.name_orders(state)
    })
}

fn handles(state: &State) -> Vec<Handle> {
    state.orders.iter().map(|(_, handle)| *handle).collect()
}

pub fn count(table: Handle, count: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    let orders = table.with(|state| Ok(state.orders.len()))?;
    count.set(u16::try_from(orders).unwrap_or(u16::MAX))
}

pub fn all(table: Handle, indexes: Out<Handle>, count: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    let orders = table.with(|state| Ok(handles(state)))?;
    give_handles(&orders, indexes, count)
}

/// Gives handles, if they all fit; how many there are is said in any case.
pub fn give_handles(handles: &[Handle], place: Out<Handle>, count: Out<u16>) -> Result<()> {
    let capacity: usize = count.get()?.into();
    count.set(u16::try_from(handles.len()).unwrap_or(u16::MAX))?;
    if handles.len() > capacity {
        return Err(Failure::new(AE_INSUFFICIENT_BUFFER, format!("there are {}", handles.len())));
    }
    place.set_all(handles)
}

pub fn by_name(table: Handle, name: Text, index: Out<Handle>) -> Result<()> {
    let table = registry::table(table)?;
    let name = name.string()?;
    let found = table.with(|state| {
        let id = state.area.order_named(name.trim_end());
        Ok(id.and_then(|id| state.orders.iter().find(|(known, _)| *known == id).map(|(_, handle)| *handle)))
    })?;
    index.set(found.ok_or_else(|| Failure::new(AE_INVALID_INDEX_ORDER_NAME, name))?)
}

pub fn by_number(table: Handle, number: u16, index: Out<Handle>) -> Result<()> {
    let table = registry::table(table)?;
    let found = table.with(|state| {
        let place = usize::from(number).checked_sub(1);
        Ok(place.and_then(|place| handles(state).get(place).copied()))
    })?;
    index.set(found.ok_or_else(|| Failure::new(AE_INVALID_INDEX_ORDER, number.to_string()))?)
}

/// The order with a key expression, blanks and case aside.
pub fn by_expression(table: Handle, expression: Text, descending: u32, index: Out<Handle>) -> Result<()> {
    let table = registry::table(table)?;
    let plain = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>().to_uppercase();
    let wanted = plain(&expression.string()?);
    let descending = descending & ADS_DESCENDING != 0;
    let found = table.with(|state| {
        let infos = state.area.orders();
        let info = infos.iter().find(|info| plain(&info.key) == wanted && info.descending == descending);
        Ok(info.and_then(|info| state.orders.iter().find(|(id, _)| *id == info.id).map(|(_, handle)| *handle)))
    })?;
    index.set(found.ok_or_else(|| Failure::new(AE_INDEX_EXPR_NOT_FOUND, wanted))?)
}

pub fn number(index: Handle, number: Out<u16>) -> Result<()> {
    let order = registry::order(index)?;
    let place = order.with(|state, _| Ok(state.orders.iter().position(|(id, _)| *id == order.id)))?;
    let place = place.ok_or_else(|| Failure::new(AE_INVALID_INDEX_HANDLE, "the index was closed"))?;
    number.set(u16::try_from(place + 1).unwrap_or(u16::MAX))
}

fn info(index: Handle) -> Result<OrderInfo> {
    registry::order(index)?.info()
}

pub fn name(index: Handle, name: Buffer, length: Out<u16>) -> Result<()> {
    name.set_text(length, info(index)?.name.as_bytes())
}

pub fn expression(index: Handle, expression: Buffer, length: Out<u16>) -> Result<()> {
    expression.set_text(length, info(index)?.key.as_bytes())
}

pub fn condition(index: Handle, condition: Buffer, length: Out<u16>) -> Result<()> {
    condition.set_text(length, info(index)?.condition.unwrap_or_default().as_bytes())
}

pub fn file_name(index: Handle, option: u16, name: Buffer, length: Out<u16>) -> Result<()> {
    let file = info(index)?.file;
    let part = files::part(&file, option).ok_or_else(|| Failure::new(AE_INVALID_OPTION, option.to_string()))?;
    name.set_text(length, part.as_bytes())
}

pub fn collation(index: Handle, collation: Buffer, length: Out<u16>) -> Result<()> {
    collation.set_text(length, info(index)?.collation.unwrap_or_default().as_bytes())
}

pub fn key_type(index: Handle, kind: Out<u16>) -> Result<()> {
    kind.set(u16::try_from(expressions::number_of(info(index)?.key_kind)).unwrap_or(0))
}

pub fn key_length(index: Handle, length: Out<u16>) -> Result<()> {
    length.set(u16::try_from(info(index)?.key_length).unwrap_or(u16::MAX))
}

pub fn flags(index: Handle, flags: Out<u32>) -> Result<()> {
    let info = info(index)?;
    let of = |set: bool, flag: u32| if set { flag } else { 0 };
    flags.set(
        of(info.unique, ADS_UNIQUE)
            | of(info.kind == BagKind::Cdx, ADS_COMPOUND)
            | of(info.custom, ADS_CUSTOM)
            | of(info.descending, ADS_DESCENDING)
            | of(info.candidate, ADS_CANDIDATE),
    )
}

pub fn page_size(index: Handle, size: Out<u32>) -> Result<()> {
    let kind = info(index)?.kind;
    size.set(if kind == BagKind::Ntx { 1024 } else { 512 })
}

pub fn is_unique(index: Handle, unique: Out<u16>) -> Result<()> {
    unique.set(info(index)?.unique.into())
}

pub fn is_custom(index: Handle, custom: Out<u16>) -> Result<()> {
    custom.set(info(index)?.custom.into())
}

pub fn is_descending(index: Handle, descending: Out<u16>) -> Result<()> {
    descending.set(info(index)?.descending.into())
}

pub fn is_candidate(index: Handle, candidate: Out<u16>) -> Result<()> {
    candidate.set(info(index)?.candidate.into())
}

pub fn is_compound(index: Handle, compound: Out<u16>) -> Result<()> {
    compound.set((info(index)?.kind == BagKind::Cdx).into())
}

/// What no order of these tables is: primary, of full text, of the program's own functions, of NULLs.
pub fn is_never(index: Handle, answer: Out<u16>) -> Result<()> {
    info(index)?;
    answer.set(0)
}

/// Turns an order round, if the parameter is not 0; again turns it back.
pub fn turn(index: Handle, reverse: u16) -> Result<()> {
    let order = registry::order(index)?;
    order.with(|state, info| match reverse {
        0 => Ok(()),
        _ => Ok(state.area.set_descending(order.id, !info.descending)?),
    })
}

pub fn relate(parent: Handle, child: Handle, expression: Text) -> Result<()> {
    relate_as(parent, child, expression, false)
}

pub fn relate_scoped(parent: Handle, child: Handle, expression: Text) -> Result<()> {
    relate_as(parent, child, expression, true)
}

fn relate_as(parent: Handle, child: Handle, expression: Text, scoped: bool) -> Result<()> {
    let parent = registry::table(parent)?;
    let child = registry::order(child)?;
    parent.relate(&child.table, child.id, &expression.string()?, scoped)
}

pub fn clear_relations(parent: Handle) -> Result<()> {
    registry::table(parent)?.clear_relations();
    Ok(())
}
