package wire_test

import (
	"encoding/json"
	"fmt"

	"gcdbench/engines/wire"
)

// What an engine answers to a request that it cannot do: an outcome, and why.
func ExampleNo() {
	line, err := json.Marshal(wire.No("unsupported", "no lookahead"))
	fmt.Println(string(line), err)
	// Output: {"ok":false,"outcome":"unsupported","error":"no lookahead"} <nil>
}
