package lark
import "testing"
func TestZZ(t *testing.T){
 o:=newOracle(t)
 for _,s:=range []string{
 "start: A\nA: /a|b/ \"c\"",
 "start: [x] [x]\nx: \"a\"", `start: ["a"] ["a"]`, `start: "x" ("y" | "z" -> foo)`,
 `start: "x" "==" ("y" | ">=")*`, "start: b~60\nb: \"b\"", "start: b~3..77 b? \"x\"\nb: \"b\"",
 "start: \"x\" B \"b\"\n%declare B",
 "start: a{B}\na{x}: x (\",\" x)* -> foo\nB: \"b\"",
 "start: ESCAPED_STRING\n%import common.ESCAPED_STRING", "start: x\n%import common (DIGIT,HEXDIGIT,INT,DECIMAL,_EXP,FLOAT,NUMBER,SIGNED_INT,SIGNED_FLOAT,SIGNED_NUMBER,LCASE_LETTER,UCASE_LETTER,LETTER,WORD,CNAME,ESCAPED_STRING,WS,WS_INLINE,CR,LF,NEWLINE,SH_COMMENT,SQL_COMMENT,CPP_COMMENT,C_COMMENT)\nx: DIGIT HEXDIGIT INT DECIMAL _EXP FLOAT NUMBER SIGNED_INT SIGNED_FLOAT SIGNED_NUMBER LCASE_LETTER UCASE_LETTER LETTER WORD CNAME ESCAPED_STRING WS WS_INLINE CR LF NEWLINE SH_COMMENT SQL_COMMENT CPP_COMMENT C_COMMENT\nstart: x",
 "start: x\n%import unicode.WS\n%import unicode.WS_INLINE\nx: WS WS_INLINE",
 "start: \"'\" S\nS: \"'\" _STRING_ESC_INNER \"'\"\n%import common._STRING_ESC_INNER",
 "start: S\nS: /(?i)abc/","start: \"a\"i \"A\" \"a\" \"Ab\"i", "start: \"==\" | \"ß\" | \"é\"",
 }{
  q:=question{Grammar:s}
  a:=o.ask(t,q)
  g,err:=q.parse()
  if d:=compare(g,err,a);d!=""{t.Errorf("%s\n%s",s,d)} else {t.Log("same", err, a.Error)}
 }
}
