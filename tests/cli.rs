//! The command line as other programs see it: exit status, formats, errors.

use assert_cmd::Command;
use std::io::Write;

fn faultbook() -> Command {
    let mut command = Command::cargo_bin("faultbook").expect("the binary");
    command.env("FAULTBOOK_LANG", "en");
    command
}

const OOM: &str = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.25 GiB of which 1.12 GiB is free.\n";

#[test]
fn analyze_ends_like_grep() {
    faultbook().args(["analyze"]).write_stdin(OOM).assert().code(0);
    faultbook().args(["analyze"]).write_stdin("epoch 1 loss 0.3\n").assert().code(1);
    faultbook().args(["analyze", "/no/such/file"]).assert().code(2);
}

#[test]
fn json_has_the_published_shape() {
    let output = faultbook().args(["analyze", "--format", "json"]).write_stdin(OOM).output().expect("it runs");
    let analysis: serde_json::Value = serde_json::from_slice(&output.stdout).expect("json");
    assert_eq!(analysis["schema"], "faultbook.analysis.v1");
    assert_eq!(analysis["findings"][0]["cause"], "cuda-out-of-memory");
}

#[test]
fn each_file_gets_its_own_line() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a.log", "b.log"] {
        std::fs::write(folder.path().join(name), OOM).expect("written");
    }
    let output = faultbook().args(["analyze", "--each"]).arg(folder.path()).output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2);
    let output = faultbook().args(["analyze", "--format", "json"]).arg(folder.path()).output().expect("it runs");
    let analysis: serde_json::Value = serde_json::from_slice(&output.stdout).expect("json");
    assert_eq!(analysis["sources"].as_array().map(Vec::len), Some(2));
}

#[test]
fn errors_have_a_code_and_a_remedy() {
    let output = faultbook().args(["analyze"]).write_stdin("  \n").output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("empty-paste") && text.lines().count() >= 2, "{text}");
    let output = faultbook().args(["analyze"]).write_stdin([0u8, 1, 2, 3, 0, 200, 201, 0, 0, 7].repeat(100)).output().expect("it runs");
    assert!(String::from_utf8_lossy(&output.stderr).contains("not-text"));
    faultbook().args(["patterns", "show", "no-such-cause"]).assert().code(2);
}

#[test]
fn a_faulty_pattern_folder_is_shown_with_a_caret() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("driver")).expect("a layer");
    let mut file = std::fs::File::create(folder.path().join("driver/bad.toml")).expect("a file");
    writeln!(file, "id = \"bad\"\nsources = [\"x\"]\ntitle = 7").expect("written");
    let output = faultbook().args(["patterns", "check"]).arg(folder.path()).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("driver/bad.toml:3:9") && text.contains("^"), "{text}");
    faultbook().args(["analyze", "--patterns"]).arg(folder.path()).write_stdin(OOM).assert().code(2);
}

#[test]
fn new_writes_a_file_that_passes_and_never_overwrites() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("driver")).expect("a layer");
    let inside = folder.path().join("driver");
    faultbook().current_dir(&inside).args(["patterns", "new", "my-cause"]).assert().code(0);
    faultbook().current_dir(&inside).args(["patterns", "new", "my-cause"]).assert().code(2);
    faultbook().args(["patterns", "check"]).arg(folder.path()).assert().code(0);
}

#[test]
fn explain_knows_codes_names_and_lines() {
    for (thing, want) in [
        (&["xid", "79"][..], "FALLEN_OFF_THE_BUS"),
        (&["sxid", "24007"], "SXid 24007"),
        (&["0x62:0x65:1697"], "NV_ERR_TIMEOUT"),
        (&["cuda", "804"], "forward compatibility"),
        (&["exit", "-9"], "SIGKILL"),
        (&["sm_120"], "Blackwell"),
        (&["driver", "550.90.07"], "12.4"),
        (&["driver-library-mismatch"], "driver-library-mismatch"),
        (&["Failed to initialize NVML: Driver/library version mismatch"], "driver-library-mismatch"),
    ] {
        let output = faultbook().arg("explain").args(thing).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(want), "{thing:?}: {text}");
    }
    faultbook().args(["explain", "quite", "unknown"]).assert().code(1);
}

#[test]
fn wheel_gives_a_line_or_the_reason() {
    let output = faultbook().args(["wheel", "--driver", "470", "--gpu", "RTX 3090", "--python", "3.10"]).output().expect("it runs");
    assert!(String::from_utf8_lossy(&output.stdout).contains("whl/cu118"));
    faultbook().args(["wheel", "--driver", "390", "--gpu", "RTX 5090"]).assert().code(1);
    faultbook().args(["wheel", "--gpu", "Voodoo 2"]).assert().code(2);
}

#[test]
fn a_long_log_is_condensed_and_keeps_its_numbers() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("long.log");
    let mut log = std::io::BufWriter::new(std::fs::File::create(&path).expect("a file"));
    let line = "2026-11-24 10:00:00,000 INFO trainer: step 1 loss=1.0 and quite some more text to make the line long enough\n";
    for _ in 0..180_000 {
        log.write_all(line.as_bytes()).expect("written");
    }
    log.write_all(OOM.as_bytes()).expect("written");
    drop(log);
    let output = faultbook().args(["analyze", "--format", "json"]).arg(&path).output().expect("it runs");
    let analysis: serde_json::Value = serde_json::from_slice(&output.stdout).expect("json");
    assert_eq!(analysis["findings"][0]["evidence"][0]["lines"][0], 180_001);
    assert_eq!(analysis["limits"].as_array().map(Vec::len), Some(1), "{}", analysis["limits"]);
}

#[test]
fn anonymize_keeps_lines_and_hides_names() {
    let output = faultbook()
        .arg("anonymize")
        .write_stdin("anna@gpu-7:~$ nvidia-smi\nFile \"/home/anna/train.py\", line 3\n")
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.lines().count(), 2);
    assert!(!text.contains("anna") && !text.contains("gpu-7") && text.contains("train.py"), "{text}");
}

#[test]
fn run_keeps_output_and_status_and_explains_a_failure() {
    let script = format!("echo step 1; printf '%s' '{}' >&2; exit 3", OOM.trim_end());
    let output = faultbook().args(["run", "--", "sh", "-c", &script]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "step 1\n");
    assert!(String::from_utf8_lossy(&output.stderr).contains("[cuda-out-of-memory]"));
    let fine = faultbook().args(["run", "--", "sh", "-c", "echo ok"]).output().expect("it runs");
    assert_eq!((fine.status.code(), fine.stderr.len()), (Some(0), 0));
    let killed = faultbook().args(["run", "--", "sh", "-c", "kill -9 $$"]).output().expect("it runs");
    assert_eq!(killed.status.code(), Some(137));
    faultbook().args(["run", "--", "/no/such/program"]).assert().code(2);
}

#[test]
fn diff_names_what_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, torch: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("$ pip list\nPackage    Version\n---------- -------\nnumpy      1.26.4\ntorch      {torch}\n$ \n"))
            .expect("written");
        path
    };
    let (a, b) = (write("a.log", "2.4.1+cu124"), write("b.log", "2.6.0+cu124"));
    let output = faultbook().arg("diff").args([&a, &b]).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.code() == Some(1) && text.contains("torch.version") && text.contains("2.4.1+cu124 → 2.6.0+cu124"), "{text}");
    faultbook().arg("diff").args([&a, &a]).assert().code(0);
}
