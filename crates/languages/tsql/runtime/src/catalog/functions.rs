//! Functions of the catalog.
//!
//! Most of them read the [`Catalog`] and nothing else, so that queries can call them for each of their rows; a few need
//! the session.

use super::build::parameters;
use super::{Catalog, Detail, Object};
use crate::objects::modules::{Modules, key_of};
use crate::session::scope::{Sources, core_name};
use crate::session::{Inner, object_name};
use crate::statements::application_locks::Mode;
use mainstay_tsql_syntax::reduce::{Input, column_tag};
use mainstay_tsql_syntax::tree::ObjectName;
use mainstay_tsql_types::DataType;
use mainstay_tsql_types::functions::TextPointer;
use mainstay_types::{Decimal, Value};
use std::sync::Arc;

/// The databases that there are besides the folder's own, which are the same one.
const OTHERS: [&str; 4] = ["master", "tempdb", "model", "msdb"];

/// The number of the folder's own database.
pub(crate) const DATABASE_ID: i64 = 5;

/// Returns true if this is the name of a database.
pub(crate) fn is_database(own: &str, name: &str) -> bool {
    own.eq_ignore_ascii_case(name) || OTHERS.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The number of a database.
pub(crate) fn database_id(own: &str, name: &str) -> Option<i64> {
    let other = OTHERS.iter().position(|known| known.eq_ignore_ascii_case(name)).map(|place| place as i64 + 1);
    if own.eq_ignore_ascii_case(name) && other.is_none() { Some(DATABASE_ID) } else { other }
}

/// A name as a text, with the database that it names.
pub(crate) fn resolved(text: &str) -> (Option<String>, ObjectName) {
    let name = object_name(text);
    let database = name.parts.len().checked_sub(3).map(|place| name.parts[place].text.clone());
    (database.filter(|name| !name.is_empty()), name)
}

/// Returns true if a pointer refers to values of this column of a table of the database.
fn is_pointer_to(column: &str, pointer: Option<&Value>) -> bool {
    let mut table = object_name(column);
    let (Some(own), Some(Value::Binary(bytes))) = (table.parts.pop(), pointer) else { return false };
    let tag = column_tag(&core_name(&table), &own.text);
    TextPointer::read(bytes).is_some_and(|pointer| pointer.tag == tag)
}

/// The arguments of a function.
pub(super) struct Arguments<'v>(pub(super) &'v [Value]);

impl Arguments<'_> {
    pub(super) fn text(&self, place: usize) -> Option<String> {
        match self.0.get(place) {
            Some(Value::Text(text)) => Some(text.trim_end().to_owned()),
            _ => None,
        }
    }

    pub(super) fn number(&self, place: usize) -> Option<i64> {
        match self.0.get(place) {
            Some(Value::Integer(number)) => Some(*number),
            Some(Value::Decimal(number)) => number.rescale(0).and_then(|number| i64::try_from(number.unscaled).ok()),
            _ => None,
        }
    }
}

/// The security number of `sa`, which is the same everywhere.
const FIRST_LOGIN: [u8; 1] = [1];

/// The security number of a login: 16 bytes that are made of its name (FNV-1a).
fn number_of_login(login: &str) -> Vec<u8> {
    const FIRST: u128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D;
    const FACTOR: u128 = 0x0100_0000_0000_0000_0000_013B;
    if login.eq_ignore_ascii_case("sa") {
        return FIRST_LOGIN.to_vec();
    }
    let bytes = login.to_lowercase().into_bytes();
    bytes.iter().fold(FIRST, |sum, byte| (sum ^ u128::from(*byte)).wrapping_mul(FACTOR)).to_be_bytes().to_vec()
}

pub(super) fn shown(text: &str) -> Value {
    Value::Text(text.to_owned())
}

pub(super) fn maybe(text: Option<&str>) -> Value {
    text.map_or(Value::Null, shown)
}

pub(super) fn number(number: Option<i64>) -> Value {
    number.map_or(Value::Null, Value::Integer)
}

/// True if `CONNECTIONPROPERTY` is asked for the client's address.
fn asks_for_client(function: &str, given: &Arguments<'_>) -> bool {
    function == "connectionproperty"
        && given.text(0).is_some_and(|name| name.eq_ignore_ascii_case("client_net_address"))
}

