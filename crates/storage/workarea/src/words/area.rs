//! Word indexes of an area: creation, search and removal.

use super::file::{self, Definition, Indexes, MOST};
use super::index::{Asked, Basis, Builder, Candidates, Contents, State, candidates};
use super::{Source, Texts, WordSearch};
use crate::aof::Optimized;
use crate::area::Area;
use crate::bits::Bits;
use crate::options::Mode;
use crate::test::Test;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::Stamp;
use mainstay_xbase::expr::{Condition, Scratch};
use mainstay_xbase::table::sibling;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The file of the indexes of words, as it was read: kept until the file is another one.
#[derive(Debug, Default)]
pub(crate) struct WordFile {
    stamp: Option<Stamp>,
    indexes: Indexes,
    /// Conditions that were made ready before, each with the setting of SET EXACT.
    tests: Vec<(String, bool, Arc<Test>)>,
}

/// The longest wait for the clock of the files.
const LONGEST_WAIT: Duration = Duration::from_millis(2_200);

/// The number of conditions in the cache.
const KEPT: usize = 8;

/// A search of a condition, by its canonical text, and what indexes say of it.
pub(crate) type Searched = Vec<(String, Optimized, Bits)>;

impl Area {
    /// The indexes of words that the table has, in the order in which they were made.
    ///
    /// Errors: those of the file.
    pub fn word_indexes(&mut self) -> Result<Vec<Definition>> {
        self.look_at_words()?;
        Ok(self.words.indexes.iter().map(|(definition, _)| definition.clone()).collect())
    }

    /// Makes an index of the words of a field.
    ///
    /// Errors: `Duplicate` for a tag that the table has; `UnknownColumn`, `Unsupported` for a field that there is not, or
    /// that holds no text; `TransactionState` within a transaction; `ReadOnly`; those of writing.
    pub fn create_word_index(&mut self, new: &Definition) -> Result<()> {
        self.can_write_words()?;
        self.look_at_words()?;
        let is_taken = self.order_named(&new.tag).is_some();
        if is_taken || self.words.indexes.iter().any(|(known, _)| known.tag.eq_ignore_ascii_case(&new.tag)) {
            return Err(Error::new(Code::Duplicate, format!("the table has an index named {}", new.tag)));
        }
        if self.words.indexes.len() >= MOST {
            return Err(Error::new(Code::Unsupported, format!("a table has {MOST} indexes of words at most")));
        }
        self.wait_for_clock()?;
        let contents = self.build_words(new)?;
        let mut indexes = self.words.indexes.clone();
        indexes.push((new.clone(), Some(contents)));
        self.write_words(indexes)
    }

    /// Removes a word index; false for an unknown name.
    ///
    /// Errors: those of [`Area::create_word_index`].
    pub fn delete_word_index(&mut self, tag: &str) -> Result<bool> {
        self.look_at_words()?;
        let mut indexes = self.words.indexes.clone();
        indexes.retain(|(known, _)| !known.tag.eq_ignore_ascii_case(tag));
        if indexes.len() == self.words.indexes.len() {
            return Ok(false);
        }
        self.can_write_words()?;
        self.write_words(indexes)?;
        Ok(true)
    }

    /// Makes all indexes of words anew, those that stay as they were made among them.
    ///
    /// Errors: those of [`Area::create_word_index`].
    pub fn rebuild_word_indexes(&mut self) -> Result<()> {
        self.look_at_words()?;
        if self.words.indexes.is_empty() {
            return Ok(());
        }
        self.can_write_words()?;
        self.wait_for_clock()?;
        let mut indexes = self.words.indexes.clone();
        for (definition, contents) in &mut indexes {
            *contents = Some(self.build_words(definition)?);
        }
        self.write_words(indexes)
    }

    /// Returns true if the index of this name is up to date with the table.
    ///
    /// Errors: those of the files.
    pub fn is_word_index_current(&mut self, tag: &str) -> Result<bool> {
        self.look_at_words()?;
        let now = self.basis()?;
        let index = self.words.indexes.iter().find(|(known, _)| known.tag.eq_ignore_ascii_case(tag));
        Ok(index.and_then(|(_, contents)| contents.as_ref()).is_some_and(|contents| contents.is_of(&now)))
    }

