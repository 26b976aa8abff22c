//! Tables, indexes, views, sequences and schemas of the core; procedures, functions and types as texts.

use crate::definitions::clustered::check_one_clustered;
use crate::definitions::definition_errors::check_key_columns;
use crate::definitions::extended_properties::Subject;
use crate::objects::modules::{self, Object};
use crate::session::Inner;
use crate::session::scope::{GLOBALS, core_name, global_name, is_global, is_temporary};
use crate::session::state::TemporaryTable;
use crate::statements::errors::{self, raised};
use crate::statements::runner::{Ran, Runner};
use mainstay_session::push::Command;
use mainstay_tsql_syntax::compile::HostStatement;
use mainstay_tsql_syntax::reduce::{self, Scope, quoted};
use mainstay_tsql_syntax::tree::{
    ColumnProperty, Constraint, ConstraintKind, CreateSchema, CreateTable, CreateType, DefineKind, Drop, ObjectName,
    PhraseItem, Statement, StatementKind, TableElement, TriggerTarget, View,
};
use mainstay_tsql_types::Message;
use mainstay_vm::{Flow, Raised, StatementCall};

impl Inner {
    /// The core's name of a table that is about to be made, which the session remembers if it is temporary.
    pub(crate) fn new_table(&mut self, name: &ObjectName) -> Result<String, Box<Raised>> {
        let last = name.last();
        if !is_temporary(last) {
            return Ok(core_name(name));
        }
        if self.modules.own(name).is_some() {
            return Err(name_taken(name, 6));
        }
        if is_global(last) {
            return self.new_global(last);
        }
        self.new_temporary(last)
    }

    pub(crate) fn new_temporary(&mut self, name: &str) -> Result<String, Box<Raised>> {
        let key = name.to_lowercase();
        let depth = self.state.levels.len();
        // The session's own level is for batches: what they make stays until the session ends.
        let core = if depth <= 1 { key.clone() } else { format!("{key}@{depth}") };
        let Some(level) = self.state.levels.last_mut() else { return Ok(quoted(&core)) };
        if level.tables.contains_key(&key) {
            return Err(raised(errors::name_taken(name, 6)));
        }
        level.tables.insert(key.clone(), TemporaryTable::new(core.clone()));
        self.state.note_name(depth, &key, None);
        self.state.name_made(&key, &core);
        Ok(quoted(&core))
    }

    /// A temporary table that all sessions see: one of the database, which goes with the session that made it.
    fn new_global(&mut self, name: &str) -> Result<String, Box<Raised>> {
        if self.names(&[]).table(&crate::session::object_name(name)).is_ok() {
            return Err(raised(errors::name_taken(name, 6)));
        }
        self.execute(&format!("CREATE SCHEMA IF NOT EXISTS {GLOBALS}"))?;
        self.state.globals.push(name.to_lowercase());
        Ok(global_name(name))
    }

    /// Drops the temporary tables that this session has made for all.
    pub(crate) fn drop_globals(&mut self) {
        for name in std::mem::take(&mut self.state.globals) {
            // It may have been dropped already.
            let _ = self.core.execute_uninterrupted(&format!("DROP TABLE IF EXISTS {}", global_name(&name)));
        }
    }

    pub(crate) fn forget_temporary(&mut self, name: &str) {
        let key = name.to_lowercase();
        self.state.globals.retain(|known| *known != key);
        let mut levels = self.state.levels.iter_mut().enumerate().rev();
        match levels.find_map(|(place, level)| Some((place + 1, level.tables.remove(&key)?))) {
            Some((depth, table)) => {
                self.state.name_gone(&key, &table.core);
                self.state.note_name(depth, &key, Some(table));
            }
            None => self.state.names_changed(),
        }
    }

