package keep

import (
	"fmt"
	"os"
	"strings"
)

// replace replaces what a page shows of the reports: the lines between two comments that name it. A
// page without them is an error, since it would go on showing old figures.
func replace(page, name, text string) error {
	begin, end := "<!-- what "+name+" -->\n", "<!-- end of what "+name+" -->\n"
	content, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(content), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no place for %s: two lines are expected, %q and %q", page, name, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return os.WriteFile(page, []byte(before+begin+"\n"+strings.Trim(text, "\n")+"\n\n"+end+after), 0o644)
}
