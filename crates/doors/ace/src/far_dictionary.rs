//! Calls about a dictionary of a server: they are run there, with the rights of the connection's user.
//!
//! ```text
//!   AdsDDAddTable( connection, "a", ... ) --> forward: arguments as values ~~~> served: the same call with the server's
//!                                             connection --> code, places ~~~> places of the program
//! ```
//! The argument that follows decides if bytes are input or a place for output: a place for a length belongs to a place
//! for bytes, a length to bytes.

use crate::border::*;
use crate::connection::Connection;
use crate::constants::*;
use crate::failure::{Failure, Result};
use crate::registry;
use mainstay_area_session::Given;
use std::path::Path;

/// An argument of a call, by its type.
#[derive(Clone, Copy, Debug)]
pub enum Argument {
    /// A handle.
    Handle(Handle),
    /// A number.
    Number(u64),
    /// A length.
    Length(u16),
    /// A text up to its NUL.
    Text(Text),
    /// Bytes, or a place for them.
    Bytes(Pointer),
    /// A place for a length.
    LengthPlace(Out<u16>),
    /// A place for a number.
    Place(Out<u32>),
    /// A place for a handle.
    HandlePlace(Out<Handle>),
}

macro_rules! arguments {
    ($($kind:ty, $value:ident => $made:expr;)*) => { $(
        impl From<$kind> for Argument {
            fn from($value: $kind) -> Argument {
                $made
            }
        }
    )* };
}

arguments! {
    Handle, value => Argument::Handle(value);
    u16, value => Argument::Length(value);
    u32, value => Argument::Number(value.into());
    Text, value => Argument::Text(value);
    Buffer, value => Argument::Bytes(value.pointer());
    Pointer, value => Argument::Bytes(value);
    Out<u16>, value => Argument::LengthPlace(value);
    Out<u32>, value => Argument::Place(value);
    Out<Handle>, value => Argument::HandlePlace(value);
}

/// Calls that are about this side of the connection.
const LOCAL: [&str; 1] = ["AdsDDClose"];
/// Calls whose bytes have the type of a text.
const BYTES_AS_TEXT: [&str; 1] = ["AdsDDSetTriggerProperty"];

fn given(name: &str, arguments: &[Argument]) -> Result<Vec<Given>> {
    let mut all = Vec::with_capacity(arguments.len());
    for (at, argument) in arguments.iter().enumerate() {
        let bytes = |pointer: Pointer| match (pointer.is_null(), arguments.get(at + 1)) {
            (true, _) => Ok(Given::Null),
            (_, Some(Argument::LengthPlace(length))) => Ok(Given::Room(length.get()?.into())),
            (_, Some(Argument::Length(length))) => pointer.buffer().bytes(usize::from(*length)).map(Given::Bytes),
            _ => Err(Failure::new(AE_INTERNAL_ERROR, format!("{name} has bytes of no length"))),
        };
        all.push(match argument {
            // The server knows which connection this is.
            Argument::Handle(_) if at == 0 => Given::Number(0),
            Argument::Handle(handle) => Given::Number(handle.0 as u64),
            Argument::Number(number) => Given::Number(*number),
            Argument::Length(number) => Given::Number((*number).into()),
            Argument::Text(text)
                if BYTES_AS_TEXT.contains(&name)
                    && matches!(arguments.get(at + 1), Some(Argument::Length(_)) if at > 1) =>
            {
                bytes(text.pointer())?
            }
            Argument::Text(text) => text.optional().map_or(Given::Null, Given::Text),
            Argument::Bytes(pointer) => bytes(*pointer)?,
            Argument::LengthPlace(place) if place.is_null() => Given::Null,
            Argument::LengthPlace(place) => Given::Place(place.get()?.into()),
            Argument::Place(place) if place.is_null() => Given::Null,
            Argument::Place(place) => Given::Place(place.get()?.into()),
            Argument::HandlePlace(place) if place.is_null() => Given::Null,
            Argument::HandlePlace(_) => Given::Place(0),
        });
    }
    Ok(all)
}

/// Has a server run a call, if its first argument is a connection to a dictionary there; false if it is not.
pub fn forward(name: &str, arguments: &[Argument]) -> Result<bool> {
    let Some(Argument::Handle(handle)) = arguments.first() else { return Ok(false) };
    let Ok(connection) = registry::connection(*handle) else { return Ok(false) };
    let Some(server) = connection.server.as_ref().filter(|_| connection.is_far_dictionary) else { return Ok(false) };
    if LOCAL.contains(&name) {
        return Ok(false);
    }
    let called = server.call(name, given(name, arguments)?)?;
    let mut places = called.places.into_iter();
    for (at, argument) in arguments.iter().enumerate() {
        let has_length = matches!(arguments.get(at + 1), Some(Argument::LengthPlace(_)));
        match argument {
            Argument::Bytes(pointer) if has_length && !pointer.is_null() => {
                if let Some(Given::Bytes(bytes)) = places.next() {
                    pointer.buffer().set_exactly(&bytes)?;
                }
            }
            Argument::LengthPlace(place) if !place.is_null() => {
                if let Some(Given::Place(number)) = places.next() {
                    place.set(u16::try_from(number).unwrap_or(u16::MAX))?;
                }
            }
            Argument::Place(place) if !place.is_null() => {
                if let Some(Given::Place(number)) = places.next() {
                    place.set(u32::try_from(number).unwrap_or(u32::MAX))?;
                }
            }
            Argument::HandlePlace(place) if !place.is_null() => {
                if let (Some(Given::Place(number)), AE_SUCCESS) = (places.next(), called.code) {
                    place.set(Handle(usize::try_from(number).unwrap_or(0)))?;
                }
            }
            _ => {}
        }
    }
    match called.code {
        AE_SUCCESS => Ok(true),
        code => Err(Failure::new(code, called.detail)),
    }
}

/// The address of a dictionary, with the extension that may be left out.
pub fn with_extension(address: &str) -> String {
    let (_, last) = address.rsplit_once('/').unwrap_or(("", address));
    if last.contains('.') { address.to_owned() } else { format!("{address}.add") }
}

/// Makes a dictionary at a server, and connects to it as its administrator.
pub fn create(address: &str, description: &str) -> Result<Connection> {
    let address = with_extension(address);
    let (folder, _) = address.rsplit_once('/').unwrap_or((&address, ""));
    let connection = Connection::open(folder, ADS_REMOTE_SERVER, "", "")?;
    if let Some(server) = &connection.server {
        server.create_dictionary(Path::new(&address), description)?;
    }
    Connection::open(&address, ADS_REMOTE_SERVER, crate::dictionary::contents::ADMINISTRATOR, "")
}

/// Puts a new table into the dictionary; its name there, and none where the user may not, and the table is a free one.
pub fn add_table(
    through: &Connection,
    name: &str,
    path: &Path,
    (table_type, char_type): (u32, u32),
) -> Result<Option<String>> {
    let Some(server) = &through.server else { return Ok(None) };
    let path = server.name(path).to_string_lossy().into_owned();
    let text = |text: &str| Given::Text(text.as_bytes().to_vec());
    let (table_type, char_type) = (Given::Number(table_type.into()), Given::Number(char_type.into()));
    let arguments = vec![Given::Number(0), text(name), text(&path), table_type, char_type, Given::Null, Given::Null];
    let called = server.call("AdsDDAddTable", arguments)?;
    match called.code {
        AE_SUCCESS => Ok(Some(name.to_owned())),
        AE_PERMISSION_DENIED => Ok(None),
        code => Err(Failure::new(code, called.detail)),
    }
}
