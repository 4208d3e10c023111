package jsonschema

import "slices"

// Branches that a value tells apart. oneOf asks of every pair of its branches whether they overlap, and
// in practice most lists of branches are alike: each asks for another value of one property, or is a
// set of values itself. Such a list is told apart at once, without looking at pairs.

// A values is a finite set of strings or numbers, by their JSON values in canonical form.
type values map[string]bool

// finiteValuesOf is the set of values that a clause about scalars allows, if it names them.
func finiteValuesOf(x clause, k jsonKind) (values, bool) {
	set := values{}
	switch k {
	case kindString:
		list, finite := finiteStrings(x)
		for _, s := range list {
			set["s"+s] = true
		}
		return set, finite
	case kindNumber:
		list, finite := finiteNumbers(x)
		for _, d := range list {
			set["n"+d.String()] = true
		}
		return set, finite
	}
	return nil, false
}

// finiteScalars is the set of values that a schema allows, if they are strings and numbers that it names.
func (c *compiler) finiteScalars(r ref) (values, bool) {
	all := values{}
	before := c.truncations
	for k := range numKinds {
		clauses, err := c.cases(r, k)
		if err != nil || c.truncations != before {
			return nil, false
		}
		for _, x := range clauses {
			set, finite := finiteValuesOf(x, k)
			if !finite {
				return nil, false
			}
			for v := range set {
				all[v] = true
			}
		}
	}
	return all, true
}

// discriminators are the finite sets of values that a schema allows, for values of kind k: by required
// key for objects, under the empty key for scalars. possible is false if it allows none of that kind.
func (c *compiler) discriminators(r ref, k jsonKind) (byKey map[string]values, possible bool) {
	before := c.truncations
	clauses, err := c.cases(r, k)
	if err != nil || c.truncations != before {
		return nil, true
	}
	for i, x := range clauses {
		found := c.clauseDiscriminators(x, k)
		if i == 0 {
			byKey = found
			continue
		}
		for key, set := range byKey { // a value of any clause may occur
			if other, ok := found[key]; !ok {
				delete(byKey, key)
			} else {
				for v := range other {
					set[v] = true
				}
			}
		}
	}
	return byKey, len(clauses) > 0
}

func (c *compiler) clauseDiscriminators(x clause, k jsonKind) map[string]values {
	byKey := map[string]values{}
	if set, finite := finiteValuesOf(x, k); finite {
		byKey[""] = set
	}
	if k != kindObject {
		return byKey
	}
	tables := tablesOf(x)
	for _, l := range x {
		if l.op != opRequired {
			continue
		}
		for _, o := range tables {
			if i, ok := o.props.index[l.strs[0]]; ok {
				if set, finite := c.finiteScalars(o.props.goals[i]); finite {
					byKey[l.strs[0]] = set
				}
			}
		}
	}
	return byKey
}

// fewBranches is how many branches are compared pair by pair in any case, which finds more reasons.
const fewBranches = 4

// toldApart returns, for lists of branches that a value tells apart, the pairs that it does not: for each
// branch those that share a value with it. ok is false for other lists.
func (c *compiler) toldApart(list []ref, k jsonKind) (sharing [][]int, ok bool) {
	if len(list) <= fewBranches {
		return nil, false
	}
	var common []string
	branches := make([]map[string]values, len(list))
	first := true
	for i, r := range list {
		byKey, possible := c.discriminators(r, k)
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
			return nil, false
		}
	}
	if first {
		return make([][]int, len(list)), true
	}
	for _, key := range common {
		if sharing, ok = sharingBy(branches, key); ok {
			return sharing, true
		}
	}
	return nil, false
}

// sharingBy lists for each branch the others with a common value of key. ok is false if one value is in
// many branches.
func sharingBy(branches []map[string]values, key string) (sharing [][]int, ok bool) {
	byValue := map[string][]int{}
	for i, b := range branches {
		for v := range b[key] {
			byValue[v] = append(byValue[v], i)
		}
	}
	sharing = make([][]int, len(branches))
	for _, group := range byValue {
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
	return sharing, true
}
