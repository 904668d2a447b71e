use super::*;
use crate::intake::{Limits, Part, read};

fn log(text: &str) -> (Paste, Log) {
    let paste = read(vec![Part { name: String::new(), bytes: text.as_bytes().to_vec() }], &Limits::default()).unwrap();
    let log = split(&paste);
    check(&paste, &log);
    (paste, log)
}

/// What must hold for every paste: segments cover the lines in order, and the map of a record
/// leads from its text back to its lines.
fn check(paste: &Paste, log: &Log) {
    let mut next = 0;
    for segment in &log.segments {
        assert_eq!(segment.lines.start, next);
        assert!(segment.lines.end > next && (segment.scope as usize) < log.scopes.len());
        next = segment.lines.end;
    }
    assert_eq!(next, paste.lines.len());
    assert!(!log.scopes.is_empty());
    for record in &log.records {
        let segment = log.segment_of(record);
        assert!(segment.lines.contains(&record.first_line()));
        assert!(!log.text_of(record).is_empty() && !log.text_of(record).contains('\n'));
        for (at, line) in &record.pieces {
            assert_eq!(record.line_at(*at), *line as usize);
        }
    }
}

fn kinds(text: &str) -> Vec<(Kind, usize)> {
    log(text).1.segments.iter().map(|s| (s.kind, s.lines.len())).collect()
}

fn records(text: &str) -> Vec<String> {
    let (_, log) = log(text);
    log.records.iter().map(|r| log.text_of(r).to_owned()).collect()
}

#[test]
fn a_command_decides_before_any_look() {
    let (_, log) =
        log("$ lsmod | grep nvidia\n$ uname -r\n6.8.0-51-generic\n$ dmesg | tail -2\nfirst\n[    4.118820] nvidia: loading\n$ nvidia-smi");
    let seen: Vec<_> =
        log.segments.iter().map(|s| (s.kind, s.lines.clone(), s.complete, s.command.as_ref().and_then(|c| c.filter.clone()))).collect();
    assert_eq!(
        seen,
        [
            (Kind::Lsmod, 0..1, true, Some("nvidia".to_owned())),
            (Kind::Uname, 1..3, true, None),
            (Kind::Dmesg, 3..6, false, None),
            (Kind::NvidiaSmi, 6..7, false, None),
        ]
    );
}

#[test]
fn a_program_that_failed_lists_nothing_completely() {
    let (_, log) = log(
        "$ lsmod\nbash: lsmod: command not found\n$ dmesg\ndmesg: read kernel buffer failed: Operation not permitted\n$ ls /dev/nvidia*\nls: cannot access '/dev/nvidia*': No such file or directory\n$",
    );
    assert_eq!(log.segments.iter().map(|s| s.complete).collect::<Vec<_>>(), [false, false, true, false]);
}

#[test]
fn a_command_goes_on_after_a_backslash() {
    let (_, log) = log("$ docker exec web \\\n    nvidia-smi -L\nGPU 0: NVIDIA L40S (UUID: GPU-2b7c9d10-66ab-4d0f-9e53-1a2b3c4d5e6f)");
    assert_eq!(log.segments.len(), 1);
    assert_eq!(log.segments[0].kind, Kind::NvidiaSmiList);
    assert_eq!(log.scopes[log.segments[0].scope as usize].label(), "container");
}

#[test]
fn scopes_follow_prompts_and_headings() {
    let text = "root@3f9c1b7a2d10:/workspace# pip list\ntorch 2.4.1\n# on the host\n$ nvidia-smi -L\nNo devices found.\n$ kubectl exec train-0 -- pip freeze\ntorch==2.4.1\nanna@node1:~$ uname -r\n6.8.0\nanna@node2:~$ uname -r\n6.5.0";
    let (_, log) = log(text);
    let labels: Vec<_> = log.segments.iter().filter(|s| s.command.is_some()).map(|s| log.scopes[s.scope as usize].label()).collect();
    assert_eq!(labels, ["container", "host", "pod", "host", "host-2"]);
    let wsl = super::tests::log("$ uname -r\n5.15.153.1-microsoft-standard-WSL2").1;
    assert_eq!(wsl.scopes[0].label(), "wsl");
}

#[test]
fn docker_speaks_on_the_host() {
    let (_, log) = log(
        "$ docker run --gpus all cuda nvidia-smi\ndocker: Error response from daemon: could not select device driver \"\" with capabilities: [[gpu]].",
    );
    assert_eq!((log.segments[0].complete, log.segments[1].kind), (false, Kind::Docker));
    assert_eq!(log.scopes[log.segments[1].scope as usize].label(), "host");
}

