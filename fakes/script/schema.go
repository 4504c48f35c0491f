package script

import _ "embed"

//go:embed script.schema.json
var schemaFile []byte

// JSONSchema returns the published JSON Schema of a script or case, draft 2020-12, for
// editors. [Source.Script] and [Source.Case] are the judges: they also refuse what a
// schema cannot say, as text that is no JSON where JSON is meant.
func JSONSchema() []byte { return append([]byte(nil), schemaFile...) }
