-- Threads, and who has them open: the lease is a random text, and whoever has it may write.
CREATE TABLE agenthost_threads (
	no      INTEGER PRIMARY KEY,
	name    TEXT    NOT NULL UNIQUE,
	created INTEGER NOT NULL, -- times are in milliseconds since 1970
	lease   TEXT,
	holder  TEXT,
	until   INTEGER
);

-- Checkpoints in the order in which they were made, so that pages are filled to the end.
CREATE TABLE agenthost_checkpoints (
	no     INTEGER PRIMARY KEY,
	thread INTEGER NOT NULL REFERENCES agenthost_threads (no) ON DELETE CASCADE,
	id     INTEGER NOT NULL,
	parent INTEGER NOT NULL,
	time   INTEGER NOT NULL,
	doc    BLOB    NOT NULL,
	UNIQUE (thread, id)
);

-- Executions of tools behind a checkpoint, until one follows it.
CREATE TABLE agenthost_journal (
	thread     INTEGER NOT NULL REFERENCES agenthost_threads (no) ON DELETE CASCADE,
	checkpoint INTEGER NOT NULL,
	call       TEXT    NOT NULL,
	n          INTEGER NOT NULL,
	doc        BLOB    NOT NULL,
	PRIMARY KEY (thread, checkpoint, call, n)
) WITHOUT ROWID;
