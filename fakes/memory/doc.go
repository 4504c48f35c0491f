// Package memory is the fake runtime that lives in this process. Its wire is a
// Go value: an adapter opens a [Conn] and reads frames from it as they are.
//
// It plays everything that has a meaning without a process, bytes, requests or a
// provider; a frame that has none (raw bytes, stderr, exit, signals, a log, answers to
// requests, attempts) is fakes.ErrUnplayable.
//
// Connections can be lost, and so can single frames: a client comes back for a run by the
// place up to which it has read it, and is told what it has missed. A restart forgets the
// runs that it met.
//
// Its wire has one rule of its own: input tokens do not include cached ones. On
// cancel it ends the run as aborted by itself, unless a fault says otherwise.
package memory
