package report

import (
	_ "embed"
	"slices"
)

//go:embed report-v1.schema.json
var reportSchema []byte

//go:embed catalog-v1.schema.json
var catalogSchema []byte

// SchemaJSON returns the JSON Schema (2020-12) of a [Report]. It refuses what
// [Report.Validate] refuses. The caller may keep and change the bytes.
func SchemaJSON() []byte { return slices.Clone(reportSchema) }

// CatalogSchemaJSON returns the JSON Schema (2020-12) of a [Catalog].
func CatalogSchemaJSON() []byte { return slices.Clone(catalogSchema) }
