//! Rows that a client fetches: streamed, or buffered for a scroll cursor.

use super::smart_lobs::{MOST_FETCHED_BYTES, OVERHEAD, Pin, SmartLobs, begin_fetch, is_fetch_full, last, pin};
use mainstay_session::{Failure, Rows};
use mainstay_sqli::{Codeset, Fetch, Field, Form, Reply, ScrollHow, SimpleLob, TypeCode, write_value};
use mainstay_types::ValueRef;
use std::collections::BTreeMap;

/// The most bytes of rows that a cursor that scrolls keeps.
const MOST_KEPT_BYTES: usize = 64 << 20;
/// The most bytes of BYTE and TEXT values whose rows the client has, and which it may still ask for.
const MOST_LOB_BYTES: usize = 64 << 20;

/// The form of the values of a connection.
pub(super) struct Target<'t> {
    pub form: Form,
    pub codeset: Codeset,
    pub smart_lobs: &'t mut SmartLobs,
}

/// A cursor that is open.
pub(super) struct Cursor {
    rows: Box<dyn Rows>,
    fields: Vec<Field>,
    /// The values of a row that did not fit into the client's buffer.
    waiting: Option<Vec<u8>>,
    /// The first handle of the waiting row, and the last smart large object before it.
    before_waiting: (u32, u64),
    /// Keeps the smart large objects of the waiting row while other cursors fetch.
    pin: Option<Pin>,
    fetched: u64,
    is_ended: bool,
    /// A fetch gives one row, which is then the current one of the session.
    is_row_by_row: bool,
    /// The rows so far of a cursor that scrolls, and the number of the current one, counted from 1.
    kept: Option<(Vec<Vec<u8>>, usize)>,
    kept_bytes: usize,
    lobs: Lobs,
}

/// BYTE and TEXT values by the handles in their descriptors, the oldest first.
struct Lobs {
    values: BTreeMap<u32, Vec<u8>>,
    bytes: usize,
    next_handle: u32,
    /// The first handle of the running fetch.
    fetch: u32,
    fetched_bytes: usize,
}

/// Begins a fetch, whose values stay until the next one; `first` is the first handle of a row that waits.
fn begin_lobs(lobs: &mut Lobs, first: Option<u32>) {
    lobs.fetch = first.unwrap_or(lobs.next_handle);
    lobs.fetched_bytes = 0;
}

impl Lobs {
    /// Keeps a value for the client to ask for, and writes its descriptor.
    fn write(&mut self, value: ValueRef<'_>, out: &mut Vec<u8>) {
        let bytes = match value {
            ValueRef::Binary(bytes) => bytes.to_vec(),
            ValueRef::Text(text) => text.as_bytes().to_vec(),
            _ => Vec::new(),
        };
        self.bytes += bytes.len() + OVERHEAD;
        self.fetched_bytes += bytes.len() + OVERHEAD;
        while self.bytes > MOST_LOB_BYTES {
            let Some(oldest) = self.values.first_entry().filter(|oldest| *oldest.key() < self.fetch) else { break };
            self.bytes -= oldest.remove().len() + OVERHEAD;
        }
        let (handle, size) = (self.next_handle, u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        self.next_handle = self.next_handle.wrapping_add(1);
        out.extend_from_slice(&SimpleLob { size, is_null: false, handle }.encode());
        self.values.insert(handle, bytes);
    }
}

fn conversion(column: &Field, reason: &str) -> Failure {
    Failure {
        number: -1213,
        subject: column.name.clone(),
        message: format!("the value of column {} cannot be sent: {reason}", column.name),
        ..Failure::default()
    }
}

impl Target<'_> {
    /// Keeps a BLOB or CLOB for the client to read, and gives its locator.
    fn locator(&mut self, value: ValueRef<'_>) -> Vec<u8> {
        match value {
            ValueRef::Binary(bytes) => self.smart_lobs.shown(bytes),
            ValueRef::Text(text) => {
                let mut bytes = Vec::with_capacity(text.len());
                self.codeset.encode(text, &mut bytes);
                self.smart_lobs.shown(&bytes)
            }
            _ => self.smart_lobs.shown(&[]),
        }
    }
}

