//! A table of a server as a work area: its state on this side, and the requests to the server.
//!
//! The state is the place, the current record (in a detached area), the orders, the locks, and a run of rows. The
//! server has its own area for the table; before a step that depends on the place, it receives the program's place.
//!
//! ```text
//!   request:  [view, order, place, changes of the record]  what is asked  [rows around]
//!             only what has changed since the last one
//! ```
//!
//! **Validity of cached rows.** Every answer contains the table's stamp; if it differs from the one of the rows, the
//! table has been changed. A change through this process is known at once. Changes of others are noticed with the next
//! answer, and rows that are older than [`KEPT_FOR`] are not used before the server has confirmed them:
//! so rows shown are never older than that. Locks, refreshes and seeks always ask.
//!
//! **When the connection is lost** the next request re-establishes it, the table is opened and set up as it was, and
//! the request is sent again, unless something is lost with it: changes that were not written, locks, a transaction.

mod again;
mod opening;

use super::by_hand::ByHand;
use super::connection::Client;
use super::run::Run;
use super::transport::lost;
use crate::dictionary::code_of;
use crate::wire::malformed;
use crate::wire::messages::{InDictionary, Page, PageWish, Reply, Request, State, Step};
use mainstay_types::{Code, Error, Result};
use mainstay_workarea::{
    Area, Counting, Form, Mode, Optimized, OrderId, OrderInfo, Position, RowChanges, Side, untold,
};
use mainstay_xbase::indexed::Telling;
use mainstay_xbase::lock::LockScheme;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

/// The age up to which rows are used without asking.
pub const KEPT_FOR: Duration = Duration::from_secs(1);
/// Bytes of a page, unless the program walks far.
const PAGE_BYTES: u32 = 48 << 10;
/// Bytes of a page when it does.
const LONG_PAGE_BYTES: u32 = 512 << 10;
/// Rows of a page: those of a screen, however long they are.
const SCREEN: u32 = 32;

/// The options of opening a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenHow {
    /// The access of others to it.
    pub mode: Mode,
    /// The locks of the programs that share it.
    pub scheme: Option<LockScheme>,
    /// True if the index that has the table's name is opened with it.
    pub open_structural: bool,
    /// True if deleted records are passed over.
    pub hide_deleted: bool,
    /// True if `=` compares whole texts.
    pub exact: bool,
}

/// The settings of the view, which are applied again when the table is opened again.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct View {
    pub hide_deleted: bool,
    pub exact: bool,
    pub filter: Option<String>,
    pub aof: Option<(String, Optimized)>,
    /// The program's changes by hand to the records of the AOF.
    pub by_hand: ByHand,
    /// Scopes: of which order, which end, and its bytes.
    pub scopes: Vec<(OrderId, Side, Vec<u8>)>,
    pub turned: Vec<(OrderId, bool)>,
    /// True if the table takes no part in transactions.
    pub is_transaction_free: bool,
    /// Index files that were opened by the program.
    pub opened: Vec<PathBuf>,
}

/// The use of earlier pages, which determines the length of the next one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// Bytes of the next page.
    pub bytes: u32,
    /// The number of jumps in a row whose neighbours were not used.
    pub unused: u32,
    /// True if the last page was of a jump.
    pub jumped: bool,
    /// The kinds of counting that were asked for since the last page, and before it.
    pub wanted: u8,
}

/// A table of a server, and a place in it.
pub struct RemoteArea {
    pub(crate) client: Arc<Client>,
    epoch: u64,
    table: u32,
    pub(crate) path: PathBuf,
    pub(crate) how: OpenHow,
    /// The current record.
    pub(crate) record: Area,
    /// True if its bytes are there.
    pub(crate) is_loaded: bool,
    /// A statement may have changed it since its changes here began.
    is_behind: bool,
    /// The server has the record ready to be changed.
    pub(crate) is_edited: bool,
    /// Where the server has changes that it did not write, because something refused the record as it was.
    tried: Vec<(u16, usize)>,
    /// The record is made when it is written.
    pub(crate) is_new: bool,
    pub(crate) place: Position,
    pub(crate) count: u32,
    /// It is the rows of a statement, which do not change.
    pub(crate) is_cursor: bool,
    /// It shows the records of a statement.
    pub(crate) is_live: bool,
    /// True if `count` is that of all rows. The server has more of a statement's rows than it has reported.
    pub(crate) is_whole: bool,
    pub(crate) run: Run,
    pub(crate) reading: Reading,
    /// The orders: their names here, and what they are; the names there are in `info.id`.
    pub(crate) orders: Vec<(OrderId, OrderInfo)>,
    pub(crate) current: Option<OrderId>,
    /// The order of the last move along an order.
    pub(crate) browsed: Option<OrderId>,
    next_order: u32,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) locks: (bool, Vec<u32>),
    pub(crate) view: View,
    /// The settings that the server has: order, place, deleted and exact.
    there: (Option<OrderId>, Position, (bool, bool)),
    changed: Arc<AtomicU64>,
    seen: u64,
    is_closed: bool,
    in_dictionary: Option<InDictionary>,
}