    /// CREATE SCHEMA, and the tables that are made in it.
    ///
    /// Errors: 2714, and those of the tables; 40515 for a view that stands with it.
    fn create_schema(&mut self, create: &CreateSchema) -> Result<(), Box<Raised>> {
        let Some(name) = create.name.as_ref().or(create.owner.as_ref()) else { return Ok(()) };
        if create.elements.iter().any(|element| matches!(element.kind, StatementKind::View(_))) {
            return Err(raised(reduce::not_supported("CREATE VIEW within CREATE SCHEMA")));
        }
        self.as_one(|inner| {
            if create.name.is_some() {
                inner.check_new_schema(name)?;
                inner.execute(&format!("CREATE SCHEMA {}", quoted(&name.text)))?;
            }
            for element in &create.elements {
                let StatementKind::CreateTable(table) = &element.kind else { continue };
                let mut table = table.clone();
                if table.name.parts.len() == 1 {
                    table.name.parts.insert(0, name.clone());
                }
                inner.create_table(&table)?;
            }
            Ok(())
        })
    }

    fn create_table(&mut self, create: &CreateTable) -> Result<(), Box<Raised>> {
        let temporary = is_temporary(create.name.last());
        let own = temporary && !is_global(create.name.last());
        let before = self.states_of_tables();
        check_one_clustered(&create.name, &create.elements)?;
        self.check_columns(&create.name, &create.elements)?;
        check_key_columns(&create.elements)?;
        if !temporary && self.is_name_taken(&create.name)? {
            return Err(name_taken(&create.name, 6));
        }
        let table = self.new_table(&create.name)?;
        if own && self.made_again(create, before) {
            return Ok(());
        }
        if !own {
            self.check_references(&create.name, &table, &create.elements)?;
        }
        let statements = reduce::create_table(&table, &create.elements, own, &self.names(&[])).map_err(raised);
        let done = statements.and_then(|statements| {
            statements.iter().try_for_each(|statement| self.execute(statement).map(drop))?;
            self.keep_asking(&statements)
        });
        if done.is_err() && temporary {
            self.forget_temporary(create.name.last());
        }
        done?;
        self.note_indexes(&create.name, &create.elements)?;
        self.keep_types(&create.name, &create.elements)?;
        if own {
            self.remember_made(create, before);
        }
        self.keep_defaults(&create.name, &create.elements)
    }

    /// Keeps the names that defaults are given: the core has none for them.
    pub(crate) fn keep_defaults(&mut self, table: &ObjectName, elements: &[TableElement]) -> Result<(), Box<Raised>> {
        let named = default_names(elements);
        if named.is_empty() || is_temporary(table.last()) {
            return Ok(());
        }
        for (column, name) in named {
            modules::keep_default(&mut self.core, table, column, name).map_err(raised)?;
        }
        self.objects_changed()
    }

