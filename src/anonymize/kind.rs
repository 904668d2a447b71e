//! The kinds of secrets, with the names used in placeholders and in counts.

/// A kind of secret. The order is the order of preference when one value was found as several
/// kinds (a folder that is also a user's name is a user).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Password,
    Token,
    Pem,
    Email,
    Phone,
    IdNumber,
    Licence,
    Serial,
    GpuUuid,
    MigUuid,
    Uuid,
    Guid,
    Mac,
    Ipv6,
    Ip,
    Container,
    User,
    Host,
    Person,
    Registry,
    Bucket,
    Url,
    Group,
    Pod,
    Namespace,
    Job,
    Package,
    Kernel,
    Project,
    Company,
    Path,
    Hidden,
}

/// How far a value that was found once is looked for in the rest of the paste.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Learn {
    /// Only where its own detector finds it: the shape is enough.
    Never,
    /// Everywhere as a whole word in any case, unless it is a common word.
    Name,
    /// Everywhere, exactly as written.
    Exact,
}

/// Placeholder name, count name and reach of every kind, in the order of [`Kind`].
const TABLE: [(Kind, &str, &str, Learn); 32] = [
    (Kind::Password, "password", "password", Learn::Exact),
    (Kind::Token, "token", "token", Learn::Exact),
    (Kind::Pem, "pem", "pem", Learn::Exact),
    (Kind::Email, "email", "email", Learn::Exact),
    (Kind::Phone, "phone", "phone", Learn::Exact),
    (Kind::IdNumber, "id-number", "id-number", Learn::Exact),
    (Kind::Licence, "licence", "licence", Learn::Exact),
    (Kind::Serial, "serial", "serial", Learn::Exact),
    (Kind::GpuUuid, "gpu-uuid", "gpu-uuid", Learn::Never),
    (Kind::MigUuid, "mig-uuid", "gpu-uuid", Learn::Never),
    (Kind::Uuid, "uuid", "uuid", Learn::Never),
    (Kind::Guid, "guid", "guid", Learn::Exact),
    (Kind::Mac, "mac", "mac", Learn::Never),
    (Kind::Ipv6, "ipv6", "ipv6", Learn::Never),
    (Kind::Ip, "ip", "ip", Learn::Never),
    (Kind::Container, "container", "container", Learn::Name),
    (Kind::User, "user", "user-name", Learn::Name),
    (Kind::Host, "host", "host-name", Learn::Name),
    (Kind::Person, "person", "person-name", Learn::Name),
    (Kind::Registry, "registry", "registry", Learn::Name),
    (Kind::Bucket, "bucket", "cloud-bucket", Learn::Name),
    (Kind::Url, "url", "url", Learn::Never),
    (Kind::Group, "group", "group-name", Learn::Name),
    (Kind::Pod, "pod", "pod", Learn::Name),
    (Kind::Namespace, "namespace", "namespace", Learn::Name),
    (Kind::Job, "job", "job", Learn::Name),
    (Kind::Package, "package", "private-package", Learn::Name),
    (Kind::Kernel, "kernel", "kernel-suffix", Learn::Name),
    (Kind::Project, "project", "project", Learn::Name),
    (Kind::Company, "company", "company", Learn::Name),
    (Kind::Path, "path", "path", Learn::Name),
    (Kind::Hidden, "hidden", "hidden", Learn::Never),
];

impl Kind {
    fn row(self) -> &'static (Kind, &'static str, &'static str, Learn) {
        // The table has one row per kind, in order: a test holds it to that.
        &TABLE[self as usize]
    }

    /// The word in a placeholder: `host` in `<host-1>`.
    pub fn placeholder(self) -> &'static str {
        self.row().1
    }

    /// The word in counts: `host-name`.
    pub fn key(self) -> &'static str {
        self.row().2
    }

    pub(super) fn learn(self) -> Learn {
        self.row().3
    }

    /// The kind whose placeholders carry this word.
    pub(super) fn from_placeholder(word: &str) -> Option<Kind> {
        TABLE.iter().find(|row| row.1 == word).map(|row| row.0)
    }

    /// The kind of a named group of an expression: `host`, `host2`, `gpu_uuid`.
    pub(super) fn from_group(name: &str) -> Option<Kind> {
        let word = name.trim_end_matches(|c: char| c.is_ascii_digit()).replace('_', "-");
        Kind::from_placeholder(&word)
    }

    /// True for names that may be written in any case.
    pub(super) fn folds_case(self) -> bool {
        self.learn() == Learn::Name || matches!(self, Kind::Email | Kind::Mac | Kind::Ipv6 | Kind::Uuid | Kind::GpuUuid | Kind::MigUuid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_kinds() {
        for (place, row) in TABLE.iter().enumerate() {
            assert_eq!(row.0 as usize, place, "{:?}", row.0);
            assert_eq!(Kind::from_placeholder(row.1), Some(row.0));
        }
    }

    #[test]
    fn group_names_lead_to_kinds() {
        assert_eq!(Kind::from_group("host2"), Some(Kind::Host));
        assert_eq!(Kind::from_group("gpu_uuid"), Some(Kind::GpuUuid));
        assert_eq!(Kind::from_group("other"), None);
    }
}
