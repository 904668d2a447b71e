//! Tables with a heading: process lists, queues, pods, devices, installed packages.

use super::kind::Kind;
use super::rules::Found;
use super::scan::Hit;
use super::{company, hosts, ids, names};

/// A heading whose columns are known.
pub(super) struct Table {
    /// Where the heading's word stands (in characters), its place among the words, and the kind.
    columns: Vec<(usize, usize, usize, Kind)>,
    form: Form,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Blanks,
    Commas,
    /// `pip list`, `conda list`: package and version.
    Packages,
}

/// Words that make a line a heading when three of them stand in it.
const HEADINGS: &[&str] = &[
    "USER",
    "UID",
    "PID",
    "PPID",
    "%CPU",
    "%MEM",
    "VSZ",
    "RSS",
    "TTY",
    "STAT",
    "START",
    "STIME",
    "TIME",
    "COMMAND",
    "CMD",
    "PR",
    "NI",
    "VIRT",
    "RES",
    "SHR",
    "S",
    "TIME+",
    "ACCESS",
    "FD",
    "TYPE",
    "DEVICE",
    "JOBID",
    "PARTITION",
    "NAME",
    "ST",
    "NODES",
    "NODELIST(REASON)",
    "NODELIST",
    "STATE",
    "JobID",
    "JobName",
    "User",
    "Account",
    "Partition",
    "State",
    "ExitCode",
    "NodeList",
    "NAMESPACE",
    "READY",
    "STATUS",
    "RESTARTS",
    "AGE",
    "NODE",
    "IP",
    "ROLES",
    "VERSION",
    "SERIAL",
    "MODEL",
    "SIZE",
    "MOUNTPOINT",
    "LOGIN@",
    "FROM",
    "IDLE",
    "WHAT",
    "HOSTNAMES",
];

fn kind_of(heading: &str) -> Option<Kind> {
    Some(match heading {
        "USER" | "UID" | "User" => Kind::User,
        "NODELIST(REASON)" | "NODELIST" | "NodeList" | "NODE" | "HOSTNAMES" | "FROM" => Kind::Host,
        "JobName" => Kind::Job,
        "Account" => Kind::Project,
        "NAMESPACE" => Kind::Namespace,
        "NAME" => Kind::Pod,
        "SERIAL" => Kind::Serial,
        _ => return None,
    })
}

impl Table {
    /// Reads a heading.
    pub fn of(text: &str) -> Option<Table> {
        if text.len() > 400 {
            return None;
        }
        let trimmed = text.trim();
        if let Some(rest) = trimmed.strip_prefix("Package ")
            && rest.trim_start().starts_with("Version")
        {
            return Some(Table { columns: Vec::new(), form: Form::Packages });
        }
        if trimmed.starts_with("# Name") && trimmed.contains("Version") && trimmed.contains("Build") {
            return Some(Table { columns: Vec::new(), form: Form::Packages });
        }
        if trimmed == "List of devices attached" {
            return Some(Table { columns: vec![(0, 1, 0, Kind::Serial)], form: Form::Blanks });
        }
        Table::csv(trimmed).or_else(|| Table::blanks(text))
    }

    fn csv(text: &str) -> Option<Table> {
        let titles: Vec<&str> = text.split(',').map(str::trim).collect();
        let known =
            ["index", "name", "uuid", "pci.bus_id", "driver_version", "memory.total [MiB]", "serial", "gpu_serial", "gpu_uuid", "gpu_name"];
        if titles.len() < 2 || titles.iter().filter(|title| known.contains(title)).count() < 2 {
            return None;
        }
        let places = titles.iter().enumerate().filter(|(_, title)| title.contains("serial"));
        let columns: Vec<_> = places.map(|(place, _)| (0, 0, place, Kind::Serial)).collect();
        (!columns.is_empty()).then_some(Table { columns, form: Form::Commas })
    }

    fn blanks(text: &str) -> Option<Table> {
        let words = words(text);
        let known = words.iter().filter(|(_, _, word)| HEADINGS.contains(word)).count();
        if known < 3 || known * 2 < words.len() {
            return None;
        }
        // `NAME` is a job's where a queue is shown, a node's or an object's in Kubernetes.
        let queue = words.iter().any(|w| ["JOBID", "JobID"].contains(&w.2));
        let nodes = words.iter().any(|w| w.2 == "ROLES");
        let cluster = nodes || words.iter().any(|w| ["READY", "AGE", "NAMESPACE"].contains(&w.2));
        let columns = words.iter().enumerate().filter_map(|(place, (start, end, word))| {
            let kind = match kind_of(word)? {
                Kind::Pod if queue => Kind::Job,
                Kind::Pod if nodes => Kind::Host,
                Kind::Pod if !cluster => return None,
                kind => kind,
            };
            Some((*start, *end, place, kind))
        });
        let columns: Vec<_> = columns.collect();
        (!columns.is_empty()).then_some(Table { columns, form: Form::Blanks })
    }

