//! Nodes of a tree that rows of the table stand for.

use super::constructs as rows;
use super::names::{Names, is_of_system};
use super::words;
use crate::span::{Lines, Span};
use crate::tree::*;
use crate::visit::{self, Node};
use mainstay_tsql_types::DataType as Type;
use mainstay_tsql_types::settings::Switches;
use mainstay_tsql_types::types::Declared;
use mainstay_types::compatibility::{Construct, Occurrence};
use std::borrow::Cow;

/// Types of SQL Server whose values do not exist here.
const SPATIAL: [&str; 3] = ["hierarchyid", "geometry", "geography"];
/// Hints of tables that work.
const KEPT_HINTS: [&str; 11] = [
    "UPDLOCK",
    "XLOCK",
    "TABLOCKX",
    "HOLDLOCK",
    "READPAST",
    "NOWAIT",
    "READCOMMITTED",
    "READCOMMITTEDLOCK",
    "KEEPIDENTITY",
    "SNAPSHOT",
    "IGNORE_DUP_KEY",
];
/// Databases that every server has.
const SYSTEM_DATABASES: [&str; 3] = ["master", "tempdb", "model"];
/// Options of SET that work, beside those of [`Switches`].
const KEPT_OPTIONS: [&str; 18] = [
    "NOCOUNT",
    "XACT_ABORT",
    "IMPLICIT_TRANSACTIONS",
    "FMTONLY",
    "NOEXEC",
    "PARSEONLY",
    "SHOWPLAN_TEXT",
    "SHOWPLAN_ALL",
    "SHOWPLAN_XML",
    "STATISTICS",
    "ROWCOUNT",
    "DATEFIRST",
    "TEXTSIZE",
    "DATEFORMAT",
    "LANGUAGE",
    "LOCK_TIMEOUT",
    "DEADLOCK_PRIORITY",
    "IDENTITY_INSERT",
];
/// Options of SET that are shown and have no effect, with the value that differs.
const SHOWN_OPTIONS: [(&str, bool); 3] =
    [("ANSI_PADDING", false), ("NUMERIC_ROUNDABORT", true), ("CURSOR_CLOSE_ON_COMMIT", true)];
/// Counters and constants of the server.
const FACTS: [&str; 12] = [
    "@@version",
    "@@cpu_busy",
    "@@idle",
    "@@io_busy",
    "@@connections",
    "@@pack_sent",
    "@@pack_received",
    "@@packet_errors",
    "@@total_read",
    "@@total_write",
    "@@total_errors",
    "@@microsoftversion",
];
/// Options of BULK INSERT that are refused.
const REFUSED_BULK: [&str; 6] =
    ["FORMATFILE", "ERRORFILE", "DATA_SOURCE", "FORMATFILE_DATA_SOURCE", "ERRORFILE_DATA_SOURCE", "FORMAT"];
/// Conditions joined by OR that take long to plan.
const MANY: usize = 200;

/// What a walk over statements finds.
pub(super) struct Structure<'t> {
    names: &'t Names,
    /// The lines of the text; without them an occurrence has the line of its statement.
    lines: Option<Lines>,
    /// The line of the statement that is walked.
    line: u32,
    /// True within a query over rows.
    in_rows: bool,
    /// Names of common table expressions of the text, in lower case.
    common: Vec<String>,
    /// The occurrences.
    pub(super) found: Vec<Occurrence>,
    /// Constant texts that are executed, with their lines.
    pub(super) texts: Vec<(String, u32)>,
    /// The statements.
    pub(super) count: u64,
}

