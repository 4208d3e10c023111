package keep

import (
	"fmt"
	"os"
	"strings"
)

// splice replaces what a page shows of a report: the lines between two comments that name it, as an
// indented block. A page without them is an error, since it would go on showing old figures.
func splice(page, name, text string) error {
	begin, end := "<!-- what "+name+" prints -->\n", "<!-- end of what "+name+" prints -->\n"
	content, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(content), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no place for %s: two lines are expected, %q and %q", page, name, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	var block strings.Builder
	for line := range strings.Lines(strings.Trim(text, "\n") + "\n") {
		if line = strings.TrimRight(line, " \n"); line != "" {
			block.WriteString("    " + line)
		}
		block.WriteString("\n")
	}
	return os.WriteFile(page, []byte(before+begin+"\n"+block.String()+"\n"+end+after), 0o644)
}
