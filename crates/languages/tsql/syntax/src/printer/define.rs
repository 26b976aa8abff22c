//! Tables and indexes.

use super::Printer;
use crate::tree::*;

impl Printer {
    pub(super) fn nullable(&mut self, nullable: Option<bool>) {
        match nullable {
            Some(true) => self.put("NULL"),
            Some(false) => self.put("NOT NULL"),
            None => {}
        }
    }

    pub(super) fn elements(&mut self, elements: &[TableElement]) {
        self.parens(elements, Self::element);
    }

    fn element(&mut self, element: &TableElement) {
        match element {
            TableElement::Column(column) => self.column(column),
            TableElement::Constraint(constraint) => self.constraint(constraint),
            TableElement::Index(index) => self.inline_index(index),
            TableElement::Period(start, end) => {
                self.put("PERIOD FOR SYSTEM_TIME (");
                self.name(start);
                self.put(",");
                self.name(end);
                self.put(")");
            }
        }
    }

    fn column(&mut self, column: &Column) {
        self.name(&column.name);
        match &column.kind {
            ColumnKind::Stored(data_type) => self.data_type(data_type),
            ColumnKind::Computed(value) => {
                self.put("AS (");
                self.expr(value);
                self.put(")");
            }
            ColumnKind::Timestamp => {}
        }
        for property in &column.properties {
            match property {
                ColumnProperty::Nullable(nullable) => self.nullable(Some(*nullable)),
                ColumnProperty::Collate(name) => {
                    self.put("COLLATE");
                    self.word(name);
                }
                ColumnProperty::Identity(range) => {
                    self.put("IDENTITY");
                    if let Some((seed, increment)) = range {
                        self.put("(");
                        self.expr(seed);
                        self.optional(",", Some(increment));
                        self.put(")");
                    }
                }
                ColumnProperty::NotForReplication => self.put("NOT FOR REPLICATION"),
                ColumnProperty::RowGuid => self.put("ROWGUIDCOL"),
                ColumnProperty::Persisted => self.put("PERSISTED"),
                ColumnProperty::Words(phrase) => self.phrase(phrase),
                ColumnProperty::Constraint(constraint) => self.constraint(constraint),
                ColumnProperty::Index(index) => self.inline_index(index),
            }
        }
    }

    fn constraint(&mut self, constraint: &Constraint) {
        if let Some(name) = &constraint.name {
            self.put("CONSTRAINT");
            self.name(name);
        }
        match &constraint.kind {
            ConstraintKind::Key(index) => {
                self.put(if index.key == KeyKind::Primary { "PRIMARY KEY" } else { "UNIQUE" });
                self.clustered(index.clustered);
                self.put_if(index.hash, "HASH");
                self.index_columns(index);
                self.index_end(index);
            }
            ConstraintKind::Check(not_for_replication, condition) => {
                self.put("CHECK");
                self.put_if(*not_for_replication, "NOT FOR REPLICATION");
                self.put("(");
                self.expr(condition);
                self.put(")");
            }
            ConstraintKind::Default(value, column, with_values) => {
                self.put("DEFAULT (");
                self.expr(value);
                self.put(")");
                if let Some(column) = column {
                    self.put("FOR");
                    self.name(column);
                }
                self.put_if(*with_values, "WITH VALUES");
            }
            ConstraintKind::ForeignKey(key) => self.foreign_key(key),
        }
    }

    fn foreign_key(&mut self, key: &ForeignKey) {
        self.put("FOREIGN KEY");
        self.names(&key.columns);
        self.put("REFERENCES");
        self.object(&key.table);
        self.names(&key.referenced);
        for (words, action) in [("ON DELETE", key.on_delete), ("ON UPDATE", key.on_update)] {
            let Some(action) = action else { continue };
            self.put(words);
            self.put(match action {
                ReferentialAction::NoAction => "NO ACTION",
                ReferentialAction::Cascade => "CASCADE",
                ReferentialAction::SetNull => "SET NULL",
                ReferentialAction::SetDefault => "SET DEFAULT",
            });
        }
        self.put_if(key.not_for_replication, "NOT FOR REPLICATION");
    }

    fn clustered(&mut self, clustered: Option<bool>) {
        match clustered {
            Some(true) => self.put("CLUSTERED"),
            Some(false) => self.put("NONCLUSTERED"),
            None => {}
        }
    }

