//! An analysis with something in every field, in both languages.

use faultbook::diagnose::analysis::*;
use faultbook::i18n::Lang;
use faultbook::segment::Kind;

/// The lines that [`analysis`] is about.
pub fn lines() -> Vec<String> {
    let mut lines: Vec<String> = (1..=60).map(|n| format!("[{:>9}.104425] systemd[1]: unit number {n} is quiet", n + 100)).collect();
    let set = [
        (12, "[  112.104425] NVRM: API mismatch: the client has the version 550.120, but this kernel module has the version 550.107.02."),
        (13, "[  113.104425] NVRM: loading out-of-tree module taints kernel."),
        (30, "<user-1>@<host-1>:~$ nvidia-smi"),
        (31, "Failed to initialize NVML: Driver/library version mismatch"),
        (32, "NVML library version: 550.120"),
        (40, "RuntimeError: No CUDA GPUs are available <b>&amp;\u{1b}[31m"),
        (55, "torch                     2.4.1+cu124"),
    ];
    for (number, text) in set {
        if let Some(line) = lines.get_mut(number - 1) {
            *line = text.to_owned();
        }
    }
    lines
}

/// The analysis in a language.
pub fn analysis(lang: Lang) -> Analysis {
    let t = |en: &str, zh: &str| if lang == Lang::Zh { zh.to_owned() } else { en.to_owned() };
    Analysis {
        schema: SCHEMA.to_owned(),
        patterns: "0123456789ab".to_owned(),
        verdict: Verdict::Machine,
        fingerprint: "v1:9f86d081884c7d65".to_owned(),
        sources: vec![Source { name: "error.log".to_owned(), first: 1, last: 60 }],
        findings: vec![mismatch(&t), too_old(&t)],
        layers: layers(),
        facts: facts(),
        segments: vec![
            SegmentView { kind: Kind::Dmesg, scope: "host".to_owned(), first: 1, last: 29 },
            SegmentView { kind: Kind::NvidiaSmi, scope: "host".to_owned(), first: 30, last: 39 },
            SegmentView { kind: Kind::PythonTraceback, scope: "container".to_owned(), first: 40, last: 60 },
        ],
        questions: vec![Question {
            run: "cat /proc/driver/nvidia/version".to_owned(),
            why: t("It shows the version of the module that is loaded.", "它显示已加载的内核模块版本。"),
            look_for: t("A version other than 550.120 settles it.", "若版本不是 550.120，即可确认。"),
        }],
        noise: vec![Noise {
            lines: vec![13],
            why: t("Every driver that is not part of the kernel says this.", "内核之外的驱动都会打印这一行。"),
        }],
        notes: vec![Note {
            cause: "persistence-off".to_owned(),
            title: t("Persistence mode is off", "持久模式未开启"),
            text: t("Starting the first job takes longer; nothing is broken.", "首个任务启动较慢，并非故障。"),
            lines: vec![33],
        }],
        history: vec![Earlier {
            cause: "gpu-fell-off-bus".to_owned(),
            title: t("A card fell off the bus (Xid 79)", "显卡掉线（Xid 79）"),
            lines: vec![3],
            when: "2026-11-03 04:12".to_owned(),
        }],
        limits: vec![t("Only the first 1000 hits of nvml were counted.", "nvml 只统计了前 1000 处。")],
    }
}

type Pick<'a> = &'a dyn Fn(&str, &str) -> String;

fn mismatch(t: Pick) -> Finding {
    Finding {
        cause: "driver-library-mismatch".to_owned(),
        kind: FindingKind::Cause,
        rank: 1,
        confidence: Confidence::Certain,
        score: 9.0,
        layer: Layer::Driver,
        verdict: Verdict::Machine,
        subject: Some(SubjectView { gpu: Some("0000:41:00.0".to_owned()), index: Some(3), ..SubjectView::default() }),
        scope: "host".to_owned(),
        title: t("The driver's libraries and its loaded kernel module differ", "驱动库与已加载的内核模块版本不一致"),
        summary: t(
            "An update replaced the libraries on disk while the old module stayed in the kernel. Every program that opens the driver fails until both are of one version.",
            "更新替换了磁盘上的驱动库，而旧模块仍在内核中。两者版本一致之前，任何打开驱动的程序都会失败。",
        ),
        why: t("The libraries are 550.120, the loaded module is 550.107.02.", "驱动库为 550.120，已加载模块为 550.107.02。"),
        evidence: vec![
            evidence("nvml", &[31], Effect::For, Strength::Proves, 6.0, 1, None),
            evidence("api-mismatch", &[12, 32], Effect::For, Strength::Strong, 3.0, 17, None),
            evidence(
                "versions",
                &[12, 40, 55],
                Effect::For,
                Strength::Supports,
                1.5,
                1,
                Some("driver.library_version != driver.module_version"),
            ),
            evidence("no-module", &[33], Effect::Against, Strength::Hints, -0.5, 1, Some("module.nvidia == absent")),
        ],
        fixes: fixes(t),
        consequences: vec![Consequence {
            cause: "nvml-init-failed".to_owned(),
            title: t("NVML cannot be initialised", "NVML 初始化失败"),
            lines: vec![31, 40],
        }],
    }
}

