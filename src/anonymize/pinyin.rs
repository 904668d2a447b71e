//! Names of people inside folders' names: Chinese names in Latin letters (`train_guoyifei`), and
//! an initial before a family name (`/k.haas/`).

use super::kind::Kind;
use super::rules::{Find, Rule};
use super::scan::{Hit, feature};
use super::words;
use std::collections::HashSet;
use std::sync::LazyLock;

pub(super) const RULES: &[Rule] = &[Rule { name: "name-inside-a-folder", gate: &[], feature: feature::PATH, find: Find::Code(names) }];

/// The most frequent family names.
const FAMILY: &str = "wang li zhang liu chen yang huang zhao wu zhou xu sun ma zhu hu guo he lin gao luo zheng liang xie song tang deng \
han feng cao peng zeng xiao tian dong pan yuan cai jiang yu du ye cheng wei su lu ding ren lv yao shen fu zhong cui tan liao fan jin shi \
jia xia fang zou xiong bai meng qin qiu hou gu kong mao long wan duan lei qian yin chang wen qiao lai gong";

/// Beginnings and ends of syllables; not every pair is one, but a name made of others is rare.
const INITIALS: &[&str] =
    &["zh", "ch", "sh", "b", "p", "m", "f", "d", "t", "n", "l", "g", "k", "h", "j", "q", "x", "r", "z", "c", "s", "y", "w"];
const FINALS: &[&str] = &[
    "iang", "iong", "uang", "ang", "eng", "ing", "ong", "ian", "iao", "uan", "uai", "ai", "ei", "ui", "ao", "ou", "iu", "ie", "ue", "an",
    "en", "in", "un", "ia", "ua", "uo", "a", "o", "e", "i", "u", "v",
];

/// Places, products and words that are built like a name.
const OTHERS: &str = "baichuan huatuo tongyi wenxin wuhan suzhou fuzhou chengdu shenzhen hefei jiangsu jiangxi luoyang wenzhou linyi \
taiyuan dongguan xiamen hunan hainan henan hebei hubei yunnan gansu tianjin tianhe tianqi shanghai guangzhou langchain lianjia wanda \
fangan xinhua huawei lenovo yuanshen yuanqi gaosi linear liming change changed chinese machine";

static FAMILIES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| FAMILY.split_whitespace().collect());
static OTHER: LazyLock<HashSet<&'static str>> = LazyLock::new(|| OTHERS.split_whitespace().collect());

/// Folders from which on a path is a public package's.
const PUBLIC: &[&str] = &["site-packages", "dist-packages", "node_modules", "csrc", "aten", "include"];

fn names(text: &str, out: &mut Vec<Hit>) {
    let mut at = 0;
    for word in text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '|' | ',' | ';' | '(' | ')')) {
        let start = at;
        at += word.len();
        at += text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        if word.contains(['/', '\\']) && !word.contains("://") {
            in_path(word, start, out);
        }
    }
}

fn in_path(path: &str, start: usize, out: &mut Vec<Hit>) {
    let mut at = start;
    for folder in path.split(['/', '\\']) {
        if PUBLIC.contains(&folder) {
            return;
        }
        let last = at + folder.len() >= start + path.len();
        if !last && is_initial_and_name(folder) {
            out.push(Hit { start: at, end: at + folder.len(), kind: Kind::User });
        }
        let mut place = at;
        for piece in folder.split(|c: char| !c.is_ascii_lowercase()) {
            // A capital or a letter beyond ASCII before it: the middle of a word.
            if is_name(piece) && stands_alone(folder, place - at, piece.len()) {
                out.push(Hit { start: place, end: place + piece.len(), kind: Kind::User });
            }
            place += piece.len();
            place += folder.get(place - at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        }
        at += folder.len() + 1;
    }
}

fn stands_alone(folder: &str, start: usize, length: usize) -> bool {
    let before = folder.get(..start).and_then(|text| text.chars().next_back());
    let behind = folder.get(start + length..).and_then(|text| text.chars().next());
    before.is_none_or(|c| !c.is_alphabetic()) && behind.is_none_or(|c| !c.is_alphanumeric() && c != '(')
}

/// `k.haas`: not a file's name, which would stand last.
fn is_initial_and_name(folder: &str) -> bool {
    let letters = |text: &str| text.bytes().all(|b| b.is_ascii_lowercase());
    folder.split_once('.').is_some_and(|(first, name)| {
        let initial = first.len() == 1 || (first.len() >= 3 && !words::is_common(first) && !words::is_public_package(first));
        initial && letters(first) && letters(name) && name.len() >= 3 && !words::is_common(name) && !words::is_public_package(name)
    })
}

/// A family name and one or two syllables.
fn is_name(piece: &str) -> bool {
    if !(6..=16).contains(&piece.len()) || OTHER.contains(piece) {
        return false;
    }
    let family = (2..=5).filter(|length| piece.get(..*length).is_some_and(|head| FAMILIES.contains(head)));
    let given = |length: usize| piece.get(length..).is_some_and(|rest| syllables(rest, 2));
    family.into_iter().any(given) && !words::is_common(piece) && !words::is_public_package(piece) && !words::is_public_organisation(piece)
}

/// Made of at most `left` syllables, one at least.
fn syllables(text: &str, left: usize) -> bool {
    if text.is_empty() || left == 0 {
        return false;
    }
    let rests = INITIALS.iter().filter_map(|initial| text.strip_prefix(initial));
    rests
        .flat_map(|rest| FINALS.iter().filter_map(move |end| rest.strip_prefix(end)))
        .any(|rest| rest.is_empty() || syllables(rest, left - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut hits = Vec::new();
        names(text, &mut hits);
        hits.iter().map(|hit| &text[hit.start..hit.end]).collect()
    }

    #[test]
    fn names_inside_folders_are_found() {
        for (text, name) in [
            (r#"File "D:\tts\Bert-VITS2-zhangqi\venv\lib\spawn.py""#, "zhangqi"),
            (r"D:\ai_huangmin\ComfyUI\execution.py", "huangmin"),
            ("to saves/Qwen2-7B/lora/train_guoyifei/checkpoint-100", "guoyifei"),
            ("'/comp_robot/k.haas/objaverse/kernel_compute_75.ptx'", "k.haas"),
            ("/data1/chenxiaoming/exp", "chenxiaoming"),
        ] {
            assert_eq!(found(text), [name], "{text}");
        }
    }

    #[test]
    fn words_and_public_names_stay() {
        for text in [
            "/opt/conda/lib/python3.10/site-packages/transformers/models/wanglin.py",
            "models/baichuan-inc/Baichuan2-7B huggingface/langchain/chinese-llama",
            "/usr/share/change/machine/linear/liming",
            "https://huggingface.co/guoyifei",
            "a/torch.nn/modules b/config.json",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}
