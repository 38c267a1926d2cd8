//! Every compressed encoding against LLVM's disassembler.

use super::decode;
use crate::riscv::extensions::Extensions;

/// Digests (FNV-1a) of the texts of 128 encodings each, in order. The texts are those that
/// `llvm-objdump -D -M no-aliases` of LLVM 22 prints with `+m,+a,+c,+zba,+zbb,+zbs,+zcb,+zcmp`,
/// each compressed instruction written as the one that the specification's tables give for it,
/// and `illegal` for what LLVM does not know. Targets are relative. One difference is corrected:
/// the specification reserves CM.MVSA01 with the same register twice, and LLVM names it.
const DIGESTS: &str = include_str!("compressed.txt");

fn digest(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |digest, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn text(bits: u32, extensions: Extensions) -> String {
    let decoded = decode(bits, extensions);
    decoded.map_or_else(|| "illegal".to_owned(), |instruction| instruction.text(0))
}

#[test]
fn every_compressed_encoding_is_what_another_disassembler_says() {
    let mut blocks = 0;
    for (block, expected) in (0_u32..).step_by(128).zip(DIGESTS.lines()) {
        let halves = (block..block + 128).filter(|half| half & 3 != 3);
        let lines: String = halves.map(|half| text(half, Extensions::ALL) + "\n").collect();
        let found = format!("{:016x}", digest(&lines));
        assert_eq!(found, expected, "from {block:#06x} on:\n{lines}");
        blocks += 1;
    }
    assert_eq!(blocks, 512);
}
