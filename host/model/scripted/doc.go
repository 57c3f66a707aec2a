// Package scripted holds models that need no provider, for tests, demos and offline examples: [Turns] answers with a
// fixed list, [Echo] with what it was asked, and [Rules] with what the first matching rule says.
package scripted
