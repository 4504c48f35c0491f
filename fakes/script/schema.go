package script

import _ "embed"

//go:embed script.schema.json
var schemaFile []byte

// JSONSchema returns the published JSON Schema of a script, draft 2020-12, for
// editors. [Parse] is the judge: it also refuses what a schema cannot say, as text
// that is no JSON where JSON is meant.
func JSONSchema() []byte { return append([]byte(nil), schemaFile...) }
