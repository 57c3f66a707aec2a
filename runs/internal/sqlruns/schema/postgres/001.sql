-- Times are in microseconds since 1970; 0 is none. Texts are compared byte by byte.
-- Threads, beside their checkpoints. A thread that has a run which is not over is busy, and comes back to rest without one.
CREATE TABLE agenthost_run_threads (
	no         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	owner      text COLLATE "C" NOT NULL,
	id         text COLLATE "C" NOT NULL,
	metadata   jsonb NOT NULL,
	config     text,
	rest       text COLLATE "C" NOT NULL,
	status     text COLLATE "C" NOT NULL, -- busy, or rest
	agent      text COLLATE "C" NOT NULL,
	failure    text,
	waiting    text,
	created    bigint NOT NULL,
	updated    bigint NOT NULL,
	stepped    bigint NOT NULL,
	expiry     bigint, -- after the thread was updated; NULL: never
	temporary  boolean NOT NULL,
	UNIQUE (owner, id)
);

CREATE INDEX agenthost_run_threads_created ON agenthost_run_threads (owner, created DESC, id);
CREATE INDEX agenthost_run_threads_updated ON agenthost_run_threads (owner, updated DESC, id);
CREATE INDEX agenthost_run_threads_metadata ON agenthost_run_threads USING gin (metadata jsonb_path_ops);
CREATE INDEX agenthost_run_threads_expiring ON agenthost_run_threads ((updated + expiry)) WHERE expiry IS NOT NULL AND status <> 'busy';

CREATE TABLE agenthost_runs (
	number    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- the order in which runs of a thread were submitted
	thread    bigint NOT NULL REFERENCES agenthost_run_threads (no) ON DELETE CASCADE,
	owner     text COLLATE "C" NOT NULL,
	id        text COLLATE "C" NOT NULL UNIQUE,
	thread_id text COLLATE "C" NOT NULL,
	agent     text COLLATE "C" NOT NULL,
	assistant text COLLATE "C" NOT NULL,
	task      text,
	request   text,
	metadata  text NOT NULL,
	strategy  text COLLATE "C" NOT NULL,
	status    text COLLATE "C" NOT NULL,
	failure   text,
	created   bigint NOT NULL,
	updated   bigint NOT NULL,
	due       bigint NOT NULL,
	attempt   bigint NOT NULL,
	before_id bigint, -- NULL: nobody has begun
	after_id  bigint NOT NULL,
	cancel    text COLLATE "C" NOT NULL,
	resumable boolean NOT NULL,
	webhook   text NOT NULL,
	worker    text COLLATE "C", -- who has claimed it
	kept      boolean NOT NULL, -- it is over, and may have events
	tokens    boolean NOT NULL  -- it is over, and may have tokens that are not kept as long
);

CREATE INDEX agenthost_runs_thread ON agenthost_runs (thread, number);
CREATE INDEX agenthost_runs_queue ON agenthost_runs (number) WHERE status IN ('pending', 'running');
CREATE INDEX agenthost_runs_waiting ON agenthost_runs (thread, number) WHERE status IN ('pending', 'running');
CREATE INDEX agenthost_runs_unfinished ON agenthost_runs (owner) WHERE status IN ('pending', 'running');
CREATE UNIQUE INDEX agenthost_runs_running ON agenthost_runs (thread) WHERE status = 'running';
CREATE INDEX agenthost_runs_kept ON agenthost_runs (updated) WHERE kept;
CREATE INDEX agenthost_runs_tokens ON agenthost_runs (updated) WHERE tokens;

CREATE TABLE agenthost_run_events (
	run  bigint NOT NULL REFERENCES agenthost_runs (number) ON DELETE CASCADE,
	seq  bigint NOT NULL, -- attempt << 32, plus a number from 1
	time bigint NOT NULL,
	type text COLLATE "C" NOT NULL,
	data text,
	PRIMARY KEY (run, seq)
);

-- Until when the claims of a worker last.
CREATE TABLE agenthost_run_workers (
	id    text COLLATE "C" PRIMARY KEY,
	until bigint NOT NULL
);

-- Assistants, each in the version that is used.
CREATE TABLE agenthost_run_assistants (
	no          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	owner       text COLLATE "C" NOT NULL,
	id          text COLLATE "C" NOT NULL,
	agent       text COLLATE "C" NOT NULL,
	name        text COLLATE "C" NOT NULL,
	folded      text COLLATE "C" NOT NULL, -- the name without regard to its case
	description text NOT NULL,
	config      text,
	context     text,
	metadata    jsonb NOT NULL,
	version     bigint NOT NULL,
	newest      bigint NOT NULL, -- version
	created     bigint NOT NULL,
	updated     bigint NOT NULL,
	UNIQUE (owner, id)
);

CREATE INDEX agenthost_run_assistants_created ON agenthost_run_assistants (owner, created DESC, id);
CREATE INDEX agenthost_run_assistants_metadata ON agenthost_run_assistants USING gin (metadata jsonb_path_ops);

CREATE TABLE agenthost_run_assistant_versions (
	assistant   bigint NOT NULL REFERENCES agenthost_run_assistants (no) ON DELETE CASCADE,
	version     bigint NOT NULL,
	agent       text COLLATE "C" NOT NULL,
	name        text COLLATE "C" NOT NULL,
	description text NOT NULL,
	config      text,
	context     text,
	metadata    jsonb NOT NULL,
	updated     bigint NOT NULL,
	PRIMARY KEY (assistant, version)
);

CREATE TABLE agenthost_run_schedules (
	no        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	owner     text COLLATE "C" NOT NULL,
	id        text COLLATE "C" NOT NULL,
	assistant text COLLATE "C" NOT NULL,
	thread    text COLLATE "C" NOT NULL,
	cron      text NOT NULL,
	zone      text NOT NULL,
	request   text,
	metadata  jsonb NOT NULL,
	enabled   boolean NOT NULL,
	keep_runs boolean NOT NULL,
	end_at    bigint NOT NULL,
	next_at   bigint NOT NULL,
	created   bigint NOT NULL,
	updated   bigint NOT NULL,
	UNIQUE (owner, id)
);

CREATE INDEX agenthost_run_schedules_created ON agenthost_run_schedules (owner, created DESC, id);
CREATE INDEX agenthost_run_schedules_assistant ON agenthost_run_schedules (owner, assistant);
CREATE INDEX agenthost_run_schedules_next ON agenthost_run_schedules (next_at) WHERE enabled AND next_at > 0;
