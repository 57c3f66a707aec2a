package provider

import (
	"errors"
	"strings"

	"github.com/agenthost/agenthost/host/model"
)

// keySuffix is how the names of variables with keys end, by the convention of the providers' own clients.
const keySuffix = "_API_KEY"

// wrongSuffixes are what people write in place of keySuffix.
var wrongSuffixes = []string{"_KEY", "_APIKEY", "_API_TOKEN", "_TOKEN", "_SECRET_KEY", "_API_KEYS"}

// misspelt returns a variable that is set and that is named almost like another one; "" if there is none. It does not look at what the variable holds.
func misspelt(variable string, lookup func(name string) (string, bool)) string {
	stem, ok := strings.CutSuffix(variable, keySuffix)
	if !ok || stem == "" {
		return ""
	}
	var near []string
	for _, suffix := range wrongSuffixes {
		near = append(near, stem+suffix)
	}
	if shorter, ok := strings.CutSuffix(stem, "_PROXY"); ok {
		near = append(near, shorter+keySuffix, shorter+"_KEY")
	}
	near = append(near, "API_KEY_"+stem, stem+"API_KEY", strings.ToLower(variable))
	for _, name := range near {
		if value, _ := lookup(name); strings.TrimSpace(value) != "" {
			return name
		}
	}
	return ""
}

// Rename says that a variable is set in place of another one.
func Rename(misspelt, variable string) string {
	return misspelt + " is set, but the name must be " + variable + ": rename it"
}

// setIt returns the advice for a variable that is not set, unless one with a similar name is.
func setIt(account *model.Account, advice string) string {
	if account.Misspelt != "" {
		return Rename(account.Misspelt, account.Variable)
	}
	return advice
}

// noKey returns the error for a call without an API key.
func noKey(name string, account *model.Account) *model.Error {
	return &model.Error{
		Provider: name, Kind: model.ErrorAuthentication,
		Err: errors.New("there is no API key; " +
			setIt(account, "set the environment variable "+account.Variable+", or write it into the manifest's env_file")),
	}
}