    fn index_columns(&mut self, index: &IndexSpec) {
        self.some_parens(&index.columns, |printer, (name, descending)| {
            printer.word(name);
            match descending {
                Some(true) => printer.put("DESC"),
                Some(false) => printer.put("ASC"),
                None => {}
            }
        });
    }

    fn inline_index(&mut self, index: &IndexSpec) {
        self.put("INDEX");
        self.list(index.name.as_slice(), Self::name);
        self.put_if(index.key == KeyKind::Unique, "UNIQUE");
        self.clustered(index.clustered);
        self.put_if(index.columnstore, "COLUMNSTORE");
        self.put_if(index.hash, "HASH");
        self.index_columns(index);
        self.index_end(index);
    }

    fn index_end(&mut self, index: &IndexSpec) {
        if !index.include.is_empty() {
            self.put("INCLUDE");
            self.names(&index.include);
        }
        self.optional("WHERE", index.filter.as_ref());
        match index.bare_options {
            true => self.with_words(&index.options),
            false => self.phrases("WITH", &index.options),
        }
        index.storage.iter().for_each(|phrase| self.phrase(phrase));
    }

    pub(super) fn create_table(&mut self, table: &CreateTable) {
        self.put("CREATE TABLE");
        self.object(&table.name);
        self.some_parens(&table.elements, Self::element);
        match table.graph_edge {
            Some(true) => self.put("AS EDGE"),
            Some(false) => self.put("AS NODE"),
            None => {}
        }
        table.storage.iter().for_each(|phrase| self.phrase(phrase));
        self.phrases("WITH", &table.options);
    }

    pub(super) fn create_index(&mut self, create: &CreateIndex) {
        let index = &create.index;
        self.put("CREATE");
        self.put_if(index.key == KeyKind::Unique, "UNIQUE");
        self.clustered(index.clustered);
        self.put_if(index.columnstore, "COLUMNSTORE");
        self.put("INDEX");
        self.list(index.name.as_slice(), Self::name);
        self.put("ON");
        self.object(&create.table);
        self.index_columns(index);
        self.index_end(index);
    }

    pub(super) fn alter_index(&mut self, alter: &AlterIndex) {
        self.put("ALTER INDEX");
        match &alter.name {
            Some(name) => self.name(name),
            None => self.put("ALL"),
        }
        self.put("ON");
        self.object(&alter.table);
        self.phrase(&alter.action);
    }

    pub(super) fn alter_table(&mut self, alter: &AlterTable) {
        self.put("ALTER TABLE");
        self.object(&alter.table);
        let with_check = |printer: &mut Printer, check: Option<bool>| match check {
            Some(true) => printer.put("WITH CHECK"),
            Some(false) => printer.put("WITH NOCHECK"),
            None => {}
        };
        match &alter.action {
            AlterTableAction::Add(check, elements) => {
                with_check(self, *check);
                self.put("ADD");
                self.list(elements, Self::element);
            }
            AlterTableAction::AlterColumn(column, options) => {
                self.put("ALTER COLUMN");
                self.column(column);
                self.phrases("WITH", options);
            }
            AlterTableAction::AlterProperty(name, adds, phrase) => {
                self.put("ALTER COLUMN");
                self.name(name);
                self.put(if *adds { "ADD" } else { "DROP" });
                self.phrase(phrase);
            }
            AlterTableAction::Drop(elements) => {
                self.put("DROP");
                self.list(elements, Self::drop_element);
            }
            AlterTableAction::CheckConstraint(check, enable, names) => {
                with_check(self, *check);
                self.put(if *enable { "CHECK CONSTRAINT" } else { "NOCHECK CONSTRAINT" });
                self.names_or_all(names, Self::name);
            }
            AlterTableAction::Trigger(enable, names) => {
                self.put(if *enable { "ENABLE TRIGGER" } else { "DISABLE TRIGGER" });
                self.names_or_all(names, Self::name);
            }
            AlterTableAction::Words(phrase) => self.phrase(phrase),
        }
    }

    pub(super) fn names_or_all<T>(&mut self, names: &[T], write: impl FnMut(&mut Self, &T)) {
        self.put_if(names.is_empty(), "ALL");
        self.list(names, write);
    }

    fn drop_element(&mut self, element: &DropElement) {
        match element.column {
            Some(true) => self.put("COLUMN"),
            Some(false) => self.put("CONSTRAINT"),
            None => return self.put("PERIOD FOR SYSTEM_TIME"),
        }
        self.put_if(element.if_exists, "IF EXISTS");
        self.name(&element.name);
        self.phrases("WITH", &element.options);
    }
}
