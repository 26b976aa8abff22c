//! Watches for attentions, and for clients that are gone, while requests run.
//!
//! A request runs on its connection's own thread, which then does not read. A thread for each connection that only reads
//! would double the threads, and hand every request from one to the other. Instead one thread for all looks at the
//! sockets of running requests, fifty times a second and without blocking: requests that are faster are never looked at,
//! and an attention is seen within [`PAUSE`].

use crate::link::LinkError;
use crate::metrics::Metrics;
use crate::registry::{Handle, Registry};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::time::Duration;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(20);
/// The same while nobody is connected.
const LONG_PAUSE: Duration = Duration::from_millis(100);

/// Runs until the server stops and no connection is left.
pub(crate) fn run(registry: &Arc<Registry>, metrics: &Metrics) {
    loop {
        let nobody = registry.all().is_empty();
        if nobody && registry.stopping.load(SeqCst) {
            return;
        }
        std::thread::sleep(if nobody { LONG_PAUSE } else { PAUSE });
        for handle in registry.running() {
            look(&handle, metrics);
        }
    }
}

fn look(handle: &Handle, metrics: &Metrics) {
    // Who holds the input reads itself (a bulk load), or has just ended the request.
    let Some(mut input) = handle.link.try_input() else { return };
    if !handle.running.load(SeqCst) {
        return;
    }
    if handle.cancelled.load(SeqCst) {
        // Told again: the session may have been about to begin when it was told first.
        return handle.stop_request();
    }
    match handle.link.poll(&mut input) {
        Ok(false) => {}
        Ok(true) => {
            metrics.attentions_total.fetch_add(1, Relaxed);
            handle.stop_request();
        }
        Err(LinkError::TimedOut) => {}
        // The connection's thread finds the same when it writes or reads next.
        Err(LinkError::Closed | LinkError::Wire(_)) => handle.stop_request(),
    }
}
