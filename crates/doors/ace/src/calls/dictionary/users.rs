//! Users, groups, and their rights.

use crate::border::*;
use crate::calls::dictionary::{change, session};
use crate::constants::*;
use crate::dictionary::access::{self, ALL_RIGHTS};
use crate::dictionary::contents::{ADMINISTRATOR, Contents, GROUPS, Grant, join, leave, same};
use crate::failure::{Failure, Result};

pub fn create_user(dictionary: Handle, group: Text, name: Text, password: Text, description: Text) -> Result<()> {
    let session = session(dictionary)?;
    let (name, group) = (name.string()?, group.optional_string());
    // The hash takes its time: before the file is locked.
    let hash = access::hash(&password.optional_string().unwrap_or_default())?;
    change(&session, (ADS_DD_USER_OBJECT, "", "", ADS_PERMISSION_CREATE), |contents| {
        let group = match &group {
            Some(group) => Some(contents.get(ADS_DD_USER_GROUP_OBJECT, "", group)?.name.clone()),
            None => None,
        };
        let user = contents.add(ADS_DD_USER_OBJECT, "", &name)?;
        user.set_text(ADS_DD_USER_PASSWORD, hash);
        user.set_text(ADS_DD_COMMENT, description.optional_string());
        user.set_text(ADS_DD_USER_GROUP_MEMBERSHIP, group);
        Ok(())
    })
}

pub fn delete_user(dictionary: Handle, name: Text) -> Result<()> {
    let session = session(dictionary)?;
    let name = name.string()?;
    if same(&name, ADMINISTRATOR) {
        return Err(Failure::new(AE_DD_REQUEST_NOT_COMPLETED, "the administrator stays"));
    }
    change(&session, (ADS_DD_USER_OBJECT, "", &name, ADS_PERMISSION_DROP), |contents| {
        contents.remove(ADS_DD_USER_OBJECT, "", &name).map(drop)
    })
}

pub fn create_group(dictionary: Handle, name: Text, description: Text) -> Result<()> {
    let session = session(dictionary)?;
    let name = name.string()?;
    change(&session, (ADS_DD_USER_GROUP_OBJECT, "", "", ADS_PERMISSION_CREATE), |contents| {
        let group = contents.add(ADS_DD_USER_GROUP_OBJECT, "", &name)?;
        group.set_text(ADS_DD_COMMENT, description.optional_string());
        Ok(())
    })
}

pub fn delete_group(dictionary: Handle, name: Text) -> Result<()> {
    let session = session(dictionary)?;
    let name = name.string()?;
    if GROUPS.iter().any(|group| same(group, &name)) {
        return Err(Failure::new(AE_DD_REQUEST_NOT_COMPLETED, "every dictionary has this group"));
    }
    change(&session, (ADS_DD_USER_GROUP_OBJECT, "", &name, ADS_PERMISSION_DROP), |contents| {
        contents.remove(ADS_DD_USER_GROUP_OBJECT, "", &name).map(drop)
    })
}

pub fn join_group(dictionary: Handle, group: Text, user: Text) -> Result<()> {
    let session = session(dictionary)?;
    let (group, user) = (group.string()?, user.string()?);
    change(&session, (ADS_DD_USER_GROUP_OBJECT, "", &group, ADS_PERMISSION_ALTER), |contents| {
        let group = &contents.get(ADS_DD_USER_GROUP_OBJECT, "", &group)?.name.clone();
        let user = contents.get_mut(ADS_DD_USER_OBJECT, "", &user)?;
        if user.groups().any(|known| same(known, group)) {
            return Err(Failure::new(AE_ALREADY_MEMBER_OF_GROUP, group));
        }
        join(user, group);
        Ok(())
    })
}

