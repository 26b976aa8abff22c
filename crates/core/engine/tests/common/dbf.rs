//! A small writer of Visual FoxPro tables, for tests: every kind of column, NULLs and deleted records. It follows the
//! published layout, and shares no code with the reader under test.

/// A column.
#[derive(Clone, Copy)]
pub struct Column {
    pub name: &'static str,
    pub letter: u8,
    pub length: u8,
    pub decimals: u8,
    pub nullable: bool,
}

pub fn column(name: &'static str, letter: char, length: u8, decimals: u8, nullable: bool) -> Column {
    Column { name, letter: letter as u8, length, decimals, nullable }
}

/// A value to write. Texts of `C`, `N`, `D` and `L` columns are written as they are, padded with blanks.
#[derive(Clone)]
pub enum Cell {
    Null,
    Text(String),
    Integer(i32),
    Currency(i64),
    Double(f64),
    /// Julian day and milliseconds.
    Moment(u32, u32),
}

/// A table being written.
pub struct Table {
    columns: Vec<Column>,
    records: Vec<u8>,
    count: u32,
    memo: Vec<u8>,
}

const MEMO_BLOCK: usize = 64;

impl Table {
    pub fn new(columns: &[Column]) -> Table {
        Table { columns: columns.to_vec(), records: Vec::new(), count: 0, memo: vec![0; 512] }
    }

    pub fn push(&mut self, deleted: bool, cells: &[Cell]) {
        assert_eq!(cells.len(), self.columns.len());
        self.records.push(if deleted { b'*' } else { b' ' });
        let (mut flags, mut bit) = (vec![0u8; self.flag_bytes()], 0);
        let mut set = |on: bool| {
            flags[bit / 8] |= u8::from(on) << (bit % 8);
            bit += 1;
        };
        for (column, cell) in self.columns.clone().iter().zip(cells) {
            let length = usize::from(column.length);
            let mut bytes = self.bytes_of(column, cell);
            if column.letter == b'V' {
                let used = bytes.len();
                assert!(used <= length);
                set(used < length);
                bytes.resize(length, 0);
                if used < length {
                    bytes[length - 1] = used as u8;
                }
            }
            if column.nullable {
                set(matches!(cell, Cell::Null));
            }
            assert!(bytes.len() <= length, "{} is too long for {}", String::from_utf8_lossy(&bytes), column.name);
            bytes.resize(length, b' ');
            self.records.extend_from_slice(&bytes);
        }
        self.records.extend_from_slice(&flags);
        self.count += 1;
    }

    fn bytes_of(&mut self, column: &Column, cell: &Cell) -> Vec<u8> {
        match (column.letter, cell) {
            (b'N' | b'F', Cell::Text(text)) => {
                format!("{text:>width$}", width = usize::from(column.length)).into_bytes()
            }
            (b'M', Cell::Text(text)) if !text.is_empty() => self.memo_block(text).to_le_bytes().to_vec(),
            (b'M', _) => vec![0; 4],
            (_, Cell::Text(text)) => text.clone().into_bytes(),
            (_, Cell::Integer(value)) => value.to_le_bytes().to_vec(),
            (_, Cell::Currency(value)) => value.to_le_bytes().to_vec(),
            (_, Cell::Double(value)) => value.to_le_bytes().to_vec(),
            (_, Cell::Moment(day, ms)) => [day.to_le_bytes(), ms.to_le_bytes()].concat(),
            (b'I', Cell::Null) => vec![0; 4],
            (b'Y' | b'B' | b'T', Cell::Null) => vec![0; 8],
            (_, Cell::Null) => Vec::new(),
        }
    }

    fn memo_block(&mut self, text: &str) -> u32 {
        let block = (self.memo.len() / MEMO_BLOCK) as u32;
        self.memo.extend_from_slice(&1u32.to_be_bytes());
        self.memo.extend_from_slice(&(text.len() as u32).to_be_bytes());
        self.memo.extend_from_slice(text.as_bytes());
        self.memo.resize(self.memo.len().next_multiple_of(MEMO_BLOCK), 0);
        block
    }

    fn flag_bytes(&self) -> usize {
        let bits: usize = self.columns.iter().map(|c| usize::from(c.nullable) + usize::from(c.letter == b'V')).sum();
        bits.div_ceil(8)
    }

    /// The table's bytes.
    pub fn dbf(&self) -> Vec<u8> {
        let flags = self.flag_bytes();
        let fields = self.columns.len() + usize::from(flags > 0);
        let header_length = 32 + 32 * fields + 1 + 263;
        let record_length = 1 + self.columns.iter().map(|c| usize::from(c.length)).sum::<usize>() + flags;
        let mut out = vec![0x30, 24, 1, 31];
        out.extend_from_slice(&self.count.to_le_bytes());
        out.extend_from_slice(&(header_length as u16).to_le_bytes());
        out.extend_from_slice(&(record_length as u16).to_le_bytes());
        out.resize(32, 0);
        out[28] = if self.columns.iter().any(|c| c.letter == b'M') { 2 } else { 0 };
        out[29] = 0x03;
        let mut offset = 1u32;
        for column in &self.columns {
            let option = if column.nullable { 2 } else { 0 };
            descriptor(&mut out, column.name, column.letter, offset, column.length, column.decimals, option);
            offset += u32::from(column.length);
        }
        if flags > 0 {
            descriptor(&mut out, "_NullFlags", b'0', offset, flags as u8, 0, 5);
        }
        out.push(0x0D);
        out.resize(header_length, 0);
        out.extend_from_slice(&self.records);
        out.push(0x1A);
        out
    }

    /// The bytes of its memo file.
    pub fn fpt(&self) -> Vec<u8> {
        let mut out = self.memo.clone();
        let next = (out.len() / MEMO_BLOCK) as u32;
        out[..4].copy_from_slice(&next.to_be_bytes());
        out[6..8].copy_from_slice(&(MEMO_BLOCK as u16).to_be_bytes());
        out
    }
}

fn descriptor(out: &mut Vec<u8>, name: &str, letter: u8, offset: u32, length: u8, decimals: u8, option: u8) {
    let start = out.len();
    out.extend_from_slice(name.as_bytes());
    out.resize(start + 11, 0);
    out.push(letter);
    out.extend_from_slice(&offset.to_le_bytes());
    out.extend_from_slice(&[length, decimals, option]);
    out.resize(start + 32, 0);
}
