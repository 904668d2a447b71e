//! Chinese personal names and names of machines, where the words around say so.

use super::kind::Kind;
use super::rules::{Find, Found, Rule};
use super::scan::{Hit, feature, step};
use super::{hosts, names, words};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const RULES: &[Rule] = &[
    Rule { name: "name-of-a-person", gate: &[], feature: feature::WIDE, find: Find::Code(people) },
    Rule {
        name: "account-behind-a-word",
        gate: &["用户", "账号", "帐号", "账户", "登录名", "工号"],
        feature: 0,
        find: Find::Regex(
            r#"(?:用户名?|账号|帐号|账户|登录名|登录用户)\s*[:：=是为]?\s*["“'`]?(?<user>[A-Za-z_][A-Za-z0-9_.-]*)"#,
            account,
        ),
    },
    Rule {
        name: "machine-behind-a-word",
        gate: &["主机", "节点", "机器", "服务器", "物理机", "宿主机", "跳板机", "登录机", "机房"],
        feature: 0,
        find: Find::Regex(
            r#"(?:主机名?|计算节点|登录节点|节点名?|机器名?|服务器|物理机|宿主机|跳板机|登录机)(?:名称?)?\s*[:：=是为]?\s*["“'`]?(?<host>[A-Za-z][A-Za-z0-9_.-]*)"#,
            machine,
        ),
    },
    Rule {
        name: "handle-behind-a-word",
        gate: &["微信", "钉钉", "飞书", "企业微信", "qq", "telegram", "skype", "slack"],
        feature: 0,
        find: Find::Regex(
            r#"(?i)(?:企业微信|微信号?|钉钉号?|飞书号?|\bqq号?|telegram|skype)\s*[:：=是为]\s*@?(?<phone>[A-Za-z0-9_][A-Za-z0-9_.-]{3,30})"#,
            super::rules::always,
        ),
    },
    Rule {
        name: "project-behind-a-word",
        gate: &["项目", "集群", "队列", "任务名", "作业名", "桶", "命名空间", "租户", "部门", "公司", "课题组", "实验室"],
        feature: 0,
        find: Find::Regex(
            r#"(?:项目(?:名称?)?|集群(?:名称?)?|任务名称?|作业名称?|存储桶|命名空间|租户|部门|公司)\s*[:：=]\s*["“'`]?(?<project>[A-Za-z0-9\p{Han}][A-Za-z0-9_.\p{Han}-]*)"#,
            project,
        ),
    },
];

/// The most frequent family names, and the double ones.
const FAMILY: &str = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文庞樊兰殷施陶洪翟安颜倪严牛温芦季俞章鲁葛伍韦申尤毕聂丛焦向柳邢路岳齐沿梅莫庄辛管祝左涂谷祁时舒耿牟卜詹关苗凌费纪靳盛童欧甄项曲成游阳裴席卫查屈鲍位覃霍翁隋植甘景薄单包司柏宁柯阮桂闵解强柴华车冉房边辜吉饶刁瞿戚丘古米池滕晋苑邬臧畅宫来嵺苟全褚廉简娄盖符奚木穆党燕郎邸冀谈姬屠连郜晏栾郁商蒙计喻揭窦迟宇敖糜鄢冷卓花仇艾蓝都巩稽井练仲乐虞卞封竺冼原官衣楚佟栗匡宗应台巫鞠僧桑荆谌银扬明沙薄伏岑习胥保和蔺";
const DOUBLE: &[&str] = &["欧阳", "上官", "司马", "诸葛", "东方", "皇甫", "尉迟", "公孙", "慕容", "司徒"];

/// Words that begin like a name and are none.
const PROSE: &[&str] = &[
    "程序", "管理", "权限", "安装", "应该", "应用", "方面", "方式", "方法", "时间", "时候", "全部", "全局", "高级", "高性", "温度", "常用",
    "关于", "于是", "任务", "任意", "任何", "路径", "路由", "项目", "计算", "计划", "单机", "单卡", "单个", "多机", "成功", "成员", "包括",
    "包含", "解决", "解析", "简单", "明确", "明显", "华为", "金额", "文件", "文档", "石油", "白名", "向量", "常见", "安全", "强制", "保存",
    "保证", "连接", "连续", "都是", "都有", "来自", "来源", "原因", "原来", "符合", "查看", "查询", "和我", "和他", "车间", "查一", "关闭",
    "关机", "路上", "位置", "位于", "台账", "官方", "司机", "计费", "强烈", "通过", "机器", "应急", "万一", "游戏", "成本", "封装", "练习",
    "易用", "白屏", "左右", "边缘", "车载", "明天", "沙箱", "季度", "章节", "项下", "文本", "解释", "全量", "全新", "高温", "高负", "温馨",
    "时延", "易错", "单位", "商量", "都会", "方便", "卡片", "组长", "进程", "空间", "目录",
];

