//! Settings: one table, read from flags, the environment, a file, or the default, in that order.
//!
//! [`SETTINGS`] is the only list of settings: `default-config`, the README's table and the
//! command line's flags are made from it.

use crate::error::Error;
use crate::i18n::Lang;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// One setting, as people write it.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// As a flag (`max-body`); the environment says `FAULTBOOK_MAX_BODY`, the file `max_body`.
    pub name: &'static str,
    pub default: &'static str,
    pub about: &'static str,
    pub about_zh: &'static str,
}

impl Setting {
    /// The name in the environment.
    pub fn env(&self) -> String {
        format!("FAULTBOOK_{}", self.key().to_ascii_uppercase())
    }

    /// The name in the settings file.
    pub fn key(&self) -> String {
        self.name.replace('-', "_")
    }
}

const fn setting(name: &'static str, default: &'static str, about: &'static str, about_zh: &'static str) -> Setting {
    Setting { name, default, about, about_zh }
}

/// Every setting.
pub const SETTINGS: &[Setting] = &[
    setting("listen", "127.0.0.1:8088", "Address and port of the web service.", "网页服务监听的地址和端口。"),
    setting(
        "database-url",
        "sqlite://faultbook.db",
        "Where reports are kept: sqlite://FILE or postgres://USER:PASSWORD@HOST/DATABASE.",
        "报告的存储位置：sqlite://文件 或 postgres://用户:密码@主机/数据库。",
    ),
    setting("patterns", "", "Folder of pattern files laid over the built-in set.", "叠加在内置模式之上的模式文件目录。"),
    setting("access", "open", "Who may use the service; this version knows open only.", "谁可以使用服务；此版本仅支持 open。"),
    setting("max-body", "10MiB", "Largest request body.", "请求体的上限。"),
    setting("max-decoded", "64MiB", "Largest paste after unpacking and decoding.", "解包、解码之后的内容上限。"),
    setting("rate-per-minute", "0", "Pastes per minute and address; 0: no limit.", "每个地址每分钟可提交的次数；0 表示不限。"),
    setting("retention", "90d", "How long a report is kept; 0: for ever.", "报告的保存期限；0 表示永久。"),
    setting(
        "base-url",
        "",
        "Address in links, where it differs from the request's host.",
        "链接中使用的地址（与请求的主机名不同时填写）。",
    ),
    setting("lang", "en", "Language where the reader names none: en or zh.", "未指定语言时使用的语言：en 或 zh。"),
    setting("hide", "", "Words to hide in every paste, separated by commas.", "在所有内容中隐藏的词，用逗号分隔。"),
    setting(
        "hide-regex",
        "",
        "Regular expressions to hide in every paste, one a line or separated by ;;.",
        "在所有内容中隐藏的正则表达式，每行一个或用 ;; 分隔。",
    ),
    setting("log", "text", "Form of the service's own log: text or json.", "服务自身日志的格式：text 或 json。"),
];

/// The name in the environment of the settings file's path.
pub const CONFIG_FILE: &str = "FAULTBOOK_CONFIG";

/// Values by [`Setting::name`], as given on the command line.
pub type Flags = BTreeMap<String, String>;

/// Every setting as a flag of a command, `--config FILE` besides; for `#[command(flatten)]` or
/// as a command's arguments.
#[derive(Clone, Debug, Default)]
pub struct SettingFlags(pub Flags);

