//! Start-up and exit codes, nothing else.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    faultbook::cli::Cli::parse().run()
}
