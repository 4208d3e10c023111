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
	defer c.elsewhere()()
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

// discriminators are the finite sets of values that a schema allows, for values of kind k: by key for
// objects, under the empty key for scalars. The key is required, unless it may be optional. possible is
// false if the schema allows no value of that kind. Only the wanted keys are looked at; nil for all.
func (c *compiler) discriminators(r ref, k jsonKind, optional bool, wanted []string) (byKey map[string]values, possible bool) {
	before := c.truncations
	clauses, err := c.cases(r, k)
	if err != nil || c.truncations != before {
		return nil, true
	}
	for i, x := range clauses {
		found := c.clauseDiscriminators(x, k, optional, wanted)
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

func (c *compiler) clauseDiscriminators(x clause, k jsonKind, optional bool, wanted []string) map[string]values {
	byKey := map[string]values{}
	if set, finite := finiteValuesOf(x, k); finite {
		byKey[""] = set
	}
	if k != kindObject {
		return byKey
	}
	required := map[string]bool{}
	for _, key := range c.given {
		required[key] = true
	}
	for _, l := range x {
		if l.op == opRequired {
			required[l.strs[0]] = true
		}
	}
	for _, o := range tablesOf(x) {
		for i, key := range o.props.keys {
			if (optional || required[key]) && (wanted == nil || slices.Contains(wanted, key)) {
				if set, finite := c.finiteScalars(o.props.goals[i]); finite {
					byKey[key] = set
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
	common, branches := c.commonKeys(list, k, false)
	for _, key := range common {
		if sharing, ok = sharingBy(branches, key); ok {
			return sharing, true
		}
	}
	return nil, false
}

// optionalKey finds a key that need not be there, but where it is, tells all branches apart.
func (c *compiler) optionalKey(list []ref, k jsonKind) (key string, ok bool) {
	if len(list) <= fewBranches || k != kindObject {
		return "", false
	}
	common, branches := c.commonKeys(list, k, true)
	for _, key := range common {
		sharing, ok := sharingBy(branches, key)
		if ok && !slices.ContainsFunc(sharing, func(others []int) bool { return len(others) > 0 }) {
			return key, true
		}
	}
	return "", false
}

// commonKeys are the keys that all branches with instances have among their discriminators, which are by
// branch.
func (c *compiler) commonKeys(list []ref, k jsonKind, optional bool) (common []string, branches []map[string]values) {
	branches = make([]map[string]values, len(list))
	first := true
	for i, r := range list {
		byKey, possible := c.discriminators(r, k, optional, common)
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
