//! Full text search: the word indexes of a table.
//!
//! `CONTAINS()` in filters uses these indexes; their handles serve to read their properties. Source: the pages
//! "AdsCreateFTSIndex", "AdsGetFTSIndexInfo" and "Full Text Search Index Options" of the public manual. Limits: the
//! file that a program names is not created; all word indexes of a table are in the file that
//! `docs/formats/word-indexes.md` describes. Defaults in a data dictionary are not used.

use std::sync::Arc;

use mainstay_full_text::{self as full_text, Options};
use mainstay_types::Code;
use mainstay_workarea::WordIndex;

use crate::border::*;
use crate::calls::indexes::give_handles;
use crate::calls::tables;
use crate::constants::*;
use crate::failure::{Failure, Result};
use crate::registry::{self, Object};
use crate::table::{State, Table};
use crate::words::Words;

/// The greatest length of the words of an index.
const LONGEST: u32 = 1000;

/// The default characters and those that the program adds, or the program's alone.
fn characters(default: &str, use_default: u16, given: Text, encoding: u32) -> Result<String> {
    let given = if given.is_null() { String::new() } else { given.pointer().encoded(encoding)? };
    let separator = if default == full_text::NOISE { " " } else { "" };
    Ok(if use_default == 0 { given } else { format!("{default}{separator}{given}") })
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn create(
    table: Handle,
    _file: Text,
    tag: Text,
    field: Text,
    _page_size: u32,
    shortest: u32,
    longest: u32,
    use_delimiters: u16,
    delimiters: Text,
    use_noise: u16,
    noise: Text,
    use_dropped: u16,
    dropped: Text,
    use_conditional: u16,
    conditional: Text,
    collation: Text,
    _reserved: Text,
    options: u32,
) -> Result<()> {
    let table = registry::table(table)?;
    table.check_writable()?;
    tables::no_collation(collation)?;
    if table.table_type == ADS_NTX || table.is_cursor() {
        let reason = "an index of words is one of an ADS_CDX or ADS_VFP table";
        return Err(Failure::new(AE_INVALID_TABLETYPE, reason));
    }
    let (tag, field) = (tag.string()?.trim().to_owned(), field.string()?.trim().to_owned());
    if tag.is_empty() || shortest > longest || longest == 0 || longest > LONGEST {
        return Err(Failure::new(AE_INVALID_VALUE, format!("the tag {tag}, words of {shortest} to {longest}")));
    }
    let encoding = if options & ADS_FTS_ENCODE_UTF16 != 0 { ADS_ENCODE_UTF16 } else { 0 };
    let new = WordIndex {
        tag,
        field,
        options: Options {
            shortest,
            longest,
            delimiters: characters(full_text::DELIMITERS, use_delimiters, delimiters, encoding)?,
            noise: characters(full_text::NOISE, use_noise, noise, encoding)?,
            dropped: characters(full_text::DROPPED, use_dropped, dropped, encoding)?,
            conditional: characters(full_text::CONDITIONAL, use_conditional, conditional, encoding)?,
            is_case_sensitive: options & ADS_FTS_CASE_SENSITIVE != 0,
            keeps_numbers: options & ADS_FTS_PROTECT_NUMBERS != 0,
        },
        is_fixed: options & ADS_FTS_FIXED != 0,
        keeps_score: options & ADS_FTS_KEEP_SCORE != 0,
    };
    table.with(|state| {
        table.check_value(state, &new.field)?;
        state.area.create_word_index(&new).map_err(|error| match error.code() {
            Code::Unsupported => Failure::new(AE_INVALID_FIELD_TYPE, error.to_string()),
            _ => error.into(),
        })
    })
}

/// The names of a table's indexes of words.
fn tags(state: &mut State) -> Result<Vec<String>> {
    Ok(state.area.word_indexes()?.into_iter().map(|index| index.tag).collect())
}

/// The handle of an index, which stays the same while the table is open.
fn handle_of(table: &Arc<Table>, state: &mut State, tag: &str) -> Result<Handle> {
    if let Some((_, handle)) = state.words.iter().find(|(known, _)| known.eq_ignore_ascii_case(tag)) {
        return Ok(*handle);
    }
    let words = Words { table: Arc::clone(table), tag: tag.to_owned() };
    let handle = registry::add(Object::Words(Arc::new(words)))?;
    state.words.push((tag.to_owned(), handle));
    Ok(handle)
}

/// The handle of the index of words with a name.
pub fn named(table: &Arc<Table>, name: &str) -> Result<Option<Handle>> {
    table.with(|state| {
        let found = tags(state)?.into_iter().find(|tag| tag.eq_ignore_ascii_case(name));
        found.map(|tag| handle_of(table, state, &tag)).transpose()
    })
}

pub fn all(table: Handle, indexes: Out<Handle>, count: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    let handles = table.with(|state| {
        let tags = tags(state)?;
        tags.iter().map(|tag| handle_of(&table, state, tag)).collect::<Result<Vec<Handle>>>()
    })?;
    give_handles(&handles, indexes, count)
}

pub fn count(table: Handle, count: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    let tags = table.with(tags)?;
    count.set(u16::try_from(tags.len()).unwrap_or(u16::MAX))
}

pub fn is_one(index: Handle, answer: Out<u16>) -> Result<()> {
    let is_one = registry::words(index).is_ok();
    if !is_one {
        registry::order(index)?.info()?;
    }
    answer.set(is_one.into())
}

pub fn delete(words: &Words) -> Result<()> {
    words.table.check_writable()?;
    words.table.with(|state| {
        let is_gone = state.area.delete_word_index(&words.tag)?;
        let gone = state.words.iter().position(|(tag, _)| tag.eq_ignore_ascii_case(&words.tag));
        if let Some((_, handle)) = gone.map(|at| state.words.remove(at)) {
            registry::remove(handle);
        }
        match is_gone {
            true => Ok(()),
            false => Err(Failure::new(AE_INVALID_INDEX_HANDLE, "the index was deleted")),
        }
    })
}

pub fn rebuild(object: Handle, _page_size: u32) -> Result<()> {
    let table = registry::table(object)?;
    table.check_writable()?;
    table.with(|state| Ok(state.area.rebuild_word_indexes()?))
}

/// The definition of an index: its texts one after the other in the caller's buffer, and the place of each of them.
#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn info(
    index: Handle,
    output: Buffer,
    length: Out<u32>,
    field: Out<Pointer>,
    shortest: Out<u32>,
    longest: Out<u32>,
    delimiters: Out<Pointer>,
    noise: Out<Pointer>,
    dropped: Out<Pointer>,
    conditional: Out<Pointer>,
    _reserved: Out<Pointer>,
    _reserved_2: Out<Pointer>,
    options: Out<u32>,
) -> Result<()> {
    let found = registry::words(index)?.definition()?;
    let texts = [
        (&found.field, field),
        (&found.options.delimiters, delimiters),
        (&found.options.noise, noise),
        (&found.options.dropped, dropped),
        (&found.options.conditional, conditional),
    ];
    let (mut bytes, mut places) = (Vec::new(), Vec::new());
    for (text, place) in texts {
        places.push((bytes.len(), place));
        bytes.extend(text.bytes());
        bytes.push(0);
    }
    let room = length.get()?;
    length.set(u32::try_from(bytes.len()).unwrap_or(u32::MAX))?;
    if bytes.len() > room as usize {
        return Err(Failure::new(AE_INSUFFICIENT_BUFFER, format!("{} bytes are needed", bytes.len())));
    }
    output.set_exactly(&bytes)?;
    for (offset, place) in places {
        place.set_if_given(output.place(offset));
    }
    shortest.set_if_given(found.options.shortest);
    longest.set_if_given(found.options.longest);
    options.set_if_given(options_of(&found));
    Ok(())
}

fn options_of(index: &WordIndex) -> u32 {
    let flags = [
        (index.is_fixed, ADS_FTS_FIXED),
        (index.options.is_case_sensitive, ADS_FTS_CASE_SENSITIVE),
        (index.keeps_score, ADS_FTS_KEEP_SCORE),
        (index.options.keeps_numbers, ADS_FTS_PROTECT_NUMBERS),
    ];
    flags.iter().filter(|(is_set, _)| *is_set).fold(ADS_FTS_INDEX, |all, (_, flag)| all | flag)
}
