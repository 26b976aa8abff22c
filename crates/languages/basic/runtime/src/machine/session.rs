//! Directives of the session.

use super::channels::file_fault;
use super::{Flow, FrameKind, Machine, Value};
use crate::code::*;
use crate::fault::{Fault, Outcome, fail};
use mainstay_basic_files::key::KeyDefinitions;
use mainstay_basic_files::{OpenMode, OpenOptions, Place, ReadOptions, TransactionVerb};
use mainstay_basic_syntax::tree::{Journal, MessageLibrary};

impl Machine {
    #[inline(never)]
    pub(super) fn session_directive(&mut self, code: &SessionCode, depth: usize) -> Outcome<Flow> {
        match code {
            SessionCode::ErrorProgram(program, _) => {
                self.handlers.error_program = self.optional_text(program.as_ref())?;
            }
            SessionCode::ErrorProgramRead(target) => {
                let name = self.handlers.error_program.clone();
                self.assign(target, Value::Text(name))?;
            }
            SessionCode::EscapeTarget(_) if self.handlers.is_disabled => {}
            SessionCode::EscapeTarget(to) => self.frame.escape = *to,
            SessionCode::EscapeProgram(program) => self.handlers.escape_program = self.text_value(program)?,
            SessionCode::EscapeKeys(on) => self.handlers.ignores_keys = !on,
            SessionCode::EscapeEnable(on) => self.handlers.is_disabled = !on,
            SessionCode::EscapeRead(target) => {
                let name = self.handlers.escape_program.clone();
                self.assign(target, Value::Text(name))?;
            }
            SessionCode::Journal(form, _) => journal(self, *form)?,
            SessionCode::MessageLibrary(form, file, _) => self.message_library(*form, file.as_ref())?,
            SessionCode::Folder(folder, _) => {
                let folder = self.name_value(folder)?;
                self.change_folder(&folder)?;
            }
            SessionCode::SetFid(channel, name) => self.set_fid(channel.as_ref(), name)?,
            SessionCode::Invoke(command, _) => {
                let command = self.text_value(command)?;
                return self.refuse_command(&command);
            }
            SessionCode::Day(_) | SessionCode::Time(_) | SessionCode::Task(_) => super::clock::set_clock(self, code)?,
            SessionCode::Translate(target, value, table, third) => {
                super::clock::translate_text(self, target, value, table, third.as_ref())?
            }
            SessionCode::Separator(channel, separator) => {
                let number = self.whole(channel)?;
                let separator = self.text_value(separator)?;
                let [byte] = separator[..] else { return fail(46, "a separator is one character") };
                self.channels.get(number)?.separator = byte;
            }
            SessionCode::ChannelList(channel, source) => {
                let number = self.whole(channel)?;
                let list = super::dictionary::owned_list(self, source, number)?;
                let channel = self.channels.get(number)?;
                (channel.list, channel.plan) = (Some(list), None);
            }
            SessionCode::DefineTable(..)
            | SessionCode::DefineVariable(..)
            | SessionCode::DefineMessage(..)
            | SessionCode::Mnemonic(..) => super::definitions::define(self, code)?,
            SessionCode::DimLoad(array, text) => {
                let text = self.text_value(text)?;
                self.load_json(*array, &text)?;
            }
            SessionCode::Index { key, adds, file, .. } => self.change_index(key, *adds, file)?,
            SessionCode::Console(code) => return self.console_directive(code, depth),
            SessionCode::DropObject(object, _) => {
                let object = self.whole(object)?;
                self.drop_object(object)?;
            }
            SessionCode::DropClass(class, _) => {
                let class = self.name_value(class)?;
                self.drop_class(&class)?;
            }
            _ => self.set_rules(code)?,
        }
        Ok(Flow::Next)
    }

    pub(crate) fn optional_text(&mut self, text: Option<&TextExpr>) -> Outcome<Vec<u8>> {
        text.map_or(Ok(Vec::new()), |text| self.text_value(text))
    }

    fn set_rules(&mut self, code: &SessionCode) -> Outcome<()> {
        match code {
            SessionCode::Prefix(number, rules) => {
                let number = match number {
                    Some(number) => self.whole_within(number, 0, 34)?,
                    None => 0,
                };
                let rules = self.optional_text(rules.as_ref())?;
                match rules.is_empty() {
                    true => drop(self.rules.entries.remove(&number)),
                    false => drop(self.rules.entries.insert(number, rules)),
                }
            }
            SessionCode::PrefixProgram(rules) => self.rules.program = self.optional_text(rules.as_ref())?,
            SessionCode::PrefixFile(file) => {
                let file = self.optional_text(file.as_ref())?;
                self.set_prefix_file(&file)?;
            }
            SessionCode::PrefixFolder(name, folder) => {
                let (name, folder) = (self.name_value(name)?, self.name_value(folder)?);
                self.rules.folders.retain(|(known, _)| *known != name);
                if !folder.is_empty() {
                    self.charge(name.len() + folder.len() + 64)?;
                    self.rules.folders.push((name, folder));
                }
            }
            SessionCode::PrefixEnable(number, on) => {
                let number = self.whole_within(number, 0, 34)?;
                self.rules.disabled.retain(|known| known != &number);
                if !on {
                    self.rules.disabled.push(number);
                }
            }
            _ => return Err(Fault::new(120)),
        }
        Ok(())
    }

    fn set_fid(&mut self, channel: Option<&NumberExpr>, name: &TextExpr) -> Outcome<()> {
        let number = channel.map(|channel| self.whole(channel)).transpose()?.unwrap_or(0);
        let mut name = self.text_value(name)?;
        name.truncate(12);
        match number {
            0 => self.terminal = name,
            number => self.channels.get(number)?.fid = Some(name),
        }
        Ok(())
    }

