//! Properties of controls: `ctl'Text$`, `ctl'Enabled=0`.
//!
//! A program names a control by its number alone; of the radio buttons of a group, `'Id` says which one is meant. Numbers and
//! texts are converted into each other. Sources: the manual's pages `control_object_properties` and `properties`.
//!
//! **Limits.** Properties for the look (fonts, colours) keep their value and are not shown. Changing a value never reports a
//! value of `CTL`. Properties of pictures, drag and drop, load on demand and the rich text editor do not exist.

use super::grid::Range;
use super::list::List;
use super::{Contents, Control, Controls, Kind, Name, label};
use crate::characters::{decode, encode};
use crate::error::{CONTROL, INTEGER, LENGTH, NO_PROPERTY, Result, ScreenError};
use crate::mse::FaceFacts;

/// The longest text of a property that is kept only.
const LONGEST_KEPT: usize = 4096;
/// The longest text of a property that is shown: of a label, a tip, a message or a table.
const LONGEST_SHOWN: usize = 8 << 10;
/// The separator of `'_PropValues$` by default.
const SEPARATOR: u8 = super::list::SEPARATOR;

/// The value of a property.
#[derive(Clone, Debug, PartialEq)]
pub enum PropertyValue {
    /// A number.
    Number(f64),
    /// A string.
    Text(Vec<u8>),
}

impl PropertyValue {
    /// The value as a string.
    pub fn into_text(self) -> Vec<u8> {
        match self {
            PropertyValue::Text(text) => text,
            PropertyValue::Number(number) => number.to_string().into_bytes(),
        }
    }

    /// The value as a number; `None` for a string that does not read as a number.
    pub fn to_number(&self) -> Option<f64> {
        match self {
            PropertyValue::Number(number) => Some(*number),
            PropertyValue::Text(text) if text.trim_ascii().is_empty() => Some(0.0),
            PropertyValue::Text(text) => std::str::from_utf8(text).ok()?.trim().parse().ok(),
        }
    }
}

impl From<bool> for PropertyValue {
    fn from(on: bool) -> PropertyValue {
        PropertyValue::Number(f64::from(u8::from(on)))
    }
}

impl From<usize> for PropertyValue {
    fn from(number: usize) -> PropertyValue {
        PropertyValue::Number(number as f64)
    }
}

impl From<i32> for PropertyValue {
    fn from(number: i32) -> PropertyValue {
        PropertyValue::Number(f64::from(number))
    }
}

impl From<&str> for PropertyValue {
    fn from(text: &str) -> PropertyValue {
        PropertyValue::Text(encode(text).into_owned())
    }
}

/// State of a control that properties alone use.
#[derive(Clone, Debug, Default)]
pub struct Properties {
    /// The text on the control as the program has given it.
    pub label: Vec<u8>,
    /// `FMT=`
    pub format: Vec<u8>,
    /// `FNT=`, colours and others that have no effect, by their names.
    kept: Vec<(&'static str, Vec<u8>)>,
    /// `'Item`: the element that `'ItemText$` names.
    item: usize,
    /// `'SelectIndex`: the selected element that `'SelectItem` names.
    selection: usize,
    /// `'Column` and `'Row`: the cells that `'Value$` of a grid names; 0 for all.
    cell: (i64, i64),
    /// `'_PropList$`
    list: String,
}

impl Properties {
    /// The state of a new control.
    pub(super) fn new(label: Vec<u8>, format: Vec<u8>, font: Vec<u8>) -> Properties {
        let kept = if font.is_empty() { Vec::new() } else { vec![("FONT", font)] };
        Properties { label, format, kept, item: 1, selection: 1, cell: (1, 1), list: String::new() }
    }

    fn kept(&self, name: &str) -> Vec<u8> {
        let found = self.kept.iter().find(|(known, _)| *known == name);
        found.map_or_else(
            || if name.contains("COL") { b"DEFAULT".to_vec() } else { Vec::new() },
            |(_, value)| value.clone(),
        )
    }

