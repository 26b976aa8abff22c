//! Asking again: a client that waits for a lock sends the rest of its request again and again, so that others can use
//! the connection between two attempts, and combines the answers.

use super::messages::{Answer, Request, State, Step};

/// For so many milliseconds a server waits for a lock before the client asks again: as long as that others wait for its
/// connection.
const WAIT_MS: u32 = 10;

impl Request {
    /// A request about a table, or about none (0), by a client that asks again for what another has locked.
    pub fn new(table: u32, steps: Vec<Step>) -> Request {
        Request { table, progress: false, wait_ms: WAIT_MS, steps }
    }
}

impl Answer {
    /// Takes over what was answered to the rest of the same request.
    pub fn follow(&mut self, rest: Answer) {
        self.replies.extend(rest.replies);
        self.error = rest.error;
        let before = std::mem::replace(&mut self.state, rest.state);
        if let (Some(state), Some(before)) = (&mut self.state, before) {
            state.follow(before);
        }
    }
}

impl State {
    /// Copies from the state before the parts that are only sent when they have changed.
    pub fn follow(&mut self, before: State) {
        self.locks = self.locks.take().or(before.locks);
        self.orders = self.orders.take().or(before.orders);
        self.index_files = self.index_files.take().or(before.index_files);
    }
}

impl Step {
    /// Returns true if a step that did not get a lock has done nothing, so that a client may wait by asking again:
    /// others use its connection meanwhile, among them perhaps the one that has the lock.
    pub fn may_be_asked_again(&self) -> bool {
        matches!(self, Step::Open(_) | Step::Edit | Step::Write(_) | Step::Append | Step::Seek { .. })
    }
}