    fn drop(&mut self, drop: &Drop) -> Result<(), Box<Raised>> {
        let exists = if drop.if_exists { "IF EXISTS " } else { "" };
        for dropped in &drop.names {
            let name = &dropped.name;
            if matches!(drop.kind, "TABLE" | "VIEW" | "FUNCTION") {
                self.check_bound(name, &format!("DROP {}", drop.kind))?;
            }
            match drop.kind {
                "TABLE" if self.dropped_to_be_made_again(name)? => {}
                "TABLE" => {
                    let known = self.names(&[]).table(name);
                    let table = match known {
                        Ok(table) => table,
                        Err(_) if drop.if_exists => continue,
                        Err(_) => return Err(cannot_drop("table", name)),
                    };
                    match self.execute(&format!("DROP TABLE {exists}{table}")) {
                        Err(_) if self.is_referenced(name) => {
                            return Err(raised(Message::numbered(3726, &[&shown_name(name)])));
                        }
                        Ok(_) if is_temporary(name.last()) => self.forget_temporary(name.last()),
                        Ok(_) => {
                            if modules::forget_parts(&mut self.core, name, None).map_err(raised)? > 0 {
                                self.objects_changed()?;
                            }
                            self.forget_properties(Subject::Object(name))?;
                        }
                        Err(error) if error.number == 208 => return Err(cannot_drop("table", name)),
                        Err(error) => return Err(error),
                    }
                }
                "VIEW" => {
                    drop_of_core(self, "VIEW", exists, name)?;
                    if let Some(object) = self.modules.find(name).cloned() {
                        modules::forget(&mut self.core, &object.key).map_err(raised)?;
                        self.objects_changed()?;
                    }
                    self.forget_properties(Subject::Object(name))?;
                }
                "SEQUENCE" => {
                    drop_of_core(self, "SEQUENCE", exists, name)?;
                    self.forget_properties(Subject::Object(name))?;
                }
                "SCHEMA" => {
                    self.check_empty_schema(name)?;
                    drop_of_core(self, "SCHEMA", exists, name)?;
                    self.forget_properties(Subject::Schema(name))?;
                }
                "INDEX" => {
                    self.drop_index(name, dropped.table.as_ref(), drop.if_exists)?;
                }
                "PROCEDURE" | "PROC" | "FUNCTION" | "TRIGGER" | "TYPE" | "SYNONYM" => {
                    let found = match drop.kind {
                        "TYPE" => self.modules.type_named(name),
                        _ => self.modules.own(name),
                    };
                    let Some(object) = found.cloned() else {
                        if drop.if_exists {
                            continue;
                        }
                        return Err(match drop.kind {
                            "TYPE" => raised(Message::numbered(218, &[&shown_name(name)])),
                            kind => cannot_drop(&kind.to_lowercase(), name),
                        });
                    };
                    object.check_changeable()?;
                    if drop.kind == "FUNCTION" {
                        self.check_unused(name, "DROP FUNCTION")?;
                    }
                    let mut subject = if drop.kind == "TYPE" { Subject::Type(name) } else { Subject::Object(name) };
                    if let StatementKind::Trigger(trigger) = &object.statement.kind
                        && let TriggerTarget::Table(table) = &trigger.target
                    {
                        self.hold_for_triggers(table)?;
                        subject = Subject::Part(table, name.last());
                    }
                    modules::forget(&mut self.core, &object.key).map_err(raised)?;
                    self.object_changed(name)?;
                    self.forget_properties(subject)?;
                }
                // Only the names are stored.
                "USER" | "ROLE" | "LOGIN" => self.instance.principals.remove(name.last()),
                "DATABASE" if self.state.transactions > 0 => self.check_outside_transaction("DROP DATABASE")?,
                "DATABASE" if self.instance.principals.remove_database(name.last()) => {}
                "DATABASE" if drop.if_exists => {}
                "DATABASE" => return Err(cannot_drop("database", name)),
                kind => return Err(raised(reduce::not_supported(&format!("DROP {kind}")))),
            }
        }
        Ok(())
    }

    /// Returns true if there is an object of this name: tables, views, sequences, procedures, functions, triggers,
    /// synonyms and constraints share their names. Types have names of their own, and a file does not keep a table from
    /// being made.
    pub(crate) fn is_name_taken(&mut self, name: &ObjectName) -> Result<bool, Box<Raised>> {
        let catalog = self.catalog().map_err(crate::statements::errors::raised_error)?;
        Ok(catalog.find(name).is_some_and(|object| match object.kind {
            "TT" | "UDT" => false,
            "U" => self.core.table_definition(&reduce_name(name).to_lowercase()).is_some(),
            _ => true,
        }))
    }

    pub(crate) fn is_view(&mut self, name: &ObjectName) -> Result<bool, Box<Raised>> {
        let catalog = self.catalog().map_err(crate::statements::errors::raised_error)?;
        Ok(catalog.find(name).is_some_and(|object| object.kind == "V"))
    }

    fn create_view(&mut self, view: &View) -> Result<(), Box<Raised>> {
        let reduced = reduce::view(&view.query, &self.names(&[])).map_err(raised)?;
        let query = match self.is_momentary.replace(false) || !reduced.parameters.is_empty() {
            true => self.shape_of(reduced)?,
            false => reduced.text,
        };
        let name = core_name(&view.name);
        let columns: Vec<String> = reduce::view_columns(view).iter().map(|name| quoted(name)).collect();
        let columns = if columns.is_empty() { String::new() } else { format!(" ({})", columns.join(", ")) };
        let word = match view.define {
            DefineKind::Create => "CREATE VIEW",
            _ => "CREATE OR REPLACE VIEW",
        };
        self.execute(&format!("{word} {name}{columns} AS {query}")).map(|_| ()).map_err(|error| match error.number {
            2714 => name_taken(&view.name, 3),
            _ => error,
        })
    }

