//! The user who has logged in, and the rights of that user.
//!
//! A right comes from a grant to the user, and (unless the right to inherit was revoked for the object) from grants to
//! the user's groups, of which `DB:Public` includes every user. The administrator, and members of `DB:Admin`, have all
//! rights. A right to a table is a right to all its columns.
//!
//! A setting of the database decides if rights to *data* are checked (`ADS_DD_VERIFY_ACCESS_RIGHTS`); rights to
//! *objects* (to create, alter and drop them) are always checked.
//!
//! A password is stored as its hash. A user without a password logs in without one.

use std::sync::LazyLock;

use mainstay_password_hash::Checker;

use crate::constants::*;
use crate::contents::{ADMINISTRATOR, ADMINISTRATORS, Contents, EVERYBODY, Object, same};
use crate::failure::{Failure, Result};
use crate::live::Live;

/// Rights to use records, procedures and links.
pub const DATA_RIGHTS: u32 = ADS_PERMISSION_READ
    | ADS_PERMISSION_UPDATE
    | ADS_PERMISSION_INSERT
    | ADS_PERMISSION_DELETE
    | ADS_PERMISSION_EXECUTE
    | ADS_PERMISSION_LINK_ACCESS;

/// All rights that there are.
pub const ALL_RIGHTS: u32 =
    DATA_RIGHTS | ADS_PERMISSION_INHERIT | ADS_PERMISSION_CREATE | ADS_PERMISSION_ALTER | ADS_PERMISSION_DROP;

static CHECKER: LazyLock<Checker> = LazyLock::new(|| Checker::new(None));

/// The hash of a password, and nothing for an empty one.
pub fn hash(password: &str) -> Result<Option<String>> {
    match password {
        "" => Ok(None),
        password => Ok(Some(mainstay_password_hash::hash(password)?)),
    }
}

/// Returns true if a password is that of the user.
pub fn is_password(user: &Object, password: &str) -> bool {
    match user.text(ADS_DD_USER_PASSWORD) {
        None => password.is_empty(),
        hash => CHECKER.matches(password, hash),
    }
}

/// A logged-in user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The user's name as in the dictionary; empty for an anonymous user.
    pub user: String,
}

impl Access {
    /// The administrator.
    pub fn administrator() -> Access {
        Access { user: ADMINISTRATOR.to_owned() }
    }

    /// Logs in: anonymously where the database allows that, else with a password.
    ///
    /// Errors: AE_AUTHENTICATION_FAILED, AE_LOGINS_DISABLED, AE_USER_LOGIN_DISABLED.
    pub fn log_in(live: &Live, user: &str, password: &str) -> Result<Access> {
        let contents = live.contents()?;
        if contents.is_on(ADS_DD_LOGINS_DISABLED) && !same(user, ADMINISTRATOR) {
            let message = contents.database().and_then(|database| database.text(ADS_DD_LOGINS_DISABLED_ERRSTR));
            return Err(Failure::new(AE_LOGINS_DISABLED, message.unwrap_or("logins are disabled")));
        }
        if user.is_empty() {
            return match contents.is_on(ADS_DD_LOG_IN_REQUIRED) {
                true => Err(Failure::new(AE_AUTHENTICATION_FAILED, "the database wants a user and a password")),
                false => Ok(Access { user: String::new() }),
            };
        }
        let wrong = || Failure::new(AE_AUTHENTICATION_FAILED, "there is no such user, or the password is another");
        let known = contents.find(ADS_DD_USER_OBJECT, "", user).ok_or_else(wrong)?;
        if known.number(ADS_DD_LOGINS_DISABLED) != 0 && !same(user, ADMINISTRATOR) {
            return Err(Failure::new(AE_USER_LOGIN_DISABLED, known.name.clone()));
        }
        let name = known.name.clone();
        // Passwords of the vendor's format cannot be compared; a user with access to the files may read them.
        if contents.is_read_only {
            return Ok(Access { user: name });
        }
        if !is_password(known, password) {
            count_failure(live, &contents, &name)?;
            return Err(wrong());
        }
        if known.number(ADS_DD_USER_BAD_LOGINS) != 0 {
            live.change(|contents| {
                contents.get_mut(ADS_DD_USER_OBJECT, "", &name)?.properties.remove(&ADS_DD_USER_BAD_LOGINS);
                Ok(())
            })?;
        }
        Ok(Access { user: name })
    }

    /// Returns true if the user has all rights.
    pub fn is_administrator(&self, contents: &Contents) -> bool {
        same(&self.user, ADMINISTRATOR)
            || contents
                .find(ADS_DD_USER_OBJECT, "", &self.user)
                .is_some_and(|user| user.groups().any(|group| same(group, ADMINISTRATORS)))
    }

