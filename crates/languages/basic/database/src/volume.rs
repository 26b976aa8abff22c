//! [`DatabaseVolume`]: the files of a database, and its tables.

use crate::access::Access;
use crate::channel::TableChannel;
use crate::joint::Joint;
use crate::layout;
use crate::shape::Shape;
use crate::sharing::Shared;
use crate::statements::{SqlChannel, SqlName};
use mainstay_basic_files::{
    DirectoryEntry, FileDefinition, FileError, FileErrorKind, FileKind, KeyDefinitions, OpenMode, OpenOptions,
    RecordFile, RecordFormat, Result, SessionId, TransactionVerb, Volume, options::SEPARATOR,
};
use mainstay_basic_tables::{TableVolume, TransactionScope};
use mainstay_engine::{Database, TableInfo};
use mainstay_types::Code;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The schemas that are no business of programs.
const SYSTEM: [&str; 2] = ["sys.", "information_schema."];

/// The files of Business BASIC, and for names that they do not have the tables of a database.
pub struct DatabaseVolume {
    files: Arc<TableVolume>,
    joints: Mutex<HashMap<SessionId, Arc<Joint>>>,
    database: Database,
    shared: Mutex<HashMap<String, Arc<Shared>>>,
}

impl DatabaseVolume {
    /// The files of a volume and the tables of a database.
    pub fn new(files: Arc<TableVolume>, database: Database) -> DatabaseVolume {
        crate::packed::register();
        DatabaseVolume { files, joints: Mutex::default(), database, shared: Mutex::default() }
    }

    /// The transactions of a session, which its channels on keyed files take part in from now on.
    fn joint(&self, session: SessionId) -> Arc<Joint> {
        let mut joints = self.joints.lock().unwrap_or_else(PoisonError::into_inner);
        let joint = joints.entry(session).or_insert_with(|| {
            let joint = Arc::new(Joint::new(&self.database, &self.files, session));
            self.files.set_scope(session, Some(Arc::clone(&joint) as Arc<dyn TransactionScope>));
            joint
        });
        Arc::clone(joint)
    }

    /// The table of a name: `customers`, or `customers.dbf` for a DBF table.
    fn table(&self, name: &str) -> Result<Option<TableInfo>> {
        let key = name.trim().to_lowercase();
        let key = key.strip_prefix("./").unwrap_or(&key);
        let key = key.strip_suffix(".dbf").unwrap_or(key);
        let is_system = SYSTEM.iter().any(|schema| key.starts_with(schema));
        if key.is_empty() || is_system || key.contains(['/', '\\', '*', '|', '"']) {
            return Ok(None);
        }
        match self.database.describe(key) {
            Ok(info) => Ok(Some(info)),
            Err(error) if matches!(error.code(), Code::UnknownTable | Code::NotFound) => Ok(None),
            Err(error) => Err(FileError::from(error).at(name)),
        }
    }

    /// The table that a name is of; a file of this name is before it, unless it is the DBF itself.
    fn table_of(&self, name: &str) -> Result<Option<TableInfo>> {
        // `*MEMORY*` and its like are no names of files.
        if name.starts_with('*') {
            return Ok(None);
        }
        let is_dbf = name.to_ascii_lowercase().ends_with(".dbf");
        if !is_dbf && self.files.kind(name)?.is_some() {
            return Ok(None);
        }
        self.table(name)
    }

    fn shared(&self, table: &str) -> Arc<Shared> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(shared.entry(table.to_owned()).or_default())
    }
}

impl Volume for DatabaseVolume {
    fn create(&self, name: &str, definition: &FileDefinition) -> Result<()> {
        if self.table_of(name)?.is_some() {
            let message = format!("{name}: there is a table of this name already");
            return Err(FileError::new(FileErrorKind::FileExists, message));
        }
        self.files.create(name, definition)
    }

