//! Properties of the objects of a dictionary: those that are stored, and those that follow from files.

use mainstay_workarea::{Area, Mode};

use crate::border::*;
use crate::calls::dictionary::checks::{self, Validation};
use crate::calls::dictionary::session;
use crate::calls::dictionary::tables;
use crate::calls::expressions::number_of;
use crate::calls::fields::type_of;
use crate::calls::indexes;
use crate::constants::*;
use crate::dictionary::contents::{ADMINISTRATOR, Contents, Property, same};
use crate::dictionary::properties::{self, Form, Rule, Who};
use crate::dictionary::{Session, access};
use crate::failure::{Failure, Result};

/// An object as a call names it.
pub struct Named {
    /// Its kind.
    pub kind: u32,
    /// The name of the object's parent.
    pub parent: String,
    /// Its name.
    pub name: String,
}

impl Named {
    /// An object that is of nothing else.
    pub fn new(kind: u32, name: String) -> Named {
        Named { kind, parent: String::new(), name }
    }

    /// A trigger: `Table::Name`, or only a name for one of the database.
    pub fn trigger(name: &str) -> Named {
        let (parent, name) = name.split_once("::").unwrap_or(("", name));
        Named { kind: ADS_DD_TRIGGER_OBJECT, parent: parent.to_owned(), name: name.to_owned() }
    }

    /// A function: `:Package::Name`, `Package::Name`, or only a name.
    pub fn function(name: &str) -> Named {
        let (parent, name) = name.trim_start_matches(':').split_once("::").unwrap_or(("", name));
        Named { kind: ADS_DD_FUNCTION_OBJECT, parent: parent.to_owned(), name: name.to_owned() }
    }

    /// The object whose rights are checked: a field's own, or those of the table for its other parts.
    fn with_rights(&self) -> (u32, &str, &str) {
        match self.kind {
            ADS_DD_INDEX_OBJECT | ADS_DD_INDEX_FILE_OBJECT => (ADS_DD_TABLE_OBJECT, "", &self.parent),
            ADS_DD_TRIGGER_OBJECT if !self.parent.is_empty() => (ADS_DD_TABLE_OBJECT, "", &self.parent),
            ADS_DD_TRIGGER_OBJECT => (ADS_DD_DATABASE_OBJECT, "", ""),
            ADS_DD_ARTICLE_OBJECT => (ADS_DD_PUBLICATION_OBJECT, "", &self.parent),
            kind => (kind, &self.parent, &self.name),
        }
    }

    /// The same where something is changed: fields are altered with their table.
    fn altered_with(&self) -> (u32, &str, &str) {
        match self.kind {
            ADS_DD_FIELD_OBJECT => (ADS_DD_TABLE_OBJECT, "", &self.parent),
            _ => self.with_rights(),
        }
    }

    /// Fails unless there is such an object. Fields and orders exist in their tables.
    fn must_exist(&self, session: &Session, contents: &Contents) -> Result<()> {
        let unknown = || Failure::new(AE_INVALID_OBJECT_NAME, self.name.clone());
        match self.kind {
            ADS_DD_FIELD_OBJECT | ADS_DD_INDEX_OBJECT => {
                let area = session.open(contents, &self.parent, Mode::ReadOnly)?;
                let found = match self.kind {
                    ADS_DD_FIELD_OBJECT => area.field_number(&self.name).is_some(),
                    _ => area.order_named(&self.name).is_some(),
                };
                if found { Ok(()) } else { Err(unknown()) }
            }
            ADS_DD_INDEX_FILE_OBJECT => {
                let area = session.open(contents, &self.parent, Mode::ReadOnly)?;
                tables::index_file(&area, &self.name).map(drop).ok_or_else(unknown)
            }
            ADS_DD_DATABASE_OBJECT => Ok(()),
            kind => contents.get(kind, &self.parent, &self.name).map(drop),
        }
    }
}

