// Package words makes words for messages to people: numbers in sentences ("1 terminal", "2 terminals"), and texts of
// strangers in which nothing is hidden. What scripts read has fields.
package words

import "strconv"

// Count is a number of things. The plural is regular: what gets an s.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
