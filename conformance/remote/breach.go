package remote

// Breach is a closed code for a line that breaks the protocol. Such a line is
// counted and otherwise passed over.
type Breach string

// The closed set of breaches.
const (
	LineGarbage      Breach = "line-garbage"      // no JSON
	LineNotObject    Breach = "line-not-object"   // JSON, and no object
	LineBlank        Breach = "line-blank"        // nothing but white space
	LineTooLong      Breach = "line-too-long"     // above the bound
	LineUnterminated Breach = "line-unterminated" // the output ended in the middle of a line
	AnswerMalformed  Breach = "answer-malformed"  // not a JSON-RPC 2.0 response: no version, or not one of result and error
	AnswerUnknownID  Breach = "answer-unknown-id" // to a request that was never made
	AnswerRepeated   Breach = "answer-repeated"   // to a request that was answered before
	Notification     Breach = "notification"      // the protocol has none
	CallMalformed    Breach = "call-malformed"    // a request without a usable id
	CallUnknown      Breach = "call-unknown"      // a call-back that does not exist
)

// Breaches lists the codes in a fixed order.
func Breaches() []Breach {
	return []Breach{LineGarbage, LineNotObject, LineBlank, LineTooLong, LineUnterminated,
		AnswerMalformed, AnswerUnknownID, AnswerRepeated, Notification, CallMalformed, CallUnknown}
}
