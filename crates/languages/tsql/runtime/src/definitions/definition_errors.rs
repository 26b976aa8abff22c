//! SQL Server's messages for invalid definitions, where the core has other messages or none.
//!
//! ```text
//!   1752   a default for a column that is not there      2733   a function of a type that is not returned
//!   352    a parameter of a table type without READONLY
//!   4506, 4511, 8158, 8159   columns of a view or an inline function
//!   3725   with 3727: a key that is to be dropped is referred to
//!   2744   two identities, 2749 one of another type, 8147 one that takes NULL; 8111 a primary key that does
//!   2714   with 2759: there is a schema of the name       3729   a schema that is to be dropped has objects
//!   2760   the schema of a new object is not there
//!   128    a default names a column    8141  the check of a column names another one
//!   4901   a NOT NULL column without a value for the rows that are there
//!   4924   a column that is to be dropped is not there   4902, 1088, 4701   the table is not
//! ```

use crate::catalog::{Detail, Index, Object};
use crate::definitions::dependencies::Preceded;
use crate::session::Inner;
use crate::session::scope::{is_temporary, local_name};
use crate::statements::errors::raised;
use crate::statements::flow::Origin;
use crate::statements::runner::{Ran, Runner};
use mainstay_tsql_syntax::compile::HostStatement;
use mainstay_tsql_syntax::reduce::{self, Scope};
use mainstay_tsql_syntax::tree::{
    Body, Column, ColumnKind, ColumnProperty, Constraint, ConstraintKind, CreateType, DefineKind, DropElement, Expr,
    FunctionKind, KeyKind, Name, ObjectName, Parameter, Statement, StatementKind, TableElement,
};
use mainstay_tsql_types::{DataType, Message};
use mainstay_vm::{Raised, StatementCall};
use std::sync::Arc;

impl Runner<'_> {
    /// A definition, whose table that is not there has a number of its own.
    pub(crate) fn known_definition(
        &mut self,
        statement: &Statement,
        host: &HostStatement,
        call: &mut StatementCall<'_>,
    ) -> Ran {
        self.inner.uses.take();
        self.defined(statement, host, call).map_err(|error| match &statement.kind {
            StatementKind::AlterTable(alter) => self.inner.without_table(error, 4902, &alter.table),
            StatementKind::CreateIndex(create) => self.inner.without_table(error, 1088, &create.table),
            StatementKind::Truncate(name, _) => self.inner.without_table(error, 4701, name),
            _ => error,
        })
    }
}

impl Inner {
    /// The columns and keys of a table type.
    ///
    /// Errors: as of a table.
    pub(crate) fn check_type(&mut self, create: &CreateType) -> Result<(), Box<Raised>> {
        let CreateType::Table(name, elements, _) = create else { return Ok(()) };
        crate::definitions::clustered::check_one_clustered(name, elements)?;
        self.check_columns(name, elements)?;
        check_key_columns(elements)
    }

    /// Errors: 4506, 4511, 8158, 8159 for the columns of a view or an inline function.
    pub(crate) fn check_module_columns(&self, statement: &Statement) -> Result<(), Box<Raised>> {
        let (query, given, name) = match &statement.kind {
            StatementKind::View(view) => (&view.query, &view.columns[..], &view.name),
            StatementKind::Function(function) => match &function.returns {
                FunctionKind::Inline(query) => (query.as_ref(), &[][..], &function.name),
                _ => return Ok(()),
            },
            _ => return Ok(()),
        };
        reduce::check_module_columns(query, given, name.last()).map_err(|message| {
            let mut error = raised(message);
            (error.routine, error.line) = (Some(name.last().into()), 1);
            error
        })
    }

    /// Errors: 2733 for a function that gives a value of a type that no value is returned in.
    pub(crate) fn check_returned(&self, statement: &Statement) -> Result<(), Box<Raised>> {
        let StatementKind::Function(function) = &statement.kind else { return Ok(()) };
        let FunctionKind::Scalar(returns, ..) = &function.returns else { return Ok(()) };
        let name = match self.modules.resolved_type(returns) {
            Some(DataType::RowVersion) => "timestamp",
            Some(DataType::Text(_)) => "text",
            Some(DataType::NText) => "ntext",
            Some(DataType::Image) => "image",
            _ => return Ok(()),
        };
        let mut error = raised(Message::numbered(2733, &[&name]));
        (error.routine, error.line) = (Some(function.name.last().into()), 1);
        Err(error)
    }