    fn keep(&mut self, name: &'static str, mut value: Vec<u8>) {
        value.truncate(LONGEST_KEPT);
        self.kept.retain(|(known, _)| *known != name);
        self.kept.push((name, value));
    }
}

const BUTTONS: &[Kind] = &[Kind::Button, Kind::CheckBox, Kind::RadioButton];
const LISTS: &[Kind] = &[Kind::ListBox, Kind::DropBox];
const CHOICES: &[Kind] = &[Kind::CheckBox, Kind::RadioButton, Kind::ListBox, Kind::DropBox];
const TEXTS: &[Kind] = &[Kind::MultiLine];
const GRIDS: &[Kind] = &[Kind::Grid];
const CHANGING: &[Kind] = &[Kind::ListBox, Kind::DropBox, Kind::MultiLine, Kind::Grid];
const ALL: &[Kind] =
    &[Kind::Button, Kind::CheckBox, Kind::RadioButton, Kind::ListBox, Kind::DropBox, Kind::MultiLine, Kind::Grid];

/// Names of properties, the kinds of control that have them, and true if programs can change them.
const NAMES: &[(&str, &[Kind], bool)] = &[
    ("Auto", CHANGING, true),
    ("BackColor", ALL, true),
    ("BringToTop", ALL, true),
    ("Col", ALL, true),
    ("Cols", ALL, true),
    ("Colno", GRIDS, true),
    ("Column", GRIDS, true),
    ("ColumnsWide", GRIDS, true),
    ("CtlName", ALL, false),
    ("CurrentColno", GRIDS, true),
    ("CurrentColumn", GRIDS, true),
    ("CurrentItem", LISTS, true),
    ("CurrentRow", GRIDS, true),
    ("CurrentValue", GRIDS, false),
    ("Enabled", ALL, true),
    ("Eom", ALL, false),
    ("FindItemText", LISTS, true),
    ("Fmt", &[Kind::ListBox, Kind::MultiLine, Kind::Grid], false),
    ("Focus", ALL, true),
    ("Font", ALL, true),
    ("Height", ALL, true),
    ("hWnd", ALL, false),
    ("Id", &[Kind::RadioButton], true),
    ("Item", LISTS, true),
    ("ItemCount", LISTS, false),
    ("ItemText", LISTS, true),
    ("Key", ALL, true),
    ("Left", ALL, true),
    ("Len", TEXTS, true),
    ("Line", ALL, true),
    ("Lines", ALL, true),
    ("LoadPoint", LISTS, true),
    ("Lock", &[Kind::ListBox, Kind::MultiLine, Kind::Grid], true),
    ("MenuCtl", ALL, true),
    ("Msg", ALL, true),
    ("OnFocusCtl", ALL, true),
    ("Parent", ALL, false),
    ("Password", TEXTS, true),
    ("Row", GRIDS, true),
    ("RowData", GRIDS, true),
    ("RowsHigh", GRIDS, true),
    ("SelectCount", &[Kind::ListBox], true),
    ("SelectIndex", &[Kind::ListBox], true),
    ("SelectItem", &[Kind::ListBox], false),
    ("SepLoad", LISTS, false),
    ("SignalOnExit", CHANGING, true),
    ("SignalOnly", BUTTONS, true),
    ("Tbl", CHOICES, true),
    ("Text", BUTTONS, true),
    ("TextColor", ALL, true),
    ("Tip", ALL, true),
    ("Top", ALL, true),
    ("Uppercase", TEXTS, true),
    ("Value", ALL, true),
    ("ValueNoSignal", &[Kind::ListBox, Kind::MultiLine], true),
    ("Visible", ALL, true),
    ("Width", ALL, true),
    ("_PropList", ALL, true),
    ("_PropSep", ALL, true),
    ("_PropValues", ALL, true),
];

/// The row of a name, which may have the other spelling of colour.
fn row_of(name: &str, kind: Kind) -> Result<&'static (&'static str, &'static [Kind], bool)> {
    let upper = name.to_ascii_uppercase().replace("COLOUR", "COLOR");
    let found = NAMES.iter().find(|(known, kinds, _)| known.eq_ignore_ascii_case(&upper) && kinds.contains(&kind));
    found.ok_or_else(|| no_property(format!("{} has no property {name}", kind.name())))
}

fn no_property(message: String) -> ScreenError {
    ScreenError::new(NO_PROPERTY, message)
}

impl Controls {
    /// The control that a property of this number belongs to: of the window, else a global one, else of any window.
    fn of_number(&self, id: i32, window: u32) -> Result<&Control> {
        let has_number = || self.all.iter().filter(|control| control.name.id == id);
        let found = has_number().find(|control| control.window == window);
        let found =
            found.or_else(|| has_number().find(|control| control.window == 0)).or_else(|| has_number().next_back());
        let found = found.ok_or_else(|| ScreenError::new(CONTROL, format!("Control {id} does not exist")))?;
        if found.name.kind != Kind::RadioButton {
            return Ok(found);
        }
        let chosen = self.radio_ids.iter().find(|(group, _)| *group == id).map(|(_, sub)| *sub);
        let of_group = |control: &&Control| {
            let name = control.name;
            name.kind == Kind::RadioButton && control.window == found.window && Some(name.sub) == chosen
        };
        Ok(has_number().find(of_group).unwrap_or(found))
    }

