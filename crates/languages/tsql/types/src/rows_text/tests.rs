//! Rows as texts, by the examples of the reference of FOR JSON and FOR XML.

use super::{Layout, LayoutColumn, Mode, RowsColumn};
use crate::types::{DataType, Length};
use mainstay_types::Value;

fn text(layout: Layout, columns: &[(&str, Option<&str>)], rows: &[Vec<Value>]) -> String {
    let data_type =
        |place: usize| match rows.iter().find_map(|row| row.get(place).filter(|value| **value != Value::Null)) {
            Some(Value::Integer(_)) => DataType::Int,
            Some(Value::Boolean(_)) => DataType::Bit,
            _ => DataType::NVarChar(Length::Max),
        };
    let column = |(place, (name, table)): (usize, &(&str, Option<&str>))| RowsColumn {
        name: (*name).to_owned(),
        data_type: data_type(place),
        table: table.map(str::to_owned),
    };
    let columns: Vec<RowsColumn> = columns.iter().enumerate().map(column).collect();
    let layout = Layout { columns: vec![LayoutColumn::Star], ..layout };
    let layout = Layout::read(&layout.write()).unwrap();
    layout.shape(columns).unwrap().text(rows).unwrap().unwrap_or_default()
}

fn row(id: i64, name: &str) -> Vec<Value> {
    vec![Value::Integer(id), Value::Text(name.to_owned())]
}

#[test]
fn json_paths_nest() {
    let rows = [vec![Value::Integer(1), Value::Text("a\"b".to_owned()), Value::Null, Value::Boolean(true)]];
    let columns = [("id", None), ("info.name", None), ("info.age", None), ("ok", None)];
    assert_eq!(text(Layout::default(), &columns, &rows), r#"[{"id":1,"info":{"name":"a\"b"},"ok":true}]"#);
    let nulls = Layout { nulls: true, bare: true, root: Some("r".to_owned()), ..Layout::default() };
    let wanted = r#"{"r":{"id":1,"info":{"name":"a\"b","age":null},"ok":true}}"#;
    assert_eq!(text(nulls, &columns, &rows), wanted);
}

#[test]
fn auto_nests_tables() {
    let columns = [("Name", Some("c")), ("Id", Some("o"))];
    let rows: Vec<Vec<Value>> = [("Anna", 1), ("Anna", 2), ("Bert", 3)]
        .map(|(name, id)| vec![Value::Text(name.to_owned()), Value::Integer(id)])
        .to_vec();
    let auto = Layout { mode: Mode::Auto, tables: vec!["c".to_owned(), "o".to_owned()], ..Layout::default() };
    let wanted = r#"[{"Name":"Anna","o":[{"Id":1},{"Id":2}]},{"Name":"Bert","o":[{"Id":3}]}]"#;
    assert_eq!(text(auto.clone(), &columns, &rows), wanted);
    let wanted = r#"<c Name="Anna"><o Id="1"/><o Id="2"/></c><c Name="Bert"><o Id="3"/></c>"#;
    assert_eq!(text(Layout { xml: true, ..auto }, &columns, &rows), wanted);
}

#[test]
fn xml_raw_and_path() {
    let xml = Layout { xml: true, ..Layout::default() };
    let raw = Layout { mode: Mode::Raw, ..xml.clone() };
    let columns = [("Id", None), ("Name", None)];
    let rows = [row(1, "a<b"), vec![Value::Integer(2), Value::Null]];
    assert_eq!(text(raw.clone(), &columns, &rows), r#"<row Id="1" Name="a&lt;b"/><row Id="2"/>"#);
    let elements = Layout { elements: true, element: Some("p".to_owned()), root: Some("ps".to_owned()), ..raw };
    let wanted = "<ps><p><Id>1</Id><Name>a&lt;b</Name></p><p><Id>2</Id></p></ps>";
    assert_eq!(text(elements, &columns, &rows), wanted);
    let columns = [("@id", None), ("at/@zip", None), ("at/city", None), ("note", None)];
    let rows = [vec![
        Value::Integer(1),
        Value::Text("0150".to_owned()),
        Value::Text("Oslo".to_owned()),
        Value::Text("x".to_owned()),
    ]];
    let wanted = r#"<row id="1"><at zip="0150"><city>Oslo</city></at><note>x</note></row>"#;
    assert_eq!(text(xml.clone(), &columns, &rows), wanted);
    let joined = Layout { element: Some(String::new()), ..xml };
    let rows = [vec![Value::Text(",a".to_owned())], vec![Value::Text(",b & c".to_owned())]];
    assert_eq!(text(joined, &[("", None)], &rows), ",a,b &amp; c");
}
