//! The server for GDB and peers of all kinds: whatever they say, the halted machine stays.
//!
//! They speak the protocol by hand here, so that no GDB is needed.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use support::temporary;

/// Where the code's loop begins and ends, and where its handler does.
const LOOP: std::ops::RangeInclusive<u32> = 0x4c..=0x4e;
const HANDLER: u32 = 0x54;

/// A raw image whose SysTick comes every 40 cycles, and whose handler counts in R3.
fn image() -> Vec<u8> {
    let mut image = 0x2000_1000_u32.to_le_bytes().to_vec();
    image.extend(0x41_u32.to_le_bytes());
    image.extend((HANDLER | 1).to_le_bytes().repeat(14));
    let code: [u16; 12] = [
        0x4803, // LDR R0, the address of SYST_CSR
        0x2128, // MOVS R1, #40
        0x6041, // STR R1, [R0, #4]
        0x6081, // STR R1, [R0, #8]
        0x2107, // MOVS R1, #7
        0x6001, // STR R1, [R0]
        0x3201, // ADDS R2, #1
        0xe7fd, // B to the line before
        0xe010, 0xe000, // the address
        0x3301, // ADDS R3, #1
        0x4770, // BX LR
    ];
    image.extend(code.iter().flat_map(|half| half.to_le_bytes()));
    image
}

struct Server {
    process: Child,
    messages: BufReader<ChildStderr>,
    port: u16,
}

impl Server {
    fn start(name: &str) -> Self {
        let file = temporary(&format!("peers_{name}.bin"), &image());
        let mut process = Command::new(env!("CARGO_BIN_EXE_quintet"))
            .args(["run", "--gdb=0", "--load", "0", &file])
            .env_remove("QUINTET_BOARD")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let messages = BufReader::new(process.stderr.take().unwrap());
        let mut server = Self { process, messages, port: 0 };
        let line = server.message();
        server.port = line.rsplit(':').next().unwrap().parse().unwrap_or_else(|_| panic!("{line}"));
        server
    }