/// Checks that the user may see or change a property.
fn check(session: &Session, contents: &Contents, named: &Named, who: Who) -> Result<()> {
    let access = &session.access;
    let is_administrator = access.is_administrator(contents);
    let denied = || Failure::new(AE_PERMISSION_DENIED, format!("user '{}' may not do this", access.user));
    let (kind, parent, name) = named.with_rights();
    let rights = access.rights(contents, kind, parent, name);
    let alters = || {
        let (kind, parent, name) = named.altered_with();
        access.rights(contents, kind, parent, name) & ADS_PERMISSION_ALTER != 0
    };
    let writes = ADS_PERMISSION_UPDATE | ADS_PERMISSION_INSERT;
    let allowed = is_administrator
        || match who {
            Who::User if named.kind == ADS_DD_DATABASE_OBJECT => true,
            Who::User if named.kind == ADS_DD_USER_OBJECT => same(&access.user, &named.name) || alters(),
            Who::User => rights & (access::DATA_RIGHTS | ADS_PERMISSION_ALTER) != 0 || alters(),
            Who::Writer => rights & writes != 0 || alters(),
            Who::Alterer => match named.kind {
                ADS_DD_RELATION_OBJECT => alters_both(session, contents, named),
                _ => alters(),
            },
            Who::Itself => same(&access.user, &named.name) || alters(),
            Who::Administrator => same(&access.user, ADMINISTRATOR),
            Who::Nobody => {
                return Err(Failure::new(AE_INVALID_PROPERTY_ID, "the property follows from something else"));
            }
        };
    // Members of the administrators' group are not the administrator.
    let is_refused = who == Who::Administrator && !same(&access.user, ADMINISTRATOR);
    if allowed && !is_refused { Ok(()) } else { Err(denied()) }
}

/// A relation is altered with both its tables.
fn alters_both(session: &Session, contents: &Contents, named: &Named) -> bool {
    let Ok(relation) = contents.get(ADS_DD_RELATION_OBJECT, "", &named.name) else { return false };
    [ADS_DD_RI_PRIMARY_TABLE, ADS_DD_RI_FOREIGN_TABLE].iter().all(|table| {
        let table = relation.text(*table).unwrap_or_default();
        session.access.rights(contents, ADS_DD_TABLE_OBJECT, "", table) & ADS_PERMISSION_ALTER != 0
    })
}

