//! Which device of the simulator a block of a chip is, by the block's version.

use super::read::Device;
use crate::peripherals::DeviceKind;

/// A device of the simulator, with the interrupts of its outputs.
pub struct Model {
    /// The kind.
    pub kind: DeviceKind,
    /// The interrupts, in the order of the kind's outputs.
    pub interrupts: Vec<u16>,
}

/// The lines of EXTI of which each output of the simulator's device is the first.
const LINES: [&str; 7] = ["EXTI0", "EXTI1", "EXTI2", "EXTI3", "EXTI4", "EXTI5", "EXTI10"];

/// Returns the model of a device, or `None` if there is none.
pub fn of(device: &Device) -> Option<Model> {
    let (block, part) = device.block.split_once(':').unwrap_or((&device.block, ""));
    let (kind, outputs): (_, &[&[&str]]) = match (block, part) {
        ("usart_v1" | "usart_v2", _) => (DeviceKind::Stm32Usart, &[&[]]),
        ("usart_v3" | "usart_v4", "LPUART") => (DeviceKind::Stm32Lpuart, &[&[]]),
        ("usart_v3" | "usart_v4", _) => (DeviceKind::Stm32UsartV3, &[&[]]),
        ("gpio_v1", _) => (DeviceKind::Stm32f1Gpio, &[]),
        ("gpio_v2" | "gpio_v2_l478", _) => (DeviceKind::Stm32Gpio, &[]),
        (timer, "TIM_ADV") if timer.starts_with("timer_") => {
            (DeviceKind::Stm32AdvancedTimer, &[&["UP"], &["CC"]])
        }
        (timer, "TIM_GP32") if timer.starts_with("timer_") => {
            (DeviceKind::Stm32Timer32, &[&["UP", "CC"]])
        }
        (timer, _) if timer.starts_with("timer_") => (DeviceKind::Stm32Timer, &[&["UP", "CC"]]),
        ("i2c_v1", _) => (DeviceKind::Stm32I2c, &[&["EV"], &["ER"]]),
        ("spi_v1" | "spi_v1_i2s" | "spi_v2" | "spi_v2_i2s" | "spi_v3" | "spi_v3_i2s", _) => {
            (DeviceKind::Stm32Spi, &[&[]])
        }
        ("bdma_v1" | "bdma_v2", _) => (
            DeviceKind::Stm32Dma,
            &[&["CH1"], &["CH2"], &["CH3"], &["CH4"], &["CH5"], &["CH6"], &["CH7"]],
        ),
        ("dma_v1" | "dma_v2", _) => (
            DeviceKind::Stm32DmaStreams,
            &[&["CH0"], &["CH1"], &["CH2"], &["CH3"], &["CH4"], &["CH5"], &["CH6"], &["CH7"]],
        ),
        ("flash_f1", _) => (DeviceKind::Stm32Flash, &[&[]]),
        ("flash_f2" | "flash_f4", _) => (DeviceKind::Stm32f4Flash, &[&[]]),
        ("iwdg_v1" | "iwdg_v2" | "iwdg_v3", _) => (DeviceKind::Stm32Iwdg, &[]),
        ("rng_v1" | "rng_v2" | "rng_v3", _) => (DeviceKind::Stm32Rng, &[&[]]),
        _ => return None,
    };
    let interrupts = outputs.iter().map_while(|events| device.interrupt(events)).collect();
    Some(Model { kind, interrupts })
}

/// Returns the device of external interrupts and of the registers that choose their ports, if EXTI
/// stands right behind AFIO or SYSCFG.
pub fn external(before: &Device, exti: &Device) -> Option<Model> {
    if exti.block != "exti_v1" || exti.base != before.base.checked_add(0x400)? {
        return None;
    }
    let kind = match before.name.as_str() {
        "AFIO" => DeviceKind::Stm32f1Exti,
        "SYSCFG" => DeviceKind::Stm32f4Exti,
        _ => return None,
    };
    let interrupts = LINES.iter().map_while(|line| exti.interrupt(&[line])).collect();
    Some(Model { kind, interrupts })
}

/// Returns how many bytes of addresses a block takes, if there is room.
pub fn span(block: &str) -> u32 {
    match block.split(['_', ':']).next().unwrap_or_default() {
        "otg" => 0x1_0000,
        "eth" => 0x2000,
        "gpdma" | "lpdma" | "dsihost" | "jpeg" | "gfxmmu" => 0x1000,
        "fdcanram" => 0x4000,
        "usbram" => 0x800,
        _ => 0x400,
    }
}
