//! OPENROWSET(BULK ...): the whole of a file as one value.
//!
//! ```text
//!   FROM OPENROWSET(BULK 'note.txt', SINGLE_CLOB) AS f      (SELECT $1 AS "BulkColumn") AS f, with the file's text as $1
//! ```
//!
//! The file is read when the statement runs; the permission to read it is checked when the statement is planned. A file
//! as rows (FORMAT, FORMATFILE) is refused.

use super::catalog::CatalogFunction;
use super::{Input, Reducer, Source, not_supported, refusals};
use crate::tree::{Alias, Literal, Phrase, PhraseItem};
use mainstay_tsql_types::{DataType, Length, Message};
use mainstay_types::Value;

/// The ways a file is one value: the option, what a session is asked for, and its type.
const SINGLE: [(&str, CatalogFunction); 3] = [
    ("SINGLE_CLOB", CatalogFunction { name: "bulk_clob", data_type: DataType::varchar(Length::Max) }),
    ("SINGLE_NCLOB", CatalogFunction { name: "bulk_nclob", data_type: DataType::NVarChar(Length::Max) }),
    ("SINGLE_BLOB", CatalogFunction { name: "bulk_blob", data_type: DataType::VarBinary(Length::Max) }),
];

impl Reducer<'_> {
    /// Writes the one row of a file.
    ///
    /// Errors: 40515 for other rowsets, 4860 and 4861 for a file that is not there or not to be read.
    pub(super) fn open_rowset(&mut self, phrase: &Phrase, alias: &Alias) -> Result<(), Message> {
        let arguments = phrase.items.iter().find_map(|item| match item {
            PhraseItem::Group(arguments) => Some(&arguments[..]),
            _ => None,
        });
        let [first, rest @ ..] = arguments.unwrap_or_default() else {
            return Err(not_supported(refusals::ROWSET_FUNCTION));
        };
        let file = match &first.items[..] {
            [_, PhraseItem::Literal(Literal::String(file) | Literal::NationalString(file))] if first.starts("BULK") => {
                file
            }
            _ => return Err(not_supported(refusals::ROWSET_FUNCTION)),
        };
        let single = SINGLE.iter().find(|(word, _)| rest.iter().any(|option| option.starts(word)));
        let Some((_, function)) = single else {
            return Err(not_supported(refusals::OPENROWSET_ROWS));
        };
        self.scope.check_file(file)?;
        self.push("(SELECT ");
        let input = Input::Value(Value::Text(file.clone()));
        self.parameter(Source::Catalog(*function, vec![input]), function.data_type);
        self.push(" AS ");
        self.name("BulkColumn");
        self.push(")");
        self.alias(alias)
    }
}