    /// The names of the properties of a control, separated by commas: `ctl'*`. Errors: 65.
    pub fn property_names(&self, id: i32, window: u32) -> Result<String> {
        let kind = self.of_number(id, window)?.name.kind;
        let names = NAMES.iter().filter(|(_, kinds, _)| kinds.contains(&kind)).map(|(name, ..)| *name);
        Ok(names.collect::<Vec<_>>().join(","))
    }

    /// The value of a property of the control with a number. Errors: 65, 88.
    pub fn property(&self, id: i32, window: u32, name: &str, face: FaceFacts) -> Result<PropertyValue> {
        let control = self.of_number(id, window)?;
        let (name, ..) = row_of(name, control.name.kind)?;
        match *name {
            "Focus" => Ok((self.focus() == Some(control.handle)).into()),
            "Id" => Ok(control.name.sub.into()),
            "Value" if control.name.kind == Kind::RadioButton => {
                let sub = self.chosen(id);
                Ok(PropertyValue::Text(control.translated(usize::try_from(sub).unwrap_or(0), sub.to_string().into())))
            }
            "_PropValues" => {
                let separator = control.properties.kept("_PROPSEP").first().copied().unwrap_or(SEPARATOR);
                let mut values = Vec::new();
                for name in property_list(&control.properties.list) {
                    values.push(self.property(id, window, name, face)?.into_text());
                }
                Ok(PropertyValue::Text(values.join(&separator)))
            }
            name => Ok(control.property(name, face)),
        }
    }

    /// Changes a property of the control with a number.
    ///
    /// Errors: 65; 88 for a property that does not exist or cannot be changed; 26 for a text where a number is needed; those of
    /// the directive that has the same effect.
    pub fn set_property(
        &mut self,
        id: i32,
        window: u32,
        name: &str,
        value: PropertyValue,
        face: FaceFacts,
    ) -> Result<()> {
        let control = self.of_number(id, window)?;
        let (handle, full_name) = (control.handle, control.name);
        let (name, _, can_change) = row_of(name, full_name.kind)?;
        if !can_change {
            return Err(no_property(format!("{name} of {} cannot be changed", full_name.kind.name())));
        }
        match *name {
            "Focus" => {
                let on = number(&value)? != 0.0;
                if on || self.focus() == Some(handle) {
                    self.set_focus(on.then_some(handle));
                }
                return Ok(());
            }
            "Id" => {
                let sub = whole(&value, 0, 254)? as i32;
                self.radio_ids.retain(|(group, _)| *group != id);
                self.radio_ids.push((id, sub));
                return Ok(());
            }
            "Value" if full_name.kind == Kind::RadioButton => return self.choose_by_value(full_name, window, &value),
            "_PropValues" => {
                let properties = &control.properties;
                let separator = properties.kept("_PROPSEP").first().copied().unwrap_or(SEPARATOR);
                let list = properties.list.clone();
                let values = value.into_text();
                for (name, value) in property_list(&list).zip(values.split(|byte| *byte == separator)) {
                    if name.to_ascii_uppercase().starts_with("_PROP") {
                        return Err(no_property(format!("{name} cannot be in a list of properties")));
                    }
                    self.set_property(id, window, name, PropertyValue::Text(value.to_vec()), face)?;
                }
                return Ok(());
            }
            _ => {}
        }
        let Some(control) = self.by_handle_mut(handle) else { return Ok(()) };
        control.changed = true;
        control.set_property(name, value, face)
    }

    /// Turns on the radio button of a group that a value names: its number within the group, or its character of `TBL=`.
    fn choose_by_value(&mut self, name: Name, window: u32, value: &PropertyValue) -> Result<()> {
        let control = self.get_mut(name, window)?;
        let sub = match control.place_of(&value.clone().into_text()) {
            Some(place) => i32::try_from(place).unwrap_or(0),
            None => whole(value, 0, 254)? as i32,
        };
        self.switch(Name { sub, ..name }, window, true)
    }
}

