package privacy

import "strings"

// maxStandIn bounds what is looked at: names and words are short.
const maxStandIn = 128

// isStandIn reports whether a value only names a type, or where the secret is to be
// found, or shows that it was left out, as code and documents do.
func isStandIn(value string) bool {
	mask := isMask(value)
	value = strings.TrimLeft(value, "&*")
	for _, head := range []string{
		"process.env", "os.environ", "os.getenv(", "os.Getenv(", "${", "$(", "{{", "{", "[", "(", "%(", "!vault", "!secret", "!Ref", "!ref", "!Sub", "!env", "!ENV",
		".*", "your-", "your_", "YOUR-", "YOUR_", "vault:", "env:", "file:", "op://", "arn:aws:",
	} {
		if strings.HasPrefix(value, head) {
			return true
		}
	}
	if mask || len(value) > maxStandIn {
		return mask
	}
	first := value
	if n := strings.IndexByte(first, '|'); n > 0 {
		first = first[:n] // required|min:8
	}
	if standIns[strings.ToLower(strings.TrimRight(first, ".:?!|()*&>"))] {
		return true
	}
	if word, ok := strings.CutPrefix(value, "<"); ok && (strings.HasSuffix(word, ">") || isPlainWord(word)) {
		return true
	}
	if strings.HasPrefix(value, "%") && strings.HasSuffix(value, "%") {
		return true
	}
	if name, ok := strings.CutPrefix(value, "$"); ok {
		return isIdentifierPath(name) && (namesSecret(name) || strings.ToUpper(name) == name)
	}
	return strings.ToUpper(value) == value && isIdentifierPath(value) && namesSecret(value)
}

// standIns are types, words of code, and words that say what a secret is like.
var standIns = set(`string str number bool boolean bytes byte object null none nil undefined true false
	optional text char chararray varchar any integer buffer secretstr
	password passwort passwd pass kennwort contraseña secret token value input hash hashed plain data body
	name field line user result default
	await async function func lambda return yield
	required invalid missing empty unset hidden masked redacted omitted encrypted expired incorrect wrong
	enabled disabled always never prompt ask`)

// isMask reports whether a value is one character over and over, as where a secret
// was blotted out.
func isMask(value string) bool {
	c := value[0]
	if isAlnum(c) && c != 'x' && c != 'X' {
		return false
	}
	rest := strings.TrimLeft(value, value[:1])
	return rest == "" || c >= 0x80 && strings.Trim(value, "•●…") == ""
}

// isReference reports whether a value without quotes is code that leads to the
// secret: a call, an element of a list, a field of a record, or a variable that is
// named after it.
func isReference(value string) bool {
	value = strings.TrimLeft(value[:min(len(value), maxStandIn)], ">&*!")
	n := run(value, 0, isPathChar)
	path := value[:n]
	if !isIdentifierPath(path) || countDigits(path) > 3 {
		return false
	}
	if n < len(value) && (strings.IndexByte("([<", value[n]) >= 0 || value[n] == '=' && namesSecret(path)) {
		return true // also the next assignment, behind an empty one
	}
	switch rest := strings.TrimRight(value[n:], ".:?!|()*&>`\\"); {
	case rest != "":
		return false
	case namesSecret(path):
		return true
	}
	root, _, nested := strings.Cut(path, ".")
	last := path[strings.LastIndexByte(path, '.')+1:]
	return nested && (roots[strings.ToLower(root)] || standIns[strings.ToLower(last)])
}

func countDigits(s string) int {
	n := 0
	for i := range len(s) {
		if '0' <= s[i] && s[i] <= '9' {
			n++
		}
	}
	return n
}

func isPathChar(c byte) bool {
	return isWord(c) || c == '.' || c == '$' || c == '?' || c == '-' || c == '>'
}

// isIdentifierPath reports whether a text is identifiers joined by dots or arrows.
func isIdentifierPath(path string) bool {
	path = strings.ReplaceAll(strings.ReplaceAll(path, "?.", "."), "->", ".")
	if path == "" || path[0] == '.' || '0' <= path[0] && path[0] <= '9' {
		return false
	}
	return run(path, 0, func(c byte) bool { return isWord(c) || c == '.' || c == '$' }) == len(path)
}

// roots are what records that hold secrets are called in code.
var roots = set(`self this args opts options cfg config conf settings env process os req request user props form
	data params ctx context creds credentials secrets vault state values input body event app flags viper var
	local module each spec s c r u cmd client server account auth login z joi yup`)

// isProseWord reports whether a word that follows a colon is a sentence going on.
func isProseWord(word string) bool {
	if len(word) > maxStandIn {
		return false
	}
	return functionWords[strings.ToLower(strings.Trim(word, ".,:;!?()*_`"))]
}

// isProse reports whether several words are a sentence or a label: it begins with a
// capital and goes on without, or has the small words that hold a sentence together.
// A sentence about lengths has a small number at most.
func isProse(text string) bool {
	digits := countDigits(text)
	words, capitals := 0, 0
	for word := range strings.FieldsFuncSeq(text, isSpace) {
		if words++; isProseWord(word) && digits < 3 {
			return true
		}
		if 'A' <= word[0] && word[0] <= 'Z' && words > 1 {
			capitals++
		}
	}
	return 'A' <= text[0] && text[0] <= 'Z' && capitals == 0 && digits == 0
}

// functionWords hold sentences together in English, German, Spanish and French.
// None of them has been a good password.
var functionWords = set(`a an and any are as at be been before both but by can cannot for from has have how if in
	is it its least less longer many match matches may minimum maximum more most must need needed needs no not
	of on only or our please same see set should shall than that the their them then there these they this
	those too under until was what when where whether which while who will with without you your read same
	like changed reset stored kept sent used written protected chosen left enter choose type use
	aber auf aus bei bitte das dein dem den der des die diese ein eine eingeben es für hier ihr ihre ist kein
	keine mit muss müssen nach nicht nur oder siehe sind und vom von wird zu zum zur
	con como debe del desde donde el ella en entre es esta este esto la las los más muy nada nunca para pero
	por porque que quien según ser si sin sobre su sus también tu tus un una unas unos y ya
	avec dans doit est et le les ou par pas pour sans sur une votre voir`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
