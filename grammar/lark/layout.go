package lark

import (
	"slices"
	"strconv"
	"strings"

	"gcdbench/grammar"
	"gcdbench/internal/words"
)

// The directives that Lark does not have: %lexer, %conflicts, %layout, %mode and %items
// (doc.go describes them; modes.go and items.go read the last two).
// They are read here and checked twice: their form at once, and the terminals of a %layout when all
// of them are known, because a bracket may be called by the literal that rules use, or by the name
// that this literal was given.

// A config has the values of the directives that Lark lacks.
type config struct {
	lexer     grammar.LexerMode
	conflicts grammar.ConflictMode
	layout    *layout
	modes     []*mode
	items     [len(grammar.ItemRoles)][]reference // by role
	seen      map[statementKind]place
	// skipsLate is whether no ignored text may begin a text: so say llguidance and XGrammar, unless an
	// option says another thing.
	skipsLate bool
}

// A layout is a %layout directive.
type layout struct {
	at      place
	single  map[string]reference // newline, indent, dedent, begin
	bracket map[string][]reference
	tab     int
	// alternate is the second tab width, 0 for none; join the join character, "" for none.
	alternate int
	join      string
}

// A reference names a terminal, or quotes the literal that it is.
type reference struct {
	name    string
	pattern *pattern // nil: by name
	at      place
}

// defaultTab is Python's distance of tab stops.
const defaultTab = 8

// maxTab is larger than any tab in use; columns must not overflow.
const maxTab = 1000

// set reads a directive.
func (c *config) set(src *source, st *statement) error {
	switch st.kind {
	case sMode:
		return c.addMode(src, st)
	case sOptions:
		c.addOptions(st)
		return nil
	}
	if first, ok := c.seen[st.kind]; ok {
		return st.at.errorf("", "the directive is given twice; the first one is at %s", first.position())
	}
	if c.seen == nil {
		c.seen = map[statementKind]place{}
	}
	c.seen[st.kind] = st.at
	switch st.kind {
	case sLexer:
		modes := []grammar.LexerMode{grammar.LexFirst, grammar.LexAll, grammar.LexContextual, grammar.LexDynamic, grammar.LexFirst}
		i, err := choose(src, st, grammar.LexFirst.String(), grammar.LexAll.String(), grammar.LexContextual.String(), grammar.LexDynamic.String(), "basic")
		c.lexer = modes[i]
		return err
	case sConflicts:
		i, err := choose(src, st, grammar.ResolveConflicts.String(), grammar.KeepConflicts.String())
		c.conflicts = []grammar.ConflictMode{grammar.ResolveConflicts, grammar.KeepConflicts}[i]
		return err
	case sItems:
		return c.addItems(src, st)
	}
	return c.setLayout(src, st)
}

// choose reads a mode and returns the index of its name.
func choose(src *source, st *statement, names ...string) (int, error) {
	value := st.settings[0].values[0]
	text := string(src.text[value.off:value.end])
	i := slices.Index(names, text)
	if i < 0 {
		hint := "the modes are " + strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
		return 0, st.settings[0].at.errorf(hint, "unknown mode %s", text)
	}
	return i, nil
}

func (c *config) setLayout(src *source, st *statement) error {
	c.layout = &layout{at: st.at, single: map[string]reference{}, bracket: map[string][]reference{}, tab: defaultTab}
	seen := map[string]bool{}
	for _, set := range st.settings {
		if seen[set.key] {
			return set.at.errorf("write all values behind one, separated by commas", "%s is set twice", set.key)
		}
		seen[set.key] = true
		if err := c.layout.set(src, set); err != nil {
			return err
		}
	}
	for _, key := range []string{"newline", "indent", "dedent"} {
		if !seen[key] {
			return st.at.errorf("for example: %layout newline=_NEWLINE indent=_INDENT dedent=_DEDENT open=LPAR close=RPAR tab=8", "%%layout does not say %s=", key)
		}
	}
	return nil
}

