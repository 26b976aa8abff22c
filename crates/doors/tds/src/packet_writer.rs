//! Writing a message straight into its packets.
//!
//! Tokens are written to one buffer, in which the headers of packets stand where they belong: when a packet is full,
//! its header is completed and the next one begins. So a byte is copied once on its way from a value to the buffer that
//! the socket is given. A packet is only completed when a byte has to go into the next one; whatever is last is marked
//! as the end of the message.
//!
//! ```text
//!   buffer:  [header|........full........][header|.....being filled
//!                                          ^ open       room = what is left of this packet
//! ```
//!
//! Complete packets can be taken away at any time ([`PacketWriter::take_complete`]); a row that cannot be written is
//! rolled back to a [`Mark`].

use crate::packet::{DEFAULT_PACKET, HEADER_BYTES, LARGEST_PACKET, PacketKind, PacketStatus, SMALLEST_PACKET};

/// Writes one message after another, as packets.
#[derive(Debug)]
pub struct PacketWriter {
    buffer: Vec<u8>,
    kind: PacketKind,
    /// Payload of a full packet.
    payload_bytes: usize,
    /// Where the header of the packet being filled is.
    open: usize,
    /// The space left in the packet being filled; without one, in a new one that would begin here.
    room: usize,
    /// True if a message has begun and not ended.
    within_message: bool,
    next_id: u8,
    process: u16,
    /// The status of the next packet, beside what its place says.
    status: u8,
}

/// A place to come back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    length: usize,
    open: usize,
    room: usize,
    within_message: bool,
    next_id: u8,
}

impl PacketWriter {
    /// For messages of one kind, in packets of the size before one is negotiated.
    pub fn new(kind: PacketKind) -> PacketWriter {
        PacketWriter {
            buffer: Vec::new(),
            kind,
            payload_bytes: DEFAULT_PACKET - HEADER_BYTES,
            open: 0,
            room: 0,
            within_message: false,
            next_id: 1,
            process: 0,
            status: 0,
        }
    }

    /// Changes the size of packets, header included, from the next message on. Sizes that the protocol does not have
    /// are brought into its range.
    pub fn set_packet_size(&mut self, bytes: usize) {
        self.payload_bytes = bytes.clamp(SMALLEST_PACKET, LARGEST_PACKET) - HEADER_BYTES;
    }

    /// The number of the session, which packets carry.
    pub fn set_process(&mut self, process: u16) {
        self.process = process;
    }

    /// The kind of the next message.
    pub fn set_kind(&mut self, kind: PacketKind) {
        self.kind = kind;
    }

    /// Status bits that the packets of the next message carry beside [`PacketStatus::END`].
    pub fn set_status(&mut self, status: u8) {
        self.status = status;
    }

    fn begin_packet(&mut self) {
        if !self.within_message {
            self.within_message = true;
            self.next_id = 1;
        }
        self.open = self.buffer.len();
        let [high, low] = self.process.to_be_bytes();
        self.buffer.extend_from_slice(&[self.kind.number(), self.status, 0, 0, high, low, self.next_id, 0]);
        self.next_id = self.next_id.wrapping_add(1);
        self.room = self.payload_bytes;
    }

    /// Writes length and status into the header of the packet being filled.
    fn complete_packet(&mut self, status: u8) {
        let length = (self.buffer.len() - self.open) as u16;
        let [high, low] = length.to_be_bytes();
        if let Some(header) = self.buffer.get_mut(self.open..self.open + 4) {
            header.copy_from_slice(&[self.kind.number(), status | self.status, high, low]);
        }
    }

    /// Writes bytes.
    pub fn put(&mut self, mut bytes: &[u8]) {
        if bytes.len() <= self.room {
            self.room -= bytes.len();
            self.buffer.extend_from_slice(bytes);
            return;
        }
        while !bytes.is_empty() {
            if self.room == 0 {
                if self.within_message {
                    self.complete_packet(0);
                }
                self.begin_packet();
            }
            let (now, later) = bytes.split_at(bytes.len().min(self.room));
            self.buffer.extend_from_slice(now);
            self.room -= now.len();
            bytes = later;
        }
    }

