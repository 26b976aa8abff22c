//! The screen of one program: the text plane, controls, input, menu, message box and message line, and the frames that show
//! them.
//!
//! ```text
//!   program  -- print, verbs, begin_input -->  Screen  -- take_frame -->  face (terminal, browser)
//!            <-- results, signals as CTL ---            <-- event -------
//! ```
//!
//! A screen performs no input or output and never waits; [`crate::session`] adds the waiting.

use crate::cell::runs;
use crate::characters::{decode, decode_fields};
use crate::controls::grid::UsedCell;
use crate::controls::{Contents, Control, Controls, Definition, Grid, List, Name, PropertyValue};
use crate::document::{Document, Documents};
use crate::error::Result;
use crate::field::InputRequest;
use crate::frame::{ControlState, Heading, InputState, ListState, MOST_SELECTED, Operation};
use crate::input::{Input, InputResult, MOST_PREINPUT};
use crate::menu::{Menu, Popup};
use crate::mnemonic::{CursorMode, Mnemonic};
use crate::mse::{self, FaceFacts, MouseState};
use crate::panels::Panels;
use crate::plane::Region;
use crate::text::TextPlane;
use std::sync::Arc;

/// A verb of a control's directive that has no other operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// `REMOVE`
    Remove,
    /// `ENABLE`
    Enable,
    /// `DISABLE`
    Disable,
    /// `SHOW`
    Show,
    /// `HIDE`
    Hide,
    /// `GOTO`
    Goto,
    /// `LOCK`
    Lock,
    /// `UNLOCK`
    Unlock,
    /// `AUTO`
    Auto,
    /// `ON`
    On,
    /// `OFF`
    Off,
    /// `SET_FOCUS`
    SetFocus(i32),
}

/// The screen of a program.
#[derive(Debug)]
pub struct Screen {
    pub(crate) text: TextPlane,
    pub(crate) controls: Controls,
    pub(crate) input: Input,
    pub(crate) panels: Panels,
    pub(crate) mouse: MouseState,
    face: FaceFacts,
    bell: bool,
    last_cursor: Option<((u16, u16), CursorMode)>,
    /// The state of the input in the last frame.
    last_input: Option<Operation>,
    /// Printed documents; none on a screen whose faces show no documents.
    documents: Option<Documents>,
    /// The last document that a face was told of.
    last_told: u32,
}

impl Screen {
    /// A blank screen. Sizes are clamped to 1 by 1 and 132 by 60.
    pub fn new(columns: u16, rows: u16) -> Screen {
        Screen {
            text: TextPlane::new(columns, rows),
            controls: Controls::default(),
            input: Input::default(),
            panels: Panels::default(),
            mouse: MouseState::default(),
            face: FaceFacts::default(),
            bell: false,
            last_cursor: None,
            last_input: None,
            documents: None,
            last_told: 0,
        }
    }

    /// The same screen, which keeps printed documents for faces that show them.
    pub fn with_documents(mut self) -> Screen {
        self.documents = Some(Documents::default());
        self
    }

    /// True if printed documents are shown by a face.
    pub fn keeps_documents(&self) -> bool {
        self.documents.is_some()
    }

    /// Keeps a printed document, of which faces are told. Without [`Screen::with_documents`] it is dropped.
    pub fn add_document(&mut self, document: Document) {
        if let Some(documents) = &mut self.documents {
            documents.add(document);
        }
    }

    /// Printed documents with their numbers, the oldest first.
    pub fn documents(&self) -> &[(u32, Arc<Document>)] {
        self.documents.as_ref().map_or(&[], Documents::all)
    }

    /// The text plane.
    pub fn text(&self) -> &TextPlane {
        &self.text
    }

    /// The controls.
    pub fn controls(&self) -> &Controls {
        &self.controls
    }

    /// Prints a string into the current window, with the mnemonics in it. A mnemonic that fails does nothing.
    pub fn print(&mut self, bytes: &[u8]) {
        let mut others = Vec::new();
        self.text.print(bytes, &mut |text, mnemonic| {
            let _ = text.perform(&mnemonic);
            others.push(mnemonic);
        });
        for mnemonic in others {
            self.perform_elsewhere(mnemonic);
        }
    }

