//! Directives as text.

use super::expression::*;
use crate::tree::*;

pub(super) fn list(out: &mut Vec<u8>, directives: &[Directive]) {
    for (index, directive) in directives.iter().enumerate() {
        let is_remark = matches!(directive.kind, Kind::Remark(_, false));
        if index > 0 {
            let after_block = matches!(directives[index - 1].kind, Kind::BlockIf(_) | Kind::BlockElse);
            word(out, if is_remark || after_block { " " } else { "; " });
        }
        write_kind(out, &directive.kind);
    }
}

fn write_kind(out: &mut Vec<u8>, kind: &Kind) {
    if flow(out, kind) || files(out, kind) || session(out, kind) || super::session::directive(out, kind) {
        return;
    }
    program(out, kind);
}

pub(super) fn values(out: &mut Vec<u8>, keyword: &str, value: Option<&Expr>) {
    word(out, keyword);
    if let Some(value) = value {
        out.push(b' ');
        write(out, value);
    }
}

pub(super) fn branch(out: &mut Vec<u8>, keyword: &str, to: &Target) {
    word(out, keyword);
    out.push(b' ');
    target(out, to);
}

pub(super) fn assignments(out: &mut Vec<u8>, list: &[Assignment]) {
    for (index, assignment) in list.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(out, &assignment.target);
        if let Some(op) = assignment.op {
            word(out, binary(op));
        }
        out.push(b'=');
        write(out, &assignment.value);
    }
}

fn flow(out: &mut Vec<u8>, kind: &Kind) -> bool {
    match kind {
        Kind::Remark(text, rem) => {
            word(out, if *rem { "REM " } else { "!" });
            out.extend_from_slice(text);
        }
        Kind::Let(list) => {
            word(out, "LET ");
            assignments(out, list);
        }
        Kind::Step(variable, up) => {
            write(out, variable);
            word(out, if *up { "++" } else { "--" });
        }
        Kind::If { condition, then, otherwise, closed } => {
            values(out, "IF", Some(condition));
            word(out, " THEN ");
            list(out, then);
            if !otherwise.is_empty() {
                word(out, " ELSE ");
                list(out, otherwise);
            }
            if *closed {
                word(out, " END_IF");
            }
        }
        Kind::BlockIf(condition) => {
            values(out, "IF", Some(condition));
            word(out, " THEN {");
        }
        Kind::BlockElse => word(out, "} ELSE {"),
        Kind::BlockEnd => word(out, "}"),
        Kind::Goto(to) => branch(out, "GOTO", to),
        Kind::Escape(Some(code)) => values(out, "ESCAPE", Some(code)),
        Kind::Gosub(to, with) => {
            branch(out, "GOSUB", to);
            super::session::with(out, with);
        }
        Kind::GotoLine(line, gosub) => values(out, if *gosub { "GOSUB" } else { "GOTO" }, Some(line)),
        Kind::OnErr(head, body, braces) => {
            write_kind(out, &head.kind);
            word(out, if *braces { " ON ERR {" } else { " ON ERR " });
            list(out, body);
            word(out, if *braces { "}" } else { "" });
        }
        Kind::On { value, gosub, targets } => {
            values(out, "ON", Some(value));
            word(out, if *gosub { " GOSUB " } else { " GOTO " });
            for (index, to) in targets.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                target(out, to);
            }
        }
        Kind::Return(value) => values(out, "RETURN", value.as_ref()),
        Kind::For(for_) => for_text(out, for_),
        Kind::Next(variable) => values(out, "NEXT", variable.as_ref()),
        Kind::While(condition) => values(out, "WHILE", Some(condition)),
        Kind::Until(condition) => values(out, "UNTIL", Some(condition)),
        Kind::Switch(value) => values(out, "SWITCH", Some(value)),
        Kind::Case(list) => super::session::case(out, list),
        Kind::Exitto(to) => branch(out, "EXITTO", to),
        Kind::SetErr(to) => branch(out, "SETERR", to),
        _ => return bare(out, kind),
    }
    true
}

