package lr

import "gcdbench/internal/bitset"

// A matrix is the action or the goto table, in the form that suits its use: packed as a comb, where
// a grammar is compiled once and then parsed with for millions of tokens, or as sorted rows, where
// a grammar is compiled for a single text and the time of packing would be most of its whole life.
type matrix struct {
	comb        // packed; without rows if rows is in use
	rows sparse // sorted
}

// newMatrix packs rows, or keeps them as they are: also those that do not get much smaller by
// packing.
func newMatrix(b *budget, rows sparse, columns int, pack bool) (matrix, error) {
	if pack && rows.writtenOut() <= maxPacked {
		packed, ok, err := newComb(b, &rows, columns)
		if ok || err != nil {
			return matrix{comb: packed}, err
		}
	}
	return matrix{rows: rows}, b.check()
}

// maxPacked is the number of entries up to which a table is packed. An entry takes 24 bytes while
// that is done, so this is 50 MB; the tables of SQL, the largest of our grammars, have a tenth of
// it.
const maxPacked = 1 << 21

// get is the value at (row, column), 0 if there is none.
func (m *matrix) get(row, column int32) Action {
	if m.cells == nil {
		return m.rows.get(row, column)
	}
	return m.comb.get(row, column)
}

// list is the value at (row, column) as a slice, nil if there is none.
func (m *matrix) list(row, column int32) []Action {
	if m.cells == nil {
		i := m.rows.find(row, column)
		if i < 0 {
			return nil
		}
		return m.rows.values[i : i+1 : i+1]
	}
	cell := m.at(row, column)
	if cell == nil {
		return nil
	}
	return cell.value[:]
}

// bytes is the memory m holds.
func (m *matrix) bytes() int { return m.comb.bytes() + m.rows.bytes() }

// A sparse is a matrix as one list of entries, row by row, sorted by column within a row. It takes
// a single pass to build, and rows of real tables have a few entries, so that finding one is a
// matter of a few comparisons.
//
// In many states of an LR automaton all there is to do is one reduction, whatever comes next of
// some set of terminals. The row of such a state is a single entry with anyColumn for a column, for
// all members of the state's row in any.
type sparse struct {
	first   []int32 // by row: its first entry; one more at the end
	columns []int32
	values  []Action
	any     *setTable // for anyColumn; nil if no row has it
}

// anyColumn stands for all columns that any has for the row.
const anyColumn = -1

// newSparse has room for a number of rows and entries.
func newSparse(rows, entries int) sparse {
	s := sparse{first: make([]int32, 1, rows+1)}
	s.columns, s.values = make([]int32, 0, entries), make([]Action, 0, entries)
	return s
}

// add appends an entry to the last row, which endRow ends.
func (s *sparse) add(column int32, value Action) {
	s.columns, s.values = append(s.columns, column), append(s.values, value)
}

// endRow ends the last row, and returns the number of its entries.
func (s *sparse) endRow() int {
	s.first = append(s.first, int32(len(s.columns)))
	return len(s.columns) - int(s.first[len(s.first)-2])
}

// writtenOut is the number of entries with those for any column counted as often as they are met.
func (s *sparse) writtenOut() int {
	n := len(s.columns)
	if s.any == nil {
		return n
	}
	for row := range int32(s.numRows()) {
		if first := s.first[row]; first < s.first[row+1] && s.columns[first] == anyColumn {
			n += bitset.Count(s.any.row(row)) - 1
		}
	}
	return n
}

func (s *sparse) numRows() int { return len(s.first) - 1 }

// get is the value at (row, column), 0 if there is none.
func (s *sparse) get(row, column int32) Action {
	if i := s.find(row, column); i >= 0 {
		return s.values[i]
	}
	return 0
}

// scanned is the length from which on a row is searched by halves.
const scanned = 8

// find is the index of the entry at (row, column), -1 if there is none.
func (s *sparse) find(row, column int32) int32 {
	lo, hi := s.first[row], s.first[row+1]
	if lo < hi && s.columns[lo] == anyColumn {
		if bitset.Has(s.any.row(row), column) {
			return lo
		}
		return -1
	}
	for hi-lo > scanned {
		if mid := (lo + hi) / 2; s.columns[mid] <= column {
			lo = mid
		} else {
			hi = mid
		}
	}
	for ; lo < hi; lo++ {
		if s.columns[lo] == column {
			return lo
		}
	}
	return -1
}

// row appends the entries of a row to dst, an entry for any column written out.
func (s *sparse) row(dst []combEntry, row int32) []combEntry {
	for i := s.first[row]; i < s.first[row+1]; i++ {
		if s.columns[i] != anyColumn {
			dst = append(dst, combEntry{s.columns[i], s.values[i]})
			continue
		}
		for c := range bitset.All[int32](s.any.row(row)) {
			dst = append(dst, combEntry{c, s.values[i]})
		}
	}
	return dst
}

// bytes is the memory s holds; what any holds is not its own.
func (s *sparse) bytes() int { return 4*len(s.first) + 4*len(s.columns) + 4*len(s.values) }
