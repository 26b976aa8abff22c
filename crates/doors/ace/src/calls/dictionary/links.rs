//! Links to other dictionaries; publications and subscriptions, which are stored and have no effect.

use std::sync::PoisonError;

use crate::border::*;
use crate::calls::dictionary::{change, session};
use crate::constants::*;
use crate::dictionary::access::Access;
use crate::dictionary::contents::{Object, same};
use crate::dictionary::session::Link;
use crate::dictionary::{Live, Session};
use crate::failure::{Failure, Result};

/// Checks that the target of a link is a dictionary, and that its user can log in there.
fn check(session: &Session, path: &str, user: Option<&str>, password: &str) -> Result<()> {
    let failed = |failure: Failure| Failure::new(AE_LINK_ACTIVATION_FAILED, failure.into_detail());
    let live = Live::open(std::sync::Arc::clone(&session.files), &session.path_of(path)).map_err(failed)?;
    match user {
        Some(user) => Access::log_in(&live, user, password).map(drop).map_err(failed),
        None => Ok(()),
    }
}

/// The user of a link; `None` if it is the connected user.
fn user_of(options: u32, user: Text) -> Option<String> {
    match options & ADS_LINK_AUTH_ACTIVE_USER {
        0 => Some(user.optional_string().unwrap_or_default()),
        _ => None,
    }
}

fn fill(
    session: &Session,
    link: &mut Object,
    path: &str,
    options: u32,
    user: Option<String>,
    password: Option<String>,
) {
    let path = match options & ADS_LINK_PATH_IS_STATIC {
        0 => session.stored(&session.path_of(path)),
        _ => session.path_of(path).to_string_lossy().into_owned(),
    };
    link.set_text(ADS_DD_LINK_PATH, Some(path));
    link.set_number(ADS_DD_LINK_OPTIONS, options);
    link.set_text(ADS_DD_LINK_USERNAME, user);
    link.set_text(ADS_DD_USER_PASSWORD, password);
}

pub fn create(connection: Handle, name: Text, path: Text, user: Text, password: Text, options: u32) -> Result<()> {
    let session = session(connection)?;
    let (name, path, user) = (name.string()?, path.string()?, user_of(options, user));
    let password = password.optional_string();
    check(&session, &path, user.as_deref(), password.as_deref().unwrap_or_default())?;
    let mut links = session.links.lock().unwrap_or_else(PoisonError::into_inner);
    let taken = || Failure::new(AE_INVALID_OBJECT_NAME, format!("there is a link or another object {name} already"));
    if links.iter().any(|link| same(&link.name, &name)) {
        return Err(taken());
    }
    if options & ADS_LINK_GLOBAL == 0 {
        if session.live.contents()?.find(ADS_DD_LINK_OBJECT, "", &name).is_some() {
            return Err(taken());
        }
        let path = session.path_of(&path).to_string_lossy().into_owned();
        links.push(Link { name, path });
        return Ok(());
    }
    change(&session, (ADS_DD_LINK_OBJECT, "", "", ADS_PERMISSION_CREATE), |contents| {
        let link = contents.add(ADS_DD_LINK_OBJECT, "", &name)?;
        fill(&session, link, &path, options, user, password);
        Ok(())
    })
}

pub fn modify(connection: Handle, name: Text, path: Text, user: Text, password: Text, options: u32) -> Result<()> {
    let session = session(connection)?;
    let (name, path, user) = (name.string()?, path.string()?, user_of(options, user));
    let password = password.optional_string();
    change(&session, (ADS_DD_LINK_OBJECT, "", &name, ADS_PERMISSION_ALTER), |contents| {
        let link = contents.get_mut(ADS_DD_LINK_OBJECT, "", &name)?;
        check(&session, &path, user.as_deref(), password.as_deref().unwrap_or_default())?;
        fill(&session, link, &path, options | ADS_LINK_GLOBAL, user, password);
        Ok(())
    })
}

/// Drops a link of this connection, by name or path, or a global one by name.
pub fn drop_link(connection: Handle, name: Text, global: u16) -> Result<()> {
    let session = session(connection)?;
    let name = name.string()?;
    if global != 0 {
        return change(&session, (ADS_DD_LINK_OBJECT, "", &name, ADS_PERMISSION_DROP), |contents| {
            contents.remove(ADS_DD_LINK_OBJECT, "", &name).map(drop)
        });
    }
    let mut links = session.links.lock().unwrap_or_else(PoisonError::into_inner);
    let path = session.path_of(&name).to_string_lossy().into_owned();
    match links.iter().position(|link| same(&link.name, &name) || link.path == path) {
        Some(at) => {
            links.remove(at);
            Ok(())
        }
        None => Err(Failure::new(AE_INVALID_OBJECT_NAME, name)),
    }
}

pub fn count_active(connection: Handle, count: Out<u16>) -> Result<()> {
    let connection = crate::registry::connection(connection)?;
    let links = connection
        .dictionary
        .as_ref()
        .map_or(0, |session| session.links.lock().unwrap_or_else(PoisonError::into_inner).len());
    count.set(u16::try_from(links).unwrap_or(u16::MAX))
}