    /// Keeps a procedure, function, trigger or type.
    fn keep(&mut self, statement: &Statement, define: DefineKind, text: &str) -> Result<(), Box<Raised>> {
        let Some((name, kind, _)) = modules::defined(statement) else {
            return Err(raised(reduce::not_supported("An object of this kind")));
        };
        let is_type = matches!(kind, "TT" | "UDT");
        let exists = if is_type { self.modules.type_named(name) } else { self.modules.own(name) }.is_some();
        if !exists && !is_type && self.is_name_taken(name)? {
            return Err(match define {
                DefineKind::Create => name_taken(name, 3),
                _ => raised(Message::numbered(2010, &[&shown_name(name)])),
            });
        }
        let refusal = |exists: bool| match (define, exists) {
            (_, true) if is_type => Some(raised(Message::numbered(219, &[&shown_name(name)]))),
            (DefineKind::Create, true) => Some(name_taken(name, 3)),
            (DefineKind::Alter, false) => {
                Some(raised(Message::error(208, format!("Invalid object name '{}'.", name.last())).state(6)))
            }
            _ => None,
        };
        if let Some(error) = refusal(exists) {
            return Err(error);
        }
        self.modules.own(name).filter(|_| !is_type).map_or(Ok(()), Object::check_changeable)?;
        self.check_tables_given(statement)?;
        self.check_returned(statement)?;
        crate::definitions::definition_errors::check_own_body(statement)?;
        self.check_module_columns(statement)?;
        let made_under = self.state.options.settings.switches;
        let known = self.modules.own(name).filter(|_| is_global(name.last())).map(|object| object.parent.clone());
        let owner = known.unwrap_or_else(|| self.state.process.to_string());
        let is_kept = modules::keep(&mut self.core, statement, define, text, (made_under, &owner)).map_err(raised)?;
        self.object_changed(name)?;
        // A module that is not stored was overtaken by another session.
        let lost = if is_kept { None } else { refusal(define == DefineKind::Create) };
        lost.map_or(Ok(()), Err)
    }

    /// Keeps the text of a view, which the core has as well.
    fn keep_view(&mut self, statement: &Statement, text: &str) -> Result<(), Box<Raised>> {
        let made_under = self.state.options.settings.switches;
        modules::keep(&mut self.core, statement, DefineKind::CreateOrAlter, text, (made_under, "")).map_err(raised)?;
        self.objects_changed()
    }

    /// An object was made, changed or dropped.
    pub(crate) fn objects_changed(&mut self) -> Result<(), Box<Raised>> {
        self.instance.version.bump();
        self.state.has_defined = true;
        self.refresh().map_err(raised)
    }
}

