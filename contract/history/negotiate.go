package history

import "fmt"

// The reasons that negotiation gives by itself.
const (
	reasonDuplicate = "declared more than once by the runtime adapter"
	reasonVersion   = "declared as supported under a missing or invalid version"
	reasonNoReason  = "declared as unsupported without a reason"
	reasonMissing   = "not declared by the runtime adapter"
)

// Negotiate settles which capabilities are enabled: those that are requested and
// supported. It looks at the declarations only, never at ports. A malformed
// declaration counts as unsupported and touches no other one; nothing is fatal.
// Ids outside the registry vanish without a trace (history#negotiation).
func Negotiate(declarations []Declaration, requests []Request) Negotiation {
	n := Negotiation{
		ContractVersion: ContractVersion,
		Statuses:        []Status{},
		Enabled:         []Capability{},
		Disabled:        []Capability{},
		Diagnostics:     []Diagnostic{},
	}
	for _, id := range Capabilities() {
		status, code := settle(id, declarations)
		for _, r := range requests {
			if r.ID == id {
				status.Requested = true
				status.Required = status.Required || r.Required
			}
		}
		status.Enabled = status.Requested && status.Supported
		n.Statuses = append(n.Statuses, status)
		switch {
		case status.Enabled:
			n.Enabled = append(n.Enabled, id)
		case status.Requested:
			n.Disabled = append(n.Disabled, id)
			n.Diagnostics = append(n.Diagnostics, unavailable(status, code))
		}
	}
	return n
}

// settle decides about one capability without looking at requests. The code is
// that of the diagnostic if it is requested but not supported.
func settle(id Capability, declarations []Declaration) (Status, DiagnosticCode) {
	status := Status{ID: id}
	var first *Declaration
	copies := 0
	for i := range declarations {
		if declarations[i].ID == id {
			if copies++; copies == 1 {
				first = &declarations[i]
			}
		}
	}
	if first == nil {
		status.Reason = reasonMissing
		return status, CodeCapabilityUnsupported
	}
	status.Version = ParseVersion(first.Version)
	status.Reason = BoundReason(first.Reason)
	supported, told := first.Supported.Get()
	switch {
	case copies > 1:
		status.Reason = reasonDuplicate
		return status, CodeDeclarationInvalid
	case told && supported && status.Version == "":
		status.Reason = reasonVersion
		return status, CodeDeclarationInvalid
	case told && !supported && status.Reason == "":
		status.Reason = reasonNoReason
		return status, CodeDeclarationInvalid
	case !told && status.Reason == "":
		status.Reason = reasonMissing
	}
	status.Supported = supported
	return status, CodeCapabilityUnsupported
}

func unavailable(s Status, code DiagnosticCode) Diagnostic {
	kind, severity := "Optional", Info
	if s.Required {
		kind, severity = "Required", Warning
	}
	return Diagnostic{
		Code:       code,
		Severity:   severity,
		Message:    fmt.Sprintf("%s capability %s is not available: %s", kind, s.ID, s.Reason),
		Capability: s.ID,
	}
}

// ParseVersion returns a capability's version without the white space around it,
// or nothing if it is not one: 1 to 64 letters, digits, dots, underscores and
// hyphens, the first a letter or a digit, in either case, which is kept. Letters
// are those of ASCII and the two characters that Unicode folds to them, U+017F and
// U+212A (history#capability-version).
func ParseVersion(s string) string {
	s = trim(s)
	units := 0
	for i, r := range s {
		units++
		if units > MaxVersionUnits {
			return ""
		}
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == 0x17F, r == 0x212A:
		case i > 0 && (r == '.' || r == '_' || r == '-'):
		default:
			return ""
		}
	}
	return s
}

// BoundReason is the reason of a declaration as a status shows it: every run of
// white space is one space, the ends are trimmed, and then at most 240 UTF-16 code
// units are kept. The cut may leave a space at the end; it never leaves half a
// character (history#reason-bounded).
func BoundReason(s string) string { return cutUnits(fold(s), MaxReasonUnits) }
