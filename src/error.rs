//! Errors that reach people: a stable code, a sentence in both languages, and the remedy.
//!
//! No variant carries text from a paste: an error message is logged and shown, and raw text
//! must never be in either.

use crate::i18n::{Lang, Text};

/// Everything that can go wrong for somebody who uses Faultbook.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.message(Lang::En))]
pub enum Error {
    /// Nothing but blanks came in.
    EmptyPaste,
    /// The bytes are no text and no archive of texts.
    NotText,
    /// More bytes came in than the limit allows.
    BodyTooLarge { limit: u64 },
    /// Unpacked or decoded, the paste is larger than the limit allows.
    DecodedTooLarge { limit: u64 },
    /// A compressed stream or archive is damaged.
    DamagedArchive { format: &'static str },
    /// The archive holds no file that could be read as a log.
    EmptyArchive,
    /// No report, cause or table row has this id.
    UnknownId,
    /// The report's token is missing or wrong.
    WrongToken,
    /// The path exists, but not for this method.
    WrongMethod { allowed: String },
    /// There is nothing at this path.
    NotFound,
    /// A form or parameter could not be read; `what` names the parameter, never its content.
    BadRequest { what: &'static str },
    /// Too many requests; `seconds` until the next is taken.
    RateLimited { seconds: u64 },
    /// The store cannot be read or written at the moment.
    StoreUnavailable,
    /// A file given on the command line cannot be read.
    Unreadable { path: String, reason: String },
    /// A setting has a value that cannot be used.
    BadSetting { name: String, reason: String },
    /// The pattern set does not load; the findings of the lint are inside.
    Patterns { report: String },
    /// A fault of the program.
    Internal,
}

impl Error {
    /// The stable code, as in the JSON error.
    pub fn code(&self) -> &'static str {
        match self {
            Error::EmptyPaste => "empty-paste",
            Error::NotText => "not-text",
            Error::BodyTooLarge { .. } => "body-too-large",
            Error::DecodedTooLarge { .. } => "decoded-too-large",
            Error::DamagedArchive { .. } => "damaged-archive",
            Error::EmptyArchive => "empty-archive",
            Error::UnknownId => "unknown-id",
            Error::WrongToken => "wrong-token",
            Error::WrongMethod { .. } => "wrong-method",
            Error::NotFound => "not-found",
            Error::BadRequest { .. } => "bad-request",
            Error::RateLimited { .. } => "rate-limited",
            Error::StoreUnavailable => "store-unavailable",
            Error::Unreadable { .. } => "unreadable-file",
            Error::BadSetting { .. } => "bad-setting",
            Error::Patterns { .. } => "bad-patterns",
            Error::Internal => "internal",
        }
    }

    /// The HTTP status that goes with it.
    pub fn status(&self) -> u16 {
        match self {
            Error::EmptyPaste | Error::BadRequest { .. } => 400,
            Error::WrongToken => 403,
            Error::UnknownId | Error::NotFound => 404,
            Error::WrongMethod { .. } => 405,
            Error::BodyTooLarge { .. } | Error::DecodedTooLarge { .. } => 413,
            Error::NotText | Error::DamagedArchive { .. } | Error::EmptyArchive => 415,
            Error::RateLimited { .. } => 429,
            Error::StoreUnavailable => 503,
            Error::Unreadable { .. } | Error::BadSetting { .. } | Error::Patterns { .. } | Error::Internal => 500,
        }
    }

    /// The limit that was passed, in bytes, where there is one.
    pub fn limit(&self) -> Option<u64> {
        match self {
            Error::BodyTooLarge { limit } | Error::DecodedTooLarge { limit } => Some(*limit),
            _ => None,
        }
    }

    /// What happened, in one sentence.
    pub fn message(&self, lang: Lang) -> String {
        self.texts().0.get(lang).to_owned()
    }

    /// What to do about it, in one sentence.
    pub fn remedy(&self, lang: Lang) -> String {
        self.texts().1.get(lang).to_owned()
    }

    fn texts(&self) -> (Text, Text) {
        match self {
            Error::EmptyPaste => both(
                "The paste is empty.",
                "粘贴内容为空。",
                "Paste the error with the lines around it, or send a file: curl -T error.log ADDRESS.",
                "请粘贴报错及其上下文，或发送文件：curl -T error.log 地址。",
            ),
            Error::NotText => both(
                "This is not a text and not an archive of texts.",
                "这不是文本，也不是包含文本的压缩包。",
                "Send the log itself; .gz, .zst, .tar and .zip of logs are unpacked.",
                "请发送日志本身；日志的 .gz、.zst、.tar、.zip 会自动解包。",
            ),
            Error::BodyTooLarge { limit } => both(
                &format!("The paste is larger than the limit of {limit} bytes."),
                &format!("粘贴内容超过上限 {limit} 字节。"),
                &format!("Send the end of it: tail -c {limit} error.log | curl -T - ADDRESS"),
                &format!("请只发送末尾部分：tail -c {limit} error.log | curl -T - 地址"),
            ),
            Error::DecodedTooLarge { limit } => both(
                &format!("Unpacked, the paste is larger than the limit of {limit} bytes."),
                &format!("解包后的内容超过上限 {limit} 字节。"),
                "Unpack it and send only the logs of the failure.",
                "请先解包，只发送与故障有关的日志。",
            ),
            Error::DamagedArchive { format } => both(
                &format!("The {format} data is damaged or cut."),
                &format!("{format} 数据损坏或不完整。"),
                "Unpack it yourself and send the log, or copy the file again.",
                "请自行解包后发送日志，或重新复制该文件。",
            ),
            Error::EmptyArchive => both(
                "The archive holds no log that could be read.",
                "压缩包中没有可读取的日志。",
                "Send the log files themselves.",
                "请直接发送日志文件。",
            ),
            Error::UnknownId => both(
                "There is nothing with this id; it may have expired or been deleted.",
                "没有此编号的内容；可能已过期或已删除。",
                "Check the link, or paste the log again.",
                "请检查链接，或重新粘贴日志。",
            ),
            Error::WrongToken => both(
                "The token does not belong to this report.",
                "令牌与此报告不符。",
                "Use the delete token that was shown once when the report was made.",
                "请使用创建报告时显示过一次的删除令牌。",
            ),
            Error::WrongMethod { allowed } => both(
                "This address does not take that method.",
                "该地址不支持此请求方法。",
                &format!("Allowed here: {allowed}."),
                &format!("此处允许：{allowed}。"),
            ),
            Error::NotFound => both("There is no such page.", "没有这个页面。", "Start at the home page: /", "请从首页开始：/"),
            Error::BadRequest { what } => both(
                &format!("The request could not be read: {what}."),
                &format!("无法读取请求：{what}。"),
                "See the API description at /api/openapi.json.",
                "请参阅 /api/openapi.json 的接口说明。",
            ),
            Error::RateLimited { seconds } => both(
                "Too many requests from this address.",
                "来自该地址的请求过多。",
                &format!("Try again in {seconds} seconds."),
                &format!("请在 {seconds} 秒后重试。"),
            ),
            Error::StoreUnavailable => both(
                "The store cannot be reached at the moment; nothing was stored.",
                "目前无法访问存储；没有保存任何内容。",
                "Try again in a minute; to get an answer without storing, use /api/v1/analyze.",
                "请一分钟后重试；若只需分析不保存，请使用 /api/v1/analyze。",
            ),
            Error::Unreadable { path, reason } => both(
                &format!("Cannot read {path}: {reason}."),
                &format!("无法读取 {path}：{reason}。"),
                "Check the path and its permissions.",
                "请检查路径与权限。",
            ),
            Error::BadSetting { name, reason } => both(
                &format!("The setting {name} cannot be used: {reason}."),
                &format!("设置 {name} 无法使用：{reason}。"),
                "See `faultbook default-config` for all settings and their defaults.",
                "所有设置及其默认值见 `faultbook default-config`。",
            ),
            Error::Patterns { report } => both(
                &format!("The pattern set does not load:\n{report}"),
                &format!("模式文件无法加载：\n{report}"),
                "Run `faultbook patterns check` on the folder.",
                "请对该目录运行 `faultbook patterns check`。",
            ),
            Error::Internal => both(
                "Something went wrong inside Faultbook.",
                "Faultbook 内部出错。",
                "Try again; if it stays, report the request id.",
                "请重试；若问题持续，请报告请求编号。",
            ),
        }
    }
}

fn both(en: &str, zh: &str, remedy_en: &str, remedy_zh: &str) -> (Text, Text) {
    let text = |en: &str, zh: &str| Text { en: en.to_owned(), zh: zh.to_owned() };
    (text(en, zh), text(remedy_en, remedy_zh))
}
