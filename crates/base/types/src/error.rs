//! The error type, and the one table that maps it to every dialect's codes.
//!
//! An error has a part for each of three readers: its [`Class`] tells a program what it can do, its [`Code`] tells each
//! dialect which of its own numbers to send, and its text tells a person the fault, its place, and a remedy. A door
//! never invents a number: it asks [`Code::sqlstate`] and its siblings, so a fault reads the same through every door.

use std::fmt;

/// The result of anything that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The class of an error, by the action that a caller can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The statement, file name or value given is at fault: change it.
    Input,
    /// Nothing is wrong with the request; the same one may succeed later.
    Retry,
    /// Stored data is damaged: repair it, or restore a copy.
    Restore,
    /// The operating system refused or failed: free space, fix permissions, look at the disk.
    Environment,
    /// Mainstay broke one of its own rules: report it.
    Bug,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident, $class:ident, $sqlstate:literal, $text:literal;)*) => {
        /// The kind of an error. Each maps to one [`Class`] and to each dialect's own code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// Every code, in the order of the reference page.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The class of the code.
            pub fn class(self) -> Class {
                match self { $(Code::$name => Class::$class,)* }
            }

            /// The SQLSTATE: the five characters that ISO 9075 gives this (PostgreSQL's, where ISO defines none).
            pub fn sqlstate(self) -> &'static str {
                match self { $(Code::$name => $sqlstate,)* }
            }

            /// A stable lower-case name, as it appears in messages and in JSON.
            pub fn name(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }
        }
    };
}

codes! {
    /// The text is not a statement of the dialect.
    Syntax, Input, "42601", "syntax";
    /// No table or view has this name.
    UnknownTable, Input, "42P01", "unknown_table";
    /// No column has this name.
    UnknownColumn, Input, "42703", "unknown_column";
    /// No function has this name, or none takes these arguments.
    UnknownFunction, Input, "42883", "unknown_function";
    /// A name can mean more than one thing.
    Ambiguous, Input, "42702", "ambiguous";
    /// The types do not fit each other.
    TypeMismatch, Input, "42804", "type_mismatch";
    /// Texts that meet are to be compared by different collations.
    CollationMismatch, Input, "42P21", "collation_mismatch";
    /// A value cannot be converted or is out of range.
    InvalidValue, Input, "22000", "invalid_value";
    /// A division by zero.
    DivisionByZero, Input, "22012", "division_by_zero";
    /// A setting does not exist or does not take this value.
    InvalidSetting, Input, "22023", "invalid_setting";
    /// The statement is understood, and this table or version cannot do it.
    Unsupported, Input, "0A000", "unsupported";
    /// The object may be read only.
    ReadOnly, Input, "25006", "read_only";
    /// A file or folder does not exist.
    NotFound, Input, "58P01", "not_found";
    /// A file is not of the kind its name says.
    NotThisFormat, Input, "58030", "not_this_format";
    /// A file is encrypted and no key is known.
    Encrypted, Input, "28000", "encrypted";
    /// The statement does not fit the state of the session's transaction.
    TransactionState, Input, "25000", "transaction_state";
    /// The object to change is in use by a pending operation of this transaction.
    InUse, Input, "55006", "in_use";
    /// There is something of this name already.
    Duplicate, Input, "42710", "duplicate";
    /// Two columns of one table or view have the same name.
    DuplicateColumn, Input, "42701", "duplicate_column";
    /// Something that is to go is needed by what stays.
    DependentObjects, Input, "2BP01", "dependent_objects";
    /// Stored bytes contradict each other.
    Damaged, Restore, "XX001", "damaged";
    /// An index contradicts its table.
    IndexDamaged, Restore, "XX002", "index_damaged";
    /// The user or the program asked to stop.
    Cancelled, Retry, "57014", "cancelled";
    /// The statement ran longer than it may.
    Timeout, Retry, "57014", "timeout";
    /// The statement needs more memory than it may have.
    OutOfMemory, Retry, "53200", "out_of_memory";
    /// The statement is larger or deeper than what is planned.
    TooComplex, Input, "54001", "too_complex";
    /// Another program holds a lock, or kept changing the file while it was read.
    Busy, Retry, "55P03", "busy";
    /// Two transactions wait for each other, and this one is the one to give way.
    Deadlock, Retry, "40P01", "deadlock";
    /// Another transaction held a row for longer than the statement may wait.
    LockTimeout, Retry, "55P03", "lock_timeout";
    /// Another transaction changed first what this one wants to change, or has read.
    Conflict, Retry, "40001", "conflict";
    /// Another transaction changed the definition that the statement was planned for, or rolled back rows that it had
    /// counted; it is run again by itself, and this is reported only if that does not end.
    DefinitionChanged, Retry, "40001", "definition_changed";
    /// A row with this key is there already.
    UniqueViolation, Input, "23505", "unique_violation";
    /// A column that may not be NULL has no value.
    NotNullViolation, Input, "23502", "not_null_violation";
    /// A row refers to one that is not there, or is referred to.
    ForeignKeyViolation, Input, "23503", "foreign_key_violation";
    /// A CHECK of the table is false for a row.
    CheckViolation, Input, "23514", "check_violation";
    /// The caller has no right to do this, or could not be authenticated.
    NotPermitted, Input, "42501", "not_permitted";
    /// The connection to a server cannot be made, or has ended.
    ConnectionLost, Environment, "08006", "connection_lost";
    /// The operating system reported an error.
    Io, Environment, "58030", "io";
    /// A rule of Mainstay's own was broken.
    Internal, Bug, "XX000", "internal";
}

