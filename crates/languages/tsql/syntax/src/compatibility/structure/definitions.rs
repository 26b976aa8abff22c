//! Definitions of modules, tables, columns and indexes; data types and collations.

use super::super::constructs as rows;
use super::{SPATIAL, Structure, first_word};
use crate::tree::*;
use mainstay_syntax::Span;
use mainstay_tsql_types::DataType as Type;
use mainstay_tsql_types::types::Declared;

/// Options of BULK INSERT that are refused.
const REFUSED_BULK: [&str; 6] =
    ["FORMATFILE", "ERRORFILE", "DATA_SOURCE", "FORMATFILE_DATA_SOURCE", "ERRORFILE_DATA_SOURCE", "FORMAT"];

impl Structure<'_> {
    pub(super) fn module(&mut self, kind: &StatementKind) {
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

    pub(super) fn definition(&mut self, kind: &StatementKind) {
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
            StatementKind::CreateIndex(create)
                if self.names.is_view(&create.table) && !self.names.is_table(&create.table) =>
            {
                self.here(&rows::INDEXED_VIEW, "An index on a view");
            }
            StatementKind::AlterIndex(_) => self.here(&rows::INDEX_OPTION, "ALTER INDEX"),
            StatementKind::CreateType(create) => {
                if matches!(create.as_ref(), CreateType::External(..)) {
                    self.here(&rows::CLR, "CREATE TYPE of an assembly");
                }
            }
            StatementKind::BulkInsert(_, _, options) => options.iter().for_each(|option| self.bulk_option(option)),
            StatementKind::Truncate(_, partitions) if !partitions.is_empty() => {
                self.here(&rows::TRUNCATE_PARTITIONS, "TRUNCATE TABLE of partitions");
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

    pub(super) fn data_type(&mut self, data_type: &DataType) {
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

    pub(super) fn collation(&mut self, name: &Name) {
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

    pub(super) fn column(&mut self, column: &Column) {
        for property in &column.properties {
            match property {
                ColumnProperty::RowGuid => self.add(&rows::COLUMN_OPTION, "ROWGUIDCOL", column.name.span),
                ColumnProperty::NotForReplication => self.add(&rows::REPLICATION, "", column.name.span),
                ColumnProperty::Collate(name) => self.collation(name),
                ColumnProperty::Words(words) if words.starts("MASKED") || words.starts("ENCRYPTED") => {
                    self.add(&rows::MASKED, first_word(words), column.name.span);
                }
                // The period of the table reports it.
                ColumnProperty::Words(words) if words.starts("GENERATED") => {}
                ColumnProperty::Words(words) => {
                    self.add(&rows::COLUMN_OPTION, first_word(words), column.name.span);
                }
                _ => {}
            }
        }
    }

    pub(super) fn constraint(&mut self, constraint: &Constraint) {
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

    pub(super) fn index(&mut self, index: &IndexSpec) {
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
