//! Translation between the interface to sessions and the protocol: types, columns, calls, ends of statements.
//!
//! ```text
//!   mainstay_tds (the wire)                     mainstay_session::push (no protocol, no language)
//!     Call, TransactionRequest, bulk columns  -->  Call, TransactionRequest, Column
//!     Column, Done, Environment               <--  Column, Done, Environment
//! ```
//!
//! Everything here happens once for a request or a result; the values of rows pass as they are.

use mainstay_session::push;
use mainstay_session::push::Message;
use mainstay_tds as tds;
use mainstay_tds::DataType;

/// A type of the session as the protocol has it.
///
/// Errors: a type that the protocol does not have.
fn data_type(column: &push::Column) -> Result<DataType, Message> {
    DataType::of(&column.declared).ok_or_else(|| {
        let declared = &column.declared;
        let text = format!("An answer cannot be sent: column {} has the type {}.", column.name, declared.name);
        Message::error(50_000, text)
    })
}

/// A column of a result, or an output parameter.
///
/// Errors: a type that the protocol does not have.
pub(super) fn column(column: &push::Column) -> Result<tds::Column, Message> {
    let mut wire = tds::Column::new(column.name.clone(), data_type(column)?);
    wire.nullable = column.is_nullable;
    wire.identity = column.is_identity;
    wire.computed = column.is_computed;
    wire.updatable = column.is_updatable;
    Ok(wire)
}

/// A column that a client describes: of a bulk load, or of a table as a parameter.
pub(super) fn described(column: &tds::Column) -> push::Column {
    push::Column {
        name: column.name.clone(),
        declared: column.data_type.declared(),
        sql_type: column.data_type.sql_type(),
        is_nullable: column.nullable,
        is_identity: column.identity,
        is_computed: column.computed,
        is_updatable: column.updatable,
    }
}

/// A call of a client.
pub(super) fn call(call: tds::Call) -> push::Call {
    let parameters = call.parameters.into_iter().map(parameter).collect();
    push::Call { procedure: call.procedure, parameters }
}

fn parameter(parameter: tds::Parameter) -> push::Parameter {
    let tds::Parameter { name, output, default, data_type, value, collation: _ } = parameter;
    let value = match value {
        tds::ParameterValue::Single(value) | tds::ParameterValue::Variant(_, value) => {
            push::ParameterValue::Single(value)
        }
        tds::ParameterValue::Table(table) => push::ParameterValue::Table(table_value(table)),
    };
    push::Parameter { name, output, default, declared: data_type.declared(), value }
}

fn table_value(table: tds::TableValue) -> push::TableValue {
    let columns = table.columns.iter().map(described).collect();
    let tds::TableValue { schema, name, defaulted, rows, .. } = table;
    push::TableValue { schema, name, columns, defaulted, rows }
}

/// A request of a client's transaction manager.
pub(super) fn transaction(request: tds::TransactionRequest) -> push::TransactionRequest {
    match request {
        tds::TransactionRequest::Begin(begun) => push::TransactionRequest::Begin(begin(begun)),
        tds::TransactionRequest::Commit { then, .. } => push::TransactionRequest::Commit { then: then.map(begin) },
        tds::TransactionRequest::Rollback { name, then } => {
            push::TransactionRequest::Rollback { name, then: then.map(begin) }
        }
        tds::TransactionRequest::Save { name } => push::TransactionRequest::Save { name },
    }
}

fn begin(begin: tds::Begin) -> push::Begin {
    let isolation = match begin.isolation {
        tds::Isolation::Current => push::Isolation::Current,
        tds::Isolation::ReadUncommitted => push::Isolation::ReadUncommitted,
        tds::Isolation::ReadCommitted => push::Isolation::ReadCommitted,
        tds::Isolation::RepeatableRead => push::Isolation::RepeatableRead,
        tds::Isolation::Serializable => push::Isolation::Serializable,
        tds::Isolation::Snapshot => push::Isolation::Snapshot,
    };
    push::Begin { isolation, name: begin.name }
}

