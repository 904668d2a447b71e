//! The question that decides: for causes that share a symptom, the symptom alone brings the right
//! question, and the output that it asks for, appended to the same paste, settles the cause.

use faultbook::analyze;
use faultbook::diagnose::analysis::{Analysis, Confidence};
use faultbook::i18n::Lang;
use faultbook::intake::{self, Limits, Part};
use faultbook::pattern::Patterns;

/// A symptom, a word of the command that is asked for, and what each output means.
struct Pair {
    symptom: &'static str,
    asks: &'static str,
    outputs: &'static [(&'static str, &'static str)],
}

const PAIRS: &[Pair] = &[
    Pair {
        symptom: "$ nvidia-smi\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n",
        asks: "dkms",
        outputs: &[
            (
                "driver-not-rebuilt-for-kernel",
                "$ uname -r\n6.8.0-49-generic\n$ dkms status\nnvidia/535.183.01, 6.8.0-45-generic, x86_64: installed\n",
            ),
            (
                "nouveau-conflict",
                "$ lsmod | grep -iE 'nvidia|nouveau'\nnouveau              2494464  4\n$ lspci -nnk -d 10de:\n01:00.0 VGA compatible controller [0300]: NVIDIA Corporation GA106 [10de:2504] (rev a1)\n\tKernel driver in use: nouveau\n\tKernel modules: nvidiafb, nouveau\n",
            ),
        ],
    },
    Pair {
        symptom: "RuntimeError: No CUDA GPUs are available\n",
        asks: "CUDA_VISIBLE_DEVICES",
        outputs: &[
            (
                "cuda-visible-devices-invalid",
                "$ echo $CUDA_VISIBLE_DEVICES\n9\n$ nvidia-smi -L\nGPU 0: NVIDIA A40 (UUID: GPU-11fe2b7a-3b0a-4a5f-a8f4-2d6f4b0c9e77)\n",
            ),
            (
                "mig-mode-mismatch",
                "$ nvidia-smi -q -i 0 | grep -A2 'MIG Mode'\n    MIG Mode\n        Current                           : Enabled\n        Pending                           : Enabled\n$ nvidia-smi -L\nGPU 0: NVIDIA A100-PCIE-40GB (UUID: GPU-3c1d5e77-9a14-4a0e-b2f7-6cb9ad0e12d5)\n$ echo $CUDA_VISIBLE_DEVICES\n0\n",
            ),
        ],
    },
    Pair {
        symptom: "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from http://www.nvidia.com/Download/index.aspx\n",
        asks: "/.dockerenv",
        outputs: &[
            (
                "driver-not-installed",
                "$ nvidia-smi\nbash: nvidia-smi: command not found\n$ lspci | grep -i nvidia\n01:00.0 VGA compatible controller: NVIDIA Corporation GA102 [GeForce RTX 3090] (rev a1)\n$ lsmod | grep -i nvidia\n$ dpkg -l | grep -i nvidia-driver\n",
            ),
            (
                "container-gpu-not-requested",
                "$ ls /.dockerenv\n/.dockerenv\n$ ls /dev/nvidia*\nls: cannot access '/dev/nvidia*': No such file or directory\n",
            ),
        ],
    },
    Pair {
        symptom: "[rank0]:[E109 02:31:44.402114718 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=48211, OpType=ALLREDUCE, NumelIn=26214400, NumelOut=26214400, Timeout(ms)=600000) ran for 600023 milliseconds before timing out.\n",
        asks: "dmesg",
        outputs: &[
            (
                "gpu-fell-off-bus",
                "Jan 09 02:21:41 node7 kernel: NVRM: Xid (PCI:0000:41:00): 79, pid=1, name=python, GPU has fallen off the bus.\n",
            ),
            (
                "host-out-of-memory",
                "Jan 09 02:21:41 node7 kernel: Out of memory: Killed process 61877 (python3) total-vm:412880124kB, anon-rss:187220344kB, file-rss:0kB, shmem-rss:52428kB, UID:1001 pgtables:372104kB oom_score_adj:0\n",
            ),
        ],
    },
    Pair {
        symptom: "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:268, remote process exited or there was a network error, NCCL version 2.21.5\n",
        asks: "Traceback",
        outputs: &[
            (
                "cuda-out-of-memory",
                "logs/r/attempt_0/3/stderr.log:88:torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB. GPU 3 has a total capacity of 79.25 GiB of which 2.31 GiB is free. Including non-PyTorch memory, this process has 76.93 GiB memory in use. Of the allocated memory 74.02 GiB is allocated by PyTorch, and 1.11 GiB is reserved by PyTorch but unallocated.\n",
            ),
            ("disk-full", "logs/r/attempt_0/3/stderr.log:88:OSError: [Errno 28] No space left on device: '/ckpt/step_4000/rank3.pt'\n"),
        ],
    },
    Pair {
        symptom: "['/usr/bin/python', '-u', 'train.py', '--local_rank=3'] exits with return code = -9\n",
        asks: "dmesg",
        outputs: &[(
            "host-out-of-memory",
            "$ sudo dmesg -T | tail -1\n[Fri Oct 30 03:52:06 2026] Out of memory: Killed process 61877 (python) total-vm:412880124kB, anon-rss:187220344kB, file-rss:0kB\n",
        )],
    },
    Pair {
        symptom: "RuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment, e.g. changing env variable CUDA_VISIBLE_DEVICES after program start. Setting the available devices to be zero.\n",
        asks: "lsmod",
        outputs: &[
            (
                "uvm-module-missing",
                "$ lsmod | grep nvidia\nnvidia_drm             94208  0\nnvidia_modeset       1314816  1 nvidia_drm\nnvidia              56717312  1 nvidia_modeset\n",
            ),
            (
                "driver-library-mismatch",
                "$ nvidia-smi\nFailed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.107\n$ cat /proc/driver/nvidia/version\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31 09:35:42 UTC 2024\n",
            ),
        ],
    },
    Pair {
        symptom: "$ nvidia-smi\nNo devices were found\n",
        asks: "dmesg",
        outputs: &[
            (
                "open-kernel-module-required",
                "$ sudo dmesg | grep -i nvrm\n[    7.501223] NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:2b85)\n               NVRM: installed in this system requires use of the NVIDIA open kernel modules.\n[    7.501871] NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x22:0x56:884)\n",
            ),
            (
                "gpu-init-failed-power-or-seating",
                "$ sudo dmesg | grep -i nvrm\n[ 9140.620982] NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x24:0xffff:1477)\n[ 9140.621544] NVRM: GPU 0000:01:00.0: GPU does not have the necessary power cables connected.\n",
            ),
        ],
    },
    Pair {
        symptom: "$ nvidia-smi\nUnable to determine the device handle for GPU1: 0000:82:00.0: Unknown Error\n",
        asks: "dmesg",
        outputs: &[
            (
                "gpu-fell-off-bus",
                "$ sudo dmesg -T | tail -2\n[Sun Nov 22 03:12:40 2026] NVRM: Xid (PCI:0000:82:00): 79, pid=41877, name=python3, GPU has fallen off the bus.\n",
            ),
            (
                "gsp-firmware-failure",
                "$ sudo dmesg -T | tail -2\n[Sun Nov 22 03:12:40 2026] NVRM: Xid (PCI:0000:82:00): 119, pid=5522, name=python, Timeout after 6s of waiting for RPC response from GPU1 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20801348 0x410).\n",
            ),
        ],
    },
    Pair {
        symptom: "  Warning  FailedScheduling  3m2s  default-scheduler  0/3 nodes are available: 3 Insufficient nvidia.com/gpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.\n",
        asks: "describe node",
        outputs: &[
            (
                "k8s-device-plugin-missing",
                "$ kubectl describe node gpu-w1\nName:               gpu-w1\nCapacity:\n  cpu:                128\n  pods:               110\nAllocatable:\n  cpu:                127\n  pods:               110\n",
            ),
            (
                "k8s-insufficient-gpu",
                "$ kubectl describe node gpu-w1\nName:               gpu-w1\nCapacity:\n  cpu:                128\n  nvidia.com/gpu:     8\nAllocatable:\n  cpu:                127\n  nvidia.com/gpu:     8\nAllocated resources:\n  Resource           Requests     Limits\n  nvidia.com/gpu     8            8\n",
            ),
        ],
    },
    Pair {
        symptom: "RuntimeError: CUDA error: an illegal memory access was encountered\n",
        asks: "dmesg",
        outputs: &[(
            "gpu-ecc-uncorrectable",
            "$ sudo dmesg -T | tail -2\n[Sat Nov 21 17:52:09 2026] NVRM: Xid (PCI:0000:b7:00): 48, pid=1204411, name=python, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at physical address 0x12af04a40\n",
        )],
    },
    Pair {
        symptom: "$ docker exec trainer nvidia-smi\nFailed to initialize NVML: Unknown Error\n",
        asks: "docker info",
        outputs: &[(
            "container-cgroup-lost",
            "$ docker exec trainer ls -l /dev/nvidia0\ncrw-rw-rw- 1 root root 195, 0 Nov 23 06:58 /dev/nvidia0\n$ nvidia-smi -L\nGPU 0: NVIDIA A40 (UUID: GPU-11fe2b7a-3b0a-4a5f-a8f4-2d6f4b0c9e77)\n$ docker info | grep -i cgroup\n Cgroup Driver: systemd\n Cgroup Version: 2\n",
        )],
    },
    Pair {
        symptom: "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:219, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.20.5\n",
        asks: "NCCL (WARN",
        outputs: &[
            (
                "container-shm-too-small",
                "trainer-0:2020:2235 [0] misc/shmutils.cc:88 NCCL WARN Error: failed to extend /dev/shm/nccl-WU88OE to 9637892 bytes, error: No space left on device (28)\n",
            ),
            (
                "nccl-network-interface",
                "gpu-a:20811:20811 [0] NCCL INFO Bootstrap : Using docker0:172.17.0.1<0>\ngpu-b:19022:19140 [0] misc/socket.cc:484 NCCL WARN socketStartConnect: Connect to 172.17.0.1<58201> failed : Connection refused\n",
            ),
            (
                "memlock-limit-too-low",
                "9c0f1e22ab07:412:431 [0] misc/ibvwrap.cc:278 NCCL WARN Call to ibv_reg_mr_iova2 failed with error Cannot allocate memory\n",
            ),
        ],
    },
    Pair {
        symptom: "$ python -c 'import torch; print(torch.cuda.is_available())'\nFalse\n",
        asks: "nvidia-smi",
        outputs: &[
            (
                "driver-too-old-for-cuda",
                "$ nvidia-smi --query-gpu=index,name,driver_version --format=csv\nindex, name, driver_version\n0, Tesla T4, 470.223.02\n$ pip list | grep torch\ntorch              2.3.1+cu121\n",
            ),
            (
                "torch-cpu-only",
                "$ nvidia-smi --query-gpu=index,name,driver_version --format=csv\nindex, name, driver_version\n0, Tesla T4, 550.54.15\n$ pip list | grep torch\ntorch              2.3.1+cpu\n",
            ),
        ],
    },
    Pair {
        symptom: "Bus error (core dumped)\n",
        asks: "df -h /dev/shm",
        outputs: &[(
            "container-shm-too-small",
            "$ df -h /dev/shm\nFilesystem      Size  Used Avail Use% Mounted on\nshm              64M   64M     0 100% /dev/shm\n",
        )],
    },
    Pair {
        symptom: "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`\n",
        asks: "CUDA_LAUNCH_BLOCKING",
        outputs: &[
            (
                "device-side-assert",
                "../aten/src/ATen/native/cuda/Indexing.cu:1290: indexSelectLargeIndex: block: [144,0,0], thread: [32,0,0] Assertion `srcIndex < srcSelectDimSize` failed.\n",
            ),
            (
                "cuda-memory-held-by-others",
                "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 64.00 MiB. GPU 0 has a total capacity of 79.10 GiB of which 21.12 MiB is free. Process 40771 has 76.93 GiB memory in use. Including non-PyTorch memory, this process has 2.12 GiB memory in use. Of the allocated memory 1.61 GiB is allocated by PyTorch, and 22.95 MiB is reserved by PyTorch but unallocated.\n",
            ),
        ],
    },
];

