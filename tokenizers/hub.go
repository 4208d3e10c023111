package tokenizers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// hub downloads files of a repository of the Hugging Face hub, or of a mirror of it.
//
// A download that breaks off is continued by a range request, in this process or in a later
// one: the part got so far is kept under partial/ together with the file's ETag, which the
// request names (If-Range), so that a file that changed meanwhile is sent from the beginning.
type hub struct {
	base   string // such as https://huggingface.co
	token  string
	client *http.Client
	store  store
	watch  func(file string, total int64) progress
}

const (
	// hubURL is the hub itself; HF_ENDPOINT names another one, as for Hugging Face's own client.
	hubURL = "https://huggingface.co"
	// hubAttempts is how often a download is tried; each attempt goes on where the last one
	// broke off.
	hubAttempts = 4
	// hubMinRate is the bytes a second that a connection must deliver over each hubStall. With it
	// the largest file takes an hour.
	hubMinRate = 8 << 10
)

var (
	// hubPause is the wait before the second attempt; it doubles with each one.
	hubPause = time.Second
	// hubStall is how long a connection may be slower than hubMinRate before it counts as broken.
	hubStall = 60 * time.Second
)

// errFinal marks answers that another attempt would not change.
var errFinal = errors.New("")

// newHub settles where the hub is and with what token to ask: option, environment, default.
func newHub(s store, opt Options) *hub {
	h := &hub{base: opt.HubURL, token: opt.HubToken, client: opt.HTTP, store: s, watch: opt.watch}
	h.base = strings.TrimRight(cmp.Or(h.base, os.Getenv("HF_ENDPOINT"), hubURL), "/")
	h.token = cmp.Or(h.token, os.Getenv("HF_TOKEN"))
	if h.client == nil {
		h.client = &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	}
	client := *h.client
	follow := client.CheckRedirect
	client.CheckRedirect = func(request *http.Request, via []*http.Request) error {
		if from := via[0].URL; request.URL.Scheme != from.Scheme || request.URL.Host != from.Host {
			request.Header.Del("Authorization") // net/http would send it to other ports of the same host
		}
		switch {
		case follow != nil:
			return follow(request, via)
		case len(via) >= maxRedirects:
			return fmt.Errorf("more than %d redirects", maxRedirects)
		}
		return nil
	}
	h.client = &client
	return h
}

// maxRedirects is how many redirects are followed; the hub has one or two.
const maxRedirects = 10

// fetch downloads one file of the main revision. If the hub states the file's SHA-256, it is
// checked.
func (h *hub) fetch(ctx context.Context, repo, file string) ([]byte, error) {
	part := filepath.Join(h.store.dir, "partial", strings.ReplaceAll(repo, "/", "--")+"--"+file)
	if err := os.MkdirAll(filepath.Dir(part), 0o755); err != nil {
		return nil, err
	}
	var err error
	for attempt := range hubAttempts {
		if attempt > 0 {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(hubPause << (attempt - 1)):
			}
		}
		var sum string
		if sum, err = h.attempt(ctx, repo, file, part); err == nil {
			return h.finish(part, repo, file, sum)
		}
		if errors.Is(err, errFinal) {
			discard(part)
			return nil, err
		}
		if ctx.Err() != nil {
			break
		}
	}
	advice := "run the command again to go on with the download"
	if resumable(part) == 0 {
		discard(part)
		advice = "run the command again"
	}
	if ctx.Err() != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%s of %s: %d attempts: %w; %s", file, repo, hubAttempts, err, advice)
}

// discard removes a partial download.
func discard(part string) {
	os.Remove(part)
	os.Remove(part + ".etag")
}

// resumable is the number of bytes of a download that broke off and can be continued.
func resumable(part string) int64 {
	info, err := os.Stat(part)
	etag, tagErr := os.ReadFile(part + ".etag")
	if err != nil || tagErr != nil || len(etag) == 0 {
		return 0
	}
	return info.Size()
}

// finish reads the completed download, checks it, and removes its traces. A wrong one is
// removed too.
func (h *hub) finish(part, repo, file, sum string) ([]byte, error) {
	data, err := os.ReadFile(part)
	discard(part)
	if err != nil {
		return nil, err
	}
	if got := sha256Hex(data); sum != "" && got != sum {
		return nil, fmt.Errorf("%s of %s: the download has SHA-256 %s, the hub says %s; run the command again", file, repo, got, sum)
	}
	return data, nil
}

// attempt sends one request and appends what comes to the part file. It returns the SHA-256
// that the hub states, if it does.
func (h *hub) attempt(ctx context.Context, repo, file, part string) (sum string, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	url := h.base + "/" + repo + "/resolve/main/" + file
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", fmt.Errorf("%w%s: %w", errFinal, url, err)
	}
	if h.token != "" {
		request.Header.Set("Authorization", "Bearer "+h.token)
	}
	done := h.resume(request, part)
	meter := newRateMeter(cancel)
	defer meter.stop()
	response, err := h.client.Do(request)
	if err != nil {
		return "", causeOf(ctx, err)
	}
	defer response.Body.Close()
	if err := h.checkStatus(response, repo, url); err != nil {
		if response.StatusCode == http.StatusRequestedRangeNotSatisfiable {
			discard(part)
		}
		return "", err
	}
	if err := checkRange(response, done); err != nil {
		discard(part) // the next attempt begins anew
		return "", fmt.Errorf("%s: %w", url, err)
	}
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if response.StatusCode != http.StatusPartialContent {
		flags |= os.O_TRUNC
		done = 0
	}
	if err := h.save(response, part, flags, done, file, meter); err != nil {
		return "", causeOf(ctx, err)
	}
	return statedSum(response), nil
}

