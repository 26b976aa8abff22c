//! Sequences of a session, and the values that the calls of one row share.

use datafusion::arrow::array::ArrayRef;
use mainstay_types::{Code, Error, Result};
use std::collections::{HashMap, VecDeque};
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

/// Values that the calls of a list share, by the list, the call and the thread.
#[derive(Debug, Default)]
pub struct Shared(Mutex<HashMap<(i64, i64, ThreadId), VecDeque<ArrayRef>>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, HashMap<(i64, i64, ThreadId), VecDeque<ArrayRef>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody has come for what a statement has left that failed.
    pub(crate) fn forget(&self) {
        self.lock().clear();
    }

    pub(crate) fn leave(&self, list: i64, readers: i64, values: &ArrayRef) {
        let (mut all, thread) = (self.lock(), std::thread::current().id());
        (1..=readers).for_each(|call| all.entry((list, call, thread)).or_default().push_back(Arc::clone(values)));
    }

    pub(crate) fn take(&self, list: i64, call: i64, rows: usize) -> Result<ArrayRef> {
        let key = (list, call, std::thread::current().id());
        let values = self.lock().get_mut(&key).and_then(VecDeque::pop_front);
        let missing = || Error::new(Code::Internal, "the values of a sequence that a row shares are not there");
        values.filter(|values| values.len() == rows).ok_or_else(missing)
    }
}

/// The sequences that a session can name. Names come as they were written, perhaps with a schema.
pub trait Sequences: Debug + Send + Sync {
    /// The next value.
    ///
    /// Errors: `UnknownTable` for a name that no sequence has, `InvalidValue` when all values are given.
    fn next(&self, name: &str) -> Result<i64>;

    /// The value that this session was given last by the sequence; by any, without a name.
    ///
    /// Errors: `UnknownTable`; `InvalidValue` when it was given none.
    fn current(&self, name: Option<&str>) -> Result<i64>;

    /// Lets a sequence go on after this value, or with it if it was not `given` yet.
    ///
    /// Errors: `UnknownTable`; `InvalidValue` for a value that is not one of the sequence.
    fn set(&self, name: &str, value: i64, given: bool) -> Result<()>;

    /// Where the values are that calls share.
    fn shared(&self) -> &Shared;
}
