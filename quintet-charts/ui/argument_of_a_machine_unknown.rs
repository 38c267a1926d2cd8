#[state_machine(initial = State::idle(), initially = 1)]
impl Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }
}
