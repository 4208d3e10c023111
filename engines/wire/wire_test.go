package wire

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestLayout: areas follow each other without overlap, aligned, and the file has room for the last.
func TestLayout(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 1))
	for range 100 {
		var l Layout
		end := int64(0)
		for range 1 + r.IntN(6) {
			n, size := int64(r.IntN(1000)), []int64{1, 4, 8}[r.IntN(3)]
			a := l.Area(n, size)
			if a.At < end || a.At%alignment != 0 || a.N != n || a.At-end >= alignment {
				t.Fatalf("an area of %d times %d bytes behind %d: %+v", n, size, end, a)
			}
			end = a.At + n*size
		}
		if l.Bytes() != end {
			t.Fatalf("%d bytes, want %d", l.Bytes(), end)
		}
	}
}

// TestMapping: what one side writes the other reads, and an area that is not in the file is an
// error.
func TestMapping(t *testing.T) {
	m, path, forget, err := CreateFile(4096)
	if err != nil {
		t.Skip(err)
	}
	defer m.Close()
	defer forget()
	other := must.Get(OpenFile(path, 4096))(t)
	defer other.Close()
	a := &Area{At: 64, N: 3}
	mine := must.Get(m.Slice(a, 4))(t)
	PutTokens(mine, []int32{1, -2, 1 << 30})
	theirs, err := other.Slice(a, 4)
	if err != nil || !slices.Equal(Tokens(theirs), []int32{1, -2, 1 << 30}) {
		t.Errorf("%v, %v", theirs, err)
	}
	for _, bad := range []*Area{nil, {At: -1, N: 1}, {At: 0, N: -1}, {At: 4096, N: 1}, {At: 4090, N: 2}, {At: 1 << 62, N: 1 << 62}, {At: 8, N: 1 << 61}} {
		if _, err := m.Slice(bad, 4); err == nil {
			t.Errorf("%+v is in the file", bad)
		}
	}
	if _, err := OpenFile(path, 5000); err == nil || !strings.Contains(err.Error(), "4096 bytes, not 5000") {
		t.Errorf("a file that is too short: %v", err)
	}
	if _, err := OpenFile(path+"x", 1); err == nil {
		t.Error("a file that is not there")
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if _, err := m.Slice(a, 4); err == nil {
		t.Error("a mapping that was closed")
	}
}

// TestRows: words are little-endian, and what is behind them is zero, also where memory has them in
// another order.
func TestRows(t *testing.T) {
	here := inOrder
	defer func() { inOrder = here }()
	for _, inOrder = range []bool{false, here} {
		bytes := slices.Repeat([]byte{0xff}, 24)
		PutRow(bytes, []uint64{1 << 8, 3})
		if bytes[0] != 0 || bytes[1] != 1 || bytes[8] != 3 || slices.Max(bytes[16:]) != 0 {
			t.Errorf("%v", bytes)
		}
		row := make([]uint64, 2)
		GetRow(row, bytes)
		if row[0] != 1<<8 || row[1] != 3 {
			t.Errorf("%v", row)
		}
	}
}

// TestAbsent: fields that are absent differ from zeros.
func TestAbsent(t *testing.T) {
	var a WalkAnswer
	if err := json.Unmarshal([]byte(`{"ok": true, "unknown": [1]}`), &a); err != nil || a.Masked != nil || a.Refused != nil || a.OK == nil || !*a.OK {
		t.Errorf("%+v, %v", a, err)
	}
	if err := json.Unmarshal([]byte(`{"ok": false, "masked": 0, "refused": 0}`), &a); err != nil || a.Masked == nil || a.Refused == nil || *a.OK {
		t.Errorf("%+v, %v", a, err)
	}
	text, err := json.Marshal(Walk{Do: "walk", Tokens: &Area{0, 1}, Rows: &Area{64, 8}})
	if err != nil || strings.Contains(string(text), "masked") || strings.Contains(string(text), "times") {
		t.Errorf("%s, %v", text, err)
	}
}
