//! Directives of the session as text.

use super::directive::{assignments, branch, file_argument, parameters, values};
use super::expression::*;
use crate::tree::*;

/// A directive of the session; false if it is another one.
pub(super) fn directive(out: &mut Vec<u8>, kind: &Kind) -> bool {
    match kind {
        Kind::ErrorProgram(program, list) => {
            values(out, "ERROR_HANDLER", program.as_ref());
            options(out, list);
        }
        Kind::ErrorProgramRead(variable) => values(out, "ERROR_HANDLER READ", Some(variable)),
        Kind::SetEsc(form) => set_escape(out, form),
        Kind::Prefix(form) => prefix(out, form),
        Kind::MessageLibrary(form, file, list) => {
            let form = match form {
                MessageLibrary::Set => "MESSAGE_LIB",
                MessageLibrary::Add => "MESSAGE_LIB ADD",
                MessageLibrary::Drop => "MESSAGE_LIB DROP",
                MessageLibrary::Pop => "MESSAGE_LIB POP",
            };
            values(out, form, file.as_ref());
            options(out, list);
        }
        Kind::Journal(form, list) => {
            word(
                out,
                match form {
                    Journal::Begin => "SYSTEM_JRNL BEGIN",
                    Journal::BeginAuto => "SYSTEM_JRNL BEGIN AUTO",
                    Journal::AutoOn => "SYSTEM_JRNL AUTO ON",
                    Journal::AutoOff => "SYSTEM_JRNL AUTO OFF",
                    Journal::Save => "SYSTEM_JRNL SAVE",
                    Journal::Restore => "SYSTEM_JRNL RESTORE",
                },
            );
            options(out, list);
        }
        Kind::Folder(folder, list) => {
            values(out, "CWDIR", Some(folder));
            options(out, list);
        }
        Kind::SetFid(channel, name) => {
            word(out, "SETFID ");
            in_parentheses(out, channel.as_ref());
            write(out, name);
        }
        Kind::Setting(setting) => self::setting(out, setting),
        Kind::Invoke(command, list) => {
            values(out, "INVOKE", Some(command));
            options(out, list);
        }
        Kind::Index(index) => {
            word(out, if index.adds { "ADD INDEX " } else { "DROP INDEX " });
            file_argument(out, &index.key);
            values(out, if index.adds { " TO" } else { " FROM" }, Some(&index.file));
            options(out, &index.options);
        }
        Kind::DimLoad(array, text) => {
            word(out, "DIM LOAD ");
            name(out, array);
            word(out, "{ALL}=");
            write(out, text);
        }
        Kind::Console(form) => console(out, form),
        _ => return objects(out, kind),
    }
    true
}

fn setting(out: &mut Vec<u8>, setting: &Setting) {
    match setting {
        Setting::Day(day) => values(out, "SETDAY", day.as_ref()),
        Setting::Time(time) => values(out, "SETTIME", time.as_ref()),
        Setting::Task(task) => values(out, "SETDEV TSK()", Some(task)),
        Setting::Translate(parts) => {
            let (variable, table, third) = &**parts;
            values(out, "TRANSLATE", Some(variable));
            for value in [Some(table), third.as_ref()].into_iter().flatten() {
                out.push(b',');
                write(out, value);
            }
        }
        Setting::Separator(channel, separator) => {
            word(out, "SETDEV ");
            in_parentheses(out, Some(channel));
            word(out, "SEP=");
            write(out, separator);
        }
        Setting::List(channel, list) => {
            word(out, "SETDEV ");
            in_parentheses(out, Some(channel));
            word(out, "IOL=");
            list_reference(out, list);
        }
        Setting::Define(define) => self::define(out, define),
        Setting::Mnemonic(channel, name, sequence, size) => {
            word(out, "MNEMONIC ");
            in_parentheses(out, channel.as_ref());
            write(out, name);
            out.push(b'=');
            write(out, sequence);
            if let Some(size) = size {
                out.push(b':');
                write(out, &size.0);
                out.push(b',');
                write(out, &size.1);
            }
        }
    }
}