    fn can_write_words(&self) -> Result<()> {
        if self.options().mode == Mode::ReadOnly {
            return Err(Error::new(Code::ReadOnly, "the table was opened for reading only").at(self.path().display()));
        }
        if self.is_in_transaction() {
            return Err(Error::new(Code::TransactionState, "an index of words is not made in a transaction"));
        }
        Ok(())
    }

    /// Reads the file of the indexes, if it is another one. A damaged one counts as none, so that it can be made anew.
    fn look_at_words(&mut self) -> Result<()> {
        let path = file::path_of(self.path());
        let stamp = self.fs.stamp(&path).ok();
        let is_same = stamp.is_some_and(|stamp| {
            self.words.stamp.is_some_and(|known| known == stamp && stamp.is_settled(SystemTime::now()))
        });
        if is_same || (stamp.is_none() && self.words.stamp.is_none()) {
            return Ok(());
        }
        let read = stamp.map(|_| self.fs.read(&path)).transpose()?;
        let indexes = read.map(|bytes| file::decode(&bytes).unwrap_or_default()).unwrap_or_default();
        self.words = WordFile { stamp, indexes, tests: Vec::new() };
        Ok(())
    }

    fn write_words(&mut self, indexes: Indexes) -> Result<()> {
        let path = file::path_of(self.path());
        if indexes.is_empty() {
            self.fs.remove(&path)?;
        } else {
            self.fs.replace(&path, &file::encode(&indexes))?;
        }
        self.words = WordFile { stamp: self.fs.stamp(&path).ok(), indexes, tests: Vec::new() };
        Ok(())
    }

    /// The states of the files that texts are in.
    fn basis(&self) -> Result<Basis> {
        let now = SystemTime::now();
        let table = self.fs.stamp(self.path())?;
        let memo =
            sibling(&*self.fs, self.path(), self.dbf.memo_extensions()).and_then(|path| self.fs.stamp(&path).ok());
        Ok(Basis {
            table: State::of(&table),
            memo: memo.as_ref().map(State::of).unwrap_or_default(),
            is_settled: table.is_settled(now) && memo.is_none_or(|memo| memo.is_settled(now)),
        })
    }

    /// Waits until a later write is certain to be seen. An index that was made of files whose times are too young to tell
    /// would have to be made anew at the next search.
    fn wait_for_clock(&mut self) -> Result<()> {
        self.write()?;
        if !self.basis()?.is_settled {
            std::thread::sleep(self.fs.stamp(self.path())?.tick.min(LONGEST_WAIT) + Duration::from_millis(1));
        }
        Ok(())
    }

    fn build_words(&mut self, definition: &Definition) -> Result<Contents> {
        self.write()?;
        if self.has_unwritten || self.has_unwritten_keys {
            self.settle_all()?;
        }
        let texts = self.texts_with(Vec::new())?;
        let field = texts.field(&definition.field)?;
        let source = Source::of_field(field, &texts)?;
        // The records read are at least as new as this basis.
        let basis = self.basis()?;
        self.blocks.look(&self.dbf)?;
        let (splitter, mut builder, mut scratch) = (definition.splitter(), Builder::default(), Scratch::new());
        let records = self.blocks.count();
        for recno in 1..=records {
            let record = self.blocks.record(recno)?;
            if let Some(text) = source.text(&mut scratch, recno, record, texts.code_page)? {
                builder.add(recno, &text, &splitter);
            }
        }
        Ok(builder.finish(basis, records))
    }

    /// The data for preparing searches. A remote table has no memos here.
    fn texts_with(&self, indexes: Vec<Definition>) -> Result<Texts> {
        Ok(Texts::of(&self.dbf, self.shared_memo()?, indexes))
    }

    fn texts(&mut self) -> Result<Texts> {
        let indexes = self.word_indexes()?;
        self.texts_with(indexes)
    }

    /// A condition, ready to be asked.
    pub(crate) fn test(&mut self, text: &str) -> Result<Test> {
        let expression = self.parse(text)?;
        if !expression.searches() {
            return Test::new(&expression, &self.context_of(text)?);
        }
        let texts = self.texts()?;
        Test::with_searches(&expression, &self.context_of(text)?, &texts)
    }

