create table facts (
    log {name} not null, seq {int} not null check (seq > 0), at {int} not null,
    body text not null, hash {bytes} not null, primary key (log, seq)
){clustered};
create table heads (log {name} primary key, seq {int} not null, hash {bytes} not null){plain};
create table people (id {name} primary key, name text not null, created {int} not null){plain};
create table sessions (
    token {name} primary key, person {name} not null references people on delete cascade,
    log {name}, created {int} not null, seen {int} not null, revoked {int}
){plain};
create index sessions_of_person on sessions (person);
create unique index one_session_of_a_log on sessions (person, log) where log is not null and revoked is null;
create table words (
    id {name} primary key, person {name} not null references people on delete cascade, text text not null,
    created {int} not null
){plain};
create index words_of_person on words (person);
create table bound_names (
    commitment {name} primary key, person {name} not null references people on delete cascade, salt text not null,
    name text not null
){plain};
create index bound_names_of_person on bound_names (person);
create table links (
    token {name} primary key, log {name} not null, kind {name} not null, session {int} not null,
    created {int} not null, revoked {int}
){plain};
create index links_to_log on links (log, kind);
create table listings (log {name} primary key, seq {int} not null, body text not null, updated {int} not null){plain};
create index listings_by_time on listings (updated desc, log);
create table concerned (
    person {name} not null, log {name} not null references listings on delete cascade, primary key (person, log)
){clustered};
create index concerned_by_log on concerned (log);
create table logins (
    person {name} primary key references people on delete cascade,
    login {name} not null unique, hash text not null, changed {int} not null
){plain};
create table passkeys (
    id {bytes} primary key, person {name} not null references people on delete cascade, key {bytes} not null,
    count {int} not null, label text not null, created {int} not null, used {int}
){plain};
create index passkeys_of_person on passkeys (person);
create table rule_sets (
    person {name} not null references people on delete cascade, name text not null, rules text not null,
    changed {int} not null, primary key (person, name)
){clustered};
create table challenges (
    challenge {name} primary key, person {name} references people on delete cascade, until {int} not null
){plain};
create index challenges_of_person on challenges (person);
create index challenges_by_time on challenges (until);
create table usage (
    person {name} not null, kind {name} not null, day {int} not null, used {int} not null, primary key (person, kind)
){clustered};
create table turns (name {name} primary key, at {int} not null){plain};
create table removed_logs (log {name} primary key, seq {int} not null, hash {bytes} not null, at {int} not null){plain};
