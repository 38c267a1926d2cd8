//! Refused: an argument without its value.
#[state_machine(initial = State::idle())]
impl Door {
    #[state(entry_action(begin))]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }
}
