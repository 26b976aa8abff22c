//! Facts about the terminal and the files of channels, for FIN( ), FIB( ) and FID( ). Sources: the manual's pages of the functions.

use super::Machine;
use super::channels::file_fault;
use crate::calendar::Date;
use crate::code::Options;
use crate::fault::Outcome;
use mainstay_basic_syntax::tree::OpenMode;
use std::time::UNIX_EPOCH;

/// The kind of the terminal in descriptors.
const KIND: &[u8] = b"mainstay";

impl Machine {
    /// Opens a file for a function that is given its name.
    pub(crate) fn with_file<T>(
        &mut self,
        name: &[u8],
        look: impl FnOnce(&mut Machine, i64) -> Outcome<T>,
    ) -> Outcome<T> {
        let number = self.hidden_channel();
        self.open_file(number, name, OpenMode::Input, &Options::default())?;
        let result = look(self, number);
        self.close_channel(number)?;
        result
    }

    /// Column and line of the cursor, and the last ones of the screen.
    fn place_and_size(&mut self) -> Outcome<[u8; 4]> {
        let (columns, rows) = self.screen.size()?;
        let (column, row) = self.screen.place()?;
        Ok([column, row, columns.saturating_sub(1), rows.saturating_sub(1)].map(|value| value.min(255) as u8))
    }

    /// FIN(0): the layout of devices, with the name of the terminal and its kind, each ended by $00$.
    pub(crate) fn terminal_facts(&mut self) -> Outcome<Vec<u8>> {
        let place = self.place_and_size()?;
        let mut facts = vec![0; 32];
        facts[..4].copy_from_slice(&place);
        // The region that scrolls is the whole screen.
        facts[6] = place[2].saturating_add(1);
        facts[7] = place[3].saturating_add(1);
        facts.extend_from_slice(&self.terminal);
        facts.push(0);
        facts.extend_from_slice(KIND);
        facts.push(0);
        Ok(facts)
    }

    /// FIB(0): the common layout, then column, line and size, and the kind of the terminal at 213.
    pub(crate) fn terminal_descriptor(&mut self) -> Outcome<Vec<u8>> {
        let place = self.place_and_size()?;
        let mut facts = vec![0; 224];
        let name = &self.terminal[..self.terminal.len().min(6)];
        facts[3..9].fill(b' ');
        facts[3..3 + name.len()].copy_from_slice(name);
        facts[9] = 0x0F;
        facts[18] = b'*';
        let path = &self.terminal[..self.terminal.len().min(60)];
        facts[24..24 + path.len()].copy_from_slice(path);
        facts[84..88].copy_from_slice(&place);
        facts[212..212 + KIND.len()].copy_from_slice(KIND);
        Ok(facts)
    }

    /// A value of FIN(0,name); `None` for a name that means nothing here.
    pub(crate) fn terminal_value(&mut self, name: &str) -> Outcome<Option<Vec<u8>>> {
        Ok(Some(match name.to_ascii_uppercase().as_str() {
            "FILENAME" | "NAME" | "PATHNAME" | "DEVICE" => self.terminal.clone(),
            "DRIVER" => KIND.to_vec(),
            "BUFFERED" | "OUTPUT" => b"1".to_vec(),
            "INPUT" | "SYSTEM_JRNL" | "JOURNALIZED" => Vec::new(),
            "SEPARATOR" => vec![super::SEPARATOR],
            _ => return Ok(None),
        }))
    }

    /// A value of FIN(channel,name).
    pub(crate) fn file_value(&mut self, number: i64, name: &str) -> Outcome<Option<Vec<u8>>> {
        let now = self.host.clock();
        let channel = self.channels.get(number)?;
        let information = channel.file.information().map_err(file_fault)?;
        if let Some(value) = information.fin_value(name) {
            let is_separator = name.eq_ignore_ascii_case("SEPARATOR");
            return Ok(Some(if is_separator {
                vec![information.definition.separator]
            } else {
                mainstay_code_page::encode(&value).into_owned()
            }));
        }
        let modified = information.modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let seconds = modified.map_or(now.days * 86_400 + now.milliseconds / 1000, |time| time.as_secs() as i64);
        Ok(Some(match name.to_ascii_uppercase().as_str() {
            "UTC_MTIME" | "UTC_CTIME" | "UTC_ATIME" => seconds.to_string().into_bytes(),
            "LCL_MTIME" | "LCL_CTIME" | "LCL_ATIME" => {
                let Date { year, month, day } = Date::of_days(seconds.div_euclid(86_400));
                let of_day = seconds.rem_euclid(86_400);
                let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
                format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}").into_bytes()
            }
            "LOCKED" => u8::from(information.is_locked).to_string().into_bytes(),
            "BUFFERS" | "OWNER" | "JOURNALIZED" => b"0".to_vec(),
            "BUFFERED" => b"1".to_vec(),
            "FORMATS" | "IO_PROGRAM" => Vec::new(),
            "KSZ" => information.definition.keys.external_length().unwrap_or(0).to_string().into_bytes(),
            "NAME" => match information.path.is_empty() {
                true => mainstay_code_page::encode(&information.name).into_owned(),
                false => mainstay_code_page::encode(&information.path).into_owned(),
            },
            _ => return Ok(None),
        }))
    }
}
