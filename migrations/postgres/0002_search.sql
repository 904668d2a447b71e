-- The words of each report as digests, made by the program: an index never forgets a word that
-- it once held. No parser and no dictionary of PostgreSQL takes part, so that the words are those
-- of SQLite. fastupdate: searches need not read a list of pending words.
create table search (
    number bigint   primary key references report (number) on delete cascade,
    words  tsvector not null
);
create index search_words on search using gin (words) with (fastupdate = off);
