-- The largest id of a checkpoint that a rollback has dropped. The next checkpoint gets a larger one.
ALTER TABLE agenthost_threads ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0;
