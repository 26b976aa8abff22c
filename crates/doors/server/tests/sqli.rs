//! The listener for Informix clients, with a backend of the test's own: login, statement numbers, cursors, errors, cancel, and
//! bytes that no client sends.

use mainstay_server::{Config, Encryption, Server, SqliDoor, User};
use mainstay_session::{
    Backend, Called, Cancel, Column, Done, Failure, Login, Prepared, Ran, RoutineShape, Rows, Session, StatementId,
    StatementKind, TransactionStep,
};
use mainstay_sqli::*;
use mainstay_types::{SqlType, Value};
use mainstay_vfs::Disk;
use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Sessions that know six statements: `rows N`, `update N` whose cursor changes rows, `count`, `fail`, `COMMIT`, and `wait`
/// until it is cancelled. `environment` gives DELIMIDENT as the session knows it, `cursor` the name that a cursor was given.
#[derive(Default)]
struct Scripted {
    /// Variables and names of cursors that sessions were given.
    noted: Arc<Mutex<Vec<String>>>,
}

struct ScriptedSession {
    texts: HashMap<StatementId, String>,
    next: u64,
    cancelled: Arc<AtomicBool>,
    in_transaction: bool,
    noted: Arc<Mutex<Vec<String>>>,
    /// The warning of the statement `warn`.
    warns: Option<String>,
}

/// The number of the routine `split`, whose second parameter gives half of the first back.
const SPLIT: u32 = 77;

struct Numbers(i64, i64);

struct Flag(Arc<AtomicBool>);

impl Cancel for Flag {
    fn cancel(&self) {
        self.0.store(true, SeqCst);
    }
}

impl Rows for Numbers {
    fn next(&mut self) -> Result<Option<Vec<Value>>, Failure> {
        self.0 += 1;
        Ok((self.0 <= self.1).then(|| vec![Value::Integer(self.0)]))
    }
}

impl Backend for Scripted {
    fn session(&self, login: &Login) -> Result<Box<dyn Session>, Failure> {
        let (cancelled, noted) = (Arc::default(), Arc::clone(&self.noted));
        noted.lock().unwrap().extend(login.environment.iter().map(|(name, value)| format!("{name}={value}")));
        let texts = HashMap::new();
        Ok(Box::new(ScriptedSession { texts, next: 0, cancelled, in_transaction: false, noted, warns: None }))
    }
}

fn number_column() -> Column {
    Column { name: "n".to_owned(), sql_type: SqlType::Integer, declared: None, is_nullable: true }
}

impl Session for ScriptedSession {
    fn use_database(&mut self, name: &str) -> Result<(), Failure> {
        match name {
            "shop" => Ok(()),
            _ => Err(Failure { number: -329, detail: -111, subject: name.to_owned(), ..Failure::default() }),
        }
    }

    fn databases(&mut self) -> Result<Vec<String>, Failure> {
        Ok(vec!["shop".to_owned()])
    }

    fn prepare(&mut self, text: &str) -> Result<Prepared, Failure> {
        if text.contains("nonsense") {
            return Err(Failure { number: -201, position: 3, ..Failure::default() });
        }
        assert!(!text.contains("panic"), "the session panics");
        self.next += 1;
        let id = StatementId(self.next);
        self.texts.insert(id, text.to_owned());
        let kind = match text.split(' ').next() {
            Some("rows") => StatementKind::Query,
            Some("update") => StatementKind::QueryForUpdate,
            Some("COMMIT") => StatementKind::Commit,
            Some("grant") => StatementKind::Other,
            _ => StatementKind::Update,
        };
        let is_query = matches!(kind, StatementKind::Query | StatementKind::QueryForUpdate);
        let columns = if is_query { vec![number_column()] } else { Vec::new() };
        let parameters = text.matches('?').map(|_| number_column()).collect();
        Ok(Prepared { id, kind, columns, parameters })
    }

