//! [`TableVolume`]: the files of a database.
//!
//! Keyed, sort and indexed files are tables; all other names are those of the folder's volume.

use crate::schema;
use crate::sharing::OpenFiles;
use crate::storage::{Opened, TableStorage};
use crate::transaction::{self, TransactionScope};
use mainstay_basic_files::key::KeyLimits;
use mainstay_basic_files::{
    ChannelOptions, DirectoryEntry, FileDefinition, FileError, FileErrorKind, FileKind, IndexedRecords, KeyedFile,
    KeyedStorage, OpenMode, OpenOptions, RecordFile, Result, SequenceFile, SessionId, Volume,
};
use mainstay_store::files::catalog::{CatalogChange, TableDefinition};
use mainstay_store::{Durability, Isolation, Store, Transaction};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The most bytes of a record, without OPT="X".
const RECORD_BYTES: u32 = 64_000;

/// The store of a volume's tables, which is created when the first of them is.
pub trait TableStore: Send + Sync {
    /// The store; an empty one in memory where none was created yet.
    ///
    /// Errors: `Busy` when another process has it open; those of the file system.
    fn existing(&self) -> mainstay_types::Result<Arc<Store>>;

    /// The store, which is created if it does not exist.
    ///
    /// Errors: as [`TableStore::existing`].
    fn created(&self) -> mainstay_types::Result<Arc<Store>>;
}

/// A store that is there.
struct Present(Arc<Store>);

impl TableStore for Present {
    fn existing(&self) -> mainstay_types::Result<Arc<Store>> {
        Ok(Arc::clone(&self.0))
    }

    fn created(&self) -> mainstay_types::Result<Arc<Store>> {
        self.existing()
    }
}

/// The files of a database. See the module.
pub struct TableVolume {
    store: Arc<dyn TableStore>,
    folder: Arc<dyn Volume>,
    durability: Durability,
    scopes: Mutex<HashMap<SessionId, Arc<dyn TransactionScope>>>,
}

impl TableVolume {
    /// The files of a store, and for other names those of a folder. Commits of channels are as durable as is said here.
    pub fn new(store: Arc<Store>, folder: Arc<dyn Volume>, durability: Durability) -> TableVolume {
        TableVolume::created_on_demand(Arc::new(Present(store)), folder, durability)
    }

    /// The same for a store that is created with its first table.
    pub fn created_on_demand(
        store: Arc<dyn TableStore>,
        folder: Arc<dyn Volume>,
        durability: Durability,
    ) -> TableVolume {
        TableVolume { store, folder, durability, scopes: Mutex::default() }
    }

    /// Lets channels that a session opens from now on share its transactions; `None` ends that.
    pub fn set_scope(&self, session: SessionId, scope: Option<Arc<dyn TransactionScope>>) {
        let mut scopes = self.scopes.lock().unwrap_or_else(PoisonError::into_inner);
        match scope {
            Some(scope) => scopes.insert(session, scope),
            None => scopes.remove(&session),
        };
    }

    fn scope(&self, session: SessionId) -> Option<Arc<dyn TransactionScope>> {
        self.scopes.lock().unwrap_or_else(PoisonError::into_inner).get(&session).cloned()
    }

    fn open_files(&self) -> Result<Arc<OpenFiles>> {
        Ok(OpenFiles::of(&self.store.existing()?))
    }

    fn begin(&self, store: &Store) -> Transaction {
        let mut transaction = store.begin(Isolation::ReadCommitted);
        transaction.set_durability(self.durability);
        transaction.set_lock_timeout(Some(Duration::from_secs(1)));
        transaction
    }

    /// The definition of a file that is a table; `None` for another name.
    ///
    /// Errors: 106; those of opening the store.
    pub fn definition(&self, name: &str) -> Result<Option<FileDefinition>> {
        Ok(self.find(name)?.map(|(_, definition)| definition))
    }

