//! The caret of a text input, for faces whose keys the screen interprets. A browser edits the text itself and sends it whole.

use crate::event::Key;

/// The effect of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The caret has moved.
    Moved,
    /// The text has changed.
    Changed,
    /// The key has no use here.
    Unused,
}

/// Performs a key at the caret, which is the number of characters before it. Lines end with a line feed; a text of one line has
/// none.
pub fn press(text: &mut Vec<char>, caret: &mut usize, key: Key, is_one_line: bool) -> Effect {
    *caret = (*caret).min(text.len());
    let at = *caret;
    let start = text.iter().take(at).rposition(|character| *character == '\n').map_or(0, |found| found + 1);
    let end = text.iter().skip(at).position(|character| *character == '\n').map_or(text.len(), |found| at + found);
    match key {
        Key::Character(character) => {
            text.insert(at, character);
            *caret += 1;
            return Effect::Changed;
        }
        Key::Enter if !is_one_line => {
            text.insert(at, '\n');
            *caret += 1;
            return Effect::Changed;
        }
        Key::Backspace if at > 0 => {
            text.remove(at - 1);
            *caret -= 1;
            return Effect::Changed;
        }
        Key::Delete if at < text.len() => {
            text.remove(at);
            return Effect::Changed;
        }
        Key::Left if at > 0 => *caret -= 1,
        Key::Right if at < text.len() => *caret += 1,
        Key::Home => *caret = start,
        Key::End => *caret = end,
        Key::Up if start > 0 => {
            let above =
                text.iter().take(start - 1).rposition(|character| *character == '\n').map_or(0, |found| found + 1);
            *caret = (above + at - start).min(start - 1);
        }
        Key::Down if end < text.len() => {
            let below = text.iter().skip(end + 1).position(|character| *character == '\n');
            let last = below.map_or(text.len(), |found| end + 1 + found);
            *caret = (end + 1 + at - start).min(last);
        }
        _ => return Effect::Unused,
    }
    Effect::Moved
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with a bar at the caret after some keys.
    fn after(text: &str, keys: &[Key]) -> String {
        let mut characters: Vec<char> = text.chars().filter(|character| *character != '|').collect();
        let mut caret = text.chars().position(|character| character == '|').unwrap();
        for key in keys {
            press(&mut characters, &mut caret, *key, false);
        }
        characters.insert(caret, '|');
        characters.into_iter().collect()
    }

    #[test]
    fn the_caret_moves_and_edits() {
        assert_eq!(after("ab|c", &[Key::Character('x'), Key::Left, Key::Left]), "a|bxc");
        assert_eq!(after("ab|c", &[Key::Backspace, Key::Delete, Key::Delete]), "a|");
        assert_eq!(after("one\ntwo\nth|ree", &[Key::Up, Key::Home]), "one\n|two\nthree");
        assert_eq!(after("on|e\nt\nthree", &[Key::Down]), "one\nt|\nthree");
        assert_eq!(after("one\nt\nthr|ee", &[Key::Up, Key::Up, Key::End]), "one|\nt\nthree");
        assert_eq!(after("one|", &[Key::Enter, Key::Up, Key::Up, Key::Right]), "o|ne\n");
        assert_eq!(after("|", &[Key::Left, Key::Up, Key::Down, Key::Right, Key::Delete, Key::Backspace]), "|");
    }
}
