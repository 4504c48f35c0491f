package main

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/property"
)

// lawSchema is the form of a file that holds an input.
const lawSchema = "adaptercheck-law-v1"

// lawFile is an input that breaks a law.
type lawFile struct {
	Schema string         `json:"schema"`
	Law    string         `json:"law"`
	Should bool           `json:"should,omitzero"`
	Input  jsontext.Value `json:"input"`
}

// keep writes down the first input that breaks a law, if that was asked for.
func (f *propertyFlags) keep(l property.Law, failure property.Failure) error {
	if f.save == "" {
		return nil
	}
	data, err := json.Marshal(lawFile{lawSchema, l.Name(), f.should, failure.Input}, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	if err := create(f.save, append(data, '\n')); err != nil {
		return fmt.Errorf("flag --save: %w", err)
	}
	f.save = ""
	return nil
}
