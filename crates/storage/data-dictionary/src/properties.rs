//! The properties of each kind of object: number, name in the file, form in the C interface, and the users who may see
//! and change it.
//!
//! Numbers and rights are those of the public manual ("Advantage Data Dictionary User Permissions").

use crate::constants::*;

/// The form in which a property crosses to C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A text with its NUL, which the length includes.
    Text,
    /// A text that is stored and never returned.
    Secret,
    /// One byte.
    Byte,
    /// Two bytes, 0 or 1.
    Flag,
    /// Two bytes.
    Short,
    /// Four bytes.
    Long,
    /// The program's bytes.
    Bytes,
}

/// The users who may see or change a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Users with any right to the object: read, write, execute.
    User,
    /// Users who may change records of the table, or alter it.
    Writer,
    /// Users who may alter the object.
    Alterer,
    /// The user itself, and users who may alter it.
    Itself,
    /// The administrator alone.
    Administrator,
    /// No user: the property follows from something else.
    Nobody,
}

/// One property of a kind of object.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its number.
    pub id: u32,
    /// Its name in the dictionary's file.
    pub name: &'static str,
    /// The form in which it crosses to C.
    pub form: Form,
    /// The users who may see it.
    pub seen_by: Who,
    /// The users who may change it.
    pub changed_by: Who,
}

const fn rule(id: u32, name: &'static str, form: Form, seen_by: Who, changed_by: Who) -> Rule {
    Rule { id, name, form, seen_by, changed_by }
}

use Form::{Byte, Bytes, Flag, Long, Secret, Short, Text};
use Who::{Administrator, Alterer, Itself, Nobody, User, Writer};

/// Properties of every object.
const COMMON: &[Rule] = &[
    rule(ADS_DD_COMMENT, "comment", Text, User, Alterer),
    rule(ADS_DD_USER_DEFINED_PROP, "user_defined", Bytes, User, Alterer),
    rule(ADS_DD_OBJECT_NAME, "name", Text, User, Nobody),
    rule(ADS_DD_TRIGGERS_DISABLED, "triggers_disabled", Flag, User, Alterer),
    rule(ADS_DD_OBJECT_ID, "id", Long, User, Nobody),
    rule(ADS_DD_OPTIONS, "options", Long, User, Alterer),
];

const DATABASE: &[Rule] = &[
    rule(ADS_DD_VERSION, "version", Short, User, Alterer),
    rule(ADS_DD_DEFAULT_TABLE_PATH, "default_table_path", Text, User, Alterer),
    rule(ADS_DD_DEFAULT_TABLE_RELATIVE_PATH, "default_table_relative_path", Text, User, Nobody),
    rule(ADS_DD_ADMIN_PASSWORD, "administrator_password", Secret, Administrator, Administrator),
    rule(ADS_DD_TEMP_TABLE_PATH, "temporary_table_path", Text, User, Alterer),
    rule(ADS_DD_TEMP_TABLE_RELATIVE_PATH, "temporary_table_relative_path", Text, User, Nobody),
    rule(ADS_DD_LOG_IN_REQUIRED, "log_in_required", Flag, Alterer, Alterer),
    rule(ADS_DD_VERIFY_ACCESS_RIGHTS, "verify_access_rights", Flag, Alterer, Alterer),
    rule(ADS_DD_ENABLE_INTERNET, "enable_internet", Flag, Alterer, Alterer),
    rule(ADS_DD_INTERNET_SECURITY_LEVEL, "internet_security_level", Short, Alterer, Alterer),
    rule(ADS_DD_MAX_FAILED_ATTEMPTS, "most_failed_logins", Short, Alterer, Alterer),
    rule(ADS_DD_ALLOW_ADSSYS_NET_ACCESS, "administrator_from_afar", Flag, Administrator, Administrator),
    rule(ADS_DD_VERSION_MAJOR, "version_major", Short, User, Alterer),
    rule(ADS_DD_VERSION_MINOR, "version_minor", Short, User, Alterer),
    rule(ADS_DD_LOGINS_DISABLED, "logins_disabled", Flag, Alterer, Alterer),
    rule(ADS_DD_LOGINS_DISABLED_ERRSTR, "logins_disabled_message", Text, Alterer, Alterer),
    rule(ADS_DD_FTS_DELIMITERS, "text_search_delimiters", Text, User, Alterer),
    rule(ADS_DD_FTS_NOISE, "text_search_noise", Text, User, Alterer),
    rule(ADS_DD_FTS_DROP_CHARS, "text_search_dropped", Text, User, Alterer),
    rule(ADS_DD_FTS_CONDITIONAL_CHARS, "text_search_conditional", Text, User, Alterer),
    rule(ADS_DD_ENCRYPTED, "encrypted", Flag, Alterer, Nobody),
    rule(ADS_DD_QUERY_LOG_TABLE, "query_log_table", Text, Alterer, Alterer),
    rule(ADS_DD_DISABLE_DLL_CACHING, "disable_library_cache", Flag, Alterer, Alterer),
    rule(ADS_DD_QUERY_VIA_ROOT, "query_via_root", Long, Alterer, Alterer),
    rule(ADS_DD_ENFORCE_MAX_FAILED_LOGINS, "enforce_failed_logins", Flag, Alterer, Alterer),
];

