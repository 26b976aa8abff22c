//! A DBF or ADT table as a writable table.

use super::define::{alter_table, drop_table, pack, zap};
use super::index::{create_index, drop_index, has_index, reindex};
use super::values::table_name;
use crate::session::{ChangeableColumn, Session, nothing};
use crate::writable::{Definition, Work, WritableTable, WriteScope};
use arrow_schema::Field;
use mainstay_columnar::Table;
use mainstay_planner::{Answer, DropKind, RECORD_NUMBER};
use mainstay_types::{Code, Error, Result};
use mainstay_xbase::dbf::FieldKind;
use mainstay_xbase::table::DbfTable;
use std::sync::Arc;

/// See the module.
pub(crate) struct FileTable(pub(crate) Arc<DbfTable>);

impl WritableTable for FileTable {
    fn as_read(&self) -> Option<Arc<dyn Table>> {
        Some(Arc::clone(&self.0) as Arc<dyn Table>)
    }

    fn position_column(&self) -> &'static str {
        RECORD_NUMBER
    }

    fn write(&self, scope: &mut WriteScope<'_>, work: Work<'_>) -> Result<Answer> {
        scope.change_records(&self.0, work)
    }

    fn define(&self, scope: &mut WriteScope<'_>, change: &Definition<'_>) -> Result<Answer> {
        let (table, how) = (&self.0, scope.settings());
        Ok(match change {
            Definition::CreateIndex(create) => create_index(table, create, how).map(|()| nothing())?,
            Definition::Alter(alter) => {
                alter_table(table, alter, how, &|text| scope.constant(text)).map(|()| nothing())?
            }
            Definition::Truncate { .. } | Definition::Zap => nothing().with_changed(zap(table, how)?),
            Definition::Pack => nothing().with_changed(pack(table, how)?),
            Definition::Reindex => nothing().with_changed(reindex(table, how).map(|()| 0)?),
            Definition::Drop(drop) if drop.kind == DropKind::Index => {
                drop.names.iter().try_for_each(|name| drop_index(table, &name.key, how))?;
                nothing()
            }
            Definition::Drop(drop) if drop.kind == DropKind::Table => drop_table(table, how).map(|()| nothing())?,
            Definition::Drop(_) => {
                return Err(Error::new(Code::Internal, format!("{} is a table", table_name(table))));
            }
        })
    }

    fn has_index(&self, name: &str) -> bool {
        has_index(&self.0, name)
    }

    fn columns(&self, _session: &Session) -> Result<Vec<ChangeableColumn>> {
        let table = &self.0;
        let column = |(place, (field, of_file)): (usize, (&Arc<Field>, &mainstay_xbase::dbf::Field))| {
            // No statement may assign to a field that the table itself writes at each change.
            let is_computed = matches!(of_file.kind, FieldKind::ModificationTime | FieldKind::RowVersion);
            let is_identity = table.counts(place) && !is_computed;
            ChangeableColumn { field: Arc::clone(field), is_identity, is_computed }
        };
        Ok(table.schema().fields().iter().zip(table.fields()).enumerate().map(column).collect())
    }

    fn last_number(&self, session: &Session) -> Result<Option<i64>> {
        Ok(session.given().last_of_file(&table_name(&self.0).to_lowercase()))
    }
}
