//! Links: the names of a program, bound to the slots of a level, and its lists, bound to them as well.

use crate::code::{Expr, ListId, ListItem, ListSource, Program, Target};
use crate::variables::{Storage, Variables};
use mainstay_basic_syntax::tree::Name;
use std::cell::OnceCell;
use std::rc::Rc;

/// Set in a slot of a session's variable (`%NAME`).
pub const GLOBAL: u32 = 1 << 31;

/// A program at a level.
#[derive(Debug)]
pub struct Link {
    /// Slots of numbers, by symbol.
    pub numbers: Vec<u32>,
    /// Slots of strings.
    pub texts: Vec<u32>,
    /// Slots of arrays of numbers.
    pub number_arrays: Vec<u32>,
    /// Slots of arrays of strings.
    pub text_arrays: Vec<u32>,
    plans: Vec<OnceCell<Option<Rc<Plan>>>>,
}

/// A list of nothing but variables, as slots.
#[derive(Debug, Default)]
pub struct Plan {
    /// The slots.
    pub slots: Vec<PlanSlot>,
}

/// A field of a [`Plan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanSlot {
    /// No variable.
    Skip,
    /// A number; true truncates.
    Number(u32, bool),
    /// A string.
    Text(u32),
}

impl Link {
    /// Links a program: names that are new to the level get slots.
    pub fn new(program: &Program, level: &mut Variables, globals: &mut Variables) -> Link {
        let mut slots = |names: &[mainstay_basic_syntax::tree::Name], storage: Storage| {
            let slot = |name: &mainstay_basic_syntax::tree::Name| match name.global {
                true => globals.slot(name, storage) | GLOBAL,
                false => level.slot(name, storage),
            };
            names.iter().map(slot).collect::<Vec<u32>>()
        };
        Link {
            numbers: slots(&program.symbols.numbers, Storage::Number),
            texts: slots(&program.symbols.texts, Storage::Text),
            number_arrays: slots(&program.symbols.number_arrays, Storage::Numbers),
            text_arrays: slots(&program.symbols.text_arrays, Storage::Texts),
            plans: (0..program.lists.len()).map(|_| OnceCell::new()).collect(),
        }
    }

    /// The list as slots, made once; `None` if it has elements, formats or values.
    #[inline]
    pub fn plan(&self, program: &Program, id: ListId) -> Option<&Rc<Plan>> {
        self.plans.get(id as usize)?.get_or_init(|| self.make_plan(program, id)).as_ref()
    }

    /// The list as slots of names with a prefix: `NAME$` with `REC=CUST$` is `CUST.NAME$`.
    pub fn prefixed_plan(program: &Program, id: ListId, prefix: &str, level: &mut Variables) -> Option<Rc<Plan>> {
        let mut plan = Plan::default();
        collect_prefixed(program, id, prefix, level, &mut plan, 0)?;
        Some(Rc::new(plan))
    }

    fn make_plan(&self, program: &Program, id: ListId) -> Option<Rc<Plan>> {
        let mut plan = Plan::default();
        self.collect(program, id, &mut plan, 0)?;
        Some(Rc::new(plan))
    }

    fn collect(&self, program: &Program, id: ListId, plan: &mut Plan, depth: usize) -> Option<()> {
        if depth > 20 {
            return None;
        }
        for item in &program.lists.get(id as usize)?.items {
            match item {
                ListItem::Skip => plan.slots.push(PlanSlot::Skip),
                ListItem::List(ListSource::Id(id)) => self.collect(program, *id, plan, depth + 1)?,
                ListItem::List(_) => return None,
                ListItem::Value(value) => {
                    if value.mask.is_some() || !value.formats.is_empty() {
                        return None;
                    }
                    plan.slots.push(match (&value.target, &value.value) {
                        (Some(Target::Number(symbol, whole)), Expr::Number(_)) => {
                            PlanSlot::Number(*self.numbers.get(*symbol as usize)?, *whole)
                        }
                        (Some(Target::Text(symbol)), Expr::Text(_)) => {
                            PlanSlot::Text(*self.texts.get(*symbol as usize)?)
                        }
                        _ => return None,
                    });
                }
            }
        }
        Some(())
    }
}

fn collect_prefixed(
    program: &Program,
    id: ListId,
    prefix: &str,
    level: &mut Variables,
    plan: &mut Plan,
    depth: usize,
) -> Option<()> {
    if depth > 20 {
        return None;
    }
    for item in &program.lists.get(id as usize)?.items {
        let value = match item {
            ListItem::Skip => {
                plan.slots.push(PlanSlot::Skip);
                continue;
            }
            ListItem::List(ListSource::Id(inner)) => {
                collect_prefixed(program, *inner, prefix, level, plan, depth + 1)?;
                continue;
            }
            ListItem::List(_) => return None,
            ListItem::Value(value) if value.mask.is_none() && value.formats.is_empty() => value,
            ListItem::Value(_) => return None,
        };
        plan.slots.push(match value.target {
            Some(Target::Number(symbol, whole)) => PlanSlot::Number(
                prefixed(program.symbols.numbers.get(symbol as usize)?, prefix, Storage::Number, level),
                whole,
            ),
            Some(Target::Text(symbol)) => {
                PlanSlot::Text(prefixed(program.symbols.texts.get(symbol as usize)?, prefix, Storage::Text, level))
            }
            _ => return None,
        });
    }
    Some(())
}

fn prefixed(name: &Name, prefix: &str, storage: Storage, level: &mut Variables) -> u32 {
    let name = Name { text: format!("{prefix}.{}", name.text), global: false, ..name.clone() };
    level.slot(&name, storage)
}
