// Package yamltree reads YAML into values that know their place, for files whose
// mistakes are told by line and column and what was expected there.
//
//	root, err := yamltree.Parse(data)
//	if err == nil {
//		err = yamltree.Schema(root, "adaptercheck-config-v1")
//	}
//	if err != nil {
//		return fmt.Errorf("%s:%w", name, err) // name:3:5: …
//	}
//
// It reads what JSON can say: no anchors, no tags, no keys but texts, no key twice,
// one document. The package imports a YAML parser and internal/nearest.
package yamltree