    fn execute(&mut self, id: StatementId, values: &[Value]) -> Result<Ran, Failure> {
        let text = self.texts.get(&id).cloned().unwrap_or_default();
        if let Some(count) = text.strip_prefix("rows ").or(text.strip_prefix("update ")) {
            return Ok(Ran::Rows(Box::new(Numbers(0, count.parse().unwrap()))));
        }
        match text.as_str() {
            "fail" => Err(Failure { number: -239, detail: -100, subject: "u1".to_owned(), ..Failure::default() }),
            "wait" => {
                while !self.cancelled.swap(false, SeqCst) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(Failure { number: -213, ..Failure::default() })
            }
            "warn" => {
                self.warns = Some("something beside it is not done".to_owned());
                Ok(Ran::Done(Done::default()))
            }
            "grant" => Ok(Ran::Done(Done { has_no_effect: true, ..Done::default() })),
            _ => Ok(Ran::Done(Done { rows: values.len() as u64, generated: Some(7), ..Done::default() })),
        }
    }

    fn generated_column(&mut self, id: StatementId) -> Option<(usize, Column)> {
        let is_insert = self.texts.get(&id).is_some_and(|text| text.starts_with("insert"));
        is_insert.then(|| (2, Column { name: "id".to_owned(), ..number_column() }))
    }

    fn take_warning(&mut self) -> Option<String> {
        self.warns.take()
    }

    fn routine_of(&mut self, id: StatementId) -> Option<u32> {
        self.texts.get(&id).is_some_and(|text| text.starts_with("call split")).then_some(SPLIT)
    }

    fn routine(&mut self, number: u32) -> Result<RoutineShape, Failure> {
        match number {
            SPLIT => Ok(RoutineShape {
                parameters: vec![(number_column(), false), (number_column(), true)],
                returns: vec![number_column()],
            }),
            _ => Err(Failure { number: -674, ..Failure::default() }),
        }
    }

    fn call_routine(&mut self, _: u32, values: &[Value]) -> Result<Called, Failure> {
        let Some(Value::Integer(total)) = values.first() else { panic!("{values:?}") };
        let returned = Some(vec![Value::Integer(total + 1)]);
        Ok(Called { outputs: vec![Value::Integer(total / 2)], returned })
    }

    fn release(&mut self, id: StatementId) {
        self.texts.remove(&id);
    }

    fn transaction(&mut self, step: &TransactionStep) -> Result<(), Failure> {
        let begins = *step == TransactionStep::Begin;
        if begins == self.in_transaction {
            return Err(Failure { number: if begins { -535 } else { -255 }, ..Failure::default() });
        }
        self.in_transaction = begins;
        Ok(())
    }

    fn is_in_transaction(&self) -> bool {
        self.in_transaction
    }

    fn set_variable(&mut self, name: &str, value: &str) {
        self.noted.lock().unwrap().push(format!("{name}={value}"));
    }

    fn name_cursor(&mut self, id: StatementId, name: &str) {
        self.noted.lock().unwrap().push(format!("{}: {name}", self.texts[&id]));
    }

    fn canceller(&self) -> Arc<dyn Cancel> {
        Arc::new(Flag(Arc::clone(&self.cancelled)))
    }
}

/// A server with the door.
struct Running {
    server: Server,
    address: SocketAddr,
}

fn door(change: impl FnOnce(&mut Config)) -> Running {
    noting_door(change).0
}

/// A door, and what its sessions note.
fn noting_door(change: impl FnOnce(&mut Config)) -> (Running, Arc<Mutex<Vec<String>>>) {
    let mut config = Config { encryption: Encryption::Off, ..Config::default() };
    change(&mut config);
    let address = "127.0.0.1:0".parse().unwrap();
    let backend = Scripted::default();
    let noted = Arc::clone(&backend.noted);
    let server = Server::new(config, &Disk, Box::new(std::io::sink())).unwrap();
    let address = server.open(address, SqliDoor::new(Arc::new(backend))).unwrap();
    (Running { server, address }, noted)
}

/// A client that speaks the protocol with the codec's other side.
struct Client {
    socket: TcpStream,
    context: Context,
    received: Vec<u8>,
}

impl Client {
    fn connect(door: &Running) -> Client {
        let socket = TcpStream::connect(door.address).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Client { socket, context: Context::default(), received: Vec::new() }
    }

    fn log_in(&mut self, user: &str, password: &str) -> ConnectReply {
        let request =
            ConnectRequest { user: user.to_owned(), password: password.to_owned(), ..ConnectRequest::default() };
        self.log_in_as(&request)
    }

