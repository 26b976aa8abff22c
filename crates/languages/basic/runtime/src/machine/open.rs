//! OPEN, and directives that make and change files by name.

use super::channels::{Channel, file_fault};
use super::dictionary::{dictionary_of, list_of_source};
use super::{Machine, Value};
use crate::code::*;
use crate::fault::{Fault, Outcome, fail};
use mainstay_basic_files::{FileDefinition, FileKind, KeyDefinitions, OpenMode, OpenOptions, RecordFormat};
use mainstay_basic_syntax::tree::{self, FileVerb};
use std::rc::Rc;

impl Machine {
    pub(super) fn open(&mut self, open: &OpenCode) -> Outcome<()> {
        let number = self.whole(&open.channel)?;
        let ((low, _), (_, high)) = self.channel_ranges();
        if !(low..=high).contains(&number) {
            return fail(41, format!("channel {number}"));
        }
        if self.channels.is_open(number) {
            return fail(14, format!("channel {number} is open"));
        }
        let name = self.text_value(&open.name)?;
        self.open_file(number, &name, open.mode, &open.options)?;
        self.channels.last_opened = number;
        Ok(())
    }

    /// Opens a file on a channel.
    pub(super) fn open_file(
        &mut self,
        number: i64,
        name: &[u8],
        mode: tree::OpenMode,
        options: &Options,
    ) -> Outcome<()> {
        if let [b'|' | b'<' | b'>', command @ ..] = name {
            return self.refuse_command(command);
        }
        self.commit_updates("OC")?;
        let translation = self.translated(&mainstay_code_page::decode(name))?;
        let mut open = OpenOptions::new(
            self.session,
            match mode {
                tree::OpenMode::Shared | tree::OpenMode::Create => OpenMode::Shared,
                tree::OpenMode::Input | tree::OpenMode::Load => OpenMode::Input,
                tree::OpenMode::Lock => OpenMode::Lock,
                tree::OpenMode::Purge => OpenMode::Purge,
            },
        );
        open.create = mode == tree::OpenMode::Create;
        open.counters = self.counters.clone();
        open.wait = self.wait_time(options)?;
        if let Some(size) = &options.block {
            open.record_size = Some(self.whole_within(size, 0, 1 << 30)? as u32);
        }
        if let Some(size) = &options.binary {
            open.block_size = Some(self.whole_within(size, 1, 1 << 30)? as u32);
        }
        let separator = options.separator.as_ref().map(|text| self.text_value(text)).transpose()?;
        open.separator = separator.and_then(|separator| separator.first().copied());
        let text = options.text.as_ref().map(|text| self.text_value(text)).transpose()?.unwrap_or_default();
        open.options = format!("{}{}", mainstay_code_page::decode(&text), translation.options);
        open.writes_unlocked = self.parameters.get("LU") != 0;
        open.blocks_itself = self.parameters.blocks_itself;
        let list = match &options.list {
            None => None,
            Some(ListSource::Text(text)) => Some(self.list_of_text(text)?),
            Some(ListSource::Id(id)) => {
                let list = self.find_list(&ListSource::Id(*id))?;
                Some((self.frame.program.clone(), list, *id))
            }
            // IOL=*: the list that PREFIX FILE has for the file.
            Some(ListSource::Embedded) if !translation.list.is_empty() => {
                Some(list_of_source(self, &[b"IOLIST ", translation.list.as_slice()].concat())?)
            }
            // The list of the file, when that is open.
            Some(ListSource::Embedded) => None,
            Some(source) => return self.find_list(source).map(drop),
        };
        let has_dictionary = list.is_none() && matches!(options.list, Some(ListSource::Embedded));
        let prefix = options.prefix.as_ref().map(|prefix| self.prefix_name(prefix)).transpose()?;
        let opened = match super::printer::is_printer(&translation.name) {
            true => self.open_printer(&open).map(|(file, printer)| (file, Some(printer))),
            false => self.open_volume(&translation.name, &open).map(|file| (file, None)),
        };
        let (file, printer) = opened.inspect_err(|_| self.failed_opens += 1)?;
        self.counters.count_open();
        let separator = open.separator.unwrap_or(file.definition().separator);
        let channel = Channel {
            file,
            name: name.to_vec(),
            separator,
            list,
            plan: None,
            line: Vec::new(),
            printer,
            options: text,
            prefix,
            fid: None,
            mnemonics: std::collections::BTreeMap::new(),
        };
        self.charge(mainstay_basic_files::CHANNEL_BYTES)?;
        self.channels.insert(number, channel);
        if has_dictionary {
            match dictionary_of(self, number) {
                Ok(list) => self.channels.get(number)?.list = Some(list),
                Err(fault) => {
                    self.close_channel(number)?;
                    return Err(fault);
                }
            }
        }
        Ok(())
    }