/// Names of `'_PropList$`; a list never contains itself.
fn property_list(list: &str) -> impl Iterator<Item = &str> {
    let names = list.split(',').map(|name| name.trim().trim_end_matches('$'));
    names.filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("_PropValues"))
}

/// The decimal number that a position was set by: 10.3, and not the nearest binary fraction of it.
fn decimal(position: f32) -> f64 {
    position.to_string().parse().unwrap_or_else(|_| f64::from(position))
}

fn number(value: &PropertyValue) -> Result<f64> {
    let number = value.to_number().filter(|number| number.is_finite());
    number.ok_or_else(|| ScreenError::new(crate::error::NOT_A_NUMBER, "The property needs a number"))
}

fn whole(value: &PropertyValue, low: i64, high: i64) -> Result<i64> {
    let number = number(value)?;
    if number.fract() != 0.0 || number < low as f64 || number > high as f64 {
        return Err(ScreenError::new(INTEGER, format!("{number} is not within {low} and {high}")));
    }
    Ok(number as i64)
}

impl Control {
    /// The value of the element, the state or the radio button at a place from 1 by `TBL=`; without a table the value itself.
    pub fn translated(&self, place: usize, value: Vec<u8>) -> Vec<u8> {
        match self.table.get(place.wrapping_sub(1)) {
            Some(byte) => vec![*byte],
            None if self.table.is_empty() || place == 0 => value,
            None => Vec::new(),
        }
    }

    /// The place of a value in `TBL=`, from 1.
    pub fn place_of(&self, value: &[u8]) -> Option<usize> {
        let [byte] = value else { return None };
        self.table.iter().position(|known| known == byte).map(|at| at + 1)
    }

    fn property(&self, name: &str, face: FaceFacts) -> PropertyValue {
        let pixels = |columns: f32, unit: u8| PropertyValue::Number(f64::from((columns * f32::from(unit)).round()));
        let (width, height) = (face.character_width, face.character_height);
        let text = |text: &[u8]| PropertyValue::Text(text.to_vec());
        match name {
            "Col" => PropertyValue::Number(decimal(self.area.column)),
            "Line" => PropertyValue::Number(decimal(self.area.row)),
            "Cols" => PropertyValue::Number(decimal(self.area.columns)),
            "Lines" => PropertyValue::Number(decimal(self.area.rows)),
            "Left" => pixels(self.area.column, width),
            "Top" => pixels(self.area.row, height),
            "Width" => pixels(self.area.columns, width),
            "Height" => pixels(self.area.rows, height),
            "CtlName" => self.name.kind.name().into(),
            "Enabled" => self.enabled.into(),
            "Visible" => self.shown.into(),
            "Text" => text(&self.properties.label),
            "Tip" => self.tip.as_str().into(),
            "Msg" => self.message.as_str().into(),
            "Key" => PropertyValue::from(self.key.map(String::from).unwrap_or_default().as_str()),
            "Fmt" => text(&self.properties.format),
            "Eom" => PropertyValue::Text(vec![self.mode]),
            "MenuCtl" => self.menu_ctl.into(),
            "OnFocusCtl" => self.focus_ctl.unwrap_or(0).into(),
            "Auto" => self.auto.into(),
            "Lock" => self.locked.into(),
            "SignalOnExit" => self.has(b'X').into(),
            "SignalOnly" => self.has(b'S').into(),
            "Uppercase" => self.has(b'U').into(),
            "Password" => self.has(b'$').into(),
            "Len" => self.length.unwrap_or(0).into(),
            "Parent" => PropertyValue::Number(f64::from(self.window)),
            "BringToTop" | "hWnd" => 0.into(),
            "Tbl" => text(&self.table),
            "_PropList" => self.properties.list.as_str().into(),
            "BackColor" | "TextColor" | "Font" | "_PropSep" => text(&self.properties.kept(&name.to_ascii_uppercase())),
            _ => match &self.contents {
                Contents::Button(on) => on.to_value(self),
                Contents::Toggle(on) => on.to_value(self),
                Contents::Text(value) if self.has(b'T') => text(value.trim_ascii_end()),
                Contents::Text(value) => text(value),
                Contents::List(list) => self.list_property(list, name),
                Contents::Grid(_) => self.grid_property(name),
            },
        }
    }

