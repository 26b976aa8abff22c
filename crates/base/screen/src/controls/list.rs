//! Lists: the contents of list boxes of all styles and of drop boxes.
//!
//! Indexes are those of the manual: the first element is 1. A face keeps rows that it has fetched; `List::first_changed` is
//! the first row since the last frame that may differ from them, so that a face drops those behind it and keeps the rest. An
//! append costs the copy of its row and two comparisons.

use super::columns::{self, Column};
use super::rows::{LONGEST_ROW, Rows};
use super::tree::Tree;
use crate::characters::{decode_fields, printable};
use crate::error::{INTEGER, LENGTH, NOT_FOUND, Result, ScreenError};
use crate::mnemonic::{self, ESCAPE, Mnemonic};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The separator of fields, `SEP`.
pub const SEPARATOR: u8 = 0x8a;

/// The form in which a list is shown; the discriminant is its number on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum ListStyle {
    /// One element a line, or columns of a format without headings.
    #[default]
    Plain,
    /// `OPT="l"`: elements in as many columns as fit.
    ListView,
    /// `OPT="r"`: columns with headings.
    Report,
    /// `OPT="e"`: a tree.
    Tree,
}

/// The contents and the selection of a list.
#[derive(Clone, Debug, Default)]
pub struct List {
    /// The form.
    pub style: ListStyle,
    /// The columns of `FMT=`.
    pub columns: Vec<Column>,
    /// `OPT="b"`: no headings or no buttons.
    pub without_headings: bool,
    /// `OPT="#"`: several elements can be selected.
    pub multiple: bool,
    /// `OPT="p"`: writing selects by the start of elements.
    pub partial: bool,
    /// `OPT="T"`: blanks at the end are removed from what is read and written.
    pub strips: bool,
    /// `OPT="U"` of drop boxes.
    pub upper: bool,
    /// `'LoadPoint`: 0 replaces, -1 appends, n inserts before n.
    pub load_point: i32,
    /// The delimiter of the last list that was loaded as one string.
    pub delimiter: u8,
    rows: Rows,
    tree: Option<Tree>,
    /// Indexes from 1.
    selected: BTreeSet<usize>,
    /// The first row that has changed since the last frame.
    first_changed: usize,
    /// The number of rows in the last frame.
    reported: usize,
    selection_changed: bool,
    /// Counts the changes that make rows known to a face invalid.
    generation: u32,
}

impl List {
    /// An empty list with the letters of `OPT=` and a format.
    pub fn new(options: &[u8], format: &str) -> List {
        let has = |letter: u8| options.contains(&letter);
        let style = match () {
            () if has(b'r') => ListStyle::Report,
            () if has(b'l') => ListStyle::ListView,
            () if has(b'e') => ListStyle::Tree,
            () => ListStyle::Plain,
        };
        let is_tree = style == ListStyle::Tree;
        List {
            style,
            columns: if is_tree { Vec::new() } else { columns::parse(format, style == ListStyle::Report) },
            without_headings: has(b'b'),
            multiple: has(b'#') && !is_tree,
            partial: has(b'p'),
            strips: has(b'T'),
            upper: has(b'U'),
            tree: is_tree.then(|| Tree::new(!has(b'q'))),
            delimiter: if is_tree { b'/' } else { 0 },
            // A list that no frame has told of is a change, even without rows.
            reported: usize::MAX,
            ..List::default()
        }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.tree.as_ref().map_or_else(|| self.rows.len(), Tree::len)
    }

