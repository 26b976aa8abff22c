//! The columns that identify the records of a table.
//!
//! The first that exists of: the columns of the primary key that the dictionary names; those of the unique indexes; the
//! autoincrement column; the row version column. Source: the page "AdsGetKeyColumn" of the public manual. Rows that are
//! a copy have no key columns, because their source is not examined.

use mainstay_workarea::OrderInfo;
use mainstay_xbase::dbf::{Field, FieldKind};

use crate::border::*;
use crate::constants::*;
use crate::dictionary::integrity::fields_of;
use crate::failure::Result;
use crate::registry;
use crate::table::{State, Table};

/// The columns, with semicolons between.
pub fn get(cursor: Handle, columns: Buffer, length: Out<u16>) -> Result<()> {
    let table = registry::table(cursor)?;
    let primary = primary_key(&table)?;
    let is_copy = table.is_cursor() && table.live.get().is_none();
    let found = match is_copy {
        true => Vec::new(),
        false => table.with(|state| Ok(of_table(state, primary.as_deref())))?,
    };
    columns.set_text(length, found.join(";").as_bytes())
}

/// The name of the primary key's index, from the dictionary.
fn primary_key(table: &Table) -> Result<Option<String>> {
    let Some(session) = &table.connection.dictionary else { return Ok(None) };
    let contents = session.live.contents()?;
    let object = session.table_of_file(&contents, &table.path);
    Ok(object.and_then(|object| object.text(ADS_DD_TABLE_PRIMARY_KEY)).map(str::to_owned))
}

fn of_table(state: &State, primary: Option<&str>) -> Vec<String> {
    let area = state.area.form();
    let orders = state.area.orders();
    let of_order = |order: &OrderInfo| {
        let fields = fields_of(area, &order.key).into_iter();
        fields.filter_map(|field| area.fields().get(field)).map(|field| field.name.clone()).collect::<Vec<_>>()
    };
    let named = |name: &str| orders.iter().find(|order| order.name.eq_ignore_ascii_case(name));
    if let Some(order) = primary.and_then(named) {
        return of_order(order);
    }
    let unique: Vec<String> = orders.iter().filter(|order| order.candidate).flat_map(of_order).collect();
    if !unique.is_empty() {
        return unique;
    }
    let first = |is: &dyn Fn(usize, &Field) -> bool| {
        let mut fields = area.fields().iter().enumerate();
        fields.find(|(place, field)| is(*place, field)).map(|(_, field)| field.name.clone())
    };
    let counts = |place: usize, field: &Field| field.letter == b'+' || area.counts_up(place);
    let found = first(&counts).or_else(|| first(&|_, field| field.kind == FieldKind::RowVersion));
    found.into_iter().collect()
}
