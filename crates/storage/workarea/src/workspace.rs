//! The open areas of one program, and their relations.
//!
//! After a move of a parent, [`Workspace::sync`] moves its children, and theirs. A relation that would lead back to its
//! own parent is refused, as in Clipper.

use crate::area::Area;
use crate::relation::Relation;
use mainstay_types::{Code, Error, Result};
use std::collections::BTreeMap;

/// The number of an area in its workspace, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AreaNumber(pub u32);

/// The areas of one program.
#[derive(Debug, Default)]
pub struct Workspace {
    areas: BTreeMap<AreaNumber, Area>,
    relations: Vec<(AreaNumber, AreaNumber, Relation)>,
    last: u32,
}

impl Workspace {
    /// A workspace without areas.
    pub fn new() -> Workspace {
        Workspace::default()
    }

    /// Takes an area in.
    pub fn add(&mut self, area: Area) -> AreaNumber {
        self.last += 1;
        let number = AreaNumber(self.last);
        self.areas.insert(number, area);
        number
    }

    /// Gives an area back; its relations end.
    pub fn remove(&mut self, number: AreaNumber) -> Option<Area> {
        self.relations.retain(|(parent, child, _)| *parent != number && *child != number);
        self.areas.remove(&number)
    }

    /// An area.
    pub fn area(&mut self, number: AreaNumber) -> Result<&mut Area> {
        self.areas.get_mut(&number).ok_or_else(|| no_area(number))
    }

    /// Has a child follow a parent from the next [`Workspace::sync`] on; a relation of the two before is replaced.
    ///
    /// Errors: those of the expression; `InvalidValue` for a relation that leads back to its parent.
    pub fn relate(&mut self, parent: AreaNumber, child: AreaNumber, relation: Relation) -> Result<()> {
        if parent == child || self.leads_to(child, parent) {
            return Err(Error::new(Code::InvalidValue, "the relation leads back to its own parent"));
        }
        self.area(child)?;
        self.area(parent)?.check_relation(&relation)?;
        self.relations.retain(|(from, to, _)| (*from, *to) != (parent, child));
        self.relations.push((parent, child, relation));
        Ok(())
    }

    fn leads_to(&self, from: AreaNumber, to: AreaNumber) -> bool {
        self.relations.iter().any(|(parent, child, _)| *parent == from && (*child == to || self.leads_to(*child, to)))
    }

    /// Ends the relations of a parent.
    pub fn clear_relations(&mut self, parent: AreaNumber) {
        self.relations.retain(|(from, ..)| *from != parent);
    }

    /// The children of a parent.
    pub fn relations(&self, parent: AreaNumber) -> Vec<(AreaNumber, Relation)> {
        let of = self.relations.iter().filter(|(from, ..)| *from == parent);
        of.map(|(_, child, relation)| (*child, relation.clone())).collect()
    }

    /// Moves the children of a parent to where its record says, and their children.
    pub fn sync(&mut self, parent: AreaNumber) -> Result<()> {
        for (child, relation) in self.relations(parent) {
            let value = self.area(parent)?.relation_value(&relation)?;
            self.area(child)?.follow(value, relation.scoped)?;
            self.sync(child)?;
        }
        Ok(())
    }
}

fn no_area(number: AreaNumber) -> Error {
    Error::new(Code::NotFound, format!("the workspace has no area number {}", number.0))
}
