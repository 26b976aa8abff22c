//! Numbers in formats that are patterns: `#,##0.00;(#,##0.00);zero`.
//!
//! ```text
//!   0      a digit, also when it is an insignificant zero      #      a digit unless it is one
//!   .      the decimal mark                                    ,      between digits: groups; before the mark: thousandths
//!   % ‰    per hundred, per thousand                           E+0    an exponent
//!   \x 'x' "x"   as they are                                   ;      positive ; negative ; zero
//! ```

use super::culture::Culture;
use super::number::Digits;

/// A piece of a section.
enum Piece {
    /// `0`
    Zero,
    /// `#`
    Digit,
    Point,
    Text(String),
    /// The letter, whether a plus is shown, and the digits at least.
    Exponent(char, bool, usize),
}

#[derive(Default)]
struct Section {
    pieces: Vec<Piece>,
    /// Places in front of and behind the point.
    whole: usize,
    decimals: usize,
    /// The first place in front of the point that is shown in any case, counted from the point; the last behind it.
    first_zero: usize,
    last_zero: usize,
    grouped: bool,
    /// Powers of ten that the number is multiplied with.
    shift: i32,
    exponent: bool,
}

/// A number in a format.
pub fn number(digits: Digits, format: &str, culture: &Culture) -> Option<String> {
    let sections: Vec<Section> = split(format).iter().map(|text| read(text)).collect();
    let first = sections.first()?;
    let (section, mut digits, signed) = match (digits.negative && !digits.is_zero(), sections.get(1)) {
        (true, Some(negative)) if !negative.pieces.is_empty() => (negative, digits, false),
        _ => (first, digits, true),
    };
    digits = prepared(digits, section);
    // A number that rounds to zero is shown as zero.
    if digits.is_zero()
        && let Some(zero) = sections.get(2).filter(|zero| !zero.pieces.is_empty())
    {
        return Some(show(&prepared(digits, zero), zero, culture));
    }
    let shown = show(&digits, section, culture);
    Some(if digits.negative && !digits.is_zero() && signed { format!("-{shown}") } else { shown })
}

/// Sections between the semicolons that are not quoted.
fn split(format: &str) -> Vec<String> {
    let (mut sections, mut section, mut quote) = (Vec::new(), String::new(), None);
    let mut rest = format.chars();
    while let Some(character) = rest.next() {
        match (character, quote) {
            (';', None) => {
                sections.push(std::mem::take(&mut section));
                continue;
            }
            ('\\', None) => {
                section.push(character);
                section.extend(rest.next());
                continue;
            }
            ('\'' | '"', None) => quote = Some(character),
            (_, Some(open)) if open == character => quote = None,
            _ => {}
        }
        section.push(character);
    }
    sections.push(section);
    sections
}

fn read(text: &str) -> Section {
    let mut section = Section::default();
    let characters: Vec<char> = text.chars().collect();
    let (mut at, mut point, mut pending_commas, mut seen_digit) = (0, false, 0, false);
    let mut zeros_in_front = Vec::new();
    while let Some(character) = characters.get(at).copied() {
        at += 1;
        match character {
            '0' | '#' => {
                section.grouped |= pending_commas > 0 && seen_digit && !point;
                pending_commas = 0;
                seen_digit = true;
                if point {
                    section.decimals += 1;
                    if character == '0' {
                        section.last_zero = section.decimals;
                    }
                } else {
                    section.whole += 1;
                    zeros_in_front.push(character == '0');
                }
                section.pieces.push(if character == '0' { Piece::Zero } else { Piece::Digit });
            }
            ',' => pending_commas += i32::from(seen_digit && !point),
            '.' => {
                if !point {
                    section.shift -= 3 * pending_commas;
                    pending_commas = 0;
                    point = true;
                    section.pieces.push(Piece::Point);
                }
            }
            '%' => {
                section.shift += 2;
                section.pieces.push(Piece::Text("%".into()));
            }
            '‰' => {
                section.shift += 3;
                section.pieces.push(Piece::Text("‰".into()));
            }
            'E' | 'e' => match exponent(character, characters.get(at..).unwrap_or_default()) {
                Some((piece, length)) => {
                    section.exponent = true;
                    section.pieces.push(piece);
                    at += length;
                }
                None => section.pieces.push(Piece::Text(character.to_string())),
            },
            '\\' => {
                section.pieces.push(Piece::Text(characters.get(at).map(char::to_string).unwrap_or_default()));
                at += 1;
            }
            '\'' | '"' => {
                let quoted: String = characters.iter().skip(at).take_while(|c| **c != character).collect();
                at += quoted.chars().count() + 1;
                section.pieces.push(Piece::Text(quoted));
            }
            other => section.pieces.push(Piece::Text(other.to_string())),
        }
    }
    section.shift -= 3 * pending_commas;
    let first = zeros_in_front.iter().position(|zero| *zero);
    section.first_zero = first.map_or(0, |first| section.whole - first);
    section
}

