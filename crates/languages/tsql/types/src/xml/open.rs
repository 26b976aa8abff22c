//! OPENXML: rows of a document prepared by `sp_xml_preparedocument`.
//!
//! ```text
//!   prepared(xml, namespaces)  ->  a text that the session keeps under a handle
//!   rows(text, '/ROOT/Customer', 1, WITH)   a row for each node that the pattern leads to
//!   edges(text, '/ROOT/Customer')           a row for each node, and each within: the edge table
//! ```
//!
//! The value of a WITH column is the node that its own pattern leads to from the row's node, a property of a node
//! (`@mp:id`), or, without a pattern, the attribute or element of its name, as the flags say. Prefixes in patterns
//! stand for the namespaces that the third argument of `sp_xml_preparedocument` declares. Source: "OPENXML
//! (Transact-SQL)", "Specify Metaproperties in OPENXML".

use super::path::{Item, Path, local};
use super::places::{Place, Places, declarations};
use super::tree::{self, Element, Malformed, Node};
use crate::context::Context;
use crate::convert::convert;
use crate::messages::Message;
use crate::rowset::Wanted;
use crate::types::{DataType, Length};
use mainstay_types::{Value, ValueRef};
use std::collections::{HashMap, HashSet};

/// Between the namespaces and the document in the text that is kept.
const SEPARATOR: char = '\u{1}';

/// Columns take attributes of their names. It is so without flags, too.
const ATTRIBUTES: i64 = 1;
/// Columns take elements of their names, or those that have found no attribute if both are said.
const ELEMENTS: i64 = 2;
/// The flag that leaves consumed data out of `@mp:xmltext`.
const WITHOUT_CONSUMED: i64 = 8;

/// The namespace of the properties of nodes.
const PROPERTIES: &str = "urn:schemas-microsoft-com:xml-metaprop";

/// The text that is kept for a document, with the element that declares namespaces for patterns.
///
/// Errors: 6602, behind what the parser says of the place if it is known.
pub fn prepared(xml: Option<&str>, namespaces: Option<&str>) -> Result<String, Vec<Message>> {
    let namespaces = namespaces.unwrap_or("");
    if !namespaces.is_empty() {
        tree::read_to(namespaces).map_err(|malformed| described(namespaces, &malformed))?;
    }
    let xml = xml.unwrap_or("");
    if !xml.is_empty() {
        let document = tree::read_to(xml).map_err(|malformed| described(xml, &malformed))?;
        check_top(xml, &document)?;
    }
    Ok(format!("{namespaces}{SEPARATOR}{xml}"))
}

/// Sees that a document is one element.
fn check_top(xml: &str, document: &Element) -> Result<(), Vec<Message>> {
    let elements = document.children.iter().filter(|child| matches!(child, Node::Element(_))).count();
    let has_text = document.children.iter().any(|child| matches!(child, Node::Text(_)));
    let (code, words) = match elements {
        _ if has_text => (0xc00c_e556, "Invalid at the top level of the document."),
        0 => (0xc00c_e558, "XML document must have a top level element."),
        1 => return Ok(()),
        _ => (0xc00c_e555, "Only one top level element is allowed in an XML document."),
    };
    let line = xml.lines().last().unwrap_or("");
    Err(vec![place_message(code, xml.lines().count(), line), described_as(words)])
}

/// The messages for a text that is not XML, in the parser's words.
fn described(xml: &str, malformed: &Malformed) -> Vec<Message> {
    let read = xml.get(..malformed.at).unwrap_or(xml);
    let line = read.matches('\n').count();
    let open = malformed.open.last().map_or("", String::as_str);
    let (code, words) = match malformed.message.number {
        9436 => {
            let end = read.rsplit("</").next().unwrap_or("").trim();
            (Some(0xc00c_e56d), format!("End tag '{end}' does not match the start tag '{open}'."))
        }
        9400 if !malformed.open.is_empty() => {
            (None, format!("The following tags were not closed: {}.", malformed.open.join(", ")))
        }
        9413 => (None, "A string literal was expected, but no opening quote character was found.".to_owned()),
        9414 => (None, "Missing equals sign between attribute and attribute value.".to_owned()),
        9411 => (None, "A semi colon character was expected.".to_owned()),
        9455 => (None, "A name was started with an invalid character.".to_owned()),
        _ => {
            let words = malformed.message.text.rsplit(", ").next().unwrap_or("");
            (None, format!("{words}."))
        }
    };
    let near = xml.lines().nth(line).unwrap_or("");
    code.map(|code| place_message(code, line + 1, near)).into_iter().chain([described_as(&words)]).collect()
}