    /// Errors: 352 for a parameter of a table type without READONLY.
    pub(crate) fn check_tables_given(&self, statement: &Statement) -> Result<(), Box<Raised>> {
        let (name, parameters) = match &statement.kind {
            StatementKind::Procedure(procedure) => (&procedure.name, &procedure.parameters),
            StatementKind::Function(function) => (&function.name, &function.parameters),
            _ => return Ok(()),
        };
        let is_table = |parameter: &&Parameter| {
            self.modules.type_named(&parameter.data_type.name).is_some_and(|object| object.kind == "TT")
        };
        match parameters.iter().find(|parameter| !parameter.readonly && is_table(parameter)) {
            None => Ok(()),
            Some(parameter) => {
                let mut error = raised(Message::numbered(352, &[&parameter.name.text]));
                (error.routine, error.line) = (Some(name.last().into()), 1);
                Err(error)
            }
        }
    }

    /// An error of a definition: that of this number, if what is missing is its table.
    fn without_table(&mut self, error: Box<Raised>, number: i32, name: &ObjectName) -> Box<Raised> {
        let core = self.names(&[]).table(name).map(|core| core.replace('"', ""));
        if error.number != 208 || core.is_ok_and(|core| matches!(self.core.changeable_columns(&core), Ok(Some(_)))) {
            return error;
        }
        let shown = if number == 4701 { name.last().to_owned() } else { crate::definitions::define::shown_name(name) };
        raised(Message::numbered(number, &[&shown]).state(if number == 1088 { 12 } else { 1 }))
    }

    /// Sees that the identity and the primary key of new columns of a table can be.
    ///
    /// Errors: 128, 2744, 2749, 8111, 8141, 8147.
    pub(crate) fn check_columns(&mut self, table: &ObjectName, elements: &[TableElement]) -> Result<(), Box<Raised>> {
        let name = table.last();
        let types = reduce::column_types(elements, &self.names(&[])).map_err(raised)?;
        let columns = || {
            elements.iter().filter_map(|element| match element {
                TableElement::Column(column) => Some(column.as_ref()),
                _ => None,
            })
        };
        let identities: Vec<&Column> = columns().filter(|column| is_identity(column)).collect();
        if identities.len() > 1 {
            return Err(raised(Message::numbered(2744, &[&name]).state(2)));
        }
        for column in identities {
            let own = &column.name.text;
            let data_type = types.iter().find(|(known, _)| column.name.is(known)).map(|(_, data_type)| *data_type);
            if !data_type.is_some_and(counts) {
                return Err(raised(Message::numbered(2749, &[own]).state(2)));
            }
            if is_nullable(column) {
                return Err(raised(Message::numbered(8147, &[own, &name])));
            }
        }
        columns().try_for_each(|column| check_names(column, name, elements))?;
        for element in elements {
            if let TableElement::Constraint(Constraint { kind: ConstraintKind::Default(value, ..), .. }) = element {
                check_default(value)?;
            }
        }
        let in_key = |column: &Column| is_nullable(column) && is_in_primary_key(column, elements);
        if columns().any(in_key) { Err(nullable_key(table)) } else { Ok(()) }
    }

    /// Sees that defaults that are added to a table are for columns that it has.
    ///
    /// Errors: 1752.
    fn check_defaulted(&mut self, table: &ObjectName, elements: &[TableElement]) -> Result<(), Box<Raised>> {
        let known = self.names(&[]).columns(table).unwrap_or_default();
        let is_known = |column: &Name| known.iter().any(|known| column.is(&known.name)) || known.is_empty();
        for element in elements {
            if let TableElement::Constraint(Constraint { kind: ConstraintKind::Default(_, Some(column), _), .. }) =
                element
                && !is_known(column)
            {
                let message = Message::numbered(1752, &[&column.text, &table.last()]);
                let mut error = raised(message.state(0));
                error.detail = Some(Box::new(Origin::Reference));
                return Err(error);
            }
        }
        Ok(())
    }

