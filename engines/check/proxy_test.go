package check

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/engines/serve"
	"gcdbench/engines/wire"
)

// answerWrongly serves an algorithm, all of whose answers are right but those to some requests,
// which are named: its masks have a token too many there, or, with "-takes" behind the name, it
// takes the tokens that it should refuse.
func answerWrongly(a algorithms.Algorithm, how string) error {
	wrong := strings.Split(how, ",")
	asked, requests := io.Pipe()
	given, answers := io.Pipe()
	go serve.Serve(a, asked, answers)
	var mapping *wire.Mapping
	replies, lines := bufio.NewReader(given), bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var q struct {
			Do    string
			File  string
			Bytes int64
			Row   *wire.Area
			ID    int64
		}
		if json.Unmarshal(lines.Bytes(), &q) == nil && q.Do == "map" {
			mapping, _ = wire.OpenFile(q.File, q.Bytes)
		}
		fmt.Fprintf(requests, "%s\n", lines.Bytes())
		reply, err := replies.ReadBytes('\n')
		if err != nil {
			return err
		}
		if slices.Contains(wrong, q.Do) {
			if row, err := mapping.Slice(q.Row, 1); err == nil {
				row['~'/8] |= 1 << ('~' % 8)
			}
		}
		if slices.Contains(wrong, q.Do+"-takes") {
			reply = append(wire.WithID([]byte(`{"ok":true}`), q.ID), '\n')
		}
		os.Stdout.Write(reply)
	}
	return nil
}
