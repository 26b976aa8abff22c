//! The thread that checks for cancellations while requests run; [`Watcher`](super::connection::Watcher) explains why
//! one thread serves all connections.

use super::Host;
use std::time::Duration;

/// The time between two looks.
const PAUSE: Duration = Duration::from_millis(10);
/// The same while there are no connections.
const LONG_PAUSE: Duration = Duration::from_millis(100);

/// Runs until the server stops and no connection is left.
pub(super) fn run(host: &Host) {
    loop {
        let open = host.registry.all();
        if open.is_empty() && host.is_stopping() {
            return;
        }
        std::thread::sleep(if open.is_empty() { LONG_PAUSE } else { PAUSE });
        for connection in open {
            if let Some(watcher) = connection.watcher() {
                watcher.look(&connection);
            }
        }
    }
}
