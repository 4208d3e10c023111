package jsonschema

import (
	"slices"

	"gcdbench/internal/jsontext"
)

// Branches that a value tells apart. oneOf asks of every pair of its branches whether they overlap.
// In practice most lists of branches are alike: each branch asks for another value of one property,
// or is a set of values itself. Such a list is told apart at once, without looking at pairs.

// values is a set of strings and numbers: "s" and the string, or "n" and the number in canonical
// form. Those that are not named are in it if "" is.
type values map[string]bool

// has tells whether a value is in the set.
func (v values) has(x string) bool {
	in, named := v[x]
	return in || !named && v[""]
}

// add adds the values of another set.
func (v values) add(o values) {
	for x, in := range v {
		v[x] = in || o.has(x)
	}
	for x, in := range o {
		if x != "" && !v.has(x) {
			v[x] = in
		}
	}
	if o[""] {
		v[""] = true
	}
}

// finiteValuesOf is the set of values that a clause about scalars allows, if it names them.
func finiteValuesOf(x clause, k jsontext.Kind) (values, bool) {
	set := values{}
	switch k {
	case jsontext.String:
		list, finite := finiteStrings(x)
		for _, s := range list {
			set["s"+s] = true
		}
		return set, finite
	case jsontext.Number:
		list, finite := finiteNumbers(x)
		for _, d := range list {
			set["n"+d.String()] = true
		}
		return set, finite
	}
	return nil, false
}

// valuesAmong is a set that has all values of a clause about scalars, if it names them. If it
// excludes some instead, the set says which, and it may have no value at all.
func valuesAmong(x clause, k jsontext.Kind) (values, bool) {
	set, finite := finiteValuesOf(x, k)
	if finite || k != jsontext.String {
		return set, finite
	}
	for _, l := range literalsOf(x, opStrings) {
		if l.not {
			set[""] = true
			for _, s := range l.strs {
				set["s"+s] = false
			}
		}
	}
	return set, set[""]
}

// namedValues is the set of values that a schema allows, if they are strings and numbers that it
// names. If it is exactly those, the schema does nothing but name them: whether a value is in the
// set says whether the schema holds.
func (c *normalizer) namedValues(r ref, s scope, exactly bool) (values, bool) {
	all := values{}
	for k := range jsontext.NumKinds {
		form, err := c.cases(r, s.part(k))
		if err != nil || form.partial {
			return nil, false
		}
		for _, x := range form.clauses {
			set, named := valuesAmong(x, k)
			if !named || exactly && (len(x) > 1 || set[""]) {
				return nil, false
			}
			all.add(set)
		}
	}
	return all, true
}

// discriminators are the finite sets of values that a schema allows: by key for objects, under the
// empty key for scalars. The key is required, unless it may be optional. possible is false if the
// schema allows no value in this scope. Only the wanted keys are looked at; nil for all.
func (c *normalizer) discriminators(r ref, s scope, optional bool, wanted []string) (byKey map[string]values, possible bool) {
	form, err := c.cases(r, s)
	if err != nil || form.partial {
		return nil, true
	}
	for i, x := range form.clauses {
		found := c.clauseDiscriminators(x, s, optional, wanted)
		if i == 0 {
			byKey = found
			continue
		}
		for key, set := range byKey { // a value of any clause may occur
			if other, ok := found[key]; !ok {
				delete(byKey, key)
			} else {
				set.add(other)
			}
		}
	}
	return byKey, len(form.clauses) > 0
}

func (c *normalizer) clauseDiscriminators(x clause, s scope, optional bool, wanted []string) map[string]values {
	byKey := map[string]values{}
	if set, named := valuesAmong(x, s.kind); named {
		byKey[""] = set
	}
	if s.kind != jsontext.Object {
		return byKey
	}
	required := map[string]bool{}
	for _, key := range s.given {
		required[key] = true
	}
	for _, l := range x {
		if l.op == opRequired {
			required[l.strs[0]] = true
		}
	}
	for _, o := range literalsOf(x, opProps) {
		for i, key := range o.props.keys {
			if (optional || required[key]) && (wanted == nil || slices.Contains(wanted, key)) {
				if set, finite := c.namedValues(o.props.goals[i], s, false); finite {
					byKey[key] = set
				}
			}
		}
	}
	return byKey
}

// fewBranches is how many branches are compared pair by pair in any case, which finds more reasons.
const fewBranches = 4

// toldApart returns, for a list of branches that a value tells apart, the pairs that it does not:
// for each branch the others that share a value with it. ok is false for other lists.
func (c *normalizer) toldApart(list []ref, s scope) (sharing [][]int, ok bool) {
	if len(list) <= fewBranches {
		return nil, false
	}
	common, branches := c.commonKeys(list, s, false)
	for _, key := range common {
		if sharing, ok = sharingBy(branches, key); ok {
			return sharing, true
		}
	}
	return nil, false
}

// optionalKey finds a key that may be absent, but tells all branches apart where it is there.
func (c *normalizer) optionalKey(list []ref, s scope) (key string, ok bool) {
	if len(list) <= fewBranches || s.kind != jsontext.Object {
		return "", false
	}
	common, branches := c.commonKeys(list, s, true)
	for _, key := range common {
		sharing, ok := sharingBy(branches, key)
		if ok && !slices.ContainsFunc(sharing, func(others []int) bool { return len(others) > 0 }) {
			return key, true
		}
	}
	return "", false
}

// commonKeys are the keys that all branches with instances have among their discriminators, and
// those discriminators by branch.
func (c *normalizer) commonKeys(list []ref, s scope, optional bool) (common []string, branches []map[string]values) {
	branches = make([]map[string]values, len(list))
	first := true
	// From the second branch on, only the keys are looked at that all branches so far have: mostly
	// one.
	for i, r := range list {
		byKey, possible := c.discriminators(r, s, optional, common)
		if !possible {
			continue // it overlaps none
		}
		branches[i] = byKey
		if first {
			for key := range byKey {
				common = append(common, key)
			}
			first = false
		} else {
			common = slices.DeleteFunc(common, func(key string) bool { return byKey[key] == nil })
		}
		if len(common) == 0 {
			return nil, nil
		}
	}
	slices.Sort(common)
	if first {
		common = []string{""} // none has an instance, so that any key will do
	}
	return common, branches
}

// sharingBy lists for each branch the others with a common value of key. ok is false if one value
// is in many branches.
func sharingBy(branches []map[string]values, key string) (sharing [][]int, ok bool) {
	byValue := map[string][]int{}
	for i, b := range branches {
		for v, in := range b[key] {
			if in {
				byValue[v] = append(byValue[v], i)
			}
		}
	}
	open := byValue[""]
	sharing = make([][]int, len(branches))
	for v, group := range byValue {
		for _, i := range open {
			if _, named := branches[i][key][v]; !named {
				group = append(group, i)
			}
		}
		if len(group) > fewBranches {
			return nil, false
		}
		for _, i := range group {
			for _, j := range group {
				if i != j && !slices.Contains(sharing[i], j) {
					sharing[i] = append(sharing[i], j)
				}
			}
		}
	}
	for _, others := range sharing {
		slices.Sort(others)
	}
	return sharing, true
}
