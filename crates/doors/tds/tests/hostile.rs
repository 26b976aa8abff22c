//! Untrusted bytes: seeded mutations of messages of real clients. Nothing panics, and no message that is read is much
//! larger than its bytes.

mod common;

use common::{Random, hex};
use mainstay_tds::{
    Assembler, Batch, BulkEvent, BulkReader, Call, Framer, Login, PacketKind, PacketWriter, ParameterValue, PreLogin,
    TransactionRequest, Version,
};
use mainstay_types::Value;

const RECORDED: [&str; 5] = [
    include_str!("recorded/pytds.txt"),
    include_str!("recorded/mssql-jdbc.txt"),
    include_str!("recorded/jtds.txt"),
    include_str!("recorded/go-mssqldb.txt"),
    include_str!("recorded/tedious.txt"),
];

/// Numbers that sit at the edge of something.
const EDGES: [u32; 12] = [0, 1, 2, 0x1F, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFE, 0xFFFF, 0x7FFF_FFFF, 0xFFFF_FFFF];

/// The memory of a value for each byte that it can be read from: the largest kind of value is that of one byte.
const GROWTH: usize = 2 * size_of::<Value>();

fn corpus() -> Vec<(u8, Vec<u8>)> {
    let lines = RECORDED.iter().flat_map(|text| text.lines());
    lines.filter_map(|line| line.split_once(' ')).map(|(kind, payload)| (kind.parse().unwrap(), hex(payload))).collect()
}

fn mutated(random: &mut Random, corpus: &[(u8, Vec<u8>)]) -> (u8, Vec<u8>) {
    let (kind, mut bytes) = corpus[random.below(corpus.len())].clone();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        match random.below(7) {
            0 => bytes.truncate(at),
            1 | 2 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
            3 | 4 => {
                let (edge, width) = (EDGES[random.below(EDGES.len())].to_le_bytes(), [1, 2, 4][random.below(3)]);
                bytes.iter_mut().skip(at).take(width).zip(edge).for_each(|(byte, edge)| *byte = edge);
            }
            5 => {
                let piece = bytes[at..(at + random.below(40)).min(bytes.len())].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => {
                let other = &corpus[random.below(corpus.len())].1;
                let from = random.below(other.len() + 1);
                bytes.splice(at..at, other[from..(from + 30).min(other.len())].iter().copied());
            }
        }
    }
    (kind, bytes)
}

fn size(value: &Value) -> usize {
    size_of::<Value>()
        + match value {
            Value::Text(text) => text.capacity(),
            Value::Binary(bytes) => bytes.capacity(),
            _ => 0,
        }
}

fn size_of_call(call: &Call) -> usize {
    let parameters = call.parameters.iter().map(|parameter| match &parameter.value {
        ParameterValue::Single(value) | ParameterValue::Variant(_, value) => size(value),
        ParameterValue::Table(table) => table.rows.iter().flatten().map(size).sum(),
    });
    parameters.sum()
}

#[test]
fn nothing_that_is_sent_panics_or_grows() {
    let (corpus, mut random) = (corpus(), Random(42));
    let (mut read, mut refused) = (0, 0);
    for round in 0..60_000 {
        let (kind, bytes) = mutated(&mut random, &corpus);
        let version = [Version::V7_1, Version::V7_4, Version::V7_4][random.below(3)];
        let largest = GROWTH * bytes.len() + 200;
        let right = match kind {
            18 => PreLogin::decode(&bytes).is_ok(),
            16 => Login::decode(&bytes).is_ok(),
            1 => Batch::decode(&bytes, version).inspect(|batch| assert!(batch.text.len() <= 2 * bytes.len())).is_ok(),
            3 => Call::decode(&bytes, version)
                .inspect(|(_, calls)| {
                    assert!(calls.iter().map(size_of_call).sum::<usize>() <= largest, "round {round}");
                })
                .is_ok(),
            14 => TransactionRequest::decode(&bytes, version).is_ok(),
            _ => {
                let mut reader = BulkReader::new(version, 1 << 16);
                reader.feed(&bytes);
                let mut rows = 0;
                loop {
                    match reader.next_event(true) {
                        Ok(BulkEvent::End) => break true,
                        Ok(BulkEvent::NeedsMore) => panic!("more of what has ended"),
                        Ok(_) => rows += 1,
                        Err(_) => break false,
                    }
                    assert!(rows <= bytes.len() + 1, "round {round}");
                }
            }
        };
        *(if right { &mut read } else { &mut refused }) += 1;
    }
    // Both happen, so that neither end of the readers is missed.
    assert!(read > 3000 && refused > 10_000, "{read} {refused}");
}

#[test]
fn rows_of_nothing_but_defaults_have_a_limit() {
    let call = |rows: usize| {
        let mut bytes = [&[1, 0, b'p', 0, 0, 0][..], &[0, 0, 0xF3, 0, 0, 0]].concat();
        // A thousand columns that take their defaults, none of which takes a byte in a row.
        bytes.extend(1000u16.to_le_bytes());
        (0..1000).for_each(|_| bytes.extend([0, 0, 0, 0, 0, 2, 0x26, 4, 0]));
        bytes.push(0);
        bytes.extend(vec![1; rows]);
        bytes.push(0);
        let headers = hex("16000000 12000000 0200 0000000000000000 01000000");
        Call::decode(&[headers, bytes].concat(), Version::V7_4)
    };
    assert!(call(100).is_ok());
    assert!(call(100_000).is_err());
}

#[test]
fn streams_of_packets_end_or_go_on() {
    let (corpus, mut random) = (corpus(), Random(7));
    for _ in 0..3000 {
        let mut stream = Vec::new();
        for _ in 0..3 {
            let (kind, bytes) = &corpus[random.below(corpus.len())];
            let mut out = PacketWriter::new(PacketKind::from_number(*kind).unwrap());
            out.set_packet_size(512);
            out.put(bytes);
            out.end_message();
            stream.extend(out.take());
        }
        let (_, stream) = mutated(&mut random, &[(0, stream)]);
        let (mut framer, mut assembler) = (Framer::new(), Assembler::new(2000));
        'stream: for piece in stream.chunks(1 + random.below(300)) {
            framer.feed(piece);
            loop {
                match framer.next_packet() {
                    Ok(None) => break,
                    Err(_) => break 'stream,
                    Ok(Some(packet)) => match assembler.push(packet) {
                        Err(_) => break 'stream,
                        Ok(Some(message)) => assert!(message.bytes.len() <= 2000),
                        Ok(None) => {}
                    },
                }
            }
            assert!(framer.held_bytes() <= 32_767);
        }
    }
}