    /// The same, kept for the next time.
    pub(crate) fn kept_test(&mut self, text: &str) -> Result<Arc<Test>> {
        self.look_at_words()?;
        let kept = self.words.tests.iter().find(|(known, exact, _)| known == text && *exact == self.exact);
        if let Some((.., test)) = kept {
            return Ok(Arc::clone(test));
        }
        let test = Arc::new(self.test(text)?);
        if self.words.tests.len() >= KEPT {
            self.words.tests.remove(0);
        }
        self.words.tests.push((text.to_owned(), self.exact, Arc::clone(&test)));
        Ok(test)
    }

    /// The word indexes' results for a condition's searches; searches without an index are left out.
    ///
    /// Errors: those of reading the table where an index has to be made anew.
    pub(crate) fn search_words(&mut self, condition: &Condition) -> Result<Searched> {
        let mut found = Vec::new();
        // Words of a transaction that may be rolled back are in no index.
        if !self.is_in_transaction() {
            self.search_each(condition, &mut found)?;
        }
        Ok(found)
    }

    fn search_each(&mut self, condition: &Condition, found: &mut Searched) -> Result<()> {
        match condition {
            Condition::And(parts) | Condition::Or(parts) => {
                parts.iter().try_for_each(|part| self.search_each(part, found))
            }
            Condition::Flag { subject, .. } => {
                let Some(search) = subject.search() else { return Ok(()) };
                let texts = self.texts()?;
                let search = search?;
                let Some(fields) = texts.fields_of(&search) else { return Ok(()) };
                let ready = texts.ready(&search)?;
                if let Some(Candidates { bits, is_exact }) = self.propose(&ready, &fields)? {
                    let level = if is_exact { Optimized::Full } else { Optimized::Part };
                    found.push((subject.canonical(), level, bits));
                }
                Ok(())
            }
            Condition::Compare { .. } | Condition::Other(_) => Ok(()),
        }
    }

    /// The records that a search can hold for.
    fn propose(&mut self, search: &WordSearch, fields: &[String]) -> Result<Option<Candidates>> {
        let mut places = Vec::with_capacity(fields.len());
        for field in fields {
            match self.current_index_of(field)? {
                Some(place) => places.push(place),
                None => return Ok(None),
            }
        }
        let mut asked = Vec::with_capacity(places.len());
        for (place, splitter) in places.iter().zip(search.prepared().splitters()) {
            let contents = self.words.indexes.get(*place).and_then(|(_, contents)| contents.as_ref());
            let Some(contents) = contents else { return Ok(None) };
            asked.push(Asked { contents, splitter });
        }
        let count = asked.iter().map(|asked| asked.contents.records).min().unwrap_or(0);
        let count = count.min(self.blocks.count()) as usize;
        Ok(candidates(search.prepared().root(), &asked, count).map(|found| found.of(self.blocks.count() as usize)))
    }

    /// The place of a field's index, which says what is in the table now: it is made anew if need be and if it can be.
    fn current_index_of(&mut self, field: &str) -> Result<Option<usize>> {
        let place = self.words.indexes.iter().position(|(index, _)| index.field.eq_ignore_ascii_case(field));
        let Some(place) = place else { return Ok(None) };
        let now = self.basis()?;
        let Some((definition, contents)) = self.words.indexes.get(place) else { return Ok(None) };
        if contents.as_ref().is_some_and(|contents| contents.is_of(&now)) {
            return Ok(Some(place));
        }
        if definition.is_fixed || self.can_write_words().is_err() {
            return Ok(None);
        }
        let definition = definition.clone();
        let contents = self.build_words(&definition)?;
        let mut indexes = self.words.indexes.clone();
        match indexes.get_mut(place) {
            Some((_, old)) => *old = Some(contents),
            None => return Ok(None),
        }
        // A folder that cannot be written to leaves the texts to be read.
        Ok(self.write_words(indexes).is_ok().then_some(place))
    }
}

impl Contents {
    /// Returns true if it is certainly of this state of the files.
    fn is_of(&self, now: &Basis) -> bool {
        self.basis.is_settled && self.basis.table == now.table && self.basis.memo == now.memo
    }
}

impl Candidates {
    /// For so many records: those that are new may be ones, too.
    fn of(self, count: usize) -> Candidates {
        if self.bits.len() == count {
            return self;
        }
        let mut bits = Bits::filled(count, true);
        for at in 0..self.bits.len().min(count) {
            bits.set(at, self.bits.get(at).unwrap_or(true));
        }
        Candidates { bits, is_exact: false }
    }
}
