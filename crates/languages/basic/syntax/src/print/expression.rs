//! Expressions, options and lists as text.

use crate::tree::*;

/// An expression as text.
pub fn expression(value: &Expr) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out, value);
    out
}

pub(super) fn word(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

pub(super) fn name(out: &mut Vec<u8>, name: &Name) {
    if name.global {
        out.push(b'%');
    }
    word(out, &name.text);
    match name.kind {
        NameKind::Text => out.push(b'$'),
        NameKind::Whole => out.push(b'%'),
        NameKind::Number => {}
    }
}

pub(super) fn list(out: &mut Vec<u8>, values: &[Expr]) {
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(out, value);
    }
}

fn quoted(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    for byte in text {
        if *byte == b'"' {
            out.push(b'"');
        }
        out.push(*byte);
    }
    out.push(b'"');
}

pub(super) fn write(out: &mut Vec<u8>, value: &Expr) {
    match &value.kind {
        ExprKind::Number(text) => word(out, text),
        ExprKind::Text(text) => quoted(out, text),
        ExprKind::Hex(bytes) => {
            out.push(b'$');
            bytes.iter().for_each(|byte| word(out, &format!("{byte:02X}")));
            out.push(b'$');
        }
        ExprKind::Variable(variable) => name(out, variable),
        ExprKind::Element(array, indexes) => {
            name(out, array);
            out.push(b'[');
            list(out, indexes);
            out.push(b']');
        }
        ExprKind::Field(string, field, indexes) => {
            name(out, &Name { kind: NameKind::Number, ..string.clone() });
            word(out, "::");
            name(out, field);
            if !indexes.is_empty() {
                out.push(b'[');
                list(out, indexes);
                out.push(b']');
            }
        }
        ExprKind::Append(array) => {
            name(out, array);
            word(out, "[*]");
        }
        ExprKind::Removed(array, index) => {
            name(out, array);
            out.push(b'[');
            write(out, index);
            word(out, " REMOVE]");
        }
        ExprKind::Bump(variable, up, is_post) => bump(out, variable, *up, *is_post),
        ExprKind::Range(array, bounds) => range(out, array, bounds.as_ref()),
        ExprKind::Substring(base, position, length) => {
            write(out, base);
            out.push(b'(');
            write(out, position);
            if let Some(length) = length {
                out.push(b',');
                write(out, length);
            }
            out.push(b')');
        }
        ExprKind::System(text) => word(out, text),
        ExprKind::Call(call) => call_text(out, call),
        ExprKind::User(function, arguments) => {
            name(out, function);
            out.push(b'(');
            list(out, arguments);
            out.push(b')');
        }
        ExprKind::Mnemonic(text, arguments) => {
            word(out, &format!("'{text}'"));
            if !arguments.is_empty() {
                out.push(b'(');
                list(out, arguments);
                out.push(b')');
            }
        }
        ExprKind::At(arguments) => {
            word(out, "@(");
            list(out, arguments);
            out.push(b')');
        }
        ExprKind::Unary(op, operand) => {
            word(
                out,
                match op {
                    Unary::Minus => "-",
                    Unary::Plus => "+",
                    Unary::Not => "NOT ",
                },
            );
            let start = out.len();
            write(out, operand);
            // Two signs are an operator of their own.
            if matches!(out.get(start), Some(b'-' | b'+')) {
                out.insert(start, b' ');
            }
        }
        ExprKind::Binary(op, left, right) => {
            write(out, left);
            word(out, binary(*op));
            write(out, right);
        }
        ExprKind::Property(object, property, arguments) => member(out, object, property, arguments.as_ref()),
        ExprKind::Group(inner) => {
            out.push(b'(');
            write(out, inner);
            out.push(b')');
        }
    }
}

fn member(out: &mut Vec<u8>, object: &Expr, property: &Name, arguments: Option<&MethodArguments>) {
    write(out, object);
    out.push(b'\'');
    if property.text == "*" {
        return out.push(b'*');
    }
    name(out, property);
    if let Some(arguments) = arguments {
        out.push(b'(');
        list(out, &arguments.values);
        for (index, item) in arguments.options.iter().enumerate() {
            if index > 0 || !arguments.values.is_empty() {
                out.push(b',');
            }
            option(out, item);
        }
        out.push(b')');
    }
}

fn range(out: &mut Vec<u8>, array: &Name, bounds: Option<&(Box<Expr>, Box<Expr>)>) {
    name(out, array);
    out.push(b'{');
    match bounds {
        None => word(out, "ALL"),
        Some((first, last)) => {
            write(out, first);
            out.push(b':');
            write(out, last);
        }
    }
    out.push(b'}');
}

fn bump(out: &mut Vec<u8>, variable: &Name, up: bool, is_post: bool) {
    let sign = if up { "++" } else { "--" };
    if !is_post {
        word(out, sign);
    }
    name(out, variable);
    if is_post {
        word(out, sign);
    }
}

pub(super) fn binary(op: Binary) -> &'static str {
    match op {
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Remainder => "|",
        Binary::Power => "^",
        Binary::Equal => "=",
        Binary::NotEqual => "<>",
        Binary::Less => "<",
        Binary::LessOrEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterOrEqual => ">=",
        Binary::Like => " LIKE ",
        Binary::And => " AND ",
        Binary::Or => " OR ",
    }
}

