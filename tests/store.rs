//! One suite over both databases. PostgreSQL is real: a cluster of its own, started here.

#[path = "store/cluster.rs"]
mod cluster;
#[path = "store/copying.rs"]
mod copying;
#[path = "store/failing.rs"]
mod failing;
#[path = "store/forgetting.rs"]
mod forgetting;
#[path = "store/instances.rs"]
mod instances;
#[path = "store/keeping.rs"]
mod keeping;
#[path = "store/server.rs"]
mod server;
#[path = "store/shelf.rs"]
mod shelf;

use libtest_mimic::{Arguments, Trial};
use shelf::{Kind, Shelf};
use std::process::ExitCode;
use std::sync::Arc;

/// A test takes a shelf: an empty database of one kind.
type Test = (&'static str, fn(&Shelf));

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let cluster = Arc::new(cluster::Cluster::start());
    let mut tests: Vec<Test> = Vec::new();
    for group in [keeping::TESTS, instances::TESTS, forgetting::TESTS, copying::TESTS, failing::TESTS] {
        tests.extend(group);
    }
    let mut trials = Vec::new();
    for kind in [Kind::Sqlite, Kind::Postgres] {
        for (name, test) in &tests {
            let (test, cluster) = (*test, cluster.clone());
            let run = move || {
                test(&Shelf::new(kind, cluster));
                Ok(())
            };
            trials.push(Trial::test(format!("{}::{name}", kind.name()), run));
        }
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !arguments.list {
        println!("store: {n} tests on SQLite, {n} tests on PostgreSQL ({})", cluster.version(), n = tests.len());
    }
    conclusion.exit_code()
}
