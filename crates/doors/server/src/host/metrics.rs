//! Counters, and their text form for Prometheus.

use std::fmt::Write;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Upper bounds of the classes of durations, in microseconds.
const BOUNDS_US: [u64; 9] = [100, 1_000, 5_000, 10_000, 50_000, 100_000, 1_000_000, 10_000_000, 60_000_000];

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// A batch of statements.
    Batch,
    /// A call of a procedure.
    Call,
    /// A step of a transaction.
    Transaction,
    /// A bulk load.
    Bulk,
    /// A group of messages about statements.
    Statement,
    /// Steps on a table.
    Steps,
    /// A request of HTTP.
    Http,
}

/// The number of kinds.
const KINDS: usize = 7;

impl RequestKind {
    /// Its name in the label `kind`.
    pub fn name(self) -> &'static str {
        match self {
            RequestKind::Batch => "batch",
            RequestKind::Call => "call",
            RequestKind::Transaction => "transaction",
            RequestKind::Bulk => "bulk",
            RequestKind::Statement => "statement",
            RequestKind::Steps => "steps",
            RequestKind::Http => "http",
        }
    }
}

/// The counters of a door.
#[derive(Debug)]
pub struct DoorMetrics {
    /// The door's name, in the label `door`.
    pub(crate) door: &'static str,
    kinds: &'static [RequestKind],
    pub(crate) connections: AtomicI64,
    pub(crate) sessions: AtomicI64,
    pub(crate) requests_running: AtomicI64,
    pub(crate) connections_total: AtomicU64,
    pub(crate) refused_total: AtomicU64,
    pub(crate) logins_failed_total: AtomicU64,
    pub(crate) errors_total: AtomicU64,
    pub(crate) rows_total: AtomicU64,
    pub(crate) received_bytes_total: AtomicU64,
    pub(crate) sent_bytes_total: AtomicU64,
    pub(crate) cancelled_total: AtomicU64,
    slow_total: AtomicU64,
    pub(crate) protocol_errors_total: AtomicU64,
    requests: [AtomicU64; KINDS],
    classes: [AtomicU64; BOUNDS_US.len()],
    duration_us: AtomicU64,
    durations: AtomicU64,
}

/// The counters of all doors.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    doors: Mutex<Vec<Arc<DoorMetrics>>>,
}

/// One more of something, until this is dropped.
pub(crate) struct OneMore<'a>(&'a AtomicI64);

impl<'a> OneMore<'a> {
    pub fn of(gauge: &'a AtomicI64) -> OneMore<'a> {
        gauge.fetch_add(1, Relaxed);
        OneMore(gauge)
    }
}

impl Drop for OneMore<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

impl DoorMetrics {
    pub(crate) fn new(door: &'static str, kinds: &'static [RequestKind]) -> DoorMetrics {
        DoorMetrics {
            door,
            kinds,
            connections: AtomicI64::default(),
            sessions: AtomicI64::default(),
            requests_running: AtomicI64::default(),
            connections_total: AtomicU64::default(),
            refused_total: AtomicU64::default(),
            logins_failed_total: AtomicU64::default(),
            errors_total: AtomicU64::default(),
            rows_total: AtomicU64::default(),
            received_bytes_total: AtomicU64::default(),
            sent_bytes_total: AtomicU64::default(),
            cancelled_total: AtomicU64::default(),
            slow_total: AtomicU64::default(),
            protocol_errors_total: AtomicU64::default(),
            requests: Default::default(),
            classes: Default::default(),
            duration_us: AtomicU64::default(),
            durations: AtomicU64::default(),
        }
    }

    /// Counts a request that has ended.
    pub(crate) fn request(&self, kind: RequestKind, took: Duration, is_slow: bool) {
        if let Some(counter) = self.requests.get(kind as usize) {
            counter.fetch_add(1, Relaxed);
        }
        self.slow_total.fetch_add(u64::from(is_slow), Relaxed);
        let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        for (class, _) in self.classes.iter().zip(BOUNDS_US).filter(|(_, bound)| us <= *bound) {
            class.fetch_add(1, Relaxed);
        }
        self.duration_us.fetch_add(us, Relaxed);
        self.durations.fetch_add(1, Relaxed);
    }

    /// The gauges: name, meaning, value.
    fn gauges(&self) -> [(&'static str, &'static str, &AtomicI64); 3] {
        [
            ("connections", "Open connections.", &self.connections),
            ("sessions", "Connections that have logged in.", &self.sessions),
            ("requests_running", "Running requests.", &self.requests_running),
        ]
    }

    /// The plain counters: name, meaning, value.
    fn counters(&self) -> [(&'static str, &'static str, &AtomicU64); 10] {
        [
            ("connections_total", "Accepted connections.", &self.connections_total),
            ("connections_refused_total", "Connections beyond the limits.", &self.refused_total),
            ("logins_failed_total", "Refused logins.", &self.logins_failed_total),
            ("errors_total", "Errors sent to clients.", &self.errors_total),
            ("rows_total", "Rows sent to clients.", &self.rows_total),
            ("received_bytes_total", "Bytes received.", &self.received_bytes_total),
            ("sent_bytes_total", "Bytes sent.", &self.sent_bytes_total),
            ("cancelled_requests_total", "Requests cancelled by their clients.", &self.cancelled_total),
            ("slow_requests_total", "Requests over slow_statement_ms.", &self.slow_total),
            (
                "protocol_errors_total",
                "Connections ended by messages that the protocol does not allow.",
                &self.protocol_errors_total,
            ),
        ]
    }
}

impl Metrics {
    fn doors(&self) -> MutexGuard<'_, Vec<Arc<DoorMetrics>>> {
        self.doors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the counters of a door.
    pub fn add(&self, door: DoorMetrics) -> Arc<DoorMetrics> {
        let door = Arc::new(door);
        self.doors().push(Arc::clone(&door));
        door
    }

