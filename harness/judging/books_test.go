package judging

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gcdbench/grammar/jsonschema"
	"gcdbench/harness/cell"
	"gcdbench/harness/judged"
	"gcdbench/harness/judges"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// stored is what is stored of the deviant.
func (w *world) stored(t *testing.T, key string) *judged.Cell {
	t.Helper()
	all, _, err := judged.Read(w.opt.Out)
	if err != nil || all[key] == nil {
		t.Fatalf("nothing is stored of %s: %v", key, err)
	}
	return all[key]
}

// TestInterrupted: an interruption is ctx's error, what was judged of a document until then stays,
// and the rest of it is judged later.
func TestInterrupted(t *testing.T) {
	seed.Usual(t)
	w := newWorld(t, []tested{text, text}, "", &deviant{name: "deviant", options: jsonschema.Options{WhiteSpace: jsonschema.AnySpace}}) // which is driven
	for masks := int64(16); masks < 1<<12; masks += 32 {
		ctx, cancel := context.WithCancel(t.Context())
		var asked atomic.Int64
		w.find["deviant"].panics = func(string) bool {
			if asked.Add(1) == masks {
				cancel()
			}
			return false
		}
		_, err := Judge(ctx, w.opt.Out, w.cfg, Options{Harness: w.opt})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("%v after %d masks, and no document was in part", err, masks)
		}
		all, _, err := judged.Read(w.opt.Out)
		must.OK(t, err)
		for key, c := range all {
			if slices.ContainsFunc(c.Documents, func(d judged.Document) bool { return len(d.Positions) < d.Differ }) {
				w.find["deviant"].panics = nil
				w.goesOn(t, key)
				return
			}
		}
	}
}

// goesOn judges what is left of a cell, and holds the whole to what it should be.
func (w *world) goesOn(t *testing.T, key string) {
	t.Helper()
	part := w.stored(t, key).Sum()
	if r := w.judge(t, Options{})["deviant"]; part.Judged >= part.Differ || r.Judged != r.Differ || r.DocumentsJudged != 2 || r.Undecided != 0 {
		t.Errorf("%d of %d positions were kept, then %+v", part.Judged, part.Differ, r)
	}
	for _, d := range w.stored(t, key).Documents {
		leading := 0
		for _, f := range d.Findings {
			leading += f.Leading
		}
		if !slices.IsSorted(d.Positions) || len(slices.Compact(slices.Clone(d.Positions))) != d.Differ || leading != d.Differ {
			t.Errorf("positions %v, of %d, %d of which lead", d.Positions, d.Differ, leading)
		}
	}
}

// contestedIn are documents with some positions each.
func contestedIn(positions ...[]uint32) (list []*document) {
	for n, p := range positions {
		list = append(list, &document{sample: n, id: fmt.Sprintf("d%d", n), positions: p})
	}
	return list
}

// chosenOf are the places that were chosen.
func chosenOf(list []*document) map[string]bool {
	out := map[string]bool{}
	for _, d := range list {
		for _, i := range d.chosen {
			out[fmt.Sprintf("%s %d", d.id, d.positions[i])] = true
		}
	}
	return out
}

// TestChoose: a small choice is part of a large one, another seed chooses others, and two engines
// are judged at the same places where both differ, as far as the choice goes.
func TestChoose(t *testing.T) {
	var all, odd []uint32
	for i := range uint32(400) {
		all = append(all, i)
		if i%2 == 1 {
			odd = append(odd, i)
		}
	}
	choice := func(limit int, seed uint64, positions []uint32) map[string]bool {
		list := contestedIn(positions, positions)
		choose(list, limit, seed)
		for _, d := range list {
			if !slices.IsSorted(d.chosen) {
				t.Errorf("%v", d.chosen)
			}
		}
		return chosenOf(list)
	}
	small, large, other := choice(20, 1, all), choice(100, 1, all), choice(20, 2, all)
	if len(small) != 20 || len(large) != 100 || len(choice(0, 1, all)) != 800 || len(choice(900, 1, all)) != 800 {
		t.Errorf("%d and %d places", len(small), len(large))
	}
	if reflect.DeepEqual(small, other) {
		t.Error("every seed chooses the same")
	}
	oddOnes := choice(100, 1, odd)
	documents := map[string]bool{}
	for place := range small {
		documents[strings.Fields(place)[0]] = true
		if !large[place] {
			t.Errorf("%s is in the small choice only", place)
		}
	}
	for place := range large {
		var document string
		var position int
		fmt.Sscan(place, &document, &position)
		if position%2 == 1 && !oddOnes[place] {
			t.Errorf("%s is not chosen for who differs at odd positions", place)
		}
	}
	if len(documents) != 2 {
		t.Error("all places are in one document")
	}
}

