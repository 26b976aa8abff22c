//! The tpcc suite: the five transactions of the order-entry benchmark as T-SQL procedures, called in process.
//!
//! One warehouse as clause 1.2 scales it (`--rows` is the number of items: 100,000 with 3,000 customers a district in
//! the specification), terminals without think times, so the figures are not tpmC: they are microseconds a call. The
//! consistency conditions of clause 3.3.2 are checked after every row; a row after which one of them does not hold is
//! wrong. There are no published figures for these procedures by a system that Mainstay replaces.
//!
//! ```text
//!   schema.sql, procedures.sql ─> load_all ─> calls drawn from a seed ─> inconsistencies: no rows
//! ```
//!
//! Limits: one warehouse, in memory, so the sessions of the last row contend for its row and wait for each other.

use crate::statistics::{Statistics, wants_another};
use crate::suite::{About, Bench, Judgement, Measured, Row, Settings, Suite, System};
use crate::tsql::Client;
use mainstay_engine::Database;
use mainstay_session::push::{Call, Parameter, ParameterValue};
use mainstay_tsql_runtime::{Instance, Session};
use mainstay_tsql_types::{DataType, Length};
use mainstay_types::{Code, Error, Result, Value};
use std::time::{Duration, Instant};

/// Calls of one run.
const CALLS: usize = 400;
/// Districts of the warehouse.
const DISTRICTS: i64 = 10;
/// Sessions of the last row.
const SESSIONS: usize = 4;
const SCHEMA: &str = include_str!("schema.sql");
const PROCEDURES: &str = include_str!("procedures.sql");
/// Syllables of last names.
const SYLLABLES: [&str; 10] = ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];

/// The kind of call of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    NewOrder,
    Payment,
    OrderStatus,
    Delivery,
    StockLevel,
    /// All five in the shares of clause 5.2.3.
    Mix,
    /// The mix in several sessions at once.
    Sessions,
}

const ROWS: [(Kind, &str, &str); 7] = [
    (Kind::NewOrder, "new_order", "New-Order, 5 to 15 lines, one in a hundred rolled back"),
    (Kind::Payment, "payment", "Payment, six in ten by last name"),
    (Kind::OrderStatus, "order_status", "Order-Status, six in ten by last name"),
    (Kind::Delivery, "delivery", "Delivery, ten districts"),
    (Kind::StockLevel, "stock_level", "Stock-Level, the last 20 orders"),
    (Kind::Mix, "mix", "the mix of the five, one session"),
    (Kind::Sessions, "mix_sessions", "the mix, 4 sessions at once"),
];

/// The suite.
pub struct Tpcc;

impl Suite for Tpcc {
    fn about(&self) -> About {
        About::of_calls("tpcc", CALLS)
    }

    fn title(&self, settings: &Settings) -> String {
        format!("tpcc: order entry as procedures, in process, in memory, {} items (microseconds a call)", settings.rows)
    }

    fn rows(&self, _: &Settings) -> Vec<Row> {
        let row = |(_, key, title): &(Kind, &'static str, &str)| Row {
            key,
            title: (*title).to_owned(),
            text: key.replace("mix_sessions", "mix"),
            ..Row::default()
        };
        ROWS.iter().map(row).collect()
    }

    fn start(&self, settings: &Settings, _: &[usize]) -> Result<Bench> {
        let size =
            Size { items: settings.rows.max(100) as i64, customers: (settings.rows * 3 / 100).clamp(30, 3_000) as i64 };
        let instance = Instance::new(Database::in_memory()?, "bench");
        let mut session = instance.session();
        let mut client = Client::default();
        for script in PROCEDURES.split("\nGO\n").chain(SCHEMA.split("\nGO\n")) {
            session.batch(script, &mut client);
        }
        session.batch(&format!("EXEC load_all {}, {}", size.items, size.customers), &mut client);
        if let Some(error) = client.error {
            return Err(Error::new(Code::Internal, error));
        }
        let subject = Box::new(Subject { instance, session, size, seed: 20_240_229, calls: CALLS });
        Ok(Bench { subject, peers: Vec::new(), absent: Vec::new(), facts: Vec::new() })
    }
}

/// How much there is.
#[derive(Clone, Copy)]
struct Size {
    items: i64,
    customers: i64,
}

struct Subject {
    instance: Instance,
    session: Session,
    size: Size,
    seed: u64,
    /// Of one run.
    calls: usize,
}

impl Subject {
    /// A call of each transaction that a run makes.
    fn calls(&mut self, kind: Kind) -> Vec<Call> {
        self.seed += 1;
        let mut terminal = Terminal { state: self.seed, size: self.size };
        (0..self.calls).map(|number| terminal.call(kind, number)).collect()
    }