    fn log_in_as(&mut self, request: &ConnectRequest) -> ConnectReply {
        self.socket.write_all(&request.encode()).unwrap();
        loop {
            if let Ok(Some(length)) = login_length(&self.received)
                && self.received.len() >= length
            {
                let reply = ConnectReply::decode(&self.received[..length]).unwrap();
                self.received.drain(..length);
                return reply;
            }
            self.read();
        }
    }

    fn read(&mut self) {
        let mut bytes = [0; 4096];
        let count = self.socket.read(&mut bytes).unwrap();
        assert!(count > 0, "the server has closed the connection");
        self.received.extend_from_slice(&bytes[..count]);
    }

    fn send(&mut self, requests: &[Request]) {
        let mut out = Vec::new();
        requests.iter().for_each(|request| request.encode(&mut out, &self.context).unwrap());
        Request::EndOfGroup.encode(&mut out, &self.context).unwrap();
        self.socket.write_all(&out).unwrap();
    }

    /// The replies up to the end of the group.
    fn receive(&mut self) -> Vec<Reply> {
        let mut replies = Vec::new();
        loop {
            match Reply::decode(&self.received, &self.context, 1 << 24).unwrap() {
                Decoded::Message(Reply::EndOfGroup, used) => {
                    self.received.drain(..used);
                    return replies;
                }
                Decoded::Message(reply, used) => {
                    self.received.drain(..used);
                    replies.push(reply);
                }
                Decoded::Incomplete => self.read(),
            }
        }
    }

    fn ask(&mut self, requests: &[Request]) -> Vec<Reply> {
        self.send(requests);
        self.receive()
    }

    fn ready(door: &Running) -> Client {
        let mut client = Client::connect(door);
        assert_eq!(client.log_in("ann", "").outcome, Outcome::Accepted);
        let replies = client.ask(&[Request::Protocols(Mask::new(&Mask::CLIENT))]);
        let [Reply::Protocols(mask)] = &replies[..] else { panic!("{replies:?}") };
        client.context.features = Features::of(&mask.and(&Mask::new(&Mask::CLIENT)));
        client
    }

    fn prepare(&mut self, text: &str) -> u16 {
        let prepare = Request::Prepare { parameters: 0, text: text.to_owned() };
        let replies = self.ask(&[prepare, Request::Describe, Request::WantDone]);
        let Reply::Described(description) = &replies[0] else { panic!("{replies:?}") };
        description.id
    }
}

fn failure(replies: &[Reply]) -> Option<(i16, i16)> {
    replies.iter().find_map(|reply| match reply {
        Reply::Failed(failure) => Some((failure.code, failure.isam)),
        _ => None,
    })
}

const FETCH: Request = Request::Fetch(Fetch { scroll: None, buffer_bytes: 40 });

#[test]
fn wrong_passwords_are_refused_with_951() {
    let hash = mainstay_server::password::hash("secret").unwrap();
    let door =
        door(|config| config.users = vec![User { name: "ann".to_owned(), password_hash: hash, read_only: false }]);
    let outcome = Client::connect(&door).log_in("ann", "wrong").outcome;
    assert_eq!(outcome, Outcome::Rejected(-951, 13, "ann".to_owned()));
    let reply = Client::connect(&door).log_in("ANN", "secret");
    assert_eq!(reply.outcome, Outcome::Accepted);
    assert_eq!(reply.version, "IBM Informix Dynamic Server Version 14.10.FC7W1DE");
    assert!(door.server.stop().complete);
}

#[test]
fn statements_have_the_lowest_free_number_and_live_beside_each_other() {
    let door = door(|_| {});
    let mut client = Client::ready(&door);
    let (zero, one) = (client.prepare("rows 3"), client.prepare("rows 5"));
    assert_eq!((zero, one), (0, 1));
    let open = |id| [Request::Statement(id), Request::Open];
    client.ask(&open(0));
    client.ask(&open(1));
    let rows = |replies: &[Reply]| replies.iter().filter(|reply| matches!(reply, Reply::Row { .. })).count();
    assert_eq!(rows(&client.ask(&[Request::Statement(1), FETCH])), 5);
    let replies = client.ask(&[Request::Statement(0), FETCH]);
    assert_eq!((rows(&replies), replies.len()), (3, 4));
    client.ask(&[Request::Statement(0), Request::Release]);
    assert_eq!(client.prepare("rows 1"), 0);
    assert_eq!(failure(&client.ask(&[Request::Statement(9), FETCH])), Some((-404, 0)));
}

