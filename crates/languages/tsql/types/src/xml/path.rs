//! A part of XPath: steps, `//`, attributes, conditions, comparisons, and the functions that are used most.
//!
//! ```text
//!   (/orders/order[@id = "7"]/line/text())[1]      count(//line)      not(@gone)      sql:variable("@x")
//! ```
//!
//! The caller gives the values of `sql:variable` and `sql:column`, in their order in the path. `reader` reads paths,
//! `functions` has the functions that they call.

use super::functions::called;
use super::places::{Places, address_of};
use super::reader::Reader;
use super::tree::{Element, Node};
use super::{Given, Variables};
use crate::functions::base64;
use crate::messages::Message;

/// An item of a path's result.
#[derive(Clone, Debug)]
pub(super) enum Item<'t> {
    Element(&'t Element),
    Text(&'t str),
    /// Its name and value.
    Attribute(&'t str, &'t str),
    /// A value that is not in the tree.
    Atom(String),
    /// A condition.
    Truth(bool),
    /// Bytes, and how they are written as a text.
    Bytes(Vec<u8>, Notation),
}

/// The notation of bytes as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    Base64,
    Hex,
}

impl Item<'_> {
    /// Where the node of the tree is that it stands for: no two have one address.
    pub(super) fn address(&self) -> Option<usize> {
        match self {
            Item::Element(element) => Some(std::ptr::from_ref(*element).addr()),
            Item::Text(text) => Some(address_of(text)),
            Item::Attribute(name, _) => Some(address_of(name)),
            _ => None,
        }
    }

    /// Its value as text.
    pub(super) fn text(&self) -> String {
        match self {
            Item::Element(element) => element.text(),
            Item::Text(text) | Item::Attribute(_, text) => (*text).to_owned(),
            Item::Atom(text) => text.clone(),
            Item::Truth(truth) => truth.to_string(),
            Item::Bytes(bytes, Notation::Base64) => base64(bytes, false),
            Item::Bytes(bytes, Notation::Hex) => bytes.iter().map(|byte| format!("{byte:02X}")).collect(),
        }
    }

    /// As XML.
    pub(super) fn xml(&self) -> String {
        let mut out = String::new();
        match self {
            Item::Element(element) => element.write(&mut out),
            other => out = super::escaped_text(&other.text()),
        }
        out
    }
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expr {
    /// Steps from the context, or from the document.
    Steps(Option<Box<Expr>>, Vec<Step>),
    /// Conditions on what is in parentheses.
    Filtered(Box<Expr>, Vec<Expr>),
    Literal(String),
    Number(f64),
    Variable(usize),
    Compare(Box<Expr>, &'static str, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Call(String, Vec<Expr>),
    List(Vec<Expr>),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    pub(super) axis: Axis,
    pub(super) test: Test,
    pub(super) conditions: Vec<Expr>,
}

/// Where a step looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    /// At the item, or right below it.
    Near,
    /// At it and at everything below, of which each has places of its own: `//b[1]` is the first of every element.
    Deep,
    /// At everything below, in one order: `descendant::b[1]` is the first of all.
    Descendant,
    /// The same with the item.
    DescendantOrSelf,
    /// At what it stands in.
    Parent,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Test {
    Child(String),
    Attribute(String),
    Text,
    Node,
    Itself,
    /// The item, if it is an element of this name.
    Named(String),
}

/// A path that has been read.
#[derive(Clone, Debug)]
pub(super) struct Path {
    expr: Expr,
    /// True if a step leads to what an item stands in.
    goes_up: bool,
    /// The prefixes of its names.
    prefixes: Vec<String>,
}

impl Path {
    pub(super) fn read(text: &str) -> Result<Path, Message> {
        let mut text = text.trim();
        // Declarations of namespaces.
        while text.starts_with("declare ") {
            match text.split_once(';') {
                Some((_, rest)) => text = rest.trim_start(),
                None => break,
            }
        }
        let mut reader = Reader::new(text);
        let expr = reader.whole()?;
        Ok(Path { expr, goes_up: reader.goes_up, prefixes: reader.prefixes })
    }

    /// The prefixes of its names, which have to be declared.
    pub(super) fn prefixes(&self) -> &[String] {
        &self.prefixes
    }

    /// Returns true if a step leads to what an item stands in, which only [`Places`] know.
    pub(super) fn goes_up(&self) -> bool {
        self.goes_up
    }

    /// Returns true if the path alone shows that it leads to one item at most.
    pub(super) fn is_single(&self) -> bool {
        is_single(&self.expr)
    }

    /// Evaluates the path in the tree whose root is the context.
    pub(super) fn evaluate<'t>(&self, context: &Item<'t>, variables: &Variables<'_>) -> Vec<Item<'t>> {
        match context {
            Item::Element(root) if self.goes_up => self.evaluate_at(context, variables, Some(&Places::of(root))),
            _ => self.evaluate_at(context, variables, None),
        }
    }

    /// The same, in a tree of which the places may be known.
    pub(super) fn evaluate_at<'t>(
        &self,
        context: &Item<'t>,
        variables: &Variables<'_>,
        places: Option<&Places<'t>>,
    ) -> Vec<Item<'t>> {
        evaluate(&self.expr, context, &Around { variables, places, position: 1, last: 1 })
    }
}

