package jsontokens

// text is a pattern of the characters of a JSON string.
const text = `(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-f]{4})`

// characters are plain ones of all kinds and lengths.
var characters = []rune(`abefgzABFGZ019 -_@.~{}é€😀߿ࠀ퟿𐀀􏿿` + "\x7f\u0080" + string(spaces) + string(lines))
