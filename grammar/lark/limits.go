package lark

// Limits. Lark has none of its own: it runs until its memory or Python's recursion limit ends it.
// Ours are well above the largest grammars in use (SynCode's Go grammar, one of the biggest, has
// 552 rules and 84 terminals) and low enough that hostile input is refused within a second or two.
const (
	// maxSource is the size of one grammar file in bytes: fifty times the largest in use. The schemas
	// of %json are not counted: 4,000 functions have three times as many bytes. With them it is
	// maxText.
	maxSource = 1 << 20
	maxText   = 1 << 24
	// maxDepth is the nesting of ( ) and [ ]. Python's recursion limit stops Lark below 500.
	maxDepth = 1000
	// maxFiles is how often files are imported, all files together: each import of a file renames
	// and copies its rules, and files that import each other twice each would double at every level.
	maxFiles = 1000
	// maxCopied is the number of syntax nodes that imports may copy, and also templates. A file of
	// the largest size has as many.
	maxCopied = 1 << 19
	// maxParams is the number of parameters of a template, each of which is looked for everywhere in
	// it.
	maxParams = 255
	// maxInstances is the number of rules that templates may be expanded to. A template that uses
	// itself with ever longer arguments never ends; Lark would not stop.
	maxInstances = 1 << 14
	// maxInstanceName is the length of the name of a template's instance, which spells out its
	// arguments: the other way in which a template that uses itself can grow.
	maxInstanceName = 1 << 12
	// maxExtended is how often one rule or terminal may be extended: each %extend moves all the
	// alternatives that are there.
	maxExtended = 1 << 12
	// maxChain is how deep terminals may be built of terminals. Each level takes some hundred bytes
	// of stack; people write five.
	maxChain = 10_000
	// maxAlternatives is the number of alternatives one rule may have once its optional parts are
	// written out: 16 independent optional items. An LR(0) state that holds so many items is
	// already a hundred times what parser generators are built for.
	maxAlternatives = 1 << 16
	// maxSymbols is the number of symbols in all alternatives together, which bounds the memory
	// (4 bytes each, and the LR tables need many times that).
	maxSymbols = 1 << 22
	// maxPattern is the length of one terminal's regular expression in bytes, after the terminals
	// it is built of are written out. Package automata allows expressions of 2^19 characters, and
	// a list of 10,000 words has 100,000.
	maxPattern = 1 << 18
	// maxPatterns is the same for all terminals together: 16 of the longest.
	maxPatterns = 1 << 22
	// maxStates is the number of states of the automata of all regexps together: four of the largest
	// that package automata makes, which takes it seconds.
	maxStates = 1 << 19
	// maxCostly is the number of regexps whose automata take more than cheapSteps of package automata,
	// about a millisecond. It allows 2^25 steps for each, half a second, so that all take half a
	// minute at worst; none of the terminals of our grammars is that costly.
	maxCostly  = 64
	cheapSteps = 1 << 16
)
