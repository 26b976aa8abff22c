//! The procedures of the system: the name, parameters and action of each.
//!
//! Most of them are calls of the library in another form, and [`Calls`](mainstay_area_session::Calls) makes these calls: the table below
//! names the call, and the source of each of its arguments. Source: the help pages "System Procedures" of the SQL
//! engine, a page for each.
//!
//! ```text
//!   EXECUTE PROCEDURE sp_AddUserToGroup( 'ann', 'clerks' )
//!       "sp_adduserto.."  [TEXT, TEXT]  Call("AdsDDAddUserToGroup", [Text(1), Text(0)])   the call has the group first
//! ```
//! Limits: procedures that are not listed (query logging, backups, events, settings of a server, replication's queue)
//! have no counterpart here; they are not found. Procedures of encryption are refused.

use crate::failure::Failed;
use crate::runner::Runner;
use crate::session::{Inner, Result};
use mainstay_ads_syntax::SqlError;
use mainstay_ads_syntax::tree::ObjectName;
use mainstay_ads_types::native;
use mainstay_area_session::Outcome;
use mainstay_area_session::{Calls, Given};
use mainstay_data_dictionary::constants::*;
use mainstay_data_dictionary::properties::{self, Form};
use mainstay_types::{Decimal, Value};
use std::sync::Arc;

/// The values that a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    Text,
    Number,
    Logical,
}
use Takes::{Logical as YES, Number as NUMBER, Text as TEXT};

/// The source of an argument of a call.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// A parameter's text, or no text for NULL.
    Text(usize),
    /// A parameter's number or truth; 0 for NULL.
    Number(usize),
    /// No text.
    Nothing,
    /// Truths as bits of a number: the parameters and the bit that each stands for.
    Bits(&'static [(usize, u32)]),
}
use Origin::{Bits, Nothing, Number as N, Text as T};

