-- Threads, and who has them open: the lease is a random text, and whoever has it may write.
CREATE TABLE agenthost_threads (
	no      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name    text COLLATE "C" NOT NULL UNIQUE,
	created bigint NOT NULL, -- times are in milliseconds since 1970
	lease   text,
	holder  text,
	until   bigint
);

CREATE TABLE agenthost_checkpoints (
	thread bigint NOT NULL REFERENCES agenthost_threads (no) ON DELETE CASCADE,
	id     bigint NOT NULL,
	parent bigint NOT NULL,
	time   bigint NOT NULL,
	doc    bytea  NOT NULL,
	PRIMARY KEY (thread, id)
);

-- Executions of tools behind a checkpoint, until one follows it.
CREATE TABLE agenthost_journal (
	thread     bigint NOT NULL REFERENCES agenthost_threads (no) ON DELETE CASCADE,
	checkpoint bigint NOT NULL,
	call       text COLLATE "C" NOT NULL,
	n          bigint NOT NULL,
	doc        bytea  NOT NULL,
	PRIMARY KEY (thread, checkpoint, call, n)
);