    /// Performs a mnemonic. Errors: 57 for a window that does not exist.
    pub fn perform(&mut self, mnemonic: Mnemonic) -> Result<()> {
        self.text.perform(&mnemonic)?;
        self.perform_elsewhere(mnemonic);
        Ok(())
    }

    /// The part of a mnemonic that does not concern the text plane.
    fn perform_elsewhere(&mut self, mnemonic: Mnemonic) {
        match mnemonic {
            Mnemonic::Input(mode, on) => self.input.set_mode(mode, on),
            Mnemonic::ClearInput => self.input.clear(),
            Mnemonic::Bell => self.bell = true,
            Mnemonic::Message(text, segment) => self.panels.set_message(segment, &text),
            Mnemonic::Caption(text) => self.panels.set_caption(&text),
            Mnemonic::ResetModes => self.input.modes = Default::default(),
            Mnemonic::Window(_)
            | Mnemonic::Push
            | Mnemonic::Pop
            | Mnemonic::Drop(_)
            | Mnemonic::Goto(_)
            | Mnemonic::Swap
            | Mnemonic::Move(..) => self.follow_windows(),
            _ => {}
        }
    }

    /// Removes the controls of windows that are gone and moves the others with their windows.
    fn follow_windows(&mut self) {
        let windows: Vec<(u32, (u16, u16))> =
            self.text.windows().map(|window| (window.serial, window.origin())).collect();
        let origin =
            |control: &Control| windows.iter().find(|(serial, _)| *serial == control.window).map(|found| found.1);
        self.controls.retain(|control| control.window == 0 || origin(control).is_some());
        for control in self.controls.all_mut() {
            control.origin = origin(control).unwrap_or(control.origin);
            control.changed = true;
        }
    }

    /// Removes everything that belongs to a program and its windows (`BEGIN`): controls that are not global, windows, menu.
    pub fn reset(&mut self) {
        self.text.reset();
        self.controls.retain(|control| control.window == 0);
        self.panels.set_menu(Menu::default());
        self.input.cancel();
    }

    /// Creates a control in the current window. Errors: 60, 65.
    pub fn create(&mut self, name: Name, definition: Definition) -> Result<()> {
        let owner = self.text.control_owner();
        let window = self.text.windows().find(|window| window.serial == owner);
        let origin = window.map_or((0, 0), |window| window.origin());
        self.controls.create(name, definition, owner, origin).map(drop)
    }

    /// Performs a verb on a control. Errors: 65, 60.
    pub fn control(&mut self, name: Name, verb: Verb) -> Result<()> {
        let owner = self.text.control_owner();
        let controls = &mut self.controls;
        match verb {
            Verb::Remove => controls.remove(name, owner),
            Verb::Enable | Verb::Disable => controls.enable(name, owner, verb == Verb::Enable),
            Verb::Show | Verb::Hide => controls.show(name, owner, verb == Verb::Show),
            Verb::Goto => controls.go_to(name, owner),
            Verb::Lock | Verb::Unlock => controls.lock(name, owner, verb == Verb::Lock),
            Verb::Auto => controls.report_all(name, owner),
            Verb::On | Verb::Off => controls.switch(name, owner, verb == Verb::On),
            Verb::SetFocus(ctl) => controls.report_focus(name, owner, ctl),
        }
    }

    /// The list of a list box or a drop box, for `LOAD`, `FIND`, `READ` and `WRITE`. Errors: 65, 60.
    pub fn list(&mut self, name: Name) -> Result<&mut List> {
        let owner = self.text.control_owner();
        self.controls.list_mut(name, owner)
    }

    /// A grid. Errors: 65, 60.
    pub fn grid(&mut self, name: Name) -> Result<&mut Grid> {
        let owner = self.text.control_owner();
        self.controls.grid_mut(name, owner)
    }

    /// `GRID READ`: the first used cell. If there are more, the value of `CTL` is reported again. Errors: 2, 60, 65.
    pub fn read_grid(&mut self, name: Name, next: bool) -> Result<UsedCell> {
        let grid = self.grid(name)?;
        let used = grid.read(next)?;
        if grid.has_used() && !next {
            self.signal(name.id, vec![0]);
        }
        Ok(used)
    }

