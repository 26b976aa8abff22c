//! System procedures about connections, open tables and locks: the same answers as those of management calls.
//!
//! Statements at a server report the server's clients, as far as the server gives them ([`GoesOn`]); others report this
//! process.

use crate::runner::Runner;
use crate::session::Result;
use crate::system_procedures::Passed;
use crate::system_work::{number, rows, text};
use mainstay_ads_syntax::SqlError;
use mainstay_area_session::Outcome;
use mainstay_area_session::{Activity, Member, TableUse};
use mainstay_data_dictionary::constants::*;
use mainstay_types::Value;
use mainstay_xbase::lock::LockScheme;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Says what goes on at a server.
pub type GoesOn = Arc<dyn Fn() -> Activity + Send + Sync>;

/// The activity of the server, or else of this process. A user who is restricted to a folder learns of other files only
/// that they are open, and has paths within the folder, as by the management calls.
///
/// Errors: 2103 at a server that does not say.
fn goes_on(runner: &Runner<'_>) -> Result<Activity> {
    let state = &runner.inner.state;
    let host = &runner.inner.host;
    let mut activity = match (&host.goes_on, &host.calls) {
        (Some(goes_on), _) => goes_on(),
        (None, _) if state.stays_in_folder => return Err(SqlError::unsupported("this procedure at a server")),
        (None, Some(calls)) => calls.activity(),
        (None, None) => return Err(crate::system_procedures::without_calls()),
    };
    if state.stays_in_folder {
        let folder = std::path::absolute(&state.folder).unwrap_or_else(|_| PathBuf::from(&state.folder));
        keep_within(&mut activity, &folder);
    }
    Ok(activity)
}

fn keep_within(activity: &mut Activity, folder: &Path) {
    let within = |path: &Path| path.strip_prefix(folder).map(Path::to_owned);
    for table in activity.members.iter_mut().flat_map(|member| &mut member.tables) {
        table.path = within(&table.path).unwrap_or_default();
        table.indexes.retain_mut(|index| match within(index) {
            Ok(path) => {
                *index = path;
                true
            }
            Err(_) => false,
        });
    }
}

/// Returns true if a member is the user of a name: alone, or behind the name of a computer.
fn is_user(member: &Member, name: &str) -> bool {
    let own = name.rsplit_once('\\').map_or(name, |(computer, user)| if user.is_empty() { computer } else { user });
    member.person.user.eq_ignore_ascii_case(own)
}

const USERS: [&str; 8] = [
    "UserName",
    "#ConnNumber",
    "DictionaryUser",
    "Address",
    "OSUserLoginName",
    "TSAddress",
    "ApplicationID",
    "#AverageCost",
];

fn user(member: &Member) -> Vec<Value> {
    let person = &member.person;
    let (user, number) = (text(&person.user), number(person.connection));
    let application = text(&person.application);
    vec![user.clone(), number, user, text(&person.address), Value::Null, Value::Null, application, Value::Integer(0)]
}

fn users_of(runner: &Runner<'_>, uses: impl Fn(&Member) -> bool) -> Result<Outcome> {
    let members = goes_on(runner)?.members;
    Ok(rows(&USERS, members.iter().filter(|member| uses(member)).map(user).collect()))
}

pub(crate) fn users(runner: &mut Runner<'_>, _: &Passed<'_>) -> Result<Outcome> {
    users_of(runner, |_| true)
}

pub(crate) fn users_of_table(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    let name = given.text(0)?;
    users_of(runner, |member| member.tables.iter().any(|table| table.is_named(name)))
}

pub(crate) fn users_of_index(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    let name = given.text(0)?.replace('\\', "/");
    users_of(runner, |member| member.tables.iter().flat_map(|table| &table.indexes).any(|file| file.ends_with(&name)))
}

/// The tables that members have open which are meant.
fn used(runner: &Runner<'_>, is_meant: impl Fn(&Member, &TableUse) -> bool) -> Result<Vec<TableUse>> {
    let mut found = Vec::new();
    for member in goes_on(runner)?.members {
        found.extend(member.tables.iter().filter(|table| is_meant(&member, table)).cloned());
    }
    Ok(found)
}