const TABLE: &[Rule] = &[
    rule(ADS_DD_TABLE_VALIDATION_EXPR, "validation", Text, Writer, Alterer),
    rule(ADS_DD_TABLE_VALIDATION_MSG, "validation_message", Text, Writer, Alterer),
    rule(ADS_DD_TABLE_PRIMARY_KEY, "primary_key", Text, User, Alterer),
    rule(ADS_DD_TABLE_AUTO_CREATE, "auto_create", Flag, Alterer, Alterer),
    rule(ADS_DD_TABLE_TYPE, "type", Short, User, Nobody),
    rule(ADS_DD_TABLE_PATH, "path", Text, User, Nobody),
    rule(ADS_DD_TABLE_FIELD_COUNT, "field_count", Short, User, Nobody),
    rule(ADS_DD_TABLE_OBJ_ID, "object_id", Long, User, Nobody),
    rule(ADS_DD_TABLE_IS_RI_PARENT, "is_parent", Flag, Alterer, Nobody),
    rule(ADS_DD_TABLE_RELATIVE_PATH, "relative_path", Text, User, Nobody),
    rule(ADS_DD_TABLE_CHAR_TYPE, "char_type", Short, User, Nobody),
    rule(ADS_DD_TABLE_DEFAULT_INDEX, "default_index", Text, User, Alterer),
    rule(ADS_DD_TABLE_ENCRYPTION, "encryption", Flag, User, Nobody),
    rule(ADS_DD_TABLE_MEMO_BLOCK_SIZE, "memo_block_size", Short, Alterer, Alterer),
    rule(ADS_DD_TABLE_PERMISSION_LEVEL, "permission_level", Short, Alterer, Alterer),
    rule(ADS_DD_TABLE_TRIGGER_TYPES, "trigger_types", Long, User, Nobody),
    rule(ADS_DD_TABLE_TRIGGER_OPTIONS, "trigger_options", Long, User, Nobody),
    rule(ADS_DD_TABLE_CACHING, "caching", Short, Alterer, Alterer),
    rule(ADS_DD_TABLE_TXN_FREE, "transaction_free", Flag, User, Alterer),
];

const FIELD: &[Rule] = &[
    rule(ADS_DD_FIELD_DEFAULT_VALUE, "default", Text, Writer, Alterer),
    rule(ADS_DD_FIELD_CAN_NULL, "can_be_null", Flag, Writer, Alterer),
    rule(ADS_DD_FIELD_MIN_VALUE, "minimum", Text, Writer, Alterer),
    rule(ADS_DD_FIELD_MAX_VALUE, "maximum", Text, Writer, Alterer),
    rule(ADS_DD_FIELD_VALIDATION_MSG, "validation_message", Text, Writer, Alterer),
    rule(ADS_DD_FIELD_DEFINITION, "definition", Text, User, Nobody),
    rule(ADS_DD_FIELD_TYPE, "type", Short, User, Nobody),
    rule(ADS_DD_FIELD_LENGTH, "length", Short, User, Nobody),
    rule(ADS_DD_FIELD_DECIMAL, "decimals", Short, User, Nobody),
    rule(ADS_DD_FIELD_NUM, "number", Short, User, Nobody),
    rule(ADS_DD_FIELD_OPTIONS, "field_options", Long, User, Nobody),
];

