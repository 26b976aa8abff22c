//! A client of the protocol of Informix clients for tests of `mainstay serve`, built on the codec.

use mainstay_sqli::*;
use mainstay_types::Value;
use std::io::{Read, Write};
use std::net::TcpStream;

/// A client that has opened the database.
pub struct Client {
    socket: TcpStream,
    context: Context,
    received: Vec<u8>,
}

impl Client {
    pub fn connect(address: &str, database: &str) -> Client {
        let socket = TcpStream::connect(address).unwrap();
        let mut client = Client { socket, context: Context::default(), received: Vec::new() };
        let request = ConnectRequest { user: "ann".to_owned(), ..ConnectRequest::default() };
        client.socket.write_all(&request.encode()).unwrap();
        let length = loop {
            match login_length(&client.received).unwrap() {
                Some(length) if client.received.len() >= length => break length,
                _ => client.read(),
            }
        };
        assert_eq!(ConnectReply::decode(&client.received[..length]).unwrap().outcome, Outcome::Accepted);
        client.received.drain(..length);
        client.ask(&[Request::Protocols(Mask::new(&Mask::CLIENT))]);
        client.context.features = Features::of(&Mask::new(&Mask::CLIENT).and(&Mask::new(&Mask::SERVER)));
        client.ask(&[Request::OpenDatabase { name: database.to_owned(), mode: 0 }]);
        client
    }

    fn read(&mut self) {
        let mut bytes = [0; 4096];
        let count = self.socket.read(&mut bytes).unwrap();
        assert!(count > 0, "the server has closed the connection");
        self.received.extend_from_slice(&bytes[..count]);
    }

    /// The replies to a group, none of which is an error.
    pub fn ask(&mut self, requests: &[Request]) -> Vec<Reply> {
        self.try_ask(requests).unwrap_or_else(|failure| panic!("{requests:?}: {failure:?}"))
    }

    /// The replies to a group, or its first error.
    pub fn try_ask(&mut self, requests: &[Request]) -> Result<Vec<Reply>, Failure> {
        let mut out = Vec::new();
        requests.iter().for_each(|request| request.encode(&mut out, &self.context).unwrap());
        Request::EndOfGroup.encode(&mut out, &self.context).unwrap();
        self.socket.write_all(&out).unwrap();
        let (mut replies, mut failed) = (Vec::new(), None);
        loop {
            match Reply::decode(&self.received, &self.context, 1 << 24).unwrap() {
                Decoded::Message(reply, used) => {
                    self.received.drain(..used);
                    match reply {
                        Reply::EndOfGroup => return failed.map_or(Ok(replies), Err),
                        Reply::Failed(failure) => failed = failed.or(Some(failure)),
                        reply => replies.push(reply),
                    }
                }
                Decoded::Incomplete => self.read(),
            }
        }
    }

    pub fn run(&mut self, text: &str) {
        self.try_run(text).unwrap_or_else(|failure| panic!("{text}: {failure:?}"));
    }

    /// Runs a statement that may fail.
    pub fn try_run(&mut self, text: &str) -> Result<(), Failure> {
        let command = Request::Command { text: text.to_owned() };
        self.try_ask(&[command, Request::Describe, Request::Execute, Request::Release]).map(drop)
    }

    /// The rows of a query.
    pub fn query(&mut self, text: &str) -> Vec<Vec<Value>> {
        let prepare = Request::Prepare { parameters: 0, text: text.to_owned() };
        let replies = self.ask(&[prepare, Request::Describe, Request::WantDone]);
        let Reply::Described(description) = &replies[0] else { panic!("{replies:?}") };
        let (statement, fields) = (Request::Statement(description.id), description.fields.clone());
        let fetch = Request::Fetch(Fetch { scroll: None, buffer_bytes: 32_000 });
        let replies = self.ask(&[statement.clone(), Request::Open, statement.clone(), fetch]);
        self.ask(&[statement, Request::Release]);
        let row = |reply: &Reply| {
            let Reply::Row { bytes, .. } = reply else { return None };
            let (mut left, mut row) = (&bytes[..], Vec::new());
            for field in &fields {
                let (value, used) = read_value(left, &field.kind, Codeset::Latin1).unwrap();
                row.push(value);
                left = &left[used..];
            }
            assert!(left.is_empty(), "bytes behind the last column");
            Some(row)
        };
        replies.iter().filter_map(row).collect()
    }
}