    /// The table and definition of a file; `None` for a name that is not a table's.
    fn find(&self, name: &str) -> Result<Option<(TableDefinition, FileDefinition)>> {
        let store = self.store.existing()?;
        let catalog = store.catalog();
        let Some(table) = schema::find(&catalog, &plain(name)) else { return Ok(None) };
        let mut transaction = store.begin(Isolation::ReadCommitted);
        let definition = schema::definition(&store, &mut transaction, table.id).map_err(|error| error.at(name))?;
        Ok(definition.map(|definition| (table.clone(), definition)))
    }

    fn check_new(&self, name: &str) -> Result<()> {
        if name.trim().is_empty() || name.starts_with('*') {
            return Err(FileError::new(FileErrorKind::InvalidName, format!("{name:?} cannot be the name of a file")));
        }
        let store = self.store.existing()?;
        let catalog = store.catalog();
        if schema::find(&catalog, &plain(name)).is_some() || self.folder.kind(name)?.is_some() {
            return Err(FileError::new(
                FileErrorKind::FileExists,
                format!("{name}: there is a file of this name already"),
            ));
        }
        Ok(())
    }

    fn open_table(
        &self,
        table: &TableDefinition,
        mut definition: FileDefinition,
        name: &str,
        options: &OpenOptions,
    ) -> Result<Box<dyn RecordFile>> {
        if options.block_size.is_some() {
            let message = format!("{name}: a keyed or indexed file cannot be opened with ISZ=");
            return Err(FileError::new(FileErrorKind::FileType, message));
        }
        definition.separator = options.separator.unwrap_or(definition.separator);
        let is_locked = matches!(options.mode, OpenMode::Lock | OpenMode::Purge);
        let shared = self.open_files()?.file(table.id);
        shared.open(options.session, is_locked, options.wait).map_err(|error| error.at(name))?;
        let opened = Opened {
            store: self.store.existing()?,
            table_id: table.id,
            keys: definition.keys.clone(),
            shared: Arc::clone(&shared),
            session: options.session,
            owner: owner_of_locks(options),
            is_locked,
            durability: self.durability,
            scope: self.scope(options.session),
            counters: Arc::clone(&options.counters),
        };
        let mut storage = TableStorage::open(opened).map_err(|error| {
            shared.close(options.session, is_locked);
            error.at(name)
        })?;
        if options.mode == OpenMode::Purge {
            storage.clear()?;
        }
        let channel = ChannelOptions {
            name: name.to_owned(),
            is_read_only: options.mode == OpenMode::Input,
            was_purged: options.mode == OpenMode::Purge,
            counters: Arc::clone(&options.counters),
        };
        Ok(match definition.kind {
            FileKind::Indexed => {
                let records = IndexedRecords::new(storage, definition.format.limit(), definition.max_records);
                Box::new(SequenceFile::new(records, definition, channel))
            }
            _ => Box::new(KeyedFile::new(storage, definition, channel)),
        })
    }
}

/// The name of a file as tables have it: `/` between its parts, nothing before the first one.
fn plain(name: &str) -> String {
    let name = name.replace('\\', "/");
    name.strip_prefix("./").unwrap_or(&name).to_owned()
}

impl Volume for TableVolume {
    fn create(&self, name: &str, definition: &FileDefinition) -> Result<()> {
        match definition.kind {
            FileKind::Keyed | FileKind::Sort => definition.keys.check(&KeyLimits::STORED)?,
            FileKind::Indexed => {}
            _ => return self.folder.create(name, definition),
        }
        self.check_new(name)?;
        if definition.format.limit() > RECORD_BYTES && !definition.is_extended {
            let message = format!("records have at most {RECORD_BYTES} bytes");
            return Err(FileError::new(FileErrorKind::InvalidInteger, message));
        }
        let store = self.store.created()?;
        let mut transaction = self.begin(&store);
        schema::create(&store, &mut transaction, &plain(name), definition)?;
        transaction.commit()?;
        Ok(())
    }

    fn open(&self, name: &str, options: &OpenOptions) -> Result<Box<dyn RecordFile>> {
        match self.find(name)? {
            Some((table, definition)) => {
                options.counters.count_open();
                self.open_table(&table, definition, name, options)
            }
            None => self.folder.open(name, options),
        }
    }