    fn run(&mut self, kind: Kind) -> std::result::Result<Duration, Judgement> {
        if kind == Kind::Sessions {
            return self.run_sessions();
        }
        let mut client = Client::default();
        if kind == Kind::Delivery {
            self.order(&mut client);
        }
        let calls = self.calls(kind);
        let begin = Instant::now();
        calls.iter().for_each(|call| self.session.call(call, &mut client));
        let time = begin.elapsed();
        client.error.map_or(Ok(time), |error| Err(Judgement::Failed(error)))
    }

    /// New orders, as many as a run of Delivery delivers: a call delivers one of each district.
    fn order(&mut self, client: &mut Client) {
        self.seed += 1;
        let mut terminal = Terminal { state: self.seed, size: self.size };
        for district in (0..self.calls).flat_map(|_| 1..=DISTRICTS) {
            self.session.call(&terminal.new_order(district, false), client);
        }
    }

    /// The calls of a run in several sessions; one that is a deadlock's victim is made again, as the error asks.
    fn run_sessions(&mut self) -> std::result::Result<Duration, Judgement> {
        let calls = self.calls(Kind::Mix);
        let parts: Vec<(Session, &[Call])> =
            calls.chunks(calls.len().div_ceil(SESSIONS)).map(|part| (self.instance.session(), part)).collect();
        let begin = Instant::now();
        let failed = std::thread::scope(|scope| {
            let run = |(mut session, part): (Session, &[Call])| {
                part.iter().find_map(|call| {
                    loop {
                        let mut client = Client::default();
                        session.call(call, &mut client);
                        match client.error {
                            Some(error) if error.contains("deadlock victim") => {}
                            outcome => return outcome,
                        }
                    }
                })
            };
            let running: Vec<_> = parts.into_iter().map(|part| scope.spawn(move || run(part))).collect();
            let ended =
                running.into_iter().map(|it| it.join().unwrap_or_else(|_| Some("a session panicked".to_owned())));
            ended.collect::<Vec<_>>()
        });
        let time = begin.elapsed();
        failed.into_iter().flatten().next().map_or(Ok(time), |error| Err(Judgement::Failed(error)))
    }

    /// Checks the consistency conditions of the benchmark.
    fn check(&mut self) -> std::result::Result<(), Judgement> {
        let mut client = Client { keeps: true, ..Client::default() };
        self.session.batch("EXEC inconsistencies", &mut client);
        match client.error {
            Some(error) => Err(Judgement::Failed(error)),
            None if client.rows.is_empty() => Ok(()),
            None => Err(Judgement::Wrong(format!("consistency conditions and where: {}", client.rows))),
        }
    }

    fn measure_row(&mut self, kind: Kind, repeats: usize) -> std::result::Result<Vec<Duration>, Judgement> {
        self.run(kind)?;
        let mut times = Vec::new();
        while wants_another(&times, repeats) {
            times.push(self.run(kind)?);
        }
        self.check().map(|()| times)
    }
}

impl System for Subject {
    fn name(&self) -> &str {
        "Mainstay"
    }

    fn description(&self) -> String {
        let Size { items, customers } = self.size;
        format!(
            "Mainstay {}, in memory, one warehouse of {items} items and {customers} customers a district, {CALLS} calls a run",
            env!("CARGO_PKG_VERSION")
        )
    }

    fn measure(&mut self, row: usize, repeats: usize) -> Option<Measured> {
        let (kind, ..) = ROWS.get(row)?;
        Some(match self.measure_row(*kind, repeats) {
            Ok(times) => Measured { first: None, again: Statistics::of(&times), judgement: Judgement::Right },
            Err(judgement) => Measured { first: None, again: None, judgement },
        })
    }
}

/// Draws the arguments of calls.
struct Terminal {
    state: u64,
    size: Size,
}

