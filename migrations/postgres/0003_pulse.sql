-- Written by the readiness check: a store that can only be read is not ready.
create table pulse (one integer primary key check (one = 1), at bigint not null);
insert into pulse (one, at) values (1, 0);
