//! Bytes that no client or server sends: cut, changed, or made up. Nothing panics, and nothing is read past its end.

use mainstay_sqli::*;
use mainstay_types::Value;

/// Numbers of a linear congruential generator: tests run the same way every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit.max(1)
    }
}

fn contexts() -> [Context; 2] {
    let wide = Features { wide_names: true, wide_text: true, wide_fetch: true, wide_row_size: true, wide_counts: true };
    [Context::default(), Context { features: wide, codeset: Codeset::Utf8 }]
}

fn requests() -> Vec<Request> {
    let values = [
        Value::Null,
        Value::Integer(-5),
        Value::Integer(1 << 40),
        Value::Text("Malmo".to_owned()),
        Value::Boolean(true),
        Value::Float(0.25),
        Value::Decimal("-12.345".parse().unwrap()),
        Value::Date("2024-02-29".parse().unwrap()),
        Value::Timestamp("2024-02-29 12:13:14.5".parse().unwrap()),
        Value::Time("12:13:14".parse().unwrap()),
        Value::Interval("3 04:05:06".parse().unwrap()),
        Value::Interval(mainstay_types::Interval::from_months(-18)),
    ];
    vec![
        Request::Protocols(Mask::new(&Mask::CLIENT)),
        Request::Info(vec![("DBTEMP".to_owned(), "/tmp".to_owned())]),
        Request::OpenDatabase { name: "shop".to_owned(), mode: 0 },
        Request::Command { text: "DELETE FROM t".to_owned() },
        Request::Prepare { parameters: 1, text: "SELECT * FROM t WHERE a = ?".to_owned() },
        Request::Statement(3),
        Request::CursorName("c1".to_owned()),
        Request::Bind(values.into_iter().map(Parameter::new).collect()),
        Request::Lob(LobStep::Begin(1)),
        Request::Lob(LobStep::Bytes(vec![1, 2, 3])),
        Request::Lob(LobStep::Bytes(Vec::new())),
        Request::Open,
        Request::Scroll,
        Request::Fetch(Fetch { scroll: Some((ScrollHow::Absolute, 7)), buffer_bytes: 4096 }),
        Request::Fetch(Fetch { scroll: None, buffer_bytes: 4096 }),
        Request::FetchLob(SimpleLob { size: 7, is_null: false, handle: 9 }),
        Request::ReturnTypes {
            is_output: true,
            types: vec![ReturnType { code: TypeCode::BOOLEAN, name: "boolean".to_owned(), length: 1 }],
        },
        Request::Put(vec![0, 0, 0, 1, 1, b'x']),
        Request::Savepoint { name: "s1".to_owned(), is_unique: true },
        Request::RollbackTo("s1".to_owned()),
        Request::GetRoutine("function informix.ifx_lo_open(blob ,integer)".to_owned()),
        Request::WantKeys(Keys::All),
        Request::WantKeys(Keys::Numbers(vec![1, 3])),
        Request::WantKeys(Keys::Names(vec!["id".to_owned(), "v".to_owned()])),
        Request::EndOfGroup,
        Request::Exit,
    ]
}

fn replies() -> Vec<Reply> {
    let fields = vec![
        Field { name: "a".to_owned(), kind: TypeDescription::new(TypeCode::SERIAL, 4) },
        Field { name: "flag".to_owned(), kind: TypeDescription::boolean() },
    ];
    vec![
        Reply::Protocols(Mask::new(&Mask::SERVER)),
        Reply::Described(Description { statement: StatementType::SELECT, id: 1, cost: 1, fields }),
        Reply::Parameters(vec![TypeDescription::long_text(32_000)]),
        Reply::Parameters(Vec::new()),
        Reply::InsertDone { serial8: -7, bigserial: 8 },
        Reply::Row { warnings: 0, bytes: vec![1, 2, 3] },
        Reply::RowNumber(3),
        Reply::Lob(vec![1, 2, 3]),
        Reply::Done { warnings: 1, rows: 2, row_id: 3, serial: 4 },
        Reply::Cost { rows: 1, cost: 2 },
        Reply::Transaction { event: 1, new: 2, old: 3 },
        Reply::Failed(Failure { code: -239, isam: -100, offset: 0, subject: "u1".to_owned() }),
        Reply::Databases(vec!["shop".to_owned(), "sysmaster".to_owned()]),
        Reply::EndOfGroup,
        Reply::Exit,
    ]
}

