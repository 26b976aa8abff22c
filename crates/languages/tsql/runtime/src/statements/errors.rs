//! The core's errors with SQL Server's numbers and words.

use mainstay_tsql_syntax::reduce::{NO_COUNT, NO_ROWS};
use mainstay_tsql_syntax::tree::Isolation;
use mainstay_tsql_types::Message;
use mainstay_types::{Cause, Code, ConstraintKind, Error};
use mainstay_vm::{Fault, Raised, Type, Width};

const VICTIM: i32 = 1205;

/// The time of a batch or call is over. SQL Server leaves that to its clients; its own limit, that of the query governor, has
/// this number and severity.
fn out_of_time() -> Message {
    let text = "The query has been canceled because it ran longer than the configured limit. Contact the system \
                administrator.";
    Message::error(8649, text).severity(17)
}

/// 1205: the session of this number was chosen.
fn victim(process: i16) -> Message {
    Message::numbered(VICTIM, &[&process, &"lock"]).state(45)
}

/// The error of a statement as a client of SQL Server knows it.
pub(crate) fn message_of(error: &Error) -> Message {
    if let Some(dialect) = error.dialect() {
        let mut message = Message::error(dialect.number, error.message()).severity(dialect.severity);
        message.state = dialect.state;
        if let Some((routine, line)) = error.routine() {
            (message.procedure, message.line) = (Some(routine.to_owned()), line);
        }
        return message;
    }
    if let Some(message) = error.cause().and_then(|cause| of_cause(cause, error)) {
        return message;
    }
    let subject = error.subject().unwrap_or_default();
    match error.code() {
        Code::UnknownTable => Message::error(208, format!("Invalid object name '{subject}'.")),
        Code::UnknownColumn => Message::error(207, format!("Invalid column name '{subject}'.")),
        Code::Ambiguous => Message::error(209, format!("Ambiguous column name '{subject}'.")),
        Code::DivisionByZero => Message::error(8134, "Divide by zero error encountered."),
        Code::UniqueViolation => unique_violation(error),
        Code::NotNullViolation => {
            let broken = error.constraint();
            let (table, column) = broken.map_or(("", ""), |broken| (broken.table.as_str(), broken.name.as_str()));
            let text = format!(
                "Cannot insert the value NULL into column '{column}', table 'dbo.{table}'; column does not allow nulls. \
                 INSERT fails."
            );
            Message::error(515, text).state(2)
        }
        Code::ForeignKeyViolation | Code::CheckViolation => Message::error(547, sentence(error)).state(0),
        Code::Deadlock | Code::DefinitionChanged => victim(0),
        // The core names the holder where it knows that: the record or row is the subject then.
        Code::LockTimeout if error.place().is_none() && !subject.is_empty() => {
            Message::error(1222, format!("Lock request time out period exceeded. {}", sentence(error))).state(45)
        }
        Code::LockTimeout => Message::error(1222, "Lock request time out period exceeded.").state(45),
        Code::Conflict => {
            let text = format!("Snapshot isolation transaction aborted due to update conflict: {error}.");
            Message::error(3960, text)
        }
        Code::Duplicate => Message::error(2714, sentence(error)).state(6),
        Code::DuplicateColumn => Message::error(2705, sentence(error)).state(3),
        Code::DependentObjects => Message::error(3729, sentence(error)),
        Code::Cancelled => Message::error(0, "The statement was cancelled by the client."),
        Code::Timeout => out_of_time(),
        Code::Syntax => Message::error(102, sentence(error)).severity(15),
        Code::Unsupported => Message::error(40515, sentence(error)),
        Code::OutOfMemory => Message::error(701, sentence(error)).severity(17),
        Code::TooComplex => Message::numbered(8623, &[]),
        _ => Message::error(50000, sentence(error)),
    }
}

/// A column with its table's own name: a table may be called otherwise in the core, with a colon and a number behind its
/// name.
fn without_mark(column: &str) -> String {
    match column.split_once('.') {
        Some((table, column)) => {
            let own = table.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix(':').unwrap_or(table);
            format!("{own}.{column}")
        }
        None => column.to_owned(),
    }
}

/// Returns true if a number of rows, which is negative, is this stand-in of the reduction.
fn is_stand_in(rows: &str, stand_in: &str) -> bool {
    rows.strip_prefix('-') == Some(stand_in)
}