impl Terminal {
    /// A number from `low` to `high` (splitmix64).
    fn draw(&mut self, low: i64, high: i64) -> i64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        low + ((mixed ^ (mixed >> 31)) % (high - low + 1).unsigned_abs()) as i64
    }

    /// A customer by number, or by last name in six cases of ten.
    fn customer(&mut self) -> [Parameter; 2] {
        let customer = self.draw(1, self.size.customers);
        let by_name = self.draw(1, 10) <= 6;
        let number = (customer - 1).rem_euclid(1000) as usize;
        let name = [number / 100, number / 10, number].map(|place| SYLLABLES[place % 10]).concat();
        [
            parameter(DataType::Int, if by_name { Value::Null } else { Value::Integer(customer) }),
            parameter(DataType::varchar(Length::Limited(16)), if by_name { Value::Text(name) } else { Value::Null }),
        ]
    }

    fn new_order(&mut self, district: i64, fails: bool) -> Call {
        let (customer, lines) = (self.draw(1, self.size.customers), self.draw(5, 15));
        let seed = parameter(DataType::BigInt, Value::Integer(self.draw(1, 2_147_483_647)));
        let fails = parameter(DataType::Bit, Value::Boolean(fails));
        let items = self.size.items;
        call("new_order", vec![int(1), int(district), int(customer), int(lines), int(items), seed, fails])
    }

    fn call(&mut self, kind: Kind, number: usize) -> Call {
        let number_of_district = self.draw(1, DISTRICTS);
        let district = int(number_of_district);
        match kind {
            Kind::NewOrder => self.new_order(number_of_district, number % 100 == 99),
            Kind::Payment => {
                let [customer, name] = self.customer();
                let amount = mainstay_types::Decimal::new(i128::from(self.draw(100, 500_000)), 2);
                let amount = parameter(DataType::Decimal { precision: 6, scale: 2 }, Value::Decimal(amount));
                call("payment", vec![int(1), district, customer, name, amount])
            }
            Kind::OrderStatus => {
                let [customer, name] = self.customer();
                call("order_status", vec![int(1), district, customer, name])
            }
            Kind::Delivery => call("delivery", vec![int(1), int(self.draw(1, 10))]),
            Kind::StockLevel => call("stock_level", vec![int(1), district, int(self.draw(10, 20))]),
            Kind::Mix | Kind::Sessions => {
                let kind = match self.draw(1, 100) {
                    1..=45 => Kind::NewOrder,
                    46..=88 => Kind::Payment,
                    89..=92 => Kind::OrderStatus,
                    93..=96 => Kind::Delivery,
                    _ => Kind::StockLevel,
                };
                self.call(kind, number)
            }
        }
    }
}

fn int(value: i64) -> Parameter {
    parameter(DataType::Int, Value::Integer(value))
}

fn parameter(data_type: DataType, value: Value) -> Parameter {
    let value = ParameterValue::Single(value);
    Parameter { name: String::new(), output: false, default: false, declared: data_type.declared(), value }
}

fn call(procedure: &str, parameters: Vec<Parameter>) -> Call {
    Call { procedure: procedure.to_owned(), parameters }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(calls: usize) -> Subject {
        let instance = Instance::new(Database::in_memory().unwrap(), "bench");
        let mut session = instance.session();
        let mut client = Client::default();
        PROCEDURES.split("\nGO\n").chain(SCHEMA.split("\nGO\n")).for_each(|script| session.batch(script, &mut client));
        session.batch("EXEC load_all 100, 30", &mut client);
        assert_eq!(client.error, None);
        Subject { instance, session, size: Size { items: 100, customers: 30 }, seed: 1, calls }
    }

    #[test]
    fn every_row_runs_and_leaves_the_database_consistent() {
        let mut subject = subject(12);
        for (kind, ..) in ROWS {
            assert!(subject.run(kind).is_ok_and(|time| !time.is_zero()), "{kind:?}");
            assert_eq!(subject.check(), Ok(()), "{kind:?}");
        }
    }

    #[test]
    fn a_run_of_delivery_delivers_an_order_of_each_district_a_call() {
        let mut subject = subject(12);
        let delivered = |subject: &mut Subject| {
            let mut client = Client { keeps: true, ..Client::default() };
            subject.session.batch("SELECT COUNT(*) FROM orders WHERE o_carrier_id IS NOT NULL", &mut client);
            client.rows.trim_end_matches(';').parse::<usize>().unwrap()
        };
        let before = delivered(&mut subject);
        for run in 1..=3 {
            subject.run(Kind::Delivery).unwrap();
            assert_eq!(delivered(&mut subject), before + run * 12 * DISTRICTS as usize);
        }
    }

    #[test]
    fn what_is_not_consistent_is_seen() {
        let mut subject = subject(1);
        let mut client = Client::default();
        subject.check().unwrap();
        for harm in [
            "UPDATE warehouse SET w_ytd = w_ytd + 0.01",
            "DELETE order_line WHERE ol_o_id = 1 AND ol_number = 1 AND ol_d_id = 4",
            "DELETE new_orders WHERE no_o_id = 28 AND no_d_id = 2",
        ] {
            subject.session.batch(&format!("BEGIN TRAN {harm}"), &mut client);
            assert!(matches!(subject.check(), Err(Judgement::Wrong(_))), "{harm}");
            subject.session.batch("ROLLBACK", &mut client);
        }
        subject.check().unwrap();
    }
}
