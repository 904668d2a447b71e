use super::*;

fn paste(text: &str) -> Paste {
    read(vec![Part { name: String::new(), bytes: text.as_bytes().to_vec() }], &Limits::default()).unwrap()
}

fn one(text: &str) -> (String, Prefix) {
    let paste = paste(text);
    let line = paste.lines.last().unwrap();
    (line.message().to_owned(), line.prefix.as_deref().cloned().unwrap_or_default())
}

#[test]
fn lines_keep_their_numbers() {
    let parts = ["a\r\nb\n\nc", "d\n"].map(|t| Part { name: t[..1].into(), bytes: t.into() }).to_vec();
    let paste = read(parts, &Limits::default()).unwrap();
    let lines: Vec<_> = paste.lines.iter().map(|l| (l.number, l.text.as_str())).collect();
    assert_eq!(lines, [(1, "a"), (2, "b"), (3, ""), (4, "c"), (5, "d")]);
    assert_eq!(paste.sources[1], Source { name: "d".into(), first: 5, last: 5 });
}

#[test]
fn what_cannot_be_read_is_said() {
    let read = |bytes: &[u8], max| read(vec![Part { name: String::new(), bytes: bytes.to_vec() }], &Limits { max_decoded: max });
    assert!(matches!(read(b" \n\t\r\n", 100), Err(Error::EmptyPaste)));
    assert!(matches!(read(b"", 100), Err(Error::EmptyPaste)));
    assert!(matches!(read(&[0, 1, 2, 3, 0x90, 0xff].repeat(50), 1000), Err(Error::NotText)));
    assert!(matches!(read(&b"x".repeat(101), 100), Err(Error::DecodedTooLarge { limit: 100 })));
}

#[test]
fn collectors_prefixes_are_stripped_and_remembered() {
    for (text, message, host, unit, rank, stream) in [
        ("> quoted", "quoted", None, None, None, None),
        ("> >  In addition", " In addition", None, None, None, None),
        ("web-1  | Traceback (most recent call last):", "Traceback (most recent call last):", None, None, None, Some("web-1")),
        ("[pod/train-0/main] RuntimeError: x", "RuntimeError: x", None, None, None, Some("train-0/main")),
        ("2024-05-20T02:46:53.219903201Z stderr F   File \"a.py\"", "  File \"a.py\"", None, None, None, None),
        ("2026-04-22T21:34:12.123Z text", "text", None, None, None, None),
        ("[2026-04-22 21:34:12] [rank2]: ncclSystemError", "ncclSystemError", None, None, Some(2), None),
        ("Nov 24 10:14:02 host-1 kernel: NVRM: x", "NVRM: x", Some("host-1"), Some("kernel"), None, None),
        ("Nov 24 10:14:02 host-1 kernel: [2397166.923949] NVRM: x", "NVRM: x", Some("host-1"), Some("kernel"), None, None),
        ("11月 24 10:14:02 host-1 python[20311]:   File", "  File", Some("host-1"), Some("python"), None, None),
        ("mars 03 09:14:07 kernel: NVRM: x", "NVRM: x", None, Some("kernel"), None, None),
        ("2026-11-24T10:14:02+0100 gpu1 kernel: NVRM: x", "NVRM: x", Some("gpu1"), Some("kernel"), None, None),
        ("2026-11-24T10:14:02 Loading model: x", "Loading model: x", None, None, None, None),
        ("[   12.345678] NVRM: x", "NVRM: x", None, None, None, None),
        ("[   12.345678][    T1] NVRM: x", "NVRM: x", None, None, None, None),
        ("<6>[   12.345678] NVRM: x", "NVRM: x", None, None, None, None),
        ("kern  :err   : [   12.345678] NVRM: x", "NVRM: x", None, Some("kernel"), None, None),
        ("[Wed Aug 30 16:29:31 2023] NVRM: x", "NVRM: x", None, Some("kernel"), None, None),
        ("192.168.40.21: kern:     err: [2024-05-20T02:46:53.85Z]: NVRM: x", "NVRM: x", Some("192.168.40.21"), Some("kernel"), None, None),
        ("[rank0]:   File \"a.py\", line 3", "  File \"a.py\", line 3", None, None, Some(0), None),
        ("[default3]:loss", "loss", None, None, Some(3), None),
        ("[1,7]<stdout>:hello", "hello", None, None, Some(7), None),
        (
            "(RayWorkerVllm pid=7218) INFO 03-22 14:37:02 weight_utils.py:163] Using",
            "Using",
            None,
            None,
            None,
            Some("RayWorkerVllm pid=7218"),
        ),
        (
            "(EngineCore_DP0 pid=4120) ERROR 10-25 14:20:58 [core.py:708]   File",
            "  File",
            None,
            None,
            None,
            Some("EngineCore_DP0 pid=4120"),
        ),
        (
            "2022-11-22T15:40:53,930 [WARN ] W-9000-a_1.0-stderr MODEL_LOG - Traceback",
            "Traceback",
            None,
            None,
            None,
            Some("W-9000-a_1.0-stderr"),
        ),
        ("h-0:16:235 [3] misc/shmutils.cc:88 NCCL WARN Error: x", "misc/shmutils.cc:88 NCCL WARN Error: x", Some("h-0"), None, None, None),
        ("2024-08-07 13:33:58 - INFO - __main__ - x", "INFO - __main__ - x", None, None, None, None),
        ("2023-06-19 17:02:41.118702: I tensorflow/core/x", "I tensorflow/core/x", None, None, None, None),
        ("[2024-05-08 11:20:01,204] [INFO] [a.py:1:fn] x", "[INFO] [a.py:1:fn] x", None, None, None, None),
        ("Nov 24 10:14:02 <host-1> kernel: x", "x", Some("<host-1>"), Some("kernel"), None, None),
    ] {
        let (got, prefix) = one(text);
        assert_eq!(got, message, "{text}");
        let said = (prefix.host.as_deref(), prefix.unit.as_deref(), prefix.rank, prefix.stream.as_deref());
        assert_eq!(said, (host, unit, rank, stream), "{text}");
    }
}

