//! Refused: an outcome inside of a macro's call.
#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        check!(self.is_shut, { return Super });
        Handled
    }
}