#[test]
fn fetches_keep_to_the_buffer_of_the_client() {
    let door = door(|_| {});
    let mut client = Client::ready(&door);
    client.prepare("rows 25");
    client.ask(&[Request::Statement(0), Request::Open]);
    // Ten rows of four bytes fit into forty.
    let counts: Vec<usize> = (0..3).map(|_| client.ask(&[Request::Statement(0), FETCH]).len()).collect();
    assert_eq!(counts, [10, 10, 6]);
    let last = client.ask(&[Request::Statement(0), FETCH]);
    assert_eq!(last, [Reply::Done { warnings: 0, rows: 25, row_id: 0, serial: 0 }]);
}

/// A client may send several groups at once. The rows of the first are not held back by a group that takes time.
#[test]
fn groups_that_were_sent_at_once_are_answered_in_order() {
    let door = door(|_| {});
    let mut client = Client::ready(&door);
    client.prepare("rows 3");
    client.prepare("wait");
    let groups: [&[Request]; 3] = [
        &[Request::Begin, Request::EndOfGroup],
        &[Request::Statement(0), Request::Open, FETCH, Request::EndOfGroup],
        &[Request::Statement(0), FETCH, Request::EndOfGroup],
    ];
    let mut bytes = Vec::new();
    let waiting = [Request::Statement(1), Request::Execute, Request::EndOfGroup];
    for request in groups.concat().iter().chain(&waiting) {
        request.encode(&mut bytes, &client.context).unwrap();
    }
    client.socket.write_all(&bytes).unwrap();
    let done = |rows| Reply::Done { warnings: 0, rows, row_id: 0, serial: 0 };
    assert_eq!(client.receive(), [done(0)]);
    let rows = client.receive();
    assert_eq!((rows.len(), rows.last()), (4, Some(&done(3))));
    // The end of the cursor is known before the statement that waits to be cancelled.
    assert_eq!(client.receive(), [done(3)]);
    rustix::net::send(&client.socket, &[0x42], rustix::net::SendFlags::OOB).unwrap();
    assert_eq!(failure(&client.receive()), Some((-213, 0)));
}