#[test]
fn the_kernels_continuations_are_joined() {
    let want = "NVRM: API mismatch: the client has the version 550.120, but this kernel module has the version 550.107.02. Please make sure that this kernel module and all NVIDIA driver components have the same version.";
    let parts = [
        "NVRM: API mismatch: the client has the version 550.120, but",
        "NVRM: this kernel module has the version 550.107.02.  Please",
        "NVRM: make sure that this kernel module and all NVIDIA driver",
        "NVRM: components have the same version.",
    ];
    let indented = parts.join("\n                                    ");
    assert_eq!(records(&format!("Nov 24 10:14:02 h kernel: {indented}\nNov 24 10:14:02 h kernel: nvidia: x"))[0], want);
    assert_eq!(records(&format!("[    4.452310] {indented}"))[0], want);
    let stamped: Vec<_> = parts.iter().map(|p| format!("[    4.452310] {p}")).collect();
    assert_eq!(records(&stamped.join("\n"))[0], want);
    let quoted: Vec<_> = stamped.iter().map(|p| format!("> {p}")).collect();
    assert_eq!(records(&quoted.join("\n"))[0], want);
    let apart = "[    1.000001] NVRM: The NVIDIA probe routine failed for 1 device(s).\n[    1.000002] NVRM: None of the NVIDIA devices were initialized.";
    assert_eq!(records(apart).len(), 2);
}

const TRACE: &str = "Traceback (most recent call last):\n  File \"train.py\", line 212, in <module>\n    main(cfg)\nRuntimeError: Error(s) in loading state_dict for ResNet:\n\tMissing key(s) in state_dict: \"conv1.weight\".";

#[test]
fn a_traceback_is_frames_and_exception() {
    let frames = "Traceback (most recent call last): File \"train.py\", line 212, in <module> main(cfg)";
    let exception = "RuntimeError: Error(s) in loading state_dict for ResNet: Missing key(s) in state_dict: \"conv1.weight\".";
    assert_eq!(records(TRACE), [frames, exception]);
    for prefix in
        ["> ", "web-1  | ", "[rank3]: ", "Nov 24 10:14:02 h python[1]: ", "(EngineCore_0 pid=1) ERROR 10-25 14:20:58 [core.py:708] "]
    {
        let text: Vec<_> = TRACE.lines().map(|l| format!("{prefix}{l}")).collect();
        assert_eq!(records(&text.join("\n")), [frames, exception], "{prefix}");
    }
    assert_eq!(kinds(&format!("{TRACE}\n\nthat was it"))[0], (Kind::PythonTraceback, 6));
}

#[test]
fn interleaved_ranks_are_told_apart() {
    let mut lines = Vec::new();
    for line in TRACE.lines() {
        lines.extend([0, 1].map(|rank| format!("[rank{rank}]: {line}")));
    }
    let (_, log) = log(&lines.join("\n"));
    assert_eq!(
        log.records.iter().map(|r| (r.rank, r.pieces.len())).collect::<Vec<_>>(),
        [(Some(0), 3), (Some(1), 3), (Some(0), 2), (Some(1), 2)]
    );
}

#[test]
fn an_exception_ends_where_something_else_begins() {
    for end in [
        "$ nvidia-smi",
        "Traceback (most recent call last):",
        "During handling of the above exception, another exception occurred:",
        "h:1:2 [0] NCCL INFO x",
        "terminate called after throwing",
        "[    4.118820] nvidia: x",
        "```",
        "\nthanks for any help",
        "Epoch 2:  17%|██ | 6/39 [00:07<00:34,  9.40it/s]",
    ] {
        let all = records(&format!("{TRACE}\n{end}"));
        assert!(all[1].ends_with("\"conv1.weight\"."), "{end}: {all:?}");
    }
    let cuda = "RuntimeError: CUDA error: x\nCUDA kernel errors might be asynchronously reported at some other API call.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1.\nsome other text";
    assert_eq!(records(cuda).len(), 2);
}

#[test]
fn native_frames_are_a_record_of_their_own() {
    let text = "terminate called after throwing an instance of 'c10::Error'\n  what():  CUDA error: x\nException raised from f at a.cpp:687 (most recent call first):\nframe #0: a\nframe #1: b\n";
    assert_eq!(
        records(text),
        [
            "terminate called after throwing an instance of 'c10::Error' what(): CUDA error: x Exception raised from f at a.cpp:687 (most recent call first):",
            "frame #0: a frame #1: b"
        ]
    );
    assert_eq!(kinds(text), [(Kind::CxxBacktrace, 5)]);
}

