//! The contents of a dictionary: objects with their properties, and grants.
//!
//! An object is identified by its kind, its parent (the table of a field, an index or a trigger; the publication of an
//! article; the package of a function) and its name, without regard to case. Fields and orders are here only if they
//! have properties of their own: the table's file decides which of them exist.

use std::collections::BTreeMap;

use crate::constants::*;
use crate::failure::{Failure, Result};

/// The longest name.
const LONGEST_NAME: usize = ADS_DD_MAX_OBJECT_NAME_LEN as usize;

/// The administrator that every dictionary has.
pub const ADMINISTRATOR: &str = "ADSSYS";

/// The groups that every dictionary has: administrators, and all users.
pub const ADMINISTRATORS: &str = "DB:Admin";
/// See [`ADMINISTRATORS`].
pub const EVERYBODY: &str = "DB:Public";
/// All of them; the last two give rights at the vendor's server, and have no effect here.
pub const GROUPS: [&str; 4] = [ADMINISTRATORS, "DB:Backup", "DB:Debug", EVERYBODY];

/// A property's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    /// A text.
    Text(String),
    /// A number, of whatever width the interface gives it.
    Number(u32),
    /// Bytes that are the program's.
    Bytes(Vec<u8>),
}

impl Property {
    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Property::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<u32> {
        match self {
            Property::Number(number) => Some(*number),
            _ => None,
        }
    }
}

/// An object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// One of the `ADS_DD_..._OBJECT` constants.
    pub kind: u32,
    /// The name of the object's parent; empty for most kinds.
    pub parent: String,
    /// Its name.
    pub name: String,
    /// A number that no other object of this dictionary has ever had.
    pub id: u32,
    /// Its properties, by number.
    pub properties: BTreeMap<u32, Property>,
}

impl Object {
    /// A property's text; nothing if it is not set.
    pub fn text(&self, property: u32) -> Option<&str> {
        self.properties.get(&property).and_then(Property::text)
    }

    /// A property's number; 0 if it is not set.
    pub fn number(&self, property: u32) -> u32 {
        self.properties.get(&property).and_then(Property::number).unwrap_or(0)
    }

    /// Sets a text; `None` removes the property.
    pub fn set_text(&mut self, property: u32, text: Option<String>) {
        match text.filter(|text| !text.is_empty()) {
            Some(text) => self.properties.insert(property, Property::Text(text)),
            None => self.properties.remove(&property),
        };
    }

    /// Sets a number.
    pub fn set_number(&mut self, property: u32, number: u32) {
        self.properties.insert(property, Property::Number(number));
    }

    /// The groups that a user belongs to.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.text(ADS_DD_USER_GROUP_MEMBERSHIP).unwrap_or_default().split(';').filter(|group| !group.is_empty())
    }

    fn is(&self, kind: u32, parent: &str, name: &str) -> bool {
        self.kind == kind && same(&self.name, name) && same(&self.parent, parent)
    }
}

/// The rights of a user or a group to an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The kind of the object.
    pub kind: u32,
    /// The name of the object's parent.
    pub parent: String,
    /// Its name; empty for the right to create objects of the kind.
    pub name: String,
    /// The user or group.
    pub grantee: String,
    /// `ADS_PERMISSION_...`, added up.
    pub permissions: u32,
    /// Those of them that may be given on.
    pub grantable: u32,
}

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// The objects, in the order in which they were made.
    pub objects: Vec<Object>,
    /// The grants.
    pub grants: Vec<Grant>,
    /// The last number that an object was given.
    pub last_id: u32,
    /// Nothing of it is changed, nor are its tables: it is in the vendor's format, of which not everything is understood.
    pub is_read_only: bool,
    /// Types of objects that are not understood, and the number of objects of each.
    pub unread: Vec<(String, usize)>,
}

/// Returns true if two names are equal, without regard to case.
pub fn same(left: &str, right: &str) -> bool {
    left == right || left.to_lowercase() == right.to_lowercase()
}

