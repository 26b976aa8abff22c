//! `ALTER SCHEMA s TRANSFER [OBJECT:: | TYPE::] other.name`: moves an object to another schema.
//!
//! Tables, views and sequences are the core's, which moves them with its own references to them; texts (procedures,
//! functions, synonyms, types) get another key. A table takes its triggers with it. Texts that name the moved object
//! stay as they are, as SQL Server leaves them.

use crate::objects::modules::{self, Object};
use crate::session::Inner;
use crate::session::scope::core_name;
use crate::statements::errors::{raised, raised_error};
use mainstay_tsql_syntax::reduce::{self, quoted};
use mainstay_tsql_syntax::tree::{ObjectName, PhraseItem, Words};
use mainstay_tsql_types::Message;
use mainstay_vm::Raised;

impl Inner {
    /// Moves an object into another schema, all of it or nothing.
    ///
    /// Errors: 15151 for a schema or an object that is not there, 15530 for a name that is taken.
    pub(crate) fn transfer(&mut self, words: &Words) -> Result<(), Box<Raised>> {
        let (Some(schema), Some((is_type, from))) = (words.name.as_ref(), moved(&words.rest)) else {
            return Err(raised(reduce::not_supported("ALTER SCHEMA of this form")));
        };
        let missing = |what: &str, name: &str, verb: &str| {
            let text =
                format!("Cannot {verb} the {what} '{name}', because it does not exist or you do not have permission.");
            raised(Message::error(15151, text))
        };
        let catalog = self.catalog().map_err(raised_error)?;
        let Some(schema_id) = catalog.schema_id(schema.last()) else {
            return Err(missing("schema", schema.last(), "alter"));
        };
        let last = from.parts.last().cloned().unwrap_or_default();
        let to = ObjectName { parts: vec![schema.parts.last().cloned().unwrap_or_default(), last], span: from.span };
        if is_type {
            let Some(found) = self.modules.type_named(&from).cloned() else {
                return Err(missing("type", from.last(), "find"));
            };
            return match self.modules.type_named(&to) {
                Some(other) if other.key != found.key => Err(raised(taken(&to))),
                _ => self.moved_module(&found, &modules::key_of_type(&to), &to),
            };
        }
        let Some(found) = catalog.find(&from) else { return Err(missing("object", from.last(), "find")) };
        if found.schema == schema_id {
            return Ok(());
        }
        if catalog.find(&to).is_some() {
            return Err(raised(taken(&to)));
        }
        let kind = found.kind;
        let module = self.modules.own(&from).cloned();
        module.as_ref().map_or(Ok(()), Object::check_changeable)?;
        let in_core = match kind {
            "U" => Some("TABLE"),
            "V" => Some("VIEW"),
            "SO" => Some("SEQUENCE"),
            "P" | "FN" | "IF" | "TF" | "SN" => None,
            _ => return Err(raised(reduce::not_supported("ALTER SCHEMA TRANSFER of an object of this kind"))),
        };
        self.as_one(|inner| {
            if let Some(word) = in_core {
                inner.execute(&format!("ALTER {word} {} SET SCHEMA {}", core_name(&from), quoted(schema.last())))?;
            }
            if kind == "U" {
                inner.note_renamed_table(&from, &to)?;
            }
            match module {
                Some(module) => inner.moved_module(&module, &modules::key_of(&to), &to),
                None => inner.objects_changed(),
            }
        })
    }

    /// Gives what is text another key.
    fn moved_module(&mut self, module: &Object, key: &str, to: &ObjectName) -> Result<(), Box<Raised>> {
        let shown = to.parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(".");
        modules::rename(&mut self.core, &module.key, key, &shown, taken(to)).map_err(raised)?;
        self.objects_changed()
    }
}

/// 15530.
fn taken(to: &ObjectName) -> Message {
    Message::error(15530, format!("The object with name \"{}\" already exists.", to.last()))
}

/// The name in `TRANSFER [OBJECT::] a.b`, and true if it is a type's.
fn moved(rest: &[PhraseItem]) -> Option<(bool, ObjectName)> {
    let [PhraseItem::Word(transfer), rest @ ..] = rest else { return None };
    if !transfer.is("TRANSFER") {
        return None;
    }
    let is_mark = |item: &PhraseItem| matches!(item, PhraseItem::Symbol(mark) if mark == "::");
    let (is_type, rest) = match rest {
        [PhraseItem::Word(kind), mark, rest @ ..] if is_mark(mark) && (kind.is("TYPE") || kind.is("OBJECT")) => {
            (kind.is("TYPE"), rest)
        }
        rest => (false, rest),
    };
    let mut parts = Vec::new();
    for item in rest {
        match item {
            PhraseItem::Word(name) => parts.push(name.clone()),
            PhraseItem::Symbol(point) if point == "." => {}
            _ => return None,
        }
    }
    (!parts.is_empty()).then(|| (is_type, ObjectName { parts, ..ObjectName::default() }))
}
