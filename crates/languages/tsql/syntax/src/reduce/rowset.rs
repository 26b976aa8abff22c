//! Built-in functions in FROM: STRING_SPLIT, OPENJSON, OPENXML, GENERATE_SERIES, and the rows of `nodes`.
//!
//! ```text
//!   OPENJSON(t.doc, '$.lines') WITH (id INT, tags NVARCHAR(MAX) AS JSON) AS j
//!   (SELECT * FROM "mssql:table:openjson"('id int, tags ...', "t"."doc", '$.lines')) AS "j"
//!
//!   OPENXML(@h, '/a/b', 1) WITH (id INT)
//!   (SELECT * FROM "mssql:table:openxml"('id int ...', $1, $2, '/a/b', 1)) AS "openxml"      $1: the document of @h
//! ```

use super::{CatalogFunction, Reducer, Source, not_supported, refusals};
use crate::tree::{Alias, Argument, Call, Expr, Literal, ObjectName, SchemaColumn};
use mainstay_tsql_types::rowset::{Wanted, is_row_function};
use mainstay_tsql_types::types::Declared;
use mainstay_tsql_types::{DataType, Length, Message};

/// Returns true if this call in FROM is one of these functions.
pub(super) fn is_rowset(call: &Expr) -> bool {
    match call {
        Expr::Method(_, name, _) => name.text == "nodes",
        Expr::Call(call) => {
            super::xml::method_of_column(call).is_some_and(|(_, method, _)| method.text == "nodes")
                || call.name.parts.len() == 1 && is_row_function(&call.name.last().to_ascii_lowercase())
        }
        _ => false,
    }
}

/// The function that reads the text of the document that a session has under a handle.
const XML_DOCUMENT: CatalogFunction =
    CatalogFunction { name: "xml_document", data_type: DataType::NVarChar(Length::Max) };

/// The server that OPENQUERY asks.
pub(super) fn linked_server(call: &Expr) -> Option<&str> {
    let Expr::Call(call) = call else { return None };
    match call.arguments.first() {
        Some(Argument::Value(Expr::Column(server))) if call.name.is("OPENQUERY") => Some(server.last()),
        _ => None,
    }
}

