//! A client: shares numbers with the service, and prints the sums that it finds.
#![no_std]
#![no_main]

use quintet_process::ipc::Service;
use quintet_process::{ErrorCode, println};

quintet_process::shared!(static NUMBERS: 32);
quintet_process::main!(async main);

async fn main() -> Result<(), ErrorCode> {
    let adder = Service::discover("adder")?;
    adder.share(NUMBERS)?;
    for numbers in [[2, 3], [20, 22], [200, 100]] {
        NUMBERS.write(0, &numbers);
        // From here on, so that no reply is missed.
        let reply = adder.reply();
        adder.notify()?;
        reply.await?;
        let mut sum = [0; 2];
        NUMBERS.read(0, &mut sum);
        let ([first, second], sum) = (numbers, u16::from_le_bytes(sum));
        println!("{first} + {second} = {sum}");
    }
    let nobody = Service::discover("nobody");
    println!("nobody is there: {}", nobody == Err(ErrorCode::NoDevice));
    Ok(())
}