    /// The user's rights to an object.
    pub fn rights(&self, contents: &Contents, kind: u32, parent: &str, name: &str) -> u32 {
        if contents.is_read_only {
            return ADS_PERMISSION_READ;
        }
        if self.is_administrator(contents) {
            return ALL_RIGHTS;
        }
        let of_data = match contents.is_on(ADS_DD_VERIFY_ACCESS_RIGHTS) {
            true => 0,
            false => DATA_RIGHTS,
        };
        of_data | effective(contents, &self.user, kind, parent, name).0
    }

    /// Returns true if the user may grant a right to others.
    pub fn may_grant(&self, contents: &Contents, kind: u32, parent: &str, name: &str, permissions: u32) -> bool {
        self.is_administrator(contents) || permissions & !effective(contents, &self.user, kind, parent, name).1 == 0
    }

    /// Checks that the user has all these rights.
    ///
    /// Errors: AE_PERMISSION_DENIED.
    pub fn require(&self, contents: &Contents, kind: u32, parent: &str, name: &str, rights: u32) -> Result<()> {
        match self.rights(contents, kind, parent, name) & rights == rights {
            true => Ok(()),
            false => Err(Failure::new(AE_PERMISSION_DENIED, format!("user '{}' may not do this", self.user))),
        }
    }
}

/// Counts a wrong password, and shuts the user out where the database asks for that.
fn count_failure(live: &Live, contents: &Contents, name: &str) -> Result<()> {
    if !contents.is_on(ADS_DD_ENFORCE_MAX_FAILED_LOGINS) || same(name, ADMINISTRATOR) {
        return Ok(());
    }
    let most = contents.database().map_or(0, |database| database.number(ADS_DD_MAX_FAILED_ATTEMPTS));
    live.change(|contents| {
        let user = contents.get_mut(ADS_DD_USER_OBJECT, "", name)?;
        let failed = user.number(ADS_DD_USER_BAD_LOGINS).saturating_add(1);
        user.set_number(ADS_DD_USER_BAD_LOGINS, failed.min(0xFFFF));
        if most > 0 && failed > most {
            user.set_number(ADS_DD_LOGINS_DISABLED, 1);
        }
        Ok(())
    })
}

/// The grant to one grantee about an object, by name; `None` if there never was one.
pub fn granted(contents: &Contents, grantee: &str, kind: u32, parent: &str, name: &str) -> Option<(u32, u32)> {
    let grant = contents.grants.iter().find(|grant| {
        grant.kind == kind && same(&grant.grantee, grantee) && same(&grant.name, name) && same(&grant.parent, parent)
    });
    grant.map(|grant| (grant.permissions, grant.grantable))
}

/// The rights of a user or a group to an object, direct and through groups, and those of them that may be granted on.
pub fn effective(contents: &Contents, grantee: &str, kind: u32, parent: &str, name: &str) -> (u32, u32) {
    let is_user = contents.find(ADS_DD_USER_GROUP_OBJECT, "", grantee).is_none();
    let by_default = if is_user { ADS_PERMISSION_INHERIT } else { 0 };
    let of = |grantee: &str, kind: u32, parent: &str, name: &str| granted(contents, grantee, kind, parent, name);
    let (mut rights, mut grantable) = of(grantee, kind, parent, name).unwrap_or((by_default, 0));
    if kind == ADS_DD_FIELD_OBJECT {
        // A right to the table is a right to its columns; the table also decides if it is inherited.
        let (of_table, grantable_of_table) = effective(contents, grantee, ADS_DD_TABLE_OBJECT, "", parent);
        let of_columns = ADS_PERMISSION_READ | ADS_PERMISSION_UPDATE | ADS_PERMISSION_INSERT;
        rights = rights & !ADS_PERMISSION_INHERIT | of_table & (of_columns | ADS_PERMISSION_INHERIT);
        grantable |= grantable_of_table & of_columns;
    }
    if !is_user || rights & ADS_PERMISSION_INHERIT == 0 {
        return (rights, grantable);
    }
    let user = contents.find(ADS_DD_USER_OBJECT, "", grantee);
    let groups = user.into_iter().flat_map(Object::groups).chain([EVERYBODY]);
    for group in groups {
        let (more, more_grantable) = match kind {
            ADS_DD_FIELD_OBJECT => effective(contents, group, kind, parent, name),
            _ => of(group, kind, parent, name).unwrap_or((0, 0)),
        };
        (rights, grantable) = (rights | more, grantable | more_grantable);
    }
    (rights, grantable)
}
