//! Properties of a database that are not objects: extended properties, messages of its own, clustered indexes.
//!
//! All are stored in the table of the modules, in rows of their own kinds: `property:` with the levels and the name as
//! the key, the levels as the parent and the value as the text; `message:50010` with the severity as the name;
//! `clustered:` with the table, which is the parent, and the index as the name; `session:` where a table's definition
//! depends on the session that writes; `type:` with a column, its table as the parent and its type's name as the name;
//! `ignored:` with a key of a table whose duplicates are skipped; `recursive:` where triggers fire themselves.

use crate::changes::ignored_keys::IGNORED;
use crate::objects::modules;
use crate::session::scope::local_name;
use crate::session::{Inner, object_name};
use crate::statements::errors::raised;
use mainstay_tsql_syntax::reduce::SESSION_CALL;
use mainstay_tsql_syntax::tree::{ObjectName, PhraseItem, Words};
use mainstay_tsql_types::Message;
use mainstay_vm::Raised;
use std::collections::{BTreeMap, HashMap};

const PROPERTY: &str = "XP";
const MESSAGE: &str = "MSG";
pub(crate) const CLUSTERED: &str = "CL";
const ASKS_SESSION: &str = "SE";
const RECURSIVE: &str = "RT";
const RECURSIVE_KEY: &str = "recursive:";
pub(crate) const TYPE: &str = "CT";
pub(crate) const TYPE_PREFIX: &str = "type:";
/// The separator between the levels of a property; no name contains it.
const BETWEEN: char = '\u{1}';

/// An extended property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Property {
    /// Kinds and names of up to three levels: `schema`, `dbo`, `table`, `T`, `column`, `a`; empty where there is none.
    pub(crate) levels: [String; 6],
    pub(crate) name: String,
    pub(crate) value: String,
}

impl Property {
    fn parent(&self) -> String {
        self.levels.join(&BETWEEN.to_string())
    }

    fn key(&self) -> String {
        format!("property:{}{BETWEEN}{}", self.parent().to_lowercase(), self.name.to_lowercase())
    }
}

/// The subject of a property, with its parts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Subject<'a> {
    Schema(&'a ObjectName),
    Type(&'a ObjectName),
    /// Any other object.
    Object(&'a ObjectName),
    Column(&'a ObjectName, &'a str),
    /// An index, a constraint or a trigger.
    Part(&'a ObjectName, &'a str),
}

impl Subject<'_> {
    fn has(&self, property: &Property) -> bool {
        let [_, schema, kind, object, part_kind, part] = property.levels.each_ref().map(String::as_str);
        let is_object = |name: &ObjectName, is_type: bool| {
            let (its_schema, last) = local_name(name);
            schema.eq_ignore_ascii_case(its_schema.unwrap_or("dbo"))
                && object.eq_ignore_ascii_case(last)
                && kind.eq_ignore_ascii_case("type") == is_type
        };
        let is_column = part_kind.eq_ignore_ascii_case("column");
        match self {
            Subject::Schema(name) => schema.eq_ignore_ascii_case(name.last()),
            Subject::Type(name) => is_object(name, true),
            Subject::Object(name) => is_object(name, false),
            Subject::Column(name, column) => is_column && part.eq_ignore_ascii_case(column) && is_object(name, false),
            Subject::Part(name, known) => !is_column && part.eq_ignore_ascii_case(known) && is_object(name, false),
        }
    }
}

/// The properties and messages of a database.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub(crate) properties: Vec<Property>,
    pub(crate) messages: BTreeMap<i32, (u8, String)>,
    /// The clustered indexes that are not the primary keys of their tables, by schema and table in lower case; empty where
    /// a primary key is not clustered and nothing else is.
    pub(crate) clustered: HashMap<String, String>,
    /// The keys of which INSERTs leave out what is there already, by schema and table in lower case.
    pub(crate) ignored: HashMap<String, Vec<String>>,
    /// The type names in the definitions of columns, by schema, table and column in lower case.
    pub(crate) types: HashMap<String, String>,
    /// True if the definition of a table depends on the session that writes: DEFAULT HOST_NAME().
    pub(crate) asks_session: bool,
    /// True if triggers fire themselves: RECURSIVE_TRIGGERS ON.
    pub(crate) recursive_triggers: bool,
}

