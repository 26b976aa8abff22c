//! Live cursors: the records of a table that a SELECT shows, in the table itself.
//!
//! ```text
//!   Table -- area of the base table -- predicate: is the record a member?
//!                                  \-- rules: after a record was written, is it one now?   --> the statements' session
//! ```
//! The members are known by their record numbers. They are queried when the cursor is opened, when a statement of the
//! connection has changed rows, and by `AdsRefreshAOF`; a record that is written through the cursor is queried by
//! itself. So a record that no longer meets the condition is gone with the next move, and a new one appears.
//!
//! For a table of a server, the server queries and stores them (`navigator::server`).
//!
//! Limits: changes by other users and other handles appear after `AdsRefreshAOF`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use mainstay_navigator::live::Rows;
use mainstay_workarea::{Area, RecordRules};

use crate::backend::Live;
use crate::connection::Connection;
use crate::failure::Result;
use crate::settings;

/// The records of a live cursor.
#[derive(Debug)]
pub struct Members {
    connection: Weak<Connection>,
    /// The query of their numbers; none if every record is one.
    query: Option<String>,
    rows: Arc<Rows>,
    is_stale: AtomicBool,
    /// The server knows them.
    pub are_far: bool,
}

impl Members {
    /// Asks for the members.
    ///
    /// Errors: those of the query.
    pub fn new(connection: &Arc<Connection>, live: &Live) -> Result<Arc<Members>> {
        let query = live.members.clone();
        let rows = if query.is_some() { Rows::none() } else { Rows::all() };
        let connection = Arc::downgrade(connection);
        let members = Members { connection, query, rows, is_stale: AtomicBool::new(false), are_far: false };
        members.read()?;
        Ok(Arc::new(members))
    }

    /// Those of a table that a server shows these records of.
    pub fn far() -> Arc<Members> {
        let (connection, query, rows) = (Weak::new(), None, Rows::all());
        Arc::new(Members { connection, query, rows, is_stale: AtomicBool::new(false), are_far: true })
    }

    fn ask(&self, record: Option<u32>) -> Result<Vec<u32>> {
        match (&self.query, self.connection.upgrade()) {
            (Some(query), Some(connection)) => connection.sql(|session| {
                session.set_show_deleted(settings::read(|settings| settings.show_deleted));
                Ok(session.members(query, record)?)
            }),
            _ => Ok(Vec::new()),
        }
    }

    fn read(&self) -> Result<()> {
        self.rows.replace(&self.ask(None)?);
        Ok(())
    }

    /// The members are to be asked for again before the cursor is used next.
    pub fn forget(&self) {
        self.is_stale.store(true, Ordering::Release);
    }

    /// Asks for them again if that is to be done; whether it was.
    ///
    /// Errors: those of the query.
    pub fn refresh(&self) -> Result<bool> {
        if !self.is_stale.swap(false, Ordering::AcqRel) {
            return Ok(false);
        }
        self.read().map(|()| true)
    }

    /// Returns true if a record is a member, by its number alone.
    pub fn has(&self, record: u32) -> bool {
        self.rows.has(record)
    }

    /// The records that an area shows.
    pub fn predicate(&self, layout: mainstay_xbase::adt::RecordLayout) -> mainstay_workarea::Predicate {
        self.rows.predicate(layout)
    }
}

/// Watches records that are written through a live cursor, behind the rules that its table has.
#[derive(Debug)]
pub struct Watch {
    /// The rules of the table.
    pub rules: Option<Arc<dyn RecordRules>>,
    /// The members.
    pub members: Arc<Members>,
}

impl RecordRules for Watch {
    fn appended(&self, area: &mut Area) -> mainstay_types::Result<()> {
        // Until it is written it is what the program works on.
        self.members.rows.set(area.record_number(), true);
        self.rules.as_ref().map_or(Ok(()), |rules| rules.appended(area))
    }

    fn before_write(&self, area: &mut Area) -> mainstay_types::Result<()> {
        self.rules.as_ref().map_or(Ok(()), |rules| rules.before_write(area))
    }

    fn after_write(&self, area: &mut Area) -> mainstay_types::Result<()> {
        self.rules.as_ref().map_or(Ok(()), |rules| rules.after_write(area))?;
        area.flush()?;
        let record = area.record_number();
        match self.members.ask(Some(record)) {
            Ok(found) => self.members.rows.set(record, !found.is_empty()),
            // It is written all the same: what cannot be asked for now is when the cursor is used next.
            Err(_) => self.members.forget(),
        }
        // Results computed from the previous predicate are stale.
        area.set_predicate(Some(self.members.predicate(area.header().layout)));
        Ok(())
    }

    fn write_failed(&self, area: &mut Area) {
        if let Some(rules) = &self.rules {
            rules.write_failed(area);
        }
    }

    fn cancelled(&self, area: &mut Area) -> mainstay_types::Result<()> {
        match &self.rules {
            Some(rules) => rules.cancelled(area),
            None => area.cancel_appended(),
        }
    }
}

/// Has an area show the members only.
pub fn restrict(area: &mut Area, members: &Arc<Members>) {
    let rules = area.rules();
    area.set_predicate(Some(members.predicate(area.header().layout)));
    if members.query.is_some() {
        area.set_rules(Some(Arc::new(Watch { rules, members: Arc::clone(members) })));
    }
}