impl RemoteArea {
    /// The mode in which it is open: read-only, if it cannot be written to.
    pub fn mode(&self) -> Mode {
        self.how.mode
    }

    /// The entry of the table in the dictionary of the connection.
    pub fn in_dictionary(&self) -> Option<&InDictionary> {
        self.in_dictionary.as_ref()
    }

    /// Nothing of the record is pending at the server any more.
    pub(crate) fn forget_tried(&mut self) {
        self.tried.clear();
    }

    /// The connection that it is opened through.
    pub fn client(&self) -> &Arc<Client> {
        &self.client
    }

    /// The name there of an order.
    pub(crate) fn server_order(&self, id: OrderId) -> Option<OrderId> {
        self.orders.iter().find(|(known, _)| *known == id).map(|(_, info)| info.id)
    }

    /// The same for calls that are about one.
    pub(crate) fn order_there(&self, id: OrderId) -> Result<OrderId> {
        self.server_order(id)
            .ok_or_else(|| Error::new(Code::NotFound, format!("the area has no order number {}", id.0)))
    }

    /// Asks the server in the current order. With `leave`, what is pending in the record is written first. The replies
    /// to `steps`.
    pub(crate) fn ask(&mut self, leave: bool, steps: Vec<Step>) -> Result<Vec<Reply>> {
        self.ask_in(self.current, leave, steps, &mut untold)
    }

    /// The reply to a single step.
    pub(crate) fn ask_one(&mut self, leave: bool, step: Step) -> Result<Reply> {
        self.ask(leave, vec![step])?.pop().ok_or_else(|| malformed("no reply"))
    }

    /// The same for a step that takes long.
    pub(crate) fn ask_long(&mut self, step: Step, progress: Telling<'_>) -> Result<Reply> {
        let mut replies = self.ask_in(self.current, true, vec![step], progress)?;
        replies.pop().ok_or_else(|| malformed("no reply"))
    }

