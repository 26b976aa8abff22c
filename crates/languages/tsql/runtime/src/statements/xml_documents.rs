//! The documents that `sp_xml_preparedocument` opens, which `OPENXML` reads by their handles until they are removed or
//! the session ends.
//!
//! They are stored as texts: a query gets the text of its handle's document as a parameter
//! ([`mainstay_tsql_types::xml::open`]).

use crate::statements::errors::raised;
use crate::statements::flow::text_of;
use crate::statements::runner::{Ran, Runner};
use mainstay_tsql_types::Message;
use mainstay_tsql_types::xml::open;
use mainstay_types::{Value, ValueRef};
use mainstay_vm::{Flow, StatementCall};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The documents of a session. A copy shares them until one of the two is changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct XmlDocuments {
    kept: Arc<BTreeMap<i32, Arc<str>>>,
    last: i32,
}

impl XmlDocuments {
    /// Keeps a document; its handle, which is odd as those of SQL Server are.
    fn keep(&mut self, text: &str) -> i32 {
        self.last = if self.last == 0 { 1 } else { self.last.saturating_add(2) };
        Arc::make_mut(&mut self.kept).insert(self.last, text.into());
        self.last
    }

    /// The text of a handle's document.
    pub(crate) fn text(&self, handle: Option<i64>) -> Value {
        let handle = handle.and_then(|handle| i32::try_from(handle).ok());
        let kept = handle.and_then(|handle| self.kept.get(&handle));
        kept.map_or(Value::Null, |text| Value::Text(text.to_string()))
    }

    /// Forgets a document; whether there was one.
    fn remove(&mut self, handle: i64) -> bool {
        i32::try_from(handle).is_ok_and(|handle| Arc::make_mut(&mut self.kept).remove(&handle).is_some())
    }
}

/// The operation of `sp_xml_preparedocument`: the document, the namespaces of patterns, and the handle that is
/// returned.
///
/// Errors: 6602 for what is not XML.
pub(crate) fn open(runner: &mut Runner<'_>, call: &mut StatementCall<'_>) -> Ran {
    let text = |value: ValueRef<'_>| (!value.is_null()).then(|| text_of(value));
    let (xml, namespaces) = (text(call.input(0)), text(call.input(1)));
    match open::prepared(xml.as_deref(), namespaces.as_deref()) {
        Ok(kept) => {
            let handle = runner.inner.state.xml_documents.keep(&kept);
            crate::statements::runner::set(call, 2, ValueRef::Integer(handle.into()))
        }
        Err(mut messages) => {
            let error = messages.pop().unwrap_or_else(|| Message::numbered(6602, &[&""]));
            messages.into_iter().for_each(|message| runner.message(message));
            Err(raised(of("sp_xml_preparedocument", error)))
        }
    }
}

/// The operation of `sp_xml_removedocument`: the handle.
///
/// Errors: 6607 for NULL, 8179 for a handle that stands for no document.
pub(crate) fn close(runner: &mut Runner<'_>, call: &mut StatementCall<'_>) -> Ran {
    let Some(handle) = crate::statements::flow::integer(call.input(0)) else {
        let text = "sp_xml_removedocument: The value supplied for parameter number 1 is invalid.";
        return Err(raised(of("sp_xml_removedocument", Message::error(6607, text).state(3))));
    };
    match runner.inner.state.xml_documents.remove(handle) {
        true => Ok(Flow::NEXT),
        false => Err(raised(of("sp_xml_removedocument", Message::numbered(8179, &[&handle]).state(5)))),
    }
}

/// An error of one of the two procedures, which have one line in SQL Server.
fn of(procedure: &str, message: Message) -> Message {
    Message { procedure: Some(procedure.to_owned()), line: 1, ..message }
}
