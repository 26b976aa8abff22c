//! Triggers: their sections as programs. The columns of the old and the new row that a section mentions are parameters of its
//! program, and those that INTO names are read from there afterwards.

use super::{Action, Compiled, Compiler, Environment, Place, Variable, storage};
use crate::error::{Parse, SqlError};
use crate::tree::{Block, Name, ObjectName, Spl, SplKind, Trigger, Triggered};
use crate::types::Type;
use mainstay_types::Value;
use mainstay_vm as program;

/// The rows that a section of a trigger may mention.
pub(super) struct Rows {
    table: ObjectName,
    old: Option<String>,
    new: Option<String>,
    parameters: Vec<ColumnParameter>,
}

/// A parameter of a section: a column of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnParameter {
    /// A column of the new row.
    pub is_new: bool,
    /// The column.
    pub column: String,
    /// Its type.
    pub known: Type,
    /// INTO gives it a value.
    pub is_assigned: bool,
}

/// A section of a trigger.
#[derive(Debug)]
pub struct Section {
    /// The program.
    pub compiled: Compiled,
    /// The columns that its parameters are.
    pub columns: Vec<ColumnParameter>,
}

/// A trigger in the typed form.
#[derive(Debug)]
pub struct CompiledTrigger {
    /// BEFORE.
    pub before: Option<Section>,
    /// FOR EACH ROW.
    pub each_row: Option<Section>,
    /// AFTER.
    pub after: Option<Section>,
}

/// Compiles a trigger; `text` is what its places are in.
///
/// Errors: as [`super::compile_routine`].
pub fn compile_trigger(trigger: &Trigger, text: &str, environment: &dyn Environment) -> Parse<CompiledTrigger> {
    let section = |actions: &[Triggered], has_rows: bool| -> Parse<Option<Section>> {
        if actions.is_empty() {
            return Ok(None);
        }
        let mut compiler = Compiler::new(trigger.name.last(), text, environment);
        (compiler.routine.result, compiler.routine.default_result) = (None, Value::Null);
        let lower = |name: &Option<Name>| name.as_ref().map(|name| name.text.to_lowercase());
        compiler.rows = Some(Rows {
            table: trigger.table.clone(),
            old: lower(&trigger.old).filter(|_| has_rows),
            new: lower(&trigger.new).filter(|_| has_rows),
            parameters: Vec::new(),
        });
        let body = compiler.triggered(actions)?;
        compiler.routine.body = body;
        let columns = compiler.rows.take().map(|rows| rows.parameters).unwrap_or_default();
        let Compiler { routine, actions, .. } = compiler;
        let parameters = columns.iter().map(|column| (column.column.clone(), column.known)).collect();
        let compiled =
            Compiled { routine, actions, parameters, outputs: Vec::new(), returns: Vec::new(), is_single: false };
        Ok(Some(Section { compiled, columns }))
    };
    Ok(CompiledTrigger {
        before: section(&trigger.before, false)?,
        each_row: section(&trigger.each_row, true)?,
        after: section(&trigger.after, false)?,
    })
}

impl Compiler<'_> {
    /// A column of a row that a trigger mentions; `None` for a name that is none.
    ///
    /// Errors: -217 for a column that the table does not have.
    pub(super) fn row_column(&mut self, row: &Name, column: &Name) -> Parse<Option<Variable>> {
        let Some(rows) = &self.rows else { return Ok(None) };
        let is = |alias: &Option<String>| alias.as_deref().is_some_and(|alias| row.is(alias));
        let is_new = is(&rows.new);
        if !is_new && !is(&rows.old) {
            return Ok(None);
        }
        self.row_parameter(is_new, column).map(Some)
    }

    fn row_parameter(&mut self, is_new: bool, column: &Name) -> Parse<Variable> {
        let missing = || {
            let text = format!("Column ({}) not found in any table in the query.", column.text);
            SqlError::at(-217, column.span, text).about(&column.text)
        };
        let Some(rows) = &mut self.rows else { return Err(missing()) };
        let key = column.text.to_lowercase();
        let place = rows.parameters.iter().position(|known| known.is_new == is_new && known.column == key);
        if let Some(place) = place {
            let known = rows.parameters[place].known;
            let slot = self.routine.parameters.get(place).map(|parameter| parameter.slot).ok_or_else(missing)?;
            return Ok(Variable { place: Place::Slot(slot), known });
        }
        let known = self.environment.column(&rows.table, &key).ok_or_else(missing)?;
        rows.parameters.push(ColumnParameter { is_new, column: key.clone(), known, is_assigned: false });
        let name = format!("{}.{key}", if is_new { "new" } else { "old" });
        let slot = self.routine.parameter(&name, storage(known), program::Direction::In, None);
        Ok(Variable { place: Place::Slot(slot), known })
    }

    fn triggered(&mut self, all: &[Triggered]) -> Parse<Vec<program::Statement>> {
        let mut body = Vec::new();
        for part in all {
            let mut then = Vec::new();
            for action in &part.actions {
                self.triggered_action(action, &mut then)?;
            }
            match &part.condition {
                Some(condition) => {
                    let condition = self.condition(condition)?;
                    let kind = program::StatementKind::If { condition, then, otherwise: Vec::new() };
                    body.push(program::Statement::new(1, kind));
                }
                None => body.extend(then),
            }
        }
        Ok(body)
    }

    fn triggered_action(&mut self, action: &Spl, block: &mut Vec<program::Statement>) -> Parse<()> {
        let SplKind::Call(call, columns) = &action.kind else {
            let only = Block { statements: vec![action.clone()], ..Block::default() };
            block.extend(self.block(&only)?);
            return Ok(());
        };
        let mut targets = Vec::new();
        for column in columns {
            let variable = self.row_parameter(true, column)?;
            if let Some(rows) = &mut self.rows {
                let is_it = |known: &&mut ColumnParameter| known.is_new && column.is(&known.column);
                rows.parameters.iter_mut().filter(is_it).for_each(|known| known.is_assigned = true);
            }
            targets.push(variable);
        }
        self.call_into(call, targets, action.span, block)
    }
}

impl Section {
    /// The actions of its program.
    pub fn actions(&self) -> &[Action] {
        &self.compiled.actions
    }
}
