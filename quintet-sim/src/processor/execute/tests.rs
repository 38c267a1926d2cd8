//! What the instructions do, one behaviour a test.

use crate::processor::testing::{execute, processor};

#[test]
fn a_narrow_addition_sets_all_flags() {
    let mut processor = processor();
    processor.registers.r[1] = 0x7FFF_FFFF;
    execute(&mut processor, &[0x1C48]).unwrap(); // ADDS R0, R1, #1
    assert_eq!(processor.registers.r[0], 0x8000_0000);
    assert_eq!(processor.registers.apsr, 0x9000_0000);
    assert_eq!(processor.registers.r[15], 0x102);
}