#[test]
fn messages_that_resemble_a_prefix_stay_whole() {
    for text in [
        "[12.0, 13.1]",
        "tests/test_gpu.py PASSED [  7%]",
        "[  7%] Building CUDA object",
        "Tue Nov 24 10:12:03 2026",
        "2026-11-24 10:12:03",
        "| NVIDIA-SMI 550.107.02   Driver Version: 550.107.02 |",
        ">>> import torch",
        "rank 0: step 1840 | 11.92 s/step | mfu 0.38",
        "417:/var/lib/dkms/nvidia/nvidia-drm-drv.c:1513:40: error: x",
        "1: lo: <LOOPBACK,UP>",
        "[E ProcessGroupNCCL.cpp:475] [Rank 1] Watchdog caught",
        "(was 3.05 s/step on Friday, same container)",
        "May 08 is when it started",
    ] {
        assert_eq!(one(text).0, text);
    }
}

#[test]
fn labels_of_srun_need_many_lines() {
    let labelled = paste("0: a\n1: a\n0: b\n1: b\n0: c\n1: c\nend");
    assert_eq!(labelled.lines[1].message(), "a");
    assert_eq!(labelled.lines[1].prefix.as_ref().unwrap().rank, Some(1));
    assert_eq!(labelled.lines[6].message(), "end");
}

#[test]
fn a_compose_name_without_number_needs_several_lines() {
    assert_eq!(paste("ollama  | a\nollama  | b\nollama  |").lines[2].message(), "");
    assert_eq!(one("loss | 0.3").0, "loss | 0.3");
}

#[test]
fn times_are_read_with_the_year_of_the_paste() {
    let time = |text: &str| one(text).1.time;
    assert_eq!(time("[ 9121.104425] NVRM"), Some(Stamp::Uptime(9121.104425)));
    assert_eq!(time("Jan 01 00:00:10 h kernel: x"), Some(Stamp::Wall(10.0)));
    let january_2026 = 1_767_225_600.0;
    assert_eq!(
        time("-- Journal begins at Thu 2026-01-01 00:00:00 UTC --\nJan 01 00:00:10 h kernel: x"),
        Some(Stamp::Wall(january_2026 + 10.0))
    );
    assert_eq!(time("2025-12-31 00:00:00 x\nDec 31 23:59:59 h a: x\nJan 01 00:00:10 h kernel: x"), Some(Stamp::Wall(january_2026 + 10.0)));
    assert_eq!(time("[rank0]:[W101 00:00:10.500000000 a.cpp:1] x"), Some(Stamp::Wall(10.5)));
    assert_eq!(time("2026-01-01T00:00:10Z [   12.345678] NVRM"), Some(Stamp::Uptime(12.345678)));
}

#[test]
fn a_long_line_takes_linear_time() {
    let long = format!("{}\r{}", "[x] (y) ".repeat(300_000), "\u{1b}[1mz[0m".repeat(300_000));
    let started = std::time::Instant::now();
    assert_eq!(paste(&long).lines[0].text.len(), 300_000);
    assert!(started.elapsed().as_secs() < 10);
}