    /// Asks in an order. The rows that come with it are of that order.
    pub(crate) fn ask_in(
        &mut self,
        order: Option<OrderId>,
        leave: bool,
        steps: Vec<Step>,
        progress: Telling<'_>,
    ) -> Result<Vec<Reply>> {
        for attempt in 0.. {
            if self.epoch != self.client.epoch() {
                self.open_again()?;
            }
            let (mut all, write_at) = self.steps_before(order, leave)?;
            let before = all.len();
            let changes = steps.iter().any(Step::changes_table) || write_at.is_some();
            all.extend(steps.iter().cloned());
            let tells = steps.iter().any(is_long);
            let request = Request { progress: tells, ..Request::new(self.table, all) };
            let (asked, seen) = (Instant::now(), self.changed.load(SeqCst));
            let in_transaction = self.client.is_in_transaction();
            let answer = match self.client.ask(self.epoch, &request, progress) {
                Ok(Some(answer)) => answer,
                Ok(None) if attempt < 2 => continue,
                // A request that only reads can be sent again, unless more was lost than the answer.
                Err(error) if error.code() == Code::ConnectionLost && attempt == 0 && !changes && !in_transaction => {
                    continue;
                }
                Ok(None) => return Err(lost("it was made again")),
                Err(error) => return Err(error),
            };
            if changes {
                self.changed.fetch_add(1, SeqCst);
                if self.in_dictionary.is_some() {
                    // Rules of the dictionary may have changed other tables.
                    Client::changed_any();
                }
            }
            let done = answer.replies.len();
            if write_at.is_some_and(|at| done > at) {
                self.is_edited = false;
                self.tried.clear();
                self.record.forget_changes();
                self.is_loaded = false;
            } else if let Some(Step::Write(changes)) = write_at.and_then(|at| request.steps.get(at)) {
                // The server has them pending: they are cancelled there, or written over.
                self.is_edited = true;
                let is_undone = answer.state.as_ref().is_some_and(|state| !state.is_pending);
                if is_undone && answer.error.as_ref().is_some_and(|error| code_of(error).is_some()) {
                    // An action after the write has failed: the record is as it was, and nothing is pending.
                    self.is_edited = false;
                    self.record.forget_changes();
                    self.is_loaded = false;
                }
                if self.is_edited {
                    note_places(&mut self.tried, &changes.pieces);
                }
            }
            let stamp = answer.state.as_ref().map_or(0, |state| state.stamp);
            if done >= before.saturating_sub(usize::from(write_at.is_some())) {
                self.there = (order, self.place, (self.view.hide_deleted, self.view.exact));
            } else {
                // The state of the settings is unknown: they are sent again.
                self.there.0 = Some(OrderId(u32::MAX));
            }
            if let Some(state) = answer.state {
                self.take_state(state);
            }
            if stamp == self.run.stamp && !self.run.rows.is_empty() {
                // The server has said that nothing has changed.
                (self.run.asked, self.seen) = (asked, seen);
            }
            if let Some(error) = answer.error {
                return Err(error);
            }
            let replies: Vec<Reply> = answer.replies.into_iter().skip(before).collect();
            return Ok(self.keep_pages(replies, stamp, order, asked, seen));
        }
        Err(lost("it cannot be made again"))
    }

    /// The changes of the record, and the earlier changes that the server has to undo.
    fn changes(&mut self) -> Result<RowChanges> {
        let mut changes = self.record.changes();
        let is_touched = self.record.has_pending() && self.in_dictionary.is_some();
        if self.tried.is_empty() && !(is_touched && changes.pieces.is_empty()) {
            return Ok(changes);
        }
        // A record that is as it was is written all the same where a dictionary may have something to say about that.
        let mut places = std::mem::take(&mut self.tried);
        if is_touched && changes.pieces.is_empty() {
            places.push((0, 1));
        }
        let bytes = self.record.record()?;
        let again = places.iter().filter_map(|(start, length)| {
            let from = usize::from(*start);
            Some((*start, bytes.get(from..from + length)?.to_vec()))
        });
        changes.pieces = again.chain(std::mem::take(&mut changes.pieces)).collect();
        self.tried = places;
        Ok(changes)
    }

    /// The steps before a request: the changes here since the last one. And the index of the step that writes.
    fn steps_before(&mut self, order: Option<OrderId>, leave: bool) -> Result<(Vec<Step>, Option<usize>)> {
        let mut steps = Vec::new();
        let (there_order, there_place, there_view) = self.there;
        let view = (self.view.hide_deleted, self.view.exact);
        if view != there_view {
            steps.push(Step::View { hide_deleted: view.0, exact: view.1 });
        }
        if self.place != there_place {
            steps.push(Step::At(self.place));
        }
        if order != there_order {
            let there = order.map(|order| self.order_there(order)).transpose()?;
            steps.push(Step::SetOrder(there));
        }
        let mut write_at = None;
        if leave && (self.record.has_pending() || self.is_edited) {
            write_at = Some(steps.len());
            steps.push(Step::Write(self.changes()?));
        }
        Ok((steps, write_at))
    }

    /// Takes the rows out of the replies.
    fn keep_pages(
        &mut self,
        replies: Vec<Reply>,
        stamp: u64,
        order: Option<OrderId>,
        asked: Instant,
        seen: u64,
    ) -> Vec<Reply> {
        let mut others = Vec::with_capacity(replies.len());
        for reply in replies {
            match reply {
                Reply::Page(page) => self.take_page(page, stamp, order, asked, seen),
                Reply::Unchanged => {
                    self.run.asked = asked;
                    self.seen = seen;
                }
                Reply::Row(bytes) if self.record.has_pending() => self.record.show_beneath(&bytes),
                Reply::Row(bytes) => {
                    self.record.show(self.place, self.count, Some(&bytes));
                    self.is_loaded = true;
                }
                other => others.push(other),
            }
        }
        others
    }

