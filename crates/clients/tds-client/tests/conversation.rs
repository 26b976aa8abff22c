//! A connection against the answers of the server's own writer, packet by packet.

use mainstay_tds::{
    Answer, Assembler, Batch, Collation, Column, Command, Done, DoneKind, Encryption, Environment, Framer, Login,
    PacketKind, PacketWriter, PreLogin, Version, WholeMessage,
};
use mainstay_tds_client::{Connection, DataType, Encrypt, Event, Length, Message, Next};
use mainstay_types::{Decimal, Value, ValueRef};

/// The messages that a client has sent.
fn sent(bytes: &[u8]) -> Vec<WholeMessage> {
    let (mut framer, mut assembler, mut messages) = (Framer::new(), Assembler::new(1 << 20), Vec::new());
    framer.feed(bytes);
    while let Some(packet) = framer.next_packet().unwrap() {
        messages.extend(assembler.push(packet).unwrap());
    }
    messages
}

/// The events until the connection wants bytes.
fn events(connection: &mut Connection) -> Vec<Event> {
    let mut events = Vec::new();
    loop {
        match connection.next_step().unwrap() {
            Next::Event(event) => events.push(event),
            Next::Receive => return events,
            Next::BeginTls => panic!("no TLS here"),
        }
    }
}

/// The answer to PRELOGIN.
fn pre_login(encryption: Encryption) -> Vec<u8> {
    let (mut bytes, mut out) = (Vec::new(), PacketWriter::new(PacketKind::Answer));
    let said = PreLogin { version: (16, 0, 1000), encryption, instance: String::new(), mars: false, federated: None };
    said.encode(&mut bytes);
    out.put(&bytes);
    out.end_message();
    out.take()
}

fn answered(write: impl FnOnce(&mut Answer)) -> Vec<u8> {
    let mut answer = Answer::new(Version::V7_4, "server");
    write(&mut answer);
    answer.packets().take()
}

fn end(command: Command, count: Option<u64>) -> Done {
    Done { kind: DoneKind::Statement, command, count, error: false }
}

fn logged_in() -> Connection {
    let mut connection = Connection::new(Login::of("sa", "", Version::V7_4), Encrypt::Off, false);
    assert_eq!(sent(&connection.take_output())[0].kind, PacketKind::PreLogin);
    connection.receive(&pre_login(Encryption::NotSupported));
    assert_eq!(events(&mut connection), []);
    assert_eq!(sent(&connection.take_output())[0].kind, PacketKind::Login);
    connection.receive(&answered(|answer| {
        answer.environment(&Environment::Database { new: "shop".into(), old: "master".into() });
        answer.collation(Collation::DEFAULT);
        answer.login_ack("Microsoft SQL Server", (16, 0, 1000));
        answer.packet_size(8000, 4096);
        answer.finish(false);
    }));
    let first = [Event::Database("shop".into()), Event::LoggedIn];
    let done = Event::Done { command: Command::NONE, count: None, failed: false };
    assert_eq!(events(&mut connection), [&first[..], &[done, Event::Ready]].concat());
    assert!(connection.is_ready());
    connection
}

#[test]
fn results_messages_and_counts_are_events() {
    let mut connection = logged_in();
    connection.send_batch("SELECT 1").unwrap();
    assert!(connection.send_batch("SELECT 2").is_err());
    let messages = sent(&connection.take_output());
    let batch = Batch::decode(&messages[0].bytes, Version::V7_4).unwrap();
    assert_eq!((batch.text.as_str(), batch.headers.transaction), ("SELECT 1", 0));
    let bytes = answered(|answer| {
        answer.environment(&Environment::TransactionBegun(9));
        answer.columns(&[Column::new("n", DataType::Int)]);
        answer.row(&[ValueRef::Integer(1)]).unwrap();
        answer.done(end(Command::SELECT, Some(1)));
        answer.message(&Message::error(208, "no such table"));
        answer.finish(true);
    });
    // Byte by byte: no event comes too early, and none is lost.
    let mut read = Vec::new();
    for byte in bytes {
        connection.receive(&[byte]);
        read.extend(events(&mut connection));
    }
    let [
        Event::Columns(columns),
        Event::Row(row),
        Event::Done { count, .. },
        Event::Message(message),
        last,
        Event::Ready,
    ] = &read[..]
    else {
        panic!("{read:?}")
    };
    assert_eq!((columns[0].name.as_str(), row.as_slice()), ("n", &[Value::Integer(1)][..]));
    assert_eq!((*count, message.number), (Some(1), 208));
    assert!(matches!(last, Event::Done { failed: true, .. }));
    // The transaction that the server began is named by the next request.
    assert!(connection.is_in_transaction());
    connection.send_batch("COMMIT").unwrap();
    let messages = sent(&connection.take_output());
    assert_eq!(Batch::decode(&messages[0].bytes, Version::V7_4).unwrap().headers.transaction, 9);
}