impl Kept {
    /// Takes a row of the modules' table, if it is one of these: kind, key, name, parent, text.
    pub(crate) fn take(&mut self, kind: &str, key: &str, name: &str, parent: &str, text: &str) -> bool {
        match kind {
            PROPERTY => {
                let mut parts = parent.split(BETWEEN).map(str::to_owned);
                let levels = std::array::from_fn(|_| parts.next().unwrap_or_default());
                self.properties.push(Property { levels, name: name.to_owned(), value: text.to_owned() });
            }
            MESSAGE => {
                let number = key.rsplit(':').next().and_then(|number| number.parse().ok());
                if let (Some(number), Ok(severity)) = (number, name.parse()) {
                    self.messages.insert(number, (severity, text.to_owned()));
                }
            }
            CLUSTERED => {
                self.clustered.insert(parent.to_owned(), name.to_owned());
            }
            IGNORED => self.ignored.entry(parent.to_owned()).or_default().push(name.to_owned()),
            TYPE => {
                self.types.insert(key.trim_start_matches(TYPE_PREFIX).to_owned(), name.to_owned());
            }
            ASKS_SESSION => self.asks_session = true,
            RECURSIVE => self.recursive_triggers = true,
            _ => return false,
        }
        true
    }
}

/// The change of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Add,
    Update,
    Drop,
}

impl Inner {
    /// Keeps that a table asks the session, if one of the statements that make it does.
    pub(crate) fn keep_asking(&mut self, statements: &[String]) -> Result<(), Box<Raised>> {
        let asks = statements.iter().any(|statement| statement.contains(SESSION_CALL));
        if !asks || self.modules.kept().asks_session {
            return Ok(());
        }
        modules::keep_row(&mut self.core, "session:", "", ASKS_SESSION, "", "").map_err(raised)?;
        self.objects_changed()
    }

    /// `ALTER DATABASE ... SET RECURSIVE_TRIGGERS ON`, or OFF; its other settings are accepted.
    pub(crate) fn alter_database(&mut self, words: &Words) -> Result<(), Box<Raised>> {
        let is = |item: Option<&PhraseItem>, word: &str| matches!(item, Some(PhraseItem::Word(name)) if name.is(word));
        let place = words.rest.iter().position(|item| is(Some(item), "RECURSIVE_TRIGGERS"));
        let Some(said) = place.map(|place| words.rest.get(place + 1)) else { return Ok(()) };
        let is_on = is(said, "ON");
        if is_on == self.modules.kept().recursive_triggers {
            return Ok(());
        }
        match is_on {
            true => modules::keep_row(&mut self.core, RECURSIVE_KEY, "", RECURSIVE, "", ""),
            false => modules::forget(&mut self.core, RECURSIVE_KEY),
        }
        .map_err(raised)?;
        self.objects_changed()
    }

    /// `sp_addextendedproperty`, `sp_updateextendedproperty` and `sp_dropextendedproperty`.
    ///
    /// Errors: 15135 for an object that is not there, 15233 for a property that is there already, 15217 for one that is not.
    pub(crate) fn change_property(&mut self, change: Change, property: Property) -> Result<(), Box<Raised>> {
        let Property { levels, name, value } = &property;
        let [kind, schema, object_kind, object, part_kind, part] = levels;
        let shown: Vec<&str> =
            [schema, object, part].into_iter().map(String::as_str).filter(|n| !n.is_empty()).collect();
        let shown = if shown.is_empty() { "object specified".to_owned() } else { shown.join(".") };
        if !self.has_levels([kind, schema, object_kind, object, part_kind, part])? {
            let text = format!(
                "Object is invalid. Extended properties are not permitted on '{shown}', or the object does not exist."
            );
            return Err(raised(Message::error(15135, text)));
        }
        let key = property.key();
        let is_known = self.modules.kept().properties.iter().any(|known| known.key() == key);
        match (change, is_known) {
            (Change::Add, true) => {
                let text = format!("Property cannot be added. Property '{name}' already exists for '{shown}'.");
                return Err(raised(Message::error(15233, text)));
            }
            (Change::Update | Change::Drop, false) => {
                let text =
                    format!("Property cannot be updated or deleted. Property '{name}' does not exist for '{shown}'.");
                return Err(raised(Message::error(15217, text)));
            }
            (Change::Drop, true) => modules::forget(&mut self.core, &key),
            _ => modules::keep_row(&mut self.core, &key, name, PROPERTY, &property.parent(), value),
        }
        .map_err(raised)?;
        self.objects_changed()
    }

