//! Directives of the session.

use super::expression::is_text;
use super::{Compiled, Compiler};
use crate::code::*;
use mainstay_basic_syntax::tree::{self, Console, Kind, Prefix, SetEsc};

impl Compiler<'_> {
    /// Compiles a directive of the session; false if it is another one.
    pub(super) fn session_directive(&mut self, kind: &Kind) -> Compiled<bool> {
        let code = match kind {
            Kind::ErrorProgram(program, options) => {
                SessionCode::ErrorProgram(self.optional_text(program.as_ref())?, self.options(options)?.branches)
            }
            Kind::ErrorProgramRead(variable) => SessionCode::ErrorProgramRead(self.target(variable)?),
            Kind::SetEsc(form) => self.set_escape(form)?,
            Kind::Prefix(form) => self.prefix(form)?,
            Kind::MessageLibrary(form, file, options) => {
                SessionCode::MessageLibrary(*form, self.optional_text(file.as_ref())?, self.options(options)?.branches)
            }
            Kind::Journal(form, options) => SessionCode::Journal(*form, self.options(options)?.branches),
            Kind::Folder(folder, options) => SessionCode::Folder(self.text(folder)?, self.options(options)?.branches),
            Kind::SetFid(channel, name) => {
                SessionCode::SetFid(self.optional_number(channel.as_ref())?, self.text(name)?)
            }
            Kind::Setting(setting) => self.setting(setting)?,
            Kind::Invoke(command, options) => SessionCode::Invoke(self.text(command)?, self.options(options)?.branches),
            Kind::DimLoad(array, text) => SessionCode::DimLoad(self.array(array), self.text(text)?),
            Kind::Index(index) => SessionCode::Index {
                key: self.file_argument(&index.key)?,
                adds: index.adds,
                file: self.expression(&index.file)?,
                branches: self.options(&index.options)?.branches,
            },
            Kind::Console(form) => SessionCode::Console(self.console(form)?),
            Kind::DropObject(object, options) => {
                SessionCode::DropObject(self.number_expr(object)?, self.options(options)?.branches)
            }
            Kind::DropClass(class, options) => {
                SessionCode::DropClass(self.text(class)?, self.options(options)?.branches)
            }
            _ => return Ok(false),
        };
        self.push(Op::Session(Box::new(code)));
        Ok(true)
    }

    fn optional_text(&mut self, value: Option<&tree::Expr>) -> Compiled<Option<TextExpr>> {
        value.map(|value| self.text(value)).transpose()
    }

    fn optional_number(&mut self, value: Option<&tree::Expr>) -> Compiled<Option<NumberExpr>> {
        value.map(|value| self.number_expr(value)).transpose()
    }

    fn set_escape(&mut self, form: &SetEsc) -> Compiled<SessionCode> {
        Ok(match form {
            SetEsc::Target(tree::Target::Line(0)) => SessionCode::EscapeTarget(None),
            SetEsc::Target(to) => SessionCode::EscapeTarget(Some(self.destination(to))),
            SetEsc::Program(program) => SessionCode::EscapeProgram(self.text(program)?),
            SetEsc::Keys(on) => SessionCode::EscapeKeys(*on),
            SetEsc::Enable(on) => SessionCode::EscapeEnable(*on),
            SetEsc::Read(variable) => SessionCode::EscapeRead(self.target(variable)?),
        })
    }

    fn setting(&mut self, setting: &tree::Setting) -> Compiled<SessionCode> {
        Ok(match setting {
            tree::Setting::Day(day) => SessionCode::Day(self.optional_text(day.as_ref())?),
            tree::Setting::Time(time) => SessionCode::Time(self.optional_number(time.as_ref())?),
            tree::Setting::Task(task) => SessionCode::Task(self.text(task)?),
            tree::Setting::Translate(parts) => {
                let (variable, table, third) = &**parts;
                SessionCode::Translate(
                    self.target(variable)?,
                    self.text(variable)?,
                    self.text(table)?,
                    third.as_ref().map(|third| self.expression(third)).transpose()?,
                )
            }
            tree::Setting::Separator(channel, separator) => {
                SessionCode::Separator(self.number_expr(channel)?, self.text(separator)?)
            }
            tree::Setting::List(channel, list) => {
                SessionCode::ChannelList(self.number_expr(channel)?, self.list_source(list)?)
            }
            tree::Setting::Define(tree::Define::Table(name, table)) => {
                SessionCode::DefineTable(name.clone(), self.text(table)?)
            }
            tree::Setting::Define(tree::Define::Variable(name, value)) => {
                SessionCode::DefineVariable(name.clone(), self.expression(value)?)
            }
            tree::Setting::Define(tree::Define::Message(key, text)) => {
                let text = text.as_ref().map(|text| self.text(text)).transpose()?;
                SessionCode::DefineMessage(self.expression(key)?, text)
            }
            tree::Setting::Mnemonic(channel, name, sequence, _) => {
                let name = match &name.kind {
                    // The name of a new one, which no screen knows.
                    tree::ExprKind::Mnemonic(name, arguments) if arguments.is_empty() => {
                        TextExpr::Constant(name.as_bytes().into())
                    }
                    _ => self.text(name)?,
                };
                SessionCode::Mnemonic(self.optional_number(channel.as_ref())?, name, self.text(sequence)?)
            }
        })
    }

    fn prefix(&mut self, form: &Prefix) -> Compiled<SessionCode> {
        Ok(match form {
            Prefix::Entry(number, rules) => {
                SessionCode::Prefix(self.optional_number(number.as_ref())?, self.optional_text(rules.as_ref())?)
            }
            Prefix::Program(rules) => SessionCode::PrefixProgram(self.optional_text(rules.as_ref())?),
            Prefix::File(file) => SessionCode::PrefixFile(self.optional_text(file.as_ref())?),
            Prefix::Folder(name, folder) => SessionCode::PrefixFolder(self.text(name)?, self.text(folder)?),
            Prefix::Enable(number, on) => SessionCode::PrefixEnable(self.number_expr(number)?, *on),
        })
    }

    fn console(&mut self, form: &Console) -> Compiled<ConsoleCode> {
        Ok(match form {
            Console::Load(name) => ConsoleCode::Load(self.optional_text(name.as_ref())?),
            Console::Save(name) => ConsoleCode::Save(self.optional_text(name.as_ref())?),
            Console::Delete(first, last) => ConsoleCode::Delete(first.clone(), last.clone()),
            Console::Merge(file, options) => {
                ConsoleCode::Merge(self.expression(file)?, self.options(options)?.branches)
            }
            Console::Renumber(first, step, from, to) => ConsoleCode::Renumber(
                self.optional_number(first.as_ref())?,
                self.optional_number(step.as_ref())?,
                from.clone(),
                to.clone(),
            ),
            Console::Edit(line, steps) => ConsoleCode::Edit(line.clone(), steps.clone()),
            Console::Dump(channel, level) => {
                let level = match level {
                    None => None,
                    Some(level) => Some(self.optional_number(level.as_ref())?),
                };
                ConsoleCode::Dump(self.optional_number(channel.as_ref())?, level)
            }
            Console::Start(memory, program, options) => {
                // START "PROGRAM" begins a session of its own, which has no terminal here.
                if memory.as_ref().is_some_and(is_text) {
                    return Err((99, "START of a separate task is not supported".to_owned()));
                }
                let branches = self.options(options)?.branches;
                let memory = self.optional_number(memory.as_ref())?;
                ConsoleCode::Start(memory, self.optional_text(program.as_ref())?, branches)
            }
            Console::Trace(channel) => ConsoleCode::Trace(self.optional_number(channel.as_ref())?),
            Console::EndTrace => ConsoleCode::EndTrace,
        })
    }
}
