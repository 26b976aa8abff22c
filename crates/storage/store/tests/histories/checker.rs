//! The anomalies of a history.
//!
//! | anomaly | what it is here |
//! |---|---|
//! | garbage | a read shows a value that no transaction appended, or one twice |
//! | own | a transaction does not find its own appends, in order, at the end of what it reads |
//! | order | two reads of a key of which neither is a beginning of the other |
//! | lost | a committed append that is not there in the end |
//! | stale | a read that misses what had been acknowledged before its transaction began |
//! | G1a | a committed transaction read what was rolled back |
//! | G1b | it read what another transaction had appended to go on appending |
//! | G0 | a cycle of ww dependencies |
//! | G1c | a cycle of ww and wr dependencies |
//! | G-single | a cycle with exactly one rw dependency |
//! | G2 | a cycle with more than one |
//!
//! The version order of a key is the longest list of it. Between two writers of neighbouring values there is a ww
//! dependency, from the writer of the last value of a list to its reader a wr, and from a reader to the writer of the
//! next value a rw dependency. Time is a dependency too: a transaction that began after another had ended comes after
//! it. So the levels are checked in their strong form, in which a view includes every commit acknowledged before it, in
//! any session. A chain of nodes stands for time, one for each end, so that there are as many edges as transactions and
//! not their square.
//!
//! Limits: a cycle is reported once for each component or rw dependency, not all cycles; deleted rows are not part of
//! it (a key that has no row yet is).

use crate::graph::Dependency::{ReadWrite, Time, WriteRead, WriteWrite};
use crate::graph::{Dependency, Edge, Graph};
use crate::history::{History, Operation, Recorded};
use mainstay_store::Isolation;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A kind of anomaly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Anomaly {
    Garbage,
    Own,
    Order,
    Lost,
    Stale,
    G1a,
    G1b,
    G0,
    G1c,
    GSingle,
    G2,
}

/// An anomaly that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its kind.
    pub anomaly: Anomaly,
    /// The transactions that show it.
    pub witness: String,
}

/// Returns true if a level forbids an anomaly. Repeatable read of this store is snapshot isolation, which allows write
/// skew.
pub fn forbids(level: Isolation, anomaly: Anomaly) -> bool {
    match anomaly {
        Anomaly::GSingle => level != Isolation::ReadCommitted,
        Anomaly::G2 => level == Isolation::Serializable,
        _ => true,
    }
}

/// All anomalies of a history, by kind.
pub fn check(history: &History) -> Vec<Found> {
    let mut checker = Checker::new(history);
    checker.check_reads();
    checker.check_last();
    let graph = checker.graph();
    checker.check_cycles(&graph);
    checker.found.sort_by_key(|found| found.anomaly);
    checker.found
}

/// The writer of a value: the transaction, its outcome, and the rank of the value in it.
#[derive(Clone, Copy)]
struct Writer {
    transaction: usize,
    is_committed: bool,
    /// True if it is the last value that the transaction appended to the key.
    is_final: bool,
}

struct Checker<'h> {
    history: &'h History,
    writers: HashMap<(&'h str, u64), Writer>,
    /// The longest list of each key.
    orders: BTreeMap<&'h str, &'h [u64]>,
    found: Vec<Found>,
}

