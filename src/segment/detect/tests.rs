use super::*;

#[test]
fn lines_tell_their_kind() {
    for (text, kind) in [
        ("| NVIDIA-SMI 550.107.02             Driver Version: 550.107.02     CUDA Version: 12.4     |", Kind::NvidiaSmi),
        ("==============NVSMI LOG==============", Kind::NvidiaSmiQ),
        ("GPU 00000000:4E:00.0", Kind::NvidiaSmiQ),
        ("    Product Name                          : NVIDIA A100-SXM4-80GB", Kind::NvidiaSmiQ),
        ("GPU 0: NVIDIA L40S (UUID: GPU-2b7c9d10-66ab-4d0f-9e53-1a2b3c4d5e6f)", Kind::NvidiaSmiList),
        ("index, temperature.gpu, power.draw [W], clocks.current.sm [MHz]", Kind::NvidiaSmiCsv),
        ("GPU0	 X 	NV12	SYS", Kind::NvidiaSmiTopo),
        ("01:00.0 VGA compatible controller: NVIDIA Corporation AD102", Kind::Lspci),
        ("nvidia/550.120, 6.8.0-48-generic, x86_64: installed", Kind::Dkms),
        ("nvidia_uvm           1388544  0", Kind::Lsmod),
        ("crw-rw---- 1 root video 195,   0 Nov 24 08:01 /dev/nvidia0", Kind::DeviceNodes),
        ("Linux lab-ws2 6.8.0-51-generic #52-Ubuntu SMP x86_64 GNU/Linux", Kind::Uname),
        ("ii  nvidia-driver-535   535.183.01-0ubuntu0.22.04.1   amd64   NVIDIA", Kind::Packages),
        ("numpy                        1.26.4", Kind::PipList),
        ("torch==2.6.0+cu124", Kind::PipList),
        ("numpy                     1.26.4          py310hb13e2d6_0    conda-forge", Kind::CondaList),
        ("misc/shmutils.cc:88 NCCL WARN Error: failed to extend", Kind::Nccl),
        ("docker: Error response from daemon: could not select device driver", Kind::Docker),
        ("  Warning  FailedScheduling  2m  default-scheduler  0/3 nodes are available", Kind::Kubernetes),
        ("I tensorflow/core/platform/cpu_feature_guard.cc:182] This TensorFlow binary", Kind::TensorflowLog),
        ("/usr/local/cuda/include/crt/host_config.h:143:2: error: #error -- unsupported GNU version!", Kind::Compiler),
        ("Collecting torch==2.4.1", Kind::PipInstall),
        ("NCCL_DEBUG=INFO", Kind::Env),
        ("ERROR: Unable to load the kernel module 'nvidia.ko'.", Kind::InstallerLog),
        ("train.py FAILED", Kind::Launcher),
        ("  what():  CUDA error", Kind::CxxBacktrace),
        ("Epoch 3:  17%|████▌   | 67/391 [00:07<00:34,  9.40it/s, loss=1.36]", Kind::PythonLog),
    ] {
        assert_eq!(line(text).map(|h| h.kind), Some(kind), "{text}");
    }
}

#[test]
fn prose_tells_nothing() {
    for text in
        ["各位大佬帮忙看看，服务器上四张卡", "(was 3.05 s/step on Friday, same container)", "it worked yesterday", "RuntimeError: x"]
    {
        assert_eq!(line(text), None, "{text}");
    }
}
