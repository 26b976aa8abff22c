//! BULK INSERT: rows of a text file, inserted into a table.
//!
//! ```text
//!   BULK INSERT dbo.Address FROM 'Address.csv' WITH (FIELDTERMINATOR = '\t', ROWTERMINATOR = '\n', DATAFILETYPE = 'widechar')
//!
//!   file --decoded, cut (`bulk_text`)--> fields --converted to their columns--> rows, put in as bulk loads are
//! ```
//!
//! A file has a field for every column of the table, in their order; those of computed columns and row versions, and of
//! the identity without KEEPIDENTITY, are skipped. An empty field is the column's default, or NULL. A field that cannot
//! be converted costs its row, a message (4863, 4864) and one of MAXERRORS.
//!
//! Only files below the opened folder are read: otherwise any user who may log in could read every file of the machine
//! (4861). CHECK and references are always enforced, and with FIRE_TRIGGERS triggers run once for all rows, whatever
//! BATCHSIZE is. FIRE_TRIGGERS is refused for a table with an INSTEAD OF INSERT trigger, as are format files, native
//! files and error files. A file is read as a whole.

use crate::changes::bulk_text::{Field, Layout, Rows, decoded, terminators};
use crate::columns::Messages;
use crate::session::instance::Instance;
use crate::statements::errors::{raised, raised_error};
use crate::statements::runner::{Ran, Runner};
use mainstay_engine::Prepared;
use mainstay_session::push::Command;
use mainstay_tsql_syntax::reduce::{self, Scope, TableColumn};
use mainstay_tsql_syntax::tree::{Literal, ObjectName, Phrase, PhraseItem};
use mainstay_tsql_types::{CodePage, DataType, Length, Message};
use mainstay_types::{Value, ValueRef};
use mainstay_vfs::client_path;
use mainstay_vm::{Flow, Raised, StatementCall};
use std::collections::HashMap;

/// The result of a load.
struct Loaded {
    count: u64,
    /// The numbers that it gave the identity.
    numbers: Vec<i64>,
    /// The rows as they are then, if triggers are to see them.
    rows: Vec<Vec<Value>>,
}

/// The options in WITH.
struct Wishes {
    layout: Layout,
    first_row: usize,
    last_row: usize,
    max_errors: usize,
    batch_size: usize,
    is_wide: bool,
    page: CodePage,
    keeps_nulls: bool,
    keeps_identity: bool,
    fires_triggers: bool,
    holds_table: bool,
}

/// The most statements that are cached for rows with different empty fields.
const KEPT: usize = 200;
/// A field of that many characters for a column that has a limit means that no terminator was found.
const LONGEST: usize = 16_000;

fn fail<T>(number: i32, text: impl Into<String>) -> Result<T, Box<Raised>> {
    Err(raised(Message::error(number, text)))
}

/// The text or number behind the equals sign of an option.
fn value_of(phrase: &Phrase) -> Option<String> {
    match &phrase.items[..] {
        [PhraseItem::Word(_), PhraseItem::Symbol(equals), value] if equals == "=" => match value {
            PhraseItem::Literal(Literal::String(text) | Literal::NationalString(text) | Literal::Integer(text)) => {
                Some(text.clone())
            }
            PhraseItem::Word(word) => Some(word.text.clone()),
            _ => None,
        },
        _ => None,
    }
}

impl Wishes {
    /// Reads WITH.
    ///
    /// Errors: 40515 for what is not done, 102 for what is no option.
    fn of(options: &[Phrase]) -> Result<Wishes, Box<Raised>> {
        let is_csv = options.iter().any(|option| {
            option.starts("FORMAT") && value_of(option).is_some_and(|format| format.eq_ignore_ascii_case("CSV"))
        });
        let field = if is_csv { "," } else { "\\t" };
        let layout = Layout { field: terminators(field), row: terminators("\\n"), quote: is_csv.then_some('"') };
        let mut wishes = Wishes {
            layout,
            first_row: 1,
            last_row: 0,
            max_errors: 10,
            batch_size: 0,
            is_wide: false,
            page: CodePage::DEFAULT,
            keeps_nulls: false,
            keeps_identity: false,
            fires_triggers: false,
            holds_table: false,
        };
        options.iter().try_for_each(|option| wishes.take(option))?;
        Ok(wishes)
    }