impl<'h> Checker<'h> {
    fn new(history: &'h History) -> Checker<'h> {
        let mut checker = Checker { history, writers: HashMap::new(), orders: BTreeMap::new(), found: Vec::new() };
        for (number, transaction) in history.transactions.iter().enumerate() {
            let mut last: HashMap<&str, u64> = HashMap::new();
            for operation in &transaction.operations {
                let (key, value, is_committed) = match operation {
                    Operation::Append { key, value } => (key.as_str(), *value, transaction.is_committed),
                    Operation::Undone { key, value } => (key.as_str(), *value, false),
                    Operation::Read { .. } => continue,
                };
                let writer = Writer { transaction: number, is_committed, is_final: false };
                let before = checker.writers.insert((key, value), writer);
                assert!(before.is_none(), "{value} is appended to {key} twice: the history cannot be checked");
                if is_committed {
                    last.insert(key, value);
                }
            }
            for written in last {
                checker.writers.entry(written).and_modify(|writer| writer.is_final = true);
            }
        }
        let last = history.last.iter().map(|(key, list)| (key.as_str(), list.as_slice()));
        for (key, list) in checker.reads().map(|(_, key, list)| (key, list)).chain(last).collect::<Vec<_>>() {
            let order = checker.orders.entry(key).or_default();
            if list.len() > order.len() {
                *order = list;
            }
        }
        checker
    }

    /// The reads of committed transactions: the transaction, the key and the list.
    fn reads(&self) -> impl Iterator<Item = (usize, &'h str, &'h [u64])> + use<'h> {
        let committed =
            self.history.transactions.iter().enumerate().filter(|(_, transaction)| transaction.is_committed);
        committed.flat_map(|(number, transaction)| {
            transaction.operations.iter().filter_map(move |operation| match operation {
                Operation::Read { key, list } => Some((number, key.as_str(), list.as_slice())),
                _ => None,
            })
        })
    }

    fn tell(&mut self, anomaly: Anomaly, what: String, transactions: &[usize]) {
        let mut witness = what;
        let mut told = HashSet::new();
        for number in transactions.iter().filter(|number| told.insert(**number)) {
            witness.push_str(&format!("\n    T{number} {}", self.history.transactions[*number]));
        }
        self.found.push(Found { anomaly, witness });
    }

    /// Checks single reads.
    fn check_reads(&mut self) {
        for (reader, key, list) in self.reads().collect::<Vec<_>>() {
            let mut seen = HashSet::new();
            if let Some(value) = list.iter().find(|value| !seen.insert(**value)) {
                self.tell(Anomaly::Garbage, format!("{key} has {value} twice"), &[reader]);
            }
            for value in list {
                match self.writers.get(&(key, *value)).copied() {
                    None => self.tell(Anomaly::Garbage, format!("nobody appended {value} to {key}"), &[reader]),
                    Some(writer) if !writer.is_committed && writer.transaction != reader => {
                        self.tell(
                            Anomaly::G1a,
                            format!("{key}+{value} was rolled back"),
                            &[reader, writer.transaction],
                        );
                    }
                    Some(_) => {}
                }
            }
            let last = list.last().and_then(|value| self.writers.get(&(key, *value)).copied());
            if let Some(writer) = last.filter(|writer| writer.is_committed && !writer.is_final)
                && writer.transaction != reader
            {
                self.tell(Anomaly::G1b, format!("{key} was not finished"), &[reader, writer.transaction]);
            }
            if !self.orders[key].starts_with(list) {
                let what = format!("{key}:{list:?} is no beginning of {:?}", self.orders[key]);
                self.tell(Anomaly::Order, what, &[reader]);
            }
        }
        for (number, transaction) in self.history.transactions.iter().enumerate() {
            if let Some(what) = own_missing(transaction) {
                self.tell(Anomaly::Own, what, &[number]);
            }
        }
    }

    /// Checks the final state.
    fn check_last(&mut self) {
        for (key, list) in &self.history.last {
            if !self.orders[key.as_str()].starts_with(list) {
                let what = format!("{key}:{list:?} in the end is no beginning of {:?}", self.orders[key.as_str()]);
                self.tell(Anomaly::Order, what, &[]);
            }
        }
        let mut writers: Vec<((&str, u64), Writer)> = self.writers.iter().map(|(what, who)| (*what, *who)).collect();
        writers.sort_by_key(|(what, _)| *what);
        for ((key, value), writer) in writers {
            let is_there = self.history.last.get(key).is_some_and(|list| list.contains(&value));
            if writer.is_committed && !is_there {
                self.tell(Anomaly::Lost, format!("{key}+{value} is lost"), &[writer.transaction]);
            } else if !writer.is_committed && is_there {
                self.tell(Anomaly::G1a, format!("{key}+{value} was rolled back, and is there"), &[writer.transaction]);
            }
        }
    }