/// The action of a procedure.
#[derive(Clone, Copy)]
enum Does {
    /// This call about the dictionary.
    Call(&'static str, &'static [Origin]),
    /// The call that sets a property of an object of this kind. The parameters are: the name of the object, the
    /// property, its value, and for some kinds the validation of existing records and the table for those that fail.
    SetProperty(&'static str, u32, usize),
    /// Its own work.
    Own(fn(&mut Runner<'_>, &Passed<'_>) -> Result<Outcome>),
    /// Nothing: there is no such thing here.
    Nothing(&'static str),
}

/// A procedure.
struct Procedure {
    /// Its name in lower case.
    name: &'static str,
    /// The number of required parameters.
    least: usize,
    parameters: &'static [Takes],
    does: Does,
}

const fn procedure(name: &'static str, parameters: &'static [Takes], does: Does) -> Procedure {
    Procedure { name, least: parameters.len(), parameters, does }
}

const fn with_optional(name: &'static str, least: usize, parameters: &'static [Takes], does: Does) -> Procedure {
    Procedure { name, least, parameters, does }
}

/// ADS_LINK_GLOBAL and its siblings, as sp_CreateLink has them: the third parameter to the fifth.
const LINK: Origin = Bits(&[(2, ADS_LINK_GLOBAL), (3, ADS_LINK_PATH_IS_STATIC), (4, ADS_LINK_AUTH_ACTIVE_USER)]);
/// The same of sp_ModifyLink, whose links are global.
const KNOWN_LINK: Origin = Bits(&[(2, ADS_LINK_PATH_IS_STATIC), (3, ADS_LINK_AUTH_ACTIVE_USER)]);

use crate::{system_management as goings, system_work as work};
use Does::{Call, Own, SetProperty};

const PROCEDURES: &[Procedure] = &[
    // Tables and indexes.
    procedure("sp_createindex", &[TEXT, TEXT, TEXT, TEXT, TEXT, NUMBER, NUMBER], Own(work::create_index)),
    procedure("sp_createindex90", &[TEXT, TEXT, TEXT, TEXT, TEXT, NUMBER, NUMBER, TEXT], Own(work::create_index)),
    with_optional("sp_packtable", 1, &[TEXT, NUMBER], Own(work::pack)),
    procedure("sp_zaptable", &[TEXT], Own(work::zap)),
    with_optional("sp_reindex", 1, &[TEXT, NUMBER], Own(work::reindex)),
    with_optional("sp_packtableonline", 1, &[TEXT, TEXT], Own(work::pack_online)),
    with_optional("sp_packalltablesonline", 0, &[TEXT], Own(work::pack_all)),
    with_optional("sp_reindexonline", 1, &[TEXT, TEXT], Own(work::reindex_online)),
    with_optional("sp_gettables", 0, &[TEXT, TEXT, TEXT, TEXT], Own(work::tables)),
    with_optional("sp_getcolumns", 0, &[TEXT, TEXT, TEXT, TEXT], Own(work::columns)),
    procedure("sp_gettablesizeinfo", &[TEXT], Own(work::table_size)),
    // The connection.
    procedure("sp_setapplicationid", &[TEXT], Own(work::set_application)),
    procedure("sp_getapplicationid", &[], Own(work::application)),
    procedure("sp_getlinks", &[], Own(work::links)),
    // Activity of the server.
    procedure("sp_mggetconnectedusers", &[], Own(goings::users)),
    procedure("sp_mggettableusers", &[TEXT], Own(goings::users_of_table)),
    procedure("sp_mggetindexusers", &[TEXT], Own(goings::users_of_index)),
    procedure("sp_mggetalltables", &[], Own(goings::open_tables)),
    procedure("sp_mggetusertables", &[TEXT], Own(goings::open_tables_of_user)),
    procedure("sp_mggetallindexes", &[], Own(goings::open_indexes)),
    procedure("sp_mggettableindexes", &[TEXT], Own(goings::open_indexes_of_table)),
    procedure("sp_mggetuserindexes", &[TEXT], Own(goings::open_indexes_of_user)),
    procedure("sp_mggetalllocks", &[TEXT], Own(goings::locks)),
    procedure("sp_mggetuserlocks", &[TEXT, TEXT], Own(goings::locks_of_user)),
    procedure("sp_mggetlockowner", &[TEXT, NUMBER], Own(goings::lock_owner)),
    procedure("sp_mggetactivityinfo", &[], Own(goings::activity)),
    procedure("sp_mggetusageinfo", &[], Own(goings::usage)),
    procedure("sp_mggetcommstats", &[], Own(goings::wire)),
    procedure("sp_mgresetcommstats", &[], Own(goings::reset_wire)),
    procedure("sp_mggetworkerthreadactivity", &[], Own(goings::threads)),
    procedure("sp_mggetinstallinfo", &[], Own(goings::installation)),
    procedure("sp_mggetservertype", &[], Own(goings::server_type)),
    procedure("sp_mgkilluser", &[TEXT], Own(goings::kill_user)),
    // The dictionary: tables.
    procedure(
        "sp_addtabletodatabase",
        &[TEXT, TEXT, NUMBER, NUMBER, TEXT, TEXT],
        Call("AdsDDAddTable", &[T(0), T(1), N(2), N(3), T(4), T(5)]),
    ),
    procedure("sp_addindexfiletodatabase", &[TEXT, TEXT, TEXT], Call("AdsDDAddIndexFile", &[T(0), T(1), T(2)])),
    procedure("sp_removeindexfile", &[TEXT, TEXT, YES], Call("AdsDDRemoveIndexFile", &[T(0), T(1), N(2)])),
    procedure("sp_renameddobject", &[TEXT, TEXT, NUMBER, NUMBER], Call("AdsDDRenameObject", &[T(0), T(1), N(2), N(3)])),
    procedure(
        "sp_createreferentialintegrity",
        &[TEXT, TEXT, TEXT, TEXT, NUMBER, NUMBER, TEXT, TEXT, TEXT],
        Call("AdsDDCreateRefIntegrity62", &[T(0), T(6), T(1), Nothing, T(2), T(3), N(4), N(5), T(7), T(8)]),
    ),
    procedure("sp_dropreferentialintegrity", &[TEXT], Call("AdsDDRemoveRefIntegrity", &[T(0)])),
    // Users and groups.
    procedure("sp_createuser", &[TEXT, TEXT, TEXT], Call("AdsDDCreateUser", &[Nothing, T(0), T(1), T(2)])),
    procedure("sp_dropuser", &[TEXT], Call("AdsDDDeleteUser", &[T(0)])),
    procedure("sp_creategroup", &[TEXT, TEXT], Call("AdsDDCreateUserGroup", &[T(0), T(1)])),
    procedure("sp_dropgroup", &[TEXT], Call("AdsDDDeleteUserGroup", &[T(0)])),
    procedure("sp_addusertogroup", &[TEXT, TEXT], Call("AdsDDAddUserToGroup", &[T(1), T(0)])),
    procedure("sp_removeuserfromgroup", &[TEXT, TEXT], Call("AdsDDRemoveUserFromGroup", &[T(1), T(0)])),
    procedure("sp_changecurrentuserpassword", &[TEXT, TEXT], Own(work::change_password)),
    // Links, publications, subscriptions.
    procedure(
        "sp_createlink",
        &[TEXT, TEXT, YES, YES, YES, TEXT, TEXT],
        Call("AdsDDCreateLink", &[T(0), T(1), T(5), T(6), LINK]),
    ),
    procedure(
        "sp_modifylink",
        &[TEXT, TEXT, YES, YES, TEXT, TEXT],
        Call("AdsDDModifyLink", &[T(0), T(1), T(4), T(5), KNOWN_LINK]),
    ),
    procedure("sp_droplink", &[TEXT, YES], Call("AdsDDDropLink", &[T(0), N(1)])),
    procedure("sp_createpublication", &[TEXT, TEXT, NUMBER], Call("AdsDDCreatePublication", &[T(0), T(1), N(2)])),
    procedure("sp_droppublication", &[TEXT], Call("AdsDDDeletePublication", &[T(0)])),
    procedure(
        "sp_createarticle",
        &[TEXT, TEXT, TEXT, TEXT, NUMBER],
        Call("AdsDDCreateArticle", &[T(0), T(1), T(2), T(3), N(4)]),
    ),
    procedure("sp_droparticle", &[TEXT, TEXT], Call("AdsDDDeleteArticle", &[T(0), T(1)])),
    procedure(
        "sp_createsubscription",
        &[TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, YES, TEXT, NUMBER],
        Call("AdsDDCreateSubscription", &[T(0), T(1), T(2), T(3), T(4), T(5), N(6), T(7), N(8)]),
    ),
    procedure("sp_dropsubscription", &[TEXT], Call("AdsDDDeleteSubscription", &[T(0)])),
    // Triggers.
    procedure("sp_enabletriggers", &[TEXT, TEXT, YES, NUMBER], Own(work::enable_triggers)),
    procedure("sp_disabletriggers", &[TEXT, TEXT, YES, NUMBER], Own(work::disable_triggers)),
    // Properties.
    procedure("sp_modifydatabase", &[TEXT, TEXT], SetProperty("AdsDDSetDatabaseProperty", ADS_DD_DATABASE_OBJECT, 0)),
    procedure(
        "sp_modifytableproperty",
        &[TEXT, TEXT, TEXT, TEXT, TEXT],
        SetProperty("AdsDDSetTableProperty", ADS_DD_TABLE_OBJECT, 1),
    ),
    procedure(
        "sp_modifyfieldproperty",
        &[TEXT, TEXT, TEXT, TEXT, TEXT, TEXT],
        SetProperty("AdsDDSetFieldProperty", ADS_DD_FIELD_OBJECT, 2),
    ),
    procedure(
        "sp_modifyindexproperty",
        &[TEXT, TEXT, TEXT, TEXT],
        SetProperty("AdsDDSetIndexProperty", ADS_DD_INDEX_OBJECT, 2),
    ),
    procedure("sp_modifyuserproperty", &[TEXT, TEXT, TEXT], SetProperty("AdsDDSetUserProperty", ADS_DD_USER_OBJECT, 1)),
    procedure(
        "sp_modifygroupproperty",
        &[TEXT, TEXT, TEXT],
        SetProperty("AdsDDSetUserGroupProperty", ADS_DD_USER_GROUP_OBJECT, 1),
    ),
    procedure(
        "sp_modifyprocedureproperty",
        &[TEXT, TEXT, TEXT],
        SetProperty("AdsDDSetProcedureProperty", ADS_DD_PROCEDURE_OBJECT, 1),
    ),
    procedure("sp_modifyviewproperty", &[TEXT, TEXT, TEXT], SetProperty("AdsDDSetViewProperty", ADS_DD_VIEW_OBJECT, 1)),
    procedure(
        "sp_modifypublicationproperty",
        &[TEXT, TEXT, TEXT],
        SetProperty("AdsDDSetPublicationProperty", ADS_DD_PUBLICATION_OBJECT, 1),
    ),
    // Unsupported features.
    procedure("sp_encrypttable", &[TEXT, TEXT], Does::Nothing("encryption of tables")),
    procedure("sp_decrypttable", &[TEXT, TEXT], Does::Nothing("encryption of tables")),
    procedure("sp_gettableencryptiontype", &[TEXT], Does::Nothing("encryption of tables")),
    procedure("sp_setddencryptiontype", &[TEXT, TEXT, TEXT, TEXT, YES], Does::Nothing("encryption of a dictionary")),
];

/// Properties by the names that the procedures have for them: kind, name, number.
const PROPERTIES: &[(u32, &str, u32)] = &[
    (ADS_DD_DATABASE_OBJECT, "VERSION_MAJOR", ADS_DD_VERSION_MAJOR),
    (ADS_DD_DATABASE_OBJECT, "VERSION_MINOR", ADS_DD_VERSION_MINOR),
    (ADS_DD_DATABASE_OBJECT, "DEFAULT_TABLE_PATH", ADS_DD_DEFAULT_TABLE_PATH),
    (ADS_DD_DATABASE_OBJECT, "TEMP_TABLE_PATH", ADS_DD_TEMP_TABLE_PATH),
    (ADS_DD_DATABASE_OBJECT, "ADMIN_PASSWORD", ADS_DD_ADMIN_PASSWORD),
    (ADS_DD_DATABASE_OBJECT, "LOG_IN_REQUIRED", ADS_DD_LOG_IN_REQUIRED),
    (ADS_DD_DATABASE_OBJECT, "VERIFY_ACCESS_RIGHTS", ADS_DD_VERIFY_ACCESS_RIGHTS),
    (ADS_DD_DATABASE_OBJECT, "ENABLE_INTERNET", ADS_DD_ENABLE_INTERNET),
    (ADS_DD_DATABASE_OBJECT, "INTERNET_SECURITY_LEVEL", ADS_DD_INTERNET_SECURITY_LEVEL),
    (ADS_DD_DATABASE_OBJECT, "MAX_FAILED_ATTEMPTS", ADS_DD_MAX_FAILED_ATTEMPTS),
    (ADS_DD_DATABASE_OBJECT, "ENFORCE_MAX_FAILED_LOGINS", ADS_DD_ENFORCE_MAX_FAILED_LOGINS),
    (ADS_DD_DATABASE_OBJECT, "LOGINS_DISABLED", ADS_DD_LOGINS_DISABLED),
    (ADS_DD_DATABASE_OBJECT, "LOGINS_DISABLED_MSG", ADS_DD_LOGINS_DISABLED_ERRSTR),
    (ADS_DD_DATABASE_OBJECT, "FTS_NOISE_WORDS", ADS_DD_FTS_NOISE),
    (ADS_DD_DATABASE_OBJECT, "FTS_DELIMITERS", ADS_DD_FTS_DELIMITERS),
    (ADS_DD_DATABASE_OBJECT, "FTS_DROP_CHARS", ADS_DD_FTS_DROP_CHARS),
    (ADS_DD_DATABASE_OBJECT, "FTS_CONDITIONAL_CHARS", ADS_DD_FTS_CONDITIONAL_CHARS),
    (ADS_DD_DATABASE_OBJECT, "DISABLE_DLL_CACHING", ADS_DD_DISABLE_DLL_CACHING),
    (ADS_DD_DATABASE_OBJECT, "QUERY_VIA_ROOT", ADS_DD_QUERY_VIA_ROOT),
    (ADS_DD_TABLE_OBJECT, "TABLE_VALIDATION_EXPR", ADS_DD_TABLE_VALIDATION_EXPR),
    (ADS_DD_TABLE_OBJECT, "TABLE_VALIDATION_MSG", ADS_DD_TABLE_VALIDATION_MSG),
    (ADS_DD_TABLE_OBJECT, "TABLE_PRIMARY_KEY", ADS_DD_TABLE_PRIMARY_KEY),
    (ADS_DD_TABLE_OBJECT, "TABLE_DEFAULT_INDEX", ADS_DD_TABLE_DEFAULT_INDEX),
    (ADS_DD_TABLE_OBJECT, "TABLE_PERMISSION_LEVEL", ADS_DD_TABLE_PERMISSION_LEVEL),
    (ADS_DD_TABLE_OBJECT, "TABLE_AUTO_CREATE", ADS_DD_TABLE_AUTO_CREATE),
    (ADS_DD_TABLE_OBJECT, "TABLE_MEMO_BLOCK_SIZE", ADS_DD_TABLE_MEMO_BLOCK_SIZE),
    (ADS_DD_TABLE_OBJECT, "TABLE_TRANS_FREE", ADS_DD_TABLE_TXN_FREE),
    (ADS_DD_TABLE_OBJECT, "TABLE_CACHING", ADS_DD_TABLE_CACHING),
    (ADS_DD_FIELD_OBJECT, "FIELD_DEFAULT_VALUE", ADS_DD_FIELD_DEFAULT_VALUE),
    (ADS_DD_FIELD_OBJECT, "FIELD_CAN_BE_NULL", ADS_DD_FIELD_CAN_NULL),
    (ADS_DD_FIELD_OBJECT, "FIELD_MIN_VALUE", ADS_DD_FIELD_MIN_VALUE),
    (ADS_DD_FIELD_OBJECT, "FIELD_MAX_VALUE", ADS_DD_FIELD_MAX_VALUE),
    (ADS_DD_FIELD_OBJECT, "FIELD_VALIDATION_MSG", ADS_DD_FIELD_VALIDATION_MSG),
    (ADS_DD_USER_OBJECT, "USER_PASSWORD", ADS_DD_USER_PASSWORD),
    (ADS_DD_USER_OBJECT, "ENABLE_INTERNET", ADS_DD_ENABLE_INTERNET),
    (ADS_DD_USER_OBJECT, "LOGINS_DISABLED", ADS_DD_LOGINS_DISABLED),
    (ADS_DD_USER_OBJECT, "REQUIRE_OLD_PASSWORD", ADS_DD_REQUIRE_OLD_PASSWORD),
    (ADS_DD_PROCEDURE_OBJECT, "PROC_INPUT", ADS_DD_PROC_INPUT),
    (ADS_DD_PROCEDURE_OBJECT, "PROC_OUTPUT", ADS_DD_PROC_OUTPUT),
    (ADS_DD_PROCEDURE_OBJECT, "PROC_DLL_NAME", ADS_DD_PROC_DLL_NAME),
    (ADS_DD_PROCEDURE_OBJECT, "PROC_DLL_FUNCTION_NAME", ADS_DD_PROC_DLL_FUNCTION_NAME),
    (ADS_DD_VIEW_OBJECT, "VIEW_STMT", ADS_DD_VIEW_STMT),
];

/// Options for validating the existing records against a new rule.
const VALIDATIONS: &[(&str, u32)] = &[
    ("NO_VALIDATE", ADS_NO_VALIDATE),
    ("APPEND_FAIL", ADS_VALIDATE_APPEND_FAIL),
    ("WRITE_FAIL", ADS_VALIDATE_WRITE_FAIL),
    ("NO_SAVE", ADS_VALIDATE_NO_SAVE),
    ("RETURN_ERROR", ADS_VALIDATE_RETURN_ERROR),
];

/// The arguments of a procedure: as many values as it has parameters; those that were left out are NULL.
pub(crate) struct Passed<'g> {
    name: &'g ObjectName,
    values: Vec<Value>,
}

impl Passed<'_> {
    /// An error about what was given.
    pub(crate) fn wrong(&self, reason: &str) -> Failed {
        SqlError::at(native::ARGUMENT, self.name.span, format!("{reason} for {}", self.name.last()))
    }