fn place_message(code: u32, line: usize, near: &str) -> Message {
    let text =
        format!("The XML parse error 0x{code:08x} occurred on line number {line}, near the XML text \"{near}\".");
    Message::error(0, text).severity(0)
}

fn described_as(words: &str) -> Message {
    Message::error(6602, format!("The error description is '{words}'.")).state(2)
}

/// An error of a pattern.
fn in_pattern(words: &str) -> Message {
    Message::error(6603, format!("XML parsing error: {words}"))
}

/// A document that is open, with the namespaces of patterns.
struct Opened {
    document: Element,
    namespaces: HashMap<String, String>,
}

impl Opened {
    fn read(kept: &str) -> Result<Opened, Message> {
        let (namespaces, xml) = kept.split_once(SEPARATOR).unwrap_or(("", kept));
        let declaring = tree::read(namespaces)?;
        let mut known = HashMap::from([("mp".to_owned(), PROPERTIES.to_owned())]);
        if let Some(Node::Element(element)) = declaring.children.first() {
            let declared = declarations(element).into_iter();
            known.extend(declared.map(|(prefix, namespace)| (prefix.to_owned(), namespace.to_owned())));
        }
        Ok(Opened { document: tree::read(xml)?, namespaces: known })
    }

    fn places(&self) -> Places<'_> {
        Places::of(&self.document).with_namespaces(self.namespaces.clone())
    }
}

/// A pattern that has been read.
///
/// Errors: 6603 for an invalid one, or an undeclared prefix.
fn pattern(text: &str, places: &Places<'_>) -> Result<Path, Message> {
    let path = Path::read(text).map_err(|error| in_pattern(error.text.trim_start_matches("XQuery: ")))?;
    match path.prefixes().iter().find(|prefix| !places.knows_prefix(prefix)) {
        Some(prefix) => Err(in_pattern(&format!("Reference to undeclared namespace prefix: '{prefix}'."))),
        None => Ok(path),
    }
}

/// The nodes that the pattern of rows leads to.
fn nodes<'t>(document: &'t Element, row: &str, places: &Places<'t>) -> Result<Vec<Item<'t>>, Message> {
    let found = pattern(row, places)?.evaluate_at(&Item::Element(document), &[], Some(places));
    match found.iter().all(|item| item.address().is_some()) {
        true => Ok(found),
        false => Err(in_pattern("Expression must evaluate to a node-set.")),
    }
}

/// Where a column's value comes from.
enum Origin {
    /// The nodes that a pattern leads to.
    Found(Path),
    /// A property of what a pattern leads to.
    Property(Path, String),
    /// The attribute or the element of this name.
    Named { attribute: bool, element: bool },
}

/// The rows with the columns of WITH.
///
/// Errors: 6603 for patterns, 6630 for columns of XML that take attributes, and those of conversions.
pub(crate) fn rows(
    context: &Context<'_>,
    kept: &str,
    row: &str,
    flags: i64,
    wanted: &[Wanted],
) -> Result<Vec<Vec<Value>>, Message> {
    if wanted.iter().any(|column| column.data_type == DataType::Xml) && flags & ELEMENTS == 0 {
        let text = "Element-centric mapping must be used with OPENXML if one of the columns is of type XML.";
        return Err(Message::error(6630, text));
    }
    let opened = Opened::read(kept)?;
    let places = opened.places();
    let origins = wanted.iter().map(|column| origin(column, flags, &places)).collect::<Result<Vec<_>, _>>()?;
    let mut rows = Vec::new();
    for node in nodes(&opened.document, row, &places)? {
        let found: Vec<Option<Item<'_>>> =
            origins.iter().zip(wanted).map(|(origin, column)| found(origin, &column.name, &node, &places)).collect();
        let consumed = found.iter().zip(&origins).filter(|(_, origin)| !matches!(origin, Origin::Property(..)));
        let consumed: HashSet<usize> = match flags & WITHOUT_CONSUMED {
            0 => HashSet::new(),
            _ => consumed.filter_map(|(item, _)| item.as_ref()?.address()).collect(),
        };
        let mut cells = Vec::with_capacity(wanted.len());
        for ((item, origin), column) in found.iter().zip(&origins).zip(wanted) {
            let text = item.as_ref().and_then(|item| match origin {
                Origin::Property(_, property) => property_of(item, property, &places, &consumed),
                _ if column.data_type == DataType::Xml => Some(item.xml()),
                _ => Some(item.text()),
            });
            let from = DataType::NVarChar(Length::Max);
            cells.push(match text {
                Some(text) => convert(context, ValueRef::Text(&text), from, column.data_type, None)?,
                None => Value::Null,
            });
        }
        rows.push(cells);
    }
    Ok(rows)
}

