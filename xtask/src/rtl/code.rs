//! Instructions as bytes.

/// Instructions, one behind the other.
#[derive(Clone, Debug, Default)]
pub struct Code(pub Vec<u8>);

impl Code {
    /// A word.
    pub fn word(&mut self, bits: u32) {
        self.0.extend(bits.to_le_bytes());
    }

    /// Half a word.
    pub fn half(&mut self, bits: u32) {
        self.0.extend((bits as u16).to_le_bytes());
    }

    /// An instruction with an immediate of 12 bits.
    pub fn immediate(&mut self, opcode: u32, function: u32, rd: u32, rs1: u32, value: i32) {
        self.word((value as u32) << 20 | rs1 << 15 | function << 12 | rd << 7 | opcode);
    }

    /// An instruction of two registers.
    pub fn registers(&mut self, upper: u32, function: u32, rd: u32, rs1: u32, rs2: u32) {
        self.word(upper << 25 | rs2 << 20 | rs1 << 15 | function << 12 | rd << 7 | 0x33);
    }

    /// A store.
    pub fn store(&mut self, function: u32, rs1: u32, rs2: u32, offset: i32) {
        let offset = offset as u32;
        let (high, low) = (offset >> 5 & 0x7f, offset & 0x1f);
        self.word(high << 25 | rs2 << 20 | rs1 << 15 | function << 12 | low << 7 | 0x23);
    }

    /// A conditional branch.
    pub fn branch(&mut self, function: u32, rs1: u32, rs2: u32, offset: i32) {
        let o = offset as u32;
        let high = (o >> 12 & 1) << 6 | o >> 5 & 0x3f;
        let low = (o >> 1 & 0xf) << 1 | o >> 11 & 1;
        self.word(high << 25 | rs2 << 20 | rs1 << 15 | function << 12 | low << 7 | 0x63);
    }

    /// JAL.
    pub fn jump(&mut self, rd: u32, offset: i32) {
        let o = offset as u32;
        let bits =
            (o >> 20 & 1) << 19 | (o >> 1 & 0x3ff) << 9 | (o >> 11 & 1) << 8 | o >> 12 & 0xff;
        self.word(bits << 12 | rd << 7 | 0x6f);
    }

    /// An access to a register for control and status.
    pub fn csr(&mut self, function: u32, rd: u32, source: u32, csr: u32) {
        self.word(csr << 20 | source << 15 | function << 12 | rd << 7 | 0x73);
    }

    /// Sets a register to a value, by two instructions.
    pub fn set(&mut self, rd: u32, value: u32) {
        let low = (value << 20) as i32 >> 20;
        self.word(value.wrapping_sub(low as u32) & 0xffff_f000 | rd << 7 | 0x37);
        self.immediate(0x13, 0, rd, rd, low);
    }
}
