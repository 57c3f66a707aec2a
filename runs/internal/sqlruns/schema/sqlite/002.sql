-- What the runs of an owner have cost on a day, in billionths of the currency's unit. It outlives runs and threads.
CREATE TABLE agenthost_run_spending (
	owner    TEXT NOT NULL,
	day      INTEGER NOT NULL, -- its first moment, in UTC
	currency TEXT NOT NULL,
	amount   INTEGER NOT NULL,
	unknown  INTEGER NOT NULL, -- model calls whose cost nobody knows
	PRIMARY KEY (owner, day, currency)
);

CREATE INDEX agenthost_run_spending_day ON agenthost_run_spending (day);

CREATE INDEX agenthost_run_threads_asking ON agenthost_run_threads (agent) WHERE status = 'interrupted' AND waiting IS NOT NULL;
