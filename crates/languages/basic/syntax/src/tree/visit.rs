//! Walks over the branches of a line: RENUMBER changes them.

use super::*;

/// Calls a function with every branch of a line: of directives, options, lists and functions.
pub fn targets(line: &mut Line, visit: &mut impl FnMut(&mut Target)) {
    line.directives.iter_mut().for_each(|directive| of_kind(&mut directive.kind, visit));
}

fn of_kind(kind: &mut Kind, visit: &mut impl FnMut(&mut Target)) {
    match kind {
        Kind::Goto(to) | Kind::Exitto(to) | Kind::SetErr(to) | Kind::SetEsc(SetEsc::Target(to)) => visit(to),
        Kind::Gosub(to, with) => {
            visit(to);
            assignments(with, visit);
        }
        Kind::On { value, targets, .. } => {
            expr(value, visit);
            targets.iter_mut().for_each(visit);
        }
        Kind::GotoLine(line, _) => expr(line, visit),
        Kind::OnErr(head, body, _) => {
            of_kind(&mut head.kind, visit);
            body.iter_mut().for_each(|directive| of_kind(&mut directive.kind, visit));
        }
        Kind::Restore(to) => to.iter_mut().for_each(visit),
        Kind::List(channel, first, last) => {
            channel.iter_mut().for_each(|channel| expr(channel, visit));
            first.iter_mut().chain(last).for_each(visit);
        }
        Kind::If { condition, then, otherwise, .. } => {
            expr(condition, visit);
            then.iter_mut().chain(otherwise).for_each(|directive| of_kind(&mut directive.kind, visit));
        }
        Kind::Io(io) => {
            io.channel.iter_mut().for_each(|channel| expr(channel, visit));
            options(&mut io.options, visit);
            items(&mut io.items, visit);
        }
        Kind::Select(select) => of_select(select, visit),
        _ => of_other(kind, visit),
    }
}

fn of_select(select: &mut Select, visit: &mut impl FnMut(&mut Target)) {
    items(&mut select.items, visit);
    options(&mut select.options, visit);
    expr(&mut select.source, visit);
    select.begin.iter_mut().chain(&mut select.end).flatten().for_each(|key| expr(key, visit));
    select.condition.iter_mut().for_each(|condition| expr(condition, visit));
    for join in &mut select.joins {
        of_select(&mut join.select, visit);
    }
}

/// Directives that have options, lists and expressions only.
fn of_other(kind: &mut Kind, visit: &mut impl FnMut(&mut Target)) {
    match kind {
        Kind::Open { channel, options: list, name, .. } => {
            options(list, visit);
            exprs([channel, name], visit);
        }
        Kind::File { options: list, .. } => options(list, visit),
        Kind::ReadData(list, list_options) => {
            items(list, visit);
            options(list_options, visit);
        }
        Kind::ReadDataFrom(text, list, list_options) => {
            expr(text, visit);
            items(list, visit);
            options(list_options, visit);
        }
        Kind::Iolist(list) => items(list, visit),
        Kind::Call { program, arguments, options: list, with } => {
            expr(program, visit);
            items(arguments, visit);
            options(list, visit);
            assignments(with, visit);
        }
        Kind::Perform(program, list)
        | Kind::Execute(program, list)
        | Kind::Folder(program, list)
        | Kind::Invoke(program, list)
        | Kind::DropObject(program, list)
        | Kind::DropClass(program, list) => {
            expr(program, visit);
            options(list, visit);
        }
        Kind::Journal(_, list) => options(list, visit),
        Kind::Setting(setting) => match &mut **setting {
            Setting::Day(value) | Setting::Time(value) => value.iter_mut().for_each(|value| expr(value, visit)),
            Setting::Task(value) => expr(value, visit),
            Setting::Translate(parts) => {
                let (variable, table, third) = &mut **parts;
                exprs([variable, table], visit);
                third.iter_mut().for_each(|third| expr(third, visit));
            }
            Setting::Separator(channel, separator) => exprs([channel, separator], visit),
            Setting::List(channel, list) => {
                expr(channel, visit);
                list_reference(list, visit);
            }
            Setting::Define(Define::Table(_, value) | Define::Variable(_, value)) => expr(value, visit),
            Setting::Define(Define::Message(key, text)) => exprs(std::iter::once(key).chain(text), visit),
            Setting::Mnemonic(channel, name, sequence, size) => {
                exprs(channel.iter_mut().chain([name, sequence]), visit);
                size.iter_mut().for_each(|size| exprs([&mut size.0, &mut size.1], visit));
            }
        },
        Kind::Run(program, list) | Kind::ErrorProgram(program, list) | Kind::MessageLibrary(_, program, list) => {
            program.iter_mut().for_each(|program| expr(program, visit));
            options(list, visit);
        }
        Kind::Enter(parameters, list) => {
            for parameter in parameters {
                parameter.list.iter_mut().for_each(|list| list_reference(list, visit));
                parameter.default.iter_mut().for_each(|default| expr(default, visit));
            }
            options(list, visit);
        }
        Kind::Index(index) => options(&mut index.options, visit),
        Kind::Control(control) => {
            let values = control.arguments.iter_mut().chain(&mut control.subs);
            values.flatten().chain(&mut control.contents).for_each(|argument| expr(argument, visit));
            options(&mut control.options, visit);
        }
        Kind::Dim(list) | Kind::Redim(list) => {
            for item in list {
                match item {
                    Dimension::Composite(_, list) => list_reference(list, visit),
                    Dimension::Structure(_, text, _) => expr(text, visit),
                    _ => {}
                }
            }
        }
        _ => of_expressions(kind, visit),
    }
}