    /// The same of what is added to a table, with the columns that it has.
    ///
    /// Errors: as [`Inner::check_columns`].
    pub(crate) fn check_added(&mut self, table: &ObjectName, elements: &[TableElement]) -> Result<(), Box<Raised>> {
        self.check_columns(table, elements)?;
        self.check_defaulted(table, elements)?;
        let adds_identity = elements.iter().any(|element| match element {
            TableElement::Column(column) => is_identity(column),
            _ => false,
        });
        let has_identity = |object: &Object| object.columns.iter().any(|column| column.identity.is_some());
        if adds_identity && self.known(table, has_identity)? == Some(true) {
            return Err(raised(Message::numbered(2744, &[&table.last()]).state(2)));
        }
        let takes_null = |object: &Object| {
            let names = elements.iter().filter_map(primary_key).flatten();
            names.into_iter().any(|(name, _)| object.column(&name.text).is_some_and(|column| column.nullable))
        };
        if self.known(table, takes_null)? == Some(true) { Err(nullable_key(table)) } else { Ok(()) }
    }

    /// Sees that the schema of an object that a statement makes is there.
    ///
    /// Errors: 2760.
    pub(crate) fn check_schema_of(&mut self, statement: &Statement) -> Result<(), Box<Raised>> {
        let name = match &statement.kind {
            StatementKind::CreateTable(create) => &create.name,
            StatementKind::Sequence(sequence) if !sequence.alter => &sequence.name,
            StatementKind::View(view) if view.define != DefineKind::Alter => &view.name,
            StatementKind::Procedure(procedure) if procedure.define != DefineKind::Alter => &procedure.name,
            StatementKind::Function(function) if function.define != DefineKind::Alter => &function.name,
            StatementKind::CreateSynonym(name, _) => name,
            StatementKind::CreateType(create) => match create.as_ref() {
                CreateType::Alias(name, ..) | CreateType::Table(name, ..) => name,
                CreateType::External(..) => return Ok(()),
            },
            _ => return Ok(()),
        };
        let (Some(schema), last) = local_name(name) else { return Ok(()) };
        let is_of_system =
            ["dbo", "sys", "information_schema", "guest"].iter().any(|own| schema.eq_ignore_ascii_case(own));
        let definitions = self.core.definitions();
        let is_known = || definitions.shared.schemas.iter().any(|known| known.name.eq_ignore_ascii_case(schema));
        match is_of_system || is_temporary(last) || is_known() {
            true => Ok(()),
            false => Err(raised(Message::numbered(2760, &[&schema]))),
        }
    }

    /// Errors: 2714 when there is a schema of this name.
    pub(crate) fn check_new_schema(&mut self, name: &Name) -> Result<(), Box<Raised>> {
        let definitions = self.core.definitions();
        match definitions.shared.schemas.iter().any(|known| known.name.eq_ignore_ascii_case(&name.text)) {
            true => Err(raised(crate::statements::errors::name_taken(&name.text, 6))),
            false => Ok(()),
        }
    }

    /// Errors: 3729 when the schema has objects.
    pub(crate) fn check_empty_schema(&mut self, name: &ObjectName) -> Result<(), Box<Raised>> {
        let catalog = self.catalog().map_err(crate::statements::errors::raised_error)?;
        let within = |object: &&Object| {
            object.parent == 0 && catalog.schema_name(object.schema).eq_ignore_ascii_case(name.last())
        };
        match catalog.objects.iter().find(within) {
            Some(object) => {
                let text = format!(
                    "Cannot drop schema '{}' because it is being referenced by object '{}'.",
                    name.last(),
                    object.name
                );
                Err(raised(Message::error(3729, text)))
            }
            None => Ok(()),
        }
    }

    /// The elements of DROP without columns that are not there and need not be.
    ///
    /// Errors: 4924 for a column that is not there.
    pub(crate) fn known_elements(
        &mut self,
        table: &ObjectName,
        elements: &mut Vec<DropElement>,
    ) -> Result<(), Box<Raised>> {
        let catalog = self.catalog().map_err(crate::statements::errors::raised_error)?;
        let Some(object) = catalog.find(table) else { return Ok(()) };
        let is_missing =
            |element: &DropElement| element.column == Some(true) && object.column(&element.name.text).is_none();
        if let Some(missing) = elements.iter().find(|element| is_missing(element) && !element.if_exists) {
            let text = format!(
                "ALTER TABLE DROP COLUMN failed because column '{}' does not exist in table '{}'.",
                missing.name.text, object.name
            );
            return Err(raised(Message::error(4924, text)));
        }
        elements.retain(|element| !is_missing(element));
        Ok(())
    }

