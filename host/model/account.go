package model

// Account says where a model sends which credential. It contains no secret.
type Account struct {
	Host     string     // the host of the server, with its port if the address names one
	Own      bool       // the server is the provider's own, reached over https
	Key      Credential // what authenticates the requests
	Variable string     // the environment variable that holds the key, or should hold it; "": the server has no key
	Named    bool       // the configuration names Variable; otherwise it is the usual one of the provider
	Misspelt string     // a variable that is set and whose name looks like a misspelling of Variable, which is not set; "": there is none
	Source   string     // what a platform takes its credentials from, for people, such as `the AWS profile "dev"`; "": there is no platform
	ID       string     // tells credentials apart within this process, and reveals nothing about them

	BaseURL         string // the address of the server, without a password or a query
	BaseURLVariable string // the environment variable that the address is from; "": it is configured, or the provider's own
	BaseURLInFile   bool   // BaseURLVariable is set in a project's env_file, and not in the environment
}

// Accountant is a model that authenticates with a key.
type Accountant interface {
	Model
	// Account describes the account that requests use. The error is an [*Error] for an invalid configuration.
	Account() (Account, error)
}

// Credential is where the credential of requests comes from.
type Credential string

// These are the sources of a credential.
const (
	CredentialNone     Credential = ""         // there is none: Account.Variable is not set
	CredentialGiven    Credential = "given"    // the program has set the key itself
	CredentialVariable Credential = "variable" // the key is in Account.Variable
	CredentialHeader   Credential = "header"   // the configured headers hold it
	CredentialPlatform Credential = "platform" // a cloud's own credentials authorize each request: see Account.Source
	// CredentialWithheld means that Account.Variable holds the provider's key, which is not sent: the server is another one, and
	// the configuration does not say that it may have the key.
	CredentialWithheld Credential = "withheld"
)