    fn open(&self, name: &str, options: &OpenOptions) -> Result<Box<dyn RecordFile>> {
        let joint = self.joint(options.session);
        let tag = SqlName::of(name);
        if let Some(SqlName::Statements) = tag {
            options.counters.count_open();
            return Ok(Box::new(SqlChannel::new(joint, name, options)));
        }
        let name = match &tag {
            Some(SqlName::Table(table)) => table.as_str(),
            _ => name,
        };
        let Some(info) = self.table_of(name)?.filter(|_| options.block_size.is_none()) else {
            return self.files.open(name, options);
        };
        options.counters.count_open();
        let mut session = self.database.session();
        let shape = Shape::of(&mut session, &info).map_err(|error| error.at(name))?;
        if options.mode == OpenMode::Purge && !shape.is_writable() {
            return Err(FileError::new(FileErrorKind::AccessMode, format!("{name}: the table can only be read")));
        }
        let locks = matches!(options.mode, OpenMode::Lock | OpenMode::Purge);
        let shared = self.shared(&info.name);
        shared.open(options.session, locks, options.wait).map_err(|error| error.at(name))?;
        let access = Access::new(&self.database, session, joint, shape, options.separator.unwrap_or(SEPARATOR));
        let mut channel = TableChannel::new(access, shared, name, options, locks);
        if options.mode == OpenMode::Purge {
            channel.purge()?;
        }
        Ok(Box::new(channel))
    }

    fn erase(&self, name: &str) -> Result<()> {
        self.files.erase(name)
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        self.files.rename(from, to)
    }

    fn refile(&self, name: &str) -> Result<()> {
        self.files.refile(name)
    }

    fn kind(&self, name: &str) -> Result<Option<FileKind>> {
        match self.table_of(name)? {
            Some(_) => Ok(Some(FileKind::Keyed)),
            None => self.files.kind(name),
        }
    }

    fn list(&self, folder: &str) -> Result<Vec<DirectoryEntry>> {
        self.files.list(folder)
    }

    fn set_layout(&self, name: &str, layout: Option<&str>) -> Result<()> {
        let before = self.files.definition(name)?;
        let plain = || FileDefinition::new(FileKind::Keyed, KeyDefinitions::default(), RecordFormat::DEFAULT);
        let definition = before.clone().unwrap_or_else(plain);
        let views = match layout {
            Some(text) => layout::views(name, &definition, text)?,
            None => Vec::new(),
        };
        self.files.set_layout(name, layout)?;
        let mut session = self.database.session();
        let mut run = |text: &str| match session.execute(text) {
            Ok(_) => Ok(()),
            Err(error) => Err(FileError::from(error).at(name)),
        };
        // A layout that cannot be read any more has left no views.
        let known = before.as_ref().and_then(|it| layout::views(name, it, it.layout.as_deref()?).ok());
        for (view, _) in known.into_iter().flatten().filter(|(old, _)| views.iter().all(|(new, _)| new != old)) {
            run(&format!("DROP VIEW IF EXISTS {view}"))?;
        }
        views.iter().try_for_each(|(_, statement)| run(statement))
    }

    fn check_layout(&self, name: &str, layout: &str) -> Result<()> {
        let plain = FileDefinition::new(FileKind::Keyed, KeyDefinitions::default(), RecordFormat::DEFAULT);
        layout::views(name, &plain, layout).map(drop)
    }

    fn transaction(&self, session: SessionId, verb: TransactionVerb) -> Result<()> {
        if matches!(verb, TransactionVerb::Begin | TransactionVerb::AutoOff | TransactionVerb::BeginAuto) {
            // Tables that are created during the transaction have to be of its store.
            self.database.native_store()?;
        }
        if verb != TransactionVerb::Close {
            return self.joint(session).transaction(verb);
        }
        self.files.set_scope(session, None);
        let joint = self.joints.lock().unwrap_or_else(PoisonError::into_inner).remove(&session);
        joint.map_or(Ok(()), |joint| joint.transaction(verb))
    }

    fn create_directory(&self, name: &str) -> Result<()> {
        self.files.create_directory(name)
    }
}