/// The bytes of a row that never ends are not collected beyond the limit.
#[test]
fn a_row_is_limited() {
    let mut connection = logged_in();
    connection.limit_row(1 << 20);
    connection.send_batch("SELECT name").unwrap();
    let name = Column::new("name", DataType::NVarChar(Length::Max));
    connection.receive(&answered(|answer| {
        answer.columns(std::slice::from_ref(&name));
        answer.row(&[ValueRef::Text(&"x".repeat(1 << 18))]).unwrap();
        answer.finish(false);
    }));
    assert!(matches!(events(&mut connection)[..], [Event::Columns(_), Event::Row(_), _, Event::Ready]));
    connection.send_batch("SELECT name").unwrap();
    connection.receive(&answered(|answer| {
        answer.columns(std::slice::from_ref(&name));
        answer.row(&[ValueRef::Text(&"x".repeat(1 << 20))]).unwrap();
        answer.finish(false);
    }));
    let mut seen = Vec::new();
    let error = loop {
        match connection.next_step() {
            Ok(Next::Event(event)) => seen.push(event),
            Ok(next) => panic!("{next:?}"),
            Err(error) => break error,
        }
    };
    assert!(matches!(seen[..], [Event::Columns(_)]), "{seen:?}");
    assert_eq!(error.code(), mainstay_types::Code::OutOfMemory);
    assert!(error.message().contains("more than 1048576 bytes"), "{error}");
}

#[test]
fn a_cancelled_request_ends_with_the_acknowledgement() {
    // The attention is acknowledged in the same message, or the answer was complete and another one follows.
    for in_own_message in [false, true] {
        let mut connection = logged_in();
        connection.send_batch("WAITFOR DELAY '1:00'").unwrap();
        connection.take_output();
        connection.cancel();
        connection.cancel();
        let messages = sent(&connection.take_output());
        assert_eq!(messages.iter().map(|message| message.kind).collect::<Vec<_>>(), [PacketKind::Attention]);
        if in_own_message {
            connection.receive(&answered(|answer| answer.finish(false)));
            assert!(!events(&mut connection).contains(&Event::Ready));
        }
        connection.receive(&answered(Answer::finish_attention));
        assert_eq!(events(&mut connection), [Event::Ready]);
        connection.send_batch("SELECT 1").unwrap();
    }
}

#[test]
fn refusals_of_login_and_encryption_are_errors() {
    let mut connection = Connection::new(Login::of("ann", "wrong", Version::V7_4), Encrypt::On, true);
    connection.receive(&pre_login(Encryption::NotSupported));
    assert!(connection.next_step().unwrap_err().to_string().contains("does not encrypt"));
    let mut connection = Connection::new(Login::of("ann", "wrong", Version::V7_4), Encrypt::Off, true);
    connection.receive(&pre_login(Encryption::Required));
    assert!(connection.next_step().unwrap_err().to_string().contains("requires encryption"));
    let mut connection = Connection::new(Login::of("ann", "wrong", Version::V7_4), Encrypt::On, true);
    connection.receive(&pre_login(Encryption::On));
    assert_eq!(connection.next_step().unwrap(), Next::BeginTls);
    connection.receive(&answered(|answer| {
        answer.message(&Message::error(18_456, "Login failed for user 'ann'."));
        answer.finish(true);
    }));
    assert!(
        matches!(connection.next_step().unwrap(), Next::Event(Event::Message(message)) if message.number == 18_456)
    );
    assert!(matches!(connection.next_step().unwrap(), Next::Event(Event::Done { failed: true, .. })));
    assert!(connection.next_step().unwrap_err().to_string().contains("refused the login"));
}

#[test]
fn bytes_of_another_protocol_end_the_connection() {
    for bytes in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], &[4, 1, 0, 3, 0, 0, 0, 0], &[4, 1, 0, 9, 0, 0, 0, 0, 7]] {
        let mut connection = Connection::new(Login::of("sa", "", Version::V7_4), Encrypt::Off, false);
        connection.receive(bytes);
        assert!(connection.next_step().is_err(), "{bytes:?}");
    }
}

/// Damaged answers end in an error or in events, and in neither case in a panic or without an end.
#[test]
fn damaged_answers_do_no_harm() {
    let bytes = answered(|answer| {
        let columns = [
            Column::new("n", DataType::Int),
            Column::new("t", DataType::NVarChar(Length::Max)),
            Column::new("d", DataType::Decimal { precision: 38, scale: 4 }),
        ];
        answer.columns(&columns);
        for n in 0..20 {
            let decimal = ValueRef::Decimal(Decimal::new(n.into(), 4));
            answer.row(&[ValueRef::Integer(n), ValueRef::Text("some text"), decimal]).unwrap();
        }
        answer.done(end(Command::SELECT, Some(20)));
        answer.message(&Message::error(50_000, "stop"));
        answer.finish(true);
    });
    let mut state: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut random = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % limit as u64) as usize
    };
    for _ in 0..3000 {
        let mut damaged = bytes.clone();
        for _ in 0..=random(3) {
            let at = random(damaged.len());
            damaged[at] = random(256) as u8;
        }
        damaged.truncate(damaged.len() - random(20));
        let mut connection = logged_in();
        connection.send_batch("SELECT 1").unwrap();
        connection.receive(&damaged);
        let mut steps = 0;
        while let Ok(Next::Event(_)) = connection.next_step() {
            steps += 1;
            assert!(steps < 10_000);
        }
    }
}
