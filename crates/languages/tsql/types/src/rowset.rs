//! Functions that give rows: STRING_SPLIT, OPENJSON, OPENXML, GENERATE_SERIES, and `nodes` of XML.
//!
//! ```text
//!   RowFunction::new(name, detail, types)  ->  columns()  and, for the values of one call,  rows()
//! ```
//!
//! The *detail* is the statement's specification of the columns: for STRING_SPLIT the request for the ordinal, for
//! OPENJSON and OPENXML the WITH clause ([`Wanted`]), for `nodes` nothing.
//!
//! The arguments of OPENXML are the session's text of the document, its handle, the pattern and the flags.

use crate::context::Context;
use crate::convert::convert;
use crate::functions::{given, xml_variables};
use crate::json::{self, Kind, Path};
use crate::messages::Message;
use crate::operation::data_type;
use crate::text::Encoding;
use crate::types::{DataType, Length};
use crate::xml::open;
use mainstay_types::{Decimal, Value, ValueRef};

/// Ends a field, and a column, of a written WITH clause.
const FIELD: char = '\u{1f}';
const COLUMN: char = '\u{1e}';

/// The rows of a call, each made when it is asked for where the function can.
pub type Rows = Box<dyn Iterator<Item = Result<Vec<Value>, Message>> + Send>;

/// A column in the WITH of OPENJSON or OPENXML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its name.
    pub name: String,
    /// Its type.
    pub data_type: DataType,
    /// Where it is found in each row; without one it is the member of its own name.
    pub path: Option<String>,
    /// True if it is an object or array, given as it stands.
    pub as_json: bool,
}

impl Wanted {
    /// A WITH clause as a detail.
    pub fn write(columns: &[Wanted]) -> String {
        let column = |column: &Wanted| {
            let path = column.path.as_deref().unwrap_or("");
            let json = if column.as_json { "json" } else { "" };
            format!("{}{FIELD}{}{FIELD}{path}{FIELD}{json}", column.name, column.data_type)
        };
        columns.iter().map(column).collect::<Vec<_>>().join(&COLUMN.to_string())
    }

    fn read(detail: &str) -> Option<Vec<Wanted>> {
        let column = |text: &str| {
            let mut fields = text.split(FIELD);
            let (name, declared, path, json) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
            Some(Wanted {
                name: name.to_owned(),
                data_type: data_type(declared)?,
                path: (!path.is_empty()).then(|| path.to_owned()),
                as_json: !json.is_empty(),
            })
        };
        detail.split(COLUMN).map(column).collect()
    }

    fn full_path(&self) -> String {
        match &self.path {
            Some(path) => path.clone(),
            None => format!("$.\"{}\"", self.name.replace('\\', "\\\\").replace('"', "\\\"")),
        }
    }
}

/// A column of the rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowColumn {
    /// Its name.
    pub name: String,
    /// Its type.
    pub data_type: DataType,
}

/// A function that gives rows, for arguments of known types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowFunction {
    kind: FunctionKind,
    columns: Vec<RowColumn>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum FunctionKind {
    Split { ordinal: bool },
    Json,
    JsonWith(Vec<Wanted>),
    Edges,
    Xml(Vec<Wanted>),
    Series(DataType),
    Nodes { goes_up: bool },
}

/// Returns true if there is a function of this name, in lower case.
pub fn is_row_function(name: &str) -> bool {
    matches!(name, "string_split" | "openjson" | "openxml" | "generate_series" | "nodes")
}

