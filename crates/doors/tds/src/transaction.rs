//! Requests to the transaction manager: begin, commit, roll back, save. (MS-TDS 2.2.6.9.)
//!
//! Names come after a length of one byte. Some clients count bytes there (tedious), some characters (go-mssqldb): the
//! reading that ends where the request ends is the right one, and bytes are tried first.

use crate::batch::Headers;
use crate::error::{Wire, WireError};
use crate::reader::{Reader, utf16_text};
use crate::version::Version;

/// The isolation level of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isolation {
    /// As the session has it.
    Current,
    /// READ UNCOMMITTED.
    ReadUncommitted,
    /// READ COMMITTED.
    ReadCommitted,
    /// REPEATABLE READ.
    RepeatableRead,
    /// SERIALIZABLE.
    Serializable,
    /// SNAPSHOT.
    Snapshot,
}

/// The beginning of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begin {
    /// Its isolation.
    pub isolation: Isolation,
    /// Its name; empty for none.
    pub name: String,
}

/// A request to the transaction manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransactionRequest {
    /// Begins a transaction.
    Begin(Begin),
    /// Commits, and begins another one if asked to.
    Commit {
        /// The transaction's name; of no importance.
        name: String,
        /// The transaction to begin.
        then: Option<Begin>,
    },
    /// Rolls back, and begins another one if asked to.
    Rollback {
        /// A transaction's or savepoint's name; empty for everything.
        name: String,
        /// The transaction to begin.
        then: Option<Begin>,
    },
    /// Sets a savepoint.
    Save {
        /// Its name.
        name: String,
    },
}

impl TransactionRequest {
    /// Reads one.
    pub fn decode(message: &[u8], version: Version) -> Wire<(Headers, TransactionRequest)> {
        let mut reader = Reader::new(message);
        let headers = Headers::read(&mut reader, version)?;
        let kind = reader.u16()?;
        if !matches!(kind, 5 | 7 | 8 | 9) {
            return Err(WireError::Unsupported(format!("request {kind} of the transaction manager")));
        }
        let attempt = |unit: usize| {
            let mut reader = reader.clone();
            let request = read(&mut reader, kind, unit)?;
            reader.is_at_end().then_some(request).ok_or(WireError::Malformed("a name of another length than it says"))
        };
        attempt(1).or_else(|_| attempt(2)).map(|request| (headers, request))
    }

    /// Appends it as a client writes it.
    pub fn encode(&self, headers: Headers, version: Version, out: &mut Vec<u8>) {
        headers.write(version, out);
        let name = |out: &mut Vec<u8>, name: &str| {
            out.push((2 * name.encode_utf16().count()) as u8);
            out.extend(name.encode_utf16().flat_map(u16::to_le_bytes));
        };
        let begin = |out: &mut Vec<u8>, begin: &Begin| {
            out.push(begin.isolation as u8);
            name(out, &begin.name);
        };
        let (kind, own, then) = match self {
            TransactionRequest::Begin(begun) => {
                out.extend_from_slice(&[5, 0]);
                return begin(out, begun);
            }
            TransactionRequest::Commit { name, then } => (7, name, Some(then)),
            TransactionRequest::Rollback { name, then } => (8, name, Some(then)),
            TransactionRequest::Save { name } => (9, name, None),
        };
        out.extend_from_slice(&[kind, 0]);
        name(out, own);
        if let Some(then) = then {
            out.push(u8::from(then.is_some()));
            then.iter().for_each(|then| begin(out, then));
        }
    }
}

fn read(reader: &mut Reader<'_>, kind: u16, unit: usize) -> Wire<TransactionRequest> {
    if kind == 5 {
        return begin(reader, unit).map(TransactionRequest::Begin);
    }
    let name = name(reader, unit)?;
    if kind == 9 {
        return Ok(TransactionRequest::Save { name });
    }
    // Versions before 7.2 end after the name.
    let flags = if reader.is_at_end() { 0 } else { reader.u8()? };
    let then = (flags & 1 != 0).then(|| begin(reader, unit)).transpose()?;
    Ok(match kind {
        7 => TransactionRequest::Commit { name, then },
        _ => TransactionRequest::Rollback { name, then },
    })
}

fn begin(reader: &mut Reader<'_>, unit: usize) -> Wire<Begin> {
    let isolation = match reader.u8()? {
        0 => Isolation::Current,
        1 => Isolation::ReadUncommitted,
        2 => Isolation::ReadCommitted,
        3 => Isolation::RepeatableRead,
        4 => Isolation::Serializable,
        5 => Isolation::Snapshot,
        _ => return Err(WireError::Malformed("an isolation that there is not")),
    };
    Ok(Begin { isolation, name: name(reader, unit)? })
}

fn name(reader: &mut Reader<'_>, unit: usize) -> Wire<String> {
    let length = usize::from(reader.u8()?) * unit;
    reader.bytes(length).map(utf16_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_counted_in_bytes_and_in_characters() {
        let save = TransactionRequest::Save { name: "ab".into() };
        for length in [2, 4] {
            let decoded = TransactionRequest::decode(&[9, 0, length, b'a', 0, b'b', 0], Version::V7_1).unwrap();
            assert_eq!(decoded.1, save);
        }
        assert!(TransactionRequest::decode(&[9, 0, 3, b'a', 0, b'b', 0], Version::V7_1).is_err());
    }

    #[test]
    fn every_request_comes_back() {
        let begin = |isolation, name: &str| Begin { isolation, name: name.into() };
        let requests = [
            TransactionRequest::Begin(begin(Isolation::Snapshot, "")),
            TransactionRequest::Begin(begin(Isolation::Current, "outer")),
            TransactionRequest::Commit { name: String::new(), then: None },
            TransactionRequest::Commit { name: "x".into(), then: Some(begin(Isolation::Serializable, "y")) },
            TransactionRequest::Rollback { name: "here".into(), then: None },
            TransactionRequest::Rollback { name: String::new(), then: Some(begin(Isolation::ReadCommitted, "")) },
            TransactionRequest::Save { name: "here".into() },
        ];
        for request in requests {
            let (mut out, headers) = (Vec::new(), Headers { transaction: 7 });
            request.encode(headers, Version::V7_4, &mut out);
            assert_eq!(TransactionRequest::decode(&out, Version::V7_4), Ok((headers, request)));
        }
    }

    #[test]
    fn others_are_refused() {
        assert!(matches!(TransactionRequest::decode(&[0, 0], Version::V7_1), Err(WireError::Unsupported(_))));
        assert!(TransactionRequest::decode(&[5, 0, 6, 0], Version::V7_1).is_err());
        assert!(TransactionRequest::decode(&[5], Version::V7_1).is_err());
    }
}
