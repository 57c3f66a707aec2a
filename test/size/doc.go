// Package size tests how large the command is, and what its small build can do.
package size