impl RowFunction {
    /// The function of this name over arguments of these types; `None` for NULL.
    ///
    /// Errors: 208 for an unknown name, 8116 and 5373 for types that it does not take.
    pub fn new(name: &str, detail: &str, arguments: &[Option<DataType>]) -> Result<RowFunction, Message> {
        let unknown = || Message::error(208, format!("Invalid object name '{name}'."));
        let first = arguments.first().copied().flatten();
        let column = |name: &str, data_type: DataType| RowColumn { name: name.to_owned(), data_type };
        Ok(match name {
            "string_split" => {
                // As long as the first argument; national if one of the two is.
                let encodings = arguments.iter().flatten().map(|argument| argument.encoding());
                let encoding = encodings.fold(Encoding::DEFAULT, Encoding::meet);
                let length = first.and_then(DataType::length);
                let text = DataType::string_of(encoding, length.unwrap_or(Length::Limited(encoding.most() as u16)));
                let mut columns = vec![column("value", text)];
                if detail == "ordinal" {
                    columns.push(column("ordinal", DataType::BigInt));
                }
                RowFunction { kind: FunctionKind::Split { ordinal: detail == "ordinal" }, columns }
            }
            "openjson" if detail.is_empty() => {
                let columns = vec![
                    column("key", DataType::NVarChar(Length::Limited(4000))),
                    column("value", DataType::NVarChar(Length::Max)),
                    column("type", DataType::TinyInt),
                ];
                RowFunction { kind: FunctionKind::Json, columns }
            }
            "openjson" => {
                let wanted = Wanted::read(detail).ok_or_else(unknown)?;
                let columns = wanted.iter().map(|wanted| column(&wanted.name, wanted.data_type)).collect();
                RowFunction { kind: FunctionKind::JsonWith(wanted), columns }
            }
            "openxml" if detail.is_empty() => {
                let columns = open::edge_columns().map(|(name, data_type)| column(name, data_type));
                RowFunction { kind: FunctionKind::Edges, columns: columns.to_vec() }
            }
            "openxml" => {
                let wanted = Wanted::read(detail).ok_or_else(unknown)?;
                let columns = wanted.iter().map(|wanted| column(&wanted.name, wanted.data_type)).collect();
                RowFunction { kind: FunctionKind::Xml(wanted), columns }
            }
            "generate_series" => {
                let data_type = first.unwrap_or(DataType::Int);
                let is_exact = matches!(
                    data_type,
                    DataType::TinyInt
                        | DataType::SmallInt
                        | DataType::Int
                        | DataType::BigInt
                        | DataType::Decimal { .. }
                );
                if !is_exact {
                    let text = "The input data type for generate_series must be an exact numeric.";
                    return Err(Message::error(5373, text));
                }
                RowFunction { kind: FunctionKind::Series(data_type), columns: vec![column("value", data_type)] }
            }
            "nodes" => RowFunction {
                kind: FunctionKind::Nodes { goes_up: detail == "up" },
                columns: vec![column("node", DataType::Xml)],
            },
            _ => return Err(unknown()),
        })
    }

    /// The columns of the rows.
    pub fn columns(&self) -> &[RowColumn] {
        &self.columns
    }

    /// The rows for the values of one call, whose types are those of the arguments.
    ///
    /// Errors: those of JSON (13609 and others) and of conversions (245 and others), 214 for a separator that is not one
    /// character, 4199 for a step of zero.
    pub fn rows(&self, context: &Context<'_>, values: &[ValueRef<'_>]) -> Result<Rows, Message> {
        match &self.kind {
            FunctionKind::Series(data_type) => series(context, *data_type, values),
            FunctionKind::Split { ordinal } => split(values, *ordinal),
            _ => Ok(Box::new(self.all_rows(context, values)?.into_iter().map(Ok))),
        }
    }

    /// The rows of a function that makes them all at once: they are no more than its text has parts.
    fn all_rows(&self, context: &Context<'_>, values: &[ValueRef<'_>]) -> Result<Vec<Vec<Value>>, Message> {
        match &self.kind {
            FunctionKind::Json => {
                let (Some(text), path) = (text(values, 0), text(values, 1)) else { return Ok(Vec::new()) };
                let rows = json::open(text, path)?;
                let row = |row: json::Row| {
                    vec![Value::Text(row.key), row.value.map_or(Value::Null, Value::Text), Value::Integer(row.kind)]
                };
                Ok(rows.into_iter().map(row).collect())
            }
            FunctionKind::JsonWith(wanted) => {
                let (Some(text), path) = (text(values, 0), text(values, 1)) else { return Ok(Vec::new()) };
                json_rows(context, text, path, wanted)
            }
            FunctionKind::Edges => {
                let kept = open_document(values)?;
                text(values, 2).map_or(Ok(Vec::new()), |row| open::edges(kept, row))
            }
            FunctionKind::Xml(wanted) => {
                let kept = open_document(values)?;
                let flags = integer(values, 3).unwrap_or(0);
                text(values, 2).map_or(Ok(Vec::new()), |row| open::rows(context, kept, row, flags, wanted))
            }
            FunctionKind::Series(_) | FunctionKind::Split { .. } => Ok(Vec::new()),
            FunctionKind::Nodes { goes_up } => {
                let (Some(xml), Some(path)) = (text(values, 0), text(values, 1)) else { return Ok(Vec::new()) };
                let variables = xml_variables(values)?;
                let nodes = crate::xml::nodes(xml, path, &given(&variables), *goes_up)?;
                Ok(nodes.into_iter().map(|node| vec![Value::Text(node)]).collect())
            }
        }
    }
}

fn text<'v>(values: &[ValueRef<'v>], place: usize) -> Option<&'v str> {
    match values.get(place) {
        Some(ValueRef::Text(text)) => Some(text),
        _ => None,
    }
}

