//! Mnemonics: the operations that programs print, by name and as bytes in strings.
//!
//! In Business BASIC a mnemonic is a value: `X$='RED'+X$` keeps it in a string, and printing the string performs it. The
//! bytes of a mnemonic without arguments whose name has two characters are escape and the name, as in ProvideX
//! (`HTA('CS')` is `1B4353`). All others use a form of this module, which programs only pass on:
//!
//! ```text
//! 1B 27 length name count { 00 f64 | 01 length16 text | 02 length16 text of OPT= } ...
//! 1B 40 column row                                      @(column,row), each below 256
//! ```
//!
//! Mnemonics that only printers or a graphical plane know are accepted and have no effect on a screen; a name that the manual
//! does not list is error 29.

use crate::cell::{Attributes, Colour};
use crate::error::{Result, ScreenError, UNKNOWN_MNEMONIC};
use crate::plane::Region;

/// The byte that starts a mnemonic in a string.
pub const ESCAPE: u8 = 0x1b;

/// An argument of a mnemonic.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A number.
    Number(f64),
    /// A string.
    Text(Vec<u8>),
    /// The string of `OPT=`.
    Option(Vec<u8>),
}

/// The definition of a window or of a box.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// The place in the current window.
    pub region: Region,
    /// The number of the window, if one is given.
    pub id: Option<u8>,
    /// The title.
    pub title: Option<Vec<u8>>,
    /// Mnemonics that set the style.
    pub attributes: Vec<u8>,
    /// The letters of `OPT=`.
    pub options: Vec<u8>,
}

/// The look of the cursor: `'C0'`, `'C1'`, `'C2'`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum CursorMode {
    /// Not shown.
    Hidden,
    /// As usual.
    #[default]
    Normal,
    /// As in insert mode.
    Insert,
}

/// A mode that input depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputMode {
    /// `'BE'`, `'EE'`: typed characters are shown.
    Echo,
    /// `'BI'`, `'EI'`: keys are not interpreted.
    Transparent,
    /// `'ME'`, `'MN'`: keys that the editor does not use end the input.
    Edit,
    /// `'UC'`, `'LC'`: letters become upper case.
    Upper,
    /// `'BT'`, `'ET'`: keys are kept until a program asks for them.
    TypeAhead,
}

/// An operation on the screen.
#[derive(Clone, Debug, PartialEq)]
pub enum Mnemonic {
    /// `@(column,row)`
    Position(u16, u16),
    /// `@(column)`: another column of the same line.
    Column(u16),
    /// `'CS'`, `'FF'`
    ClearScreen,
    /// `'CE'`
    ClearToEnd,
    /// `'CL'`
    ClearLine,
    /// `'CF'`
    ClearForeground,
    /// `'CH'`
    Home,
    /// `'CR'`
    CarriageReturn,
    /// `'LF'`
    LineFeed,
    /// `'BS'`, `'LT'`
    Left,
    /// `'RT'`
    Right,
    /// `'UP'`
    Up,
    /// `'DN'`
    Down,
    /// `'RB'`, `'BEEP'`
    Bell,
    /// Sets or clears an attribute.
    Attribute(Attributes, bool),
    /// The colour of characters.
    Foreground(Colour),
    /// The colour behind characters.
    Background(Colour),
    /// `'BACKGR'`, `'BK'`: the next colour is that behind characters.
    NextIsBackground,
    /// `'MODE'`: attributes and colours at once; `None` leaves them.
    Mode(Option<Attributes>, Option<Colour>, Option<Colour>),
    /// Sets a mode of input.
    Input(InputMode, bool),
    /// `'CI'`
    ClearInput,
    /// `'BO'`, `'EO'`: control characters are printed as characters.
    RawOutput(bool),
    /// `'BW'`, `'EW'`
    Wrap(bool),
    /// `'IC'` and `'DC'`
    ShiftCells(bool),
    /// `'LI'` and `'LD'`
    ShiftLines(bool),
    /// `'RM'`
    ResetModes,
    /// `'DF'`
    SetDefault,
    /// `'SA'` and `'RA'`
    KeepStyle(bool),
    /// `'SCROLL'(column,line,width,height)`, and `'SR'` without.
    ScrollRegion(Option<Region>),
    /// `'SE'` and `'SD'`
    Scrolling(bool),
    /// `'WINDOW'`, `'DIALOGUE'`, `'TEXTWDW'`
    Window(Frame),
    /// `'PUSH'`
    Push,
    /// `'POP'`
    Pop,
    /// `'DROP'`; -1 drops all windows but the first.
    Drop(Option<i32>),
    /// `'GOTO'`
    Goto(u8),
    /// `'SWAP'`
    Swap,
    /// `'MOVE'`
    Move(u16, u16),
    /// `'BOX'`
    Box(Frame),
    /// `'TEXT'(column,line,text)`: the cursor stays.
    Text(u16, u16, Vec<u8>),
    /// `'CAPTION'`
    Caption(Vec<u8>),
    /// `'MESSAGE'(text,segment)`
    Message(Vec<u8>, u8),
    /// `'C0'` to `'C2'`
    Cursor(CursorMode),
    /// `'RS'`
    Repaint,
    /// The end of a list of INPUT without a comma behind it. It has no name and no bytes.
    EndInput,
    /// Known, and without effect on a screen.
    None,
}

