package config

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"unicode/utf8"
)

// validate is a small JSON Schema validator with the keywords our schema uses,
// so that the published schema is tested as an editor would read it. It returns
// what is wrong, or "".
func validate(schema map[string]any, v any, at string) string {
	if alts, ok := schema["anyOf"].([]any); ok {
		why := ""
		for _, alt := range alts {
			wrong := validate(alt.(map[string]any), v, at)
			if wrong == "" {
				return ""
			}
			why += wrong + "; "
		}
		return "no alternative fits: " + why
	}
	if list, ok := schema["enum"].([]any); ok {
		for _, e := range list {
			if reflect.DeepEqual(e, v) {
				return ""
			}
		}
		return fmt.Sprintf("%s: %v is not in the list", at, v)
	}
	if t, ok := schema["type"]; ok && !typeFits(t, v) {
		return fmt.Sprintf("%s: %v is not %v", at, v, t)
	}
	switch v := v.(type) {
	case string:
		return validateText(schema, v, at)
	case float64:
		return validateNumber(schema, v, at)
	case []any:
		return validateList(schema, v, at)
	case map[string]any:
		return validateObject(schema, v, at)
	}
	return ""
}

func typeFits(t, v any) bool {
	if list, ok := t.([]any); ok {
		for _, e := range list {
			if typeFits(e, v) {
				return true
			}
		}
		return false
	}
	switch v := v.(type) {
	case string:
		return t == "string"
	case bool:
		return t == "boolean"
	case float64:
		return t == "number" || t == "integer" && v == math.Trunc(v)
	case []any:
		return t == "array"
	case map[string]any:
		return t == "object"
	}
	return false
}

func validateText(schema map[string]any, v, at string) string {
	if p, ok := schema["pattern"].(string); ok && !regexp.MustCompile(p).MatchString(v) {
		return fmt.Sprintf("%s: %q does not match %s", at, v, p)
	}
	if n, ok := schema["minLength"].(float64); ok && utf8.RuneCountInString(v) < int(n) {
		return fmt.Sprintf("%s: %q is too short", at, v)
	}
	return ""
}

func validateNumber(schema map[string]any, v float64, at string) string {
	if n, ok := schema["minimum"].(float64); ok && v < n {
		return fmt.Sprintf("%s: %v is below %v", at, v, n)
	}
	if n, ok := schema["maximum"].(float64); ok && v > n {
		return fmt.Sprintf("%s: %v is above %v", at, v, n)
	}
	return ""
}

func validateList(schema map[string]any, v []any, at string) string {
	if n, ok := schema["minItems"].(float64); ok && len(v) < int(n) {
		return fmt.Sprintf("%s: fewer than %v items", at, n)
	}
	for i, e := range v {
		if wrong := validate(schema["items"].(map[string]any), e, fmt.Sprintf("%s[%d]", at, i)); wrong != "" {
			return wrong
		}
	}
	return ""
}

func validateObject(schema map[string]any, v map[string]any, at string) string {
	props, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, key := range required {
		if _, ok := v[key.(string)]; !ok {
			return fmt.Sprintf("%s lacks %v", at, key)
		}
	}
	for key, e := range v {
		sub, ok := props[key].(map[string]any)
		if !ok {
			if sub, ok = schema["additionalProperties"].(map[string]any); !ok {
				return fmt.Sprintf("%s has the unknown key %s", at, key)
			}
		}
		if wrong := validate(sub, e, at+"."+key); wrong != "" {
			return wrong
		}
	}
	return ""
}
