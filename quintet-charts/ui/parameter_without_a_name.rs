#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    fn idle((a, b): &mut (u8, u8), event: &Event) -> Outcome<State> {
        Super
    }
}