/// Names that are accepted and have no effect here: printers, fonts, drawing and session switches.
const WITHOUT_EFFECT: &[&str] = &[
    "VT",
    "CP",
    "SP",
    "EP",
    "EF",
    "WP",
    "CPI",
    "LPI",
    "L6",
    "L8",
    "LM",
    "PM",
    "MP",
    "MS",
    "PS",
    "PE",
    "OFFSET",
    "AB",
    "AT",
    "XP",
    "FONT",
    "PICTURE",
    "IMAGE",
    "LINE",
    "RECTANGLE",
    "CIRCLE",
    "ARC",
    "PIE",
    "POLYGON",
    "PEN",
    "FILL",
    "F+",
    "F-",
    "JL",
    "JR",
    "JC",
    "JD",
    "JN",
    "JS",
    "2D",
    "3D",
    "4D",
    "GF",
    "DO",
    "OPTION",
    "FRAME",
    "SHOW",
    "SIZE",
    "MAXSIZE",
    "MINSIZE",
    "BG",
    "EG",
    "BJ",
    "EJ",
    "BM",
    "EM",
    "SN",
    "SX",
    "NI",
    "FL",
    "EL",
    "SL",
    "BACKFILL",
];

impl Mnemonic {
    /// True for a name that has a meaning, or is accepted, in some form.
    pub fn is_known(name: &str) -> bool {
        const WITH_ARGUMENTS: [&str; 25] = [
            "@", "SCROLL", "WINDOW", "WA", "DIALOGUE", "DIALOG", "TEXTWDW", "BOX", "BX", "DROP", "WD", "GOTO", "WG",
            "MOVE", "WM", "TEXT", "CAPTION", "MESSAGE", "CURSOR", "BEEP", "COLOUR", "COLOR", "_COLOUR", "_COLOR",
            "MODE",
        ];
        let name = name.to_ascii_uppercase();
        WITH_ARGUMENTS.contains(&name.as_str()) || is_without_effect(&name) || without_arguments(&name).is_some()
    }

    /// The operation of a mnemonic. Names are compared without case.
    ///
    /// Errors: 29 for an unknown name or arguments that do not fit.
    pub fn parse(name: &str, arguments: &[Argument]) -> Result<Mnemonic> {
        let name = name.to_ascii_uppercase();
        let plain = arguments.is_empty().then(|| without_arguments(&name)).flatten();
        if let Some(mnemonic) = plain {
            return Ok(mnemonic);
        }
        with_arguments(&name, arguments)
            .or_else(|| is_without_effect(&name).then_some(Mnemonic::None))
            .ok_or_else(|| ScreenError::new(UNKNOWN_MNEMONIC, format!("Mnemonic '{name}' is not known in this form")))
    }
}

fn is_without_effect(name: &str) -> bool {
    let switch = name.len() == 2 && name.starts_with(['+', '-', '*']);
    let slew = name.strip_prefix('S').is_some_and(|number| number.parse::<u8>().is_ok());
    switch || slew || WITHOUT_EFFECT.contains(&name)
}