const INDEX: &[Rule] = &[
    rule(ADS_DD_INDEX_FILE_NAME, "file", Text, User, Nobody),
    rule(ADS_DD_INDEX_EXPRESSION, "expression", Text, Alterer, Nobody),
    rule(ADS_DD_INDEX_CONDITION, "condition", Text, Alterer, Nobody),
    rule(ADS_DD_INDEX_OPTIONS, "index_options", Long, Alterer, Nobody),
    rule(ADS_DD_INDEX_KEY_LENGTH, "key_length", Short, User, Nobody),
    rule(ADS_DD_INDEX_KEY_TYPE, "key_type", Short, User, Nobody),
    rule(ADS_DD_INDEX_COLLATION, "collation", Text, User, Nobody),
];

const INDEX_FILE: &[Rule] = &[
    rule(ADS_DD_INDEX_FILE_PATH, "path", Text, User, Nobody),
    rule(ADS_DD_INDEX_FILE_PAGESIZE, "page_size", Long, User, Nobody),
    rule(ADS_DD_INDEX_FILE_RELATIVE_PATH, "relative_path", Text, User, Nobody),
    rule(ADS_DD_INDEX_FILE_TYPE, "type", Short, User, Nobody),
];

const RELATION: &[Rule] = &[
    rule(ADS_DD_RI_PRIMARY_TABLE, "parent", Text, Alterer, Nobody),
    rule(ADS_DD_RI_PRIMARY_INDEX, "parent_index", Text, Alterer, Nobody),
    rule(ADS_DD_RI_FOREIGN_TABLE, "child", Text, Alterer, Nobody),
    rule(ADS_DD_RI_FOREIGN_INDEX, "child_index", Text, Alterer, Nobody),
    rule(ADS_DD_RI_UPDATERULE, "on_update", Byte, Alterer, Nobody),
    rule(ADS_DD_RI_DELETERULE, "on_delete", Byte, Alterer, Nobody),
    rule(ADS_DD_RI_NO_PKEY_ERROR, "no_parent_message", Text, Alterer, Alterer),
    rule(ADS_DD_RI_CASCADE_ERROR, "cascade_message", Text, Alterer, Alterer),
];

const VIEW: &[Rule] = &[
    rule(ADS_DD_VIEW_STMT, "statement", Text, Alterer, Alterer),
    rule(ADS_DD_VIEW_STMT_LEN, "statement_length", Long, Alterer, Nobody),
    rule(ADS_DD_VIEW_TRIGGER_TYPES, "trigger_types", Long, User, Nobody),
    rule(ADS_DD_VIEW_TRIGGER_OPTIONS, "trigger_options", Long, User, Nobody),
];

const USERS: &[Rule] = &[
    rule(ADS_DD_USER_GROUP_NAME, "group", Text, Itself, Nobody),
    rule(ADS_DD_USER_PASSWORD, "password_hash", Secret, Itself, Itself),
    rule(ADS_DD_USER_GROUP_MEMBERSHIP, "groups", Text, Itself, Nobody),
    rule(ADS_DD_USER_BAD_LOGINS, "failed_logins", Short, Itself, Alterer),
    rule(ADS_DD_REQUIRE_OLD_PASSWORD, "old_password_required", Flag, Itself, Alterer),
    rule(ADS_DD_ENABLE_INTERNET, "enable_internet", Flag, Itself, Alterer),
    rule(ADS_DD_LOGINS_DISABLED, "logins_disabled", Flag, Itself, Alterer),
];

const PROCEDURE: &[Rule] = &[
    rule(ADS_DD_PROC_INPUT, "input", Text, User, Alterer),
    rule(ADS_DD_PROC_OUTPUT, "output", Text, User, Alterer),
    rule(ADS_DD_PROC_DLL_NAME, "container", Text, Alterer, Alterer),
    rule(ADS_DD_PROC_DLL_FUNCTION_NAME, "function", Text, Alterer, Alterer),
    rule(ADS_DD_PROC_INVOKE_OPTION, "invoked_as", Long, Alterer, Alterer),
    rule(ADS_DD_PROC_SCRIPT, "script", Text, Alterer, Alterer),
];

