-- Reports: anonymised lines with their analysis. Ids and times (seconds since 1970) are made by
-- the program. Deleting a report takes its analysis, findings and facts along.
create table report (
    number      integer primary key,
    id          text    not null unique,
    token_hash  text    not null,
    created     bigint  not null,
    expires     bigint,
    fingerprint text    not null,
    lines       text    not null,
    anonymized  text    not null
);
create index report_fingerprint on report (fingerprint, created);
create index report_expires on report (expires);

create table analysis (
    report   text   not null references report (id) on delete cascade,
    patterns text   not null,
    made     bigint not null,
    en       text   not null,
    zh       text   not null,
    primary key (report, patterns)
);

create table finding (
    report     text   not null references report (id) on delete cascade,
    rank       bigint not null,
    cause      text   not null,
    kind       text   not null,
    layer      text   not null,
    confidence text   not null,
    created    bigint not null,
    primary key (report, rank)
);
create index finding_cause on finding (cause, created);
create index finding_created on finding (created, rank);

-- Only facts of the register that are marked safe.
create table fact (
    report text not null references report (id) on delete cascade,
    scope  text not null,
    name   text not null,
    value  text not null
);
create index fact_report on fact (report);
create index fact_name on fact (name, value);
