//! The published rules: what is hidden, what is kept.

use super::kind::Kind;
use serde::{Serialize, Serializer};

/// A text in both languages.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Text {
    pub en: &'static str,
    pub zh: &'static str,
}

/// One rule, for people: what is replaced by a kind of placeholder, and what is left alone.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RuleDoc {
    /// Written as the word in counts: `host-name`.
    #[serde(serialize_with = "key")]
    pub kind: Kind,
    pub hides: Text,
    pub keeps: Text,
}

impl RuleDoc {
    /// The first placeholder of the kind: `<host-1>`.
    pub fn placeholder(&self) -> String {
        format!("<{}-1>", self.kind.placeholder())
    }
}

fn key<S: Serializer>(kind: &Kind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.key())
}

/// The rules, one per kind of placeholder.
pub fn rules() -> &'static [RuleDoc] {
    RULES
}

const RULES: &[RuleDoc] = &[
    RuleDoc {
        kind: Kind::Password,
        hides: Text {
            en: "passwords in assignments, options, headers, addresses and connection strings",
            zh: "赋值、选项、请求头、网址与连接串中的密码",
        },
        keeps: Text { en: "empty values, variables, the words around", zh: "空值、变量名及其上下文" },
    },
    RuleDoc {
        kind: Kind::Token,
        hides: Text {
            en: "API tokens, keys, JWT, cookies, signatures of addresses", zh: "API 令牌、密钥、JWT、Cookie、网址签名"
        },
        keeps: Text { en: "the name of the variable; tokens of language models", zh: "变量名；语言模型的 token" },
    },
    RuleDoc {
        kind: Kind::Pem,
        hides: Text { en: "the body of key and certificate blocks, line by line", zh: "密钥与证书块的正文（逐行）" },
        keeps: Text { en: "the BEGIN and END lines, the number of lines", zh: "BEGIN 与 END 行、行数" },
    },
    RuleDoc {
        kind: Kind::Email,
        hides: Text { en: "e-mail addresses", zh: "电子邮箱" },
        keeps: Text {
            en: "git@github.com and other service accounts, systemd units", zh: "git@github.com 等服务账号、systemd 单元"
        },
    },
    RuleDoc {
        kind: Kind::Phone,
        hides: Text { en: "telephone numbers, mobile numbers of China, messenger names", zh: "电话、手机号、通讯账号" },
        keeps: Text { en: "step counts, sizes, times", zh: "步数、大小、时间" },
    },
    RuleDoc {
        kind: Kind::IdNumber,
        hides: Text {
            en: "identity, passport, staff, bank and cloud account numbers", zh: "身份证、护照、工号、银行卡与云账号"
        },
        keeps: Text { en: "process and job numbers", zh: "进程号与作业号" },
    },
    RuleDoc {
        kind: Kind::Licence,
        hides: Text { en: "licence, product and activation keys", zh: "许可证、产品与激活密钥" },
        keeps: Text { en: "the product and its error message", zh: "产品名与错误信息" },
    },
    RuleDoc {
        kind: Kind::Serial,
        hides: Text { en: "serial numbers of cards, boards, disks and phones", zh: "显卡、主板、磁盘与手机的序列号" },
        keeps: Text { en: "N/A, part numbers, VBIOS versions", zh: "N/A、部件号、VBIOS 版本" },
    },
    RuleDoc {
        kind: Kind::GpuUuid,
        hides: Text { en: "UUIDs of cards", zh: "显卡 UUID" },
        keeps: Text { en: "index, PCI address, model", zh: "序号、PCI 地址、型号" },
    },
    RuleDoc {
        kind: Kind::MigUuid,
        hides: Text { en: "UUIDs of MIG instances", zh: "MIG 实例 UUID" },
        keeps: Text { en: "profile and device number", zh: "规格与设备号" },
    },
    RuleDoc {
        kind: Kind::Uuid,
        hides: Text { en: "other UUIDs and machine ids", zh: "其他 UUID 与机器标识" },
        keeps: Text { en: "hashes of commits", zh: "提交哈希" },
    },
    RuleDoc {
        kind: Kind::Guid,
        hides: Text { en: "GUIDs of InfiniBand ports and world-wide names", zh: "InfiniBand 端口 GUID 与 WWN" },
        keeps: Text { en: "device, firmware and state", zh: "设备、固件与状态" },
    },
    RuleDoc {
        kind: Kind::Mac,
        hides: Text { en: "hardware addresses", zh: "硬件地址" },
        keeps: Text { en: "broadcast and zero addresses", zh: "广播与全零地址" },
    },
    RuleDoc {
        kind: Kind::Ipv6,
        hides: Text { en: "IPv6 addresses", zh: "IPv6 地址" },
        keeps: Text { en: "::1, ::, names of C++ with ::", zh: "::1、::、带 :: 的 C++ 名称" },
    },
    RuleDoc {
        kind: Kind::Ip,
        hides: Text { en: "IPv4 addresses", zh: "IPv4 地址" },
        keeps: Text { en: "127.0.0.0/8, 0.0.0.0, masks, versions of four parts", zh: "127.0.0.0/8、0.0.0.0、掩码、四段版本号" },
    },
    RuleDoc {
        kind: Kind::Container,
        hides: Text {
            en: "containers by name, and their ids that stand as host names", zh: "容器名，以及作为主机名的容器 ID"
        },
        keeps: Text { en: "images of public registries", zh: "公共镜像" },
    },
    RuleDoc {
        kind: Kind::User,
        hides: Text {
            en: "account names: home folders, prompts, listings, queues, environment",
            zh: "账号名：主目录、提示符、文件列表、队列、环境变量",
        },
        keeps: Text { en: "root and other system accounts and groups", zh: "root 等系统账号与用户组" },
    },
    RuleDoc {
        kind: Kind::Host,
        hides: Text {
            en: "host names: syslog, NCCL, Slurm, Kubernetes, prompts, domains",
            zh: "主机名：syslog、NCCL、Slurm、Kubernetes、提示符、域名",
        },
        keeps: Text { en: "localhost, public servers, device names", zh: "localhost、公共站点、设备名" },
    },
    RuleDoc {
        kind: Kind::Person,
        hides: Text { en: "names of people where the words around say so", zh: "上下文表明的人名" },
        keeps: Text { en: "names of products and modules", zh: "产品与模块名" },
    },
    RuleDoc {
        kind: Kind::Registry,
        hides: Text { en: "private image registries", zh: "私有镜像仓库" },
        keeps: Text { en: "public registries and their images", zh: "公共仓库及其镜像" },
    },
    RuleDoc {
        kind: Kind::Bucket,
        hides: Text { en: "buckets and storage accounts", zh: "存储桶与存储账号" },
        keeps: Text { en: "the service and the path", zh: "服务与路径" },
    },
    RuleDoc {
        kind: Kind::Url,
        hides: Text { en: "addresses that are hidden whole", zh: "整体隐藏的网址" },
        keeps: Text { en: "public addresses", zh: "公共网址" },
    },
    RuleDoc {
        kind: Kind::Group,
        hides: Text { en: "groups of accounts", zh: "用户组" },
        keeps: Text { en: "video, render, docker and other system groups", zh: "video、render、docker 等系统组" },
    },
    RuleDoc {
        kind: Kind::Pod,
        hides: Text { en: "names of pods, jobs and services in a cluster", zh: "集群中的 Pod、任务与服务名" },
        keeps: Text { en: "kube-system, nvidia-* and other public names", zh: "kube-system、nvidia-* 等公共名称" },
    },
    RuleDoc {
        kind: Kind::Namespace,
        hides: Text { en: "namespaces", zh: "命名空间" },
        keeps: Text { en: "default, kube-system, gpu-operator", zh: "default、kube-system、gpu-operator" },
    },
    RuleDoc {
        kind: Kind::Job,
        hides: Text { en: "names of jobs and runs", zh: "作业与运行名" },
        keeps: Text { en: "ordinary words such as train", zh: "train 等普通词" },
    },
    RuleDoc {
        kind: Kind::Package,
        hides: Text { en: "packages that no public index has", zh: "公共索引中没有的软件包" },
        keeps: Text { en: "public packages, every version", zh: "公共软件包、全部版本号" },
    },
    RuleDoc {
        kind: Kind::Kernel,
        hides: Text { en: "own suffixes of kernels", zh: "自有内核后缀" },
        keeps: Text { en: "the release and suffixes of distributions", zh: "内核版本与发行版后缀" },
    },
    RuleDoc {
        kind: Kind::Project,
        hides: Text {
            en: "projects, teams, accounts, repositories, runs of trackers", zh: "项目、团队、账户、仓库、实验跟踪的运行"
        },
        keeps: Text { en: "public organisations and repositories", zh: "公共组织与仓库" },
    },
    RuleDoc {
        kind: Kind::Company,
        hides: Text { en: "names of companies and directory units", zh: "公司与目录单位名" },
        keeps: Text { en: "vendors of hardware and software", zh: "硬件与软件厂商" },
    },
    RuleDoc {
        kind: Kind::Path,
        hides: Text {
            en: "folders outside home that name a team, project or person", zh: "主目录之外含团队、项目或人名的文件夹"
        },
        keeps: Text {
            en: "system folders, frames below site-packages, file names", zh: "系统目录、site-packages 下的帧、文件名"
        },
    },
    RuleDoc {
        kind: Kind::Hidden,
        hides: Text { en: "words and expressions that the team has set", zh: "团队自定义的词与表达式" },
        keeps: Text { en: "everything else", zh: "其余一切" },
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_described_in_both_languages() {
        for (place, rule) in rules().iter().enumerate() {
            assert_eq!(rule.kind as usize, place);
            for text in [rule.hides, rule.keeps] {
                assert!(!text.en.is_empty() && !text.zh.is_empty());
            }
        }
        assert_eq!(rules().last().map(|rule| rule.kind), Some(Kind::Hidden));
        assert_eq!(rules()[0].placeholder(), "<password-1>");
        assert_eq!(serde_json::to_value(rules()[17]).unwrap()["kind"], "host-name");
    }
}