impl Cursor {
    pub fn new(rows: Box<dyn Rows>, fields: Vec<Field>, scrolls: bool) -> Cursor {
        Cursor {
            rows,
            fields,
            waiting: None,
            before_waiting: (0, 0),
            pin: None,
            fetched: 0,
            is_ended: false,
            is_row_by_row: false,
            kept: scrolls.then(|| (Vec::new(), 0)),
            kept_bytes: 0,
            lobs: Lobs { values: BTreeMap::new(), bytes: 0, next_handle: 1, fetch: 1, fetched_bytes: 0 },
        }
    }

    /// The same, giving one row to a fetch.
    pub fn row_by_row(mut self) -> Cursor {
        self.is_row_by_row = true;
        self
    }

    /// True if a fetch of the next rows finds none.
    pub fn is_exhausted(&self) -> bool {
        self.is_ended && self.waiting.is_none() && self.kept.is_none()
    }

    /// Appends the values of the next row; false behind the last one. After an error, `out` may end with a part of a row.
    fn next(&mut self, target: &mut Target<'_>, out: &mut Vec<u8>) -> Result<bool, Failure> {
        if self.is_ended {
            return Ok(false);
        }
        let Cursor { rows, fields, lobs, .. } = self;
        let has_row = rows.lend_next(&mut |values| {
            for (place, field) in fields.iter().enumerate() {
                let value = values.get(place).copied().unwrap_or(ValueRef::Null);
                let locator;
                let sent = match field.kind.code {
                    TypeCode::BYTE | TypeCode::TEXT if !value.is_null() => {
                        lobs.write(value, out);
                        continue;
                    }
                    // In the form of texts the value itself is sent: clients that want it need no fast path.
                    _ if field.kind.is_smart_lob() && target.form == Form::Binary && !value.is_null() => {
                        locator = target.locator(value);
                        ValueRef::Binary(&locator)
                    }
                    _ => value,
                };
                write_value(sent, &field.kind, target.form, target.codeset, out)
                    .map_err(|error| conversion(field, &error.to_string()))?;
            }
            Ok(())
        })?;
        self.is_ended = !has_row;
        Ok(has_row)
    }

    /// The bytes of a value that the client has the descriptor of.
    pub fn lob(&self, descriptor: &SimpleLob) -> Option<&[u8]> {
        self.lobs.values.get(&descriptor.handle).map(Vec::as_slice)
    }

    /// Appends the rows that a fetch asks for: at least one, and no more than its buffer holds. A fetch with many bytes of
    /// BYTE, TEXT, BLOB and CLOB values ends earlier, so that all of them are kept.
    ///
    /// Errors: those of the statement; -605 for a cursor that scrolls over too many rows.
    pub fn fetch(
        &mut self,
        fetch: Fetch,
        target: &mut Target<'_>,
        out: &mut Vec<u8>,
        done: &mut dyn FnMut(u64, &mut Vec<u8>),
    ) -> Result<(), Failure> {
        if let Some((how, row)) = fetch.scroll {
            return self.scroll((how, row), target, out, done);
        }
        let before = self.waiting.is_some().then_some(self.before_waiting);
        begin_lobs(&mut self.lobs, before.map(|(first, _)| first));
        begin_fetch(target.smart_lobs, before.map(|(_, before)| before));
        self.pin = None;
        let mut bytes = 0;
        loop {
            if bytes > 0 && (self.lobs.fetched_bytes > MOST_FETCHED_BYTES || is_fetch_full(target.smart_lobs)) {
                return Ok(());
            }
            let before_row = (self.lobs.next_handle, last(target.smart_lobs));
            let start = Reply::begin_row(out);
            let values = out.len();
            let has_row = match self.waiting.take() {
                Some(row) => {
                    out.extend_from_slice(&row);
                    Ok(true)
                }
                None => self.next(target, out),
            };
            let size = out.len() - values;
            if !matches!(has_row, Ok(true)) {
                out.truncate(start);
                has_row?;
                done(self.fetched, out);
                return Ok(());
            }
            if bytes > 0 && bytes + size > fetch.buffer_bytes as usize {
                self.waiting = out.get(values..).map(<[u8]>::to_vec);
                self.before_waiting = before_row;
                self.pin = pin(target.smart_lobs, before_row.1);
                out.truncate(start);
                return Ok(());
            }
            Reply::end_row(start, out);
            bytes += size.max(1);
            self.fetched += 1;
            if self.is_row_by_row {
                return Ok(());
            }
        }
    }