fn define(out: &mut Vec<u8>, define: &Define) {
    match define {
        Define::Table(name, table) => {
            word(out, "DEF ");
            word(out, name);
            in_parentheses(out, Some(table));
        }
        Define::Variable(name, value) => {
            word(out, "DEF ");
            word(out, name);
            out.push(b'=');
            write(out, value);
        }
        Define::Message(key, text) => {
            word(out, "DEF MSG");
            in_parentheses(out, Some(key));
            match text {
                Some(text) => {
                    out.push(b'=');
                    write(out, text);
                }
                None => word(out, " DELETE"),
            }
        }
    }
}

fn in_parentheses(out: &mut Vec<u8>, value: Option<&Expr>) {
    if let Some(value) = value {
        out.push(b'(');
        write(out, value);
        out.push(b')');
    }
}

fn set_escape(out: &mut Vec<u8>, form: &SetEsc) {
    match form {
        SetEsc::Target(to) => branch(out, "SETESC", to),
        SetEsc::Program(program) => values(out, "SETESC", Some(program)),
        SetEsc::Keys(on) => word(out, if *on { "SETESC ON" } else { "SETESC OFF" }),
        SetEsc::Enable(on) => word(out, if *on { "SETESC ENABLE" } else { "SETESC DISABLE" }),
        SetEsc::Read(variable) => values(out, "SETESC READ", Some(variable)),
    }
}

fn prefix(out: &mut Vec<u8>, form: &Prefix) {
    match form {
        Prefix::Entry(number, rules) => {
            word(out, "PREFIX");
            in_parentheses(out, number.as_ref());
            values(out, "", rules.as_ref());
        }
        Prefix::Program(rules) => values(out, "PREFIX PROGRAM", rules.as_ref()),
        Prefix::File(file) => values(out, "PREFIX FILE", file.as_ref()),
        Prefix::Folder(name, folder) => {
            values(out, "PREFIX DIRECTORY", Some(name));
            out.push(b'=');
            write(out, folder);
        }
        Prefix::Enable(number, on) => values(out, if *on { "ENABLE" } else { "DISABLE" }, Some(number)),
    }
}

fn lines(out: &mut Vec<u8>, first: Option<&Target>, last: Option<&Target>) {
    if let Some(first) = first {
        out.push(b' ');
        target(out, first);
    }
    if let Some(last) = last.filter(|last| Some(*last) != first) {
        word(out, if first.is_some() { "," } else { " ," });
        target(out, last);
    }
}

fn console(out: &mut Vec<u8>, form: &Console) {
    match form {
        Console::Load(name) => values(out, "LOAD", name.as_ref()),
        Console::Save(name) => values(out, "SAVE", name.as_ref()),
        Console::Delete(first, last) => {
            word(out, "DELETE");
            lines(out, first.as_ref(), last.as_ref());
        }
        Console::Merge(file, list) => {
            values(out, "MERGE", Some(file));
            options(out, list);
        }
        Console::Renumber(first, step, from, to) => renumber(out, first.as_ref(), step.as_ref(), from, to),
        Console::Edit(line, steps) => {
            branch(out, "EDIT", line);
            for step in steps {
                let (letter, text) = match step {
                    EditStep::Copy(text) => ("C", text),
                    EditStep::Delete(text) => ("D", text),
                    EditStep::Replace(text) => ("R", text),
                    EditStep::Add(text) => ("", text),
                };
                word(out, &format!(" {letter}["));
                out.extend_from_slice(text);
                out.push(b']');
            }
        }
        Console::Dump(channel, level) => {
            word(out, "DUMP");
            if channel.is_some() {
                out.push(b' ');
                in_parentheses(out, channel.as_ref());
            }
            match level {
                None => word(out, " *"),
                Some(level) => values(out, "", level.as_ref()),
            }
        }
        Console::Start(memory, program, list) => {
            values(out, "START", memory.as_ref());
            if let Some(program) = program {
                out.push(b',');
                write(out, program);
            }
            options(out, list);
        }
        Console::Trace(channel) => {
            word(out, "SETTRACE");
            if channel.is_some() {
                out.push(b' ');
                in_parentheses(out, channel.as_ref());
            }
        }
        Console::EndTrace => word(out, "ENDTRACE"),
    }
}

fn renumber(out: &mut Vec<u8>, first: Option<&Expr>, step: Option<&Expr>, from: &Option<Target>, to: &Option<Target>) {
    values(out, "RENUMBER", first);
    if step.is_none() && from.is_none() && to.is_none() {
        return;
    }
    out.push(b',');
    if let Some(step) = step {
        write(out, step);
    }
    for end in [from, to] {
        out.push(b',');
        if let Some(end) = end {
            target(out, end);
        }
    }
}

