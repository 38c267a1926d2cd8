//! Refused: `after` without a timer or a time.
#[state_machine(initial = State::idle())]
impl Door {
    #[state(after = Duration::from_secs(3))]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }
}
