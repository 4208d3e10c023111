package lr

// A listTable is a list of numbers for each of 0..n-1, in two arrays.
type listTable struct {
	first  []int32 // by list; one more at the end
	values []int32
}

// newListTable collects what each adds to the lists. It calls each twice, which must add the same.
func newListTable(n int, each func(add func(list, value int32))) listTable {
	t := listTable{first: make([]int32, n+2)}
	each(func(list, _ int32) { t.first[list+2]++ })
	for i := 2; i < len(t.first); i++ {
		t.first[i] += t.first[i-1]
	}
	t.values = make([]int32, t.first[n+1])
	each(func(list, value int32) {
		// While filling, first[i+1] is where list i goes on; in the end it is where it ends.
		t.values[t.first[list+1]] = value
		t.first[list+1]++
	})
	t.first = t.first[:n+1]
	return t
}

func (t *listTable) of(i int32) []int32 {
	lo, hi := t.first[i], t.first[i+1]
	return t.values[lo:hi:hi]
}

// bytes is the memory t holds.
func (t *listTable) bytes() int { return 4*len(t.first) + 4*len(t.values) }
