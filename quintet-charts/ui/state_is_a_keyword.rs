//! Refused: a state whose variant would be a keyword.
#[state_machine(initial = State::self_())]
impl Door {
    #[state]
    fn self_(&mut self, event: &Event) -> Outcome<State> {
        Handled
    }
}