// causeOf is why a request was given up, or err if it was not.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// checkRange refuses a part of the file that is not the one asked for, which would be put in the
// wrong place.
func checkRange(response *http.Response, done int64) error {
	if response.StatusCode != http.StatusPartialContent {
		return nil
	}
	got := response.Header.Get("Content-Range")
	var from, to int64
	n, _ := fmt.Sscanf(got, "bytes %d-%d/", &from, &to)
	if n != 2 || done == 0 || from != done || to < from {
		return fmt.Errorf("asked for the bytes from %d on, the answer has %q", done, got)
	}
	if _, total, _ := strings.Cut(got, "/"); total != "*" {
		if size, err := strconv.ParseInt(total, 10, 64); err != nil || to != size-1 {
			return fmt.Errorf("asked for all bytes from %d on, the answer has %q", done, got)
		}
	}
	return nil
}

// A rateMeter gives a request up that is too slow.
type rateMeter struct {
	bytes  atomic.Int64 // since the last look
	ticker *time.Ticker
	done   chan struct{}
}

func newRateMeter(cancel context.CancelCauseFunc) *rateMeter {
	m := &rateMeter{ticker: time.NewTicker(hubStall), done: make(chan struct{})}
	least := int64(hubMinRate * hubStall.Seconds())
	go func() {
		for {
			select {
			case <-m.done:
				return
			case <-m.ticker.C:
			}
			switch n := m.bytes.Swap(0); {
			case n == 0:
				cancel(fmt.Errorf("nothing came for %v", hubStall))
			case n < least:
				cancel(fmt.Errorf("the connection is too slow: %d bytes came in %v, at least %d are expected", n, hubStall, least))
			}
		}
	}()
	return m
}

// stop ends the watch.
func (m *rateMeter) stop() {
	m.ticker.Stop()
	close(m.done)
}

// resume asks for the rest of a download that broke off, and returns the number of bytes there
// are.
func (h *hub) resume(request *http.Request, part string) int64 {
	done := resumable(part)
	etag, err := os.ReadFile(part + ".etag")
	if done == 0 || err != nil {
		return 0
	}
	request.Header.Set("Range", fmt.Sprintf("bytes=%d-", done))
	request.Header.Set("If-Range", string(etag))
	return done
}

// checkStatus turns an answer without the file into an error that says what to do.
func (h *hub) checkStatus(response *http.Response, repo, url string) error {
	switch code := response.StatusCode; {
	case code == http.StatusOK, code == http.StatusPartialContent:
		return nil
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		what := "set HF_TOKEN to a token of an account that did"
		if h.token != "" {
			what = "the account of HF_TOKEN has not"
		}
		return fmt.Errorf("%w%s answers %s: %s is gated; its licence must be accepted at %s/%s: %s", errFinal, url, response.Status, repo, h.base, repo, what)
	case code == http.StatusNotFound:
		return fmt.Errorf("%w%s answers %s: there is no such file, or HF_TOKEN may not see it", errFinal, url, response.Status)
	case code >= 500, code == http.StatusTooManyRequests, code == http.StatusRequestedRangeNotSatisfiable:
		return fmt.Errorf("%s answers %s", url, response.Status)
	default:
		return fmt.Errorf("%w%s answers %s", errFinal, url, response.Status)
	}
}

// save writes the body to the part file, which holds done bytes already.
func (h *hub) save(response *http.Response, part string, flags int, done int64, file string, meter *rateMeter) error {
	etag := response.Header.Get("ETag")
	if strings.HasPrefix(etag, "W/") {
		etag = "" // a weak one does not allow ranges
	}
	if err := os.WriteFile(part+".etag", []byte(etag), 0o644); err != nil {
		return err
	}
	f, err := os.OpenFile(part, flags, 0o644)
	if err != nil {
		return err
	}
	total := int64(-1)
	if response.ContentLength >= 0 {
		total = done + response.ContentLength
	}
	bar := h.watch(file, total)
	bar.add(done)
	body := io.TeeReader(io.LimitReader(response.Body, maxFileSize-done+1), writerFunc(func(p []byte) {
		meter.bytes.Add(int64(len(p)))
		bar.add(int64(len(p)))
	}))
	n, err := io.Copy(f, body)
	bar.finish()
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	switch {
	case err != nil:
		return err
	case done+n > maxFileSize:
		return fmt.Errorf("%w%s has more than %d bytes", errFinal, file, maxFileSize)
	case total >= 0 && done+n != total:
		return fmt.Errorf("%s broke off after %d of %d bytes: %w", file, done+n, total, io.ErrUnexpectedEOF)
	}
	return nil
}

type writerFunc func(p []byte)

func (w writerFunc) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}

// statedSum finds the SHA-256 that the hub gives for large files: the header X-Linked-Etag of
// its redirect to the storage.
func statedSum(response *http.Response) string {
	for r := response; r != nil; {
		tag := strings.Trim(r.Header.Get("X-Linked-Etag"), `"`)
		if _, err := strconv.ParseUint(tag[:min(len(tag), 16)], 16, 64); len(tag) == 64 && err == nil {
			return tag
		}
		if r.Request == nil {
			break
		}
		r = r.Request.Response
	}
	return ""
}