/// A login for the session.
pub(super) fn login(login: &tds::Login) -> push::Login {
    push::Login {
        user: login.user.clone(),
        host: login.host.clone(),
        process_id: login.process_id,
        application: login.application.clone(),
        database: login.database.clone(),
        language: login.language.clone(),
        has_standard_settings: login.odbc,
    }
}

/// The end of a statement.
pub(super) fn done(done: push::Done) -> tds::Done {
    let kind = match done.kind {
        push::DoneKind::Statement => tds::DoneKind::Statement,
        push::DoneKind::InProcedure => tds::DoneKind::InProcedure,
        push::DoneKind::Procedure => tds::DoneKind::Procedure,
    };
    tds::Done { kind, command: command(done.command), count: done.count, error: done.error }
}

fn command(command: push::Command) -> tds::Command {
    use push::Command as Of;
    match command {
        Of::None => tds::Command::NONE,
        Of::Select => tds::Command::SELECT,
        Of::SelectInto => tds::Command::SELECT_INTO,
        Of::Insert => tds::Command::INSERT,
        Of::Delete => tds::Command::DELETE,
        Of::Update => tds::Command::UPDATE,
        Of::Merge => tds::Command::MERGE,
        Of::Truncate => tds::Command::TRUNCATE,
        Of::BulkInsert => tds::Command::BULK_INSERT,
        Of::CreateTable => tds::Command::CREATE_TABLE,
        Of::AlterTable => tds::Command::ALTER_TABLE,
        Of::DropTable => tds::Command::DROP_TABLE,
        Of::CreateIndex => tds::Command::CREATE_INDEX,
        Of::DropIndex => tds::Command::DROP_INDEX,
        Of::CreateView => tds::Command::CREATE_VIEW,
        Of::DropView => tds::Command::DROP_VIEW,
        Of::CreateTrigger => tds::Command::CREATE_TRIGGER,
        Of::CreateProcedure => tds::Command::CREATE_PROCEDURE,
        Of::DropProcedure => tds::Command::DROP_PROCEDURE,
        Of::Execute => tds::Command::EXECUTE,
        Of::Set => tds::Command::SET,
        Of::BeginTransaction => tds::Command::BEGIN_TRANSACTION,
        Of::Commit => tds::Command::COMMIT,
        Of::Rollback => tds::Command::ROLLBACK,
    }
}

/// A change of a session's surroundings.
pub(super) fn environment(change: &push::Environment) -> tds::Environment {
    match change {
        push::Environment::Database { new, old } => tds::Environment::Database { new: new.clone(), old: old.clone() },
        push::Environment::Language { new, old } => tds::Environment::Language { new: new.clone(), old: old.clone() },
        push::Environment::TransactionBegun(number) => tds::Environment::TransactionBegun(*number),
        push::Environment::TransactionCommitted(number) => tds::Environment::TransactionCommitted(*number),
        push::Environment::TransactionRolledBack(number) => tds::Environment::TransactionRolledBack(*number),
    }
}

/// The sources of columns.
pub(super) fn sources(sources: &[push::ColumnSource]) -> Vec<tds::ColumnSource> {
    let source = |source: &push::ColumnSource| tds::ColumnSource {
        table: source.table,
        name: source.name.clone(),
        key: source.key,
        hidden: source.hidden,
    };
    sources.iter().map(source).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_session::Declared;

    #[test]
    fn a_type_that_the_protocol_lacks_is_an_error_of_its_column() {
        let mut of = described(&tds::Column::new("span", DataType::Int));
        assert_eq!(column(&of).map(|column| column.data_type), Ok(DataType::Int));
        of.declared = Declared::new("interval", &[0, 4, 10]);
        let error = column(&of).unwrap_err();
        assert!(error.text.contains("column span has the type interval"), "{error}");
    }
}