    /// Writes a byte.
    pub fn put_u8(&mut self, byte: u8) {
        self.put(&[byte]);
    }

    /// Writes two bytes, the low one first.
    pub fn put_u16(&mut self, number: u16) {
        self.put(&number.to_le_bytes());
    }

    /// Writes four bytes, the low one first.
    pub fn put_u32(&mut self, number: u32) {
        self.put(&number.to_le_bytes());
    }

    /// Writes a text as UTF-16, the low bytes first.
    pub fn put_utf16(&mut self, text: &str) {
        let mut piece = [0u8; 512];
        let mut filled = 0;
        for unit in text.encode_utf16() {
            if filled == piece.len() {
                self.put(&piece);
                filled = 0;
            }
            if let Some(pair) = piece.get_mut(filled..filled + 2) {
                pair.copy_from_slice(&unit.to_le_bytes());
            }
            filled += 2;
        }
        self.put(piece.get(..filled).unwrap_or_default());
    }

    /// Writes a text of up to 255 UTF-16 units after its length in one byte (B_VARCHAR); what is longer is cut.
    pub fn put_short_text(&mut self, text: &str) {
        let text = first_units(text, 255);
        self.put_u8(text.encode_utf16().count() as u8);
        self.put_utf16(text);
    }

    /// The same after a length in two bytes (US_VARCHAR), cut to `limit` units.
    pub fn put_long_text(&mut self, text: &str, limit: u16) {
        let text = first_units(text, usize::from(limit));
        self.put_u16(text.encode_utf16().count() as u16);
        self.put_utf16(text);
    }

    /// Returns true if a message has begun and not ended.
    pub fn is_within_message(&self) -> bool {
        self.within_message
    }

    /// Ends the message: the last packet written is its last one. A message of no bytes is one empty packet.
    pub fn end_message(&mut self) {
        if !self.within_message {
            self.begin_packet();
        }
        self.complete_packet(PacketStatus::END);
        self.within_message = false;
        self.room = 0;
        self.open = self.buffer.len();
    }

    /// Where writing is.
    pub fn mark(&self) -> Mark {
        Mark {
            length: self.buffer.len(),
            open: self.open,
            room: self.room,
            within_message: self.within_message,
            next_id: self.next_id,
        }
    }

    /// Forgets what was written after a mark. Nothing may have been taken away since.
    pub fn rewind(&mut self, mark: Mark) {
        let Mark { length, open, room, within_message, next_id } = mark;
        self.buffer.truncate(length);
        (self.open, self.room, self.within_message, self.next_id) = (open, room, within_message, next_id);
    }

    /// Bytes of packets that are complete.
    pub fn complete_bytes(&self) -> usize {
        if self.within_message { self.open } else { self.buffer.len() }
    }

