package wire

import "time"

// Host is the process behind a stream. It plays the faults that are not of the bytes.
type Host interface {
	// Pause lets time pass. What the process is told meanwhile may wait so long.
	Pause(d time.Duration)
	// Flood writes n bytes to the second channel.
	Flood(n int)
	// Close closes the stream; the process goes on.
	Close()
	// Cut closes the stream and lets the process end with exit code 0.
	Cut()
	// Exit lets the process end with a code, whatever it still had to say.
	Exit(code int)
	// Stay lets the process live until it is told to stop.
	Stay()
	// Hold starts a descendant that has the stream open.
	Hold() error
	// Ignore makes the process ignore a signal, by the name that frames use.
	Ignore(signal string)
	// Unread makes the process read nothing more of its input.
	Unread()
}

// Alone is a host for a stream without a process: it does nothing.
type Alone struct{}

// Pause does nothing.
func (Alone) Pause(time.Duration) {}

// Flood does nothing.
func (Alone) Flood(int) {}

// Close does nothing.
func (Alone) Close() {}

// Cut does nothing.
func (Alone) Cut() {}

// Exit does nothing.
func (Alone) Exit(int) {}

// Stay does nothing.
func (Alone) Stay() {}

// Hold does nothing.
func (Alone) Hold() error { return nil }

// Ignore does nothing.
func (Alone) Ignore(string) {}

// Unread does nothing.
func (Alone) Unread() {}