/// The cause of an error, where a dialect has several numbers for one code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cause {
    /// `Duplicate`: it is a table or view that is there already.
    Relation,
    /// `UnknownColumn`: the name before that of the column is no table's of the statement.
    UnknownQualifier,
    /// `Syntax`: no function that stands in a FROM has this name.
    UnknownRowset,
    /// `Syntax`: queries that are combined have different numbers of columns.
    ColumnCounts,
    /// `Syntax`: DISTINCT leaves out what the rows are to be in the order of.
    NotSelected,
    /// `Syntax`: a column of the list is neither grouped by nor in an aggregate.
    NotGrouped,
    /// The same of one in HAVING.
    NotGroupedInHaving,
    /// The same of one in ORDER BY.
    NotGroupedInOrder,
    /// `Syntax`: less than no rows are asked for.
    NegativeLimit,
    /// `Syntax`: less than no rows are to be left out.
    NegativeOffset,
    /// `InvalidValue`: a result is no whole number of so many bits.
    WholeNumber(u8),
    /// `InvalidValue`: MERGE would change one row twice.
    ChangedTwice,
    /// `InvalidValue`: a subquery that stands for a value gave several.
    SeveralRows,
    /// `InvalidValue`: a sequence has given all its values.
    UsedUp,
    /// `InvalidValue`: a table has no such constraint.
    UnknownConstraint,
    /// `ForeignKeyViolation`: the row that is referred to is missing, and not one that refers in the way.
    NoParent,
    /// `NotPermitted`: the session of a read-only user would change a table, which is the subject.
    ReadOnlyUser,
    /// The same of a definition, a file or the whole database.
    ReadOnlyUserDefinition,
    /// `UnknownTable`: it is the table that a foreign key refers to.
    ReferencedTable,
    /// `InvalidValue`: a value is outside of the range of the type that it is converted to.
    OutOfRange,
    /// `Unsupported`: aggregates of one statement want their rows in different orders.
    ConflictingOrders,
    /// `Busy`: a lock was waited for, and not given back in time.
    Waited,
}

/// The rule of a table that a row breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// The kind of the rule.
    pub kind: ConstraintKind,
    /// The name of its table.
    pub table: String,
    /// Its own name; of `NotNull` the name of the column.
    pub name: String,
}