    /// The value of a property of the control with a number; `*` gives the names of all. Errors: 65, 88.
    pub fn property(&self, id: i32, name: &str) -> Result<PropertyValue> {
        let owner = self.text.control_owner();
        match name {
            "*" => self.controls.property_names(id, owner).map(|names| names.as_str().into()),
            name => self.controls.property(id, owner, name, self.face),
        }
    }

    /// Changes a property of the control with a number. Errors: 65, 88, and those of the directive with the same effect.
    pub fn set_property(&mut self, id: i32, name: &str, value: PropertyValue) -> Result<()> {
        let owner = self.text.control_owner();
        self.controls.set_property(id, owner, name, value, self.face)
    }

    /// `ENABLE CONTROL` and `DISABLE CONTROL`. Errors: 65.
    pub fn enable_all(&mut self, id: i32, sub: Option<i32>, on: bool) -> Result<()> {
        let owner = self.text.control_owner();
        self.controls.enable_all(id, sub, owner, on)
    }

    /// `SET_FOCUS`. Errors: 65.
    pub fn focus_by_id(&mut self, id: i32) -> Result<()> {
        let owner = self.text.control_owner();
        self.controls.focus_by_id(id, owner)?;
        self.note_focus(id);
        Ok(())
    }

    /// `SET_FOCUS RETRY`. Errors: 65.
    pub fn retry_focus(&mut self, id: i32) -> Result<()> {
        let owner = self.text.control_owner();
        self.controls.retry(id, owner)
    }

    /// The text of a text input. Errors: 65, 60.
    pub fn control_text(&mut self, name: Name) -> Result<Vec<u8>> {
        let owner = self.text.control_owner();
        self.controls.text(name, owner)
    }

    /// Sets the text of a text input. Errors: 65, 60, 46.
    pub fn set_control_text(&mut self, name: Name, text: &[u8]) -> Result<()> {
        let owner = self.text.control_owner();
        self.controls.set_text(name, owner, text)
    }

    /// True if a check box, radio button or button is on. Errors: 65, 60.
    pub fn is_on(&mut self, name: Name) -> Result<bool> {
        let owner = self.text.control_owner();
        self.controls.is_on(name, owner)
    }

    /// The character of `TBL=` for a place from 1; without a table the value itself.
    pub fn translated(&mut self, name: Name, place: usize, value: Vec<u8>) -> Vec<u8> {
        let owner = self.text.control_owner();
        match self.controls.get_mut(name, owner) {
            Ok(control) => control.translated(place, value),
            Err(_) => value,
        }
    }

    /// The place from 1 of a value in `TBL=`.
    pub fn place_in_table(&mut self, name: Name, value: &[u8]) -> Option<usize> {
        let owner = self.text.control_owner();
        self.controls.get_mut(name, owner).ok()?.place_of(value)
    }

    /// The way in which the user has used a control since the last call. Errors: 65.
    pub fn take_mode(&mut self, name: Name) -> Result<u8> {
        let owner = self.text.control_owner();
        self.controls.take_mode(name, owner)
    }

    /// The way in which the radio button of a group that is on was used since the last call.
    pub fn take_group_mode(&mut self, id: i32) -> u8 {
        self.controls.take_group_mode(id)
    }

    /// The menu bar, the popup menu, the message box.
    pub fn panels(&self) -> &Panels {
        &self.panels
    }

    /// The same, to be changed.
    pub fn panels_mut(&mut self) -> &mut Panels {
        &mut self.panels
    }

    /// Opens a popup menu at a place of the current window, without one at the control with the focus or at the cursor.
    pub fn open_popup(&mut self, mut popup: Popup, at: Option<(u16, u16)>) {
        let focused = self.controls.focus().and_then(|handle| self.controls.by_handle(handle));
        popup.at = match (at, focused) {
            (Some(at), _) => self.text.window().on_screen(at),
            (None, Some(control)) => (control.cells().column.saturating_add(1), control.cells().row.saturating_add(1)),
            (None, None) => self.text.window().cursor_on_screen(),
        };
        self.panels.open_popup(popup);
    }

    /// Begins an input at the cursor. Keys that were typed ahead are used at once.
    pub fn begin_input(&mut self, request: InputRequest) {
        let window = self.text.window();
        let room = usize::from(window.scroll.columns.saturating_sub(window.cursor.0)).max(1);
        self.input.begin(request, window.cursor, room);
        self.work();
    }

