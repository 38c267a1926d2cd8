#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    fn idle(&mut self) -> Outcome<State> {
        Super
    }
}