/// A link of this connection, by its number from 1: `name;path`.
pub fn active(connection: Handle, number: u16, info: Buffer, length: Out<u16>) -> Result<()> {
    let session = session(connection)?;
    let links = session.links.lock().unwrap_or_else(PoisonError::into_inner);
    let link = usize::from(number).checked_sub(1).and_then(|place| links.get(place));
    let link = link.ok_or_else(|| Failure::new(AE_INVALID_LINK_NUMBER, number.to_string()))?;
    info.set_text(length, format!("{};{}", link.name, link.path).as_bytes())
}

pub fn create_publication(dictionary: Handle, name: Text, comments: Text, options: u32) -> Result<()> {
    let session = session(dictionary)?;
    let name = name.string()?;
    change(&session, (ADS_DD_PUBLICATION_OBJECT, "", "", ADS_PERMISSION_CREATE), |contents| {
        let publication = contents.add(ADS_DD_PUBLICATION_OBJECT, "", &name)?;
        publication.set_text(ADS_DD_COMMENT, comments.optional_string());
        publication.set_number(ADS_DD_PUBLICATION_OPTIONS, options);
        Ok(())
    })
}

pub fn delete_publication(dictionary: Handle, name: Text) -> Result<()> {
    let session = session(dictionary)?;
    let name = name.string()?;
    change(&session, (ADS_DD_PUBLICATION_OBJECT, "", &name, ADS_PERMISSION_DROP), |contents| {
        contents.remove(ADS_DD_PUBLICATION_OBJECT, "", &name).map(drop)
    })
}

pub fn create_article(
    dictionary: Handle,
    publication: Text,
    table: Text,
    columns: Text,
    filter: Text,
    options: u32,
) -> Result<()> {
    let session = session(dictionary)?;
    let (publication, table) = (publication.string()?, table.string()?);
    change(&session, (ADS_DD_PUBLICATION_OBJECT, "", &publication, ADS_PERMISSION_ALTER), |contents| {
        let parent = contents.get(ADS_DD_PUBLICATION_OBJECT, "", &publication)?.name.clone();
        let table = contents.get(ADS_DD_TABLE_OBJECT, "", &table)?.name.clone();
        let article = contents.add(ADS_DD_ARTICLE_OBJECT, &parent, &table)?;
        article.set_text(ADS_DD_ARTICLE_ID_COLUMNS, columns.optional_string());
        article.set_text(ADS_DD_ARTICLE_FILTER, filter.optional_string());
        article.set_number(ADS_DD_OPTIONS, options);
        Ok(())
    })
}

pub fn delete_article(dictionary: Handle, publication: Text, table: Text) -> Result<()> {
    let session = session(dictionary)?;
    let (publication, table) = (publication.string()?, table.string()?);
    change(&session, (ADS_DD_PUBLICATION_OBJECT, "", &publication, ADS_PERMISSION_ALTER), |contents| {
        contents.remove(ADS_DD_ARTICLE_OBJECT, &publication, &table).map(drop)
    })
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn create_subscription(
    dictionary: Handle,
    name: Text,
    publication: Text,
    target: Text,
    user: Text,
    _password: Text,
    queue: Text,
    forward: u16,
    comments: Text,
    options: u32,
) -> Result<()> {
    let session = session(dictionary)?;
    let (name, publication, target) = (name.string()?, publication.string()?, target.string()?);
    change(&session, (ADS_DD_SUBSCRIPTION_OBJECT, "", "", ADS_PERMISSION_CREATE), |contents| {
        let publication = contents.get(ADS_DD_PUBLICATION_OBJECT, "", &publication)?.name.clone();
        let subscription = contents.add(ADS_DD_SUBSCRIPTION_OBJECT, "", &name)?;
        subscription.set_text(ADS_DD_SUBSCR_PUBLICATION_NAME, Some(publication));
        subscription.set_text(ADS_DD_SUBSCR_TARGET, Some(target));
        subscription.set_text(ADS_DD_SUBSCR_USERNAME, user.optional_string());
        subscription.set_text(ADS_DD_SUBSCR_QUEUE_NAME, queue.optional_string());
        subscription.set_text(ADS_DD_COMMENT, comments.optional_string());
        subscription.set_number(ADS_DD_SUBSCR_FORWARD, forward.into());
        subscription.set_number(ADS_DD_SUBSCR_OPTIONS, options);
        Ok(())
    })
}

pub fn delete_subscription(dictionary: Handle, name: Text) -> Result<()> {
    let session = session(dictionary)?;
    let name = name.string()?;
    change(&session, (ADS_DD_SUBSCRIPTION_OBJECT, "", &name, ADS_PERMISSION_DROP), |contents| {
        contents.remove(ADS_DD_SUBSCRIPTION_OBJECT, "", &name).map(drop)
    })
}
