//! Variables that are NULL, where ANSI_NULLS is off.
//!
//! `WHERE city = @city` then finds the rows without a city if `@city` is NULL, and is an ordinary comparison, which an
//! index answers, if it is not. So a statement is reduced for the NULLs among its variables, and its plan is valid only
//! for them.

use crate::session::Inner;
use mainstay_tsql_types::Switches;
use std::cell::RefCell;

/// The NULL variables of the running statement.
#[derive(Debug, Default)]
pub(crate) struct Nulls {
    /// Those that are NULL, in lower case.
    now: RefCell<Vec<String>>,
    /// The variables that the reduction of the statement asked for, and the answers.
    asked: RefCell<Vec<Asked>>,
}

/// A variable in lower case, and whether it was NULL.
pub(crate) type Asked = (String, bool);

impl Nulls {
    /// A statement begins to which these variables are NULL.
    fn begin<'n>(&self, names: impl Iterator<Item = &'n str>) {
        *self.now.borrow_mut() = names.map(str::to_owned).collect();
    }

    /// Returns true if a variable is NULL, and notes the question.
    pub(crate) fn asks(&self, variable: &str) -> bool {
        let name = variable.to_lowercase();
        let is_null = self.now.borrow().contains(&name);
        let mut asked = self.asked.borrow_mut();
        if !asked.iter().any(|(known, _)| *known == name) {
            asked.push((name, is_null));
        }
        is_null
    }

    /// The questions since the last call.
    pub(crate) fn take(&self) -> Vec<Asked> {
        self.asked.take()
    }

    /// Returns true if the variables have the same NULLs as then.
    pub(crate) fn hold(&self, asked: &[Asked]) -> bool {
        asked.is_empty() || {
            let now = self.now.borrow();
            asked.iter().all(|(name, was_null)| now.contains(name) == *was_null)
        }
    }
}

impl Inner {
    /// A statement begins with these variables, and whether each is NULL: kept where ANSI_NULLS is off.
    #[inline]
    pub(crate) fn begin_nulls<'n>(&self, variables: impl Iterator<Item = (&'n str, bool)>) {
        if !self.state.options.settings.has(Switches::ANSI_NULLS) {
            self.nulls.begin(variables.filter(|(_, is_null)| *is_null).map(|(name, _)| name));
        }
    }
}
