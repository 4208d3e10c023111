package lr

import (
	"math/bits"
	"slices"

	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
)

// A comb is a sparse matrix with lookups in constant time: the rows are laid over each other in
// one array, each shifted by a base of its own so that no two entries meet. Every entry carries
// the base of its row, so a lookup that lands on another row's entry knows it. Equal rows share a
// base. An LR table is over nine tenths empty; in this form it is a tenth of the dense one's
// size, which is what keeps it in the cache next to the lexer's and the engine's own tables.
type comb struct {
	base  []int32 // by row
	cells []combCell
}

// A combCell is an entry. The value is an array so that it can be handed out as a slice.
type combCell struct {
	base  int32 // of the row the entry belongs to; freeBase if none does
	value [1]Action
}

const (
	// emptyBase is the base of all rows without entries; no other row is put there.
	emptyBase = 0
	freeBase  = -1
	// maxTries bounds the search for a place to put a row: past it the row goes to the end of the
	// array. Rows that need more are rare and short on gain.
	maxTries = 1 << 11
	// maxLoose is how many cells there may be for each entry, and each column, for a comb to be
	// worth its while.
	maxLoose = 8
)

// A combEntry is an entry of a row that is to be packed.
type combEntry struct {
	column int32
	value  Action
}

// at is the cell for (row, column), or nil. Columns must be in range.
func (c *comb) at(row, column int32) *combCell {
	b := c.base[row]
	cell := &c.cells[b+column]
	if cell.base != b {
		return nil
	}
	return cell
}

// get is the value at (row, column), 0 if there is none.
func (c *comb) get(row, column int32) Action {
	b := c.base[row]
	cell := &c.cells[b+column]
	if cell.base != b {
		return 0
	}
	return cell.value[0]
}

// bytes is the memory c holds.
func (c *comb) bytes() int { return 4*len(c.base) + 8*len(c.cells) }

// newComb packs the rows of a matrix. It is not ok if they do not fit together well.
func newComb(b *budget, from *sparse, columns int) (_ comb, ok bool, err error) {
	rows, entries := writtenOut(from)
	p := &combPacker{comb: comb{base: make([]int32, len(rows))}, columns: columns}
	p.grow(columns)
	bitset.Add(p.bases, emptyBase)
	order := make([]int32, len(rows))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return len(rows[b]) - len(rows[a]) })
	var seen index.Index
	var distinct []int32 // by number in seen: a row
	for _, r := range order {
		row := rows[r]
		if len(row) == 0 {
			continue
		}
		h := hashRow(row)
		if i := seen.Find(h, func(i int32) bool { return slices.Equal(rows[distinct[i]], row) }); i >= 0 {
			p.base[r] = p.base[distinct[i]]
			continue
		}
		seen.Add(h)
		distinct = append(distinct, r)
		p.base[r] = p.put(row)
		if err := b.step(p.tries + len(row)); err != nil {
			return comb{}, false, err
		}
		if len(p.cells) > maxLoose*(entries+columns) {
			return comb{}, false, nil
		}
	}
	p.cells = slices.Clone(p.cells[:int(slices.Max(append(p.base, 0)))+columns])
	return p.comb, true, nil
}

// writtenOut is the entries of each row, and how many there are.
func writtenOut(from *sparse) (_ [][]combEntry, entries int) {
	rows := make([][]combEntry, from.numRows())
	var all []combEntry
	for r := range rows {
		start := len(all)
		all = from.row(all, int32(r))
		rows[r] = all[start:len(all):len(all)] // stays right where all moves: no entry changes any more
	}
	return rows, len(all)
}

func hashRow(row []combEntry) uint64 {
	h := uint64(len(row))
	for _, e := range row {
		h = index.Mix(h ^ uint64(uint32(e.column))<<32 ^ uint64(uint32(e.value)))
	}
	return h
}

// A combPacker finds places for rows, first fit.
type combPacker struct {
	comb
	columns int
	used    []uint64 // cells that hold an entry
	bases   []uint64 // bases that are taken
	free    int32    // no cell below is free
	top     int32    // no cell from here on is used
	tries   int      // places that were tried for the last row
}

// grow makes room for n cells.
func (p *combPacker) grow(n int) {
	for len(p.cells) < n {
		p.cells = append(p.cells, combCell{base: freeBase})
	}
	for len(p.used) < bitset.Words(n) {
		p.used = append(p.used, 0)
		p.bases = append(p.bases, 0)
	}
}

// put places a row and returns its base.
func (p *combPacker) put(row []combEntry) int32 {
	b := p.find(row)
	p.grow(int(b) + p.columns)
	bitset.Add(p.bases, b)
	for _, e := range row {
		bitset.Add(p.used, b+e.column)
		p.cells[b+e.column] = combCell{base: b, value: [1]Action{e.value}}
	}
	p.top = max(p.top, b+row[len(row)-1].column+1)
	for int(p.free) < len(p.cells) && bitset.Has(p.used, p.free) {
		p.free++
	}
	return b
}

// find is the lowest base that fits, trying each free cell for the row's first entry.
func (p *combPacker) find(row []combEntry) int32 {
	lead := row[0].column
	at := max(p.free, lead+1)
	for p.tries = 0; p.tries < maxTries; p.tries++ {
		at = p.nextFree(at)
		if int(at) >= len(p.cells) {
			break
		}
		if b := at - lead; p.fits(b, row) {
			return b
		}
		at++
	}
	b := max(p.top-lead, 1)
	for within(p.bases, b) {
		b++
	}
	return b
}

// nextFree is the first free cell from at on; len(cells) or more if there is none.
func (p *combPacker) nextFree(at int32) int32 {
	for w := int(at >> 6); w < len(p.used); w++ {
		free := ^p.used[w]
		if w == int(at>>6) {
			free &= ^uint64(0) << (uint(at) & 63)
		}
		if free != 0 {
			return int32(w<<6 + bits.TrailingZeros64(free))
		}
	}
	return int32(len(p.cells))
}

func (p *combPacker) fits(b int32, row []combEntry) bool {
	for _, e := range row {
		if within(p.used, b+e.column) {
			return false
		}
	}
	return !within(p.bases, b)
}

// within tells whether i is in a set that may have no word for it.
func within(set []uint64, i int32) bool { return int(i>>6) < len(set) && set[i>>6]>>(i&63)&1 != 0 }