/// Directives of expressions: their functions may have ERR=.
fn of_expressions(kind: &mut Kind, visit: &mut impl FnMut(&mut Target)) {
    match kind {
        Kind::Let(list) => assignments(list, visit),
        Kind::Local(list, _) => assignments(list, visit),
        Kind::While(value)
        | Kind::Until(value)
        | Kind::Switch(value)
        | Kind::BlockIf(value)
        | Kind::Evaluate(value)
        | Kind::Precision(value)
        | Kind::Wait(value)
        | Kind::Table(value)
        | Kind::DayFormat(value)
        | Kind::DimLoad(_, value) => expr(value, visit),
        Kind::Return(value) | Kind::Exit(value) | Kind::Escape(value) | Kind::Release(value) => {
            value.iter_mut().for_each(|value| expr(value, visit));
        }
        Kind::Data(values) | Kind::MsgBox(values, _) => values.iter_mut().for_each(|value| expr(value, visit)),
        Kind::DefFn { value, .. } => value.iter_mut().for_each(|value| expr(value, visit)),
        Kind::Via(list) => list.iter_mut().for_each(|via| {
            exprs(via.string.iter_mut().chain([&mut via.name, &mut via.value]), visit);
        }),
        Kind::For(for_) => match &mut **for_ {
            For::Range { first, last, step, .. } => {
                exprs([first, last], visit);
                step.iter_mut().for_each(|step| expr(step, visit));
            }
            For::Count(value) | For::Parts(_, value) | For::Index(value, _) => expr(value, visit),
        },
        Kind::Case(values) => {
            for value in values {
                expr(&mut value.first, visit);
                value.last.iter_mut().for_each(|last| expr(last, visit));
            }
        }
        _ => {}
    }
}

fn assignments(list: &mut [Assignment], visit: &mut impl FnMut(&mut Target)) {
    for assignment in list {
        exprs([&mut assignment.target, &mut assignment.value], visit);
    }
}

fn options(list: &mut [IoOption], visit: &mut impl FnMut(&mut Target)) {
    for option in list {
        match &mut option.value {
            OptionValue::Target(to) => visit(to),
            OptionValue::Value(value) => expr(value, visit),
            OptionValue::Segments(values) => values.iter_mut().for_each(|value| expr(value, visit)),
            OptionValue::List(list) => list_reference(list, visit),
            OptionValue::Star | OptionValue::Flag => {}
        }
    }
}

fn items(list: &mut [Item], visit: &mut impl FnMut(&mut Target)) {
    for item in list {
        match item {
            Item::Skip(_) => {}
            Item::List(list, _) => list_reference(list, visit),
            Item::Value(value) => {
                expr(&mut value.value, visit);
                value.mask.iter_mut().for_each(|mask| expr(mask, visit));
                value.branches.iter_mut().for_each(|(_, to)| visit(to));
            }
        }
    }
}

fn list_reference(list: &mut ListRef, visit: &mut impl FnMut(&mut Target)) {
    match list {
        ListRef::Target(to) => visit(to),
        ListRef::Text(text) => expr(text, visit),
        ListRef::Embedded => {}
    }
}

fn exprs<'a>(values: impl IntoIterator<Item = &'a mut Expr>, visit: &mut impl FnMut(&mut Target)) {
    for value in values {
        expr(value, visit);
    }
}

/// Depth is bounded by the parser's limit of nesting and operators.
fn expr(value: &mut Expr, visit: &mut impl FnMut(&mut Target)) {
    match &mut value.kind {
        ExprKind::Call(call) => {
            options(&mut call.options, visit);
            for argument in &mut call.arguments {
                exprs(argument.value.iter_mut().chain(&mut argument.mask), visit);
            }
        }
        ExprKind::Element(_, values)
        | ExprKind::Field(_, _, values)
        | ExprKind::User(_, values)
        | ExprKind::Mnemonic(_, values)
        | ExprKind::At(values) => exprs(values, visit),
        ExprKind::Property(object, _, arguments) => {
            expr(object, visit);
            if let Some(arguments) = arguments {
                exprs(&mut arguments.values, visit);
                options(&mut arguments.options, visit);
            }
        }
        ExprKind::Substring(base, position, length) => {
            exprs([&mut **base, &mut **position], visit);
            length.iter_mut().for_each(|length| expr(length, visit));
        }
        ExprKind::Unary(_, operand) | ExprKind::Group(operand) | ExprKind::Removed(_, operand) => expr(operand, visit),
        ExprKind::Binary(_, left, right) => exprs([&mut **left, &mut **right], visit),
        _ => {}
    }
}