impl Inner {
    /// The catalog as it is now.
    pub(crate) fn catalog(&mut self) -> mainstay_types::Result<Arc<Catalog>> {
        let Inner { instance, modules, state, catalog, .. } = self;
        let sources = Sources { instance, modules, state, cache: catalog };
        sources.catalog(&mut self.core)
    }

    /// The result of a function of the catalog over constants and variables.
    pub(crate) fn catalog_answer(&mut self, name: &str, inputs: &[Input], variable: &dyn Fn(&str) -> Value) -> Value {
        let values: Vec<Value> = inputs
            .iter()
            .map(|input| match input {
                Input::Value(value) => value.clone(),
                Input::Variable(name) => variable(name),
                Input::Catalog(function, inputs) => self.catalog_answer(function.name, inputs, variable),
            })
            .collect();
        self.catalog_value(name, &values)
    }

    /// `APPLOCK_MODE` and `APPLOCK_TEST`; NULL for an owner or a mode that there is not.
    fn application_lock(&self, function: &str, given: &Arguments<'_>) -> Value {
        let tests = function == "applock_test";
        let resource = given.text(1).unwrap_or_default();
        let owner = given.text(if tests { 3 } else { 2 }).unwrap_or_default();
        let of_transaction = match owner.to_ascii_lowercase().as_str() {
            "session" => false,
            "transaction" => true,
            _ => return Value::Null,
        };
        let locks = &self.instance.locks;
        if !tests {
            let mode = locks.mode(&resource, (self.state.process, of_transaction));
            return Value::Text(mode.map_or("NoLock", Mode::name).to_owned());
        }
        let mode = given.text(2).and_then(|mode| Mode::of(&mode));
        mode.map_or(Value::Null, |mode| Value::Integer(locks.is_free(&resource, self.state.process, mode).into()))
    }

    /// The result of a function of the catalog.
    pub(crate) fn catalog_value(&mut self, name: &str, inputs: &[Value]) -> Value {
        let given = Arguments(inputs);
        match name {
            "suser_sname" if matches!(inputs.first(), Some(Value::Binary(_))) => match inputs.first() {
                Some(Value::Binary(number)) if number[..] == FIRST_LOGIN => Value::Text("sa".to_owned()),
                Some(Value::Binary(number)) if *number == number_of_login(&self.state.login) => {
                    Value::Text(self.state.login.clone())
                }
                _ => Value::Null,
            },
            "suser_name" | "suser_sname" => match inputs.is_empty() || given.number(0) == Some(1) {
                true => Value::Text(self.state.login.clone()),
                false => Value::Null,
            },
            "suser_sid" => match given.text(0) {
                None if !inputs.is_empty() => Value::Null,
                Some(login) if login.eq_ignore_ascii_case("sa") => Value::Binary(FIRST_LOGIN.to_vec()),
                Some(login) if !login.eq_ignore_ascii_case(&self.state.login) => Value::Null,
                _ => Value::Binary(number_of_login(&self.state.login)),
            },
            "bulk_clob" | "bulk_nclob" | "bulk_blob" => {
                self.instance.bulk_value(name, &given.text(0).unwrap_or_default())
            }
            "applock_mode" | "applock_test" => self.application_lock(name, &given),
            _ if asks_for_client(name, &given) => {
                let own = self.instance.processes().into_iter().find(|process| process.number == self.state.process);
                own.map_or(Value::Null, |process| Value::Text(process.connection.address))
            }
            "update" => Value::Boolean(self.state.is_updated(&given.text(0).unwrap_or_default())),
            "trigger_nestlevel" => Value::Integer(self.trigger_level(given.number(0))),
            "cursor_status" => match (given.text(0), given.text(1)) {
                (Some(scope), Some(name)) => Value::Integer(self.state.cursor_status(&scope, &name)),
                _ => Value::Null,
            },
            "session_context" => {
                let key = given.text(0).unwrap_or_default().to_lowercase();
                self.state.context.get(&key).map_or(Value::Null, |(value, _)| value.clone())
            }
            "textvalid" => self.is_valid_pointer(&given.text(0).unwrap_or_default(), inputs.get(1)),
            "xml_document" => self.state.xml_documents.text(given.number(0)),
            "ident_current" => given.text(0).map_or(Value::Null, |table| self.identity_of(&table)),
            "object_id" if self.is_missing_temporary(&given) => Value::Null,
            _ => match self.catalog() {
                Ok(catalog) => catalog.answer(&self.modules, name, inputs),
                Err(_) => Value::Null,
            },
        }
    }

