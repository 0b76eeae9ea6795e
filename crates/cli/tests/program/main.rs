//! The program from outside: what it is told, what it prints.

mod drafting;
mod home;
mod show;
