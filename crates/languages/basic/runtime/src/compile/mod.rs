//! Compiler: a tree to operations.
//!
//! Two passes: the first one gives labels, lines and IOLISTs their numbers, so that the second can refer to what comes
//! later. Ends of loops are found while compiling where BREAK and a loop without turns need them; their beginnings are
//! found at run time. A directive that cannot be compiled becomes an operation that raises its error.

mod class;
mod expression;
mod flow;
mod io;
mod lists;
mod session;
mod statement;
mod structure;

pub(crate) use class::class_name;
pub(crate) use lists::prefix_variable;

use crate::code::*;
use crate::variables::Storage;
use mainstay_basic_syntax::tree::{self, Diagnostic, Kind, Logical, Name, Place};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// No such operation: the end of a loop that has none.
pub(crate) const NOWHERE: Pc = Pc::MAX;

/// An error of a directive: number and words.
pub(super) type Compiled<T> = Result<T, (u16, String)>;

/// Labels and lines of a program that EXECUTEs a statement.
#[derive(Clone, Copy)]
pub(crate) struct Outer<'a> {
    pub program: &'a Program,
}

/// Compiles a program.
pub fn compile(name: &str, tree: tree::Program) -> Program {
    compile_in(name, tree, None)
}

/// Compiles a changed program: names keep the symbols that they have in the old one, which loops and LOCALs refer to.
pub(crate) fn compile_again(name: &str, tree: tree::Program, old: &Program) -> Program {
    compile_with(name, tree, None, Some(&old.symbols))
}

/// Compiles a statement whose branches may go to another program's lines.
pub(crate) fn compile_in(name: &str, tree: tree::Program, outer: Option<Outer<'_>>) -> Program {
    compile_with(name, tree, outer, None)
}

fn compile_with(name: &str, tree: tree::Program, outer: Option<Outer<'_>>, known: Option<&Symbols>) -> Program {
    let source_bytes = tree.lines.iter().map(|line| line.bytes as usize).sum();
    let program = Program { name: name.to_owned(), source_bytes, ..Program::default() };
    // A text has the names of its program.
    let (composites, templates) = match &outer {
        Some(outer) => (outer.program.composites.clone(), outer.program.templates.clone()),
        None => Default::default(),
    };
    let mut compiler = Compiler {
        program,
        outer,
        symbols: HashMap::new(),
        numbers: Vec::new(),
        line: 0,
        place: Place::default(),
        open: Vec::new(),
        each: false,
        iolist_items: HashMap::new(),
        composites,
        templates,
        class: None,
        in_method: false,
        own_mnemonics: own_mnemonics(&tree),
    };
    if let Some(symbols) = known {
        compiler.know(symbols);
    }
    compiler.number(&tree);
    for (index, line) in tree.lines.iter().enumerate() {
        compiler.line = index as u32;
        compiler.program.lines.push(CodeLine { number: line.number, start: compiler.pc() });
        compiler.directives(&line.directives);
    }
    compiler.finish();
    let (composites, templates) = (compiler.composites, compiler.templates);
    Program { tree, composites, templates, ..compiler.program }
}

