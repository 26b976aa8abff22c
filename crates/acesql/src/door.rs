//! What the ACE library asks for a session: the databases of the folders that are open in this process.

use crate::session::Session;
use ace::backend::{Sql, SqlSession, install_sql};
use mainstay_base::Result;
use mainstay_engine::Database;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The databases of the folders that have connections. One is closed with the last session on it.
#[derive(Default)]
pub struct Engine {
    open: Mutex<HashMap<PathBuf, Weak<Database>>>,
}

/// Gives the ACE library of this process the SQL of this crate; false if it had one before.
pub fn install() -> bool {
    install_sql(Arc::new(Engine::default()))
}

impl Engine {
    /// The database of a folder, under the path that it is known by: a dictionary's is another one than its folder's.
    fn database(&self, folder: &Path, known: &Path) -> Result<Arc<Database>> {
        let (folder, path) = (std::path::absolute(folder)?, std::path::absolute(known)?);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(database) = open.get(&path).and_then(Weak::upgrade) {
            return Ok(database);
        }
        open.retain(|_, database| database.strong_count() > 0);
        let database = Arc::new(Database::open(&folder)?);
        open.insert(path, Arc::downgrade(&database));
        Ok(database)
    }
}

impl Sql for Engine {
    fn open(&self, folder: &Path, user: &str) -> Result<Box<dyn SqlSession>> {
        // A connection without a path works in the folder of the program.
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        Ok(Box::new(Session::new(self.database(folder, folder)?, folder, user)))
    }

    fn open_dictionary(
        &self,
        dictionary: &Arc<ace::dictionary::Session>,
        folder: &Path,
    ) -> Result<Box<dyn SqlSession>> {
        let database = self.database(folder, dictionary.live.path())?;
        Ok(Box::new(Session::of_dictionary(database, folder, Arc::clone(dictionary))))
    }
}
