//! Positions of the nodes of a tree: the parent of each, and for OPENXML its number and its namespace.
//!
//! The tree itself has no parent pointers. A node is identified by its address, which is stable while the tree is
//! borrowed; that of a text or an attribute is the address of its text or its name.

use super::path::{Item, local};
use super::tree::{Element, Node};
use std::collections::HashMap;
use std::rc::Rc;

/// The address of a text of the tree that is not empty.
pub(super) fn address_of(text: &str) -> usize {
    text.as_ptr().addr()
}

/// The nodes of a tree by their addresses.
pub(super) struct Places<'t> {
    nodes: HashMap<usize, Place<'t>>,
    /// The namespaces that the prefixes in paths stand for, where namespaces count.
    namespaces: Option<HashMap<String, String>>,
}

/// The position of a node.
#[derive(Clone, Debug)]
pub(super) struct Place<'t> {
    /// Its parent; `None` for the document.
    pub(super) parent: Option<&'t Element>,
    /// Its number among the nodes. The document's is -1, that of its element 0.
    pub(super) id: i64,
    /// The number of the node before it in the same element.
    pub(super) previous: Option<i64>,
    /// The namespace of its name; empty for none.
    pub(super) namespace: Rc<str>,
    /// The number of the text of an attribute.
    pub(super) text_id: i64,
}

/// The namespaces that prefixes stand for in an element; the default one has the prefix that is empty.
type Scope = Rc<HashMap<String, Rc<str>>>;

/// Numbers the nodes of a tree.
struct Walker<'t> {
    nodes: HashMap<usize, Place<'t>>,
    last_id: i64,
    attributes: Vec<usize>,
    none: Rc<str>,
}

impl<'t> Places<'t> {
    /// Those of a tree in which the prefixes of names are read over.
    pub(super) fn of(root: &'t Element) -> Places<'t> {
        let none: Rc<str> = Rc::from("");
        // The document has a number that no row shows; the one behind the first element's is left free.
        let mut walker = Walker { nodes: HashMap::new(), last_id: -2, attributes: Vec::new(), none };
        walker.element(root, None, None, &Scope::default());
        // The texts of attributes are numbered behind all nodes that stand in the document.
        for address in std::mem::take(&mut walker.attributes) {
            walker.last_id += 1;
            if let Some(place) = walker.nodes.get_mut(&address) {
                place.text_id = walker.last_id;
            }
        }
        Places { nodes: walker.nodes, namespaces: None }
    }

    /// The same for paths whose prefixes stand for these namespaces.
    pub(super) fn with_namespaces(self, namespaces: HashMap<String, String>) -> Places<'t> {
        Places { namespaces: Some(namespaces), ..self }
    }

    /// The position of a node.
    pub(super) fn place(&self, item: &Item<'_>) -> Option<&Place<'t>> {
        self.nodes.get(&item.address()?)
    }

    /// The parent of a node.
    pub(super) fn parent(&self, item: &Item<'_>) -> Option<&'t Element> {
        self.place(item)?.parent
    }

    /// Returns true if paths may have this prefix.
    pub(super) fn knows_prefix(&self, prefix: &str) -> bool {
        self.namespaces.as_ref().is_none_or(|namespaces| namespaces.contains_key(prefix))
    }

    /// Returns true if the node at an address is in the namespace of a name in a path; always, where namespaces do not
    /// count.
    pub(super) fn is_in_namespace(&self, wanted: &str, address: usize) -> bool {
        let Some(namespaces) = &self.namespaces else { return true };
        let prefix = wanted.split_once(':').map(|(prefix, _)| prefix);
        if prefix.is_none() && wanted == "*" {
            return true;
        }
        let meant = prefix.map_or("", |prefix| namespaces.get(prefix).map_or("", String::as_str));
        self.nodes.get(&address).is_some_and(|place| &*place.namespace == meant)
    }
}

impl<'t> Walker<'t> {
    fn next_id(&mut self) -> i64 {
        self.last_id += if self.last_id == 0 { 2 } else { 1 };
        self.last_id
    }

    fn element(
        &mut self,
        element: &'t Element,
        parent: Option<&'t Element>,
        previous: Option<i64>,
        around: &Scope,
    ) -> i64 {
        let scope = scope_of(element, around);
        let id = self.next_id();
        let namespace = self.namespace(&element.name, &scope, true);
        let place = Place { parent, id, previous, namespace, text_id: 0 };
        self.nodes.insert(std::ptr::from_ref(element).addr(), place);
        for (name, _) in &element.attributes {
            let (id, namespace) = (self.next_id(), self.namespace(name, &scope, false));
            let place = Place { parent: Some(element), id, previous: None, namespace, text_id: 0 };
            self.nodes.insert(address_of(name), place);
            self.attributes.push(address_of(name));
        }
        let mut previous = None;
        for child in &element.children {
            previous = match child {
                Node::Element(child) => Some(self.element(child, Some(element), previous, &scope)),
                Node::Text(text) => {
                    let id = self.next_id();
                    let namespace = Rc::clone(&self.none);
                    let place = Place { parent: Some(element), id, previous, namespace, text_id: 0 };
                    self.nodes.insert(address_of(text), place);
                    Some(id)
                }
                Node::Aside(_) => previous,
            };
        }
        id
    }

    /// The namespace of a name. The default one is that of elements only.
    fn namespace(&self, name: &str, scope: &Scope, is_element: bool) -> Rc<str> {
        let prefix = match name.split_once(':') {
            Some((prefix, _)) => prefix,
            None if is_element && !local(name).is_empty() => "",
            None => return Rc::clone(&self.none),
        };
        scope.get(prefix).map_or_else(|| Rc::clone(&self.none), Rc::clone)
    }
}

/// The namespaces in an element, with those that it declares.
fn scope_of(element: &Element, around: &Scope) -> Scope {
    let declared = declarations(element);
    if declared.is_empty() {
        return Rc::clone(around);
    }
    let mut scope = HashMap::clone(around);
    scope.extend(declared.into_iter().map(|(prefix, namespace)| (prefix.to_owned(), Rc::from(namespace))));
    Rc::new(scope)
}

/// The prefixes that an element declares, and their namespaces; the default one is without a prefix.
pub(super) fn declarations(element: &Element) -> Vec<(&str, &str)> {
    let declared = element.attributes.iter().filter_map(|(name, value)| {
        let prefix = if name == "xmlns" { "" } else { name.strip_prefix("xmlns:")? };
        Some((prefix, value.as_str()))
    });
    declared.collect()
}