impl Runner<'_> {
    /// A definition.
    pub(crate) fn define(&mut self, statement: &Statement, host: &HostStatement, call: &mut StatementCall<'_>) -> Ran {
        // A function that an older version has kept may have one.
        if self.silent > 0
            && let Some(what) = mainstay_tsql_syntax::side_effect(&statement.kind)
        {
            return Err(raised(Message::numbered(443, &[&what]).state(14)));
        }
        let event = crate::definitions::events::event_of(statement);
        let triggers = event.as_ref().map(|event| self.inner.modules.database_triggers(event.name()));
        if let (Some(event), Some(triggers)) = (event, triggers.filter(|triggers| !triggers.is_empty())) {
            self.with_triggers(&event, &triggers, host, call, |it, call| {
                it.known_definition(statement, host, call).map(drop)
            })?;
            return Ok(Flow::NEXT);
        }
        self.known_definition(statement, host, call)
    }

    pub(crate) fn defined(&mut self, statement: &Statement, host: &HostStatement, call: &mut StatementCall<'_>) -> Ran {
        let inner = &mut *self.inner;
        modules::check_name(statement)?;
        inner.check_schema_of(statement)?;
        let text = &*host.text;
        let command = match &statement.kind {
            StatementKind::CreateTable(create) => inner.create_table(create).map(|()| Command::CreateTable)?,
            StatementKind::AlterTable(alter) => inner.alter_table(alter).map(|()| Command::AlterTable)?,
            StatementKind::CreateIndex(create) => inner.create_index(create).map(|()| Command::CreateIndex)?,
            StatementKind::Drop(drop) => inner.drop(drop).map(|()| Command::DropTable)?,
            StatementKind::Truncate(_, partitions) if !partitions.is_empty() => {
                return Err(raised(reduce::not_supported("TRUNCATE TABLE of partitions")));
            }
            StatementKind::Truncate(name, _) => inner.truncate(name).map(|()| Command::Truncate)?,
            StatementKind::View(view) => {
                if !matches!(view.define, DefineKind::Create) {
                    inner.check_bound(&view.name, "ALTER")?;
                }
                inner.check_module_columns(statement)?;
                inner.create_view(view)?;
                inner.keep_view(statement, text)?;
                Command::CreateView
            }
            StatementKind::Sequence(sequence) => inner.sequence(sequence).map(|()| Command::None)?,
            StatementKind::CreateSchema(create) => inner.create_schema(create).map(|()| Command::None)?,
            StatementKind::Procedure(procedure) => {
                inner.keep(statement, procedure.define, text)?;
                self.warn_of_parts(statement);
                Command::CreateProcedure
            }
            StatementKind::Function(function) => {
                if !matches!(function.define, DefineKind::Create) {
                    inner.check_bound(&function.name, "ALTER")?;
                    inner.check_unused(&function.name, "ALTER")?;
                }
                inner.keep(statement, function.define, text)?;
                self.warn_of_parts(statement);
                Command::None
            }
            StatementKind::EnableTrigger(enable, names, TriggerTarget::Table(table)) => {
                inner.hold_for_triggers(table)?;
                inner.enable_triggers(*enable, names, &modules::key_of(table)).map(|()| Command::None)?
            }
            StatementKind::EnableTrigger(enable, names, TriggerTarget::Database) => {
                inner.enable_triggers(*enable, names, "").map(|()| Command::None)?
            }
            StatementKind::Trigger(trigger) => {
                inner.check_trigger(trigger)?;
                inner.keep(statement, trigger.define, text)?;
                self.warn_of_parts(statement);
                Command::CreateTrigger
            }
            StatementKind::CreateSynonym(name, _) => {
                // It would hide the table of a file, too.
                let is_table = matches!(inner.core.changeable_columns(&reduce_name(name)), Ok(Some(_)));
                if is_table || inner.is_name_taken(name)? {
                    return Err(name_taken(name, 6));
                }
                inner.keep(statement, DefineKind::Create, text).map(|()| Command::None)?
            }
            StatementKind::CreateType(create) => match create.as_ref() {
                CreateType::External(..) => return Err(raised(reduce::not_supported("CREATE TYPE of an assembly"))),
                create => {
                    inner.check_type(create)?;
                    inner.keep(statement, DefineKind::Create, text).map(|()| Command::None)?
                }
            },
            StatementKind::Dbcc(command, arguments, options) => {
                self.dbcc(command, arguments.as_deref(), options)?;
                Command::None
            }
            StatementKind::AlterIndex(alter) => inner.alter_index(alter).map(|()| Command::None)?,
            StatementKind::BulkInsert(table, file, options) => {
                return self.bulk_insert_file((table, file, options), call);
            }
            StatementKind::Words(words) if words.verb == "INSERT BULK" => {
                let Some(name) = &words.name else { return Ok(Flow::NEXT) };
                let table = inner.names(&[]).table(name).map_err(raised)?;
                let columns = bulk_columns(&words.rest);
                inner.state.bulk_target = Some(crate::changes::bulk::Target::new(name, table, columns, &words.rest));
                return Ok(Flow::NEXT);
            }
            _ => self.administer(statement)?,
        };
        self.inner.state.row_count = 0;
        self.done(command, None);
        Ok(Flow::NEXT)
    }

    /// A table variable: made once for each run of its module.
    pub(crate) fn declare_table(&mut self, name: &str, elements: &[TableElement]) -> Ran {
        if self.inner.state.temporary(name).is_none() {
            self.inner.make_table_variable(name, elements)?;
        }
        Ok(Flow::NEXT)
    }

    /// Lets a table parameter stand for a table of the caller's level. One that is given none is empty.
    pub(crate) fn table_parameter(&mut self, name: &str, of_type: &ObjectName, given: &str) -> Ran {
        if given.is_empty() {
            let elements = self.inner.modules.table_type(of_type).map(<[_]>::to_vec).unwrap_or_default();
            return self.declare_table(name, &elements);
        }
        let levels = &mut self.inner.state.levels;
        let caller = levels.len().checked_sub(2).and_then(|place| levels.get(place));
        let known = caller.and_then(|level| level.tables.get(&given.to_lowercase())).cloned();
        if let (Some(table), Some(level)) = (known, levels.last_mut()) {
            let table = crate::session::state::TemporaryTable { borrowed: true, ..table };
            level.tables.insert(name.to_lowercase(), table);
            self.inner.state.names_changed();
        }
        Ok(Flow::NEXT)
    }
}

