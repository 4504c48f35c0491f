package store

// version is the shape that schema makes, kept in the file as its user_version.
const version = 1

// Text columns hold the empty string for nothing, times are milliseconds since the
// epoch and 0 for never. Unknown money is null.
const schema = `
CREATE TABLE tasks (
	id                TEXT PRIMARY KEY,
	title             TEXT NOT NULL,
	description       TEXT NOT NULL,
	status            TEXT NOT NULL,
	priority          INTEGER NOT NULL,
	team_id           TEXT NOT NULL,
	assignee_agent_id TEXT NOT NULL DEFAULT '',
	assignee_runtime  TEXT NOT NULL,
	parent_task_id    TEXT NOT NULL,
	delegated_by      TEXT NOT NULL,
	delegated_to      TEXT NOT NULL,
	worktree_ref      TEXT NOT NULL DEFAULT '',
	branch_ref        TEXT NOT NULL DEFAULT '',
	cost_usd          REAL,
	created_at        INTEGER NOT NULL,
	updated_at        INTEGER NOT NULL,
	completed_at      INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX tasks_by_team ON tasks (team_id, status);

CREATE TABLE task_deps (
	task_id            TEXT NOT NULL REFERENCES tasks (id),
	depends_on_task_id TEXT NOT NULL REFERENCES tasks (id),
	PRIMARY KEY (task_id, depends_on_task_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE task_comments (
	n               INTEGER PRIMARY KEY AUTOINCREMENT,
	id              TEXT NOT NULL UNIQUE,
	task_id         TEXT NOT NULL REFERENCES tasks (id),
	author_agent_id TEXT NOT NULL,
	author_type     TEXT NOT NULL,
	body            TEXT NOT NULL,
	created_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX task_comments_by_task ON task_comments (task_id);

CREATE TABLE inbox (
	n            INTEGER PRIMARY KEY AUTOINCREMENT,
	agent_id     TEXT NOT NULL,
	team_id      TEXT NOT NULL,
	task_id      TEXT NOT NULL REFERENCES tasks (id),
	title        TEXT NOT NULL,
	worker       TEXT NOT NULL,
	outcome      TEXT NOT NULL,
	summary      TEXT NOT NULL,
	created_at   INTEGER NOT NULL,
	delivered_at INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX inbox_open ON inbox (task_id) WHERE delivered_at = 0;

CREATE TABLE facts (
	n          INTEGER PRIMARY KEY AUTOINCREMENT,
	id         TEXT NOT NULL UNIQUE,
	title      TEXT NOT NULL,
	content    TEXT NOT NULL,
	tags       TEXT NOT NULL,
	team_id    TEXT NOT NULL,
	agent_id   TEXT NOT NULL,
	model      TEXT NOT NULL,
	vector     BLOB,
	created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX facts_by_scope ON facts (team_id, agent_id);
CREATE VIRTUAL TABLE facts_text USING fts5 (title, content, tags, tokenize = "unicode61 remove_diacritics 2");

CREATE TABLE procedures (
	id         TEXT PRIMARY KEY,
	name       TEXT NOT NULL,
	version    INTEGER NOT NULL,
	content    TEXT NOT NULL,
	team_id    TEXT NOT NULL,
	agent_id   TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	UNIQUE (name, team_id, agent_id, version)
) STRICT;

CREATE TABLE audit (
	n          INTEGER PRIMARY KEY AUTOINCREMENT,
	tool       TEXT NOT NULL,
	agent_id   TEXT NOT NULL,
	team_id    TEXT NOT NULL,
	input      TEXT NOT NULL,
	decision   TEXT NOT NULL,
	reason     TEXT NOT NULL,
	outcome    TEXT NOT NULL DEFAULT '',
	created_at INTEGER NOT NULL,
	ended_at   INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE chat (
	seq        INTEGER PRIMARY KEY AUTOINCREMENT,
	team_id    TEXT NOT NULL,
	author_id  TEXT NOT NULL,
	body       TEXT NOT NULL,
	created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX chat_by_team ON chat (team_id, seq);
`
