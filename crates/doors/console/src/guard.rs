//! Rules that keep other sites away from the door: hosts, origins and the fetch metadata of browsers.
//!
//! - **Host**: a name outside the list is refused (421), so that a name of an attacker that resolves to this machine (DNS
//!   rebinding) reaches nothing.
//! - **Unsafe methods**: `Sec-Fetch-Site` must be `same-origin`. Browsers without it send `Origin`, which must be the door's own.
//!   A request with neither is not from a browser page, and cookies are for browsers alone: it is refused. The body must be JSON,
//!   which a form of another site cannot send.
//! - **WebSocket**: `Origin` must be the door's own, as browsers let every site open sockets to any host.

use crate::config::Config;
use crate::http::Request;

/// Names that are always allowed.
const LOCAL: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Checks the name by which a request reaches the door. Errors: the status and the words of the answer.
pub fn check_host(request: &Request, config: &Config) -> Result<(), (u16, &'static str)> {
    let host = request.header("host").ok_or((400, "The request needs one Host header"))?;
    match is_allowed_host(host, config) {
        true => Ok(()),
        false => Err((421, "This name is not in the list of hosts of the server")),
    }
}

/// Checks the origin of a request whose name was checked. Errors: the status and the words of the answer.
pub fn check(request: &Request, is_encrypted: bool) -> Result<(), (u16, &'static str)> {
    let host = request.header("host").unwrap_or_default();
    // A header that stands twice counts, too.
    let is_upgrade = request.headers.iter().any(|(name, _)| name == "upgrade");
    match request.method.as_str() {
        "GET" | "HEAD" if !is_upgrade => Ok(()),
        "GET" if is_own_origin(request, host, is_encrypted) => Ok(()),
        "GET" => Err((403, "Another site opens this socket")),
        "POST" => {
            check_site(request, host, is_encrypted)?;
            let kind = request.header("content-type").unwrap_or_default();
            let is_json = kind.split(';').next().is_some_and(|kind| kind.trim() == "application/json");
            if is_json { Ok(()) } else { Err((415, "The body has to be application/json")) }
        }
        _ => Err((405, "Only GET and POST")),
    }
}

fn check_site(request: &Request, host: &str, is_encrypted: bool) -> Result<(), (u16, &'static str)> {
    let allowed = match request.header("sec-fetch-site") {
        Some(site) => site == "same-origin",
        None => is_own_origin(request, host, is_encrypted),
    };
    if allowed { Ok(()) } else { Err((403, "Another site sends this request")) }
}

fn is_allowed_host(host: &str, config: &Config) -> bool {
    let name = match host.rfind(':') {
        Some(at) if !host.ends_with(']') => host.get(..at).unwrap_or_default(),
        _ => host,
    };
    let known = LOCAL.iter().copied().chain(config.hosts.iter().map(String::as_str));
    known.into_iter().any(|known| known.eq_ignore_ascii_case(name))
}

fn is_own_origin(request: &Request, host: &str, is_encrypted: bool) -> bool {
    let scheme = if is_encrypted { "https" } else { "http" };
    request.header("origin").is_some_and(|origin| origin.eq_ignore_ascii_case(&format!("{scheme}://{host}")))
}
