//! Variables, and what else a statement is given when it runs: parameters.

use super::{Parameter, Reducer, Source, TakingColumn};
use crate::tree::Name;
use mainstay_mssql::{DataType, Message};

impl Reducer<'_> {
    /// The number of a parameter, from 1.
    pub(super) fn parameter_number(
        &mut self,
        source: Source,
        data_type: DataType,
        column: Option<TakingColumn>,
    ) -> usize {
        let is_it = |parameter: &Parameter| parameter.source == source && parameter.column == column;
        let known = self.parameters.iter().position(is_it);
        let number = known.unwrap_or_else(|| {
            self.parameters.push(Parameter { source, data_type, column });
            self.parameters.len() - 1
        });
        number + 1
    }

    /// Writes a parameter, with its type.
    pub(super) fn parameter(&mut self, source: Source, data_type: DataType) {
        let number = self.parameter_number(source, data_type, None);
        self.open(&format!("given:{data_type}"));
        self.push("$");
        self.number(number);
        self.push(")");
    }

    pub(super) fn variable(&mut self, name: &Name) -> Result<(), Message> {
        if let Some((_, text)) = self.inlined.iter().rev().find(|(known, _)| known.eq_ignore_ascii_case(&name.text)) {
            let text = text.clone();
            self.push(&text);
            return Ok(());
        }
        if name.text.starts_with("@@") {
            return self.niladic(&name.text);
        }
        let data_type = self.variable_type(name)?;
        self.parameter(Source::Variable(name.text.to_lowercase()), data_type);
        Ok(())
    }

    pub(super) fn variable_type(&self, name: &Name) -> Result<DataType, Message> {
        let undeclared = || {
            Message::error(137, format!("Must declare the scalar variable \"{}\".", name.text)).severity(15).state(2)
        };
        self.scope.variable(&name.text).ok_or_else(undeclared)
    }
}