    /// True if a name is that of a temporary object that does not exist: asked so often that it has a fast path.
    fn is_missing_temporary(&self, given: &Arguments<'_>) -> bool {
        let name = given.text(0).map(|name| object_name(&name));
        name.is_some_and(|name| {
            name.last().starts_with('#')
                && !crate::session::scope::is_global(name.last())
                && self.state.temporary(name.last()).is_none()
                && self.modules.own(&name).is_none()
        })
    }

    /// IDENT_CURRENT: the last number that the identity column of a table has given; its first if it has given none.
    fn identity_of(&mut self, table: &str) -> Value {
        let current = self.current_identity(&object_name(table));
        current.map_or(Value::Null, |value| Value::Decimal(Decimal::new(value.into(), 0)))
    }
}

impl Catalog {
    /// The result of a function of the catalog that needs the catalog alone.
    pub(crate) fn answer(&self, modules: &Modules, name: &str, inputs: &[Value]) -> Value {
        let given = Arguments(inputs);
        let object = |place: usize| given.number(place).and_then(|id| self.by_id(id));
        match name {
            "object_id" => number(given.text(0).and_then(|name| self.object_id(&name, given.text(1).as_deref()))),
            "object_name" => maybe(object(0).map(|object| object.name.as_str())),
            "object_schema_name" => maybe(object(0).map(|object| self.schema_name(object.schema))),
            "textvalid" => Value::Integer(is_pointer_to(&given.text(0).unwrap_or_default(), inputs.get(1)).into()),
            "object_definition" => object(0).map_or(Value::Null, definition),
            "objectproperty" | "objectpropertyex" => {
                object(0).map_or(Value::Null, |object| self.object_property(object, &given.text(1).unwrap_or_default()))
            }
            "col_name" => {
                let column = object(0).zip(given.number(1)).map(|(object, id)| object.column_name(id));
                maybe(column.filter(|name| !name.is_empty()))
            }
            "col_length" => {
                let table = given.text(0).map(|name| object_name(&name));
                let column = table.as_ref().and_then(|name| self.find(name)).zip(given.text(1));
                let found = column.and_then(|(object, name)| object.column(&name));
                number(found.map(|column| column.data_type.max_length().into()))
            }
            "columnproperty" => {
                let (column, property) = (given.text(1).unwrap_or_default(), given.text(2).unwrap_or_default());
                object(0)
                    .map_or(Value::Null, |object| super::properties::of_column(modules, object, &column, &property))
            }
            "indexproperty" => {
                let (index, property) = (given.text(1).unwrap_or_default(), given.text(2).unwrap_or_default());
                object(0).map_or(Value::Null, |object| super::properties::of_index(object, &index, &property))
            }
            "index_col" => {
                let table = given.text(0).map(|name| object_name(&name));
                let table = table.as_ref().and_then(|name| self.find(name));
                maybe(table.zip(given.number(1).zip(given.number(2))).and_then(|(table, (index, place))| {
                    let index = table.indexes.iter().find(|known| known.id == index)?;
                    let (column, _) = index.columns.get(usize::try_from(place.checked_sub(1)?).ok()?)?;
                    Some(table.column_name(*column))
                }))
            }
            "type_id" => number(given.text(0).and_then(|name| self.type_id(&name))),
            "type_name" => given.number(0).and_then(|id| self.type_name(id)).map_or(Value::Null, Value::Text),
            "typeproperty" => match (given.text(0), given.text(1)) {
                (Some(name), Some(property)) => self.type_property(&name, &property),
                _ => Value::Null,
            },
            "schema_id" => match given.text(0) {
                None if inputs.is_empty() => Value::Integer(super::DBO),
                None => Value::Null,
                Some(name) => number(self.schema_id(&name)),
            },
            "schema_name" => {
                let id = if inputs.is_empty() { Some(super::DBO) } else { given.number(0) };
                maybe(id.and_then(|id| self.schemas.iter().find(|(known, _)| *known == id)).map(|(_, n)| n.as_str()))
            }
            "ident_seed" | "ident_incr" => {
                let table = given.text(0).map(|name| object_name(&name));
                let steps = table.as_ref().and_then(|name| self.find(name));
                let steps = steps.and_then(|table| table.columns.iter().find_map(|column| column.identity));
                steps.map_or(Value::Null, |(seed, increment)| {
                    let value = if name == "ident_seed" { seed } else { increment };
                    Value::Decimal(Decimal::new(value.into(), 0))
                })
            }
            _ => super::properties::of_server(self, name, inputs),
        }
    }

