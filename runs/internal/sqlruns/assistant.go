package sqlruns

import (
	"context"
	"database/sql"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/internal/rule"
)

const assistantColumns = `a.owner, a.id, a.agent, a.name, a.description, a.config, a.context, a.metadata, a.version, a.created, a.updated`

// scanAssistant reads the columns of an assistant, and others after them.
func scanAssistant(row scanner, others ...any) (runs.Assistant, error) {
	var a runs.Assistant
	var created, updated int64
	err := row.Scan(append([]any{
		&a.Owner, &a.ID, &a.Agent, &a.Name, &a.Description,
		document{&a.Config},
		document{&a.Context},
		decoded[runs.Metadata]{&a.Metadata},
		&a.Version, &created, &updated,
	}, others...)...)
	a.Created, a.Updated = moment(created), moment(updated)
	return a, err
}

func scanPlainAssistant(row scanner) (runs.Assistant, error) { return scanAssistant(row) }

// assistantValues returns the values of the columns version, agent, name, description, config, context, metadata and updated.
func assistantValues(a *runs.Assistant) ([]any, error) {
	metadata, err := metadataText(a.Metadata)
	return []any{a.Version, a.Agent, a.Name, a.Description, textOf(a.Config), textOf(a.Context), metadata, micros(a.Updated)}, err
}

// CreateAssistant adds an assistant, see [runs.Assistants].
func (s *Store) CreateAssistant(ctx context.Context, a *runs.Assistant) error {
	row, err := rule.CreateAssistant(a, s.now())
	if err != nil {
		return err
	}
	values, err := assistantValues(row)
	if err != nil {
		return err
	}
	err = s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		no, err := collect(ctx, s, tx, scanNumber, `INSERT INTO agenthost_run_assistants
			(owner, id, created, folded, newest, version, agent, name, description, config, context, metadata, updated)
			VALUES ($1, $2, $3, $4, $5, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (owner, id) DO NOTHING RETURNING no`,
			append([]any{row.Owner, row.ID, micros(row.Created), rule.Fold(row.Name)}, values...)...)
		if err != nil || len(no) == 0 {
			return orMissing(err, runs.ErrExists)
		}
		return s.addVersion(ctx, tx, no[0], values)
	})
	if err != nil {
		return err
	}
	a.Version, a.Created, a.Updated = row.Version, row.Created, row.Updated
	return nil
}