fn bare(out: &mut Vec<u8>, kind: &Kind) -> bool {
    word(
        out,
        match kind {
            Kind::Wend => "WEND",
            Kind::Repeat => "REPEAT",
            Kind::Default => "DEFAULT",
            Kind::EndSwitch => "END SWITCH",
            Kind::Try => "TRY",
            Kind::Catch => "CATCH",
            Kind::Finally => "FINALLY",
            Kind::EndTry => "END_TRY",
            Kind::Break => "BREAK",
            Kind::Continue => "CONTINUE",
            Kind::Pop(false) => "POP",
            Kind::Pop(true) => "POP *",
            Kind::Retry => "RETRY",
            Kind::NextRecord => "NEXT RECORD",
            Kind::EndDef => "END DEF",
            Kind::FloatingPoint => "FLOATINGPOINT",
            Kind::Reset => "RESET",
            Kind::End => "END",
            Kind::Stop => "STOP",
            Kind::EscapeMode(true) => "ESCAPE ON",
            Kind::EscapeMode(false) => "ESCAPE OFF",
            Kind::Escape(None) => "ESCAPE",
            _ => return false,
        },
    );
    true
}

fn for_text(out: &mut Vec<u8>, for_: &For) {
    match for_ {
        For::Range { variable, first, last, step, local } => {
            word(out, if *local { "FOR LOCAL " } else { "FOR " });
            write(out, variable);
            out.push(b'=');
            write(out, first);
            values(out, " TO", Some(last));
            if let Some(step) = step {
                values(out, " STEP", Some(step));
            }
        }
        For::Count(value) => values(out, "FOR", Some(value)),
        For::Parts(variable, text) => {
            values(out, "FOR", Some(variable));
            values(out, " FROM", Some(text));
        }
        For::Index(variable, array) => {
            values(out, "FOR", Some(variable));
            word(out, " INDEX ");
            name(out, array);
            word(out, "{ALL}");
        }
    }
}

fn verb(verb: Verb) -> &'static str {
    match verb {
        Verb::Read => "READ",
        Verb::ReadRecord => "READ RECORD",
        Verb::Find => "FIND",
        Verb::FindRecord => "FIND RECORD",
        Verb::Extract => "EXTRACT",
        Verb::ExtractRecord => "EXTRACT RECORD",
        Verb::ExtractRelease => "EXTRACT RELEASE",
        Verb::Write => "WRITE",
        Verb::WriteLock => "WRITE LOCK",
        Verb::WriteRecord => "WRITE RECORD",
        Verb::Insert => "INSERT",
        Verb::InsertRecord => "INSERT RECORD",
        Verb::Update => "UPDATE",
        Verb::UpdateRecord => "UPDATE RECORD",
        Verb::Remove => "REMOVE",
        Verb::Print => "PRINT",
        Verb::Input => "INPUT",
        Verb::InputEdit => "INPUT EDIT",
        Verb::Obtain => "OBTAIN",
        Verb::Close => "CLOSE",
        Verb::Lock => "LOCK",
        Verb::Unlock => "UNLOCK",
        Verb::Purge => "PURGE",
        Verb::Flush => "FLUSH",
        Verb::KeyedLoad => "KEYED LOAD",
    }
}

fn io(out: &mut Vec<u8>, io: &Io) {
    word(out, verb(io.verb));
    out.push(b' ');
    if io.verb == Verb::Close && io.channel.is_none() {
        if io.items.is_empty() {
            word(out, "(*)");
        } else {
            out.push(b'(');
            items(out, &io.items);
            options(out, &io.options);
            out.push(b')');
        }
        return;
    }
    if io.channel.is_some() || !io.options.is_empty() {
        out.push(b'(');
        let start = out.len();
        if let Some(channel) = &io.channel {
            write(out, channel);
        }
        options(out, &io.options);
        if io.channel.is_none() {
            out.remove(start);
        }
        out.push(b')');
    }
    items(out, &io.items);
    if io.open_end {
        out.push(b',');
    }
}

fn files(out: &mut Vec<u8>, kind: &Kind) -> bool {
    match kind {
        Kind::Io(directive) => io(out, directive),
        Kind::Open { mode, channel, options: list, name } => {
            word(
                out,
                match mode {
                    OpenMode::Shared => "OPEN (",
                    OpenMode::Input => "OPEN INPUT (",
                    OpenMode::Lock => "OPEN LOCK (",
                    OpenMode::Purge => "OPEN PURGE (",
                    OpenMode::Load => "OPEN LOAD (",
                    OpenMode::Create => "OPEN CREATE (",
                },
            );
            write(out, channel);
            options(out, list);
            out.push(b')');
            write(out, name);
        }
        Kind::File { verb, arguments, options: list } => {
            match verb {
                FileVerb::Table => word(out, "CREATE TABLE "),
                verb => word(out, &format!("{verb:?} ").to_ascii_uppercase()),
            }
            for (index, argument) in arguments.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                file_argument(out, argument);
            }
            options(out, list);
        }
        Kind::Select(select) => select_text(out, select),
        Kind::Data(list_of) => {
            word(out, "DATA ");
            list_values(out, list_of);
        }
        Kind::ReadData(list, list_of) => {
            word(out, "READ DATA ");
            items(out, list);
            options(out, list_of);
        }
        Kind::ReadDataFrom(text, list, list_of) => {
            values(out, "READ DATA FROM", Some(text));
            options(out, list_of);
            word(out, " TO ");
            items(out, list);
        }
        Kind::Restore(Some(to)) => branch(out, "RESTORE", to),
        Kind::Restore(None) => word(out, "RESTORE"),
        Kind::Iolist(list) => {
            word(out, "IOLIST ");
            items(out, list);
        }
        Kind::Table(value) => values(out, "TABLE", Some(value)),
        _ => return false,
    }
    true
}

