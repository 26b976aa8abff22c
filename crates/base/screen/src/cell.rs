//! Cells of the text plane: a character with its attributes and colours.

/// Attributes of a character, one bit each: the bits of the attribute byte of `'MODE'`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attributes(pub u8);

impl Attributes {
    /// Background mode (`'SB'`): low intensity.
    pub const DIM: Attributes = Attributes(0x01);
    /// Reverse video (`'BR'`).
    pub const REVERSE: Attributes = Attributes(0x02);
    /// Blinking (`'BB'`).
    pub const BLINK: Attributes = Attributes(0x04);
    /// Underscore (`'BU'`).
    pub const UNDERLINE: Attributes = Attributes(0x08);
    /// Line drawing (`'GS'`).
    pub const GRAPHIC: Attributes = Attributes(0x10);

    /// True if all bits of `other` are set.
    pub fn contains(self, other: Attributes) -> bool {
        self.0 & other.0 == other.0
    }

    /// Sets or clears the bits of `other`.
    pub fn set(&mut self, other: Attributes, on: bool) {
        if on { self.0 |= other.0 } else { self.0 &= !other.0 }
    }
}

/// A colour of the text plane; the discriminant is its number on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Colour {
    /// The colour of the face: black on white, or the terminal's own.
    #[default]
    Default,
    /// `'BLACK'`
    Black,
    /// `'RED'`
    Red,
    /// `'GREEN'`
    Green,
    /// `'YELLOW'`
    Yellow,
    /// `'BLUE'`
    Blue,
    /// `'MAGENTA'`
    Magenta,
    /// `'CYAN'`
    Cyan,
    /// `'WHITE'`
    White,
}

impl Colour {
    /// All colours, at their numbers.
    pub const ALL: [Colour; 9] = [
        Colour::Default,
        Colour::Black,
        Colour::Red,
        Colour::Green,
        Colour::Yellow,
        Colour::Blue,
        Colour::Magenta,
        Colour::Cyan,
        Colour::White,
    ];

    /// The colour of a mnemonic's name without its underscore.
    pub fn named(name: &str) -> Option<Colour> {
        let names = ["BLACK", "RED", "GREEN", "YELLOW", "BLUE", "MAGENTA", "CYAN", "WHITE"];
        let at = names.iter().position(|known| *known == name)?;
        Colour::ALL.get(at + 1).copied()
    }

    /// The colour of a number from 0 to 15 (manual, `mnemonics/b_`): the dark and the light form of a colour are the same here, dark
    /// grey is black and light grey is white.
    pub fn of_number(number: u8) -> Option<Colour> {
        match number {
            0..=7 => Colour::ALL.get(usize::from(number) + 1).copied(),
            8 => Some(Colour::Black),
            9..=14 => Colour::ALL.get(usize::from(number) - 7).copied(),
            15 => Some(Colour::White),
            _ => None,
        }
    }

    /// The colour of a text of `'COLOUR'` (manual, `mnemonics/colour`): a name such as `Light Blue`, `#rrggbb`, or `RGB: r g b`.
    pub fn of_text(text: &str) -> Option<Colour> {
        let text = text.trim().to_ascii_uppercase();
        if let Some(hex) = text.strip_prefix('#').filter(|hex| hex.len() == 6 && hex.is_ascii()) {
            let part = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
            return Some(Colour::nearest([part(0)?, part(2)?, part(4)?]));
        }
        if let Some(numbers) = text.strip_prefix("RGB:") {
            let parts: Vec<u8> = numbers.split_whitespace().map(|part| part.parse().ok()).collect::<Option<_>>()?;
            return Some(Colour::nearest(<[u8; 3]>::try_from(parts).ok()?));
        }
        match text.as_str() {
            "DARK GRAY" | "DARK GREY" => Some(Colour::Black),
            "LIGHT GRAY" | "LIGHT GREY" | "GRAY" | "GREY" => Some(Colour::White),
            name => Colour::named(name.strip_prefix("LIGHT ").or(name.strip_prefix("DARK ")).unwrap_or(name)),
        }
    }

    /// The colour of red, green and blue: a part counts if it is more than half of the strongest one; below a quarter all is black.
    fn nearest(parts: [u8; 3]) -> Colour {
        let strongest = parts.iter().copied().max().unwrap_or(0);
        if strongest < 64 {
            return Colour::Black;
        }
        let bit = |at: usize| u8::from(parts.get(at).is_some_and(|part| *part > strongest / 2)) << at;
        Colour::of_number(bit(0) | bit(1) | bit(2)).unwrap_or_default()
    }
}

/// The look of a character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Style {
    /// Attributes.
    pub attributes: Attributes,
    /// The colour of the character.
    pub foreground: Colour,
    /// The colour behind it.
    pub background: Colour,
}

/// One position of the text plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The character; each takes one column.
    pub character: char,
    /// Its look.
    pub style: Style,
}

impl Default for Cell {
    fn default() -> Cell {
        Cell { character: ' ', style: Style::default() }
    }
}

/// Neighbouring cells of one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The column of the first character.
    pub column: u16,
    /// Their style.
    pub style: Style,
    /// Their characters.
    pub text: String,
}

/// The runs of a row. Blank cells without style are left out.
pub fn runs(cells: &[Cell]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut column = 0_u16;
    for cell in cells {
        match runs.last_mut() {
            Some(run) if run.style == cell.style => run.text.push(cell.character),
            _ => runs.push(Run { column, style: cell.style, text: cell.character.to_string() }),
        }
        column = column.saturating_add(1);
    }
    for run in runs.iter_mut().filter(|run| run.style == Style::default()) {
        run.text.truncate(run.text.trim_end_matches(' ').len());
    }
    runs.retain(|run| !run.text.is_empty());
    runs
}
