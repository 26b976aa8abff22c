//! A screen shared by the thread of a program and the threads of a face.
//!
//! The program calls [`ScreenHandle`]; the face takes frames and gives events through [`Face`]. A frame is due when the program
//! waits, when it asks for one, or 16 ms after the first change since the last frame. One frame is under way at a time: the
//! next is taken after the face has acknowledged it, so that a slow face gets fewer frames and not a longer queue.
//!
//! ```text
//!   program   with(...)  with(...)  input()            barrier()
//!   face              16 ms: frame 1     frame 2, event     frame 3
//!                            ack 1       ack 2              ack 3 -> barrier returns
//! ```
//!
//! A face that goes away leaves the program running until it waits; a new one gets everything in its first frame. After
//! [`Face::hang_up`] every call of the program fails with error 4, so that it ends as it would on a line that was cut.

use crate::error::{BREAK, NOT_READY, Result, ScreenError, TIMEOUT};
use crate::event::Event;
use crate::field::InputRequest;
use crate::frame::Frame;
use crate::input::InputResult;
use crate::menu::{Choice, Popup};
use crate::mse::FaceFacts;
use crate::panels::MessageBox;
use crate::screen::Screen;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time after the first change at which a frame is due while the program computes.
const FRAME: Duration = Duration::from_millis(16);

/// The result of waiting for a frame.
#[derive(Debug, PartialEq)]
pub enum Next {
    /// A frame to show and to acknowledge.
    Frame(Frame),
    /// No frame is due before the deadline.
    Timeout,
    /// The program has ended, and everything is shown.
    Ended,
    /// Another face has taken over.
    Replaced,
}

/// The state of `MSE`, which waits until a frame is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Barrier {
    /// The program does not wait.
    None,
    /// The next frame is to be acknowledged.
    Wanted,
    /// The frame with this number is to be acknowledged.
    Sent(u32),
}

#[derive(Debug)]
struct State {
    screen: Screen,
    /// The first change since the last frame.
    changed_at: Option<Instant>,
    /// The program waits or asks for a frame.
    due: bool,
    sequence: u32,
    acknowledged: u32,
    barrier: Barrier,
    /// The number of the attached face; 0 while no face is attached.
    face: u32,
    faces: u32,
    everything: bool,
    ended: bool,
    hung_up: bool,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Something that a face waits for has happened.
    to_face: Condvar,
    /// Something that the program waits for has happened.
    to_program: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The program's side of a screen.
#[derive(Clone, Debug)]
pub struct ScreenHandle(Arc<Shared>);

/// One face's side of a screen.
#[derive(Debug)]
pub struct Face {
    shared: Arc<Shared>,
    number: u32,
}

/// Gives access to a screen without a program: to attach faces and to look at it.
#[derive(Clone, Debug)]
pub struct Watch(Arc<Shared>);

/// A screen, shared.
pub fn share(screen: Screen) -> (ScreenHandle, Watch) {
    let state = State {
        screen,
        changed_at: None,
        due: false,
        sequence: 0,
        acknowledged: 0,
        barrier: Barrier::None,
        face: 0,
        faces: 0,
        everything: true,
        ended: false,
        hung_up: false,
    };
    let shared = Arc::new(Shared { state: Mutex::new(state), to_face: Condvar::new(), to_program: Condvar::new() });
    (ScreenHandle(Arc::clone(&shared)), Watch(shared))
}

fn gone() -> ScreenError {
    ScreenError::new(NOT_READY, "The terminal of the program is gone")
}

impl ScreenHandle {
    /// Calls a function with the screen. Errors: 4 after the face has hung up.
    pub fn with<R>(&self, call: impl FnOnce(&mut Screen) -> R) -> Result<R> {
        let mut state = self.0.lock();
        if state.hung_up {
            return Err(gone());
        }
        let result = call(&mut state.screen);
        if state.changed_at.is_none() {
            state.changed_at = Some(Instant::now());
            self.0.to_face.notify_all();
        }
        Ok(result)
    }

    /// Makes a frame due now (`WAIT 0`, `'FL'`). Errors: 4.
    pub fn flush(&self) -> Result<()> {
        self.with(|_| ())?;
        self.0.lock().due = true;
        self.0.to_face.notify_all();
        Ok(())
    }