fn list_values(out: &mut Vec<u8>, list: &[Expr]) {
    super::expression::list(out, list);
}

pub(super) fn file_argument(out: &mut Vec<u8>, argument: &FileArgument) {
    match argument {
        FileArgument::Value(value) => write(out, value),
        FileArgument::Star => out.push(b'*'),
        FileArgument::Key(segments, name) => {
            for (index, segment) in segments.iter().enumerate() {
                word(out, if index == 0 { "[" } else { "+[" });
                if let (0, Some(name)) = (index, name) {
                    write(out, name);
                    out.push(b':');
                }
                keys(out, &segment.parts);
                out.push(b']');
            }
        }
    }
}

fn select_text(out: &mut Vec<u8>, select: &Select) {
    word(
        out,
        match select.mode {
            SelectMode::Fields => "SELECT ",
            SelectMode::Record => "SELECT RECORD ",
            SelectMode::Key => "SELECT KEY ",
        },
    );
    items(out, &select.items);
    let (prefix, further): (Vec<IoOption>, Vec<IoOption>) =
        select.options.iter().cloned().partition(|option| option.name == "REC");
    options(out, &prefix);
    values(out, " FROM", Some(&select.source));
    options(out, &further);
    for (keyword, key) in [(" BEGIN ", &select.begin), (" END ", &select.end)] {
        if let Some(key) = key {
            word(out, keyword);
            keys(out, key);
        }
    }
    if let Some(condition) = &select.condition {
        values(out, " WHERE", Some(condition));
    }
    for join in &select.joins {
        word(out, if join.required { " WITH REQUIRED " } else { " WITH " });
        select_text(out, &join.select);
    }
}

fn array_bounds(out: &mut Vec<u8>, array: &Name, bounds: &[(Option<Expr>, Expr)]) {
    name(out, array);
    for (index, (first, last)) in bounds.iter().enumerate() {
        out.push(if index == 0 { b'[' } else { b',' });
        if let Some(first) = first {
            write(out, first);
            out.push(b':');
        }
        write(out, last);
    }
    out.push(b']');
}

fn filled(out: &mut Vec<u8>, length: &Expr, fill: Option<&Expr>) {
    out.push(b'(');
    write(out, length);
    if let Some(fill) = fill {
        out.push(b',');
        write(out, fill);
    }
    out.push(b')');
}

fn dimensions(out: &mut Vec<u8>, list: &[Dimension]) {
    for (index, dimension) in list.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        match dimension {
            Dimension::Array(array, bounds) => array_bounds(out, array, bounds),
            Dimension::FilledArray(array, bounds, length, fill) => {
                array_bounds(out, array, bounds);
                filled(out, length, fill.as_ref());
            }
            Dimension::Dynamic(array) => {
                name(out, array);
                word(out, "[*]");
            }
            Dimension::Fill(variable, length, fill) => {
                name(out, variable);
                filled(out, length, fill.as_ref());
            }
            Dimension::Forget(array) => name(out, array),
            Dimension::Composite(variable, list) => {
                name(out, variable);
                word(out, ":IOL=");
                list_reference(out, list);
            }
            Dimension::Structure(variable, text, is_structure) => {
                name(out, variable);
                word(out, if *is_structure { "::" } else { ":" });
                write(out, text);
            }
        }
    }
}

pub(super) fn parameters(out: &mut Vec<u8>, list: &[Parameter]) {
    for (index, parameter) in list.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        if parameter.local {
            word(out, "LOCAL ");
        }
        if let Some(list) = &parameter.list {
            word(out, "IOL=");
            list_reference(out, list);
            continue;
        }
        let Some(variable) = &parameter.target else {
            out.push(b'*');
            continue;
        };
        if parameter.read_only {
            out.push(b'(');
        }
        write(out, variable);
        if let Some(default) = &parameter.default {
            out.push(b'=');
            write(out, default);
        }
        if parameter.read_only {
            out.push(b')');
        }
    }
}

