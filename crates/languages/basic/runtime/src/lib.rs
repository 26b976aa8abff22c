//! Business BASIC programs.

pub mod calendar;
pub mod fault;
pub mod mask;
pub mod number;
pub mod number_text;
