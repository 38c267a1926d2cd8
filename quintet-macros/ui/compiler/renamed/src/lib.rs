//! Empty: the application is an example, so that it is built with the others.

#![no_std]
