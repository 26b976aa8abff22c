//! Menu bars and popup menus, from the text of their definition.
//!
//! A definition is a sequence of groups in brackets. The first one is the bar, or the popup menu itself; each further group has
//! the letters of its element and a colon before it:
//!
//! ```text
//! -[&File,&Edit],F:[&Open,,&Save=D7,&Quit=C4],E:[&Cut,&Paste]
//! ^ no Help       |        |  |     |    ^ value of CTL, checked
//!                 |        |  |     ^ disabled
//!                 group    ^ a line between elements
//! ```
//!
//! Programs name an element by the letters that lead to it (`FO`), or by its value. Sources: the manual's pages
//! `directives/menu_bar` and `directives/popup_menu`.
//!
//! **Limits.** Pictures and colours are skipped, bold elements are shown as the others, no Help group is added.

use crate::characters::decode;
use crate::error::{CONTROL, MENU, Result, ScreenError};

/// The most elements of a menu.
const MOST_ELEMENTS: usize = 2047;
/// The longest definition in bytes.
const LONGEST: usize = 256 << 10;
/// The most elements of the tree that a definition makes.
const MOST_SHOWN: usize = 4 * MOST_ELEMENTS;
/// The greatest depth of nested menus.
const DEEPEST: usize = 16;

/// An element of a menu.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MenuItem {
    /// The text without its marks; empty for a line between elements.
    pub text: String,
    /// The letters from the bar to this element, by which programs name it.
    pub path: String,
    /// The value of `CTL` when it is chosen. `None`: the value of the menu. In a popup menu the value of the choice.
    pub ctl: Option<i32>,
    /// True if it can be chosen.
    pub enabled: bool,
    /// True if it has a check mark.
    pub checked: bool,
    /// The elements below it.
    pub items: Vec<MenuItem>,
}

/// The menu bar of a screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Menu {
    /// The value of `CTL` of elements without one of their own.
    pub ctl: i32,
    /// The groups of the bar.
    pub items: Vec<MenuItem>,
    /// The element that was chosen last.
    pub chosen: String,
}

/// A popup menu that waits for a choice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Popup {
    /// A number by which a choice names it.
    pub number: u32,
    /// The column and the row of its upper left corner on the screen.
    pub at: (u16, u16),
    /// Its elements.
    pub items: Vec<MenuItem>,
}

/// The element of a popup menu that was chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The letters that lead to it.
    pub path: String,
    /// Its value.
    pub value: i32,
}

impl Menu {
    /// A menu bar from its definition.
    ///
    /// Errors: 87.
    pub fn parse(ctl: i32, definition: &[u8]) -> Result<Menu> {
        let groups = groups(definition)?;
        let Some(bar) = groups.iter().find(|group| group.id.is_empty()) else {
            return Err(invalid("the bar is missing"));
        };
        Ok(Menu { ctl, items: Builder::tree(&groups, bar, false)?, chosen: String::new() })
    }

    /// The element of a path of letters.
    pub fn find_mut(&mut self, path: &str) -> Option<&mut MenuItem> {
        find(&mut self.items, &mut |item| !path.is_empty() && item.path.eq_ignore_ascii_case(path))
    }

    /// Changes the elements that a program names: by a path of letters, by a value of `CTL`, or by a list of such values
    /// with `#` before each, as in `#10,#11` (manual, formats 6 and 7).
    ///
    /// Errors: 65 if the menu has no such element.
    pub fn change(&mut self, name: &str, change: impl Fn(&mut MenuItem)) -> Result<()> {
        let missing = || ScreenError::new(CONTROL, format!("The menu has no element {name}"));
        if let Some(item) = self.find_mut(name) {
            change(item);
            return Ok(());
        }
        for value in name.split(',') {
            let value: i32 = value.trim().trim_start_matches('#').parse().map_err(|_| missing())?;
            if !change_all(&mut self.items, &|item| item.ctl == Some(value), &change) {
                return Err(missing());
            }
        }
        Ok(())
    }

    /// The states of all elements, the bar first: `F:E,E:D,FO:EC` (manual, format 9).
    pub fn states(&self) -> String {
        let (mut states, mut level) = (Vec::new(), self.items.iter().collect::<Vec<_>>());
        while !level.is_empty() {
            let named = level.iter().filter(|item| !item.text.is_empty());
            states.extend(named.map(|item| {
                let (enabled, checked) = (if item.enabled { 'E' } else { 'D' }, if item.checked { "C" } else { "" });
                format!("{}:{enabled}{checked}", item.path)
            }));
            level = level.iter().flat_map(|item| &item.items).collect();
        }
        states.join(",")
    }

