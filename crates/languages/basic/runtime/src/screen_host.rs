//! A host over a shared screen: the face of a terminal or of a browser shows it and sends its events.

use crate::fault::Outcome;
use crate::host::{Clock, Host, Input, InputRequest, Output};
use crate::system_clock::SystemClock;
use mainstay_code_page as code_page;
use mainstay_screen::menu::{Choice, Popup};
use mainstay_screen::panels::MessageBox;
use mainstay_screen::session::ScreenHandle;
use std::time::Duration;

/// How long a program waits for a face that does not acknowledge what it was sent.
const BARRIER: Duration = Duration::from_secs(5);

/// A host whose screen, keyboard and controls are those of a face.
#[derive(Debug)]
pub struct ScreenHost {
    screen: ScreenHandle,
    clock: SystemClock,
}

impl ScreenHost {
    /// A host over this screen.
    pub fn new(screen: ScreenHandle) -> ScreenHost {
        ScreenHost { screen, clock: SystemClock::start() }
    }
}

impl Host for ScreenHost {
    fn screen(&self) -> Option<ScreenHandle> {
        Some(self.screen.clone())
    }

    fn output(&mut self, _: Output<'_>) -> Outcome<()> {
        Ok(())
    }

    fn input(&mut self, request: &InputRequest) -> Outcome<Input> {
        Ok(self.screen.input(request.into(), request.wait)?.into())
    }

    fn flush(&mut self) -> Outcome<()> {
        Ok(self.screen.flush()?)
    }

    fn barrier(&mut self) -> Outcome<()> {
        self.screen.barrier(BARRIER)?;
        Ok(())
    }

    fn wait(&mut self, time: Duration) -> Outcome<()> {
        Ok(self.screen.pause(time)?)
    }

    fn clock(&mut self) -> Clock {
        self.clock.now()
    }

    fn monotonic(&mut self) -> Duration {
        self.clock.elapsed()
    }

    fn interrupted(&mut self) -> bool {
        self.screen.take_break()
    }

    fn hung_up(&mut self) -> bool {
        self.screen.is_hung_up()
    }

    fn message_box(&mut self, text: &str, title: &str, options: &str) -> Outcome<String> {
        let message =
            MessageBox::new(&code_page::encode(text), Some(&code_page::encode(title)), &code_page::encode(options));
        Ok(self.screen.message_box(message)?)
    }

    fn popup_menu(&mut self, menu: Popup, at: Option<(u16, u16)>) -> Outcome<Option<Choice>> {
        Ok(self.screen.popup_menu(menu, at)?)
    }
}