impl<'t> Structure<'t> {
    pub(super) fn new(lines: Option<Lines>, names: &'t Names) -> Structure<'t> {
        let (found, texts, common) = (Vec::new(), Vec::new(), Vec::new());
        Structure { names, lines, line: 1, in_rows: false, common, found, texts, count: 0 }
    }

    pub(super) fn look_at(&mut self, statement: &Statement) {
        visit::statement(statement, &mut |node| self.node(node));
    }

    fn add(&mut self, construct: &'static Construct, subject: impl Into<Cow<'static, str>>, span: Span) {
        let line = self.line_of(span);
        self.found.push(Occurrence::new(construct, subject, line));
    }

    fn line_of(&self, span: Span) -> u32 {
        let lines = self.lines.as_ref().filter(|_| span.end > span.start);
        lines.map_or(self.line, |lines| lines.at(span.start))
    }

    fn here(&mut self, construct: &'static Construct, subject: impl Into<Cow<'static, str>>) {
        self.add(construct, subject, Span::default());
    }

    fn node(&mut self, node: Node<'_>) {
        match node {
            Node::Statement(statement) => {
                (self.line, self.in_rows) = (statement.line.0, false);
                self.count += 1;
                self.statement(&statement.kind);
            }
            Node::Query(query) => self.query(query),
            Node::Select(select) => self.in_rows = !select.from.is_empty(),
            Node::Source(source) => self.source(source),
            Node::Expression(value) => self.expression(value),
            Node::Change(change) => self.change(change),
            Node::Target(Target::Table(name, hints)) => {
                self.table(name);
                // TABLOCK of what is changed locks the table.
                self.hints(hints.iter().filter(|hint| !hint.starts("TABLOCK")));
            }
            Node::Target(Target::Remote(_)) => {}
            Node::DataType(data_type) => self.data_type(data_type),
            Node::Column(column) => self.column(column),
            Node::Constraint(constraint) => self.constraint(constraint),
            Node::Index(index) => self.index(index),
            Node::Element(TableElement::Period(name, _)) => {
                self.add(&rows::TEMPORAL, "PERIOD FOR SYSTEM_TIME", name.span)
            }
            Node::Element(_) => {}
            Node::Cursor(cursor) => {
                if cursor.options.iter().any(|option| option == "TYPE_WARNING") {
                    self.here(&rows::TYPE_WARNING, "");
                }
            }
        }
    }

    fn statement(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Words(words) => {
                if let Some(row) = words::row(words) {
                    self.here(row, words.verb.clone());
                }
            }
            StatementKind::Drop(drop) => {
                if let Some(row) = words::row_of_drop(drop.kind) {
                    self.here(row, format!("DROP {}", drop.kind));
                }
            }
            StatementKind::Permission(permission) => match permission.kind {
                PermissionKind::Grant => self.here(&rows::GRANT, ""),
                PermissionKind::Deny => self.here(&rows::DENY, "DENY"),
                PermissionKind::Revoke => self.here(&rows::DENY, "REVOKE"),
            },
            StatementKind::Procedure(_) | StatementKind::Function(_) | StatementKind::Trigger(_) => self.module(kind),
            StatementKind::CreateTable(_)
            | StatementKind::AlterTable(_)
            | StatementKind::CreateIndex(_)
            | StatementKind::AlterIndex(_)
            | StatementKind::CreateType(_)
            | StatementKind::BulkInsert(..)
            | StatementKind::Truncate(..) => self.definition(kind),
            StatementKind::Execute(execute) => self.execute(execute),
            kind => self.session(kind),
        }
    }

