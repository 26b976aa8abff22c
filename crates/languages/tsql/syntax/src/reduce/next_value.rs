//! NEXT VALUE FOR: the types of its values, and the shared value of several mentions in one row.
//!
//! The core gives a BIGINT for each call. If a list names a sequence more than once (with the same OVER), the first
//! call takes its values and shares them with the others: `"nextval:shared"`, `"nextval:again"`.

use super::outer_aggregate::each;
use super::{Reducer, text_literal};
use crate::tree::{Expr, ObjectName, OrderItem};
use mainstay_tsql_types::{DataType, Message};

/// A sequence of which a list takes values more than once.
pub(super) struct SharedValue {
    name: String,
    order: Option<Vec<OrderItem>>,
    /// The number of the list with this sequence, which no other has.
    list: usize,
    /// The number of mentions.
    count: usize,
    /// The number of mentions already written.
    written: usize,
}

impl Reducer<'_> {
    /// Begins a list of values of one row, and gives back what was known of the list around it, for when it ends.
    pub(super) fn begin_values<'e>(&mut self, values: impl Iterator<Item = &'e Expr>) -> Vec<SharedValue> {
        let mut found: Vec<SharedValue> = Vec::new();
        for value in values {
            each(value, &mut |part| {
                let Expr::NextValue(name, order) = part else { return };
                let name = joined(name);
                match found.iter_mut().find(|known| known.name == name && known.order == *order) {
                    Some(known) => known.count += 1,
                    None => found.push(SharedValue { name, order: order.clone(), list: 0, count: 1, written: 0 }),
                }
            });
        }
        found.retain(|one| one.count > 1);
        for one in &mut found {
            self.made += 1;
            one.list = self.made;
        }
        std::mem::replace(&mut self.shared_values, found)
    }

    /// Ends a list of values.
    pub(super) fn end_values(&mut self, around: Vec<SharedValue>) {
        self.shared_values = around;
    }

    /// Writes a call.
    pub(super) fn next_value(&mut self, name: &ObjectName, order: &Option<Vec<OrderItem>>) -> Result<(), Message> {
        // A default is brought to the type of its column.
        let cast = match self.scope.sequence_type(name).filter(|_| !self.in_table) {
            None | Some(DataType::BigInt) => None,
            Some(other) => Some(format!("\"mssql:cast:{other}\"(")),
        };
        self.push(cast.as_deref().unwrap_or_default());
        let (text, joined) =
            (name.parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join("."), joined(name));
        let text = text_literal(&text);
        let shared = self.shared_values.iter_mut().find(|known| known.name == joined && known.order == *order);
        match shared {
            Some(SharedValue { list, written, .. }) if *written > 0 => {
                let call = format!("\"nextval:again\"({text}, {list}, {written})");
                *written += 1;
                self.push(&call);
            }
            shared => {
                let start = match shared {
                    Some(SharedValue { list, written, count, .. }) => {
                        *written += 1;
                        format!("\"nextval:shared\"({text}, {list}, {}", *count - 1)
                    }
                    None => format!("nextval({text}"),
                };
                self.push(&start);
                if let Some(order) = order {
                    self.push(", CAST(row_number() OVER (");
                    self.order(order)?;
                    self.push(") AS BIGINT)");
                }
                self.push(")");
            }
        }
        if cast.is_some() {
            self.push(")");
        }
        Ok(())
    }
}

fn joined(name: &ObjectName) -> String {
    let parts: Vec<String> = name.parts.iter().map(|part| part.text.to_lowercase()).collect();
    match parts.split_first() {
        Some((schema, rest)) if schema == "dbo" && !rest.is_empty() => rest.join("."),
        _ => parts.join("."),
    }
}