#[test]
fn cursors_scroll() {
    let door = door(|_| {});
    let mut client = Client::ready(&door);
    client.prepare("rows 5");
    client.ask(&[Request::Statement(0), Request::Scroll, Request::Open]);
    let mut at = |how, target| {
        let fetch = Request::Fetch(Fetch { scroll: Some((how, target)), buffer_bytes: 4096 });
        match &client.ask(&[Request::Statement(0), fetch])[..] {
            [Reply::RowNumber(number), Reply::Row { bytes, .. }] => Some((*number, bytes[3])),
            [Reply::Done { .. }] => None,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(at(ScrollHow::Absolute, 4), Some((4, 4)));
    assert_eq!(at(ScrollHow::Next, 5), Some((5, 5)));
    assert_eq!(at(ScrollHow::Next, 6), None);
    assert_eq!(at(ScrollHow::Last, 0), Some((5, 5)));
    assert_eq!(at(ScrollHow::Previous, 0), Some((4, 4)));
    assert_eq!(at(ScrollHow::First, 0), Some((1, 1)));
    assert_eq!(at(ScrollHow::Relative, 2), Some((3, 3)));
}

#[test]
fn a_batch_is_one_group_and_ends_with_its_first_error() {
    let door = door(|_| {});
    let mut client = Client::ready(&door);
    client.prepare("count ?");
    let bind = || Request::Bind(vec![Parameter::new(Value::Integer(1))]);
    let mut group = vec![Request::Statement(0)];
    (0..3).for_each(|_| group.extend([bind(), Request::Execute]));
    let done = Reply::Done { warnings: 0, rows: 1, row_id: 0, serial: 7 };
    let replies = client.ask(&group);
    assert_eq!(replies.iter().filter(|reply| **reply == done).count(), 3);
    client.prepare("fail");
    let replies = client.ask(&[
        Request::Statement(1),
        Request::Execute,
        Request::Execute,
        Request::Statement(0),
        Request::Execute,
    ]);
    assert_eq!((failure(&replies), replies.len()), (Some((-239, -100)), 1));
    // The session goes on.
    assert_eq!(client.ask(&[Request::Statement(0), bind(), Request::Execute])[0], done);
    let prepare = Request::Prepare { parameters: 0, text: "nonsense".to_owned() };
    assert_eq!(failure(&client.ask(&[prepare, Request::Describe])), Some((-201, 0)));
}

/// The tags 135 and 136 describe and carry the keys; IBM's drivers read them before the DONE of each row.
#[test]
fn generated_keys_come_with_their_description() {
    let door = door(|_| {});
    let mut client = Client::ready(&door);
    let prepare = |client: &mut Client, keys: Keys| {
        let text = "insert ?".to_owned();
        client.ask(&[
            Request::Prepare { parameters: 1, text },
            Request::WantKeys(keys),
            Request::Describe,
            Request::WantDone,
        ])
    };
    let described = prepare(&mut client, Keys::All);
    let [Reply::Described(own), Reply::KeysDescribed(keys), Reply::Done { .. }, ..] = &described[..] else {
        panic!("{described:?}")
    };
    assert_eq!((own.id, keys.id, keys.fields[0].name.as_str()), (0, 0, "id"));
    let bind = || Request::Bind(vec![Parameter::new(Value::Integer(1))]);
    let batch = client.ask(&[Request::Statement(0), bind(), Request::Execute, bind(), Request::Execute]);
    let rows = batch.iter().filter(|reply| matches!(reply, Reply::KeyRow { bytes, .. } if *bytes == [0, 0, 0, 7]));
    assert_eq!(rows.count(), 2, "{batch:?}");
    assert!(matches!(batch[0], Reply::KeyRow { .. }) && matches!(batch[1], Reply::Done { .. }), "{batch:?}");
    for (wanted, is_there) in [
        (Keys::Names(vec!["v".to_owned(), "ID".to_owned()]), true),
        (Keys::Names(vec!["v".to_owned()]), false),
        (Keys::Numbers(vec![2]), true),
        (Keys::Numbers(vec![1]), false),
    ] {
        let described = prepare(&mut client, wanted.clone());
        let found = described.iter().any(|reply| matches!(reply, Reply::KeysDescribed(_)));
        assert_eq!(found, is_there, "{wanted:?}: {described:?}");
    }
    let command = Request::Command { text: "insert".to_owned() };
    let direct = [command, Request::WantKeys(Keys::All), Request::Describe, Request::Execute, Request::Release];
    let replies = client.ask(&direct);
    assert!(
        matches!(replies[..], [Reply::KeysDescribed(_), Reply::KeyRow { .. }, Reply::Done { .. }, ..]),
        "{replies:?}"
    );
}

/// The messages that IBM's drivers exchange for `{call split(?, ?)}` with a registered OUT parameter.
#[test]
fn out_parameters_are_called_by_number() {
    let door = door(|_| {});
    let mut client = Client::ready(&door);
    let prepare = Request::Prepare { parameters: 2, text: "call split(?,?)".to_owned() };
    let refused = client.ask(&[prepare, Request::Describe, Request::WantDone]);
    let [Reply::Failed(failed)] = &refused[..] else { panic!("{refused:?}") };
    assert_eq!((failed.code, failed.subject.as_str()), (-9752, "shop:77:"));
    let database = || "shop".to_owned();
    let described = client.ask(&[Request::DescribeRoutine { database: database(), number: SPLIT }]);
    let [Reply::RoutineParameters(parameters)] = &described[..] else { panic!("{described:?}") };
    assert_eq!(parameters.iter().map(|known| known.is_output).collect::<Vec<_>>(), [false, true]);
    let found = client.ask(&[Request::GetRoutineByNumber { database: database(), number: SPLIT }]);
    assert_eq!(found, [Reply::RoutineNumber { database: database(), number: SPLIT }]);
    // The types come where they are asked for: in the first call.
    for (total, state) in [(10, Some(true)), (20, Some(false)), (30, None), (40, Some(true))] {
        let call = Request::CallRoutine { database: database(), number: SPLIT, arguments: 2, has_outputs: true };
        let bind = Request::Bind(vec![Parameter::new(Value::Integer(total)), Parameter::new(Value::Null)]);
        let mut messages = vec![call, bind];
        messages.extend(state.map(|wants_types| Request::RoutineState { wants_types }));
        let replies = client.ask(&messages);
        let values = match &replies[..] {
            [Reply::RoutineTypes(types), Reply::RoutineValues(values)] if state == Some(true) => {
                assert_eq!((types.number, types.returns.len(), &types.parameters), (SPLIT, 1, parameters));
                values
            }
            [Reply::RoutineValues(values)] if state != Some(true) => values,
            _ => panic!("{state:?}: {replies:?}"),
        };
        let number = |number: i64| RoutineValue::Integer(number as i32);
        assert_eq!(*values, [number(total / 2), number(total + 1)]);
    }
    let unknown = client.ask(&[Request::DescribeRoutine { database: database(), number: 78 }]);
    assert_eq!(failure(&unknown), Some((-674, 0)));
    // The statement that was refused has no number: the next one has the lowest.
    assert_eq!(client.prepare("rows 1"), 0);
}

/// IBM's drivers end the group of a description twice, without waiting, and read one answer.
#[test]
fn the_second_end_of_a_description_of_parameters_is_not_answered() {
    let door = door(|_| {});
    let mut client = Client::ready(&door);
    let database = || "shop".to_owned();
    let find = || Request::GetRoutineByNumber { database: database(), number: SPLIT };
    let found = || vec![Reply::RoutineNumber { database: database(), number: SPLIT }];
    for number in [SPLIT, 78] {
        client.send(&[Request::DescribeRoutine { database: database(), number }, Request::EndOfGroup]);
        client.send(&[find()]);
        assert_eq!(client.receive().len(), 1);
        assert_eq!(client.receive(), found());
    }
    // Any other group is answered, and one that follows such a description too.
    client.send(&[Request::EndOfGroup]);
    assert_eq!([client.receive(), client.receive()], [vec![], vec![]]);
    client.ask(&[Request::DescribeRoutine { database: database(), number: SPLIT }]);
    assert_eq!(client.ask(&[find()]), found());
    assert_eq!(client.ask(&[]), []);
}

#[test]
fn a_warning_of_a_statement_is_a_bit_of_its_done() {
    let door = door(|_| {});
    let mut client = Client::ready(&door);
    let mut run = |text: &str| {
        let command = Request::Command { text: text.to_owned() };
        let replies = client.ask(&[command, Request::Describe, Request::Execute, Request::Release]);
        let Reply::Done { warnings, .. } = replies[0] else { panic!("{replies:?}") };
        warnings
    };
    assert_eq!([run("warn"), run("count")], [0x40, 0]);
}

#[test]
fn a_parameter_that_cannot_be_held_fails_its_statement_alone() {
    let door = door(|_| {});
    let mut client = Client::ready(&door);
    client.prepare("count ?");
    // 0.01 x 100^60 has 119 digits before the point.
    let mut bytes = Vec::new();
    Request::Statement(0).encode(&mut bytes, &client.context).unwrap();
    bytes.extend_from_slice(&[0, 5, 0, 1, 0, 5, 0, 0, 32, 0, 0, 2, 0x80 | (64 + 60), 1]);
    Request::Execute.encode(&mut bytes, &client.context).unwrap();
    Request::EndOfGroup.encode(&mut bytes, &client.context).unwrap();
    client.socket.write_all(&bytes).unwrap();
    assert_eq!(failure(&client.receive()), Some((-1226, 0)));
    let bind = Request::Bind(vec![Parameter::new(Value::Integer(1))]);
    let replies = client.ask(&[Request::Statement(0), bind, Request::Execute]);
    assert!(matches!(replies[0], Reply::Done { rows: 1, .. }), "{replies:?}");
    let granted = client.ask(&[Request::Command { text: "grant".to_owned() }, Request::Describe, Request::Execute]);
    assert!(matches!(granted[0], Reply::Done { warnings: 0x40, .. }), "{granted:?}");
}

/// The mask of nmap's script `informix`, which has none of the bits of wide lengths: texts and buffers have counts of two
/// bytes. A probe without a password that is right still sees the product and its version.
#[test]
fn probes_identify_the_server() {
    let hash = mainstay_server::password::hash("secret").unwrap();
    let door =
        door(|config| config.users = vec![User { name: "ann".to_owned(), password_hash: hash, read_only: false }]);
    let mut probe = Client::connect(&door);
    let reply = probe.log_in("nmap", "nmap");
    assert!(matches!(reply.outcome, Outcome::Rejected(-951, ..)), "{reply:?}");
    assert!(reply.version.contains("Informix Dynamic Server Version"), "{reply:?}");
    let mut client = Client::connect(&door);
    assert_eq!(client.log_in("ann", "secret").outcome, Outcome::Accepted);
    let mask = Mask::new(&[0xff, 0xfc, 0x7f, 0xfc, 0x3c, 0x8c, 0x8a]);
    let replies = client.ask(&[Request::Protocols(mask.clone())]);
    let [Reply::Protocols(own)] = &replies[..] else { panic!("{replies:?}") };
    client.context.features = Features::of(&own.and(&mask));
    assert!(!client.context.features.wide_text && !client.context.features.wide_fetch);
    let id = client.prepare("rows 2");
    let replies = client.ask(&[Request::Statement(id), Request::Open, FETCH]);
    let rows = replies.iter().filter(|reply| matches!(reply, Reply::Row { .. })).count();
    assert_eq!(rows, 2, "{replies:?}");
}

#[test]
fn commands_and_transactions() {
    let door = door(|_| {});
    let mut client = Client::ready(&door);
    let database = |name: &str| Request::OpenDatabase { name: name.to_owned(), mode: 0 };
    assert_eq!(failure(&client.ask(&[database("other")])), Some((-329, -111)));
    assert!(matches!(client.ask(&[database("shop")])[0], Reply::Done { warnings: 5, .. }));
    assert_eq!(client.ask(&[Request::ListDatabases]), [Reply::Databases(vec!["shop".to_owned()])]);
    let command = Request::Command { text: "count".to_owned() };
    assert_eq!(client.ask(&[command, Request::Describe, Request::Execute, Request::Release]).len(), 2);
    assert_eq!(client.ask(&[Request::Begin]).len(), 1);
    assert_eq!(failure(&client.ask(&[Request::Begin])), Some((-535, 0)));
    assert_eq!(failure(&client.ask(&[Request::Commit])), None);
    assert_eq!(failure(&client.ask(&[Request::Rollback])), Some((-255, 0)));
}

#[test]
fn the_urgent_byte_cancels_the_running_request() {
    let door = door(|_| {});
    let mut client = Client::ready(&door);
    client.prepare("wait");
    client.send(&[Request::Statement(0), Request::Execute]);
    std::thread::sleep(Duration::from_millis(50));
    rustix::net::send(&client.socket, &[0x42], rustix::net::SendFlags::OOB).unwrap();
    assert_eq!(failure(&client.receive()), Some((-213, 0)));
    assert_eq!(client.prepare("rows 1"), 1);
}

#[test]
fn cursors_end_with_their_transaction_unless_they_hold() {
    let door = door(|_| {});
    let mut client = Client::ready(&door);
    let rows = |replies: &[Reply]| replies.iter().filter(|reply| matches!(reply, Reply::Row { .. })).count();
    for (query, opening) in [("rows 25", vec![]), ("rows 30", vec![Request::Hold])] {
        let id = client.prepare(query);
        let mut group = vec![Request::Statement(id)];
        group.extend(opening);
        group.push(Request::Open);
        client.ask(&group);
    }
    for end in [Request::Commit, Request::Rollback] {
        client.ask(&[Request::Begin]);
        client.ask(&[Request::Statement(0), Request::Open]);
        assert_eq!(rows(&client.ask(&[Request::Statement(0), FETCH])), 10);
        assert_eq!(failure(&client.ask(&[end])), None);
        assert_eq!(failure(&client.ask(&[Request::Statement(0), FETCH])), Some((-400, 0)));
        assert_eq!(rows(&client.ask(&[Request::Statement(1), FETCH])), 10);
    }
    // The same by a statement.
    client.ask(&[Request::Statement(0), Request::Open]);
    let command = Request::Command { text: "COMMIT".to_owned() };
    assert_eq!(failure(&client.ask(&[command, Request::Execute, Request::Release])), None);
    assert_eq!(failure(&client.ask(&[Request::Statement(0), FETCH])), Some((-400, 0)));
}

#[test]
fn cursors_that_change_rows_have_names_and_give_one_row_at_a_time() {
    let (door, noted) = noting_door(|_| {});
    let mut client = Client::ready(&door);
    client.prepare("update 2");
    client.ask(&[Request::Statement(0), Request::CursorName("c1".to_owned()), Request::Open]);
    for _ in 0..2 {
        let replies = client.ask(&[Request::Statement(0), FETCH]);
        assert!(matches!(replies[..], [Reply::Row { .. }]), "{replies:?}");
    }
    let last = client.ask(&[Request::Statement(0), FETCH]);
    assert_eq!(last, [Reply::Done { warnings: 0, rows: 2, row_id: 0, serial: 0 }]);
    assert_eq!(*noted.lock().unwrap(), ["update 2: c1"]);
}

#[test]
fn the_environment_of_a_client_reaches_its_session() {
    let (door, noted) = noting_door(|_| {});
    let mut client = Client::connect(&door);
    let environment = vec![("DELIMIDENT".to_owned(), "Y".to_owned())];
    let request = ConnectRequest { user: "ann".to_owned(), environment, ..ConnectRequest::default() };
    assert_eq!(client.log_in_as(&request).outcome, Outcome::Accepted);
    client.ask(&[Request::Info(vec![("DBDATE".to_owned(), "Y4MD-".to_owned())])]);
    assert_eq!(*noted.lock().unwrap(), ["DELIMIDENT=Y", "DBDATE=Y4MD-"]);
}

#[test]
fn an_exit_is_answered_and_ends_the_connection() {
    let door = door(|_| {});
    let mut client = Client::ready(&door);
    let mut out = Vec::new();
    Request::Exit.encode(&mut out, &client.context).unwrap();
    client.socket.write_all(&out).unwrap();
    let mut rest = Vec::new();
    client.socket.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, [0, 56]);
}

#[test]
fn bytes_that_no_client_sends_end_only_their_connection() {
    let door = door(|config| config.max_request_bytes = 64 << 10);
    let mut good = Client::ready(&door);
    let mut random: u64 = 3;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as u8
    };
    for round in 0..60 {
        let mut bad = if round % 3 == 0 { Client::connect(&door) } else { Client::ready(&door) };
        let mut bytes: Vec<u8> = (0..200).map(|_| next()).collect();
        if round % 3 == 1 {
            // A known message with a body of any bytes.
            bytes[0] = 0;
            bytes[1] %= 140;
        }
        let _ = bad.socket.write_all(&bytes);
        let _ = bad.socket.shutdown(std::net::Shutdown::Write);
        let _ = bad.socket.read_to_end(&mut Vec::new());
    }
    // A group that real clients send, cut at each place, and with each of its bytes changed.
    let context = good.context;
    let mut group = Vec::new();
    let fetch = Fetch { scroll: None, buffer_bytes: 4096 };
    for request in [
        Request::Prepare { parameters: 1, text: "insert ?".to_owned() },
        Request::WantKeys(Keys::Names(vec!["id".to_owned()])),
        Request::Describe,
        Request::Statement(0),
        Request::Bind(vec![Parameter::new(Value::Text("bolt".to_owned())), Parameter::new(Value::Boolean(true))]),
        Request::Execute,
        Request::CursorName("c".to_owned()),
        Request::Open,
        Request::Fetch(fetch),
        Request::Close,
        Request::Release,
        Request::EndOfGroup,
    ] {
        request.encode(&mut group, &context).unwrap();
    }
    for place in 0..group.len() {
        let mut changed = group.clone();
        changed[place] ^= 1 << (place % 8);
        for bytes in [&group[..place], &changed[..]] {
            let mut bad = Client::ready(&door);
            let _ = bad.socket.write_all(bytes);
            let _ = bad.socket.shutdown(std::net::Shutdown::Write);
            let _ = bad.socket.read_to_end(&mut Vec::new());
        }
    }
    // A message beyond the limit, and a session that panics.
    let mut long = Client::ready(&door);
    let mut bytes = Vec::new();
    let request = Request::Prepare { parameters: 0, text: "x".repeat(200 << 10) };
    request.encode(&mut bytes, &long.context).unwrap();
    // The server may close the connection before it has read all of it.
    let _ = long.socket.write_all(&bytes);
    let mut panics = Client::ready(&door);
    panics.send(&[Request::Prepare { parameters: 0, text: "panic".to_owned() }]);
    let _ = panics.socket.read_to_end(&mut Vec::new());
    assert_eq!(good.prepare("rows 1"), 0);
    assert!(door.server.stop().complete);
}
