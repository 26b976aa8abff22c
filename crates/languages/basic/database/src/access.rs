//! Statements over the table of a channel, and rows that were fetched ahead.

use crate::condition::{at, behind, sorted};
use crate::joint::Joint;
use crate::shape::{Identity, Sequence, Shape};
use crate::text;
use mainstay_basic_files::{Result, options::SEPARATOR};
use mainstay_engine::{Database, Prepared, Session};
use mainstay_types::{Value, ValueRef};
use mainstay_vfs::Stamp;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// The sizes of batches, as long as rows are read one after the other.
const SIZES: [usize; 4] = [1, 8, 64, 256];
/// So many statements are kept prepared.
const STATEMENTS: usize = 64;

/// A row of the table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Record {
    /// Its place in the order by which it was read.
    pub(crate) place: Vec<Value>,
    /// Its identity.
    pub(crate) identity: Vec<Value>,
    /// Its fields, each ended by the separator.
    pub(crate) data: Vec<u8>,
}

impl Record {
    /// Its identity, as text.
    pub(crate) fn identity_text(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for value in &self.identity {
            text::append(value.as_ref(), &mut out);
            out.push(SEPARATOR);
        }
        out
    }
}

/// A state of the table's contents.
#[derive(Clone, Debug, PartialEq)]
enum State {
    Unknown,
    File(Stamp),
    Store(u64),
}

/// Access to the rows of a table.
pub(crate) struct Access {
    pub(crate) database: Database,
    /// The channel's own, outside of transactions of its program.
    pub(crate) session: Session,
    /// The session of the program's transactions.
    joint: Arc<Joint>,
    pub(crate) shape: Shape,
    pub(crate) separator: u8,
    statements: HashMap<String, Prepared>,
    ahead: VecDeque<Record>,
    /// The order, state and last place for which `ahead` is good.
    ahead_of: Option<(usize, State, Vec<Value>)>,
    size: usize,
    /// True if the session has a transaction open.
    pub(crate) is_in_transaction: bool,
}

/// The session setting that limits waits for locks.
const LOCK_TIMEOUT: &str = "lock_timeout";
/// The shortest limit of a wait: 0 stands for a wait without end.
const SHORTEST_WAIT: Duration = Duration::from_millis(20);

/// A limit of waits for locks, in force until it is dropped. See [`Access::limit_waits`].
#[must_use]
pub(crate) struct WaitLimit(Option<(Arc<Joint>, String)>);

impl Drop for WaitLimit {
    fn drop(&mut self) {
        if let Some((joint, before)) = &self.0 {
            // The value was in force before, so the session takes it.
            let _ = joint.session().set(LOCK_TIMEOUT, before);
        }
    }
}

/// A part of an order to read.
pub(crate) struct Stretch<'p> {
    pub(crate) order: usize,
    pub(crate) place: &'p [Value],
    pub(crate) forward: bool,
    pub(crate) included: bool,
}

impl Access {
    pub(crate) fn new(database: &Database, session: Session, joint: Arc<Joint>, shape: Shape, separator: u8) -> Access {
        Access {
            database: database.clone(),
            session,
            joint,
            shape,
            separator,
            statements: HashMap::new(),
            ahead: VecDeque::new(),
            ahead_of: None,
            size: 0,
            is_in_transaction: false,
        }
    }

    fn state(&self) -> State {
        let state = match &self.shape.path {
            _ if self.is_in_transaction || self.is_in_scope() => return State::Unknown,
            Some(path) => self.database.files().stamp(path).map(State::File),
            // A view reads other tables, which may be files.
            None if self.shape.identity == Identity::Row => return State::Unknown,
            None => self.database.existing_native_store().map(|store| State::Store(store.published())),
        };
        state.unwrap_or(State::Unknown)
    }

    /// True if the program has a transaction open, which then has the channel's changes and locks.
    pub(crate) fn is_in_scope(&self) -> bool {
        self.joint.is_open()
    }

