//! Library calls of the rows, declared as in a C program.
//!
//! The functions are those that `libace.so` exports, linked in. Fields are named by number, as `rddads` does it: a
//! pointer whose value is the number.

use std::ffi::CString;
use std::path::Path;

// The functions below are in it.
extern crate mainstay_ace;

const LOCAL_SERVER: u16 = 1;
const CDX: u16 = 2;
const ANSI: u16 = 1;
const COMPATIBLE_LOCKING: u16 = 0;
const IGNORE_RIGHTS: u16 = 2;
const COMPOUND: u32 = 2;
const RESOLVE_IMMEDIATE: u16 = 1;
const DOUBLE_KEY: u16 = 4;
const HARD_SEEK: u16 = 2;
/// The record number that means the current one.
const CURRENT: u32 = 0;

/// How a table is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Mode {
    Exclusive = 1,
    Shared = 4,
}

type Handle = usize;

// SAFETY: the signatures are those of the library's header, `ace.h`.
unsafe extern "C" {
    fn AdsConnect60(
        path: *const u8,
        servers: u16,
        user: *const u8,
        password: *const u8,
        options: u32,
        handle: *mut Handle,
    ) -> u32;
    fn AdsDisconnect(connection: Handle) -> u32;
    fn AdsGetLastError(code: *mut u32, text: *mut u8, length: *mut u16) -> u32;
    fn AdsCreateTable(
        connection: Handle,
        name: *const u8,
        alias: *const u8,
        table_type: u16,
        char_type: u16,
        locking: u16,
        rights: u16,
        memo_size: u16,
        fields: *const u8,
        table: *mut Handle,
    ) -> u32;
    fn AdsOpenTable(
        connection: Handle,
        name: *const u8,
        alias: *const u8,
        table_type: u16,
        char_type: u16,
        locking: u16,
        rights: u16,
        options: u32,
        table: *mut Handle,
    ) -> u32;
    fn AdsCloseTable(table: Handle) -> u32;
    fn AdsCreateIndex61(
        table: Handle,
        file: *const u8,
        tag: *const u8,
        expression: *const u8,
        condition: *const u8,
        end: *const u8,
        options: u32,
        page_size: u32,
        index: *mut Handle,
    ) -> u32;
    fn AdsGetIndexHandle(table: Handle, name: *const u8, index: *mut Handle) -> u32;
    fn AdsSetAOF(table: Handle, condition: *const u8, options: u16) -> u32;
    fn AdsClearAOF(table: Handle) -> u32;
    fn AdsGotoTop(table_or_index: Handle) -> u32;
    fn AdsSkip(table_or_index: Handle, records: i32) -> u32;
    fn AdsAtEOF(table: Handle, is: *mut u16) -> u32;
    fn AdsSeek(index: Handle, key: *const u8, length: u16, data_type: u16, how: u16, found: *mut u16) -> u32;
    fn AdsGetDouble(table: Handle, field: *const u8, value: *mut f64) -> u32;
    fn AdsSetDouble(table: Handle, field: *const u8, value: f64) -> u32;
    fn AdsSetString(table: Handle, field: *const u8, text: *const u8, length: u32) -> u32;
    fn AdsAppendRecord(table: Handle) -> u32;
    fn AdsLockRecord(table: Handle, record: u32) -> u32;
    fn AdsUnlockRecord(table: Handle, record: u32) -> u32;
    fn AdsWriteRecord(table: Handle) -> u32;
}

/// The result of a call, or its error in the library's words.
pub(super) type Outcome<T> = Result<T, String>;

fn told(call: &str, code: u32) -> Outcome<()> {
    if code == 0 {
        return Ok(());
    }
    let (mut last, mut text, mut length) = (0u32, [0u8; 512], 512u16);
    // SAFETY: the buffer is of the length that is given with it, and both numbers may be written.
    unsafe { AdsGetLastError(&mut last, text.as_mut_ptr(), &mut length) };
    let said = String::from_utf8_lossy(&text[..usize::from(length).min(text.len())]);
    Err(format!("{call} answers {code}: {}", said.trim_end_matches('\0')))
}

/// Makes a call and gives its error its name.
macro_rules! call {
    ($function:ident($($argument:expr),*)) => {
        // SAFETY: texts end with a NUL or go with their length, and live as long as the call; what is written to is a
        // variable of the type in the header. Handles may be any number: the library knows its own.
        told(stringify!($function), unsafe { $function($($argument),*) })
    };
}

fn text(text: &str) -> CString {
    // The rows' texts have no NUL; one that had would be an empty text.
    CString::new(text).unwrap_or_default()
}

/// The number of a field, from 1, as the library takes it in the place of a name.
fn field(number: usize) -> *const u8 {
    std::ptr::without_provenance(number)
}

/// A folder, connected to.
#[derive(Debug)]
pub(super) struct Connection(Handle);