#[test]
fn messages_come_back_in_every_context() {
    for context in contexts() {
        for request in requests() {
            let mut out = Vec::new();
            request.encode(&mut out, &context).unwrap();
            let length = out.len();
            assert_eq!(Request::decode(&out, &context, 1 << 20).unwrap(), Decoded::Message(request, length));
        }
        for reply in replies() {
            let mut out = Vec::new();
            reply.encode(&mut out, &context);
            let length = out.len();
            assert_eq!(Reply::decode(&out, &context, 1 << 20).unwrap(), Decoded::Message(reply, length));
        }
    }
}

#[test]
fn cut_messages_are_incomplete() {
    for context in contexts() {
        let mut all = Vec::new();
        for request in requests() {
            let mut out = Vec::new();
            request.encode(&mut out, &context).unwrap();
            all.push((out, true));
        }
        for reply in replies() {
            let mut out = Vec::new();
            reply.encode(&mut out, &context);
            all.push((out, false));
        }
        for (bytes, is_request) in all {
            for end in 0..bytes.len() {
                let is_incomplete = match is_request {
                    true => Request::decode(&bytes[..end], &context, 1 << 20).unwrap() == Decoded::Incomplete,
                    false => Reply::decode(&bytes[..end], &context, 1 << 20).unwrap() == Decoded::Incomplete,
                };
                assert!(is_incomplete, "{end} bytes of {bytes:?}");
            }
        }
    }
}

#[test]
fn messages_beyond_the_limit_are_refused() {
    let mut out = Vec::new();
    Request::Prepare { parameters: 0, text: "x".repeat(5000) }.encode(&mut out, &Context::default()).unwrap();
    let cut = &out[..2000];
    assert_eq!(Request::decode(cut, &Context::default(), 1000), Err(WireError::TooLong(1000)));
    assert_eq!(Request::decode(&[0, 200], &Context::default(), 1000), Err(WireError::UnknownTag(200)));
}

#[test]
fn changed_bytes_do_no_harm() {
    let mut random = Random(7);
    for context in contexts() {
        let mut originals = Vec::new();
        for request in requests() {
            let mut out = Vec::new();
            request.encode(&mut out, &context).unwrap();
            originals.push(out);
        }
        for reply in replies() {
            let mut out = Vec::new();
            reply.encode(&mut out, &context);
            originals.push(out);
        }
        originals.push(ConnectRequest { user: "u".to_owned(), ..ConnectRequest::default() }.encode());
        for original in originals {
            for _ in 0..400 {
                let mut bytes = original.clone();
                for _ in 0..=random.below(4) {
                    let at = random.below(bytes.len());
                    bytes[at] = random.next() as u8;
                }
                bytes.truncate(bytes.len() - random.below(bytes.len()));
                let _ = Request::decode(&bytes, &context, 1 << 20);
                let _ = Reply::decode(&bytes, &context, 1 << 20);
                let _ = login_length(&bytes);
                let _ = ConnectRequest::decode(&bytes);
                let _ = ConnectReply::decode(&bytes);
            }
        }
    }
}

#[test]
fn values_of_any_bytes_and_lengths_do_no_harm() {
    let mut random = Random(11);
    for _ in 0..20_000 {
        let code = TypeCode(random.below(60) as u16);
        let kind = TypeDescription {
            extended_id: random.below(12) as u32,
            ..TypeDescription::new(code, random.next() as u32 & 0xFFFF)
        };
        let bytes: Vec<u8> = (0..random.below(300)).map(|_| random.next() as u8).collect();
        if let Ok((value, used)) = read_value(&bytes, &kind, Codeset::Latin1) {
            assert!(used <= bytes.len());
            let mut out = Vec::new();
            let _ = write_value(value.as_ref(), &kind, Form::Binary, Codeset::Latin1, &mut out);
        }
    }
}

#[test]
fn random_numbers_come_back() {
    let mut random = Random(13);
    for _ in 0..5000 {
        let digits = 1 + random.below(16) as u32;
        let scale = random.below(digits as usize + 1) as u8;
        let bound = 10i128.pow(digits);
        let unscaled = i128::from(random.next()) * 1_000_003 % bound * if random.below(2) == 0 { 1 } else { -1 };
        let number = mainstay_types::Decimal::new(unscaled, scale);
        let kind = TypeDescription::new(TypeCode::DECIMAL, (digits << 8) | u32::from(scale));
        let mut out = Vec::new();
        write_value(mainstay_types::ValueRef::Decimal(number), &kind, Form::Binary, Codeset::Latin1, &mut out).unwrap();
        assert_eq!(out.len(), kind.width());
        assert_eq!(read_value(&out, &kind, Codeset::Latin1).unwrap().0, Value::Decimal(number), "{number}");
    }
}