    /// Works with the session of the program's transaction, or with the channel's own.
    pub(crate) fn with_session<T>(&mut self, work: impl FnOnce(&mut Session) -> T) -> T {
        match self.joint.is_open() {
            true => work(&mut self.joint.session()),
            false => work(&mut self.session),
        }
    }

    /// Limits how long changes of the channel wait for the locks of others.
    ///
    /// SQL statements of the program share the session of its transaction, so the session gets its own limit back when the
    /// operation ends. The channel's own session keeps the last limit, as no other statement uses it.
    pub(crate) fn limit_waits(&mut self, wait: Duration) -> Result<WaitLimit> {
        let limit = format!("{}ms", wait.max(SHORTEST_WAIT).as_millis());
        if !self.joint.is_open() {
            self.session.set(LOCK_TIMEOUT, &limit)?;
            return Ok(WaitLimit(None));
        }
        let mut session = self.joint.session();
        let before = session.settings().into_iter().find(|setting| setting.name == LOCK_TIMEOUT);
        session.set(LOCK_TIMEOUT, &limit)?;
        Ok(WaitLimit(before.map(|before| (Arc::clone(&self.joint), before.value))))
    }

    /// Forgets the rows that were fetched.
    pub(crate) fn forget(&mut self) {
        self.ahead.clear();
        self.ahead_of = None;
    }

    fn prepared(&mut self, sql: &str) -> Result<()> {
        if !self.statements.contains_key(sql) {
            if self.statements.len() >= STATEMENTS {
                self.statements.clear();
            }
            let prepared = self.session.prepare(sql)?;
            self.statements.insert(sql.to_owned(), prepared);
        }
        Ok(())
    }

    /// Runs a change: how many rows it changed.
    pub(crate) fn change(&mut self, sql: &str, parameters: &[Value]) -> Result<u64> {
        self.forget();
        self.joint.commit_gathered()?;
        self.prepared(sql)?;
        let parameters: Vec<ValueRef<'_>> = parameters.iter().map(Value::as_ref).collect();
        let mut joint = self.joint.is_open().then(|| self.joint.session());
        let session = joint.as_deref_mut().unwrap_or(&mut self.session);
        match self.statements.get_mut(sql) {
            Some(prepared) => Ok(prepared.execute(session, &parameters)?),
            None => Ok(0),
        }
    }

