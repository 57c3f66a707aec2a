package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/plugin/minisig"
	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/terminal"
)

func (a *app) pluginKeygenCommand() *cobra.Command {
	var open bool
	c := &cobra.Command{
		Use:   "keygen NAME [flags]",
		Short: "Make a key pair to sign plugins and agents",
		Long: `Write a new pair of keys in the format of minisign: NAME.key, which signs and which you keep to yourself,
and NAME.pub, which you give to the users of your plugins. The private key is encrypted with a password,
which you type or which the variable AGENTHOST_KEY_PASSWORD has, unless you add --no-password. Existing
files are never replaced.`,
		Example: `  agenthost plugin keygen acme
  agenthost plugin keygen ci --no-password`,
		Args: arguments("NAME"),
		RunE: func(_ *cobra.Command, args []string) error { return a.pluginKeygen(args[0], open) },
	}
	c.Flags().BoolVar(&open, "no-password", false, "do not encrypt the private key: whoever can read the file can sign")
	return c
}

func (a *app) pluginKeygen(name string, open bool) error {
	fail := func(code int, err error) error { return &exitError{code, fmt.Errorf("plugin keygen: %w", err)} }
	if ext := filepath.Ext(name); ext == ".key" || ext == ".pub" {
		return fail(exitUsage, fmt.Errorf("leave %s out of the name: the command makes two files, NAME.key and NAME.pub", ext))
	}
	private, public := name+".key", name+".pub"
	for _, path := range []string{private, public} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return fail(exitUsage, fmt.Errorf("%s is there already, and a lost key cannot be made again; choose another name", path))
		}
	}
	password := ""
	if !open {
		var err error
		if password, err = a.newPassword(); err != nil {
			return fail(exitUsage, err)
		}
	}
	key, err := minisig.Generate()
	if err != nil {
		return fail(exitFailed, err)
	}
	secret, known, err := key.Files(password)
	if err == nil {
		err = atomicfile.Write(private, secret, 0o600)
	}
	if err == nil {
		err = atomicfile.Write(public, known, 0o644)
	}
	if err != nil {
		return fail(exitFailed, err)
	}
	_, err = fmt.Fprintf(a.out, "%s: the private key; keep it to yourself\n%s: the public key\n  %s\n",
		terminal.Line(private), terminal.Line(public), key.Public())
	return err
}

// newPassword asks for a password twice.
func (a *app) newPassword() (string, error) {
	first, err := a.password("New password: ")
	if err != nil {
		return "", fmt.Errorf("%w, or add --no-password", err)
	}
	if os.Getenv(keyPassword) != "" {
		return first, nil
	}
	second, err := a.password("The same password again: ")
	switch {
	case err != nil:
		return "", err
	case first == "":
		return "", errors.New("the password is empty; to have none, add --no-password")
	case first != second:
		return "", errors.New("the passwords differ; nothing was written")
	default:
		return first, nil
	}
}