    /// True if the list has no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn touch(&mut self, row: usize) {
        if row < self.first_changed {
            self.first_changed = row;
            self.generation = self.generation.wrapping_add(1);
        }
    }

    /// Adds an element: before the one at `index`, or at the end for 0 (manual, format 7).
    ///
    /// Errors: 41 for an index beyond the end, 46, 31.
    pub fn load(&mut self, index: usize, element: &[u8]) -> Result<()> {
        if let Some(tree) = &mut self.tree {
            tree.add(element, self.delimiter)?;
            tree.arrange();
            self.touch(0);
            self.selected.clear();
            return Ok(());
        }
        let upper = self.upper.then(|| element.to_ascii_uppercase());
        let element = upper.as_deref().unwrap_or(element);
        if index == 0 || index == self.rows.len() + 1 {
            return self.rows.push(element);
        }
        self.check(index)?;
        self.rows.insert(index - 1, element)?;
        self.touch(index - 1);
        self.shift_selection(index, true);
        Ok(())
    }

    fn check(&self, index: usize) -> Result<()> {
        if index == 0 || index > self.len() {
            return Err(ScreenError::new(INTEGER, format!("Element {index} is beyond the {} of the list", self.len())));
        }
        Ok(())
    }

    /// Replaces an element; its selection stays. Errors: 41, 46, 31.
    pub(crate) fn replace(&mut self, index: usize, element: &[u8]) -> Result<()> {
        self.check(index)?;
        self.rows.insert(index - 1, element)?;
        self.rows.remove(index);
        self.touch(index - 1);
        Ok(())
    }

    fn shift_selection(&mut self, from: usize, up: bool) {
        if self.selected.range(from..).next().is_none() {
            return;
        }
        self.selection_changed = true;
        let moved = self.selected.split_off(&from);
        let shift = |index: usize| if up { index + 1 } else { index - 1 };
        self.selected.extend(moved.into_iter().filter(|index| up || *index != from).map(shift));
    }

    /// Removes an element. Errors: 41.
    pub fn delete(&mut self, index: usize) -> Result<()> {
        self.check(index)?;
        match &mut self.tree {
            Some(tree) => {
                tree.remove(index - 1);
                self.touch(0);
                self.selected.clear();
                self.selection_changed = true;
            }
            None => {
                self.rows.remove(index - 1);
                self.touch(index - 1);
                self.shift_selection(index, false);
            }
        }
        Ok(())
    }

    /// Loads elements from a string whose last byte separates them (manual, format 5). `'LoadPoint` decides whether they
    /// replace the list.
    ///
    /// Errors: 46, 31. Nothing is lost when the string is refused for a long element.
    pub fn load_all(&mut self, elements: &[u8]) -> Result<()> {
        let Some((delimiter, elements)) = elements.split_last() else {
            self.clear();
            return Ok(());
        };
        self.load_each(elements.split(|byte| byte == delimiter), Some(*delimiter))
    }

    /// Loads the elements of an array (manual, format 6). Errors as for [`List::load_all`].
    pub fn load_each<'e>(
        &mut self,
        elements: impl Iterator<Item = &'e [u8]> + Clone,
        delimiter: Option<u8>,
    ) -> Result<()> {
        if elements.clone().any(|element| element.len() > LONGEST_ROW) {
            return Err(ScreenError::new(LENGTH, "An element of the list is longer than 8 KB"));
        }
        if let Some(delimiter) = delimiter.filter(|_| self.tree.is_none()) {
            self.delimiter = delimiter;
        }
        let mut at = match self.load_point {
            point if point > 0 => (point as usize).min(self.len() + 1),
            _ => 0,
        };
        if self.load_point == 0 {
            self.clear();
        }
        self.load_point = self.load_point.min(0);
        if let (Some(tree), Some(delimiter)) = (&mut self.tree, delimiter) {
            // In a tree the delimiter that ends the string separates the steps of one path.
            let path = elements.collect::<Vec<_>>().join(&delimiter);
            self.delimiter = delimiter;
            tree.add(&path, delimiter)?;
            tree.arrange();
            self.touch(0);
            return Ok(());
        }
        for element in elements {
            self.load(at, element)?;
            at += usize::from(at > 0);
        }
        Ok(())
    }

    /// Removes all elements.
    pub fn clear(&mut self) {
        self.rows.clear();
        if let Some(tree) = &mut self.tree {
            tree.clear();
        }
        self.selected.clear();
        self.selection_changed = true;
        self.first_changed = 1;
        self.touch(0);
    }

    /// An element by its index.
    pub fn element(&self, index: usize) -> Option<Vec<u8>> {
        let at = index.checked_sub(1)?;
        let element = match &self.tree {
            Some(tree) => tree.path(at, self.delimiter)?,
            None => self.rows.get(at)?.to_vec(),
        };
        Some(self.stripped(element))
    }

    fn stripped(&self, mut element: Vec<u8>) -> Vec<u8> {
        if self.strips {
            element.truncate(element.trim_ascii_end().len());
        }
        element
    }

    /// The element at an index, or all elements for 0, each followed by the delimiter (manual, format 8). Errors: 41.
    pub fn find(&self, index: usize) -> Result<Vec<u8>> {
        if index > 0 {
            self.check(index)?;
            return Ok(self.element(index).unwrap_or_default());
        }
        let mut all = Vec::new();
        for index in 1..=self.len() {
            all.extend(self.element(index).unwrap_or_default());
            all.push(self.delimiter);
        }
        Ok(all)
    }

    /// The first selected index; 0 for none.
    pub fn selected_index(&self) -> usize {
        self.selected.first().copied().unwrap_or(0)
    }

    /// All selected indexes.
    pub fn selection(&self) -> &BTreeSet<usize> {
        &self.selected
    }

    /// The selected element; of several, each followed by the delimiter.
    pub fn selected_text(&self) -> Vec<u8> {
        let mut text = Vec::new();
        for index in &self.selected {
            text.extend(self.element(*index).unwrap_or_default());
            if self.multiple {
                text.push(self.delimiter);
            }
        }
        text
    }

    /// Selects by index; 0 removes the selection (manual, format 12). Errors: 41.
    pub fn select(&mut self, index: usize) -> Result<()> {
        if index > 0 {
            self.check(index)?;
        }
        if !self.multiple || index == 0 {
            self.selected.clear();
        }
        if index > 0 {
            self.selected.insert(index);
            if let Some(tree) = &mut self.tree {
                tree.reveal(index - 1);
                self.first_changed = self.first_changed.max(1);
                self.touch(0);
            }
        }
        self.selection_changed = true;
        Ok(())
    }

    /// Turns the selection of one element around, for lists of several.
    pub fn toggle_selected(&mut self, index: usize) {
        if !self.selected.remove(&index) && index > 0 && index <= self.len() {
            self.selected.insert(index);
        }
        self.selection_changed = true;
    }

    /// Selects the elements that equal a text, or with `OPT="p"` start with it; an empty text removes the selection (manual,
    /// formats 11 and 13). Errors: 11 if no element does.
    pub fn select_text(&mut self, text: &[u8]) -> Result<()> {
        if text.is_empty() {
            return self.select(0);
        }
        let text = if self.strips { text.trim_ascii_end() } else { text };
        let found = match &self.tree {
            Some(tree) => tree.find(text, self.delimiter).into_iter().collect(),
            None => self.matching(text),
        };
        if found.is_empty() {
            return Err(ScreenError::new(NOT_FOUND, "The list has no such element"));
        }
        for at in found {
            self.select(at + 1)?;
        }
        Ok(())
    }

    /// The index of the first element that equals a text; 0 for none.
    pub fn position(&self, text: &[u8]) -> usize {
        let found = match &self.tree {
            Some(tree) => tree.find(text, self.delimiter),
            None => self.matching(text).first().copied(),
        };
        found.map_or(0, |at| at + 1)
    }

    fn matching(&self, text: &[u8]) -> Vec<usize> {
        let matches = |row: &[u8]| match (self.partial, self.strips) {
            (true, _) => row.starts_with(text),
            (false, true) => row.trim_ascii_end() == text,
            (false, false) => row == text,
        };
        let rows = self.rows.iter_from(0).enumerate().filter(|(_, row)| matches(row)).map(|(at, _)| at);
        rows.take(if self.multiple { usize::MAX } else { 1 }).collect()
    }

    /// The first row from `from` on, and then from the start, whose text begins with `start` without regard to case: what
    /// typing in a list looks for.
    pub fn search(&self, start: &[u8], from: usize) -> Option<usize> {
        let begins = |row: &[u8]| row.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
        let shown = self.shown();
        let from = from.min(shown);
        (from..shown).chain(0..from).find(|row| match &self.tree {
            Some(tree) => tree.branch(*row).is_some_and(|branch| begins(branch.name)),
            None => self.rows.get(*row).is_some_and(begins),
        })
    }

    /// Sorts the elements by a column of a report view.
    pub fn sort(&mut self, column: usize, descending: bool) {
        let Some((order, Some(field))) = self.columns.get(column).map(|column| (column.order, column.field)) else {
            return;
        };
        let value = |row: &[u8]| {
            let value = row.split(|byte| *byte == SEPARATOR).nth(field).unwrap_or_default();
            columns::sort_key(value, order)
        };
        let mut order: Vec<(Vec<u8>, usize)> =
            self.rows.iter_from(0).enumerate().map(|(at, row)| (value(row), at)).collect();
        order.sort_by(|one, other| if descending { other.0.cmp(&one.0) } else { one.0.cmp(&other.0) });
        let mut sorted = Rows::default();
        let mut selected = BTreeSet::new();
        for (_, at) in order {
            // The rows are the list's own: none is refused.
            let _ = sorted.push(self.rows.get(at).unwrap_or_default());
            if self.selected.contains(&(at + 1)) {
                selected.insert(sorted.len());
            }
        }
        self.rows = sorted;
        self.selected = selected;
        self.selection_changed = true;
        self.touch(0);
    }

    /// Shows or hides the branch in a row of a tree.
    pub fn toggle_branch(&mut self, row: usize) {
        if let Some(tree) = &mut self.tree {
            tree.toggle(row);
            self.touch(0);
            self.selection_changed = true;
        }
    }

    /// The number of rows that are shown: in a tree those whose ancestors are expanded.
    pub fn shown(&self) -> usize {
        self.tree.as_ref().map_or_else(|| self.rows.len(), Tree::shown)
    }

    /// The index of the element in a row that is shown, from 1.
    pub fn index_of_row(&self, row: usize) -> Option<usize> {
        match &self.tree {
            Some(tree) => tree.index_of_shown(row).map(|index| index + 1),
            None => (row < self.rows.len()).then_some(row + 1),
        }
    }

    /// The row in which an element is shown.
    pub fn row_of_index(&self, index: usize) -> Option<usize> {
        let at = index.checked_sub(1)?;
        self.tree.as_ref().map_or(Some(at), |tree| tree.row_of(at))
    }

    /// The rows of the selected elements, at most `limit`.
    pub fn selected_rows(&self, limit: usize) -> Vec<u32> {
        let rows = self.selected.iter().take(limit).filter_map(|index| self.row_of_index(*index));
        rows.filter_map(|row| u32::try_from(row).ok()).collect()
    }

    /// The texts of rows for a face: fields separated by a tab, colours as `1B f n` and `1B b n` with the number of the colour as
    /// a digit, and in trees the depth and `+`, `-` or a blank before the name.
    pub fn texts(&self, from: usize, count: usize) -> Vec<String> {
        match &self.tree {
            Some(tree) => (from..from.saturating_add(count))
                .map_while(|row| tree.branch(row))
                .map(|branch| {
                    let sign = branch.expanded.map_or(' ', |expanded| if expanded { '-' } else { '+' });
                    format!("{}\t{sign}\t{}", branch.depth, text_of(branch.name))
                })
                .collect(),
            None => self.rows.iter_from(from).take(count).map(text_of).collect(),
        }
    }

    /// The state of the rows since the last call: their generation and the first row that has changed.
    pub fn take_changed(&mut self) -> Option<(u32, usize, bool)> {
        let (first, shown) = (self.first_changed, self.shown());
        let selection = std::mem::take(&mut self.selection_changed);
        let rows = first != shown || self.reported != shown;
        (self.first_changed, self.reported) = (shown, shown);
        (rows || selection).then_some((self.generation, first, selection))
    }

    /// The generation of the rows.
    pub fn generation(&self) -> u32 {
        self.generation
    }
}

/// The text of a row for a face.
fn text_of(row: &[u8]) -> String {
    if row.is_ascii() && !row.iter().any(u8::is_ascii_control) {
        return String::from_utf8_lossy(row).into_owned();
    }
    let mut text = String::with_capacity(row.len());
    let mut rest = row;
    while !rest.is_empty() {
        if rest.first() == Some(&ESCAPE) {
            let (mnemonic, length) = mnemonic::decode(rest);
            match mnemonic {
                // Writing to a string does not fail.
                Mnemonic::Foreground(colour) => drop(write!(text, "\x1bf{}", colour as u8)),
                Mnemonic::Background(colour) => drop(write!(text, "\x1bb{}", colour as u8)),
                _ => {}
            }
            rest = rest.get(length.max(1)..).unwrap_or_default();
            continue;
        }
        let end = rest.iter().position(|byte| *byte == ESCAPE).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        // A tab within a field must not look like the end of one.
        let fields = decode_fields(part, '\u{1}');
        text.extend(fields.chars().map(|c| if c == '\u{1}' { '\t' } else { printable(c) }));
        rest = after;
    }
    text
}
