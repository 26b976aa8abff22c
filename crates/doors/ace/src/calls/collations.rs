//! The collation of a connection or a statement, for tables that name none.
//!
//! Keys and comparisons here are in the order of bytes. FoxPro's collations MACHINE have this order, so they may be
//! set; any other collation is refused, so that no program relies on an order that it does not get. Source: the pages
//! "AdsSetCollation", "AdsGetCollation" and "AdsStmtSetTableCollation" of the public manual.

use std::sync::PoisonError;

use crate::border::*;
use crate::constants::{self, *};
use crate::failure::{Failure, Result};
use crate::registry;

/// Prefix of the names of collations that compare bytes.
const BYTES: &str = "MACHINE_VFP_BIN_";

/// The name of a collation as it is stored; `None` for an empty one.
///
/// Errors: AE_COLLATION_NOT_RECOGNIZED.
pub fn checked(collation: Text) -> Result<Option<String>> {
    let Some(name) = collation.optional_string() else { return Ok(None) };
    let upper = name.trim().to_ascii_uppercase();
    let is_known = constants::GROUPS.iter().flat_map(|(_, all)| all.iter()).any(|constant| constant.name == upper);
    match upper.starts_with(BYTES) && is_known {
        true => Ok(Some(upper)),
        false => {
            Err(Failure::new(AE_COLLATION_NOT_RECOGNIZED, format!("{name}: keys are in the order of their bytes")))
        }
    }
}

pub fn set(connection: Handle, collation: Text) -> Result<()> {
    let connection = registry::connection(connection)?;
    let collation = checked(collation)?;
    *connection.collation.lock().unwrap_or_else(PoisonError::into_inner) = collation;
    Ok(())
}

pub fn get(connection: Handle, collation: Buffer, length: Out<u16>) -> Result<()> {
    let connection = registry::connection(connection)?;
    let known = connection.collation.lock().unwrap_or_else(PoisonError::into_inner).clone();
    collation.set_text(length, known.unwrap_or_default().as_bytes())
}

/// The collation of a statement's tables, which is that of bytes in any case.
pub fn set_for_statement(statement: Handle, collation: Text) -> Result<()> {
    registry::statement(statement)?;
    checked(collation).map(|_| ())
}
