//! Programs that set the front end of their flash.

use super::*;
use crate::image::Image;

/// A loop of eight wide additions, two lines of 16 bytes, and a branch back.
fn work() -> Vec<u16> {
    let mut code = [[0xf101_u16, 0x0101]; 8].concat(); // ADD.W R1, R1, #1
    code.extend([0x3801, 0xd1ed]); // SUBS R0, #1; BNE to the first
    code
}

/// The cycles of 100 turns of the loop, once `value` is in the register at `register`.
fn cycles(board: &str, start: u32, register: u32, value: Option<u32>) -> u64 {
    let board = Board::named(board).expect("built in");
    let mut machine = Machine::new(&board);
    let mut image = vec![0_u8; 0x400];
    let mut place = |at: usize, code: &[u16]| {
        for (index, halfword) in code.iter().enumerate() {
            image[at + 2 * index..][..2].copy_from_slice(&halfword.to_le_bytes());
        }
    };
    let table = (board.vector_table.max(start) - start) as usize;
    let (entry, turns) = (start + table as u32 + 0x200, start + table as u32 + 0x240);
    place(table, &[0x1000, 0x2000, entry as u16 | 1, (entry >> 16) as u16]);
    // STR R3, [R2]; B to the loop.
    let store = if value.is_some() { 0x6013 } else { 0xbf00 };
    place(table + 0x200, &[store, 0xe01d]);
    place(table + 0x240, &work());
    machine.load(&Image::raw(&image, start).expect("an image")).expect("it fits");
    machine.reset();
    machine.processor.registers.r[0] = 101;
    machine.processor.registers.r[2] = register;
    machine.processor.registers.r[3] = value.unwrap_or(0);
    let until = Until { addresses: vec![turns], max_cycles: Some(1_000_000), ..Until::default() };
    // The first turn is apart: it fills the caches.
    for _ in 0..2 {
        assert_eq!(machine.run(&until), Stop::Address(turns));
    }
    let before = machine.cycle();
    let end = turns + 36;
    let until = Until { addresses: vec![end], max_cycles: Some(1_000_000), ..Until::default() };
    assert_eq!(machine.run(&until), Stop::Address(end));
    machine.cycle() - before
}

const ACR_F4: u32 = 0x4002_3c00;

#[test]
fn an_stm32f4_waits_as_its_acr_says_and_not_where_its_caches_hold_the_loop() {
    let [reset, slow, prefetched, cached] = [None, Some(5), Some(0x105), Some(0x205)]
        .map(|acr| cycles("stm32f446", 0x0800_0000, ACR_F4, acr));
    assert_eq!(cached, reset, "the loop is in the cache");
    // Without a prefetch, each of the three lines of a turn takes five cycles more.
    assert!(slow >= reset + 100 * 10, "{slow} and {reset}");
    assert!((reset + 1..slow).contains(&prefetched), "{prefetched} of {slow}");
    let with_wait = |latency| cycles("stm32f446", 0x0800_0000, ACR_F4, Some(latency));
    assert!(with_wait(1) < with_wait(3) && with_wait(3) < slow);
    assert_eq!(with_wait(0), reset);
}

#[test]
fn an_stm32f1_reads_a_word_ahead_from_reset_on() {
    const ACR: u32 = 0x4002_2000;
    let [reset, prefetched, alone] =
        [None, Some(0x12), Some(0x02)].map(|acr| cycles("stm32f103", 0x0800_0000, ACR, acr));
    assert!(reset < prefetched && prefetched < alone, "{reset}, {prefetched}, {alone}");
}

#[test]
fn an_nrf52_waits_until_its_cache_is_on() {
    let icachecnf = 0x4001_e540;
    let [off, on] = [None, Some(1)].map(|value| cycles("nrf52840", 0, icachecnf, value));
    assert!(off >= on + 100 * 8, "{off} and {on}");
}

#[test]
fn a_reset_empties_and_sets_back_and_a_snapshot_keeps() {
    let board = Board::named("stm32f446").expect("built in");
    let mut machine = Machine::new(&board);
    let mut image = vec![0_u8; 0x240];
    image[..8].copy_from_slice(&[0x00, 0x10, 0x00, 0x20, 0x01, 0x01, 0x00, 0x08]);
    // STR R3, [R2]; then the loop.
    let code = [&[0x6013, 0xbf00][..], &work(), &[0xe7fe]].concat();
    for (index, halfword) in code.iter().enumerate() {
        image[0x100 + 2 * index..][..2].copy_from_slice(&halfword.to_le_bytes());
    }
    machine.load(&Image::raw(&image, 0x0800_0000).expect("an image")).expect("it fits");
    let end = Until { addresses: vec![0x0800_0128], max_cycles: Some(100_000), ..Until::default() };
    let run = |machine: &mut Machine, acr: u32| {
        machine.reset();
        machine.processor.registers.r[0] = 20;
        machine.processor.registers.r[2] = ACR_F4;
        machine.processor.registers.r[3] = acr;
        let began = machine.cycle();
        assert_eq!(machine.run(&end), Stop::Address(0x0800_0128));
        machine.cycle() - began
    };
    let first = run(&mut machine, 5);
    assert_eq!(run(&mut machine, 5), first, "it starts as from power-on");
    assert!(run(&mut machine, 0) < first);
    // In the middle of the loop, with caches that hold some of it.
    machine.reset();
    machine.processor.registers.r[0] = 20;
    machine.processor.registers.r[2] = ACR_F4;
    machine.processor.registers.r[3] = 0x705;
    for _ in 0..7 {
        assert_eq!(machine.step(), None);
    }
    let snapshot = machine.snapshot();
    assert_eq!(machine.run(&end), Stop::Address(0x0800_0128));
    let undisturbed = machine.cycle();
    machine.restore(&snapshot);
    assert_eq!(machine.run(&end), Stop::Address(0x0800_0128));
    assert_eq!(machine.cycle(), undisturbed);
}
