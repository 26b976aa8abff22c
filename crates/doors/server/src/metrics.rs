//! Counters, and their text form for Prometheus.

use std::fmt::Write;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Upper bounds of the classes of durations, in microseconds.
const BOUNDS_US: [u64; 9] = [100, 1_000, 5_000, 10_000, 50_000, 100_000, 1_000_000, 10_000_000, 60_000_000];

/// What a request was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestKind {
    Batch,
    Call,
    Transaction,
    Bulk,
}

impl RequestKind {
    const ALL: [RequestKind; 4] = [RequestKind::Batch, RequestKind::Call, RequestKind::Transaction, RequestKind::Bulk];

    pub fn name(self) -> &'static str {
        match self {
            RequestKind::Batch => "batch",
            RequestKind::Call => "call",
            RequestKind::Transaction => "transaction",
            RequestKind::Bulk => "bulk",
        }
    }
}

/// The counters of a listener beside the one for SQL Server's clients.
#[derive(Debug, Default)]
pub(crate) struct DoorMetrics {
    pub sessions: AtomicI64,
    pub connections_total: AtomicU64,
    pub refused_total: AtomicU64,
    pub logins_failed_total: AtomicU64,
    pub requests_total: AtomicU64,
    pub slow_total: AtomicU64,
    pub received_bytes_total: AtomicU64,
    pub sent_bytes_total: AtomicU64,
}

/// The server's counters.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    pub connections: AtomicI64,
    pub sessions: AtomicI64,
    pub connections_total: AtomicU64,
    pub refused_total: AtomicU64,
    pub logins_failed_total: AtomicU64,
    pub requests: [AtomicU64; 4],
    pub requests_running: AtomicI64,
    pub errors_total: AtomicU64,
    pub rows_total: AtomicU64,
    pub received_bytes_total: AtomicU64,
    pub sent_bytes_total: AtomicU64,
    pub attentions_total: AtomicU64,
    pub slow_total: AtomicU64,
    pub protocol_errors_total: AtomicU64,
    /// Those of the listener for remote ACE clients, if there is one.
    pub navigator: OnceLock<Arc<DoorMetrics>>,
    /// Those of the listener for Informix clients, if there is one.
    pub sqli: OnceLock<Arc<DoorMetrics>>,
    classes: [AtomicU64; BOUNDS_US.len()],
    duration_us: AtomicU64,
    durations: AtomicU64,
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

impl Metrics {
    pub fn request(&self, kind: RequestKind, took: Duration) {
        if let Some(counter) = self.requests.get(kind as usize) {
            counter.fetch_add(1, Relaxed);
        }
        let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        for (class, _) in self.classes.iter().zip(BOUNDS_US).filter(|(_, bound)| us <= *bound) {
            class.fetch_add(1, Relaxed);
        }
        self.duration_us.fetch_add(us, Relaxed);
        self.durations.fetch_add(1, Relaxed);
    }