/// Returns true if an expression gives one item at most, whatever the tree is.
fn is_single(expr: &Expr) -> bool {
    let picks_one = |conditions: &[Expr]| {
        let is_place = |condition: &Expr| match condition {
            Expr::Number(_) => true,
            Expr::Call(name, _) => name == "last",
            _ => false,
        };
        conditions.iter().any(is_place)
    };
    match expr {
        Expr::Steps(from, steps) => {
            let is_one = |step: &Step| match (&step.test, step.axis) {
                (_, Axis::Deep) => false,
                (Test::Itself | Test::Named(_), _) | (_, Axis::Parent) => true,
                (Test::Attribute(name), Axis::Near) if name != "*" => true,
                _ => picks_one(&step.conditions),
            };
            from.as_deref().is_none_or(is_single) && steps.iter().all(is_one)
        }
        Expr::Filtered(inner, conditions) => picks_one(conditions) || is_single(inner),
        Expr::List(parts) => parts.len() < 2 && parts.iter().all(is_single),
        Expr::Call(name, arguments) if matches!(name.as_str(), "data" | "distinct-values") => {
            arguments.iter().all(is_single)
        }
        _ => true,
    }
}

/// The environment of an expression beside its context item.
pub(super) struct Around<'v, 't> {
    variables: &'v Variables<'v>,
    places: Option<&'v Places<'t>>,
    pub(super) position: usize,
    pub(super) last: usize,
}

pub(super) fn evaluate<'t>(expr: &Expr, context: &Item<'t>, around: &Around<'_, 't>) -> Vec<Item<'t>> {
    match expr {
        Expr::Steps(from, steps) => {
            let mut items = match from {
                Some(from) => evaluate(from, context, around),
                None => vec![context.clone()],
            };
            for step in steps {
                let is_one = items.len() < 2;
                items = items.iter().flat_map(|item| stepped(step, item, around)).collect();
                if !is_one && matches!(step.axis, Axis::Parent | Axis::Deep | Axis::Descendant | Axis::DescendantOrSelf)
                {
                    leave_out_repeated(&mut items);
                }
            }
            items
        }
        Expr::Filtered(inner, conditions) => filtered(evaluate(inner, context, around), conditions, around),
        Expr::Literal(text) => vec![Item::Atom(text.clone())],
        Expr::Number(number) => vec![Item::Atom(number.to_string())],
        Expr::Variable(place) => match around.variables.get(*place).copied().flatten() {
            Some(Given::Text(text)) => vec![Item::Atom(text.to_owned())],
            Some(Given::Binary(bytes)) => vec![Item::Bytes(bytes.to_vec(), Notation::Base64)],
            None => Vec::new(),
        },
        Expr::Compare(left, op, right) => {
            let (left, right) = (evaluate(left, context, around), evaluate(right, context, around));
            let holds = left.iter().any(|a| right.iter().any(|b| compared(&a.text(), op, &b.text())));
            vec![Item::Truth(holds)]
        }
        Expr::And(left, right) => {
            let holds = truth(&evaluate(left, context, around)) && truth(&evaluate(right, context, around));
            vec![Item::Truth(holds)]
        }
        Expr::Or(left, right) => {
            let holds = truth(&evaluate(left, context, around)) || truth(&evaluate(right, context, around));
            vec![Item::Truth(holds)]
        }
        Expr::List(parts) => parts.iter().flat_map(|part| evaluate(part, context, around)).collect(),
        Expr::Call(name, arguments) => called(name, arguments, context, around),
    }
}

