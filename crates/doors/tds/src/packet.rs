//! Packets: the unit in which both sides send, and their joining into messages.
//!
//! ```text
//!   byte  0     1       2 3       4 5    6          7
//!        kind  status  length BE  spid   packet id  window      then length - 8 bytes of the message
//! ```
//!
//! A message is the payload of packets of one kind, up to the one that is marked as its end. It is assembled in two
//! steps, so that a long bulk load need never be in memory as a whole: a [`Framer`] cuts the stream into packets, an
//! [`Assembler`] joins packets into messages where that is wanted.
//!
//! Limits: a packet has at most 32,767 bytes, so that a framer holds at most that and what one read brought; a message
//! has the limit that its reader gives. (MS-TDS 2.2.3.1.)

use crate::error::{Wire, WireError};

/// Bytes of a packet's header.
pub const HEADER_BYTES: usize = 8;
/// The largest packet, header included, that the protocol allows.
pub const LARGEST_PACKET: usize = 32_767;
/// The smallest size of packets that can be negotiated.
pub const SMALLEST_PACKET: usize = 512;
/// The size of packets before one is negotiated.
pub const DEFAULT_PACKET: usize = 4096;

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PacketKind {
    /// Statements as text.
    Batch,
    /// A login of before version 7, which is refused.
    OldLogin,
    /// Calls of procedures.
    Rpc,
    /// An answer.
    Answer,
    /// The request to cancel the running request.
    Attention,
    /// Rows after an INSERT BULK.
    BulkLoad,
    /// A token of federated authentication.
    FederatedToken,
    /// A request to the transaction manager.
    TransactionManager,
    /// A login.
    Login,
    /// A message of integrated authentication.
    Sspi,
    /// The handshake before a login; TLS handshakes too.
    PreLogin,
}

impl PacketKind {
    /// The kind of this number, if there is one.
    pub fn from_number(number: u8) -> Option<PacketKind> {
        use PacketKind::*;
        [
            (1, Batch),
            (2, OldLogin),
            (3, Rpc),
            (4, Answer),
            (6, Attention),
            (7, BulkLoad),
            (8, FederatedToken),
            (14, TransactionManager),
            (16, Login),
            (17, Sspi),
            (18, PreLogin),
        ]
        .into_iter()
        .find_map(|(known, kind)| (known == number).then_some(kind))
    }

    /// Its number.
    pub fn number(self) -> u8 {
        match self {
            PacketKind::Batch => 1,
            PacketKind::OldLogin => 2,
            PacketKind::Rpc => 3,
            PacketKind::Answer => 4,
            PacketKind::Attention => 6,
            PacketKind::BulkLoad => 7,
            PacketKind::FederatedToken => 8,
            PacketKind::TransactionManager => 14,
            PacketKind::Login => 16,
            PacketKind::Sspi => 17,
            PacketKind::PreLogin => 18,
        }
    }
}

/// The bits of a packet's second byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketStatus(pub u8);

impl PacketStatus {
    /// The message ends here.
    pub const END: u8 = 0x01;
    /// The whole message is to be ignored: the client thought better of it half way.
    pub const IGNORE: u8 = 0x02;
    /// The session is to be as new before the message is carried out.
    pub const RESET: u8 = 0x08;
    /// The same, with the transaction left open.
    pub const RESET_KEEP_TRANSACTION: u8 = 0x10;

    /// Returns true if the message ends here.
    pub fn is_end(self) -> bool {
        self.0 & PacketStatus::END != 0
    }

    /// Returns true if the message is to be ignored.
    pub fn is_ignored(self) -> bool {
        self.0 & PacketStatus::IGNORE != 0
    }

    /// The reset of the session before the message.
    pub fn reset(self) -> Option<Reset> {
        if self.0 & PacketStatus::RESET != 0 {
            Some(Reset { keep_transaction: false })
        } else if self.0 & PacketStatus::RESET_KEEP_TRANSACTION != 0 {
            Some(Reset { keep_transaction: true })
        } else {
            None
        }
    }
}

/// A session is to be reset: a connection pool gives it to another user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reset {
    /// True if its transaction stays open.
    pub keep_transaction: bool,
}

/// One packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// The kind of its message.
    pub kind: PacketKind,
    /// True if the message ends, and more.
    pub status: PacketStatus,
    /// The payload.
    pub payload: &'a [u8],
}

/// Cuts a stream of bytes into packets.
#[derive(Debug, Default)]
pub struct Framer {
    input: Vec<u8>,
    /// Where the first byte is that was not given out.
    start: usize,
}

impl Framer {
    /// One that has seen nothing.
    pub fn new() -> Framer {
        Framer::default()
    }

