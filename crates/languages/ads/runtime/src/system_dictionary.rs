//! The system tables of a data dictionary: relations, users and groups, rights, links, the dictionary itself.
//!
//! Source: the help pages of `system.relations`, `system.effectivepermissions` and their siblings, and "System Tables"
//! of the developer's guide: a user who may not change the dictionary sees neither users nor relations, and only his
//! own rights. A column of a property has the property's name.

use crate::system::{Cell, Columns, Rows, null, optional, text};
use mainstay_data_dictionary::access::effective;
use mainstay_data_dictionary::constants::*;
use mainstay_data_dictionary::contents::same;
use mainstay_data_dictionary::{Contents, Object, Session};

const NAMED: Columns = &[("Name", "VARCHAR"), ("Comment", "VARCHAR")];

const RELATIONS: Columns = &[
    ("Name", "VARCHAR"),
    ("RI_Primary_Table", "VARCHAR"),
    ("RI_Primary_Index", "VARCHAR"),
    ("RI_Foreign_Table", "VARCHAR"),
    ("RI_Foreign_Index", "VARCHAR"),
    ("RI_UpdateRule", "INTEGER"),
    ("RI_DeleteRule", "INTEGER"),
    ("RI_No_Pkey_Error", "VARCHAR"),
    ("RI_Cascade_Error", "VARCHAR"),
];

const MEMBERS: Columns = &[("User_Name", "VARCHAR"), ("Group_Name", "VARCHAR")];

const LINKS: Columns =
    &[("Name", "VARCHAR"), ("Link_Path", "VARCHAR"), ("Link_Options", "INTEGER"), ("Link_UserName", "VARCHAR")];

const OBJECTS: Columns = &[("Name", "VARCHAR"), ("Object_Type", "INTEGER"), ("Parent", "VARCHAR")];

const DICTIONARY: Columns = &[
    ("Comment", "VARCHAR"),
    ("Version_Major", "INTEGER"),
    ("Version_Minor", "INTEGER"),
    ("Default_Table_Path", "VARCHAR"),
    ("Temp_Table_Path", "VARCHAR"),
    ("Log_In_Required", "BOOLEAN"),
    ("Verify_Access_Rights", "BOOLEAN"),
    ("Enable_Internet", "BOOLEAN"),
    ("Logins_Disabled", "BOOLEAN"),
];

const PERMISSIONS: Columns = &[
    ("Name", "VARCHAR"),
    ("Object_Type", "INTEGER"),
    ("Parent", "VARCHAR"),
    ("Grantee", "VARCHAR"),
    ("Select", "INTEGER"),
    ("Update", "INTEGER"),
    ("Insert", "INTEGER"),
    ("Delete", "INTEGER"),
    ("Execute", "INTEGER"),
    ("Access", "INTEGER"),
    ("Inherit", "INTEGER"),
    ("Create", "INTEGER"),
    ("Alter", "INTEGER"),
    ("Drop", "INTEGER"),
];

const PUBLICATIONS: Columns =
    &[("Name", "VARCHAR"), ("Comment", "VARCHAR"), ("Options", "INTEGER"), ("User_Defined_Prop", "VARBINARY")];

const ARTICLES: Columns = &[
    ("Name", "VARCHAR"),
    ("Parent", "VARCHAR"),
    ("Ident_Columns", "VARCHAR"),
    ("Filter", "VARCHAR"),
    ("Include_Columns", "VARCHAR"),
    ("Exclude_Columns", "VARCHAR"),
    ("Update_Merge", "BOOLEAN"),
    ("Insert_Merge", "BOOLEAN"),
];

const SUBSCRIPTIONS: Columns = &[
    ("Name", "VARCHAR"),
    ("Publication", "VARCHAR"),
    ("Target", "VARCHAR"),
    ("Target_UserName", "VARCHAR"),
    ("Replication_Queue", "VARCHAR"),
    ("Forward", "BOOLEAN"),
    ("Enabled", "BOOLEAN"),
    ("Comment", "VARCHAR"),
    ("Options", "INTEGER"),
    ("User_Defined_Prop", "VARBINARY"),
    ("Paused", "BOOLEAN"),
    ("TCP/IP", "BOOLEAN"),
    ("UDP/IP", "BOOLEAN"),
    ("IPX", "BOOLEAN"),
];

/// The rights in the order of the columns.
const RIGHTS: [u32; 10] = [
    ADS_PERMISSION_READ,
    ADS_PERMISSION_UPDATE,
    ADS_PERMISSION_INSERT,
    ADS_PERMISSION_DELETE,
    ADS_PERMISSION_EXECUTE,
    ADS_PERMISSION_LINK_ACCESS,
    ADS_PERMISSION_INHERIT,
    ADS_PERMISSION_CREATE,
    ADS_PERMISSION_ALTER,
    ADS_PERMISSION_DROP,
];