    fn take(&mut self, option: &Phrase) -> Result<(), Box<Raised>> {
        let Some(PhraseItem::Word(word)) = option.items.first() else { return Ok(()) };
        let word = word.text.to_ascii_uppercase();
        let value = value_of(option).unwrap_or_default();
        let number = || value.parse::<usize>().unwrap_or(0);
        let refused = |what: &str| Err(raised(reduce::not_supported(&format!("BULK INSERT with {what}"))));
        match word.as_str() {
            "FIELDTERMINATOR" => self.layout.field = terminators(&value),
            "ROWTERMINATOR" => self.layout.row = terminators(&value),
            "FIELDQUOTE" => self.layout.quote = value.chars().next(),
            "FIRSTROW" => self.first_row = number().max(1),
            "LASTROW" => self.last_row = number(),
            "MAXERRORS" => self.max_errors = number(),
            "BATCHSIZE" => self.batch_size = number(),
            "KEEPNULLS" => self.keeps_nulls = true,
            "KEEPIDENTITY" => self.keeps_identity = true,
            "FIRE_TRIGGERS" => self.fires_triggers = true,
            "TABLOCK" => self.holds_table = true,
            "DATAFILETYPE" => match value.to_ascii_lowercase().as_str() {
                "char" => {}
                "widechar" => self.is_wide = true,
                _ => return refused(&format!("DATAFILETYPE = '{value}'")),
            },
            "CODEPAGE" => match value.to_ascii_uppercase().as_str() {
                "1200" => self.is_wide = true,
                "ACP" | "OEM" | "RAW" => {}
                number => match number.parse().ok().and_then(CodePage::from_number) {
                    Some(page) => self.page = page,
                    None => return refused(&format!("CODEPAGE = '{value}'")),
                },
            },
            "FORMAT" if self.layout.quote.is_some() => {}
            "CHECK_CONSTRAINTS" | "ROWS_PER_BATCH" | "KILOBYTES_PER_BATCH" | "ORDER" => {}
            "FORMAT"
            | "FORMATFILE"
            | "ERRORFILE"
            | "DATA_SOURCE"
            | "FORMATFILE_DATA_SOURCE"
            | "ERRORFILE_DATA_SOURCE" => return refused(&word),
            _ => return Err(raised(Message::numbered(102, &[&word]))),
        }
        Ok(())
    }
}

/// 4832 and 7330: the file ended, or its rows do not come.
fn no_row(number: i32, text: &str) -> Box<Raised> {
    raised(Message::error(number, text))
}

impl Instance {
    /// The content of a file that a statement names.
    ///
    /// Errors: 4860 for one that is not there, 4861 for one that is not below the opened folder.
    pub(crate) fn bulk_bytes(&self, named: &str) -> Result<Vec<u8>, Message> {
        let folder = self.database.path();
        let Some(path) = client_path(folder, named) else {
            let text = format!(
                "Cannot bulk load because the file \"{named}\" could not be opened. Operating system error code 5(Access \
                 is denied: only files below the folder of the database are read, and none of the server's own.)."
            );
            return Err(Message::error(4861, text));
        };
        self.database.read_file(&path).map_err(|_| {
            let text =
                format!("Cannot bulk load. The file \"{named}\" does not exist or you don't have file access rights.");
            Message::error(4860, text)
        })
    }
}

impl Instance {
    /// The value of `OPENROWSET(BULK ...)` for a file; NULL if the file has gone since the statement was planned.
    pub(crate) fn bulk_value(&self, function: &str, file: &str) -> Value {
        match (self.bulk_bytes(file), function) {
            (Err(_), _) => Value::Null,
            (Ok(bytes), "bulk_blob") => Value::Binary(bytes),
            (Ok(bytes), function) => Value::Text(decoded(&bytes, function == "bulk_nclob", CodePage::DEFAULT)),
        }
    }
}

/// A column, and what is done with its field.
struct Place {
    column: TableColumn,
    is_taken: bool,
}

