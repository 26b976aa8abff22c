//! Checks a whole bag for errors.
//!
//! The readers stop at the first contradiction they meet; a check goes on and reports each with the byte
//! offset of its page. It descends from the root through every child, once per page, in the order of the tree, and
//! compares each page with the pages before it:
//!
//! * a page: its attribute, count, bit counts, masks and free space fit; its pointers lead to pages;
//! * a level: each page's siblings are the pages that the parents name before and after it;
//! * the tree: no page is entered twice, in this tag or in another; all leaves lie equally deep (not in an
//!   NTX, where items may have no child beside items that have one);
//! * the keys: in order within and across pages, and a branch's copy of a key not less than what is below;
//! * the records: within the table, none twice, and all there if the tag has no condition.
//!
//! Limit: the table's check compares keys with their records, not this one.

use super::bag::Bag;
use super::cursor::Items;
use super::header::{BagKind, TagHeader};
use super::key::KeyType;
use super::node::{Format, NO_PAGE, Node};
use super::tree::{MAX_DEPTH, Reading, Tree};
use crate::collation::KeyOrder;
use crate::finding::{Finding, Rest, Severity};
use mainstay_types::Error;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::Path;

/// Findings of one tag beyond which only their numbers are reported.
const MOST_FINDINGS: usize = 25;

/// Causes that several checks find.
const SIBLING: &str = "a page names a wrong sibling";
const UNREADABLE: &str = "a page cannot be read";
const NO_RECORD: &str = "a key leads to a record that does not exist";

impl Bag {
    /// Reads every page of every tag and reports what is wrong.
    ///
    /// `record_count` is that of the table, if it is known. `key_types` are the types of the tags in their
    /// order; without one, the type is guessed from the bytes, which is enough for a check.
    pub fn check(&self, record_count: Option<u32>, key_types: &[Option<KeyType>], findings: &mut Vec<Finding>) {
        for (_, error) in self.broken_tags() {
            findings.push(finding_of(error, self.path()));
        }
        let mut owners = HashMap::new();
        if let Some(directory) = &self.directory {
            let mut check = Check::new(directory, "directory", true, None, &mut owners, findings);
            // Every program reads all of it: the order of names does not matter.
            check.disorder = Severity::Warning;
            check.run();
        }
        for (number, header) in self.tags().iter().enumerate() {
            let key_type = key_types.get(number).copied().flatten();
            let key_type = key_type.unwrap_or_else(|| self.guess(header));
            match self.tree(header, key_type) {
                Ok(tree) => {
                    let is_unknown = key_type.order() == KeyOrder::Unknown;
                    let is_ordered = header.collation.is_none() && !is_unknown;
                    let place = format!("tag {}", header.name);
                    let mut check = Check::new(&tree, &place, is_ordered, record_count, &mut owners, findings);
                    check.expect_of(header);
                    check.run();
                    if is_unknown {
                        let message = "the keys are in an unknown national order: the tag is not searched, and the table \
                                       is not written to";
                        findings.push(Finding::new(Severity::Warning, self.path(), place, message));
                    }
                }
                Err(error) => findings.push(finding_of(&error, self.path())),
            }
        }
    }

    /// The type that the bytes of the root suggest: texts hold no control characters, doubles nearly always.
    fn guess(&self, header: &TagHeader) -> KeyType {
        let text = KeyType::guess(header, false);
        let mut items = Items::default();
        let looks_binary = self.tree(header, text).is_ok_and(|tree| {
            let Ok(bytes) = tree.load(tree.root, Reading::Point) else { return false };
            let read = tree.node(tree.root, &bytes).and_then(|node| items.read(&tree, tree.root, &node));
            let first = items.get(0).filter(|_| read.is_ok());
            first.is_some_and(|(_, key)| key.iter().any(|byte| *byte < b' ' || *byte >= 0x80))
        });
        KeyType::guess(header, looks_binary)
    }
}

fn finding_of(error: &Error, path: &Path) -> Finding {
    let place = error.place().unwrap_or_default();
    let own = path.display().to_string();
    let place = place.strip_prefix(&own).map_or(place, |rest| rest.trim_start_matches([',', ' ']));
    Finding::new(Severity::Error, path, place, error.message())
}

/// The check of one tree.
struct Check<'c> {
    tree: &'c Tree,
    name: &'c str,
    is_ordered: bool,
    /// The severity of keys out of order.
    disorder: Severity,
    record_count: Option<u32>,
    lists_all: bool,
    is_unique: bool,
    may_repeat: bool,
    /// The tree that entered each page first.
    owners: &'c mut HashMap<u32, String>,
    findings: &'c mut Vec<Finding>,
    /// The findings of other trees, before those of this one.
    others: usize,
    /// Findings that are counted only.
    rest: Rest,
    /// The page before on each level, and the right sibling it names.
    before: Vec<Option<(u32, u32)>>,
    leaf_depth: Option<usize>,
    last_key: Vec<u8>,
    keys: u64,
    /// A bit for each record that the tag lists.
    seen: Vec<u64>,
    items: Items,
}