/// Kinds of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstraintKind {
    /// The primary key.
    PrimaryKey,
    /// Another unique key or unique index.
    UniqueIndex,
    /// A reference to another table.
    ForeignKey,
    /// A column that may not be NULL.
    NotNull,
}

/// An error: what, where, and what to try.
///
/// Cheap to pass around (one pointer), because the paths that matter do not fail.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    code: Code,
    message: String,
    place: Option<String>,
    span: Option<(usize, usize)>,
    hint: Option<String>,
    dialect: Option<DialectError>,
    subject: Option<String>,
    cause: Option<Cause>,
    constraint: Option<Constraint>,
    system_number: Option<i32>,
    routine: Option<(String, u32)>,
}

/// The error in the numbers of the dialect whose rule was broken, if the dialect has set them itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DialectError {
    /// The dialect's number.
    pub number: i32,
    /// The severity.
    pub severity: u8,
    /// The state, which distinguishes causes of one number.
    pub state: u8,
}

impl Error {
    /// An error of this code. The message is a sentence without its full stop, in lower case unless it
    /// starts with a name.
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error(Box::new(Inner {
            code,
            message: message.into(),
            place: None,
            span: None,
            hint: None,
            dialect: None,
            subject: None,
            cause: None,
            constraint: None,
            system_number: None,
            routine: None,
        }))
    }

    /// Says where in stored data it is: a path, a record, an offset (`orders.dbf, record 17`).
    /// A place that is known already is kept, and the new one is written before it.
    pub fn at(mut self, place: impl fmt::Display) -> Error {
        self.0.place = Some(match self.0.place.take() {
            Some(inner) => format!("{place}, {inner}"),
            None => place.to_string(),
        });
        self
    }

    /// Says where in the statement's text it is: byte offsets, start included and end excluded.
    pub fn span(mut self, start: usize, end: usize) -> Error {
        self.0.span = Some((start, end));
        self
    }

    /// Says what the reader can try.
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.0.hint = Some(hint.into());
        self
    }

    /// Says what the dialect calls it; the message is the dialect's own then, word for word.
    pub fn in_dialect(mut self, dialect: DialectError) -> Error {
        self.0.dialect = Some(dialect);
        self
    }

    /// Sets the subject, for callers with their own messages: the name of the object that is missing, ambiguous or a
    /// duplicate, or of the check that a row violates; the values of a key.
    pub fn about(mut self, subject: impl Into<String>) -> Error {
        self.0.subject = Some(subject.into());
        self
    }

    /// Says which cause of its code it is.
    pub fn because(mut self, cause: Cause) -> Error {
        self.0.cause = Some(cause);
        self
    }

    /// Says which error of the operating system is behind it, by its number.
    pub fn of_system(mut self, number: i32) -> Error {
        self.0.system_number = Some(number);
        self
    }

    /// Says which rule of a table it is about.
    pub fn of_constraint(mut self, kind: ConstraintKind, table: impl Into<String>, name: impl Into<String>) -> Error {
        self.0.constraint = Some(Constraint { kind, table: table.into(), name: name.into() });
        self
    }

    /// Says which routine of a program it happened in, and in which line of it, from 1.
    pub fn in_routine(mut self, name: impl Into<String>, line: u32) -> Error {
        self.0.routine = Some((name.into(), line));
        self
    }

    /// The same with another code: what a caller can do about it has changed.
    pub fn with_code(mut self, code: Code) -> Error {
        self.0.code = code;
        self
    }

    /// The dialect's own number, if the dialect has set it.
    pub fn dialect(&self) -> Option<DialectError> {
        self.0.dialect
    }

    /// The subject of the error, if it was set.
    pub fn subject(&self) -> Option<&str> {
        self.0.subject.as_deref()
    }

    /// Which cause of its code it is, if that was said.
    pub fn cause(&self) -> Option<Cause> {
        self.0.cause
    }

    /// The rule of a table that it is about, if that was said.
    pub fn constraint(&self) -> Option<&Constraint> {
        self.0.constraint.as_ref()
    }

    /// The number of the error of the operating system behind it, if there is one.
    pub fn system_number(&self) -> Option<i32> {
        self.0.system_number
    }

    /// The routine of a program that it happened in and the line of it, if that was said.
    pub fn routine(&self) -> Option<(&str, u32)> {
        self.0.routine.as_ref().map(|(name, line)| (name.as_str(), *line))
    }

    /// Returns true if the operating system refuses the operation to this user, or to all.
    pub fn is_denied(&self) -> bool {
        let is_denial = |number| DENIALS.contains(&number);
        self.code() == Code::ReadOnly || self.code() == Code::Io && self.system_number().is_some_and(is_denial)
    }

    /// The code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The message, without place and hint.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where in stored data, if it is there.
    pub fn place(&self) -> Option<&str> {
        self.0.place.as_deref()
    }

    /// Where in the statement's text, as byte offsets, if it is there.
    pub fn text_span(&self) -> Option<(usize, usize)> {
        self.0.span
    }

    /// The hint.
    pub fn hint_text(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.0.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.0.message)?;
        if let Some(hint) = &self.0.hint {
            write!(f, " ({hint})")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {self}", self.0.code.name())
    }
}

