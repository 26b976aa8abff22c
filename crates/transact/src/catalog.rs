//! What functions of the catalog answer, and the numbers of objects.
//!
//! An object's number is made of its name, so that it is the same in every session and after every start, and nothing has
//! to be kept for it.

use crate::modules::key_of;
use crate::scope::{core_name, is_temporary};
use crate::session::{Inner, object_name};
use mainstay_base::Value;
use mainstay_query::mssql::type_of_field;
use mainstay_tsql::reduce::Input;
use mainstay_tsql::tree::ObjectName;

/// The number of the object of this schema and name, in lower case.
pub(crate) fn object_id(key: &str) -> i64 {
    // FNV-1a, of which 31 bits: numbers of objects are positive.
    let hash =
        key.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    ((hash >> 33) as i64).max(1)
}

impl Inner {
    /// What a function of the catalog answers, over constants and variables.
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

    /// What a function of the catalog answers.
    pub(crate) fn catalog_value(&mut self, name: &str, inputs: &[Value]) -> Value {
        let text = |place: usize| match inputs.get(place) {
            Some(Value::Text(text)) => Some(text.trim().to_owned()),
            _ => None,
        };
        let number = |place: usize| match inputs.get(place) {
            Some(Value::Integer(number)) => Some(*number),
            _ => None,
        };
        let shown = |text: &str| Value::Text(text.to_owned());
        match name {
            "object_id" => text(0).and_then(|name| self.known_object(&name)).map_or(Value::Null, Value::Integer),
            "object_name" => {
                number(0).and_then(|id| self.name_of(id)).map_or(Value::Null, |(_, name)| Value::Text(name))
            }
            "object_schema_name" => {
                number(0).and_then(|id| self.name_of(id)).map_or(Value::Null, |(s, _)| Value::Text(s))
            }
            "object_definition" => {
                let found = number(0).and_then(|id| {
                    self.modules.all().find(|object| object_id(&object.key) == id).map(|object| object.text.to_string())
                });
                found.map_or(Value::Null, Value::Text)
            }
            "objectproperty" | "objectpropertyex" => number(0).map_or(Value::Null, |id| self.property(id, text(1))),
            "col_length" => match (text(0), text(1)) {
                (Some(table), Some(column)) => self.column_length(&table, &column),
                _ => Value::Null,
            },
            "type_id" => text(0).and_then(|name| self.type_id(&name)).map_or(Value::Null, Value::Integer),
            "type_name" => number(0).and_then(|id| self.type_name(id)).map_or(Value::Null, Value::Text),
            "schema_id" => Value::Integer(1),
            "schema_name" => shown("dbo"),
            "db_id" => match text(0) {
                Some(name) if !self.is_database(&name) => Value::Null,
                _ => Value::Integer(5),
            },
            "db_name" | "original_db_name" => Value::Text(self.state.database.clone()),
            "user_id" | "suser_id" => Value::Integer(1),
            "user_name" => shown("dbo"),
            "suser_name" | "suser_sname" => Value::Text(self.state.login.clone()),
            "has_dbaccess" => text(0).map_or(Value::Null, |name| Value::Integer(i64::from(self.is_database(&name)))),
            "has_perms_by_name" | "is_member" | "is_rolemember" | "is_srvrolemember" => Value::Integer(1),
            "cursor_status" => Value::Integer(-3),
            "serverproperty" => text(0).map_or(Value::Null, |property| server_property(&property)),
            "databasepropertyex" => match text(1).unwrap_or_default().to_lowercase().as_str() {
                "collation" => shown("SQL_Latin1_General_CP1_CI_AI"),
                "status" => shown("ONLINE"),
                "updateability" => shown("READ_WRITE"),
                "recovery" => shown("FULL"),
                "version" => shown("957"),
                _ => Value::Null,
            },
            "connectionproperty" => match text(0).unwrap_or_default().to_lowercase().as_str() {
                "net_transport" => shown("TCP"),
                "protocol_type" => shown("TSQL"),
                "auth_scheme" => shown("SQL"),
                "local_net_address" | "client_net_address" => shown("127.0.0.1"),
                _ => Value::Null,
            },
            "ident_current" => self
                .state
                .identity
                .map_or(Value::Null, |last| Value::Decimal(mainstay_base::Decimal::new(last.into(), 0))),
            "ident_seed" | "ident_incr" => Value::Decimal(mainstay_base::Decimal::new(1, 0)),
            _ => Value::Null,
        }
    }