/// `E0`, `E+00` or `E-0`: what stands behind the letter.
fn exponent(letter: char, rest: &[char]) -> Option<(Piece, usize)> {
    let (plus, skip) = match rest.first() {
        Some('+') => (true, 1),
        Some('-') => (false, 1),
        _ => (false, 0),
    };
    let zeros = rest.iter().skip(skip).take_while(|c| **c == '0').count();
    (zeros > 0).then_some((Piece::Exponent(letter, plus, zeros), skip + zeros))
}

/// The number multiplied and rounded as the section wants it.
fn prepared(mut digits: Digits, section: &Section) -> Digits {
    if section.exponent {
        return digits.rounded_to((section.whole + section.decimals) as i32);
    }
    if !digits.is_zero() {
        digits.point += section.shift;
    }
    digits.rounded(section.decimals)
}

fn show(digits: &Digits, section: &Section, culture: &Culture) -> String {
    let mut digits = digits.clone();
    let mut exponent = 0;
    if section.exponent && !digits.is_zero() {
        exponent = digits.point - section.whole as i32;
        digits.point = section.whole as i32;
    }
    let mut out = String::new();
    // The place of the next digit; more digits than places all go to the first of them.
    let mut place = section.whole as i32 - 1;
    let mut started = false;
    for piece in &section.pieces {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Point => {
                let needed = digits.digits.len() as i32 > digits.point.max(0) || section.last_zero > 0;
                let fraction = (1..=section.decimals as i32).any(|p| digits.at(-p) != 0) || section.last_zero > 0;
                if needed && fraction {
                    out.push_str(culture.decimal);
                }
                place = -1;
            }
            Piece::Exponent(letter, plus, zeros) => {
                let sign = match exponent {
                    negative if negative < 0 => "-",
                    _ if *plus => "+",
                    _ => "",
                };
                out.push_str(&format!("{letter}{sign}{:0>zeros$}", exponent.unsigned_abs()));
            }
            Piece::Zero | Piece::Digit if place >= 0 => {
                let from = if started { place } else { place.max(digits.point - 1) };
                for at in (place..=from).rev() {
                    let digit = digits.at(at);
                    started |= at < digits.point && !digits.is_zero();
                    if started || at < section.first_zero as i32 {
                        started = true;
                        out.push(char::from(b'0' + digit));
                        if section.grouped && at > 0 && at % 3 == 0 {
                            out.push_str(culture.group);
                        }
                    }
                }
                place -= 1;
            }
            Piece::Zero | Piece::Digit => {
                let behind = (-place) as usize;
                let more = (behind as i32..=section.decimals as i32).any(|p| digits.at(-p) != 0);
                if behind <= section.last_zero || more {
                    out.push(char::from(b'0' + digits.at(place)));
                }
                place -= 1;
            }
        }
    }
    out
}