fn program(out: &mut Vec<u8>, kind: &Kind) {
    match kind {
        Kind::Dim(list) | Kind::Redim(list) => {
            word(out, if matches!(kind, Kind::Dim(_)) { "DIM " } else { "REDIM " });
            dimensions(out, list);
        }
        Kind::Call { program, arguments, options: list, with } => {
            values(out, "CALL", Some(program));
            options(out, list);
            if !arguments.is_empty() {
                out.push(b',');
                items(out, arguments);
            }
            super::session::with(out, with);
        }
        Kind::Perform(program, list) => {
            values(out, "PERFORM", Some(program));
            options(out, list);
        }
        Kind::Run(program, list) => {
            values(out, "RUN", program.as_ref());
            options(out, list);
        }
        Kind::Enter(list, list_of) => {
            word(out, "ENTER ");
            parameters(out, list);
            options(out, list_of);
        }
        Kind::Exit(value) => values(out, "EXIT", value.as_ref()),
        Kind::Execute(text, list) => {
            values(out, "EXECUTE", Some(text));
            options(out, list);
        }
        Kind::DefFn { name: function, parameters: list, value } => {
            word(out, "DEF ");
            name(out, function);
            if !list.is_empty() {
                out.push(b'(');
                parameters(out, list);
                out.push(b')');
            }
            if let Some(value) = value {
                out.push(b'=');
                write(out, value);
            }
        }
        Kind::Local(list, names) => {
            word(out, "LOCAL ");
            list_values(out, names);
            if !names.is_empty() && !list.is_empty() {
                out.push(b',');
            }
            assignments(out, list);
        }
        _ => {}
    }
}

fn session(out: &mut Vec<u8>, kind: &Kind) -> bool {
    match kind {
        Kind::Evaluate(value) => write(out, value),
        Kind::Precision(value) => values(out, "PRECISION", Some(value)),
        Kind::Round(on) => word(out, if *on { "ROUND ON" } else { "ROUND OFF" }),
        Kind::Randomize(value) => values(out, "RANDOMIZE", value.as_ref()),
        Kind::Wait(value) => values(out, "WAIT", Some(value)),
        Kind::Begin(all) => word(out, if *all { "BEGIN *" } else { "BEGIN" }),
        Kind::Clear(names) => {
            word(out, if names.is_empty() { "CLEAR" } else { "CLEAR " });
            list_values(out, names);
        }
        Kind::ClearExcept(all, names) => {
            word(out, if *all { "CLEAR *" } else { "CLEAR" });
            word(out, if names.is_empty() { "" } else { " EXCEPT " });
            list_values(out, names);
        }
        Kind::Release(value) => values(out, "RELEASE", value.as_ref()),
        Kind::SetParam(list) => {
            for (index, (parameter, value)) in list.iter().enumerate() {
                word(out, if index == 0 { "SET_PARAM " } else { "," });
                word(out, &format!("'{parameter}'"));
                if let Some(value) = value {
                    out.push(b'=');
                    write(out, value);
                }
            }
        }
        Kind::List(channel, first, last) => {
            word(out, "LIST ");
            if let Some(channel) = channel {
                out.push(b'(');
                write(out, channel);
                out.push(b')');
            }
            if let Some(first) = first {
                target(out, first);
            }
            if first != last {
                out.push(b',');
            }
            if let Some(last) = last.as_ref().filter(|_| first != last) {
                target(out, last);
            }
        }
        Kind::DayFormat(value) => values(out, "DAY_FORMAT", Some(value)),
        Kind::Control(control) => {
            word(out, &control.class);
            if !control.action.is_empty() {
                out.push(b' ');
                word(out, &control.action);
            }
            if !control.arguments.is_empty() {
                out.push(b' ');
            }
            super::session::control_arguments(out, control);
            options(out, &control.options);
        }
        Kind::MsgBox(list, answer) => {
            word(out, "MSGBOX ");
            list_values(out, list);
            if let Some(answer) = answer {
                out.push(b',');
                write(out, answer);
            }
        }
        Kind::Via(list) => {
            for (index, via) in list.iter().enumerate() {
                word(out, if index > 0 { "," } else { "VIA " });
                if let Some(string) = &via.string {
                    write(out, string);
                    out.push(b',');
                }
                write(out, &via.name);
                out.push(b'=');
                write(out, &via.value);
            }
        }
        Kind::NoEffect(text) => out.extend_from_slice(text),
        Kind::Invalid(_, text) => out.extend_from_slice(text),
        _ => return false,
    }
    true
}
