//! Procedures, functions, triggers, views and types: texts in a table of the database, compiled when they are first used.

use crate::catalog::{self, DeclaredType, key_of_column};
use crate::columns::Column;
use crate::definitions::extended_properties::Kept;
use crate::objects::module_files::Folder;
use crate::objects::triggers::Switches as TriggerSwitches;
use crate::plans::counters::TextCounts;
use crate::session::scope::local_name;
use crate::statements::query::Plan;
use crate::system;
use mainstay_tsql_syntax::compile::{self, Action, HostStatement, Module, Reading, Types};
use mainstay_tsql_syntax::reduce::{self, Scope};
use mainstay_tsql_syntax::tree::{
    CreateType, Function, FunctionKind, ObjectName, Statement, StatementKind, TableElement, TriggerTarget, View,
};
use mainstay_tsql_syntax::{Options, parse};
use mainstay_tsql_types::types::Declared;
use mainstay_tsql_types::{DataType, Message, Switches};
use mainstay_types::Result;
use mainstay_vm::Program;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The table that keeps the texts.
const TABLE: &str = "sys.mainstay_modules";

/// The kind of a row that keeps the name of a default.
const DEFAULT: &str = "D";
/// Prefix of the key of such a row, which no object's key has.
const DEFAULT_PREFIX: &str = "default:";

/// Prefix of the key of a type: a type may have the same name as a table or a procedure.
const TYPE_OF_USERS: &str = "usertype:";

mod reading;
mod rows;
mod temporary;
mod version;

pub(crate) use rows::{
    forget, forget_parts, keep, keep_default, keep_row, keep_type, move_parts, rename, rename_parts,
};
pub(crate) use temporary::check_name;
pub(crate) use version::Version;

/// A module that is ready to run. It belongs to one session.
pub(crate) struct Loaded {
    /// The compiled program.
    pub(crate) program: Arc<Program>,
    /// The actions of the host, and the parameters.
    pub(crate) module: Module,
    /// The text it was compiled from.
    pub(crate) text: Arc<str>,
    /// The plans of its statements, by their numbers. They are here, and not in a map beside, so that a plan cannot
    /// outlive its text.
    plans: Mutex<Vec<Option<Box<Plan>>>>,
    /// The columns of those statements that are one row of values.
    rows: Vec<Option<Box<[Column]>>>,
    /// The options that it was made under and always runs under; none for a batch.
    pub(crate) made_under: Option<Switches>,
    /// The counts of its runs in this session.
    pub(crate) counts: TextCounts,
}

impl Loaded {
    /// The columns of a statement that is one row of values.
    pub(crate) fn row_columns(&self, statement: usize) -> &[Column] {
        self.rows.get(statement).and_then(Option::as_deref).unwrap_or_default()
    }

    /// Returns true if a statement is a query and nothing else.
    pub(crate) fn is_query(&self, statement: usize) -> bool {
        let action = self.module.actions.get(statement).map(|statement| &statement.action);
        matches!(action, Some(Action::Query(_) | Action::Assign(..) | Action::Value(..) | Action::Condition(_)))
    }

    /// The plans of its statements, by their numbers.
    pub(crate) fn plans(&self) -> MutexGuard<'_, Vec<Option<Box<Plan>>>> {
        self.plans.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Loaded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loaded").field("text", &self.text).finish_non_exhaustive()
    }
}

/// An object that is text.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    /// Schema and name in lower case: `dbo.addorder`.
    pub(crate) key: String,
    /// The name as it was written, with the schema.
    pub(crate) name: String,
    /// `P`, `FN`, `IF`, `TF`, `TR`, `V`, `TT`, `UDT`, as in `sys.objects`.
    pub(crate) kind: String,
    /// The table of a trigger; the number of the session that created a global temporary procedure.
    pub(crate) parent: String,
    /// CREATE with everything.
    pub(crate) text: Arc<str>,
    /// The parsed statement.
    pub(crate) statement: Arc<Statement>,
    /// Those of [`MADE_UNDER`] that were on when it was made; [`OF_SYSTEM`] for one of the system's.
    pub(crate) made_under: Switches,
    /// The file that defines it, as messages name it; none for one that the database keeps.
    pub(crate) file: Option<Arc<str>>,
}

/// The options that an object keeps as they are when it is made.
pub(crate) const MADE_UNDER: [(Switches, &str); 2] =
    [(Switches::ANSI_NULLS, " ANSI_NULLS OFF"), (Switches::QUOTED_IDENTIFIER, " QUOTED_IDENTIFIER OFF")];

