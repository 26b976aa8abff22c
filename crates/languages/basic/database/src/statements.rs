//! SQL statements of programs: `OPEN (1)"[ODB]shop;"`.
//!
//! ```text
//!   WRITE RECORD (1)"UPDATE .."            runs a statement
//!   WRITE (1)"SELECT .. WHERE a = ?",A$    runs it with parameters: the fields behind the first one
//!   READ (1,END=..)A$,B                    the next row: a field for each column
//!   READ RECORD (1,KEY="! SELECT ..")R$    runs a statement and reads its first row
//! ```
//!
//! The statements are those of the engine, in the transaction of the program (SYSTEM_JRNL). Rows come as they are read, so that a
//! result of any size takes the memory of one batch. A statement that changes rows has one row with their number. Values are the
//! text of fields as on channels of tables; a parameter is text, which SQL converts to the type of
//! the column that it is compared with or assigned to; a calculation needs a CAST.
//!
//! Sources: the manual's pages [ODB] and "Using SQL Directly Within PxPlus". The data source before the semicolon is not used: there is
//! one database, that of the folder. With a table behind the semicolon the channel is one of that table.

use crate::joint::Joint;
use crate::text;
use mainstay_basic_files::error::{end_of_file, record_missing};
use mainstay_basic_files::{
    Counters, FileDefinition, FileError, FileErrorKind, FileInformation, FileKind, KeyDefinitions, KeyFunction,
    OpenMode, OpenOptions, Order, Place, ReadOptions, RecordFile, RecordFormat, RecordReference, Result, Scan,
    ScanRange, Scanned, WriteOptions, options::SEPARATOR,
};
use mainstay_columnar::values::value_at;
use mainstay_engine::Answer;
use mainstay_types::ValueRef;
use std::sync::Arc;
use std::time::Duration;

/// The tag of names that mean a database.
const TAG: &str = "[odb]";

/// The longest row.
const ROW_BYTES: u32 = 64_000;

/// A name that begins with the tag.
pub(crate) enum SqlName {
    /// Statements.
    Statements,
    /// A table.
    Table(String),
}

impl SqlName {
    /// Reads `[ODB]source;table;options`; `None` for a name without the tag.
    pub(crate) fn of(name: &str) -> Option<SqlName> {
        let tag = name.get(..TAG.len()).filter(|tag| tag.eq_ignore_ascii_case(TAG))?;
        let mut parts = name[tag.len()..].split(';').skip(1);
        let table = parts.next().unwrap_or_default().trim();
        Some(match table {
            "" => SqlName::Statements,
            table => SqlName::Table(table.to_owned()),
        })
    }
}

/// A channel for statements. See the module.
pub(crate) struct SqlChannel {
    joint: Arc<Joint>,
    name: String,
    is_read_only: bool,
    definition: FileDefinition,
    counters: Arc<Counters>,
    /// The rows of the last statement that are not read yet.
    answer: Option<Answer>,
    /// Rows of a batch as records, last first.
    rows: Vec<Vec<u8>>,
    record: Vec<u8>,
    read: u64,
}

impl SqlChannel {
    pub(crate) fn new(joint: Arc<Joint>, name: &str, options: &OpenOptions) -> SqlChannel {
        let format = RecordFormat::Variable(ROW_BYTES);
        let mut definition = FileDefinition::new(FileKind::Serial, KeyDefinitions::default(), format);
        definition.separator = options.separator.unwrap_or(SEPARATOR);
        SqlChannel {
            joint,
            name: name.to_owned(),
            is_read_only: options.mode == OpenMode::Input,
            definition,
            counters: Arc::clone(&options.counters),
            answer: None,
            rows: Vec::new(),
            record: Vec::new(),
            read: 0,
        }
    }

    /// Runs a statement with the fields behind it as parameters.
    fn run(&mut self, data: &[u8]) -> Result<()> {
        (self.answer, self.read) = (None, 0);
        self.rows.clear();
        let separator = self.definition.separator;
        let data = data.strip_suffix(&[separator]).unwrap_or(data);
        let mut fields = data.split(|byte| *byte == separator).map(text::characters);
        let statement = fields.next().unwrap_or_default();
        let parameters: Vec<String> = fields.collect();
        let parameters: Vec<ValueRef<'_>> = parameters.iter().map(|text| ValueRef::Text(text)).collect();
        self.joint.commit_gathered()?;
        // The transaction of the program, if there is to be one, is open from here on.
        self.joint.is_open();
        let mut session = self.joint.session();
        let before = session.is_read_only();
        session.set_read_only(before || self.is_read_only);
        let answer =
            session.prepare(&statement).and_then(|mut prepared| prepared.query_arrow(&mut session, &parameters));
        session.set_read_only(before);
        let answer = answer.map_err(refused)?;
        if let Some(changed) = answer.changed().filter(|_| answer.schema().fields().is_empty()) {
            self.rows.push([changed.to_string().as_bytes(), &[separator]].concat());
        }
        self.answer = Some(answer);
        Ok(())
    }

