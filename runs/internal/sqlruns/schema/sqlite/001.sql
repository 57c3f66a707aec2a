-- Times are in microseconds since 1970; 0 is none. Texts are compared byte by byte.
-- Threads, beside their checkpoints. A thread that has a run which is not over is busy, and comes back to rest without one.
CREATE TABLE agenthost_run_threads (
	no         INTEGER PRIMARY KEY,
	owner      TEXT NOT NULL,
	id         TEXT NOT NULL,
	metadata   TEXT NOT NULL,
	config     TEXT,
	rest       TEXT NOT NULL,
	status     TEXT NOT NULL, -- busy, or rest
	agent      TEXT NOT NULL,
	failure    TEXT,
	waiting    TEXT,
	created    INTEGER NOT NULL,
	updated    INTEGER NOT NULL,
	stepped    INTEGER NOT NULL,
	expiry     INTEGER, -- after the thread was updated; NULL: never
	temporary  INTEGER NOT NULL,
	UNIQUE (owner, id)
);

CREATE INDEX agenthost_run_threads_created ON agenthost_run_threads (owner, created DESC, id);
CREATE INDEX agenthost_run_threads_updated ON agenthost_run_threads (owner, updated DESC, id);
CREATE INDEX agenthost_run_threads_expiring ON agenthost_run_threads ((updated + expiry)) WHERE expiry IS NOT NULL AND status <> 'busy';

CREATE TABLE agenthost_runs (
	number    INTEGER PRIMARY KEY AUTOINCREMENT, -- the order in which runs of a thread were submitted
	thread    INTEGER NOT NULL REFERENCES agenthost_run_threads (no) ON DELETE CASCADE,
	owner     TEXT NOT NULL,
	id        TEXT NOT NULL UNIQUE,
	thread_id TEXT NOT NULL,
	agent     TEXT NOT NULL,
	assistant TEXT NOT NULL,
	task      TEXT,
	request   TEXT,
	metadata  TEXT NOT NULL,
	strategy  TEXT NOT NULL,
	status    TEXT NOT NULL,
	failure   TEXT,
	created   INTEGER NOT NULL,
	updated   INTEGER NOT NULL,
	due       INTEGER NOT NULL,
	attempt   INTEGER NOT NULL,
	before_id INTEGER, -- NULL: nobody has begun
	after_id  INTEGER NOT NULL,
	cancel    TEXT NOT NULL,
	resumable INTEGER NOT NULL,
	webhook   TEXT NOT NULL,
	worker    TEXT, -- who has claimed it
	kept      INTEGER NOT NULL, -- it is over, and may have events
	tokens    INTEGER NOT NULL  -- it is over, and may have tokens that are not kept as long
);

CREATE INDEX agenthost_runs_thread ON agenthost_runs (thread, number);
CREATE INDEX agenthost_runs_queue ON agenthost_runs (number) WHERE status IN ('pending', 'running');
CREATE INDEX agenthost_runs_waiting ON agenthost_runs (thread, number) WHERE status IN ('pending', 'running');
CREATE INDEX agenthost_runs_unfinished ON agenthost_runs (owner) WHERE status IN ('pending', 'running');
CREATE UNIQUE INDEX agenthost_runs_running ON agenthost_runs (thread) WHERE status = 'running';
CREATE INDEX agenthost_runs_kept ON agenthost_runs (updated) WHERE kept;
CREATE INDEX agenthost_runs_tokens ON agenthost_runs (updated) WHERE tokens;

-- Events in the order in which they were made, so that pages are filled to the end.
CREATE TABLE agenthost_run_events (
	no   INTEGER PRIMARY KEY,
	run  INTEGER NOT NULL REFERENCES agenthost_runs (number) ON DELETE CASCADE,
	seq  INTEGER NOT NULL, -- attempt << 32, plus a number from 1
	time INTEGER NOT NULL,
	type TEXT NOT NULL,
	data TEXT,
	UNIQUE (run, seq)
);

-- Until when the claims of a worker last.
CREATE TABLE agenthost_run_workers (
	id    TEXT    PRIMARY KEY NOT NULL,
	until INTEGER NOT NULL
);

-- Assistants, each in the version that is used.
CREATE TABLE agenthost_run_assistants (
	no          INTEGER PRIMARY KEY,
	owner       TEXT NOT NULL,
	id          TEXT NOT NULL,
	agent       TEXT NOT NULL,
	name        TEXT NOT NULL,
	folded      TEXT NOT NULL, -- the name without regard to its case
	description TEXT NOT NULL,
	config      TEXT,
	context     TEXT,
	metadata    TEXT NOT NULL,
	version     INTEGER NOT NULL,
	newest      INTEGER NOT NULL, -- version
	created     INTEGER NOT NULL,
	updated     INTEGER NOT NULL,
	UNIQUE (owner, id)
);

CREATE INDEX agenthost_run_assistants_created ON agenthost_run_assistants (owner, created DESC, id);

CREATE TABLE agenthost_run_assistant_versions (
	assistant   INTEGER NOT NULL REFERENCES agenthost_run_assistants (no) ON DELETE CASCADE,
	version     INTEGER NOT NULL,
	agent       TEXT NOT NULL,
	name        TEXT NOT NULL,
	description TEXT NOT NULL,
	config      TEXT,
	context     TEXT,
	metadata    TEXT NOT NULL,
	updated     INTEGER NOT NULL,
	PRIMARY KEY (assistant, version)
);

CREATE TABLE agenthost_run_schedules (
	no        INTEGER PRIMARY KEY,
	owner     TEXT NOT NULL,
	id        TEXT NOT NULL,
	assistant TEXT NOT NULL,
	thread    TEXT NOT NULL,
	cron      TEXT NOT NULL,
	zone      TEXT NOT NULL,
	request   TEXT,
	metadata  TEXT NOT NULL,
	enabled   INTEGER NOT NULL,
	keep_runs INTEGER NOT NULL,
	end_at    INTEGER NOT NULL,
	next_at   INTEGER NOT NULL,
	created   INTEGER NOT NULL,
	updated   INTEGER NOT NULL,
	UNIQUE (owner, id)
);

CREATE INDEX agenthost_run_schedules_created ON agenthost_run_schedules (owner, created DESC, id);
CREATE INDEX agenthost_run_schedules_assistant ON agenthost_run_schedules (owner, assistant);
CREATE INDEX agenthost_run_schedules_next ON agenthost_run_schedules (next_at) WHERE enabled AND next_at > 0;