/// Kinds whose names exclude each other: objects that a statement may name where a table is expected, and users with
/// groups.
fn shares_names(kind: u32, other: u32) -> bool {
    let is_relation =
        |kind| matches!(kind, ADS_DD_TABLE_OBJECT | ADS_DD_VIEW_OBJECT | ADS_DD_PROCEDURE_OBJECT | ADS_DD_LINK_OBJECT);
    let is_login = |kind| matches!(kind, ADS_DD_USER_OBJECT | ADS_DD_USER_GROUP_OBJECT);
    kind == other || is_relation(kind) && is_relation(other) || is_login(kind) && is_login(other)
}

fn unknown(name: &str) -> Failure {
    Failure::new(AE_INVALID_OBJECT_NAME, format!("'{name}' is not in the dictionary"))
}

impl Contents {
    /// A dictionary without tables: the administrator and the groups that each has.
    pub fn new(description: Option<String>) -> Contents {
        let mut contents = Contents::default();
        contents.push(ADS_DD_DATABASE_OBJECT, "", "").set_text(ADS_DD_COMMENT, description);
        contents
            .push(ADS_DD_USER_OBJECT, "", ADMINISTRATOR)
            .set_text(ADS_DD_USER_GROUP_MEMBERSHIP, Some(ADMINISTRATORS.to_owned()));
        for group in GROUPS {
            contents.push(ADS_DD_USER_GROUP_OBJECT, "", group);
        }
        contents
    }

    /// Refuses to change a dictionary in the vendor's format.
    ///
    /// Errors: AE_DD_REQUEST_NOT_COMPLETED, with what is not understood of it.
    pub fn check_may_change(&self) -> Result<()> {
        if !self.is_read_only {
            return Ok(());
        }
        let unread: Vec<String> = self.unread.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let unread = if unread.is_empty() { String::new() } else { format!("; not read: {}", unread.join(", ")) };
        let message = format!("a dictionary in Advantage's format is read, and not changed{unread}");
        Err(Failure::new(AE_DD_REQUEST_NOT_COMPLETED, message))
    }

    fn push(&mut self, kind: u32, parent: &str, name: &str) -> &mut Object {
        self.last_id += 1;
        let (id, parent, name) = (self.last_id, parent.to_owned(), name.to_owned());
        let at = self.objects.len();
        self.objects.push(Object { kind, parent, name, id, properties: BTreeMap::new() });
        &mut self.objects[at]
    }

    /// Makes a new object.
    ///
    /// Errors: AE_INVALID_OBJECT_NAME for a name that is empty, too long or another object's.
    pub fn add(&mut self, kind: u32, parent: &str, name: &str) -> Result<&mut Object> {
        let name = name.trim();
        if name.is_empty() || name.len() > LONGEST_NAME || name.contains(['\n', '\r', '\0']) {
            return Err(Failure::new(AE_INVALID_OBJECT_NAME, format!("'{name}' is no name for an object")));
        }
        if self.is_taken(kind, parent, name) {
            return Err(Failure::new(AE_INVALID_OBJECT_NAME, format!("there is an object '{name}' already")));
        }
        Ok(self.push(kind, parent, name))
    }

    /// Returns true if an object of that name prevents a new one.
    pub fn is_taken(&self, kind: u32, parent: &str, name: &str) -> bool {
        self.objects
            .iter()
            .any(|known| shares_names(kind, known.kind) && same(&known.name, name) && same(&known.parent, parent))
    }

    /// An object.
    pub fn find(&self, kind: u32, parent: &str, name: &str) -> Option<&Object> {
        self.objects.iter().find(|object| object.is(kind, parent, name))
    }

