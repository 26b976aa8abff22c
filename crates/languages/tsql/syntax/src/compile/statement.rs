//! Statements: variables, control of flow, calls; and everything else as a statement of the host.

use super::{Action, Compiler, storage_type};
use crate::reduce;
use crate::tree::{
    self, AssignOperator, BinaryOperator, Change, Cursor, CursorName, CursorUpdate, Declaration, Execute, Expr, Fetch,
    InsertRows, LargeValue, LargeValueData, LargeValueWork, Literal, Name, PhraseItem, Query, QueryBody, SelectItem,
    SetItem, SetVariable, Statement, StatementKind, With,
};
use mainstay_syntax::Span;
use mainstay_tsql_types::types::Declared;
use mainstay_tsql_types::{DataType, Length, Message};
use mainstay_vm::{self as program, Expression, SlotId};

pub(super) type Compiled = Result<(), Box<Message>>;

/// A variable in the place of a value of an INSERT, and what it is.
type Calculated = ((String, DataType), Expression);

/// So many values of an INSERT are calculated by the machine.
const MOST_CALCULATED: usize = 200;

/// The columns of a row: their names and types.
type Columns = Vec<(String, DataType)>;

impl Compiler<'_> {
    /// Labels may be named before they stand.
    pub(super) fn declare_labels(&mut self, statements: &[Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Label(name) => {
                    let label = self.routine.label(&name.text);
                    self.labels.insert(name.text.to_lowercase(), label);
                }
                StatementKind::Block(inner) | StatementKind::AtomicBlock(_, inner) => self.declare_labels(inner),
                StatementKind::Try(body, catch) => {
                    self.declare_labels(body);
                    self.declare_labels(catch);
                }
                StatementKind::If(parts) => {
                    self.declare_labels(std::slice::from_ref(&parts.1));
                    self.declare_labels(parts.2.as_slice());
                }
                StatementKind::While(parts) => self.declare_labels(std::slice::from_ref(&parts.1)),
                _ => {}
            }
        }
    }

    pub(super) fn statement(&mut self, statement: &Statement) -> Compiled {
        let (line, span) = (statement.line.0, statement.span);
        (self.line, self.span) = (line, span);
        match &statement.kind {
            StatementKind::Declare(declarations) => {
                declarations.iter().try_for_each(|declaration| self.declare(declaration, line, span))
            }
            StatementKind::SetVariable(set) => self.set(set, line, span),
            StatementKind::If(parts) => self.if_statement(&parts.0, &parts.1, parts.2.as_ref(), line),
            StatementKind::While(parts) => {
                let condition = self.condition(&parts.0)?;
                let body = self.aside(|it| it.statement(&parts.1))?;
                self.push(line, program::StatementKind::While { condition, body });
                Ok(())
            }
            StatementKind::Block(statements) | StatementKind::AtomicBlock(_, statements) => {
                statements.iter().try_for_each(|statement| self.statement(statement))
            }
            StatementKind::Break => self.plain(line, program::StatementKind::Break),
            StatementKind::Continue => self.plain(line, program::StatementKind::Continue),
            StatementKind::Goto(name) => self.jump(name, line, true),
            StatementKind::Label(name) => self.jump(name, line, false),
            StatementKind::Return(value) => self.return_statement(value.as_ref(), line),
            StatementKind::Try(body, catch) => {
                let body = self.aside(|it| body.iter().try_for_each(|statement| it.statement(statement)))?;
                let catch = self.aside(|it| catch.iter().try_for_each(|statement| it.statement(statement)))?;
                self.plain(line, program::StatementKind::Try { body, catch })
            }
            StatementKind::Throw(None) => self.plain(line, program::StatementKind::Rethrow),
            StatementKind::Execute(execute) => self.execute(execute, line, span),
            StatementKind::Select(query) => self.select(query, line, span),
            StatementKind::Change(change) => self.change(change, line, span),
            other => self.of_host(other, statement, line, span),
        }
    }

    fn plain(&mut self, line: u32, kind: program::StatementKind) -> Compiled {
        self.push(line, kind);
        Ok(())
    }

    fn declare(&mut self, declaration: &Declaration, line: u32, span: Span) -> Compiled {
        match declaration {
            Declaration::Table(name, elements) => {
                self.table_variable(name);
                self.host(line, Action::DeclareTable(name.clone(), elements.clone()), span, Vec::new(), Vec::new());
                Ok(())
            }
            Declaration::Scalar(name, declared, _) if declared.name.is("CURSOR") => {
                self.table_variable(name);
                self.cursors.insert(name.text.to_lowercase());
                Ok(())
            }
            Declaration::Scalar(name, declared, _) if self.types.is_table_type(&declared.name) => {
                self.table_variable(name);
                let action = Action::DeclareTyped(name.clone(), declared.name.clone());
                self.host(line, action, span, Vec::new(), Vec::new());
                Ok(())
            }
            Declaration::Scalar(name, declared, initial) => {
                let place = Declared::Column(self.variables.len() as u32 + 1, &name.text);
                let data_type = self.data_type(declared, place)?;
                let slot = self.routine.slot(&name.text, storage_type(data_type));
                self.declared(slot, &name.text, data_type);
                match initial {
                    None => Ok(()),
                    Some(value) => self.assign(slot, data_type, value, line),
                }
            }
        }
    }

    fn assign(&mut self, target: SlotId, data_type: DataType, value: &Expr, line: u32) -> Compiled {
        self.assign_part(target, data_type, value, line)?;
        self.counted(line, 1);
        Ok(())
    }

    /// One of the assignments of a statement, which all see the `@@ROWCOUNT` and `@@ERROR` of the statement before theirs.
    fn assign_part(&mut self, target: SlotId, data_type: DataType, value: &Expr, line: u32) -> Compiled {
        let value = self.value_as(value, data_type)?;
        self.push(line, program::StatementKind::Assign { target, value });
        Ok(())
    }

    fn set(&mut self, set: &SetVariable, line: u32, span: Span) -> Compiled {
        match set {
            SetVariable::Value(name, AssignOperator::Set, value) if self.is_cursor(name) => {
                let of = match value {
                    Expr::Variable(of) => of.clone(),
                    Expr::Column(of) => of.parts.last().cloned().unwrap_or_default(),
                    _ => return Err(self.located(cursor_misplaced(name))),
                };
                let of = CursorName { global: false, name: of };
                self.host(line, Action::SetCursor(name.clone(), of), span, Vec::new(), Vec::new());
                Ok(())
            }
            SetVariable::Value(name, operator, value) => {
                self.assign_to(name, *operator, value, line)?;
                self.counted(line, 1);
                Ok(())
            }
            SetVariable::Cursor(name, _) if !self.is_cursor(name) => {
                let text = format!(
                    "The variable '{}' is not a cursor variable, but it is used in a place where a cursor variable is \
                     expected.",
                    name.text
                );
                Err(self.located(Message::error(16948, text)))
            }
            SetVariable::Cursor(name, cursor) => {
                self.cursor_options(cursor)?;
                self.host(line, Action::DeclareCursor(name.clone(), cursor.clone()), span, Vec::new(), Vec::new());
                Ok(())
            }
            // The XML value after `modify`.
            SetVariable::Method(name, method, arguments) => {
                let (slot, data_type) = self.variable(name)?;
                let target = Box::new(Expr::Variable(name.clone()));
                self.assign(slot, data_type, &Expr::Method(target, method.clone(), Some(arguments.clone())), line)
            }
            SetVariable::Property(..) => Err(self.located(reduce::not_supported("A property of a variable"))),
        }
    }

    /// `@v = value`, `@v += value` and so on.
    fn assign_to(&mut self, name: &Name, operator: AssignOperator, value: &Expr, line: u32) -> Compiled {
        let (slot, data_type) = self.variable(name)?;
        match reduce::compound(operator) {
            None => self.assign_part(slot, data_type, value, line),
            Some(operator) => {
                let value = Expr::Binary(Box::new(Expr::Variable(name.clone())), operator, Box::new(value.clone()));
                self.assign_part(slot, data_type, &value, line)
            }
        }
    }

    pub(super) fn is_cursor(&self, name: &Name) -> bool {
        self.cursors.contains(&name.text.to_lowercase())
    }

    /// The cursor of a statement, whose name is no variable of another type.
    ///
    /// Errors: 16948.
    fn cursor_named(&self, cursor: &CursorName) -> Result<CursorName, Box<Message>> {
        let is_other = cursor.name.text.starts_with('@') && !self.is_cursor(&cursor.name);
        match is_other && self.slots.contains_key(&cursor.name.text.to_lowercase()) {
            true => Err(self.located(Message::numbered(16948, &[&cursor.name.text]))),
            false => Ok(cursor.clone()),
        }
    }

    /// Sees that the options of a cursor can stand together.
    ///
    /// Errors: 1048.
    fn cursor_options(&self, cursor: &Cursor) -> Compiled {
        let has = |word: &str| cursor.options.iter().any(|option| option.eq_ignore_ascii_case(word));
        for (first, second) in CONFLICTS {
            if has(first) && has(second) {
                return Err(self.located(conflicting(first, second)));
            }
        }
        let reads_only = ["INSENSITIVE", "STATIC", "READ_ONLY", "FAST_FORWARD"].into_iter().find(|word| has(word));
        match cursor.update {
            Some(CursorUpdate::Update(_)) => match reads_only {
                Some(word) => Err(self.located(conflicting(word, "FOR UPDATE"))),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn if_statement(
        &mut self,
        condition: &Expr,
        then: &Statement,
        otherwise: Option<&Statement>,
        line: u32,
    ) -> Compiled {
        let condition = self.condition(condition)?;
        let then = self.aside(|it| {
            it.counted(line, 0);
            it.statement(then)
        })?;
        let otherwise = self.aside(|it| {
            it.counted(line, 0);
            otherwise.map_or(Ok(()), |statement| it.statement(statement))
        })?;
        self.plain(line, program::StatementKind::If { condition, then, otherwise })
    }

    fn jump(&mut self, name: &Name, line: u32, goes: bool) -> Compiled {
        let Some(label) = self.labels.get(&name.text.to_lowercase()).copied() else {
            let text =
                format!("A GOTO statement references the label '{}' but the label has not been declared.", name.text);
            return Err(self.located(Message::error(133, text).severity(15)));
        };
        self.plain(line, if goes { program::StatementKind::Goto(label) } else { program::StatementKind::Label(label) })
    }

    fn return_statement(&mut self, value: Option<&Expr>, line: u32) -> Compiled {
        let data_type = self.returns.unwrap_or(DataType::Int);
        // A status is never NULL.
        let is_plain = |value: &&Expr| matches!(value, Expr::Literal(Literal::Integer(_)));
        let status = value.filter(|value| self.returns.is_none() && !is_plain(value)).map(or_zero);
        let value = status.as_ref().or(value).map(|value| self.value_as(value, data_type)).transpose()?;
        self.plain(line, program::StatementKind::Return(value))
    }

    fn select(&mut self, query: &Query, line: u32, span: Span) -> Compiled {
        let QueryBody::Select(select) = &query.body else {
            self.host(line, Action::Query(Box::new(query.clone())), span, Vec::new(), Vec::new());
            return Ok(());
        };
        let mut assigned = Vec::new();
        let mut outputs = Vec::new();
        for item in &select.items {
            if let SelectItem::Assign(name, operator, value) = item {
                let (slot, data_type) = self.variable(name)?;
                outputs.push((name.text.to_lowercase(), slot, data_type));
                assigned.push((*operator, value.clone()));
            }
        }
        match assigned.len() {
            0 => match self.row(query) {
                Some((columns, values)) => self.send_row(columns, values, line, span),
                None => self.host(line, Action::Query(Box::new(query.clone())), span, Vec::new(), Vec::new()),
            },
            count if count < select.items.len() => {
                let text = "A SELECT statement that assigns a value to a variable must not be combined with data-retrieval \
                            operations.";
                return Err(self.located(Message::error(141, text).severity(15)));
            }
            _ if select.from.is_empty() && select.condition.is_none() && query.with.tables.is_empty() => {
                for item in &select.items {
                    match item {
                        SelectItem::Assign(name, AssignOperator::Set, value) if self.is_cursor(name) => {
                            let set = SetVariable::Value(name.clone(), AssignOperator::Set, value.clone());
                            self.set(&set, line, span)?;
                        }
                        SelectItem::Assign(name, operator, value) => self.assign_to(name, *operator, value, line)?,
                        _ => {}
                    }
                }
                self.counted(line, 1);
            }
            _ => self.host(line, Action::Assign(Box::new(query.clone()), assigned), span, Vec::new(), outputs),
        }
        Ok(())
    }

    /// The columns of a row go to the client before its values are calculated: an error comes behind them.
    fn send_row(&mut self, columns: Columns, values: Vec<Expression>, line: u32, span: Span) {
        let cannot_fail = |value: &Expression| {
            matches!(value.kind, program::ExpressionKind::Constant(_) | program::ExpressionKind::Slot(_))
        };
        let is_begun = !values.iter().all(cannot_fail);
        if is_begun {
            self.host_of_values(line, Action::BeginRow(columns.clone()), span, Vec::new());
        }
        self.host_of_values(line, Action::Row { columns, is_begun }, span, values);
    }

    /// The columns and values of a query that is one row of expressions over variables, which needs no planner.
    fn row(&mut self, query: &Query) -> Option<(Columns, Vec<Expression>)> {
        let Query { with, body: QueryBody::Select(select), order, offset, fetch, format, hints: _ } = query else {
            return None;
        };
        let is_plain_query = *with == With::default() && order.is_empty() && offset.is_none() && fetch.is_none();
        let is_plain_select = select.quantifier.is_none()
            && select.top.is_none()
            && select.into.is_none()
            && select.from.is_empty()
            && select.condition.is_none()
            && select.group.is_none()
            && select.having.is_none()
            && select.windows.is_empty();
        if !(is_plain_query && is_plain_select && format.is_none()) {
            return None;
        }
        let known = self.actions.len();
        let (mut columns, mut values) = (Vec::new(), Vec::new());
        for item in &select.items {
            // Items that cannot be compiled, such as names of columns, are refused when the query runs.
            let compiled = match item {
                SelectItem::Value(value, _) if !self.needs_query(value) => self.value(value).ok(),
                _ => None,
            };
            let Some((value, data_type)) = compiled else {
                self.actions.truncate(known);
                return None;
            };
            let name = match item {
                SelectItem::Value(_, Some(alias)) => alias.text.clone(),
                _ => String::new(),
            };
            columns.push((name, data_type.unwrap_or(DataType::Int)));
            values.push(value);
        }
        Some((columns, values))
    }

    fn change(&mut self, change: &Change, line: u32, span: Span) -> Compiled {
        if let Change::Insert(insert) = change
            && let InsertRows::Execute(execute) = &insert.rows
        {
            return self.captured(execute, change, line, span);
        }
        let mut outputs = Vec::new();
        if let Change::Update(update) = change {
            for item in &update.items {
                if let SetItem::Variable(name, ..) | SetItem::Both(name, ..) = item {
                    let (slot, data_type) = self.variable(name)?;
                    outputs.push((name.text.to_lowercase(), slot, data_type));
                }
            }
        }
        let (mut change, mut calculated) = (change.clone(), Vec::new());
        if let Change::Insert(insert) = &mut change
            && let InsertRows::Values(rows) = &mut insert.rows
        {
            let is_one = rows.len() == 1;
            rows.iter_mut().for_each(|row| self.calculate(row, is_one, &mut calculated));
        }
        let (columns, values): (Columns, Vec<Expression>) = calculated.into_iter().unzip();
        self.host(line, Action::Change(Box::new(change)), span, values, outputs);
        if let Some(statement) = self.actions.last_mut() {
            statement.inputs.extend(columns);
        }
        Ok(())
    }

    /// Puts variables in the place of values of an INSERT that the machine can calculate, so that the statement is left
    /// with nothing but parameters: the variables' names and types, and what they are. Literals are left as they are unless
    /// the row is the only one.
    fn calculate(&mut self, row: &mut [Expr], is_one: bool, calculated: &mut Vec<Calculated>) {
        for value in row {
            let is_left = matches!(value, Expr::Default | Expr::Variable(_)) || !is_one && is_literal(value);
            if is_left || calculated.len() >= MOST_CALCULATED || self.needs_query(value) {
                continue;
            }
            let known = self.actions.len();
            // A value that cannot be compiled is refused when the statement runs.
            let Ok((compiled, Some(data_type))) = self.value(value) else {
                self.actions.truncate(known);
                continue;
            };
            // No variable of a program has such a name.
            let name = format!("@ {}", calculated.len() + 1);
            *value = Expr::Variable(Name { text: name.clone(), ..Name::default() });
            calculated.push(((name, data_type), compiled));
        }
    }

    /// INSERT ... EXEC: what is executed is not, where its rows cannot be collected.
    fn captured(&mut self, execute: &Execute, change: &Change, line: u32, span: Span) -> Compiled {
        let name = "@#collects";
        let (slot, data_type) = match self.slots.get(name) {
            Some(known) => *known,
            None => {
                let slot = self.routine.slot(name, storage_type(DataType::Bit));
                self.declared(slot, name, DataType::Bit);
                (slot, DataType::Bit)
            }
        };
        let number = |digits: &str| Expr::Literal(Literal::Integer(digits.to_owned()));
        let value = self.value_as(&number("0"), data_type)?;
        self.push(line, program::StatementKind::Assign { target: slot, value });
        self.host(line, Action::BeginCapture, Span::default(), Vec::new(), vec![(name.to_owned(), slot, data_type)]);
        let variable = Expr::Variable(Name { text: name.to_owned(), ..Name::default() });
        let condition =
            self.condition(&Expr::Binary(Box::new(variable), BinaryOperator::Equal, Box::new(number("1"))))?;
        let then = self.aside(|it| {
            it.execute(execute, line, span)?;
            it.host(line, Action::EndCapture(Box::new(change.clone())), span, Vec::new(), Vec::new());
            Ok(())
        })?;
        self.plain(line, program::StatementKind::If { condition, then, otherwise: Vec::new() })
    }

    fn of_host(&mut self, kind: &StatementKind, statement: &Statement, line: u32, span: Span) -> Compiled {
        let text = DataType::NVarChar(Length::Max);
        let (action, values) = match kind {
            StatementKind::Print(value) => (Action::Print, vec![self.value_as(value, text)?]),
            StatementKind::Raiserror(values, options) => {
                let values = values.iter().map(|value| self.value(value).map(|(value, _)| value));
                (Action::Raiserror(options.clone()), values.collect::<Result<_, _>>()?)
            }
            StatementKind::Throw(Some(parts)) => {
                let number = self.value_as(&parts.0, DataType::Int)?;
                let message = self.value_as(&parts.1, DataType::NVarChar(Length::Limited(2048)))?;
                let state = self.value_as(&parts.2, DataType::TinyInt)?;
                (Action::Throw, vec![number, message, state])
            }
            StatementKind::WaitFor(wait) => {
                let (crate::tree::WaitFor::Delay(value) | crate::tree::WaitFor::Time(value)) = wait;
                (Action::Wait(wait.clone()), vec![self.value_as(value, text)?])
            }
            StatementKind::LargeValue(value) => (Action::LargeValue(value.clone()), self.large_value_operands(value)?),
            StatementKind::DeclareCursor(name, cursor) => {
                self.cursor_options(cursor)?;
                (Action::DeclareCursor(name.clone(), cursor.clone()), Vec::new())
            }
            StatementKind::Open(name) => (Action::Open(self.cursor_named(name)?), Vec::new()),
            StatementKind::Close(name) => (Action::Close(self.cursor_named(name)?), Vec::new()),
            StatementKind::Deallocate(name) => (Action::Deallocate(self.cursor_named(name)?), Vec::new()),
            StatementKind::Fetch(fetch) => return self.fetch(fetch, line, span),
            StatementKind::Transaction(transaction) => (Action::Transaction(transaction.clone()), Vec::new()),
            StatementKind::SetOption(options) => {
                // The value of an option may be a variable; only CONTEXT_INFO takes bytes.
                let is_context = options.iter().any(|option| option.starts("CONTEXT_INFO"));
                let value = match &options[..] {
                    [option] => match option.items.get(1) {
                        Some(PhraseItem::Variable(name)) => Some(Expr::Variable(name.clone())),
                        Some(PhraseItem::Literal(literal)) if is_context => Some(Expr::Literal(literal.clone())),
                        _ => None,
                    },
                    _ => None,
                };
                let taken = match is_context {
                    true => DataType::VarBinary(Length::Limited(128)),
                    false => DataType::NVarChar(Length::Limited(128)),
                };
                let value = value.map(|value| self.value_as(&value, taken)).transpose()?;
                (Action::SetOption(options.clone()), value.into_iter().collect())
            }
            StatementKind::SetIsolation(isolation) => (Action::SetIsolation(*isolation), Vec::new()),
            _ => (Action::Define(Box::new(statement.clone())), Vec::new()),
        };
        self.host(line, action, span, values, Vec::new());
        Ok(())
    }

    /// The pointer, where, how much, and what is put in; NULL for what is not said.
    fn large_value_operands(&mut self, value: &LargeValue) -> Result<Vec<Expression>, Box<Message>> {
        let null = Expr::Literal(Literal::Null);
        let (from, length, data) = match &value.work {
            LargeValueWork::Read(from, length, _) => (from, length, None),
            LargeValueWork::Write(_, data) => (&null, &null, Some(data)),
            LargeValueWork::Update(_, from, length, data) => {
                let data = data.as_ref().map(|data| match data {
                    LargeValueData::Value(value) | LargeValueData::Column(_, value) => value,
                });
                (from, length, data)
            }
        };
        let pointer = self.value_as(&value.pointer, DataType::VarBinary(Length::Limited(8000)))?;
        let (from, length) = (self.value_as(from, DataType::Int)?, self.value_as(length, DataType::Int)?);
        let (data, _) = self.value(data.unwrap_or(&null))?;
        Ok(vec![pointer, from, length, data])
    }

    fn fetch(&mut self, fetch: &Fetch, line: u32, span: Span) -> Compiled {
        let mut outputs = Vec::new();
        for name in &fetch.into {
            let (slot, data_type) = self.variable(name)?;
            outputs.push((name.text.to_lowercase(), slot, data_type));
        }
        let values = match &fetch.direction {
            crate::tree::Direction::Absolute(value) | crate::tree::Direction::Relative(value) => {
                vec![self.value_as(value, DataType::BigInt)?]
            }
            _ => Vec::new(),
        };
        let action = Action::Fetch(self.cursor_named(&fetch.cursor)?, fetch.direction.clone(), fetch.into.len());
        self.host(line, action, span, values, outputs);
        Ok(())
    }
}

/// Options of a cursor that exclude each other.
const CONFLICTS: [(&str, &str); 16] = [
    ("LOCAL", "GLOBAL"),
    ("FORWARD_ONLY", "SCROLL"),
    ("FAST_FORWARD", "SCROLL"),
    ("FAST_FORWARD", "SCROLL_LOCKS"),
    ("FAST_FORWARD", "OPTIMISTIC"),
    ("STATIC", "KEYSET"),
    ("STATIC", "DYNAMIC"),
    ("STATIC", "FAST_FORWARD"),
    ("KEYSET", "DYNAMIC"),
    ("KEYSET", "FAST_FORWARD"),
    ("DYNAMIC", "FAST_FORWARD"),
    ("READ_ONLY", "SCROLL_LOCKS"),
    ("READ_ONLY", "OPTIMISTIC"),
    ("SCROLL_LOCKS", "OPTIMISTIC"),
    ("STATIC", "SCROLL_LOCKS"),
    ("INSENSITIVE", "SCROLL_LOCKS"),
];

fn conflicting(first: &str, second: &str) -> Message {
    Message::error(1048, format!("Conflicting cursor options {first} and {second}.")).severity(15)
}

/// A cursor variable that is set to something else.
fn cursor_misplaced(name: &Name) -> Message {
    let text = format!(
        "The variable '{}' is a cursor variable, but it is used in a place where a cursor variable is not valid.",
        name.text
    );
    Message::error(16949, text)
}

/// `ISNULL(value, 0)`.
/// True if a value is a literal, perhaps with a sign.
fn is_literal(value: &Expr) -> bool {
    match value {
        Expr::Literal(_) => true,
        Expr::Unary(tree::UnaryOperator::Minus, operand) => matches!(operand.as_ref(), Expr::Literal(_)),
        _ => false,
    }
}

fn or_zero(value: &Expr) -> Expr {
    let name = Name { text: "ISNULL".to_owned(), ..Name::default() };
    let zero = Expr::Literal(Literal::Integer("0".to_owned()));
    Expr::Call(Box::new(tree::Call {
        name: tree::ObjectName { parts: vec![name], ..tree::ObjectName::default() },
        quantifier: None,
        arguments: [value.clone(), zero].map(tree::Argument::Value).into(),
        json_nulls: None,
        ignore_nulls: None,
        within_group: Vec::new(),
        over: None,
    }))
}
