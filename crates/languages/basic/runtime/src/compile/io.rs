//! Options, and directives with channels and files.

use super::expression::is_text;
use super::{Compiled, Compiler, NOWHERE, Open};
use crate::code::*;
use mainstay_basic_syntax::tree::{self, Item, Kind, OptionValue, Verb};

impl Compiler<'_> {
    pub(super) fn options(&mut self, list: &[tree::IoOption]) -> Compiled<Options> {
        let mut options = Options::default();
        let mut seen = Vec::new();
        for option in list {
            if seen.contains(&option.name) {
                return Err((32, format!("{}= is given twice", option.name)));
            }
            seen.push(option.name.clone());
            self.option(&mut options, option)?;
        }
        Ok(options)
    }

    fn option(&mut self, options: &mut Options, option: &tree::IoOption) -> Compiled<()> {
        let name = option.name.as_str();
        match &option.value {
            OptionValue::Target(to) => {
                if name == "TBL" {
                    options.table = self.table_line(to);
                    return Ok(());
                }
                let to = Some(self.destination(to));
                match name {
                    "ERR" => options.branches.error = to,
                    "END" => options.branches.end = to,
                    "DOM" => options.branches.missing = to,
                    "BSY" => options.branches.busy = to,
                    _ => return Err((99, format!("{name}= is not supported"))),
                }
            }
            OptionValue::Segments(segments) => options.key = self.texts(segments)?,
            OptionValue::Star if name == "KNO" => options.key_number = Some(KeyNumber::Physical),
            OptionValue::List(list) => options.list = Some(self.list_source(list)?),
            OptionValue::Value(value) => return self.value_option(options, name, value),
            OptionValue::Star | OptionValue::Flag => return Err((99, format!("{name}=* is not supported"))),
        }
        Ok(())
    }

    fn table_line(&mut self, to: &tree::Target) -> Option<u32> {
        match self.destination(to) {
            Destination::Line(line) => Some(line),
            _ => None,
        }
    }

    fn value_option(&mut self, options: &mut Options, name: &str, value: &tree::Expr) -> Compiled<()> {
        let slot = match name {
            "IND" => &mut options.index,
            "RNO" => &mut options.record,
            "DIR" => &mut options.direction,
            "SIZ" => &mut options.size,
            "LEN" if !is_text(value) => &mut options.length,
            "TIM" => &mut options.time,
            "RTY" => &mut options.retries,
            "BSZ" | "NBF" => &mut options.block,
            "ISZ" => &mut options.binary,
            "SEP" => {
                options.separator = Some(self.text(value)?);
                return Ok(());
            }
            "OPT" => {
                options.text = Some(self.text(value)?);
                return Ok(());
            }
            "KNO" => {
                options.key_number = Some(KeyNumber::Value(self.expression(value)?));
                return Ok(());
            }
            "REC" => match &value.kind {
                tree::ExprKind::Variable(name) => {
                    options.prefix = Some(RecordPrefix::Name(name.text.clone()));
                    return Ok(());
                }
                tree::ExprKind::Call(call) if call.name == "VIS" && call.arguments.len() == 1 => {
                    let Some(name) = &call.arguments[0].value else { return Err((20, "VIS".to_owned())) };
                    options.prefix = Some(RecordPrefix::Text(self.text(name)?));
                    return Ok(());
                }
                _ => return Err((81, "REC= takes a variable, whose name is the prefix, or VIS( )".to_owned())),
            },
            _ => {
                let value = self.expression(value)?;
                options.others.push((name.to_owned(), value));
                return Ok(());
            }
        };
        *slot = Some(self.number_expr(value)?);
        Ok(())
    }

    pub(super) fn files(&mut self, kind: &Kind) -> Compiled<()> {
        match kind {
            Kind::Io(io) => self.io(io),
            Kind::Open { mode, channel, options, name } => {
                let code = OpenCode {
                    mode: *mode,
                    channel: self.number_expr(channel)?,
                    options: self.options(options)?,
                    name: self.text(name)?,
                };
                self.push(Op::Open(Box::new(code)));
                Ok(())
            }
            Kind::File { verb, arguments, options } => {
                let arguments =
                    arguments.iter().map(|argument| self.file_argument(argument)).collect::<Compiled<_>>()?;
                let options = self.options(options)?;
                self.push(Op::File(Box::new(FileCode { verb: *verb, arguments, options })));
                Ok(())
            }
            Kind::Select(select) => self.select(select),
            _ => Err((99, "directive is not supported".to_owned())),
        }
    }

    fn io(&mut self, io: &tree::Io) -> Compiled<()> {
        let mut options = self.options(&io.options)?;
        if io.verb == Verb::Close {
            let mut channels = Vec::new();
            for item in &io.items {
                if let Item::Value(value) = item {
                    channels.push(self.number_expr(&value.value)?);
                }
            }
            self.push(Op::Close(channels.into(), options.branches));
            return Ok(());
        }
        let channel = io.channel.as_ref().map(|channel| self.expression(channel)).transpose()?;
        // IOL= among the options is the list of the directive.
        let list = match (io.items.is_empty(), options.list.take()) {
            (true, Some(source)) => {
                let list = List { items: vec![ListItem::List(source)], ..List::default() };
                Some(self.add_list(list))
            }
            (true, None) => None,
            (false, _) => {
                let list = self.list(&io.items)?;
                Some(self.add_list(list))
            }
        };
        let code = Box::new(IoCode { verb: io.verb, channel, options, list, open_end: io.open_end });
        self.push(match io.verb {
            Verb::Print => Op::Print(code),
            Verb::Input | Verb::InputEdit | Verb::Obtain => Op::Input(code),
            _ => Op::Io(code),
        });
        Ok(())
    }

    pub(super) fn file_argument(&mut self, argument: &tree::FileArgument) -> Compiled<FileArgument> {
        Ok(match argument {
            tree::FileArgument::Star => FileArgument::Star,
            tree::FileArgument::Value(value) => FileArgument::Value(self.expression(value)?),
            tree::FileArgument::Key(segments, name) => {
                let mut compiled = Vec::new();
                for segment in segments {
                    let parts = segment.parts.iter().map(|part| self.expression(part)).collect::<Compiled<_>>()?;
                    compiled.push(parts);
                }
                let name = name.as_ref().map(|name| self.expression(name)).transpose()?;
                FileArgument::Key(compiled, name)
            }
        })
    }

    fn select(&mut self, select: &tree::Select) -> Compiled<()> {
        let code = self.selection(select)?;
        let pc = self.push(Op::Select(Box::new(code)));
        self.open.push(Open::Select(pc));
        Ok(())
    }

    fn selection(&mut self, select: &tree::Select) -> Compiled<SelectCode> {
        let list = self.list(&select.items)?;
        let mut joins = Vec::new();
        for join in &select.joins {
            joins.push(JoinCode { required: join.required, select: self.selection(&join.select)? });
        }
        Ok(SelectCode {
            mode: select.mode,
            list: self.add_list(list),
            source: self.expression(&select.source)?,
            options: self.options(&select.options)?,
            begin: select.begin.as_ref().map(|key| self.texts(key)).transpose()?,
            end: select.end.as_ref().map(|key| self.texts(key)).transpose()?,
            condition: select.condition.as_ref().map(|condition| self.condition(condition)).transpose()?,
            joins,
            exit: NOWHERE,
        })
    }
}
