//! All other definitions, permissions, and statements that are words.

use super::Printer;
use crate::tree::*;

impl Printer {
    /// Every statement that defines or permits something.
    pub(super) fn definition(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Truncate(name, partitions) => {
                self.put("TRUNCATE TABLE");
                self.object(name);
                if !partitions.is_empty() {
                    self.put("WITH (PARTITIONS");
                    self.parens(partitions, Self::phrase);
                    self.put(")");
                }
            }
            StatementKind::Procedure(procedure) => self.procedure(procedure),
            StatementKind::Function(function) => self.user_function(function),
            StatementKind::Trigger(trigger) => self.trigger(trigger),
            StatementKind::View(view) => self.view(view),
            StatementKind::CreateTable(table) => self.create_table(table),
            StatementKind::AlterTable(alter) => self.alter_table(alter),
            StatementKind::CreateIndex(index) => self.create_index(index),
            StatementKind::AlterIndex(index) => self.alter_index(index),
            StatementKind::Sequence(sequence) => self.sequence(sequence),
            StatementKind::CreateSynonym(name, object) => {
                self.put("CREATE SYNONYM");
                self.object(name);
                self.put("FOR");
                self.object(object);
            }
            StatementKind::CreateSchema(schema) => self.create_schema(schema),
            StatementKind::CreateType(created) => self.create_type(created),
            StatementKind::Statistics(statistics) => self.statistics(statistics),
            StatementKind::Drop(drop) => self.drop_statement(drop),
            StatementKind::Permission(permission) => self.permission(permission),
            StatementKind::EnableTrigger(enable, names, target) => {
                self.put(if *enable { "ENABLE TRIGGER" } else { "DISABLE TRIGGER" });
                self.names_or_all(names, Self::object);
                self.put("ON");
                self.trigger_target(target);
            }
            StatementKind::BulkInsert(table, file, options) => {
                self.put("BULK INSERT");
                self.object(table);
                self.put("FROM");
                self.quoted("", file);
                self.phrases("WITH", options);
            }
            StatementKind::Words(words) => {
                self.put(&words.verb);
                if let Some(name) = &words.name {
                    self.object(name);
                }
                words.rest.iter().for_each(|item| self.phrase_item(item));
            }
            _ => {}
        }
    }

    fn sequence(&mut self, sequence: &Sequence) {
        self.put(if sequence.alter { "ALTER SEQUENCE" } else { "CREATE SEQUENCE" });
        self.object(&sequence.name);
        if let Some(data_type) = &sequence.data_type {
            self.put("AS");
            self.data_type(data_type);
        }
        for option in &sequence.options {
            let (words, value) = match option {
                SequenceOption::StartWith(value) => ("START WITH", Some(value)),
                SequenceOption::RestartWith(Some(value)) => ("RESTART WITH", Some(value)),
                SequenceOption::RestartWith(None) => ("RESTART", None),
                SequenceOption::IncrementBy(value) => ("INCREMENT BY", Some(value)),
                SequenceOption::MinValue(Some(value)) => ("MINVALUE", Some(value)),
                SequenceOption::MinValue(None) => ("NO MINVALUE", None),
                SequenceOption::MaxValue(Some(value)) => ("MAXVALUE", Some(value)),
                SequenceOption::MaxValue(None) => ("NO MAXVALUE", None),
                SequenceOption::Cycle(true) => ("CYCLE", None),
                SequenceOption::Cycle(false) => ("NO CYCLE", None),
                SequenceOption::Cache(value) => ("CACHE", value.as_ref()),
                SequenceOption::NoCache => ("NO CACHE", None),
            };
            self.put(words);
            self.optional("", value);
        }
    }

    fn create_schema(&mut self, schema: &CreateSchema) {
        self.put("CREATE SCHEMA");
        self.list(schema.name.as_slice(), Self::name);
        if let Some(owner) = &schema.owner {
            self.put("AUTHORIZATION");
            self.name(owner);
        }
        for element in &schema.elements {
            self.line();
            self.statement(element);
        }
    }

    fn create_type(&mut self, created: &CreateType) {
        self.put("CREATE TYPE");
        match created {
            CreateType::Alias(name, data_type, nullable) => {
                self.object(name);
                self.put("FROM");
                self.data_type(data_type);
                self.nullable(*nullable);
            }
            CreateType::Table(name, elements, options) => {
                self.object(name);
                self.put("AS TABLE");
                self.elements(elements);
                self.phrases("WITH", options);
            }
            CreateType::External(name, class) => {
                self.object(name);
                self.external(class);
            }
        }
    }

    fn statistics(&mut self, statistics: &Statistics) {
        self.put(if statistics.create { "CREATE STATISTICS" } else { "UPDATE STATISTICS" });
        if let Some(name) = &statistics.name {
            self.name(name);
            self.put("ON");
        }
        self.object(&statistics.table);
        self.names(&statistics.columns);
        self.optional("WHERE", statistics.filter.as_ref());
        self.with_words(&statistics.options);
    }

    fn drop_statement(&mut self, drop: &Drop) {
        self.put("DROP");
        self.put(drop.kind);
        self.put_if(drop.if_exists, "IF EXISTS");
        self.list(&drop.names, |printer, name| {
            printer.object(&name.name);
            if let Some(table) = &name.table {
                printer.put("ON");
                printer.object(table);
            }
            printer.phrases("WITH", &name.options);
        });
        self.phrase(&drop.rest);
    }

    fn permission(&mut self, permission: &Permission) {
        self.put(match permission.kind {
            PermissionKind::Grant => "GRANT",
            PermissionKind::Deny => "DENY",
            PermissionKind::Revoke => "REVOKE",
        });
        self.put_if(permission.grant_option_for, "GRANT OPTION FOR");
        self.list(&permission.permissions, Self::phrase);
        if let Some((class, name)) = &permission.object {
            self.put("ON");
            if let Some(class) = class {
                self.put(class);
                self.put("::");
            }
            self.object(name);
            self.names(&permission.columns);
        }
        self.put(if permission.kind == PermissionKind::Revoke { "FROM" } else { "TO" });
        self.list(&permission.principals, Self::word);
        self.put_if(permission.with_grant_option, "WITH GRANT OPTION");
        self.put_if(permission.cascade, "CASCADE");
        if let Some(grantor) = &permission.grantor {
            self.put("AS");
            self.name(grantor);
        }
    }
}
