//! Runs programs over a file system in memory, and gives what they print.

use mainstay_basic::plain::PlainHost;
use mainstay_basic::{FolderPrograms, Host, Parts, Session};
use mainstay_basic_files::{FolderVolume, SessionId, Volume};
use mainstay_basic_tables::TableVolume;
use mainstay_store::{Durability, Store, StoreOptions};
use mainstay_vfs::{Disk, FileSystem, Simulated};
use std::cell::RefCell;
use std::io::{Cursor, Write};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// Everything that was written.
#[derive(Clone, Default)]
pub struct Written(Rc<RefCell<Vec<u8>>>);

impl Written {
    /// As text.
    #[allow(dead_code, reason = "not every test has a plain host")]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.borrow()).into_owned()
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The folder of the programs.
pub fn programs() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs"))
}

/// A session with an empty folder of files, and what it will have printed.
#[allow(dead_code, reason = "not every test has a plain host")]
pub fn session(input: &[u8], with_tables: bool) -> (Session, Written) {
    let written = Written::default();
    let host = PlainHost::new(Cursor::new(input.to_vec()), written.clone()).without_waits();
    (session_on(Box::new(host), with_tables), written)
}

/// A session on a host.
pub fn session_on(host: Box<dyn Host>, with_tables: bool) -> Session {
    session_over(host, volume(with_tables))
}

/// An empty folder of files, with native tables or without.
pub fn volume(with_tables: bool) -> Arc<dyn Volume> {
    let files = Simulated::new();
    files.create_folder(Path::new("shop")).unwrap();
    let files: Arc<dyn FileSystem> = Arc::new(files);
    let folder: Arc<dyn Volume> = Arc::new(FolderVolume::new(files.clone(), Path::new("shop")));
    match with_tables {
        false => folder,
        true => {
            let options = StoreOptions {
                durability: Durability::Os,
                checkpoint_bytes: None,
                memory_bytes: None,
                ..StoreOptions::DEFAULT
            };
            let store = Store::open(files, Path::new("shop/.mainstay"), options).unwrap();
            Arc::new(TableVolume::new(Arc::new(store), folder, Durability::Os))
        }
    }
}

/// A session on a host over these files.
pub fn session_over(host: Box<dyn Host>, volume: Arc<dyn Volume>) -> Session {
    Session::new(Parts {
        host,
        volume,
        programs: Box::new(FolderPrograms::new(Arc::new(Disk), programs())),
        session: SessionId(1),
        arguments: Vec::new(),
    })
}
