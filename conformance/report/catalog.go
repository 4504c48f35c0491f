package report

// CatalogSchema names the form of a [Catalog].
const CatalogSchema = "adaptercheck-catalog-v1"

// Catalog lists what can be checked.
type Catalog struct {
	Schema string         `json:"schema"`
	Checks []CatalogCheck `json:"checks"`
}

// CatalogCheck describes one check without running it. Title and Clause are the
// catalog's own words: Clause is an anchor in a page of the contract, such as
// executor#seq, and Title is one line of up to 160 characters without control
// characters.
type CatalogCheck struct {
	ID         Name       `json:"id"`
	Profile    Profile    `json:"profile"`
	Case       Name       `json:"case"`
	Clause     string     `json:"clause"`
	Level      Level      `json:"level"`
	Provenance Provenance `json:"provenance"`
	Needs      []Name     `json:"needs"`
	Codes      []Name     `json:"codes"`
	Title      string     `json:"title"`
}