    /// The rows of a query, each as a list of values.
    pub(crate) fn rows(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Vec<Value>>> {
        self.prepared(sql)?;
        let parameters: Vec<ValueRef<'_>> = parameters.iter().map(Value::as_ref).collect();
        let Some(prepared) = self.statements.get_mut(sql) else { return Ok(Vec::new()) };
        let mut joint = self.joint.is_open().then(|| self.joint.session());
        let session = joint.as_deref_mut().unwrap_or(&mut self.session);
        let mut found = prepared.query(session, &parameters)?;
        let mut all = Vec::new();
        while let Some(row) = found.next()? {
            all.push((0..row.len()).map(|column| row.get(column).to_value()).collect());
        }
        Ok(all)
    }

    fn record_of(&self, order: usize, values: Vec<Value>) -> Record {
        let columns = self.shape.columns.len();
        let mut data = Vec::new();
        for value in values.iter().take(columns) {
            text::append(value.as_ref(), &mut data);
            data.push(self.separator);
        }
        let place: Vec<Value> = values.into_iter().skip(columns).collect();
        let known = if order == 0 { 0 } else { self.shape.orders[order].known };
        let identity = place[known.min(place.len())..].to_vec();
        Record { place, identity, data }
    }

    /// Reads rows that fulfil a condition, in an order.
    fn select(&mut self, order: usize, condition: &str, parameters: &[Value], tail: &str) -> Result<Vec<Record>> {
        let Sequence { parts, condition: of_order, .. } = self.shape.order(order)?;
        let columns = self.shape.columns.iter().map(|column| column.sql.as_str());
        let all: Vec<&str> = columns.chain(parts.iter().map(|part| part.sql.as_str())).collect();
        let of_order = of_order.as_ref().map(|text| format!(" AND ({text})")).unwrap_or_default();
        let (all, source) = (all.join(", "), &self.shape.source);
        let sql = format!("SELECT {all} FROM {source} WHERE {condition}{of_order} {tail}");
        let rows = self.rows(&sql, parameters)?;
        Ok(rows.into_iter().map(|values| self.record_of(order, values)).collect())
    }

    /// The row at a distance (0 is the nearest one) in a stretch.
    pub(crate) fn step(&mut self, stretch: &Stretch<'_>, distance: u64) -> Result<Option<Record>> {
        Ok(self.stretch(stretch, 1, distance)?.pop())
    }

    fn stretch(&mut self, stretch: &Stretch<'_>, limit: usize, offset: u64) -> Result<Vec<Record>> {
        let parts = &self.shape.order(stretch.order)?.parts;
        let mut parameters = Vec::new();
        let condition = match stretch.place {
            [] => "TRUE".to_owned(),
            place => behind(parts, place, (stretch.forward, stretch.included), &mut parameters),
        };
        let by = sorted(parts, stretch.forward);
        let offset = if offset > 0 { format!(" OFFSET {offset}") } else { String::new() };
        self.select(stretch.order, &condition, &parameters, &format!("ORDER BY {by} LIMIT {limit}{offset}"))
    }

    /// The row behind a place, fetched with others if rows are read one after the other. Counts a fetch by `count`.
    pub(crate) fn next(&mut self, stretch: &Stretch<'_>, count: impl FnOnce()) -> Result<Option<Record>> {
        let state = self.state();
        let is_next = |(order, of, place): &(usize, State, Vec<Value>)| {
            *order == stretch.order && *of == state && state != State::Unknown && place == stretch.place
        };
        let continues = self.ahead_of.as_ref().is_some_and(is_next) && !stretch.included;
        if !continues || self.ahead.is_empty() {
            self.size = if continues { (self.size + 1).min(SIZES.len() - 1) } else { 0 };
            count();
            self.ahead = self.stretch(stretch, SIZES[self.size], 0)?.into();
        }
        let found = self.ahead.pop_front();
        self.ahead_of = found.as_ref().map(|record| (stretch.order, state, record.place.clone()));
        Ok(found)
    }

    /// The first row with these values in the first parts of an order.
    pub(crate) fn exactly(&mut self, order: usize, place: &[Value]) -> Result<Option<Record>> {
        let parts = &self.shape.order(order)?.parts;
        let mut parameters = Vec::new();
        let condition = at(parts, place, &mut parameters);
        let by = sorted(parts, true);
        Ok(self.select(order, &condition, &parameters, &format!("ORDER BY {by} LIMIT 1"))?.pop())
    }

    /// The row of this identity, with its place in an order; `None` if it is not there, or not in the order.
    pub(crate) fn identified(&mut self, order: usize, identity: &[Value]) -> Result<Option<Record>> {
        let mut parameters = Vec::new();
        let condition = at(self.shape.identifying(), identity, &mut parameters);
        Ok(self.select(order, &condition, &parameters, "")?.pop())
    }

    /// How many rows of an order are up to a place and at it; all of them without a place.
    pub(crate) fn count(&mut self, order: usize, place: &[Value]) -> Result<u64> {
        let Sequence { parts, condition: of_order, .. } = self.shape.order(order)?;
        let mut parameters = Vec::new();
        let condition = match place {
            [] => "TRUE".to_owned(),
            place => behind(parts, place, (false, true), &mut parameters),
        };
        let of_order = of_order.as_ref().map(|text| format!(" AND ({text})")).unwrap_or_default();
        let sql = format!("SELECT COUNT(*) FROM {} WHERE {condition}{of_order}", self.shape.source);
        let rows = self.rows(&sql, &parameters)?;
        let count = rows.first().and_then(|row| row.first());
        Ok(count.and_then(Value::as_f64).map_or(0, |count| count as u64))
    }
}
