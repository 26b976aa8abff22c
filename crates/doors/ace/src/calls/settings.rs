//! Settings, errors, callbacks, and the type of a handle.

use crate::border::*;
use crate::constants::*;
use crate::dates;
use crate::failure::{self, Failure, Result};
use crate::registry::{self, Object};
use crate::settings::{self, Progress};
use crate::{calls, constants};

/// The version that the library reports: that of the interface, not its own.
const VERSION: (u32, u32) = (12, 0);

pub fn set_date_format(format: Text) -> Result<()> {
    let format = checked_mask(format)?;
    settings::change(|settings| settings.date_format = format);
    Ok(())
}

pub fn get_date_format(format: Buffer, length: Out<u16>) -> Result<()> {
    format.set_text(length, settings::date_format().as_bytes())
}

/// Sets the date format of a connection; with 0 that of all connections without a format of their own.
pub fn set_date_format_of(connection: Handle, format: Text) -> Result<()> {
    if connection == Handle(0) {
        return set_date_format(format);
    }
    let connection = registry::connection(connection)?;
    connection.set_date_format(checked_mask(format)?);
    Ok(())
}

/// As [`set_date_format_of`].
pub fn get_date_format_of(connection: Handle, format: Buffer, length: Out<u16>) -> Result<()> {
    if connection == Handle(0) {
        return get_date_format(format, length);
    }
    let connection = registry::connection(connection)?;
    format.set_text(length, connection.date_format().as_bytes())
}

fn checked_mask(format: Text) -> Result<String> {
    let format = format.string()?;
    match dates::is_mask(&format) {
        true => Ok(format),
        false => Err(Failure::new(AE_INVALID_DATEFORMAT, format)),
    }
}

pub fn set_epoch(century: u16) -> Result<()> {
    if !(100..=9900).contains(&century) {
        return Err(Failure::new(AE_INVALID_CENTURY, century.to_string()));
    }
    settings::change(|settings| settings.epoch = century);
    Ok(())
}

pub fn get_epoch(century: Out<u16>) -> Result<()> {
    century.set(settings::read(|settings| settings.epoch))
}

pub fn set_decimals(decimals: u16) -> Result<()> {
    if decimals > 18 {
        return Err(Failure::new(AE_INVALID_DECIMALS, decimals.to_string()));
    }
    settings::change(|settings| settings.decimals = decimals);
    Ok(())
}

pub fn get_decimals(decimals: Out<u16>) -> Result<()> {
    decimals.set(settings::read(|settings| settings.decimals))
}

pub fn set_exact(exact: u16) -> Result<()> {
    settings::change(|settings| settings.exact = exact != 0);
    Ok(())
}

pub fn get_exact(exact: Out<u16>) -> Result<()> {
    exact.set(settings::read(|settings| settings.exact).into())
}

pub fn set_exact_of(object: Handle, exact: u16) -> Result<()> {
    known(object)?;
    set_exact(exact)
}

pub fn get_exact_of(object: Handle, exact: Out<u16>) -> Result<()> {
    known(object)?;
    get_exact(exact)
}

pub fn show_deleted(show: u16) -> Result<()> {
    settings::change(|settings| settings.show_deleted = show != 0);
    Ok(())
}

pub fn get_deleted(show: Out<u16>) -> Result<()> {
    show.set(settings::read(|settings| settings.show_deleted).into())
}

pub fn set_default(path: Text) -> Result<()> {
    let path = path.optional().map(text_of).unwrap_or_default();
    settings::change(|settings| settings.default_path = path);
    Ok(())
}

pub fn get_default(path: Buffer, length: Out<u16>) -> Result<()> {
    path.set_text(length, settings::read(|settings| settings.default_path.clone()).as_bytes())
}

pub fn clear_default() -> Result<()> {
    settings::change(|settings| settings.default_path = String::new());
    Ok(())
}

pub fn set_search_path(path: Text) -> Result<()> {
    let path = path.optional().map(text_of).unwrap_or_default();
    settings::change(|settings| settings.search_path = path);
    Ok(())
}

pub fn get_search_path(path: Buffer, length: Out<u16>) -> Result<()> {
    path.set_text(length, settings::read(|settings| settings.search_path.clone()).as_bytes())
}

pub fn set_server_type(types: u16) -> Result<()> {
    let known = ADS_LOCAL_SERVER | ADS_REMOTE_SERVER | ADS_AIS_SERVER;
    if types == 0 || u32::from(types) & !known != 0 {
        return Err(Failure::new(AE_INVALID_OPTION, format!("{types} is no sum of server types")));
    }
    settings::change(|settings| settings.server_types = types);
    Ok(())
}

/// The library works on local tables, which cannot be disabled.
pub fn disable_local_connections() -> Result<()> {
    Err(Failure::new(AE_NOT_IMPLEMENTED, "local connections cannot be disabled"))
}

pub fn null_terminate_strings(terminate: u16) -> Result<()> {
    settings::change(|settings| settings.null_terminate = terminate != 0);
    Ok(())
}

/// Rights are those of the files, and always checked by the system.
pub fn set_rights_checking(options: u32) -> Result<()> {
    match options {
        ADS_RESPECT_RIGHTS_CHECKING | ADS_IGNORE_RIGHTS_CHECKING => Ok(()),
        _ => Err(Failure::new(AE_INVALID_RIGHTSOPTION, options.to_string())),
    }
}