    fn list_property(&self, list: &List, name: &str) -> PropertyValue {
        let Properties { item, selection, .. } = self.properties;
        match name {
            "Item" => item.into(),
            "ItemCount" => list.len().into(),
            "ItemText" => PropertyValue::Text(list.element(item).unwrap_or_default()),
            "FindItemText" => PropertyValue::Text(Vec::new()),
            "CurrentItem" => list.selected_index().max(usize::from(!list.is_empty())).into(),
            "LoadPoint" => list.load_point.into(),
            "SelectCount" => list.selection().len().into(),
            "SelectIndex" => selection.into(),
            "SelectItem" => list.selection().iter().nth(selection.wrapping_sub(1)).copied().unwrap_or(0).into(),
            "SepLoad" => PropertyValue::Text(vec![list.delimiter]),
            _ => PropertyValue::Text(self.translated(list.selected_index(), list.selected_text())),
        }
    }

    fn grid_property(&self, name: &str) -> PropertyValue {
        let Contents::Grid(grid) = &self.contents else { return 0.into() };
        let (column, row) = self.properties.cell;
        let (current_column, current_row) = grid.current();
        let cell = |column: i64, row: i64| PropertyValue::Text(grid.find(column, row).unwrap_or_default());
        match name {
            "Column" | "Colno" => PropertyValue::Number(column as f64),
            "Row" => PropertyValue::Number(row as f64),
            "ColumnsWide" => grid.columns().into(),
            "RowsHigh" => grid.rows().into(),
            "CurrentColumn" | "CurrentColno" => current_column.into(),
            "CurrentRow" => current_row.into(),
            "CurrentValue" => cell(current_column as i64, current_row as i64),
            "RowData" => cell(0, row),
            _ => cell(column, row),
        }
    }

    fn set_property(&mut self, name: &'static str, value: PropertyValue, face: FaceFacts) -> Result<()> {
        if let Some(place) = self.place_mut(name, face) {
            let (place, unit, least) = place;
            let size = number(&value)? / f64::from(unit);
            if !(least..10_000.0).contains(&size) {
                return Err(ScreenError::new(INTEGER, format!("{name} is out of range")));
            }
            *place = size as f32;
            return Ok(());
        }
        let is_too_long = matches!(&value, PropertyValue::Text(text) if text.len() > LONGEST_SHOWN);
        if is_too_long && matches!(name, "Tip" | "Msg" | "Text" | "Tbl") {
            return Err(ScreenError::new(LENGTH, format!("{name} takes no more than 8 KB")));
        }
        match name {
            "Enabled" => self.enabled = number(&value)? != 0.0 && !self.has(b'd'),
            "Visible" => self.shown = number(&value)? != 0.0 && !self.has(b'h'),
            "Auto" => self.auto = number(&value)? != 0.0,
            "Lock" => self.locked = number(&value)? != 0.0,
            "SignalOnExit" => self.set_option(b'X', number(&value)? != 0.0),
            "SignalOnly" => self.set_option(b'S', number(&value)? != 0.0),
            "Uppercase" => self.set_option(b'U', number(&value)? != 0.0),
            "Password" => self.set_option(b'$', number(&value)? != 0.0),
            "MenuCtl" => self.menu_ctl = whole(&value, -32_000, 32_000)? as i32,
            "OnFocusCtl" => self.focus_ctl = Some(whole(&value, -32_000, 32_000)? as i32).filter(|ctl| *ctl != 0),
            "Len" => {
                let length = whole(&value, 0, 1 << 20)? as usize;
                self.length = Some(length).filter(|length| *length > 0);
            }
            "Tip" => self.tip = decode(&value.into_text()).into_owned(),
            "Msg" => self.message = decode(&value.into_text()).into_owned(),
            "Key" => self.key = decode(&value.into_text()).chars().next().map(|key| key.to_ascii_lowercase()),
            "Tbl" => self.table = value.into_text(),
            "Text" => {
                let contents = value.into_text();
                let (text, key) = label(&decode(&contents));
                (self.text, self.key, self.properties.label) =
                    (text, key.map(|key| key.to_ascii_lowercase()), contents);
            }
            "_PropList" => self.properties.list = decode(&value.into_text()).chars().take(LONGEST_KEPT).collect(),
            "BackColor" => self.properties.keep("BACKCOLOR", value.into_text()),
            "TextColor" => self.properties.keep("TEXTCOLOR", value.into_text()),
            "Font" => self.properties.keep("FONT", value.into_text()),
            "_PropSep" => self.properties.keep("_PROPSEP", value.into_text()),
            "BringToTop" => {}
            _ => return self.set_contents(name, value),
        }
        Ok(())
    }