    /// Statements about the session and its transaction.
    fn session(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::ExecuteAs(phrase) => self.execute_as(phrase),
            StatementKind::Revert(_) => self.here(&rows::REVERT, ""),
            StatementKind::Use(name) => {
                if !SYSTEM_DATABASES.iter().any(|known| name.is(known)) {
                    self.add(&rows::USE_DATABASE, name.text.clone(), name.span);
                }
            }
            StatementKind::Checkpoint(_) => self.here(&rows::MAINTENANCE, "CHECKPOINT"),
            StatementKind::Statistics(_) => self.here(&rows::MAINTENANCE, "STATISTICS"),
            StatementKind::Dbcc(command, ..) => {
                if !["CHECKIDENT", "OPENTRAN", "INPUTBUFFER", "USEROPTIONS"].iter().any(|known| command.is(known)) {
                    self.here(&rows::MAINTENANCE, format!("DBCC {}", command.text.to_uppercase()));
                }
            }
            StatementKind::Transaction(Transaction::Begin(true, ..)) => self.here(&rows::DISTRIBUTED, ""),
            StatementKind::Transaction(Transaction::Begin(_, _, Some(_)) | Transaction::Commit(_, Some(_))) => {
                self.here(&rows::TRANSACTION_OPTION, "");
            }
            StatementKind::SetIsolation(level) => match level {
                Isolation::ReadUncommitted => self.here(&rows::READ_UNCOMMITTED, "SET TRANSACTION ISOLATION LEVEL"),
                Isolation::RepeatableRead => self.here(&rows::SERIALIZABLE, "REPEATABLE READ"),
                Isolation::Serializable => self.here(&rows::SERIALIZABLE, "SERIALIZABLE"),
                Isolation::ReadCommitted | Isolation::Snapshot => {}
            },
            StatementKind::SetOption(options) => self.set_options(options),
            StatementKind::Raiserror(_, options) => {
                if options.iter().any(|option| option.starts("LOG")) {
                    self.here(&rows::RAISERROR_LOG, "");
                }
            }
            StatementKind::OldRaiserror(_) => self.here(&rows::RAISERROR_OLD, "RAISERROR of a number and a text"),
            StatementKind::SetVariable(set) => {
                if let SetVariable::Property(variable, name, _) = set.as_ref() {
                    self.add(&rows::VARIABLE_PROPERTY, format!("{}.{}", variable.text, name.text), name.span);
                }
            }
            _ => {}
        }
    }

    fn execute_as(&mut self, phrase: &Phrase) {
        let is_other = phrase.items.iter().any(|item| match item {
            PhraseItem::Literal(Literal::String(name) | Literal::NationalString(name)) => {
                !["dbo", "sa"].iter().any(|own| name.eq_ignore_ascii_case(own))
            }
            PhraseItem::Variable(_) => true,
            _ => false,
        });
        match is_other {
            true => self.here(&rows::IMPERSONATION, "EXECUTE AS another user"),
            false => self.here(&rows::REVERT, "EXECUTE AS"),
        }
    }

    fn set_options(&mut self, options: &[Phrase]) {
        let last = options.last().and_then(|option| option.items.last());
        let is_on = matches!(last, Some(PhraseItem::Word(word)) if word.is("ON"));
        for option in options {
            let Some(PhraseItem::Word(name)) = option.items.first() else { continue };
            let shown = SHOWN_OPTIONS.iter().find(|(shown, _)| name.is(shown));
            let is_kept = KEPT_OPTIONS.iter().any(|kept| name.is(kept)) || Switches::by_name(&name.text).is_some();
            let upper = name.text.to_uppercase();
            match shown {
                Some((_, differs)) if *differs == is_on => {
                    let value = if is_on { "ON" } else { "OFF" };
                    self.add(&rows::SET_DIFFERENT, format!("{upper} {value}"), name.span);
                }
                Some(_) => {}
                None if is_kept || ["CONTEXT_INFO", "OFFSETS"].iter().any(|kept| name.is(kept)) => {}
                None => self.add(&rows::SET_IGNORED, upper, name.span),
            }
        }
    }

    fn module(&mut self, kind: &StatementKind) {
        let (options, body, is_replicated) = match kind {
            StatementKind::Procedure(procedure) => {
                if let Some(number) = &procedure.number {
                    self.here(&rows::NUMBERED, format!("{};{number}", procedure.name.last()));
                }
                (&procedure.options, Some(&procedure.body), procedure.for_replication)
            }
            StatementKind::Trigger(trigger) => {
                if trigger.target == TriggerTarget::Server {
                    self.here(&rows::SERVER_TRIGGER, "A trigger of the server");
                }
                (&trigger.options, Some(&trigger.body), trigger.not_for_replication)
            }
            StatementKind::Function(function) => {
                let body = match &function.returns {
                    FunctionKind::Scalar(_, body) => Some(body),
                    FunctionKind::ExternalTable(..) => {
                        self.here(&rows::CLR, "EXTERNAL NAME");
                        None
                    }
                    _ => None,
                };
                (&function.options, body, false)
            }
            _ => return,
        };
        if matches!(body, Some(Body::External(_))) {
            self.here(&rows::CLR, "EXTERNAL NAME");
        }
        if is_replicated {
            self.here(&rows::REPLICATION, "");
        }
        for option in options {
            let word = |word: &str| option.starts(word);
            match () {
                () if word("EXECUTE AS CALLER") || word("EXEC AS CALLER") => {}
                () if word("EXECUTE AS") || word("EXEC AS") => self.here(&rows::EXECUTE_AS_OPTION, ""),
                () if word("RECOMPILE") => self.here(&rows::MODULE_OPTION, "RECOMPILE"),
                () if word("ENCRYPTION") => self.here(&rows::MODULE_OPTION, "ENCRYPTION"),
                () if word("NATIVE_COMPILATION") => self.here(&rows::MODULE_OPTION, "NATIVE_COMPILATION"),
                () => {}
            }
        }
    }

    fn definition(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::CreateTable(table) => {
                if table.graph_edge.is_some() {
                    self.here(&rows::GRAPH, "AS NODE and AS EDGE");
                }
                if !table.storage.is_empty() {
                    self.here(&rows::STORAGE, "");
                }
                for option in &table.options {
                    match option.starts("SYSTEM_VERSIONING") {
                        true => self.here(&rows::TEMPORAL, "SYSTEM_VERSIONING"),
                        false => self.here(&rows::TABLE_OPTION, first_word(option)),
                    }
                }
            }
            StatementKind::AlterTable(alter) => match &alter.action {
                AlterTableAction::Words(phrase) if phrase.starts("SWITCH") => self.here(&rows::PARTITION_SWITCH, ""),
                AlterTableAction::Words(phrase) => self.here(&rows::TABLE_OPTION, first_word(phrase)),
                AlterTableAction::AlterProperty(..) => {
                    self.here(&rows::ALTER_PROPERTY, "ALTER COLUMN ADD or DROP of a property");
                }
                _ => {}
            },
            StatementKind::CreateIndex(create) => {
                if self.names.is_view(&create.table) && !self.names.is_table(&create.table) {
                    self.here(&rows::INDEXED_VIEW, "An index on a view");
                }
            }
            StatementKind::AlterIndex(_) => self.here(&rows::INDEX_OPTION, "ALTER INDEX"),
            StatementKind::CreateType(create) => {
                if matches!(create.as_ref(), CreateType::External(..)) {
                    self.here(&rows::CLR, "CREATE TYPE of an assembly");
                }
            }
            StatementKind::BulkInsert(_, _, options) => options.iter().for_each(|option| self.bulk_option(option)),
            StatementKind::Truncate(_, partitions) => {
                if !partitions.is_empty() {
                    self.here(&rows::TRUNCATE_PARTITIONS, "TRUNCATE TABLE of partitions");
                }
            }
            _ => {}
        }
    }

    fn bulk_option(&mut self, option: &Phrase) {
        let word = first_word(option);
        let is_native = word == "DATAFILETYPE"
            && matches!(option.value(), Some(PhraseItem::Literal(Literal::String(value)))
                if !["char", "widechar"].iter().any(|kept| value.eq_ignore_ascii_case(kept)));
        if is_native || REFUSED_BULK.contains(&word.as_str()) {
            self.here(&rows::BULK_OPTION, format!("BULK INSERT with {word}"));
        }
    }

    fn execute(&mut self, execute: &Execute) {
        if !execute.options.is_empty() {
            self.here(&rows::MODULE_OPTION, "EXEC WITH");
        }
        match &execute.module {
            ExecuteModule::Procedure(name, number, arguments) => {
                if number.is_some() {
                    self.add(&rows::NUMBERED, name.last().to_owned(), name.span);
                }
                if name.last().eq_ignore_ascii_case("sp_executesql") {
                    match arguments.first() {
                        Some(argument) => self.executed(&argument.value, name.span),
                        None => {}
                    }
                }
                self.procedure(name);
            }
            ExecuteModule::Variable(name, _) => self.add(&rows::DYNAMIC_SQL, "EXEC of a name in a variable", name.span),
            ExecuteModule::Text(text, _, principal, server) => {
                if principal.is_some() {
                    self.here(&rows::EXECUTE_AS_TEXT, "");
                }
                match server {
                    Some(server) => self.add(&rows::LINKED_SERVER, format!("EXEC AT {}", server.text), server.span),
                    None => self.executed(text, Span::default()),
                }
            }
        }
    }

    /// A text that is executed: a constant is looked at, anything else cannot be.
    fn executed(&mut self, text: &Expr, span: Span) {
        match text {
            Expr::Literal(Literal::String(text) | Literal::NationalString(text)) => {
                let line = self.line_of(span);
                self.texts.push((text.clone(), line));
            }
            _ => self.add(&rows::DYNAMIC_SQL, "", span),
        }
    }

    fn procedure(&mut self, name: &ObjectName) {
        let part = |from_end: usize| {
            let place = name.parts.len().checked_sub(from_end);
            place.and_then(|place| name.parts.get(place)).map_or(String::new(), |part| part.text.to_lowercase())
        };
        let (last, database, server) = (part(1), part(3), part(4));
        let is_system = last.starts_with("sp_") || last.starts_with("xp_") || part(2) == "sys" || database == "msdb";
        if !server.is_empty() {
            self.add(&rows::LINKED_SERVER, shown(name), name.span);
        } else if is_system {
            // The procedures of cursors are those of drivers.
            let is_known = is_of_system("procedure", &last) || self.names.is_routine(name);
            if !is_known || database == "msdb" {
                self.add(&rows::SYSTEM_PROCEDURE, last, name.span);
            }
        } else if !database.is_empty() && !SYSTEM_DATABASES.contains(&database.as_str()) {
            self.add(&rows::OTHER_DATABASE, database, name.span);
        }
    }

    fn query(&mut self, query: &Query) {
        self.common.extend(query.with.tables.iter().map(|table| table.name.text.to_lowercase()));
        self.query_hints(&query.hints);
        if let Some(Format::Xml(_, _, directives)) = &query.format {
            for directive in directives {
                if directive.starts("XMLSCHEMA") || directive.starts("XMLDATA") {
                    self.here(&rows::XML_DIRECTIVE, first_word(directive));
                }
            }
        }
    }

    fn query_hints(&mut self, hints: &[Phrase]) {
        for hint in hints.iter().filter(|hint| !hint.starts("MAXRECURSION")) {
            let span = match hint.items.first() {
                Some(PhraseItem::Word(word)) => word.span,
                _ => Span::default(),
            };
            self.add(&rows::QUERY_HINT, leading_words(hint), span);
        }
    }

    fn change(&mut self, change: &Change) {
        let (hints, with) = match change {
            Change::Insert(insert) => (&insert.hints, &insert.with),
            Change::Update(update) => (&update.hints, &update.with),
            Change::Delete(delete) => (&delete.hints, &delete.with),
            Change::Merge(merge) => (&merge.hints, &merge.with),
        };
        self.common.extend(with.tables.iter().map(|table| table.name.text.to_lowercase()));
        self.in_rows = matches!(change, Change::Update(_) | Change::Delete(_) | Change::Merge(_));
        self.query_hints(hints);
    }

    fn source(&mut self, source: &Source) {
        match source {
            Source::Table(table) => {
                self.table(&table.name);
                self.hints(table.hints.iter());
                if table.system_time.is_some() {
                    self.add(&rows::TEMPORAL, "FOR SYSTEM_TIME", table.name.span);
                }
                if table.sample.is_some() {
                    self.add(&rows::TABLESAMPLE, "TABLESAMPLE", table.name.span);
                }
            }
            Source::OpenRowset(phrase, ..) => {
                let says_single = |item: &PhraseItem| match item {
                    PhraseItem::Group(parts) => parts.iter().any(|part| first_word(part).starts_with("SINGLE_")),
                    _ => false,
                };
                if !phrase.items.iter().any(says_single) {
                    self.here(&rows::OPENROWSET, "OPENROWSET of this form");
                }
            }
            Source::Function(value, ..) => self.row_function(value),
            Source::Join(join) => {
                if let Some(hint) = &join.hint {
                    self.add(&rows::JOIN_HINT, hint.text.to_uppercase(), hint.span);
                }
            }
            _ => {}
        }
    }

    fn row_function(&mut self, value: &Expr) {
        let Expr::Call(call) = value else { return };
        let last = call.name.last().to_lowercase();
        let schema = call.name.parts.len().checked_sub(2).and_then(|place| call.name.parts.get(place));
        match last.as_str() {
            "openquery" | "opendatasource" => self.add(&rows::LINKED_SERVER, last.to_uppercase(), call.name.span),
            "containstable" | "freetexttable" => self.add(&rows::FULL_TEXT, last.to_uppercase(), call.name.span),
            _ if schema.is_some_and(|schema| schema.is("sys")) && !is_of_system("function", &last) => {
                self.add(&rows::SYSTEM_VIEW, format!("sys.{last}"), call.name.span);
            }
            _ => {}
        }
    }

    fn table(&mut self, name: &ObjectName) {
        let part = |from_end: usize| {
            let place = name.parts.len().checked_sub(from_end);
            place.and_then(|place| name.parts.get(place)).map_or(String::new(), |part| part.text.to_lowercase())
        };
        let (last, schema, database) = (part(1), part(2), part(3));
        if name.parts.len() == 4 && !part(4).is_empty() {
            self.add(&rows::LINKED_SERVER, shown(name), name.span);
        } else if matches!(schema.as_str(), "sys" | "information_schema") {
            if !is_of_system("view", &format!("{schema}.{last}")) {
                self.add(&rows::SYSTEM_VIEW, format!("{schema}.{last}"), name.span);
            }
        } else if database == "msdb" {
            self.add(&rows::SYSTEM_VIEW, format!("msdb.{schema}.{last}"), name.span);
        } else if !database.is_empty() && !SYSTEM_DATABASES.contains(&database.as_str()) {
            self.add(&rows::OTHER_DATABASE, database, name.span);
        }
    }

    fn hints<'h>(&mut self, hints: impl Iterator<Item = &'h Phrase>) {
        for hint in hints {
            let span = match hint.items.first() {
                Some(PhraseItem::Word(word)) => word.span,
                _ => Span::default(),
            };
            let word = first_word(hint);
            match word.as_str() {
                "NOLOCK" | "READUNCOMMITTED" => self.add(&rows::READ_UNCOMMITTED, word, span),
                "SERIALIZABLE" | "REPEATABLEREAD" => self.add(&rows::SERIALIZABLE, word, span),
                kept if KEPT_HINTS.contains(&kept) => {}
                _ => self.add(&rows::TABLE_HINT, word, span),
            }
        }
    }

    fn expression(&mut self, value: &Expr) {
        match value {
            Expr::FullText(search) => {
                self.here(&rows::FULL_TEXT, if search.free { "FREETEXT" } else { "CONTAINS" });
            }
            Expr::Call(call) if call.name.parts.len() > 1 && self.in_rows => {
                if self.names.is_scalar_function(&call.name) {
                    self.add(&rows::SCALAR_FUNCTION, shown(&call.name), call.name.span);
                }
            }
            Expr::Or(parts) if parts.len() > MANY => self.here(&rows::MANY_CONDITIONS, ""),
            Expr::Variable(name) if FACTS.iter().any(|fact| name.is(fact)) => {
                self.add(&rows::SERVER_FACTS, name.text.to_lowercase(), name.span);
            }
            Expr::Collate(_, name) => self.collation(name),
            Expr::TypeMethod(name, ..) if SPATIAL.iter().any(|of| name.is(of)) => {
                self.add(&rows::SPATIAL, format!("The type {}", name.last().to_lowercase()), name.span);
            }
            _ => {}
        }
    }

    fn collation(&mut self, name: &Name) {
        if ["database_default", "catalog_default"].iter().any(|default| name.is(default)) {
            return;
        }
        match mainstay_tsql_types::collation::by_name(&name.text) {
            None => self.add(&rows::UNKNOWN_COLLATION, format!("The collation {}", name.text), name.span),
            Some(_) if name.text.to_uppercase().contains("_CS_AI") => {
                self.add(&rows::COLLATION_FORM, name.text.clone(), name.span);
            }
            Some(_) => {}
        }
    }

    fn data_type(&mut self, data_type: &DataType) {
        let name = &data_type.name;
        if data_type.arguments.iter().any(|argument| matches!(argument, TypeArgument::Schema(..))) {
            self.add(&rows::TYPED_XML, "", data_type.span);
        }
        let last = name.last().to_lowercase();
        let is_of_sys = name.parts.len() == 2 && name.parts.first().is_some_and(|schema| schema.is("sys"));
        if SPATIAL.contains(&last.as_str()) && (name.parts.len() == 1 || is_of_sys) {
            self.add(&rows::SPATIAL, format!("The type {last}"), data_type.span);
        } else if name.parts.len() == 1 && !["cursor", "table"].contains(&last.as_str()) && !self.names.is_type(name) {
            let declared = Type::declare(&last, &[], Declared::Column(1, "c"));
            if declared.is_err_and(|error| error.number == 2715) {
                self.add(&rows::UNKNOWN_TYPE, format!("The type {last}"), data_type.span);
            }
        }
    }

    fn column(&mut self, column: &Column) {
        for property in &column.properties {
            match property {
                ColumnProperty::RowGuid => self.add(&rows::COLUMN_OPTION, "ROWGUIDCOL", column.name.span),
                ColumnProperty::NotForReplication => self.add(&rows::REPLICATION, "", column.name.span),
                ColumnProperty::Collate(name) => self.collation(name),
                ColumnProperty::Words(words) if words.starts("MASKED") || words.starts("ENCRYPTED") => {
                    self.add(&rows::MASKED, first_word(words), column.name.span);
                }
                // The period of the table tells of it.
                ColumnProperty::Words(words) if words.starts("GENERATED") => {}
                ColumnProperty::Words(words) => {
                    self.add(&rows::COLUMN_OPTION, first_word(words), column.name.span);
                }
                _ => {}
            }
        }
    }

    fn constraint(&mut self, constraint: &Constraint) {
        match &constraint.kind {
            ConstraintKind::ForeignKey(key) => {
                let acts = |action: Option<ReferentialAction>| {
                    action.is_some_and(|action| action != ReferentialAction::NoAction)
                };
                if acts(key.on_delete) || acts(key.on_update) {
                    self.add(&rows::CASCADE, "", key.table.span);
                }
                if key.not_for_replication {
                    self.add(&rows::REPLICATION, "", key.table.span);
                }
            }
            ConstraintKind::Check(true, _) => self.here(&rows::REPLICATION, ""),
            _ => {}
        }
    }

    fn index(&mut self, index: &IndexSpec) {
        let span = index.name.as_ref().map_or(Span::default(), |name| name.span);
        if index.columnstore {
            self.add(&rows::COLUMNSTORE, "A columnstore index", span);
        }
        if !index.include.is_empty() {
            self.add(&rows::INCLUDE, "", span);
        }
        if index.filter.is_some() && index.key == KeyKind::None {
            self.add(&rows::INDEX_FILTER, "", span);
        }
        for option in &index.options {
            let word = first_word(option);
            if word != "IGNORE_DUP_KEY" && word != "DROP_EXISTING" {
                self.add(&rows::INDEX_OPTION, word, span);
            }
        }
        if !index.storage.is_empty() {
            self.add(&rows::STORAGE, "", span);
        }
    }
}

/// The first word of a phrase in capitals.
fn first_word(phrase: &Phrase) -> String {
    match phrase.items.first() {
        Some(PhraseItem::Word(word)) => word.text.to_uppercase(),
        _ => String::new(),
    }
}

/// The words at the beginning of a phrase in capitals: `OPTIMIZE FOR`.
fn leading_words(phrase: &Phrase) -> String {
    let words = phrase.items.iter().map_while(|item| match item {
        PhraseItem::Word(word) => Some(word.text.to_uppercase()),
        _ => None,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A name with points between its parts.
fn shown(name: &ObjectName) -> String {
    name.parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(".")
}
