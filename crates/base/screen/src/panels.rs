//! Menus and message boxes.

use crate::characters::{decode, decode_fields};
use crate::error::{MENU, Result, ScreenError};

/// The most elements of a menu (manual, `directives/menu_bar`).
const MOST_ELEMENTS: usize = 2047;
/// The greatest depth of nested menus.
const DEEPEST: usize = 16;

/// An element of a menu bar.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MenuItem {
    /// The text without its marks; empty for a line between elements.
    pub text: String,
    /// The letters from the bar to this element, by which programs name it.
    pub path: String,
    /// The value of `CTL` when it is chosen. `None`: the value of the menu.
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

impl Menu {
    /// A menu from its definition, such as `-[&File,&Edit],F:[&Open,&Quit=4]` (manual, format 1). Colours are skipped.
    ///
    /// Errors: 87.
    pub fn parse(ctl: i32, definition: &[u8]) -> Result<Menu> {
        let text = decode(definition);
        let invalid = |cause: &str| ScreenError::new(MENU, format!("MENU_BAR definition is not valid: {cause}"));
        let groups = groups(&text).ok_or_else(|| invalid("brackets do not match"))?;
        if groups.iter().map(|group| group.1.len()).sum::<usize>() > MOST_ELEMENTS {
            return Err(invalid("more than 2,047 elements"));
        }
        let bar = groups.iter().find(|(id, _)| id.is_empty()).ok_or_else(|| invalid("the bar is missing"))?;
        let items = items(&bar.1, "", &groups, 0);
        Ok(Menu { ctl, items, chosen: String::new() })
    }

    /// The element of a path of letters, or with a value of `CTL`.
    pub fn find_mut(&mut self, name: &str) -> Option<&mut MenuItem> {
        fn find<'m>(items: &'m mut [MenuItem], name: &str, ctl: Option<i32>) -> Option<&'m mut MenuItem> {
            for item in items {
                let matches = item.path.eq_ignore_ascii_case(name) || (ctl.is_some() && item.ctl == ctl);
                if matches {
                    return Some(item);
                }
                if let Some(found) = find(&mut item.items, name, ctl) {
                    return Some(found);
                }
            }
            None
        }
        find(&mut self.items, name, name.parse().ok())
    }
}

type Group = (String, Vec<String>);

/// The groups of a definition: the letter before each, empty for the bar, and the texts of its elements.
fn groups(text: &str) -> Option<Vec<Group>> {
    let escapes = text.starts_with('\\');
    let mut characters = text.chars().skip(usize::from(escapes));
    let (mut groups, mut before) = (Vec::new(), String::new());
    while let Some(character) = characters.next() {
        if character != '[' {
            before.push(character);
            continue;
        }
        let mut elements = vec![String::new()];
        loop {
            match characters.next()? {
                ']' => break,
                ',' => elements.push(String::new()),
                '\\' if escapes => elements.last_mut()?.push(characters.next()?),
                '{' => drop(characters.find(|c| *c == '}')),
                other => elements.last_mut()?.push(other),
            }
        }
        let id: String =
            before.rsplit(',').next().unwrap_or_default().chars().filter(|c| c.is_alphanumeric()).collect();
        groups.push((id.to_ascii_uppercase(), elements));
        before.clear();
    }
    Some(groups)
}

fn items(elements: &[String], path: &str, groups: &[Group], depth: usize) -> Vec<MenuItem> {
    let item = |element: &String| {
        let mut parts = element.split('=');
        let label = parts.next().unwrap_or_default();
        let mut item = MenuItem { enabled: true, ..MenuItem::default() };
        let mut letter = None;
        let mut characters = label.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '&' => letter = letter.or(characters.peek().copied()),
                _ => item.text.push(character),
            }
        }
        for part in parts {
            item.enabled &= !part.starts_with('D');
            item.checked |= part.starts_with('C');
            item.ctl = item.ctl.or_else(|| part.trim_start_matches(['B', 'C', 'D']).parse().ok());
        }
        let letter = letter.or_else(|| item.text.chars().next()).map(|letter| letter.to_ascii_uppercase());
        item.path = format!("{path}{}", letter.map(String::from).unwrap_or_default());
        let children = groups.iter().find(|(id, _)| {
            !id.is_empty() && (*id == item.path || Some(id.as_str()) == letter.map(String::from).as_deref())
        });
        if let Some((_, children)) = children.filter(|_| depth < DEEPEST && !item.text.is_empty()) {
            item.items = items(children, &item.path, groups, depth + 1);
        }
        item
    };
    elements.iter().map(item).collect()
}

/// A message box that waits for an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageBox {
    /// A number by which an answer names it.
    pub number: u32,
    /// The lines of its text.
    pub lines: Vec<String>,
    /// The title.
    pub title: String,
    /// The words that the buttons answer with, `OK` and others.
    pub buttons: Vec<String>,
    /// The index of the button that Enter presses.
    pub default: usize,
    /// `STOP`, `INFO`, `QUESTION`, `EXCLAMATION` or nothing.
    pub icon: String,
    /// The seconds after which it closes with `TIMEOUT`.
    pub seconds: Option<u32>,
}

impl MessageBox {
    /// A message box with its options, separated by commas (manual, `directives/msgbox`). Unknown options are ignored.
    pub fn new(text: &[u8], title: Option<&[u8]>, options: &[u8]) -> MessageBox {
        let mut message = MessageBox {
            lines: decode_fields(text, '\n')
                .split('\n')
                .map(|line| line.chars().map(crate::characters::printable).collect())
                .collect(),
            title: title.map_or_else(|| "Error".to_owned(), |title| decode(title).into_owned()),
            ..MessageBox::default()
        };
        let mut buttons: &[&str] = &["OK"];
        for option in decode(options).to_ascii_uppercase().split(',').map(str::trim) {
            match option {
                "CANCEL" => buttons = &["OK", "CANCEL"],
                "RETRYCANCEL" => buttons = &["RETRY", "CANCEL"],
                "ABORT" => buttons = &["ABORT", "RETRY", "IGNORE"],
                "YESNO" => buttons = &["YES", "NO"],
                "YESNOCANCEL" => buttons = &["YES", "NO", "CANCEL"],
                "1" | "2" | "3" => message.default = option.parse::<usize>().map_or(0, |number| number - 1),
                "STOP" | "INFO" | "QUESTION" | "EXCLAMATION" => message.icon = option.to_owned(),
                "?" => message.icon = "QUESTION".to_owned(),
                "!" => message.icon = "EXCLAMATION".to_owned(),
                _ => {
                    let seconds = option.strip_prefix("TIM=").and_then(|seconds| seconds.parse().ok());
                    message.seconds = seconds.or(message.seconds);
                }
            }
        }
        message.buttons = buttons.iter().map(|button| (*button).to_owned()).collect();
        message.default = message.default.min(message.buttons.len() - 1);
        message
    }

    /// The answer of the escape key: the last button if it cancels, or the only one.
    pub fn escape(&self) -> Option<&str> {
        let last = self.buttons.last()?;
        (last == "CANCEL" || self.buttons.len() == 1).then_some(last)
    }
}