fn table_rows(tables: &[TableUse]) -> Outcome {
    let row = |table: &TableUse| {
        let (name, value) = match table.scheme {
            Some(LockScheme::Clipper) => ("NTX", ADS_MGMT_NTX_LOCKING),
            _ => ("CDX", ADS_MGMT_CDX_LOCKING),
        };
        vec![text(table.path.to_string_lossy()), text(name), number(value)]
    };
    rows(&["TableName", "LockType", "#LockTypeValue"], tables.iter().map(row).collect())
}

pub(crate) fn open_tables(runner: &mut Runner<'_>, _: &Passed<'_>) -> Result<Outcome> {
    Ok(table_rows(&used(runner, |_, _| true)?))
}

pub(crate) fn open_tables_of_user(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    let name = given.text(0)?;
    Ok(table_rows(&used(runner, |member, _| is_user(member, name))?))
}

fn index_rows(tables: &[TableUse]) -> Outcome {
    let mut files: Vec<String> = Vec::new();
    for file in tables.iter().flat_map(|table| &table.indexes) {
        let file = file.to_string_lossy().into_owned();
        if !files.contains(&file) {
            files.push(file);
        }
    }
    rows(&["IndexName"], files.into_iter().map(|file| vec![Value::Text(file)]).collect())
}

pub(crate) fn open_indexes(runner: &mut Runner<'_>, _: &Passed<'_>) -> Result<Outcome> {
    Ok(index_rows(&used(runner, |_, _| true)?))
}

pub(crate) fn open_indexes_of_table(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    let name = given.text(0)?;
    Ok(index_rows(&used(runner, |_, table| table.is_named(name))?))
}

pub(crate) fn open_indexes_of_user(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    let name = given.text(0)?;
    Ok(index_rows(&used(runner, |member, _| is_user(member, name))?))
}

fn lock_rows(tables: &[TableUse]) -> Outcome {
    let mut records: Vec<u32> = tables.iter().flat_map(|table| table.records.iter().copied()).collect();
    records.sort_unstable();
    records.dedup();
    rows(&["#LockedRecNo"], records.into_iter().map(|record| vec![number(record)]).collect())
}

pub(crate) fn locks(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    let name = given.text(0)?;
    Ok(lock_rows(&used(runner, |_, table| table.is_named(name))?))
}

pub(crate) fn locks_of_user(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    let (name, user) = (given.text(0)?, given.text(1)?);
    Ok(lock_rows(&used(runner, |member, table| is_user(member, user) && table.is_named(name))?))
}

pub(crate) fn lock_owner(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    let (name, record) = (given.text(0)?, given.number(1));
    let activity = goes_on(runner)?;
    let has = |table: &&TableUse| table.is_named(name) && table.locks(record);
    let owner = activity.members.iter().find_map(|member| Some((member, member.tables.iter().find(has)?.is_locked)));
    let (kind, mut row) = match owner {
        Some((member, true)) => ("File Lock", user(member)),
        Some((member, false)) => ("Record Lock", user(member)),
        None => ("No Lock", vec![Value::Null; 8]),
    };
    row.truncate(4);
    row.extend([text(kind), Value::Null, Value::Null]);
    let heads = ["UserName", "#ConnNumber", "DictionaryUser", "Address", "LockType", "OSUserLoginName", "TSAddress"];
    Ok(rows(&heads, vec![row]))
}

pub(crate) fn activity(runner: &mut Runner<'_>, _: &Passed<'_>) -> Result<Outcome> {
    let activity = goes_on(runner)?;
    let up = activity.seconds;
    let up = format!("{} Days, {} Hours, {} Minutes, {} Seconds", up / 86_400, up / 3600 % 24, up / 60 % 60, up % 60);
    let heads = ["#Operations", "#LoggedErrors", "UpTime", "#EQThreshold", "#EQActiveThreads", "#EQOperations"];
    let none = number(0);
    Ok(rows(&heads, vec![vec![number(activity.requests), none.clone(), text(up), none.clone(), none.clone(), none]]))
}

