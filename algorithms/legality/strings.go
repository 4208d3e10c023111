package legality

import (
	"encoding/binary"
	"slices"

	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
)

// Rows of pending strings and numbers (spanner/parts.go). Such a row does not ask about the sets
// of terminals that tokens leave alive, of which there are many, but about the terminals, as the
// paper and SynCode's store do. Terminals that are never legal after the basis are left out.
// Those always legal are together the row's ready mask. Of the others, those jointly legal, which
// the same stacks take, are one question. Lexer states in which the same terminals are taken at
// the same characters share a row.

// A taker is all stacks of a stance, and a terminal.
type taker struct {
	all, may setID
	terminal grammar.Terminal
}

// A taking says which of the stacks take a terminal.
type taking struct {
	is judgement
	// by lists what the states on top do, in order of the set's branches. It is "" if for one of
	// them that depends on the stack below.
	by string
}

// taking is found out once.
func (b *builder) taking(s stance, t grammar.Terminal) taking {
	key := taker{s.all, s.may, t}
	if k, ok := b.takings[key]; ok {
		return k
	}
	m := b.machine
	terms := m.anyTerminal(b.classes.set(m.tables.NewSet(t)))
	k := taking{is: b.judge(s, terms)}
	var by []byte
	for _, branch := range m.branchesOf(s.may) {
		one := m.judge(branch, terms) &^ known
		if one == mayAccept|mayRefuse {
			by = nil
			break
		}
		by = append(by, byte(one))
	}
	k.by = string(by)
	if b.takings == nil {
		b.takings = map[taker]taking{}
	}
	b.takings[key] = k
	return k
}

// A question is some parts of what is pending that the same stacks take.
type question struct {
	is    judgement
	parts []lexer.Part
	by    string
	node  spanner.NodeID
}

// questions divides b.parts, in the order of their terminals.
func (b *builder) questions(s stance) []question {
	var list []question
	for _, p := range b.parts {
		k := b.taking(s, p.Terminal)
		i := slices.IndexFunc(list, func(q question) bool {
			switch {
			case k.is == mayAccept && b.proofs.always || k.is == mayRefuse && b.proofs.never:
				return q.is == k.is
			}
			return b.proofs.joint && k.by != "" && q.by == k.by
		})
		if i < 0 {
			i = len(list)
			list = append(list, question{is: k.is, by: k.by})
		}
		list[i].parts = append(list[i].parts, p)
	}
	return list
}

// buildString is build for b.parts.
func (b *builder) buildString(s stance, bases []basis) (r *row, known bool) {
	list := b.questions(s)
	key := binary.AppendUvarint(b.key[:0], uint64(len(bases)))
	for _, x := range bases {
		key = binary.AppendVarint(key, int64(x))
	}
	for i := range list {
		q := &list[i]
		if q.is == mayRefuse && b.proofs.never {
			q.node = whole // it is left out
			continue
		}
		q.node = b.spanner.Root(q.parts)
		key = binary.AppendVarint(key, int64(q.node))
		key = binary.AppendUvarint(key, uint64(q.parts[0].Terminal)) // which one is asked
	}
	b.key = key
	if r := b.strings[string(key)]; r != nil {
		return r, true
	}
	r = b.finish(func(root *sketch) {
		for i := range list {
			b.put(&list[i], s, root)
		}
	})
	if b.strings == nil {
		b.strings = map[string]*row{}
	}
	b.strings[string(key)] = r
	return r, false
}

// put puts the groups of a question where they must be asked.
func (b *builder) put(q *question, s stance, root *sketch) {
	if q.node == whole {
		b.row.tally.Never++
		return
	}
	for _, leaf := range b.spanner.Node(q.node).Leaves {
		if q.is == mayAccept && b.proofs.always {
			b.row.tally.Always++
			root.tokens = append(root.tokens, leaf.ID)
			continue
		}
		b.row.tally.Asked++
		root.checks = append(root.checks, sketchCheck{b.machine.tables.NewSet(q.parts[0].Terminal), false, []spanner.LeafID{leaf.ID}})
	}
	for _, k := range b.kids([]spanner.NodeID{q.node}) {
		b.descend(k, s, root, root)
	}
}
