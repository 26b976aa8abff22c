//! The cursors of a session: opening them, asking for rows, and taking the rows that come.

use crate::cell::{Cell, read_cell};
use crate::cursor::Cursor;
use crate::execution::{Execute, Execution};
use crate::group::{Answer, Group};
use crate::insert_rows::column_types;
use crate::link::{Fault, Link};
use crate::rows::RowBlock;
use crate::smart_lobs::SmartLobs;
use crate::statements::Prepared;
use crate::tuple::{Tuple, tuple};
use mainstay_sqli::{Context, Features, Fetch, Request, ScrollHow, SimpleLob, WireError};
use mainstay_types::Value;
use std::collections::HashMap;

/// The largest fetch buffer where its size has two bytes.
const NARROW_FETCH: u32 = 32_767;

/// The target of a scroll cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scrolling {
    /// So many rows from this one, counted from 1.
    Rows(u32, u32),
    /// The last row.
    Last,
}

/// A value of a row that has to be fetched.
enum Wanted {
    /// The descriptor of a TEXT or BYTE value.
    Simple([u8; SimpleLob::BYTES]),
    /// The locator of a BLOB or CLOB value.
    Smart(Vec<u8>),
}

/// The size of a fetch buffer, as far as the server can read it.
fn fetch_bytes(wanted: u32, features: Features) -> u32 {
    let bytes = wanted.max(1);
    if features.wide_fetch { bytes } else { bytes.min(NARROW_FETCH) }
}

/// The cursors that are open, by their numbers.
pub(crate) struct Cursors {
    all: HashMap<u32, Cursor>,
    last_name: u64,
}

impl Cursors {
    /// No cursors.
    pub fn new() -> Cursors {
        Cursors { all: HashMap::new(), last_name: 1 }
    }

    pub fn get(&self, number: u32) -> Option<&Cursor> {
        self.all.get(&number)
    }

    /// Takes a cursor out, whose statement is to be kept or released.
    pub fn remove(&mut self, number: u32) -> Option<Cursor> {
        self.all.remove(&number)
    }

    /// Forgets all of them: the connection has ended.
    pub fn clear(&mut self) {
        self.all.clear();
    }

    /// The transaction has ended: the server has closed all without HOLD.
    pub fn end_transaction(&mut self) {
        for cursor in self.all.values_mut().filter(|cursor| !cursor.is_held) {
            cursor.is_ended = true;
            cursor.is_closed = true;
        }
    }

    /// The name of a cursor that the caller gives none.
    fn new_name(&mut self) -> String {
        self.last_name += 1;
        format!("_ifxc{:013}", self.last_name)
    }

    /// Opens the cursor of a query, and asks for its first rows.
    pub fn open(&mut self, execution: &Execution, prepared: Prepared, buffer_bytes: u32, link: &mut Link) {
        let number = execution.cursor;
        let Execute { rows, is_scrolling, is_held, is_for_update, keeps_locators, name, .. } = &execution.execute;
        let mut cursor = Cursor::new(prepared, fetch_bytes(buffer_bytes, link.context.features));
        cursor.is_scrolling = *is_scrolling;
        (cursor.is_held, cursor.keeps_locators) = (*is_held, *keeps_locators);
        cursor.reads_ahead = !is_scrolling && !is_for_update && cursor.layout.lobs.is_empty();
        let id = cursor.statement.id;
        link.put(&Request::Statement(id));
        let name = name.clone().unwrap_or_else(|| self.new_name());
        link.put(&Request::CursorName(name));
        if let Some(row) = rows.first().filter(|row| !row.is_empty()) {
            link.output.extend_from_slice(&row.bytes);
        }
        if *is_scrolling {
            link.put(&Request::Scroll);
        }
        if *is_held {
            link.put(&Request::Hold);
        }
        link.put(&Request::Open);
        if cursor.layout.has_locators {
            link.put(&Request::Statement(id));
            link.put(&Request::ReturnTypes { is_output: true, types: cursor.layout.return_types() });
        }
        let first = (!is_scrolling).then_some(cursor.buffer_bytes);
        if let Some(buffer_bytes) = first {
            link.put(&Request::Statement(id));
            link.put(&Request::Fetch(Fetch { scroll: None, buffer_bytes }));
            cursor.outstanding.push_back(link.sent + 1);
        }
        link.end_group(Group::Open(number));
        // Rows that are fetched ahead are not waited for.
        link.wait_for_all();
        let reads_ahead = cursor.reads_ahead;
        self.all.insert(number, cursor);
        if reads_ahead {
            self.fetch_more(number, link);
        }
    }