    /// The text that Prometheus reads (exposition format 0.0.4): each family once, with a line for each door.
    pub fn text(&self) -> String {
        let doors = self.doors().clone();
        let mut out = Exposition::default();
        let Some(first) = doors.first() else { return out.0 };
        for (i, (name, help, _)) in first.gauges().into_iter().enumerate() {
            out.family(name, "gauge", help);
            for door in &doors {
                out.line(name, &door.label(), door.gauges().get(i).map_or(0, |(_, _, value)| value.load(Relaxed)));
            }
        }
        for (i, (name, help, _)) in first.counters().into_iter().enumerate() {
            out.family(name, "counter", help);
            for door in &doors {
                out.line(name, &door.label(), door.counters().get(i).map_or(0, |(_, _, value)| value.load(Relaxed)));
            }
        }
        out.family("requests_total", "counter", "Requests by kind.");
        for door in &doors {
            for kind in door.kinds {
                let label = format!("{},kind=\"{}\"", door.label(), kind.name());
                let count = door.requests.get(*kind as usize).map_or(0, |counter| counter.load(Relaxed));
                out.line("requests_total", &label, count);
            }
        }
        out.family("request_seconds", "histogram", "Durations of requests.");
        doors.iter().for_each(|door| out.durations(door));
        out.0
    }
}

impl DoorMetrics {
    fn label(&self) -> String {
        format!("door=\"{}\"", self.door)
    }
}

/// Text in Prometheus' format.
#[derive(Default)]
struct Exposition(String);

impl Exposition {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP mainstay_{name} {help}\n# TYPE mainstay_{name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.0, "mainstay_{name}{{{labels}}} {value}");
    }

    fn durations(&mut self, door: &DoorMetrics) {
        let label = door.label();
        let (count, sum) = (door.durations.load(Relaxed), door.duration_us.load(Relaxed) as f64 / 1e6);
        for (class, bound) in door.classes.iter().zip(BOUNDS_US) {
            let labels = format!("{label},le=\"{}\"", bound as f64 / 1e6);
            self.line("request_seconds_bucket", &labels, class.load(Relaxed));
        }
        self.line("request_seconds_bucket", &format!("{label},le=\"+Inf\""), count);
        self.line("request_seconds_sum", &label, sum);
        self.line("request_seconds_count", &label, count);
    }
}

/// The reference page of the metrics, made from the text of `/metrics`.
pub fn metrics_page() -> String {
    let mut page = String::from(
        "# Metrics of the server\n\n<!-- Written from crates/doors/server/src/host/metrics.rs by its tests; do not edit. -->\n\n\
         `GET /metrics` on the address of `http` in `mainstay.toml`, in the text form of Prometheus. `GET /health` answers\n\
         200 while the server takes connections, 503 while it stops.\n\nEach metric has the label `door` with the name of the door: `tds`, `navigator`, `sqli` or `console`.\n\n| metric | kind | meaning |\n|---|---|---|\n",
    );
    let metrics = Metrics::default();
    metrics.add(DoorMetrics::new("tds", &[RequestKind::Batch]));
    let text = metrics.text();
    let kind = |name: &str| {
        let start = format!("# TYPE {name} ");
        text.lines().find_map(|line| line.strip_prefix(start.as_str())).unwrap_or_default()
    };
    for (name, help) in text.lines().filter_map(|line| line.strip_prefix("# HELP ")?.split_once(' ')) {
        page.push_str(&format!("| `{name}` | {} | {help} |\n", kind(name)));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_in_all_classes_that_contain_it() {
        let metrics = Metrics::default();
        let tds = metrics.add(DoorMetrics::new("tds", &[RequestKind::Batch, RequestKind::Call]));
        metrics.add(DoorMetrics::new("echo", &[RequestKind::Statement]));
        tds.request(RequestKind::Call, Duration::from_millis(7), false);
        tds.request(RequestKind::Batch, Duration::from_secs(100), true);
        let text = metrics.text();
        for line in [
            "mainstay_request_seconds_bucket{door=\"tds\",le=\"0.005\"} 0",
            "mainstay_request_seconds_bucket{door=\"tds\",le=\"0.01\"} 1",
            "mainstay_request_seconds_bucket{door=\"tds\",le=\"60\"} 1",
            "mainstay_request_seconds_bucket{door=\"tds\",le=\"+Inf\"} 2",
            "mainstay_request_seconds_sum{door=\"tds\"} 100.007",
            "mainstay_request_seconds_count{door=\"echo\"} 0",
            "mainstay_requests_total{door=\"tds\",kind=\"call\"} 1",
            "mainstay_requests_total{door=\"echo\",kind=\"statement\"} 0",
            "mainstay_slow_requests_total{door=\"tds\"} 1",
            "mainstay_connections{door=\"tds\"} 0",
        ] {
            assert!(text.lines().any(|written| written == line), "{line}\n{text}");
        }
        let families = text.lines().filter(|line| line.starts_with("# TYPE mainstay_connections ")).count();
        assert_eq!(families, 1, "{text}");
    }
}