    /// Takes bytes as they come. Call [`Framer::next_packet`] until it gives none before feeding more: then no more is
    /// kept than one packet and these bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.input.drain(..self.start);
        self.start = 0;
        self.input.extend_from_slice(bytes);
    }

    /// The next packet, if it is there as a whole.
    pub fn next_packet(&mut self) -> Wire<Option<Packet<'_>>> {
        let input = self.input.get(self.start..).unwrap_or_default();
        let Some(&kind) = input.first() else { return Ok(None) };
        // The kind is looked at first: a stream that is something else is refused at its first byte.
        let kind = PacketKind::from_number(kind).ok_or(WireError::Malformed("a packet of a kind that there is not"))?;
        let Some((&[_, status, high, low, ..], _)) = input.split_first_chunk::<HEADER_BYTES>() else { return Ok(None) };
        let length = usize::from(u16::from_be_bytes([high, low]));
        if length < HEADER_BYTES {
            return Err(WireError::Malformed("a packet that is shorter than its header"));
        }
        if length > LARGEST_PACKET {
            return Err(WireError::TooLong("a packet", LARGEST_PACKET));
        }
        let Some(payload) = input.get(HEADER_BYTES..length) else { return Ok(None) };
        self.start += length;
        Ok(Some(Packet { kind, status: PacketStatus(status), payload }))
    }

    /// The bytes that are in no packet yet, which are forgotten here: what follows is not packets (TLS).
    pub fn take_rest(&mut self) -> Vec<u8> {
        let rest = self.input.split_off(self.start.min(self.input.len()));
        *self = Framer::default();
        rest
    }

    /// Bytes that are held.
    pub fn held_bytes(&self) -> usize {
        self.input.len().saturating_sub(self.start)
    }
}

/// A message with all of its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeMessage {
    /// The kind.
    pub kind: PacketKind,
    /// The reset of the session before it.
    pub reset: Option<Reset>,
    /// True if it is to be ignored.
    pub ignored: bool,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Joins packets into messages.
#[derive(Debug)]
pub struct Assembler {
    limit_bytes: usize,
    current: Option<WholeMessage>,
}

impl Assembler {
    /// Messages of more than `limit_bytes` are refused.
    pub fn new(limit_bytes: usize) -> Assembler {
        Assembler { limit_bytes, current: None }
    }

    /// Returns true if a message has begun and not ended.
    pub fn is_within_message(&self) -> bool {
        self.current.is_some()
    }

    /// Takes a packet, and gives the message that it ends.
    pub fn push(&mut self, packet: Packet<'_>) -> Wire<Option<WholeMessage>> {
        let mut message = self.current.take().unwrap_or_else(|| WholeMessage {
            kind: packet.kind,
            reset: packet.status.reset(),
            ignored: false,
            bytes: Vec::new(),
        });
        if message.kind != packet.kind {
            return Err(WireError::Malformed("packets of two kinds in one message"));
        }
        if packet.payload.len() > self.limit_bytes.saturating_sub(message.bytes.len()) {
            return Err(WireError::TooLong("a message", self.limit_bytes));
        }
        message.bytes.extend_from_slice(packet.payload);
        message.ignored = packet.status.is_ignored();
        if packet.status.is_end() {
            return Ok(Some(message));
        }
        self.current = Some(message);
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(kind: u8, status: u8, payload: &[u8]) -> Vec<u8> {
        let length = (payload.len() + 8) as u16;
        [&[kind, status], &length.to_be_bytes()[..], &[0, 0, 1, 0], payload].concat()
    }

    #[test]
    fn packets_come_whole_however_the_bytes_are_cut() {
        let stream = [packet(1, 0x08, b"select"), packet(1, 1, b" 1"), packet(6, 1, b"")].concat();
        for cut in 1..stream.len() {
            let (mut framer, mut assembler, mut messages) = (Framer::new(), Assembler::new(100), Vec::new());
            for piece in stream.chunks(cut) {
                framer.feed(piece);
                while let Some(packet) = framer.next_packet().unwrap() {
                    messages.extend(assembler.push(packet).unwrap());
                }
                assert!(framer.held_bytes() < 14);
            }
            assert_eq!(messages.len(), 2, "{cut}");
            assert_eq!(messages[0].bytes, b"select 1");
            assert_eq!(messages[0].reset, Some(Reset { keep_transaction: false }));
            assert_eq!((messages[1].kind, messages[1].reset), (PacketKind::Attention, None));
        }
    }

    #[test]
    fn what_is_no_packet_is_refused_at_once() {
        let mut framer = Framer::new();
        framer.feed(b"GET");
        assert!(framer.next_packet().is_err());
        for length in [0u16, 7, 32_768, 65_535] {
            let mut framer = Framer::new();
            framer.feed(&[&[1, 1], &length.to_be_bytes()[..], &[0; 4]].concat());
            assert!(framer.next_packet().is_err(), "{length}");
        }
    }

    #[test]
    fn messages_have_a_limit_and_one_kind() {
        let mut assembler = Assembler::new(10);
        let (first, second) = (packet(3, 0, b"123456"), packet(3, 1, b"12345"));
        let mut framer = Framer::new();
        framer.feed(&[first.clone(), second].concat());
        assert_eq!(assembler.push(framer.next_packet().unwrap().unwrap()), Ok(None));
        assert!(assembler.is_within_message());
        let too_long = assembler.push(framer.next_packet().unwrap().unwrap());
        assert_eq!(too_long, Err(WireError::TooLong("a message", 10)));

        framer.feed(&[first, packet(1, 1, b"x"), vec![22, 3, 3]].concat());
        let mut assembler = Assembler::new(10);
        assembler.push(framer.next_packet().unwrap().unwrap()).unwrap();
        assert!(assembler.push(framer.next_packet().unwrap().unwrap()).is_err());
        assert_eq!((framer.take_rest(), framer.held_bytes()), (vec![22, 3, 3], 0));
    }
}
