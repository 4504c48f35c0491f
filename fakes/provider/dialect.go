package provider

// Dialect is the form in which a client talks to a provider of models.
type Dialect string

// The closed set of dialects.
const (
	Anthropic Dialect = "anthropic" // POST …/messages
	Chat      Dialect = "chat"      // POST …/chat/completions
	Responses Dialect = "responses" // POST …/responses
)

var dialects = []string{string(Anthropic), string(Chat), string(Responses)}

// Path is where a client of the dialect posts its requests, below the base address.
func (d Dialect) Path() string {
	switch d {
	case Anthropic:
		return "/v1/messages"
	case Chat:
		return "/v1/chat/completions"
	case Responses:
		return "/v1/responses"
	}
	return ""
}

// openAI reports whether the dialect is one of OpenAI's, with its errors and headers.
func (d Dialect) openAI() bool { return d != Anthropic }

// voice makes what renders an answer in the dialect.
func (d Dialect) voice(s *speaker) voice {
	switch d {
	case Anthropic:
		return &anthropicVoice{s: s}
	case Chat:
		return &chatVoice{s: s}
	default:
		return &responsesVoice{s: s}
	}
}
