//! Opening a table: a file of the server, or the rows of a statement.

use super::{OpenHow, PAGE_BYTES, Reading, RemoteArea, SCREEN, View};
use crate::client::connection::Client;
use crate::client::run::Run;
use crate::client::transport::lost;
use crate::wire::malformed;
use crate::wire::messages::{Cursor, Opened, Opening, PageWish, Reply, Request, Step};
use mainstay_types::Result;
use mainstay_workarea::{Area, Form, Mode, Position, untold};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Instant;

impl RemoteArea {
    /// Opens the table of the first of some paths below [`Client::base`] that there is a file of, and goes to its first
    /// record.
    ///
    /// Errors: those of opening a table; `ConnectionLost`.
    pub fn open(client: &Arc<Client>, paths: &[PathBuf], how: &OpenHow) -> Result<RemoteArea> {
        let (request, epoch) = (open_request(client, paths, how), client.epoch());
        let answer = client.ask(epoch, &request, &mut untold)?.ok_or_else(|| lost("it was made again"))?;
        if let Some(error) = answer.error {
            return Err(error);
        }
        let mut replies = answer.replies.into_iter();
        let (Some(Reply::Opened(opened)), Some(state)) = (replies.next(), answer.state) else {
            return Err(malformed("no table"));
        };
        let Opened { table, name, form, is_read_only, in_dictionary } = opened;
        let path = client.path(&name);
        let mode = if is_read_only { Mode::ReadOnly } else { how.mode };
        let changed = Client::changed(&path);
        let how = OpenHow { mode, ..how.clone() };
        let mut area = RemoteArea::new(client, table, path, &form, how, changed)?;
        area.in_dictionary = in_dictionary;
        let (stamp, seen) = (state.stamp, area.seen);
        area.take_state(state);
        if let Some(Reply::Page(page)) = replies.last() {
            area.take_page(page, stamp, None, Instant::now(), seen);
        }
        area.arrive();
        Ok(area)
    }

    /// The rows of a statement that are a table of the server.
    pub(crate) fn of_cursor(client: &Arc<Client>, cursor: Cursor) -> Result<RemoteArea> {
        let Cursor { table, form, page, is_whole, count, stamp, .. } = cursor;
        let (mode, path) = (Mode::Exclusive, PathBuf::from("cursor.dbf"));
        let how = OpenHow { mode, scheme: None, open_structural: false, hide_deleted: false, exact: false };
        // It is this one's alone: no other table's changes are of any interest.
        let mut area = RemoteArea::new(client, table, path, &form, how, Arc::default())?;
        (area.is_cursor, area.is_whole) = (true, is_whole);
        let position = Position { record: 1, ..Position::default() };
        (area.count, area.place, area.there.1) = (count, position, position);
        area.take_page(page, stamp, None, Instant::now(), 0);
        area.arrive();
        Ok(area)
    }

    fn new(
        client: &Arc<Client>,
        table: u32,
        path: PathBuf,
        form: &Form,
        how: OpenHow,
        changed: Arc<AtomicU64>,
    ) -> Result<RemoteArea> {
        let (view, nowhere) = ((how.hide_deleted, how.exact), Position::default());
        let mut record = Area::detached(&path, form)?;
        record.set_exact(how.exact);
        Ok(RemoteArea {
            client: Arc::clone(client),
            epoch: client.epoch(),
            table,
            record,
            path,
            is_loaded: false,
            is_behind: false,
            is_edited: false,
            tried: Vec::new(),
            is_new: false,
            place: nowhere,
            count: 0,
            is_cursor: false,
            is_live: false,
            is_whole: true,
            run: Run::empty(),
            reading: Reading { bytes: PAGE_BYTES, unused: 0, jumped: false, wanted: 0 },
            orders: Vec::new(),
            current: None,
            browsed: None,
            next_order: 1,
            files: Vec::new(),
            locks: (false, Vec::new()),
            view: View { hide_deleted: view.0, exact: view.1, ..View::default() },
            there: (None, nowhere, view),
            seen: changed.load(SeqCst),
            changed,
            is_closed: false,
            in_dictionary: None,
            how,
        })
    }
}

pub(super) fn open_request(client: &Client, paths: &[PathBuf], how: &OpenHow) -> Request {
    let opening = Opening {
        names: paths.iter().map(|path| client.name(path)).collect(),
        mode: how.mode,
        scheme: how.scheme,
        open_structural: how.open_structural,
        or_read_only: true,
    };
    let page = PageWish { before: 1, after: SCREEN, bytes: PAGE_BYTES, unless: None, numbers: 0 };
    let view = Step::View { hide_deleted: how.hide_deleted, exact: how.exact };
    let steps = vec![Step::Open(opening), view, Step::GoTop, Step::Page(page)];
    Request::new(0, steps)
}