    fn erase(&self, name: &str) -> Result<()> {
        let Some((table, _)) = self.find(name)? else { return self.folder.erase(name) };
        self.open_files()?.check_closed(table.id).map_err(|error| error.at(name))?;
        let store = self.store.existing()?;
        let mut transaction = self.begin(&store);
        schema::redefine(&store, &mut transaction, table.id, None)?;
        store.change_catalog(&mut transaction, CatalogChange::DropTable(table.id))?;
        transaction.commit()?;
        self.open_files()?.forget(table.id);
        Ok(())
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        let Some((mut table, _)) = self.find(from)? else { return self.folder.rename(from, to) };
        self.check_new(to)?;
        self.open_files()?.check_closed(table.id).map_err(|error| error.at(from))?;
        let store = self.store.existing()?;
        let mut transaction = self.begin(&store);
        table.name = plain(to);
        store.change_catalog(&mut transaction, CatalogChange::PutTable(table))?;
        transaction.commit()?;
        Ok(())
    }

    fn refile(&self, name: &str) -> Result<()> {
        let Some((table, _)) = self.find(name)? else { return self.folder.refile(name) };
        self.open_files()?.check_closed(table.id).map_err(|error| error.at(name))?;
        let mut options = OpenOptions::new(SessionId(u64::MAX), OpenMode::Purge);
        options.wait = Duration::ZERO;
        self.open(name, &options)?.flush()
    }

    fn kind(&self, name: &str) -> Result<Option<FileKind>> {
        match self.find(name)? {
            Some((_, definition)) => Ok(Some(definition.kind)),
            None => self.folder.kind(name),
        }
    }

    fn list(&self, folder: &str) -> Result<Vec<DirectoryEntry>> {
        let mut entries = self.folder.list(folder)?;
        let prefix = match plain(folder).trim_matches(['/', '.']) {
            "" => String::new(),
            folder => format!("{folder}/"),
        };
        let store = self.store.existing()?;
        let mut transaction = store.begin(Isolation::ReadCommitted);
        for (name, _, definition) in schema::files(&store, &mut transaction)? {
            let Some(name) = name.strip_prefix(&prefix).filter(|name| !name.contains('/')) else { continue };
            let kind = definition.map_or(FileKind::Keyed, |definition| definition.kind);
            entries.push(DirectoryEntry { name: name.to_owned(), kind, bytes: None, modified: None });
        }
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(entries)
    }

    fn set_layout(&self, name: &str, layout: Option<&str>) -> Result<()> {
        let Some((table, mut definition)) = self.find(name)? else { return self.folder.set_layout(name, layout) };
        definition.layout = layout.map(str::to_owned);
        let store = self.store.existing()?;
        let mut transaction = self.begin(&store);
        schema::redefine(&store, &mut transaction, table.id, Some(&definition))?;
        transaction.commit()?;
        Ok(())
    }

    fn create_directory(&self, name: &str) -> Result<()> {
        self.folder.create_directory(name)
    }
}

/// The owner of a channel's locks of records. A channel that is kept from those of its own session is one by itself.
fn owner_of_locks(options: &OpenOptions) -> SessionId {
    static CHANNELS: AtomicU64 = AtomicU64::new(1 << 63);
    match options.blocks_itself {
        true => SessionId(CHANNELS.fetch_add(1, Ordering::Relaxed)),
        false => options.session,
    }
}

/// Commits the changes that a session has gathered in files that it has alone. Statements of the session come after them: as changes of
/// another transaction, they would wait for rows that only the session itself can release.
///
/// Errors: those of the commits.
pub fn commit_gathered(volume: &TableVolume, session: SessionId) -> Result<()> {
    // Without a store there is no file.
    let Ok(store) = volume.store.existing() else { return Ok(()) };
    let files = OpenFiles::of(&store).alone(session);
    files.iter().try_for_each(|file| transaction::commit(&mut file.gathered()))
}