impl Reducer<'_> {
    /// Writes OPENXML with the columns of a table.
    ///
    /// Errors: 208 for a table that is not there.
    pub(super) fn rowset_like(&mut self, call: &Expr, table: &ObjectName, alias: &Alias) -> Result<(), Message> {
        if !matches!(call, Expr::Call(call) if call.name.is("OPENXML")) {
            return Err(not_supported(refusals::ROWSET_FUNCTION));
        }
        let Some(columns) = self.scope.columns(table) else {
            return Err(Message::error(208, format!("Invalid object name '{}'.", table.last())));
        };
        let wanted = columns.into_iter().map(|column| Wanted {
            name: column.name,
            data_type: column.data_type,
            path: None,
            as_json: false,
        });
        let detail = Wanted::write(&wanted.collect::<Vec<_>>());
        let (name, _, arguments) = self.parts_of(call, &[])?;
        self.rowset_of(&name, &detail, &arguments, alias)
    }

    /// Writes one of these functions with its alias.
    pub(super) fn rowset(&mut self, call: &Expr, columns: &[SchemaColumn], alias: &Alias) -> Result<(), Message> {
        let (name, detail, arguments) = self.parts_of(call, columns)?;
        self.rowset_of(&name, &detail, &arguments, alias)
    }

    /// The function, its detail, and its arguments.
    fn parts_of(&mut self, call: &Expr, columns: &[SchemaColumn]) -> Result<(String, String, Vec<Expr>), Message> {
        Ok(match call {
            Expr::Method(target, _, Some(arguments)) => ("nodes".to_owned(), self.detail(), nodes(target, arguments)),
            Expr::Call(call) => match super::xml::method_of_column(call) {
                Some((target, _, arguments)) => ("nodes".to_owned(), self.detail(), nodes(&target, &arguments)),
                None => self.called(call, columns)?,
            },
            _ => return Err(not_supported("This source")),
        })
    }

    fn rowset_of(&mut self, name: &str, detail: &str, arguments: &[Expr], alias: &Alias) -> Result<(), Message> {
        // A subquery among the arguments becomes a row that the function looks at.
        let is_simple = !arguments.iter().any(has_subquery);
        self.push("(SELECT ");
        self.push(if is_simple { "* FROM " } else { "\"#f\".* FROM (SELECT " });
        if !is_simple {
            for (place, argument) in arguments.iter().enumerate() {
                self.push(if place > 0 { ", " } else { "" });
                self.expression(argument)?;
                self.push(&format!(" AS \"#{place}\""));
            }
            self.push(") AS \"#a\" CROSS JOIN LATERAL (SELECT * FROM ");
        }
        self.push(&super::quoted(&format!("mssql:table:{name}")));
        self.push("(");
        self.text(detail);
        self.document_of(name, arguments)?;
        for (place, argument) in arguments.iter().enumerate() {
            self.push(", ");
            match is_simple {
                true => self.expression(argument)?,
                false => self.push(&format!("\"#a\".\"#{place}\"")),
            }
        }
        self.push(if is_simple { "))" } else { ")) AS \"#f\")" });
        match &alias.name {
            Some(_) => self.alias(alias),
            None => {
                self.push(" AS ");
                self.name(name);
                Ok(())
            }
        }
    }

    /// Writes what the session keeps of the document of OPENXML, before the handle itself.
    fn document_of(&mut self, name: &str, arguments: &[Expr]) -> Result<(), Message> {
        let Some(handle) = arguments.first().filter(|_| name == "openxml") else { return Ok(()) };
        let handle = self.input(handle)?;
        self.push(", ");
        self.parameter(Source::Catalog(XML_DOCUMENT, vec![handle]), XML_DOCUMENT.data_type);
        Ok(())
    }

    /// Returns true if the rows of `nodes` are asked for what is above them.
    fn detail(&self) -> String {
        if self.looks_up { "up".to_owned() } else { String::new() }
    }

    fn called(&mut self, call: &Call, columns: &[SchemaColumn]) -> Result<(String, String, Vec<Expr>), Message> {
        let name = call.name.last().to_ascii_lowercase();
        let value = |argument: &Argument| match argument {
            Argument::Value(value) => Ok(value.clone()),
            _ => Err(not_supported("An argument of this form")),
        };
        let mut arguments = call.arguments.iter().map(value).collect::<Result<Vec<_>, Message>>()?;
        let detail = match name.as_str() {
            "string_split" => {
                if !(2..=3).contains(&arguments.len()) {
                    let text = "The string_split function requires 2 to 3 arguments.";
                    return Err(Message::error(189, text).severity(15));
                }
                let wants = arguments
                    .get(2)
                    .is_some_and(|ordinal| matches!(ordinal, Expr::Literal(Literal::Integer(digits)) if digits == "1"));
                arguments.truncate(2);
                if wants { "ordinal".to_owned() } else { String::new() }
            }
            "openxml" if !(2..=3).contains(&arguments.len()) => {
                return Err(Message::error(102, "Incorrect syntax near ')'.").severity(15));
            }
            "openjson" | "openxml" if !columns.is_empty() => self.with_clause(columns)?,
            _ => String::new(),
        };
        Ok((name, detail, arguments))
    }

    fn with_clause(&self, columns: &[SchemaColumn]) -> Result<String, Message> {
        let wanted = |column: &SchemaColumn| -> Result<Wanted, Message> {
            let place = Declared::Column(1, &column.name.text);
            let data_type: DataType = super::data_type(&column.data_type, place, self.scope)?;
            let path = column.path.as_ref().and_then(super::xml::literal_text).map(str::to_owned);
            Ok(Wanted { name: column.name.text.clone(), data_type, path, as_json: column.as_json })
        };
        let wanted = columns.iter().map(wanted).collect::<Result<Vec<_>, Message>>()?;
        Ok(Wanted::write(&wanted))
    }
}

/// The XML, the path, and what variables and columns in it name.
fn nodes(target: &Expr, arguments: &[Expr]) -> Vec<Expr> {
    let path = arguments.first().and_then(super::xml::literal_text);
    let named = path.map(super::xml::named_in).unwrap_or_default();
    std::iter::once(target.clone()).chain(arguments.iter().cloned()).chain(named).collect()
}

/// Returns true if a subquery is in an argument, where only columns and constants can be.
fn has_subquery(value: &Expr) -> bool {
    match value {
        Expr::Subquery(_) | Expr::Exists(_) => true,
        Expr::Unary(_, inner) | Expr::Collate(inner, _) => has_subquery(inner),
        Expr::Binary(left, _, right) => has_subquery(left) || has_subquery(right),
        Expr::Cast(cast) => has_subquery(&cast.value),
        Expr::Call(call) => call.arguments.iter().any(|argument| match argument {
            Argument::Value(value) => has_subquery(value),
            _ => false,
        }),
        Expr::Method(target, ..) => has_subquery(target),
        _ => false,
    }
}