/// The columns whose defaults are given names, with these.
fn default_names(elements: &[TableElement]) -> Vec<(&str, &str)> {
    let mut named = Vec::new();
    for element in elements {
        match element {
            TableElement::Column(column) => {
                let name = column.properties.iter().find_map(|property| match property {
                    ColumnProperty::Constraint(Constraint { name: Some(name), kind: ConstraintKind::Default(..) }) => {
                        Some(&*name.text)
                    }
                    _ => None,
                });
                named.extend(name.map(|name| (&*column.name.text, name)));
            }
            TableElement::Constraint(Constraint {
                name: Some(name),
                kind: ConstraintKind::Default(_, Some(column), _),
            }) => named.push((&*column.text, &*name.text)),
            _ => {}
        }
    }
    named
}

/// The columns of an INSERT BULK: the first word of each part of its list.
fn bulk_columns(items: &[PhraseItem]) -> Vec<String> {
    let first = |phrase: &mainstay_tsql_syntax::tree::Phrase| match phrase.items.first() {
        Some(PhraseItem::Word(name)) => Some(name.text.clone()),
        _ => None,
    };
    let list = items.iter().find_map(|item| match item {
        PhraseItem::Group(phrases) => Some(phrases.iter().filter_map(first).collect()),
        _ => None,
    });
    list.unwrap_or_default()
}

fn drop_of_core(inner: &mut Inner, kind: &str, exists: &str, name: &ObjectName) -> Result<(), Box<Raised>> {
    let text = match kind {
        "SCHEMA" => format!("DROP {kind} {exists}{}", quoted(name.last())),
        _ => format!("DROP {kind} {exists}{}", core_name(name)),
    };
    match inner.execute(&text) {
        Ok(_) => Ok(()),
        Err(error) if error.number == 208 => Err(cannot_drop(&kind.to_lowercase(), name)),
        Err(error) => Err(error),
    }
}

/// The core's name of a table without quotes.
/// 2714.
pub(crate) fn name_taken(name: &ObjectName, state: u8) -> Box<Raised> {
    raised(errors::name_taken(name.last(), state))
}

pub(crate) fn reduce_name(name: &ObjectName) -> String {
    core_name(name).replace('"', "")
}

fn cannot_drop(kind: &str, name: &ObjectName) -> Box<Raised> {
    let text = format!(
        "Cannot drop the {kind} '{}', because it does not exist or you do not have permission.",
        shown_name(name)
    );
    raised(Message::error(3701, text).severity(11).state(5))
}

/// A name as it was written.
pub(crate) fn shown_name(name: &ObjectName) -> String {
    name.parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(".")
}
