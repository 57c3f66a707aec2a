// Package scripted holds models that need no provider, for tests, demos and offline examples: [Turns] answers from a fixed
// list, [Echo] repeats its input, and [Rules] answers by the first matching rule.
package scripted