fn integer(values: &[ValueRef<'_>], place: usize) -> Option<i64> {
    match values.get(place) {
        Some(ValueRef::Integer(number)) => Some(*number),
        _ => None,
    }
}

/// The text of the document of a call.
///
/// Errors: 8179 for a handle that stands for none.
fn open_document<'v>(values: &[ValueRef<'v>]) -> Result<&'v str, Message> {
    let handle = integer(values, 1).unwrap_or(0);
    text(values, 0).ok_or_else(|| Message::numbered(8179, &[&handle]).state(5))
}

fn split(values: &[ValueRef<'_>], ordinal: bool) -> Result<Rows, Message> {
    let separator = text(values, 1).unwrap_or("");
    let mut characters = separator.chars();
    let (Some(separator), None) = (characters.next(), characters.next()) else {
        let text = "Procedure expects parameter 'separator' of type 'nchar(1)/nvarchar(1)'.";
        return Err(Message::error(214, text).state(11));
    };
    let Some(whole) = text(values, 0) else { return Ok(Box::new(std::iter::empty())) };
    let (whole, mut place, mut from) = (whole.to_owned(), 0, Some(0));
    let next = move || {
        let rest = whole.get(from?..)?;
        let part = match rest.find(separator) {
            Some(end) => {
                from = from.map(|from| from + end + separator.len_utf8());
                rest.get(..end)?
            }
            None => {
                from = None;
                rest
            }
        };
        place += 1;
        let mut row = vec![Value::Text(part.to_owned())];
        if ordinal {
            row.push(Value::Integer(place));
        }
        Some(Ok(row))
    };
    Ok(Box::new(std::iter::from_fn(next)))
}

/// The rows of OPENJSON with WITH: one for each element of an array, or the object itself.
fn json_rows(
    context: &Context<'_>,
    text: &str,
    path: Option<&str>,
    wanted: &[Wanted],
) -> Result<Vec<Vec<Value>>, Message> {
    let path = Path::read(path.unwrap_or("$"))?;
    let node = path.find(text).map_err(|malformed| malformed.message(text))?;
    let elements: Vec<&str> = match &node {
        Some(node) if node.kind == Kind::Array => {
            let children = json::children(text, node).map_err(|malformed| malformed.message(text))?;
            return rows_of(context, children.iter().map(|child| child.node.text(text)), wanted);
        }
        Some(node) if node.kind == Kind::Object => vec![node.text(text)],
        None if path.strict => return Err(Message::numbered(13608, &[])),
        Some(_) if path.strict => return Err(Message::numbered(13624, &[])),
        _ => Vec::new(),
    };
    rows_of(context, elements.into_iter(), wanted)
}

fn rows_of<'t>(
    context: &Context<'_>,
    elements: impl Iterator<Item = &'t str>,
    wanted: &[Wanted],
) -> Result<Vec<Vec<Value>>, Message> {
    let paths = wanted.iter().map(|wanted| Path::read(&wanted.full_path())).collect::<Result<Vec<_>, _>>()?;
    let row =
        |element: &str| wanted.iter().zip(&paths).map(|(wanted, path)| cell(context, element, wanted, path)).collect();
    elements.map(row).collect()
}

fn cell(context: &Context<'_>, element: &str, wanted: &Wanted, path: &Path) -> Result<Value, Message> {
    let missing = |number| if path.strict { Err(Message::numbered(number, &[])) } else { Ok(Value::Null) };
    let Some(node) = path.find(element).map_err(|malformed| malformed.message(element))? else {
        return missing(13608);
    };
    match (wanted.as_json, node.is_scalar()) {
        (true, false) => Ok(Value::Text(node.text(element).to_owned())),
        (true, true) => missing(13624),
        (false, false) => missing(13623),
        (false, true) => {
            let Some(scalar) = node.scalar(element) else { return Ok(Value::Null) };
            let from = DataType::NVarChar(Length::Max);
            // A bit is written true or false, which a conversion of a text to it knows too.
            convert(context, ValueRef::Text(&scalar), from, wanted.data_type, None)
        }
    }
}

