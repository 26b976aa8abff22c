//! Ends of statements and changes of the session, as the protocol numbers them: DONE and ENVCHANGE. (MS-TDS 2.2.7.6, 2.2.7.9.)

/// The end of a statement or procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The end of what.
    pub kind: DoneKind,
    /// Which statement it was.
    pub command: Command,
    /// Rows that it gave or changed; none for statements without, and under SET NOCOUNT ON. An end without it is said all
    /// the same where a result ends.
    pub count: Option<u64>,
    /// True if it failed.
    pub error: bool,
}

/// The end of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoneKind {
    /// A statement of a batch.
    Statement,
    /// A statement of a procedure, or of the text that sp_executesql and its like run.
    InProcedure,
    /// A procedure that a batch called with EXEC. (The end of a call itself is written by the door.)
    Procedure,
}

/// The number of a statement, for clients that tell results apart by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Command(pub u16);

#[allow(missing_docs, reason = "each is its own name")]
impl Command {
    pub const NONE: Command = Command(0);
    pub const SELECT: Command = Command(0xC1);
    pub const SELECT_INTO: Command = Command(0xC2);
    pub const INSERT: Command = Command(0xC3);
    pub const DELETE: Command = Command(0xC4);
    pub const UPDATE: Command = Command(0xC5);
    pub const CREATE_TABLE: Command = Command(0xC6);
    pub const DROP_TABLE: Command = Command(0xC7);
    pub const CREATE_INDEX: Command = Command(0xC8);
    pub const DROP_INDEX: Command = Command(0xC9);
    pub const CREATE_VIEW: Command = Command(0xCF);
    pub const DROP_VIEW: Command = Command(0xD0);
    pub const ROLLBACK: Command = Command(0xD2);
    pub const BEGIN_TRANSACTION: Command = Command(0xD4);
    pub const COMMIT: Command = Command(0xD5);
    pub const ALTER_TABLE: Command = Command(0xD8);
    pub const CREATE_TRIGGER: Command = Command(0xDD);
    pub const CREATE_PROCEDURE: Command = Command(0xDE);
    pub const DROP_PROCEDURE: Command = Command(0xDF);
    pub const EXECUTE: Command = Command(0xE0);
    pub const BULK_INSERT: Command = Command(0xF0);
    pub const SET: Command = Command(0xF9);
    pub const TRUNCATE: Command = Command(0x104);
    pub const MERGE: Command = Command(0x117);
}

/// A change of a session's surroundings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Environment {
    /// USE: the new and the old database. The door says message 5701 with it.
    Database {
        /// The database that the session is in now.
        new: String,
        /// The one that it was in.
        old: String,
    },
    /// SET LANGUAGE: the new and the old language. The door says message 5703 with it.
    Language {
        /// The language now.
        new: String,
        /// The one before.
        old: String,
    },
    /// A transaction has begun, and has this number.
    TransactionBegun(u64),
    /// The transaction of this number was committed.
    TransactionCommitted(u64),
    /// The transaction of this number was rolled back.
    TransactionRolledBack(u64),
}