fn call_text(out: &mut Vec<u8>, call: &Call) {
    word(out, &call.name);
    out.push(b'(');
    for keyword in &call.words {
        word(out, keyword);
        out.push(b' ');
    }
    let is_xml = call.name == "XML";
    if is_xml && call.arguments.len() == 1 {
        word(out, "FROM ");
    }
    for (index, argument) in call.arguments.iter().enumerate() {
        match (index, call.relation) {
            (0, _) => {}
            (1, _) if is_xml => word(out, " TO "),
            (1, Some(relation)) => word(out, relation),
            _ => out.push(b','),
        }
        if let Some(prefix) = argument.prefix {
            out.push(prefix as u8);
        }
        if let Some(value) = &argument.value {
            write(out, value);
        }
        if let Some(mask) = &argument.mask {
            out.push(b':');
            write(out, mask);
        }
    }
    for (index, item) in call.options.iter().enumerate() {
        if index > 0 || !call.arguments.is_empty() {
            out.push(b',');
        }
        option(out, item);
    }
    out.push(b')');
}

pub(super) fn target(out: &mut Vec<u8>, target: &Target) {
    match target {
        Target::Line(number) => word(out, &format!("{number:04}")),
        Target::Label(label) => word(out, label),
        Target::Logical(logical) => word(
            out,
            match logical {
                Logical::Next => "*NEXT",
                Logical::Same => "*SAME",
                Logical::Proceed => "*PROCEED",
                Logical::Break => "*BREAK",
                Logical::Continue => "*CONTINUE",
                Logical::Return => "*RETURN",
                Logical::Retry => "*RETRY",
                Logical::End => "*END",
                Logical::Escape => "*ESCAPE",
            },
        ),
    }
}

pub(super) fn list_reference(out: &mut Vec<u8>, list: &ListRef) {
    match list {
        ListRef::Target(to) => target(out, to),
        ListRef::Text(text) => write(out, text),
        ListRef::Embedded => out.push(b'*'),
    }
}

pub(super) fn option(out: &mut Vec<u8>, option: &IoOption) {
    word(out, &option.name);
    out.push(b'=');
    match &option.value {
        OptionValue::Target(to) => target(out, to),
        OptionValue::Value(value) => write(out, value),
        OptionValue::Segments(segments) => keys(out, segments),
        OptionValue::Star => out.push(b'*'),
        OptionValue::List(list) => list_reference(out, list),
        OptionValue::Flag => {
            out.pop();
        }
    }
}

pub(super) fn keys(out: &mut Vec<u8>, segments: &[Expr]) {
    for (index, segment) in segments.iter().enumerate() {
        if index > 0 {
            out.push(b':');
        }
        write(out, segment);
    }
}

pub(super) fn options(out: &mut Vec<u8>, list: &[IoOption]) {
    for item in list {
        out.push(b',');
        option(out, item);
    }
}

pub(super) fn items(out: &mut Vec<u8>, list: &[Item]) {
    for (index, entry) in list.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        item(out, entry);
    }
}

fn item(out: &mut Vec<u8>, entry: &Item) {
    let value = match entry {
        Item::Skip(_) => return out.push(b'*'),
        Item::List(list, _) => {
            word(out, "IOL=");
            return list_reference(out, list);
        }
        Item::Value(value) => value,
    };
    write(out, &value.value);
    if let Some(mask) = &value.mask {
        out.push(b':');
        write(out, mask);
    }
    for (index, format) in value.formats.iter().enumerate() {
        word(out, if index == 0 { ":[" } else { ":" });
        word(out, &format.name.to_ascii_lowercase());
        if !format.arguments.is_empty() {
            out.push(b'(');
            list_of(out, &format.arguments);
            for (name, value) in [(",SIZ=", &format.size), (",SEP=", &format.separator)] {
                if let Some(value) = value {
                    word(out, name);
                    write(out, value);
                }
            }
            out.push(b')');
        }
    }
    if !value.formats.is_empty() {
        out.push(b']');
    }
    let opens = !value.branches.is_empty() || value.limit.is_some();
    word(out, if opens { ":(" } else { "" });
    for (index, (key, to)) in value.branches.iter().enumerate() {
        word(out, if index == 0 { "" } else { "," });
        match &key.kind {
            ExprKind::Mnemonic(name, _) => word(out, name),
            _ => write(out, key),
        }
        out.push(b'=');
        target(out, to);
    }
    if let Some(limit) = &value.limit {
        word(out, if value.branches.is_empty() { "" } else { "," });
        match &**limit {
            InputLimit::Length(least, most) => {
                word(out, "LEN=");
                write(out, least);
                if let Some(most) = most {
                    out.push(b',');
                    write(out, most);
                }
            }
            InputLimit::Range(value) => write(out, value),
        }
    }
    if opens {
        out.push(b')');
    }
}

fn list_of(out: &mut Vec<u8>, values: &[Expr]) {
    list(out, values);
}