/// A property, or nothing if it is not set.
fn value(session: &Session, contents: &Contents, named: &Named, id: u32) -> Result<Option<Property>> {
    let object = contents.find(named.kind, &named.parent, &named.name);
    let text = |text: String| Ok(Some(Property::Text(text)));
    let full = |path: std::path::PathBuf| {
        let path = std::path::absolute(&path).unwrap_or(path);
        Ok(Some(Property::Text(path.to_string_lossy().into_owned())))
    };
    let stored = |id: u32| object.and_then(|object| object.properties.get(&id)).cloned();
    match (named.kind, id) {
        (_, ADS_DD_OBJECT_NAME) => text(object.map_or_else(|| named.name.clone(), |object| object.name.clone())),
        (_, ADS_DD_OBJECT_ID) | (ADS_DD_TABLE_OBJECT, ADS_DD_TABLE_OBJ_ID) => {
            Ok(object.map(|object| Property::Number(object.id)))
        }
        (ADS_DD_DATABASE_OBJECT, ADS_DD_DEFAULT_TABLE_PATH) => full(session.table_folder(contents)),
        (ADS_DD_DATABASE_OBJECT, ADS_DD_DEFAULT_TABLE_RELATIVE_PATH) => Ok(stored(ADS_DD_DEFAULT_TABLE_PATH)),
        (ADS_DD_DATABASE_OBJECT, ADS_DD_TEMP_TABLE_PATH) => match stored(id).as_ref().and_then(Property::text) {
            Some(path) => full(session.path_of(path)),
            None => full(session.table_folder(contents)),
        },
        (ADS_DD_DATABASE_OBJECT, ADS_DD_TEMP_TABLE_RELATIVE_PATH) => Ok(stored(ADS_DD_TEMP_TABLE_PATH)),
        (ADS_DD_DATABASE_OBJECT, ADS_DD_VERSION) => Ok(Some(stored(id).unwrap_or(Property::Number(0)))),
        (ADS_DD_TABLE_OBJECT, ADS_DD_TABLE_PATH) => match object {
            Some(table) => full(session.table_path(table)),
            None => Ok(None),
        },
        (ADS_DD_TABLE_OBJECT, ADS_DD_TABLE_RELATIVE_PATH) => Ok(stored(ADS_DD_TABLE_PATH)),
        (ADS_DD_TABLE_OBJECT, ADS_DD_TABLE_FIELD_COUNT) => {
            let area = session.open(contents, &named.name, Mode::ReadOnly)?;
            Ok(Some(number(area.fields().len())))
        }
        (ADS_DD_TABLE_OBJECT, ADS_DD_TABLE_IS_RI_PARENT) => {
            let is_parent = contents
                .all(ADS_DD_RELATION_OBJECT)
                .any(|relation| relation.text(ADS_DD_RI_PRIMARY_TABLE).is_some_and(|table| same(table, &named.name)));
            Ok(Some(Property::Number(is_parent.into())))
        }
        (ADS_DD_TABLE_OBJECT, ADS_DD_TABLE_TRIGGER_TYPES) | (ADS_DD_VIEW_OBJECT, ADS_DD_VIEW_TRIGGER_TYPES) => {
            let triggers = contents.children(ADS_DD_TRIGGER_OBJECT, &named.name);
            let types = triggers.fold(0, |types, trigger| types | trigger.number(ADS_DD_TRIG_TRIGGER_TYPE));
            Ok(Some(Property::Number(types)))
        }
        (ADS_DD_TABLE_OBJECT, ADS_DD_TABLE_PERMISSION_LEVEL) => {
            Ok(Some(stored(id).unwrap_or(Property::Number(ADS_DD_TABLE_PERMISSION_LEVEL_2))))
        }
        (ADS_DD_FIELD_OBJECT, ADS_DD_FIELD_CAN_NULL) => Ok(Some(stored(id).unwrap_or(Property::Number(1)))),
        (ADS_DD_FIELD_OBJECT, ADS_DD_FIELD_DEFINITION..=ADS_DD_FIELD_OPTIONS) => {
            of_field(&session.open(contents, &named.parent, Mode::ReadOnly)?, contents, named, id).map(Some)
        }
        (ADS_DD_INDEX_OBJECT, ADS_DD_INDEX_FILE_NAME..=ADS_DD_INDEX_COLLATION) => {
            of_index(&session.open(contents, &named.parent, Mode::ReadOnly)?, named, id)
        }
        (ADS_DD_INDEX_FILE_OBJECT, ADS_DD_INDEX_FILE_PATH..=ADS_DD_INDEX_FILE_TYPE) => {
            let area = session.open(contents, &named.parent, Mode::ReadOnly)?;
            let path = tables::index_file(&area, &named.name).ok_or_else(|| invalid_name(named))?;
            match id {
                ADS_DD_INDEX_FILE_PATH => full(path),
                ADS_DD_INDEX_FILE_RELATIVE_PATH => text(session.stored(&path)),
                ADS_DD_INDEX_FILE_PAGESIZE => Ok(Some(Property::Number(tables::page_size(&path)))),
                _ => Ok(Some(Property::Number(tables::index_type(&path)))),
            }
        }
        (ADS_DD_VIEW_OBJECT, ADS_DD_VIEW_STMT_LEN) => {
            let statement = stored(ADS_DD_VIEW_STMT);
            Ok(statement.as_ref().and_then(Property::text).map(|statement| number(statement.len() + 1)))
        }
        (ADS_DD_LINK_OBJECT, ADS_DD_LINK_PATH) => match stored(id).as_ref().and_then(Property::text) {
            Some(path) => full(session.path_of(path)),
            None => Ok(None),
        },
        (ADS_DD_LINK_OBJECT, ADS_DD_LINK_RELATIVE_PATH) => Ok(stored(ADS_DD_LINK_PATH)),
        (ADS_DD_USER_OBJECT, ADS_DD_USER_GROUP_NAME) => {
            Ok(object.and_then(|user| user.groups().next()).map(|group| Property::Text(group.to_owned())))
        }
        (ADS_DD_USER_OBJECT, ADS_DD_REQUIRE_OLD_PASSWORD) => Ok(Some(stored(id).unwrap_or(Property::Number(1)))),
        (ADS_DD_TRIGGER_OBJECT, ADS_DD_TRIG_TABLENAME) => Ok(Some(Property::Text(named.parent.clone()))),
        (ADS_DD_TRIGGER_OBJECT, ADS_DD_TRIG_TABLEID) => {
            Ok(contents.find(ADS_DD_TABLE_OBJECT, "", &named.parent).map(|table| Property::Number(table.id)))
        }
        _ => Ok(stored(id)),
    }
}