    /// An object that must be there.
    ///
    /// Errors: AE_INVALID_OBJECT_NAME.
    pub fn get(&self, kind: u32, parent: &str, name: &str) -> Result<&Object> {
        self.find(kind, parent, name).ok_or_else(|| unknown(name))
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, kind: u32, parent: &str, name: &str) -> Result<&mut Object> {
        self.objects.iter_mut().find(|object| object.is(kind, parent, name)).ok_or_else(|| unknown(name))
    }

    /// An object that is stored only if it has properties of its own: a field, an order.
    pub fn get_or_add(&mut self, kind: u32, parent: &str, name: &str) -> &mut Object {
        match self.objects.iter().position(|object| object.is(kind, parent, name)) {
            Some(at) => &mut self.objects[at],
            None => self.push(kind, parent, name),
        }
    }

    /// The database itself, whose properties are those of the dictionary.
    pub fn database(&self) -> Option<&Object> {
        self.find(ADS_DD_DATABASE_OBJECT, "", "")
    }

    /// A switch of the database; off if it was never set.
    pub fn is_on(&self, property: u32) -> bool {
        self.database().is_some_and(|database| database.number(property) != 0)
    }

    /// All objects of a kind.
    pub fn all(&self, kind: u32) -> impl Iterator<Item = &Object> {
        self.objects.iter().filter(move |object| object.kind == kind)
    }

    /// All objects of a kind that are of a parent.
    pub fn children<'c>(&'c self, kind: u32, parent: &'c str) -> impl Iterator<Item = &'c Object> {
        self.all(kind).filter(move |object| same(&object.parent, parent))
    }

    /// Removes an object with what is of it, and what was granted about both.
    ///
    /// Errors: AE_INVALID_OBJECT_NAME.
    pub fn remove(&mut self, kind: u32, parent: &str, name: &str) -> Result<Object> {
        let at = self.objects.iter().position(|object| object.is(kind, parent, name)).ok_or_else(|| unknown(name))?;
        let removed = self.objects.remove(at);
        let is_parent = owns(kind);
        self.objects.retain(|object| !(is_parent(object.kind) && same(&object.parent, name)));
        self.grants.retain(|grant| {
            let itself = grant.kind == kind && same(&grant.name, name) && same(&grant.parent, parent);
            let grantee = matches!(kind, ADS_DD_USER_OBJECT | ADS_DD_USER_GROUP_OBJECT) && same(&grant.grantee, name);
            !(itself || grantee || is_parent(grant.kind) && same(&grant.parent, name))
        });
        if kind == ADS_DD_USER_GROUP_OBJECT {
            self.objects.iter_mut().for_each(|object| leave(object, name));
        }
        Ok(removed)
    }

    /// Gives an object another name, wherever it is named.
    ///
    /// Errors: AE_INVALID_OBJECT_NAME.
    pub fn rename(&mut self, kind: u32, parent: &str, name: &str, new: &str) -> Result<()> {
        let new = new.trim();
        self.get(kind, parent, name)?;
        if new.is_empty() || new.len() > LONGEST_NAME || !same(name, new) && self.is_taken(kind, parent, new) {
            return Err(Failure::new(AE_INVALID_OBJECT_NAME, format!("'{new}' cannot be the new name")));
        }
        self.get_mut(kind, parent, name)?.name = new.to_owned();
        let is_parent = owns(kind);
        for object in self.objects.iter_mut().filter(|object| is_parent(object.kind) && same(&object.parent, name)) {
            object.parent = new.to_owned();
        }
        for grant in &mut self.grants {
            if grant.kind == kind && same(&grant.name, name) && same(&grant.parent, parent) {
                grant.name = new.to_owned();
            }
            if is_parent(grant.kind) && same(&grant.parent, name) {
                grant.parent = new.to_owned();
            }
            let is_login = matches!(kind, ADS_DD_USER_OBJECT | ADS_DD_USER_GROUP_OBJECT);
            if is_login && same(&grant.grantee, name) {
                grant.grantee = new.to_owned();
            }
        }
        self.rename_in_properties(kind, name, new);
        Ok(())
    }