    /// A text; nothing for NULL, or one that is empty.
    pub(crate) fn optional(&self, place: usize) -> Option<&str> {
        match self.values.get(place) {
            Some(Value::Text(text)) if !text.trim().is_empty() => Some(text.trim()),
            _ => None,
        }
    }

    /// A text that must be there.
    ///
    /// Errors: 2159.
    pub(crate) fn text(&self, place: usize) -> Result<&str> {
        self.optional(place).ok_or_else(|| self.wrong("Invalid argument"))
    }

    /// A number, 1 for TRUE; 0 for NULL.
    pub(crate) fn number(&self, place: usize) -> u32 {
        match self.values.get(place) {
            Some(Value::Integer(number)) => u32::try_from(*number).unwrap_or(0),
            Some(Value::Boolean(value)) => (*value).into(),
            _ => 0,
        }
    }

    /// Returns true if an argument is TRUE.
    pub(crate) fn is_true(&self, place: usize) -> bool {
        self.number(place) != 0
    }
}

/// A value as a parameter takes it; `None` for what it does not.
fn taken(value: &Value, takes: Takes) -> Option<Value> {
    let number = |text: &str| text.trim().parse::<i64>().ok();
    let in_range = |number: i64| u32::try_from(number).is_ok().then_some(Value::Integer(number));
    match (value, takes) {
        (Value::Null, _) => Some(Value::Null),
        (Value::Text(text), Takes::Text) => Some(Value::Text(text.clone())),
        (Value::Integer(number), Takes::Number) => in_range(*number),
        (Value::Decimal(Decimal { unscaled, scale: 0 }), Takes::Number) => in_range(i64::try_from(*unscaled).ok()?),
        (Value::Text(text), Takes::Number) => in_range(number(text)?),
        (Value::Boolean(value), Takes::Logical) => Some(Value::Boolean(*value)),
        (Value::Integer(value), Takes::Logical) => Some(Value::Boolean(*value != 0)),
        (Value::Text(text), Takes::Logical) => truth(text).map(Value::Boolean),
        _ => None,
    }
}