impl clap::FromArgMatches for SettingFlags {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<SettingFlags, clap::Error> {
        let names = SETTINGS.iter().map(|setting| setting.name).chain(["config"]);
        let given = names.filter_map(|name| Some((name.to_owned(), matches.get_one::<String>(name)?.clone())));
        Ok(SettingFlags(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = SettingFlags::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for SettingFlags {
    fn augment_args(command: clap::Command) -> clap::Command {
        let file = clap::Arg::new("config").long("config").value_name("FILE").help(format!("Settings file (TOML) [{CONFIG_FILE}]"));
        SETTINGS.iter().fold(command.arg(file), |command, setting| {
            let default = if setting.default.is_empty() { String::new() } else { format!("; default {}", setting.default) };
            let help = format!("{} [{}{default}]", setting.about, setting.env());
            command.arg(clap::Arg::new(setting.name).long(setting.name).value_name("VALUE").help(help))
        })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        SettingFlags::augment_args(command)
    }
}

/// Form of the service's own log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogForm {
    Text,
    Json,
}

/// The settings, read and checked.
#[derive(Clone, Debug)]
pub struct Config {
    pub listen: SocketAddr,
    pub database_url: String,
    pub patterns: Option<PathBuf>,
    /// Bytes.
    pub max_body: u64,
    /// Bytes.
    pub max_decoded: u64,
    /// None: no limit.
    pub rate_per_minute: Option<std::num::NonZeroU32>,
    /// None: reports are kept for ever.
    pub retention: Option<Duration>,
    /// Without a slash at the end.
    pub base_url: Option<String>,
    pub lang: Lang,
    pub hide: Vec<String>,
    pub hide_regex: Vec<regex::Regex>,
    pub log: LogForm,
}

impl Config {
    /// Reads the settings: flags before environment before the file (named by the flag `config`
    /// or by `FAULTBOOK_CONFIG`) before the defaults.
    ///
    /// # Errors
    /// [`Error::BadSetting`] with the setting's name, [`Error::Unreadable`] for the file.
    pub fn load(flags: &Flags) -> Result<Config, Error> {
        let mut flags = flags.clone();
        let path = flags.remove("config").or_else(|| std::env::var(CONFIG_FILE).ok());
        let file = match path {
            Some(path) if !path.is_empty() => read_file(&path)?,
            _ => Flags::new(),
        };
        Config::from_sources(&flags, &|name| std::env::var(name).ok(), &file)
    }

    /// [`Config::load`] over given sources; `env` looks a variable up.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn from_sources(flags: &Flags, env: &dyn Fn(&str) -> Option<String>, file: &Flags) -> Result<Config, Error> {
        if let Some(unknown) = flags.keys().chain(file.keys()).find(|name| !known(name)) {
            return Err(bad(unknown, "there is no such setting"));
        }
        let value = |name: &str| {
            let setting = SETTINGS.iter().find(|s| s.name == name);
            let given = flags.get(name).cloned();
            let given = given.or_else(|| setting.and_then(|s| env(&s.env())));
            given.or_else(|| file.get(name).cloned()).unwrap_or_else(|| setting.map_or("", |s| s.default).to_owned())
        };
        check_access(&value("access"))?;
        Ok(Config {
            listen: parse_listen(&value("listen"))?,
            database_url: value("database-url"),
            patterns: some(value("patterns")).map(PathBuf::from),
            max_body: parse_size("max-body", &value("max-body"))?,
            max_decoded: parse_size("max-decoded", &value("max-decoded"))?,
            rate_per_minute: parse_rate(&value("rate-per-minute"))?,
            retention: parse_duration("retention", &value("retention"))?,
            base_url: parse_base(value("base-url"))?,
            lang: Lang::from_tag(&value("lang")).ok_or_else(|| bad("lang", "it must be en or zh"))?,
            hide: value("hide").split(',').map(str::trim).filter(|w| !w.is_empty()).map(str::to_owned).collect(),
            hide_regex: parse_expressions(&value("hide-regex"))?,
            log: parse_log(&value("log"))?,
        })
    }
}

/// A commented settings file with every default.
pub fn default_config() -> String {
    let mut out = String::from("# Faultbook settings. Flags go before the environment, the environment before this file.\n");
    for setting in SETTINGS {
        let _ = write!(
            out,
            "\n# {}\n# {}\n# {}\n# {} = \"{}\"\n",
            setting.about,
            setting.about_zh,
            setting.env(),
            setting.key(),
            setting.default
        );
    }
    out
}

/// The settings as a Markdown table, for the README.
pub fn markdown_table(lang: Lang) -> String {
    let head = match lang {
        Lang::En => "| Setting | Default | Meaning |\n|---|---|---|\n",
        Lang::Zh => "| 设置 | 默认值 | 含义 |\n|---|---|---|\n",
    };
    let mut out = head.to_owned();
    for setting in SETTINGS {
        let about = if lang == Lang::Zh { setting.about_zh } else { setting.about };
        let default = if setting.default.is_empty() { String::new() } else { format!("`{}`", setting.default) };
        let _ = writeln!(out, "| `{}` | {default} | {about} |", setting.env());
    }
    out
}

fn known(name: &str) -> bool {
    SETTINGS.iter().any(|s| s.name == name)
}

fn some(value: String) -> Option<String> {
    let value = value.trim();
    (!value.is_empty()).then(|| value.to_owned())
}

fn bad(name: &str, reason: &str) -> Error {
    let name = SETTINGS.iter().find(|s| s.name == name).map_or_else(|| name.to_owned(), Setting::env);
    Error::BadSetting { name, reason: reason.to_owned() }
}

fn read_file(path: &str) -> Result<Flags, Error> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::Unreadable { path: path.to_owned(), reason: e.kind().to_string() })?;
    let table: toml::Table =
        toml::from_str(&text).map_err(|e| Error::BadSetting { name: CONFIG_FILE.to_owned(), reason: e.message().to_owned() })?;
    table.into_iter().map(|(key, value)| Ok((key.replace('_', "-"), plain(&key, value)?))).collect()
}

