package site

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A browser is a headless Chromium with one tab, spoken to over its debugging pipe: messages are
// JSON, each with a zero byte behind it.
type browser struct {
	t       *testing.T
	to      io.Writer
	answers chan message
	session string
	last    int
	// Requests are the addresses that the tab has asked for. Problems are scripts' errors and
	// refusals of its policy.
	Requests, Problems []string
}

// message is a command, an answer or an event.
type message struct {
	ID        int             `json:"id,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     json.RawMessage `json:"error,omitempty"`
}

// browserLimit bounds a start or a command: a machine that is busy takes its time.
const browserLimit = 60 * time.Second

// newBrowser starts Chromium, or skips the test where there is none.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("no Chromium is installed (chromium, chromium-browser, google-chrome): the page is not tried in a browser")
	}
	commands, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, events, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir="+t.TempDir(),
		"--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{commands, events} // 3 and 4, where Chromium looks for them
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	commands.Close()
	events.Close()
	b := &browser{t: t, to: to, answers: make(chan message, 1000)}
	go b.listen(from)
	t.Cleanup(func() { b.end(cmd, to, from) })
	b.open()
	return b
}

// listen passes on what the browser says until it ends.
func (b *browser) listen(from io.Reader) {
	defer close(b.answers)
	for r := bufio.NewReader(from); ; {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(text[:len(text)-1], &m) == nil {
			b.answers <- m
		}
	}
}

// end closes the browser: its profile is removed after the test, and it must not write there any
// more.
func (b *browser) end(cmd *exec.Cmd, to, from *os.File) {
	fmt.Fprintf(to, "{\"id\":%d,\"method\":\"Browser.close\"}\x00", b.last+1)
	go func() {
		for range b.answers { // a full channel must not keep it from ending
		}
	}()
	done := make(chan struct{})
	go func() { cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		cmd.Process.Kill()
		<-done
	}
	to.Close()
	from.Close()
}

// open makes a tab.
func (b *browser) open() {
	var made struct {
		TargetID string `json:"targetId"`
	}
	b.Call("Target.createTarget", map[string]any{"url": "about:blank"}, &made)
	var attached struct {
		SessionID string `json:"sessionId"`
	}
	b.Call("Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Network", "Runtime", "Log"} {
		b.Call(domain+".enable", nil, nil)
	}
}

// Call sends a command and waits for its answer.
func (b *browser) Call(method string, params, result any) {
	b.t.Helper()
	b.last++
	command := map[string]any{"id": b.last, "method": method}
	if params != nil {
		command["params"] = params
	}
	if b.session != "" {
		command["sessionId"] = b.session
	}
	text, err := json.Marshal(command)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.to.Write(append(text, 0)); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	answer := b.until(method, func(m message) bool { return m.ID == b.last })
	if answer.Error != nil {
		b.t.Fatalf("%s: %s", method, answer.Error)
	}
	if result != nil {
		if err := json.Unmarshal(answer.Result, result); err != nil {
			b.t.Fatalf("%s: %v", method, err)
		}
	}
}

// until takes messages until one is the one that is waited for, and notes what the others say.
func (b *browser) until(what string, wanted func(message) bool) message {
	b.t.Helper()
	limit := time.After(browserLimit)
	for {
		select {
		case m, ok := <-b.answers:
			if !ok {
				b.t.Fatalf("%s: Chromium ended", what)
			}
			b.note(m)
			if wanted(m) {
				return m
			}
		case <-limit:
			b.t.Fatalf("%s: no answer in %v", what, browserLimit)
		}
	}
}

// note keeps requests and problems.
func (b *browser) note(m message) {
	switch m.Method {
	case "Network.requestWillBeSent":
		var p struct{ Request struct{ URL string } }
		if json.Unmarshal(m.Params, &p) == nil {
			b.Requests = append(b.Requests, p.Request.URL)
		}
	case "Runtime.exceptionThrown", "Log.entryAdded":
		b.Problems = append(b.Problems, string(m.Params))
	}
}

// Show opens an address in a window of this size.
func (b *browser) Show(url string, width, height int) {
	b.t.Helper()
	b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
	b.Call("Page.navigate", map[string]any{"url": url}, nil)
	b.until("loading "+url, func(m message) bool { return m.Method == "Page.loadEventFired" })
}

// Eval is the value of a JavaScript expression, or of what it promises, as text.
func (b *browser) Eval(expression string) string {
	b.t.Helper()
	var out struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.Call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &out)
	if out.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, out.ExceptionDetails)
	}
	var text string
	if json.Unmarshal(out.Result.Value, &text) == nil {
		return text
	}
	return strings.TrimSpace(string(out.Result.Value))
}

// Mouse sends an event of the mouse.
func (b *browser) Mouse(kind string, x, y float64) {
	b.t.Helper()
	event := map[string]any{"type": kind, "x": x, "y": y}
	if kind != "mouseMoved" {
		event["button"], event["clickCount"] = "left", 1
	}
	b.Call("Input.dispatchMouseEvent", event, nil)
}

// Middle scrolls an element into sight and returns where its middle is. The event of scrolling
// comes a frame later.
func (b *browser) Middle(selector string) (x, y float64) {
	b.t.Helper()
	var at []float64
	text := b.Eval(fmt.Sprintf(`(async () => { const e = document.querySelector(%q); e.scrollIntoView({block: "center"});
		for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
		const r = e.getBoundingClientRect(); return JSON.stringify([r.x + r.width / 2, r.y + r.height / 2]); })()`, selector))
	if err := json.Unmarshal([]byte(text), &at); err != nil || len(at) != 2 {
		b.t.Fatalf("the place of %s: %s", selector, text)
	}
	return at[0], at[1]
}

// Click clicks into the middle of an element.
func (b *browser) Click(selector string) {
	b.t.Helper()
	x, y := b.Middle(selector)
	b.Mouse("mousePressed", x, y)
	b.Mouse("mouseReleased", x, y)
}