    fn take_page(&mut self, page: Page, stamp: u64, order: Option<OrderId>, asked: Instant, seen: u64) {
        self.run.take(page, order, stamp, self.place.record, asked);
        self.seen = seen;
    }

    /// Takes what an answer says about the table.
    fn take_state(&mut self, state: State) {
        if state.stamp != self.run.stamp {
            self.run.clear();
        }
        if state.position.record != self.place.record {
            self.is_loaded = false;
        }
        self.place = state.position;
        self.there.1 = state.position;
        (self.count, self.is_whole) = (state.count, true);
        self.is_new = state.is_new;
        if let Some(locks) = state.locks {
            self.locks = locks;
        }
        if let Some(orders) = state.orders {
            self.take_orders(orders);
        }
        if let Some(files) = state.index_files {
            self.files = files.iter().map(|file| self.client.path(file)).collect();
        }
    }

    fn take_orders(&mut self, orders: Vec<OrderInfo>) {
        let before = std::mem::take(&mut self.orders);
        for mut info in orders {
            info.file = self.client.path(&info.file);
            // By its tag and file, also when it has another name there after the table was opened again.
            let is_it = |known: &&(OrderId, OrderInfo)| known.1.name == info.name && known.1.file == info.file;
            let id = match before.iter().find(is_it) {
                Some((id, _)) => *id,
                None => {
                    self.next_order += 1;
                    OrderId(self.next_order - 1)
                }
            };
            self.orders.push((id, info));
        }
        let is_known = |id: OrderId| self.orders.iter().any(|(known, _)| *known == id);
        self.current = self.current.filter(|id| is_known(*id));
        self.browsed = self.browsed.filter(|id| is_known(*id));
        self.view.scopes.retain(|(id, ..)| is_known(*id));
        self.view.turned.retain(|(id, _)| is_known(*id));
        if self.there.0.is_some_and(|id| !is_known(id)) {
            self.there.0 = Some(OrderId(u32::MAX));
        }
    }

    /// Drops the cached rows: the set of shown records has changed.
    pub(crate) fn forget_rows(&mut self) {
        self.run.clear();
    }

    /// Returns true if the rows at hand may be used without asking.
    pub(crate) fn is_fresh(&self) -> bool {
        self.is_current() && (self.is_cursor || self.run.asked.elapsed() < KEPT_FOR)
    }

    /// Returns true if the rows at hand are right as far as this process knows.
    pub(crate) fn is_current(&self) -> bool {
        self.seen == self.changed.load(SeqCst) && self.epoch == self.client.epoch()
    }

    /// Has the record of the place ready, if its row is at hand.
    pub(crate) fn arrive(&mut self) {
        let is_record = self.place.record >= 1 && self.place.record <= self.count && !self.place.eof;
        let row = if is_record { self.run.place_of(self.place.record) } else { None };
        let bytes = row.and_then(|at| self.run.rows.get(at)).map(|row| row.bytes.as_slice());
        self.is_loaded = bytes.is_some() || !is_record;
        self.record.show(self.place, self.count, bytes);
    }

    /// The page request that goes with a move.
    pub(crate) fn wish(&mut self, before: bool, after: bool) -> Step {
        let length = self.record.header().record_length.max(1);
        let rows = (self.reading.bytes / length).max(SCREEN);
        let part = |wanted: bool| if wanted { rows } else { 2 };
        let wanted = std::mem::take(&mut self.reading.wanted);
        Step::Page(PageWish {
            before: part(before),
            after: part(after),
            bytes: self.reading.bytes.max(SCREEN * length),
            unless: None,
            numbers: wanted,
        })
    }

    /// The page request that goes with a jump: the rows around, as long as the program uses them.
    pub(crate) fn wish_around(&mut self) -> Step {
        if self.reading.jumped {
            self.reading.unused += 1;
        }
        self.reading.jumped = true;
        self.reading.bytes = PAGE_BYTES;
        if self.reading.unused > 2 {
            let numbers = std::mem::take(&mut self.reading.wanted);
            return Step::Page(PageWish { before: 0, after: 1, bytes: 1, unless: None, numbers });
        }
        match self.wish(true, true) {
            Step::Page(wish) => Step::Page(PageWish { before: SCREEN, after: wish.after.min(2 * SCREEN), ..wish }),
            other => other,
        }
    }

