//! The methods of XML: `value`, `query`, `exist` and, as a source of rows, `nodes`.
//!
//! ```text
//!   c.value('(@id)[1]', 'int')                      "mssql:cast:int"("mssql:xml_value"("c", '(@id)[1]'))
//!   c.exist('a[. = sql:variable("@x")]')            "mssql:xml_exist"("c", '...', $1)
//! ```

use super::{Reducer, not_supported};
use crate::tree::{Argument, Call, Expr, Literal, Name, ObjectName, Select, SelectItem, Source};
use mainstay_tsql_types::{DataType, Length, Message};

/// The names of the methods; they are written in lower case.
const METHODS: [&str; 5] = ["value", "query", "exist", "nodes", "modify"];

/// A call `a.b.value(...)` as the method of the column `a.b`.
pub(super) fn method_of_column(call: &Call) -> Option<(Expr, &Name, Vec<Expr>)> {
    let (method, column) = call.name.parts.split_last()?;
    if column.is_empty() || !METHODS.contains(&method.text.as_str()) {
        return None;
    }
    let value = |argument: &Argument| match argument {
        Argument::Value(value) => Some(value.clone()),
        _ => None,
    };
    let arguments = call.arguments.iter().map(value).collect::<Option<Vec<_>>>()?;
    let column = ObjectName { parts: column.to_vec(), span: call.name.span };
    Some((Expr::Column(column), method, arguments))
}

/// The text of a literal.
pub(super) fn literal_text(value: &Expr) -> Option<&str> {
    match value {
        Expr::Literal(Literal::String(text) | Literal::NationalString(text)) => Some(text),
        _ => None,
    }
}

/// The values that `sql:variable` and `sql:column` name in a path, in order.
pub(super) fn named_in(path: &str) -> Vec<Expr> {
    let mut named = Vec::new();
    let mut rest = path;
    while let Some(place) = rest.find("sql:") {
        rest = &rest[place + 4..];
        let is_variable = rest.starts_with("variable");
        let Some(inner) = rest.split_once(['"', '\'']).map(|(_, inner)| inner) else { break };
        let Some((name, behind)) = inner.split_once(['"', '\'']) else { break };
        let part = |text: &str| Name { text: text.trim_matches(['[', ']']).to_owned(), ..Name::default() };
        named.push(match is_variable {
            true => Expr::Variable(part(name)),
            false => Expr::Column(ObjectName { parts: name.split('.').map(part).collect(), ..ObjectName::default() }),
        });
        rest = behind;
    }
    named
}

impl Reducer<'_> {
    /// Writes a method as a value.
    pub(super) fn method(&mut self, target: &Expr, method: &Name, arguments: &[Expr]) -> Result<(), Message> {
        let path = arguments.first();
        let Some(path_text) = path.and_then(literal_text) else {
            let text =
                format!("The argument 1 of the XML data type method \"{}\" must be a string literal.", method.text);
            return Err(Message::error(8172, text));
        };
        let mut values = vec![target, path.unwrap_or(target)];
        let named = named_in(path_text);
        values.extend(&named);
        match (method.text.as_str(), arguments) {
            ("value", [_, data_type]) => {
                let Some(data_type) = literal_text(data_type) else {
                    let text = "The argument 2 of the XML data type method \"value\" must be a string literal.";
                    return Err(Message::error(8172, text));
                };
                let written: String = data_type.to_lowercase().split_whitespace().collect();
                let declared = mainstay_tsql_types::operation::data_type(&with_length(&written));
                let declared = declared.ok_or_else(|| {
                    Message::error(9500, format!("The data type '{data_type}' used in the VALUE method is invalid."))
                })?;
                if declared == DataType::NVarChar(Length::Max) {
                    return self.call("xml_value", &values);
                }
                self.open(&format!("cast:{declared}"));
                self.call(if declared.is_binary() { "xml_bytes" } else { "xml_value" }, &values)?;
                self.push(")");
                Ok(())
            }
            ("query", [_]) => self.call("xml_query", &values),
            ("exist", [_]) => self.call("xml_exist", &values),
            // The value of SET @x.modify(...): the changed text.
            ("modify", [_]) => self.call("xml_modify", &values),
            (other, _) => Err(not_supported(&format!("The method {other}"))),
        }
    }
}

/// A type as it is written without its length, as types are known here.
fn with_length(written: &str) -> String {
    match written {
        "varchar" | "nvarchar" | "char" | "nchar" | "varbinary" | "binary" => format!("{written}(1)"),
        "decimal" | "numeric" => "decimal(18,0)".to_owned(),
        "datetime2" | "datetimeoffset" | "time" => format!("{written}(7)"),
        "integer" => "int".to_owned(),
        other => other.replace("numeric(", "decimal("),
    }
}

/// Returns true if a path into XML may go up from the rows of `nodes`: a source of them is there, and two points are.
pub(super) fn looks_up(select: &Select) -> bool {
    fn has_nodes(source: &Source) -> bool {
        match source {
            Source::Function(call, ..) => super::rowset::is_rowset(call),
            Source::Join(join) => has_nodes(&join.left) || has_nodes(&join.right),
            Source::Apply(left, _, right) => has_nodes(left) || has_nodes(right),
            Source::Nested(inner) | Source::OdbcJoin(inner) => has_nodes(inner),
            _ => false,
        }
    }
    fn paths<'s>(source: &'s Source, out: &mut Vec<&'s Expr>) {
        match source {
            Source::Function(call, ..) => out.push(call),
            Source::Join(join) => [&join.left, &join.right].into_iter().for_each(|side| paths(side, out)),
            Source::Apply(left, _, right) => [left, right].into_iter().for_each(|side| paths(side, out)),
            Source::Nested(inner) | Source::OdbcJoin(inner) => paths(inner, out),
            _ => {}
        }
    }
    if !select.from.iter().any(has_nodes) {
        return false;
    }
    let mut values: Vec<&Expr> = select.condition.iter().collect();
    values.extend(select.items.iter().filter_map(|item| match item {
        SelectItem::Value(value, _) | SelectItem::Assign(_, _, value) => Some(value),
        SelectItem::Star(_) => None,
    }));
    select.from.iter().for_each(|source| paths(source, &mut values));
    values.iter().any(|value| crate::printer::print_expression(value).contains(".."))
}