fn number(count: usize) -> Property {
    Property::Number(u32::try_from(count).unwrap_or(u32::MAX))
}

fn invalid_name(named: &Named) -> Failure {
    Failure::new(AE_INVALID_OBJECT_NAME, named.name.clone())
}

/// A property of a field that follows from its table.
fn of_field(area: &Area, contents: &Contents, named: &Named, id: u32) -> Result<Property> {
    let place = area.field_number(&named.name).ok_or_else(|| invalid_name(named))?;
    let field = area.fields().get(place).ok_or_else(|| invalid_name(named))?;
    let table_type = contents.get(ADS_DD_TABLE_OBJECT, "", &named.parent)?.number(ADS_DD_TABLE_TYPE);
    Ok(match id {
        ADS_DD_FIELD_TYPE => Property::Number(type_of(area, place, table_type)?),
        ADS_DD_FIELD_LENGTH => number(field.length),
        ADS_DD_FIELD_DECIMAL => Property::Number(field.decimals.into()),
        ADS_DD_FIELD_NUM => number(place + 1),
        ADS_DD_FIELD_OPTIONS => {
            let nullable = if field.null_bit.is_some() { ADS_DD_FIELD_OPT_VFP_NULLABLE } else { 0 };
            Property::Number(nullable)
        }
        _ => Property::Text(format!("{},{},{},{}", field.name, char::from(field.letter), field.length, field.decimals)),
    })
}

/// A property of an order that follows from the index files of its table.
fn of_index(area: &Area, named: &Named, id: u32) -> Result<Option<Property>> {
    let order = area.order_named(&named.name).and_then(|id| area.order_info(id)).ok_or_else(|| invalid_name(named))?;
    Ok(Some(match id {
        ADS_DD_INDEX_FILE_NAME => {
            Property::Text(order.file.file_name().unwrap_or_default().to_string_lossy().into_owned())
        }
        ADS_DD_INDEX_EXPRESSION => Property::Text(order.key),
        ADS_DD_INDEX_CONDITION => match order.condition {
            Some(condition) => Property::Text(condition),
            None => return Ok(None),
        },
        ADS_DD_INDEX_OPTIONS => Property::Number(indexes::options_of(&order)),
        ADS_DD_INDEX_KEY_LENGTH => number(order.key_length),
        ADS_DD_INDEX_KEY_TYPE => Property::Number(number_of(order.key_kind)),
        ADS_DD_INDEX_COLLATION => match order.collation {
            Some(collation) => Property::Text(collation),
            None => return Ok(None),
        },
        _ => return Ok(None),
    }))
}

/// Gives a property to the program.
/// Numbers that are 0 until they are set.
const NOTHING_IS_0: [u32; 4] =
    [ADS_DD_VERSION_MAJOR, ADS_DD_VERSION_MINOR, ADS_DD_TABLE_CACHING, ADS_DD_USER_BAD_LOGINS];

