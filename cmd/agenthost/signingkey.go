package main

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/term"

	"github.com/agenthost/agenthost/host/plugin/minisig"
	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/terminal"
)

const (
	// keyPassword is the variable with the password of a private key, for programs that sign.
	keyPassword = "AGENTHOST_KEY_PASSWORD" //nolint:gosec // its name
	// maxKeyFile is the size of the largest file of a key, in bytes.
	maxKeyFile = 4 << 10
)

// signingKey reads a private key. The password of an encrypted one comes from the environment, or from the person at the terminal.
func (a *app) signingKey(path string) (minisig.PrivateKey, error) {
	file, err := regularfile.Read(path, maxKeyFile)
	if err != nil {
		return minisig.PrivateKey{}, err
	}
	password := ""
	if minisig.IsEncrypted(file) {
		if password, err = a.password("Password of " + path + ": "); err != nil {
			return minisig.PrivateKey{}, fmt.Errorf("%s: %w", path, err)
		}
	}
	key, err := minisig.ReadPrivateKey(file, password)
	if err != nil {
		return key, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

// password returns the password of a key.
func (a *app) password(question string) (string, error) {
	if password := os.Getenv(keyPassword); password != "" {
		return password, nil
	}
	in, ok := a.in.(*os.File)
	if !ok || !a.terminal {
		return "", errors.New("the key needs a password; run the command at a terminal, or set " + keyPassword)
	}
	fmt.Fprint(a.err, terminal.Line(question))
	password, err := term.ReadPassword(int(in.Fd()))
	fmt.Fprintln(a.err)
	if err != nil {
		return "", err
	}
	return string(password), nil
}
