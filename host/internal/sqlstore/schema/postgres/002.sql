-- Values beyond threads: the namespaces that ever had an entry, until they are dropped. Paths and keys are UTF-8, compared byte
-- by byte; 0x1f stands between the names of a path.
CREATE TABLE agenthost_namespaces (
	path    bytea  PRIMARY KEY,
	version bigint NOT NULL, -- the last that was given
	bytes   bigint NOT NULL, -- of all entries, as quotas count, those too that have expired and are still there
	entries bigint NOT NULL
);

CREATE TABLE agenthost_entries (
	namespace bytea  NOT NULL REFERENCES agenthost_namespaces (path) ON DELETE CASCADE,
	key       bytea  NOT NULL,
	value     bytea  NOT NULL,
	version   bigint NOT NULL,
	created   bigint NOT NULL, -- times are in microseconds since 1970
	updated   bigint NOT NULL,
	expires   bigint,          -- NULL: never
	PRIMARY KEY (namespace, key)
);

CREATE INDEX agenthost_expiring ON agenthost_entries (expires) WHERE expires IS NOT NULL;
