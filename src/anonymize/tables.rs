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
    /// Cells between a mark (`sacct --parsable2`, CSV, Markdown).
    Cells(char),
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
    "QUEUE",
    "FROM_HOST",
    "EXEC_HOST",
    "JOB_NAME",
    "SUBMIT_TIME",
    "OWNER",
    "BATCH_NAME",
    "SUBMITTED",
    "DONE",
    "RUN",
    "HOLD",
    "TOTAL",
    "JOB_IDS",
    "job-ID",
    "prior",
    "name",
    "user",
    "state",
    "slots",
    "Username",
    "Queue",
    "Jobname",
    "SessID",
    "NDS",
    "TSK",
    "CONTAINER",
    "ID",
    "IMAGE",
    "CREATED",
    "PORTS",
    "NAMES",
    "REASON",
    "TIMESTAMP",
    "CPUS",
    "GRES",
    "FEATURES",
    "JCPU",
    "PCPU",
    "SESSION",
    "SEAT",
    "REVISION",
    "CHART",
];

/// The same, as cells of a table that is written with marks, in small letters.
const TITLES: &[&str] = &[
    "jobid",
    "job id",
    "state",
    "exitcode",
    "maxrss",
    "elapsed",
    "partition",
    "reqmem",
    "alloctres",
    "start",
    "end",
    "submit",
    "ncpus",
    "qos",
    "timelimit",
    "pid",
    "process",
    "process_name",
    "gpu",
    "gpu_util",
    "memory",
    "mem",
    "time",
    "timestamp",
    "status",
    "command",
    "cmd",
    "index",
    "name",
    "uuid",
    "pci.bus_id",
    "driver_version",
    "memory.total [mib]",
    "gpu_name",
    "used_memory",
    "rank",
    "cpu",
    "exit_code",
    "date",
    "id",
    "reason",
    "job",
    "type",
    "queue",
];

fn kind_of(heading: &str) -> Option<Kind> {
    Some(match heading {
        "USER" | "UID" | "User" | "user" | "Username" | "OWNER" => Kind::User,
        "NODELIST(REASON)" | "NODELIST" | "NodeList" | "NODE" | "HOSTNAMES" | "FROM" | "FROM_HOST" | "EXEC_HOST" => Kind::Host,
        "JobName" | "JOB_NAME" | "Jobname" | "BATCH_NAME" | "NAMES" => Kind::Job,
        "Account" => Kind::Project,
        "NAMESPACE" => Kind::Namespace,
        "NAME" => Kind::Pod,
        "SERIAL" => Kind::Serial,
        _ => return None,
    })
}

/// What a cell's title says of the cells below.
fn kind_of_title(title: &str, queue: bool) -> Option<Kind> {
    Some(match title {
        "user" | "username" | "user name" | "owner" | "uid" | "login" | "submitted by" | "submitter" | "user_name" => Kind::User,
        "account" | "project" | "wckey" | "group" | "team" => Kind::Project,
        "jobname" | "job name" | "job_name" => Kind::Job,
        "name" if queue => Kind::Job,
        "nodelist" | "node" | "host" | "hostname" | "nodename" | "host name" | "exec_host" | "machine" | "server" => Kind::Host,
        "namespace" => Kind::Namespace,
        "pod" => Kind::Pod,
        title if title.contains("serial") => Kind::Serial,
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
        ['|', '\t', ',', ';', '│'].into_iter().find_map(|mark| Table::cells(text, mark)).or_else(|| Table::blanks(text))
    }

    fn cells(text: &str, mark: char) -> Option<Table> {
        let titles: Vec<String> = text.split(mark).map(|title| title.trim().to_ascii_lowercase()).collect();
        if titles.len() < 2 {
            return None;
        }
        let queue = titles.iter().any(|title| ["jobid", "job id"].contains(&title.as_str()));
        let columns: Vec<_> =
            titles.iter().enumerate().filter_map(|(place, title)| kind_of_title(title, queue).map(|kind| (0, 0, place, kind))).collect();
        let other = titles.iter().filter(|title| TITLES.contains(&title.as_str())).count();
        (!columns.is_empty() && columns.len() + other >= 3.min(titles.len())).then_some(Table { columns, form: Form::Cells(mark) })
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
            Form::Cells(mark) if !text.contains(mark) => return text.trim_start().starts_with(['-', '+', '=']),
            Form::Cells(mark) => self.cell_row(text, mark, out),
            Form::Blanks => self.blank_row(text, out),
        }
        true
    }

    fn cell_row(&self, text: &str, mark: char, out: &mut Vec<Hit>) {
        let mut at = 0;
        for (place, cell) in text.split(mark).enumerate() {
            let value = cell.trim().trim_matches('"');
            let start = at + cell.find(value).unwrap_or(0);
            at += cell.len() + mark.len_utf8();
            for (.., kind) in self.columns.iter().filter(|column| column.2 == place && value.contains(char::is_alphanumeric)) {
                push(text, start, start + value.len(), *kind, out);
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
    fn cells_between_marks_are_found() {
        assert_eq!(rows("User|JobID|State|ExitCode\nmziel|55120|FAILED|1:0\n|55120.batch|FAILED|0:125"), ["mziel"]);
        assert_eq!(rows("| Host | User | GPU |\n|---|---|---|\n| wren-3 | mziel | 0 |"), ["wren-3", "mziel"]);
        assert_eq!(rows("timestamp,user,gpu_util\n12:01,mziel,98"), ["mziel"]);
        assert_eq!(rows("a,user,b\nx,mziel,y"), Vec::<&str>::new());
    }

    #[test]
    fn serials_of_csv_are_found() {
        assert_eq!(rows("index, name, serial\n0, NVIDIA H100, 1653922041877"), ["1653922041877"]);
    }
}