pub(crate) fn usage(runner: &mut Runner<'_>, _: &Passed<'_>) -> Result<Outcome> {
    let activity = goes_on(runner)?;
    let tables = || activity.members.iter().flat_map(|member| &member.tables);
    let counts = [
        ("Users", activity.members.len()),
        ("Connections", activity.members.len()),
        ("Work Areas", tables().count()),
        ("Tables", tables().count()),
        ("Indexes", tables().map(|table| table.orders as usize).sum()),
        ("Locks", tables().map(|table| table.records.len()).sum()),
    ];
    let row = |(name, count): (&str, usize)| {
        vec![text(name), number(count as u64), Value::Null, Value::Null, Value::Integer(0)]
    };
    Ok(rows(&["Item", "#InUse", "#MaxUsed", "#Configured", "#Rejected"], counts.into_iter().map(row).collect()))
}

/// Of what is counted of packets there are the requests; a folder has no packets, as documented of the local server.
pub(crate) fn wire(runner: &mut Runner<'_>, _: &Passed<'_>) -> Result<Outcome> {
    let heads = [
        "#PercentCheckSums",
        "#TotalPackets",
        "#RcvPktOutOfSeq",
        "#NotLoggedIn",
        "#RcvReqOutOfSeq",
        "#CheckSumFailures",
        "#DisconnectedUsers",
        "#PartialConnects",
        "#InvalidPackets",
        "#RcvFromErrors",
        "#SendToErrors",
    ];
    let mut row = vec![number(0); heads.len()];
    row[1] = number(goes_on(runner)?.requests);
    Ok(rows(&heads, vec![row]))
}

/// Nothing, as AdsMgResetCommStats.
pub(crate) fn reset_wire(_: &mut Runner<'_>, _: &Passed<'_>) -> Result<Outcome> {
    Ok(Outcome::default())
}

/// No worker threads are reported, as by AdsMgGetWorkerThreadActivity.
pub(crate) fn threads(_: &mut Runner<'_>, _: &Passed<'_>) -> Result<Outcome> {
    Ok(rows(&["#ThreadNumber", "#OpCode", "UserName", "#ConnNumber", "OSUserLoginName"], Vec::new()))
}

pub(crate) fn installation(runner: &mut Runner<'_>, _: &Passed<'_>) -> Result<Outcome> {
    let heads = [
        "Owner",
        "SerialNumber",
        "#UserOption",
        "Version",
        "InstallDate",
        "EvalExpireDate",
        "ANSI",
        "OEM",
        "?ReplicationEnabled",
        "#MaxStatefulUsers",
        "#MaxStatelessUsers",
    ];
    let version = concat!("Mainstay ", env!("CARGO_PKG_VERSION"));
    let mut row = vec![text(&runner.inner.state.user), Value::Null, Value::Null, text(version)];
    row.extend([Value::Null, Value::Null, Value::Null, Value::Null, Value::Boolean(false), Value::Null, Value::Null]);
    Ok(rows(&heads, vec![row]))
}

pub(crate) fn server_type(runner: &mut Runner<'_>, _: &Passed<'_>) -> Result<Outcome> {
    let (name, value) = match runner.inner.host.goes_on {
        Some(_) => ("Linux Server 64-bit", ADS_MGMT_LINUX_SERVER_64_BIT),
        None => ("Local Server", ADS_MGMT_LOCAL_SERVER),
    };
    let row = vec![text(name), number(value), Value::Null, Value::Null];
    Ok(rows(&["ServerType", "#ServerTypeValue", "#OSMajor", "#OSMinor"], vec![row]))
}

/// Ends no connection where there is no server, as the manual says of the local one.
pub(crate) fn kill_user(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    given.text(0)?;
    match runner.inner.state.stays_in_folder {
        true => Err(SqlError::unsupported("ending connections by a statement, and not by AdsMgKillUser,")),
        false => Ok(Outcome::default()),
    }
}
