//! `mainstay user`: the users of a folder's server, in its `mainstay.toml`.
//!
//! ```text
//!   user add ann --read-only   password (twice at a terminal, or the first line of a pipe) -> argon2id hash -> [[server.users]]
//!   user passwd ann            another hash
//!   user list, user remove
//! ```
//!
//! The file belongs to the administrator: comments, order and the permissions of the file stay as they are. A running
//! server reads the users again at the next login after a change.

mod password;
mod settings;

pub(crate) use password::typed as ask_once;

use crate::arguments::UserAction;
use crate::complain;
use crate::exit::Exit;
use mainstay_server::Config;
use mainstay_server::password::hash;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::Disk;
use settings::UsersFile;
use std::io::{self, Write};
use std::path::Path;

/// Runs a command about users.
pub(crate) fn run(folder: &Path, action: &UserAction) -> Exit {
    match carry_out(folder, action) {
        Ok(()) => Exit::Success,
        Err(error) => {
            complain(&error);
            match error.code() {
                Code::Cancelled => Exit::Interrupted,
                Code::NotFound | Code::InvalidSetting if error.place().is_some() => Exit::CannotOpen,
                _ => Exit::StatementFailed,
            }
        }
    }
}

fn carry_out(folder: &Path, action: &UserAction) -> Result<()> {
    let mut file = UsersFile::open(folder)?;
    match action {
        UserAction::Add { name, read_only } => {
            check_name(name)?;
            if file.names().iter().any(|known| known.eq_ignore_ascii_case(name)) {
                let error = Error::new(Code::Duplicate, format!("there is a user \"{name}\" already"));
                return Err(error.hint("mainstay user passwd changes the password"));
            }
            file.add(name, &hash(&password::ask(name)?)?, *read_only)?;
            save(&file, &format!("user \"{name}\" added"))
        }
        UserAction::Passwd { name } => {
            file.check_known(name)?;
            file.set_password(name, &hash(&password::ask(name)?)?)?;
            save(&file, &format!("password of user \"{name}\" changed"))
        }
        UserAction::Remove { name } => {
            file.check_known(name)?;
            file.remove(name)?;
            save(&file, &format!("user \"{name}\" removed"))?;
            if file.names().is_empty() {
                say(
                    "no users are left: a server that starts now lets sa in without a password, from this machine only",
                );
            }
            Ok(())
        }
        UserAction::List => list(&file),
    }
}

/// Errors: `InvalidValue` for a name that no client can send or no person can read.
fn check_name(name: &str) -> Result<()> {
    const LONGEST: usize = 128;
    let is_readable = !name.trim().is_empty() && name.trim() == name && !name.chars().any(char::is_control);
    if is_readable && name.chars().count() <= LONGEST {
        return Ok(());
    }
    let message = format!("\"{name}\" cannot be the name of a user");
    Err(Error::new(Code::InvalidValue, message)
        .hint("1 to 128 characters, no blanks around them, no control characters"))
}

/// Writes the file, unless the server would refuse it, and says what was done.
fn save(file: &UsersFile, done: &str) -> Result<()> {
    file.write(&Disk)?;
    say(done);
    say("a server that is running takes this at the next login");
    Ok(())
}

fn list(file: &UsersFile) -> Result<()> {
    let config = Config::from_toml(file.text()).map_err(|error| error.at(file.path().display()))?;
    if config.users.is_empty() {
        say("no users: sa logs in without a password, from this machine only");
    }
    let width = config.users.iter().map(|user| user.name.chars().count()).max().unwrap_or(0);
    let mut out = io::stdout();
    for user in &config.users {
        let access = if user.read_only { "read-only" } else { "read and write" };
        writeln!(out, "{:<width$}  {access}", user.name)?;
    }
    Ok(())
}

fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