pub fn get(dictionary: Handle, named: &Named, id: u16, value_place: Pointer, length: Out<u16>) -> Result<()> {
    let session = session(dictionary)?;
    let contents = session.live.contents()?;
    let (id, is_wide) = properties::narrow(id.into());
    let rule = known(named.kind, id)?;
    named.must_exist(&session, &contents)?;
    if rule.form == Form::Secret {
        return Err(Failure::new(AE_INVALID_PROPERTY_ID, "the property is not given to anybody"));
    }
    if rule.seen_by != Who::Nobody {
        check(&session, &contents, named, rule.seen_by)?;
    }
    let found = value(&session, &contents, named, id)?;
    let found = match (found, rule.form) {
        (Some(found), _) => found,
        // A switch that was never set is off; so are the numbers of versions and of failed logins.
        (None, Form::Flag) => Property::Number(0),
        (None, _) if NOTHING_IS_0.contains(&id) => Property::Number(0),
        (None, _) => return Err(Failure::new(AE_PROPERTY_NOT_SET, rule.name)),
    };
    give(rule, &found, is_wide, value_place, length)
}

/// Lengths of texts count their NUL.
fn give(rule: &Rule, found: &Property, is_wide: bool, place: Pointer, length: Out<u16>) -> Result<()> {
    let bytes = match (rule.form, found) {
        (Form::Byte, Property::Number(number)) => vec![u8::try_from(*number).unwrap_or(0)],
        (Form::Flag | Form::Short, Property::Number(number)) => {
            u16::try_from(*number).unwrap_or(u16::MAX).to_le_bytes().to_vec()
        }
        (_, Property::Number(number)) => number.to_le_bytes().to_vec(),
        (_, Property::Text(text)) if is_wide => text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect(),
        (_, Property::Text(text)) => [text.as_bytes(), &[0]].concat(),
        (_, Property::Bytes(bytes)) => bytes.clone(),
    };
    let capacity = usize::from(length.get()?);
    if capacity < bytes.len() {
        length.set(u16::try_from(bytes.len()).unwrap_or(u16::MAX))?;
        return Err(Failure::new(AE_INSUFFICIENT_BUFFER, format!("{} bytes are needed", bytes.len())));
    }
    place.buffer().set_exactly(&bytes)?;
    length.set(u16::try_from(bytes.len()).unwrap_or(u16::MAX))
}

fn known(kind: u32, id: u32) -> Result<&'static Rule> {
    properties::find(kind, id).ok_or_else(|| Failure::new(AE_INVALID_PROPERTY_ID, id.to_string()))
}

/// The value that the program gives; `None` removes the property.
fn taken(rule: &Rule, is_wide: bool, place: Pointer, length: u16) -> Result<Option<Property>> {
    if place.is_null() || length == 0 {
        return Ok(None);
    }
    let bytes = place.buffer().bytes(length.into())?;
    let whole = |width: usize| {
        let number = bytes.get(..width).filter(|_| bytes.len() <= 4);
        let number = number.map(|bytes| bytes.iter().rev().fold(0_u32, |value, byte| value << 8 | u32::from(*byte)));
        number.ok_or_else(|| Failure::new(AE_INVALID_PROPERTY_LENGTH, format!("{length}, not {width}")))
    };
    Ok(Some(match rule.form {
        Form::Byte => Property::Number(whole(1)?),
        Form::Flag => Property::Number((whole(2)? != 0).into()),
        Form::Short => Property::Number(whole(2)?),
        Form::Long => Property::Number(whole(4)?),
        Form::Bytes => Property::Bytes(bytes),
        Form::Text | Form::Secret => {
            let text = match is_wide {
                true => {
                    let units = bytes
                        .chunks_exact(2)
                        .map(|pair| pair.iter().rev().fold(0, |unit, byte| unit << 8 | u16::from(*byte)));
                    String::from_utf16_lossy(&units.take_while(|unit| *unit != 0).collect::<Vec<u16>>())
                }
                false => text_of(bytes.into_iter().take_while(|byte| *byte != 0).collect()),
            };
            match text.is_empty() {
                true => return Ok(None),
                false => Property::Text(text),
            }
        }
    }))
}

