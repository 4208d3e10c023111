package plotjs

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

// TestUnchanged: the scripts are those of the packages, and nothing in them ends a script
// element or is made at run time, which the pages' policy forbids.
func TestUnchanged(t *testing.T) {
	for name, script := range map[string]struct{ text, sum string }{
		"d3":   {D3, "f2094bbf6141b359722c4fe454eb6c4b0f0e42cc10cc7af921fc158fceb86539"},
		"plot": {Plot, "4358086467740777dd788d6b27a95cebdbaefdd50c730a3060117073bd7134cb"},
	} {
		sum := sha256.Sum256([]byte(script.text))
		if got := hex.EncodeToString(sum[:]); got != script.sum {
			t.Errorf("%s has the SHA-256 %s, want %s", name, got, script.sum)
		}
		for _, bad := range []string{"</script", "eval("} {
			if strings.Contains(script.text, bad) {
				t.Errorf("%s contains %q", name, bad)
			}
		}
	}
}
