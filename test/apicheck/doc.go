// Package apicheck holds conversations of tests against the description of the server's API.
package apicheck