/// TRUE or FALSE, as properties write it.
fn truth(text: &str) -> Option<bool> {
    match text.trim().to_ascii_uppercase().as_str() {
        "TRUE" | ".T." | "T" | "1" => Some(true),
        "FALSE" | ".F." | "F" | "0" => Some(false),
        _ => None,
    }
}

impl Runner<'_> {
    /// Runs a procedure of the system.
    ///
    /// Errors: 2122 for one that there is not; 2159 for arguments that it does not take; those of what it does.
    pub(crate) fn system_procedure(&mut self, name: &ObjectName, arguments: &[Value]) -> Result<Outcome> {
        let wanted = name.last().to_lowercase();
        let Some(procedure) = PROCEDURES.iter().find(|procedure| procedure.name == wanted) else {
            return Err(SqlError::at(native::TABLE, name.span, format!("Stored procedure not found: {}", name.last())));
        };
        let (least, most) = (procedure.least, procedure.parameters.len());
        if !(least..=most).contains(&arguments.len()) {
            let text = format!("Invalid number of arguments for {}", name.last());
            return Err(SqlError::at(native::ARGUMENT, name.span, text));
        }
        let mut values = Vec::with_capacity(most);
        for (place, takes) in procedure.parameters.iter().enumerate() {
            let value = taken(arguments.get(place).unwrap_or(&Value::Null), *takes);
            let wrong = || {
                let text = format!("Invalid argument {} for {}", place + 1, name.last());
                SqlError::at(native::ARGUMENT, name.span, text)
            };
            values.push(value.ok_or_else(wrong)?);
        }
        let given = Passed { name, values };
        match procedure.does {
            Call(call, from) => self.dictionary_call(call, from.iter().map(|from| argument(*from, &given)).collect()),
            SetProperty(call, kind, names) => self.set_property(call, kind, names, &given),
            Own(work) => work(self, &given),
            Does::Nothing(what) => Err(SqlError::unsupported(what)),
        }
    }

    /// Makes a call about the dictionary.
    ///
    /// Errors: 5125 on a connection to a folder; 2103 in a program without the calls; those of the call, with its numbers.
    pub(crate) fn dictionary_call(&mut self, name: &str, arguments: Vec<Given>) -> Result<Outcome> {
        let Some(dictionary) = &self.inner.modules.dictionary else {
            let number = i32::try_from(AE_INVALID_DICTIONARY_HANDLE).unwrap_or(0);
            return Err(SqlError::new(number, "The connection is not to a data dictionary"));
        };
        let calls = calls(self.inner)?;
        calls.of_dictionary(dictionary, name, arguments).map_err(crate::dictionary::failed)?;
        self.inner.refresh();
        Ok(Outcome::default())
    }

    fn set_property(&mut self, call: &str, kind: u32, names: usize, given: &Passed<'_>) -> Result<Outcome> {
        let property = given.text(names)?.to_ascii_uppercase();
        let common = [("COMMENT", ADS_DD_COMMENT), ("USER_DEFINED_PROP", ADS_DD_USER_DEFINED_PROP)];
        let known = PROPERTIES.iter().find(|(of, name, _)| *of == kind && *name == property).map(|(.., id)| *id);
        let known = known.or_else(|| common.iter().find(|(name, _)| *name == property).map(|(_, id)| *id));
        let Some(id) = known else {
            let number = i32::try_from(AE_INVALID_PROPERTY_ID).unwrap_or(0);
            return Err(SqlError::new(number, format!("Invalid property: {property}")));
        };
        let bytes = self.property_bytes(kind, id, names + 1, given)?;
        let mut arguments: Vec<Given> = (0..names).map(|place| argument(T(place), given)).collect();
        let length = bytes.as_ref().map_or(0, Vec::len);
        arguments.push(Given::Number(id.into()));
        arguments.push(bytes.map_or(Given::Null, Given::Bytes));
        arguments.push(Given::Number(length as u64));
        if matches!(kind, ADS_DD_TABLE_OBJECT | ADS_DD_FIELD_OBJECT) {
            let how = given.optional(names + 2).unwrap_or("NO_VALIDATE").to_ascii_uppercase();
            let how = how.strip_prefix("VALIDATE_").unwrap_or(&how);
            let how = VALIDATIONS.iter().find(|(name, _)| *name == how).map(|(_, how)| *how);
            arguments.push(Given::Number(how.ok_or_else(|| given.wrong("Invalid validation option"))?.into()));
            arguments.push(argument(T(names + 3), given));
        }
        self.dictionary_call(call, arguments)
    }

    /// A property's value as the call takes it; nothing for NULL, which takes the property away.
    fn property_bytes(&self, kind: u32, id: u32, place: usize, given: &Passed<'_>) -> Result<Option<Vec<u8>>> {
        let Some(text) = given.optional(place) else { return Ok(None) };
        let form = properties::find(kind, id).map_or(Form::Text, |rule| rule.form);
        let wrong = || given.wrong("Invalid property value");
        Ok(Some(match form {
            Form::Text | Form::Secret => {
                let mut bytes = text.as_bytes().to_vec();
                bytes.push(0);
                bytes
            }
            Form::Bytes => text.as_bytes().to_vec(),
            Form::Flag => u16::from(truth(text).ok_or_else(wrong)?).to_le_bytes().to_vec(),
            Form::Byte => vec![text.parse::<u8>().map_err(|_| wrong())?],
            Form::Short => text.parse::<u16>().map_err(|_| wrong())?.to_le_bytes().to_vec(),
            Form::Long => text.parse::<u32>().map_err(|_| wrong())?.to_le_bytes().to_vec(),
        }))
    }
}