impl Connection {
    pub(super) fn open(folder: &Path) -> Outcome<Connection> {
        let (path, mut handle) = (text(&folder.to_string_lossy()), 0);
        let none = std::ptr::null();
        call!(AdsConnect60(path.as_ptr().cast(), LOCAL_SERVER, none, none, 0, &mut handle))?;
        Ok(Connection(handle))
    }

    /// Makes a table of these fields, alone in it.
    pub(super) fn create(&self, name: &str, fields: &str) -> Outcome<Table> {
        let (name, fields, mut handle) = (text(name), text(fields), 0);
        let (name, fields) = (name.as_ptr().cast(), fields.as_ptr().cast());
        let none = std::ptr::null();
        call!(AdsCreateTable(
            self.0,
            name,
            none,
            CDX,
            ANSI,
            COMPATIBLE_LOCKING,
            IGNORE_RIGHTS,
            0,
            fields,
            &mut handle
        ))?;
        Ok(Table(handle))
    }

    /// Opens a table, with the index of its name.
    pub(super) fn table(&self, name: &str, mode: Mode) -> Outcome<Table> {
        let (name, mut handle) = (text(name), 0);
        let (name, mode, none) = (name.as_ptr().cast(), mode as u32, std::ptr::null());
        call!(AdsOpenTable(self.0, name, none, CDX, ANSI, COMPATIBLE_LOCKING, IGNORE_RIGHTS, mode, &mut handle))?;
        Ok(Table(handle))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Disconnecting closes the tables that were opened through it; an error has no receiver.
        let _ = call!(AdsDisconnect(self.0));
    }
}

/// An open table. It is closed with its connection, or by [`Table::close`].
#[derive(Debug)]
pub(super) struct Table(Handle);

/// An order of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order(Handle);

impl Table {
    pub(super) fn close(self) -> Outcome<()> {
        call!(AdsCloseTable(self.0))
    }

    pub(super) fn create_tag(&self, name: &str) -> Outcome<Order> {
        let (name, mut handle) = (text(name), 0);
        let (name, none) = (name.as_ptr().cast(), std::ptr::null());
        call!(AdsCreateIndex61(self.0, none, name, name, none, none, COMPOUND, 0, &mut handle))?;
        Ok(Order(handle))
    }

    pub(super) fn order(&self, name: &str) -> Outcome<Order> {
        let (name, mut handle) = (text(name), 0);
        call!(AdsGetIndexHandle(self.0, name.as_ptr().cast(), &mut handle))?;
        Ok(Order(handle))
    }

    pub(super) fn set_aof(&self, condition: &str) -> Outcome<()> {
        call!(AdsSetAOF(self.0, text(condition).as_ptr().cast(), RESOLVE_IMMEDIATE))
    }

    pub(super) fn clear_aof(&self) -> Outcome<()> {
        call!(AdsClearAOF(self.0))
    }

    /// Goes over the records in the order of `by`, or of their numbers, and shows a field of each.
    pub(super) fn walk(&self, by: Option<Order>, number: usize, mut see: impl FnMut(f64)) -> Outcome<()> {
        let by = by.map_or(self.0, |order| order.0);
        let (mut end, mut value) = (0u16, 0.0);
        call!(AdsGotoTop(by))?;
        loop {
            call!(AdsAtEOF(self.0, &mut end))?;
            if end != 0 {
                return Ok(());
            }
            call!(AdsGetDouble(self.0, field(number), &mut value))?;
            see(value);
            call!(AdsSkip(by, 1))?;
        }
    }

    /// Finds a number in an order.
    pub(super) fn seek(&self, order: Order, key: f64) -> Outcome<bool> {
        let (key, mut found) = (key.to_ne_bytes(), 0u16);
        call!(AdsSeek(order.0, key.as_ptr(), key.len() as u16, DOUBLE_KEY, HARD_SEEK, &mut found))?;
        Ok(found != 0)
    }

    pub(super) fn number(&self, number: usize) -> Outcome<f64> {
        let mut value = 0.0;
        call!(AdsGetDouble(self.0, field(number), &mut value))?;
        Ok(value)
    }

    pub(super) fn set_number(&self, number: usize, value: f64) -> Outcome<()> {
        call!(AdsSetDouble(self.0, field(number), value))
    }

    pub(super) fn set_text(&self, number: usize, text: &str) -> Outcome<()> {
        call!(AdsSetString(self.0, field(number), text.as_ptr(), text.len() as u32))
    }

    /// A new record, which the program that makes it has locked.
    pub(super) fn append(&self) -> Outcome<()> {
        call!(AdsAppendRecord(self.0))
    }

    /// Locks the current record.
    pub(super) fn lock(&self) -> Outcome<()> {
        call!(AdsLockRecord(self.0, CURRENT))
    }

    /// Unlocks the current record.
    pub(super) fn unlock(&self) -> Outcome<()> {
        call!(AdsUnlockRecord(self.0, CURRENT))
    }

    pub(super) fn write(&self) -> Outcome<()> {
        call!(AdsWriteRecord(self.0))
    }
}