func (s *Store) addVersion(ctx context.Context, tx *sql.Tx, assistant int64, values []any) error {
	_, err := s.exec(ctx, tx, `INSERT INTO agenthost_run_assistant_versions
		(assistant, version, agent, name, description, config, context, metadata, updated)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, append([]any{assistant}, values...)...)
	return err
}

// Assistant returns an assistant, see [runs.Assistants].
func (s *Store) Assistant(ctx context.Context, owner, id string) (*runs.Assistant, error) {
	if err := known(owner, id, runs.ErrNoAssistant); err != nil {
		return nil, err
	}
	rows, err := collect(ctx, s, s.db.Reads(), scanPlainAssistant,
		`SELECT `+assistantColumns+` FROM agenthost_run_assistants a WHERE a.owner = $1 AND a.id = $2`, owner, id)
	if err != nil || len(rows) == 0 {
		return nil, s.db.Failed(orMissing(err, runs.ErrNoAssistant))
	}
	return &rows[0], nil
}

// lockedAssistant is an assistant that nobody else can change until the transaction ends.
type lockedAssistant struct {
	no     int64
	newest int // version
	used   runs.Assistant
}

func (s *Store) lockAssistant(ctx context.Context, tx *sql.Tx, owner, id string) (*lockedAssistant, error) {
	rows, err := collect(ctx, s, tx, func(row scanner) (a *lockedAssistant, err error) {
		a = &lockedAssistant{}
		a.used, err = scanAssistant(row, &a.no, &a.newest)
		return a, err
	}, `SELECT `+assistantColumns+`, a.no, a.newest FROM agenthost_run_assistants a WHERE a.owner = $1 AND a.id = $2 {alone a}`, owner, id)
	if err != nil || len(rows) == 0 {
		return nil, orMissing(err, runs.ErrNoAssistant)
	}
	return rows[0], nil
}

// use makes a version of a locked assistant the one that is used.
func (s *Store) use(ctx context.Context, tx *sql.Tx, a *lockedAssistant, version *runs.Assistant) error {
	values, err := assistantValues(version)
	if err != nil {
		return err
	}
	_, err = s.exec(ctx, tx, `UPDATE agenthost_run_assistants SET folded = $2, newest = $3, version = $4, agent = $5, name = $6, description = $7,
		config = $8, context = $9, metadata = $10, updated = $11 WHERE no = $1`,
		append([]any{a.no, rule.Fold(version.Name), max(a.newest, version.Version)}, values...)...)
	return err
}

// ChangeAssistant adds a version, see [runs.Assistants].
func (s *Store) ChangeAssistant(ctx context.Context, owner, id string, change func(a *runs.Assistant) error) (next *runs.Assistant, err error) {
	if err := known(owner, id, runs.ErrNoAssistant); err != nil {
		return nil, err
	}
	err = s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		a, err := s.lockAssistant(ctx, tx, owner, id)
		if err != nil {
			return err
		}
		if next, err = rule.ChangeAssistant(&a.used, a.newest+1, s.now(), theirs(change)); err != nil {
			return err
		}
		values, err := assistantValues(next)
		if err != nil {
			return err
		}
		if err := s.addVersion(ctx, tx, a.no, values); err != nil {
			return err
		}
		return s.use(ctx, tx, a, next)
	})
	if err != nil {
		return nil, err
	}
	return next, nil
}

const versionColumns = `a.owner, a.id, v.agent, v.name, v.description, v.config, v.context, v.metadata, v.version, a.created, v.updated`

// UseVersion changes the version that is used, see [runs.Assistants].
func (s *Store) UseVersion(ctx context.Context, owner, id string, version int) (used *runs.Assistant, err error) {
	if err := known(owner, id, runs.ErrNoAssistant); err != nil {
		return nil, err
	}
	err = s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		a, err := s.lockAssistant(ctx, tx, owner, id)
		if err != nil {
			return err
		}
		now := s.now()
		if _, err := s.exec(ctx, tx, `UPDATE agenthost_run_assistant_versions SET updated = $3 WHERE assistant = $1 AND version = $2`,
			a.no, version, micros(now)); err != nil {
			return err
		}
		rows, err := collect(ctx, s, tx, scanPlainAssistant, `SELECT `+versionColumns+` FROM agenthost_run_assistants a
			JOIN agenthost_run_assistant_versions v ON v.assistant = a.no WHERE a.no = $1 AND v.version = $2`, a.no, version)
		if err != nil || len(rows) == 0 {
			return orMissing(err, runs.ErrNoVersion)
		}
		used = &rows[0]
		return s.use(ctx, tx, a, used)
	})
	if err != nil {
		return nil, err
	}
	return used, nil
}

// Versions returns versions of an assistant, see [runs.Assistants].
func (s *Store) Versions(ctx context.Context, owner, id string, metadata runs.Metadata, limit, offset int) ([]runs.Assistant, error) {
	if err := runs.CheckVersions(metadata, limit, offset); err != nil {
		return nil, err
	}
	if err := known(owner, id, runs.ErrNoAssistant); err != nil {
		return nil, err
	}
	numbers, err := collect(ctx, s, s.db.Reads(), scanNumber, `SELECT no FROM agenthost_run_assistants WHERE owner = $1 AND id = $2`, owner, id)
	if err != nil || len(numbers) == 0 {
		return nil, s.db.Failed(orMissing(err, runs.ErrNoAssistant))
	}
	list := &search{from: "agenthost_run_assistants a JOIN agenthost_run_assistant_versions v ON v.assistant = a.no"}
	list.add("a.no = ?", numbers[0])
	if len(metadata) > 0 {
		text, err := metadataText(metadata)
		if err != nil {
			return nil, err
		}
		list.add("{contains v.metadata ?}", text)
	}
	statement, args := list.ordered(versionColumns, "v.version DESC", limit, offset)
	rows, err := collect(ctx, s, s.db.Reads(), scanPlainAssistant, statement, args...)
	return rows, s.db.Failed(err)
}

// FindAssistants returns a page of assistants, see [runs.Assistants].
func (s *Store) FindAssistants(ctx context.Context, owner string, q *runs.AssistantQuery) (page []runs.Assistant, total int, err error) {
	if err := q.Check(); err != nil {
		return nil, 0, err
	}
	if err := runs.CheckOwner(owner); err != nil {
		return nil, 0, err
	}
	list := &search{from: "agenthost_run_assistants a"}
	list.add("owner = ?", owner)
	if q.Agent != "" {
		list.add("agent = ?", q.Agent)
	}
	if q.Name != "" {
		list.add("replace(folded, ?, '') <> folded", rule.Fold(q.Name)) // it is a part of it, in every database
	}
	if err := list.contains(q.Metadata); err != nil {
		return nil, 0, err
	}
	order := map[runs.Sort]string{
		"": "created", runs.SortID: "id", runs.SortCreated: "created", runs.SortUpdated: "updated", runs.SortName: "name", runs.SortAgent: "agent",
	}[q.Sort]
	return find(ctx, s, list, scanPlainAssistant, assistantColumns, order, &q.Page)
}

// DeleteAssistant removes an assistant, see [runs.Assistants].
func (s *Store) DeleteAssistant(ctx context.Context, owner, id string) error {
	if err := known(owner, id, runs.ErrNoAssistant); err != nil {
		return err
	}
	return s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		n, err := s.exec(ctx, tx, `DELETE FROM agenthost_run_assistants WHERE owner = $1 AND id = $2`, owner, id)
		if err != nil || n == 0 {
			return orMissing(err, runs.ErrNoAssistant)
		}
		_, err = s.exec(ctx, tx, `DELETE FROM agenthost_run_schedules WHERE owner = $1 AND assistant = $2`, owner, id)
		return err
	})
}