/// A function's result, its parameters and its text are stored as a procedure's output, input and script.
const FUNCTION: &[Rule] = PROCEDURE;

const LINK: &[Rule] = &[
    rule(ADS_DD_LINK_PATH, "path", Text, Alterer, Nobody),
    rule(ADS_DD_LINK_OPTIONS, "link_options", Long, Alterer, Nobody),
    rule(ADS_DD_LINK_USERNAME, "user", Text, Alterer, Nobody),
    rule(ADS_DD_USER_PASSWORD, "password", Secret, Nobody, Nobody),
    rule(ADS_DD_LINK_RELATIVE_PATH, "relative_path", Text, Alterer, Nobody),
];

const TRIGGER: &[Rule] = &[
    rule(ADS_DD_TRIG_TABLEID, "table_id", Long, Alterer, Nobody),
    rule(ADS_DD_TRIG_EVENT_TYPE, "event", Long, Alterer, Nobody),
    rule(ADS_DD_TRIG_TRIGGER_TYPE, "type", Long, Alterer, Nobody),
    rule(ADS_DD_TRIG_CONTAINER_TYPE, "container_type", Long, Alterer, Nobody),
    rule(ADS_DD_TRIG_CONTAINER, "container", Text, Alterer, Alterer),
    rule(ADS_DD_TRIG_FUNCTION_NAME, "function", Text, Alterer, Alterer),
    rule(ADS_DD_TRIG_PRIORITY, "priority", Long, Alterer, Alterer),
    rule(ADS_DD_TRIG_OPTIONS, "trigger_options", Long, Alterer, Nobody),
    rule(ADS_DD_TRIG_TABLENAME, "table", Text, Alterer, Nobody),
];

const PUBLICATION: &[Rule] = &[rule(ADS_DD_PUBLICATION_OPTIONS, "publication_options", Long, Alterer, Alterer)];

const ARTICLE: &[Rule] = &[
    rule(ADS_DD_ARTICLE_FILTER, "filter", Text, Alterer, Alterer),
    rule(ADS_DD_ARTICLE_ID_COLUMNS, "id_columns", Text, Alterer, Alterer),
    rule(ADS_DD_ARTICLE_INCLUDE_COLUMNS, "included_columns", Text, Alterer, Alterer),
    rule(ADS_DD_ARTICLE_EXCLUDE_COLUMNS, "excluded_columns", Text, Alterer, Alterer),
    rule(ADS_DD_ARTICLE_INSERT_MERGE, "insert_merge", Flag, Alterer, Alterer),
    rule(ADS_DD_ARTICLE_UPDATE_MERGE, "update_merge", Flag, Alterer, Alterer),
];

const SUBSCRIPTION: &[Rule] = &[
    rule(ADS_DD_SUBSCR_PUBLICATION_NAME, "publication", Text, Alterer, Alterer),
    rule(ADS_DD_SUBSCR_TARGET, "target", Text, Alterer, Alterer),
    rule(ADS_DD_SUBSCR_USERNAME, "user", Text, Alterer, Alterer),
    rule(ADS_DD_SUBSCR_PASSWORD, "password", Secret, Nobody, Alterer),
    rule(ADS_DD_SUBSCR_FORWARD, "forward", Flag, Alterer, Alterer),
    rule(ADS_DD_SUBSCR_ENABLED, "enabled", Flag, Alterer, Alterer),
    rule(ADS_DD_SUBSCR_QUEUE_NAME, "queue", Text, Alterer, Alterer),
    rule(ADS_DD_SUBSCR_OPTIONS, "subscription_options", Long, Alterer, Alterer),
    rule(ADS_DD_SUBSCR_PAUSED, "paused", Flag, Alterer, Alterer),
];

