package languages_test

// pythonStrings are more of pythonCases: formatted strings and templates, read inside.
var pythonStrings = []pythonCase{
	{"formatted strings",
		[]string{`f'''{x:a¶}'''`, `f'''{x:a¶  }'''`, `f'''{x:a¶b}'''`, `f'''{x:¶}'''`, `f'''{x:¶#c¶}'''`, `f'{x¶}'`, `f'{x # }¶}'`, `f'''{x:{y¶}¶}'''`,
			`f'''{x:{y}¶}'''`, `f'''{x:a¶{y}}'''`, `f'{*a, b}'`, `f'{yield}'`, `f'{yield x}'`, `f'{(lambda x: 1)}'`, `f'{x:=5}'`, `f'{(x:=5)}'`, `f'{x!=y}'`,
			`f'{x!r }'`, `f'{x !r}'`, `f'{x=!r:>{w}}'`, `f'{x = }'`, `f'{x:{y:{z}}}'`, `f'{x:{y:{z:a}}}'`, `f'\{x}'`, `f'\{{x}}'`, `f'\N{BULLET}'`,
			`rf'\N{x}'`, `f'{x:\N{BULLET}}'`, `f'{x:{{}}}'`, `f'{x:{{a}}}'`, `f'{{}}'`, `f'{ {} }'`, `f'{x,}'`, `f'{x,y!r}'`, `f"{x['a']}"`, `f"{x["a"]}"`,
			`f'{a[b:c]}'`, `f'{a:b[c:d]}'`, `f'{x:"}'`, `f'''{x:'}'''`, `f'''{x:''}'''`, `f'''a'''''`, `f''''''`, `f'' f""`, `match x:¶ case f'a': b`,
			`match x:¶ case t'a': b`, `match x:¶ case {f'a': b}: c`, `f'{x!r:}'`, `f'{x:!r}'`, `f'{\¶x}'`, `f'{x \¶}'`, `f'a\¶b'`, `f'{x:a\¶b}'`,
			`f'{a:\{b}}'`, `t'{x}' t'{y}'`, `t'{x!r:{y}}'`, `tr'{x}'`, `f'{x==y=}'`, `f'{x:=}'`, `f'{x}'.y`, `f'{a}' 'b' rf'c'`, `f'{await x}'`,
			`f'{(x for x in y)}'`, `f'{not x}'`, `f'{*x, *y}'`, `f'{x if y else z:>10}'`, `f'\x41 {x}'`, `f'{"\n"}'`, `f'''{¶x¶}'''`, `f'{a[¶1]}'`,
			`if x:¶  y = f'''¶foo {¶ z}¶'''¶  z`, `f'{x!r:^{width}.{precision}}'`, `f'{3.}'`, `f'{3!r}'`, `f'{3.!r}'`, `f'{x:%H:%M}'`, `f'{x::}'`,
			`f'{{x:=5}}'`, `f'{dict(a=1)}'`, `f'{x.y=}'`, `f'{x:\'}'`, `f'{None:a}'`, `F'' fR'' Rf'' RF''`, `f"{"""a"""}"`, `f'{''}'`, `f'{'''a'''}'`,
			`f'{x!r¶}'`, `f'{x=¶}'`, `f'{¶#c¶x}'`, `f'{x:\¶}'`, `f'{a}'()`, `f'{type}'`, `f'{match}'`, `f'{x:{*a, b}}'`, `f'{x:{yield}}'`, `f'{x:{y=}}'`,
			`f'{x:{y!r}}'`, `f'{x:{y!r:a}}'`, `f'{x:a{y}b{z}c}'`, `f'{a}{b}'`, `f"a'b"`, `f'a"b'`, `f"""a"b""c"""`, `f'''a'b''c'''`, `f'{a}}}{{{b}'`,
			`rf'\d+\{{{x}'`, `f'{x!a:{y!s}}'`, `print(f'{x}', f"{y}", sep='')`, `f'{f'{f'{x}'}'}'`, `f"{f'{x:{f"{y}"}}'}"`, `f'{x:\n}'`, `f'''{x:¶}'''`,
			`f'{a:{b}{c}}'`, `x = f'{a¶  # c¶  }' \¶  'b'`, `if x:¶  f'{(¶1)}'¶  y`, `f'{a["b"]:{c["d"]}}'`, `f'{a,¶b}'`, `t'{x=}' t''`, `t'''{x!r:>{y}}'''`,
			`f'\'{x}\''`, `f'{"}"}'`, `f'{x:é}'`, `f'\N{LATIN SMALL LETTER A}{x}'`, `f'{lambda_}'`, `f'{x, *y}'`, `f'{yield x, y}'`, `f'{yield from x}'`,
			`f'{a if b else c}'`, `f'{a or b}'`, `f'{a < b}'`, `f'{a > b:>5}'`, `f'{a:%Y-%m-%d}'`, `f'{{{{'`},
		[]string{`f'{x:a¶}'`, `f'{lambda x: 1}'`, `f'{a if b else lambda: 1}'`, `f'{x! r}'`, `f'{x!x}'`, `f'{x!ra}'`, `f'\}'`, `f'{x:}}'`, `f'}'`, `f'{x}}'`,
			`f'{}'`, `f'{ }'`, `f'{!r}'`, `f'{:a}'`, `f'{=}'`, `f'{x;y}'`, `f'{x y}'`, `f'{x:'}'`, `f''''{x}''''`, `f'{x!r!s}'`, `f'{a:\}}'`, `t'{}'`,
			`f'{x==}'`, `f'{x=y}'`, `f'{x!=}'`, `f'{x=!=}'`, `f'{x->y}'`, `f'{a}' b'b'`, `f'{x for x in y}'`, `f'{x if y}'`, `f'{x$}'`, `f'{#}'`, `f'{x}\'`,
			`f'{x:¶}'`, `f'{a=b=}'`, `f'{x'`, `f'{x:'`, `f'{'`, `f'{x:{'`, `f'{x:{y'`, `bf''`, `uf''`, `f'{x!¶r}'`, `global f''`, `'a' f'{x}' = 1`,
			`f'{x}' = 1`, `del f''`, `f'{print x}'`, `f'{x:{}}'`, `f'{{}'`, `f'{x}{'`, `f'{x:{y}'`, `f'{x`, `f'{x!}'`, `f'{x:}}'`, `f'''{x''`,
			`f'''{x}''`, `f'a¶b'`, `f'{x} ¶'`, `f'{a:{b}}}'`, `f'{yield from}'`, `f'{if}'`, `f'{x.}'`, `f'{(x}'`, `f'{x)}'`, `f'{[x}]'`, `f'{x!r=}'`,
			`f'{x:{y!}}'`, `f'{x = y}'`, `f'{def}'`, `f'{x;}'`, `f'{x := 5'`, `t'{x' '}'`, `f'{x}' t'{y}'`, `t'{x}' 'y'`, `b'' f'{x}'`, `f'{pass}'`,
			`f'{a b:c}'`, `f'{,}'`, `f'{*}'`, `f'{x**}'`, `f'{x!r !s}'`, `f'{x:{lambda: 1}}'`, `f'{x' 'y}'`, `f'{¶'`, `f'''{¶'''`, `f'\N{}'`}},
}

// pythonWide are texts with formatted strings that the grammar accepts, and CPython does not: as
// the grammar's head says.
var pythonWide = []string{`f'\x'`, `f'{x:{y:{z:{w}}}}'`, `rf'\N{x y}'`}
