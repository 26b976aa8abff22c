//! Bytes that violate the protocol: reading them gives an error or a message, and the request of a message is carried
//! out or refused.

mod common;

use common::{Served, hello};
use mainstay_fuzzing::mutate::{Random, mutated};
use mainstay_navigator::dictionary::{Called, Given};
use mainstay_navigator::sql::{Column, Outcome, Parameter, TransactionStep};
use mainstay_navigator::wire::frame::{Frames, LONGEST_HELLO};
use mainstay_navigator::wire::messages::*;
use mainstay_navigator::wire::{decode, encode};
use mainstay_types::{Code, Collation, Date, Decimal, DialectError, Error, Interval, SqlType, Time, Timestamp, Value};
use mainstay_workarea::{
    CopyOptions, Counting, Customize, FieldValue, Mode, NewOrder, Optimized, OrderId, Position, RowChanges, SeekHow,
    SeekKey, Side, WordIndex, untold,
};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The time for which each kind of input is generated.
const FOR: Duration = Duration::from_secs(2);

/// One of every step, in an order in which most can be carried out.
fn every_step() -> Vec<Step> {
    let text = || SeekKey::Text(b"ABC".to_vec());
    let spec = || TableSpec::new(Format::FoxPro, vec![FieldSpec::new("A", b'C', 5, 0)]);
    let order = OrderId(1);
    let opening = Opening {
        names: vec!["none.dbf".into(), "numbers.dbf".into()],
        mode: Mode::Shared,
        scheme: None,
        open_structural: true,
        or_read_only: true,
    };
    vec![
        Step::Find { names: vec!["numbers".into(), "numbers.dbf".into()] },
        Step::List { folder: PathBuf::new() },
        Step::Create { path: "new.dbf".into(), spec: spec() },
        Step::Clear { path: "new.dbf".into() },
        Step::Remove { path: "gone.dbf".into() },
        Step::Open(opening),
        Step::Begin,
        Step::Savepoint,
        Step::RollBackTo(0),
        Step::RollBack,
        Step::Commit,
        Step::Execute { sql: "SELECT :a".into(), parameters: parameters() },
        Step::Prepare("SELECT ?".into()),
        Step::TableType(2),
        Step::CreateDictionary { path: "new.add".into(), description: "words".into() },
        Step::Call { name: "AdsDDAddTable".into(), arguments: every_argument() },
        Step::RowsOfView("view".into()),
        Step::EndUser { user: "ada".into(), connection: 99 },
        Step::Users,
        Step::Activity,
        Step::LockOwner { path: "numbers.dbf".into(), record: 3 },
        Step::View { hide_deleted: true, exact: false },
        Step::SetOrder(Some(order)),
        Step::Turn { order, descending: true },
        Step::At(Position { record: 3, ..Position::default() }),
        Step::GoTo(5),
        Step::GoTop,
        Step::GoBottom,
        Step::Skip(-3),
        Step::Refresh,
        Step::Seek { key: text(), how: SeekHow { soft: true, last: false, after: false } },
        Step::LookUp { order, key: SeekKey::Number(7.0) },
        Step::SetRelativePosition(0.5),
        Step::Page(PageWish { before: 3, after: 5, bytes: 4000, unless: Some(9), numbers: 7 }),
        Step::Row,
        Step::Value(2),
        Step::Key(None),
        Step::Key(Some(vec![b' '; 31])),
        Step::KeyOf { order, bytes: vec![b' '; 31] },
        Step::RecordCount(Counting::Visible),
        Step::KeyCount(Counting::Scoped),
        Step::KeyNumber(Counting::All),
        Step::RelativePosition,
        Step::SetScope { side: Side::Top, key: SeekKey::Raw(b"AB".to_vec()) },
        Step::ClearScope(Side::Top),
        Step::IsInScope(None),
        Step::SetFilter(Some("NUMBER > 3 .AND. LETTERS = 'A'".into())),
        Step::SetFilter(None),
        Step::SetAof("NUMBER < 30".into()),
        Step::AofLevelOf("UPPER(LETTERS) = 'B'".into()),
        Step::RefreshAof,
        Step::CustomizeAof { records: vec![1, 2, 3], how: Customize::Toggle },
        Step::IsRecordInAof(2),
        Step::ClearAof,
        Step::OpenIndex("numbers.cdx".into()),
        Step::CreateOrder(NewOrder { file: Some("other.cdx".into()), ..NewOrder::new("OTHER", "NUMBER * 2") }),
        Step::AddKey(order),
        Step::DropKey(order),
        Step::DeleteOrder(OrderId(2)),
        Step::CloseIndex("other.cdx".into()),
        Step::Edit,
        Step::Write(RowChanges { pieces: vec![(1, b"77".to_vec())], memos: vec![(2, b"note".to_vec())] }),
        Step::Append,
        Step::Cancel,
        Step::Flush,
        Step::LockRecord(4),
        Step::UnlockRecord(4),
        Step::LockTable,
        Step::Unlock,
        Step::Pack,
        Step::Zap,
        Step::Reindex,
        Step::Restructure { spec: spec(), sources: vec![Some(1)] },
        Step::CopyTo { path: "copy.dbf".into(), options: CopyOptions::default() },
        Step::CreateWordIndex(words()),
        Step::WordIndexes,
        Step::RebuildWordIndexes,
        Step::DeleteWordIndex("WORDS".into()),
        Step::TransactionFree(true),
        Step::Close,
    ]
}

