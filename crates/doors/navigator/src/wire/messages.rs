//! The messages: the opening of a connection, requests of a client, and answers.
//!
//! A [`Request`] is about one table (or none) and consists of [`Step`]s, which are carried out one after the other
//! until one fails. So a client that moves sends, in one request, the record that it was on, the changes of it, the
//! move, and the page request; and the [`Answer`] has a [`Reply`] to each, and the [`State`] of the table after the
//! last.

use super::values::*;
use super::{choice, structure};
use crate::dictionary::{Called, Given, Hidden};
use crate::sql::{Column, Outcome, Parameter, Shown};
pub use mainstay_area_session::{Activity, Member, Person, TableUse};
use mainstay_types::{Code, Error};
use mainstay_workarea::{
    CopyOptions, Counting, Customize, FieldValue, Form, Mode, NewOrder, Optimized, OrderId, OrderInfo, Position,
    RowChanges, SeekHow, SeekKey, Side, WordIndex,
};
use mainstay_xbase::dbf::TableSpec;
use mainstay_xbase::lock::LockScheme;
use std::path::PathBuf;

/// The version of the protocol.
pub const VERSION: u16 = 2;
/// The first bytes of a prelude.
pub const MARK: u32 = u32::from_le_bytes(*b"MsNv");
/// Steps that a request may have.
pub const MOST_STEPS: usize = 64;
/// Rows that a page may have.
pub const MOST_ROWS: u32 = 10_000;
/// Bytes of rows that a page may have; one row is always there.
pub const MOST_PAGE_BYTES: u32 = 1 << 20;

/// The first thing that each side says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prelude {
    /// [`MARK`].
    pub mark: u32,
    /// The version of the protocol; the lower one of the two is spoken.
    pub version: u16,
    /// The client's TLS mode, or the server's TLS support.
    pub tls: TlsWish,
}

/// True if a connection is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsWish {
    /// It is not, or cannot be.
    Off,
    /// As the other side wishes.
    Open,
    /// It has to be.
    Required,
}

/// Returns true if a connection is encrypted, by what both sides have said: each of them works it out by itself.
///
/// Errors: `NotPermitted` if one side needs what the other has not.
pub fn encrypts(client: TlsWish, server: TlsWish) -> mainstay_types::Result<bool> {
    match (client, server) {
        (TlsWish::Required, TlsWish::Off) => {
            Err(Error::new(Code::NotPermitted, "the server does not encrypt, and tls:// asks for it"))
        }
        (_, TlsWish::Off) | (TlsWish::Off, TlsWish::Open) => Ok(false),
        (_, TlsWish::Required) | (_, TlsWish::Open) => Ok(true),
    }
}

/// The identity of the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The user.
    pub user: String,
    /// The password.
    pub password: String,
    /// The folder below the server's; empty for that itself.
    pub database: String,
    /// The program.
    pub application: String,
}

impl Hello {
    /// Returns true if the client wants a data dictionary, whose users are its own.
    pub fn is_of_dictionary(&self) -> bool {
        self.database.to_ascii_lowercase().ends_with(".add")
    }
}

/// The client is let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Welcome {
    /// The number of the connection.
    pub connection: u64,
    /// The server's program.
    pub server: String,
}

/// The message.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The error.
    pub error: Error,
}

/// The progress of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Parts that are done.
    pub done: u64,
    /// Parts that there are.
    pub all: u64,
}

/// The request of a client.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The table; 0 for steps that are about none, and those behind [`Step::Open`].
    pub table: u32,
    /// True if the client wants to know the progress of the steps.
    pub progress: bool,
    /// For how many milliseconds a step that [may be asked again](Step::may_be_asked_again) waits for what another has
    /// locked. If that is less than the server waits by itself, its error is `LockTimeout`, and the client may ask again from
    /// this step on.
    pub wait_ms: u32,
    /// The steps.
    pub steps: Vec<Step>,
}

