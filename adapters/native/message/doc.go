// Package message holds the conversation of the native runtime in the one form that is
// kept: what every provider's dialect is rendered from, and what a transcript file holds.
//
//	talk := []message.Message{message.FromUser("hi"), {Role: message.Assistant, Content: []message.Part{message.Text("hello")}}}
//
// It imports a JSON codec.
package message
