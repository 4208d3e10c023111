package engines

// placeholder
const faultEnv = "GCDBENCH_TEST_FAULT"

func misbehave(string) {}