    fn rename_in_properties(&mut self, kind: u32, name: &str, new: &str) {
        let named_in: &[u32] = match kind {
            ADS_DD_TABLE_OBJECT => &[ADS_DD_RI_PRIMARY_TABLE, ADS_DD_RI_FOREIGN_TABLE],
            ADS_DD_PUBLICATION_OBJECT => &[ADS_DD_SUBSCR_PUBLICATION_NAME],
            _ => &[],
        };
        for object in &mut self.objects {
            for property in named_in {
                if object.text(*property).is_some_and(|text| same(text, name)) {
                    object.set_text(*property, Some(new.to_owned()));
                }
            }
            if kind == ADS_DD_USER_GROUP_OBJECT && object.groups().any(|group| same(group, name)) {
                leave(object, name);
                join(object, new);
            }
        }
    }
}

/// The kinds of objects that have an object of this kind as their parent.
fn owns(kind: u32) -> fn(u32) -> bool {
    match kind {
        ADS_DD_TABLE_OBJECT | ADS_DD_VIEW_OBJECT => |child| {
            matches!(
                child,
                ADS_DD_FIELD_OBJECT | ADS_DD_INDEX_OBJECT | ADS_DD_INDEX_FILE_OBJECT | ADS_DD_TRIGGER_OBJECT
            )
        },
        ADS_DD_PUBLICATION_OBJECT => |child| child == ADS_DD_ARTICLE_OBJECT,
        ADS_DD_PACKAGE_OBJECT => |child| child == ADS_DD_FUNCTION_OBJECT,
        _ => |_| false,
    }
}

/// Makes a user a member of a group.
pub fn join(user: &mut Object, group: &str) {
    let groups: Vec<&str> = user.groups().chain([group]).collect();
    let groups = groups.join(";");
    user.set_text(ADS_DD_USER_GROUP_MEMBERSHIP, Some(groups));
}

/// Ends a user's membership.
pub fn leave(user: &mut Object, group: &str) {
    if user.groups().any(|known| same(known, group)) {
        let groups: Vec<&str> = user.groups().filter(|known| !same(known, group)).collect();
        let groups = groups.join(";");
        user.set_text(ADS_DD_USER_GROUP_MEMBERSHIP, Some(groups));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_for_what_statements_name() {
        let mut contents = Contents::new(None);
        contents.add(ADS_DD_TABLE_OBJECT, "", "Customers").unwrap();
        assert!(contents.add(ADS_DD_VIEW_OBJECT, "", "CUSTOMERS").is_err());
        assert!(contents.add(ADS_DD_USER_OBJECT, "", "Customers").is_ok());
        assert!(contents.add(ADS_DD_USER_GROUP_OBJECT, "", "customers").is_err());
        assert!(contents.add(ADS_DD_TABLE_OBJECT, "", " ").is_err());
    }

    #[test]
    fn what_is_of_an_object_goes_and_is_renamed_with_it() {
        let mut contents = Contents::new(None);
        contents.add(ADS_DD_TABLE_OBJECT, "", "a").unwrap();
        contents.get_or_add(ADS_DD_FIELD_OBJECT, "a", "x");
        contents.add(ADS_DD_RELATION_OBJECT, "", "r").unwrap().set_text(ADS_DD_RI_PRIMARY_TABLE, Some("A".to_owned()));
        contents.rename(ADS_DD_TABLE_OBJECT, "", "A", "b").unwrap();
        assert!(contents.find(ADS_DD_FIELD_OBJECT, "b", "X").is_some());
        assert_eq!(contents.get(ADS_DD_RELATION_OBJECT, "", "r").unwrap().text(ADS_DD_RI_PRIMARY_TABLE), Some("b"));
        contents.remove(ADS_DD_TABLE_OBJECT, "", "b").unwrap();
        assert!(contents.find(ADS_DD_FIELD_OBJECT, "b", "x").is_none());
    }
}