    /// The place or the size that a property names, how many of its units a column or a line has, and its least value.
    fn place_mut(&mut self, name: &str, face: FaceFacts) -> Option<(&mut f32, u8, f64)> {
        let (width, height) = (face.character_width.max(1), face.character_height.max(1));
        const LEAST: f64 = 0.01;
        Some(match name {
            "Col" => (&mut self.area.column, 1, 0.0),
            "Line" => (&mut self.area.row, 1, 0.0),
            "Cols" => (&mut self.area.columns, 1, LEAST),
            "Lines" => (&mut self.area.rows, 1, LEAST),
            "Left" => (&mut self.area.column, width, 0.0),
            "Top" => (&mut self.area.row, height, 0.0),
            "Width" => (&mut self.area.columns, width, LEAST),
            "Height" => (&mut self.area.rows, height, LEAST),
            _ => return None,
        })
    }

    fn set_option(&mut self, letter: u8, on: bool) {
        self.options.retain(|known| *known != letter);
        if on {
            self.options.push(letter);
        }
    }

    fn set_contents(&mut self, name: &'static str, value: PropertyValue) -> Result<()> {
        let place = self.place_of(&value.clone().into_text());
        let Control { contents, properties, length, caret, .. } = self;
        match contents {
            Contents::Button(on) | Contents::Toggle(on) => {
                *on = match place {
                    Some(place) => place == 2,
                    None => number(&value)? != 0.0,
                };
                Ok(())
            }
            Contents::Text(text) => {
                *caret = usize::MAX;
                super::verbs::replace_text(text, *length, &value.into_text())
            }
            Contents::List(list) => set_list(list, properties, (name, place), value),
            Contents::Grid(_) => self.set_grid(name, value),
        }
    }

    fn set_grid(&mut self, name: &str, value: PropertyValue) -> Result<()> {
        let Control { contents: Contents::Grid(grid), properties, .. } = self else { return Ok(()) };
        let (column, row) = properties.cell;
        match name {
            "Column" | "Colno" => properties.cell.0 = whole(&value, 0, 256)?,
            "Row" => properties.cell.1 = whole(&value, -1, 1 << 20)?,
            "CurrentColumn" | "CurrentColno" => grid.go_to(whole(&value, 1, 256)?, grid.current().1 as i64)?,
            "CurrentRow" => grid.go_to(grid.current().0 as i64, whole(&value, 1, 1 << 20)?)?,
            "ColumnsWide" => {
                let wanted = whole(&value, 0, 256)?;
                while grid.columns() as i64 > wanted {
                    grid.delete(grid.columns() as i64, 0)?;
                }
                if wanted > grid.columns() as i64 {
                    grid.add(wanted, 0)?;
                }
            }
            "RowsHigh" => {
                let wanted = whole(&value, 0, 1 << 20)?;
                while grid.rows() as i64 > wanted {
                    grid.delete(0, grid.rows() as i64)?;
                }
                if wanted > grid.rows() as i64 {
                    grid.add(0, wanted)?;
                }
            }
            "RowData" => grid.load_cells(row, &value.into_text())?,
            _ => grid.write(Range::one(column, row), &value.into_text())?,
        }
        Ok(())
    }
}

/// The state of a button or a box as `'Value`.
trait State {
    fn to_value(self, control: &Control) -> PropertyValue;
}

impl State for &bool {
    fn to_value(self, control: &Control) -> PropertyValue {
        let digit = if *self { b"1" } else { b"0" };
        PropertyValue::Text(control.translated(usize::from(*self) + 1, digit.to_vec()))
    }
}

/// Changes a property of a list; the place is that of the value in `TBL=`.
fn set_list(
    list: &mut List,
    properties: &mut Properties,
    (name, place): (&str, Option<usize>),
    value: PropertyValue,
) -> Result<()> {
    let index = |value: &PropertyValue| whole(value, 0, i64::from(u32::MAX)).map(|index| index as usize);
    match name {
        "Item" => properties.item = index(&value)?,
        "ItemText" => list.replace(properties.item, &value.into_text())?,
        "FindItemText" => properties.item = list.position(&value.into_text()),
        "CurrentItem" => list.select(index(&value)?)?,
        "LoadPoint" => list.load_point = whole(&value, -1, i64::from(i32::MAX))? as i32,
        "SelectCount" => list.select(0)?,
        "SelectIndex" => properties.selection = index(&value)?,
        _ => match place {
            Some(place) => list.select(place)?,
            None => list.select_text(&value.into_text())?,
        },
    }
    Ok(())
}