#[test]
fn a_warning_takes_its_text_and_source_line() {
    let text = "/v/torch/cuda/__init__.py:235: UserWarning: \nNVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible.\n\n  warnings.warn(\nnext";
    assert_eq!(
        records(text),
        [
            "/v/torch/cuda/__init__.py:235: UserWarning: NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible. warnings.warn(",
            "next"
        ]
    );
    assert_eq!(records("a.py:1: UserWarning: x\nplain").len(), 2);
}

#[test]
fn packages_need_each_other() {
    assert_eq!(kinds("torch 2.5.1\ntorchvision 0.19.0"), [(Kind::PipList, 2)]);
    assert_eq!(kinds("torch 2.5.1"), [(Kind::Other, 1)]);
}

#[test]
fn full_width_punctuation_is_seen_through() {
    assert_eq!(
        records("RuntimeError：CUDA error（x），y\nCUDA kernel errors might be reported"),
        ["RuntimeError: CUDA error(x), y CUDA kernel errors might be reported"]
    );
}

#[test]
fn the_collectors_marker_is_believed() {
    let (_, log) =
        log("#faultbook 1 pip-list rc=0 scope=container :: pip list\nx\n#faultbook 1 lsmod rc=1 scope=host :: lsmod | grep nvidia\n");
    let seen: Vec<_> =
        log.segments.iter().map(|s| (s.kind, log.scopes[s.scope as usize].label(), s.command.as_ref().and_then(|c| c.status))).collect();
    assert_eq!(seen, [(Kind::PipList, "container".into(), Some(0)), (Kind::Lsmod, "host".into(), Some(1))]);
}

#[test]
fn a_record_is_capped() {
    let long = format!("Traceback (most recent call last):\n{}", "  File \"a.py\", line 1, in f\n".repeat(3 * record::MAX_LINES));
    assert!(log(&long).1.records.iter().all(|r| r.pieces.len() <= record::MAX_LINES));
}

/// Beginnings and whole lines that mean something to one stage or another.
const PIECES: &[&str] = &[
    "> ",
    "web-1  | ",
    "[pod/a/b] ",
    "[rank3]: ",
    "[1,2]<stdout>: ",
    "0: ",
    "Nov 24 10:14:02 h kernel: ",
    "[    4.452310] ",
    "[Wed Aug 30 16:29:31 2023] ",
    "2026-04-22T21:34:12.123Z stderr F ",
    "(EngineCore_0 pid=1) ERROR 10-25 14:20:58 [core.py:708] ",
    "h:1:2 [0] ",
    "kern  :err   : ",
    "<6>",
    "11月 24 10:14:02 ",
    "Traceback (most recent call last):",
    "  File \"a.py\", line 1",
    "    x = 1",
    "RuntimeError: x",
    "E   RuntimeError: x",
    "╭─ Traceback (most recent call last) ─╮",
    "│ x │",
    "During handling of the above exception",
    "terminate called after throwing",
    "  what():  x",
    "frame #0: x",
    "NVRM: API mismatch: but",
    "NVRM: this kernel",
    "$ ",
    "$ lsmod | grep x",
    "user@host:~$ docker exec a \\",
    "PS C:\\x> ls",
    "# on the host",
    "```",
    "#faultbook 1 lsmod rc=0 scope=pod :: lsmod",
    ">>> x",
    "+ nvidia-smi",
    "a.py:1: UserWarning: x",
    "  warnings.warn(",
    "torch 2.5.1",
    "==============NVSMI LOG==============",
    "    Name                                  : x",
    "| x |",
    "+----+",
    "NCCL INFO x",
    "：",
    "“",
    "\u{3000}",
    "\u{1b}[1m",
    "\r",
    "\u{8}",
    " ",
    "\t",
    "\n",
    "\n",
    "\n",
    "\n",
];

proptest::proptest! {
    #[test]
    fn no_paste_breaks_the_rules(picks in proptest::collection::vec((0..PIECES.len() + 8, "\\PC{0,12}"), 1..120)) {
        let text: String = picks.iter().map(|(at, word)| PIECES.get(*at).copied().unwrap_or(word)).collect();
        if let Ok(paste) = read(vec![Part { name: String::new(), bytes: text.into_bytes() }], &Limits::default()) {
            check(&paste, &split(&paste));
        }
    }
}