    /// MESSAGE_LIB: the files in which MSG( ) looks for texts. Error 17 for a file that is not keyed.
    fn message_library(&mut self, form: MessageLibrary, file: Option<&TextExpr>) -> Outcome<()> {
        let names = self.optional_text(file)?;
        let separator = super::SEPARATOR;
        let names: Vec<String> = names
            .split(|byte| *byte == separator)
            .filter(|name| !name.is_empty())
            .map(|name| mainstay_code_page::decode(name).into_owned())
            .collect();
        if matches!(form, MessageLibrary::Set | MessageLibrary::Add) {
            for name in &names {
                let path = self.existing_name(name)?;
                let options = OpenOptions::new(self.session, OpenMode::Input);
                let opened = self.volume.open(&path, &options).map_err(file_fault)?;
                if !opened.definition().kind.has_keys() {
                    return fail(17, name.as_str());
                }
            }
        }
        match form {
            MessageLibrary::Set => self.libraries = names,
            MessageLibrary::Add => drop(self.libraries.splice(0..0, names)),
            MessageLibrary::Drop => {
                let before = self.libraries.len();
                self.libraries.retain(|known| !names.contains(known));
                if self.libraries.len() == before {
                    return fail(12, names.join(" "));
                }
            }
            MessageLibrary::Pop if self.libraries.is_empty() => return fail(12, "no message library"),
            MessageLibrary::Pop => drop(self.libraries.remove(0)),
        }
        Ok(())
    }

    /// The text of a message by its key; `None` if no library has it.
    pub(crate) fn library_text(&mut self, key: &[u8]) -> Outcome<Option<Vec<u8>>> {
        for name in self.libraries.clone() {
            let path = self.existing_name(&name)?;
            let options = OpenOptions::new(self.session, OpenMode::Input);
            let mut file = self.volume.open(&path, &options).map_err(file_fault)?;
            match file.read(Place::Key(key), &ReadOptions::default()) {
                Ok(record) => {
                    let text = record.split(|byte| *byte == super::SEPARATOR).next().unwrap_or_default();
                    return Ok(Some(text.to_vec()));
                }
                Err(error) if matches!(error.number(), 2 | 11) => {}
                Err(error) => return Err(file_fault(error)),
            }
        }
        Ok(None)
    }

    /// ADD INDEX, DROP INDEX: of a locked channel, or of a file that is opened for it alone.
    fn change_index(&mut self, key: &FileArgument, adds: bool, file: &Expr) -> Outcome<()> {
        let (number, owns) = match file {
            Expr::Number(channel) => (self.whole(channel)?, false),
            Expr::Text(name) => {
                let name = self.text_value(name)?;
                let number = self.hidden_channel();
                let mode = mainstay_basic_syntax::tree::OpenMode::Lock;
                self.open_file(number, &name, mode, &Options::default())?;
                (number, true)
            }
        };
        let result = self.change_index_on(key, adds, number);
        if owns {
            self.close_channel(number)?;
        }
        result
    }

    fn change_index_on(&mut self, key: &FileArgument, adds: bool, number: i64) -> Outcome<()> {
        let key = match self.file_argument_text(key)? {
            Ok(text) => text,
            Err(Value::Number(number)) => self.display(&Value::Number(number)),
            Err(Value::Text(text)) => mainstay_code_page::decode(&text).into_owned(),
        };
        let channel = self.channels.get(number)?;
        let information = channel.file.information().map_err(file_fault)?;
        let is_shared = information.definition.kind == mainstay_basic_files::FileKind::Keyed && !information.is_locked;
        if is_shared {
            return fail(13, "the file must be locked");
        }
        if adds {
            let definitions = KeyDefinitions::parse(&key).map_err(file_fault)?;
            let mut keys = definitions.keys().iter().cloned();
            let (Some(key), None) = (keys.next(), keys.next()) else { return fail(80, "one key at a time") };
            return channel.file.add_key(key).map(drop).map_err(file_fault);
        }
        let keys = &information.definition.keys;
        let number = match key.trim().parse::<usize>() {
            Ok(number) => number,
            Err(_) => keys.number_of(&key).map_err(file_fault)?,
        };
        channel.file.drop_key(number).map_err(file_fault)
    }

    /// RUN and START begin a program anew, also from inside of others.
    pub(crate) fn replace_program(&mut self, program: std::rc::Rc<Program>, pc: Pc) {
        while !self.frames.is_empty() {
            self.pop_frame();
        }
        while !self.frame.stack.is_empty() {
            self.drop_top();
        }
        let link = self.link(&program);
        self.frame = super::Frame { pc, ..super::Frame::new(program, link, FrameKind::Main) };
        self.handlers.is_handling = false;
        self.reset_state();
    }
}

/// SYSTEM_JRNL: begins and ends transactions.
fn journal(machine: &mut Machine, form: Journal) -> Outcome<()> {
    transaction(
        machine,
        match form {
            Journal::Begin => TransactionVerb::Begin,
            Journal::BeginAuto => TransactionVerb::BeginAuto,
            Journal::AutoOn => TransactionVerb::AutoOn,
            Journal::AutoOff => TransactionVerb::AutoOff,
            Journal::Save => TransactionVerb::Save,
            Journal::Restore => TransactionVerb::Restore,
        },
    )
}

/// Begins or ends a transaction of the session.
pub(crate) fn transaction(machine: &mut Machine, verb: TransactionVerb) -> Outcome<()> {
    machine.volume.transaction(machine.session, verb).map_err(file_fault)
}