/// The options of opening a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Paths below the folder, of which the first that there is a file of is meant.
    pub names: Vec<PathBuf>,
    /// The access of others to it.
    pub mode: Mode,
    /// The locks of the programs that share it.
    pub scheme: Option<LockScheme>,
    /// True if the index that has the table's name is opened with it.
    pub open_structural: bool,
    /// True if a table that cannot be written to is opened for reading instead.
    pub or_read_only: bool,
}

/// A piece of work.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "docs/formats/navigator.md says of each what it is")]
pub enum Step {
    // About the folder.
    Find { names: Vec<PathBuf> },
    List { folder: PathBuf },
    Remove { path: PathBuf },
    Clear { path: PathBuf },
    Create { path: PathBuf, spec: TableSpec },
    Open(Opening),
    Begin,
    Commit,
    RollBack,
    Savepoint,
    RollBackTo(u32),
    Users,
    LockOwner { path: PathBuf, record: u32 },
    Activity,
    Execute { sql: String, parameters: Vec<Parameter> },
    Prepare(String),
    StatementTimeout(u32),
    TableType(u32),
    ShowDeleted(bool),
    CreateDictionary { path: PathBuf, description: String },
    Call { name: String, arguments: Vec<Given> },
    RowsOfView(String),
    EndUser { user: String, connection: u64 },
    Query { sql: String, parameters: Vec<Parameter> },
    Live { sql: String, parameters: Vec<Parameter> },
    // About the table.
    Close,
    View { hide_deleted: bool, exact: bool },
    SetOrder(Option<OrderId>),
    Turn { order: OrderId, descending: bool },
    At(Position),
    GoTo(u32),
    GoTop,
    GoBottom,
    Skip(i64),
    Refresh,
    Seek { key: SeekKey, how: SeekHow },
    LookUp { order: OrderId, key: SeekKey },
    SetRelativePosition(f64),
    Page(PageWish),
    Row,
    Value(u16),
    Key(Option<Vec<u8>>),
    KeyOf { order: OrderId, bytes: Vec<u8> },
    RecordCount(Counting),
    KeyCount(Counting),
    KeyNumber(Counting),
    RelativePosition,
    SetScope { side: Side, key: SeekKey },
    ClearScope(Side),
    IsInScope(Option<Vec<u8>>),
    SetFilter(Option<String>),
    SetAof(String),
    ClearAof,
    AofLevelOf(String),
    RefreshAof,
    CustomizeAof { records: Vec<u32>, how: Customize },
    IsRecordInAof(u32),
    OpenIndex(PathBuf),
    CloseIndex(PathBuf),
    CreateOrder(NewOrder),
    DeleteOrder(OrderId),
    AddKey(OrderId),
    DropKey(OrderId),
    Edit,
    Write(RowChanges),
    Cancel,
    Append,
    Flush,
    LockRecord(u32),
    UnlockRecord(u32),
    LockTable,
    Unlock,
    Pack,
    Zap,
    Reindex,
    Restructure { spec: TableSpec, sources: Vec<Option<usize>> },
    CopyTo { path: PathBuf, options: CopyOptions },
    TransactionFree(bool),
    WordIndexes,
    CreateWordIndex(WordIndex),
    DeleteWordIndex(String),
    RebuildWordIndexes,
    Members(u32),
}

/// Which rows are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageWish {
    /// Rows before the current one.
    pub before: u32,
    /// Rows from the current one on.
    pub after: u32,
    /// Bytes of all rows, about.
    pub bytes: u32,
    /// No rows are wanted if the table is still in this state.
    pub unless: Option<u64>,
    /// Numbers that are wanted with the rows: a sum of 1 (all), 2 (scoped), 4 (visible).
    pub numbers: u8,
}

/// A row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The record's number.
    pub record: u32,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its key in the order.
    pub key: Option<Vec<u8>>,
}

/// Rows that follow each other in the order, through filters and scope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The rows.
    pub rows: Vec<Row>,
    /// Which of them is the current record.
    pub here: usize,
    /// True if no row precedes the first of them.
    pub is_first: bool,
    /// True if no row follows the last of them.
    pub is_last: bool,
    /// For each kind of counting that was asked for: how many there are, and which of them is the current record.
    pub numbers: [Option<Numbers>; 3],
}

