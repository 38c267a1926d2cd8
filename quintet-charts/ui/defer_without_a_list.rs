#[state_machine(initial = State::idle(), deferred = 1)]
impl Door {
    #[state(defer = Event::Knock)]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }
}
