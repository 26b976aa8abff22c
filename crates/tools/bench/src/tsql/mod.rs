//! The tsql suite: procedures called in process, microseconds a call.
//!
//! The procedures are those of the published page, written anew. Each is called with typed parameters, as by a driver's
//! RPC; its rows go to a client that reads every value, and the answer of a call outside of the clock is compared with
//! the expected one. PostgreSQL does the same in PL/pgSQL where it is installed; the published figures and those of aul were
//! measured before. The allocations of a warm call are counted in a separate run and reported below the table.

pub(crate) mod disk;
mod postgres;
pub(crate) mod procedures;
mod sqlite;

use crate::allocations::counted;
use crate::calibration::Calibration;
use crate::statistics::{Statistics, wants_another};
use crate::suite::{About, Bench, Judgement, Measured, Reference, Row, Settings, Suite, System, Unit};
use mainstay_engine::Database;
use mainstay_session::push::{Call, Column, Done, Environment, Message, Parameter, ParameterValue, Sink, Stop};
use mainstay_tsql_runtime::{Instance, Session};
use mainstay_tsql_types::DataType;
use mainstay_types::{Result, Value, ValueRef};
use postgres::Postgres;
use procedures::{Procedure, SETUP, TURNS, VM, called};
use std::time::{Duration, Instant};

/// Calls of one run.
const CALLS: usize = 1_000;

/// A turn of the loop of the row about the machine is a comparison with a jump, and two additions.
const OPERATION: Unit = Unit { symbol: "ns", per_second: 1e9, work: (CALLS * 3 * TURNS) as f64, rate: false };

/// The suite.
pub struct Tsql;

impl Suite for Tsql {
    fn about(&self) -> About {
        About::of_calls("tsql", CALLS)
    }

    fn title(&self, _: &Settings) -> String {
        "tsql: procedures called in process, in memory (microseconds a call)".to_owned()
    }

    fn rows(&self, _: &Settings) -> Vec<Row> {
        called().map(row_of).collect()
    }

    fn start(&self, settings: &Settings, _: &[usize]) -> Result<Bench> {
        let (mut peers, mut absent): (Vec<Box<dyn System>>, _) = (Vec::new(), Vec::new());
        if settings.peers {
            match Postgres::start() {
                Ok(postgres) => peers.push(Box::new(postgres)),
                Err(reason) => absent.push(("PostgreSQL".to_owned(), reason)),
            }
        }
        let instance = Instance::new(Database::in_memory()?, "bench");
        let where_it_is = "in memory".to_owned();
        let subject = Box::new(Subject { session: ready(&instance)?, where_it_is, allocated: Vec::new() });
        Ok(Bench { subject, peers, absent, facts: Vec::new() })
    }
}

/// The row of a procedure before it is measured.
fn row_of(procedure: &Procedure) -> Row {
    let figure = |(value, remark)| (value > 0.0).then_some(Reference { value, remark });
    Row {
        key: procedure.key,
        title: procedure.title.to_owned(),
        text: procedure.text.to_owned(),
        published: figure((procedure.published, "")),
        replaced: figure(procedure.aul),
        floor: (procedure.floor > 0.0).then_some(procedure.floor),
        target_again: Some(procedure.target),
        calibration: Some(Calibration::Loop),
        unit: (procedure.key == VM.key).then_some(OPERATION),
        ..Row::default()
    }
}

/// A session with the tables and all procedures.
fn ready(instance: &Instance) -> Result<Session> {
    let mut session = instance.session();
    let mut client = Client::default();
    let scripts = SETUP.iter().copied().chain(called().flat_map(|procedure| procedure.scripts()));
    for script in scripts {
        session.batch(script, &mut client);
    }
    match client.error {
        Some(error) => Err(mainstay_types::Error::new(mainstay_types::Code::Internal, error)),
        None => Ok(session),
    }
}

struct Subject {
    session: Session,
    /// Where the tables are, for the notes.
    where_it_is: String,
    /// The allocations of a call of each measured row, as text.
    allocated: Vec<(String, String)>,
}

