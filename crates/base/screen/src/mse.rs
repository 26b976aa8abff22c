//! The value of `MSE`: 32 bytes about the mouse, the focus and the screen (manual, `variables/mse`).

/// Facts of a face that `MSE` reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaceFacts {
    /// True if there is a mouse.
    pub mouse: bool,
    /// The width of a character in the face's units.
    pub character_width: u8,
    /// The height of a character.
    pub character_height: u8,
}

impl Default for FaceFacts {
    fn default() -> FaceFacts {
        FaceFacts { mouse: false, character_width: 1, character_height: 1 }
    }
}

/// The state of the mouse and the focus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MouseState {
    /// The column on the screen.
    pub column: u16,
    /// The row on the screen.
    pub row: u16,
    /// 1 for the left button, 2 for the right one, 3 for both.
    pub buttons: u8,
    /// The control with the focus.
    pub focus: i32,
    /// The control that had the focus before.
    pub last_focus: i32,
    /// The control that lost the focus last.
    pub lost_focus: i32,
}

/// The bytes of `MSE` for a window whose first cell is at `origin` of a screen of `size`.
pub fn bytes(face: FaceFacts, mouse: MouseState, origin: (u16, u16), size: (u16, u16)) -> [u8; 32] {
    let pixels = |cells: u16, unit: u8| cells.saturating_mul(u16::from(unit)).to_be_bytes();
    let low = |number: u16| number.min(255) as u8;
    let id = |number: i32| (number as i16).to_be_bytes();
    let (column, row) = (mouse.column.saturating_sub(origin.0), mouse.row.saturating_sub(origin.1));
    let (width, height) = (face.character_width, face.character_height);
    let mut state = [0; 32];
    let mut set = |position: usize, bytes: &[u8]| {
        if let Some(place) = state.get_mut(position - 1..position - 1 + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    };
    set(1, &[if face.mouse { mouse.buttons } else { 0xff }]);
    set(2, &[low(column), low(row)]);
    set(4, &pixels(mouse.column, width));
    set(6, &pixels(mouse.row, height));
    set(8, &[low(mouse.column), low(mouse.row), width, height]);
    set(12, &[1, 1]);
    set(14, &pixels(column, width));
    set(16, &pixels(row, height));
    set(18, &id(mouse.focus));
    set(20, &id(mouse.last_focus));
    // There is no thin client: the programs and the screen model run in one process.
    set(22, &[0xff]);
    set(25, &id(mouse.lost_focus));
    set(27, &pixels(size.0, width));
    set(29, &pixels(size.1, height));
    set(31, &[1]);
    state
}
