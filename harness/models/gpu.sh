#!/usr/bin/env bash
# What a GPU is wanted for, in under 12 minutes: harness/models/gpu.sh PROGRAM SCHEMAS.jsonl OUT
#
# PROGRAM is gcdbench with the tokenizers llama3 and qwen2.5 in its cache, and llguidance and xgrammar installed; engines
# that are not there are left out. Python needs PyTorch and numpy. Into OUT go four tables of decoding steps, for
# configs/papers/psc-figures.yaml, and what real models decode with each engine. LIMIT bounds the seconds of a
# part (20); DEVICE, BATCHES, SIZES and MODELS are for trying it without a GPU.
set -euo pipefail
here=$(dirname "$0")
program=${1:?which program?} schemas=${2:?which schemas?} out=${3:?into which folder?}
limit=${LIMIT:-20} device=${DEVICE:-cuda}
mkdir -p "$out"
engines="none psc"
for name in llguidance xgrammar; do
  if "$program" engines list --json | grep -q "\"name\":\"$name\".*\"ready\":true"; then engines="$engines $name"; else echo "not installed: $name"; fi
done
for model in ${MODELS:-llama-3.2-1b qwen-2.5-0.5b qwen-2.5-7b gemma-3-270m}; do
  python3 "$here/measure.py" "$model" --device "$device" --seconds "$((limit / 8 + 1))" --batch ${SIZES:-1 2 4 8 16 32 64 128 256} --out "$out/$model.json" ||
    echo "not measured: $model"
done
for pair in llama-3.2-1b:llama3 qwen-2.5-0.5b:qwen2.5; do
  case " ${MODELS:-${pair%:*}} " in *" ${pair%:*} "*) ;; *) continue ;; esac
  for batch in ${BATCHES:-1 64}; do
    python3 "$here/serve.py" "${pair%:*}" --tokenizer "${pair#*:}" --gcdbench "$program" --schemas "$schemas" --engines $engines --device "$device" \
      --batch "$batch" --requests $((4 * batch + 12)) --seconds "$limit" --out "$out/serve-${pair%:*}-$batch.json" || echo "not decoded: ${pair%:*}, batch $batch"
  done
done