fn words() -> WordIndex {
    WordIndex { tag: "WORDS".into(), field: "NAME".into(), is_fixed: true, ..WordIndex::default() }
}

/// One of every kind of value.
fn every_value() -> Vec<Value> {
    let (day, time) = (Date::from_ymd(2026, 11, 22).unwrap(), Time::from_hms(23, 59, 59, 9_999_999).unwrap());
    let utc = Timestamp::new(day, 1);
    vec![
        Value::Null,
        Value::Boolean(true),
        Value::Integer(i64::MIN),
        Value::Decimal(Decimal::new(-5, 38)),
        Value::Float(-0.5),
        Value::Text("ä".into()),
        Value::Binary(vec![0, 255]),
        Value::Date(day),
        Value::Time(time),
        Value::Timestamp(utc),
        Value::TimestampWithOffset { utc, offset_minutes: -90 },
        Value::Interval(Interval { months: 1, days: -2, ticks: 3 }),
        Value::Uuid([7; 16]),
    ]
}

/// One of every kind of argument.
fn every_argument() -> Vec<Given> {
    let bytes = || vec![1, 0, 255];
    vec![Given::Null, Given::Number(7), Given::Text(bytes()), Given::Bytes(bytes()), Given::Room(9), Given::Place(3)]
}

/// The same as parameters.
fn parameters() -> Vec<Parameter> {
    every_value().into_iter().enumerate().map(|(at, value)| Parameter { name: format!("p{at}"), value }).collect()
}

/// A query result with every type.
fn outcome() -> Outcome {
    let collation = Collation::CaseAccentInsensitive;
    let types = [
        SqlType::Boolean,
        SqlType::TinyInt,
        SqlType::Decimal { precision: 38, scale: 2 },
        SqlType::Char { length: 4, collation },
        SqlType::VarChar { length: None, collation },
        SqlType::VarBinary { length: Some(9) },
        SqlType::Time { digits: 7 },
        SqlType::TimestampWithOffset { digits: 3 },
        SqlType::Uuid,
    ];
    Outcome {
        columns: types.into_iter().map(|sql_type| Column::new("column", sql_type)).collect(),
        rows: vec![every_value(), Vec::new()],
        affected: 3,
        step: Some(TransactionStep::RollBackTo("here".into())),
    }
}

/// Answers with every kind of reply, an error and a state.
fn answers(served: &Served) -> Vec<Answer> {
    let session = &mut served.service.session(&hello("ada"), "here").unwrap();
    let mut answers: Vec<Answer> = Vec::new();
    for step in every_step() {
        let request = Request { table: 2, progress: false, wait_ms: 5_000, steps: vec![step] };
        answers.push(session.answer(&request, &mut untold));
    }
    let values = [
        FieldValue::Null,
        FieldValue::Integer(-1),
        FieldValue::Decimal(Decimal::new(-12_345, 2)),
        FieldValue::Number(0.5),
        FieldValue::Date(2_460_000),
        FieldValue::Timestamp { day: 2_460_000, ms: 1 },
        FieldValue::Time(5),
        FieldValue::Logical(true),
        FieldValue::Bytes(vec![0, 255]),
    ];
    let replies = values.into_iter().map(Reply::Value).chain([Reply::Unchanged, Reply::Level(Optimized::Part)]);
    let replies = replies.chain([Reply::Outcome(outcome())]);
    let called = Called { code: 7, detail: "refused".into(), places: every_argument() };
    let replies = replies.chain([Reply::Called(called), Reply::WordIndexes(vec![words()])]);
    let error = Some(Error::new(Code::Busy, "locked").at("x.dbf").hint("by ada"));
    let dialect = DialectError { number: 7041, severity: 1, state: 2 };
    let error = error.map(|error| error.in_dialect(dialect));
    answers.push(Answer { replies: replies.collect(), error, state: Some(State::default()) });
    answers
}

