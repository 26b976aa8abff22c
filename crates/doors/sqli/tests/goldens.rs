//! Bytes of real clients, from the recordings in docs/sqli.md, decoded and encoded again.

use mainstay_sqli::*;
use mainstay_types::{Timestamp, Value, ValueRef};

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// The context after the negotiation with JDBC 4.50.
fn context() -> Context {
    let mask = Mask::new(&Mask::CLIENT).and(&Mask::new(&Mask::SERVER));
    Context { features: Features::of(&mask), codeset: Codeset::Latin1 }
}

fn requests(hex: &str) -> Vec<Request> {
    let all = bytes(hex);
    let (mut left, mut found) = (&all[..], Vec::new());
    while !left.is_empty() {
        match Request::decode(left, &context(), 1 << 20).unwrap() {
            Decoded::Message(request, used) => {
                found.push(request);
                left = &left[used..];
            }
            Decoded::Incomplete => panic!("the messages are complete"),
        }
    }
    // A client may write values and variables in another form.
    if !found.iter().any(|request| matches!(request, Request::Info(_) | Request::Bind(_) | Request::ReturnTypes { .. }))
    {
        let mut again = Vec::new();
        found.iter().for_each(|request| request.encode(&mut again, &context()).unwrap());
        assert_eq!(again, all, "{found:?}");
    }
    found
}

fn replies(hex: &str, expected: &[Reply]) {
    let all = bytes(hex);
    let (mut left, mut found) = (&all[..], Vec::new());
    while !left.is_empty() {
        match Reply::decode(left, &context(), 1 << 20).unwrap() {
            Decoded::Message(reply, used) => {
                found.push(reply);
                left = &left[used..];
            }
            Decoded::Incomplete => panic!("the messages are complete"),
        }
    }
    assert_eq!(found, expected);
    let mut again = Vec::new();
    expected.iter().for_each(|reply| reply.encode(&mut again, &context()));
    assert_eq!(again, all);
}

/// The login of JDBC 4.50.11 without its last part, which names folders.
const LOGIN: &str = "
    01ae 013c 0000 0064 0065 0000003d 0006 4945 4545 4d00 006c 7371 6c65 7865 6300 0000 0000 0006 392e 3238 3000
    000c 5244 5323 5230 3030 3030 3000 0005 7371 6c69 00 0000013c 00000000 00000000 0001
    0009 696e 666f 726d 6978 00 0007 696e 346d 6978 00 6f6c 0000 0000 0000 0000003d 746c 6974 6370 0000 00000001
    0068 000b 00000003 0004 7372 7600 0000 0000 0000 0000 0000 006a 0002 0007 4442 5041 5448 00 0002 2e00
    000e 434c 4945 4e54 5f4c 4f43 414c 4500 000d 656e 5f55 532e 3838 3539 2d31 00
    006b 0000 0000 0000 0181 0000 0001 0003 766d 00";

#[test]
fn a_login_of_jdbc() {
    let login = bytes(LOGIN);
    assert_eq!(login_length(&login).unwrap(), Some(430));
    let request = ConnectRequest::decode(&[&login[..], &[0; 8]].concat());
    let request = request.unwrap();
    assert_eq!((request.user.as_str(), request.password.as_str()), ("informix", "in4mix"));
    assert_eq!((request.server.as_str(), request.database.as_str()), ("srv", ""));
    assert_eq!(request.variable("client_locale"), Some("en_US.8859-1"));
    assert_eq!((request.process, request.host.as_str()), (0x181, "vm"));
    let encoded = request.encode();
    assert_eq!(encoded[2..login.len()], login[2..]);
    assert_eq!(ConnectRequest::decode(&encoded).unwrap(), request);
}

#[test]
fn the_answer_to_a_login() {
    let reply = ConnectReply {
        version: "IBM Informix Dynamic Server Version 14.10.FC7W1DE".to_owned(),
        serial: "Serial#000000".to_owned(),
        server: "srv".to_owned(),
        outcome: Outcome::Accepted,
    };
    let expected = bytes(
        "
        00aa 023c 0000 0064 0065 0000003d 0006 4945 4545 4900 006c 7372 7669 6e66 7800 0000 0000
        0032 4942 4d20 496e 666f 726d 6978 2044 796e 616d 6963 2053 6572 7665 7220 5665 7273 696f 6e20 3134 2e31
        302e 4643 3757 3144 4500 000e 5365 7269 616c 2330 3030 3030 3000 0004 7372 7600 0000 013c 00000000 00000000
        0001 0000 0000 6f6c 0000 0000 0000 0000003d 736f 6374 6370 0000 00000001 0066 0000 0000 0000
        0000 0000 0000 0000 007f",
    );
    assert_eq!(reply.encode(), expected);
    assert_eq!(ConnectReply::decode(&expected).unwrap(), reply);
    let refused = ConnectReply { outcome: Outcome::Rejected(-951, 13, "no pm".to_owned()), ..reply };
    assert_eq!(ConnectReply::decode(&refused.encode()).unwrap(), refused);
}

