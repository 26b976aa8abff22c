//! Functions of the catalog or the server: `OBJECT_ID('t')`, `SERVERPROPERTY('Edition')`.
//!
//! Their arguments are nearly always constants and variables, so a query takes their result as a parameter. With other
//! arguments the session evaluates them for each row.

use super::{Input, Reducer, Source, literal_value, not_supported};
use crate::tree::{Argument, Call, Expr};
use mainstay_tsql_types::{DataType, Length, Message};
use mainstay_types::Value;

/// A function of the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CatalogFunction {
    /// Its name in lower case.
    pub name: &'static str,
    /// The type of its result.
    pub data_type: DataType,
}

/// The prefix of these functions' names where a session evaluates them.
pub const CATALOG_FUNCTION: &str = "sys.catalog:";

const NAME: DataType = DataType::NVarChar(Length::Limited(128));

const FUNCTIONS: [(&str, DataType); 49] = [
    ("applock_mode", NAME),
    ("applock_test", DataType::SmallInt),
    ("col_length", DataType::SmallInt),
    ("col_name", NAME),
    ("columnproperty", DataType::Int),
    ("connectionproperty", NAME),
    ("cursor_status", DataType::SmallInt),
    ("database_principal_id", DataType::Int),
    ("databasepropertyex", NAME),
    ("db_id", DataType::SmallInt),
    ("db_name", NAME),
    ("file_id", DataType::SmallInt),
    ("file_idex", DataType::Int),
    ("file_name", NAME),
    ("filegroup_id", DataType::Int),
    ("filegroup_name", NAME),
    ("fulltextserviceproperty", DataType::Int),
    ("has_dbaccess", DataType::Int),
    ("has_perms_by_name", DataType::Int),
    ("ident_current", DataType::Decimal { precision: 38, scale: 0 }),
    ("ident_incr", DataType::Decimal { precision: 38, scale: 0 }),
    ("ident_seed", DataType::Decimal { precision: 38, scale: 0 }),
    ("index_col", NAME),
    ("indexproperty", DataType::Int),
    ("is_member", DataType::Int),
    ("is_rolemember", DataType::Int),
    ("is_srvrolemember", DataType::Int),
    ("object_definition", DataType::NVarChar(Length::Max)),
    ("object_id", DataType::Int),
    ("object_name", NAME),
    ("object_schema_name", NAME),
    ("objectproperty", DataType::Int),
    ("objectpropertyex", DataType::SqlVariant),
    ("original_db_name", NAME),
    ("schema_id", DataType::Int),
    ("schema_name", NAME),
    ("serverproperty", NAME),
    ("session_context", DataType::SqlVariant),
    ("suser_id", DataType::Int),
    ("suser_name", NAME),
    ("suser_sid", DataType::VarBinary(Length::Limited(85))),
    ("suser_sname", NAME),
    ("textvalid", DataType::Int),
    ("trigger_nestlevel", DataType::Int),
    ("type_id", DataType::Int),
    ("type_name", NAME),
    ("typeproperty", DataType::Int),
    ("user_id", DataType::Int),
    ("user_name", NAME),
];

/// The function of the catalog of this name.
pub fn catalog_function(name: &str) -> Option<CatalogFunction> {
    let known = FUNCTIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    known.map(|(name, data_type)| CatalogFunction { name, data_type: *data_type })
}

/// The function behind `UPDATE(column)` in a trigger, with the name of the column.
const COLUMN_UPDATED: CatalogFunction = CatalogFunction { name: "update", data_type: DataType::Bit };

impl Reducer<'_> {
    /// Writes the condition `UPDATE(column)`, which is the same for all rows.
    pub(super) fn column_updated(&mut self, call: &Call) -> Result<(), Message> {
        let [Argument::Value(Expr::Column(column))] = &call.arguments[..] else {
            return Err(not_supported("UPDATE() of other than a column"));
        };
        let column = Value::Text(column.last().to_owned());
        self.open("equal");
        self.parameter(Source::Catalog(COLUMN_UPDATED, vec![Input::Value(column)]), COLUMN_UPDATED.data_type);
        self.push(", ");
        self.typed(DataType::Int, "1");
        self.push(")");
        Ok(())
    }

    /// Writes what the catalog answers: as a parameter, or as a function of the session.
    pub(super) fn catalog_call(&mut self, function: CatalogFunction, call: &Call) -> Result<(), Message> {
        if let Ok(inputs) = self.inputs(call) {
            self.parameter(Source::Catalog(function, inputs), function.data_type);
            return Ok(());
        }
        let value = |argument: &'_ Argument| match argument {
            Argument::Value(value) => Ok(value.clone()),
            _ => Err(not_supported("An argument of this form")),
        };
        let values: Vec<Expr> = call.arguments.iter().map(value).collect::<Result<_, _>>()?;
        self.scope.asks_catalog();
        self.call(&format!("user:{CATALOG_FUNCTION}{}", function.name), &values.iter().collect::<Vec<_>>())
    }

    fn inputs(&self, call: &Call) -> Result<Vec<Input>, Message> {
        let input = |argument: &Argument| match argument {
            Argument::Value(value) => self.input(value),
            _ => Err(not_supported("An argument of this form")),
        };
        call.arguments.iter().map(input).collect()
    }

    pub(super) fn input(&self, value: &Expr) -> Result<Input, Message> {
        match value {
            Expr::Literal(literal) => {
                let value = literal_value(literal)?;
                Ok(Input::Value(value.map_or(Value::Null, |(_, value)| value)))
            }
            // A parameter of a function that is inlined is a value like any other.
            Expr::Variable(name) if !name.text.starts_with("@@") && !self.is_inlined(name) => {
                self.variable_type(name)?;
                Ok(Input::Variable(name.text.to_lowercase()))
            }
            Expr::Call(call) => match catalog_function(call.name.last()) {
                Some(function) => Ok(Input::Catalog(function, self.inputs(call)?)),
                None => Err(not_supported("A function of the catalog over other functions")),
            },
            _ => Err(not_supported("A function of the catalog over columns")),
        }
    }
}
