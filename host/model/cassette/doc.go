// Package cassette records what models are asked and what they answer, and answers the same requests again without the models. A test
// of an agent with a cassette needs no key, no network and no provider, and always goes the same way.
//
// [Recorder.Model] wraps a model of any provider, also as a moderator and decision model, [Recorder.Embedder] wraps an embedding model, and
// [Recorder.Cassette] returns what they were asked. [Cassette.Write] writes a file of JSON lines that people can read and review. [Load] reads it,
// and [Player.Model] and [Player.Embedder] return models that answer from it. A request is compared without the ids and the metadata of
// messages, as providers get it. A request that is not recorded fails with a [*MismatchError], which shows the smallest difference from a
// recorded one.
//
// A cassette has the whole conversation. It never has keys and headers of requests to providers, since it is recorded before the
// provider's client adds them; [Recorder] hides other secrets that it is told.
package cassette
