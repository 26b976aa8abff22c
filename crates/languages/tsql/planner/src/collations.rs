//! Collation conflicts: SQL Server refuses to compare columns of different collations without COLLATE.
//!
//! Limits: a collation is known by its sensitivity (case and accents, accents, or bytes) and its code page, so that two
//! languages of one code page are the same. Messages name the most common collation of that kind.

use super::function::failed;
use super::typed::{Strength, Typed};
use datafusion::common::Result;
use mainstay_tsql_types::{CodePage, Message, Operation};
use mainstay_types::Collation;

/// Errors: 468 where columns are compared whose collations differ and no COLLATE says which counts.
pub(super) fn check(operation: &Operation, args: &[Typed]) -> Result<()> {
    let name = match operation {
        Operation::Compare(comparison) => comparison.name(),
        Operation::In => "equal to",
        Operation::Like => "like",
        _ => return Ok(()),
    };
    // A NVARCHAR is in no code page.
    let said = |typed: &Typed| Some((typed.by.collation, typed.data_type?.code_page()));
    let mut columns = args.iter().filter(|arg| arg.by.strength == Strength::Column).filter_map(said);
    if args.iter().any(|arg| arg.by.strength == Strength::Explicit) {
        return Ok(());
    }
    let Some((first, first_page)) = columns.next() else { return Ok(()) };
    let differs = |(other, page): &(Collation, Option<CodePage>)| {
        *other != first || matches!((page, first_page), (Some(one), Some(other)) if *one != other)
    };
    let Some((other, page)) = columns.find(differs) else { return Ok(()) };
    let named = |collation: Collation, page: Option<CodePage>| match collation {
        Collation::CaseInsensitive => mainstay_tsql_types::collation::name_of(page.unwrap_or_default()),
        Collation::CaseAccentInsensitive => "Latin1_General_CI_AI",
        Collation::CaseSensitive => "Latin1_General_CS_AS",
        Collation::Binary => "Latin1_General_BIN2",
    };
    Err(failed(Message::numbered(468, &[&named(other, page), &named(first, first_page), &name])))
}