fn origin(column: &Wanted, flags: i64, places: &Places<'_>) -> Result<Origin, Message> {
    let Some(text) = column.path.as_deref() else {
        let element = flags & ELEMENTS != 0;
        return Ok(Origin::Named { attribute: !element || flags & ATTRIBUTES != 0, element });
    };
    Ok(match text.rsplit_once("@mp:") {
        Some((before, property)) => {
            let before = before.trim().trim_end_matches('/');
            Origin::Property(pattern(if before.is_empty() { "." } else { before }, places)?, property.trim().to_owned())
        }
        None => Origin::Found(pattern(text, places)?),
    })
}

/// The node, or the value, that a column takes.
fn found<'t>(origin: &Origin, name: &str, node: &Item<'t>, places: &Places<'t>) -> Option<Item<'t>> {
    match origin {
        Origin::Found(path) | Origin::Property(path, _) => path.evaluate_at(node, &[], Some(places)).into_iter().next(),
        Origin::Named { attribute, element } => {
            let Item::Element(owner) = node else { return None };
            let of_name =
                |(known, value): &'t (String, String)| (known == name).then_some(Item::Attribute(known, value));
            let attribute = attribute.then(|| owner.attributes.iter().find_map(of_name)).flatten();
            let child = |child: &'t Node| match child {
                Node::Element(child) if child.name == name => Some(Item::Element(child)),
                _ => None,
            };
            attribute.or_else(|| element.then(|| owner.children.iter().find_map(child)).flatten())
        }
    }
}

/// A property of a node as a text.
fn property_of(item: &Item<'_>, property: &str, places: &Places<'_>, consumed: &HashSet<usize>) -> Option<String> {
    let place = places.place(item)?;
    let parent = place.parent.map(Item::Element);
    let parent_place = parent.as_ref().and_then(|parent| places.place(parent)).filter(|parent| parent.id >= 0);
    let name = name_of(item)?;
    let parent_name = parent.as_ref().and_then(name_of).filter(|name| !name.is_empty());
    let unless_empty = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    match property {
        "id" => Some(place.id.to_string()),
        "parentid" => parent_place.map(|parent| parent.id.to_string()),
        "localname" => Some(local(name).to_owned()),
        "parentlocalname" => parent_name.map(|name| local(name).to_owned()),
        "namespaceuri" => unless_empty(&place.namespace),
        "parentnamespaceuri" => parent_place.and_then(|parent| unless_empty(&parent.namespace)),
        "prefix" => prefix_of(name),
        "parentprefix" => parent_name.and_then(prefix_of),
        "prev" => place.previous.map(|previous| previous.to_string()),
        "xmltext" => Some(match item {
            Item::Element(element) => without(element, consumed),
            other => other.xml(),
        }),
        _ => None,
    }
}

fn name_of<'t>(item: &Item<'t>) -> Option<&'t str> {
    match item {
        Item::Element(element) => Some(&element.name),
        Item::Attribute(name, _) => Some(name),
        Item::Text(_) => Some("#text"),
        _ => None,
    }
}

fn prefix_of(name: &str) -> Option<String> {
    name.split_once(':').map(|(prefix, _)| prefix.to_owned())
}

/// An element as XML, without the nodes at these addresses.
fn without(element: &Element, consumed: &HashSet<usize>) -> String {
    let mut out = String::new();
    match consumed.is_empty() {
        true => element.write(&mut out),
        false => left(element, consumed).write(&mut out),
    }
    out
}

fn left(element: &Element, consumed: &HashSet<usize>) -> Element {
    let is_left = |item: &Item<'_>| item.address().is_none_or(|address| !consumed.contains(&address));
    let attributes = element.attributes.iter().filter(|(name, value)| is_left(&Item::Attribute(name, value)));
    let children = element.children.iter().filter_map(|child| match child {
        Node::Element(child) => is_left(&Item::Element(child)).then(|| Node::Element(left(child, consumed))),
        Node::Text(text) => is_left(&Item::Text(text)).then(|| child.clone()),
        Node::Aside(_) => Some(child.clone()),
    });
    Element { name: element.name.clone(), attributes: attributes.cloned().collect(), children: children.collect() }
}