fn objects(out: &mut Vec<u8>, kind: &Kind) -> bool {
    match kind {
        Kind::DefClass(class) => {
            values(out, "DEF CLASS", Some(&class.name));
            word(out, if class.unique { " UNIQUE" } else { "" });
            word(out, if class.accepts.0 { " ACCEPT PROPERTIES" } else { "" });
            word(out, if class.accepts.1 { " ACCEPT UNDEFINED" } else { "" });
            for (keyword, label) in [(" CREATE ", &class.create), (" DELETE ", &class.delete)] {
                if let Some((label, required)) = label {
                    word(out, keyword);
                    word(out, label);
                    word(out, if *required { " REQUIRED" } else { "" });
                }
            }
        }
        Kind::Member(member) => member_text(out, member),
        Kind::DropObject(object, list) => {
            values(out, "DROP OBJECT", Some(object));
            options(out, list);
        }
        Kind::DropClass(class, list) => {
            values(out, "DROP CLASS", Some(class));
            options(out, list);
        }
        _ => return false,
    }
    true
}

fn member_text(out: &mut Vec<u8>, member: &Member) {
    match member {
        Member::Properties(properties) => {
            word(out, "PROPERTY ");
            for (index, property) in properties.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                property_text(out, property);
            }
        }
        Member::Function { name: function, parameters: list, label, local } => {
            word(out, if *local { "FUNCTION LOCAL " } else { "FUNCTION " });
            name(out, function);
            out.push(b'(');
            match list {
                Some(list) => parameters(out, list),
                None => out.push(b'*'),
            }
            out.push(b')');
            if let Some(label) = label {
                word(out, &entry_text(label));
            }
        }
        Member::FunctionEnd => word(out, "FUNCTION END"),
        Member::Like(classes) => {
            word(out, "LIKE ");
            list(out, classes);
        }
    }
}

fn property_text(out: &mut Vec<u8>, property: &Property) {
    name(out, &property.name);
    for (index, (first, last)) in property.bounds.iter().enumerate() {
        out.push(if index == 0 { b'[' } else { b',' });
        if let Some(first) = first {
            write(out, first);
            out.push(b':');
        }
        write(out, last);
    }
    if !property.bounds.is_empty() {
        out.push(b']');
    }
    if let Some(value) = &property.value {
        out.push(b'=');
        write(out, value);
    }
    word(out, if property.is_object { " OBJECT" } else { "" });
    for (keyword, access) in [(" GET ", &property.get), (" SET ", &property.set)] {
        match access {
            Some(Access::Label(label)) => word(out, &format!("{keyword}{}", entry_text(label))),
            Some(Access::Refused) => word(out, &format!("{keyword}ERR")),
            None => {}
        }
    }
}

/// Values of WITH behind a directive.
pub(super) fn with(out: &mut Vec<u8>, values: &[Assignment]) {
    if !values.is_empty() {
        word(out, " WITH ");
        assignments(out, values);
    }
}

/// The numbers of controls, other arguments and contents of a control directive.
pub(super) fn control_arguments(out: &mut Vec<u8>, control: &Control) {
    if control.global {
        out.push(b'*');
    }
    let subs = control.subs.iter().map(Option::as_ref).chain(std::iter::repeat(None));
    for (index, (argument, sub)) in control.arguments.iter().zip(subs).enumerate() {
        if index > 0 {
            out.push(b',');
        }
        match argument {
            Some(value) => write(out, value),
            None => out.push(b'*'),
        }
        if let Some(sub) = sub {
            out.push(b':');
            write(out, sub);
        }
    }
    if let Some(contents) = &control.contents {
        out.push(b'=');
        write(out, contents);
    }
}

/// The label of a member; a program with an entry is a string.
fn entry_text(label: &str) -> String {
    if label.contains(';') { format!("\"{label}\"") } else { label.to_owned() }
}

/// CASE with its values.
pub(super) fn case(out: &mut Vec<u8>, list: &[CaseValue]) {
    word(out, "CASE ");
    for (index, value) in list.iter().enumerate() {
        word(out, if index > 0 { "," } else { "" });
        word(out, value.relation.map_or("", binary));
        write(out, &value.first);
        if let Some(last) = &value.last {
            values(out, " TO", Some(last));
        }
    }
}
