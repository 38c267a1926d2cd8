//! WFI, WFE, SEV, SEVONPEND and sleep-on-exit.

use super::*;

#[test]
fn wfi_sleeps_until_an_interrupt_and_then_takes_it() {
    let mut core = firmware(&[WFI, NOP]);
    core.enable(16, 0);
    core.bus.schedule = vec![(1000, lines(&[0])), (1005, lines(&[]))];
    core.plan_next_event();
    core.steps(1);
    assert!(core.is_asleep());
    core.run_to(handler(16));
    assert_eq!(core.frame()[6], MAIN + 2);
    let events = core.take_events();
    let sleep = events.iter().find(|event| event.kind == EventKind::Sleep { pc: MAIN });
    let wake = events.iter().find(|event| event.kind == EventKind::Wake);
    assert!(sleep.unwrap().cycle < 10);
    assert_eq!(wake.unwrap().cycle, 1001);
}

#[test]
fn primask_does_not_keep_wfi_from_waking() {
    let mut core = firmware(&[CPSID_I, WFI, NOP]);
    core.enable(16, 0);
    core.bus.schedule = vec![(100, lines(&[0]))];
    core.plan_next_event();
    core.run_to(MAIN + 6);
    assert_eq!(core.registers.ipsr, 0);
    assert!(core.pipeline.now() > 100);
}

#[test]
fn basepri_and_a_disabled_interrupt_do() {
    let mut core = firmware(&[WFI, NOP]);
    core.enable(16, 0x80);
    core.registers.basepri = 0x80;
    core.pend(16);
    core.pend(17);
    core.priority_changed();
    assert_eq!(core.run_to_halt(), Halt::Asleep);
}

#[test]
fn a_wfi_with_something_pending_does_not_sleep() {
    let mut core = firmware(&[CPSID_I, WFI, NOP]);
    core.enable(16, 0);
    core.pend(16);
    core.registers.primask = true;
    core.priority_changed();
    core.steps(2);
    assert!(!core.is_asleep());
    assert_eq!(core.registers.r[15], MAIN + 4);
}

#[test]
fn sleep_without_anything_to_wake_it_is_reported() {
    let mut core = firmware(&[WFI, NOP]);
    core.steps(1);
    assert_eq!(core.step(), Some(Halt::Asleep));
    assert_eq!(core.step(), Some(Halt::Asleep));
    core.enable(16, 0);
    core.pend(16);
    core.run_to(handler(16));
    assert_eq!(core.frame()[6], MAIN + 2);
}

#[test]
fn one_step_of_sleep_ends_at_the_horizon() {
    let mut core = firmware(&[WFI, NOP]);
    core.bus.schedule = vec![(1000, lines(&[0]))];
    core.plan_next_event();
    core.horizon = 300;
    core.steps(2);
    assert_eq!(core.pipeline.now(), 300);
    assert!(core.is_asleep());
}

#[test]
fn systick_wakes_at_its_cycle() {
    let mut core = firmware(&[WFI, NOP]);
    core.poke(SYST_RVR, 499);
    core.poke(SYST_CSR, 7);
    core.run_to(handler(15));
    let events = core.take_events();
    let wake = events.iter().find(|event| event.kind == EventKind::Wake).unwrap();
    assert_eq!(wake.cycle, 502);
}

#[test]
fn wfe_takes_a_registered_event_and_sleeps_without_one() {
    let mut core = firmware(&[SEV, WFE, WFE, NOP]);
    core.steps(2);
    assert_eq!(core.registers.r[15], MAIN + 4);
    assert!(!core.is_asleep());
    core.steps(1);
    assert!(core.is_asleep(), "the first took the event");
    assert_eq!(core.step(), Some(Halt::Asleep));
}

#[test]
fn an_exception_registers_an_event() {
    let mut core = firmware(&[SVC, WFE, NOP]);
    core.run_to(MAIN + 2);
    core.steps(1);
    assert!(!core.is_asleep());
}

#[test]
fn sevonpend_wakes_wfe_for_a_disabled_interrupt() {
    for (control, wakes) in [(1 << 4, true), (0, false)] {
        let mut core = firmware(&[WFE, NOP]);
        core.poke(SCR, control);
        core.bus.schedule = vec![(200, lines(&[5]))];
        core.plan_next_event();
        core.steps(2);
        assert_eq!(core.is_asleep(), !wakes);
        assert_eq!(core.registers.ipsr, 0);
    }
}

#[test]
fn sevonpend_counts_a_high_line_that_pends_again() {
    let mut core = firmware(&[NOP, WFE, NOP]);
    core.poke(SCR, 1 << 4);
    core.bus.lines = lines(&[5]);
    core.advance_devices(0);
    core.reconsider_now();
    core.steps(2);
    assert!(!core.is_asleep());
    core.registers.r[15] = MAIN + 2;
    core.poke(ICPR, 1 << 5);
    core.steps(1);
    assert!(!core.is_asleep());
}

#[test]
fn sevonpend_counts_only_what_becomes_pending() {
    let mut core = firmware(&[WFE, NOP]);
    core.poke(ISPR, 1);
    core.poke(SCR, 1 << 4);
    core.poke(ISPR, 1);
    core.steps(1);
    assert!(core.is_asleep(), "it was pending before");
}

#[test]
fn wfe_is_woken_by_an_interrupt_that_is_taken() {
    let mut core = firmware(&[WFE, NOP]);
    core.enable(16, 0);
    core.bus.schedule = vec![(200, lines(&[0]))];
    core.plan_next_event();
    core.run_to(handler(16));
    assert_eq!(core.frame()[6], MAIN + 2);
}

#[test]
fn sleep_on_exit_sleeps_behind_the_last_handler_and_tail_chains() {
    let mut core = firmware(&[NOP, NOP]);
    core.poke(SCR, 2);
    core.enable(16, 0);
    core.pend(16);
    core.bus.schedule = vec![(500, lines(&[0])), (501, lines(&[]))];
    core.plan_next_event();
    core.run_to(handler(16) + 2);
    core.steps(1);
    assert!(core.is_asleep());
    core.run_to(handler(16));
    assert!(core.pipeline.now() > 500);
    assert_eq!(core.entries(), [(16, false), (16, true)]);
    core.poke(SCR, 0);
    core.run_to(MAIN);
    assert_eq!(core.registers.r[13], STACK);
}

#[test]
fn sleep_on_exit_with_primask_goes_on_in_thread_mode() {
    let mut core = firmware(&[NOP, NOP]);
    core.poke(SCR, 2);
    core.enable(16, 0);
    core.bus.put(handler(16), &[CPSID_I, BX_LR]);
    core.pend(16);
    core.bus.schedule = vec![(500, lines(&[0]))];
    core.plan_next_event();
    core.steps(1);
    core.run_to(MAIN);
    assert!(core.pipeline.now() > 500);
    assert_eq!(core.registers.ipsr, 0);
}

#[test]
fn a_nested_return_does_not_sleep() {
    let mut core = firmware(&[NOP]);
    core.poke(SCR, 2);
    core.enable(16, 0x80);
    core.enable(17, 0x40);
    core.pend(16);
    core.steps(1);
    core.pend(17);
    core.run_to(handler(17) + 2);
    core.steps(1);
    assert!(!core.is_asleep());
    assert_eq!(core.registers.r[15], handler(16));
}