/// A hint; everything is cached that may be.
pub fn cache_hint(_: u16) -> Result<()> {
    Ok(())
}

pub fn get_version(
    major: Out<u32>,
    minor: Out<u32>,
    letter: Out<u8>,
    description: Buffer,
    length: Out<u16>,
) -> Result<()> {
    major.set(VERSION.0)?;
    minor.set(VERSION.1)?;
    letter.set(b' ')?;
    description.set_text(length, concat!("Mainstay ", env!("CARGO_PKG_VERSION")).as_bytes())
}

/// A code's words, and its number as people look it up.
fn message(code: u32, detail: &str) -> String {
    // The SQL engine's errors are whole sentences, which programs take apart.
    if detail.starts_with(&format!("Error {code}:")) {
        return detail.to_owned();
    }
    let words = constants::error_words(code).unwrap_or_else(|| "unknown error".to_owned());
    let mut message = format!("Error {code}:  {words}");
    if !detail.is_empty() {
        message.push_str(". ");
        message.push_str(detail);
    }
    message
}

/// Gives a message as far as it fits: its reader wants what there is, not an error about an error.
fn give_message(buffer: Buffer, length: Out<u16>, message: &str) -> Result<()> {
    if length.is_null() || buffer.is_null() {
        return Ok(());
    }
    match buffer.set_text(length, message.as_bytes()) {
        Err(short) if short.code == AE_INSUFFICIENT_BUFFER => Ok(()),
        answer => answer,
    }
}

pub fn get_error_string(code: u32, buffer: Buffer, length: Out<u16>) -> Result<()> {
    if length.is_null() || buffer.is_null() {
        return Err(AE_INVALID_POINTER.into());
    }
    buffer.set_text(length, message(code, "").as_bytes())
}

pub fn get_last_error(code: Out<u32>, buffer: Buffer, length: Out<u16>) -> Result<()> {
    let (last, detail) = failure::last().map_or((AE_SUCCESS, String::new()), |last| (last.code, last.into_detail()));
    code.set_if_given(last);
    let text = if last == AE_SUCCESS { String::new() } else { message(last, &detail) };
    give_message(buffer, length, &text)
}

pub fn clear_last_error() -> Result<()> {
    failure::keep(None);
    Ok(())
}

pub fn set_last_error(code: u32, details: Text) -> Result<()> {
    let detail = details.optional().map(text_of).unwrap_or_default();
    failure::keep((code != AE_SUCCESS).then(|| Failure::new(code, detail)));
    Ok(())
}

/// A library without a window shows errors in its log.
pub fn show_error(title: Text) -> Result<()> {
    let title = title.optional().map(text_of).unwrap_or_default();
    let (code, detail) = failure::last().map_or((AE_SUCCESS, String::new()), |last| (last.code, last.into_detail()));
    crate::log::write(&format!("{title}: {}", message(code, &detail)));
    Ok(())
}

pub fn register_callback(callback: Callback, id: u32) -> Result<()> {
    if !callback.is_given() {
        return Err(AE_INVALID_CALLBACK.into());
    }
    settings::change(|settings| settings.progress = Progress::Numbered(callback, id));
    Ok(())
}

pub fn register_callback_101(callback: Callback101, id: i64) -> Result<()> {
    if !callback.is_given() {
        return Err(AE_INVALID_CALLBACK.into());
    }
    settings::change(|settings| settings.progress = Progress::Wide(callback, id));
    Ok(())
}

pub fn register_progress_callback(callback: ProgressCallback) -> Result<()> {
    if !callback.is_given() {
        return Err(AE_INVALID_CALLBACK.into());
    }
    settings::change(|settings| settings.progress = Progress::Plain(callback));
    Ok(())
}

pub fn clear_callback() -> Result<()> {
    settings::change(|settings| settings.progress = Progress::Nobody);
    Ok(())
}

pub fn get_handle_type(object: Handle, kind: Out<u16>) -> Result<()> {
    let found = registry::find(object).and_then(|object| object.kind());
    let found = found.ok_or_else(|| Failure::new(AE_INVALID_HANDLE, "the handle is none"))?;
    kind.set(u16::try_from(found).unwrap_or(0))
}

pub fn get_handle_long(object: Handle, value: Out<u32>) -> Result<()> {
    value.set(registry::note(object)? as u32)
}

pub fn set_handle_long(object: Handle, value: u32) -> Result<()> {
    registry::set_note(object, value.into())
}

pub fn get_handle_int64(object: Handle, value: Out<u64>) -> Result<()> {
    value.set(registry::note(object)?)
}

pub fn set_handle_int64(object: Handle, value: u64) -> Result<()> {
    registry::set_note(object, value)
}

/// Threads need no farewell here: what they leave is theirs alone and goes with them.
pub fn thread_exit() -> Result<()> {
    Ok(())
}

pub fn validate_thread() -> Result<()> {
    Ok(())
}

/// Closes what the program has left open: tables first, which write what is pending.
pub fn application_exit() -> Result<()> {
    calls::tables::close_all()?;
    let others: Vec<Handle> =
        registry::all(|handle, object| (!matches!(object, Object::Table(_) | Object::Order(_))).then_some(handle));
    for handle in others {
        registry::remove(handle);
    }
    Ok(())
}

fn known(object: Handle) -> Result<()> {
    registry::find(object).map(|_| ()).ok_or_else(|| Failure::new(AE_INVALID_HANDLE, "the handle is none"))
}