    /// The rows served: longer pages are worth it.
    pub(crate) fn note_walk(&mut self) {
        (self.reading.unused, self.reading.jumped) = (0, false);
    }

    /// A walk has come to the end of its rows: the next page is longer.
    pub(crate) fn note_end_of_rows(&mut self) {
        self.note_walk();
        self.reading.bytes = (self.reading.bytes * 2).min(LONG_PAGE_BYTES);
    }

    /// Notes that numbers of this kind are of interest.
    pub(crate) fn note_counting(&mut self, what: Counting) {
        self.reading.wanted |= PageWish::bit(what).1;
    }

    /// Returns true if a record is locked by this area.
    pub(crate) fn has_lock(&self, record: u32) -> bool {
        self.how.mode == Mode::Exclusive || self.locks.0 || self.locks.1.contains(&record)
    }

    /// Another form: the table was given other fields.
    pub(crate) fn take_form(&mut self, form: &Form) -> Result<()> {
        self.record = Area::detached(&self.path, form)?;
        self.record.set_exact(self.view.exact);
        self.is_loaded = false;
        Ok(())
    }

    /// The transaction that the table took part in has ended, or was rolled back: pending changes were written or are
    /// dropped.
    pub fn note_transaction(&mut self) {
        self.record.forget_changes();
        self.tried.clear();
        self.forget_rows();
        (self.is_edited, self.is_loaded) = (false, false);
        self.run.asked = Instant::now().checked_sub(2 * KEPT_FOR).unwrap_or(self.run.asked);
        self.changed.fetch_add(1, SeqCst);
    }

    /// A statement of the connection may have changed the record: it is read anew. Fields that are changed here and not written
    /// stay so.
    pub fn note_statement(&mut self) {
        match self.record.has_pending() {
            true => self.is_behind = true,
            false => {
                self.forget_rows();
                self.is_loaded = false;
            }
        }
    }

    /// Has those fields of a record with pending changes that a statement may have changed.
    pub(crate) fn catch_up(&mut self) -> Result<()> {
        if std::mem::take(&mut self.is_behind) && self.record.has_pending() && !self.is_new {
            self.ask(false, vec![Step::Row])?;
        }
        Ok(())
    }

    pub(crate) fn close_it(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.is_closed, true) || self.epoch != self.client.epoch() {
            return Ok(());
        }
        let closed = self.ask_one(true, Step::Close).map(drop);
        if closed.is_err() && self.epoch == self.client.epoch() {
            self.close_without_writing();
        }
        closed
    }

    /// Closes the table at the server, where a step before the closing has failed: the program has no handle to it any
    /// more. What is pending there is cancelled. Errors are those that the program has got already.
    fn close_without_writing(&mut self) {
        for step in [Step::Cancel, Step::Close] {
            let _ = self.client.ask(self.epoch, &Request::new(self.table, vec![step]), &mut untold);
        }
        self.changed.fetch_add(1, SeqCst);
    }
}

impl Drop for RemoteArea {
    fn drop(&mut self) {
        // An error cannot be reported here; a program that needs it closes the area.
        let _ = self.close_it();
    }
}

fn is_long(step: &Step) -> bool {
    matches!(step, Step::CreateOrder(_) | Step::Pack | Step::Reindex | Step::Restructure { .. } | Step::CopyTo { .. })
}

/// Adds the places of pieces to others, each byte once: a write that is refused again and again stays as long as it is.
fn note_places(places: &mut Vec<(u16, usize)>, pieces: &[(u16, Vec<u8>)]) {
    places.extend(pieces.iter().map(|(start, piece)| (*start, piece.len())));
    places.sort_unstable();
    let mut merged: Vec<(u16, usize)> = Vec::with_capacity(places.len());
    for (start, length) in places.drain(..) {
        match merged.last_mut() {
            Some((from, known)) if usize::from(*from) + *known >= usize::from(start) => {
                *known = (*known).max(usize::from(start - *from) + length);
            }
            _ => merged.push((start, length)),
        }
    }
    *places = merged;
}