/// The count of something, and the place of the current record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Keys.
    pub count: u64,
    /// The number of the current record's, from 1.
    pub number: Option<u64>,
}

/// A table that was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Its number for requests.
    pub table: u32,
    /// Its path below the folder, as it is written there.
    pub name: PathBuf,
    /// Its form.
    pub form: Form,
    /// It can only be read.
    pub is_read_only: bool,
    /// The entry in the client's dictionary, if it is a table of that.
    pub in_dictionary: Option<InDictionary>,
}

/// Rows of a statement that are a table at the server, of which more may come.
#[derive(Clone, Debug, PartialEq)]
pub struct Cursor {
    /// The columns.
    pub columns: Vec<Column>,
    /// Its number for requests.
    pub table: u32,
    /// Its form.
    pub form: Form,
    /// The first rows; the first of all is the current one.
    pub page: Page,
    /// True if the server has all of them. If not, there are more than these, and the next request waits for them.
    pub is_whole: bool,
    /// The number of records, or the known number.
    pub count: u32,
    /// The table's stamp.
    pub stamp: u64,
}

/// A table of a dictionary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InDictionary {
    /// Its name there.
    pub name: String,
    /// Its type and that of its characters, as the interface numbers them.
    pub kinds: (u32, u32),
    /// The part of it that the user may not read.
    pub hidden: Hidden,
}

/// The reply to a step.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "docs/formats/navigator.md says of each what it is")]
pub enum Reply {
    Done,
    Yes(bool),
    Number(u64),
    MaybeNumber(Option<u64>),
    Fraction(f64),
    MaybeBytes(Option<Vec<u8>>),
    Value(FieldValue),
    Level(Optimized),
    Orders(Vec<OrderId>),
    Found(Option<PathBuf>),
    Names(Vec<String>),
    People(Vec<Person>),
    Owner(Option<Person>),
    Activity(Activity),
    Outcome(Outcome),
    Cursor(Cursor),
    Live(Option<Shown>),
    Called(Called),
    WordIndexes(Vec<WordIndex>),
    Opened(Opened),
    Form(Form),
    Page(Page),
    Unchanged,
    Row(Vec<u8>),
}

/// A table behind the last step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// The place.
    pub position: Position,
    /// The number of records.
    pub count: u32,
    /// Another number for each state of the table.
    pub stamp: u64,
    /// The current record is made when it is written.
    pub is_new: bool,
    /// The current record has changes that are not written.
    pub is_pending: bool,
    /// True if the whole table is locked, and which records, if that has changed.
    pub locks: Option<(bool, Vec<u32>)>,
    /// The orders, if they have changed.
    pub orders: Option<Vec<OrderInfo>>,
    /// The index files, if they have changed.
    pub index_files: Option<Vec<PathBuf>>,
}

/// The answer to a client.
#[derive(Clone, Debug)]
pub struct Answer {
    /// A reply to each step that was carried out.
    pub replies: Vec<Reply>,
    /// Why the next one was not.
    pub error: Option<Error>,
    /// The table.
    pub state: Option<State>,
}

choice! { TlsWish { 0 Off; 1 Open; 2 Required; } }
structure! { Prelude { mark, version, tls } }
structure! { Hello { user, password, database, application } }
structure! { Welcome { connection, server } }
structure! { Problem { error } }
structure! { Progress { done, all } }
structure! { Request { table, progress, wait_ms, steps } }
structure! { Opening { names, mode, scheme, open_structural, or_read_only } }
structure! { PageWish { before, after, bytes, unless, numbers } }
structure! { Row { record, bytes, key } }
structure! { Numbers { count, number } }
structure! { Opened { table, name, form, is_read_only, in_dictionary } }
structure! { Cursor { columns, table, form, page, is_whole, count, stamp } }
structure! { InDictionary { name, kinds, hidden } }
structure! { Person { connection, user, application, address } }
structure! { TableUse { path, scheme, indexes, orders, is_locked, records } }
structure! { Member { person, tables } }
structure! { Activity { seconds, requests, members } }
structure! { State { position, count, stamp, is_new, is_pending, locks, orders, index_files } }
structure! { Answer { replies, error, state } }
structure! { Page { rows, here, is_first, is_last, numbers } }

