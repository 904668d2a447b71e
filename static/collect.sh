#!/bin/sh
# Collects what explains a failed GPU job. Reads only: no sudo, no network, nothing is written.
# What is absent is skipped. Look at the output before you send it:
#
#   sh collect.sh > case.log
#   sh collect.sh | curl -T - ADDRESS

PATH=$PATH:/usr/sbin:/sbin:/usr/local/cuda/bin
export LC_ALL=C

if [ -n "${KUBERNETES_SERVICE_HOST:-}" ]; then scope=pod
elif [ -e /.dockerenv ] || [ -e /run/.containerenv ]; then scope=container
elif grep -qi microsoft /proc/version 2>/dev/null; then scope=wsl
else scope=host
fi

# show KIND PROGRAM COMMAND: runs COMMAND where PROGRAM exists, marker first.
show() {
  kind=$1 program=$2 command=$3
  command -v "$program" >/dev/null 2>&1 || return 0
  if command -v timeout >/dev/null 2>&1; then
    output=$(timeout 20 sh -c "$command" 2>&1)
  else
    output=$(sh -c "$command" 2>&1)
  fi
  status=$?
  printf '#faultbook 1 %s rc=%s scope=%s :: %s\n' "$kind" "$status" "$scope" "$command"
  [ -z "$output" ] || printf '%s\n' "$output"
}

# show_file KIND FILE [COMMAND]: as show, where FILE can be read.
show_file() {
  [ -r "$2" ] && show "$1" cat "${3:-cat $2}"
  return 0
}

# The machine
show uname uname 'uname -a'
show_file os-release /etc/os-release
show uptime uptime 'uptime'
show uptime last 'last -x reboot | head -n 10'
show id id 'id'
show limits sh 'ulimit -a'
show memory free 'free -h'
show disk df 'df -h . /tmp /dev/shm'

# The driver and the cards
show nvidia-smi nvidia-smi 'nvidia-smi'
show nvidia-smi-list nvidia-smi 'nvidia-smi -L'
show nvidia-smi-q nvidia-smi 'nvidia-smi -q'
show nvidia-smi-topo nvidia-smi 'nvidia-smi topo -m'
show_file modinfo /proc/driver/nvidia/version
show modinfo modinfo 'modinfo nvidia | head -n 12'
show lsmod lsmod 'lsmod'
show lspci lspci 'lspci -nnk'
show dkms dkms 'dkms status'
show device-nodes ls 'ls -l /dev/nvidia* /dev/nvidia-caps /dev/dri /dev/dxg'
show dmesg dmesg 'dmesg | grep -iE "nvrm|nvidia|nouveau|xid|aer|pcie|oom|out of memory|segfault"'
show journal journalctl 'journalctl -k -b --no-pager -n 4000 | grep -iE "nvrm|nvidia|nouveau|xid|aer|oom|out of memory"'

# What was changed lately
show_file package-history /var/log/apt/history.log 'tail -n 120 /var/log/apt/history.log'
show_file package-history /var/log/dpkg.log 'grep -iE "nvidia|cuda|linux-image" /var/log/dpkg.log | tail -n 80'
show package-history dnf 'dnf history list | head -n 20'
show packages dpkg 'dpkg -l | grep -iE "nvidia|cuda|cudnn|nccl|linux-image"'
show packages rpm 'rpm -qa | grep -iE "nvidia|cuda|cudnn|nccl|^kernel"'

# CUDA and its libraries
show nvcc nvcc 'nvcc -V'
show ldconfig ls 'ls -ld /usr/local/cuda*'
show ldconfig ldconfig 'ldconfig -p | grep -iE "libcuda|cudart|cudnn|nccl|cublas|nvidia"'
show env env 'env | grep -E "^(CUDA|NVIDIA|NCCL|PYTORCH|TORCH|LD_LIBRARY_PATH|OMP|GLOO|MASTER_|RANK|LOCAL_RANK|WORLD_SIZE|SLURM_JOB|SLURM_STEP)" | grep -viE "(token|secret|password|key)[^=]*="'

# Python
python=$(command -v python || command -v python3 || true)
if [ -n "$python" ]; then
  show probe "$python" "$python -V"
  show pip-list "$python" "$python -m pip list --disable-pip-version-check"
  show torch-env "$python" "$python -m torch.utils.collect_env"
fi
show conda-list conda 'conda list'

# Containers
show docker docker 'docker info --format "{{json .Runtimes}} {{.DefaultRuntime}}"'
show kubernetes kubectl "kubectl describe node $(uname -n) | grep -iE 'gpu|nvidia|taint|condition|allocat'"
exit 0
