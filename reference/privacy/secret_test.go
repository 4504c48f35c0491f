package privacy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type secretCase struct {
	text  string
	count int
	want  string
}

func runSecretCases(t *testing.T, cases []secretCase) {
	t.Helper()
	for _, c := range cases {
		got, n := redactSecrets(c.text, "")
		if diff := cmp.Diff(c, secretCase{c.text, n, got}, cmp.AllowUnexported(secretCase{})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if again, n := redactSecrets(got, ""); n != 0 || again != got {
			t.Errorf("redacting %q again: %d more, %q", got, n, again)
		}
	}
}

// The original's own answers, where they stand.
func TestSecretsAsTheOriginal(t *testing.T) {
	runSecretCases(t, []secretCase{
		{"sk-1234567", 0, "sk-1234567"},
		{"sk-12345678", 1, "[DS4 REDACTED CREDENTIAL]"},
		{"sk-ant-api03-abcdefgh", 1, "[DS4 REDACTED CREDENTIAL]"},
		{"sk-proj-abc_DEF-123", 1, "[DS4 REDACTED CREDENTIAL]"},
		{"xsk-abcdefgh1", 0, "xsk-abcdefgh1"},
		{"_sk-abcdefgh1", 0, "_sk-abcdefgh1"},
		{"sk-abcdefgh-", 1, "[DS4 REDACTED CREDENTIAL]-"},
		{"sk-abcdefg--", 0, "sk-abcdefg--"},
		{"SK-ABCDEFGH1", 0, "SK-ABCDEFGH1"},
		{"ghp_abcdefghijkl", 1, "[DS4 REDACTED CREDENTIAL]"},
		{"ghp_abcdefghijk", 0, "ghp_abcdefghijk"},
		{"gho_abcdefghijkl", 1, "[DS4 REDACTED CREDENTIAL]"},
		{"ghx_abcdefghijkl", 0, "ghx_abcdefghijkl"},
		{"AKIA0123456789ABCDEF", 1, "[DS4 REDACTED CREDENTIAL]"},
		{"AKIA0123456789ABCDEFG", 0, "AKIA0123456789ABCDEFG"},
		{"akia0123456789abcdef", 0, "akia0123456789abcdef"},
		{"Bearer abcdefgh", 1, "Bearer [DS4 REDACTED TOKEN]"},
		{"bearer   abcdefgh", 1, "bearer   [DS4 REDACTED TOKEN]"},
		{"Bearer abcdefg", 0, "Bearer abcdefg"},
		{"password=abcd", 1, "password=[DS4 REDACTED SECRET]"},
		{"password: abc", 0, "password: abc"},
		{"PASSWORD = 'hunter22'", 1, "PASSWORD = '[DS4 REDACTED SECRET]'"},
		{"client_secret=abcdef", 1, "client_secret=[DS4 REDACTED SECRET]"},
		{"clientsecret:abcdef", 1, "clientsecret:[DS4 REDACTED SECRET]"},
		{"api key=abcdef", 0, "api key=abcdef"},
		{"api_key=abcdef", 1, "api_key=[DS4 REDACTED SECRET]"},
		{"apikey=abcdef", 1, "apikey=[DS4 REDACTED SECRET]"},
		{"access-token=abcdef", 1, "access-token=[DS4 REDACTED SECRET]"},
		{"accesstoken=abcdef", 1, "accesstoken=[DS4 REDACTED SECRET]"},
		{"auth_token=abcdef", 1, "auth_token=[DS4 REDACTED SECRET]"},
		{"password=>hunter22", 1, "password=[DS4 REDACTED SECRET]"},
		{"Authorization: Bearer sk-abcdefgh12345", 1, "Authorization: Bearer [DS4 REDACTED CREDENTIAL]"},
		{"-----BEGIN RSA PRIVATE KEY-----\nx\n-----END EC PRIVATE KEY-----", 1, "[DS4 REDACTED PRIVATE KEY]"},
		{"-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----", 1, "[DS4 REDACTED PRIVATE KEY]"},
	})
}

// Secrets that the original leaves in or garbles.
func TestSecretsBeyondTheOriginal(t *testing.T) {
	runSecretCases(t, []secretCase{
		{"github_pat_11ABCDEFG0abcdefghijkl", 1, "[DS4 REDACTED CREDENTIAL]"},
		{"ASIA0123456789ABCDEF", 1, "[DS4 REDACTED CREDENTIAL]"},
		{"Basic dXNlcjpwYXNz", 1, "Basic [DS4 REDACTED TOKEN]"},
		{"xoxb-123456789012-abc", 1, "[DS4 REDACTED CREDENTIAL]"},
		{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", 1, "[DS4 REDACTED CREDENTIAL]"},
		{"AIzaSyA1234567890abcdefghijklmnopqrstuv", 1, "[DS4 REDACTED CREDENTIAL]"},
		{"password=\"a b c d\"", 1, "password=\"[DS4 REDACTED SECRET]\""},
		{"pwd=abcdef", 1, "pwd=[DS4 REDACTED SECRET]"},
		{"secret=abcdef", 1, "secret=[DS4 REDACTED SECRET]"},
		{"token=abcdef", 1, "token=[DS4 REDACTED SECRET]"},
		{"export MY_SECRET=abcdef", 1, "export MY_SECRET=[DS4 REDACTED SECRET]"},
		{"login --token=abcdef now", 1, "login --token=[DS4 REDACTED SECRET] now"},
		{"Server=db;User=sa;Pwd=abcdef;", 1, "Server=db;User=sa;Pwd=[DS4 REDACTED SECRET];"},
		{"secret = \"abcdef\"", 1, "secret = \"[DS4 REDACTED SECRET]\""},
		{`{"pwd": "abcdef"}`, 1, `{"pwd": "[DS4 REDACTED SECRET]"}`},
		{`token: "a1b2c3d4e5"`, 1, `token: "[DS4 REDACTED SECRET]"`},
		{`passphrase: "correct horse battery staple"`, 1, `passphrase: "[DS4 REDACTED SECRET]"`},
		{`{\"password\": \"correct horse\"}`, 1, `{\"password\": \"[DS4 REDACTED SECRET]\"}`},
		{`password = "The cake is a lie"`, 1, `password = "[DS4 REDACTED SECRET]"`},
		{`password: "Rover was born in 1987"`, 1, `password: "[DS4 REDACTED SECRET]"`},
		{`secret: "remember a1b2c3d4"`, 1, `secret: "[DS4 REDACTED SECRET]"`},
		{`password="hunter22`, 1, `password="[DS4 REDACTED SECRET]`},
		{"password: swordfish", 1, "password: [DS4 REDACTED SECRET]"},
		{"password:\n  hunter22", 1, "password:\n  [DS4 REDACTED SECRET]"},
		{`{"text":"password:\n  hunter22\nmore"}`, 1, `{"text":"password:\n  [DS4 REDACTED SECRET]\nmore"}`},
		{`x := "accessToken="Q/udKY8lp!g1"`, 1, `x := "accessToken="[DS4 REDACTED SECRET]"`},
		{`pwd = "api_key = "tMZWhYvP84j~8$5E";os.getcwd()`, 2, `pwd = "[DS4 REDACTED SECRET]"[DS4 REDACTED SECRET]";os.getcwd()`},
		{`ask("Password: ");apikey:"54fPTDP06051O"`, 1, `ask("Password: ");apikey:"[DS4 REDACTED SECRET]"`},
		{"password=mypassword", 1, "password=[DS4 REDACTED SECRET]"},
		{"password=my_token_8f3k2j5h", 1, "password=[DS4 REDACTED SECRET]"},
		{"redis://:hunter22@cache:6379/0", 1, "redis://:[DS4 REDACTED CREDENTIAL]@cache:6379/0"},
		{"xapp-1-A0123456789-0123456789", 1, "[DS4 REDACTED CREDENTIAL]"},
		{"xoxp-1234567890-abcdefgh", 1, "[DS4 REDACTED CREDENTIAL]"},
		{"ya29.a0AfH6SMBx-1234567890abc", 1, "[DS4 REDACTED CREDENTIAL]"},
		{"GOCSPX-abcdefghij1234567890", 1, "[DS4 REDACTED CREDENTIAL]"},
		{"glpat-abcdefghij1234567890", 1, "[DS4 REDACTED CREDENTIAL]"},
		{"sk_live_abcdefghij123456", 1, "[DS4 REDACTED CREDENTIAL]"},
		{"npm_abcdefghijklmnopqrstuvwxyz0123456789", 1, "[DS4 REDACTED CREDENTIAL]"},
		{"ASIA0123456789ABCDEF is not ASIAN", 1, "[DS4 REDACTED CREDENTIAL] is not ASIAN"},
		{"Authorization: Basic dXNlcjpwYXNz", 1, "Authorization: Basic [DS4 REDACTED TOKEN]"},
		{"passwd=abcdef", 1, "passwd=[DS4 REDACTED SECRET]"},
		{"my_password=abcdef", 1, "my_password=[DS4 REDACTED SECRET]"},
		{"{\"password\":\"hunter22\"}", 1, "{\"password\":\"[DS4 REDACTED SECRET]\"}"},
		{"{'password':'hunter22'}", 1, "{'password':'[DS4 REDACTED SECRET]'}"},
		{"api_key=sk-abcdefgh12345", 1, "api_key=[DS4 REDACTED CREDENTIAL]"},
		{"-----BEGIN PRIVATE KEY-----\ntruncated", 1, "[DS4 REDACTED PRIVATE KEY]"},
		{"https://user:pass1234@host/", 1, "https://user:[DS4 REDACTED CREDENTIAL]@host/"},
		{"-----BEGIN ENCRYPTED PRIVATE KEY-----\nx\n-----END ENCRYPTED PRIVATE KEY-----", 1, "[DS4 REDACTED PRIVATE KEY]"},
		{"a -----BEGIN PGP PRIVATE KEY BLOCK-----\nx\n-----END PGP PRIVATE KEY BLOCK----- b", 1, "a [DS4 REDACTED PRIVATE KEY] b"},
		{`{"key":"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"}`, 1, `{"key":"[DS4 REDACTED PRIVATE KEY]"}`},
		{"-----BEGIN PRIVATE KEY-----\n-----END CERTIFICATE-----\n-----END PRIVATE KEY-----!", 1, "[DS4 REDACTED PRIVATE KEY]!"},
		{`{\"api_key\": \"abcd1234\"}`, 1, `{\"api_key\": \"[DS4 REDACTED SECRET]\"}`},
		{`password := "hunter22"`, 1, `password := "[DS4 REDACTED SECRET]"`},
		{`password="pa,ss;w}ord"`, 1, `password="[DS4 REDACTED SECRET]"`},
		{`password="ab\"cd1234"`, 1, `password="[DS4 REDACTED SECRET]"`},
		{`password="abcd\"`, 1, `password="[DS4 REDACTED SECRET]"`},
		{"password=`hunter22`", 1, "password=`[DS4 REDACTED SECRET]`"},
		{`password=ab\cd1234`, 1, `password=[DS4 REDACTED SECRET]`},
		{"export DB_PASSWORD=hunter22 X=1", 1, "export DB_PASSWORD=[DS4 REDACTED SECRET] X=1"},
		{"x-api-key: abcd1234", 1, "x-api-key: [DS4 REDACTED SECRET]"},
		{"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY99", 1, "aws_secret_access_key = [DS4 REDACTED SECRET]"},
		{`line\nsk-abcdefgh12345`, 1, `line\n[DS4 REDACTED CREDENTIAL]`},
		{"sk-abcdefgh1 ghp_abcdefghijkl AKIA0123456789ABCDEF", 3, "[DS4 REDACTED CREDENTIAL] [DS4 REDACTED CREDENTIAL] [DS4 REDACTED CREDENTIAL]"},
		{"api_key=Bearer abcdefgh12", 2, "api_key=[DS4 REDACTED SECRET] [DS4 REDACTED TOKEN]"},
		{"password=-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----", 1, "password=[DS4 REDACTED PRIVATE KEY]"},
		{"password=[DS4 REDACTED SECRET]hunter22", 1, "password=[DS4 REDACTED SECRET]"},
		{"password=[DS4 sensitive content excluded by privacy policy]", 0, "password=[DS4 sensitive content excluded by privacy policy]"},
		{"password=sk-abcdefgh12345/tail", 1, "password=[DS4 REDACTED SECRET]"},
		{"Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", 1, "Bearer [DS4 REDACTED CREDENTIAL]"},
	})
}

func TestSecretOfAField(t *testing.T) {
	for _, c := range []struct {
		key, text string
		want      int
	}{
		{"password", "hunter22", 1},
		{"password", "correct horse battery staple", 1},
		{"secret", "abcdef", 1},
		{"pwd", "a1b2c3d4", 1},
		{"password", "required", 0},
		{"password", "DB_PASSWORD", 0},
		{"secret", "db-credentials", 0},
		{"x-api-key", "abcd", 1},
		{"db_password", "hunter22", 1},
		{"token", "abc123def456", 1},
		{"password", "abc", 0},
		{"password", "Please enter your password", 0},
		{"password", "string", 0},
		{"password", placeholderSecret, 0},
		{"max_tokens", "4096abcd1234", 0},
		{"token", "identifier", 0},
	} {
		if _, n := redactSecrets(c.text, c.key); n != c.want {
			t.Errorf("field %s, value %q: %d secrets, want %d", c.key, c.text, n, c.want)
		}
	}
}

// Ordinary prose and code keeps its text.
func TestNoSecretInOrdinaryText(t *testing.T) {
	for _, text := range []string{
		"The secret: always be kind. The token is passed on; its owner is asked first.",
		"Basic authentication is simple, and the basic principle: keep it short.",
		"A bearer of bad news. Bearer tokens are sent in a header.",
		"Enter the password: at least twelve characters, please.",
		"task-management, risk-assessment and disk-utilisation are on the desk-top",
		"for i := range tokens { token := tokens[i]; total += len(token) }",
		"if password == confirm { return nil }",
		"type Login struct { Password string; Token string }",
		"interface Login { password: string; apiKey?: string }",
		"password = os.environ[\"DB_PASSWORD\"]",
		"const apiKey = process.env.OPENAI_API_KEY",
		"curl -H \"Authorization: Bearer $TOKEN\" https://example.com",
		"docker run -e DB_PASSWORD=$DB_PASSWORD -e API_KEY=${API_KEY} app",
		"max_tokens: 4096, temperature=0.7, top_p: 1",
		"git commit 3f786850e387550fdab836ed7e6dc881de23001b",
		"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"id 123e4567-e89b-12d3-a456-426614174000 at 2024-01-02T03:04:05Z",
		"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
		"postgres://user:password@localhost:5432/db and http://host:8080/path@v2",
		"see https://example.com/a?token=next&page=2",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
		"look for -----BEGIN PRIVATE KEY----- in the file",
		"pwd=/home/me/src/project2 && cd \"$pwd\"",
		"[ds4:...] is written \\[ds4:normal] in plain text",
		`{"type":"object","properties":{"password":{"type":"string"},"token":{"type":"string"}}}`,
		"go test ./... -run 'TestSkip' && echo key=value; path: /usr/lib/x86_64",
		"le mot de passe : voir la page 3; пароль: смотри ниже",
	} {
		if got, n := redactSecrets(text, "content"); n != 0 {
			t.Errorf("%d secrets in ordinary text:\n%s\n%s", n, text, got)
		}
	}
}

// hostile units, repeated, are slow for a scan that starts over.
var hostile = []string{
	"sk-", "sk-----", "eyJ-", "eyJaaaaaaaaaa.", "ghp_", "xoxb-", "-----BEGIN PRIVATE KEY-----",
	"-----BEGIN PRIVATE KEY-----\n-----END CERTIFICATE-----", "password=", "password='", "password=\"'",
	"://a:", "bearer ", "Basic ", ": ", "\\\"", "password=\\", "=", " ", "[DS4 ", "[ds4:", "[ds4:normal]",
	"[/ds4:normal]", placeholderSecret, "_1", "token=", "token=a1b2", "secret:", "pwd=$", "token='a ", "token=\"a token=`b token='c ",
	"token=\\\"", "password=\\n", "password:\n", "token=(", "token=a.", "api_key=<", "password=*", "password=!", "PASSWORD=A_",
	"password: a ", "-token=", "a-", "://:@", "export ",
}

// A quadratic scan does not end within the time limit of the test run.
func TestSecretsEndOnConstructedInput(t *testing.T) {
	const n = 1 << 19
	for _, unit := range hostile {
		for _, text := range []string{
			strings.Repeat(unit, n/len(unit)),
			strings.Repeat(unit, n/2/len(unit)) + strings.Repeat("!", n/4) + strings.Repeat("\\", n/4),
		} {
			redactSecrets(text, "")
			readMarkup(text)
			onlyPlaceholders(text)
		}
	}
}

// BenchmarkHostile shows that the time per byte does not grow with the size.
func BenchmarkHostile(b *testing.B) {
	for _, size := range []int{1 << 14, 1 << 17, 1 << 20} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			for b.Loop() {
				for _, unit := range hostile {
					redactSecrets(strings.Repeat(unit, size/len(unit)), "")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(hostile))/float64(size), "ns/byte")
		})
	}
}

func BenchmarkSecrets(b *testing.B) {
	text := strings.Repeat("The quick brown fox: jumps = over the lazy dog, again and again.\n", 1<<14)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		redactSecrets(text, "content")
	}
}