    /// The dependencies between committed transactions; the nodes behind them are points in time.
    fn graph(&mut self) -> Graph {
        let mut graph = Graph::new(self.history.transactions.len());
        let keys: HashMap<&str, usize> = self.orders.keys().enumerate().map(|(number, key)| (*key, number)).collect();
        let writer = |key: &'h str, value: u64| self.writers.get(&(key, value)).filter(|writer| writer.is_committed);
        for (key, order) in &self.orders {
            for pair in order.windows(2) {
                if let (Some(first), Some(second)) = (writer(key, pair[0]), writer(key, pair[1])) {
                    let edge = Edge { to: second.transaction, kind: WriteWrite, key: keys[key] };
                    graph.add(first.transaction, edge);
                }
            }
        }
        let mut stale = Vec::new();
        for (reader, key, list) in self.reads().filter(|(_, key, list)| self.orders[key].starts_with(list)) {
            if let Some(last) = list.last().and_then(|value| writer(key, *value)) {
                graph.add(last.transaction, Edge { to: reader, kind: WriteRead, key: keys[key] });
            }
            if let Some(next) = self.orders[key].get(list.len()).and_then(|value| writer(key, *value)) {
                graph.add(reader, Edge { to: next.transaction, kind: ReadWrite, key: keys[key] });
                if self.history.transactions[next.transaction].ended < self.history.transactions[reader].began {
                    stale.push((key, reader, next.transaction));
                }
            }
        }
        for (key, reader, next) in stale {
            self.tell(Anomaly::Stale, format!("{key} was appended to before"), &[reader, next]);
        }
        add_time(&mut graph, &self.history.transactions);
        graph
    }

    fn check_cycles(&mut self, graph: &Graph) {
        self.cycles_of(graph, &[WriteWrite, Time], WriteWrite, Anomaly::G0);
        self.cycles_of(graph, &[WriteWrite, WriteRead, Time], WriteRead, Anomaly::G1c);
        // A way back from the end of a rw dependency to its start without another one makes a G-single. Where there is no
        // cycle without rw dependencies, the numbers of components order the nodes, which bounds the search.
        let kinds = [WriteWrite, WriteRead, Time];
        let component = graph.components(&kinds);
        let mut single = HashSet::new();
        for from in 0..self.history.transactions.len() {
            for edge in graph.from(from).iter().filter(|edge| edge.kind == ReadWrite) {
                let is_between = |node: usize| component[node] >= component[from];
                if let Some(way) = is_between(edge.to).then(|| graph.way(edge.to, from, &kinds, is_between)).flatten() {
                    let cycle: Vec<(usize, Edge)> = [(from, *edge)].into_iter().chain(way).collect();
                    single.extend(cycle.iter().map(|(node, _)| *node));
                    self.tell_cycle(Anomaly::GSingle, &cycle);
                }
            }
        }
        // Components that hold together by several rw dependencies only.
        let all = [WriteWrite, WriteRead, ReadWrite, Time];
        let component = graph.components(&all);
        for members in members(&component).into_values().filter(|members| members.len() > 1) {
            let is_told = members.iter().any(|node| single.contains(node));
            let inside = |node: usize| component[node] == component[members[0]];
            let start = members
                .iter()
                .copied()
                .find(|node| graph.from(*node).iter().any(|edge| edge.kind == ReadWrite && inside(edge.to)));
            if let Some(cycle) = start.filter(|_| !is_told).and_then(|start| graph.way(start, start, &all, inside)) {
                self.tell_cycle(Anomaly::G2, &cycle);
            }
        }
    }

