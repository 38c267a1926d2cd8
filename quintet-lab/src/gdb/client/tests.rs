//! Servers that answer badly, late or not at all: each ends in words.

use super::*;
use std::net::TcpListener;
use std::thread;

const TIME: Duration = Duration::from_millis(300);

/// A server that answers each packet by what `answer` writes for its content.
fn server(answer: impl Fn(&str, &mut TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let (mut content, mut inside) = (Vec::new(), false);
        let mut byte = [0];
        while stream.read(&mut byte).is_ok_and(|count| count > 0) {
            match byte[0] {
                b'$' => (content, inside) = (Vec::new(), true),
                b'#' if inside => {
                    inside = false;
                    answer(std::str::from_utf8(&content).unwrap(), &mut stream);
                }
                byte if inside => content.push(byte),
                _ => {}
            }
        }
    });
    address
}

fn packet(content: &str) -> String {
    let sum = content.bytes().fold(0_u8, u8::wrapping_add);
    format!("${content}#{sum:02x}")
}

/// A server that knows these packets, and no others.
fn known(pairs: &'static [(&str, &str)]) -> String {
    server(move |content, stream| {
        let usual = [("?", "S05"), ("D", "OK")];
        let found = pairs.iter().chain(&usual).find(|(asked, _)| *asked == content);
        let text = format!("+{}", packet(found.map_or("", |(_, answer)| answer)));
        let _ = stream.write_all(text.as_bytes());
    })
}

fn connect(address: &str) -> anyhow::Result<Remote> {
    Remote::connect_within(address, TIME)
}

#[test]
fn memory_registers_and_breakpoints_are_asked_for() {
    let registers: &'static str =
        Box::leak(format!("{}01020008", "00".repeat(60)).into_boxed_str());
    let pairs: &'static [(&str, &str)] = Box::leak(Box::new([
        ("m20000000,4", "0* 1"),
        ("me0001004,4", "04030201"),
        ("Me000edfc,4:00000001", "OK"),
        ("g", registers),
        ("Z0,100,2", "OK"),
        ("z0,100,2", "OK"),
        ("c", "T05hwbreak:;"),
        ("qRcmd,7265736574", "646f6e65"),
    ]));
    let mut remote = connect(&known(pairs)).unwrap();
    assert_eq!(remote.word(0xe000_1004).unwrap(), 0x0102_0304);
    remote.write_word(0xe000_edfc, 0x0100_0000).unwrap();
    assert_eq!(remote.pc().unwrap(), 0x0800_0200, "without the bit of Thumb code");
    let breakpoint = remote.add_breakpoint(0x100, 2).unwrap();
    remote.remove_breakpoint(&breakpoint).unwrap();
    assert_eq!(remote.run(TIME).unwrap(), Stop::Halted { signal: 5 });
    assert_eq!(remote.monitor("reset").unwrap(), "done");
    let none = remote.monitor("halt").unwrap_err();
    assert_eq!(none.to_string(), "the server has no command `monitor halt`");
    remote.detach().unwrap();
}

#[test]
fn answers_that_make_no_sense_are_told() {
    let remote = || {
        let pairs = &[
            ("m0,4", "E01"),
            ("m4,4", "00"),
            ("g", "00"),
            ("c", "Fopen,1"),
            ("M8,4:00000000", ""),
        ];
        connect(&known(pairs)).unwrap()
    };
    let said = |error: anyhow::Error| format!("{error:#}");
    assert_eq!(said(remote().word(0).unwrap_err()), "the server refuses \"m0,4\": error 01");
    assert!(said(remote().word(4).unwrap_err()).contains("4 bytes at 0x00000004 can't be read"));
    assert!(said(remote().pc().unwrap_err()).contains("no program counter is among"));
    assert!(said(remote().write_word(8, 0).unwrap_err()).contains("can't be written"));
    assert!(said(remote().add_breakpoint(0, 2).unwrap_err()).contains("knows neither Z1 nor Z0"));
    assert!(said(remote().run(TIME).unwrap_err()).contains("let the server serve semihosting"));
}

#[test]
fn a_server_that_is_none_is_told() {
    let said = |address: &str| format!("{:#}", connect(address).unwrap_err());
    assert!(said("nonsense").starts_with("nonsense is no address: write HOST:PORT"));
    // A port that was just free.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    assert!(said(&free).starts_with(&format!("no server answers at {free}: ")));
    let silent = said(&server(|_, _| {}));
    assert!(silent.contains("doesn't speak GDB's remote protocol"), "{silent}");
    assert!(
        silent.contains("didn't take \"qSupported:swbreak+;hwbreak+\" within 300ms"),
        "{silent}"
    );
    let deaf = said(&server(|_, stream| drop(stream.write_all(b"+"))));
    assert!(deaf.contains("didn't answer \"qSupported"), "{deaf}");
    let refuses = said(&server(|_, stream| drop(stream.write_all(b"-"))));
    assert!(refuses.contains("came damaged"), "{refuses}");
    let wrong = said(&server(|_, stream| drop(stream.write_all(b"+$OK#00$OK#00$OK#00"))));
    assert!(wrong.contains("the server's answer came damaged 3 times"), "{wrong}");
    let endless = said(&server(|_, stream| {
        drop(stream.write_all(b"+$"));
        drop(stream.write_all(&[b'x'; PACKET_MAX + 1]));
    }));
    assert!(endless.contains("the server's packet has no end"), "{endless}");
    let runs = said(&known(&[("?", "")]));
    assert!(runs.contains("has no halted processor: it says \"\""), "{runs}");
}

#[test]
fn a_processor_that_runs_on_is_halted() {
    let address = server(|content, stream| {
        let answer = if content == "?" { "S05" } else { "" };
        let text = if content == "c" { "+".to_owned() } else { format!("+{}", packet(answer)) };
        drop(stream.write_all(text.as_bytes()));
        if content == "c" {
            let mut byte = [0];
            // What the firmware prints comes meanwhile.
            drop(stream.write_all(packet("O6869").as_bytes()));
            while stream.read(&mut byte).is_ok_and(|count| count > 0) && byte[0] != 3 {}
            drop(stream.write_all(packet("T02").as_bytes()));
        }
    });
    let mut remote = connect(&address).unwrap();
    assert_eq!(remote.run(Duration::from_millis(50)).unwrap(), Stop::Timeout);
    assert_eq!(remote.printed, b"hi");
}

#[test]
fn a_packet_is_asked_for_again() {
    let asked = std::sync::Mutex::new(0);
    let address = server(move |content, stream| {
        let mut asked = asked.lock().unwrap();
        *asked += 1;
        let text = match (content, *asked) {
            // The first packet comes damaged, and so does the first answer.
            (_, 1) => "-".to_owned(),
            ("?", _) => format!("+$S05#00{}", packet("S05")),
            _ => format!("+{}", packet("")),
        };
        drop(stream.write_all(text.as_bytes()));
    });
    connect(&address).unwrap();
}

#[test]
fn contents_are_expanded() {
    assert_eq!(expanded(b"0* x}\x03"), b"0000x#");
    assert_eq!(bytes("0aff"), Some(vec![10, 255]));
    assert_eq!((bytes("0"), bytes("0g")), (None, None));
}