pub fn leave_group(dictionary: Handle, group: Text, user: Text) -> Result<()> {
    let session = session(dictionary)?;
    let (group, user) = (group.string()?, user.string()?);
    change(&session, (ADS_DD_USER_GROUP_OBJECT, "", &group, ADS_PERMISSION_ALTER), |contents| {
        contents.get(ADS_DD_USER_GROUP_OBJECT, "", &group)?;
        let user = contents.get_mut(ADS_DD_USER_OBJECT, "", &user)?;
        if !user.groups().any(|known| same(known, &group)) {
            return Err(Failure::new(AE_NOT_MEMBER_OF_GROUP, &group));
        }
        leave(user, &group);
        Ok(())
    })
}

/// The rights that there are to objects of a kind.
fn rights_to(kind: u32) -> Option<u32> {
    const OBJECT: u32 = ADS_PERMISSION_ALTER | ADS_PERMISSION_DROP | ADS_PERMISSION_CREATE;
    const ROWS: u32 = ADS_PERMISSION_READ | ADS_PERMISSION_UPDATE | ADS_PERMISSION_INSERT;
    Some(match kind {
        ADS_DD_TABLE_OBJECT | ADS_DD_VIEW_OBJECT => OBJECT | ROWS | ADS_PERMISSION_DELETE | ADS_PERMISSION_INHERIT,
        ADS_DD_FIELD_OBJECT => ROWS,
        ADS_DD_PROCEDURE_OBJECT | ADS_DD_FUNCTION_OBJECT | ADS_DD_PACKAGE_OBJECT => {
            OBJECT | ADS_PERMISSION_EXECUTE | ADS_PERMISSION_INHERIT
        }
        ADS_DD_LINK_OBJECT => OBJECT | ADS_PERMISSION_LINK_ACCESS | ADS_PERMISSION_INHERIT,
        ADS_DD_PUBLICATION_OBJECT | ADS_DD_SUBSCRIPTION_OBJECT => OBJECT | ADS_PERMISSION_INHERIT,
        ADS_DD_USER_OBJECT | ADS_DD_USER_GROUP_OBJECT | ADS_DD_RELATION_OBJECT => OBJECT,
        ADS_DD_DATABASE_OBJECT => ADS_PERMISSION_ALTER,
        _ => return None,
    })
}

/// An object as a call about permissions names it: kind, parent and name as the dictionary has them. Without a name it is
/// the right to make objects of the kind.
fn object_of(contents: &Contents, kind: u32, name: Option<String>, parent: Option<String>) -> Result<(String, String)> {
    if rights_to(kind).is_none() {
        return Err(Failure::new(AE_INVALID_OBJECT_TYPE, kind.to_string()));
    }
    let Some(name) = name else { return Ok((String::new(), String::new())) };
    match kind {
        ADS_DD_DATABASE_OBJECT => Ok((String::new(), String::new())),
        ADS_DD_FIELD_OBJECT => {
            let parent = parent.unwrap_or_default();
            let table = contents.get(ADS_DD_TABLE_OBJECT, "", &parent)?;
            Ok((table.name.clone(), name))
        }
        _ => Ok((String::new(), contents.get(kind, "", &name)?.name.clone())),
    }
}

fn grantee_of(contents: &Contents, name: &str) -> Result<(String, bool)> {
    let user = contents.find(ADS_DD_USER_OBJECT, "", name).map(|user| (user.name.clone(), true));
    let group = || contents.get(ADS_DD_USER_GROUP_OBJECT, "", name).map(|group| (group.name.clone(), false));
    user.map_or_else(group, Ok)
}