fn without_arguments(name: &str) -> Option<Mnemonic> {
    use Mnemonic::{Attribute, Input};
    Some(match name {
        "CS" | "FF" => Mnemonic::ClearScreen,
        "CE" => Mnemonic::ClearToEnd,
        "CL" => Mnemonic::ClearLine,
        "CF" => Mnemonic::ClearForeground,
        "CH" => Mnemonic::Home,
        "CR" => Mnemonic::CarriageReturn,
        "LF" => Mnemonic::LineFeed,
        "BS" | "LT" => Mnemonic::Left,
        "RT" => Mnemonic::Right,
        "UP" => Mnemonic::Up,
        "DN" => Mnemonic::Down,
        "RB" | "BEEP" => Mnemonic::Bell,
        "SB" => Attribute(Attributes::DIM, true),
        "SF" => Attribute(Attributes::DIM, false),
        "BR" => Attribute(Attributes::REVERSE, true),
        "ER" => Attribute(Attributes::REVERSE, false),
        "BU" => Attribute(Attributes::UNDERLINE, true),
        "EU" => Attribute(Attributes::UNDERLINE, false),
        "BB" => Attribute(Attributes::BLINK, true),
        "EB" => Attribute(Attributes::BLINK, false),
        "GS" => Attribute(Attributes::GRAPHIC, true),
        "GE" => Attribute(Attributes::GRAPHIC, false),
        "BE" => Input(InputMode::Echo, true),
        "EE" => Input(InputMode::Echo, false),
        "BI" => Input(InputMode::Transparent, true),
        "EI" => Input(InputMode::Transparent, false),
        "ME" => Input(InputMode::Edit, true),
        "MN" => Input(InputMode::Edit, false),
        "UC" => Input(InputMode::Upper, true),
        "LC" => Input(InputMode::Upper, false),
        "BT" => Input(InputMode::TypeAhead, true),
        "ET" => Input(InputMode::TypeAhead, false),
        "CI" => Mnemonic::ClearInput,
        "BO" => Mnemonic::RawOutput(true),
        "EO" => Mnemonic::RawOutput(false),
        "BW" | "WRAP" => Mnemonic::Wrap(true),
        "EW" => Mnemonic::Wrap(false),
        "IC" => Mnemonic::ShiftCells(true),
        "DC" => Mnemonic::ShiftCells(false),
        "LI" => Mnemonic::ShiftLines(true),
        "LD" => Mnemonic::ShiftLines(false),
        "RM" => Mnemonic::ResetModes,
        "DF" | "DEFAULT" => Mnemonic::SetDefault,
        "SA" => Mnemonic::KeepStyle(true),
        "RA" => Mnemonic::KeepStyle(false),
        "SR" => Mnemonic::ScrollRegion(None),
        "SE" => Mnemonic::Scrolling(true),
        "SD" => Mnemonic::Scrolling(false),
        "PUSH" | "WC" => Mnemonic::Push,
        "POP" | "WR" => Mnemonic::Pop,
        "DROP" | "WD" => Mnemonic::Drop(None),
        "SWAP" | "WS" => Mnemonic::Swap,
        "C0" => Mnemonic::Cursor(CursorMode::Hidden),
        "C1" => Mnemonic::Cursor(CursorMode::Normal),
        "C2" => Mnemonic::Cursor(CursorMode::Insert),
        "RS" => Mnemonic::Repaint,
        "BACKGR" | "BK" => Mnemonic::NextIsBackground,
        _ => return colour(name),
    })
}

/// A colour by its name, or by its number: `'F4'`, `'B<'`.
fn colour(name: &str) -> Option<Mnemonic> {
    let number = |code: u8| Colour::of_number(code.wrapping_sub(b'0'));
    match name.as_bytes() {
        [b'F', code] => number(*code).map(Mnemonic::Foreground),
        [b'B', code] => number(*code).map(Mnemonic::Background),
        [b'_', ..] => Colour::named(name.get(1..)?).map(Mnemonic::Background),
        _ => Colour::named(name).map(Mnemonic::Foreground),
    }
}

/// The colour of an argument of `'COLOUR'`. Numbers behind the sixteen fixed ones are colours of the user's own, which have no
/// definition here and leave the colour of the face.
fn colour_of(argument: &Argument) -> Option<Colour> {
    match argument {
        Argument::Number(number) if (0.0..255.0).contains(number) => {
            Some(Colour::of_number(*number as u8).unwrap_or_default())
        }
        Argument::Text(text) => Colour::of_text(&String::from_utf8_lossy(text)),
        _ => None,
    }
}

