#[state_machine(initial = State::idle())]
impl Door {
    #[state(superstate = a)]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }

    #[superstate(superstate = b)]
    fn a(&mut self, event: &Event) -> Outcome<State> {
        Super
    }

    #[superstate(superstate = a)]
    fn b(&mut self, event: &Event) -> Outcome<State> {
        Super
    }
}
