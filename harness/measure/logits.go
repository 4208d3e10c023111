package measure

import "math"

// allMasked are the logits of 64 tokens that a mask leaves out.
var allMasked = func() (out [64]float32) {
	for i := range out {
		out[i] = float32(math.Inf(-1))
	}
	return out
}()

// apply applies the mask to the logits, as a sampler does: the logit of every token outside the
// mask becomes minus infinity, and all logits are read, one in each cache line. So 4 bytes for each
// id pass through the caches, whatever the mask is.
func (w *Walker) apply() {
	if w.logits == nil {
		return
	}
	sum := float32(0)
	for i, word := range w.row {
		logits := w.logits[64*i : 64*i+64]
		switch word {
		case 0:
			copy(logits, allMasked[:])
		case math.MaxUint64:
		default:
			for bit := range logits {
				if word>>bit&1 == 0 {
					logits[bit] = allMasked[0]
				}
			}
		}
		sum += logits[0] + logits[16] + logits[32] + logits[48]
	}
	w.read = sum
}
