package toolcalls

import (
	"fmt"
	"strings"

	"gcdbench/grammar/tools"
)

// The messages of the harmony format: what the header says, without the recipient of a call.
const (
	harmonyAnalysis = "analysis"
	harmonyPreamble = "commentary"
	harmonyFinal    = "final"
	harmonyCall     = "call"
)

// harmony reads a response of messages, and judges their order.
func (s *scan) harmony() *mistake {
	for number := 0; ; number++ {
		at := s.at
		kind, wrong := s.message()
		if wrong == nil {
			wrong = s.order(kind, number, at)
		}
		if wrong != nil {
			return wrong
		}
		if s.rest() == "" {
			if len(s.calls) == 0 && s.request.Choice != tools.ChoiceAuto {
				return &mistake{NoCall, s.at, "the response has no call"}
			}
			return s.ends(kind)
		}
		if kind == harmonyFinal {
			return &mistake{MisplacedText, s.at, fmt.Sprintf("%q follows the final message", clip(s.rest()))}
		}
		if wrong := s.expect("<|start|>assistant"); wrong != nil {
			return wrong
		}
	}
}

// message reads one message.
func (s *scan) message() (kind string, wrong *mistake) {
	if wrong := s.expect("<|channel|>"); wrong != nil {
		return "", wrong
	}
	if strings.HasPrefix(s.rest(), "commentary to=") {
		wrong := all(s.marker("commentary to=functions."), func() *mistake { return s.named(" <|constrain|>json<|message|>") }, s.marker("<|call|>"))
		return harmonyCall, wrong
	}
	header, wrong := s.upTo(Marker, "<|message|>")
	if wrong != nil {
		return "", wrong
	}
	switch header {
	case harmonyAnalysis, harmonyPreamble:
		_, wrong = s.upTo(Text, "<|end|>")
	case harmonyFinal:
		_, wrong = s.upTo(Text, "<|return|>")
	default:
		wrong = &mistake{Malformed, s.at, fmt.Sprintf("there is no channel %q", clip(header))}
	}
	return header, wrong
}

// order judges whether a message may stand where it does.
func (s *scan) order(kind string, number, at int) *mistake {
	r := s.request
	single := !r.Parallel || r.Choice == tools.ChoiceOne
	anywhere := r.Text == tools.TextAround && !single
	after := len(s.calls)
	if kind == harmonyCall {
		after--
	}
	misplaced := &mistake{MisplacedText, at, fmt.Sprintf("a message of the channel %s stands here", kind)}
	switch first := number == 0; {
	case first && r.Reasoning && kind != harmonyAnalysis:
		return &mistake{NoReasoning, at, "the response does not begin with a message of the channel analysis"}
	case kind == harmonyAnalysis:
		if first && r.Reasoning {
			return nil
		}
		return misplaced
	case kind == harmonyCall && after > 0 && single:
		return &mistake{TooManyCalls, at, "a call follows the only one"}
	case kind == harmonyCall, anywhere && after > 0:
		return nil
	case after > 0 || r.Choice != tools.ChoiceAuto || kind == harmonyPreamble && r.Text == tools.TextNone:
		return misplaced
	}
	return nil
}

// ends judges the last message: without text among calls, a text before them needs a call or an
// answer.
func (s *scan) ends(kind string) *mistake {
	anywhere := s.request.Text == tools.TextAround && s.request.Parallel
	if kind == harmonyAnalysis || kind == harmonyPreamble && !anywhere {
		return &mistake{CutShort, s.at, "the response ends before a call or a final message"}
	}
	return nil
}
