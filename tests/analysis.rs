//! What the analysis must show on whole pastes: facts compared, episodes told apart, the same
//! answer for the same bytes.

use faultbook::diagnose::analysis::Analysis;
use faultbook::i18n::Lang;
use faultbook::intake::{Limits, Part, read};
use faultbook::pattern::Patterns;
use std::sync::{Arc, LazyLock};

static PATTERNS: LazyLock<Arc<Patterns>> = LazyLock::new(|| Patterns::builtin().expect("the built-in set loads"));

fn analyze(text: &str) -> Analysis {
    let paste = read(vec![Part { name: "error.log".into(), bytes: text.as_bytes().to_vec() }], &Limits::default()).expect("the text reads");
    faultbook::analyze(&paste, &PATTERNS).diagnosis.view(&PATTERNS, Lang::En, &str::to_owned)
}

fn first(analysis: &Analysis) -> Option<&str> {
    analysis.findings.first().map(|f| f.cause.as_str())
}

fn table(driver: &str, cuda: &str, card: &str) -> String {
    format!(
        "Tue Nov 24 10:12:03 2026\n\
+-----------------------------------------------------------------------------------------+\n\
| NVIDIA-SMI {driver:<12}           Driver Version: {driver:<12}   CUDA Version: {cuda:<8} |\n\
|-----------------------------------------+------------------------+----------------------+\n\
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n\
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n\
|                                         |                        |               MIG M. |\n\
|=========================================+========================+======================|\n\
|   0  {card:<34} On |   00000000:00:1E.0 Off |                    0 |\n\
| N/A   31C   P0               9W / 70W |        2MiB / 15360MiB |      0%       Default|\n\
|                                         |                        |                  N/A |\n\
+-----------------------------------------+------------------------+----------------------+\n"
    )
}

const LIST_CU124: &str = "\nPackage                  Version\n------------------------ ------------\nfilelock                 3.16.1\ntorch                    2.4.1+cu124\ntorchvision              0.19.1+cu124\n";

#[test]
fn a_driver_below_the_floor_is_named_by_numbers_alone() {
    let analysis = analyze(&(table("470.256.02", "11.4", "Tesla T4") + LIST_CU124));
    assert_eq!(first(&analysis), Some("driver-too-old-for-cuda"));
    let finding = &analysis.findings[0];
    for number in ["470.256.02", "525.60.13"] {
        assert!(finding.why.contains(number), "{}", finding.why);
    }
    let install = finding.fixes.iter().filter_map(|f| f.run.as_deref()).find(|run| run.contains("pip install torch=="));
    assert!(install.is_some_and(|run| run.contains("cu118")), "{:?}", finding.fixes);
}

#[test]
fn a_driver_of_the_same_major_line_is_no_fault() {
    let analysis = analyze(&(table("535.183.01", "12.2", "Tesla T4") + LIST_CU124));
    assert_eq!(first(&analysis), None, "{:?}", analysis.findings);
}

#[test]
fn host_and_container_are_not_mixed_up() {
    let container = format!(
        "root@3f9c1b7a2d10:/workspace# nvidia-smi\n{}root@3f9c1b7a2d10:/workspace# pip list{LIST_CU124}",
        table("550.107.02", "12.4", "Tesla T4")
    );
    let host = format!("ops@node-a:~$ nvidia-smi\n{}", table("470.256.02", "11.4", "Tesla T4"));
    let analysis = analyze(&format!("{host}{container}root@3f9c1b7a2d10:/workspace# \n"));
    assert_eq!(first(&analysis), None, "{:?}", analysis.findings);
    let versions: Vec<_> =
        analysis.facts.iter().filter(|f| f.name == "driver.version").map(|f| (f.scope.as_str(), f.value.as_str())).collect();
    assert_eq!(versions, [("host", Some("470.256.02")), ("container", Some("550.107.02"))]);
}

#[test]
fn an_xid_of_an_earlier_boot_is_history() {
    let analysis = analyze(
        "-- Boot 3f1c8a52b7d04c61a2d8e3f4a5b6c7d8 --\n\
Nov 03 04:11:09 node-7 kernel: NVRM: Xid (PCI:0000:41:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n\
Nov 03 04:11:10 node-7 kernel: NVRM: GPU 0000:41:00.0: GPU has fallen off the bus.\n\
-- Boot 9a8b7c6d5e4f40312233445566778899 --\n\
Nov 03 09:00:01 node-7 kernel: Linux version 6.8.0-51-generic (buildd@lcy02-amd64-040)\n\
Nov 03 09:00:09 node-7 kernel: NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.120  Fri Sep 13 10:10:01 UTC 2024\n\
Nov 24 10:00:00 node-7 systemd[1]: Started Session 12 of User job.\n\
\n\
Traceback (most recent call last):\n\
  File \"train.py\", line 88, in <module>\n\
    loss.backward()\n\
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.25 GiB of which 1.12 GiB is free. Including non-PyTorch memory, this process has 78.01 GiB memory in use. Of the allocated memory 77.10 GiB is allocated by PyTorch, and 120.50 MiB is reserved by PyTorch but unallocated.\n",
    );
    assert_eq!(first(&analysis), Some("cuda-out-of-memory"), "{:?}", analysis.findings);
    assert!(analysis.history.iter().any(|h| h.cause == "gpu-fell-off-bus"), "{:?}", analysis.history);
    assert!(analysis.findings.iter().all(|f| f.cause != "gpu-fell-off-bus"));
}

#[test]
fn the_same_bytes_give_the_same_answer() {
    let text = table("470.256.02", "11.4", "Tesla T4") + LIST_CU124;
    let (a, b) = (analyze(&text), analyze(&text));
    assert_eq!(serde_json::to_value(&a).expect("json"), serde_json::to_value(&b).expect("json"));
    assert_eq!(a.patterns, PATTERNS.hash());
    assert!(a.fingerprint.starts_with("v1:"));
}

#[test]
fn like_pastes_of_different_machines_share_a_fingerprint() {
    let of = |user: &str, line: u32| {
        analyze(&format!("Traceback (most recent call last):\n  File \"/home/{user}/train.py\", line {line}, in <module>\n    main()\nValueError: unknown thing 0x{line}f at step {line}\n")).fingerprint
    };
    assert_eq!(of("anna", 12), of("bo", 977));
    assert_ne!(of("anna", 12), analyze("ValueError: quite another thing\n").fingerprint);
}

#[test]
fn nothing_recognised_says_what_to_paste_next() {
    let analysis = analyze(
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nFrobnicationError: the frob failed in an unheard of way\n",
    );
    assert!(analysis.findings.is_empty());
    assert!(!analysis.questions.is_empty() && analysis.questions.len() <= 3);
    assert!(analysis.notes.iter().any(|n| n.text.contains("FrobnicationError")));
}