fn numbers() -> Served {
    let served = Served::new();
    served.make_numbers("numbers.dbf", 40);
    served
}

#[test]
fn messages_are_read_as_they_were_written() {
    let served = numbers();
    for step in every_step() {
        assert_eq!(decode::<Step>(&encode(&step)).unwrap(), step);
    }
    let answers = answers(&served);
    let kinds: std::collections::BTreeSet<u8> =
        answers.iter().flat_map(|answer| &answer.replies).map(|reply| encode(reply)[0]).collect();
    assert!(kinds.len() >= 19, "{kinds:?}");
    for answer in &answers {
        let again: Answer = decode(&encode(answer)).unwrap();
        assert_eq!((&again.replies, &again.state), (&answer.replies, &answer.state));
        assert_eq!(again.error.as_ref().map(Error::dialect), answer.error.as_ref().map(Error::dialect));
        assert_eq!(again.error.map(|error| error.to_string()), answer.error.as_ref().map(ToString::to_string));
    }
}

#[test]
fn damaged_messages_are_refused_or_read_within_their_length() {
    let served = numbers();
    let requests: Vec<Vec<u8>> = every_step()
        .chunks(6)
        .map(|steps| encode(&Request { table: 1, progress: true, wait_ms: 5_000, steps: steps.to_vec() }))
        .collect();
    let answers: Vec<Vec<u8>> = answers(&served).iter().map(encode).collect();
    let logins = vec![
        encode(&hello("ada")),
        encode(&Prelude { mark: MARK, version: VERSION, tls: TlsWish::Open }),
        encode(&Welcome { connection: 1, server: "x".into() }),
    ];
    let mut random = Random::new(0x6E61_7669);
    let (began, mut read) = (Instant::now(), 0);
    while began.elapsed() < FOR {
        for _ in 0..100 {
            let bytes = mutated(&mut random, &requests);
            if let Ok(request) = decode::<Request>(&bytes) {
                read += 1;
                // A message that was read is written as the same bytes: nothing is made out of nothing.
                assert_eq!(encode(&request), bytes);
            }
            if let Ok(answer) = decode::<Answer>(&mutated(&mut random, &answers)) {
                read += answer.replies.len();
            }
            let bytes = mutated(&mut random, &logins);
            let _ = (decode::<Hello>(&bytes), decode::<Prelude>(&bytes), decode::<Welcome>(&bytes));
            let mut frames = Frames::new(LONGEST_HELLO);
            frames.feed(&bytes);
            while let Ok(Some(_)) = frames.next_frame() {}
        }
    }
    assert!(read > 1000, "hardly anything was read: {read}");
}

#[test]
fn a_session_survives_whatever_it_is_asked() {
    let requests: Vec<Vec<u8>> = every_step()
        .into_iter()
        .map(|step| encode(&Request { table: 2, progress: false, wait_ms: 5_000, steps: vec![step] }))
        .collect();
    let mut random = Random::new(0x6E61_7670);
    let (began, mut asked, mut done) = (Instant::now(), 0, 0);
    while began.elapsed() < FOR {
        let served = numbers();
        let mut session = served.service.session(&hello("eve"), "there").unwrap();
        let opening = every_step().into_iter().find(|step| matches!(step, Step::Open(_))).unwrap();
        let opened =
            session.answer(&Request { table: 0, progress: false, wait_ms: 5_000, steps: vec![opening] }, &mut untold);
        assert!(opened.error.is_none());
        for _ in 0..300 {
            let bytes = mutated(&mut random, &requests);
            let Ok(request) = decode::<Request>(&bytes) else { continue };
            asked += 1;
            let answer = session.answer(&request, &mut untold);
            done += answer.replies.len();
            // The error is not an internal one.
            let internal = answer.error.filter(|error| error.code() == Code::Internal);
            assert!(internal.is_none(), "{request:?} {internal:?}");
        }
        drop(session);
        assert!(served.service.people().is_empty());
    }
    assert!(asked > 300 && done > 100, "{asked} {done}");
}