/// The kinds of objects that rights are about, with the rights that there are.
const RULED_KINDS: [(u32, u32); 5] = [
    (ADS_DD_TABLE_OBJECT, 0x3BB),
    (ADS_DD_VIEW_OBJECT, 0x3BB),
    (ADS_DD_PROCEDURE_OBJECT, 0x38C),
    (ADS_DD_FUNCTION_OBJECT, 0x38C),
    (ADS_DD_LINK_OBJECT, 0x3C8),
];

/// A system table that only dictionaries have rows for; `None` for another. A folder has no dictionary.
pub(crate) fn table(name: &str, dictionary: Option<(&Session, &Contents)>) -> Option<Rows> {
    let columns = match name {
        "relations" => RELATIONS,
        "users" | "usergroups" => NAMED,
        "publications" => PUBLICATIONS,
        "publicationarticles" | "articles" => ARTICLES,
        "subscriptions" => SUBSCRIPTIONS,
        "usergroupmembers" => MEMBERS,
        "links" => LINKS,
        "objects" => OBJECTS,
        "dictionary" => DICTIONARY,
        "permissions" | "effectivepermissions" => PERMISSIONS,
        _ => return None,
    };
    let rows = dictionary.map_or_else(Vec::new, |(session, contents)| rows(name, session, contents));
    Some(Rows { columns, rows })
}

fn rows(name: &str, session: &Session, contents: &Contents) -> Vec<Vec<Cell>> {
    let is_administrator = session.access.is_administrator(contents);
    let all = |kind: u32, row: &dyn Fn(&Object) -> Vec<Cell>| contents.all(kind).map(row).collect::<Vec<_>>();
    let named = |kind: u32| all(kind, &|it| vec![text(&it.name), optional(it.text(ADS_DD_COMMENT))]);
    match name {
        "links" => all(ADS_DD_LINK_OBJECT, &|it| {
            vec![
                text(&it.name),
                optional(it.text(ADS_DD_LINK_PATH)),
                it.number(ADS_DD_LINK_OPTIONS).to_string(),
                optional(it.text(ADS_DD_LINK_USERNAME)),
            ]
        }),
        "publications" => all(ADS_DD_PUBLICATION_OBJECT, &|it| {
            let options = it.number(ADS_DD_PUBLICATION_OPTIONS).to_string();
            vec![text(&it.name), optional(it.text(ADS_DD_COMMENT)), options, null()]
        }),
        "publicationarticles" | "articles" => all(ADS_DD_ARTICLE_OBJECT, &of_article),
        "subscriptions" => all(ADS_DD_SUBSCRIPTION_OBJECT, &of_subscription),
        "objects" => {
            let is_seen = |it: &&Object| is_administrator || !is_of_administrators(it.kind);
            let shown = contents.objects.iter().filter(is_seen);
            shown.map(|it| vec![text(&it.name), it.kind.to_string(), optional(some(&it.parent))]).collect()
        }
        "dictionary" => contents.database().map(|database| vec![of_database(database)]).unwrap_or_default(),
        "permissions" => granted(session, contents, is_administrator),
        "effectivepermissions" => effective_rights(session, contents, is_administrator),
        _ if !is_administrator => Vec::new(),
        "relations" => all(ADS_DD_RELATION_OBJECT, &|it| {
            vec![
                text(&it.name),
                optional(it.text(ADS_DD_RI_PRIMARY_TABLE)),
                optional(it.text(ADS_DD_RI_PRIMARY_INDEX)),
                optional(it.text(ADS_DD_RI_FOREIGN_TABLE)),
                optional(it.text(ADS_DD_RI_FOREIGN_INDEX)),
                it.number(ADS_DD_RI_UPDATERULE).to_string(),
                it.number(ADS_DD_RI_DELETERULE).to_string(),
                optional(it.text(ADS_DD_RI_NO_PKEY_ERROR)),
                optional(it.text(ADS_DD_RI_CASCADE_ERROR)),
            ]
        }),
        "users" => named(ADS_DD_USER_OBJECT),
        "usergroups" => named(ADS_DD_USER_GROUP_OBJECT),
        "usergroupmembers" => {
            let members = contents
                .all(ADS_DD_USER_OBJECT)
                .flat_map(|user| user.groups().map(|group| vec![text(&user.name), text(group)]).collect::<Vec<_>>());
            members.collect()
        }
        _ => Vec::new(),
    }
}

fn some(name: &str) -> Option<&str> {
    Some(name).filter(|name| !name.is_empty())
}

/// Returns true if only administrators see objects of a kind.
fn is_of_administrators(kind: u32) -> bool {
    matches!(kind, ADS_DD_USER_OBJECT | ADS_DD_USER_GROUP_OBJECT | ADS_DD_RELATION_OBJECT)
}

fn switch(object: &Object, property: u32) -> Cell {
    if object.number(property) != 0 { "TRUE" } else { "FALSE" }.to_owned()
}

