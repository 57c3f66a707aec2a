package provider

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// server is what errors say about the server of an endpoint, and how people correct it.
type server struct {
	own        bool   // it is the provider's own
	addressKey string // what sets its address, such as "OLLAMA_HOST"; "": base_url
	start      string // the command that starts it, if people run it themselves
	load       string // the command that loads a model, with MODEL for its name
	model      string // the name of the model
	key        string // where the key of the requests is from, such as "the environment variable X"; "": there is none, or it is not known
	keyless    bool   // no key is sent, although the server may want one
	unnamed    bool   // no key is sent, and nothing names a variable for one
	litellm    bool   // it is a LiteLLM proxy
}

// of describes the server of a model for errors.
func (s *Service) of(o *Options, account *model.Account) *server {
	out := &server{
		own: account.Own, addressKey: account.BaseURLVariable, start: s.Start, load: s.Load, model: o.Model, litellm: s.LiteLLM,
		keyless: account.Variable != "" && (account.Key == model.CredentialNone || account.Key == model.CredentialWithheld),
		unnamed: account.Variable == "" && account.Key == model.CredentialNone,
	}
	if out.addressKey == "" && o.BaseURL == "" && s.BaseURLVariable != "" {
		out.addressKey = "base_url or " + s.BaseURLVariable
	}
	switch {
	case account.Key == model.CredentialHeader:
		out.key = "the headers of the model"
	case account.Key == model.CredentialVariable && o.InFile != nil && o.InFile(account.Variable):
		out.key = "the variable " + account.Variable + " in env_file"
	case account.Key == model.CredentialVariable:
		out.key = "the environment variable " + account.Variable
	}
	return out
}

// address returns the name of what sets the address.
func (s *server) address() string { return cmp.Or(s.addressKey, "base_url") }

// wayOut says what to do if the server cannot be reached.
func (s *server) wayOut(why cause) string {
	where := s.address()
	switch {
	case why == causeNoTLS:
		return "if the server has no TLS, write http:// in place of https:// in " + where
	case why == causeTLS:
		return "check that " + where + " leads to the right server and port, and that the server supports TLS 1.2 or later"
	case s.own:
		return "check the network connection and, if your network needs a proxy, the key proxy of the model or HTTPS_PROXY"
	case why == causeAddress:
		return "correct " + where + ", or check the network connection"
	case why == causeServer && s.start != "":
		return "start the server with '" + s.named(s.start) + "', or correct " + where + " if it runs elsewhere"
	case why == causeServer:
		return "check that the server is running, and correct " + where + " if it runs elsewhere"
	default:
		return "check that the server is running and that " + where + " is right, and look for a firewall, VPN or proxy in between"
	}
}

func (s *server) named(command string) string { return strings.ReplaceAll(command, "MODEL", s.model) }

// classify corrects the kind of a failure to which a server gives the wrong status.
func (s *server) classify(status int, r failureReport, kind model.ErrorKind) (model.ErrorKind, string) {
	switch {
	case status == http.StatusBadRequest && kind == model.ErrorInvalidRequest && badModel().MatchString(r.message):
		return model.ErrorNotFound, ""
	case r.has("no_db_connection"):
		// https://docs.litellm.ai/docs/proxy/virtual_keys: keys other than the master key are in a database.
		return model.ErrorAuthentication, "a LiteLLM proxy without a database answers so to a wrong key"
	case s.mayWantKey(status, r):
		if s.litellm {
			kind = model.ErrorAuthentication
		}
		return kind, "a LiteLLM proxy without a database answers so to a request without a key"
	case status == http.StatusBadRequest && strings.Contains(r.message, "Invalid model name passed in model="):
		return model.ErrorNotFound, "" // a LiteLLM proxy says so
	default:
		return kind, ""
	}
}

// mayWantKey reports whether a failure that says nothing may be a LiteLLM proxy's answer to a request without a key.
func (s *server) mayWantKey(status int, r failureReport) bool {
	return !s.own && s.keyless && s.start == "" && status == http.StatusInternalServerError && r.message == http.StatusText(status)
}

// advice says what to do about an error response; "" if there is nothing to add.
func (s *server) advice(req *http.Request, kind model.ErrorKind, status int, r failureReport) string {
	switch {
	case kind == model.ErrorAuthentication && status != http.StatusProxyAuthRequired && s.key != "":
		return "the key is from " + s.key + "; check that it is a valid key for " + req.URL.Hostname()
	case kind == model.ErrorAuthentication && status != http.StatusProxyAuthRequired && s.unnamed:
		return "no key was sent; name the variable that holds a key for " + req.URL.Hostname() + " with api_key_env"
	case status != http.StatusNotFound && kind != model.ErrorNotFound:
		return ""
	case s.unknownModel(r) && s.load != "":
		return "the server does not have the model " + s.model + "; load it with '" + s.named(s.load) + "', or correct the name of the model"
	case s.unknownModel(r):
		return "the server does not have the model " + s.model + "; correct the name of the model"
	case status == http.StatusNotFound && !s.own && req.Method == http.MethodPost:
		return s.wrongPath(req)
	default:
		return ""
	}
}

// maxModelName is the maximum length in bytes of a name that is searched for in messages.
const maxModelName = 300

// unknownModel reports whether a server says that it does not have the model.
func (s *server) unknownModel(r failureReport) bool {
	if r.has("model_not_found") {
		return s.model != ""
	}
	message := strings.ToLower(r.message)
	if s.model == "" || len(s.model) > maxModelName || !strings.Contains(message, "model") {
		return false
	}
	return strings.Contains(message, strings.ToLower(s.model)) || badModel().MatchString(message) || noSuchModel().MatchString(message)
}

// badModel matches what OpenRouter, LiteLLM, Mistral and DeepSeek answer with the status 400 if they do not have a model. Other messages may
// mean that the model lacks an ability.
var badModel = lazyregexp.New(`(?i)\bnot a valid model id\b|\binvalid model name\b|^invalid model: |^model not exist$`)

var noSuchModel = lazyregexp.New(`\b(no such|unknown|invalid) model|\bmodel\b.{0,80}\b(not found|not exist|unknown|not available|not loaded|not supported)`)

var (
	versionTwice = lazyregexp.New(`/v1/(?:.*/)?v1/`)
	version      = lazyregexp.New(`/(?:v\d+\w*|openai|api)/`)
)

// wrongPath says what is probably wrong with the address of a server that does not know its path.
func (s *server) wrongPath(req *http.Request) string {
	where, asked := s.address(), req.Method+" "+short(req.URL.Path)
	switch {
	case versionTwice().MatchString(req.URL.Path):
		return "the request was " + asked + ", with /v1 twice; remove /v1 from " + where
	case !version().MatchString(req.URL.Path):
		return "the request was " + asked + "; the address of most servers ends with /v1, so add it to " + where
	case strings.HasSuffix(req.URL.Path, "/responses"):
		return "the request was " + asked + "; the server may have no Responses API, so set api: chat_completions, or correct " + where
	default:
		return "the request was " + asked + "; check " + where
	}
}
