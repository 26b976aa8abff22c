//! Moves: from the cached rows where they are valid, and else by asking the server.

use super::remote::RemoteArea;
use crate::wire::malformed;
use crate::wire::messages::{Numbers, PageWish, Reply, Step};
use mainstay_types::{Code, Error, Result};
use mainstay_workarea::{Counting, Position, SeekHow, SeekKey};

impl RemoteArea {
    /// Returns true if a move may be made from the rows at hand: nothing is pending, and they are of the current order.
    fn may_use_rows(&self) -> bool {
        !self.record.has_pending() && !self.is_edited && self.run.order == self.current && !self.run.rows.is_empty()
    }

    /// Is at one of the rows at hand.
    fn arrive_at(&mut self, at: usize) {
        let Some(row) = self.run.rows.get(at) else { return };
        self.place = Position { record: row.record, ..Position::default() };
        self.record.show(self.place, self.count, Some(&row.bytes));
        self.is_loaded = true;
    }

    /// Moves by asking, and takes the rows around.
    pub(crate) fn move_by(&mut self, step: Step, wish: Step) -> Result<()> {
        self.browsed = self.current;
        self.ask(true, vec![step, wish])?;
        self.arrive();
        Ok(())
    }

    pub(crate) fn go_to_record(&mut self, record: u32) -> Result<()> {
        let is_at_hand = !self.record.has_pending() && !self.is_edited && self.is_fresh();
        if let (true, Some(at)) = (is_at_hand, self.run.place_of(record)) {
            self.arrive_at(at);
            return Ok(());
        }
        let wish = self.wish_around();
        // The rows that will be wanted are those of the order that the program goes along.
        let order = self.browsed;
        self.ask_in(order, true, vec![Step::GoTo(record), wish], &mut mainstay_workarea::untold)?;
        self.arrive();
        Ok(())
    }

    pub(crate) fn go_to_end(&mut self, top: bool) -> Result<()> {
        if self.may_use_rows() && self.is_fresh() {
            if top && self.run.is_first {
                self.arrive_at(0);
                return Ok(());
            }
            if !top && self.run.is_last {
                self.arrive_at(self.run.rows.len() - 1);
                return Ok(());
            }
        }
        let wish = self.wish(!top, top);
        self.move_by(if top { Step::GoTop } else { Step::GoBottom }, wish)
    }

    pub(crate) fn skip_rows(&mut self, count: i64) -> Result<()> {
        if count == 0 {
            let wish = self.wish_around();
            return self.move_by(Step::Refresh, wish);
        }
        if self.may_use_rows() && self.is_current() {
            if self.is_fresh() {
                if self.skip_at_hand(count) {
                    self.note_walk();
                    return Ok(());
                }
            } else if self.skip_if_unchanged(count)? {
                return Ok(());
            }
        }
        let was_at_hand = self.run.place_of(self.place.record).is_some();
        if was_at_hand {
            self.note_end_of_rows()
        } else {
            self.note_walk()
        }
        let mut wish = self.wish(count < 0, count > 0);
        if let (Step::Page(page), true) = (&mut wish, count < -1) {
            // A program that goes back by more than one paints from there on.
            let passed = u32::try_from(count.unsigned_abs()).unwrap_or(u32::MAX).saturating_add(1);
            page.after = passed.clamp(page.after, page.before.max(page.after));
        }
        self.move_by(Step::Skip(count), wish)
    }

    /// Where a skip leads to among the rows at hand: one of them, or an end. `None` if that cannot be said.
    fn target(&self, count: i64) -> Option<Position> {
        let rows = i64::try_from(self.run.rows.len()).ok()?;
        let here = match self.place.eof {
            // Behind the last.
            true if self.run.is_last && !self.place.bof => rows,
            true => return None,
            false => i64::try_from(self.run.place_of(self.place.record)?).ok()?,
        };
        let to = here.checked_add(count)?;
        if to >= 0 && to < rows {
            let record = self.run.rows.get(usize::try_from(to).ok()?)?.record;
            return Some(Position { record, ..Position::default() });
        }
        if to >= rows && self.run.is_last {
            return Some(Position { record: self.count.saturating_add(1), eof: true, ..Position::default() });
        }
        if to < 0 && self.run.is_first {
            let record = self.run.rows.front()?.record;
            return Some(Position { record, bof: true, ..Position::default() });
        }
        None
    }

