// Package rule decides what stores of runs must decide alike, without keeping anything.
package rule
