//! Helpers that the tests share: a served folder, and clients of it in the same process.

#![allow(dead_code, reason = "not every test uses all of it")]

use mainstay_navigator::client::{Client, InProcess, OpenHow, RemoteArea, Transport};
use mainstay_navigator::server::Service;
use mainstay_navigator::wire::frame::{Frame, Kind};
use mainstay_navigator::wire::messages::Hello;
use mainstay_types::Result;
use mainstay_vfs::{Disk, FileSystem};
use mainstay_workarea::{Area, AreaOptions, Mode, NewOrder, untold};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use tempfile::TempDir;

/// A folder with its service.
pub struct Served {
    pub folder: TempDir,
    pub service: Arc<Service>,
}

/// A connection that a test can cut.
struct Cuttable {
    inner: InProcess,
    is_cut: Arc<AtomicBool>,
}

impl Transport for Cuttable {
    fn send(&mut self, kind: Kind, body: &[u8]) -> Result<usize> {
        self.inner.send(kind, body)
    }
    fn receive(&mut self) -> Result<(Frame, usize)> {
        self.inner.receive()
    }
    fn is_alive(&mut self) -> bool {
        !self.is_cut.swap(false, SeqCst)
    }
}

/// The identity of the client that connects.
pub fn hello(user: &str) -> Hello {
    Hello { user: user.into(), password: String::new(), database: String::new(), application: "test".into() }
}

impl Served {
    pub fn new() -> Served {
        let folder = TempDir::new().unwrap();
        let service = Arc::new(Service::new(Arc::new(Disk), folder.path()));
        Served { folder, service }
    }

    /// A client whose connection is cut when the flag beside it is set.
    pub fn cuttable_client(&self) -> (Arc<Client>, Arc<AtomicBool>) {
        let is_cut = Arc::new(AtomicBool::new(false));
        let (service, cut) = (Arc::clone(&self.service), Arc::clone(&is_cut));
        let connect = move || {
            let inner = InProcess::connect(&service, &hello("ada"))?;
            Ok(Box::new(Cuttable { inner, is_cut: Arc::clone(&cut) }) as Box<dyn Transport>)
        };
        (Client::over("tcp://here", connect).unwrap(), is_cut)
    }

    /// A copy of files of the fixtures.
    pub fn with_fixtures(names: &[&str]) -> Served {
        let served = Served::new();
        for name in names {
            let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures")).join(name);
            Disk.replace(&served.folder.path().join(name), &Disk.read(&path).unwrap()).unwrap();
        }
        served
    }

    /// Another client.
    pub fn client(&self, user: &str) -> Arc<Client> {
        self.client_of("tcp://here", user)
    }

    /// A client that knows the server by another name, as one in another process does: it hears nothing of what others
    /// in this process change.
    pub fn client_of(&self, name: &str, user: &str) -> Arc<Client> {
        let (service, hello) = (Arc::clone(&self.service), hello(user));
        Client::over(name, move || Ok(Box::new(InProcess::connect(&service, &hello)?))).unwrap()
    }

    /// A table opened by a client.
    pub fn open(&self, client: &Arc<Client>, name: &str, mode: Mode) -> RemoteArea {
        let how = OpenHow { mode, scheme: None, open_structural: true, hide_deleted: false, exact: false };
        RemoteArea::open(client, &[client.path(Path::new(name))], &how).unwrap()
    }

    /// The same table opened without a server.
    pub fn open_here(&self, name: &str, mode: Mode) -> Area {
        let options = AreaOptions { mode, implicit_locks: true, ..AreaOptions::default() };
        Area::open(Arc::new(Disk), &self.folder.path().join(name), &options).unwrap()
    }

    /// A table with a number, a text of some letters, and a tag over each.
    pub fn make_numbers(&self, name: &str, records: u32) {
        let fields = vec![
            FieldSpec::new("NUMBER", b'N', 10, 0),
            FieldSpec::new("LETTERS", b'C', 10, 0),
            FieldSpec::new("NOTE", b'M', 10, 0),
        ];
        let files: Arc<dyn FileSystem> = Arc::new(Disk);
        Area::create(&files, &self.folder.path().join(name), &TableSpec::new(Format::FoxPro, fields)).unwrap();
        let mut area = self.open_here(name, Mode::Exclusive);
        area.create_order(&NewOrder::new("NUMBER", "NUMBER"), &mut untold).unwrap();
        area.create_order(&NewOrder::new("LETTERS", "LETTERS"), &mut untold).unwrap();
        for number in 1..=records {
            area.append_blank().unwrap();
            area.set_number(0, f64::from(number)).unwrap();
            area.set_bytes(1, letters(number).as_bytes()).unwrap();
        }
        area.close().unwrap();
    }
}

/// The text of a record.
pub fn letters(number: u32) -> String {
    (0..5).map(|place| char::from(b'A' + (number.wrapping_mul(2_654_435_761) >> (place * 5) & 0xF) as u8)).collect()
}
