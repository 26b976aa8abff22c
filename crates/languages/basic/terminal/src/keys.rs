//! Keys of a terminal as keys of a program.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseEvent, MouseEventKind};
use mainstay_screen::event::{Event, Key, KeyPress, Modifiers, MouseButton};

/// The event of a key; none for keys that programs do not know.
pub fn key_event(event: KeyEvent) -> Option<Event> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let key = match event.code {
        KeyCode::Char(character) => Key::Character(character),
        KeyCode::Enter => Key::Enter,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => Key::BackTab,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        KeyCode::Insert => Key::Insert,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Esc => Key::Escape,
        KeyCode::F(number) => Key::Function(number),
        _ => return None,
    };
    let held = |modifier: KeyModifiers| event.modifiers.contains(modifier);
    let modifiers = Modifiers {
        shift: held(KeyModifiers::SHIFT),
        control: held(KeyModifiers::CONTROL),
        alt: held(KeyModifiers::ALT),
    };
    Some(Event::Key(KeyPress { key, modifiers }))
}

/// The lines that a step of the wheel moves a list by: down is positive.
pub fn wheel(event: MouseEvent) -> Option<isize> {
    match event.kind {
        MouseEventKind::ScrollUp => Some(-3),
        MouseEventKind::ScrollDown => Some(3),
        _ => None,
    }
}

/// The event of the mouse; none for movements and the wheel.
pub fn mouse_event(event: MouseEvent) -> Option<Event> {
    let (button, down) = match event.kind {
        MouseEventKind::Down(button) => (button, true),
        MouseEventKind::Up(button) => (button, false),
        _ => return None,
    };
    let button = match button {
        crossterm::event::MouseButton::Left => MouseButton::Left,
        crossterm::event::MouseButton::Right => MouseButton::Right,
        crossterm::event::MouseButton::Middle => return None,
    };
    Some(Event::Mouse { column: event.column, row: event.row, button, down })
}