// TestOrder: problems come in an order of the seed's, each once.
func TestOrder(t *testing.T) {
	first, again, other := inOrder(1, 50), inOrder(1, 50), inOrder(2, 50)
	if !reflect.DeepEqual(first, again) || reflect.DeepEqual(first, other) || slices.IsSorted(first) {
		t.Errorf("%v, then %v, by another seed %v", first, again, other)
	}
	slices.Sort(first)
	for i, n := range first {
		if i != n {
			t.Fatalf("%v", first)
		}
	}
}

// TestAskedAgain: what is undecided is asked again with more time, or by another judge, and by
// nothing else; what is decided is not.
func TestAskedAgain(t *testing.T) {
	w := newPrograms(t, "letters.lark", letters, []string{"a b;", "a a;"}, &deviant{name: "deviant", without: func(_, _, token string) bool { return strings.Contains(token, "(") }})
	nobody := Options{Judges: judges.Options{Python: "no-such-python"}, Timeout: 20 * time.Second}
	r := w.judge(t, nobody)["deviant"]
	if r.Undecided == 0 || r.Least != nobody.Timeout || r.Most != nobody.Timeout {
		t.Fatalf("%+v", r)
	}
	again := func(what string, opt Options, more bool) *Result {
		t.Helper()
		before, _ := w.lines(t, r.Key)
		out := w.judge(t, opt)["deviant"]
		if after, _ := w.lines(t, r.Key); after > before != more {
			t.Errorf("%s: %d lines, then %d", what, before, after)
		}
		return out
	}
	again("the same", nobody, false)
	less := nobody
	less.Timeout = time.Second
	again("less time", less, false)
	longer := nobody
	longer.Timeout = time.Minute
	if out := again("more time", longer, true); out.Least != time.Minute || out.Undecided != r.Undecided || out.Judged != r.Judged {
		t.Errorf("with more time: %+v", out)
	}
	j, err := judges.For(judges.Language{Name: "letters", Text: []byte(letters)}, judges.Options{})
	if err == nil {
		_, err = j.Judge(t.Context(), []byte("a;"))
		j.Close()
	}
	if err != nil {
		t.Skip(err)
	}
	judge := Options{Timeout: time.Minute}
	if out := again("a judge", judge, true); out.Undecided != 0 || out.Judged != r.Judged {
		t.Errorf("with a judge: %+v", out)
	}
	judge.Timeout = time.Hour
	again("nothing undecided", judge, false)
}

// TestTimeOfAGroup: an engine that takes too long over one group of tokens leaves that group
// undecided, and no other one of the position; it is started again before it is asked more.
func TestTimeOfAGroup(t *testing.T) {
	seed.Usual(t)
	var now atomic.Bool
	var slow atomic.Int64
	prepared := new(atomic.Int64)
	w := newWorld(t, []tested{text}, "", &deviant{name: "deviant", without: digitless, prepared: prepared,
		with: func(text, token string) bool { return strings.HasSuffix(text, "some") && token == "\n" },
		panics: func(text string) bool {
			if now.Load() && strings.HasSuffix(text, "some\n") {
				slow.Add(1)
				time.Sleep(1500 * time.Millisecond)
			}
			return false
		}})
	now.Store(true)
	before := prepared.Load()
	r := w.judge(t, Options{Timeout: 50 * time.Millisecond})["deviant"]
	if slow.Load() == 0 || r.Judged != r.Differ {
		t.Fatalf("it was asked %d times, %+v", slow.Load(), r)
	}
	found := map[string]judged.SummedFinding{}
	for _, f := range r.Findings {
		found[f.Cause] = f
	}
	late := found[groupIsOver]
	if late.Class != judged.Undecided || late.Positions != 1 || late.Tokens == 0 || late.Witness == "" || r.Undecided < 1 || r.Undecided == r.Judged {
		t.Errorf("%+v; undecided at %d of %d", late, r.Undecided, r.Judged)
	}
	if rest := found["a character of a string"]; rest.Class != judged.ExcludesValid || rest.Positions < r.Judged-r.Undecided {
		t.Errorf("the other groups: %+v", r.Findings)
	}
	if n := prepared.Load() - before; n < 2 {
		t.Errorf("it was started %d times", n)
	}
}

