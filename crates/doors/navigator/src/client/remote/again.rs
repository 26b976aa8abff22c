//! Reopening a table through a re-established connection: with its orders, scopes and filters as they were.

use super::RemoteArea;
use super::opening::open_request;
use crate::client::transport::lost;
use crate::wire::malformed;
use crate::wire::messages::{MOST_STEPS, Reply, Request, State, Step};
use mainstay_types::Result;
use mainstay_workarea::{OrderId, Position, untold};

impl RemoteArea {
    /// Opens the table again, through a connection that was made again.
    pub(super) fn open_again(&mut self) -> Result<()> {
        let has_locks = (self.locks.0 || !self.locks.1.is_empty()) && !self.client.has_told_loss(self.epoch);
        let has_lost = self.is_edited || self.record.has_pending() || has_locks;
        self.forget_rows();
        if self.is_cursor || self.is_live {
            return Err(lost("the rows of the statement are lost with it"));
        }
        let mut request = open_request(&self.client, std::slice::from_ref(&self.path), &self.how);
        request.steps.truncate(2);
        let epoch = self.client.epoch();
        let answer = self.client.ask(epoch, &request, &mut untold)?.ok_or_else(|| lost("it was made again"))?;
        if let Some(error) = answer.error {
            return Err(error);
        }
        let (Some(Reply::Opened(opened)), Some(state)) = (answer.replies.into_iter().next(), answer.state) else {
            return Err(malformed("no table"));
        };
        let epoch = self.client.epoch();
        self.table = opened.table;
        if let Err(error) = self.set_up_again(epoch, state) {
            // The next request opens it once more: it is not used as it is.
            let close = Request::new(opened.table, vec![Step::Close]);
            let _ = self.client.ask(epoch, &close, &mut untold);
            return Err(error);
        }
        self.epoch = epoch;
        self.locks = (false, Vec::new());
        // The writes of a transaction were undone with the connection, even those that were acknowledged.
        self.is_loaded = false;
        if has_lost {
            self.is_edited = false;
            self.tried.clear();
            self.record.forget_changes();
            return Err(lost("what was locked or not written is lost with it"));
        }
        Ok(())
    }

    /// Has the server show what was shown, through the connection of this epoch. `state` is the table's behind its opening.
    fn set_up_again(&mut self, epoch: u64, mut state: State) -> Result<()> {
        // Orders are what they were only when all index files are there.
        let files: Vec<Step> = self.view.opened.iter().cloned().map(Step::OpenIndex).collect();
        self.set_up(epoch, &files, &mut state)?;
        self.there = (None, state.position, (self.view.hide_deleted, self.view.exact));
        let place = self.place;
        self.take_state(state);
        self.place = match place.record > self.count {
            // The record was appended by what is lost; or the place is behind the last record, wherever that is now.
            true => Position { record: self.count + 1, eof: true, ..place },
            false => place,
        };
        let mut steps = Vec::new();
        if self.view.is_transaction_free {
            steps.push(Step::TransactionFree(true));
        }
        for (order, descending) in self.view.turned.clone() {
            steps.extend(self.server_order(order).map(|order| Step::Turn { order, descending }));
        }
        for (order, side, bytes) in self.view.scopes.clone() {
            if let Some(order) = self.server_order(order) {
                let key = mainstay_workarea::SeekKey::Raw(bytes);
                steps.extend([Step::SetOrder(Some(order)), Step::SetScope { side, key }]);
            }
        }
        steps.extend(self.view.filter.clone().map(|filter| Step::SetFilter(Some(filter))));
        if let Some((aof, _)) = self.view.aof.clone() {
            steps.push(Step::SetAof(aof));
            steps.extend(self.view.by_hand.steps());
        }
        let mut state = State::default();
        self.set_up(epoch, &steps, &mut state)?;
        if !steps.is_empty() {
            // Some order is set there now, and the place may be another.
            self.there.0 = Some(OrderId(u32::MAX));
            self.there.1 = state.position;
        }
        Ok(())
    }

    /// Has the server do these steps, however many there are; `state` is the table's behind the last.
    fn set_up(&mut self, epoch: u64, steps: &[Step], state: &mut State) -> Result<()> {
        for some in steps.chunks(MOST_STEPS) {
            let request = Request::new(self.table, some.to_vec());
            let answer = self.client.ask(epoch, &request, &mut untold)?.ok_or_else(|| lost("it was made again"))?;
            answer.error.map_or(Ok(()), Err)?;
            let now = answer.state.ok_or_else(|| malformed("no state"))?;
            let before = std::mem::replace(state, now);
            state.follow(before);
        }
        Ok(())
    }
}
