//! Statements printed, so that parsing them again gives the same tree.

mod query;

use crate::parser::type_text;
use crate::tree::*;
use mainstay_full_text::Options;
use std::fmt::Write;

/// Writes statements.
pub fn print(statements: &[Statement]) -> String {
    let mut printer = Printer { out: String::new() };
    printer.statements(statements);
    printer.out
}

/// Writes an expression.
pub fn print_expression(value: &Expr) -> String {
    let mut printer = Printer { out: String::new() };
    printer.expression(value);
    printer.out
}

struct Printer {
    out: String,
}

impl Printer {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn name(&mut self, name: &Name) {
        match name.quoted || name.text.is_empty() {
            true => {
                let _ = write!(self.out, "[{}]", name.text.replace(']', "]]"));
            }
            false => self.put(&name.text),
        }
    }

    fn object(&mut self, name: &ObjectName) {
        for (place, part) in name.parts.iter().enumerate() {
            self.put(if place > 0 { "." } else { "" });
            self.name(part);
        }
    }

    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        for (place, item) in items.iter().enumerate() {
            self.put(if place > 0 { ", " } else { "" });
            write(self, item);
        }
    }

    fn names(&mut self, names: &[Name]) {
        self.put("(");
        self.list(names, Self::name);
        self.put(")");
    }

    fn string(&mut self, text: &str) {
        let _ = write!(self.out, "'{}'", text.replace('\'', "''"));
    }

    /// The options of an index of words; defaults are left out.
    fn content(&mut self, content: &Content) {
        let (options, default) = (&content.options, Options::default());
        let _ = write!(self.out, " CONTENT MIN WORD {} MAX WORD {}", options.shortest, options.longest);
        let lists = [
            (" NEW DELIMITERS ", &options.delimiters, &default.delimiters),
            (" NEW NOISE ", &options.noise, &default.noise),
            (" NEW DROPCHARS ", &options.dropped, &default.dropped),
            (" NEW CONDITIONALS ", &options.conditional, &default.conditional),
        ];
        for (words, list, _) in lists.iter().filter(|(_, list, default)| list != default) {
            self.put(words);
            self.string(list);
        }
        let flags = [
            (options.is_case_sensitive, " CASESENSITIVE"),
            (content.keeps_score, " KEEPSCORE"),
            (options.keeps_numbers, " PROTECTNUMBERS"),
        ];
        flags.iter().filter(|(is_on, _)| *is_on).for_each(|(_, word)| self.put(word));
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(&statement.kind);
            self.put(";\n");
        }
    }

    fn statement(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Query(query) => self.query(query),
            StatementKind::Insert(insert) => {
                self.put("INSERT INTO ");
                self.object(&insert.target);
                self.mark(insert.mark);
                self.insert_rows(&insert.columns, &insert.rows);
            }
            StatementKind::Update(update) => {
                self.put("UPDATE ");
                self.object(&update.target);
                self.mark(update.mark);
                self.set_items(&update.items);
                self.sources(&update.from);
                self.optional(" WHERE ", update.condition.as_ref());
            }
            StatementKind::Delete(delete) => {
                self.put("DELETE FROM ");
                self.object(&delete.target);
                self.sources(&delete.from);
                self.optional(" WHERE ", delete.condition.as_ref());
            }
            StatementKind::Merge(merge) => self.merge(merge),
            StatementKind::Declare(_)
            | StatementKind::Open(..)
            | StatementKind::Fetch(_)
            | StatementKind::Close(_)
            | StatementKind::Assign(..)
            | StatementKind::SetSystem(..)
            | StatementKind::Raise(_)
            | StatementKind::Return(_)
            | StatementKind::ExecuteImmediate(_)
            | StatementKind::ExecuteProcedure(..) => self.script_statement(kind),
            StatementKind::If(branches, otherwise) => self.if_statement(branches, otherwise.as_deref()),
            StatementKind::While(condition, body) => {
                self.put("WHILE ");
                self.condition(condition);
                self.put(" DO\n");
                self.statements(body);
                self.put("END WHILE");
            }
            StatementKind::Leave => self.put("LEAVE"),
            StatementKind::Continue => self.put("CONTINUE"),
            StatementKind::Try(statement) => self.try_statement(statement),
            StatementKind::Begin => self.put("BEGIN TRANSACTION"),
            StatementKind::Commit => self.put("COMMIT WORK"),
            StatementKind::Rollback(name) => {
                self.put("ROLLBACK WORK");
                if let Some(name) = name {
                    self.put(" TO SAVEPOINT ");
                    self.name(name);
                }
            }
            StatementKind::Savepoint(name) => {
                self.put("SAVEPOINT ");
                self.name(name);
            }
            StatementKind::Other(words) => self.put(words),
            definition => self.definition(definition),
        }
    }

    fn script_statement(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Declare(declarations) => {
                self.put("DECLARE ");
                self.list(declarations, |it, declaration| match declaration {
                    Declaration::Variable(name, data_type) => {
                        it.name(name);
                        it.put(" ");
                        it.put(&type_text(data_type));
                    }
                    Declaration::Cursor(name, source) => {
                        it.name(name);
                        it.put(" CURSOR");
                        it.cursor_source(source.as_ref());
                    }
                });
            }
            StatementKind::Open(name, source) => {
                self.put("OPEN ");
                self.name(name);
                self.cursor_source(source.as_ref());
            }
            StatementKind::Fetch(name) | StatementKind::Close(name) => {
                self.put(if matches!(kind, StatementKind::Fetch(_)) { "FETCH " } else { "CLOSE " });
                self.name(name);
            }
            StatementKind::Assign(name, value) | StatementKind::SetSystem(name, value) => {
                self.put("SET ");
                self.name(name);
                self.optional(" = ", Some(value));
            }
            StatementKind::Raise(None) => self.put("RAISE"),
            StatementKind::Raise(Some(raise)) => {
                let (class, number, text) = raise.as_ref();
                self.put("RAISE ");
                self.name(class);
                self.optional("(", Some(number));
                self.optional(", ", Some(text));
                self.put(")");
            }
            StatementKind::Return(value) => {
                self.put("RETURN");
                self.optional(" ", value.as_ref());
            }
            StatementKind::ExecuteImmediate(value) => self.optional("EXECUTE IMMEDIATE ", Some(value)),
            StatementKind::ExecuteProcedure(name, arguments) => self.procedure(name, arguments),
            _ => {}
        }
    }

    fn procedure(&mut self, name: &ObjectName, arguments: &[Expr]) {
        self.put("EXECUTE PROCEDURE ");
        self.object(name);
        self.put("(");
        self.list(arguments, Self::expression);
        self.put(")");
    }

    fn cursor_source(&mut self, source: Option<&CursorSource>) {
        match source {
            None => {}
            Some(CursorSource::Query(query)) => {
                self.put(" AS ");
                self.query(query);
            }
            Some(CursorSource::Procedure(name, arguments)) => {
                self.put(" AS ");
                self.procedure(name, arguments);
            }
        }
    }

    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Value(value) => self.expression(value),
            Condition::Fetch(name, negated) => {
                self.put(if *negated { "NOT FETCH " } else { "FETCH " });
                self.name(name);
            }
        }
    }

    fn if_statement(&mut self, branches: &[(Condition, Vec<Statement>)], otherwise: Option<&[Statement]>) {
        for (place, (condition, body)) in branches.iter().enumerate() {
            self.put(if place == 0 { "IF " } else { "ELSEIF " });
            self.condition(condition);
            self.put(" THEN\n");
            self.statements(body);
        }
        if let Some(otherwise) = otherwise {
            self.put("ELSE\n");
            self.statements(otherwise);
        }
        self.put("END IF");
    }

    fn try_statement(&mut self, statement: &Try) {
        self.put("TRY\n");
        self.statements(&statement.body);
        for (class, body) in &statement.catches {
            self.put("CATCH ");
            match class {
                Some(class) => self.name(class),
                None => self.put("ALL"),
            }
            self.put("\n");
            self.statements(body);
        }
        if let Some(finally) = &statement.finally {
            self.put("FINALLY\n");
            self.statements(finally);
        }
        self.put("END TRY");
    }

    fn mark(&mut self, mark: Option<Mark>) {
        self.put(match mark {
            Some(Mark::Delete) => " WITH DELETE",
            Some(Mark::Recall) => " WITH RECALL",
            None => "",
        });
    }

    fn insert_rows(&mut self, columns: &[Name], rows: &InsertRows) {
        self.put(" ");
        if !columns.is_empty() {
            self.names(columns);
            self.put(" ");
        }
        match rows {
            InsertRows::Default => self.put("DEFAULT VALUES"),
            InsertRows::Query(query) => self.query(query),
            InsertRows::Values(rows) => {
                self.put("VALUES ");
                self.list(rows, |it, row| {
                    it.put("(");
                    it.list(row, Self::expression);
                    it.put(")");
                });
            }
        }
    }

    fn set_items(&mut self, items: &[(ObjectName, Expr)]) {
        self.put(" SET ");
        self.list(items, |it, (name, value)| {
            it.object(name);
            it.optional(" = ", Some(value));
        });
    }

    fn merge(&mut self, merge: &Merge) {
        self.put("MERGE INTO ");
        self.table(&merge.target);
        if let Some(using) = &merge.using {
            self.put(" USING ");
            self.source(using);
        }
        self.optional(" ON ", Some(&merge.condition));
        if let Some(update) = &merge.update {
            self.put(" WHEN MATCHED THEN UPDATE");
            self.set_items(update);
        }
        if let Some((columns, rows)) = &merge.insert {
            self.put(" WHEN NOT MATCHED THEN INSERT");
            self.insert_rows(columns, rows);
        }
    }

    fn definition(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::CreateTable(table) => {
                self.put("CREATE TABLE ");
                self.object(&table.name);
                self.put(" (");
                self.list(&table.columns, Self::column);
                if let Some((index, columns)) = &table.primary_key {
                    self.put(", ");
                    if let Some(index) = index {
                        self.put("CONSTRAINT ");
                        self.name(index);
                        self.put(" ");
                    }
                    self.put("PRIMARY KEY ");
                    self.names(columns);
                }
                self.put(if table.is_free { ") AS FREE TABLE" } else { ")" });
            }
            StatementKind::AlterTable(name, actions) => {
                self.put("ALTER TABLE ");
                self.object(name);
                for action in actions {
                    match action {
                        TableAction::Add(column) => {
                            self.put(" ADD COLUMN ");
                            self.column(column);
                        }
                        TableAction::Alter(name, column) => {
                            self.put(" ALTER COLUMN ");
                            self.name(name);
                            self.put(" ");
                            self.column(column);
                        }
                        TableAction::Drop(name) => {
                            self.put(" DROP COLUMN ");
                            self.name(name);
                        }
                    }
                }
            }
            StatementKind::CreateIndex(index) => {
                self.put(if index.unique { "CREATE UNIQUE INDEX " } else { "CREATE INDEX " });
                self.name(&index.name);
                self.put(" ON ");
                self.object(&index.table);
                self.put(" (");
                self.list(&index.columns, |it, (name, descending)| {
                    it.name(name);
                    it.put(if *descending { " DESC" } else { "" });
                });
                self.put(")");
                if let Some(content) = &index.content {
                    self.content(content);
                }
            }
            StatementKind::CreateView(name, query) => {
                self.put("CREATE VIEW ");
                self.object(name);
                self.put(" AS ");
                self.query(query);
            }
            StatementKind::CreatePackage(name) => {
                self.put("CREATE PACKAGE ");
                self.name(name);
            }
            StatementKind::DropTable(name, keeps_files) => {
                self.dropped("TABLE", name);
                if *keeps_files {
                    self.put(" FROM DATABASE NO_DELETE");
                }
            }
            StatementKind::DropIndex(name) => self.dropped("INDEX", name),
            StatementKind::Drop(kind, name) => self.dropped(kind, name),
            StatementKind::CreateModule(module) => self.module(module),
            _ => {}
        }
    }

    fn dropped(&mut self, kind: &str, name: &ObjectName) {
        let _ = write!(self.out, "DROP {kind} ");
        self.object(name);
    }

    fn column(&mut self, column: &Column) {
        self.name(&column.name);
        self.put(" ");
        self.put(&type_text(&column.data_type));
        let texts = [
            (" DEFAULT ", &column.default),
            (" CONSTRAINT MINIMUM ", &column.range.0),
            (" CONSTRAINT MAXIMUM ", &column.range.1),
            (" CONSTRAINT ERROR MESSAGE ", &column.error_message),
        ];
        for (words, text) in texts {
            if let Some(text) = text {
                self.put(words);
                self.string(text);
            }
        }
        self.put(if column.not_null { " CONSTRAINT NOT NULL" } else { "" });
        self.put(if column.primary_key { " PRIMARY KEY" } else { "" });
    }

    fn module(&mut self, module: &Module) {
        self.put(if module.alter { "ALTER " } else { "CREATE " });
        let parameters = |it: &mut Self| {
            it.list(&module.parameters, |it, parameter| {
                it.name(&parameter.name);
                it.put(" ");
                it.put(&type_text(&parameter.data_type));
                it.put(if parameter.output { " OUTPUT" } else { "" });
            });
        };
        match &module.kind {
            ModuleKind::Procedure(varying) => {
                self.put("PROCEDURE ");
                self.object(&module.name);
                self.put("(");
                parameters(self);
                if *varying {
                    self.put(if module.parameters.is_empty() { "" } else { ", " });
                    self.put("CURSOR VARYING OUTPUT");
                }
                self.put(")");
            }
            ModuleKind::Function(returns) => {
                self.put("FUNCTION ");
                self.object(&module.name);
                self.put("(");
                parameters(self);
                self.put(") RETURNS ");
                self.put(&type_text(returns));
            }
            ModuleKind::Trigger(trigger) => {
                self.put("TRIGGER ");
                self.object(&module.name);
                self.put(" ON ");
                self.object(&trigger.table);
                let _ = write!(self.out, " {} {}", trigger.time, trigger.event);
            }
        }
        self.put("\nBEGIN\n");
        self.statements(&module.body);
        self.put("END");
        if let ModuleKind::Trigger(trigger) = &module.kind {
            let _ = write!(self.out, " PRIORITY {}", trigger.priority);
        }
    }
}
