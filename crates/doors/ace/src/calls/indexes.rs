//! Indexes: opening and closing their files, and the properties of their orders.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mainstay_types::Code;
use mainstay_workarea::{NewOrder, OrderInfo};
use mainstay_xbase::index::BagKind;

use crate::border::*;
use crate::calls::expressions;
use crate::calls::records::Teller;
use crate::calls::{tables, text_search};
use crate::conditions::text_in;
use crate::constants::*;
use crate::failure::{Failure, Result};
use crate::files;
use crate::registry;
use crate::table::{State, Table, is_positioned};

/// The extension of a table type's index files.
pub fn extension(table_type: u32) -> &'static str {
    match table_type {
        ADS_NTX => "ntx",
        ADS_ADT => "adi",
        _ => "cdx",
    }
}

/// The path of an index file that a program names: beside its table, in the connection's folder, along the search path.
fn find(table: &Table, name: &str) -> Option<PathBuf> {
    let asked = files::with_extension(files::path_of(name), extension(table.table_type));
    let beside = table.path.parent().unwrap_or(Path::new("")).join(&asked);
    table.connection.existing(&beside).or_else(|| table.connection.find(name, extension(table.table_type)))
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

/// Returns true if an index file is the structural index of its table.
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

/// Writes the handles, if they all fit; the count is written in any case.
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
    let found = match found {
        None => text_search::named(&table, name.trim_end())?,
        found => found,
    };
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
    let expression = expression.required()?;
    let descending = descending & ADS_DESCENDING != 0;
    let mut wanted = String::new();
    let found = table.with(|state| {
        wanted = plain(&text_in(&*state.area, expression));
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
    if let Ok(words) = registry::words(index) {
        return name.set_text(length, words.tag.as_bytes());
    }
    name.set_text(length, info(index)?.name.as_bytes())
}

pub fn expression(index: Handle, expression: Buffer, length: Out<u16>) -> Result<()> {
    if let Ok(words) = registry::words(index) {
        return expression.set_text(length, words.definition()?.field.as_bytes());
    }
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
    flags.set(options_of(&info(index)?))
}

/// The properties of an order, as the options that would create it.
pub fn options_of(info: &OrderInfo) -> u32 {
    let of = |set: bool, flag: u32| if set { flag } else { 0 };
    of(info.unique, ADS_UNIQUE)
        | of(matches!(info.kind, BagKind::Cdx | BagKind::Adi), ADS_COMPOUND)
        | of(info.custom, ADS_CUSTOM)
        | of(info.descending, ADS_DESCENDING)
        | of(info.candidate, ADS_CANDIDATE)
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
    compound.set(matches!(info(index)?.kind, BagKind::Cdx | BagKind::Adi).into())
}

/// Always 0: no order of these tables is primary, of full text, of the program's own functions, or of NULLs.
pub fn is_never(index: Handle, answer: Out<u16>) -> Result<()> {
    info(index)?;
    answer.set(0)
}

/// Turns an order round, again turns it back; with 0 it is as it was made.
pub fn turn(index: Handle, reverse: u16) -> Result<()> {
    let order = registry::order(index)?;
    order.with(|state, info| {
        let is_turned = state.turned.contains(&order.id);
        let turns = reverse != 0 || is_turned;
        if turns {
            state.area.set_descending(order.id, !info.descending)?;
            state.turned.retain(|id| *id != order.id);
            if !is_turned {
                state.turned.push(order.id);
            }
        }
        Ok(())
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
    let expression = expression.required()?;
    let expression = parent.with(|state| Ok(text_in(&*state.area, expression)))?;
    parent.relate(&child.table, child.id, &expression, scoped)
}

pub fn clear_relations(parent: Handle) -> Result<()> {
    registry::table(parent)?.clear_relations()
}

/// The properties of a new index.
#[derive(Clone, Copy)]
struct Made {
    file: Text,
    tag: Text,
    expression: Text,
    condition: Text,
    while_condition: Text,
    options: u32,
}

fn make(object: Handle, made: Made, index: Out<Handle>) -> Result<()> {
    let (table, within) = registry::table_or_order(object)?;
    // The rows of a static cursor belong to it alone. Their indexes go away with it, whichever file is named.
    let are_rows = table.is_cursor() && table.is_read_only();
    if !are_rows {
        table.check_writable()?;
    }
    index.required()?;
    let known = ADS_INDEX_OPTIONS_MASK;
    if made.options & !known != 0 {
        return Err(Failure::new(AE_INVALID_OPTION, made.options.to_string()));
    }
    if table.char_type > ADS_OEM {
        return Err(Failure::new(AE_NOT_IMPLEMENTED, "an index in a collation"));
    }
    if made.options & (ADS_FTS_INDEX | ADS_USER_DEFINED | ADS_BINARY_INDEX) != 0 {
        return Err(Failure::new(AE_NOT_IMPLEMENTED, "indexes of full text, of functions and of bits"));
    }
    let file = made.file.optional_string();
    let tag = made.tag.optional_string();
    let stem = |path: &Path| path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let path = file.as_deref().map(|name| {
        let asked = files::with_extension(files::path_of(name), extension(table.table_type));
        let beside = table.path.parent().unwrap_or(Path::new("")).join(asked);
        match &table.connection.server {
            // It knows itself under which name the file is there.
            Some(_) => beside,
            None => files::existing(&beside).unwrap_or_else(|| files::in_existing_folder(&beside)),
        }
    });
    let by_file = path.as_deref().map_or_else(|| stem(&table.path), stem);
    // A file with the table's name is the structural index, however it is asked for.
    let path = path.filter(|path| !are_rows && !is_structural(&table, path));
    let expression = made.expression.required()?;
    let texts = [Some(expression), made.condition.optional(), made.while_condition.optional()];
    let [expression, condition, while_condition] = table.with(|state| {
        let text =
            |bytes: Option<Vec<u8>>| bytes.map(|bytes| text_in(&*state.area, bytes)).filter(|text| !text.is_empty());
        Ok(texts.map(text))
    })?;
    let new = NewOrder {
        file: match (path, table.table_type) {
            (Some(path), _) => Some(path),
            (None, ADS_NTX) => Some(table.path.with_extension("ntx")),
            (None, _) => None,
        },
        condition,
        while_condition,
        unique: made.options & ADS_UNIQUE != 0,
        candidate: made.options & ADS_CANDIDATE != 0,
        descending: made.options & ADS_DESCENDING != 0,
        custom: made.options & ADS_CUSTOM != 0,
        visible_only: within.is_some(),
        ..NewOrder::new(&tag.unwrap_or(by_file), &expression.unwrap_or_default())
    };
    let mut teller = Teller::new();
    let handle = table.with(|state| {
        state.area.set_order(within.as_ref().map(|order| order.id))?;
        let id = state.area.create_order(&new, &mut |done, all| teller.tell(done, all)).map_err(not_made)?;
        table.name_orders(state)?;
        let found = state.orders.iter().find(|(known, _)| *known == id).map(|(_, handle)| *handle);
        found.ok_or_else(|| AE_INTERNAL_ERROR.into())
    })?;
    index.set(handle)
}

fn not_made(error: mainstay_types::Error) -> Failure {
    match error.code() {
        Code::Cancelled => Failure::new(AE_OPERATION_ABORTED, "the program's function has stopped it"),
        Code::Busy => Failure::new(AE_TABLE_NOT_EXCLUSIVE, error.to_string()),
        _ => error.into(),
    }
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn create(
    object: Handle,
    file: Text,
    tag: Text,
    expression: Text,
    condition: Text,
    while_condition: Text,
    options: u32,
    index: Out<Handle>,
) -> Result<()> {
    make(object, Made { file, tag, expression, condition, while_condition, options }, index)
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn create_61(
    object: Handle,
    file: Text,
    tag: Text,
    expression: Text,
    condition: Text,
    while_condition: Text,
    options: u32,
    _page_size: u32,
    index: Out<Handle>,
) -> Result<()> {
    make(object, Made { file, tag, expression, condition, while_condition, options }, index)
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn create_90(
    object: Handle,
    file: Text,
    tag: Text,
    expression: Text,
    condition: Text,
    while_condition: Text,
    options: u32,
    _page_size: u32,
    collation: Text,
    index: Out<Handle>,
) -> Result<()> {
    registry::table_or_order(object)?;
    tables::no_collation(collation)?;
    make(object, Made { file, tag, expression, condition, while_condition, options }, index)
}

pub fn delete(index: Handle) -> Result<()> {
    if let Ok(words) = registry::words(index) {
        return text_search::delete(&words);
    }
    let order = registry::order(index)?;
    let table = Arc::clone(&order.table);
    table.check_writable()?;
    order.with(|state, _| {
        state.area.set_order(None)?;
        state.area.delete_order(order.id).map_err(not_made)?;
        table.name_orders(state)
    })
}

/// Adds the current record to a custom order, or takes it out.
fn change_key(index: Handle, add: bool) -> Result<()> {
    let order = registry::order(index)?;
    order.table.check_writable()?;
    order.with(|state, info| {
        if !info.custom {
            return Err(Failure::new(AE_INVALID_INDEX_TYPE, "the index is not a custom one"));
        }
        if !is_positioned(&*state.area) {
            return Err(AE_NO_CURRENT_RECORD.into());
        }
        match add {
            true => state.area.add_key(order.id)?,
            false => state.area.drop_key(order.id)?,
        };
        Ok(())
    })
}

pub fn add_key(index: Handle) -> Result<()> {
    change_key(index, true)
}

pub fn drop_key(index: Handle) -> Result<()> {
    change_key(index, false)
}
