package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError rewrites the error about an invalid value of a flag: it says what to write, without the names of Go functions.
func flagError(_ *cobra.Command, err error) error {
	invalid, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	flag := invalid.GetFlag()
	given := strings.TrimSpace("--" + flag.Name + " " + invalid.GetValue())
	switch flag.Value.Type() {
	case "uint64", "int", "intSlice":
		return fmt.Errorf("%s: write the number in digits only, such as 50", given)
	case "duration":
		return fmt.Errorf("%s: write a duration with a unit, such as 30s or 2m", given)
	case "bool":
		return fmt.Errorf("%s: write true or false", given)
	default:
		return fmt.Errorf("%s: %w", given, invalid.Unwrap())
	}
}
