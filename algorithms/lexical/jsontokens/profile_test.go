package jsontokens

// characters are plain ones of all kinds and lengths.
var characters = []rune(`abefgzABFGZ019 -_@.~{}é€😀߿ࠀ퟿𐀀􏿿` + "\x7f\u0080" + string(spaces) + string(lines))
