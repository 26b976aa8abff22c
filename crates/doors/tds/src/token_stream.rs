//! Tokens of an answer while its bytes arrive.
//!
//! ```text
//!   packet, packet, packet  -->  bytes that are in no token yet  -->  Token, Token, Token
//! ```
//!
//! An answer can be longer than memory, so a client must not collect it. The stream keeps the bytes of one incomplete token
//! and parses it again when more have come. So that a value of many megabytes is not parsed once for every packet, the next
//! attempt waits until the bytes have grown by a quarter, or until the answer has ended.
//!
//! Limits: a token is buffered as a whole. One that is longer than the limit of the stream, by no more than a packet, ends the
//! connection: a value in pieces need not say how long it becomes.

use crate::client::{Token, read_token};
use crate::error::{Wire, WireError};
use crate::reader::Reader;
use crate::type_info::TypeInfo;
use crate::version::Version;

/// Up to so many bytes a token is tried again with every packet.
const ALWAYS_TRIED_BYTES: usize = 64 << 10;

/// Reads the tokens of answers, one answer after the other.
#[derive(Debug)]
pub struct TokenStream {
    version: Version,
    limit_bytes: usize,
    bytes: Vec<u8>,
    /// Where the first byte stands that is in no token yet.
    start: usize,
    /// So many bytes have to be there before the next attempt.
    wanted_bytes: usize,
    has_ended: bool,
    infos: Vec<TypeInfo>,
}

impl TokenStream {
    /// A stream for a version of the protocol. A token of more than `limit_bytes` is refused.
    pub fn new(version: Version, limit_bytes: usize) -> TokenStream {
        TokenStream {
            version,
            limit_bytes,
            bytes: Vec::new(),
            start: 0,
            wanted_bytes: 1,
            has_ended: false,
            infos: Vec::new(),
        }
    }

    /// Sets the length beyond which a token is refused.
    pub fn set_limit(&mut self, limit_bytes: usize) {
        self.limit_bytes = limit_bytes;
    }

    /// Takes the payload of a packet; `is_last`: the answer ends with it. Read all tokens before feeding more: then no more
    /// is kept than one token and this payload.
    pub fn feed(&mut self, payload: &[u8], is_last: bool) {
        self.bytes.drain(..self.start);
        self.start = 0;
        self.bytes.extend_from_slice(payload);
        self.has_ended = is_last;
    }

