package manifest

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
)

// addModels adds values after the other keys of each model of a provider: its address if an environment variable sets it and, with defaults,
// what holds for keys that the model leaves out.
func (m *Manifest) addModels(l *listing, defaults bool) error {
	add := func(path string, entry *modelEntry) error {
		if err := m.addAddress(l, path, entry, defaults); err != nil || !defaults || entry.provided == nil {
			return err
		}
		given := entry.node.Keys() // none of a text
		for _, value := range entry.provided.defaults() {
			if !slices.Contains(given, value.Key) {
				l.insert(path, Value{path + "." + value.Key, value.Value, OriginDefault})
			}
		}
		return nil
	}
	if err := add("model", &m.Model); err != nil {
		return err
	}
	for i := range m.Models {
		if err := add("models."+m.Models[i].Key, &m.Models[i].Value); err != nil {
			return err
		}
	}
	return nil
}

func (m *Manifest) addAddress(l *listing, path string, entry *modelEntry, defaults bool) error {
	if entry.provided == nil || entry.provided.baseURL != "" {
		return nil
	}
	built, err := entry.build(m)
	if err != nil {
		return err
	}
	accountant, ok := model.As[model.Accountant](built)
	if !ok {
		return nil
	}
	account, err := accountant.Account()
	if err != nil {
		return nil //nolint:nilerr // the commands that use the model report it
	}
	origin := OriginDefault
	switch {
	case account.BaseURL == "":
		return nil
	case account.BaseURLInFile:
		origin = account.BaseURLVariable + " in env_file"
	case account.BaseURLVariable != "":
		origin = account.BaseURLVariable + " in the environment"
	case !defaults:
		return nil
	}
	l.insert(path, Value{path + ".base_url", account.BaseURL, origin})
	return nil
}

// insert adds a value after the others of a model.
func (l *listing) insert(path string, value Value) {
	at := len(l.values)
	for i, other := range l.values {
		if other.Key == path || strings.HasPrefix(other.Key, path+".") {
			at = i + 1
		}
	}
	l.values = slices.Insert(l.values, at, value)
}

// defaults returns the defaults of keys of the model. Keys that its other keys exclude have none.
func (e *providerEntry) defaults() []Value {
	limits := model.Limits{}.WithDefaults()
	if e.background {
		limits.Timeout = openai.DefaultBackgroundTimeout
	}
	var out []Value
	add := func(applies bool, key, value string) {
		if applies {
			out = append(out, Value{Key: key, Value: value})
		}
	}
	chats := e.api != decisionsAPI
	streams := chats && !e.wholeAnswers && !e.background
	add(chats, "on_cut_off", string(model.CutOffWarn))
	add(e.cutOff.OnCutOff == string(model.CutOffContinue), "max_continuations", strconv.Itoa(model.DefaultContinuations))
	add(streams, "stream", "true")
	add(true, "timeout", shownDuration(limits.Timeout))
	add(streams, "first_token_timeout", shownDuration(limits.FirstTokenTimeout))
	add(streams, "idle_timeout", shownDuration(limits.IdleTimeout))
	add(true, "max_retries", strconv.Itoa(limits.MaxRetries))
	return out
}

// shownDuration writes a duration as a manifest does: 10m and not 10m0s.
func shownDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