    /// Errors: 3727, after a 3725 for each reference to a key that is to be dropped.
    pub(crate) fn check_dropped_keys(
        &mut self,
        table: &ObjectName,
        elements: &[DropElement],
    ) -> Result<(), Box<Raised>> {
        let catalog = self.catalog().map_err(crate::statements::errors::raised_error)?;
        let Some(object) = catalog.find(table) else { return Ok(()) };
        let is_dropped = |name: &str| elements.iter().any(|it| it.column != Some(true) && it.name.is(name));
        let is_key = |index: &&Index| index.name.as_deref().is_some_and(is_dropped);
        let mut told = Vec::new();
        for index in object.indexes.iter().filter(is_key) {
            let name = index.name.as_deref().unwrap_or_default();
            for known in &catalog.objects {
                let Detail::Foreign(key) = &known.detail else { continue };
                let goes_too = known.parent == object.id && is_dropped(&known.name);
                if key.referenced == object.id && key.key_index == index.id && !goes_too {
                    let from = catalog.by_id(known.parent).map_or("", |from| &from.name);
                    told.push(Message::numbered(3725, &[&name, &from, &known.name]).state(0));
                }
            }
        }
        if told.is_empty() {
            return Ok(());
        }
        let mut error = raised(Message::numbered(3727, &[]).severity(16).state(0));
        error.detail = Some(Box::new(Preceded(told)));
        Err(error)
    }

    /// Errors: 4901 for a new column that the rows of the table have no value for.
    pub(crate) fn check_new_columns(
        &mut self,
        table: &ObjectName,
        core: &str,
        elements: &[TableElement],
    ) -> Result<(), Box<Raised>> {
        let Some(column) = elements.iter().find_map(must_be_given) else { return Ok(()) };
        let mut plan = self.plan(&format!("SELECT 1 FROM {core} LIMIT 1"), Vec::new(), Vec::new())?;
        if self.rows_of(&mut plan, &[])?.rows.is_empty() {
            return Ok(());
        }
        let (name, table) = (&column.name.text, table.last());
        let text = format!(
            "ALTER TABLE only allows columns to be added that can contain nulls, or have a DEFAULT definition specified, or \
             the column being added is an identity or timestamp column, or alternatively if none of the previous \
             conditions are satisfied the table must be empty to allow addition of this column. Column '{name}' cannot be \
             added to non-empty table '{table}' because it does not satisfy these conditions."
        );
        Err(raised(Message::error(4901, text)))
    }

    /// Tests a table of the catalog; `None` if the table does not exist.
    pub(crate) fn known(
        &mut self,
        table: &ObjectName,
        holds: impl Fn(&Object) -> bool,
    ) -> Result<Option<bool>, Box<Raised>> {
        let catalog: Arc<_> = self.catalog().map_err(crate::statements::errors::raised_error)?;
        Ok(catalog.find(table).map(holds))
    }
}

fn is_identity(column: &Column) -> bool {
    column.properties.iter().any(|property| matches!(property, ColumnProperty::Identity(_)))
}

/// Returns true if a column allows NULL by its definition.
fn is_nullable(column: &Column) -> bool {
    column.properties.iter().any(|property| matches!(property, ColumnProperty::Nullable(true)))
}