    /// Opens the insert cursor of an INSERT that was prepared.
    pub fn open_insert(&mut self, number: u32, prepared: Prepared, link: &mut Link) {
        link.put(&Request::Statement(prepared.id));
        link.put(&Request::CursorName(self.new_name()));
        link.put(&Request::Open);
        link.put(&Request::ReturnTypes { is_output: false, types: column_types(&prepared.layout) });
        link.end_group(Group::OpenInsert(number));
        self.all.insert(number, Cursor::new(prepared, 0));
        link.wait_for_all();
    }

    /// Collects a row for an insert cursor, and returns how many bytes are collected.
    pub fn collect_row(&mut self, number: u32, values: &[Value], context: &Context) -> Result<usize, WireError> {
        let Some(cursor) = self.all.get_mut(&number) else {
            return Err(WireError::Value("the insert cursor was closed"));
        };
        cursor.insert_rows.collect(&cursor.layout, values, context)
    }

    /// Sends the rows that were collected for an insert cursor; true if there are any.
    pub fn put(&mut self, number: u32, link: &mut Link) -> bool {
        let Some(cursor) = self.all.get_mut(&number) else { return false };
        let (rows, id) = (cursor.insert_rows.take(), cursor.statement.id);
        if cursor.is_closed {
            link.refuse("the insert cursor was closed at the end of the transaction");
            return false;
        }
        if !rows.is_empty() {
            link.put(&Request::Statement(id));
            link.output.extend_from_slice(&rows);
            link.end_group(Group::Put);
        }
        link.wait_for_all();
        !rows.is_empty()
    }

    /// Asks for the next rows of a cursor.
    fn fetch_more(&mut self, number: u32, link: &mut Link) {
        let Some(cursor) = self.all.get_mut(&number) else { return };
        cursor.outstanding.push_back(link.sent + 1);
        let fetch = Request::Fetch(Fetch { scroll: None, buffer_bytes: cursor.buffer_bytes });
        link.send(&[Request::Statement(cursor.statement.id), fetch], Group::Fetch(number));
    }

    /// Fetches the next rows of a cursor, unless rows have come or none are left.
    pub fn fetch(&mut self, number: u32, link: &mut Link) {
        let Some(cursor) = self.all.get_mut(&number) else { return };
        if !cursor.block.is_empty() {
            return;
        }
        if let Some(failure) = cursor.failure.take() {
            link.fault = Some(Fault::Server(failure));
            return;
        }
        if cursor.is_ended {
            return;
        }
        link.fetching = Some(number);
        let wanted = if cursor.reads_ahead { 2 } else { 1 };
        for _ in cursor.outstanding.len()..wanted {
            self.fetch_more(number, link);
        }
        let first = self.all.get(&number).and_then(|cursor| cursor.outstanding.front().copied());
        link.done_at = first.unwrap_or(link.answered);
    }

    /// Fetches rows of a scroll cursor into its block.
    pub fn scroll(&mut self, number: u32, target: Scrolling, link: &mut Link) {
        let Some(cursor) = self.all.get_mut(&number) else { return };
        cursor.block = RowBlock::default();
        cursor.last_number = None;
        if cursor.is_ended && cursor.is_closed {
            return link.refuse("the cursor was closed at the end of the transaction");
        }
        let (id, buffer_bytes) = (cursor.statement.id, cursor.buffer_bytes);
        let (how, first, count) = match target {
            Scrolling::Rows(first, count) => (ScrollHow::Absolute, first, count),
            Scrolling::Last => (ScrollHow::Last, 0, 1),
        };
        cursor.first_row = first;
        for row in first..first.saturating_add(count) {
            let scroll = Some((how, i32::try_from(row).unwrap_or(i32::MAX)));
            let fetch = Request::Fetch(Fetch { scroll, buffer_bytes });
            link.send(&[Request::Statement(id), fetch], Group::Scroll(number, row));
        }
        link.wait_for_all();
    }

    /// Takes the rows of a cursor that have come.
    pub fn take_rows(&mut self, number: u32) -> RowBlock {
        self.all.get_mut(&number).map(|cursor| std::mem::take(&mut cursor.block)).unwrap_or_default()
    }

    /// Appends the rows at the start of bytes to their cursor, which is looked up once for all of them. Returns how many
    /// bytes they have.
    pub fn read_rows(&mut self, bytes: &[u8], link: &mut Link) -> Result<usize, WireError> {
        let Some(Group::Open(number) | Group::Fetch(number)) = link.groups.front() else { return Ok(0) };
        let Some(cursor) = self.all.get_mut(number) else { return Ok(0) };
        if cursor.outstanding.front() != Some(&(link.answered + 1)) {
            return Ok(0);
        }
        let mut used = 0;
        while let Some(Tuple::Row { values, used: count }) = tuple(bytes.get(used..).unwrap_or_default())? {
            if used == 0 {
                // An upper bound: the heads of the rows are included.
                cursor.block.reserve(bytes.len(), count);
            }
            cursor.push(values)?;
            link.answer.rows += 1;
            used += count;
        }
        Ok(used)
    }

