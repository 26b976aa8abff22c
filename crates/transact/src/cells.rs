//! Cells of rows as a client gets them: CHAR values with the blanks that are not stored, long values cut (TEXTSIZE).

use mainstay_base::ValueRef;
use mainstay_mssql::{DataType, Length};
use mainstay_tds::Column;

/// Cuts a value of a type without a length to so many bytes.
pub(crate) fn cut(data_type: DataType, cell: &mut ValueRef<'_>, most: usize) {
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
pub(crate) fn padded(columns: &[Column], cells: &[ValueRef<'_>]) -> Vec<(usize, String)> {
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