/// The columns of the edge table.
pub(crate) fn edge_columns() -> [(&'static str, DataType); 9] {
    let name = DataType::NVarChar(Length::Limited(4000));
    [
        ("id", DataType::BigInt),
        ("parentid", DataType::BigInt),
        ("nodetype", DataType::Int),
        ("localname", name),
        ("prefix", name),
        ("namespaceuri", name),
        ("datatype", name),
        ("prev", DataType::BigInt),
        ("text", DataType::NText),
    ]
}

/// The edge table: the nodes that the pattern leads to, each with all that is within it.
///
/// Errors: 6603 for the pattern.
pub(crate) fn edges(kept: &str, row: &str) -> Result<Vec<Vec<Value>>, Message> {
    let opened = Opened::read(kept)?;
    let places = opened.places();
    let mut rows = Vec::new();
    for node in nodes(&opened.document, row, &places)? {
        match node {
            Item::Element(element) => element_edges(element, &places, &mut rows),
            other => edge(&other, &places, &mut rows),
        }
    }
    Ok(rows)
}

fn element_edges<'t>(element: &'t Element, places: &Places<'t>, rows: &mut Vec<Vec<Value>>) {
    if !element.name.is_empty() {
        edge(&Item::Element(element), places, rows);
    }
    for (name, value) in &element.attributes {
        edge(&Item::Attribute(name, value), places, rows);
    }
    for child in &element.children {
        match child {
            Node::Element(child) => element_edges(child, places, rows),
            Node::Text(text) => edge(&Item::Text(text), places, rows),
            Node::Aside(_) => {}
        }
    }
}

/// The row of a node, and for an attribute that of its text.
fn edge(item: &Item<'_>, places: &Places<'_>, rows: &mut Vec<Vec<Value>>) {
    let (Some(place), Some(name)) = (places.place(item), name_of(item)) else { return };
    let parent = place.parent.and_then(|parent| places.place(&Item::Element(parent)));
    let parent_id = parent.map(|parent: &Place<'_>| parent.id).filter(|id| *id >= 0);
    let (kind, text) = match item {
        Item::Element(_) => (1, None),
        Item::Attribute(..) => (2, None),
        other => (3, Some(other.text())),
    };
    let number = |number: Option<i64>| number.map_or(Value::Null, Value::Integer);
    let words = |words: Option<String>| words.map_or(Value::Null, Value::Text);
    let row = |id: i64, parent: Option<i64>, kind: i64, name: &str, namespace: &str, previous, text| {
        let namespace = (!namespace.is_empty()).then(|| namespace.to_owned());
        let (own, prefix) = (Value::Text(local(name).to_owned()), words(prefix_of(name)));
        let kind = Value::Integer(kind);
        vec![
            Value::Integer(id),
            number(parent),
            kind,
            own,
            prefix,
            words(namespace),
            Value::Null,
            number(previous),
            words(text),
        ]
    };
    rows.push(row(place.id, parent_id, kind, name, &place.namespace, place.previous, text));
    if let Item::Attribute(_, value) = item {
        rows.push(row(place.text_id, Some(place.id), 3, "#text", "", None, Some((*value).to_owned())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_not_xml_is_described() {
        let words = |xml: &str| {
            let messages = prepared(Some(xml), None).unwrap_err();
            messages.last().map(|message| message.text.clone()).unwrap_or_default()
        };
        let mismatch = "The error description is 'End tag 'a' does not match the start tag 'b'.'.";
        assert_eq!(words("<a><b></a>"), mismatch);
        assert_eq!(words("<a><b>"), "The error description is 'The following tags were not closed: a, b.'.");
        let top = "The error description is 'Only one top level element is allowed in an XML document.'.";
        assert_eq!(words("<a/><b/>"), top);
    }

    #[test]
    fn prefixes_of_patterns_are_those_that_were_declared() {
        let xml = r#"<all xmlns:a="urn:1"><a:Elem abar="asdf">T<a>a</a>U</a:Elem></all>"#;
        let kept = prepared(Some(xml), Some(r#"<ns xmlns:b="urn:1"/>"#)).unwrap();
        let count = |row: &str| edges(&kept, row).map(|rows| rows.len());
        assert_eq!(count("/all/b:Elem").unwrap(), 7);
        assert_eq!(count("/all/Elem").unwrap(), 0);
        assert_eq!(count("/all/*/@*").unwrap(), 2);
        assert_eq!(count("/all/a:Elem").unwrap_err().number, 6603);
    }
}