fn view(text: &str, patterns: &Patterns) -> Analysis {
    let part = Part { name: "input.log".into(), bytes: text.as_bytes().to_vec() };
    let paste = intake::read(vec![part], &Limits::default()).expect("readable");
    analyze(&paste, patterns).diagnosis.view(patterns, Lang::En, &str::to_owned)
}

#[test]
fn the_question_is_asked_and_its_answer_settles() {
    let patterns = Patterns::builtin().expect("patterns");
    let mut wrong = Vec::new();
    for pair in PAIRS {
        let head = pair.symptom.lines().last().unwrap_or("");
        let before = view(pair.symptom, &patterns);
        let runs: Vec<&str> = before.questions.iter().map(|q| q.run.as_str()).collect();
        if !runs.iter().any(|run| run.contains(pair.asks)) || runs.len() > 3 || before.questions.iter().any(|q| q.look_for.is_empty()) {
            wrong.push(format!("{head}\n  asks {runs:?}, not for {:?}", pair.asks));
        }
        for (cause, output) in pair.outputs {
            let after = view(&format!("{}\n{output}", pair.symptom), &patterns);
            let found: Vec<_> = after.findings.iter().map(|f| (f.cause.as_str(), f.confidence)).collect();
            if !found.first().is_some_and(|(id, sure)| id == cause && *sure >= Confidence::Likely) {
                wrong.push(format!("{head}\n  with the output for {cause}: {found:?}"));
            }
        }
    }
    assert!(PAIRS.len() >= 12);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
