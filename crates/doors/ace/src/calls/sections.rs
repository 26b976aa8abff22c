//! Critical sections: a lock of the program that belongs to a handle.
//!
//! `AdsCreateCriticalSection` creates a section for an object, `AdsWaitForObject` enters it, waiting for other threads,
//! and `AdsReleaseObject` leaves it. A thread that is inside may enter again, and leaves as often. No public page
//! describes these calls: they do what their names say. Their options are unknown, and refused. A section ends with its
//! handle.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

use crate::border::*;
use crate::constants::*;
use crate::failure::{Failure, Result};
use crate::registry;

/// A section: the thread inside, and the number of its entries.
#[derive(Default)]
struct Section {
    inside: Mutex<Option<(ThreadId, u32)>>,
    is_free: Condvar,
}

static SECTIONS: Mutex<Option<HashMap<usize, Arc<Section>>>> = Mutex::new(None);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_open(object: Handle) -> bool {
    registry::find(object).is_some_and(|object| object.kind().is_some())
}

fn check(object: Handle, options: u32) -> Result<()> {
    if !is_open(object) {
        return Err(Failure::new(AE_INVALID_HANDLE, "the handle is none, or is closed"));
    }
    match options {
        ADS_DEFAULT => Ok(()),
        other => Err(Failure::new(AE_INVALID_OPTION, format!("the options {other} are not known"))),
    }
}

fn section(object: Handle) -> Result<Arc<Section>> {
    let found = locked(&SECTIONS).as_ref().and_then(|sections| sections.get(&object.0).cloned());
    found.ok_or_else(|| Failure::new(AE_INVALID_VALUE, "the object has no critical section"))
}

/// Gives an object a section; one that it has stays.
pub fn create(object: Handle, options: u32) -> Result<()> {
    check(object, options)?;
    let mut sections = locked(&SECTIONS);
    let sections = sections.get_or_insert_default();
    sections.retain(|handle, _| is_open(Handle(*handle)));
    sections.entry(object.0).or_default();
    Ok(())
}

/// Enters it.
pub fn enter(object: Handle, options: u32) -> Result<()> {
    check(object, options)?;
    let section = section(object)?;
    let this = std::thread::current().id();
    let is_others = |inside: &mut Option<(ThreadId, u32)>| inside.is_some_and(|(thread, _)| thread != this);
    let inside = section.is_free.wait_while(locked(&section.inside), is_others);
    let mut inside = inside.unwrap_or_else(PoisonError::into_inner);
    let times = inside.map_or(0, |(_, times)| times);
    *inside = Some((this, times.saturating_add(1)));
    Ok(())
}

/// Leaves it.
pub fn leave(object: Handle) -> Result<()> {
    check(object, ADS_DEFAULT)?;
    let section = section(object)?;
    let mut inside = locked(&section.inside);
    *inside = match *inside {
        Some((thread, times)) if thread == std::thread::current().id() => {
            times.checked_sub(1).filter(|times| *times > 0).map(|times| (thread, times))
        }
        _ => return Err(Failure::new(AE_INVALID_VALUE, "this thread is not in the critical section")),
    };
    drop(inside);
    section.is_free.notify_one();
    Ok(())
}
