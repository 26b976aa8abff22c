//! The calls of this library that system procedures of SQL use, for the SQL engine that a program installs.
//!
//! The calls check rights: they know the user of the session. They are made with a connection of their own.

use std::sync::Arc;

use mainstay_area_session::{Activity, Calls, Given, NewIndex, On};

use crate::border::{Handle, Held, Out, Taken, Text};
use crate::calls::{indexes, tables};
use crate::connection::Connection;
use crate::constants::*;
use crate::dictionary::Session;
use crate::entries::run_of_dictionary;
use crate::failure::{Failure, Result};
use crate::management;
use crate::registry::{self, Object};

/// The calls of this library.
#[derive(Clone, Copy, Debug, Default)]
pub struct LibraryCalls;

impl Calls for LibraryCalls {
    fn of_dictionary(&self, session: &Arc<Session>, name: &str, arguments: Vec<Given>) -> Result<()> {
        call(session, name, arguments)
    }

    fn create_index(&self, on: On<'_>, table: &str, table_type: u32, new: NewIndex) -> Result<()> {
        create_index(on, table, table_type, new)
    }

    fn activity(&self) -> Activity {
        management::here()
    }
}

/// A connection that is there while something is done with it.
struct Connected(Handle);

impl Connected {
    fn new(on: On<'_>) -> Result<Connected> {
        let connection = match on {
            On::Folder(files, folder) => Connection::of_folder(Arc::clone(files), folder),
            On::Dictionary(session) => {
                Connection::to_dictionary(Arc::clone(session), &session.live.path().to_string_lossy())
            }
        };
        registry::add(Object::Connection(Arc::new(connection))).map(Connected)
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        registry::remove(self.0);
    }
}

fn call(session: &Arc<Session>, name: &str, arguments: Vec<Given>) -> Result<()> {
    let connected = Connected::new(On::Dictionary(session))?;
    let mut all = vec![Given::Number(connected.0.0 as u64)];
    all.extend(arguments);
    let done = run_of_dictionary(name, &mut Held::new(all));
    done.unwrap_or_else(|| Err(Failure::new(AE_NOT_IMPLEMENTED, format!("{name} is not supported"))))
}

fn create_index(on: On<'_>, table: &str, table_type: u32, new: NewIndex) -> Result<()> {
    let connected = Connected::new(on)?;
    let wanted = tables::Wanted {
        alias: None,
        table_type: u16::try_from(table_type).unwrap_or(0),
        char_type: 0,
        lock_type: 0,
        options: ADS_EXCLUSIVE,
        statement: None,
    };
    let opened = tables::open_named(connected.0, table.to_owned(), &wanted)?;
    let text = |text: Option<String>| text.map_or(Given::Null, |text| Given::Text(text.into_bytes()));
    let NewIndex { file, tag, expression, condition, options, collation } = new;
    let texts = [file, tag, Some(expression), condition, None, collation].map(text);
    let mut held = Held::new(texts.into_iter().chain([Given::Place(0)]).collect());
    let made = (|| {
        let mut next = || Text::take(&mut held);
        let (file, tag, expression, condition, none, collation) =
            (next()?, next()?, next()?, next()?, next()?, next()?);
        let index: Out<Handle> = Out::take(&mut held)?;
        indexes::create_90(opened, file, tag, expression, condition, none, options, 0, collation, index)
    })();
    made.and(registry::table(opened)?.close())
}
