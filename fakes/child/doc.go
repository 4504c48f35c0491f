// Package child is what fakes have in common whose runtime is a program: the wrapper
// that an adapter starts, the control socket between the process and its puppet, the
// census of processes, signals, and the life of a process between its first and its
// last byte. A fake adds argv, frames and manners.
//
// On the puppet's side [New] gives a [Runtime] whose runs are processes. On the other
// side [Program.Player] calls the program's Play with a [Process], which takes orders,
// signals and input one after another and tells an [Actor]:
//
//	p.Begin(call)                     // the run is known from here on
//	return p.Serve(actor)             // until the process ends
//
// A program that is started by hand has no puppet: [Alone] makes such a process, and
// [Process.Perform] plays the frames of a script.
//
// All that leaves the process goes through one [wire.Writer], so that every fault of
// package wire strikes every fake in the same way. A process of a puppet ends when the
// puppet is gone.
//
// The package imports fakes, fakes/script and fakes/wire.
package child
