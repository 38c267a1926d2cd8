//! Refused: an error handed on by `?`.
#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        self.n = event.text.parse()?;
        let _fine = || -> Option<u8> { Some(event.n? + 1) };
        Handled
    }
}
