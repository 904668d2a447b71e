-- The words of each report (CJK text as pairs, made by the program); rowid = report.number.
-- secure-delete: a deleted report's words leave the index at once, not at the next merge.
create virtual table search using fts5 (words, tokenize = "unicode61 remove_diacritics 0");
insert into search (search, rank) values ('secure-delete', 1);
