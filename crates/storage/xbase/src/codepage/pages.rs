//! The list of code pages, their names and language bytes, and the tables that no library has.

use crate::expr::CaseTable;
use encoding_rs::Encoding;
use std::sync::OnceLock;

/// One code page.
pub(super) struct Page {
    /// The number by which Windows and DOS know it.
    pub number: u16,
    /// The name in messages.
    pub name: &'static str,
    /// Where its characters come from.
    pub source: Source,
    table: OnceLock<Table>,
    /// Its letters: see `case.rs`.
    pub case: OnceLock<CaseTable>,
    /// Characters whose capitals or small letters are letters of ASCII: see `case.rs`.
    pub ascii_forms: [OnceLock<Vec<(u8, String)>>; 2],
}

/// Where the characters of a page come from.
pub(super) enum Source {
    /// 128 characters, for the bytes from 0x80.
    Text(&'static str),
    /// 128 characters, for the bytes from 0x80.
    Complete(&'static [char; 128]),
    /// The same, with gaps.
    Gaps(&'static [Option<char>; 128]),
    /// A single-byte encoding of the Encoding Standard.
    Single(&'static Encoding),
    /// A multi-byte encoding of the Encoding Standard.
    Multi(&'static Encoding),
    /// UTF-8.
    Utf8,
}

/// The upper half of a single-byte page, made ready for copying.
pub(super) struct Table {
    /// For each byte from 0x80: its UTF-8 sequence and that one's length.
    pub sequences: [([u8; 4], u8); 128],
    /// Bit n is set if the page does not define byte 0x80 + n.
    pub undefined: u128,
    /// The same the other way round, sorted.
    bytes: Vec<(char, u8)>,
}

impl Page {
    const fn new(number: u16, name: &'static str, source: Source) -> Page {
        let ascii_forms = [OnceLock::new(), OnceLock::new()];
        Page { number, name, source, table: OnceLock::new(), case: OnceLock::new(), ascii_forms }
    }

    /// The table of a single-byte page; of no use for the others.
    pub fn table(&self) -> &Table {
        self.table.get_or_init(|| Table::new(|byte| self.source.character(byte)))
    }
}

impl Source {
    fn character(&self, byte: u8) -> Option<char> {
        let high = usize::from(byte & 0x7F);
        match self {
            Source::Text(characters) => characters.chars().nth(high),
            Source::Complete(characters) => Some(characters[high]),
            Source::Gaps(characters) => characters[high],
            Source::Single(encoding) | Source::Multi(encoding) => {
                encoding.decode_without_bom_handling_and_without_replacement(&[byte])?.chars().next()
            }
            Source::Utf8 => None,
        }
    }
}

impl Table {
    fn new(character_of: impl Fn(u8) -> Option<char>) -> Table {
        let mut table = Table { sequences: [([0; 4], 0); 128], undefined: 0, bytes: Vec::with_capacity(128) };
        for (high, byte) in (0x80..=0xFFu8).enumerate() {
            let mut sequence = Vec::new();
            match character_of(byte) {
                Some(character) => {
                    sequence.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                    table.bytes.push((character, byte));
                }
                None => {
                    super::push_undecodable(byte, &mut sequence);
                    table.undefined |= 1 << high;
                }
            }
            let (bytes, length) = &mut table.sequences[high];
            bytes[..sequence.len()].copy_from_slice(&sequence);
            *length = sequence.len() as u8;
        }
        table.bytes.sort_unstable();
        table
    }

    /// The byte that stands for this character.
    pub fn byte_of(&self, character: char) -> Option<u8> {
        let place = self.bytes.binary_search_by_key(&character, |&(character, _)| character).ok()?;
        Some(self.bytes[place].1)
    }
}

use Source::{Complete, Gaps, Multi, Single, Text};

/// Every page there is; the first is the one that a DOS machine had.
pub(super) static PAGES: [Page; 52] = [
    Page::new(437, "cp437", Complete(&oem_cp::code_table::DECODING_TABLE_CP437)),
    Page::new(720, "cp720", Complete(&oem_cp::code_table::DECODING_TABLE_CP720)),
    Page::new(737, "cp737", Complete(&oem_cp::code_table::DECODING_TABLE_CP737)),
    Page::new(775, "cp775", Complete(&oem_cp::code_table::DECODING_TABLE_CP775)),
    Page::new(850, "cp850", Complete(&oem_cp::code_table::DECODING_TABLE_CP850)),
    Page::new(852, "cp852", Complete(&oem_cp::code_table::DECODING_TABLE_CP852)),
    Page::new(855, "cp855", Complete(&oem_cp::code_table::DECODING_TABLE_CP855)),
    Page::new(857, "cp857", Gaps(&oem_cp::code_table::DECODING_TABLE_CP857)),
    Page::new(858, "cp858", Complete(&oem_cp::code_table::DECODING_TABLE_CP858)),
    Page::new(860, "cp860", Complete(&oem_cp::code_table::DECODING_TABLE_CP860)),
    Page::new(861, "cp861", Complete(&oem_cp::code_table::DECODING_TABLE_CP861)),
    Page::new(862, "cp862", Complete(&oem_cp::code_table::DECODING_TABLE_CP862)),
    Page::new(863, "cp863", Complete(&oem_cp::code_table::DECODING_TABLE_CP863)),
    Page::new(864, "cp864", Gaps(&oem_cp::code_table::DECODING_TABLE_CP864)),
    Page::new(865, "cp865", Complete(&oem_cp::code_table::DECODING_TABLE_CP865)),
    Page::new(866, "cp866", Complete(&oem_cp::code_table::DECODING_TABLE_CP866)),
    Page::new(869, "cp869", Complete(&oem_cp::code_table::DECODING_TABLE_CP869)),
    Page::new(895, "kamenicky", Text(KAMENICKY)),
    Page::new(620, "mazovia", Text(MAZOVIA)),
    Page::new(874, "windows-874", Single(encoding_rs::WINDOWS_874)),
    Page::new(932, "cp932", Multi(encoding_rs::SHIFT_JIS)),
    Page::new(936, "cp936", Multi(encoding_rs::GBK)),
    Page::new(949, "cp949", Multi(encoding_rs::EUC_KR)),
    Page::new(950, "cp950", Multi(encoding_rs::BIG5)),
    Page::new(1250, "windows-1250", Single(encoding_rs::WINDOWS_1250)),
    Page::new(1251, "windows-1251", Single(encoding_rs::WINDOWS_1251)),
    Page::new(1252, "windows-1252", Single(encoding_rs::WINDOWS_1252)),
    Page::new(1253, "windows-1253", Single(encoding_rs::WINDOWS_1253)),
    Page::new(1254, "windows-1254", Single(encoding_rs::WINDOWS_1254)),
    Page::new(1255, "windows-1255", Single(encoding_rs::WINDOWS_1255)),
    Page::new(1256, "windows-1256", Single(encoding_rs::WINDOWS_1256)),
    Page::new(1257, "windows-1257", Single(encoding_rs::WINDOWS_1257)),
    Page::new(1258, "windows-1258", Single(encoding_rs::WINDOWS_1258)),
    Page::new(28592, "iso-8859-2", Single(encoding_rs::ISO_8859_2)),
    Page::new(28593, "iso-8859-3", Single(encoding_rs::ISO_8859_3)),
    Page::new(28594, "iso-8859-4", Single(encoding_rs::ISO_8859_4)),
    Page::new(28595, "iso-8859-5", Single(encoding_rs::ISO_8859_5)),
    Page::new(28596, "iso-8859-6", Single(encoding_rs::ISO_8859_6)),
    Page::new(28597, "iso-8859-7", Single(encoding_rs::ISO_8859_7)),
    Page::new(28598, "iso-8859-8", Single(encoding_rs::ISO_8859_8)),
    Page::new(28600, "iso-8859-10", Single(encoding_rs::ISO_8859_10)),
    Page::new(28603, "iso-8859-13", Single(encoding_rs::ISO_8859_13)),
    Page::new(28604, "iso-8859-14", Single(encoding_rs::ISO_8859_14)),
    Page::new(28605, "iso-8859-15", Single(encoding_rs::ISO_8859_15)),
    Page::new(28606, "iso-8859-16", Single(encoding_rs::ISO_8859_16)),
    Page::new(20866, "koi8-r", Single(encoding_rs::KOI8_R)),
    Page::new(21866, "koi8-u", Single(encoding_rs::KOI8_U)),
    Page::new(10000, "macintosh", Single(encoding_rs::MACINTOSH)),
    Page::new(10007, "mac-cyrillic", Single(encoding_rs::X_MAC_CYRILLIC)),
    Page::new(10029, "mac-central-europe", Text(MAC_CENTRAL_EUROPE)),
    Page::new(10006, "mac-greek", Text(MAC_GREEK)),
    Page::new(65001, "utf-8", Source::Utf8),
];

/// The page of a language byte. Sources: the manuals of dBASE IV and 5 (0x08 to 0x59, 0x86 to 0x88), of Visual
/// FoxPro (0x01 to 0x04, 0x64 to 0xCB), and what shapefile tools agree on for the rest.
pub(super) fn number_of_language(byte: u8) -> Option<u16> {
    Some(match byte {
        0x01 | 0x09 | 0x0B | 0x0D | 0x0F | 0x11 | 0x15 | 0x18 | 0x19 | 0x1B => 437,
        0x02 | 0x0A | 0x0E | 0x10 | 0x12 | 0x14 | 0x16 | 0x1A | 0x1D | 0x25 | 0x37 => 850,
        0x03 | 0x57..=0x59 => 1252,
        0x04 => 10000,
        0x08 | 0x17 | 0x66 => 865,
        0x13 | 0x7B => 932,
        0x1C | 0x6C => 863,
        0x1F | 0x22 | 0x23 | 0x40 | 0x64 | 0x87 => 852,
        0x24 => 860,
        0x26 | 0x65 => 866,
        0x4D | 0x7A => 936,
        0x4E | 0x79 => 949,
        0x4F | 0x78 => 950,
        0x50 | 0x7C => 874,
        0x67 => 861,
        0x68 => 895,
        0x69 => 620,
        0x6A | 0x86 => 737,
        0x6B | 0x88 => 857,
        0x7D => 1255,
        0x7E => 1256,
        0x96 => 10007,
        0x97 => 10029,
        0x98 => 10006,
        0xC8 => 1250,
        0xC9 => 1251,
        0xCA => 1254,
        0xCB => 1253,
        0xCC => 1257,
        _ => return None,
    })
}

/// The page of a name in lower case without blanks.
pub(super) fn number_of_name(name: &str) -> Option<u16> {
    if let Some(page) = PAGES.iter().find(|page| page.name == name) {
        return Some(page.number);
    }
    match name {
        "mazowia" | "maz" => return Some(620),
        "kamenicky" | "kam" | "keybcs2" => return Some(895),
        "utf8" => return Some(65001),
        "sjis" | "shift-jis" | "shiftjis" => return Some(932),
        "gbk" | "gb2312" | "gb18030" => return Some(936),
        "euc-kr" | "korean" => return Some(949),
        "big5" => return Some(950),
        _ => {}
    }
    let bare = ["windows-", "windows", "cp-", "cp", "oem-", "oem", "ansi-", "ansi", "ibm", "dos-", "dos", "ms", "mac-"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix));
    if let Ok(number) = bare.unwrap_or(name).parse::<u16>() {
        return Some(if number == 28591 { 1252 } else { number }).filter(|&number| number < 30_000 || number == 65001);
    }
    // "iso-8859-2", "iso88592", "8859-2", "88592". The first of the family is read as windows-1252, its superset.
    let digits: String = name.chars().filter(char::is_ascii_digit).collect();
    let is_iso = name.chars().all(|c| c.is_ascii_digit() || "iso-".contains(c));
    match digits.strip_prefix("8859").filter(|_| is_iso)? {
        "1" => Some(1252),
        "9" => Some(1254),
        part => part.parse::<u16>().ok().filter(|part| *part <= 16).map(|part| 28_590 + part),
    }
}

/// Kamenicky (code page 895): the Czechoslovak page, with the frames of 437 in their places.
pub(super) const KAMENICKY: &str = "\
    ČüéďäĎŤčěĚĹÍľĺÄÁÉžŽôöÓůÚýÖÜŠĽÝŘť\
    áíóúňŇŮÔšřŕŔ¼§«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
    └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
    αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{00A0}";

/// Mazovia (code page 620): 437 with the Polish letters.
pub(super) const MAZOVIA: &str = "\
    ÇüéâäàąçêëèïîćÄĄĘęłôöĆûùŚÖÜ¢Ł¥śƒ\
    ŹŻóÓńŃźż¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
    └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
    αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{00A0}";

/// Macintosh Central European (code page 10029).
pub(super) const MAC_CENTRAL_EUROPE: &str = "\
    ÄĀāÉĄÖÜáąČäčĆćéŹźĎíďĒēĖóėôöõúĚěü\
    †°Ę£§•¶ß®©™ę¨≠ģĮįĪ≤≥īĶ∂∑łĻļĽľĹĺŅ\
    ņŃ¬√ńŇ∆«»…\u{00A0}ňŐÕőŌ–—“”‘’÷◊ōŔŕŘ‹›řŖ\
    ŗŠ‚„šŚśÁŤťÍŽžŪÓÔūŮÚůŰűŲųÝýķŻŁżĢˇ";

/// Macintosh Greek (code page 10006).
pub(super) const MAC_GREEK: &str = "\
    Ä¹²É³ÖÜ΅àâä΄¨çéèêë£™îï•½‰ôö¦€ùûü\
    †ΓΔΘΛΞΠß®©ΣΪ§≠°·Α±≤≥¥ΒΕΖΗΙΚΜΦΫΨΩ\
    άΝ¬ΟΡ≈Τ«»…\u{00A0}ΥΧΆΈœ–―“”‘’÷ΉΊΌΎέήίόΏ\
    ύαβψδεφγηιξκλμνοπώρστθωςχυζϊϋΐΰ\u{00AD}";
