-- What a search by meaning compares, kept with the value. NULL: the value is not in the index.
ALTER TABLE agenthost_entries ADD COLUMN vectors BLOB;
