//! Objects under each resource's ceiling; the kernel's ceiling is one of BASEPRI.
#![no_std]
#![no_main]

use main_firmware as _;

main_firmware::each_ceiling!(7);
