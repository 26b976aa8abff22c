//! The calls that get and set properties, one for each kind of object: all of them are two functions of `properties`.

use crate::border::*;
use crate::calls::dictionary::checks::Validation;
use crate::calls::dictionary::properties::{Named, get, set, set_validated};
use crate::calls::dictionary::session;
use crate::constants::*;
use crate::dictionary::properties;
use crate::failure::{Failure, Result};

/// Gives a property of an object of a kind to the program.
fn get_of(dictionary: Handle, kind: u32, name: Text, id: u16, value: Pointer, length: Out<u16>) -> Result<()> {
    session(dictionary)?;
    get(dictionary, &Named::new(kind, name.string()?), id, value, length)
}

macro_rules! get_of_kind {
    ($($get:ident $kind:expr;)*) => {
        $(pub fn $get(dictionary: Handle, name: Text, id: u16, value: Pointer, length: Out<u16>) -> Result<()> {
            get_of(dictionary, $kind, name, id, value, length)
        })*
    };
}

macro_rules! set_of_kind {
    ($($set:ident $kind:expr;)*) => {
        $(pub fn $set(dictionary: Handle, name: Text, id: u16, value: Pointer, length: u16) -> Result<()> {
            session(dictionary)?;
            set(dictionary, &Named::new($kind, name.optional_string().unwrap_or_default()), id, value, length)
        })*
    };
}

get_of_kind! {
    of_link ADS_DD_LINK_OBJECT;
    of_procedure ADS_DD_PROCEDURE_OBJECT;
    of_publication ADS_DD_PUBLICATION_OBJECT;
    of_subscription ADS_DD_SUBSCRIPTION_OBJECT;
    of_table ADS_DD_TABLE_OBJECT;
    of_group ADS_DD_USER_GROUP_OBJECT;
    of_user ADS_DD_USER_OBJECT;
    of_view ADS_DD_VIEW_OBJECT;
}

set_of_kind! {
    set_of_procedure ADS_DD_PROCEDURE_OBJECT;
    set_of_publication ADS_DD_PUBLICATION_OBJECT;
    set_of_subscription ADS_DD_SUBSCRIPTION_OBJECT;
    set_of_group ADS_DD_USER_GROUP_OBJECT;
    set_of_user ADS_DD_USER_OBJECT;
    set_of_view ADS_DD_VIEW_OBJECT;
}

pub fn of_database(dictionary: Handle, id: u16, value: Pointer, length: Out<u16>) -> Result<()> {
    get(dictionary, &Named::new(ADS_DD_DATABASE_OBJECT, String::new()), id, value, length)
}

pub fn set_of_database(dictionary: Handle, id: u16, value: Pointer, length: u16) -> Result<()> {
    set(dictionary, &Named::new(ADS_DD_DATABASE_OBJECT, String::new()), id, value, length)
}

/// A field, an order or an index file of a table, or an article of a publication.
fn within(dictionary: Handle, kind: u32, parent: Text, name: Text) -> Result<Named> {
    session(dictionary)?;
    Ok(Named { kind, parent: parent.string()?, name: name.string()? })
}

macro_rules! within_kind {
    ($($get:ident $kind:expr;)*) => {
        $(pub fn $get(
            dictionary: Handle,
            parent: Text,
            name: Text,
            id: u16,
            value: Pointer,
            length: Out<u16>,
        ) -> Result<()> {
            get(dictionary, &within(dictionary, $kind, parent, name)?, id, value, length)
        })*
    };
}

within_kind! {
    of_table_field ADS_DD_FIELD_OBJECT;
    of_table_index ADS_DD_INDEX_OBJECT;
    of_index_file ADS_DD_INDEX_FILE_OBJECT;
    of_article ADS_DD_ARTICLE_OBJECT;
}

pub fn set_of_index(dictionary: Handle, table: Text, name: Text, id: u16, value: Pointer, length: u16) -> Result<()> {
    set(dictionary, &within(dictionary, ADS_DD_INDEX_OBJECT, table, name)?, id, value, length)
}

pub fn set_of_article(
    dictionary: Handle,
    publication: Text,
    name: Text,
    id: u16,
    value: Pointer,
    length: u16,
) -> Result<()> {
    set(dictionary, &within(dictionary, ADS_DD_ARTICLE_OBJECT, publication, name)?, id, value, length)
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn set_of_field(
    dictionary: Handle,
    table: Text,
    name: Text,
    id: u16,
    value: Pointer,
    length: u16,
    option: u16,
    fail_table: Text,
) -> Result<()> {
    let named = within(dictionary, ADS_DD_FIELD_OBJECT, table, name)?;
    set_validated(dictionary, &named, id, value, length, &Validation::new(option, fail_table)?)
}

pub fn set_of_table(
    dictionary: Handle,
    table: Text,
    id: u16,
    value: Pointer,
    length: u16,
    option: u16,
    fail_table: Text,
) -> Result<()> {
    session(dictionary)?;
    let named = Named::new(ADS_DD_TABLE_OBJECT, table.string()?);
    set_validated(dictionary, &named, id, value, length, &Validation::new(option, fail_table)?)
}

pub fn of_trigger(dictionary: Handle, name: Text, id: u16, value: Pointer, length: Out<u16>) -> Result<()> {
    session(dictionary)?;
    get(dictionary, &Named::trigger(&name.string()?), id, value, length)
}

pub fn set_of_trigger(dictionary: Handle, name: Text, id: u16, value: Text, length: u16) -> Result<()> {
    session(dictionary)?;
    set(dictionary, &Named::trigger(&name.string()?), id, value.pointer(), length)
}

pub fn of_relation_as_buffer(dictionary: Handle, name: Text, id: u16, value: Buffer, length: Out<u16>) -> Result<()> {
    get_of(dictionary, ADS_DD_RELATION_OBJECT, name, id, value.pointer(), length)
}

/// An object of any kind, with what it is of.
fn any(kind: u16, parent: Text, name: Text) -> Result<Named> {
    let kind = u32::from(kind);
    let name = name.optional_string().unwrap_or_default();
    Ok(match kind {
        ADS_DD_TRIGGER_OBJECT if name.contains("::") => Named::trigger(&name),
        ADS_DD_FUNCTION_OBJECT if name.contains("::") => Named::function(&name),
        kind if properties::kind_name(kind).is_some() => {
            Named { kind, parent: parent.optional_string().unwrap_or_default(), name }
        }
        other => return Err(Failure::new(AE_INVALID_OBJECT_TYPE, other.to_string())),
    })
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn of_object(
    dictionary: Handle,
    kind: u16,
    parent: Text,
    name: Text,
    id: u16,
    value: Pointer,
    length: Out<u16>,
) -> Result<()> {
    session(dictionary)?;
    get(dictionary, &any(kind, parent, name)?, id, value, length)
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn set_of_object(
    dictionary: Handle,
    kind: u16,
    parent: Text,
    name: Text,
    id: u16,
    value: Pointer,
    length: u16,
) -> Result<()> {
    session(dictionary)?;
    set(dictionary, &any(kind, parent, name)?, id, value, length)
}
