//! Enumeration of the objects of a dictionary.

use std::sync::{Arc, Mutex, PoisonError};

use mainstay_workarea::Mode;

use crate::border::*;
use crate::calls::dictionary::session;
use crate::constants::*;
use crate::dictionary::contents::{Contents, same};
use crate::dictionary::{Session, properties};
use crate::failure::{Failure, Result};
use crate::registry::{self, Object};

/// The names of the objects of a kind.
fn names(session: &Session, contents: &Contents, kind: u32, parent: &str) -> Result<Vec<String>> {
    let of = |kind: u32| contents.all(kind).map(|object| object.name.clone()).collect::<Vec<_>>();
    Ok(match kind {
        ADS_DD_VIEW_OR_TABLE_OBJECT => [of(ADS_DD_TABLE_OBJECT), of(ADS_DD_VIEW_OBJECT)].concat(),
        ADS_DD_TABLE_VIEW_OR_LINK_OBJECT => {
            [of(ADS_DD_TABLE_OBJECT), of(ADS_DD_VIEW_OBJECT), of(ADS_DD_LINK_OBJECT)].concat()
        }
        ADS_DD_FIELD_OBJECT => {
            let area = session.open(contents, parent, Mode::ReadOnly)?;
            area.fields().iter().map(|field| field.name.clone()).collect()
        }
        ADS_DD_INDEX_OBJECT => {
            let area = session.open(contents, parent, Mode::ReadOnly)?;
            area.orders().into_iter().map(|order| order.name).collect()
        }
        ADS_DD_INDEX_FILE_OBJECT => {
            let area = session.open(contents, parent, Mode::ReadOnly)?;
            area.index_files()
                .iter()
                .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
                .collect()
        }
        ADS_DD_USER_OBJECT if !parent.is_empty() => {
            let group = &contents.get(ADS_DD_USER_GROUP_OBJECT, "", parent)?.name;
            let is_member = |user: &&crate::dictionary::Object| user.groups().any(|known| same(known, group));
            contents.all(kind).filter(is_member).map(|user| user.name.clone()).collect()
        }
        ADS_DD_TRIGGER_OBJECT => {
            let triggers = contents.all(kind).filter(|trigger| parent.is_empty() || same(&trigger.parent, parent));
            triggers.map(|trigger| trigger.name.clone()).collect()
        }
        ADS_DD_QUALIFIED_TRIGGER_OBJ => {
            let triggers = contents.all(ADS_DD_TRIGGER_OBJECT).filter(|trigger| !trigger.parent.is_empty());
            triggers.map(|trigger| format!("{}::{}", trigger.parent, trigger.name)).collect()
        }
        ADS_DD_DATABASE_TRIGGER_OBJ => {
            contents.children(ADS_DD_TRIGGER_OBJECT, "").map(|trigger| trigger.name.clone()).collect()
        }
        ADS_DD_ARTICLE_OBJECT => {
            contents.get(ADS_DD_PUBLICATION_OBJECT, "", parent)?;
            contents.children(kind, parent).map(|article| article.name.clone()).collect()
        }
        ADS_DD_FUNCTION_OBJECT if !parent.is_empty() => {
            contents.children(kind, parent).map(|function| function.name.clone()).collect()
        }
        kind if properties::kind_name(kind).is_some() => of(kind),
        other => return Err(Failure::new(AE_INVALID_OBJECT_TYPE, other.to_string())),
    })
}

pub fn first(
    object: Handle,
    kind: u16,
    parent: Text,
    name: Buffer,
    length: Out<u16>,
    search: Out<Handle>,
) -> Result<()> {
    let session = session(object)?;
    search.required()?;
    let parent = parent.optional_string().unwrap_or_default();
    let mut found = names(&session, &*session.live.contents()?, kind.into(), &parent)?;
    if found.is_empty() {
        return Err(Failure::new(AE_NO_OBJECT_FOUND, "there is no such object"));
    }
    // They are taken from the end.
    found.reverse();
    let found = Arc::new(Mutex::new(found));
    search.set(registry::add(Object::Objects(Arc::clone(&found)))?)?;
    give(&found, name, length)
}

pub fn next(object: Handle, search: Handle, name: Buffer, length: Out<u16>) -> Result<()> {
    session(object)?;
    match registry::find(search) {
        Some(Object::Objects(names)) => give(&names, name, length),
        _ => Err(AE_INVALID_FIND_HANDLE.into()),
    }
}

/// The next name; one whose buffer is too short is given again. The length is that of the text.
fn give(names: &Mutex<Vec<String>>, buffer: Buffer, length: Out<u16>) -> Result<()> {
    let mut names = names.lock().unwrap_or_else(PoisonError::into_inner);
    let name = names.last().cloned().ok_or_else(|| Failure::new(AE_NO_OBJECT_FOUND, "there are no more"))?;
    buffer.set_text(length, name.as_bytes())?;
    names.pop();
    Ok(())
}

pub fn close(object: Handle, search: Handle) -> Result<()> {
    session(object)?;
    match registry::find(search) {
        Some(Object::Objects(_)) => {
            registry::remove(search);
            Ok(())
        }
        _ => Err(AE_INVALID_FIND_HANDLE.into()),
    }
}