impl Runner<'_> {
    /// Carries out a BULK INSERT.
    ///
    /// Errors: those of the file, 4832, 4865, 4866, and those of putting rows in.
    pub(crate) fn bulk_insert_file(
        &mut self,
        (table, file, options): (&ObjectName, &str, &[Phrase]),
        call: &mut StatementCall<'_>,
    ) -> Ran {
        let mut wishes = Wishes::of(options)?;
        self.inner.check_writable()?;
        let (core, columns) = {
            let names = self.inner.names(&[]);
            let core = names.table(table).map_err(raised)?;
            (core, names.columns(table))
        };
        let Some(columns) = columns else {
            let name = table.parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(".");
            return fail(
                4701,
                format!("Cannot find the object \"{name}\" because it does not exist or you do not have permissions."),
            );
        };
        if wishes.fires_triggers && !self.inner.modules.triggers(table, "INSERT", true).is_empty() {
            let what = "BULK INSERT with FIRE_TRIGGERS into a table with an INSTEAD OF trigger";
            return Err(raised(reduce::not_supported(what)));
        }
        wishes.fires_triggers &= !self.inner.firing(table, "INSERT").is_empty();
        let bytes = self.inner.instance.bulk_bytes(file).map_err(raised)?;
        let text = decoded(&bytes, wishes.is_wide, wishes.page);
        let place = |column: TableColumn| Place {
            is_taken: !column.is_computed && (wishes.keeps_identity || !column.is_identity),
            column,
        };
        let places: Vec<Place> = columns.into_iter().map(place).collect();
        let loaded = match wishes.fires_triggers {
            true => self.unit(call, |it, call| {
                let mut loaded = it.load(&core, &places, &text, &wishes, false)?;
                it.fire_loaded(table, std::mem::take(&mut loaded.rows), call.machine()).map(|()| loaded)
            })?,
            false => self.load_as_one(&core, &places, &text, &wishes)?,
        };
        self.inner.given_identity(table, loaded.numbers.into_iter());
        self.inner.instance.watch.changed(&core, true);
        self.inner.state.row_count = loaded.count as i64;
        self.done(Command::BulkInsert, Some(loaded.count));
        Ok(Flow::NEXT)
    }

    /// Puts the rows in, all of them or none, or batch by batch.
    fn load_as_one(
        &mut self,
        core: &str,
        places: &[Place],
        text: &str,
        wishes: &Wishes,
    ) -> Result<Loaded, Box<Raised>> {
        let own = self.inner.state.transactions == 0;
        match own {
            true => self.inner.core.begin().map_err(raised_error)?,
            false => drop(self.inner.execute("SAVEPOINT \"#bulk\"")?),
        }
        let outcome = self.load(core, places, text, wishes, own);
        // The error of a load is the one that matters: the victim of a deadlock has no transaction to go back in.
        match (own, &outcome) {
            (true, Ok(_)) => self.inner.core.commit().map_err(raised_error)?,
            (true, Err(_)) => drop(self.inner.execute("ROLLBACK")),
            (false, Ok(_)) => drop(self.inner.execute("RELEASE SAVEPOINT \"#bulk\"")?),
            (false, Err(_)) => drop(self.inner.execute("ROLLBACK TO SAVEPOINT \"#bulk\"")),
        }
        outcome
    }

    /// Puts the rows in.
    fn load(
        &mut self,
        core: &str,
        places: &[Place],
        text: &str,
        wishes: &Wishes,
        own: bool,
    ) -> Result<Loaded, Box<Raised>> {
        if wishes.holds_table {
            self.inner.core.hold_table(core).map_err(raised_error)?;
        }
        let mut put = Vec::new();
        let mut rows = Rows::new(text, &wishes.layout);
        rows.skip(wishes.first_row - 1);
        let mut statements: HashMap<Vec<usize>, Prepared> = HashMap::new();
        let (mut count, mut errors, mut number, mut numbers) = (0, 0, wishes.first_row, Vec::new());
        while let Some(row) = rows.next_row(places.len()) {
            if wishes.last_row > 0 && number > wishes.last_row {
                break;
            }
            let Ok(fields) = row else {
                return Err(no_row(4832, "Bulk load: An unexpected end of file was encountered in the data file."));
            };
            match self.converted_row(places, &fields, wishes, number)? {
                Ok(values) => {
                    let given: Vec<usize> = values.iter().map(|(place, _)| *place).collect();
                    if wishes.keeps_identity {
                        let is_identity = |place: &usize| places.get(*place).is_some_and(|it| it.column.is_identity);
                        let identity = values.iter().find(|(place, _)| is_identity(place));
                        numbers.extend(identity.and_then(|(_, value)| crate::changes::identity::number_of(value)));
                    }
                    let inner = &mut *self.inner;
                    if statements.len() > KEPT {
                        statements.clear();
                    }
                    let statement = match statements.entry(given) {
                        std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
                        std::collections::hash_map::Entry::Vacant(new) => {
                            let text = insert_text(core, places, new.key(), wishes.fires_triggers);
                            new.insert(inner.core.prepare(&text).map_err(raised_error)?)
                        }
                    };
                    let row: Vec<ValueRef<'_>> = values.iter().map(|(_, value)| value.as_ref()).collect();
                    match wishes.fires_triggers {
                        true => put.push(inserted(statement, &mut inner.core, &row).map_err(raised_error)?),
                        false => drop(statement.execute(&mut inner.core, &row).map_err(raised_error)?),
                    }
                    count += 1;
                    if own && wishes.batch_size > 0 && count % wishes.batch_size as u64 == 0 {
                        inner.core.commit().map_err(raised_error)?;
                        inner.core.begin().map_err(raised_error)?;
                        if wishes.holds_table {
                            inner.core.hold_table(core).map_err(raised_error)?;
                        }
                    }
                }
                Err(message) => {
                    errors += 1;
                    self.sink.tell(&message);
                    if errors > wishes.max_errors {
                        let text = format!(
                            "Cannot bulk load because the maximum number of errors ({}) was exceeded.",
                            wishes.max_errors
                        );
                        self.sink.tell(&Message::error(4865, text));
                        let text = "Cannot fetch a row from OLE DB provider \"BULK\" for linked server \"(null)\".";
                        return Err(no_row(7330, text));
                    }
                }
            }
            number += 1;
        }
        Ok(Loaded { count, numbers, rows: put })
    }

    /// The values of a row with the places of their columns, or what is wrong with a field of it.
    #[allow(clippy::type_complexity, reason = "used once")]
    fn converted_row(
        &self,
        places: &[Place],
        fields: &[Field],
        wishes: &Wishes,
        row: usize,
    ) -> Result<Result<Vec<(usize, Value)>, Message>, Box<Raised>> {
        let mut values = Vec::with_capacity(places.len());
        for (number, (place, field)) in places.iter().zip(fields).enumerate() {
            if !place.is_taken {
                continue;
            }
            let column = &place.column;
            if field.text.is_empty() && !field.is_quoted {
                // A column that is left out has its default.
                if wishes.keeps_nulls {
                    values.push((number, Value::Null));
                }
                continue;
            }
            if field.text.len() > LONGEST && !is_long(column.data_type) {
                let text = format!(
                    "The bulk load failed. The column is too long in the data file for row {row}, column {}. Verify that \
                     the field terminator and row terminator are specified correctly.",
                    number + 1
                );
                return fail(4866, text);
            }
            match self.converted_field(&field.text, column.data_type) {
                Ok(value) => values.push((number, value)),
                Err((code, reason)) => {
                    let text = format!(
                        "Bulk load data conversion error ({reason}) for row {row}, column {} ({}).",
                        number + 1,
                        column.name
                    );
                    return Ok(Err(Message::error(code, text)));
                }
            }
        }
        Ok(Ok(values))
    }

    fn converted_field(&self, text: &str, to: DataType) -> Result<Value, (i32, &'static str)> {
        let mismatch = (4864, "type mismatch or invalid character for the specified codepage");
        let truncated = (4863, "truncation");
        // A single zero byte stands for an empty text in a file.
        let text = if text == "\0" { "" } else { text };
        if to.is_text() {
            let units = to.encoding().size(text);
            if room(to).is_some_and(|most| units > most) {
                return Err(truncated);
            }
        }
        if let DataType::Binary(_) | DataType::VarBinary(_) | DataType::Image = to {
            let digits = text.strip_prefix("0x").unwrap_or(text);
            let (_, bytes) = mainstay_tsql_types::literal::binary(digits).ok_or(mismatch)?;
            return Ok(bytes);
        }
        let text = if to.is_text() { text } else { text.trim() };
        let from = DataType::NVarChar(Length::Max);
        let value = ValueRef::Text(text);
        mainstay_tsql_types::convert::convert(&self.context(), value, from, to, None).map_err(|_| mismatch)
    }
}

