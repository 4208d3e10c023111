package jsonschema

import (
	"fmt"

	"gcdbench/internal/jsontext"
)

// warnings are what the author of a document may not have meant: keywords and declared keys that
// are there twice, of which the last counts, and keywords that the draft does not have, which count
// for nothing.
func (d *document) warnings() (list []string) {
	twice := func(ptr string, v *jsontext.Value) {
		for _, key := range v.Repeated {
			list = append(list, ptr+"/"+escapePointer(key)+": this key is there twice, and the last counts")
		}
	}
	for _, n := range d.nodes[1:] {
		if n.v.Kind != jsontext.Object || n.ptr == syntheticPointer || n.outside != nil || n.elsewhere {
			continue
		}
		twice(n.ptr, n.v)
		for i, key := range n.v.Keys {
			w, ptr := d.table.byName[key], n.ptr+"/"+escapePointer(key)
			if w != nil && w.holds&holdsMap != 0 {
				twice(ptr, n.v.Items[i])
			}
			if !w.constrains() {
				continue
			}
			since := w.since
			if lead := d.table.byName[w.with]; lead != nil {
				since = max(since, lead.since)
			}
			if n.draft < since {
				list = append(list, fmt.Sprintf("%s: %s does not have this keyword, which counts for nothing", ptr, n.draft))
			}
		}
	}
	return list
}

// String is the name of the draft.
func (d draft) String() string {
	switch d {
	case draft2019:
		return "draft 2019-09"
	case draft2020:
		return "draft 2020-12"
	case draftV1:
		return "v1"
	}
	return fmt.Sprintf("draft %d", int(d))
}