// TestLocked: a directory that another process writes to is not judged.
func TestLocked(t *testing.T) {
	w := newWorld(t, []tested{text}, "", &deviant{name: "deviant", without: digitless})
	store := must.Get(cell.Open(w.opt.Out))(t)
	unlock := must.Get(store.Lock())(t)
	var locked *cell.LockedError
	if _, err := Judge(t.Context(), w.opt.Out, w.cfg, Options{Harness: w.opt}); !errors.As(err, &locked) {
		t.Errorf("while it is locked: %v", err)
	}
	unlock()
	w.judge(t, Options{Limit: 1})
}

// TestOverview: what the hashes say is there for all documents, however few are judged, and what
// is in no count is counted.
func TestOverview(t *testing.T) {
	w := newWorld(t, []tested{text, text, {`{"type": "integer"}`, "7"}}, "", &deviant{name: "deviant", without: func(text, _, token string) bool {
		return strings.HasSuffix(text, "words") && token == " " || text == "" && token == "7"
	}})
	part := w.judge(t, Options{Limit: 1})["deviant"]
	whole := w.judge(t, Options{})["deviant"]
	if part.Judged != 1 || part.Compared != whole.Compared || part.Differ != whole.Differ || part.DocumentsDiffer != whole.DocumentsDiffer || part.Behind != whole.Behind || part.Documents != 3 {
		t.Errorf("%+v\nwhole %+v", part, whole)
	}
	if part.Behind == 0 {
		t.Errorf("nothing is behind a refusal: %+v", part)
	}
	want := fmt.Sprintf("1 of 1 position in 1 of %d documents; limit 1, seed 3, timeout 30s", whole.DocumentsDiffer)
	if part.Sample() != want || part.Chosen() != 1 || whole.Chosen() != whole.Differ {
		t.Errorf("%q, want %q", part.Sample(), want)
	}
}

// TestReplayAsksWhatIsClaimed: that a text is refused in every spelling is asked in every spelling;
// another version of an engine is pointed out; a witness has a limit of time.
func TestReplayAsksWhatIsClaimed(t *testing.T) {
	seed.Usual(t)
	w := newWorld(t, []tested{{text.schema, `{"s": "a\/b"}`}}, "", &deviant{name: "deviant", without: func(text, _, token string) bool {
		return strings.HasSuffix(text, `\`) && token[0] == '/' || strings.Contains(token, `\/`)
	}})
	f := w.judge(t, Options{})["deviant"].Findings[0]
	if f.Class != judged.Convention {
		t.Fatalf("%+v", f)
	}
	again := func(change func(x *judged.Witness), opt ReplayOptions) (*Report, error) {
		x := w.witnessOf(t, f)
		change(x)
		content := must.Get(json.Marshal(x))(t)
		w.file(t, "x.json", string(content))
		opt.Algorithm = w.opt.Algorithm
		return Replay(t.Context(), filepath.Join(w.dir, "x.json"), opt)
	}
	r, err := again(func(x *judged.Witness) {
		x.Class, x.Cause, x.Respelled, x.RespelledBytes, x.RespelledIDs = judged.ExcludesValid, "an escape", "", nil, nil
	}, ReplayOptions{})
	if err != nil || r.Reproduced {
		t.Errorf("a convention that claims to be more: %+v, %v", r, err)
	}
	r, err = again(func(x *judged.Witness) { x.Engine.Version = "old"; x.Engine.Effective = map[string]string{"a": "b"} }, ReplayOptions{})
	if err != nil || !r.Reproduced || len(r.Notes) != 2 || !strings.Contains(r.Notes[0], "deviant was old, and is 7.7") || !strings.Contains(r.Notes[1], "map[a:b]") {
		t.Errorf("another version: %+v, %v", r, err)
	}
	w.find["deviant"].panics = func(string) bool { time.Sleep(5 * time.Second); return false }
	begun := time.Now()
	_, err = again(func(*judged.Witness) {}, ReplayOptions{Timeout: 300 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "x.json: not done after 300ms") || time.Since(begun) > 20*time.Second {
		t.Errorf("an engine that hangs: %v after %v", err, time.Since(begun))
	}
}