    /// `PREINPUT`: puts a text into the queue of keys, and the value of `CTL` that ends its input; `first` puts it before
    /// everything that is there. Errors: 31.
    pub fn preinput(&mut self, text: &[u8], ctl: i32, first: bool) -> Result<()> {
        // The queue refuses more than its limit, of which one byte more is enough.
        let text = text.get(..=MOST_PREINPUT).unwrap_or(text);
        self.input.preinput(&decode(text), ctl, first)?;
        self.work();
        Ok(())
    }

    /// An input that the queue completes at once: its result if there is one.
    pub fn input_from_queue(&mut self, request: InputRequest) -> Option<InputResult> {
        if !self.input.has_queued() {
            return None;
        }
        self.begin_input(request);
        let result = self.take_input();
        self.input.cancel();
        result
    }

    /// Feeds the queue to the input and draws its field.
    pub(crate) fn work(&mut self) {
        self.bell |= self.input.work();
        let Some(active) = &self.input.active else { return };
        let (at, field) = (active.at, &active.field);
        let cursor = field.cursor() - field.scroll();
        let shown = field.shown();
        let hidden = field.is_hidden();
        let window = self.text.window_mut();
        window.cursor = at;
        if !hidden {
            let (wrapping, scroll) = (window.wrapping, window.scroll);
            window.wrapping = false;
            shown.into_iter().take(usize::from(scroll.columns)).for_each(|character| window.put(character));
            window.wrapping = wrapping;
        }
        window.cursor = (at.0.saturating_add(cursor.min(usize::from(u16::MAX)) as u16), at.1);
    }

    /// Takes the result of the input when it has ended.
    pub fn take_input(&mut self) -> Option<InputResult> {
        let result = self.input.take_result()?;
        let window = self.text.window_mut();
        window.cursor.0 = window.cursor.0.min(window.scroll.columns);
        Some(result)
    }

    /// Gives up the input.
    pub fn cancel_input(&mut self) {
        self.input.cancel();
    }

    /// True if the break key was pressed since the last call.
    pub fn take_break(&mut self) -> bool {
        std::mem::take(&mut self.input.interrupted)
    }

    pub(crate) fn ring(&mut self) {
        self.bell = true;
    }

    /// Sets the facts about the face that `MSE` reports.
    pub fn set_face(&mut self, face: FaceFacts) {
        self.face = face;
    }

    /// The value of `MSE`.
    pub fn mse(&self) -> [u8; 32] {
        let screen = self.text.screen();
        mse::bytes(self.face, self.mouse, self.text.window().origin(), (screen.columns(), screen.rows()))
    }

    /// The texts of rows of a list, for a face that shows them; none for a handle that is not a list.
    pub fn list_rows(&self, handle: u32, from: usize, count: usize) -> Option<(u32, Vec<String>)> {
        let list = self.controls.by_handle(handle)?.list()?;
        Some((list.generation(), list.texts(from, count)))
    }

    /// The changes since the last call; everything for a face that has nothing yet.
    pub fn take_operations(&mut self, everything: bool) -> Vec<Operation> {
        let mut operations = Vec::new();
        if everything {
            self.text.mark_all();
            self.last_cursor = None;
            let screen = self.text.screen();
            operations.push(Operation::Size { columns: screen.columns(), rows: screen.rows() });
        }
        for row in self.text.compose() {
            operations.push(Operation::Row { row, runs: runs(self.text.screen().row(row)) });
        }
        self.panels.take_operations(everything, &mut operations);
        self.push_documents(&mut operations, everything);
        self.push_controls(&mut operations, everything);
        self.push_input(&mut operations, everything);
        if std::mem::take(&mut self.bell) {
            operations.push(Operation::Bell);
        }
        operations
    }

    fn push_documents(&mut self, operations: &mut Vec<Operation>, everything: bool) {
        let told = if everything { 0 } else { self.last_told };
        for (number, document) in self.documents().iter().filter(|(number, _)| *number > told) {
            let (title, pages) = (document.title.clone(), document.pages().len());
            operations.push(Operation::Document { number: *number, title, pages });
        }
        self.last_told = self.documents().last().map_or(self.last_told, |(number, _)| *number);
    }

