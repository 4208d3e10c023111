package automata

import "testing"

func TestCompileBasics(t *testing.T) {
	for _, p := range []string{`\w+`, `[^\x00-\x1f"\\]*`, `[a-z]{1,256}`, `"""(?:(?!""").)*"""`, `/\*[\s\S]*?\*/`} {
		d := MustCompile(p, 0)
		if s, ok := d.Shortest(); !ok || !d.Match(s) {
			t.Errorf("/%s/: shortest %q, %v", p, s, ok)
		}
	}
}