choice! { named Step {
    1 Find { names };
    2 List { folder };
    3 Remove { path };
    4 Create { path, spec };
    5 Open(opening);
    6 Begin;
    7 Commit;
    8 RollBack;
    9 Savepoint;
    10 RollBackTo(place);
    11 Users;
    12 LockOwner { path, record };
    13 Clear { path };
    14 Activity;
    15 Execute { sql, parameters };
    16 Prepare(sql);
    17 StatementTimeout(seconds);
    18 TableType(table_type);
    19 CreateDictionary { path, description };
    41 Call { name, arguments };
    42 RowsOfView(name);
    43 EndUser { user, connection };
    45 Query { sql, parameters };
    46 Live { sql, parameters };
    47 ShowDeleted(shows);
    20 Close;
    21 View { hide_deleted, exact };
    22 SetOrder(order);
    23 Turn { order, descending };
    24 At(position);
    25 GoTo(record);
    26 GoTop;
    27 GoBottom;
    28 Skip(count);
    29 Refresh;
    30 Seek { key, how };
    31 LookUp { order, key };
    32 SetRelativePosition(position);
    33 Page(wish);
    34 Row;
    35 Value(field);
    36 Key(bytes);
    37 RecordCount(what);
    38 KeyCount(what);
    39 KeyNumber(what);
    40 RelativePosition;
    44 KeyOf { order, bytes };
    50 SetScope { side, key };
    51 ClearScope(side);
    52 IsInScope(bytes);
    53 SetFilter(condition);
    54 SetAof(condition);
    55 ClearAof;
    56 AofLevelOf(condition);
    57 RefreshAof;
    58 CustomizeAof { records, how };
    59 IsRecordInAof(record);
    60 OpenIndex(path);
    61 CloseIndex(path);
    62 CreateOrder(new);
    63 DeleteOrder(order);
    64 AddKey(order);
    65 DropKey(order);
    70 Edit;
    71 Write(changes);
    72 Cancel;
    73 Append;
    74 Flush;
    75 LockRecord(record);
    76 UnlockRecord(record);
    77 LockTable;
    78 Unlock;
    80 Pack;
    81 Zap;
    82 Reindex;
    83 Restructure { spec, sources };
    84 CopyTo { path, options };
    85 TransactionFree(is_free);
    86 WordIndexes;
    87 CreateWordIndex(new);
    88 DeleteWordIndex(tag);
    89 RebuildWordIndexes;
    90 Members(number);
} }

choice! { Reply {
    0 Done;
    1 Yes(answer);
    2 Number(number);
    3 MaybeNumber(number);
    4 Fraction(number);
    5 MaybeBytes(bytes);
    6 Value(value);
    7 Level(level);
    8 Orders(orders);
    9 Found(path);
    10 Names(names);
    11 People(people);
    12 Owner(person);
    13 Opened(opened);
    14 Form(form);
    15 Page(page);
    16 Unchanged;
    17 Row(bytes);
    18 Activity(activity);
    19 Outcome(outcome);
    20 Called(called);
    21 WordIndexes(indexes);
    22 Cursor(cursor);
    23 Live(shown);
} }

impl super::Wire for [Option<Numbers>; 3] {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|one| one.put(out));
    }
    fn take(from: &mut super::Reader<'_>) -> mainstay_types::Result<Self> {
        Ok([super::Wire::take(from)?, super::Wire::take(from)?, super::Wire::take(from)?])
    }
}

impl PageWish {
    /// The place in [`Page::numbers`] and the bit of each kind of counting.
    pub fn bit(what: Counting) -> (usize, u8) {
        let place = place_of(what);
        (place, 1 << place)
    }
}