    fn open_volume(&mut self, name: &str, options: &OpenOptions) -> Outcome<Box<dyn mainstay_basic_files::RecordFile>> {
        let mut missing = None;
        let candidates = self.file_candidates(name);
        let last = candidates.len();
        for (index, candidate) in candidates.into_iter().enumerate() {
            // OPEN CREATE creates in the first place, unless the file is in one of them.
            let exists = !options.create || last == 1 || self.volume.kind(&candidate).map_err(file_fault)?.is_some();
            if !exists && index > 0 {
                continue;
            }
            match self.volume.open(&candidate, options) {
                Ok(file) => return Ok(file),
                Err(error) if error.number() == 12 => missing = missing.or(Some(error)),
                Err(error) => return Err(file_fault(error)),
            }
        }
        Err(missing.map_or_else(|| Fault::with(12, name), file_fault))
    }

    /// A list as text, as IOL( ) and CPL( ) return it: the source of an IOLIST.
    pub(super) fn list_of_text(&mut self, text: &TextExpr) -> Outcome<(Rc<Program>, Rc<List>, u32)> {
        let source = self.text_value(text)?;
        list_of_source(self, &source)
    }

    pub(super) fn file(&mut self, file: &FileCode) -> Outcome<()> {
        let mut arguments = Vec::new();
        for argument in &file.arguments {
            arguments.push(self.file_argument(argument)?);
        }
        let name = match arguments.first() {
            Some(Argumented::Value(Value::Text(name))) => mainstay_code_page::decode(name).into_owned(),
            _ => return fail(26, "a file's name is a string"),
        };
        match file.verb {
            FileVerb::Erase => {
                let name = self.existing_name(&name)?;
                self.volume.erase(&name).map_err(file_fault)
            }
            FileVerb::Refile => {
                let name = self.existing_name(&name)?;
                self.volume.refile(&name).map_err(file_fault)
            }
            FileVerb::Directory => {
                let name = self.new_name(&name)?;
                self.volume.create_directory(&name).map_err(file_fault)
            }
            FileVerb::Rename => match arguments.get(1) {
                Some(Argumented::Value(Value::Text(to))) => {
                    let to = self.new_name(&mainstay_code_page::decode(to))?;
                    let name = self.existing_name(&name)?;
                    self.volume.rename(&name, &to).map_err(file_fault)
                }
                _ => fail(26, "the new name is a string"),
            },
            FileVerb::Program => create_program(self, &name),
            verb => self.create(verb, &name, &arguments[1..], &file.options),
        }
    }

    /// The text of a key definition, or a value.
    pub(super) fn file_argument_text(&mut self, argument: &FileArgument) -> Outcome<Result<String, Value>> {
        match self.file_argument(argument)? {
            Argumented::Key(text) => Ok(Ok(text)),
            Argumented::Value(value) => Ok(Err(value)),
            Argumented::None => fail(80, "key"),
        }
    }

    fn file_argument(&mut self, argument: &FileArgument) -> Outcome<Argumented> {
        Ok(match argument {
            FileArgument::Star => Argumented::None,
            FileArgument::Value(value) => Argumented::Value(self.value(value)?),
            FileArgument::Key(segments, name) => {
                let mut texts = Vec::new();
                for (index, segment) in segments.iter().enumerate() {
                    let mut parts = Vec::new();
                    if let (0, Some(name)) = (index, name) {
                        let name = self.value(name)?;
                        parts.push(format!("\"{}\"", self.display(&name)));
                    }
                    for (place, part) in segment.iter().enumerate() {
                        parts.push(match self.value(part)? {
                            Value::Number(number) if place == 0 && number.signum() < 0 => "KEY".to_owned(),
                            value @ Value::Number(_) => self.display(&value),
                            value => format!("\"{}\"", self.display(&value)),
                        });
                    }
                    texts.push(format!("[{}]", parts.join(":")));
                }
                Argumented::Key(texts.join("+"))
            }
        })
    }

