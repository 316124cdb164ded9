package workspace

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLooksSecret(t *testing.T) {
	for _, c := range []struct {
		names string
		want  bool
	}{
		{".env a/.env .ENV .env.local .env.production prod.env .env.example.local .env~ .env.bak .Env.Local.old", true},
		{".env.example .env.sample .env.template .env.dist .ENV.Example example.env a/sample.env", false},
		{"env .envrc environment.go .environment dotenv.js env.d.ts", false},
		{"id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk ID_RSA id_rsa.bak id_rsa.old~ id_rsa_work id_ed25519-ci id_rsa.txt id_r\u017fa", true},
		{"id_map.go id_rsa.pub id_ed25519-ci.pub id_rsa.go id_rsa_test.go id_rsacher.txt id_ id_type.ts my_id_rsa_notes.md", false},
		{"credentials credentials.json credentials.yml credentials.yml.enc Credentials.csv credentials-prod.toml .aws/credentials a/credentials.txt", true},
		{"credentials.go credentials_test.py credentials.md credentials.ts my-credentials-guide.md credentials/handler.go", false},
		{"secrets.json secrets.yaml a/secrets.toml", true},
		{"secrets.go secret.go secrets_test.go secrets", false},
		{".netrc _netrc .npmrc .pypirc .git-credentials .pgpass .my.cnf .htpasswd .dockercfg .vault-token sub/.npmrc", true},
		{"netrc.go npmrc .gitconfig .yarnrc.yml", false},
		{"a.pem server.key a.p12 a.pfx a.ppk a.jks debug.keystore a.kdbx server.KEY a.\u212aey key.pem~ server.key.bak", true},
		{"pem key.go keys.json monkey a.key.pub a.crt", false},
		{".ssh/config .ssh/work .gnupg/a/b home/.ssh/deploy .SSH/x .aws/config .docker/config.json .kube/config", true},
		{".ssh/work.pub .ssh .docker/Dockerfile .aws/task.json config.json .kube/x .sshd/x", false},
	} {
		for name := range strings.FieldsSeq(c.names) {
			assert.Equal(t, c.want, looksSecret(name), name)
		}
	}
}

func TestAllowSecretFiles(t *testing.T) {
	w := openTemp(t, func(c *Config) { c.AllowSecretFiles = true })
	put(t, w, ".env", "KEY=1\n", ".ssh/id_rsa", "KEY=2\n")
	want(t, w, "read_file", ".env", "KEY=1")
	want(t, w, "grep", "KEY", ".env:1:KEY=1\n.ssh/id_rsa:1:KEY=2")
}