fn of_article(it: &Object) -> Vec<Cell> {
    vec![
        text(&it.name),
        optional(some(&it.parent)),
        optional(it.text(ADS_DD_ARTICLE_ID_COLUMNS)),
        optional(it.text(ADS_DD_ARTICLE_FILTER)),
        optional(it.text(ADS_DD_ARTICLE_INCLUDE_COLUMNS)),
        optional(it.text(ADS_DD_ARTICLE_EXCLUDE_COLUMNS)),
        switch(it, ADS_DD_ARTICLE_UPDATE_MERGE),
        switch(it, ADS_DD_ARTICLE_INSERT_MERGE),
    ]
}

fn of_subscription(it: &Object) -> Vec<Cell> {
    vec![
        text(&it.name),
        optional(it.text(ADS_DD_SUBSCR_PUBLICATION_NAME)),
        optional(it.text(ADS_DD_SUBSCR_TARGET)),
        optional(it.text(ADS_DD_SUBSCR_USERNAME)),
        optional(it.text(ADS_DD_SUBSCR_QUEUE_NAME)),
        switch(it, ADS_DD_SUBSCR_FORWARD),
        switch(it, ADS_DD_SUBSCR_ENABLED),
        optional(it.text(ADS_DD_COMMENT)),
        it.number(ADS_DD_SUBSCR_OPTIONS).to_string(),
        null(),
        switch(it, ADS_DD_SUBSCR_PAUSED),
        switch(it, ADS_DD_SUBSCR_COMM_TCP_IP),
        switch(it, ADS_DD_SUBSCR_COMM_UDP_IP),
        switch(it, ADS_DD_SUBSCR_COMM_IPX),
    ]
}

fn of_database(database: &Object) -> Vec<Cell> {
    let is_on = |property: u32| switch(database, property);
    vec![
        optional(database.text(ADS_DD_COMMENT)),
        database.number(ADS_DD_VERSION_MAJOR).to_string(),
        database.number(ADS_DD_VERSION_MINOR).to_string(),
        optional(database.text(ADS_DD_DEFAULT_TABLE_PATH)),
        optional(database.text(ADS_DD_TEMP_TABLE_PATH)),
        is_on(ADS_DD_LOG_IN_REQUIRED),
        is_on(ADS_DD_VERIFY_ACCESS_RIGHTS),
        is_on(ADS_DD_ENABLE_INTERNET),
        is_on(ADS_DD_LOGINS_DISABLED),
    ]
}

/// The rights as the columns have them: 0 not granted, 1 granted, 2 to be given on, too, NULL where there is no such right.
fn rights(kind: u32, (permissions, grantable): (u32, u32)) -> Vec<Cell> {
    let there_are = RULED_KINDS.iter().find(|(known, _)| *known == kind).map_or(u32::MAX, |(_, rights)| *rights);
    let cell = |right: &u32| match () {
        () if there_are & right == 0 => null(),
        () if grantable & right != 0 => "2".to_owned(),
        () => u32::from(permissions & right != 0).to_string(),
    };
    RIGHTS.iter().map(cell).collect()
}

fn line(object: (u32, &str, &str), grantee: &str, of: (u32, u32)) -> Vec<Cell> {
    let (kind, parent, name) = object;
    let mut row = vec![text(name), kind.to_string(), optional(some(parent)), text(grantee)];
    row.extend(rights(kind, of));
    row
}

/// Returns true if the rights of a grantee are shown to the user: his own, and those of his groups.
fn is_own(session: &Session, contents: &Contents, grantee: &str) -> bool {
    let user = contents.find(ADS_DD_USER_OBJECT, "", &session.access.user);
    same(&session.access.user, grantee) || user.is_some_and(|user| user.groups().any(|group| same(group, grantee)))
}

fn granted(session: &Session, contents: &Contents, is_administrator: bool) -> Vec<Vec<Cell>> {
    let shown = contents.grants.iter().filter(|grant| is_administrator || is_own(session, contents, &grant.grantee));
    let row = |grant: &mainstay_data_dictionary::Grant| {
        line((grant.kind, &grant.parent, &grant.name), &grant.grantee, (grant.permissions, grant.grantable))
    };
    shown.map(row).collect()
}

fn effective_rights(session: &Session, contents: &Contents, is_administrator: bool) -> Vec<Vec<Cell>> {
    let grantees = contents.all(ADS_DD_USER_OBJECT).chain(contents.all(ADS_DD_USER_GROUP_OBJECT));
    let grantees: Vec<&Object> =
        grantees.filter(|it| is_administrator || is_own(session, contents, &it.name)).collect();
    let mut rows = Vec::new();
    for object in contents.objects.iter().filter(|it| RULED_KINDS.iter().any(|(kind, _)| *kind == it.kind)) {
        for grantee in &grantees {
            let of = effective(contents, &grantee.name, object.kind, &object.parent, &object.name);
            rows.push(line((object.kind, &object.parent, &object.name), &grantee.name, of));
        }
    }
    rows
}
