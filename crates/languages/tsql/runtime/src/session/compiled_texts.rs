//! Texts that a session has compiled: batches, and statements with parameters as drivers send them.
//!
//! A driver sends the same few texts again and again, so they are cached with the plans of their statements. The
//! meaning of a text depends on the types of its parameters, on SET options (quotes, comparisons with NULL), and on the
//! types and functions of the database: the first two are part of the key, and the cache is cleared when the third
//! changes.
//!
//! Limits: 500 texts of up to 16 KiB with their parameters; a full cache is cleared.

use crate::objects::modules::Loaded;
use crate::session::Inner;
use crate::session::unexecuted::{check_alone, guarded, says_no_exec};
use mainstay_tsql_syntax::compile::{self, ModuleParameter, ParameterKind, Reading};
use mainstay_tsql_syntax::{Diagnostic, Options, parse, parse_given};
use mainstay_tsql_types::Message;
use std::collections::HashMap;
use std::sync::Arc;

/// The most texts that are kept.
const KEPT: usize = 500;
/// Texts that are longer are not likely to come again, in bytes.
const LONGEST: usize = 16 * 1024;

/// The texts of a session.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    by_text: HashMap<Arc<str>, Vec<Kept>>,
    count: usize,
    /// The state of the objects that these were compiled with.
    objects: u64,
}

/// A text, compiled for one way to read it: whether `"x"` is a name, and what the compiler asks.
#[derive(Debug)]
struct Kept {
    /// `@a INT, @b NVARCHAR(10) OUTPUT`, empty without parameters.
    declarations: Box<str>,
    reading: (bool, Reading),
    loaded: Arc<Loaded>,
}

impl Texts {
    fn find(&self, text: &str, declarations: &str, reading: (bool, Reading)) -> Option<&Arc<Loaded>> {
        let fits = |kept: &&Kept| kept.reading == reading && kept.declarations.as_ref() == declarations;
        self.by_text.get(text)?.iter().find(fits).map(|kept| &kept.loaded)
    }

    fn keep(&mut self, declarations: &str, reading: (bool, Reading), loaded: &Arc<Loaded>) {
        if loaded.text.len() + declarations.len() > LONGEST {
            return;
        }
        if self.count >= KEPT {
            self.forget();
        }
        self.count += 1;
        let kept = Kept { declarations: declarations.into(), reading, loaded: Arc::clone(loaded) };
        self.by_text.entry(Arc::clone(&loaded.text)).or_default().push(kept);
    }

    fn forget(&mut self) {
        self.by_text.clear();
        self.count = 0;
    }
}

impl Inner {
    /// A text, compiled; `declarations` are those of its parameters, as `sp_executesql` takes them.
    ///
    /// Errors: all that can be found from the text alone, with their lines.
    pub(crate) fn text(&mut self, text: &str, declarations: &str) -> Result<Arc<Loaded>, Vec<Message>> {
        self.refresh().map_err(|message| vec![message])?;
        let objects = self.modules.version();
        if std::mem::replace(&mut self.texts.objects, objects) != objects {
            self.texts.forget();
        }
        let reading = (self.state.options.quoted_identifier(), self.state.options.reading());
        // A text that is compiled under NOEXEC checks the option before each statement.
        let no_exec = self.state.options.is_unexecuted();
        if !no_exec && let Some(known) = self.texts.find(text, declarations, reading) {
            return Ok(Arc::clone(known));
        }
        let parameters = self.declared(declarations).map_err(|message| vec![message])?;
        let loaded = self.compile(text, &parameters)?;
        if no_exec {
            return Ok(loaded);
        }
        self.texts.keep(declarations, reading, &loaded);
        Ok(loaded)
    }

    /// Compiles a text with parameters of these types.
    pub(crate) fn compile(&mut self, text: &str, parameters: &[ModuleParameter]) -> Result<Arc<Loaded>, Vec<Message>> {
        // The variables of the text are declared by its parameters.
        let declared: Vec<String> = parameters.iter().map(|parameter| parameter.name.to_lowercase()).collect();
        let options = Options { quoted_identifier: self.state.options.quoted_identifier() };
        let tables = parameters.iter().filter(|parameter| matches!(parameter.kind, ParameterKind::Table(_)));
        let tables: Vec<&str> = tables.map(|parameter| parameter.name.as_str()).collect();
        let parsed = parse_given(text, options, &tables);
        let is_known = |name: &str| declared.iter().any(|known| name.to_lowercase().contains(&format!("\"{known}\"")));
        let errors: Vec<Message> = parsed
            .errors
            .iter()
            .filter(|error| !(matches!(error.number, 137 | 1087) && is_known(&error.message)))
            .map(Diagnostic::told)
            .collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        check_alone(text, &parsed.statements).map_err(|message| vec![*message])?;
        let asks = self.state.options.no_exec || says_no_exec(text);
        let statements = if asks { guarded(&parsed.statements) } else { parsed.statements };
        let module = compile::batch(text, &statements, parameters, &self.modules, self.state.options.reading())
            .map_err(|error| vec![*error])?;
        crate::objects::modules::loaded(module, Arc::from(text), None).map_err(|message| vec![*message])
    }

    /// The parameters that a text declares: `@a INT, @b NVARCHAR(10) OUTPUT`.
    fn declared(&self, text: &str) -> Result<Vec<ModuleParameter>, Message> {
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        let source = format!("CREATE PROCEDURE p {text} AS RETURN 0");
        let parsed = parse(&source, Options::default());
        if let Some(error) = parsed.errors.first() {
            return Err(Message { line: 0, state: 1, procedure: None, ..error.told() });
        }
        let Some(statement) = parsed.statements.first() else { return Ok(Vec::new()) };
        match &statement.kind {
            mainstay_tsql_syntax::tree::StatementKind::Procedure(procedure) => {
                compile::procedure(&source, procedure, &self.modules, Reading::default())
                    .map(|module| module.parameters)
                    .map_err(|m| *m)
            }
            _ => Ok(Vec::new()),
        }
    }
}