    /// The next line on its standard error.
    fn message(&mut self) -> String {
        let mut line = String::new();
        self.messages.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn connect(&self) -> Peer {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Peer { stream }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

struct Peer {
    stream: TcpStream,
}

impl Peer {
    /// Says something; whether it arrives is not asked.
    fn say(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
    }

    fn says_no_more(&mut self) {
        let _ = self.stream.shutdown(std::net::Shutdown::Write);
    }

    /// Whether the connection has been closed, after whatever was still to come.
    fn is_closed(&mut self) -> bool {
        let mut rest = Vec::new();
        match self.stream.read_to_end(&mut rest) {
            Ok(_) => true,
            Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
        }
    }

    fn byte(&mut self) -> u8 {
        let mut byte = [0];
        self.stream.read_exact(&mut byte).unwrap();
        byte[0]
    }

    /// The next packet's content; runs of a byte come as the byte, `*` and their length.
    fn packet(&mut self) -> String {
        while self.byte() != b'$' {}
        let mut content = Vec::new();
        loop {
            match self.byte() {
                b'#' => break,
                b'*' => {
                    let more = usize::from(self.byte() - 29);
                    content.extend(vec![*content.last().unwrap(); more]);
                }
                byte => content.push(byte),
            }
        }
        let _ = [self.byte(), self.byte()];
        String::from_utf8_lossy(&content).into_owned()
    }

    fn ask(&mut self, packet: &str) -> String {
        self.say(&framed(packet.as_bytes()));
        self.packet()
    }

    fn register(&mut self, number: u8) -> u32 {
        let digits = self.ask(&format!("p{number:x}"));
        u32::from_str_radix(&digits, 16).unwrap_or_else(|_| panic!("{digits}")).swap_bytes()
    }

    fn step(&mut self) -> u32 {
        let stop = self.ask("vCont;s:1");
        assert!(stop.starts_with("T05") || stop.starts_with("S05"), "{stop}");
        self.register(15)
    }

    /// What `monitor` answers.
    fn monitor(&mut self, command: &str) -> String {
        let digits: String = command.bytes().map(|byte| format!("{byte:02x}")).collect();
        let mut answer = self.ask(&format!("qRcmd,{digits}"));
        let mut text = String::new();
        while let Some(digits) = answer.strip_prefix('O').filter(|digits| *digits != "K") {
            let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
            text.extend((0..digits.len()).step_by(2).map(|at| char::from(byte(at))));
            answer = self.packet();
        }
        assert_eq!(answer, "OK");
        text
    }
}

/// A packet around its content.
fn framed(content: &[u8]) -> Vec<u8> {
    let sum = content.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    [b"$", content, format!("#{sum:02x}").as_bytes()].concat()
}

#[test]
fn a_broken_packet_is_asked_for_again() {
    let server = Server::start("broken");
    let mut peer = server.connect();
    for broken in [&b"$g#00"[..], b"$g#zz", b"$?#3e"] {
        peer.say(broken);
        assert_eq!(peer.byte(), b'-');
    }
    assert!(peer.ask("?").contains("05"));
    assert_eq!(peer.register(15), 0x40);
    peer.say(b"-");
    assert_eq!(peer.packet(), "40000000", "the last answer comes again");
}

#[test]
fn who_speaks_something_else_is_dropped() {
    let mut server = Server::start("http");
    let mut peer = server.connect();
    assert_eq!(peer.step(), 0x42);
    drop(peer);
    assert!(
        server.message().contains("GDB has left; the firmware is halted, waiting for the next")
    );
    let mut browser = server.connect();
    browser.say(b"GET / HTTP/1.1\r\n\r\n");
    assert!(browser.is_closed());
    let message = server.message();
    let expected = "quintet: a connection was closed: it isn't GDB's protocol, but begins with \
                    \"GET / HTTP/1.1\\r\\n\\r\\n\"; the firmware is halted, waiting for the next: \
                    target remote 127.0.0.1:";
    assert!(message.starts_with(expected), "{message}");
    assert_eq!(server.connect().register(15), 0x42, "the machine has stayed");
}

#[test]
fn a_second_peer_is_turned_away() {
    let mut server = Server::start("second");
    let mut first = server.connect();
    assert_eq!(first.step(), 0x42);
    let mut second = server.connect();
    assert!(second.is_closed());
    let message = server.message();
    assert_eq!(message, "quintet: another connection was refused, as GDB is attached already");
    assert_eq!(first.step(), 0x44);
    first.say(&framed(b"vCont;c"));
    let mut third = server.connect();
    assert!(third.is_closed(), "while it runs too");
    first.say(&[3]);
    let stop = first.packet();
    assert!(stop == "S02" || stop.starts_with("T02"), "{stop}");
}

#[test]
fn packets_that_make_no_sense_cost_the_connection_only() {
    let mut server = Server::start("nonsense");
    let long = format!("M20000000,2000:{}", "00".repeat(0x2000));
    for (packet, problem) in [
        ("mS,4", None),
        ("vCont;s:8c93ac1158041970", None),
        (&long, Some("a packet of it has more than 4096 bytes")),
        ("G00", None),
        ("pffffffffff", None),
        ("qRcmd,zz", None),
        ("Z0,zz,2", None),
        ("vCont;s:1;c:2;t:3", None),
        ("", None),
        ("D", Some("GDB has left")),
    ] {
        let mut peer = server.connect();
        peer.say(&framed(packet.as_bytes()));
        peer.says_no_more();
        assert!(peer.is_closed(), "{packet}");
        let message = server.message();
        assert!(message.contains("the firmware is halted, waiting for the next"), "{message}");
        assert!(problem.is_none_or(|problem| message.contains(problem)), "{message}");
        assert!(server.connect().ask("?").contains("05"));
        server.message();
    }
    let mut running = server.connect();
    running.say(&framed(b"vCont;c"));
    running.say(&[0x80]);
    assert!(running.is_closed());
    assert!(server.message().contains("begins with \"\\x80\""));
    assert!(server.connect().ask("?").contains("05"));
}

#[test]
fn a_packet_that_was_not_offered_is_refused_and_the_session_goes_on() {
    let server = Server::start("refused");
    let mut peer = server.connect();
    for packet in ["vCont;t", "vCont;r0,100000:1", "vCont", "M20000100,4:0102", "mS,4"] {
        assert_eq!(peer.ask(packet), "E22", "{packet}");
    }
    peer.say(&framed(b"X20000100,8:ab"));
    assert_eq!(peer.packet(), "E22");
    assert_eq!(peer.register(15), 0x40);
    assert!(peer.ask("mffffffff,1").len() <= 3);
    assert!(peer.ask("mfffffff0,ffffffff").len() <= 32);
    assert_eq!(peer.ask("M20000100,4:01020304"), "OK");
    assert_eq!(peer.ask("m20000100,4"), "01020304");
    assert_eq!(peer.ask("m20000100,ffffffff").len(), 2 * 0x7f8);
    let map = peer.ask("qXfer:memory-map:read::0,ffb");
    assert!(map.contains("<memory type=\"ram\" start=\"0x20000000\""), "{map}");
    assert_eq!(peer.step(), 0x42);
}

#[test]
fn no_packet_ends_the_server() {
    const WORDS: [&str; 24] = [
        "g",
        "G",
        "m",
        "M",
        "p",
        "P",
        "X",
        "Z0",
        "Z1",
        "Z2",
        "z0",
        "z3",
        "vCont;",
        "vCont?",
        "s",
        "H",
        "qSupported:",
        "qXfer:features:read:target.xml:",
        "qRcmd,",
        "Qx",
        "T",
        "!",
        "b",
        "vRun",
    ];
    let server = Server::start("any");
    let mut state = 0x5EED_u64;
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) as usize % limit
    };
    for _ in 0..150 {
        let mut peer = server.connect();
        for _ in 0..3 {
            let mut packet = WORDS[below(WORDS.len())].as_bytes().to_vec();
            for _ in 0..below(24) {
                packet.push(b"0123456789abcdef,,:;-fF}*%\x80\xff "[below(29)]);
            }
            peer.say(&framed(&packet));
        }
        peer.says_no_more();
        assert!(peer.is_closed());
    }
    assert!(server.connect().ask("?").contains("05"));
}

#[test]
fn a_step_ends_in_no_handler_unless_it_is_asked_to() {
    let server = Server::start("steps");
    let mut peer = server.connect();
    for _ in 0..6 {
        peer.step();
    }
    let places: Vec<u32> = (0..100).map(|_| peer.step()).collect();
    assert!(places.iter().all(|place| LOOP.contains(place)), "{places:x?}");
    assert_eq!(peer.register(3), 0, "the handler has not run");
    let on = "maskints on: a step holds PendSV, SysTick and the interrupts off; they come when the \
              program runs\n";
    assert_eq!(peer.monitor("maskints"), on);
    // What is pending comes when the program runs.
    assert_eq!(peer.ask(&format!("Z0,{HANDLER:x},2")), "OK");
    assert!(peer.ask("vCont;c").starts_with("T05"));
    assert_eq!(peer.register(15), HANDLER);
    assert_eq!(peer.ask(&format!("z0,{HANDLER:x},2")), "OK");
    let off = "maskints off: a step may end in the handler of an interrupt\n";
    assert_eq!(peer.monitor("maskints off"), off);
    let places: Vec<u32> = (0..100).map(|_| peer.step()).collect();
    assert!(places.contains(&HANDLER) && places.contains(LOOP.start()), "{places:x?}");
    assert_eq!(peer.monitor("maskints on"), on);
    assert!(peer.monitor("maskints maybe").starts_with("there is no `monitor maskints maybe`"));
}
