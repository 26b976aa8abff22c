//! Types as languages declare them, beside the engine's own.

use std::borrow::Cow;
use std::ops::Deref;

/// A type as a language declares it: `datetime` with the arguments 0 and 10, `money` with 16 and 2. Making and copying one
/// whose name is a constant allocates nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// Its name in lower case.
    pub name: Cow<'static, str>,
    /// Lengths, digits or fields, as the language numbers them.
    pub arguments: Arguments,
}

/// The most arguments of a type.
const MOST: usize = 4;

/// The arguments of a type: four at most, which are kept in place.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Arguments {
    values: [u32; MOST],
    count: u8,
}

impl Declared {
    /// The argument of a length without a limit.
    pub const MAX: u32 = u32::MAX;

    /// A type of this name with these arguments; no type has more than four, and further ones are left out.
    pub fn new(name: &'static str, arguments: &[u32]) -> Declared {
        Declared { name: Cow::Borrowed(name), arguments: arguments.into() }
    }
}

impl From<&[u32]> for Arguments {
    fn from(given: &[u32]) -> Arguments {
        let mut arguments = Arguments::default();
        for (place, value) in arguments.values.iter_mut().zip(given) {
            *place = *value;
            arguments.count += 1;
        }
        arguments
    }
}

impl Deref for Arguments {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        self.values.get(..usize::from(self.count)).unwrap_or_default()
    }
}

impl std::fmt::Debug for Arguments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_those_that_were_given() {
        let declared = Declared::new("decimal", &[10, 2]);
        assert_eq!((&*declared.name, &declared.arguments[..]), ("decimal", &[10, 2][..]));
        assert_eq!(Declared::new("int", &[]).arguments.len(), 0);
        assert_ne!(Declared::new("varchar", &[0]), Declared::new("varchar", &[]));
        assert_eq!(format!("{:?}", declared.arguments), "[10, 2]");
    }
}