    /// Waits until the face has shown everything and returns the value of `MSE`. After `limit` it returns all the same.
    ///
    /// Errors: 4.
    pub fn barrier(&self, limit: Duration) -> Result<[u8; 32]> {
        self.with(|_| ())?;
        let mut state = self.0.lock();
        (state.barrier, state.due) = (Barrier::Wanted, true);
        self.0.to_face.notify_all();
        let until = Instant::now() + limit;
        // A face that has gone shows nothing more; one that is still to come is waited for.
        while state.barrier != Barrier::None && !state.hung_up && (state.face != 0 || state.faces == 0) {
            let Some(left) = until.checked_duration_since(Instant::now()) else { break };
            state = self.0.to_program.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.barrier = Barrier::None;
        if state.hung_up { Err(gone()) } else { Ok(state.screen.mse()) }
    }

    /// Waits until `ready` gives a value or the time is over, with a frame due. Errors: 4, 127.
    fn wait<R>(&self, limit: Option<Duration>, mut ready: impl FnMut(&mut Screen) -> Option<R>) -> Result<Option<R>> {
        let until = limit.map(|limit| Instant::now() + limit);
        let mut state = self.0.lock();
        loop {
            if state.hung_up {
                return Err(gone());
            }
            if let Some(result) = ready(&mut state.screen) {
                return Ok(Some(result));
            }
            if state.screen.take_break() {
                return Err(ScreenError::new(BREAK, "Interrupted by the user"));
            }
            state.due = true;
            self.0.to_face.notify_all();
            state = match until {
                None => self.0.to_program.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(until) => {
                    let Some(left) = until.checked_duration_since(Instant::now()) else { return Ok(None) };
                    self.0.to_program.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// `INPUT` and `OBTAIN`: waits until the input has ended.
    ///
    /// Errors: 0 after `limit` (`TIM=`), 4, 127 for the break key.
    pub fn input(&self, request: InputRequest, limit: Option<Duration>) -> Result<InputResult> {
        self.with(|screen| screen.begin_input(request))?;
        let result = self.wait(limit, Screen::take_input);
        if !matches!(result, Ok(Some(_))) {
            // A screen that has hung up needs no field to be closed.
            let _ = self.with(Screen::cancel_input);
        }
        result?.ok_or_else(|| ScreenError::new(TIMEOUT, "The input is not complete in time"))
    }

    /// `MSGBOX`: waits for the answer, the word of a button or `TIMEOUT`. Errors: 4, 127.
    pub fn message_box(&self, message: MessageBox) -> Result<String> {
        let limit = message.seconds.map(|seconds| Duration::from_secs(u64::from(seconds)));
        self.with(|screen| screen.panels_mut().open_message_box(message))?;
        let answer = self.wait(limit, |screen| screen.panels_mut().take_answer())?;
        match answer {
            Some(answer) => Ok(answer),
            None => self.with(|screen| screen.panels_mut().close_message_box()).map(|()| "TIMEOUT".to_owned()),
        }
    }

    /// `POPUP_MENU`: waits for the choice; `None` if the user closes the menu. Errors: 4, 127.
    pub fn popup_menu(&self, popup: Popup, at: Option<(u16, u16)>) -> Result<Option<Choice>> {
        self.with(|screen| screen.open_popup(popup, at))?;
        let choice = self.wait(None, |screen| screen.panels_mut().take_choice());
        if choice.is_err() {
            // A screen that has hung up needs no menu to be closed.
            let _ = self.with(|screen| screen.panels_mut().close_popup());
        }
        Ok(choice?.flatten())
    }

    /// `WAIT`: lets time pass while the screen is shown. Errors: 4, 127.
    pub fn pause(&self, time: Duration) -> Result<()> {
        self.with(|_| ())?;
        self.wait(Some(time), |_| None::<()>).map(drop)
    }

    /// True if the break key was pressed since the last call.
    pub fn take_break(&self) -> bool {
        self.0.lock().screen.take_break()
    }

    /// True if the face has hung up, for programs that compute without using the screen.
    pub fn is_hung_up(&self) -> bool {
        self.0.lock().hung_up
    }

    /// The program has ended: the face shows the last frame and then says so.
    pub fn end(&self) {
        let mut state = self.0.lock();
        state.ended = true;
        state.due = true;
        state.changed_at = state.changed_at.or_else(|| Some(Instant::now()));
        self.0.to_face.notify_all();
    }
}

impl Watch {
    /// Attaches a face, which replaces the one before and gets everything in its first frame.
    pub fn attach(&self, facts: FaceFacts) -> Face {
        let mut state = self.0.lock();
        state.faces = state.faces.wrapping_add(1).max(1);
        state.face = state.faces;
        state.everything = true;
        state.due = true;
        state.acknowledged = state.sequence;
        if state.barrier != Barrier::None {
            state.barrier = Barrier::Wanted;
        }
        state.screen.set_face(facts);
        self.0.to_face.notify_all();
        Face { shared: Arc::clone(&self.0), number: state.face }
    }

    /// True if a face is attached.
    pub fn is_attached(&self) -> bool {
        self.0.lock().face != 0
    }

    /// True if the program has ended.
    pub fn is_ended(&self) -> bool {
        self.0.lock().ended
    }

    /// True if the program has to end.
    pub fn is_hung_up(&self) -> bool {
        self.0.lock().hung_up
    }

    /// Ends the program at its next call.
    pub fn hang_up(&self) {
        self.0.lock().hung_up = true;
        self.0.to_program.notify_all();
        self.0.to_face.notify_all();
    }

    /// Calls a function with the screen, to look at it.
    pub fn look<R>(&self, call: impl FnOnce(&Screen) -> R) -> R {
        call(&self.0.lock().screen)
    }
}

impl Face {
    /// Waits for a frame until `deadline`.
    pub fn next(&self, deadline: Instant) -> Next {
        let mut state = self.shared.lock();
        loop {
            let now = Instant::now();
            if state.face != self.number {
                return Next::Replaced;
            }
            let free = state.acknowledged == state.sequence;
            let waited = state.changed_at.is_some_and(|at| now >= at + FRAME);
            if free
                && (state.due || waited)
                && let Some(frame) = take_frame(&mut state)
            {
                return Next::Frame(frame);
            }
            if free && state.ended && state.changed_at.is_none() {
                return Next::Ended;
            }
            if now >= deadline {
                return Next::Timeout;
            }
            let frame_at = state.changed_at.filter(|_| free).map(|at| at + FRAME);
            let until = frame_at.map_or(deadline, |at| at.min(deadline));
            let left = until.saturating_duration_since(now);
            state = self.shared.to_face.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Acknowledges a frame that is shown.
    pub fn acknowledge(&self, sequence: u32) {
        let mut state = self.shared.lock();
        if state.face == self.number && sequence == state.sequence {
            state.acknowledged = sequence;
            if state.barrier == Barrier::Sent(sequence) {
                state.barrier = Barrier::None;
            }
            self.shared.to_program.notify_all();
            self.shared.to_face.notify_all();
        }
    }

    /// Performs an event.
    pub fn event(&self, event: Event) {
        let mut state = self.shared.lock();
        if state.face != self.number {
            return;
        }
        state.screen.event(event);
        // The effect of an event is shown at once.
        state.due = true;
        state.changed_at = state.changed_at.or_else(|| Some(Instant::now()));
        self.shared.to_program.notify_all();
        self.shared.to_face.notify_all();
    }

    /// Detaches the face: [`Face::next`] returns on every thread.
    pub fn detach(&self) {
        let mut state = self.shared.lock();
        if state.face == self.number {
            state.face = 0;
        }
        self.shared.to_program.notify_all();
        self.shared.to_face.notify_all();
    }

    /// The texts of rows of a list and their generation.
    pub fn list_rows(&self, handle: u32, from: usize, count: usize) -> Option<(u32, Vec<String>)> {
        self.shared.lock().screen.list_rows(handle, from, count)
    }

    /// Ends the program at its next call.
    pub fn hang_up(&self) {
        Watch(Arc::clone(&self.shared)).hang_up();
    }
}

impl Drop for Face {
    fn drop(&mut self) {
        self.detach();
    }
}

/// Takes the frame that is due. One without content is not sent, unless the program waits for its acknowledgement.
fn take_frame(state: &mut State) -> Option<Frame> {
    let everything = std::mem::take(&mut state.everything);
    state.due = false;
    state.changed_at = None;
    let operations = state.screen.take_operations(everything);
    let barrier = state.barrier != Barrier::None;
    if operations.is_empty() && !barrier {
        return None;
    }
    state.sequence = state.sequence.wrapping_add(1);
    if barrier {
        state.barrier = Barrier::Sent(state.sequence);
    }
    Some(Frame { sequence: state.sequence, barrier, operations })
}