/// The message of an error of a code with several causes.
fn of_cause(cause: Cause, error: &Error) -> Option<Message> {
    let subject = error.subject().unwrap_or_default();
    let message = match cause {
        Cause::Relation => name_taken(subject, 6),
        Cause::UnknownQualifier => Message::numbered(4104, &[&without_mark(subject)]),
        Cause::UnknownRowset => Message::error(208, format!("Invalid object name '{subject}'.")),
        Cause::ColumnCounts => {
            let text = "All queries combined using a UNION, INTERSECT or EXCEPT operator must have an equal number of \
                        expressions in their target lists.";
            Message::error(205, text)
        }
        Cause::NotSelected => {
            let text = "ORDER BY items must appear in the select list if SELECT DISTINCT is specified.";
            Message::error(145, text).severity(15)
        }
        Cause::NotGrouped => not_grouped(8120, subject),
        Cause::NotGroupedInHaving => not_grouped(8121, subject),
        Cause::NotGroupedInOrder => not_grouped(8127, subject),
        // Of numbers that are not known before the statement runs.
        Cause::NegativeLimit if is_stand_in(subject, NO_COUNT) => Message::numbered(1014, &[]),
        Cause::NegativeLimit if is_stand_in(subject, NO_ROWS) => Message::numbered(10744, &[]),
        Cause::NegativeLimit => Message::numbered(127, &[]),
        Cause::NegativeOffset if is_stand_in(subject, NO_COUNT) => Message::numbered(10743, &[]),
        Cause::NegativeOffset => Message::numbered(10742, &[]),
        Cause::WholeNumber(bits) => {
            let to = if bits == 64 { "bigint" } else { "int" };
            Message::error(8115, format!("Arithmetic overflow error converting expression to data type {to}.")).state(2)
        }
        Cause::ChangedTwice => {
            let text = "The MERGE statement attempted to UPDATE or DELETE the same row more than once. This happens when a \
                        target row matches more than one source row. A MERGE statement cannot UPDATE/DELETE the same row of \
                        the target table multiple times. Refine the ON clause to ensure a target row matches at most one \
                        source row, or use the GROUP BY clause to group the source rows.";
            Message::error(8672, text)
        }
        Cause::SeveralRows => subquery(),
        Cause::ConflictingOrders => {
            let text = "Multiple ordered aggregate functions in the same scope have mutually incompatible orderings.";
            Message::error(8711, text)
        }
        Cause::ReadOnlyUser => {
            let text = format!(
                "The INSERT, UPDATE and DELETE permissions were denied on the object '{subject}': the user may only read."
            );
            Message::error(229, text).severity(14).state(5)
        }
        Cause::ReadOnlyUserDefinition => {
            Message::error(262, "CREATE, ALTER and DROP permission denied: the user may only read.").severity(14)
        }
        Cause::UsedUp => {
            let text = format!(
                "The sequence object '{subject}' has reached its minimum or maximum value. Restart the sequence object to \
                 allow new values to be generated."
            );
            Message::error(11728, text)
        }
        _ => return None,
    };
    Some(message)
}

/// The message of this number about a column that is not grouped by, with its table where it has one.
fn not_grouped(number: i32, column: &str) -> Message {
    match without_mark(column).split_once('.') {
        Some((table, column)) => Message::numbered(number, &[&table, &column]),
        None => {
            let message = Message::numbered(number, &[&"", &column]);
            let text = message.text.replacen("'.", "'", 1).replacen("\".", "\"", 1);
            Message { text, ..message }
        }
    }
}

/// 2714: there is an object of this name.
pub(crate) fn name_taken(name: &str, state: u8) -> Message {
    Message::numbered(2714, &[&name]).state(state)
}

/// An existing key. Of a file there is a place only.
fn unique_violation(error: &Error) -> Message {
    let broken = error.constraint();
    let (table, name) = match broken {
        Some(broken) => (broken.table.as_str(), broken.name.as_str()),
        None => (error.place().unwrap_or(""), ""),
    };
    let key = format!("The duplicate key value is ({}).", error.subject().unwrap_or_default());
    if broken.is_some_and(|broken| broken.kind == ConstraintKind::PrimaryKey) {
        let text = format!(
            "Violation of PRIMARY KEY constraint '{name}'. Cannot insert duplicate key in object 'dbo.{table}'. {key}"
        );
        return Message::error(2627, text).severity(14);
    }
    let text = format!("Cannot insert duplicate key row in object 'dbo.{table}' with unique index '{name}'. {key}");
    Message::error(2601, text).severity(14)
}

/// The error of a scalar subquery of more than one row.
fn subquery() -> Message {
    let text = "Subquery returned more than 1 value. This is not permitted when the subquery follows =, !=, <, <= , >, >= \
                or when the subquery is used as an expression.";
    Message::error(512, text)
}

/// The core's own words, as a sentence.
fn sentence(error: &Error) -> String {
    let text = error.to_string();
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => format!("{}{}.", first.to_uppercase(), chars.as_str().trim_end_matches('.')),
        None => String::new(),
    }
}

