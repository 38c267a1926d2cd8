//! The first fault and its cause, as a tool learns them.

use super::*;
use crate::processor::faults::Fault;
use crate::processor::history::{FailedAccess, FaultCause, FaultHistory, Jump};
use crate::timing::Direction;

const NOWHERE: u32 = 0x6000_0000;

fn history(core: &Core) -> &FaultHistory {
    core.fault_history().expect("a fault")
}

/// The history of a program whose first instruction is a load or a store at R0.
fn of_access(instruction: u16, address: u32) -> FaultHistory {
    let mut core = firmware(&[instruction, NOP, NOP]);
    core.registers.r[0] = address;
    core.steps(3);
    history(&core).clone()
}

#[test]
fn an_access_is_known_by_its_address_size_and_direction() {
    let (size, address) = (Size::Word, NOWHERE);
    let load = of_access(LOAD, address).first;
    assert_eq!(load.cause, FaultCause::Instruction(Fault::DataBus { address }));
    let direction = Direction::Read;
    assert_eq!(load.access, Some(FailedAccess { address, size, direction }));
    // A buffered store is known by its own instruction, although its fault comes later.
    let store = of_access(STORE, address).first;
    let direction = Direction::Write;
    assert_eq!(store.cause, FaultCause::BufferedStore);
    assert_eq!(store.access, Some(FailedAccess { address, size, direction }));
    assert_eq!((store.registers.r[15], store.handler), (MAIN, Some(3)));
}

#[test]
fn who_jumped_is_known() {
    let mut core = firmware(&[NOP, BX_LR]);
    core.registers.r[14] = 0x6000_0001;
    core.steps(3);
    let first = &history(&core).first;
    assert_eq!(first.cause, FaultCause::Instruction(Fault::InstructionBus));
    assert_eq!(first.jump, Jump { from: MAIN + 2, to: NOWHERE });
    assert_eq!(first.registers.r[15], NOWHERE);
}

#[test]
fn armv6m_has_causes_too() {
    let mut core = firmware_on(armv6m(), &[CPSID_I, SVC]);
    core.steps(3);
    let first = &history(&core).first;
    assert_eq!(first.cause, FaultCause::Instruction(Fault::SupervisorCall));
    assert!(first.registers.primask);
    assert_eq!((first.registers.r[15], first.handler), (MAIN + 2, Some(3)));
}

#[test]
fn the_first_fault_stays_the_first() {
    let mut core = firmware(&[UDF]);
    core.bus.put(handler(3), &[LOAD]);
    core.registers.r[0] = NOWHERE;
    core.steps(3);
    assert!(core.is_locked_up());
    let FaultHistory { first, second, faults, .. } = history(&core);
    assert_eq!(first.cause, FaultCause::Instruction(Fault::Undefined));
    let second = second.as_ref().expect("the load in the handler");
    assert_eq!(second.cause, FaultCause::Instruction(Fault::DataBus { address: NOWHERE }));
    assert_eq!((second.handler, *faults), (None, 2));
}

#[test]
fn a_fault_whose_handler_returns_is_over() {
    let mut core = firmware(&[UDF, BKPT]);
    // The handler returns to the UDF: NOP; BX LR.
    core.steps(25);
    assert!(history(&core).faults > 2 && history(&core).second.is_none());
    // Another fault begins a history of its own, once the first fault's handler has returned.
    while !history(&core).returned {
        core.steps(1);
    }
    core.registers.r[15] = MAIN + 2;
    core.steps(2);
    assert_eq!(history(&core).first.cause, FaultCause::Instruction(Fault::Breakpoint));
    assert_eq!(history(&core).faults, 1);
}

#[test]
fn a_reset_doesnt_hide_what_led_to_it() {
    let mut core = firmware(&[UDF]);
    core.steps(2);
    core.reset();
    assert_eq!((history(&core).resets, history(&core).first.registers.r[15]), (1, MAIN));
    core.forget_faults();
    assert!(core.fault_history().is_none());
}