    fn push_controls(&mut self, operations: &mut Vec<Operation>, everything: bool) {
        operations.extend(self.controls.take_removed().into_iter().map(Operation::Removed));
        let text = &self.text;
        for control in self.controls.all_mut() {
            if std::mem::take(&mut control.changed) || everything {
                let covered = text.covered_parts(control.window, control.cells());
                operations.push(Operation::Control(Box::new(state_of(control, covered))));
            }
            let handle = control.handle;
            let Some(list) = control.list_mut() else { continue };
            let changed =
                list.take_changed().filter(|_| !everything).or(everything.then_some((list.generation(), 0, true)));
            if let Some((generation, first_changed, _)) = changed {
                let selected = list.selected_rows(MOST_SELECTED);
                operations.push(Operation::List(ListState {
                    handle,
                    generation,
                    count: list.shown(),
                    first_changed,
                    selected,
                }));
            }
        }
        if self.controls.take_focus_changed() || everything {
            operations.push(Operation::Focus(self.controls.focus()));
        }
    }

    fn push_input(&mut self, operations: &mut Vec<Operation>, everything: bool) {
        let at = self.text.window().cursor_on_screen();
        let mode = self.text.cursor_mode;
        if self.last_cursor != Some((at, mode)) {
            self.last_cursor = Some((at, mode));
            operations.push(Operation::Cursor { column: at.0, row: at.1, mode });
        }
        let input = self.input_operation();
        if everything || self.last_input.as_ref() != Some(&input) {
            self.last_input = Some(input.clone());
            operations.push(input);
        }
    }

    /// The state of the input as an operation.
    fn input_operation(&self) -> Operation {
        let keys_done = self.input.keys_done;
        let active = self.input.active.as_ref().filter(|_| self.input.result.is_none());
        let Some(active) = active else { return Operation::InputClosed(keys_done) };
        let window = self.text.window();
        let origin = window.origin();
        let field = &active.field;
        let (column, row) = window.at(active.at);
        let hidden = field.is_hidden();
        Operation::Input(InputState {
            number: active.number,
            column: column + origin.0,
            row: row + origin.1,
            width: field.width(),
            longest: field.longest(),
            text: if hidden { String::new() } else { field.text() },
            cursor: if hidden { 0 } else { field.cursor() },
            scroll: if hidden { 0 } else { field.scroll() },
            insert: field.inserts(),
            hidden,
            upper: field.is_upper(),
            guarded: field.is_guarded() || hidden,
            edit: field.is_edit_mode(),
            fresh: field.is_fresh(),
            keys_done,
        })
    }
}

fn state_of(control: &Control, covered: Vec<Region>) -> ControlState {
    let size = |region: &Region| u32::from(region.columns) * u32::from(region.rows);
    let is_partly_shown = covered.iter().map(size).sum::<u32>() < size(&control.cells());
    let mut area = control.area;
    area.column += f32::from(control.origin.0);
    area.row += f32::from(control.origin.1);
    let (text, on) = match &control.contents {
        Contents::Button(on) | Contents::Toggle(on) => (control.text.clone(), *on),
        Contents::Text(text) => (decode_fields(text, '\n'), false),
        Contents::List(_) | Contents::Grid(_) => (control.text.clone(), false),
    };
    let headings = control.list().map(|list| list.columns.iter().map(heading).collect());
    ControlState {
        handle: control.handle,
        kind: control.name.kind,
        id: control.name.id,
        sub: control.name.sub,
        area,
        text,
        on,
        visible: control.shown && covered.is_empty(),
        covered: if control.shown && is_partly_shown { covered } else { Vec::new() },
        enabled: control.enabled,
        locked: control.locked,
        has_menu: control.menu_ctl != 0,
        options: decode(&control.options).into_owned(),
        length: control.length,
        key: control.key,
        tip: control.tip.clone(),
        message: control.message.clone(),
        style: control.list().map_or(0, |list| list.style as u8),
        headings: headings.unwrap_or_default(),
        current_column: control.current_cell().map_or(0, |cell| cell.0),
        caret: control.caret,
    }
}

fn heading(column: &crate::controls::columns::Column) -> Heading {
    let crate::controls::columns::Column { title, width, alignment, field, .. } = column;
    Heading { title: title.clone(), width: *width, alignment: *alignment as u8, field: *field }
}