pub(super) fn truth(items: &[Item<'_>]) -> bool {
    match items {
        [] => false,
        [Item::Truth(truth)] => *truth,
        [Item::Atom(text)] => !text.is_empty() && text != "0",
        _ => true,
    }
}

fn compared(left: &str, op: &str, right: &str) -> bool {
    let order = match (left.trim().parse::<f64>(), right.trim().parse::<f64>()) {
        (Ok(left), Ok(right)) => left.partial_cmp(&right),
        _ => Some(left.cmp(right)),
    };
    match op {
        "=" => order.is_some_and(|order| order.is_eq()),
        "!=" => order.is_some_and(|order| order.is_ne()),
        "<" => order.is_some_and(|order| order.is_lt()),
        "<=" => order.is_some_and(|order| order.is_le()),
        ">" => order.is_some_and(|order| order.is_gt()),
        _ => order.is_some_and(|order| order.is_ge()),
    }
}

/// The items that a step leads to from one item.
fn stepped<'t>(step: &Step, item: &Item<'t>, around: &Around<'_, 't>) -> Vec<Item<'t>> {
    let mut found = Vec::new();
    match (&step.test, item, step.axis) {
        (test, _, Axis::Parent) => {
            let parent = around.places.and_then(|places| places.parent(item));
            let is_wanted = |parent: &&Element| match test {
                Test::Child(wanted) => around.is_named(wanted, parent),
                test => *test == Test::Node,
            };
            found.extend(parent.filter(is_wanted).map(Item::Element));
        }
        (Test::Itself, ..) | (Test::Text, Item::Text(_), _) => found.push(item.clone()),
        (Test::Named(wanted), Item::Element(element), _) if around.is_named(wanted, element) => {
            found.push(item.clone())
        }
        (Test::Named(_), ..) => {}
        (_, Item::Element(element), Axis::Near) => tested(&step.test, element, around, &mut found),
        (_, Item::Element(element), Axis::Deep) => {
            each_below(element, &mut |element| {
                let mut own = Vec::new();
                tested(&step.test, element, around, &mut own);
                found.extend(filtered(own, &step.conditions, around));
            });
            return found;
        }
        (_, Item::Element(element), Axis::Descendant | Axis::DescendantOrSelf) => {
            let is_meant = match &step.test {
                Test::Child(wanted) => around.is_named(wanted, element),
                test => *test == Test::Node,
            };
            if step.axis == Axis::DescendantOrSelf && is_meant {
                found.push(item.clone());
            }
            below(&step.test, element, around, &mut found);
        }
        _ => {}
    }
    filtered(found, &step.conditions, around)
}

fn each_below<'t>(element: &'t Element, visit: &mut dyn FnMut(&'t Element)) {
    visit(element);
    for child in &element.children {
        if let Node::Element(child) = child {
            each_below(child, visit);
        }
    }
}

/// Collects the matching descendants of an element in document order.
fn below<'t>(test: &Test, element: &'t Element, around: &Around<'_, 't>, found: &mut Vec<Item<'t>>) {
    for child in &element.children {
        one_tested(test, child, around, found);
        if let Node::Element(child) = child {
            below(test, child, around, found);
        }
    }
}

impl Around<'_, '_> {
    /// Returns true if an element has the wanted name.
    fn is_named(&self, wanted: &str, element: &Element) -> bool {
        self.fits(wanted, &element.name, std::ptr::from_ref(element).addr())
    }

    /// Returns true if the name of the node at an address is the wanted one: where namespaces count, in the wanted one
    /// of them.
    fn fits(&self, wanted: &str, name: &str, address: usize) -> bool {
        if !matches!(local(wanted), "*") && local(wanted) != local(name) {
            return false;
        }
        self.places.is_none_or(|places| places.is_in_namespace(wanted, address))
    }
}

/// Leaves of every node the first.
fn leave_out_repeated(items: &mut Vec<Item<'_>>) {
    let mut seen = std::collections::HashSet::new();
    items.retain(|item| item.address().is_none_or(|address| seen.insert(address)));
}

/// The attributes of an element, or its children, that are wanted.
fn tested<'t>(test: &Test, element: &'t Element, around: &Around<'_, 't>, found: &mut Vec<Item<'t>>) {
    match test {
        Test::Attribute(wanted) => {
            let attributes = element.attributes.iter().filter(|(name, _)| around.fits(wanted, name, address_of(name)));
            found.extend(attributes.map(|(name, value)| Item::Attribute(name, value)));
        }
        test => element.children.iter().for_each(|child| one_tested(test, child, around, found)),
    }
}

fn one_tested<'t>(test: &Test, child: &'t Node, around: &Around<'_, 't>, found: &mut Vec<Item<'t>>) {
    match (child, test) {
        (Node::Element(child), Test::Child(wanted)) if around.is_named(wanted, child) => {
            found.push(Item::Element(child))
        }
        (Node::Element(child), Test::Node) => found.push(Item::Element(child)),
        (Node::Text(text), Test::Text | Test::Node) => found.push(Item::Text(text)),
        _ => {}
    }
}

fn filtered<'t>(mut items: Vec<Item<'t>>, conditions: &[Expr], around: &Around<'_, 't>) -> Vec<Item<'t>> {
    for condition in conditions {
        let last = items.len();
        let holds = |(place, item): &(usize, Item<'t>)| {
            let around = Around { position: place + 1, last, ..*around };
            match condition {
                Expr::Number(number) => *number == (place + 1) as f64,
                Expr::Call(name, _) if name == "last" => place + 1 == last,
                condition => truth(&evaluate(condition, item, &around)),
            }
        };
        items = items.into_iter().enumerate().filter(holds).map(|(_, item)| item).collect();
    }
    items
}

pub(super) fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// The steps of a path to nodes of the tree, for changes of the tree.
pub(super) fn is_simple(text: &str) -> bool {
    Path::read(text).is_ok_and(|path| matches!(path.expr, Expr::Steps(..) | Expr::Filtered(..)))
}