/// Where a name ends and the sentence goes on.
const AFTER: &[&str] = &[
    "反馈",
    "报错",
    "提交",
    "上报",
    "反映",
    "运行",
    "表示",
    "发现",
    "遇到",
    "申请",
    "使用",
    "登录",
    "的",
    "说",
    "在",
    "于",
    "已",
    "是",
    "把",
    "将",
    "对",
    "和",
    "与",
    "跑",
    "电话",
    "手机",
    "邮箱",
    "身份",
    "工号",
    "提单",
    "启动",
    "执行",
    "训练",
    "重启",
    "联系",
    "报告",
    "提供",
    "称",
    "确认",
    "处理",
    "负责",
    "来",
    "去",
    "同学",
    "老师",
    "工程师",
    "经理",
    "问",
    "要",
    "用",
    "也",
    "都",
    "没",
    "无法",
    "刚",
    "下",
    "到",
    "你",
    "您",
    "帮",
    "看",
    "请",
];

/// The name at the beginning of a run of characters: its length in characters.
fn name_length(text: &str) -> Option<usize> {
    let letters: Vec<char> = text.chars().take(8).collect();
    let first = letters.first()?;
    if PROSE.iter().any(|word| text.starts_with(word)) {
        return None;
    }
    let family = if DOUBLE.iter().any(|name| text.starts_with(name)) {
        2
    } else if FAMILY.contains(*first) {
        1
    } else {
        return None;
    };
    let rest: String = letters.iter().skip(family).collect();
    // One or two characters follow the family name; a word of the sentence ends it earlier.
    let cut = (1..=2).find(|given| {
        let behind: String = rest.chars().skip(*given).collect();
        behind.is_empty() || AFTER.iter().any(|word| behind.starts_with(word))
    });
    let given = cut.unwrap_or_else(|| rest.chars().count().min(2));
    (given >= 1).then_some(family + given)
}

/// Runs of characters that begin, or end, with a name.
static PLACES: LazyLock<Vec<(Regex, bool)>> = LazyLock::new(|| {
    let starts = concat!(
        r#"(?:姓\s*名|用户名?|联系人|联系我|值班(?:人员?|工程师)?|负责人|责任人|作者|运维(?:人员)?|工程师|管理员|同事|同学|老师|导师|提交人|提单人|报障人|申请人|处理人|反馈人|操作人员?|使用人|机主|客户|经办人|员工|报告人|对接人|审批人|"#,
        r#"收件人|发件人|学生|教授|博士|@|我是|我叫|本人|致电|请找|联系|找|由\s|[Bb]y|[Aa]uthor|[Oo]wner|[Uu]ser|[Nn]ame|[Cc]ontact)["']?\s*[:：=是为]?\s*[“"'「【(（]?(\p{Han}{2,14})"#
    );
    let alone = r#"(?:^|[^\p{Han}])(\p{Han}{2,4})\s*[<（(:：,，]?\s*(?:(?:\+?86[ -]?)?1[3-9]\d[ -]?\d{4}[ -]?\d{4}|[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+\.)"#;
    let titled = r"(\p{Han}{2,6})(?:老师|同学|博士|教授|经理|先生|女士|总监|工程师|主任)";
    let all = [(starts, false), (alone, false), (titled, true)];
    all.into_iter().filter_map(|(expression, from_end)| Some((Regex::new(expression).ok()?, from_end))).collect()
});

fn people(text: &str, out: &mut Vec<Hit>) {
    for (regex, from_end) in PLACES.iter() {
        let mut at = 0;
        // What was taken for a name may be the word before one: `user 联系人:…`.
        while at <= text.len()
            && let Some(group) = regex.captures_at(text, at).and_then(|captures| captures.get(1))
        {
            at = if group.start() > at { group.start() } else { step(text, at) };
            if let Some((start, end)) = narrowed(group.as_str(), *from_end) {
                out.push(Hit { start: group.start() + start, end: group.start() + end, kind: Kind::Person });
            }
        }
    }
}

/// The part of a run that is a name.
fn narrowed(run: &str, from_end: bool) -> Option<(usize, usize)> {
    let starts: Vec<usize> = run.char_indices().map(|(at, _)| at).collect();
    let tries = if from_end { starts.as_slice() } else { &[0] };
    tries.iter().find_map(|at| {
        let rest = run.get(*at..)?;
        let length = name_length(rest)?;
        let end = rest.char_indices().nth(length).map_or(rest.len(), |(place, _)| place);
        (!from_end || end == rest.len()).then_some((*at, at + end))
    })
}

fn account(found: &Found) -> Option<Kind> {
    (!words::is_common(found.value())).then(|| names::account(found)).flatten()
}

fn machine(found: &Found) -> Option<Kind> {
    let value = found.value();
    (!words::is_common(value) && !words::is_device(value) && !words::is_public_package(value)).then(|| hosts::certain(found)).flatten()
}

fn project(found: &Found) -> Option<Kind> {
    let value = found.value();
    let prose = PROSE.iter().chain(&["无", "是", "的", "不", "已"]).any(|word| value.starts_with(word));
    (!prose && !words::is_plain(value)).then_some(Kind::Project)
}
