package format

// Addresses: URIs and references to them (RFC 3986, appendix A), and the same with characters above
// ASCII, IRIs (RFC 3987, section 2.2). The productions are those of the first; in an IRI more
// characters need no escape, some everywhere, and some in the query only.

const (
	pct      = `%[0-9a-fA-F]{2}`
	unres    = `a-zA-Z0-9._~\-`
	subs     = `!$&'()*+,;=`
	ipfuture = `[vV][0-9a-fA-F]+\.[` + unres + subs + `:]+`

	// Characters that IRIs have beyond those of URIs: ucschar and iprivate.
	ucs = `\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef\U00010000-\U0001fffd\U00020000-\U0002fffd\U00030000-\U0003fffd\U00040000-\U0004fffd` +
		`\U00050000-\U0005fffd\U00060000-\U0006fffd\U00070000-\U0007fffd\U00080000-\U0008fffd\U00090000-\U0009fffd` +
		`\U000a0000-\U000afffd\U000b0000-\U000bfffd\U000c0000-\U000cfffd\U000d0000-\U000dfffd\U000e1000-\U000efffd`
	private = `\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd`
)

// address is the pattern of the addresses with a scheme, or of those and the relative ones, whose
// characters include more than those of URIs, and in queries those of query, too.
func address(relative bool, more, query string) string {
	chars := func(also string) string { return `(?:[` + unres + subs + more + also + `]|` + pct + `)` }
	host := `(?:\[(?:` + ipv6 + `|` + ipfuture + `)\]|` + chars("") + `*)`
	segments := `(?:/` + chars(":@") + `*)*`
	// path is what may come after a scheme, or in its place; first has the characters of a first
	// segment.
	path := func(first string) string {
		return `(?://(?:` + chars(":") + `*@)?` + host + `(?::\d*)?` + segments +
			`|/(?:` + chars(":@") + `+` + segments + `)?|` + first + `+` + segments + `|)`
	}
	ending := `(?:\?` + chars(":@/?"+query) + `*)?(?:#` + chars(":@/?") + `*)?`
	absolute := `[a-zA-Z][a-zA-Z0-9+.\-]*:` + path(chars(":@"))
	if !relative {
		return absolute + ending
	}
	return `(?:` + absolute + `|` + path(chars("@")) + `)` + ending
}