impl Subject {
    fn check(&mut self, procedure: &Procedure) -> std::result::Result<(), Judgement> {
        let mut client = Client { keeps: true, ..Client::default() };
        self.session.call(&call(procedure), &mut client);
        match client.error {
            Some(error) => Err(Judgement::Failed(error)),
            None if client.rows == procedure.answer => Ok(()),
            None => Err(Judgement::Wrong(format!("{:?} and not {:?}", client.rows, procedure.answer))),
        }
    }

    fn measure_row(&mut self, procedure: &Procedure, repeats: usize) -> std::result::Result<Vec<Duration>, Judgement> {
        self.session.batch(procedure.before, &mut Client::default());
        self.check(procedure)?;
        let call = call(procedure);
        let mut client = Client::default();
        let mut times = Vec::new();
        let mut warm = false;
        while wants_another(&times, repeats) {
            self.session.batch(procedure.before, &mut client);
            let begin = Instant::now();
            for _ in 0..CALLS {
                self.session.call(&call, &mut client);
            }
            let time = begin.elapsed();
            if std::mem::replace(&mut warm, true) {
                times.push(time);
            }
        }
        self.session.batch(procedure.before, &mut client);
        let allocated = counted(|| (0..CALLS).for_each(|_| self.session.call(&call, &mut client)));
        let a_call = |number: u64| (number as f64 / CALLS as f64 * 10.0).round() / 10.0;
        let told = format!("{}, {} bytes", a_call(allocated.count), a_call(allocated.bytes));
        self.allocated.push((format!("Allocations a call, {}", procedure.key), told));
        self.session.batch(procedure.before, &mut client);
        self.check(procedure)?;
        match client.error {
            Some(error) => Err(Judgement::Failed(error)),
            None => Ok(times),
        }
    }
}

impl System for Subject {
    fn name(&self) -> &str {
        "Mainstay"
    }

    fn description(&self) -> String {
        let place = &self.where_it_is;
        format!("Mainstay {}, {place}, one session on one thread, {CALLS} calls a run", env!("CARGO_PKG_VERSION"))
    }

    fn facts(&self) -> Vec<(String, String)> {
        self.allocated.clone()
    }

    fn measure(&mut self, row: usize, repeats: usize) -> Option<Measured> {
        let procedure = called().nth(row)?;
        Some(measured(self.measure_row(procedure, repeats)))
    }
}

/// The result of a row.
fn measured(times: std::result::Result<Vec<Duration>, Judgement>) -> Measured {
    match times {
        Ok(times) => Measured { first: None, again: Statistics::of(&times), judgement: Judgement::Right },
        Err(judgement) => Measured { first: None, again: None, judgement },
    }
}

/// The call of a procedure, as a driver makes it.
pub(crate) fn call(procedure: &Procedure) -> Call {
    let parameter = |(data_type, value): &(DataType, Value)| Parameter {
        name: String::new(),
        output: false,
        default: false,
        declared: data_type.declared(),
        value: ParameterValue::Single(value.clone()),
    };
    let parameters = (procedure.arguments)().iter().map(parameter).collect();
    Call { procedure: procedure.name.to_owned(), parameters }
}

/// A client that looks at every value, and keeps them as text when it is asked to.
#[derive(Default)]
pub(crate) struct Client {
    pub(crate) keeps: bool,
    pub(crate) rows: String,
    pub(crate) seen: usize,
    pub(crate) error: Option<String>,
}

impl Sink for Client {
    fn columns(&mut self, _: &[Column]) -> std::result::Result<(), Stop> {
        Ok(())
    }

    fn order(&mut self, _: &[u16]) {}

    fn row(&mut self, values: &[ValueRef<'_>]) -> std::result::Result<(), Stop> {
        self.seen += values.iter().filter(|value| !value.is_null()).count();
        if self.keeps {
            let cells: Vec<String> = values.iter().map(ToString::to_string).collect();
            self.rows.push_str(&cells.join(","));
            self.rows.push(';');
        }
        Ok(())
    }

    fn done(&mut self, _: Done) {}

    fn message(&mut self, message: &Message) {
        if message.is_error() {
            self.error.get_or_insert_with(|| message.to_string());
        }
    }

    fn return_status(&mut self, _: i32) {}

    fn return_value(&mut self, _: u16, _: &Column, _: ValueRef<'_>) -> std::result::Result<(), Stop> {
        Ok(())
    }

    fn flush(&mut self) {}

    fn environment(&mut self, _: &Environment) {}
}
