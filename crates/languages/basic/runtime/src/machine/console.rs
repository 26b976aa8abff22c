//! Directives of the console: LOAD, SAVE, DELETE, MERGE, RENUMBER, EDIT, DUMP, START, SETTRACE.
//!
//! Those that change or replace the program stand in EXECUTEd text and at the console's prompt only: error 45 in a program
//! itself. Sources: the manual's pages of the directives.

use super::channels::file_fault;
use super::{Flow, FrameKind, Machine};
use crate::code::*;
use crate::fault::{Outcome, fail};
use mainstay_basic_files::{Place, ReadOptions};
use mainstay_basic_syntax::{self as syntax, print};

/// The most bytes that MERGE reads.
const MERGED: usize = 16 << 20;

/// The text of a program in the code page of strings.
pub(super) fn read_program(machine: &mut Machine, path: &str) -> Outcome<Option<Vec<u8>>> {
    let source = machine.programs.read(path)?;
    Ok(source.map(|source| mainstay_code_page::import(&source).into_owned()))
}

/// Writes the text of a program, as UTF-8.
fn write_program(machine: &mut Machine, path: &str, text: &[u8]) -> Outcome<()> {
    machine.programs.write(path, mainstay_code_page::decode(text).as_bytes())
}

impl Machine {
    pub(super) fn console_directive(&mut self, code: &ConsoleCode, _depth: usize) -> Outcome<Flow> {
        let changes = !matches!(
            code,
            ConsoleCode::Dump(..) | ConsoleCode::Start(..) | ConsoleCode::Trace(_) | ConsoleCode::EndTrace
        );
        if changes && self.frame.kind != FrameKind::Execute {
            return fail(45, "this directive stands at the console or in EXECUTE");
        }
        match code {
            ConsoleCode::Load(name) => {
                let name = self.program_name(name.as_ref())?;
                let program = self.load(&name)?;
                self.last_program = name;
                self.replace_program(program, 0);
                return Ok(Flow::Stop);
            }
            ConsoleCode::Save(name) => {
                let name = self.program_name(name.as_ref())?;
                self.save_program(&name)?;
            }
            ConsoleCode::Delete(first, last) => self.delete_lines(first.as_ref(), last.as_ref())?,
            ConsoleCode::Merge(file, _) => self.merge(file)?,
            ConsoleCode::Renumber(first, step, from, to) => {
                let first = first.as_ref().map_or(Ok(10), |first| self.whole_within(first, 1, 64_999))?;
                let step = step.as_ref().map_or(Ok(10), |step| self.whole_within(step, 1, 64_999))?;
                self.renumber(first, step, from.as_ref(), to.as_ref())?;
            }
            ConsoleCode::Edit(line, steps) => self.edit_by_steps(line, steps)?,
            ConsoleCode::Dump(channel, level) => self.dump(channel.as_ref(), level.as_ref())?,
            ConsoleCode::Start(memory, program, _) => return self.start(memory.as_ref(), program.as_ref()),
            ConsoleCode::Trace(channel) => {
                let channel = channel.as_ref().map(|channel| self.whole(channel)).transpose()?.unwrap_or(0);
                if channel != 0 {
                    self.channels.get(channel)?;
                }
                self.trace = Some(channel);
                self.watch_next();
            }
            ConsoleCode::EndTrace => self.trace = None,
        }
        Ok(Flow::Switch)
    }

    /// The name that LOAD and SAVE are given, or the last one. Error 10 for none.
    fn program_name(&mut self, name: Option<&TextExpr>) -> Outcome<String> {
        let name = match name {
            Some(name) => self.name_value(name)?,
            None => self.last_program.clone(),
        };
        match name.trim() {
            "" => fail(10, "no program was named before"),
            name => Ok(name.to_owned()),
        }
    }

    /// SAVE: the text of the program, as LIST shows it.
    pub(crate) fn save_program(&mut self, name: &str) -> Outcome<()> {
        let program = self.outer_program();
        if program.tree.lines.is_empty() {
            return fail(18, "no program to save");
        }
        let wanted = self.program_candidates(name).into_iter().next().unwrap_or_else(|| name.to_owned());
        write_program(self, &wanted, &print::program(&program.tree))?;
        self.last_program = name.to_owned();
        Ok(())
    }

    /// The text of a channel from its next record on, or of a file.
    fn merge(&mut self, file: &Expr) -> Outcome<()> {
        let (number, owns) = match file {
            Expr::Number(channel) => (self.whole(channel)?, false),
            Expr::Text(name) => {
                let name = self.text_value(name)?;
                let text = mainstay_code_page::decode(&name).into_owned();
                if let Some(source) = self.source_of(&text)? {
                    return self.merge_lines(&source);
                }
                let number = self.hidden_channel();
                let mode = syntax::tree::OpenMode::Input;
                self.open_file(number, &name, mode, &Options::default())?;
                (number, true)
            }
        };
        let source = self.records_as_text(number);
        if owns {
            self.close_channel(number)?;
        }
        self.merge_lines(&mainstay_code_page::import(&source?))
    }

    /// The text of a program by its name.
    fn source_of(&mut self, name: &str) -> Outcome<Option<Vec<u8>>> {
        for path in self.program_candidates(name) {
            if let Some(source) = read_program(self, &path)? {
                return Ok(Some(source));
            }
        }
        Ok(None)
    }

    fn records_as_text(&mut self, number: i64) -> Outcome<Vec<u8>> {
        let mut text = Vec::new();
        loop {
            let channel = self.channels.get(number)?;
            let separator = channel.separator;
            match channel.file.read(Place::Next, &ReadOptions::default()) {
                Ok(record) => {
                    let end = record.iter().rposition(|byte| *byte != separator).map_or(0, |at| at + 1);
                    text.extend_from_slice(&record[..end]);
                    text.push(b'\n');
                }
                Err(error) if error.number() == 2 => return Ok(text),
                Err(error) => return Err(file_fault(error)),
            }
            if text.len() > MERGED {
                return fail(19, "MERGE reads 16 MB at most");
            }
        }
    }

    /// START: closes all files, forgets all variables, handlers and objects, and begins a program or none.
    fn start(&mut self, memory: Option<&NumberExpr>, program: Option<&TextExpr>) -> Outcome<Flow> {
        self.clock_offset = Default::default();
        if let Some(memory) = memory {
            // Units of 1,024 bytes; 0 leaves the limit as it is.
            let units = self.whole_within(memory, 0, i64::from(u32::MAX))? as u64;
            if units > 0 {
                super::memory::start_with(self, units * 1024);
            }
        }
        let program = match program {
            Some(name) => {
                let name = self.name_value(name)?;
                let entry = self.load_entry(&name)?;
                self.last_program = name;
                Some(entry)
            }
            None => None,
        };
        let runs = program.is_some();
        let (program, pc) = program.unwrap_or_default();
        self.close_all_channels();
        self.replace_program(program, pc);
        self.variables = crate::variables::Variables::default();
        self.globals = crate::variables::Variables::default();
        let link = self.link(&self.frame.program.clone());
        self.frame.link = link;
        self.templates.clear();
        self.objects = super::object::Objects::default();
        self.handlers = super::interrupt::Handlers::default();
        self.parameters.precision = 2;
        self.precision = 2;
        self.trace = None;
        match runs {
            true => Ok(self.begun()),
            false => self.stop(),
        }
    }
}
