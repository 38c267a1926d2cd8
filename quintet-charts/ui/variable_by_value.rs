#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    fn idle(left: u8, event: &Event) -> Outcome<State> {
        Super
    }
}
