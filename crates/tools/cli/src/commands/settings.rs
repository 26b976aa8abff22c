//! Commands for the form of results and for the settings of the session.

use super::catalog::{show, strings};
use super::{switch, words};
use crate::errors::{Failure, nearest, usage};
use crate::output::Format;
use crate::shell::{Flow, Shell};
use clap::ValueEnum;
use mainstay_types::{Code, Error};

/// Chooses the format of results.
pub(super) fn mode(shell: &mut Shell, name: &str) -> Result<Flow, Failure> {
    if !name.is_empty() {
        shell.look.format = Format::from_str(name, true).map_err(|_| no_format(name))?;
        shell.look.is_chosen = true;
        shell.look.expanded = false;
    } else if let Some(now) = shell.look.format.to_possible_value() {
        shell.print(&format!("{}\n", now.get_name()))?;
    }
    Ok(Flow::Continue)
}

fn no_format(name: &str) -> Failure {
    let values: Vec<_> = Format::value_variants().iter().filter_map(ValueEnum::to_possible_value).collect();
    let names: Vec<&str> = values.iter().map(clap::builder::PossibleValue::get_name).collect();
    let hint = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("one of {}", names.join(", ")),
    };
    Failure::Error(Error::new(Code::InvalidSetting, format!("no format \"{name}\"")).hint(hint))
}

/// Turns the expanded look on or off.
pub(super) fn expanded(shell: &mut Shell, argument: &str) -> Result<Flow, Failure> {
    shell.look.expanded = switch(argument, shell.look.expanded)?;
    said(shell, "expanded", shell.look.expanded)
}

/// Turns the header on or off.
pub(super) fn headers(shell: &mut Shell, argument: &str) -> Result<Flow, Failure> {
    shell.look.header = switch(argument, shell.look.header)?;
    said(shell, "headers", shell.look.header)
}

/// Turns the timer on or off.
pub(super) fn timer(shell: &mut Shell, argument: &str) -> Result<Flow, Failure> {
    shell.conduct.timer = switch(argument, shell.conduct.timer)?;
    said(shell, "timer", shell.conduct.timer)
}

/// Tells a person, but no script, what a switch is now.
fn said(shell: &mut Shell, name: &str, on: bool) -> Result<Flow, Failure> {
    if shell.conduct.interactive {
        shell.tell(&format!("{name} is {}", if on { "on" } else { "off" }))?;
    }
    Ok(Flow::Continue)
}

/// Chooses how many rows of a table are shown.
pub(super) fn rows(shell: &mut Shell, argument: &str) -> Result<Flow, Failure> {
    match argument.to_ascii_lowercase().as_str() {
        "" => {
            let now = shell.look.max_rows.map_or_else(|| "all".to_owned(), |rows| rows.to_string());
            shell.print(&format!("{now}\n"))?;
        }
        "all" => shell.look.max_rows = None,
        number => {
            let rows = number.parse().map_err(|_| usage(format!("\"{number}\" is neither a number nor all")))?;
            shell.look.max_rows = Some(rows);
        }
    }
    Ok(Flow::Continue)
}

/// Chooses the text for NULL; without one, each format's own.
pub(super) fn null(shell: &mut Shell, argument: &str) -> Result<Flow, Failure> {
    shell.look.null = words(argument).into_iter().next();
    Ok(Flow::Continue)
}

/// Lists the settings of the session.
pub(super) fn list(shell: &mut Shell, _: &str) -> Result<Flow, Failure> {
    let settings = shell.session.settings();
    let columns = vec![
        ("setting", strings(settings.iter().map(|setting| Some(setting.name.clone())))),
        ("value", strings(settings.iter().map(|setting| Some(setting.value.clone())))),
        ("description", strings(settings.iter().map(|setting| Some(setting.description.clone())))),
    ];
    show(shell, columns)
}

/// Changes a setting of the session; lists them when none is named.
pub(super) fn set(shell: &mut Shell, argument: &str) -> Result<Flow, Failure> {
    let words = words(argument);
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != "=").collect();
    match words[..] {
        [] => list(shell, ""),
        [name, value] => {
            shell.session.set(name, value)?;
            Ok(Flow::Continue)
        }
        _ => Err(usage(".set takes a name and a value; .settings lists them")),
    }
}