/// The permissions that a call requests, and true if they may be granted on. Asking for all is asking for what there
/// is.
fn wanted(permissions: u32, kind: u32, is_user: bool, creates: bool) -> Result<(u32, bool)> {
    let with_grant = permissions & ADS_PERMISSION_WITH_GRANT != 0;
    let mut possible = rights_to(kind).unwrap_or(0);
    if !is_user {
        possible &= !ADS_PERMISSION_INHERIT;
    }
    let is_all = permissions == ADS_PERMISSION_ALL || permissions == ADS_PERMISSION_ALL_WITH_GRANT;
    if is_all {
        return Ok((possible & !ADS_PERMISSION_CREATE, permissions == ADS_PERMISSION_ALL_WITH_GRANT));
    }
    let rights = permissions & !ADS_PERMISSION_WITH_GRANT;
    let only_creates = rights == ADS_PERMISSION_CREATE;
    if rights == 0 || rights & !possible & ALL_RIGHTS != 0 || rights & !ALL_RIGHTS != 0 || creates != only_creates {
        let reason = format!("{permissions:#x} is not to be had for objects of kind {kind}");
        return Err(Failure::new(AE_INVALID_OBJECT_PERMISSION, reason));
    }
    Ok((rights, with_grant))
}

pub fn grant(connection: Handle, kind: u16, object: Text, parent: Text, grantee: Text, permissions: u32) -> Result<()> {
    give(connection, kind, (object, parent), grantee, permissions, true)
}

pub fn revoke(
    connection: Handle,
    kind: u16,
    object: Text,
    parent: Text,
    grantee: Text,
    permissions: u32,
) -> Result<()> {
    give(connection, kind, (object, parent), grantee, permissions, false)
}

