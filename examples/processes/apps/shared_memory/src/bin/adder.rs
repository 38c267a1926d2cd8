//! A service: adds the first two bytes of what a client shares, and writes the sum there.
#![no_std]
#![no_main]

use quintet_process::ErrorCode;
use quintet_process::ipc::Server;

quintet_process::main!(async main);

async fn main() -> Result<(), ErrorCode> {
    let server = Server::named("adder")?;
    loop {
        let request = server.next().await?;
        let mut numbers = [0; 2];
        request.read(0, &mut numbers);
        request.write(0, &u16::to_le_bytes(numbers.iter().map(|one| u16::from(*one)).sum()));
        request.notify()?;
    }
}