/// The numbers from the first value to the second, by steps of the third: 1 or -1 if there is none.
fn series(context: &Context<'_>, data_type: DataType, values: &[ValueRef<'_>]) -> Result<Rows, Message> {
    if values.iter().any(|value| value.is_null()) {
        return Ok(Box::new(std::iter::empty()));
    }
    let scale = match data_type {
        DataType::Decimal { scale, .. } => scale,
        _ => 0,
    };
    let wide = DataType::Decimal { precision: 38, scale };
    let number = |place: usize| -> Result<Option<i128>, Message> {
        let Some(value) = values.get(place) else { return Ok(None) };
        let from = crate::convert::type_of(*value);
        Ok(match convert(context, *value, from, wide, None)? {
            Value::Decimal(number) => Some(number.unscaled),
            _ => None,
        })
    };
    let (Some(start), Some(stop)) = (number(0)?, number(1)?) else { return Ok(Box::new(std::iter::empty())) };
    let one = 10i128.pow(u32::from(scale));
    let step = number(2)?.unwrap_or(if start <= stop { one } else { -one });
    if step == 0 {
        let text = "Argument value 0 is invalid for argument 3 of generate_series function.";
        return Err(Message::error(4199, text));
    }
    let is_within = move |at: &i128| if step > 0 { *at <= stop } else { *at >= stop };
    let numbers = std::iter::successors(Some(start), move |at| at.checked_add(step)).take_while(is_within);
    let row = move |at: i128| match data_type {
        DataType::Decimal { .. } => Ok(vec![Value::Decimal(Decimal::new(at, scale))]),
        _ => Ok(vec![Value::Integer(i64::try_from(at).unwrap_or(i64::MAX))]),
    };
    Ok(Box::new(numbers.map(row)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(name: &str, detail: &str, values: &[ValueRef<'_>]) -> Vec<Vec<Value>> {
        let types: Vec<Option<DataType>> = values.iter().map(|value| Some(crate::convert::type_of(*value))).collect();
        let function = RowFunction::new(name, detail, &types).unwrap();
        function.rows(&Context::default(), values).unwrap().collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn texts_are_split_at_one_character() {
        let split = |text, by| rows("string_split", "ordinal", &[ValueRef::Text(text), ValueRef::Text(by)]);
        let row = |text: &str, place| vec![Value::Text(text.to_owned()), Value::Integer(place)];
        assert_eq!(split("a,b,,c", ","), [row("a", 1), row("b", 2), row("", 3), row("c", 4)]);
        assert_eq!(split("", ","), [row("", 1)]);
        let function = RowFunction::new("string_split", "", &[None, None]).unwrap();
        let error = function.rows(&Context::default(), &[ValueRef::Text("a"), ValueRef::Text("--")]).err();
        assert_eq!(error.map(|error| error.number), Some(214));
    }

    #[test]
    fn members_become_columns() {
        let wanted = |name: &str, data_type, path: Option<&str>, as_json| Wanted {
            name: name.to_owned(),
            data_type,
            path: path.map(str::to_owned),
            as_json,
        };
        let detail = Wanted::write(&[
            wanted("id", DataType::Int, None, false),
            wanted("city", DataType::varchar(Length::Limited(9)), Some("$.at.city"), false),
            wanted("tags", DataType::NVarChar(Length::Max), None, true),
        ]);
        let json = r#"{"all":[{"id":1,"at":{"city":"Oslo"},"tags":["a"]},{"id":"2"}]}"#;
        let seen = rows("openjson", &detail, &[ValueRef::Text(json), ValueRef::Text("$.all")]);
        let text = |text: &str| Value::Text(text.to_owned());
        assert_eq!(seen[0], [Value::Integer(1), text("Oslo"), text("[\"a\"]")]);
        assert_eq!(seen[1], [Value::Integer(2), Value::Null, Value::Null]);
    }

    #[test]
    fn series_go_up_and_down() {
        let numbers = |values: &[i64]| -> Vec<i64> {
            let values: Vec<ValueRef<'_>> = values.iter().map(|number| ValueRef::Integer(*number)).collect();
            let rows = rows("generate_series", "", &values);
            rows.iter().map(|row| if let [Value::Integer(number)] = row[..] { number } else { -99 }).collect()
        };
        assert_eq!(numbers(&[1, 3]), [1, 2, 3]);
        assert_eq!(numbers(&[3, 1]), [3, 2, 1]);
        assert_eq!(numbers(&[1, 10, 4]), [1, 5, 9]);
        assert_eq!(numbers(&[1, 3, -1]), [0; 0]);
    }

    #[test]
    fn a_series_without_end_is_made_as_it_is_read() {
        let function = RowFunction::new("generate_series", "", &[Some(DataType::BigInt)]).unwrap();
        let ends = [ValueRef::Integer(i64::MAX - 2), ValueRef::Integer(i64::MAX)];
        assert_eq!(function.rows(&Context::default(), &ends).unwrap().count(), 3);
        let all = function.rows(&Context::default(), &[ValueRef::Integer(1), ValueRef::Integer(i64::MAX)]).unwrap();
        let first: Result<Vec<_>, _> = all.take(2).collect();
        assert_eq!(first.unwrap(), [[Value::Integer(1)], [Value::Integer(2)]]);
    }
}