/// Sets a property as the program gives it.
pub fn set(dictionary: Handle, named: &Named, id: u16, place: Pointer, length: u16) -> Result<()> {
    set_validated(dictionary, named, id, place, length, &Validation::none())
}

/// The same for those that existing records are compared with.
pub fn set_validated(
    dictionary: Handle,
    named: &Named,
    id: u16,
    place: Pointer,
    length: u16,
    validation: &Validation,
) -> Result<()> {
    let session = session(dictionary)?;
    let (id, is_wide) = properties::narrow(id.into());
    if named.kind == ADS_DD_USER_OBJECT && id == ADS_DD_CURRENT_USER_PASSWORD {
        return change_own_password(&session, &named.name, place, length);
    }
    let rule = known(named.kind, id)?;
    let mut value = taken(rule, is_wide, place, length)?;
    let contents = session.live.contents()?;
    named.must_exist(&session, &contents)?;
    if rule.changed_by == Who::Nobody {
        return Err(Failure::new(AE_INVALID_PROPERTY_ID, format!("{} cannot be set", rule.name)));
    }
    check(&session, &contents, named, rule.changed_by)?;
    let secret = rule.form == Form::Secret && named.kind != ADS_DD_SUBSCRIPTION_OBJECT;
    if secret {
        let password = value.as_ref().and_then(Property::text).unwrap_or_default();
        value = access::hash(password)?.map(Property::Text);
    }
    checks::validate(&session, &contents, named, id, value.as_ref(), validation)?;
    session.live.change(|contents| {
        check(&session, contents, named, rule.changed_by)?;
        let (id, target) = match (named.kind, id) {
            // The administrator's password is that of the administrator.
            (ADS_DD_DATABASE_OBJECT, ADS_DD_ADMIN_PASSWORD) => {
                (ADS_DD_USER_PASSWORD, contents.get_mut(ADS_DD_USER_OBJECT, "", ADMINISTRATOR)?)
            }
            // Nothing is sent to the other side, so the password would be kept for nothing.
            (ADS_DD_SUBSCRIPTION_OBJECT, ADS_DD_SUBSCR_PASSWORD) => return Ok(()),
            (ADS_DD_DATABASE_OBJECT, id) => (id, contents.get_mut(ADS_DD_DATABASE_OBJECT, "", "")?),
            (kind @ (ADS_DD_FIELD_OBJECT | ADS_DD_INDEX_OBJECT | ADS_DD_INDEX_FILE_OBJECT), id) => {
                let parent = contents.get(ADS_DD_TABLE_OBJECT, "", &named.parent)?.name.clone();
                (id, contents.get_or_add(kind, &parent, &named.name))
            }
            (kind, id) => (id, contents.get_mut(kind, &named.parent, &named.name)?),
        };
        match value {
            Some(value) => target.properties.insert(id, value),
            None => target.properties.remove(&id),
        };
        Ok(())
    })
}

/// The connected user's own password: the old one stands where a user's name would, unless none is asked for.
fn change_own_password(session: &Session, old: &str, place: Pointer, length: u16) -> Result<()> {
    let rule = known(ADS_DD_USER_OBJECT, ADS_DD_USER_PASSWORD)?;
    let new = taken(rule, false, place, length)?;
    let contents = session.live.contents()?;
    let user = contents.get(ADS_DD_USER_OBJECT, "", &session.access.user)?;
    let asks = user.properties.get(&ADS_DD_REQUIRE_OLD_PASSWORD).and_then(Property::number) != Some(0);
    if asks && !access::is_password(user, old) {
        return Err(Failure::new(AE_INVALID_PASSWORD, "the old password is another"));
    }
    let hash = access::hash(new.as_ref().and_then(Property::text).unwrap_or_default())?;
    session.live.change(|contents| {
        contents.get_mut(ADS_DD_USER_OBJECT, "", &session.access.user)?.set_text(ADS_DD_USER_PASSWORD, hash);
        Ok(())
    })
}
