package automata

import (
	"strings"
	"unicode"

	"gcdbench/internal/constants"
)

// The predefined classes, as Python defines them for str patterns.
var (
	// digitSet is \d: what str.isdecimal accepts.
	digitSet = constants.Of(&fixed, func() runeSet { return tableSet(unicode.Nd) })
	// wordSet is \w: what str.isalnum accepts, and the underscore.
	wordSet = constants.Of(&fixed, func() runeSet {
		return tableSet(unicode.L, unicode.N).union(runeSet{{'_', '_'}})
	})
	// spaceSet is \s: what str.isspace accepts. It is White_Space and the four
	// information separators.
	spaceSet = constants.Of(&fixed, func() runeSet {
		return tableSet(unicode.White_Space).union(runeSet{{0x1C, 0x1F}})
	})

	asciiDigitSet = runeSet{{'0', '9'}}
	asciiWordSet  = newRuneSet(runeRange{'0', '9'}, runeRange{'A', 'Z'}, runeRange{'_', '_'}, runeRange{'a', 'z'})
	asciiSpaceSet = runeSet{{'\t', '\r'}, {' ', ' '}}

	allSet     = newRuneSet(runeRange{0, unicode.MaxRune})
	newlineSet = runeSet{{'\n', '\n'}}
)

// categorySet returns the set of \d \w \s \D \W \S, and false for other letters.
func categorySet(letter byte, ascii bool) (runeSet, bool) {
	var set runeSet
	switch letter | 0x20 {
	case 'd':
		set = choose(ascii, func() runeSet { return asciiDigitSet }, digitSet)
	case 'w':
		set = choose(ascii, func() runeSet { return asciiWordSet }, wordSet)
	case 's':
		set = choose(ascii, func() runeSet { return asciiSpaceSet }, spaceSet)
	default:
		return nil, false
	}
	if letter&0x20 == 0 {
		set = set.negate()
	}
	return set, true
}

func choose(first bool, a, b func() runeSet) runeSet {
	if first {
		return a()
	}
	return b()
}

// propertySet returns the set of \p{name}. Names are compared without case,
// spaces, hyphens and underscores; a key such as "Script=" or "gc=" may precede.
func propertySet(name string) (runeSet, bool) {
	key, value, keyed := strings.Cut(name, "=")
	if !keyed {
		key, value, keyed = strings.Cut(name, ":")
	}
	if !keyed {
		key, value = "", name
	}
	value = propertyKey(value)
	switch propertyKey(key) {
	case "":
		return lookupProperty(value, true, true, true)
	case "gc", "generalcategory", "category":
		return lookupProperty(value, true, false, false)
	case "sc", "script":
		return lookupProperty(value, false, true, false)
	}
	return nil, false
}

// lookupProperty looks a normalized name up in the tables asked for, categories
// before scripts before binary properties.
func lookupProperty(key string, category, script, binary bool) (runeSet, bool) {
	index := propertyIndex()
	if category {
		if t, ok := index.categories[key]; ok {
			return tableSet(t), true
		}
	}
	if script {
		if t, ok := index.scripts[key]; ok {
			return tableSet(t), true
		}
	}
	if binary {
		if f, ok := derivedProperties[key]; ok {
			return f(), true
		}
		if t, ok := index.properties[key]; ok {
			return tableSet(t), true
		}
	}
	return nil, false
}

// derivedProperties are properties which Unicode derives from the tables in
// package unicode (DerivedCoreProperties.txt gives the formulas).
var derivedProperties = map[string]func() runeSet{
	"any":      func() runeSet { return allSet },
	"ascii":    func() runeSet { return runeSet{{0, 0x7F}} },
	"assigned": func() runeSet { return tableSet(unicode.Cn).negate() },
	"alpha":    alphabetic, "alphabetic": alphabetic,
	"upper": uppercase, "uppercase": uppercase,
	"lower": lowercase, "lowercase": lowercase,
	"alnum":   func() runeSet { return alphabetic().union(tableSet(unicode.Nd)) },
	"space":   func() runeSet { return tableSet(unicode.White_Space) },
	"idstart": idStart, "ids": idStart,
	"idcontinue": idContinue, "idc": idContinue,
}

func alphabetic() runeSet {
	return tableSet(unicode.L, unicode.Nl, unicode.Other_Alphabetic)
}

func uppercase() runeSet { return tableSet(unicode.Lu, unicode.Other_Uppercase) }

func lowercase() runeSet { return tableSet(unicode.Ll, unicode.Other_Lowercase) }

func idStart() runeSet {
	return tableSet(unicode.L, unicode.Nl, unicode.Other_ID_Start).
		minus(tableSet(unicode.Pattern_Syntax, unicode.Pattern_White_Space))
}

func idContinue() runeSet {
	return idStart().union(tableSet(unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)).
		minus(tableSet(unicode.Pattern_Syntax, unicode.Pattern_White_Space))
}

// A propertyTables finds the tables of package unicode by normalized name.
type propertyTables struct {
	categories, scripts, properties map[string]*unicode.RangeTable
}

var propertyIndex = constants.Of(&fixed, func() propertyTables {
	normalize := func(m map[string]*unicode.RangeTable) map[string]*unicode.RangeTable {
		out := make(map[string]*unicode.RangeTable, len(m))
		for name, t := range m {
			out[propertyKey(name)] = t
		}
		return out
	}
	t := propertyTables{normalize(unicode.Categories), normalize(unicode.Scripts), normalize(unicode.Properties)}
	for alias, name := range unicode.CategoryAliases {
		t.categories[propertyKey(alias)] = unicode.Categories[name]
	}
	return t
})

// propertyKey strips what Unicode's loose matching of names ignores.
func propertyKey(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '-' || r == '_':
			return -1
		case 'A' <= r && r <= 'Z':
			return r + 0x20
		}
		return r
	}, name)
}