    /// Reads a row; false when the table has ended.
    pub fn row(&mut self, text: &str, out: &mut Vec<Hit>) -> bool {
        if text.trim().is_empty() {
            return false;
        }
        match self.form {
            Form::Packages => return company::package_row(text, out),
            Form::Commas => self.comma_row(text, out),
            Form::Blanks => self.blank_row(text, out),
        }
        true
    }

    fn comma_row(&self, text: &str, out: &mut Vec<Hit>) {
        let mut at = 0;
        for (place, cell) in text.split(',').enumerate() {
            let value = cell.trim();
            let start = at + (cell.len() - cell.trim_start().len());
            at += cell.len() + 1;
            if self.columns.iter().any(|column| column.2 == place) {
                push(text, start, start + value.len(), Kind::Serial, out);
            }
        }
    }

    fn blank_row(&self, text: &str, out: &mut Vec<Hit>) {
        let words = words(text);
        for (from, to, place, kind) in &self.columns {
            // The first column is where the row begins; others lie under their heading, and a
            // word that reaches beyond its column shifts the rest: then the place counts.
            let under = words.iter().find(|(start, end, _)| start < to && from < end);
            let counted = words.get(*place);
            let cell = if *place == 0 && *from == 0 { counted } else { under.or(counted) };
            if let Some((start, end, _)) = cell {
                push(text, byte_at(text, *start), byte_at(text, *end), *kind, out);
            }
        }
    }
}

fn push(text: &str, start: usize, end: usize, kind: Kind, out: &mut Vec<Hit>) {
    let found = Found { text, start, end, kind };
    let accepted = match kind {
        Kind::User => names::account(&found),
        Kind::Host => hosts::certain(&found),
        Kind::Serial => ids::serial(&found),
        Kind::Job => company::job(&found),
        _ => company::object(&found),
    };
    if let Some(kind) = accepted {
        out.push(Hit { start, end, kind });
    }
}

/// Words with their place in characters (tables align by characters, not by bytes).
fn words(text: &str) -> Vec<(usize, usize, &str)> {
    let mut all = Vec::new();
    let mut at = 0;
    for part in text.split(char::is_whitespace) {
        let length = part.chars().count();
        if length > 0 {
            all.push((at, at + length, part));
        }
        at += length + 1;
    }
    all
}

fn byte_at(text: &str, place: usize) -> usize {
    text.char_indices().nth(place).map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<&str> {
        let mut table = None;
        let mut found = Vec::new();
        for line in text.lines() {
            let mut hits = Vec::new();
            match (Table::of(line), &mut table) {
                (Some(new), _) => table = Some(new),
                (None, Some(open)) => {
                    open.row(line, &mut hits);
                }
                _ => {}
            }
            found.extend(hits.iter().map(|hit| &line[hit.start..hit.end]));
        }
        found.dedup();
        found
    }

    #[test]
    fn users_of_process_tables_are_found() {
        assert_eq!(rows("USER         PID %CPU %MEM    VSZ\nekwame     30112 99.1 12.0 98\nroot 1 0 0 0"), ["ekwame"]);
        assert_eq!(rows("    PID USER      PR  NI    VIRT\n  30112 ekwame    20   0   94g"), ["ekwame"]);
    }

    #[test]
    fn queues_name_jobs_users_and_nodes() {
        let queue = "  JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n  48213       gpu aurora_7   ekwame  R    1:02:11      2 cn[0417-0418]\n  48214       gpu aurora_8   ekwame PD       0:00      2 (Resources)";
        assert_eq!(rows(queue), ["aurora_7", "ekwame", "cn[0417-0418]", "aurora_8", "ekwame"]);
    }

    #[test]
    fn public_pods_stay() {
        let pods = "NAMESPACE     NAME                                  READY   STATUS\nkube-system   nvidia-device-plugin-daemonset-8xk2p   0/1     Running\nads-ranking   ctr-trainer-7d9f8b6c5-x2x7k   0/1     Running";
        assert_eq!(rows(pods), ["ads-ranking", "ctr-trainer-7d9f8b6c5-x2x7k"]);
    }

    #[test]
    fn serials_of_csv_are_found() {
        assert_eq!(rows("index, name, serial\n0, NVIDIA H100, 1653922041877"), ["1653922041877"]);
    }
}
