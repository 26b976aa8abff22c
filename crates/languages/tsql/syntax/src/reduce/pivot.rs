//! PIVOT and UNPIVOT, over any source with known columns.

use super::{Reducer, not_supported, quoted, refusals, text_literal};
use crate::tree::{Argument, Call, Expr, ObjectName, Pivot, Unpivot};
use mainstay_tsql_types::{DataType, Length, Message};

impl Reducer<'_> {
    /// `PIVOT (SUM(x) FOR c IN ([a], [b]))`: a group of all other columns, with a condition in each aggregate.
    pub(super) fn pivot(&mut self, pivot: &Pivot) -> Result<(), Message> {
        let Some((call, value)) = aggregated(pivot) else {
            return Err(not_supported("PIVOT of anything but an aggregate of a column"));
        };
        let kept = self.columns_beside_pivot(pivot).ok_or_else(|| not_supported(refusals::PIVOT))?;
        self.push("(SELECT ");
        for name in &kept {
            self.name(name);
            self.push(", ");
        }
        let (column, value) = (quoted(pivot.column.last()), quoted(value.last()));
        let function = call.name.last().to_ascii_lowercase();
        self.list(&pivot.values, |it, name| {
            it.open(&function);
            it.push(&format!("CASE WHEN \"mssql:equal\"({column}, \"mssql:nvarchar(4000)\"("));
            it.text(&name.text);
            it.push(&format!(")) THEN {value} END) AS "));
            it.name(&name.text);
            Ok(())
        })?;
        self.push(" FROM ");
        self.source(&pivot.source)?;
        if !kept.is_empty() {
            self.push(" GROUP BY ");
            self.list(&kept, |it, name| {
                it.name(name);
                Ok(())
            })?;
        }
        self.push(")");
        self.alias(&pivot.alias)
    }

    /// `UNPIVOT (v FOR c IN (a, b))`: a row for each of these columns that has a value.
    pub(super) fn unpivot(&mut self, unpivot: &Unpivot) -> Result<(), Message> {
        let kept = self.columns_beside_unpivot(unpivot).ok_or_else(|| not_supported(refusals::UNPIVOT))?;
        self.push("(");
        for (number, column) in unpivot.columns.iter().enumerate() {
            if number > 0 {
                self.push(" UNION ALL ");
            }
            self.push("SELECT ");
            for name in &kept {
                self.name(name);
                self.push(", ");
            }
            self.name(column.last());
            self.push(" AS ");
            self.name(&unpivot.value.text);
            self.push(", ");
            self.typed(DataType::NVarChar(Length::Limited(128)), &text_literal(column.last()));
            self.push(" AS ");
            self.name(&unpivot.column.text);
            self.push(" FROM ");
            self.source(&unpivot.source)?;
            self.push(" WHERE ");
            self.name(column.last());
            self.push(" IS NOT NULL");
        }
        self.push(")");
        self.alias(&unpivot.alias)
    }

    /// The columns that a PIVOT groups by: all but the one that it aggregates and the one whose values become columns.
    pub(super) fn columns_beside_pivot(&self, pivot: &Pivot) -> Option<Vec<String>> {
        let (_, value) = aggregated(pivot)?;
        let used = [value.last(), pivot.column.last()];
        let mut columns = self.columns_of(&pivot.source)?;
        columns.retain(|name| !used.iter().any(|used| used.eq_ignore_ascii_case(name)));
        Some(columns)
    }

    /// The columns that an UNPIVOT leaves as they are.
    pub(super) fn columns_beside_unpivot(&self, unpivot: &Unpivot) -> Option<Vec<String>> {
        let mut columns = self.columns_of(&unpivot.source)?;
        columns.retain(|name| !unpivot.columns.iter().any(|used| used.last().eq_ignore_ascii_case(name)));
        Some(columns)
    }
}

/// The aggregate of a PIVOT, and the column that it is of.
fn aggregated(pivot: &Pivot) -> Option<(&Call, &ObjectName)> {
    let Expr::Call(call) = &pivot.aggregate else { return None };
    match &call.arguments[..] {
        [Argument::Value(Expr::Column(value))] => Some((call, value)),
        _ => None,
    }
}