/// Numbers that Linux gives to what is not permitted: EPERM, EACCES, EROFS.
const DENIALS: [i32; 3] = [1, 13, 30];

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Error {
        use std::io::ErrorKind;
        let code = match error.kind() {
            ErrorKind::NotFound => Code::NotFound,
            ErrorKind::OutOfMemory => Code::OutOfMemory,
            _ => Code::Io,
        };
        let told = Error::new(code, error.to_string());
        error.raw_os_error().map_or(told.clone(), |number| told.of_system(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn places_nest_from_the_outside_in() {
        let error = Error::new(Code::Damaged, "the block is empty").at("block 7").at("a.fpt").hint("run check");
        assert_eq!(error.to_string(), "a.fpt, block 7: the block is empty (run check)");
        assert_eq!(error.code().class(), Class::Restore);
    }

    #[test]
    fn subject_and_cause_go_with_the_error_and_not_into_its_words() {
        let error = Error::new(Code::Duplicate, "there is one already").about("orders").because(Cause::Relation);
        let error = error.at("a.sql").with_code(Code::Syntax);
        assert_eq!((error.subject(), error.cause()), (Some("orders"), Some(Cause::Relation)));
        assert_eq!(error.to_string(), "a.sql: there is one already");
    }

    #[test]
    fn the_routine_goes_with_the_error_and_not_into_its_words() {
        let error = Error::new(Code::InvalidValue, "no number").in_routine("dbo.f", 3).at("a.sql");
        assert_eq!((error.routine(), error.to_string().as_str()), (Some(("dbo.f", 3)), "a.sql: no number"));
    }

    #[test]
    fn the_systems_number_and_the_constraint_go_with_the_error() {
        let full = Error::from(std::io::Error::from_raw_os_error(28)).at("a.dbf");
        assert_eq!((full.code(), full.system_number(), full.is_denied()), (Code::Io, Some(28), false));
        assert!(Error::from(std::io::Error::from_raw_os_error(13)).is_denied());
        let error =
            Error::new(Code::UniqueViolation, "it is there").of_constraint(ConstraintKind::PrimaryKey, "t", "t_pkey");
        let told = error.at("t, primary key t_pkey").constraint().cloned().unwrap();
        assert_eq!((told.kind, told.table.as_str(), told.name.as_str()), (ConstraintKind::PrimaryKey, "t", "t_pkey"));
    }

    #[test]
    fn every_code_has_a_name_of_its_own_and_a_sqlstate() {
        let names: HashSet<_> = Code::ALL.iter().map(|code| code.name()).collect();
        assert_eq!(names.len(), Code::ALL.len());
        assert!(Code::ALL.iter().all(|code| code.sqlstate().len() == 5));
    }
}