    /// Sets states of elements, as [`Menu::states`] gives them. Parts that are not valid are ignored (manual, format 10).
    pub fn set_states(&mut self, states: &str) {
        for (path, state) in states.split(',').filter_map(|part| part.split_once(':')) {
            let Some(item) = self.find_mut(path.trim()) else { continue };
            let has = |letter: char| state.chars().any(|state| state.eq_ignore_ascii_case(&letter));
            if has('E') || has('D') {
                (item.enabled, item.checked) = (has('E'), has('C'));
            }
        }
    }
}

impl Popup {
    /// A popup menu from its definition. Its elements have the values 1, 2 and so on, unless the definition gives others.
    ///
    /// Errors: 87.
    pub fn parse(definition: &[u8]) -> Result<Popup> {
        let groups = groups(definition)?;
        let first = groups.iter().find(|group| group.id.is_empty()).or_else(|| groups.first());
        let Some(first) = first else { return Err(invalid("it has no group")) };
        Ok(Popup { items: Builder::tree(&groups, first, true)?, ..Popup::default() })
    }

    /// The choice of an element by its letters: one that can be chosen and has none below it.
    pub fn choice(&self, path: &str) -> Option<Choice> {
        fn find<'m>(items: &'m [MenuItem], path: &str) -> Option<&'m MenuItem> {
            items.iter().find_map(|item| match item.path.eq_ignore_ascii_case(path) && !item.text.is_empty() {
                true => Some(item),
                false => find(&item.items, path),
            })
        }
        let item = find(&self.items, path).filter(|item| item.enabled && item.items.is_empty())?;
        Some(Choice { path: item.path.clone(), value: item.ctl.unwrap_or(0) })
    }
}

fn invalid(cause: &str) -> ScreenError {
    ScreenError::new(MENU, format!("The definition of the menu is not valid: {cause}"))
}

fn find<'m>(items: &'m mut [MenuItem], matches: &mut dyn FnMut(&MenuItem) -> bool) -> Option<&'m mut MenuItem> {
    for item in items {
        if matches(item) {
            return Some(item);
        }
        if let Some(found) = find(&mut item.items, matches) {
            return Some(found);
        }
    }
    None
}

/// Changes all elements that match; false if none does.
fn change_all(items: &mut [MenuItem], matches: &dyn Fn(&MenuItem) -> bool, change: &dyn Fn(&mut MenuItem)) -> bool {
    let mut found = false;
    for item in items {
        if matches(item) {
            change(item);
            found = true;
        }
        found |= change_all(&mut item.items, matches, change);
    }
    found
}

/// A group of a definition.
struct Group {
    /// The letters before it; empty for the bar.
    id: String,
    elements: Vec<Element>,
}

/// An element as the definition has it.
#[derive(Default)]
struct Element {
    label: String,
    /// The letter behind `&`.
    letter: Option<char>,
    /// The texts behind `=`.
    settings: Vec<String>,
    /// The value of the element in a popup menu without one of its own.
    number: i32,
}

/// The groups of a definition. A backslash at its start makes backslashes protect the characters behind them.
fn groups(definition: &[u8]) -> Result<Vec<Group>> {
    if definition.len() > LONGEST {
        return Err(invalid("more than 256 KB"));
    }
    let text = decode(definition);
    let escapes = text.starts_with('\\');
    let mut characters = text.chars().skip(usize::from(escapes)).peekable();
    let (mut groups, mut before, mut next, mut count) = (Vec::new(), String::new(), 1, 0);
    while let Some(character) = characters.next() {
        if character != '[' {
            before.push(character);
            continue;
        }
        let mut id = String::new();
        for part in outside_parentheses(&before) {
            if let Some(start) = part.strip_prefix('#').and_then(|start| start.trim().parse::<i32>().ok()) {
                next = start.saturating_add(1);
            } else if let Some(letters) = part.strip_suffix(':') {
                id = letters.chars().filter(|letter| letter.is_alphanumeric()).collect();
            }
        }
        before.clear();
        let mut elements = Vec::new();
        loop {
            let (mut element, is_last) =
                element(&mut characters, escapes).ok_or_else(|| invalid("brackets do not match"))?;
            if !element.label.is_empty() {
                element.number = next;
                next = next.saturating_add(1);
            }
            elements.push(element);
            if is_last {
                break;
            }
        }
        count += elements.len();
        if count > MOST_ELEMENTS {
            return Err(invalid("more than 2,047 elements"));
        }
        groups.push(Group { id: id.to_ascii_uppercase(), elements });
    }
    Ok(groups)
}

