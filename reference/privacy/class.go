package privacy

// Class says how far a piece of text may travel.
type Class string

// The closed set of classes, from free to bound. Providers on this machine may see
// all of them; a remote one never sees LocalOnly.
const (
	Normal    Class = "normal"
	Internal  Class = "internal"
	Sensitive Class = "sensitive"
	LocalOnly Class = "local-only"
)

// Classes lists the classes, rising. The caller owns the slice.
func Classes() []Class { return []Class{Normal, Internal, Sensitive, LocalOnly} }

// rank orders the classes; -1 is no class.
func (c Class) rank() int {
	switch c {
	case Normal:
		return 0
	case Internal:
		return 1
	case Sensitive:
		return 2
	case LocalOnly:
		return 3
	}
	return -1
}

// higher returns the class that is bound more; a on ties.
func higher(a, b Class) Class {
	if b.rank() > a.rank() {
		return b
	}
	return a
}

// classSet is a set of classes; bit n is the class of rank n.
type classSet uint8

const everyClass classSet = 1<<4 - 1

func setOf(classes []Class) classSet {
	var s classSet
	for _, c := range classes {
		s |= 1 << c.rank()
	}
	return s
}

func (s classSet) has(c Class) bool { return s&(1<<c.rank()) != 0 }
