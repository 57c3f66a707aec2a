// Package cassette records what models are asked and what they answer, and answers the same requests again without the models. A test
// of an agent with a cassette needs no key, no network and no provider, and always goes the same way.
//
// [Recorder.Model] wraps a model of any provider, and [Recorder.Cassette] returns what it was asked. [Cassette.Write] writes a file of
// JSON lines that people can read and review. [Load] reads it, and [Player.Model] returns a model that answers from it. A request is
// compared as a provider would get it: without the ids and the metadata of messages. A request that is not recorded fails with a
// [*MismatchError], which shows the smallest difference from a recorded one.
//
// A cassette has the whole conversation. It never has keys and headers of requests to providers, since it is recorded before the
// provider's client adds them; [Recorder] hides other secrets that it is told.
package cassette
