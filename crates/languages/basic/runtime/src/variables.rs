//! Variables of a program level: numbers, strings and arrays, by slot.
//!
//! CALL makes a new level, PERFORM and EXECUTE share one; global variables (`%NAME`) are a level of the session. A
//! program's code has numbers of its own for its names; linking it to a level finds or makes the slots, once.

use crate::code::Program;
use crate::fault::{Fault, Outcome};
use crate::link::Link;
use crate::machine::structure::Structure;
use crate::number::Number;
use mainstay_basic_syntax::tree::{Name, NameKind};
use std::collections::HashMap;
use std::rc::Rc;

/// The most elements of an array.
const MAX_ELEMENTS: usize = 10_000_000;

/// An array of one to three dimensions.
#[derive(Clone, Debug, Default)]
pub struct Array<T> {
    /// Lower and upper bound of each dimension.
    pub bounds: [(i64, i64); 3],
    /// It grows by one behind its last element.
    pub dynamic: bool,
    /// Its elements, the last subscript varying fastest.
    pub elements: Vec<T>,
    /// Keywords of its elements, if it has been used with any.
    pub keywords: Option<Box<Keywords>>,
}

/// The longest keyword (manual, Associative Arrays).
const MAX_KEYWORD: usize = 255;

/// Keywords of elements, by place.
#[derive(Clone, Debug, Default)]
pub struct Keywords {
    places: HashMap<Vec<u8>, usize>,
    names: Vec<Option<Vec<u8>>>,
}

impl Keywords {
    /// The place of a keyword.
    pub fn place(&self, keyword: &[u8]) -> Option<usize> {
        self.places.get(keyword).copied()
    }

    /// The keyword of a place.
    pub fn name(&self, place: usize) -> Option<&[u8]> {
        self.names.get(place)?.as_deref()
    }

    /// All keywords, by place.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        self.names.iter().flatten().map(Vec::as_slice)
    }

    /// Bytes that they take: each keyword is in the list and in the table.
    pub(crate) fn bytes(&self) -> usize {
        let names: usize = self.names.iter().flatten().map(|name| 2 * name.len() + 176).sum();
        names + self.names.capacity() * 24
    }

    /// Takes a keyword away from its element; gives the place.
    pub fn forget(&mut self, keyword: &[u8]) -> Option<usize> {
        let place = self.places.remove(keyword)?;
        self.names[place] = None;
        Some(place)
    }

    /// An element has left the array: those behind it move down.
    pub fn remove(&mut self, place: usize) {
        if place < self.names.len()
            && let Some(name) = self.names.remove(place)
        {
            self.places.remove(&name);
        }
        self.places.values_mut().filter(|at| **at > place).for_each(|at| *at -= 1);
    }

    fn insert(&mut self, keyword: &[u8], place: usize) {
        self.names.resize(self.names.len().max(place + 1), None);
        self.names[place] = Some(keyword.to_vec());
        self.places.insert(keyword.to_vec(), place);
    }
}

impl<T: Clone + Default> Array<T> {
    /// An array of default values. Error 42 for bounds in the wrong order, 31 for too many elements, 33 when the system has no
    /// memory for them.
    pub fn new(bounds: &[(i64, i64)]) -> Outcome<Array<T>> {
        let mut array = Array::default();
        let mut count = 1usize;
        for (slot, (low, high)) in array.bounds.iter_mut().zip(bounds) {
            let length = high.checked_sub(*low).and_then(|length| usize::try_from(length).ok());
            let length = length.and_then(|length| length.checked_add(1)).ok_or_else(|| Fault::new(42))?;
            *slot = (*low, *high);
            count = count.checked_mul(length).filter(|count| *count <= MAX_ELEMENTS).ok_or_else(|| Fault::new(31))?;
        }
        array.elements.try_reserve_exact(count).map_err(|_| Fault::new(33))?;
        array.elements.resize(count, T::default());
        Ok(array)
    }

    /// An array without elements that grows.
    pub fn growing() -> Array<T> {
        Array { bounds: [(1, 0), (0, 0), (0, 0)], dynamic: true, elements: Vec::new(), keywords: None }
    }

    /// The element of a keyword, appended if there is none yet. Error 42 for an array of fixed size, or a keyword that is
    /// too long or has a byte $00$.
    pub fn by_keyword(&mut self, keyword: &[u8]) -> Outcome<&mut T> {
        if keyword.len() > MAX_KEYWORD || keyword.contains(&0) {
            return Err(Fault::with(42, "keyword of an array"));
        }
        let known = self.keywords.as_ref().and_then(|keywords| keywords.place(keyword));
        let place = match known {
            Some(place) => place,
            None => {
                let place = self.append()?;
                self.keywords.get_or_insert_default().insert(keyword, place);
                place
            }
        };
        self.elements.get_mut(place).ok_or_else(|| Fault::new(42))
    }

    /// The place of an element. Error 42 outside of the bounds.
    pub fn index(&self, subscripts: &[i64]) -> Outcome<usize> {
        let mut index = 0usize;
        for (position, (low, high)) in self.bounds.iter().enumerate() {
            let subscript = subscripts.get(position).copied().unwrap_or(0);
            if subscript < *low || subscript > *high {
                return Err(Fault::new(42));
            }
            index = index * (high - low + 1) as usize + (subscript - low) as usize;
        }
        Ok(index)
    }

    /// The place of an element to assign to: a dynamic array grows by the one behind its last.
    pub fn index_to_assign(&mut self, subscripts: &[i64]) -> Outcome<usize> {
        if self.dynamic && subscripts.first() == Some(&(self.bounds[0].1 + 1)) {
            return self.append();
        }
        self.index(subscripts)
    }