/// A TOML value as one would write it in the environment.
fn plain(key: &str, value: toml::Value) -> Result<String, Error> {
    match value {
        toml::Value::String(text) => Ok(text),
        toml::Value::Integer(number) => Ok(number.to_string()),
        toml::Value::Array(items) => {
            let words: Result<Vec<String>, Error> = items.into_iter().map(|item| plain(key, item)).collect();
            Ok(words?.join(","))
        }
        _ => Err(bad(&key.replace('_', "-"), "it must be a text, a number or a list of texts")),
    }
}

fn parse_listen(value: &str) -> Result<SocketAddr, Error> {
    let value = value.trim();
    let value = value.strip_prefix("localhost:").map_or_else(|| value.to_owned(), |port| format!("127.0.0.1:{port}"));
    value.parse().map_err(|_| bad("listen", "it must be an address and a port, such as 127.0.0.1:8088 or [::]:8088"))
}

/// A service that was told to ask for a token must not come up open.
fn check_access(value: &str) -> Result<(), Error> {
    match value.trim() {
        "open" => Ok(()),
        "token" | "proxy" => Err(bad("access", "this version has no access control; set open and keep the address private")),
        _ => Err(bad("access", "it must be open")),
    }
}

fn parse_log(value: &str) -> Result<LogForm, Error> {
    match value.trim() {
        "text" => Ok(LogForm::Text),
        "json" => Ok(LogForm::Json),
        _ => Err(bad("log", "it must be text or json")),
    }
}

/// An expression that fits the empty text would say nothing, so it is refused.
fn parse_expressions(value: &str) -> Result<Vec<regex::Regex>, Error> {
    let compile = |text: &str| match regex::RegexBuilder::new(text).size_limit(1 << 20).build() {
        Ok(expression) if !expression.is_match("") => Ok(expression),
        Ok(_) => Err(bad("hide-regex", &format!("`{text}` fits the empty text"))),
        Err(_) => Err(bad("hide-regex", &format!("`{text}` is no regular expression"))),
    };
    value.split('\n').flat_map(|line| line.split(";;")).map(str::trim).filter(|text| !text.is_empty()).map(compile).collect()
}

fn parse_base(value: String) -> Result<Option<String>, Error> {
    match some(value) {
        None => Ok(None),
        Some(url) if url.starts_with("http://") || url.starts_with("https://") => Ok(Some(url.trim_end_matches('/').to_owned())),
        Some(_) => Err(bad("base-url", "it must start with http:// or https://")),
    }
}

fn parse_rate(value: &str) -> Result<Option<std::num::NonZeroU32>, Error> {
    let number: u32 = value.trim().parse().map_err(|_| bad("rate-per-minute", "it must be a whole number; 0 means no limit"))?;
    Ok(std::num::NonZeroU32::new(number))
}

/// Splits `10MiB` into 10 and `mib`.
fn number_and_unit(value: &str) -> Option<(u64, String)> {
    let value = value.trim();
    let at = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    let (digits, unit) = value.split_at_checked(at)?;
    Some((digits.parse().ok()?, unit.trim().to_ascii_lowercase()))
}

fn parse_size(name: &str, value: &str) -> Result<u64, Error> {
    let fault = || bad(name, "it must be a size such as 512KiB, 10MiB or 1GiB");
    let (number, unit) = number_and_unit(value).ok_or_else(fault)?;
    let factor: u64 = match unit.as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        _ => return Err(fault()),
    };
    match number.checked_mul(factor) {
        Some(bytes) if bytes > 0 && usize::try_from(bytes).is_ok() => Ok(bytes),
        _ => Err(bad(name, "it must be above zero and fit into memory")),
    }
}