    fn skip_at_hand(&mut self, count: i64) -> bool {
        let Some(target) = self.target(count) else { return false };
        self.place = target;
        self.arrive();
        true
    }

    /// Asks whether the rows at hand, which are not new, are still right; if so the skip is made along them.
    fn skip_if_unchanged(&mut self, count: i64) -> Result<bool> {
        if self.target(count).is_none() {
            return Ok(false);
        }
        let wish = match self.wish(count < 0, count > 0) {
            Step::Page(wish) => Step::Page(PageWish { unless: Some(self.run.stamp), ..wish }),
            other => other,
        };
        // The server moves in any case; it tells the rows if they are others.
        self.move_by(Step::Skip(count), wish)?;
        Ok(true)
    }

    pub(crate) fn seek_key(&mut self, key: &SeekKey, how: SeekHow) -> Result<bool> {
        if self.current.is_none() {
            return Err(Error::new(Code::InvalidValue, "a seek needs an order, and none is set"));
        }
        let wish = self.wish_around();
        self.browsed = self.current;
        let replies = self.ask(true, vec![Step::Seek { key: key.clone(), how }, wish])?;
        self.arrive();
        match replies.first() {
            Some(Reply::Yes(found)) => Ok(*found),
            _ => Err(malformed("another reply")),
        }
    }

    /// The known numbers of a kind of counting for the current record: the count, and the place of the record.
    pub(crate) fn known_numbers(&self, what: Counting) -> Option<Numbers> {
        if !self.may_use_rows() || !self.is_fresh() {
            return None;
        }
        let (place, _) = PageWish::bit(what);
        let Numbers { count, number } = self.run.numbers.get(place).copied().flatten()?;
        if self.place.record == self.run.numbered {
            return Some(Numbers { count, number });
        }
        // Rows that follow each other have numbers that do, if every key that is counted is a row.
        let shows_all = !self.view.hide_deleted && self.view.filter.is_none() && self.view.aof.is_none();
        let is_scoped = self.view.scopes.iter().any(|(order, ..)| Some(*order) == self.current);
        let counts_rows = match what {
            Counting::Visible => true,
            Counting::Scoped => shows_all,
            Counting::All => shows_all && !is_scoped,
        };
        let from = i64::try_from(self.run.place_of(self.run.numbered)?).ok()?;
        let to = i64::try_from(self.run.place_of(self.place.record)?).ok()?;
        let known = i64::try_from(number?).ok()?;
        let number = u64::try_from(known.checked_add(to - from)?).ok();
        counts_rows.then_some(Numbers { count, number })
    }

    /// Asks for the numbers of the current record, of one kind.
    pub(crate) fn numbers(&mut self, what: Counting) -> Result<Numbers> {
        self.note_counting(what);
        if let Some(known) = self.known_numbers(what) {
            return Ok(known);
        }
        let replies = self.ask(true, vec![Step::KeyCount(what), Step::KeyNumber(what)])?;
        let (Some(Reply::Number(count)), Some(Reply::MaybeNumber(number))) = (replies.first(), replies.get(1)) else {
            return Err(malformed("another reply"));
        };
        let numbers = Numbers { count: *count, number: *number };
        if !self.run.rows.is_empty() && self.run.order == self.current {
            // Numbers of one row only: those of other kinds are of another, perhaps.
            if self.run.numbered != self.place.record {
                self.run.numbers = [None; 3];
            }
            self.run.numbered = self.place.record;
            if let Some(slot) = self.run.numbers.get_mut(PageWish::bit(what).0) {
                *slot = Some(numbers);
            }
        }
        Ok(numbers)
    }
}