#[test]
fn the_negotiation() {
    assert_eq!(
        requests("007e 0008 fffc7ffc3c8caa97 000c"),
        [Request::Protocols(Mask::new(&Mask::CLIENT)), Request::EndOfGroup]
    );
    let info = "0051 0006 0026 000c 0004 0006 4442 5445 4d50 0004 2f74 6d70 000b 5355 4251 4341 4348 4553 5a00 0002 3130 0000 0000 000c";
    let variables = vec![("DBTEMP".to_owned(), "/tmp".to_owned()), ("SUBQCACHESZ".to_owned(), "10".to_owned())];
    assert_eq!(requests(info), [Request::Info(variables), Request::EndOfGroup]);
    assert_eq!(
        requests("0024 0006 746573746462 0000 000c"),
        [Request::OpenDatabase { name: "testdb".to_owned(), mode: 0 }, Request::EndOfGroup]
    );
    replies(
        "000f 0015 00000000 00000000 00000000 0037 00000001 00000001 000c",
        &[
            Reply::Done { warnings: 0x15, rows: 0, row_id: 0, serial: 0 },
            Reply::Cost { rows: 1, cost: 1 },
            Reply::EndOfGroup,
        ],
    );
}

#[test]
fn a_query() {
    let prepare = "0002 0000 00000025 53454c45435420312046524f4d2073797374 61626c6573205748455245207461626964 3d31 00 0016 0031 000c";
    let text = "SELECT 1 FROM systables WHERE tabid=1".to_owned();
    assert_eq!(
        requests(prepare),
        [Request::Prepare { parameters: 0, text }, Request::Describe, Request::WantDone, Request::EndOfGroup]
    );
    let field = Field { name: "(constant)".to_owned(), kind: TypeDescription::new(TypeCode::INTEGER, 4) };
    let description = Description { statement: StatementType::SELECT, id: 0, cost: 1, fields: vec![field] };
    replies(
        "0008 0002 0000 00000001 0004 0001 0000000b 00000000 00000000 0002 00000000 0000 0000 0000 0000 00000000 00000004
         28636f6e7374616e742900 00 000f 0000 00000000 00000000 00000000 0037 00000001 00000001 000c",
        &[
            Reply::Described(description),
            Reply::Done { warnings: 0, rows: 0, row_id: 0, serial: 0 },
            Reply::Cost { rows: 1, cost: 1 },
            Reply::EndOfGroup,
        ],
    );
    let open = "0004 0000 0003 0012 5f69667863303030303030303030303030 32 0006 0004 0000 0009 00001000 0000 000c";
    let fetch = Request::Fetch(Fetch { scroll: None, buffer_bytes: 4096 });
    let found = requests(open);
    assert_eq!(found[0], Request::Statement(0));
    assert!(matches!(&found[1], Request::CursorName(name) if name.starts_with("_ifxc")));
    assert_eq!(found[2..], [Request::Open, Request::Statement(0), fetch, Request::EndOfGroup]);
    replies(
        "000e 0000 00000004 00000001 000f 0000 00000001 00000000 00000000 000c",
        &[
            Reply::Row { warnings: 0, bytes: vec![0, 0, 0, 1] },
            Reply::Done { warnings: 0, rows: 1, row_id: 0, serial: 0 },
            Reply::EndOfGroup,
        ],
    );
}

#[test]
fn parameters_of_every_kind() {
    let bind = "0004 0000 0005 000b
        0002 0000 0a00 00000005  0000 0000 0000 0003 616263 00  000d ffff 0000  0034 0000 1300 0000000100000000
        0003 0000 0000 3ff8000000000000  0005 0000 0002 0004 3d57412c  0007 0000 0000 0000b3c7
        000a 0000 130f 000b c7141a0102030405435900 00
        002d 0008 696e666f726d6978 0007 626f6f6c65616e 00 0000 0001 00000001 01 00
        0001 0000 0500 fffd  0004 0000 0000 40200000 0007 000c";
    let found = requests(bind);
    let Request::Bind(parameters) = &found[1] else { panic!("{found:?}") };
    let values: Vec<Value> = parameters.iter().map(|parameter| parameter.value.clone()).collect();
    let moment: Timestamp = "2026-01-02 03:04:05.6789".parse().unwrap();
    assert_eq!(
        values,
        [
            Value::Integer(5),
            Value::Text("abc".to_owned()),
            Value::Null,
            Value::Integer(1 << 32),
            Value::Float(1.5),
            Value::Decimal("-1234.56".parse().unwrap()),
            Value::Date("2026-01-02".parse().unwrap()),
            Value::Timestamp(moment),
            Value::Boolean(true),
            Value::Integer(-3),
            Value::Float(2.5),
        ]
    );
    assert_eq!(found[2..], [Request::Execute, Request::EndOfGroup]);
}

