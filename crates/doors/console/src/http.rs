//! HTTP/1.1 as browsers speak it to this door: requests with a length, answers with a length, connections that stay open.
//!
//! `httparse` splits the head; this module limits it and reads the body. There is no chunked body, no `Expect`, and no pipelining
//! beyond what a buffer keeps. Every answer has the headers that keep a page to itself.

use std::io::{Error, ErrorKind, Read, Result, Write};

/// The longest head of a request.
const LONGEST_HEAD: usize = 16 << 10;
/// The longest body.
const LONGEST_BODY: usize = 64 << 10;
/// The most headers.
const MOST_HEADERS: usize = 64;

/// Everything from this origin, nothing inline, no frames around it.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
connect-src 'self'; font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/// A request.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// `GET`, `POST` and others.
    pub method: String,
    /// The path without the query.
    pub path: String,
    /// Headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Request {
    /// The value of a header; none if it is missing or there are several.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(known, _)| known == name);
        let value = values.next()?;
        values.next().is_none().then_some(value.1.as_str())
    }

    /// True if a header with a list of words has this one.
    pub fn has_word(&self, name: &str, word: &str) -> bool {
        let values = self.headers.iter().filter(|(known, _)| known == name);
        values.flat_map(|(_, value)| value.split(',')).any(|known| known.trim().eq_ignore_ascii_case(word))
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Further headers.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// An answer without a body.
    pub fn empty(status: u16) -> Response {
        Response { status, headers: Vec::new(), body: Vec::new() }
    }

    /// An answer with a JSON value.
    pub fn json(status: u16, value: &serde_json::Value) -> Response {
        let headers = vec![("Content-Type", "application/json".to_owned()), ("Cache-Control", "no-store".to_owned())];
        Response { status, headers, body: value.to_string().into_bytes() }
    }

    /// An error with words for the user.
    pub fn error(status: u16, message: &str) -> Response {
        Response::json(status, &serde_json::json!({ "error": message }))
    }

    /// The same with one more header.
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Response {
        self.headers.push((name, value.into()));
        self
    }

    /// Writes the answer.
    pub fn write(&self, to: &mut impl Write, keep_open: bool, with_body: bool) -> Result<()> {
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        for (name, value) in &self.headers {
            // Values are the door's own; a line break in one would be a header of its own.
            head.push_str(&format!("{name}: {}\r\n", value.replace(['\r', '\n'], " ")));
        }
        if self.status != 101 {
            let connection = if keep_open { "keep-alive" } else { "close" };
            head.push_str(&format!("Content-Length: {}\r\nConnection: {connection}\r\n", self.body.len()));
        }
        head.push_str(&format!("Content-Security-Policy: {CONTENT_SECURITY_POLICY}\r\n"));
        head.push_str("X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n");
        head.push_str("Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n\r\n");
        let mut bytes = head.into_bytes();
        if with_body {
            bytes.extend_from_slice(&self.body);
        }
        to.write_all(&bytes)
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        101 => "Switching Protocols",
        200 => "OK",
        204 => "No Content",
        304 => "Not Modified",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        421 => "Misdirected Request",
        426 => "Upgrade Required",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        _ => "Error",
    }
}

/// A request that cannot be read.
#[derive(Debug)]
pub enum Failure {
    /// The connection has ended, or is silent for too long.
    Closed,
    /// An answer with this status is due before the connection is closed.
    Refused(u16),
}

impl From<Error> for Failure {
    fn from(_: Error) -> Failure {
        Failure::Closed
    }
}

/// Reads one request. `buffer` keeps bytes that were read beyond it.
pub fn read(from: &mut impl Read, buffer: &mut Vec<u8>) -> std::result::Result<Request, Failure> {
    let (mut request, length, body) = loop {
        if let Some(head) = parse(buffer)? {
            break head;
        }
        if buffer.len() >= LONGEST_HEAD {
            return Err(Failure::Refused(431));
        }
        read_more(from, buffer)?;
    };
    while buffer.len() < length + body {
        read_more(from, buffer)?;
    }
    request.body = buffer.get(length..length + body).unwrap_or_default().to_vec();
    buffer.drain(..length + body);
    Ok(request)
}

fn read_more(from: &mut impl Read, buffer: &mut Vec<u8>) -> Result<()> {
    let mut piece = [0; 4096];
    match from.read(&mut piece)? {
        0 => Err(Error::from(ErrorKind::UnexpectedEof)),
        count => {
            buffer.extend_from_slice(piece.get(..count).unwrap_or_default());
            Ok(())
        }
    }
}

/// The request whose head is complete, with the lengths of head and body.
fn parse(buffer: &[u8]) -> std::result::Result<Option<(Request, usize, usize)>, Failure> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let length = match parsed.parse(buffer) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(Failure::Refused(431)),
        Err(_) => return Err(Failure::Refused(400)),
    };
    let mut request = Request { method: parsed.method.unwrap_or_default().to_owned(), ..Request::default() };
    request.path = parsed.path.unwrap_or_default().split('?').next().unwrap_or_default().to_owned();
    for header in parsed.headers.iter() {
        let value = String::from_utf8(header.value.to_vec()).map_err(|_| Failure::Refused(400))?;
        request.headers.push((header.name.to_ascii_lowercase(), value));
    }
    if parsed.version != Some(1) || !request.path.starts_with('/') {
        return Err(Failure::Refused(400));
    }
    if request.headers.iter().any(|(name, _)| name == "transfer-encoding") {
        return Err(Failure::Refused(501));
    }
    let body = match request.headers.iter().filter(|(name, _)| name == "content-length").count() {
        0 => 0,
        _ => request.header("content-length").and_then(|length| length.parse().ok()).ok_or(Failure::Refused(400))?,
    };
    if body > LONGEST_BODY {
        return Err(Failure::Refused(413));
    }
    Ok(Some((request, length, body)))
}
