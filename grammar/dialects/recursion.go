package dialects

func (s *source) withoutLeftRecursion() (*source, error) { return s, nil }