fn give(
    connection: Handle,
    kind: u16,
    (object, parent): (Text, Text),
    grantee: Text,
    permissions: u32,
    gives: bool,
) -> Result<()> {
    let session = session(connection)?;
    let kind = u32::from(kind);
    let (object, parent, grantee) = (object.optional_string(), parent.optional_string(), grantee.string()?);
    session.live.change(|contents| {
        let (parent, name) = object_of(contents, kind, object, parent)?;
        let (grantee, is_user) = grantee_of(contents, &grantee)?;
        let creates = name.is_empty() && kind != ADS_DD_DATABASE_OBJECT;
        let (rights, with_grant) = wanted(permissions, kind, is_user, creates)?;
        let administers = session.access.is_administrator(contents);
        let needs_administrator = rights & ADS_PERMISSION_INHERIT != 0 && !administers;
        if needs_administrator || !session.access.may_grant(contents, kind, &parent, &name, rights) {
            return Err(Failure::new(AE_PERMISSION_DENIED, "the right to give this on was not given"));
        }
        let is_it = |grant: &Grant| {
            grant.kind == kind
                && same(&grant.grantee, &grantee)
                && same(&grant.name, &name)
                && same(&grant.parent, &parent)
        };
        let at = contents.grants.iter().position(is_it);
        let at = at.unwrap_or_else(|| {
            // A user without any grant has the right to inherit.
            let inherits = is_user && kind != ADS_DD_FIELD_OBJECT && !creates;
            let permissions = if inherits { ADS_PERMISSION_INHERIT } else { 0 };
            contents.grants.push(Grant { kind, parent, name, grantee, permissions, grantable: 0 });
            contents.grants.len() - 1
        });
        let Some(grant) = contents.grants.get_mut(at) else { return Err(AE_INTERNAL_ERROR.into()) };
        match gives {
            true => {
                grant.permissions |= rights;
                grant.grantable |= if with_grant { rights & !ADS_PERMISSION_INHERIT } else { 0 };
            }
            false => {
                // Taking back the right to give on alone leaves the right itself.
                grant.permissions &= if with_grant { u32::MAX } else { !rights };
                grant.grantable &= !rights;
            }
        }
        Ok(())
    })
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn permissions(
    connection: Handle,
    grantee: Text,
    kind: u16,
    object: Text,
    parent: Text,
    inherited: u16,
    permissions: Out<u32>,
) -> Result<()> {
    let session = session(connection)?;
    let contents = session.live.contents()?;
    let kind = u32::from(kind);
    let asked = permissions.get()?;
    let (grantee, is_user) = grantee_of(&contents, &grantee.string()?)?;
    let is_own = same(&grantee, &session.access.user);
    let grantee_kind = if is_user { ADS_DD_USER_OBJECT } else { ADS_DD_USER_GROUP_OBJECT };
    if !is_own {
        session.access.require(&contents, grantee_kind, "", &grantee, ADS_PERMISSION_ALTER)?;
    }
    let creates = matches!(asked, ADS_GET_PERMISSIONS_CREATE | ADS_GET_PERMISSIONS_CREATE_WITH_GRANT);
    let object = if creates { None } else { object.optional_string() };
    let (parent, name) = object_of(&contents, kind, object, parent.optional_string())?;
    let (rights, grantable) = match inherited {
        0 => access::granted(&contents, &grantee, kind, &parent, &name).unwrap_or_else(|| {
            let by_default = is_user && kind != ADS_DD_FIELD_OBJECT && !creates;
            (if by_default { ADS_PERMISSION_INHERIT } else { 0 }, 0)
        }),
        _ if same(&grantee, ADMINISTRATOR) => (rights_to(kind).unwrap_or(0), rights_to(kind).unwrap_or(0)),
        _ => access::effective(&contents, &grantee, kind, &parent, &name),
    };
    permissions.set(match asked {
        ADS_GET_PERMISSIONS_WITH_GRANT | ADS_GET_PERMISSIONS_CREATE_WITH_GRANT => grantable,
        _ => rights,
    })
}

/// The connected user's rights to a table, as one number.
pub fn verify(object: Handle, table: Text, rights: Out<u32>) -> Result<()> {
    let session = session(object)?;
    let contents = session.live.contents()?;
    let table = contents.get(ADS_DD_TABLE_OBJECT, "", &table.string()?)?;
    rights.set(session.access.rights(&contents, ADS_DD_TABLE_OBJECT, "", &table.name))
}

/// The form of granting before there were single permissions: `R` to read, `W` to write too, and nothing at all.
pub fn set_rights(dictionary: Handle, object: Text, accessor: Text, allowed: Text) -> Result<()> {
    let session = session(dictionary)?;
    let (object, accessor) = (object.string()?, accessor.string()?);
    let allowed = allowed.optional_string().unwrap_or_default().to_ascii_uppercase();
    const ROWS: u32 = ADS_PERMISSION_UPDATE | ADS_PERMISSION_INSERT | ADS_PERMISSION_DELETE;
    let rights = match allowed.as_str() {
        "" => 0,
        "R" => ADS_PERMISSION_READ,
        "W" | "RW" => ADS_PERMISSION_READ | ROWS,
        _ => return Err(Failure::new(AE_INVALID_OBJECT_RIGHT, allowed)),
    };
    session.live.change(|contents| {
        let table = contents.get(ADS_DD_TABLE_OBJECT, "", &object)?.name.clone();
        let (grantee, is_user) = grantee_of(contents, &accessor)?;
        let data = ADS_PERMISSION_READ | ROWS;
        if !session.access.may_grant(contents, ADS_DD_TABLE_OBJECT, "", &table, data) {
            return Err(AE_PERMISSION_DENIED.into());
        }
        let known = access::granted(contents, &grantee, ADS_DD_TABLE_OBJECT, "", &table);
        let by_default = if is_user { ADS_PERMISSION_INHERIT } else { 0 };
        let (before, grantable) = known.unwrap_or((by_default, 0));
        let is_it = |grant: &Grant| {
            grant.kind == ADS_DD_TABLE_OBJECT && same(&grant.grantee, &grantee) && same(&grant.name, &table)
        };
        contents.grants.retain(|grant| !is_it(grant));
        let permissions = before & !data | rights;
        let (kind, parent) = (ADS_DD_TABLE_OBJECT, String::new());
        contents.grants.push(Grant { kind, parent, name: table, grantee, permissions, grantable });
        Ok(())
    })
}
