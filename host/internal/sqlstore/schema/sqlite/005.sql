-- What Find selects by. A checkpoint has the state of a thread whose run died after it, and a thread the state that it had when
-- its last session was closed. '': unknown, or never saved.
ALTER TABLE agenthost_checkpoints ADD COLUMN state TEXT NOT NULL DEFAULT '';
ALTER TABLE agenthost_threads ADD COLUMN state TEXT NOT NULL DEFAULT '';

CREATE INDEX agenthost_closed ON agenthost_threads (state, name) WHERE lease IS NULL;
CREATE INDEX agenthost_leased ON agenthost_threads (name) WHERE lease IS NOT NULL;
