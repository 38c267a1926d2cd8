//! Headers: valid ones are read, and broken ones are refused with the reason.

use super::*;

/// The entry of a program, whose first function is 4 bytes behind the header.
const PROGRAM: (u16, &[u32]) = (kind::PROGRAM, &[4, 0, 1000, 512, 0]);

/// Makes a header with entries of words, and an application of `total` bytes.
fn application(entries: &[(u16, &[u32])], total: u32) -> Vec<u8> {
    let entries = entries.iter().map(|(kind, words)| {
        (*kind, words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>())
    });
    of_bytes(&entries.collect::<Vec<_>>(), total)
}

/// Makes a header with entries of bytes.
fn of_bytes(entries: &[(u16, Vec<u8>)], total: u32) -> Vec<u8> {
    let mut bytes = vec![2, 0, 0, 0];
    bytes.extend([total.to_le_bytes(), ENABLED.to_le_bytes(), [0; 4]].concat());
    for (kind, content) in entries {
        bytes.extend(kind.to_le_bytes());
        bytes.extend((content.len() as u16).to_le_bytes());
        bytes.extend(content);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    let size = bytes.len() as u16;
    bytes[2..4].copy_from_slice(&size.to_le_bytes());
    sum_up(&mut bytes);
    bytes.resize(total as usize, 0xff);
    bytes
}

/// Writes the checksum.
fn sum_up(bytes: &mut [u8]) {
    let size = usize::from(half(bytes, 2).unwrap());
    bytes[12..16].fill(0);
    let (_, sum) = checksums(&bytes[..size]);
    bytes[12..16].copy_from_slice(&sum.to_le_bytes());
}

/// Returns the reason why an application can't be read.
fn refused(bytes: &[u8]) -> (Broken, Option<usize>) {
    read(bytes).expect_err("it is broken")
}

#[test]
fn what_a_header_says_is_read() {
    let name = b"blink".to_vec();
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let bytes = of_bytes(
        &[
            (kind::MAIN, words(&[9, 9, 9])),
            (kind::PROGRAM, words(PROGRAM.1)),
            (kind::PACKAGE_NAME, name),
            (kind::FIXED_ADDRESSES, words(&[0x2000_4000, NONE])),
            (kind::WRITEABLE_FLASH, words(&[128, 64])),
            (kind::KERNEL_VERSION, vec![2, 0, 1, 0]),
            (77, vec![1, 2, 3]),
        ],
        512,
    );
    let header = read(&bytes).unwrap().unwrap();
    let program = Program { entry: 4, protected: 0, memory: 1000, end: 512 };
    assert_eq!(header.program, Some(program));
    assert_eq!((header.name, header.total_size, header.is_enabled), ("blink", 512, true));
    assert_eq!((header.fixed_memory, header.fixed_flash), (Some(0x2000_4000), None));
    assert_eq!(header.writeable.count(), 1);
    assert_eq!((header.writeable.pair(0), header.writeable.pair(1)), (Some((128, 64)), None));
    assert_eq!(header.writeable.pair(usize::MAX / 8), None);
    assert_eq!(header.permissions, None);
}

#[test]
fn permissions_have_a_bit_for_each_command() {
    let mut list = vec![1, 0];
    for word in [1u32, 1, 1 << 2, 0] {
        list.extend(word.to_le_bytes());
    }
    let bytes = of_bytes(&[(kind::PERMISSIONS, list)], 512);
    let permissions = read(&bytes).unwrap().unwrap().permissions.unwrap();
    assert!(permissions.name(1) && !permissions.name(0));
    assert!(permissions.allow(1, 66) && !permissions.allow(1, 65) && !permissions.allow(1, 2));
}

#[test]
fn padding_has_no_program_and_erased_flash_no_application() {
    assert_eq!(read(&application(&[], 64)).unwrap().unwrap().program, None);
    assert_eq!(read(&[0xff; 64]), Ok(None));
    assert_eq!(read(&[0; 64]), Ok(None));
    assert_eq!(read(&[2, 0, 16]), Ok(None));
}

#[test]
fn a_broken_header_is_told_with_the_way_to_the_next_one() {
    let good = application(&[PROGRAM], 512);
    assert!(read(&good).is_ok());
    let mut bytes = good.clone();
    bytes[0] = 3;
    assert_eq!(refused(&bytes), (Broken::Version(3), None));
    let mut bytes = good.clone();
    bytes[2] = 12;
    assert_eq!(refused(&bytes), (Broken::HeaderSize(12), Some(512)));
    let mut bytes = good.clone();
    bytes[8] ^= 2;
    let (broken, behind) = refused(&bytes);
    assert!(matches!(broken, Broken::Checksum(is, should) if is ^ should == 2), "{broken:?}");
    assert_eq!(behind, Some(512));
    for total in [0, 12, 514, 516, u32::MAX] {
        let mut bytes = good.clone();
        bytes[4..8].copy_from_slice(&total.to_le_bytes());
        assert_eq!(refused(&bytes), (Broken::TotalSize(total), None));
    }
}

#[test]
fn entries_that_do_not_fit_are_refused() {
    let mut long = application(&[PROGRAM], 512);
    long[18] = 200;
    sum_up(&mut long);
    assert_eq!(refused(&long).0, Broken::Entry(kind::PROGRAM));
    for (kind, length) in [
        (kind::MAIN, 8),
        (kind::PROGRAM, 24),
        (kind::FIXED_ADDRESSES, 4),
        (kind::KERNEL_VERSION, 8),
        (kind::WRITEABLE_FLASH, 12),
        (kind::PERMISSIONS, 1),
    ] {
        let bytes = of_bytes(&[(kind, vec![2; length])], 512);
        assert_eq!(refused(&bytes).0, Broken::Entry(kind), "{kind}");
    }
    let many = of_bytes(&[(kind::PERMISSIONS, vec![200; 18])], 512);
    assert_eq!(refused(&many).0, Broken::Entry(kind::PERMISSIONS));
    let name = of_bytes(&[(kind::PACKAGE_NAME, vec![0xc3])], 512);
    assert_eq!(refused(&name).0, Broken::Entry(kind::PACKAGE_NAME));
}

#[test]
fn another_kernel_and_a_program_outside_are_refused() {
    let newer = of_bytes(&[(kind::KERNEL_VERSION, vec![2, 0, 3, 0])], 512);
    assert_eq!(refused(&newer).0, Broken::Kernel(2, 3));
    for words in [
        [500, 0, 1000, 512, 0],
        [4, 600, 1000, 512, 0],
        [4, 0, 1000, 516, 0],
        [u32::MAX, 0, 1000, 512, 0],
    ] {
        let bytes = application(&[(kind::PROGRAM, &words)], 512);
        assert_eq!(refused(&bytes).0, Broken::Program, "{words:?}");
    }
}

#[test]
fn every_refusal_has_words() {
    for (broken, part) in [
        (Broken::Version(3), "its header has version 3, and 2 is read here"),
        (Broken::HeaderSize(12), "says that it has 12 bytes"),
        (Broken::TotalSize(514), "takes 514 bytes, which is no multiple of 4"),
        (Broken::Checksum(1, 2), "is 0x00000001 and should be 0x00000002"),
        (Broken::Entry(9), "the entry of type 9"),
        (Broken::Kernel(2, 3), "it needs version 2.3 of the kernel's interface, and this is 2.2"),
        (Broken::Program, "its first function, or its end, lies outside it"),
    ] {
        assert!(broken.to_string().contains(part), "{broken}");
    }
}

/// Any bytes are read or refused.
#[test]
fn nothing_panics_on_any_bytes() {
    let good = application(&[PROGRAM, (kind::PERMISSIONS, &[1, 2, 3, 4, 5])], 512);
    let mut random = 1u32;
    for _ in 0..if cfg!(miri) { 300 } else { 20_000 } {
        let mut bytes = good.clone();
        for _ in 0..3 {
            random ^= random << 13;
            random ^= random >> 17;
            random ^= random << 5;
            bytes[random as usize % 64] = (random >> 8) as u8;
        }
        if random & 1 == 0 && usize::from(half(&bytes, 2).unwrap()) <= 512 {
            sum_up(&mut bytes);
        }
        let _ = read(&bytes);
    }
}

#[test]
fn a_permission_is_for_its_own_command_alone() {
    for command in [0, 1, 31, 32, 33, 63, 64, 95, 96, 127, 128 + 40, u32::MAX] {
        let mut list = vec![2, 0];
        let bits = 1_u64 << (command & 63);
        let other = [9, 0, 1, 0];
        for word in [7, command >> 6, bits as u32, (bits >> 32) as u32].into_iter().chain(other) {
            list.extend(word.to_le_bytes());
        }
        let bytes = of_bytes(&[(kind::PERMISSIONS, list)], 512);
        let permissions = read(&bytes).unwrap().unwrap().permissions.unwrap();
        assert!(permissions.allow(7, command) && !permissions.allow(8, command), "{command}");
        assert!(permissions.allow(9, 0) && !permissions.allow(9, 1), "{command}");
        assert!(permissions.name(7) && permissions.name(9) && !permissions.name(8));
        let others = (0..32).map(|bit| command ^ 1 << bit);
        assert!(others.into_iter().all(|other| !permissions.allow(7, other)), "{command}");
    }
}

#[test]
fn the_smallest_header_and_a_program_to_the_very_end_are_read() {
    let bytes = application(&[], 16);
    let padding = read(&bytes).unwrap().unwrap();
    assert_eq!((padding.header_size, padding.total_size, padding.program), (16, 16, None));
    // 16 bytes of the header, and 24 of its entry: all that is behind is protected.
    let bytes = application(&[(kind::PROGRAM, &[0x122, 472, 0x33_4455, 512, 0])], 512);
    let program = Program { entry: 0x122, protected: 472, memory: 0x33_4455, end: 512 };
    assert_eq!(read(&bytes).unwrap().unwrap().program, Some(program));
    let bytes = application(&[(kind::PROGRAM, &[0x122, 473, 0x33_4455, 512, 0])], 512);
    assert_eq!(refused(&bytes).0, Broken::Program);
    // An entry of two bytes ends with the program.
    for (entry, fits) in [(512 - 40 - 2, true), (512 - 40, false)] {
        let bytes = application(&[(kind::PROGRAM, &[entry, 0, 1000, 512, 0])], 512);
        assert_eq!(read(&bytes).is_ok(), fits, "{entry}");
    }
    let bytes = application(&[(kind::MAIN, &[0x122, 0x11_2200, 0x33_4455])], 512);
    assert_eq!(refused(&bytes).0, Broken::Program);
    let bytes = application(&[(kind::MAIN, &[0x122, 0x100, 0x33_4455])], 512);
    let program = Program { entry: 0x122, protected: 0x100, memory: 0x33_4455, end: 512 };
    assert_eq!(read(&bytes).unwrap().unwrap().program, Some(program));
}
