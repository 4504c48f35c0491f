// Package vault keeps the keys of model providers at rest: one file, encrypted with age
// to an identity that lies beside it, both 0600 in a directory 0700.
//
//	v := vault.New(filepath.Join(home, "vault"))
//	err := v.Put("ANTHROPIC_API_KEY", key)
//	…
//	key, err := v.Get("ANTHROPIC_API_KEY")
//
// Whoever has the directory has the keys; a copy of one file of it, or a look into one,
// gives nothing away. Several processes may use a vault: each change is made under a lock
// and takes the place of the file as a whole.
package vault