/// A message on its way through the machine.
pub(crate) fn raised(message: Message) -> Box<Raised> {
    let Message { number, severity, state, text, procedure, line } = message;
    let mut raised = Raised::new(number, severity, state.into(), text);
    raised.passes_own_handlers = is_found_late(number);
    raised.routine = procedure.map(Into::into);
    raised.line = line;
    raised
}

/// Returns true if an error is about a name that is resolved when the statement runs: the TRY around it does not catch
/// it, the caller's does, and it ends the procedure or text that contains the statement.
pub(crate) fn is_found_late(number: i32) -> bool {
    matches!(number, 195 | 207 | 208 | 209 | 1087 | 4104 | 4121)
}

/// The same for an error of the core.
pub(crate) fn raised_error(error: Error) -> Box<Raised> {
    let mut raised = raised(message_of(&error));
    raised.uncatchable = matches!(error.code(), Code::Cancelled | Code::Timeout);
    raised.source = Some(error);
    raised
}

/// The same error for the session of this number, which runs at a level. SQL Server keeps the level with locks, so two
/// sessions in conflict are a deadlock, and programs run its victim again: the same holds for a transaction that comes
/// second here.
pub(crate) fn at_level(mut error: Box<Raised>, level: Isolation, process: i16) -> Box<Raised> {
    let is_victim = error.source.as_ref().is_some_and(|source| match source.code() {
        Code::Conflict => level != Isolation::Snapshot,
        Code::Deadlock | Code::DefinitionChanged => error.number == VICTIM,
        _ => false,
    });
    // A function's session has no number; the one that calls it has.
    if is_victim && process != 0 {
        let message = victim(process);
        (error.number, error.severity) = (message.number, message.severity);
        (error.state, error.text) = (message.state.into(), message.text);
    }
    error
}

/// A message that arrived.
pub(crate) fn message_from(raised: &Raised) -> Message {
    Message {
        number: raised.number,
        severity: raised.severity.max(11),
        state: raised.state.clamp(0, 255) as u8,
        text: raised.text.clone(),
        procedure: raised.routine.as_deref().filter(|name| !name.is_empty()).map(str::to_owned),
        line: raised.line,
    }
}

/// The error that ends a waiting statement: cancellation, or its time limit.
pub(crate) fn stopped_by(fault: Fault) -> Box<Raised> {
    let mut raised = raised(of_fault(&fault));
    (raised.uncatchable, raised.fault) = (true, Some(fault));
    raised
}

/// The message of a fault of the machine.
pub(crate) fn of_fault(fault: &Fault) -> Message {
    match fault {
        Fault::Overflow { to } => {
            let to = match to {
                Type::Integer(Width::U8) => "tinyint".to_owned(),
                Type::Integer(Width::I16) => "smallint".to_owned(),
                Type::Integer(Width::I32) => "int".to_owned(),
                Type::Integer(_) => "bigint".to_owned(),
                Type::Decimal { .. } => "numeric".to_owned(),
                other => other.to_string(),
            };
            Message::error(8115, format!("Arithmetic overflow error converting expression to data type {to}.")).state(2)
        }
        Fault::DivideByZero => Message::error(8134, "Divide by zero error encountered."),
        Fault::NestingLimit => {
            let text = "Maximum stored procedure, function, trigger, or view nesting level exceeded (limit 32).";
            Message::error(217, text)
        }
        Fault::MissingArgument { routine, parameter } => {
            let text =
                format!("Procedure or function '{routine}' expects parameter '{parameter}', which was not supplied.");
            Message::error(201, text).state(4)
        }
        Fault::UnknownArgument { routine, parameter } => {
            Message::error(8145, format!("{parameter} is not a parameter for procedure {routine}."))
        }
        Fault::RepeatedArgument { parameter, .. } => {
            Message::error(8143, format!("Parameter '{parameter}' was supplied multiple times."))
        }
        Fault::TooManyArguments { routine } => {
            Message::error(8144, format!("Procedure or function {routine} has too many arguments specified.")).state(2)
        }
        Fault::NotAnOutput { parameter, .. } => {
            let text = format!(
                "The formal parameter \"{parameter}\" was not declared as an OUTPUT parameter, but the actual parameter \
                 passed in requested output."
            );
            Message::error(8162, text).state(2)
        }
        Fault::RethrowWithoutError => {
            let text = "To rethrow an error, a THROW statement must be used inside a CATCH block.";
            Message::error(10704, text).severity(15)
        }
        Fault::Cancelled => Message::error(0, "The statement was cancelled by the client."),
        Fault::Deadline => out_of_time(),
        Fault::MemoryLimit => {
            Message::error(701, "There is insufficient system memory to run this query.").severity(17)
        }
        other => Message::error(50000, format!("{other}.")),
    }
}