/// The kinds: number, name in the file, the properties that others have not got.
const KINDS: &[(u32, &str, &[Rule])] = &[
    (ADS_DD_DATABASE_OBJECT, "database", DATABASE),
    (ADS_DD_TABLE_OBJECT, "table", TABLE),
    (ADS_DD_FIELD_OBJECT, "field", FIELD),
    (ADS_DD_INDEX_OBJECT, "index", INDEX),
    (ADS_DD_INDEX_FILE_OBJECT, "index_file", INDEX_FILE),
    (ADS_DD_RELATION_OBJECT, "relation", RELATION),
    (ADS_DD_VIEW_OBJECT, "view", VIEW),
    (ADS_DD_USER_OBJECT, "user", USERS),
    (ADS_DD_USER_GROUP_OBJECT, "group", &[]),
    (ADS_DD_PROCEDURE_OBJECT, "procedure", PROCEDURE),
    (ADS_DD_FUNCTION_OBJECT, "function", FUNCTION),
    (ADS_DD_PACKAGE_OBJECT, "package", &[]),
    (ADS_DD_LINK_OBJECT, "link", LINK),
    (ADS_DD_TRIGGER_OBJECT, "trigger", TRIGGER),
    (ADS_DD_PUBLICATION_OBJECT, "publication", PUBLICATION),
    (ADS_DD_ARTICLE_OBJECT, "article", ARTICLE),
    (ADS_DD_SUBSCRIPTION_OBJECT, "subscription", SUBSCRIPTION),
];

/// The wide forms of texts: the number of the form in UTF-16, and that of the property.
const WIDE: &[(u32, u32)] = &[
    (ADS_DD_FTS_DELIMITERS_W, ADS_DD_FTS_DELIMITERS),
    (ADS_DD_FTS_NOISE_W, ADS_DD_FTS_NOISE),
    (ADS_DD_FTS_DROP_CHARS_W, ADS_DD_FTS_DROP_CHARS),
    (ADS_DD_FTS_CONDITIONAL_CHARS_W, ADS_DD_FTS_CONDITIONAL_CHARS),
    (ADS_DD_TABLE_VALIDATION_EXPR_W, ADS_DD_TABLE_VALIDATION_EXPR),
    (ADS_DD_FIELD_DEFAULT_VALUE_W, ADS_DD_FIELD_DEFAULT_VALUE),
    (ADS_DD_FIELD_MIN_VALUE_W, ADS_DD_FIELD_MIN_VALUE),
    (ADS_DD_FIELD_MAX_VALUE_W, ADS_DD_FIELD_MAX_VALUE),
    (ADS_DD_PROC_SCRIPT_W, ADS_DD_PROC_SCRIPT),
    (ADS_DD_TRIG_CONTAINER_W, ADS_DD_TRIG_CONTAINER),
    (ADS_DD_ARTICLE_FILTER_W, ADS_DD_ARTICLE_FILTER),
];

fn own(kind: u32) -> Option<&'static [Rule]> {
    KINDS.iter().find(|(known, ..)| *known == kind).map(|(.., rules)| *rules)
}

/// A property of a kind, by its number.
pub fn find(kind: u32, id: u32) -> Option<&'static Rule> {
    own(kind)?.iter().chain(COMMON).find(|rule| rule.id == id)
}

/// The property that a number means, and whether it is the number of its wide form.
pub fn narrow(id: u32) -> (u32, bool) {
    WIDE.iter().find(|(wide, _)| *wide == id).map_or((id, false), |(_, narrow)| (*narrow, true))
}

/// The name of a kind in the file.
pub fn kind_name(kind: u32) -> Option<&'static str> {
    KINDS.iter().find(|(known, ..)| *known == kind).map(|(_, name, _)| *name)
}

/// The kind of a name in the file.
pub fn kind(name: &str) -> Option<u32> {
    KINDS.iter().find(|(_, known, _)| *known == name).map(|(kind, ..)| *kind)
}

/// The name of a property in the file.
pub fn name(kind: u32, id: u32) -> Option<&'static str> {
    find(kind, id).map(|rule| rule.name)
}

/// The property of a name in the file.
pub fn id(kind: u32, name: &str) -> Option<u32> {
    own(kind)?.iter().chain(COMMON).find(|rule| rule.name == name).map(|rule| rule.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_and_numbers_are_unique_within_a_kind() {
        for (kind, word, rules) in KINDS {
            let mut seen = HashSet::new();
            for rule in rules.iter().chain(COMMON) {
                assert!(seen.insert(rule.name), "{word}: {}", rule.name);
                assert_eq!(id(*kind, rule.name), Some(rule.id), "{word}: {}", rule.name);
            }
        }
    }
}