    /// The next token; `None` if more bytes are needed, or the answer has ended.
    ///
    /// Errors: those of the bytes; `Incomplete` for an answer that ends within a token; `TooLong`.
    pub fn next_token(&mut self) -> Wire<Option<Token>> {
        let rest = self.bytes.get(self.start..).unwrap_or_default();
        let is_due = rest.len() >= self.wanted_bytes || rest.len() > self.limit_bytes || self.has_ended;
        if rest.is_empty() || !is_due {
            return Ok(None);
        }
        let mut reader = Reader::new(rest);
        match read_token(&mut reader, self.version, &mut self.infos) {
            Ok(token) => {
                self.start += reader.position();
                self.wanted_bytes = 1;
                Ok(Some(token))
            }
            Err(WireError::Incomplete) if !self.has_ended => {
                if rest.len() > self.limit_bytes {
                    return Err(WireError::TooLong("a token", self.limit_bytes));
                }
                let growth = if rest.len() < ALWAYS_TRIED_BYTES { 1 } else { rest.len() / 4 };
                self.wanted_bytes = rest.len() + growth;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::tokens;
    use crate::data_type::{DataType, Length};
    use crate::{Answer, Assembler, Column, Command, Done, DoneKind, Framer};
    use mainstay_session::push::Message;
    use mainstay_types::ValueRef;

    /// An answer of two columns with a long text, as the bytes of its message.
    fn answer(version: Version) -> Vec<u8> {
        let mut answer = Answer::new(version, "server");
        let text = Column::new("name", DataType::NVarChar(Length::Max));
        answer.columns(&[Column::new("id", DataType::Int).nullable(true), text]);
        let long = "x".repeat(100_000);
        for (id, name) in [(1, "one"), (2, long.as_str())] {
            answer.row(&[ValueRef::Integer(id), ValueRef::Text(name)]).unwrap();
        }
        answer.row(&[ValueRef::Null, ValueRef::Null]).unwrap();
        answer.done(Done { kind: DoneKind::Statement, command: Command::SELECT, count: Some(3), error: false });
        answer.message(&Message::error(50_000, "stop"));
        answer.finish(true);
        let (mut framer, mut assembler) = (Framer::new(), Assembler::new(1 << 20));
        framer.feed(&answer.packets().take());
        loop {
            let packet = framer.next_packet().unwrap().unwrap();
            if let Some(message) = assembler.push(packet).unwrap() {
                return message.bytes;
            }
        }
    }

    #[test]
    fn pieces_of_every_length_give_the_tokens_of_the_whole() {
        for version in [Version::V7_1, Version::V7_4] {
            let bytes = answer(version);
            let whole = tokens(&bytes, version).unwrap();
            for length in [1, 7, 4088, bytes.len()] {
                let mut stream = TokenStream::new(version, 1 << 20);
                let (mut read, pieces) = (Vec::new(), bytes.chunks(length).count());
                for (index, piece) in bytes.chunks(length).enumerate() {
                    stream.feed(piece, index + 1 == pieces);
                    while let Some(token) = stream.next_token().unwrap() {
                        read.push(token);
                    }
                }
                assert_eq!(read, whole, "{length}");
            }
        }
    }

    /// PARTLENTYPE with an unknown length, and piece after piece (MS-TDS 2.2.5.2.3): bytes of all but one packet are refused
    /// before they are kept.
    #[test]
    fn a_value_without_end_is_refused_at_the_limit() {
        let mut answer = Answer::new(Version::V7_4, "server");
        answer.columns(&[Column::new("name", DataType::NVarChar(Length::Max))]);
        answer.finish(false);
        let mut framer = Framer::new();
        framer.feed(&answer.packets().take());
        let mut stream = TokenStream::new(Version::V7_4, 1 << 20);
        stream.feed(framer.next_packet().unwrap().unwrap().payload, false);
        while stream.next_token().unwrap().is_some() {}
        // ROW, and a value of an unknown length.
        let begin = [&[0xD1][..], &u64::to_le_bytes(u64::MAX - 1)].concat();
        stream.feed(&begin, false);
        assert_eq!(stream.next_token(), Ok(None));
        let piece = [&4000_u32.to_le_bytes()[..], &[b'x'; 4000]].concat();
        let mut fed = begin.len();
        let refused = loop {
            stream.feed(&piece, false);
            fed += piece.len();
            match stream.next_token() {
                Ok(token) => assert_eq!(token, None),
                Err(error) => break error,
            }
        };
        assert_eq!(refused, WireError::TooLong("a token", 1 << 20));
        assert!(fed <= (1 << 20) + piece.len(), "{fed}");
    }

    #[test]
    fn a_token_is_limited_and_must_be_whole_at_the_end() {
        let bytes = answer(Version::V7_4);
        let mut stream = TokenStream::new(Version::V7_4, 50_000);
        let mut outcomes = bytes.chunks(4088).map(|piece| {
            stream.feed(piece, false);
            loop {
                match stream.next_token() {
                    Ok(Some(_)) => {}
                    Ok(None) => return Ok(()),
                    Err(error) => return Err(error),
                }
            }
        });
        assert!(outcomes.any(|outcome| outcome == Err(WireError::TooLong("a token", 50_000))));
        let mut stream = TokenStream::new(Version::V7_4, 1 << 20);
        stream.feed(&bytes[..3], true);
        assert_eq!(stream.next_token(), Err(WireError::Incomplete));
    }
}