    /// Loads the next row; false behind the last one.
    fn advance(&mut self) -> Result<bool> {
        while self.rows.is_empty() {
            let Some(answer) = &mut self.answer else { return Ok(false) };
            let Some(batch) = answer.next_batch()? else {
                self.answer = None;
                return Ok(false);
            };
            self.counters.count_block_read();
            for row in (0..batch.num_rows()).rev() {
                let mut record = Vec::new();
                for column in batch.columns() {
                    text::append(value_at(column, row)?.as_ref(), &mut record);
                    record.push(self.definition.separator);
                }
                self.rows.push(record);
            }
        }
        self.record = self.rows.pop().unwrap_or_default();
        self.read += 1;
        Ok(true)
    }
}

/// Errors of statements are 15 unless the language has a number of its own for them.
fn refused(error: mainstay_types::Error) -> FileError {
    let text = error.to_string();
    match FileError::from(error) {
        known
            if matches!(
                known.kind(),
                FileErrorKind::Internal | FileErrorKind::FileMissing | FileErrorKind::FileExists
            ) =>
        {
            FileError::new(FileErrorKind::OperatingSystem, text)
        }
        known => known,
    }
}

fn only_forward() -> FileError {
    FileError::new(FileErrorKind::FileType, "rows of a statement are read one after the other")
}

impl RecordFile for SqlChannel {
    fn definition(&self) -> &FileDefinition {
        &self.definition
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn current_key(&self) -> usize {
        0
    }

    fn read(&mut self, place: Place<'_>, _: &ReadOptions) -> Result<&[u8]> {
        self.counters.count_read();
        match place {
            Place::Next => {}
            Place::Key(key) if key.first() == Some(&b'!') => {
                let statement = key[1..].to_vec();
                self.run(&statement)?;
            }
            Place::Key(_) => return Err(record_missing("this key")),
            _ => return Err(only_forward()),
        }
        if self.advance()? { Ok(&self.record) } else { Err(end_of_file()) }
    }

    fn write(&mut self, data: &[u8], _: &WriteOptions<'_>) -> Result<()> {
        self.counters.count_write();
        self.run(data)
    }

    fn remove(&mut self, _: Option<&[u8]>, _: Option<i64>, _: Duration) -> Result<()> {
        Err(only_forward())
    }

    fn release(&mut self) -> Result<()> {
        Ok(())
    }

    fn key(&mut self, _: KeyFunction<'_>, _: Option<usize>) -> Result<Vec<u8>> {
        Err(only_forward())
    }

    fn record_number(&mut self, _: RecordReference<'_>, _: Option<usize>) -> Result<u64> {
        Ok(self.read + 1)
    }

    fn record_index(&mut self, _: RecordReference<'_>, _: Option<usize>) -> Result<i64> {
        Ok(i64::try_from(self.read).unwrap_or(i64::MAX))
    }

    fn scan(&mut self, range: &ScanRange<'_>) -> Result<Scan> {
        match (range.begin, range.end) {
            (None, None) => Ok(Scan {
                order: Order::Physical,
                options: ReadOptions::default(),
                place: (Vec::new(), 0),
                end: None,
                end_is_prefix: false,
            }),
            _ => Err(only_forward()),
        }
    }

    fn scan_next(&mut self, _: &mut Scan) -> Result<Option<Scanned<'_>>> {
        Ok(match self.advance()? {
            true => Some(Scanned { data: &self.record, key: &[] }),
            false => None,
        })
    }

    fn lock(&mut self, _: Duration) -> Result<()> {
        Ok(())
    }

    fn unlock(&mut self) -> Result<()> {
        Ok(())
    }

    fn purge(&mut self) -> Result<()> {
        Err(only_forward())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn memory_bytes(&self) -> u64 {
        let rows: usize = self.rows.iter().map(|row| row.capacity() + 40).sum();
        (rows + self.record.capacity()) as u64
    }

    fn information(&mut self) -> Result<FileInformation> {
        Ok(FileInformation {
            name: self.name.clone(),
            path: String::new(),
            definition: self.definition.clone(),
            records: 0,
            bytes: 0,
            modified: None,
            current_key: 0,
            current_index: None,
            has_extracted: false,
            is_locked: false,
            is_read_only: self.is_read_only,
            was_purged: false,
        })
    }
}
