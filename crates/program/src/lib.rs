//! Programs and procedures in one typed form: the form, its bytecode, the machine that runs it.

mod fault;
mod form;
mod native_stub;
mod types;

pub use fault::{Fault, Place, Raised};
pub use form::*;
pub use native_stub::NativeFunction;
#[allow(unused_imports)]
pub(crate) use types::File;
pub use types::{Type, Width};