    /// The text that Prometheus reads (exposition format 0.0.4).
    pub fn text(&self) -> String {
        let mut out = String::new();
        let mut simple = |name: &str, kind: &str, help: &str, value: i64| {
            let _ =
                writeln!(out, "# HELP mainstay_{name} {help}\n# TYPE mainstay_{name} {kind}\nmainstay_{name} {value}");
        };
        let total = |counter: &AtomicU64| i64::try_from(counter.load(Relaxed)).unwrap_or(i64::MAX);
        simple("connections", "gauge", "Connections that are open.", self.connections.load(Relaxed));
        simple("sessions", "gauge", "Connections that have logged in.", self.sessions.load(Relaxed));
        simple("requests_running", "gauge", "Requests that are being answered.", self.requests_running.load(Relaxed));
        let counters = [
            ("connections_total", "Connections that were accepted.", &self.connections_total),
            ("connections_refused_total", "Connections beyond the limits.", &self.refused_total),
            ("logins_failed_total", "Logins that were refused.", &self.logins_failed_total),
            ("errors_total", "Errors that clients were told.", &self.errors_total),
            ("rows_total", "Rows that were sent.", &self.rows_total),
            ("received_bytes_total", "Bytes that clients sent.", &self.received_bytes_total),
            ("sent_bytes_total", "Bytes that clients were sent.", &self.sent_bytes_total),
            ("attentions_total", "Requests that clients stopped.", &self.attentions_total),
            ("slow_requests_total", "Requests over slow_statement_ms.", &self.slow_total),
            ("protocol_errors_total", "Connections that ended because of what was sent.", &self.protocol_errors_total),
        ];
        for (name, help, counter) in counters {
            simple(name, "counter", help, total(counter));
        }
        for (door, clients, metrics) in
            [("navigator", "remote ACE clients", &self.navigator), ("sqli", "Informix clients", &self.sqli)]
        {
            let metrics = metrics.get().map(Arc::clone).unwrap_or_default();
            let sessions = metrics.sessions.load(Relaxed);
            simple(&format!("{door}_sessions"), "gauge", &format!("Sessions of {clients}."), sessions);
            let counters = [
                ("connections_total", "Connections", &metrics.connections_total),
                ("connections_refused_total", "Connections beyond the limits", &metrics.refused_total),
                ("logins_failed_total", "Refused logins", &metrics.logins_failed_total),
                ("requests_total", "Answered requests", &metrics.requests_total),
                ("slow_requests_total", "Requests over slow_statement_ms", &metrics.slow_total),
                ("received_bytes_total", "Bytes received, those", &metrics.received_bytes_total),
                ("sent_bytes_total", "Bytes sent, those", &metrics.sent_bytes_total),
            ];
            for (name, help, counter) in counters {
                simple(&format!("{door}_{name}"), "counter", &format!("{help} of {clients}."), total(counter));
            }
        }
        let _ = writeln!(out, "# HELP mainstay_requests_total Requests that were answered.");
        let _ = writeln!(out, "# TYPE mainstay_requests_total counter");
        for (kind, counter) in RequestKind::ALL.iter().zip(&self.requests) {
            let _ = writeln!(out, "mainstay_requests_total{{kind=\"{}\"}} {}", kind.name(), counter.load(Relaxed));
        }
        let _ = writeln!(out, "# HELP mainstay_request_seconds How long requests took.");
        let _ = writeln!(out, "# TYPE mainstay_request_seconds histogram");
        for (class, bound) in self.classes.iter().zip(BOUNDS_US) {
            let le = bound as f64 / 1e6;
            let _ = writeln!(out, "mainstay_request_seconds_bucket{{le=\"{le}\"}} {}", class.load(Relaxed));
        }
        let (count, sum) = (self.durations.load(Relaxed), self.duration_us.load(Relaxed) as f64 / 1e6);
        let _ = writeln!(out, "mainstay_request_seconds_bucket{{le=\"+Inf\"}} {count}");
        let _ = writeln!(out, "mainstay_request_seconds_sum {sum}\nmainstay_request_seconds_count {count}");
        out
    }
}

/// The reference page of the metrics: what `/metrics` says of each.
pub fn metrics_page() -> String {
    let mut page = String::from(
        "# Metrics of the server\n\n<!-- Written from crates/doors/server/src/metrics.rs by its tests; do not edit. -->\n\n\
         `GET /metrics` on the address of `http` in `mainstay.toml`, in the text form of Prometheus. `GET /health` answers\n\
         200 while the server takes connections, 503 while it stops.\n\n| metric | kind | meaning |\n|---|---|---|\n",
    );
    let text = Metrics::default().text();
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
    fn durations_are_in_all_classes_that_hold_them() {
        let metrics = Metrics::default();
        metrics.request(RequestKind::Call, Duration::from_millis(7));
        metrics.request(RequestKind::Batch, Duration::from_secs(100));
        let text = metrics.text();
        for line in [
            "mainstay_request_seconds_bucket{le=\"0.005\"} 0",
            "mainstay_request_seconds_bucket{le=\"0.01\"} 1",
            "mainstay_request_seconds_bucket{le=\"60\"} 1",
            "mainstay_request_seconds_bucket{le=\"+Inf\"} 2",
            "mainstay_request_seconds_sum 100.007",
            "mainstay_requests_total{kind=\"call\"} 1",
            "mainstay_connections 0",
        ] {
            assert!(text.lines().any(|written| written == line), "{line}\n{text}");
        }
    }
}