/// The options of a module of the system's own.
pub(crate) const OF_SYSTEM: Switches = Switches::OF_DRIVERS;

/// The options that files of the folder count as made under.
pub(crate) fn made_in_folder() -> Switches {
    MADE_UNDER.iter().fold(Switches::NONE, |made, (switch, _)| made.with(*switch, true))
}

/// The kind of an object and the options that it was made under, as the table has them: `P ANSI_NULLS OFF`.
fn kind_of(kept: &str) -> (&str, Switches) {
    let (kind, rest) = kept.split_once(' ').unwrap_or((kept, ""));
    let of = |made: Switches, (switch, off): &(Switches, &str)| made.with(*switch, !rest.contains(off.trim_start()));
    (kind, MADE_UNDER.iter().fold(Switches::NONE, of))
}

/// The objects of a database, as one session sees them.
#[derive(Debug, Default)]
pub(crate) struct Modules {
    objects: HashMap<String, Object>,
    /// The names of defaults that were given one, by `schema.table.column` in lower case.
    defaults: HashMap<String, String>,
    /// The modules that were compiled: for plain options, and for those that ask the session.
    compiled: Mutex<[HashMap<String, Arc<Loaded>>; 2]>,
    /// The state of the database's objects that this is of.
    version: u64,
    /// The number of changes of the session's own procedures.
    own_changes: u64,
    is_read: bool,
    has_instead: bool,
    has_functions: bool,
    /// The settings of triggers, by their keys.
    switches: TriggerSwitches,
    /// Properties and messages.
    kept: Kept,
}

impl Modules {
    /// The module that has this program.
    pub(crate) fn by_program(&self, program: &Arc<Program>) -> Option<Arc<Loaded>> {
        let compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        compiled.iter().flat_map(HashMap::values).find(|loaded| Arc::ptr_eq(&loaded.program, program)).cloned()
    }

    /// Returns true if these are the objects of the database in this state, as far as is known.
    #[inline]
    pub(crate) fn is_of(&self, version: &Version) -> bool {
        self.is_read && self.version == version.get() && !version.is_being_changed()
    }

    /// Reads the objects again when others have changed them.
    ///
    /// Errors: those of reading the table.
    pub(crate) fn refresh(
        &mut self,
        core: &mut mainstay_engine::Session,
        version: &Version,
        folder: Option<&Folder>,
    ) -> Result<()> {
        if self.is_of(version) {
            return Ok(());
        }
        let now = version.get();
        let mut read = reading::Read::default();
        for table in temporary::TABLES {
            read.take_rows(core, table)?;
        }
        let reading::Read { mut objects, defaults, switches, kept } = read;
        let files = folder.map(Folder::objects).unwrap_or_default();
        objects.extend(files.into_iter().map(|object| (object.key.clone(), object)));
        let compiled = self.compiled.get_mut().unwrap_or_else(PoisonError::into_inner);
        let is_kept = |key: &String, loaded: &Arc<Loaded>| {
            let is_same = |object: &Object| object.text == loaded.text && Some(object.made_under) == loaded.made_under;
            key.starts_with(system::PREFIX) || objects.get(key).is_some_and(is_same)
        };
        compiled.iter_mut().for_each(|compiled| compiled.retain(|key, loaded| is_kept(key, loaded)));
        self.has_instead = objects.values().any(|object| match &object.statement.kind {
            StatementKind::Trigger(trigger) => trigger.instead,
            _ => false,
        });
        self.has_functions = objects.values().any(|object| matches!(object.statement.kind, StatementKind::Function(_)));
        (self.objects, self.defaults, self.switches) = (objects, defaults, switches);
        (self.version, self.is_read, self.kept) = (now, true, kept);
        Ok(())
    }

    /// Properties and messages of the database.
    pub(crate) fn kept(&self) -> &Kept {
        &self.kept
    }

    /// The object of this name; what a synonym is for.
    pub(crate) fn find(&self, name: &ObjectName) -> Option<&Object> {
        self.own(self.synonym(name).unwrap_or(name))
    }

    /// The object of this name, a synonym too.
    pub(crate) fn own(&self, name: &ObjectName) -> Option<&Object> {
        self.objects.get(&key_of(name))
    }

    /// The type of this name: types have names of their own.
    pub(crate) fn type_named(&self, name: &ObjectName) -> Option<&Object> {
        self.objects.get(&key_of_type(name))
    }