fn too_old(t: Pick) -> Finding {
    Finding {
        cause: "driver-too-old-for-cuda".to_owned(),
        kind: FindingKind::Symptom,
        rank: 2,
        confidence: Confidence::Possible,
        score: 1.2,
        layer: Layer::Framework,
        verdict: Verdict::Environment,
        subject: None,
        scope: "container".to_owned(),
        title: t("The driver is too old for this CUDA build", "驱动版本低于该 CUDA 构建的要求"),
        summary: t("The wheel wants a newer driver.", "该 wheel 需要更新的驱动。"),
        why: String::new(),
        evidence: vec![evidence("wheel", &[55], Effect::For, Strength::Supports, 1.2, 1, None)],
        fixes: Vec::new(),
        consequences: Vec::new(),
    }
}

fn evidence(signature: &str, lines: &[u32], effect: Effect, strength: Strength, weight: f64, count: u32, when: Option<&str>) -> Evidence {
    Evidence { signature: signature.to_owned(), lines: lines.to_vec(), effect, strength, weight, count, when: when.map(str::to_owned) }
}

fn fixes(t: Pick) -> Vec<Fix> {
    let step = |kind, risk, needs, takes, text: String, run: &str| Fix {
        kind,
        text,
        run: Some(run.to_owned()),
        first: Vec::new(),
        where_: Where::Host,
        os: Vec::new(),
        needs,
        takes,
        risk,
        verify: Some("nvidia-smi".to_owned()),
        expect: Some(t("the table appears", "显示状态表")),
        undo: None,
    };
    let mut unload = step(
        FixKind::Cure,
        Risk::Disruptive,
        Needs::Root,
        Takes::Minutes,
        t("Unload the old module and load the new one; jobs on the cards end.", "卸载旧模块并加载新模块；显卡上的任务会终止。"),
        "sudo systemctl stop nvidia-persistenced\nsudo rmmod nvidia_uvm nvidia_drm nvidia_modeset nvidia\nsudo modprobe nvidia\nsudo systemctl start nvidia-persistenced",
    );
    unload.os = vec!["ubuntu".to_owned(), "debian".to_owned()];
    let mut bypass = step(
        FixKind::Bypass,
        Risk::Reversible,
        Needs::User,
        Takes::Seconds,
        t("Point the job at the libraries of the loaded version.", "让任务使用与已加载模块同版本的库。"),
        "export LD_LIBRARY_PATH=/usr/lib/nvidia-550.107.02:$LD_LIBRARY_PATH",
    );
    bypass.undo = Some("unset LD_LIBRARY_PATH".to_owned());
    bypass.first = vec!["cat /proc/driver/nvidia/version".to_owned()];
    vec![
        step(
            FixKind::Check,
            Risk::ReadOnly,
            Needs::User,
            Takes::Seconds,
            t("See which version is loaded.", "查看已加载的版本。"),
            "cat /proc/driver/nvidia/version",
        ),
        bypass,
        unload,
        step(FixKind::Cure, Risk::Disruptive, Needs::Root, Takes::Reboot, t("Restart the machine.", "重启机器。"), "sudo reboot"),
        step(
            FixKind::Cure,
            Risk::Destructive,
            Needs::Hands,
            Takes::Downtime,
            t("Remove every driver package and install one again.", "清除全部驱动包后重新安装。"),
            "sudo apt purge 'nvidia-*'",
        ),
    ]
}

fn layers() -> Vec<LayerState> {
    let state = |layer| match layer {
        Layer::Hardware => (Condition::Ok, vec![5]),
        Layer::Driver => (Condition::Faulty, vec![12, 31]),
        _ => (Condition::Unknown, Vec::new()),
    };
    Layer::ALL.into_iter().map(|layer| LayerState { layer, state: state(layer).0, lines: state(layer).1 }).collect()
}

fn facts() -> Vec<FactView> {
    let fact = |name: &str, value: serde_json::Value, lines: &[u32], derived| FactView {
        scope: "host".to_owned(),
        subject: None,
        name: name.to_owned(),
        value,
        lines: lines.to_vec(),
        derived,
    };
    let mut facts = vec![
        fact("driver.library_version", "550.120".into(), &[32], false),
        fact("driver.module_version", "550.107.02".into(), &[12], false),
        fact("gpu.count", 4.into(), &[30], false),
        fact("torch.cuda_available", false.into(), &[40], false),
        fact("gpu.xids", serde_json::json!(["79", "48"]), &[3], false),
        fact("need.driver_min", "550.54.14".into(), &[55], true),
    ];
    facts.iter_mut().filter(|f| f.name == "gpu.xids").for_each(|f| {
        f.subject = Some(SubjectView { gpu: Some("0000:41:00.0".to_owned()), index: Some(3), ..SubjectView::default() });
    });
    facts
}