/// Errors: 128 for a default that names a column, 8141 for a check that names another column than its own.
fn check_names(column: &Column, table: &str, elements: &[TableElement]) -> Result<(), Box<Raised>> {
    let is_other = |name: &&&ObjectName| {
        !name.is(&column.name.text)
            && elements.iter().any(|element| match element {
                TableElement::Column(other) => name.is(&other.name.text),
                _ => false,
            })
    };
    for property in &column.properties {
        let ColumnProperty::Constraint(constraint) = property else { continue };
        match &constraint.kind {
            ConstraintKind::Default(value, ..) => check_default(value)?,
            ConstraintKind::Check(_, condition)
                if reduce::named_columns(condition).iter().any(|name| is_other(&name)) =>
            {
                let mut error = raised(Message::numbered(8141, &[&"CHECK", &column.name.text, &table]));
                error.detail = Some(Box::new(Origin::Reference));
                return Err(error);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Errors: 128 for a default that names a column.
fn check_default(value: &Expr) -> Result<(), Box<Raised>> {
    let Some(name) = reduce::named_columns(value).first().map(|name| name.last()) else { return Ok(()) };
    let text = format!(
        "The name \"{name}\" is not permitted in this context. Valid expressions are constants, constant expressions, and \
         (in some contexts) variables. Column names are not permitted."
    );
    Err(raised(Message::error(128, text).severity(15)))
}

/// The keys and indexes of a new table, all columns of which are among its elements.
///
/// Errors: 1911 for a column that the table does not have, which 1750 follows.
pub(crate) fn check_key_columns(elements: &[TableElement]) -> Result<(), Box<Raised>> {
    let is_column = |name: &Name| {
        elements.iter().any(|element| matches!(element, TableElement::Column(column) if name.is(&column.name.text)))
    };
    let indexes = elements.iter().filter_map(|element| match element {
        TableElement::Constraint(Constraint { kind: ConstraintKind::Key(index), .. }) | TableElement::Index(index) => {
            Some(index)
        }
        _ => None,
    });
    let mut named = indexes.flat_map(|index| index.columns.iter().map(|(name, _)| name).chain(&index.include));
    match named.find(|name| !is_column(name)) {
        None => Ok(()),
        Some(missing) => {
            let mut error = raised(Message::numbered(1911, &[&missing.text]));
            error.detail = Some(Box::new(Origin::Reference));
            Err(error)
        }
    }
}

/// Returns true if a type may be that of an identity column.
fn counts(data_type: DataType) -> bool {
    data_type.is_integer() && data_type != DataType::Bit || matches!(data_type, DataType::Decimal { scale: 0, .. })
}

/// The columns of a primary key, if an element of a table is one; none are named where it stands with a column.
fn primary_key(element: &TableElement) -> Option<&[(Name, Option<bool>)]> {
    match element {
        TableElement::Constraint(constraint) => key_of(constraint),
        _ => None,
    }
}

fn key_of(constraint: &Constraint) -> Option<&[(Name, Option<bool>)]> {
    match &constraint.kind {
        ConstraintKind::Key(index) if index.key == KeyKind::Primary => Some(&index.columns),
        _ => None,
    }
}

/// Returns true if a column is part of the primary key, by its own or the table's definition.
fn is_in_primary_key(column: &Column, elements: &[TableElement]) -> bool {
    let own = column.properties.iter().any(|property| match property {
        ColumnProperty::Constraint(constraint) => key_of(constraint).is_some(),
        _ => false,
    });
    own || elements.iter().filter_map(primary_key).flatten().any(|(name, _)| name.is(&column.name.text))
}

/// The error of a primary key over a column that takes NULL, which 1750 follows.
fn nullable_key(table: &ObjectName) -> Box<Raised> {
    let mut error = raised(Message::numbered(8111, &[&table.last()]));
    error.detail = Some(Box::new(Origin::Reference));
    error
}

/// A column that every row must have a value for, and that gives none.
fn must_be_given(element: &TableElement) -> Option<&Column> {
    let TableElement::Column(column) = element else { return None };
    let is_stored = matches!(column.kind, ColumnKind::Stored(_));
    let refuses_null = column.properties.iter().any(|property| matches!(property, ColumnProperty::Nullable(false)));
    let gives = column.properties.iter().any(|property| match property {
        ColumnProperty::Identity(_) => true,
        ColumnProperty::Constraint(constraint) => matches!(constraint.kind, ConstraintKind::Default(..)),
        _ => false,
    });
    (is_stored && refuses_null && !gives).then_some(column)
}

/// Sees that the body of a module is of statements.
///
/// Errors: 40515 for a method of an assembly.
pub(crate) fn check_own_body(statement: &Statement) -> Result<(), Box<Raised>> {
    let is_external = match &statement.kind {
        StatementKind::Procedure(procedure) => matches!(procedure.body, Body::External(_)),
        StatementKind::Trigger(trigger) => matches!(trigger.body, Body::External(_)),
        StatementKind::Function(function) => {
            matches!(function.returns, FunctionKind::Scalar(_, Body::External(_)) | FunctionKind::ExternalTable(..))
        }
        _ => false,
    };
    if is_external { Err(raised(reduce::not_supported("EXTERNAL NAME"))) } else { Ok(()) }
}
