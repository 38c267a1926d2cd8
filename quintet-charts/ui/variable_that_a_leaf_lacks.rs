#[state_machine(initial = State::idle())]
impl Door {
    #[superstate(initial = State::idle())]
    fn works(left: &mut u8, event: &Event) -> Outcome<State> {
        Super
    }

    #[state(superstate = works)]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }
}
