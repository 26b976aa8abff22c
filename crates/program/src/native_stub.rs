//! Functions of the language, as the form names them.

use std::fmt;

/// A function of the language.
#[derive(Clone, Copy)]
pub struct NativeFunction {
    /// Its name, for the printed form. Two functions of one name count as the same.
    pub name: &'static str,
}

impl fmt::Debug for NativeFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for NativeFunction {
    fn eq(&self, other: &NativeFunction) -> bool {
        self.name == other.name
    }
}