impl<'c> Check<'c> {
    fn new(
        tree: &'c Tree,
        name: &'c str,
        is_ordered: bool,
        record_count: Option<u32>,
        owners: &'c mut HashMap<u32, String>,
        findings: &'c mut Vec<Finding>,
    ) -> Check<'c> {
        let seen = vec![0; record_count.map_or(0, |count| count as usize / 64 + 1)];
        Check {
            tree,
            name,
            is_ordered,
            disorder: Severity::Error,
            record_count,
            lists_all: false,
            is_unique: false,
            may_repeat: true,
            owners,
            others: findings.len(),
            findings,
            rest: Rest::default(),
            before: vec![None; MAX_DEPTH],
            leaf_depth: None,
            last_key: Vec::new(),
            keys: 0,
            seen,
            items: Items::default(),
        }
    }

    fn expect_of(&mut self, header: &TagHeader) {
        // Advantage lists no deleted records, and which are deleted only the table knows.
        self.lists_all = header.lists_all_records() && header.kind != BagKind::Adi;
        self.is_unique = header.unique || header.candidate;
        self.may_repeat = header.custom;
    }

    fn run(&mut self) {
        self.visit(self.tree.root, 0);
        let ends: Vec<(u32, u32)> = self.before.iter().flatten().copied().collect();
        for (page, right) in ends {
            if !is_no_page(right) {
                let message = format!("the last page of its level names {right} as its right sibling");
                self.error(page, SIBLING, message);
            }
        }
        if let Some(count) = self.record_count.filter(|count| self.lists_all && u64::from(*count) != self.keys) {
            let keys = self.keys;
            let message = format!("the tag lists {keys} of the table's {count} records");
            self.error(self.tree.root, "the tag lists another number of records than the table has", message);
        }
        let own = self.findings.get(self.others..).unwrap_or_default();
        let rest = std::mem::take(&mut self.rest).list(self.tree.pages.file().path(), self.name, own);
        self.findings.extend(rest);
    }

    /// Reports a page. The cause is the message without its data.
    fn report(&mut self, page: u32, severity: Severity, cause: &'static str, message: String) {
        if self.findings.len() - self.others >= MOST_FINDINGS {
            return self.rest.count(severity, cause, 1);
        }
        let offset = u64::from(page) * self.tree.layout.page_len as u64;
        let place = format!("{}, page at byte {offset}", self.name);
        let finding = Finding::new(severity, self.tree.pages.file().path(), place, message);
        self.findings.push(finding.of_cause(cause));
    }

    fn error(&mut self, page: u32, cause: &'static str, message: String) {
        self.report(page, Severity::Error, cause, message);
    }

    /// Checks a page and everything below it.
    fn visit(&mut self, page: u32, depth: usize) {
        if depth == MAX_DEPTH {
            let cause = "the tree is deeper than any tree can be";
            return self.error(page, cause, cause.to_owned());
        }
        if let Some(owner) = self.owners.insert(page, self.name.to_owned()) {
            let message = format!("the page is entered a second time; it belongs to {owner} already");
            return self.error(page, "a page is entered a second time", message);
        }
        let tree = self.tree;
        let bytes = match tree.load(page, Reading::Ahead) {
            Ok(bytes) => bytes,
            Err(error) => return self.error(page, UNREADABLE, error.message().to_owned()),
        };
        let node = match tree.node(page, &bytes) {
            Ok(node) => node,
            Err(error) => return self.error(page, UNREADABLE, error.message().to_owned()),
        };
        self.check_siblings(page, &node, depth);
        self.check_free_space(page, &node);
        if node.is_leaf() {
            self.check_depth(page, depth);
            self.check_items(page, &node);
        } else if tree.layout.format == Format::Ntx {
            self.visit_ntx(page, &node, depth);
        } else {
            self.visit_branch(page, &node, depth);
        }
    }

    fn visit_branch(&mut self, page: u32, node: &Node<'_>, depth: usize) {
        if node.count() == 0 {
            let cause = "a branch has no children";
            self.error(page, cause, cause.to_owned());
        }
        for index in 0..node.count() {
            self.visit_child(page, node, index, depth);
            let Ok(key) = node.fixed_key(index) else { continue };
            if self.is_ordered && !self.last_key.is_empty() && node.order(&self.last_key, key) == Ordering::Greater {
                let message = format!("key {index} of the branch is less than the last key below it");
                self.error(page, "a key of a branch is less than the last key below it", message);
            }
        }
    }

    fn visit_ntx(&mut self, page: u32, node: &Node<'_>, depth: usize) {
        for index in 0..=node.count() {
            self.visit_child(page, node, index, depth);
            if index < node.count() {
                match (node.record(index), node.fixed_key(index)) {
                    (Ok(record), Ok(key)) => self.check_item(page, node, record, key),
                    (Err(reason), _) | (_, Err(reason)) => self.error(page, UNREADABLE, reason.into_owned()),
                }
            }
        }
    }

    fn visit_child(&mut self, page: u32, node: &Node<'_>, index: usize, depth: usize) {
        let child = node.child(index).and_then(|pointer| pointer.map(|p| self.tree.layout.page_number(p)).transpose());
        match child {
            Ok(None) => {}
            Ok(Some(child)) if child > 0 && child < self.tree.pages.count() => self.visit(child, depth + 1),
            Ok(Some(_)) => {
                self.error(page, "a child lies outside the file", format!("child {index} lies outside the file"));
            }
            Err(reason) => self.error(page, UNREADABLE, format!("child {index}: {reason}")),
        }
    }

    fn check_depth(&mut self, page: u32, depth: usize) {
        match self.leaf_depth {
            None => self.leaf_depth = Some(depth),
            Some(first) if first != depth => {
                let message = format!("the leaf is on level {depth}, and the first leaf on level {first}");
                self.error(page, "the leaves lie on different levels", message);
            }
            Some(_) => {}
        }
    }

    fn check_siblings(&mut self, page: u32, node: &Node<'_>, depth: usize) {
        let Some((left, right)) = node.siblings() else { return };
        let number = |pointer: u32| self.tree.layout.page_number(pointer).ok();
        let before = self.before[depth];
        let left_agrees = match before {
            None => is_no_page(left),
            Some((before, _)) => number(left) == Some(before),
        };
        let right_agrees = before.is_none_or(|(_, right)| number(right) == Some(page));
        self.before[depth] = Some((page, right));
        if !left_agrees {
            self.error(page, SIBLING, format!("the left sibling is said to be {left}, and is another page"));
        }
        if let Some((before, right)) = before.filter(|_| !right_agrees) {
            self.error(before, SIBLING, format!("the right sibling is said to be {right}, and is another page"));
        }
    }

    fn check_free_space(&mut self, page: u32, node: &Node<'_>) {
        match node.free_space() {
            Some(Ok((said, free))) if said != free => {
                let message = format!("the leaf says that {said} bytes are free, and {free} are");
                self.error(page, "a leaf counts its free bytes wrongly", message);
            }
            _ => {}
        }
    }

    fn check_items(&mut self, page: u32, node: &Node<'_>) {
        let mut items = std::mem::take(&mut self.items);
        match items.read(self.tree, page, node) {
            Err(error) => self.error(page, UNREADABLE, error.message().to_owned()),
            Ok(()) => {
                let mut index = 0;
                while let Some((record, key)) = items.get(index) {
                    self.check_item(page, node, record, key);
                    index += 1;
                }
            }
        }
        self.items = items;
    }

    fn check_item(&mut self, page: u32, node: &Node<'_>, record: u32, key: &[u8]) {
        self.keys += 1;
        if self.is_ordered && !self.last_key.is_empty() {
            match node.order(&self.last_key, key) {
                Ordering::Greater => {
                    let message = format!("the key of record {record} comes before the key before it");
                    self.report(page, self.disorder, "a key comes before the key before it", message);
                }
                Ordering::Equal if self.is_unique => {
                    let message = format!("the key of record {record} is there twice in a unique tag");
                    self.report(page, Severity::Warning, "a key is there twice in a unique tag", message);
                }
                _ => {}
            }
        }
        self.last_key.clear();
        self.last_key.extend_from_slice(key);
        self.check_record(page, record);
    }

    fn check_record(&mut self, page: u32, record: u32) {
        let Some(count) = self.record_count else {
            if record == 0 {
                self.error(page, NO_RECORD, "a key leads to record 0".to_owned());
            }
            return;
        };
        if record == 0 || record > count {
            return self.error(page, NO_RECORD, format!("a key leads to record {record} of {count}"));
        }
        let (word, bit) = (record as usize / 64, 1 << (record % 64));
        if let Some(word) = self.seen.get_mut(word) {
            let was_seen = *word & bit != 0;
            *word |= bit;
            if was_seen && !self.may_repeat {
                self.error(page, "a record is listed twice", format!("record {record} is listed twice"));
            }
        }
    }
}

/// Some programs write 0 where others write -1.
fn is_no_page(pointer: u32) -> bool {
    pointer == NO_PAGE || pointer == 0
}
