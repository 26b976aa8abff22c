//! The stream of packets that a client of SQL Server sends, from PRELOGIN on.
//!
//! The bytes are decoded as by the server, and the results are checked against the length of the input: no text is
//! longer than its bytes allow, and no count exceeds the contents.

use mainstay_tds::{
    Assembler, Batch, BulkEvent, BulkReader, Call, Framer, Login, PacketKind, ParameterValue, PreLogin,
    TransactionRequest, Version, WholeMessage,
};
use mainstay_types::Value;

/// Messages and rows of more bytes are refused.
const LIMIT: usize = 1 << 16;

/// Reads a stream of packets.
pub fn run(input: &[u8]) {
    let (mut framer, mut assembler, mut version) = (Framer::new(), Assembler::new(LIMIT), Version::V7_4);
    let mut load = BulkReader::new(version, LIMIT);
    for piece in input.chunks(1 + input.len() / 3) {
        framer.feed(piece);
        loop {
            match framer.next_packet() {
                Ok(None) => break,
                Err(_) => return,
                Ok(Some(packet)) if packet.kind == PacketKind::BulkLoad => {
                    load.feed(packet.payload);
                    if !rows(&mut load, packet.status.is_end(), packet.payload.len()) || packet.status.is_end() {
                        load = BulkReader::new(version, LIMIT);
                    }
                }
                Ok(Some(packet)) => match assembler.push(packet) {
                    Err(_) => return,
                    Ok(None) => {}
                    Ok(Some(whole)) => version = message(&whole, version),
                },
            }
        }
        assert!(framer.held_bytes() <= mainstay_tds::LARGEST_PACKET);
    }
}

/// Reads a message, and gives the version that is spoken after it.
fn message(message: &WholeMessage, version: Version) -> Version {
    let bytes = &message.bytes;
    assert!(bytes.len() <= LIMIT);
    match message.kind {
        PacketKind::PreLogin => drop(PreLogin::decode(bytes)),
        PacketKind::Login => return Login::decode(bytes).map_or(version, |login| login.version),
        PacketKind::Batch => {
            let text = Batch::decode(bytes, version).map_or(0, |batch| batch.text.len());
            assert!(text <= 2 * bytes.len());
        }
        PacketKind::Rpc => {
            let calls = Call::decode(bytes, version).map_or(Vec::new(), |(_, calls)| calls);
            let values: usize = calls.iter().flat_map(|call| &call.parameters).map(|it| length(&it.value)).sum();
            assert!(values <= 3 * bytes.len(), "{values} of {}", bytes.len());
        }
        PacketKind::TransactionManager => drop(TransactionRequest::decode(bytes, version)),
        _ => {}
    }
    version
}

/// Bytes of texts, and one for each other value.
fn length(value: &ParameterValue) -> usize {
    let single = |value: &Value| match value {
        Value::Text(text) => text.len().max(1),
        Value::Binary(bytes) => bytes.len().max(1),
        _ => 1,
    };
    match value {
        ParameterValue::Single(value) | ParameterValue::Variant(_, value) => single(value),
        ParameterValue::Table(table) => table.rows.iter().flatten().map(single).sum(),
    }
}

/// Reads the rows that are there; false if they cannot be.
fn rows(load: &mut BulkReader, ended: bool, fed: usize) -> bool {
    let mut count = 0;
    loop {
        match load.next_event(ended) {
            Ok(BulkEvent::NeedsMore | BulkEvent::End) => return true,
            Err(_) => return false,
            Ok(_) => count += 1,
        }
        assert!(count <= fed + LIMIT, "more rows than bytes");
    }
}
