//! Fitting a table to the width of a terminal.
//!
//! Two steps, the second only when the first is not enough:
//!
//! 1. Wide text columns give way together: the largest width is found at which all columns fit when
//!    text is cut to it. Numbers and dates are never cut; half a number is a wrong number.
//! 2. Columns leave from the middle, because the first say which row it is and the last are often the
//!    computed ones; a `…` stands for them.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Text is not cut below this width while columns can leave instead.
const NARROWEST_TEXT: usize = 10;

/// The content of one place of every line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// A column of the result, so many cells wide.
    Column {
        /// Which column of the result.
        index: usize,
        /// Cells of the terminal.
        width: usize,
    },
    /// All columns that left.
    Elided,
}

/// The places of a line from left to right.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) slots: Vec<Slot>,
}

impl Layout {
    /// How many columns of the result are shown.
    pub(crate) fn columns(&self) -> usize {
        self.slots.iter().filter(|slot| **slot != Slot::Elided).count()
    }

    /// A horizontal line with these corners.
    pub(crate) fn rule(&self, left: char, middle: char, right: char) -> String {
        let mut line = String::from(left);
        for (place, slot) in self.slots.iter().enumerate() {
            if place > 0 {
                line.push(middle);
            }
            let width = if let Slot::Column { width, .. } = slot { *width } else { 1 };
            line.extend(std::iter::repeat_n('─', width + 2));
        }
        line.push(right);
        line.push('\n');
        line
    }
}

/// Chooses the width of each column, and which columns are shown, within `limit` cells.
pub(crate) fn fit(natural: &[usize], may_shrink: &[bool], limit: Option<usize>) -> Layout {
    let every: Vec<usize> = (0..natural.len()).collect();
    let Some(limit) = limit else {
        return Layout { slots: slots(&every, natural, natural.len()) };
    };
    let least: Vec<usize> = natural
        .iter()
        .zip(may_shrink)
        .map(|(&width, &may)| if may { width.min(NARROWEST_TEXT) } else { width })
        .collect();
    let shown = choose(&least, limit);
    let for_dots = if shown.len() < natural.len() { 4 } else { 0 };
    let room = limit.saturating_sub(3 * shown.len() + 1 + for_dots);
    let widths = shrink(natural, &least, &shown, room);
    Layout { slots: slots(&shown, &widths, natural.len()) }
}

/// The columns that fit at their least widths: from both ends towards the middle, at least the first.
fn choose(least: &[usize], limit: usize) -> Vec<usize> {
    let needed: usize = least.iter().map(|width| width + 3).sum::<usize>() + 1;
    if needed <= limit {
        return (0..least.len()).collect();
    }
    let (mut left, mut right) = (1, least.len());
    let mut used = least[0] + 3 + 4 + 1;
    loop {
        let from_right = left > least.len() - right;
        let next = if from_right { right.checked_sub(1) } else { Some(left) };
        match next.filter(|&next| left < right && used + least[next] + 3 <= limit) {
            Some(next) => used += least[next] + 3,
            None => break,
        }
        if from_right { right -= 1 } else { left += 1 }
    }
    (0..left).chain(right..least.len()).collect()
}

/// Natural widths cut to the largest common width at which the shown columns need no more than `room`;
/// cells left over go to the columns on the left.
fn shrink(natural: &[usize], least: &[usize], shown: &[usize], room: usize) -> Vec<usize> {
    let width_at = |cap: usize, column: usize| natural[column].min(cap.max(least[column]));
    let needed = |cap: usize| shown.iter().map(|&column| width_at(cap, column)).sum::<usize>();
    let widest = shown.iter().map(|&column| natural[column]).max().unwrap_or(0);
    let (mut fits, mut too_wide) = (0, widest + 1);
    while too_wide - fits > 1 {
        let middle = fits + (too_wide - fits) / 2;
        if needed(middle) <= room { fits = middle } else { too_wide = middle }
    }
    let mut widths: Vec<usize> = (0..natural.len()).map(|column| width_at(fits, column)).collect();
    let mut spare = room.saturating_sub(needed(fits));
    for &column in shown {
        if spare > 0 && widths[column] < natural[column] {
            widths[column] += 1;
            spare -= 1;
        }
    }
    widths
}

/// The shown columns in order, with one place for those that are not.
fn slots(shown: &[usize], widths: &[usize], columns: usize) -> Vec<Slot> {
    let mut slots = Vec::new();
    let mut next = 0;
    for &index in shown {
        if index > next {
            slots.push(Slot::Elided);
        }
        slots.push(Slot::Column { index, width: widths[index] });
        next = index + 1;
    }
    if next < columns {
        slots.push(Slot::Elided);
    }
    slots
}

/// Appends text padded to a width; what is longer is cut and ends in `…` if it may be cut.
pub(crate) fn pad(text: &str, width: usize, right: bool, cut: bool, line: &mut String) {
    let natural = text.width();
    if natural > width {
        if cut {
            self::cut(text, width, line)
        } else {
            line.push_str(text)
        }
        return;
    }
    let spaces = std::iter::repeat_n(' ', width - natural);
    if right {
        line.extend(spaces);
        line.push_str(text);
    } else {
        line.push_str(text);
        line.extend(spaces);
    }
}

/// Appends as many characters as fit beside a final `…`, and spaces where a wide one did not fit.
fn cut(text: &str, width: usize, line: &mut String) {
    let mut used = 1;
    for character in text.chars() {
        let next = used + character.width().unwrap_or(0);
        if next > width {
            break;
        }
        used = next;
        line.push(character);
    }
    line.push('…');
    line.extend(std::iter::repeat_n(' ', width.saturating_sub(used)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(layout: &Layout) -> usize {
        layout.rule('┌', '┬', '┐').trim_end().width()
    }

    #[test]
    fn what_fits_is_left_alone() {
        let layout = fit(&[3, 20], &[false, true], Some(80));
        assert_eq!(layout.slots, [Slot::Column { index: 0, width: 3 }, Slot::Column { index: 1, width: 20 }]);
        assert_eq!(fit(&[3, 2000], &[false, true], None).columns(), 2);
    }

    #[test]
    fn wide_text_gives_way_and_the_width_is_used_up() {
        let layout = fit(&[8, 300, 12, 90], &[false, true, false, true], Some(80));
        assert_eq!(layout.columns(), 4);
        assert_eq!(total(&layout), 80);
    }

    #[test]
    fn columns_leave_from_the_middle() {
        let layout = fit(&[12; 30], &[false; 30], Some(80));
        assert!(total(&layout) <= 80);
        assert_eq!(layout.slots.first(), Some(&Slot::Column { index: 0, width: 12 }));
        assert_eq!(layout.slots.last(), Some(&Slot::Column { index: 29, width: 12 }));
        assert_eq!(layout.slots.iter().filter(|slot| **slot == Slot::Elided).count(), 1);
        assert_eq!(layout.columns(), 5);
    }

    #[test]
    fn no_width_is_too_small_to_answer() {
        for limit in 0..60 {
            let layout = fit(&[50, 1, 9], &[true, false, true], Some(limit));
            assert!(layout.columns() >= 1, "{limit}");
            assert!(limit < 20 || total(&layout) <= limit, "{limit}: {layout:?}");
        }
        assert_eq!(fit(&[], &[], Some(10)).columns(), 0);
    }

    #[test]
    fn wide_characters_are_cut_to_the_cell() {
        let mut line = String::new();
        pad("漢字漢字", 4, false, true, &mut line);
        assert_eq!(line, "漢… ");
        line.clear();
        pad("abcdef", 4, true, false, &mut line);
        assert_eq!(line, "abcdef");
    }
}
