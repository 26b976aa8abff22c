//! Frames: the length of what follows (four bytes), a kind, a body.
//!
//! [`Frames`] takes bytes as they come and gives whole frames. Before the body of a frame arrives only its length is
//! known; one that is longer than the limit is refused then, so that a connection takes no more memory than its limit.

use super::malformed;
use mainstay_types::Result;

/// The kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// [`Prelude`](super::messages::Prelude), both ways: the first thing that is said.
    Prelude,
    /// [`Hello`](super::messages::Hello), to the server.
    Hello,
    /// [`Welcome`](super::messages::Welcome), to the client.
    Welcome,
    /// [`Problem`](super::messages::Problem), to the client: the connection ends.
    Refused,
    /// [`Request`](super::messages::Request), to the server.
    Request,
    /// [`Answer`](super::messages::Answer), to the client.
    Answer,
    /// [`Progress`](super::messages::Progress), to the client, while a request is carried out.
    Progress,
    /// One byte, to the server, as an answer to that: 1 to go on, 0 to stop.
    Verdict,
}

const KINDS: [(Kind, u8); 8] = [
    (Kind::Prelude, 1),
    (Kind::Hello, 2),
    (Kind::Welcome, 3),
    (Kind::Refused, 4),
    (Kind::Request, 5),
    (Kind::Answer, 6),
    (Kind::Progress, 7),
    (Kind::Verdict, 8),
];

/// The longest body before a login.
pub const LONGEST_HELLO: usize = 4096;
/// The longest body of an answer.
pub const LONGEST_ANSWER: usize = 1 << 30;

/// Bytes before the body.
const HEAD: usize = 5;

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The kind of its contents.
    pub kind: Kind,
    /// Its body.
    pub body: Vec<u8>,
}

impl Frame {
    /// The frame as bytes.
    pub fn bytes(kind: Kind, body: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEAD + body.len());
        out.extend_from_slice(&Frame::head(kind, body));
        out.extend_from_slice(body);
        out
    }

    /// The header before a body on the wire.
    pub fn head(kind: Kind, body: &[u8]) -> [u8; HEAD] {
        let number = KINDS.iter().find(|(known, _)| *known == kind).map_or(0, |(_, number)| *number);
        let [a, b, c, d] = u32::try_from(body.len()).unwrap_or(u32::MAX).to_le_bytes();
        [a, b, c, d, number]
    }
}

/// Makes frames of bytes.
#[derive(Debug)]
pub struct Frames {
    held: Vec<u8>,
    limit: usize,
}

impl Frames {
    /// Frames with bodies of at most so many bytes.
    pub fn new(limit: usize) -> Frames {
        Frames { held: Vec::new(), limit }
    }

    /// Another limit from here on.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Takes in bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
    }

    /// The next whole frame, if it is there.
    ///
    /// Errors: a kind that there is not; a body over the limit.
    pub fn next_frame(&mut self) -> Result<Option<Frame>> {
        let Some(([a, b, c, d, kind], _)) = self.held.split_first_chunk::<HEAD>() else { return Ok(None) };
        let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
        let kind = KINDS.iter().find(|(_, number)| number == kind).map(|(kind, _)| *kind);
        let kind = kind.ok_or_else(|| malformed("no frame has this kind"))?;
        if length > self.limit {
            return Err(malformed("a frame is longer than it may be"));
        }
        if self.held.len() < HEAD + length {
            return Ok(None);
        }
        let body = self.held.get(HEAD..HEAD + length).unwrap_or_default().to_vec();
        self.held.drain(..HEAD + length);
        if self.held.is_empty() && self.held.capacity() > 1 << 16 {
            // A long frame is not paid for as long as the connection lives.
            self.held = Vec::new();
        }
        Ok(Some(Frame { kind, body }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_in_pieces_of_any_length() {
        let bytes = [Frame::bytes(Kind::Request, b"first"), Frame::bytes(Kind::Verdict, &[1])].concat();
        for length in 1..bytes.len() {
            let mut frames = Frames::new(100);
            let mut found = Vec::new();
            for piece in bytes.chunks(length) {
                frames.feed(piece);
                found.extend(std::iter::from_fn(|| frames.next_frame().unwrap()));
            }
            let first = Frame { kind: Kind::Request, body: b"first".to_vec() };
            assert_eq!(found, [first, Frame { kind: Kind::Verdict, body: vec![1] }]);
        }
    }

    #[test]
    fn what_is_too_long_is_refused_by_its_head() {
        let mut frames = Frames::new(4);
        frames.feed(&[5, 0, 0, 0, 5]);
        assert!(frames.next_frame().unwrap_err().to_string().contains("longer"));
        let mut frames = Frames::new(4);
        frames.feed(&[4, 0, 0, 0, 99]);
        assert!(frames.next_frame().is_err());
    }
}
