//! Variables and other parameters of a running statement.

use super::{Parameter, Reducer, Source, TakingColumn};
use crate::tree::Name;
use mainstay_tsql_types::{DataType, Message};
use std::rc::Rc;

/// The value of a parameter of a function whose query stands in for its call.
#[derive(Clone)]
pub(super) struct InlinedValue {
    /// The parameter, with the `@`.
    pub(super) name: String,
    /// The value as it was written.
    pub(super) text: String,
    /// The parameters of the statement that its numbers are of.
    pub(super) parameters: Rc<[Parameter]>,
}

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
        if let Some(value) = self.inlined.iter().rev().find(|value| value.name.eq_ignore_ascii_case(&name.text)) {
            let value = value.clone();
            self.inlined_value(&value);
            return Ok(());
        }
        if name.text.starts_with("@@") {
            return self.niladic(&name.text);
        }
        let data_type = self.variable_type(name)?;
        self.parameter(Source::Variable(name.text.to_lowercase()), data_type);
        Ok(())
    }

    /// Returns true if this is a parameter of a function whose query stands in for its call.
    pub(super) fn is_inlined(&self, name: &Name) -> bool {
        self.inlined.iter().any(|value| value.name.eq_ignore_ascii_case(&name.text))
    }

    /// Writes the value of a parameter of a function whose query stands in for its call. Where that query asks for the
    /// arguments of another function, what is written has parameters of its own, with other numbers.
    fn inlined_value(&mut self, value: &InlinedValue) {
        let mut rest = &value.text[..];
        let mut quote = None;
        while let Some(at) = rest.find(['$', '\'', '"']) {
            let (before, from) = rest.split_at(at);
            self.push(before);
            let (mark, behind) = from.split_at(1);
            self.push(mark);
            rest = behind;
            if quote == Some(mark) {
                quote = None;
            } else if quote.is_none() && mark != "$" {
                quote = Some(mark);
            } else if quote.is_none() {
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                let given =
                    rest[..digits].parse().ok().and_then(|number: usize| value.parameters.get(number.checked_sub(1)?));
                if let Some(given) = given {
                    let Parameter { source, data_type, column } = given.clone();
                    let number = self.parameter_number(source, data_type, column);
                    self.number(number);
                    rest = &rest[digits..];
                }
            }
        }
        self.push(rest);
    }

    pub(super) fn variable_type(&self, name: &Name) -> Result<DataType, Message> {
        let undeclared = || {
            Message::error(137, format!("Must declare the scalar variable \"{}\".", name.text)).severity(15).state(2)
        };
        self.scope.variable(&name.text).ok_or_else(undeclared)
    }
}
