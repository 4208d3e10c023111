package lr

// An arena hands out slices that are made together: the automaton of a large grammar has some ten
// thousand lists of one or two members.
type arena[T any] struct {
	room []T
	made int
}

// The first and the largest number of elements an arena makes at a time: a small grammar does with
// the first, and of the largest at most a part is wasted.
const (
	firstRoom = 1 << 7
	mostRoom  = 1 << 14
)

// take returns n zero elements with no room to grow.
func (a *arena[T]) take(n int) []T {
	if n > len(a.room) {
		a.made = min(max(firstRoom, 2*a.made), mostRoom)
		a.room = make([]T, max(n, a.made))
	}
	s := a.room[:n:n]
	a.room = a.room[n:]
	return s
}

// clone returns a copy of s.
func (a *arena[T]) clone(s []T) []T {
	c := a.take(len(s))
	copy(c, s)
	return c
}

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
