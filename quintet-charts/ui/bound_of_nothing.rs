#[state_machine(initial = State::idle(), deferred = 0)]
impl Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }
}
