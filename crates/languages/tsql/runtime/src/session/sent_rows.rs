//! Rows on their way to the client: CHAR values with their blanks, long values cut to TEXTSIZE.

use crate::columns::Column;
use crate::statements::errors::raised;
use mainstay_session::push::Sink;
use mainstay_tsql_types::{DataType, Length, Message};
use mainstay_types::ValueRef;
use mainstay_vm::Raised;

/// Sends a row, CHAR values with the blanks that are not stored, and long values cut to so many bytes (TEXTSIZE). `fill` gets a
/// cell for each column, NULL all of them.
pub(crate) fn send_row<'v>(
    sink: &mut dyn Sink,
    (columns, most): (&[Column], Option<usize>),
    fill: impl FnOnce(&mut [ValueRef<'v>]),
) -> Result<(), Box<Raised>> {
    // Rows that are not wide need no room of their own, and making less of it ready takes less time.
    let (mut few, mut more, mut many);
    let cells: &mut [ValueRef<'v>] = match columns.len() {
        0..=4 => {
            few = [ValueRef::Null; 4];
            &mut few
        }
        5..=16 => {
            more = [ValueRef::Null; 16];
            &mut more
        }
        count => {
            many = vec![ValueRef::Null; count];
            &mut many
        }
    };
    let (cells, _) = cells.split_at_mut(columns.len());
    fill(cells);
    if let Some(most) = most {
        columns.iter().zip(cells.iter_mut()).for_each(|(column, cell)| cut(column.data_type, cell, most));
    }
    let padded = padded(columns, cells);
    if padded.is_empty() {
        return sink.row(cells).map_err(stopped);
    }
    let mut cells: Vec<ValueRef<'_>> = cells.to_vec();
    for (place, text) in &padded {
        cells[*place] = ValueRef::Text(text);
    }
    sink.row(&cells).map_err(stopped)
}

/// Cuts a value of a type without a length to so many bytes.
fn cut(data_type: DataType, cell: &mut ValueRef<'_>, most: usize) {
    let is_long = matches!(data_type, DataType::Text(_) | DataType::NText | DataType::Image)
        || data_type.length() == Some(Length::Max) && data_type != DataType::Xml;
    match cell {
        ValueRef::Text(text) if is_long => {
            let (encoding, mut used) = (data_type.encoding(), 0);
            let goes_beyond = |(at, c): &(usize, char)| {
                used += encoding.size(&text[*at..*at + c.len_utf8()]);
                used > most
            };
            if let Some((end, _)) = text.char_indices().find(goes_beyond) {
                *text = &text[..end];
            }
        }
        ValueRef::Binary(bytes) if is_long => *bytes = &bytes[..bytes.len().min(most)],
        _ => {}
    }
}

/// The texts of CHAR columns with the blanks that are not stored, by their places.
fn padded(columns: &[Column], cells: &[ValueRef<'_>]) -> Vec<(usize, String)> {
    let mut padded = Vec::new();
    for (place, (column, cell)) in columns.iter().zip(cells).enumerate() {
        let (DataType::Char(length, _) | DataType::NChar(length)) = column.data_type else { continue };
        let ValueRef::Text(text) = cell else { continue };
        let short = usize::from(length).saturating_sub(column.data_type.encoding().size(text));
        if short > 0 {
            padded.push((place, format!("{text}{}", " ".repeat(short))));
        }
    }
    padded
}

/// The client is gone, or wants no more.
pub(crate) fn stopped(stop: mainstay_session::push::Stop) -> Box<Raised> {
    let mut gone = match stop {
        mainstay_session::push::Stop::Value(message) => return raised(message.into()),
        _ => raised(Message::error(0, "The statement was cancelled by the client.")),
    };
    gone.uncatchable = true;
    gone
}