/// Zero and `never` mean no end.
fn parse_duration(name: &str, value: &str) -> Result<Option<Duration>, Error> {
    if matches!(value.trim(), "0" | "never") {
        return Ok(None);
    }
    let fault = || bad(name, "it must be a time such as 12h, 90d or 0");
    let (number, unit) = number_and_unit(value).ok_or_else(fault)?;
    let factor: u64 = match unit.as_str() {
        "s" => 1,
        "m" | "min" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "w" => 604_800,
        _ => return Err(fault()),
    };
    // A century is enough, and keeps every sum of times inside its type.
    let seconds = number.checked_mul(factor).filter(|s| *s > 0 && *s <= 3_200_000_000).ok_or_else(fault)?;
    Ok(Some(Duration::from_secs(seconds)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(flags: &[(&str, &str)], env: &[(&str, &str)], file: &[(&str, &str)]) -> Result<Config, Error> {
        let map = |pairs: &[(&str, &str)]| pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect::<Flags>();
        let env = map(env);
        Config::from_sources(&map(flags), &|name| env.get(name).cloned(), &map(file))
    }

    #[test]
    fn expressions_are_checked() {
        let config = load(&[("hide-regex", "TICKET-\\d+ ;; (?i)project [a-z]{2,8}")], &[], &[]).expect("expressions");
        assert_eq!(config.hide_regex.len(), 2);
        for wrong in ["(", "a*", "x{1000}{1000}"] {
            assert!(load(&[("hide-regex", wrong)], &[], &[]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn defaults_are_readable() {
        let config = load(&[], &[], &[]).expect("defaults");
        assert_eq!(config.listen.to_string(), "127.0.0.1:8088");
        assert_eq!(config.max_body, 10 << 20);
        assert_eq!(config.retention, Some(Duration::from_secs(90 * 86_400)));
        assert!(config.rate_per_minute.is_none() && config.patterns.is_none());
    }

    #[test]
    fn flags_go_before_environment_before_file() {
        let file = [("max-body", "1MiB"), ("lang", "zh"), ("hide", "acme, apollo")];
        let env = [("FAULTBOOK_MAX_BODY", "2MiB")];
        let config = load(&[("max-body", "3MiB")], &env, &file).expect("loads");
        assert_eq!((config.max_body, config.lang), (3 << 20, Lang::Zh));
        assert_eq!(config.hide, ["acme", "apollo"]);
        assert_eq!(load(&[], &env, &file).expect("loads").max_body, 2 << 20);
    }

    #[test]
    fn a_bad_value_names_its_setting() {
        for (name, value) in [
            ("listen", "8088"),
            ("max-body", "ten"),
            ("max-body", "0"),
            ("max-body", "99999999999GiB"),
            ("retention", "3 fortnights"),
            ("rate-per-minute", "-1"),
            ("lang", "de"),
            ("access", "token"),
            ("log", "xml"),
            ("base-url", "ftp://x"),
        ] {
            let error = load(&[(name, value)], &[], &[]).expect_err(name);
            let env = format!("FAULTBOOK_{}", name.replace('-', "_").to_uppercase());
            assert!(error.to_string().contains(&env), "{name}={value}: {error}");
        }
        assert!(load(&[], &[], &[("acess", "open")]).expect_err("unknown").to_string().contains("acess"));
    }

    #[test]
    fn every_setting_is_a_flag() {
        use clap::{Args, FromArgMatches};
        let command = SettingFlags::augment_args(clap::Command::new("serve"));
        let matches = command.try_get_matches_from(["serve", "--listen", "[::1]:1", "--hide=acme", "--config", "x.toml"]).expect("parses");
        let flags = SettingFlags::from_arg_matches(&matches).expect("reads").0;
        assert_eq!(flags.get("config").map(String::as_str), Some("x.toml"));
        assert_eq!(flags.len(), 3);
        assert!(matches!(Config::load(&flags), Err(Error::Unreadable { .. })));
    }

    #[test]
    fn a_settings_file_is_read() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("faultbook.toml");
        std::fs::write(&path, "max_body = \"2MiB\"\nhide = [\"acme\", \"apollo\"]\nrate_per_minute = 7\n").expect("written");
        let file = read_file(&path.display().to_string()).expect("reads");
        let config = Config::from_sources(&Flags::new(), &|_| None, &file).expect("loads");
        assert_eq!((config.max_body, config.hide.len(), config.rate_per_minute.map(|n| n.get())), (2 << 20, 2, Some(7)));
        std::fs::write(&path, "max_body = { a = 1 }\n").expect("written");
        assert!(matches!(read_file(&path.display().to_string()), Err(Error::BadSetting { .. })));
        std::fs::write(&path, "max_body = \n").expect("written");
        assert!(matches!(read_file(&path.display().to_string()), Err(Error::BadSetting { .. })));
    }

    #[test]
    fn the_generated_file_is_read_back_as_the_defaults() {
        let text: String = default_config()
            .lines()
            .map(|l| match l.strip_prefix("# ") {
                Some(rest) if rest.contains(" = \"") => format!("{rest}\n"),
                _ => String::new(),
            })
            .collect();
        let table: toml::Table = toml::from_str(&text).expect("parses");
        assert_eq!(table.len(), SETTINGS.len());
    }
}
