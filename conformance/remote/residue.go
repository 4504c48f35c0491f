package remote

import "github.com/adaptercheck/adaptercheck/fakes"

// residue counts the descendants and the temporary files of a subject's process. They
// are told to be of an instance only while it is alone: as soon as there was another
// one beside it, nothing is told.
func (p *Process) residue(instance string, s *session) fakes.Residue {
	p.mu.Lock()
	alone := s == p.session && !p.shared[instance]
	p.mu.Unlock()
	children, ok := s.child.Descendants()
	if !alone || !ok {
		return fakes.Residue{Sight: fakes.SightNone}
	}
	return fakes.Residue{Children: children, Files: s.temporary(), Sight: fakes.SightProcess}
}