/// The length of a column in characters; `None` for no limit.
fn room(data_type: DataType) -> Option<usize> {
    match data_type {
        DataType::Char(length, _) | DataType::NChar(length) => Some(usize::from(length)),
        DataType::VarChar(Length::Limited(length), _) | DataType::NVarChar(Length::Limited(length)) => {
            Some(usize::from(length))
        }
        _ => None,
    }
}

fn is_long(data_type: DataType) -> bool {
    use DataType::{Image, NText, NVarChar, Text, VarBinary, VarChar, Xml};
    matches!(
        data_type,
        Text(_) | NText | Image | Xml | VarChar(Length::Max, _) | NVarChar(Length::Max) | VarBinary(Length::Max)
    )
}

/// The statement that puts a row in, and gives all of its columns back if it is shown.
fn insert_text(core: &str, places: &[Place], given: &[usize], is_shown: bool) -> String {
    let all: Vec<String> = places.iter().map(|place| reduce::quoted(&place.column.name)).collect();
    let shown = if is_shown { format!(" RETURNING {}", all.join(", ")) } else { String::new() };
    if given.is_empty() {
        return format!("INSERT INTO {core} DEFAULT VALUES{shown}");
    }
    let names = given.iter().filter_map(|place| places.get(*place)).map(|place| reduce::quoted(&place.column.name));
    let names: Vec<String> = names.collect();
    format!("INSERT INTO {core} ({}) VALUES ({}){shown}", names.join(", "), vec!["?"; names.len()].join(", "))
}

/// Puts a row in: as it is then.
pub(crate) fn inserted(
    statement: &mut Prepared,
    core: &mut mainstay_engine::Session,
    row: &[ValueRef<'_>],
) -> mainstay_types::Result<Vec<Value>> {
    let mut rows = statement.query(core, row)?;
    let mut values = Vec::new();
    while let Some(row) = rows.next()? {
        values = (0..row.len()).map(|column| row.get(column).to_value()).collect();
    }
    Ok(values)
}
