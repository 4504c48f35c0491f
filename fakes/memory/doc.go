// Package memory is the fake runtime that lives in this process. Its wire is a
// Go value: an adapter opens a [Conn] and reads frames from it as they are.
//
// It plays everything that has a meaning without a process, bytes, requests or a
// provider; a frame that has none (raw bytes, stderr, exit, signals, a log, answers to
// requests, attempts) is fakes.ErrUnplayable.
//
// Its wire has one rule of its own: input tokens do not include cached ones. On
// cancel it ends the run as aborted by itself, unless a fault says otherwise.
package memory