    /// A row.
    pub fn row(&mut self, bytes: &[u8], link: &mut Link) -> Result<(), WireError> {
        let stray = WireError::Malformed("a row that nobody has asked for");
        let (number, scrolled) = match link.groups.front() {
            Some(Group::Open(number) | Group::Fetch(number)) => (*number, None),
            Some(Group::Scroll(number, row)) => (*number, Some(link.answer.row_number.unwrap_or(*row))),
            Some(Group::Ignored) => return Ok(()),
            _ => return Err(stray),
        };
        link.answer.rows += 1;
        // Rows of a cursor that was closed meanwhile are on their way.
        let Some(cursor) = self.all.get_mut(&number) else { return Ok(()) };
        if scrolled.is_none() && cursor.outstanding.front() != Some(&(link.answered + 1)) {
            return Ok(());
        }
        if let Some(place) = scrolled {
            link.answer.row_number = place.checked_add(1);
            cursor.last_number = Some(place);
            if cursor.block.is_empty() {
                cursor.first_row = place;
            }
            // A reply may hold the rows behind the one that was asked for: the next replies repeat them.
            if usize::try_from(place.saturating_sub(cursor.first_row)) != Ok(cursor.block.len()) {
                return Ok(());
            }
        }
        cursor.push(bytes)
    }

    /// The answer to a fetch, behind its rows.
    pub fn fetched(&mut self, number: u32, answer: Answer, lobs: &mut SmartLobs, link: &mut Link) {
        let Some(cursor) = self.all.get_mut(&number) else { return };
        // A group of an earlier cursor of this number.
        if cursor.outstanding.front().is_none_or(|known| *known != link.answered) {
            return;
        }
        cursor.outstanding.pop_front();
        if answer.failure.is_some() {
            // A cursor that has ended is closed at some servers, where a fetch ahead fails.
            let has_ended = std::mem::replace(&mut cursor.is_ended, true);
            match link.fetching == Some(number) && cursor.block.is_empty() {
                _ if has_ended => {}
                true => link.note(answer.failure),
                false => cursor.failure = answer.failure,
            }
            return;
        }
        // A fetch without rows is the only end that all servers agree on.
        cursor.is_ended |= answer.rows == 0;
        self.fetch_lobs(number, lobs, link);
    }

    /// Asks for the TEXT, BYTE, BLOB and CLOB values of the rows that have just come.
    pub fn fetch_lobs(&mut self, number: u32, lobs: &mut SmartLobs, link: &mut Link) {
        let Some(cursor) = self.all.get_mut(&number) else { return };
        let wanted = wanted_lobs(cursor);
        if wanted.is_empty() {
            return;
        }
        let before = cursor.block.lobs.len();
        cursor.block.lobs.resize(before + wanted.len(), Vec::new());
        for (place, wanted) in wanted.into_iter().enumerate() {
            match wanted {
                Some(Wanted::Simple(descriptor)) if SimpleLob::decode(&descriptor).size > 0 => {
                    link.put(&Request::Statement(cursor.statement.id));
                    Request::encode_fetch_lob(&descriptor, &mut link.output);
                    link.end_group(Group::Lob(number, before + place));
                }
                Some(Wanted::Smart(locator)) if !cursor.keeps_locators => {
                    lobs.read_whole(number, before + place, &locator, link);
                }
                _ => {}
            }
        }
        link.wait_for_all();
    }

    /// A TEXT, BYTE, BLOB or CLOB value of a row; none where its cursor was closed.
    pub fn lob(&mut self, number: u32, place: usize) -> Option<&mut Vec<u8>> {
        self.all.get_mut(&number)?.block.lobs.get_mut(place)
    }
}

/// The values of the rows of the block that have none yet, row by row; `None` for NULL.
fn wanted_lobs(cursor: &Cursor) -> Vec<Option<Wanted>> {
    let mut wanted = Vec::new();
    let Some(first) = cursor.block.lobs.len().checked_div(cursor.layout.lobs.len()) else { return wanted };
    for row in first..cursor.block.len() {
        let Some(mut bytes) = cursor.block.row(row) else { continue };
        for (place, column) in cursor.layout.columns.iter().enumerate() {
            match read_cell(column.kind, &mut bytes) {
                Ok(Cell::Lob(descriptor, _)) => wanted.push(Some(Wanted::Simple(*descriptor))),
                Ok(Cell::Locator(locator, _)) => wanted.push(Some(Wanted::Smart(locator.to_vec()))),
                _ if cursor.layout.lobs.contains(&place) => wanted.push(None),
                _ => {}
            }
        }
    }
    wanted
}