// set reads one setting of a %layout.
func (y *layout) set(src *source, set setting) error {
	switch set.key {
	case "newline", "indent", "dedent", "begin":
		refs, err := references(src, set)
		if err == nil && len(refs) != 1 {
			err = set.at.errorf("", "%s is one terminal", set.key)
		}
		if err != nil {
			return err
		}
		y.single[set.key] = refs[0]
		return nil
	case "open", "close":
		refs, err := references(src, set)
		y.bracket[set.key] = refs
		return err
	case "tab":
		var err error
		y.tab, err = tabWidth(src, set)
		return err
	case "alternate":
		var err error
		y.alternate, err = tabWidth(src, set)
		return err
	case "join":
		return y.setJoin(src, set)
	}
	keys := []string{"newline", "indent", "dedent", "open", "close", "tab", "alternate", "join", "begin"}
	hint := "the settings are newline, indent, dedent, open, close, tab, alternate, join and begin"
	if s, ok := words.Closest(set.key, keys); ok {
		hint = "did you mean " + s + "?"
	}
	return set.at.errorf(hint, "unknown setting %s", set.key)
}

// tabWidth reads a distance of tab stops.
func tabWidth(src *source, set setting) (int, error) {
	value := set.values[0]
	n, err := strconv.Atoi(string(src.text[value.off:value.end]))
	if err != nil || n < 1 || n > maxTab || len(set.values) > 1 {
		return 0, set.at.errorf("", "%s is one number from 1 to %d", set.key, maxTab)
	}
	return n, nil
}

// setJoin reads the join character.
func (y *layout) setJoin(src *source, set setting) error {
	refs, err := references(src, set)
	if err != nil {
		return err
	}
	p := refs[0].pattern
	if len(refs) > 1 || p == nil || !p.literal || len(p.value) != 1 || strings.ContainsAny(p.value, " \t\f\r\n") {
		return set.at.errorf(`for example join="\\"`, "join is one quoted character of ASCII that is no white space")
	}
	y.join = p.value
	return nil
}

// references reads terminals.
func references(src *source, set setting) ([]reference, error) {
	var refs []reference
	for _, v := range set.values {
		ref := reference{at: src.at(v.off), name: string(src.text[v.off:v.end])}
		switch v.kind {
		case kString, kSpecial:
			var err error
			if ref.pattern, err = newPattern(src, v); err != nil {
				return nil, err
			}
		case kNumber:
			return nil, ref.at.errorf("", "%s takes terminals, not numbers", set.key)
		}
		refs = append(refs, ref)
	}
	return refs, nil
}

// find is the terminal that ref, in a directive, refers to, once literals have names.
func (ref reference) find(l *lowering, directive string) (*terminal, error) {
	if ref.pattern != nil {
		if i, _ := l.terms.find(&terminal{pattern: ref.pattern}); i >= 0 {
			return l.terms.byNumber[i], nil
		}
		return nil, ref.at.errorf("write it as the rules of the grammar do", "no rule uses %s", ref.name)
	}
	t := l.terms.byName[ref.name]
	if t == nil {
		return nil, ref.at.errorf(l.b.similar(ref.name, true), "terminal %s is not defined (used in %s)", ref.name, directive)
	}
	return t, nil
}

// terminals are those that the layout needs, whether rules use them or not.
func (y *layout) terminals(l *lowering) ([]*terminal, error) {
	if y == nil {
		return nil, nil
	}
	refs := slices.Concat([]reference{y.single["newline"], y.single["indent"], y.single["dedent"]}, y.bracket["open"], y.bracket["close"])
	needed := make([]*terminal, len(refs))
	for i, ref := range refs {
		var err error
		if needed[i], err = ref.find(l, "%layout"); err != nil {
			return nil, err
		}
	}
	if first, ok := y.single["begin"]; ok {
		t, err := first.find(l, "%layout")
		if err != nil {
			return nil, err
		}
		if t != needed[0] {
			return nil, first.at.errorf("leave it out where a first line needs no column", "a text can only begin behind the newline terminal, %s", needed[0].name)
		}
	}
	return needed, y.checkKinds(l, needed)
}

// checkKinds checks that the terminals can have the parts they are given: the text has line breaks,
// but indents and dedents only follow from them.
func (y *layout) checkKinds(l *lowering, needed []*terminal) error {
	for i, key := range []string{"newline", "indent", "dedent"} {
		ref, name := y.single[key], needed[i].name
		lexed := needed[i].pattern != nil
		switch {
		case key == "newline" && !lexed:
			return ref.at.errorf("define it: a regexp for line breaks, with the white space and comments after them", "terminal %s is only declared", name)
		case key != "newline" && lexed:
			return ref.at.errorf("%declare it instead", "terminal %s has a definition, but only the layout step makes it", name)
		}
		if slices.ContainsFunc(l.b.ignored, func(ig ignored) bool { return ig.name == name }) {
			return ref.at.errorf("remove it from %ignore", "terminal %s is ignored, so that the layout step would not see it", name)
		}
	}
	return nil
}