/// `'MODE'` (manual, `mnemonics/mode`): one byte of attributes, two of colours, or all three; a number is one byte of attributes.
fn mode(argument: &Argument) -> Option<Mnemonic> {
    let attributes = |byte: u8| Some(Attributes(byte & 0x1f));
    match argument {
        Argument::Number(number) if number.is_finite() => {
            Some(Mnemonic::Mode(attributes((*number as i64 & 0xff) as u8), None, None))
        }
        Argument::Text(text) => match *text.as_slice() {
            [byte] => Some(Mnemonic::Mode(attributes(byte), None, None)),
            [fore, back] => Some(Mnemonic::Mode(None, Colour::of_number(fore), Colour::of_number(back))),
            [byte, fore, back] => {
                Some(Mnemonic::Mode(attributes(byte), Colour::of_number(fore), Colour::of_number(back)))
            }
            _ => None,
        },
        _ => None,
    }
}

fn with_arguments(name: &str, arguments: &[Argument]) -> Option<Mnemonic> {
    Some(match (name, arguments) {
        ("@", [column]) => Mnemonic::Column(coordinate(column)?),
        ("@", [column, row]) => Mnemonic::Position(coordinate(column)?, coordinate(row)?),
        ("SCROLL", [Argument::Text(word)]) => match word.to_ascii_uppercase().as_slice() {
            b"ON" => Mnemonic::Scrolling(true),
            b"OFF" => Mnemonic::Scrolling(false),
            b"RESET" => Mnemonic::ScrollRegion(None),
            _ => return None,
        },
        ("SCROLL", _) => Mnemonic::ScrollRegion(Some(frame(arguments)?.region)),
        ("WINDOW" | "WA" | "DIALOGUE" | "DIALOG" | "TEXTWDW", _) => Mnemonic::Window(frame(arguments)?),
        ("BOX" | "BX", _) => Mnemonic::Box(frame(arguments)?),
        ("DROP" | "WD", [Argument::Number(id)]) => Mnemonic::Drop(Some(*id as i32)),
        ("GOTO" | "WG", [Argument::Number(id)]) => Mnemonic::Goto(window_id(*id)?),
        ("MOVE" | "WM", [column, row]) => Mnemonic::Move(coordinate(column)?, coordinate(row)?),
        ("TEXT", [column, row, Argument::Text(text), ..]) => {
            Mnemonic::Text(coordinate(column)?, coordinate(row)?, text.clone())
        }
        ("CAPTION", [Argument::Text(text)]) => Mnemonic::Caption(text.clone()),
        ("MESSAGE", [Argument::Text(text)]) => Mnemonic::Message(text.clone(), 0),
        ("MESSAGE", [Argument::Text(text), Argument::Number(segment)]) if (0.0..4.0).contains(segment) => {
            Mnemonic::Message(text.clone(), *segment as u8)
        }
        ("CURSOR", [Argument::Text(word)]) => match word.to_ascii_uppercase().as_slice() {
            b"OFF" => Mnemonic::Cursor(CursorMode::Hidden),
            b"INS" => Mnemonic::Cursor(CursorMode::Insert),
            b"ON" | b"REP" => Mnemonic::Cursor(CursorMode::Normal),
            _ => return None,
        },
        // The shape of the mouse's pointer, which belongs to the face.
        ("CURSOR", [Argument::Number(_)]) => Mnemonic::None,
        ("COLOUR" | "COLOR", [colour]) => Mnemonic::Foreground(colour_of(colour)?),
        ("_COLOUR" | "_COLOR", [colour]) => Mnemonic::Background(colour_of(colour)?),
        ("MODE", [argument]) => mode(argument)?,
        ("BEEP", _) => Mnemonic::Bell,
        _ => return None,
    })
}

/// A coordinate; negative ones are 0, as text has no place left of the first column.
fn coordinate(argument: &Argument) -> Option<u16> {
    match argument {
        Argument::Number(number) if number.is_finite() => Some(number.clamp(0.0, f64::from(u16::MAX)) as u16),
        _ => None,
    }
}

fn window_id(number: f64) -> Option<u8> {
    (0.0..256.0).contains(&number).then_some(number as u8)
}