fn own_mnemonics(tree: &tree::Program) -> HashSet<String> {
    let directives = tree.lines.iter().flat_map(|line| &line.directives);
    let name = |directive: &tree::Directive| match &directive.kind {
        tree::Kind::Setting(setting) => match setting.as_ref() {
            tree::Setting::Mnemonic(_, name, ..) => match &name.kind {
                tree::ExprKind::Mnemonic(name, _) => Some(name.clone()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    };
    directives.filter_map(name).collect()
}

/// A construct whose end is not compiled yet.
pub(super) enum Open {
    /// FOR, with its operation.
    For(Pc),
    /// WHILE.
    While(Pc),
    /// REPEAT.
    Repeat(Pc),
    /// SELECT.
    Select(Pc),
    /// SWITCH.
    Switch(Pc),
    /// TRY: its operation, and the jumps to its end.
    Try(Pc, Vec<Pc>),
    /// IF over several statements: the jump to patch.
    Block(Pc),
    /// DEF CLASS: its operation.
    Class(Pc),
    /// DEF FN of several lines: the jump over it.
    Function(Pc),
}

pub(super) struct Compiler<'a> {
    pub(super) program: Program,
    outer: Option<Outer<'a>>,
    symbols: HashMap<(Storage, Name), Symbol>,
    /// Numbers of lines, for targets.
    numbers: Vec<u32>,
    pub(super) line: u32,
    pub(super) place: Place,
    pub(super) open: Vec<Open>,
    /// Ranges stand for one element: the value of an assignment to a range is compiled.
    pub(super) each: bool,
    /// The items of IOLIST lines, by the index of the line.
    pub(super) iolist_items: HashMap<u32, Vec<tree::Item>>,
    /// Strings that a DIM of the program makes composite ones.
    pub(super) composites: Vec<Name>,
    /// Strings of `DIM A$:text`: the names that begin with theirs and a dot may be elements of them.
    pub(super) templates: Vec<Name>,
    /// The class whose END DEF is to come.
    pub(super) class: Option<ClassCode>,
    /// The logic of a method of that class is compiled.
    pub(super) in_method: bool,
    /// Names that MNEMONIC gives meanings in this program.
    pub(super) own_mnemonics: HashSet<String>,
}

impl Compiler<'_> {
    /// Begins with the symbols of another program.
    fn know(&mut self, symbols: &Symbols) {
        let storages = [Storage::Number, Storage::Text, Storage::Numbers, Storage::Texts];
        let lists = [&symbols.numbers, &symbols.texts, &symbols.number_arrays, &symbols.text_arrays];
        for (storage, names) in storages.into_iter().zip(lists) {
            for name in names {
                self.symbol(name, storage);
            }
        }
    }

    fn number(&mut self, tree: &tree::Program) {
        for (index, line) in tree.lines.iter().enumerate() {
            self.numbers.push(line.number);
            if let Some(label) = &line.label {
                self.program.labels.entry(label.clone()).or_insert(index as u32);
            }
            self.find_composites(&line.directives);
            for directive in &line.directives {
                if let Kind::Iolist(items) = &directive.kind {
                    self.iolist_items.insert(index as u32, items.clone());
                }
            }
            if line.directives.iter().any(|directive| matches!(directive.kind, Kind::Iolist(_))) {
                let id = self.add_list(List::default());
                self.program.iolists.insert(index as u32, id);
            }
        }
    }

    fn find_composites(&mut self, directives: &[tree::Directive]) {
        for directive in directives {
            match &directive.kind {
                Kind::If { then, otherwise, .. } => {
                    self.find_composites(then);
                    self.find_composites(otherwise);
                }
                Kind::Dim(items) => {
                    items.iter().for_each(|item| self.find_composite(item));
                }
                _ => {}
            }
        }
    }

    fn find_composite(&mut self, item: &tree::Dimension) {
        match item {
            tree::Dimension::Composite(name, _) => self.composites.push(name.clone()),
            tree::Dimension::Structure(name, text, false) => {
                // The text of an expression is known when DIM runs.
                let is_list = structure::is_list(text);
                if is_list != Some(true) {
                    self.templates.push(name.clone());
                }
                if is_list != Some(false) {
                    self.composites.push(name.clone());
                }
            }
            _ => {}
        }
    }

    fn finish(&mut self) {
        // A loop without end is an error only when its end is needed.
        self.program.lines.push(CodeLine { number: u32::MAX, start: self.pc() });
        // EXECUTEd text returns to its program.
        if self.outer.is_none() {
            self.push(Op::End);
        }
    }

    pub(super) fn pc(&self) -> Pc {
        self.program.ops.len() as Pc
    }

    pub(super) fn push(&mut self, op: Op) -> Pc {
        let pc = self.pc();
        self.program.ops.push(op);
        self.program.op_lines.push(self.line);
        pc
    }

    pub(super) fn patch(&mut self, pc: Pc, change: impl FnOnce(&mut Op)) {
        if let Some(op) = self.program.ops.get_mut(pc as usize) {
            change(op);
        }
    }

    pub(super) fn add_list(&mut self, list: List) -> ListId {
        self.program.lists.push(Rc::new(list));
        self.program.lists.len() as ListId - 1
    }

    fn directives(&mut self, directives: &[tree::Directive]) {
        for directive in directives {
            self.place = directive.place;
            if let Err((code, message)) = self.directive(&directive.kind) {
                self.report(code, &message);
                self.push(Op::Raise(code, message.into()));
            }
        }
    }

    pub(super) fn report(&mut self, code: u16, message: &str) {
        let number = self.numbers.get(self.line as usize).copied().unwrap_or(0);
        let (place, message) = (self.place, message.to_owned());
        self.program.diagnostics.push(Diagnostic { code, place, number, message, hint: String::new() });
    }

    /// The symbol of a name.
    pub(super) fn symbol(&mut self, name: &Name, storage: Storage) -> Symbol {
        let key = (storage, name.clone());
        if let Some(symbol) = self.symbols.get(&key) {
            return *symbol;
        }
        let symbols = &mut self.program.symbols;
        let list = match storage {
            Storage::Number => &mut symbols.numbers,
            Storage::Text => &mut symbols.texts,
            Storage::Numbers => &mut symbols.number_arrays,
            Storage::Texts => &mut symbols.text_arrays,
        };
        list.push(name.clone());
        let symbol = list.len() as Symbol - 1;
        self.symbols.insert(key, symbol);
        symbol
    }

    /// The line of a number or a label, by index.
    pub(super) fn line_of(&self, target: &tree::Target) -> Option<u32> {
        match target {
            tree::Target::Line(number) => {
                let index = self.numbers.partition_point(|line| line < number);
                (index < self.numbers.len()).then_some(index as u32)
            }
            tree::Target::Label(label) => self.program.labels.get(label).copied(),
            tree::Target::Logical(_) => None,
        }
    }

    pub(super) fn destination(&mut self, target: &tree::Target) -> Destination {
        if let tree::Target::Logical(logical) = target {
            return match logical {
                Logical::Next => Destination::Line(self.line + 1),
                Logical::Same => Destination::Line(self.line),
                Logical::Proceed => Destination::Pc(self.pc() + 1),
                Logical::Break => Destination::Break,
                Logical::Continue => Destination::Continue,
                Logical::Return => Destination::Return,
                Logical::Retry => Destination::Retry,
                Logical::End => Destination::End,
                Logical::Escape => Destination::Escape,
            };
        }
        if let Some(outer) = self.outer {
            return match outer.program.line_of(target) {
                Some(line) => Destination::OuterLine(line),
                None if matches!(target, tree::Target::Label(_)) => Destination::Missing(55),
                None => Destination::Missing(21),
            };
        }
        match (self.line_of(target), target) {
            (Some(line), _) => Destination::Line(line),
            (None, tree::Target::Label(label)) => {
                let message = format!("label {label} does not exist");
                self.report(55, &message);
                Destination::Missing(55)
            }
            (None, _) => {
                self.report(21, "no line with this number or a higher one");
                Destination::Missing(21)
            }
        }
    }

    /// The list that a reference means.
    pub(super) fn list_source(&mut self, list: &tree::ListRef) -> Compiled<ListSource> {
        Ok(match list {
            tree::ListRef::Embedded => ListSource::Embedded,
            tree::ListRef::Text(text) => ListSource::Text(self.text(text)?),
            tree::ListRef::Target(target) => {
                match self.line_of(target).and_then(|line| self.program.iolists.get(&line)) {
                    Some(id) => ListSource::Id(*id),
                    None => {
                        self.report(81, "no IOLIST there");
                        ListSource::Missing(if matches!(target, tree::Target::Label(_)) { 55 } else { 81 })
                    }
                }
            }
        })
    }
}

impl Program {
    /// The line of a number or a label, by index.
    pub(crate) fn line_of(&self, target: &tree::Target) -> Option<u32> {
        match target {
            tree::Target::Line(number) => {
                // The last line is the end of the program.
                let index = self.lines.partition_point(|line| line.number < *number);
                (index + 1 < self.lines.len()).then_some(index as u32)
            }
            tree::Target::Label(label) => self.labels.get(label).copied(),
            tree::Target::Logical(_) => None,
        }
    }
}
