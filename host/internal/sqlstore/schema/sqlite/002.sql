-- Values beyond threads: the namespaces that ever had an entry, until they are dropped. Paths and keys are UTF-8, compared byte
-- by byte; 0x1f stands between the names of a path.
CREATE TABLE agenthost_namespaces (
	path    BLOB    PRIMARY KEY NOT NULL,
	version INTEGER NOT NULL, -- the last that was given
	bytes   INTEGER NOT NULL, -- of all entries, as quotas count, those too that have expired and are still there
	entries INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE agenthost_entries (
	namespace BLOB    NOT NULL REFERENCES agenthost_namespaces (path) ON DELETE CASCADE,
	key       BLOB    NOT NULL,
	value     BLOB    NOT NULL,
	version   INTEGER NOT NULL,
	created   INTEGER NOT NULL, -- times are in microseconds since 1970
	updated   INTEGER NOT NULL,
	expires   INTEGER,          -- NULL: never
	PRIMARY KEY (namespace, key)
);

CREATE INDEX agenthost_expiring ON agenthost_entries (expires) WHERE expires IS NOT NULL;
