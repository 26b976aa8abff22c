//! Printer: a tree as program text, for LIST, LST( ) and the formatter.
//!
//! The text parses to the same tree. Words are upper case, directives are separated by `; `, numbers have four digits
//! or five.

mod directive;
mod expression;
mod session;

pub use expression::expression;

use crate::tree::{Line, Program};

/// A whole program; unnumbered sources are listed without numbers.
pub fn program(program: &Program) -> Vec<u8> {
    let mut out = Vec::new();
    for line in &program.lines {
        if program.numbered {
            out.extend_from_slice(&line_text(line));
        } else {
            out.extend_from_slice(&statement(line));
        }
        out.push(b'\n');
    }
    out
}

/// A line with its number.
pub fn line_text(line: &Line) -> Vec<u8> {
    let mut out = format!("{:04} ", line.number).into_bytes();
    out.extend_from_slice(&statement(line));
    out
}

/// A line without its number.
pub fn statement(line: &Line) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(label) = &line.label {
        out.extend_from_slice(label.as_bytes());
        out.push(b':');
        if !line.directives.is_empty() {
            out.push(b' ');
        }
    }
    directive::list(&mut out, &line.directives);
    out
}