/// The parts between commas that stand in no parentheses, as those of colours do.
fn outside_parentheses(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let parts = text.split(|character| {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0
    });
    parts.map(str::trim).collect()
}

/// The next element of a group, and true if the group ends behind it; `None` if the definition ends.
fn element(characters: &mut std::iter::Peekable<impl Iterator<Item = char>>, escapes: bool) -> Option<(Element, bool)> {
    let (mut element, mut depth) = (Element::default(), 0_usize);
    loop {
        let mut character = characters.next()?;
        let is_escaped = escapes && character == '\\';
        if is_escaped {
            character = characters.next()?;
        }
        match (character, is_escaped) {
            (']', false) => return Some((element, true)),
            (',', false) if depth == 0 => return Some((element, false)),
            ('{', false) => drop(characters.find(|character| *character == '}')),
            ('=', false) => element.settings.push(String::new()),
            ('&', false) if element.settings.is_empty() => {
                element.letter = element.letter.or_else(|| characters.peek().copied());
            }
            _ => match element.settings.last_mut() {
                None => element.label.push(character),
                Some(setting) => {
                    depth = match character {
                        '(' => depth + 1,
                        ')' => depth.saturating_sub(1),
                        _ => depth,
                    };
                    setting.push(character);
                }
            },
        }
    }
}

/// The letter of an element: without one its place in the group.
fn letter_of(element: &Element, place: usize) -> String {
    element.letter.map_or_else(|| (place + 1).to_string(), |letter| letter.to_ascii_uppercase().to_string())
}

/// Builds the tree of elements. A group that stands below several elements is in the tree several times.
struct Builder<'g> {
    groups: &'g [Group],
    /// The letters of the bar.
    bar: Vec<String>,
    has_numbers: bool,
    /// The elements that the tree may still get.
    left: usize,
}

impl<'g> Builder<'g> {
    /// The tree below the bar. Errors: 87 if it has too many elements.
    fn tree(groups: &[Group], bar: &Group, has_numbers: bool) -> Result<Vec<MenuItem>> {
        let bar_letters = bar.elements.iter().enumerate().map(|(place, element)| letter_of(element, place)).collect();
        Builder { groups, bar: bar_letters, has_numbers, left: MOST_SHOWN }.items(bar, "", 0)
    }

    /// The group below an element: the one of its path. Below the bar, a group may be named by the last letter alone, if that is no
    /// element's of the bar.
    fn group_below(&self, path: &str, letter: &str) -> Option<&'g Group> {
        let of = |id: &str| self.groups.iter().find(|group| !group.id.is_empty() && group.id == id);
        of(path).or_else(|| of(letter).filter(|_| !self.bar.iter().any(|element| element == letter)))
    }

    fn items(&mut self, group: &Group, path: &str, depth: usize) -> Result<Vec<MenuItem>> {
        let elements = group.elements.iter().enumerate();
        elements.map(|(place, element)| self.item(element, place, path, depth)).collect()
    }

    fn item(&mut self, element: &Element, place: usize, path: &str, depth: usize) -> Result<MenuItem> {
        // A long label counts as several elements, so that the tree has a limit in bytes.
        let weight = 1 + element.label.len() / 64;
        self.left = self.left.checked_sub(weight).ok_or_else(|| invalid("its groups contain each other"))?;
        let mut item = MenuItem { enabled: true, text: element.label.clone(), ..MenuItem::default() };
        for setting in &element.settings {
            let value = setting.trim_start_matches(['B', 'C', 'D']);
            let marks = setting.strip_suffix(value).unwrap_or_default();
            // The setting of a colour begins with its name.
            if value.is_empty() || value.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
                item.enabled &= !marks.contains('D');
                item.checked |= marks.contains('C');
                item.ctl = item.ctl.or_else(|| value.trim().parse().ok());
            }
        }
        if self.has_numbers {
            item.ctl = item.ctl.or(Some(element.number));
        }
        let letter = letter_of(element, place);
        item.path = format!("{path}{letter}");
        if let Some(children) =
            self.group_below(&item.path, &letter).filter(|_| depth < DEEPEST && !item.text.is_empty())
        {
            item.items = self.items(children, &item.path, depth + 1)?;
        }
        Ok(item)
    }
}
