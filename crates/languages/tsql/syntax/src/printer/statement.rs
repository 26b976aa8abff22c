//! Statements: blocks, control of flow, variables, cursors, EXEC.

use super::Printer;
use crate::tree::*;

impl Printer {
    pub(super) fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.line();
            self.statement(statement);
            // A label's colon ends it.
            if !matches!(statement.kind, StatementKind::Label(_)) {
                self.put(";");
            }
        }
    }

    fn block(&mut self, begin: &str, statements: &[Statement], end: &str) {
        self.put(begin);
        self.indent += 1;
        self.statements(statements);
        self.indent -= 1;
        self.line();
        self.put(end);
    }

    /// The statement that IF, ELSE or WHILE holds.
    fn inner(&mut self, statement: &Statement) {
        self.indent += 1;
        self.line();
        self.statement(statement);
        self.indent -= 1;
    }

    pub(super) fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Select(query) => self.query(query),
            StatementKind::Change(change) => self.change(change),
            StatementKind::If(parts) => {
                let (condition, then, otherwise) = &**parts;
                self.optional("IF", Some(condition));
                self.inner(then);
                if let Some(otherwise) = otherwise {
                    // MERGE needs its semicolon here too.
                    self.put_if(matches!(then.kind, StatementKind::Change(Change::Merge(_))), ";");
                    self.line();
                    self.put("ELSE");
                    self.inner(otherwise);
                }
            }
            StatementKind::While(parts) => {
                self.optional("WHILE", Some(&parts.0));
                self.inner(&parts.1);
            }
            StatementKind::Break => self.put("BREAK"),
            StatementKind::Continue => self.put("CONTINUE"),
            StatementKind::Goto(name) => {
                self.put("GOTO");
                self.name(name);
            }
            StatementKind::Label(name) => {
                self.name(name);
                self.out.push(':');
            }
            StatementKind::Return(value) => {
                self.put("RETURN");
                self.optional("", value.as_ref());
            }
            StatementKind::Block(statements) => self.block("BEGIN", statements, "END"),
            StatementKind::AtomicBlock(options, statements) => {
                self.phrases("BEGIN ATOMIC WITH", options);
                self.block("", statements, "END");
            }
            StatementKind::Try(body, handler) => {
                self.block("BEGIN TRY", body, "END TRY");
                self.line();
                self.block("BEGIN CATCH", handler, "END CATCH");
            }
            StatementKind::Throw(None) => self.put("THROW"),
            StatementKind::Throw(Some(parts)) => {
                self.optional("THROW", Some(&parts.0));
                self.optional(",", Some(&parts.1));
                self.optional(",", Some(&parts.2));
            }
            StatementKind::Print(value) => self.optional("PRINT", Some(value)),
            StatementKind::LargeValue(value) => self.large_value(value),
            StatementKind::WaitFor(WaitFor::Delay(value)) => self.optional("WAITFOR DELAY", Some(value)),
            StatementKind::WaitFor(WaitFor::Time(value)) => self.optional("WAITFOR TIME", Some(value)),
            _ => self.short_statement(&statement.kind),
        }
    }

    fn large_value(&mut self, value: &LargeValue) {
        let (verb, logged) = match &value.work {
            LargeValueWork::Read(..) => ("READTEXT", LoggedAs::default()),
            LargeValueWork::Write(logged, _) => ("WRITETEXT", *logged),
            LargeValueWork::Update(logged, ..) => ("UPDATETEXT", *logged),
        };
        self.put(verb);
        if logged.bulk {
            self.put("BULK");
        }
        self.object(&value.column);
        self.expr(&value.pointer);
        if let LargeValueWork::Read(from, length, _) | LargeValueWork::Update(_, from, length, _) = &value.work {
            self.expr(from);
            self.expr(length);
        }
        if logged.with_log {
            self.put("WITH LOG");
        }
        match &value.work {
            LargeValueWork::Read(_, _, true) => self.put("HOLDLOCK"),
            LargeValueWork::Read(..) | LargeValueWork::Update(_, _, _, None) => {}
            LargeValueWork::Write(_, data) | LargeValueWork::Update(_, _, _, Some(LargeValueData::Value(data))) => {
                self.expr(data);
            }
            LargeValueWork::Update(_, _, _, Some(LargeValueData::Column(column, pointer))) => {
                self.object(column);
                self.expr(pointer);
            }
        }
    }

    fn short_statement(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Declare(declarations) => {
                self.put("DECLARE");
                self.list(declarations, Self::declaration);
            }
            StatementKind::SetVariable(set) => self.set_variable(set),
            StatementKind::SetOption(options) => {
                self.put("SET");
                self.list(options, Self::phrase);
            }
            StatementKind::SetIsolation(level) => {
                self.put("SET TRANSACTION ISOLATION LEVEL");
                self.put(match level {
                    Isolation::ReadUncommitted => "READ UNCOMMITTED",
                    Isolation::ReadCommitted => "READ COMMITTED",
                    Isolation::RepeatableRead => "REPEATABLE READ",
                    Isolation::Snapshot => "SNAPSHOT",
                    Isolation::Serializable => "SERIALIZABLE",
                });
            }
            StatementKind::Raiserror(arguments, options) => {
                self.put("RAISERROR");
                self.parens(arguments, Self::expr);
                self.with_words(options);
            }
            StatementKind::OldRaiserror(parts) => {
                self.optional("RAISERROR", Some(&parts.0));
                self.optional(",", Some(&parts.1));
            }
            StatementKind::Execute(execute) => self.execute(execute),
            StatementKind::ExecuteAs(phrase) => {
                self.put("EXECUTE");
                self.phrase(phrase);
            }
            StatementKind::Revert(cookie) => {
                self.put("REVERT");
                self.optional("WITH COOKIE =", cookie.as_ref());
            }
            StatementKind::Transaction(transaction) => self.transaction(transaction),
            StatementKind::Use(name) => {
                self.put("USE");
                self.name(name);
            }
            StatementKind::Kill(phrase) => {
                self.put("KILL");
                self.phrase(phrase);
            }
            StatementKind::Checkpoint(seconds) => {
                self.put("CHECKPOINT");
                self.optional("", seconds.as_ref());
            }
            StatementKind::Dbcc(command, arguments, options) => {
                self.put("DBCC");
                self.word(command);
                if let Some(arguments) = arguments {
                    self.parens(arguments, Self::phrase);
                }
                self.with_words(options);
            }
            _ => self.cursor_statement(kind),
        }
    }

    fn cursor_statement(&mut self, kind: &StatementKind) {
        let (word, name) = match kind {
            StatementKind::DeclareCursor(name, cursor) => {
                self.put("DECLARE");
                self.name(name);
                return self.cursor(cursor);
            }
            StatementKind::Fetch(fetch) => return self.fetch(fetch),
            StatementKind::Open(name) => ("OPEN", name),
            StatementKind::Close(name) => ("CLOSE", name),
            StatementKind::Deallocate(name) => ("DEALLOCATE", name),
            _ => return self.definition(kind),
        };
        self.put(word);
        self.cursor_name(name);
    }

    pub(super) fn cursor_name(&mut self, cursor: &CursorName) {
        self.put_if(cursor.global, "GLOBAL");
        self.name(&cursor.name);
    }

    fn cursor(&mut self, cursor: &Cursor) {
        let iso = if cursor.iso { cursor.options.len() } else { 0 };
        cursor.options[..iso].iter().for_each(|option| self.put(option));
        self.put("CURSOR");
        cursor.options[iso..].iter().for_each(|option| self.put(option));
        self.put("FOR");
        self.query(&cursor.query);
        match &cursor.update {
            Some(CursorUpdate::ReadOnly) => self.put("FOR READ ONLY"),
            Some(CursorUpdate::Update(columns)) => {
                self.put("FOR UPDATE");
                self.put_if(!columns.is_empty(), "OF");
                self.list(columns, Self::object);
            }
            None => {}
        }
    }

    fn fetch(&mut self, fetch: &Fetch) {
        self.put("FETCH");
        match &fetch.direction {
            Direction::Next => self.put("NEXT"),
            Direction::Prior => self.put("PRIOR"),
            Direction::First => self.put("FIRST"),
            Direction::Last => self.put("LAST"),
            Direction::Absolute(count) => self.optional("ABSOLUTE", Some(count)),
            Direction::Relative(count) => self.optional("RELATIVE", Some(count)),
        }
        self.put("FROM");
        self.cursor_name(&fetch.cursor);
        self.put_if(!fetch.into.is_empty(), "INTO");
        self.list(&fetch.into, Self::name);
    }

    fn declaration(&mut self, declaration: &Declaration) {
        match declaration {
            Declaration::Scalar(name, data_type, value) => {
                self.put(&name.text);
                self.data_type(data_type);
                self.optional("=", value.as_ref());
            }
            Declaration::Table(name, elements) => {
                self.put(&name.text);
                self.put("TABLE");
                self.elements(elements);
            }
        }
    }

    fn set_variable(&mut self, set: &SetVariable) {
        self.put("SET");
        match set {
            SetVariable::Value(name, operator, value) => {
                self.put(&name.text);
                self.optional(operator.text(), Some(value));
            }
            SetVariable::Cursor(name, cursor) => {
                self.put(&name.text);
                self.put("=");
                self.cursor(cursor);
            }
            SetVariable::Method(name, method, arguments) => {
                self.put(&name.text);
                self.put(".");
                self.name(method);
                self.parens(arguments, Self::expr);
            }
            SetVariable::Property(name, property, value) => {
                self.put(&name.text);
                self.put(".");
                self.name(property);
                self.optional("=", Some(value));
            }
        }
    }

    pub(super) fn execute(&mut self, execute: &Execute) {
        self.put("EXEC");
        if let Some(status) = &execute.status {
            self.put(&status.text);
            self.put("=");
        }
        match &execute.module {
            ExecuteModule::Procedure(name, number, arguments) => {
                self.object(name);
                if let Some(number) = number {
                    self.put(";");
                    self.out.push_str(number);
                }
                self.list(arguments, Self::execute_argument);
            }
            ExecuteModule::Variable(name, arguments) => {
                self.put(&name.text);
                self.list(arguments, Self::execute_argument);
            }
            ExecuteModule::Text(text, arguments, context, server) => {
                self.put("(");
                self.expr(text);
                self.put_if(!arguments.is_empty(), ",");
                self.list(arguments, Self::execute_argument);
                self.put(")");
                if let Some(context) = context {
                    self.phrase(context);
                }
                if let Some(server) = server {
                    self.put("AT");
                    self.name(server);
                }
            }
        }
        if !execute.options.is_empty() {
            self.put("WITH");
            self.list(&execute.options, Self::execute_option);
        }
    }

    fn execute_argument(&mut self, argument: &ExecuteArgument) {
        if let Some(name) = &argument.name {
            self.put(&name.text);
            self.put("=");
        }
        self.expr(&argument.value);
        self.put_if(argument.output, "OUTPUT");
    }

    fn execute_option(&mut self, option: &ExecuteOption) {
        match option {
            ExecuteOption::Recompile => self.put("RECOMPILE"),
            ExecuteOption::ResultSets(false) => self.put("RESULT SETS UNDEFINED"),
            ExecuteOption::ResultSets(true) => self.put("RESULT SETS NONE"),
            ExecuteOption::Defined(sets) => {
                self.put("RESULT SETS");
                self.parens(sets, |printer, set| match set {
                    ResultSet::Words(phrase) => printer.phrase(phrase),
                    ResultSet::Columns(columns) => printer.parens(columns, |printer, column| {
                        let (name, data_type, collation, nullable) = column;
                        printer.name(name);
                        printer.data_type(data_type);
                        if let Some(collation) = collation {
                            printer.put("COLLATE");
                            printer.word(collation);
                        }
                        printer.nullable(*nullable);
                    }),
                });
            }
        }
    }

    fn transaction(&mut self, transaction: &Transaction) {
        let name = match transaction {
            Transaction::Begin(distributed, name, mark) => {
                self.put("BEGIN");
                self.put_if(*distributed, "DISTRIBUTED");
                self.put("TRANSACTION");
                self.list(name.as_slice(), Self::name);
                if let Some(mark) = mark {
                    self.put("WITH MARK");
                    self.optional("", mark.as_ref());
                }
                return;
            }
            Transaction::Commit(name, delayed) => {
                self.put("COMMIT TRANSACTION");
                self.list(name.as_slice(), Self::name);
                if let Some(delayed) = delayed {
                    self.put("WITH (DELAYED_DURABILITY =");
                    self.put(if *delayed { "ON)" } else { "OFF)" });
                }
                return;
            }
            Transaction::Rollback(name) => {
                self.put("ROLLBACK TRANSACTION");
                name.as_ref()
            }
            Transaction::Save(name) => {
                self.put("SAVE TRANSACTION");
                Some(name)
            }
        };
        self.list(name.as_slice(), |printer, name| printer.name(name));
    }
}