    /// Gives the complete packets to `send`, and forgets them if it succeeds.
    pub fn take_complete<E>(&mut self, send: impl FnOnce(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let complete = self.complete_bytes();
        if complete > 0 {
            send(self.buffer.get(..complete).unwrap_or_default())?;
            self.buffer.drain(..complete);
            self.open = self.open.saturating_sub(complete);
            // A burst of large rows does not keep its memory.
            if self.buffer.capacity() > KEPT_BYTES && self.buffer.len() < KEPT_BYTES {
                self.buffer.shrink_to(KEPT_BYTES);
            }
        }
        Ok(())
    }

    /// Closes the packet being filled without ending the message, so that what was written so far can be sent.
    pub fn flush_packet(&mut self) {
        if self.within_message && self.buffer.len() > self.open + HEADER_BYTES {
            self.complete_packet(0);
            self.begin_packet();
        }
    }

    /// The complete packets, taken.
    pub fn take(&mut self) -> Vec<u8> {
        let mut taken = Vec::new();
        let copied: Result<(), std::convert::Infallible> = self.take_complete(|bytes| {
            taken.extend_from_slice(bytes);
            Ok(())
        });
        match copied {
            Ok(()) => taken,
        }
    }
}

/// The memory that an empty buffer keeps.
const KEPT_BYTES: usize = 256 * 1024;

/// The start of a text, of so many UTF-16 units at most.
pub(crate) fn first_units(text: &str, limit: usize) -> &str {
    // No text has more units than bytes.
    if text.len() <= limit {
        return text;
    }
    let mut units = 0;
    for (at, character) in text.char_indices() {
        units += character.len_utf16();
        if units > limit {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Assembler, Framer};

    fn messages(bytes: &[u8]) -> Vec<Vec<u8>> {
        let (mut framer, mut assembler, mut messages) = (Framer::new(), Assembler::new(1 << 20), Vec::new());
        framer.feed(bytes);
        while let Some(packet) = framer.next_packet().unwrap() {
            messages.extend(assembler.push(packet).unwrap().map(|message| message.bytes));
        }
        assert_eq!(framer.held_bytes(), 0);
        messages
    }

    #[test]
    fn messages_are_cut_into_packets_of_the_size() {
        let mut writer = PacketWriter::new(PacketKind::Answer);
        writer.set_packet_size(512);
        for length in [0usize, 1, 503, 504, 505, 1008, 5000] {
            let payload: Vec<u8> = (0..length).map(|i| (i % 251) as u8).collect();
            payload.chunks(7).for_each(|piece| writer.put(piece));
            writer.end_message();
            let bytes = writer.take();
            assert_eq!(bytes.len(), length + 8 * length.div_ceil(504).max(1), "{length}");
            assert_eq!(messages(&bytes), [payload], "{length}");
        }
    }

    #[test]
    fn the_header_by_the_book() {
        let mut writer = PacketWriter::new(PacketKind::Answer);
        writer.set_process(0x1234);
        writer.put_u16(0x0102);
        writer.end_message();
        assert_eq!(writer.take(), [4, 1, 0, 10, 0x12, 0x34, 1, 0, 2, 1]);
    }

    #[test]
    fn what_is_complete_can_be_sent_before_the_end() {
        let mut writer = PacketWriter::new(PacketKind::Answer);
        writer.set_packet_size(512);
        let mut sent = Vec::new();
        for byte in 0..2000 {
            writer.put_u8(byte as u8);
            if byte % 300 == 0 {
                sent.extend(writer.take());
            }
            if byte == 1000 {
                writer.flush_packet();
            }
        }
        writer.end_message();
        sent.extend(writer.take());
        let expected: Vec<u8> = (0..2000).map(|byte| byte as u8).collect();
        assert_eq!(messages(&sent), [expected]);
    }

    #[test]
    fn a_rewound_writer_forgets() {
        let mut writer = PacketWriter::new(PacketKind::Answer);
        writer.set_packet_size(512);
        let nothing = writer.mark();
        writer.put(&[9; 3000]);
        writer.rewind(nothing);
        writer.put(&[1; 500]);
        let mark = writer.mark();
        writer.put(&[2; 3000]);
        writer.rewind(mark);
        writer.put(&[3; 10]);
        writer.end_message();
        assert_eq!(messages(&writer.take()), [[vec![1; 500], vec![3; 10]].concat()]);
    }

    #[test]
    fn texts_are_cut_at_characters() {
        let mut writer = PacketWriter::new(PacketKind::Answer);
        writer.put_short_text(&"😀".repeat(200));
        writer.put_long_text("abc", 2);
        writer.put_utf16(&"x".repeat(1000));
        writer.end_message();
        let message = messages(&writer.take()).remove(0);
        assert_eq!((message[0], message.len()), (254, 1 + 508 + 2 + 4 + 2000));
    }
}
