-- Reports, as in SQLite, with one difference: PostgreSQL leaves deleted rows in its files until
-- it happens to overwrite them. So every text of a paste is sealed with a key of its own report,
-- and only the keys are ever rewritten. `collate "C"`: the order of texts is that of SQLite.
create table report (
    number      bigint generated always as identity primary key,
    id          text   collate "C" not null unique,
    token_hash  text   not null,
    created     bigint not null,
    expires     bigint,
    fingerprint text   collate "C" not null,
    lines       bytea  not null,
    anonymized  bytea  not null
);
alter table report alter column lines set storage external;
create index report_fingerprint on report (fingerprint, created);
create index report_expires on report (expires);

create table analysis (
    report   text   collate "C" not null references report (id) on delete cascade,
    patterns text   collate "C" not null,
    made     bigint not null,
    en       bytea  not null,
    zh       bytea  not null,
    primary key (report, patterns)
);
alter table analysis alter column en set storage external, alter column zh set storage external;

create table finding (
    report     text   collate "C" not null references report (id) on delete cascade,
    rank       bigint not null,
    cause      text   collate "C" not null,
    kind       text   not null,
    layer      text   not null,
    confidence text   not null,
    created    bigint not null,
    primary key (report, rank)
);
create index finding_cause on finding (cause, created);
create index finding_created on finding (created, rank);

-- Only facts of the register that are marked safe; the value as a digest.
create table fact (
    report text collate "C" not null references report (id) on delete cascade,
    scope  text not null,
    name   text collate "C" not null,
    value  text collate "C" not null
);
create index fact_report on fact (report);
create index fact_name on fact (name, value);

-- The keys, in sixteen parts (bucket = number % 16), so that rewriting one is short.
create table report_key (
    number bigint not null,
    bucket bigint not null,
    key    bytea  not null,
    primary key (number, bucket)
) partition by list (bucket);
do $$
begin
    for part in 0..15 loop
        execute format('create table report_key_%s partition of report_key for values in (%s)', part, part);
    end loop;
end
$$;

-- The parts that hold deleted keys and are still to be rewritten; `last`: the transaction that
-- deleted there last.
create table unswept (bucket bigint primary key, last text not null);
