//! Speed of decoding columns: `cargo test --release -p mainstay-xbase --test dbf_speed -- --ignored --nocapture`.
//!
//! Ignored in ordinary runs, because timings of a debug build or a busy machine mean nothing. The bounds are several
//! times what a quiet core takes (in the comments), so that only a real change for the worse breaks them.

mod dbf_support;

use dbf_support::open_fixture;
use mainstay_xbase::dbf::{Field, FieldKind, Records, decode_column, deleted_flags};
use std::time::{Duration, Instant};

/// The shortest of 20 runs.
fn best(what: &str, mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..20)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    println!("{what}: {:?}", times[0]);
    times[0]
}

#[test]
#[ignore = "measures; run in release on a quiet machine"]
fn a_hundred_thousand_rows() {
    let (table, _) = open_fixture("t11_bench100k");
    let mut buffer = Vec::new();
    best("read 2 MB", || {
        table.read_records(0..100_000, &mut buffer).unwrap();
    });
    let records = table.read_records(0..100_000, &mut buffer).unwrap();
    let how = table.decoding(None);
    let decode = |name: &str, records: &Records<'_>| {
        let field = table.field(name).unwrap();
        best(&format!("{name} {}({},{})", field.letter as char, field.length, field.decimals), || {
            assert!(decode_column(field, records, &how).unwrap().findings.is_empty());
        })
    };
    let number = decode("AMT", &records); // 0.35 ms
    let key = decode("ID", &records);
    let text = decode("TAG", &records); // 0.2 ms
    let flags = best("deleted", || {
        assert!(deleted_flags(&records, &table.decoding(None)).1.is_empty());
    });
    assert!(number.max(key).max(text).max(flags) < Duration::from_millis(3));

    // The whole record as one text field: all values distinct, over 8 bytes.
    let mut whole = table.field("TAG").unwrap().clone();
    (whole.offset, whole.length) = (1, 20);
    let plain = best("C(20), all distinct", || {
        decode_column(&whole, &records, &how).unwrap();
    });
    assert!(plain < Duration::from_millis(15));
    // Any 12 bytes with few distinct values: the tag twice over its own neighbours would be distinct, so the
    // rows are made anew.
    let rows: Vec<u8> = (0..100_000u32).flat_map(|row| format!(" Customer {:<20}", row % 50).into_bytes()).collect();
    let mut few = whole.clone();
    (few.offset, few.length) = (1, 24);
    let records = Records::new(&rows, 30, 1);
    let dictionary = best("C(24), 50 distinct", || {
        decode_column(&few, &records, &how).unwrap();
    });
    assert!(dictionary < Duration::from_millis(15));

    // Other kinds, over rows made anew: a wide number, a date, a logical.
    let row = |n: u32| {
        format!(
            " {:>12}{}{}",
            format!("{}.{:02}", n as i64 * 7_919 - 30_000_000, n % 100),
            20_200_101 + n % 28,
            "TF".as_bytes()[n as usize % 2] as char
        )
    };
    let rows: Vec<u8> = (0..100_000u32).flat_map(|n| row(n).into_bytes()).collect();
    let records = Records::new(&rows, 22, 1);
    for (kind, offset, length, decimals) in
        [(FieldKind::Numeric, 1, 12, 2), (FieldKind::Date, 13, 8, 0), (FieldKind::Logical, 21, 1, 0)]
    {
        let field = Field { kind, offset, length, decimals, ..few.clone() };
        let time = best(&format!("{kind:?} of {length}"), || {
            assert!(decode_column(&field, &records, &how).unwrap().findings.is_empty());
        });
        assert!(time < Duration::from_millis(10));
    }
}