    /// DIRECT, KEYED, SORT, INDEXED, SERIAL behind the name: external key, keys, records, size.
    fn create(&mut self, verb: FileVerb, name: &str, arguments: &[Argumented], options: &Options) -> Outcome<()> {
        let mut keys = String::new();
        let mut numbers = Vec::new();
        let mut arguments = arguments.iter().peekable();
        if matches!(verb, FileVerb::Direct | FileVerb::Keyed | FileVerb::Sort | FileVerb::Table) {
            if let Some(Argumented::Value(Value::Number(length))) = arguments.peek() {
                keys = self.display(&Value::Number(*length));
                arguments.next();
            } else if let Some(Argumented::None) = arguments.peek() {
                arguments.next();
            }
        }
        for argument in arguments {
            match argument {
                Argumented::Key(key) => {
                    keys = if keys.is_empty() { key.clone() } else { format!("{keys},{key}") };
                }
                Argumented::Value(Value::Number(number)) => {
                    numbers.push(Some(number.as_whole().ok_or_else(|| Fault::new(41))?));
                }
                Argumented::None => numbers.push(None),
                Argumented::Value(Value::Text(text)) => {
                    let key = mainstay_code_page::decode(text);
                    keys = if keys.is_empty() { key.into_owned() } else { format!("{keys},{key}") };
                }
            }
        }
        let mut definition = definition(verb, &keys, &numbers)?;
        if let Some(text) = &options.text {
            let text = self.text_value(text)?;
            definition.keeps_further_fields = text.contains(&b'U');
            definition.strips_null_keys = text.contains(&b'N');
            definition.is_extended = text.contains(&b'X');
        }
        if let Some(separator) = &options.separator
            && let Some(separator) = self.text_value(separator)?.first()
        {
            definition.separator = *separator;
        }
        let name = self.new_name(name)?;
        self.volume.create(&name, &definition).map_err(file_fault)
    }
}

/// An evaluated argument.
enum Argumented {
    Value(Value),
    Key(String),
    None,
}

/// The definition of a file by its verb: numbers are the records and the size.
fn definition(verb: FileVerb, keys: &str, numbers: &[Option<i64>]) -> Outcome<FileDefinition> {
    let number = |index: usize| numbers.get(index).copied().flatten();
    let records = number(0).filter(|records| *records > 0).map(|records| records as u64);
    let size = |value: i64| match u32::try_from(value) {
        Ok(size) => Ok(size),
        Err(_) => fail(41, "size of a record"),
    };
    Ok(match verb {
        FileVerb::Serial => FileDefinition::serial(size(number(1).unwrap_or(0))?),
        FileVerb::Indexed => FileDefinition::indexed(records, size(number(1).unwrap_or(0))?),
        _ => {
            let keys = KeyDefinitions::parse(keys).map_err(file_fault)?;
            let (kind, format) = match verb {
                FileVerb::Sort => (FileKind::Sort, RecordFormat::Variable(0)),
                _ => {
                    let format = match number(1) {
                        None | Some(0) => RecordFormat::DEFAULT,
                        Some(size) => RecordFormat::of_size(size).ok_or_else(|| Fault::new(41))?,
                    };
                    (FileKind::Keyed, format)
                }
            };
            FileDefinition { max_records: records, ..FileDefinition::new(kind, keys, format) }
        }
    })
}

/// PROGRAM: an empty program. Its size does not matter. Error 12 for a name in use.
fn create_program(machine: &mut Machine, name: &str) -> Outcome<()> {
    let name = machine.new_name(name)?;
    let is_used = machine.programs.read(&name)?.is_some() || machine.volume.kind(&name).map_err(file_fault)?.is_some();
    match is_used {
        true => fail(12, name),
        false => machine.programs.write(&name, b""),
    }
}