/// An argument of a call.
fn argument(from: Origin, given: &Passed<'_>) -> Given {
    match from {
        Origin::Text(place) => match given.values.get(place) {
            Some(Value::Text(text)) => Given::Text(text.trim().as_bytes().to_vec()),
            _ => Given::Null,
        },
        Origin::Number(place) => Given::Number(given.number(place).into()),
        Origin::Nothing => Given::Null,
        Origin::Bits(bits) => {
            let set = bits.iter().filter(|(place, _)| given.is_true(*place));
            Given::Number(set.fold(0, |all, (_, bit)| all | u64::from(*bit)))
        }
    }
}

/// The error of a procedure in a program that has not given its sessions the calls.
pub(crate) fn without_calls() -> Failed {
    SqlError::unsupported("this procedure in a program without the calls of the tables")
}

/// The calls of the tables' interface.
///
/// Errors: 2103 in a program without them.
pub(crate) fn calls(inner: &Inner) -> Result<Arc<dyn Calls>> {
    inner.host.calls.clone().ok_or_else(without_calls)
}

/// The calls that procedures make by name: the procedure, the call, and of each of the call's arguments behind the
/// connection's handle whether it is a text.
pub fn calls_of_procedures() -> impl Iterator<Item = (&'static str, &'static str, Vec<bool>)> {
    PROCEDURES.iter().filter_map(|procedure| {
        let Call(call, from) = procedure.does else { return None };
        let is_text = |from: &Origin| matches!(from, Origin::Text(_) | Origin::Nothing);
        Some((procedure.name, call, from.iter().map(is_text).collect()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_vfs::{Create, Disk, FileSystem};
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_texts_are_taken_from_texts() {
        let mut seen = HashSet::new();
        for procedure in PROCEDURES {
            assert!(seen.insert(procedure.name), "{} is there twice", procedure.name);
            assert!(procedure.least <= procedure.parameters.len(), "{}", procedure.name);
            let Call(_, from) = procedure.does else { continue };
            for from in from {
                if let Origin::Text(place) = from {
                    assert_eq!(procedure.parameters[*place], TEXT, "{}", procedure.name);
                }
            }
        }
    }

    /// `mainstay assess` knows the procedures by a list of the syntax crate; UPDATE_REFERENCE=1 writes it.
    #[test]
    fn the_list_of_the_assessment_is_this_one() {
        let mut names: Vec<&str> = PROCEDURES.iter().map(|procedure| procedure.name).collect();
        names.sort_unstable();
        let wanted = names.join("\n") + "\n";
        if std::env::var_os("UPDATE_REFERENCE").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../syntax/src/compatibility/system_procedures.txt");
            let file = Disk.create(path.as_ref(), Create::Truncate).unwrap();
            file.write_at(wanted.as_bytes(), 0).unwrap();
            return;
        }
        assert_eq!(mainstay_ads_syntax::compatibility::SYSTEM_PROCEDURES, wanted);
    }

    #[test]
    fn properties_are_those_of_their_kinds() {
        for (kind, name, id) in PROPERTIES {
            assert!(properties::find(*kind, *id).is_some(), "{name}");
        }
    }
}
