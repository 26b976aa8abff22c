//! `sp_prepare`, `sp_execute`, `sp_prepexec` and `sp_unprepare` as a program calls them. Drivers call them by the
//! protocol (`session`); the handles are the same.

use crate::objects::procedures::{give_status, place_of, run_text};
use crate::statements::errors::raised;
use crate::statements::flow::{first, integer, text_of};
use crate::statements::runner::{Ran, Runner, set};
use mainstay_tsql_types::Message;
use mainstay_types::ValueRef;
use mainstay_vm::{Flow, StatementCall};

/// The one of this name, in lower case.
///
/// Errors: 201 without a handle or a text, 8179 for a handle that there is not, and those of the text.
pub(crate) fn execute(runner: &mut Runner<'_>, name: &str, call: &mut StatementCall<'_>) -> Ran {
    let handle = needed(name, call, 0, "@handle")?;
    let prepares = matches!(name, "sp_prepare" | "sp_prepexec");
    let (text, declarations) = if prepares {
        let text = text_of(call.input(needed(name, call, 2, "@stmt")?));
        let declarations = place_of(call, 1, ["@params"; 2]).map(|place| text_of(call.input(place)));
        let declarations = declarations.unwrap_or_default();
        // An error in it is reported now, and not when it is to run.
        runner.inner.text(&text, &declarations).map_err(first)?;
        let number = runner.inner.keep_handle(&text, &declarations);
        if call.output_type(handle).is_some() {
            set(call, handle, ValueRef::Integer(number.into()))?;
        }
        (text, declarations)
    } else {
        let number = integer(call.input(handle)).and_then(|number| i32::try_from(number).ok()).unwrap_or(0);
        let handles = &mut runner.inner.state.handles;
        let prepared = if name == "sp_unprepare" { handles.remove(&number) } else { handles.get(&number).cloned() };
        let Some(prepared) = prepared else {
            let text = format!("Could not find prepared statement with handle {number}.");
            return Err(raised(Message::error(8179, text)));
        };
        (prepared.text.to_string(), prepared.declarations.to_string())
    };
    let done = match name {
        "sp_execute" => run_text(runner, call, (&text, &declarations), 1)?,
        "sp_prepexec" => run_text(runner, call, (&text, &declarations), 3)?,
        _ => Flow::NEXT,
    };
    give_status(call, 0)?;
    Ok(done)
}

/// The place of an argument that has to be there.
fn needed(
    procedure: &str,
    call: &StatementCall<'_>,
    place: usize,
    name: &str,
) -> Result<usize, Box<mainstay_vm::Raised>> {
    place_of(call, place, [name; 2]).ok_or_else(|| {
        let text = format!("Procedure or function '{procedure}' expects parameter '{name}', which was not supplied.");
        raised(Message::error(201, text).state(4))
    })
}
