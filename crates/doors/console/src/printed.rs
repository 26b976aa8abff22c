//! Documents that programs have printed, kept for their users after the programs have ended.
//!
//! A program that runs keeps its documents on its screen; they come here when it ends. A user sees the documents of own programs
//! alone, the last ones up to a limit, until logging out or for as long as a session lasts at most.

use crate::http::Response;
use mainstay_screen::document::Document;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The most documents of a user, and the most bytes of them. A single document has no more ([`Document::new`]).
const MOST_DOCUMENTS: usize = 32;
const MOST_BYTES: usize = 32 << 20;

/// A document and the program that printed it.
#[derive(Clone)]
pub(crate) struct Printed {
    pub user: String,
    /// The identifier of the program.
    pub program: String,
    pub number: u32,
    pub document: Arc<Document>,
    pub since: Instant,
}

impl Printed {
    /// The facts that a page shows.
    pub fn facts(&self) -> Value {
        let Document { title, .. } = &*self.document;
        json!({ "id": self.program, "number": self.number, "title": title, "pages": self.document.pages().len() })
    }
}

/// The documents of programs that have ended.
///
/// The lock of a shelf also covers the place of a program's documents, which is its screen or the shelf.
#[derive(Default)]
pub(crate) struct Shelf(Mutex<Vec<Printed>>);

impl Shelf {
    /// Locks the shelf.
    pub fn lock(&self) -> Shelved<'_> {
        Shelved(self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A shelf that is locked.
pub(crate) struct Shelved<'s>(MutexGuard<'s, Vec<Printed>>);

impl Shelved<'_> {
    /// Keeps documents of a user; the oldest ones beyond the limits are dropped.
    pub fn keep(&mut self, user: &str, documents: Vec<Printed>) {
        let all = &mut *self.0;
        all.extend(documents);
        loop {
            let own = all.iter().filter(|printed| printed.user == user);
            let bytes: usize = own.clone().map(|printed| printed.document.bytes()).sum();
            if own.count() <= MOST_DOCUMENTS && bytes <= MOST_BYTES {
                return;
            }
            let Some(oldest) = all.iter().position(|printed| printed.user == user) else { return };
            all.remove(oldest);
        }
    }

    /// The documents of a user, the oldest first.
    pub fn of_user(&self, user: &str) -> Vec<Printed> {
        self.0.iter().filter(|printed| printed.user == user).cloned().collect()
    }

    /// Drops the documents of a user.
    pub fn clear(&mut self, user: &str) {
        self.0.retain(|printed| printed.user != user);
    }

    /// Drops documents that are older than this.
    pub fn sweep(&mut self, age: Duration) {
        self.0.retain(|printed| printed.since.elapsed() < age);
    }
}

/// The document behind `ID/NUMBER.txt` or `ID/NUMBER.pdf`, among those of a user.
pub(crate) fn response(path: &str, of_user: &[Printed]) -> Response {
    let missing = || Response::error(404, "The document is not there any more");
    let Some((id, name)) = path.split_once('/') else { return missing() };
    let Some((number, form)) = name.split_once('.') else { return missing() };
    let found = of_user.iter().find(|printed| printed.program == id && printed.number.to_string() == number);
    let Some(printed) = found else { return missing() };
    let (kind, body) = match form {
        "pdf" => ("application/pdf", printed.document.pdf()),
        "txt" => ("text/plain; charset=utf-8", printed.document.text().into_bytes()),
        _ => return missing(),
    };
    let answer = Response::empty(200).with("Content-Type", kind).with("Cache-Control", "no-store");
    Response { body, ..answer.with("Content-Disposition", format!("inline; filename=\"print-{number}.{form}\"")) }
}