/// `column,line,width,height[,id][,title$][,attributes$][,OPT=...]`
fn frame(arguments: &[Argument]) -> Option<Frame> {
    let [column, row, columns, rows, rest @ ..] = arguments else { return None };
    let region = Region {
        column: coordinate(column)?,
        row: coordinate(row)?,
        columns: coordinate(columns)?,
        rows: coordinate(rows)?,
    };
    let mut frame = Frame { region, ..Frame::default() };
    for argument in rest {
        match argument {
            Argument::Number(id) if frame.id.is_none() && frame.title.is_none() => frame.id = Some(window_id(*id)?),
            Argument::Number(_) => return None,
            Argument::Option(letters) => frame.options.clone_from(letters),
            Argument::Text(text) if frame.title.is_none() => frame.title = Some(text.clone()),
            Argument::Text(text) => frame.attributes.extend_from_slice(text),
        }
    }
    // An empty title counts as no title, so that the window gets no border.
    frame.title = frame.title.filter(|title| !title.is_empty());
    Some(frame)
}

/// The bytes of a mnemonic in a string.
///
/// Errors: 29 as [`Mnemonic::parse`] gives, and for arguments that are too long.
pub fn encode(name: &str, arguments: &[Argument]) -> Result<Vec<u8>> {
    Mnemonic::parse(name, arguments)?;
    let name = name.to_ascii_uppercase();
    if arguments.is_empty() && name.len() == 2 && !name.starts_with(['@', '\'']) {
        return Ok([&[ESCAPE], name.as_bytes()].concat());
    }
    if let ("@", [Argument::Number(column), Argument::Number(row)]) = (name.as_str(), arguments)
        && (0.0..256.0).contains(column)
        && (0.0..256.0).contains(row)
    {
        return Ok(vec![ESCAPE, b'@', *column as u8, *row as u8]);
    }
    let too_long = || ScreenError::new(UNKNOWN_MNEMONIC, format!("Argument of '{name}' is too long"));
    let mut bytes = vec![ESCAPE, b'\'', u8::try_from(name.len()).map_err(|_| too_long())?];
    bytes.extend_from_slice(name.as_bytes());
    bytes.push(u8::try_from(arguments.len()).map_err(|_| too_long())?);
    for argument in arguments {
        let (tag, text) = match argument {
            Argument::Number(number) => {
                bytes.push(0);
                bytes.extend_from_slice(&number.to_le_bytes());
                continue;
            }
            Argument::Text(text) => (1, text),
            Argument::Option(text) => (2, text),
        };
        bytes.push(tag);
        bytes.extend_from_slice(&u16::try_from(text.len()).map_err(|_| too_long())?.to_le_bytes());
        bytes.extend_from_slice(text);
    }
    Ok(bytes)
}

/// Reads the mnemonic at the start of `bytes`, which begin with an escape. Returns it with its length; an incomplete or
/// unknown one has no effect and the length of its first byte, or of its name.
pub fn decode(bytes: &[u8]) -> (Mnemonic, usize) {
    match bytes {
        [_, b'@', column, row, ..] => (Mnemonic::Position(u16::from(*column), u16::from(*row)), 4),
        [_, b'\'', ..] => decode_long(bytes).unwrap_or((Mnemonic::None, 1)),
        [_, first, second, ..] => {
            let name: String = [*first, *second].iter().map(|byte| char::from(*byte)).collect();
            (Mnemonic::parse(&name, &[]).unwrap_or(Mnemonic::None), 3)
        }
        _ => (Mnemonic::None, bytes.len().min(1)),
    }
}

fn decode_long(bytes: &[u8]) -> Option<(Mnemonic, usize)> {
    let mut at = 2_usize;
    let mut take = |count: usize| {
        let part = bytes.get(at..at.checked_add(count)?)?;
        at += count;
        Some(part)
    };
    let length = usize::from(*take(1)?.first()?);
    let name = String::from_utf8(take(length)?.to_vec()).ok()?;
    let count = *take(1)?.first()?;
    let mut arguments = Vec::new();
    for _ in 0..count {
        arguments.push(match take(1)?.first()? {
            0 => Argument::Number(f64::from_le_bytes(take(8)?.try_into().ok()?)),
            tag @ (1 | 2) => {
                let length = u16::from_le_bytes(take(2)?.try_into().ok()?);
                let text = take(usize::from(length))?.to_vec();
                if *tag == 1 { Argument::Text(text) } else { Argument::Option(text) }
            }
            _ => return None,
        });
    }
    let mnemonic = Mnemonic::parse(&name, &arguments).unwrap_or(Mnemonic::None);
    Some((mnemonic, at))
}
