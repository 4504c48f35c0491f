package privacy

import (
	"context"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// Enforce is [Engine.Sanitize] in the words of the contract.
func (e *Engine) Enforce(_ context.Context, provider string, payload any) (history.PrivacyResult, error) {
	res, err := e.Sanitize(provider, payload)
	if err != nil {
		return history.PrivacyResult{}, err
	}
	return history.PrivacyResult{
		Provider:         provider,
		Destination:      res.Destination,
		Payload:          res.Payload,
		Changed:          res.Changed,
		BlockedBlocks:    res.Blocked,
		SecretRedactions: res.Secrets,
	}, nil
}