    /// The number of the object of a name, if it is of this kind.
    fn object_id(&self, text: &str, kind: Option<&str>) -> Option<i64> {
        let (database, name) = resolved(text);
        let is_temporary = name.last().starts_with('#');
        match &database {
            Some(database) if !is_database(&self.database, database) => return None,
            Some(database) if is_temporary && !database.eq_ignore_ascii_case("tempdb") => return None,
            None if is_temporary && !self.database.eq_ignore_ascii_case("tempdb") => return None,
            _ => {}
        }
        let object = self.find(&name)?;
        let is_kind = kind.is_none_or(|kind| {
            let kind = kind.trim();
            kind.is_empty() || kind.eq_ignore_ascii_case(object.kind)
        });
        is_kind.then_some(object.id)
    }

    /// The type of the database of this name.
    pub(crate) fn user_type(&self, name: &ObjectName) -> Option<&Object> {
        let key = key_of(name);
        self.objects.iter().find(|object| {
            matches!(object.kind, "UDT" | "TT")
                && format!("{}.{}", self.schema_name(object.schema), object.name).to_lowercase() == key
        })
    }

    /// The number of a type of the database, as `sys.types` has it.
    pub(crate) fn user_type_id(object: &Object) -> i64 {
        match object.detail {
            Detail::Type(number) => number,
            _ => 0,
        }
    }

    pub(super) fn type_id(&self, text: &str) -> Option<i64> {
        let name = object_name(text);
        if let Some(object) = self.user_type(&name) {
            return Some(Catalog::user_type_id(object));
        }
        let last = name.last().to_lowercase();
        super::build::system_types().find(|(known, ..)| *known == last).map(|(_, _, id)| id)
    }

    fn type_name(&self, id: i64) -> Option<String> {
        let known = super::build::system_types().find(|(_, _, known)| *known == id).map(|(name, ..)| name.to_owned());
        known.or_else(|| {
            let is_type = |object: &&Object| matches!(object.kind, "UDT" | "TT");
            let mut types = self.objects.iter().filter(is_type);
            types.find(|object| Catalog::user_type_id(object) == id).map(|object| object.name.clone())
        })
    }

    fn type_property(&self, name: &str, property: &str) -> Value {
        let last = object_name(name).last().to_lowercase();
        let Some(data_type) = mainstay_tsql_types::operation::data_type(&last) else { return Value::Null };
        match property.to_lowercase().as_str() {
            "precision" => Value::Integer(match data_type {
                DataType::Decimal { .. } => 38,
                other if other.is_string() => 8000,
                other => other.precision().into(),
            }),
            "scale" => match data_type.is_number() {
                true => Value::Integer(data_type.scale().into()),
                false => Value::Null,
            },
            "allowsnull" => Value::Integer(1),
            "ownerid" => Value::Integer(1),
            "usesansitrim" => Value::Integer(i64::from(data_type.is_string())),
            _ => Value::Null,
        }
    }
}

/// The result of OBJECT_DEFINITION.
fn definition(object: &Object) -> Value {
    match (&object.text, &object.detail) {
        (Some(text), _) if !matches!(object.kind, "UDT" | "TT") => shown(text),
        (_, Detail::Check(text) | Detail::Default(_, text)) => shown(text),
        _ => Value::Null,
    }
}

/// The parameter of a module of this name.
pub(super) fn parameter_of(modules: &Modules, object: &Object, name: &str) -> Option<(i64, DataType, bool)> {
    let statement = object.statement.as_ref()?;
    let (_, known) = parameters(modules, &statement.kind);
    let place = known.iter().position(|(parameter, _)| parameter.name.is(name))?;
    let (parameter, data_type) = &known[place];
    Some((place as i64 + 1, *data_type, parameter.output))
}
