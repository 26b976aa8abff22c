//! Users and permissions: the users of the settings, each of whom may do everything or only read.
//!
//! A script that restricts access to a table must not succeed without effect. So GRANT is answered with a warning that
//! it has no effect; DENY, REVOKE and EXECUTE AS another user, which would remove rights, are refused; and names of
//! users that do not exist are 15151, 15406 and 15517, as in SQL Server. Users, logins and roles that a script creates
//! are known by their names until the server ends, and have no rights of their own: `mainstay user add` creates users.

use crate::session::Inner;
use crate::statements::errors::raised;
use mainstay_tsql_syntax::reduce;
use mainstay_tsql_syntax::tree::{Literal, Permission, PermissionKind, Phrase, PhraseItem, Words};
use mainstay_tsql_types::Message;
use mainstay_vm::Raised;
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Principals that every database of SQL Server has.
const FIXED: [&str; 15] = [
    "dbo",
    "guest",
    "information_schema",
    "sys",
    "public",
    "sa",
    "db_owner",
    "db_accessadmin",
    "db_securityadmin",
    "db_ddladmin",
    "db_backupoperator",
    "db_datareader",
    "db_datawriter",
    "db_denydatareader",
    "db_denydatawriter",
];

/// Names that statements of all sessions know.
#[derive(Debug, Default)]
pub(crate) struct Principals {
    names: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// Users of the settings, and what CREATE USER, LOGIN and ROLE have made.
    principals: HashSet<String>,
    /// The names that CREATE DATABASE has given to the one database.
    databases: HashSet<String>,
}

impl Principals {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, name: &str) {
        self.known().principals.insert(name.to_lowercase());
    }

    pub(crate) fn remove(&self, name: &str) {
        self.known().principals.remove(&name.to_lowercase());
    }

    fn has(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        FIXED.contains(&name.as_str()) || self.known().principals.contains(&name)
    }

    pub(crate) fn add_database(&self, name: &str) {
        self.known().databases.insert(name.to_lowercase());
    }

    /// Forgets a database; false if there is none of this name.
    pub(crate) fn remove_database(&self, name: &str) -> bool {
        self.known().databases.remove(&name.to_lowercase())
    }

    pub(crate) fn has_database(&self, name: &str) -> bool {
        self.known().databases.contains(&name.to_lowercase())
    }
}

/// A message that is no error.
fn warning(text: String) -> Message {
    Message { number: 0, severity: 0, state: 1, text, procedure: None, line: 0 }
}

/// 15406 and 15517.
fn cannot_be_executed_as(number: i32, kind: &str, name: &str) -> Message {
    let text = format!(
        "Cannot execute as the {kind} principal because the principal \"{name}\" does not exist, this type of principal cannot \
         be impersonated, or you do not have permission."
    );
    Message::error(number, text)
}

impl Inner {
    fn is_principal(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case(&self.state.login) || self.instance.principals.has(name)
    }

    /// GRANT, DENY, REVOKE: the warning of a GRANT.
    ///
    /// Errors: 15151 for a user that does not exist; DENY and REVOKE are refused.
    pub(crate) fn permission(&self, permission: &Permission) -> Result<Message, Box<Raised>> {
        if let Some(unknown) = permission.principals.iter().find(|name| !self.is_principal(&name.text)) {
            return Err(raised(Message::numbered(15_151, &[&"find", &"user", &unknown.text])));
        }
        let verb = match permission.kind {
            PermissionKind::Grant => {
                let text = "GRANT has no effect: there are no permissions on objects. 'mainstay user' makes users who may \
                            do everything, or only read.";
                return Ok(warning(text.to_owned()));
            }
            PermissionKind::Deny => "DENY",
            PermissionKind::Revoke => "REVOKE",
        };
        let text = format!(
            "{verb} is not supported in this version of Mainstay: there are no permissions on objects. A user who may only \
             read is made by 'mainstay user add NAME --read-only'."
        );
        Err(raised(Message::error(40_515, text)))
    }

    /// EXECUTE AS: the session's own user is accepted.
    ///
    /// Errors: 15517 and 15406 for a user and a login that do not exist; others are refused.
    pub(crate) fn execute_as(&self, phrase: &Phrase) -> Result<(), Box<Raised>> {
        let kind = phrase.items.get(1).map(|item| match item {
            PhraseItem::Word(word) => word.text.to_ascii_uppercase(),
            _ => String::new(),
        });
        let is_login = match kind.as_deref() {
            Some("USER") => false,
            Some("LOGIN") => true,
            _ => return Ok(()),
        };
        let name = phrase.items.iter().find_map(|item| match item {
            PhraseItem::Literal(Literal::String(name)) => Some(name.as_str()),
            _ => None,
        });
        let Some(name) = name else {
            return Err(raised(reduce::not_supported("EXECUTE AS a user in a variable")));
        };
        let own = if is_login { "sa" } else { "dbo" };
        if name.eq_ignore_ascii_case(own) || name.eq_ignore_ascii_case(&self.state.login) {
            return Ok(());
        }
        match (self.is_principal(name), is_login) {
            (true, _) => Err(raised(reduce::not_supported("EXECUTE AS another user"))),
            (false, true) => Err(raised(cannot_be_executed_as(15_406, "server", name))),
            (false, false) => Err(raised(cannot_be_executed_as(15_517, "database", name))),
        }
    }

    /// CREATE and ALTER of users, logins and roles: the warning.
    pub(crate) fn principal(&self, words: &Words) -> Message {
        if let Some(name) = words.name.as_ref().filter(|_| words.verb.starts_with("CREATE")) {
            self.instance.principals.add(name.last());
        }
        let text = format!(
            "{} has no effect: 'mainstay user add NAME' makes users, and there are no permissions on objects.",
            words.verb
        );
        warning(text)
    }
}