    /// Tells a cycle for each component over edges of these kinds that one of kind `with` is in.
    fn cycles_of(&mut self, graph: &Graph, kinds: &[Dependency], with: Dependency, anomaly: Anomaly) {
        let component = graph.components(kinds);
        for members in members(&component).into_values().filter(|members| members.len() > 1) {
            let inside = |node: usize| component[node] == component[members[0]];
            let found = members.iter().copied().find_map(|node| {
                let edge = *graph.from(node).iter().find(|edge| edge.kind == with && inside(edge.to))?;
                Some((node, edge, graph.way(edge.to, node, kinds, inside)?))
            });
            if let Some((node, edge, way)) = found {
                self.tell_cycle(anomaly, &[(node, edge)].into_iter().chain(way).collect::<Vec<_>>());
            }
        }
    }

    fn tell_cycle(&mut self, anomaly: Anomaly, cycle: &[(usize, Edge)]) {
        let transactions = self.history.transactions.len();
        let keys: Vec<&str> = self.orders.keys().copied().collect();
        let mut text = String::new();
        for (node, edge) in cycle.iter().filter(|(node, _)| *node < transactions) {
            let why = match edge.kind {
                WriteWrite => format!("ww {}", keys[edge.key]),
                WriteRead => format!("wr {}", keys[edge.key]),
                ReadWrite => format!("rw {}", keys[edge.key]),
                Time => "ended before".to_owned(),
            };
            text.push_str(&format!("T{node} -{why}-> "));
        }
        let nodes: Vec<usize> = cycle.iter().map(|(node, _)| *node).filter(|node| *node < transactions).collect();
        text.push_str(&format!("T{}", nodes.first().copied().unwrap_or_default()));
        self.tell(anomaly, text, &nodes);
    }
}

/// The nodes of each component.
fn members(component: &[usize]) -> BTreeMap<usize, Vec<usize>> {
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    component.iter().enumerate().for_each(|(node, number)| members.entry(*number).or_default().push(node));
    members
}

/// The first read that lacks the transaction's own appends: no other transaction appends behind them before it ends.
fn own_missing(transaction: &Recorded) -> Option<String> {
    let mut own: HashMap<&str, Vec<u64>> = HashMap::new();
    for operation in &transaction.operations {
        match operation {
            Operation::Append { key, value } => own.entry(key).or_default().push(*value),
            Operation::Undone { .. } => {}
            Operation::Read { key, list } => {
                let appended = own.get(key.as_str()).map_or(&[][..], Vec::as_slice);
                if !list.ends_with(appended) {
                    return Some(format!("{key}:{list:?} does not end with its own {appended:?}"));
                }
                let undone = transaction.operations.iter().find_map(|other| match other {
                    Operation::Undone { key: of, value } if of == key && list.contains(value) => Some(*value),
                    _ => None,
                });
                if let Some(value) = undone {
                    return Some(format!("{key}:{list:?} has {value}, which was taken back"));
                }
            }
        }
    }
    None
}

/// Adds a node for the end of every committed transaction; they follow each other in time, and lead to what began later.
fn add_time(graph: &mut Graph, transactions: &[Recorded]) {
    let edge = |to: usize| Edge { to, kind: Time, key: 0 };
    let committed = || transactions.iter().enumerate().filter(|(_, transaction)| transaction.is_committed);
    let mut ends: Vec<(u64, usize)> = committed().map(|(number, transaction)| (transaction.ended, number)).collect();
    ends.sort_unstable();
    let moments: Vec<(u64, usize)> = ends.iter().map(|(ended, _)| (*ended, graph.add_node())).collect();
    for ((_, number), (_, moment)) in ends.iter().zip(&moments) {
        graph.add(*number, edge(*moment));
    }
    moments.windows(2).for_each(|pair| graph.add(pair[0].1, edge(pair[1].1)));
    for (number, transaction) in committed() {
        let before = moments.partition_point(|(ended, _)| *ended < transaction.began);
        if let Some((_, moment)) = before.checked_sub(1).and_then(|before| moments.get(before)) {
            graph.add(*moment, edge(number));
        }
    }
}
