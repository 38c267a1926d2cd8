//! Refused: a form that is neither `true` nor `false`.
#[state_machine(initial = State::idle(), compact = "small")]
impl Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Handled
    }
}
