//! Names of tables, columns and indexes.
//!
//! Mainstay compares names without regard to case, and shows them as they were written at their definition.

use crate::parse::text::Text;
use datafusion::sql::sqlparser::ast::{Ident, ObjectName};
use mainstay_types::{Code, Error, Result};
use std::fmt;

/// A name, with the schema that was written before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The schema in lower case, if one was named.
    pub schema: Option<String>,
    /// The name in lower case: what it is looked up by.
    pub key: String,
    /// The name as it was written.
    pub written: String,
}

impl Name {
    /// A name that no statement has written.
    pub fn new(name: &str) -> Name {
        Name { schema: None, key: name.to_lowercase(), written: name.to_owned() }
    }

    /// The name as a statement can have it, whatever characters it is made of.
    pub fn quoted(&self) -> String {
        let quoted = |part: &str| format!("\"{}\"", part.replace('"', "\"\""));
        match &self.schema {
            Some(schema) => format!("{}.{}", quoted(schema), quoted(&self.key)),
            None => quoted(&self.key),
        }
    }

    /// A name of one or two parts.
    pub(crate) fn of(name: &ObjectName, text: &Text) -> Result<Name> {
        let parts: Option<Vec<&Ident>> = name.0.iter().map(|part| part.as_ident()).collect();
        match parts.as_deref() {
            Some([last]) => Ok(Name::simple(last, text)),
            Some([schema, last]) => Ok(Name { schema: Some(key_of(schema)), ..Name::simple(last, text) }),
            _ => Err(Error::new(Code::Syntax, format!("{name} is not the name of a table or column"))),
        }
    }

    /// A name of one part.
    pub(crate) fn simple(ident: &Ident, text: &Text) -> Name {
        let key = key_of(ident);
        let written = text.spelling_of(ident).unwrap_or_else(|| ident.value.clone());
        Name { schema: None, key, written }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.schema {
            Some(schema) => write!(f, "{schema}.{}", self.written),
            None => f.write_str(&self.written),
        }
    }
}

fn key_of(ident: &Ident) -> String {
    ident.value.to_lowercase()
}