#[test]
fn an_insert_cursor() {
    let rows = "0006 0064 0000 0002 0002 00000004 000d 00000014 0011 00000007 0001 00000000 027830 00 000c";
    let found = requests(rows);
    let Request::ReturnTypes { is_output: false, types } = &found[1] else { panic!("{found:?}") };
    assert_eq!(types[1], ReturnType { code: TypeCode::VARCHAR, name: String::new(), length: 20 });
    assert_eq!(found[2], Request::Put(vec![0, 0, 0, 0, 2, b'x', b'0']));
}

#[test]
fn rows_of_every_type() {
    let interval = Qualifier::interval(Unit::DAY, 3, Unit::SECOND).length();
    let cases: Vec<(TypeDescription, ValueRef<'_>, &str, &str)> = vec![
        (TypeDescription::new(TypeCode::SMALLINT, 2), ValueRef::Integer(-2), "fffe", "8000"),
        (TypeDescription::new(TypeCode::INTEGER, 4), ValueRef::Integer(7), "00000007", "80000000"),
        (TypeDescription::new(TypeCode::BIGINT, 8), ValueRef::Integer(7), "0000000000000007", "8000000000000000"),
        (
            TypeDescription::new(TypeCode::INT8, 10),
            ValueRef::Integer(-(1 << 33)),
            "ffff0000000000000002",
            "00000000000000000000",
        ),
        (TypeDescription::new(TypeCode::FLOAT, 8), ValueRef::Float(1.5), "3ff8000000000000", "ffffffffffffffff"),
        (TypeDescription::new(TypeCode::SMALLFLOAT, 4), ValueRef::Float(2.5), "40200000", "ffffffff"),
        (
            TypeDescription::new(TypeCode::DATE, 4),
            ValueRef::Date("1900-01-01".parse().unwrap()),
            "00000001",
            "80000000",
        ),
        (TypeDescription::new(TypeCode::CHAR, 4), ValueRef::Text("ab"), "61622020", "00000000"),
        (TypeDescription::new(TypeCode::VARCHAR, 20), ValueRef::Text("ab"), "026162", "0100"),
        (
            TypeDescription::new(TypeCode::DECIMAL, 0x0802),
            ValueRef::Decimal("-1234.56".parse().unwrap()),
            "3d57412c00",
            "0000000000",
        ),
        (
            TypeDescription::new(TypeCode::INTERVAL, interval),
            ValueRef::Interval("123 04:05:06".parse().unwrap()),
            "c5 0117040506",
            "000000000000",
        ),
        (TypeDescription::boolean(), ValueRef::Boolean(true), "00 00000001 01", "01 00000000"),
        (TypeDescription::long_text(2048), ValueRef::Text("xyz"), "00 00000003 78797a", "01 00000000"),
        (TypeDescription::long_text(2048), ValueRef::Text(""), "00 00000000", "01 00000000"),
    ];
    for (kind, value, hex, null) in cases {
        let mut out = Vec::new();
        write_value(value, &kind, Form::Binary, Codeset::Latin1, &mut out).unwrap();
        assert_eq!(out, bytes(hex), "{kind:?}");
        let (read, used) = read_value(&out, &kind, Codeset::Latin1).unwrap();
        let read = match read {
            Value::Text(text) => Value::Text(text.trim_end().to_owned()),
            other => other,
        };
        assert_eq!((read.as_ref(), used), (value, out.len()), "{kind:?}");
        out.clear();
        write_value(ValueRef::Null, &kind, Form::Binary, Codeset::Latin1, &mut out).unwrap();
        assert_eq!(out, bytes(null), "{kind:?}");
        assert_eq!(read_value(&out, &kind, Codeset::Latin1).unwrap(), (Value::Null, out.len()), "{kind:?}");
    }
}

#[test]
fn errors_have_their_offset_and_subject() {
    let failure = Failure { code: -206, isam: -111, offset: 15, subject: "nosuch".to_owned() };
    replies("000d ff32 ff91 0000000f 0006 6e6f73756368 000c", &[Reply::Failed(failure), Reply::EndOfGroup]);
}