    /// Appends an element to a dynamic array.
    pub fn append(&mut self) -> Outcome<usize> {
        if !self.dynamic {
            return Err(Fault::with(42, "the array is not dynamic"));
        }
        if self.elements.len() >= MAX_ELEMENTS {
            return Err(Fault::new(31));
        }
        self.elements.push(T::default());
        self.bounds[0].1 += 1;
        Ok(self.elements.len() - 1)
    }

    /// The same elements in other bounds, as far as they are in both.
    pub fn resized(&self, bounds: &[(i64, i64)]) -> Outcome<Array<T>> {
        let mut resized = Array::new(bounds)?;
        let [a, b, c] = resized.bounds;
        for i in a.0..=a.1 {
            for j in b.0..=b.1 {
                for k in c.0..=c.1 {
                    if let (Ok(from), Ok(to)) = (self.index(&[i, j, k]), resized.index(&[i, j, k])) {
                        resized.elements[to] = self.elements[from].clone();
                    }
                }
            }
        }
        Ok(resized)
    }
}

/// The four places of storage, which are also separate name spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Storage {
    /// Numbers.
    Number,
    /// Strings.
    Text,
    /// Arrays of numbers.
    Numbers,
    /// Arrays of strings.
    Texts,
}

/// The variables of a level.
#[derive(Debug, Default)]
pub struct Variables {
    /// Numbers by slot.
    pub numbers: Vec<Number>,
    /// Strings by slot.
    pub texts: Vec<Vec<u8>>,
    /// Arrays of numbers by slot; `None` before DIM.
    pub number_arrays: Vec<Option<Array<Number>>>,
    /// Arrays of strings by slot.
    pub text_arrays: Vec<Option<Array<Vec<u8>>>>,
    /// Composite strings by the slot of the string: the program and its list of variables.
    pub composites: HashMap<u32, (Rc<Program>, crate::code::ListId)>,
    /// Structures by the slot of the string.
    pub structures: HashMap<u32, Rc<Structure>>,
    names: Rc<HashMap<(Storage, String, bool), u32>>,
    /// Programs that are linked to this level.
    links: Vec<(Rc<Program>, Rc<Link>)>,
}

impl Variables {
    /// The slot of a name, which is made if there is none yet.
    pub fn slot(&mut self, name: &Name, storage: Storage) -> u32 {
        let key = (storage, name.text.clone(), name.kind == NameKind::Whole);
        if let Some(slot) = self.names.get(&key) {
            return *slot;
        }
        let slot = match storage {
            Storage::Number => push(&mut self.numbers),
            Storage::Text => push(&mut self.texts),
            Storage::Numbers => push(&mut self.number_arrays),
            Storage::Texts => push(&mut self.text_arrays),
        };
        Rc::make_mut(&mut self.names).insert(key, slot);
        slot
    }

    /// A level whose first slots are those of another one when it was new.
    pub fn like(template: &Variables) -> Variables {
        Variables {
            numbers: vec![Number::ZERO; template.numbers.len()],
            texts: vec![Vec::new(); template.texts.len()],
            number_arrays: vec![None; template.number_arrays.len()],
            text_arrays: vec![None; template.text_arrays.len()],
            composites: HashMap::new(),
            structures: HashMap::new(),
            names: template.names.clone(),
            links: template.links.clone(),
        }
    }

    /// The link of a program to this level, if it was made before.
    pub fn linked(&self, program: &Rc<Program>) -> Option<Rc<Link>> {
        self.links.iter().find(|(linked, _)| Rc::ptr_eq(linked, program)).map(|(_, link)| link.clone())
    }

    /// Bytes of names and links. Levels of one program share their names, which count for each.
    pub(crate) fn names_bytes(&self) -> usize {
        let names: usize = self.names.keys().map(|(_, name, _)| name.len() + 144).sum();
        let links: usize = self.links.iter().map(|(program, _)| program.symbols.count() * 4 + 256).sum();
        names + links
    }

    /// Programs that are linked to the level.
    pub(crate) fn programs(&self) -> impl Iterator<Item = &Rc<Program>> {
        self.links.iter().map(|(program, _)| program)
    }

    /// Forgets the links of programs that are not needed any more.
    pub(crate) fn forget_links(&mut self, mut is_needed: impl FnMut(&Rc<Program>) -> bool) {
        self.links.retain(|(program, _)| is_needed(program));
    }

    /// Keeps a link.
    pub fn keep_link(&mut self, program: Rc<Program>, link: Rc<Link>) {
        self.links.push((program, link));
    }

    /// A variable has a value.
    pub fn has_values(&self) -> bool {
        self.numbers.iter().any(|number| !number.is_zero())
            || self.texts.iter().any(|text| !text.is_empty())
            || self.number_arrays.iter().any(Option::is_some)
            || self.text_arrays.iter().any(Option::is_some)
    }

    /// Names with their storage and slot, in no order.
    pub fn names(&self) -> impl Iterator<Item = (Storage, &str, bool, usize)> {
        self.names.iter().map(|((storage, name, whole), slot)| (*storage, name.as_str(), *whole, *slot as usize))
    }

    /// Forgets the link of a program that is replaced by another one.
    pub fn forget_link(&mut self, program: &Rc<Program>) {
        self.links.retain(|(linked, _)| !Rc::ptr_eq(linked, program));
    }

    /// Makes all values what they are at the beginning. Slots stay.
    pub fn clear(&mut self) {
        self.numbers.fill(Number::ZERO);
        // The memory of long strings is given back, too.
        self.texts.fill(Vec::new());
        self.number_arrays.fill(None);
        self.text_arrays.iter_mut().for_each(|array| *array = None);
        self.composites.clear();
        self.structures.clear();
    }
}

fn push<T: Default>(list: &mut Vec<T>) -> u32 {
    list.push(T::default());
    list.len() as u32 - 1
}
