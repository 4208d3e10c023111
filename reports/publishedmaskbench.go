package reports

import "math"

// What is published about engines on MaskBench, a corpus of JSON schemas with instances: by
// MaskBench itself, and by the authors of two engines. Versions of the engines, machines and the
// choice of schemas differ from source to source.

// Where the figures are from, in the order of their publication.
var (
	maskBenchTable = source{
		name:     "MaskBench's table",
		where:    "github.com/guidance-ai/jsonschemabench, maskbench/README.md, commit ba103c73",
		date:     "runs of 2025-03-27",
		machine:  "one thread an engine of an EPYC 7V13",
		versions: "llguidance 0.7.10, xgrammar 0.1.17, llama-cpp-python 0.3.8, outlines-core 0.2.3",
		differs: "all 11,306 schemas, those without instances right if they compile; Llama 3's vocabulary; 15 minutes a schema, which is what a timeout counts as in its means; " +
			"the order of keys of a few objects follows llguidance's",
	}
	gridReport = source{
		name:     "GRID's report",
		where:    "github.com/evolutionIdGmbH/grid, bench/RESULTS-jsonschemabench-v0.4.0.md, commit b68236bc",
		date:     "runs of 2026-07-30",
		machine:  "one machine for all, an arm64 under macOS that is not named, not pinned",
		versions: "GRID 0.4.0, llguidance 1.7.6, XGrammar 0.2.3 in its compliant mode",
		differs:  "all 11,306 schemas; Llama 3.1's vocabulary; 2 minutes a schema; GRID records by name each constraint that it does not enforce",
	}
	glrmaskReport = source{
		name:     "glrmask's report",
		where:    "github.com/IsaacBreen/glrmask, docs/benchmark-cfa-full-2026-08-20.md, commit d8db9d28",
		date:     "2026-08-20",
		machine:  "one thread of an EPYC 9R05, the thread's processor time",
		versions: "glrmask 42f4d1cc with the fix 86a9b8ba, llguidance 1.6.1",
		differs: "the 9,558 schemas of JSONSchemaBench; one traversal without warm-up; a stand-in for Llama 3.1's tokenizer; verdicts are not published; by its own words " +
			"a composite engineering result and no publication run",
	}
)

// A spread is what is published of many times.
type spread struct{ mean, p50, p90, p99, p999, max float64 }

// A schemaFigure is what a source says about an engine on JSON schemas.
type schemaFigure struct {
	source *source
	system string
	note   string // a footnote of the whole row

	ttfm     spread // time to first mask of a schema, ms
	tbm      spread // mask and commit of a step, µs
	verdicts schemaVerdicts
}

// schemaVerdicts counts schemas.
type schemaVerdicts struct {
	schemas  float64
	right    float64 // all instances judged as labelled; without instances: compiled
	declined float64 // no grammar: the engine declared it unsupported, or failed in an orderly way
	lost     float64 // a crash, too much memory or too much time
	// With a valid instance refused, or an invalid one accepted.
	validRefused, invalidAccepted float64
}

// timeout stands where a figure is the time limit: what it would have been, nobody knows.
var timeout = math.Inf(1)

// publishedOnSchemas are in the order of their publication.
var publishedOnSchemas = []schemaFigure{
	{&maskBenchTable, "LLGuidance", "", spread{1.850, 1.037, 3.030, 17.988, 40.092, 229.367},
		spread{64, 46, 77, 533, 1695, 33055}, schemaVerdicts{11306, 8909, 2377, 0, 20, 0}},
	{&maskBenchTable, "XGrammar", "", spread{27062.414, 919.459, 11645.219, timeout, timeout, timeout},
		spread{728, 9, 99, 5687, 100267, 6283834}, schemaVerdicts{11306, 8122, 90, 37 + 241, 1408, 1368}},
	{&maskBenchTable, "llama.cpp", "", spread{92.371, 0.312, 1.744, 28.558, 112.446, timeout},
		spread{16565, 17021, 26818, 60371, 297552, 1129560}, schemaVerdicts{11306, 6505, 1301, 1, 2850, 649}},
	{&maskBenchTable, "XGrammar.cpp", "XGrammar on llama.cpp's grammars", spread{7040.547, 856.231, 4099.282, 65476.826, timeout, timeout},
		spread{42158, 1677, 106677, 381153, 2043383, 7416822}, schemaVerdicts{11306, 6387, 1718, 1 + 38, 2837, 325}},
	{&maskBenchTable, "Outlines", "", spread{18351.800, 587.900, 26703.408, 413111.222, timeout, timeout},
		spread{1858, 34, 6043, 7184, 7820, 1121673}, schemaVerdicts{11306, 7050, 1773, 188 + 60, 1415, 822}},
	{&gridReport, "GRID", "", spread{60.905, 6.850, 74.224, 1142.255, unsaid, unsaid},
		spread{486, 25, 80, 7741, 8638, 543078}, schemaVerdicts{11306, 10159, 637, 0, 3, 507}},
	{&gridReport, "llguidance", "", spread{0.624, 0.352, 1.025, 6.189, unsaid, unsaid},
		spread{21, 9, 25, 294, 1063, 6038}, schemaVerdicts{11306, 9487, 1797, 0, 22, 0}},
	{&gridReport, "XGrammar", "", spread{362.186, 10.292, 603.374, 5037.974, unsaid, unsaid},
		spread{191, 9, 44, 757, 50665, 128756}, schemaVerdicts{11306, 10212, 51, 0, 427, 627}},
	{&glrmaskReport, "llguidance", "", spread{1.652, 1.109, 2.738, 12.023, 36.839, 81.104},
		spread{21.168, 10.451, 27.578, 222.980, 787.850, 14426}, schemaVerdicts{9558, unsaid, 9558 - 8828, unsaid, unsaid, unsaid}},
	{&glrmaskReport, "glrmask, composite run", "only glrmask's slow problems were run again: where its first run had a step of 25 µs or more (1,292 problems), " +
		"its steps are those of a second run after a fix, on a smaller machine of the family; everything else is of the first run",
		spread{25.737, 10.421, 59.350, 229.809, 674.319, 779.588},
		spread{3.448, 3.051, 4.730, 10.310, 17.820, 70.080}, schemaVerdicts{9558, unsaid, 9558 - 8826, unsaid, unsaid, unsaid}},
}