    /// The object that a synonym stands for.
    pub(crate) fn synonym(&self, name: &ObjectName) -> Option<&ObjectName> {
        if self.objects.is_empty() {
            return None;
        }
        match &self.own(name)?.statement.kind {
            StatementKind::CreateSynonym(_, target) => Some(target),
            _ => None,
        }
    }

    /// The procedure that a call of this name runs: one of the system before one of the database.
    pub(crate) fn called(&self, name: &ObjectName) -> Option<&Object> {
        system::find(name).or_else(|| self.find(name))
    }

    /// All objects.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Object> {
        self.objects.values()
    }

    /// The name that the default of a column was given.
    pub(crate) fn default_name(&self, schema: &str, table: &str, column: &str) -> Option<&str> {
        let key = format!("{schema}.{table}.{column}").to_lowercase();
        self.defaults.get(&key).map(String::as_str)
    }

    /// The type's name in the definition of the column.
    pub(crate) fn declared_type(&self, schema: &str, table: &str, column: &str) -> Option<DeclaredType> {
        let key = key_of_column(&format!("{schema}.{table}").to_lowercase(), column);
        catalog::declared(self, self.kept.types.get(&key)?)
    }

    /// The type that a definition names, one of the database's own among them.
    pub(crate) fn resolved_type(&self, declared: &mainstay_tsql_syntax::tree::DataType) -> Option<DataType> {
        let known = Types::user_type(self, &declared.name);
        known.or_else(|| reduce::data_type(declared, Declared::Cast, &Nothing).ok())
    }

    /// The result type of a scalar function.
    pub(crate) fn scalar_result(&self, name: &ObjectName) -> Option<DataType> {
        match &self.find(name)?.statement.kind {
            StatementKind::Function(function) => match &function.returns {
                FunctionKind::Scalar(returns, ..) => self.resolved_type(returns),
                _ => None,
            },
            _ => None,
        }
    }

    /// The triggers of a table for an event (`INSERT`), INSTEAD OF ones or AFTER ones.
    pub(crate) fn triggers(&self, table: &ObjectName, event: &str, instead: bool) -> Vec<Object> {
        let table = key_of(self.synonym(table).unwrap_or(table));
        let fires = |object: &&Object| {
            object.parent == table
                && matches!(&object.statement.kind, StatementKind::Trigger(trigger)
                    if trigger.instead == instead && trigger.events.iter().any(|of| of.eq_ignore_ascii_case(event)))
        };
        let is_on = |object: &&Object| !self.switches.is_disabled(&object.key);
        let mut found: Vec<Object> = self.objects.values().filter(fires).filter(is_on).cloned().collect();
        found.sort_by_key(|object| (self.switches.rank(&object.key, event), object.name.clone()));
        found
    }

    /// The triggers of the database that an event of a definition fires, by name.
    pub(crate) fn database_triggers(&self, event: &str) -> Vec<Object> {
        let fires = |object: &&Object| match &object.statement.kind {
            StatementKind::Trigger(trigger) => {
                trigger.target == TriggerTarget::Database
                    && trigger.events.iter().any(|of| crate::definitions::events::is_of(event, of))
                    && !self.switches.is_disabled(&object.key)
            }
            _ => false,
        };
        let mut found: Vec<Object> = self.objects.values().filter(fires).cloned().collect();
        found.sort_by(|one, other| one.name.cmp(&other.name));
        found
    }

    /// The keys of all triggers of a table.
    pub(crate) fn triggers_of(&self, table: &str) -> Vec<String> {
        self.objects.values().filter(|object| object.parent == table).map(|object| object.key.clone()).collect()
    }

    /// The rank of a trigger among those of an event.
    pub(crate) fn rank(&self, trigger: &str, event: &str) -> u8 {
        self.switches.rank(trigger, event)
    }

    /// Returns true if a trigger of the catalog was disabled.
    pub(crate) fn is_disabled(&self, trigger: &crate::catalog::Object) -> bool {
        let is_it = |object: &&Object| match (&trigger.text, &trigger.statement) {
            (_, Some(statement)) => Arc::ptr_eq(&object.statement, statement),
            (text, None) => text.as_ref() == Some(&object.text),
        };
        self.objects.values().find(is_it).is_some_and(|object| self.switches.is_disabled(&object.key))
    }

    /// Returns true if any table has an INSTEAD OF trigger.
    pub(crate) fn has_instead_triggers(&self) -> bool {
        self.has_instead
    }

    /// Returns true if the database contains user-defined functions.
    pub(crate) fn has_functions(&self) -> bool {
        self.has_functions
    }

    /// The view of this name.
    pub(crate) fn view(&self, name: &ObjectName) -> Option<&View> {
        if self.objects.is_empty() {
            return None;
        }
        match &self.find(name)?.statement.kind {
            StatementKind::View(view) => Some(view),
            _ => None,
        }
    }

    /// A module, compiled for plain options or to ask the session for them.
    ///
    /// Errors: those of compiling it, with its name.
    pub(crate) fn load(&self, object: &Object, is_plain: bool) -> std::result::Result<Arc<Loaded>, Box<Message>> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let [plain, asking] = &mut *compiled;
        let compiled = if is_plain { plain } else { asking };
        if let Some(known) = compiled.get(&object.key) {
            return Ok(Arc::clone(known));
        }
        let loaded = loaded(self.compile(object, is_plain)?, Arc::clone(&object.text), Some(object.made_under))?;
        compiled.insert(object.key.clone(), Arc::clone(&loaded));
        Ok(loaded)
    }

    fn compile(&self, object: &Object, is_plain: bool) -> std::result::Result<Module, Box<Message>> {
        let text = &object.text;
        let reading = Reading { is_plain, ansi_nulls: object.made_under.has(Switches::ANSI_NULLS) };
        let module = match &object.statement.kind {
            StatementKind::Procedure(procedure) => compile::procedure(text, procedure, self, reading),
            StatementKind::Function(function) => match &function.returns {
                FunctionKind::Scalar(..) => compile::scalar_function(text, function, self, reading),
                _ => compile::table_function(text, function, self, reading),
            },
            StatementKind::Trigger(trigger) => compile::trigger(text, trigger, self, reading),
            _ => Err(Box::new(reduce::not_supported("Running an object of this kind"))),
        };
        module.map_err(|mut message| {
            message.procedure = Some(object.name.clone());
            message
        })
    }

    /// Checks that an object compiles.
    ///
    /// Errors: what is wrong with it.
    pub(crate) fn check(&self, object: &Object) -> std::result::Result<(), Box<Message>> {
        loaded(self.compile(object, true)?, Arc::clone(&object.text), None).map(|_| ())
    }

    /// The query of an inline table function.
    pub(crate) fn inline_function(&self, name: &ObjectName) -> Option<reduce::InlineFunction> {
        let object = match system::function(name) {
            Some(object) => object,
            None if self.objects.is_empty() => return None,
            None => self.find(name)?,
        };
        let StatementKind::Function(function) = &object.statement.kind else { return None };
        let FunctionKind::Inline(query) = &function.returns else { return None };
        let parameter = |parameter: &mainstay_tsql_syntax::tree::Parameter| {
            let place = Declared::Column(1, &parameter.name.text);
            Some((parameter.name.text.clone(), reduce::data_type(&parameter.data_type, place, &Nothing).ok()?))
        };
        let parameters = function.parameters.iter().map(parameter).collect::<Option<_>>()?;
        let defaults = function.parameters.iter().map(|parameter| parameter.default.clone()).collect();
        Some(reduce::InlineFunction { parameters, defaults, query: query.as_ref().clone() })
    }

    /// Returns true if a type does not allow NULL.
    pub(crate) fn is_not_null_type(&self, name: &ObjectName) -> bool {
        let object = if self.objects.is_empty() { None } else { self.type_named(name) };
        object.is_some_and(|object| match &object.statement.kind {
            StatementKind::CreateType(create) => matches!(create.as_ref(), CreateType::Alias(_, _, Some(false))),
            _ => false,
        })
    }

    /// A function that fills a table.
    pub(crate) fn table_function(&self, name: &ObjectName) -> Option<&Function> {
        if self.objects.is_empty() {
            return None;
        }
        match &self.find(name)?.statement.kind {
            StatementKind::Function(function) => {
                matches!(function.returns, FunctionKind::MultiStatement(..)).then_some(function)
            }
            _ => None,
        }
    }

    /// The columns of a table type.
    pub(crate) fn table_type(&self, name: &ObjectName) -> Option<&[TableElement]> {
        match &self.type_named(name)?.statement.kind {
            StatementKind::CreateType(create) => match create.as_ref() {
                CreateType::Table(_, elements, _) => Some(elements),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Types for Modules {
    fn user_type(&self, name: &ObjectName) -> Option<DataType> {
        if self.objects.is_empty() {
            return None;
        }
        match &self.type_named(name)?.statement.kind {
            StatementKind::CreateType(create) => match create.as_ref() {
                CreateType::Alias(_, data_type, _) => {
                    reduce::data_type(data_type, Declared::Column(1, name.last()), &Nothing).ok()
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn is_table_type(&self, name: &ObjectName) -> bool {
        !self.objects.is_empty() && self.table_type(name).is_some()
    }

    fn is_scalar_function(&self, name: &ObjectName) -> bool {
        !self.objects.is_empty()
            && self.find(name).is_some_and(|object| match &object.statement.kind {
                StatementKind::Function(function) => matches!(function.returns, FunctionKind::Scalar(..)),
                _ => false,
            })
    }
}

/// Nothing is known.
pub(crate) struct Nothing;

impl Scope for Nothing {
    fn variable(&self, _: &str) -> Option<DataType> {
        None
    }

    fn table(&self, name: &ObjectName) -> std::result::Result<String, Message> {
        Err(Message::error(208, format!("Invalid object name '{}'.", name.last())))
    }

    fn columns(&self, _: &ObjectName) -> Option<Vec<reduce::TableColumn>> {
        None
    }

    fn is_scalar_function(&self, _: &ObjectName) -> bool {
        false
    }

    fn inline_function(&self, _: &ObjectName) -> Option<reduce::InlineFunction> {
        None
    }

    fn user_type(&self, _: &ObjectName) -> Option<DataType> {
        None
    }

    fn expression_type(&self, _: &str) -> std::result::Result<DataType, Message> {
        Err(reduce::not_supported("This type"))
    }
}

/// A module with its program.
pub(crate) fn loaded(
    module: Module,
    text: Arc<str>,
    made_under: Option<Switches>,
) -> std::result::Result<Arc<Loaded>, Box<Message>> {
    let failed = |error: mainstay_vm::FormError| Box::new(Message::error(50000, format!("{error}.")));
    let program = Program::compile(module.routine.clone()).map_err(failed)?;
    let plans = Mutex::new(module.actions.iter().map(|_| None).collect());
    let columns = |statement: &HostStatement| match &statement.action {
        Action::BeginRow(columns) | Action::Row { columns, .. } => {
            Some(columns.iter().map(|(name, data_type)| Column::new(name.clone(), *data_type)).collect())
        }
        _ => None,
    };
    let rows = module.actions.iter().map(columns).collect();
    let counts = TextCounts::new(module.actions.len());
    Ok(Arc::new(Loaded { program, module, text, plans, rows, made_under, counts }))
}

/// Schema and name in lower case.
pub(crate) fn key_of(name: &ObjectName) -> String {
    let (schema, last) = local_name(name);
    // A temporary object is in no schema of the database, whatever schema its name contains.
    let schema = schema.filter(|_| !last.starts_with('#')).unwrap_or("dbo");
    format!("{}.{}", schema.to_lowercase(), last.to_lowercase())
}

/// The same of a type.
pub(crate) fn key_of_type(name: &ObjectName) -> String {
    format!("{TYPE_OF_USERS}{}", key_of(name))
}

/// An object from its text, without a name.
pub(crate) fn read(text: String, made_under: Switches) -> Option<Object> {
    let parsed = parse(&text, Options { quoted_identifier: made_under.has(Switches::QUOTED_IDENTIFIER) });
    let statement = Arc::new(parsed.statements.into_iter().next()?);
    let empty = String::new;
    let text = text.into();
    Some(Object {
        key: empty(),
        name: empty(),
        kind: empty(),
        parent: empty(),
        text,
        statement,
        made_under,
        file: None,
    })
}

/// The object that a statement defines: its name, its kind as in `sys.objects`, and the table of a trigger.
pub(crate) fn defined(statement: &Statement) -> Option<(&ObjectName, &'static str, Option<&ObjectName>)> {
    Some(match &statement.kind {
        StatementKind::Procedure(procedure) => (&procedure.name, "P", None),
        StatementKind::Function(function) => {
            let kind = match &function.returns {
                FunctionKind::Scalar(..) => "FN",
                FunctionKind::Inline(_) => "IF",
                _ => "TF",
            };
            (&function.name, kind, None)
        }
        StatementKind::Trigger(trigger) => match &trigger.target {
            TriggerTarget::Table(table) => (&trigger.name, "TR", Some(table)),
            TriggerTarget::Database => (&trigger.name, "TR", None),
            TriggerTarget::Server => return None,
        },
        StatementKind::View(view) => (&view.name, "V", None),
        StatementKind::CreateSynonym(name, _) => (name, "SN", None),
        StatementKind::CreateType(create) => match create.as_ref() {
            CreateType::Alias(name, ..) => (name, "UDT", None),
            CreateType::Table(name, ..) => (name, "TT", None),
            CreateType::External(..) => return None,
        },
        _ => return None,
    })
}