    /// Forgets the properties of what is gone.
    pub(crate) fn forget_properties(&mut self, of: Subject<'_>) -> Result<(), Box<Raised>> {
        self.replace_properties(of, |_| false)
    }

    /// Keeps the properties of what has another name under that.
    pub(crate) fn rename_properties(&mut self, of: Subject<'_>, to: &str) -> Result<(), Box<Raised>> {
        let level = if matches!(of, Subject::Column(..) | Subject::Part(..)) { 5 } else { 3 };
        self.replace_properties(of, |levels| {
            levels[level] = to.to_owned();
            true
        })
    }

    /// Keeps the properties of an object that has another name, or is in another schema.
    pub(crate) fn move_properties(&mut self, from: &ObjectName, to: &ObjectName) -> Result<(), Box<Raised>> {
        let (schema, last) = local_name(to);
        self.replace_properties(Subject::Object(from), |levels| {
            levels[1] = schema.unwrap_or("dbo").to_owned();
            levels[3] = last.to_owned();
            true
        })
    }

    /// Removes properties, and puts them back where `changed` gives new ones.
    fn replace_properties(
        &mut self,
        of: Subject<'_>,
        changed: impl Fn(&mut [String; 6]) -> bool,
    ) -> Result<(), Box<Raised>> {
        let found: Vec<Property> = self.modules.kept().properties.iter().filter(|it| of.has(it)).cloned().collect();
        if found.is_empty() {
            return Ok(());
        }
        for mut property in found {
            modules::forget(&mut self.core, &property.key()).map_err(raised)?;
            if changed(&mut property.levels) {
                let (key, parent) = (property.key(), property.parent());
                modules::keep_row(&mut self.core, &key, &property.name, PROPERTY, &parent, &property.value)
                    .map_err(raised)?;
            }
        }
        self.objects_changed()
    }

    /// Returns true if the levels of a property name an existing object. Parts of objects other than columns, and
    /// levels beside the schemas, are not checked.
    fn has_levels(&mut self, levels: [&str; 6]) -> Result<bool, Box<Raised>> {
        let [kind, schema, object_kind, object, part_kind, part] = levels;
        if !kind.eq_ignore_ascii_case("schema") && !kind.eq_ignore_ascii_case("user") {
            return Ok(true);
        }
        let catalog = self.catalog().map_err(crate::statements::errors::raised_error)?;
        if catalog.schema_id(schema).is_none() {
            return Ok(false);
        }
        if object_kind.is_empty() || object_kind.to_ascii_lowercase().contains("schema collection") {
            return Ok(true);
        }
        let quoted = |name: &str| format!("[{}]", name.replace(']', "]]"));
        let found = catalog.find(&object_name(&format!("{}.{}", quoted(schema), quoted(object))));
        let is_type = object_kind.eq_ignore_ascii_case("type");
        Ok(found.is_some_and(|found| !part_kind.eq_ignore_ascii_case("column") || found.column(part).is_some())
            || is_type)
    }

    /// `sp_addmessage`.
    ///
    /// Errors: 15170 for a number below 50001, 15043 for one that is taken.
    pub(crate) fn add_message(
        &mut self,
        number: i64,
        severity: i64,
        text: &str,
        replaces: bool,
    ) -> Result<(), Box<Raised>> {
        let Some(number) = i32::try_from(number).ok().filter(|number| *number > 50_000) else {
            return Err(raised(Message::error(
                15040,
                "User-defined error messages must have an ID greater than 50000.",
            )));
        };
        if self.modules.kept().messages.contains_key(&number) && !replaces {
            let text = "You must specify 'REPLACE' to overwrite an existing message.";
            return Err(raised(Message::error(15043, text)));
        }
        let severity = severity.clamp(1, 25).to_string();
        modules::keep_row(&mut self.core, &message_key(number.into()), &severity, MESSAGE, "", text).map_err(raised)?;
        self.objects_changed()
    }

    /// `sp_dropmessage`.
    ///
    /// Errors: 15179 for a message that is not there.
    pub(crate) fn drop_message(&mut self, number: i64) -> Result<(), Box<Raised>> {
        let known = i32::try_from(number).is_ok_and(|number| self.modules.kept().messages.contains_key(&number));
        if !known {
            let text = format!("The message {number} does not exist.");
            return Err(raised(Message::error(15179, text)));
        }
        modules::forget(&mut self.core, &message_key(number)).map_err(raised)?;
        self.objects_changed()
    }
}

fn message_key(number: i64) -> String {
    format!("message:{number}")
}