    fn scroll(
        &mut self,
        (how, row): (ScrollHow, i32),
        target: &mut Target<'_>,
        out: &mut Vec<u8>,
        done: &mut dyn FnMut(u64, &mut Vec<u8>),
    ) -> Result<(), Failure> {
        let at = self.kept.as_ref().map_or(0, |(_, at)| *at);
        let moved = |by: i64| usize::try_from(i64::try_from(at).unwrap_or(0) + by).unwrap_or(0);
        let wanted = match how {
            // The client names the row that it expects.
            ScrollHow::Next => usize::try_from(row).ok().filter(|row| *row > 0).unwrap_or(at + 1),
            ScrollHow::First => 1,
            ScrollHow::Last => usize::MAX,
            ScrollHow::Absolute => usize::try_from(row).unwrap_or(0),
            ScrollHow::Relative => moved(row.into()),
            ScrollHow::Previous => moved(-1),
            ScrollHow::Current => at,
        };
        while self.kept.as_ref().is_some_and(|(rows, _)| rows.len() < wanted) {
            // The client asks for the values of the last of these rows.
            begin_lobs(&mut self.lobs, None);
            begin_fetch(target.smart_lobs, None);
            let mut row = Vec::new();
            if !self.next(target, &mut row)? {
                break;
            }
            self.kept_bytes += row.len();
            if self.kept_bytes > MOST_KEPT_BYTES {
                let message = format!("a scroll cursor may keep {MOST_KEPT_BYTES} bytes of rows");
                return Err(Failure { number: -605, message, ..Failure::default() });
            }
            if let Some((rows, _)) = &mut self.kept {
                rows.push(row);
            }
        }
        let Some((rows, at)) = &mut self.kept else {
            let message = "the cursor does not scroll".to_owned();
            return Err(Failure { number: -400, message, ..Failure::default() });
        };
        let wanted = if how == ScrollHow::Last { rows.len() } else { wanted };
        match rows.get(wanted.wrapping_sub(1)) {
            Some(row) => {
                *at = wanted;
                let number = Reply::RowNumber(u32::try_from(wanted).unwrap_or(u32::MAX));
                number.encode(out, &mainstay_sqli::Context::default());
                Reply::encode_row(0, row, out);
            }
            None => {
                // Before the first row, or behind the last one.
                *at = wanted.min(rows.len() + 1);
                done(rows.len() as u64, out);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_sqli::TypeDescription;
    use mainstay_types::Value;

    /// Rows of a text of 10 MB.
    struct Texts(usize);

    impl Rows for Texts {
        fn next(&mut self) -> Result<Option<Vec<Value>>, Failure> {
            self.0 = self.0.saturating_sub(1);
            Ok((self.0 > 0).then(|| vec![Value::Text("x".repeat(10 << 20))]))
        }
    }

    fn fields(code: TypeCode) -> Vec<Field> {
        let kind = TypeDescription { code, ..TypeDescription::default() };
        vec![Field { kind, ..Field::default() }]
    }

    #[test]
    fn a_fetch_of_large_values_ends_early_and_keeps_them() {
        let mut smart_lobs = SmartLobs::default();
        let mut target = Target { form: Form::Binary, codeset: Codeset::default(), smart_lobs: &mut smart_lobs };
        let mut cursor = Cursor::new(Box::new(Texts(12)), fields(TypeCode::TEXT), false);
        let (mut out, mut is_done, mut last_handle) = (Vec::new(), false, 0);
        while !is_done {
            let fetch = Fetch { buffer_bytes: 1 << 20, scroll: None };
            cursor.fetch(fetch, &mut target, &mut out, &mut |_, _| is_done = true).unwrap();
            let handle = cursor.lobs.next_handle - 1;
            assert!(handle - last_handle <= 2, "20 MB are more than 16 MB");
            for handle in last_handle + 1..=handle {
                assert!(cursor.lob(&SimpleLob { size: 0, is_null: false, handle }).is_some(), "{handle}");
            }
            last_handle = handle;
        }
        assert_eq!(cursor.fetched, 11);
        assert!(cursor.lobs.bytes <= MOST_LOB_BYTES);
    }
}
