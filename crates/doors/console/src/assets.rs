//! The files of the page: plain modules that are committed as they are served.

use crate::http::{Request, Response};
use sha2::{Digest, Sha256};

/// One file.
struct Asset {
    name: &'static str,
    kind: &'static str,
    body: &'static [u8],
}

macro_rules! assets {
    ($(($name:literal, $kind:literal)),* $(,)?) => {
        &[$(Asset { name: $name, kind: $kind, body: include_bytes!(concat!("../assets/", $name)) }),*]
    };
}

const ASSETS: &[Asset] = assets![
    ("index.html", "text/html; charset=utf-8"),
    ("app.css", "text/css; charset=utf-8"),
    ("app.js", "text/javascript; charset=utf-8"),
    ("connection.js", "text/javascript; charset=utf-8"),
    ("controls.js", "text/javascript; charset=utf-8"),
    ("field.js", "text/javascript; charset=utf-8"),
    ("keys.js", "text/javascript; charset=utf-8"),
    ("list.js", "text/javascript; charset=utf-8"),
    ("menus.js", "text/javascript; charset=utf-8"),
    ("panels.js", "text/javascript; charset=utf-8"),
    ("plane.js", "text/javascript; charset=utf-8"),
    ("program.js", "text/javascript; charset=utf-8"),
    ("wire.js", "text/javascript; charset=utf-8"),
];

/// The answer with a file, or the note that the browser has it.
pub(crate) fn response(name: &str, request: &Request) -> Option<Response> {
    let asset = ASSETS.iter().find(|asset| asset.name == name)?;
    let hash = Sha256::digest(asset.body);
    let tag: String = hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let tag = format!("\"{tag}\"");
    let known = request.has_word("if-none-match", &tag);
    let response = if known { Response::empty(304) } else { Response::empty(200).with("Content-Type", asset.kind) };
    let mut response = response.with("ETag", tag).with("Cache-Control", "no-cache");
    if !known {
        response.body = asset.body.to_vec();
    }
    Some(response)
}