    pub(crate) fn is_database(&self, name: &str) -> bool {
        let own: &str = &self.instance.name;
        [own, "master", "tempdb"].iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// The number of an object that is there.
    fn known_object(&mut self, name: &str) -> Option<i64> {
        let name = object_name(name);
        let last = name.last();
        if is_temporary(last) {
            return self.state.temporary(last).map(|table| -object_id(&table.core));
        }
        if self.modules.find(&name).is_some() {
            return Some(object_id(&key_of(&name)));
        }
        self.has_table(&name).then(|| object_id(&key_of(&name)))
    }

    fn has_table(&mut self, name: &ObjectName) -> bool {
        let core = core_name(name);
        matches!(self.core.native_columns(&core.replace('"', "")), Ok(Some(_)))
            || self.core.execute(&format!("SELECT 1 FROM {core} LIMIT 0")).is_ok()
    }

    fn type_id(&self, name: &str) -> Option<i64> {
        let name = object_name(name);
        if let Some(object) = self.modules.find(&name).filter(|object| matches!(object.kind.as_str(), "TT" | "UDT")) {
            return Some(object_id(&object.key));
        }
        mainstay_mssql::operation::data_type(name.last()).map(|data_type| data_type.user_type_id().into())
    }

    fn type_name(&self, id: i64) -> Option<String> {
        const PLAIN: [&str; 32] = [
            "bit",
            "tinyint",
            "smallint",
            "int",
            "bigint",
            "decimal",
            "smallmoney",
            "money",
            "real",
            "float",
            "date",
            "time",
            "smalldatetime",
            "datetime",
            "datetime2",
            "datetimeoffset",
            "char",
            "varchar",
            "nchar",
            "nvarchar",
            "text",
            "ntext",
            "binary",
            "varbinary",
            "image",
            "timestamp",
            "uniqueidentifier",
            "xml",
            "sql_variant",
            "numeric",
            "sysname",
            "hierarchyid",
        ];
        let of = |name: &&&str| {
            mainstay_mssql::operation::data_type(name)
                .is_some_and(|data_type| i64::from(data_type.user_type_id()) == id)
        };
        let user = || self.modules.all().find(|object| object_id(&object.key) == id);
        PLAIN
            .iter()
            .find(of)
            .map(|name| (*name).to_owned())
            .or_else(|| user().map(|object| object.name.rsplit('.').next().unwrap_or("").to_owned()))
    }

    /// Schema and name of the object of a number.
    fn name_of(&self, id: i64) -> Option<(String, String)> {
        let of = |key: &str, name: &str| {
            let schema = key.split('.').next().unwrap_or("dbo").to_owned();
            (schema, name.rsplit('.').next().unwrap_or(name).to_owned())
        };
        if let Some(object) = self.modules.all().find(|object| object_id(&object.key) == id) {
            return Some(of(&object.key, &object.name));
        }
        let tables = self.instance.database.tables().ok()?;
        let key =
            |name: &str| if name.contains('.') { name.to_lowercase() } else { format!("dbo.{}", name.to_lowercase()) };
        let table = tables.iter().find(|table| object_id(&key(&table.name)) == id)?;
        Some(of(&key(&table.name), &table.name))
    }

    fn property(&self, id: i64, property: Option<String>) -> Value {
        let kind = self.modules.all().find(|object| object_id(&object.key) == id).map(|object| object.kind.clone());
        let is = |wanted: &str| Value::Integer(i64::from(kind.as_deref().unwrap_or("U") == wanted));
        match property.unwrap_or_default().to_lowercase().as_str() {
            "isusertable" | "istable" => is("U"),
            "isprocedure" => is("P"),
            "isview" => is("V"),
            "isscalarfunction" => is("FN"),
            "isinlinefunction" => is("IF"),
            "istablefunction" => is("TF"),
            "istrigger" => is("TR"),
            "ismsshipped" => Value::Integer(0),
            _ => Value::Null,
        }
    }

    fn column_length(&mut self, table: &str, column: &str) -> Value {
        let name = core_name(&object_name(table)).replace('"', "");
        let columns = self.core.native_columns(&name).ok().flatten().unwrap_or_default();
        let found = columns.iter().find(|known| known.field.name().eq_ignore_ascii_case(column));
        let length = found.and_then(|column| type_of_field(&column.field)).map(|data_type| data_type.max_length());
        length.map_or(Value::Null, |length| Value::Integer(length.into()))
    }
}

fn server_property(name: &str) -> Value {
    let text = |text: &str| Value::Text(text.to_owned());
    match name.to_lowercase().as_str() {
        "productversion" => text("16.0.1000.6"),
        "productlevel" => text("RTM"),
        "productmajorversion" => text("16"),
        "edition" => text("Developer Edition (64-bit)"),
        "engineedition" => text("3"),
        "editionid" => text("-2117995310"),
        "servername" | "machinename" | "computernamephysicalnetbios" => text("MAINSTAY"),
        "collation" => text("SQL_Latin1_General_CP1_CI_AI"),
        "isclustered" | "isfulltextinstalled" | "ishadrenabled" | "isintegratedsecurityonly" | "isxtpsupported" => {
            text("0")
        }
        "issingleuser" => text("0"),
        _ => Value::Null,
    }
}
