# A file whose layout tries everything that is allowed.
   # this comment is indented, and no block begins

"""Odd layout."""; import sys, os
from functools import reduce ; from operator import add, \
    mul

if True:
	tab = "one tab"
	if tab: spaces = 0
        # eight columns by spaces: a comment does not care
	else:
	    spaces = 1
# column zero, inside the block
	print(tab, spaces)
   
	 

total = 1 + \
        2 \
  + 3
names = [
    "first",          # trailing comma below

        # deeper
  "second",
"third",
]
table = {
        "a": (1,
              2),
   "b": [
    3][0],
    }; numbers = (
        1, 2, 3,
)


def f(a,
  b = 2, *,
        c : int=3,     # annotated
   **rest) -> (
        int
    ):
  "two columns";
  if a:
           return b   ;
  elif b: pass; return c
  else:
    while c: c -= 1; continue
    else: return(a)or(b)

class Empty : pass
class Nested:
  class Inner:
   class Innermost:
    value=1;other=2
    def get(self)->int:return self.value
   also = Innermost( ) . get ( )
  second = Inner . also
third=Nested.second

größe, ñandú, 名前, Δt, _été_2 = 1, 2, "name", .1, None
café = lambda naïve: naïve*2
print(größe,ñandú,名前 ,Δt if Δt else _été_2,café( 2 ))

print([x for x in range(10)if x%2==0], 1if total else 2, 0xfor 1, 5 .real, 1.e3, -1 ** - 2)
print("a""b"'c'"d", not(1)in[2], [1,2,3][0:-1:1], {**table,"c":0}["c"], *[1],**{})
x=[1,2,3];x[0],x[1]=x[1],x[0];x[:]=reversed(x);del x[0],x[-1:]
if x:print(x)
for i in 1,2,3:print(i,end="");print()
try:raise ValueError("no")
except ValueError as e:print(e)
with open(os.devnull)as nothing:nothing.read()
assert(x,), "not empty"
long_condition = (names and
    table
          and numbers) \
    or total

def blocks():
    for i in range(3):
        if i:

            for j in range(i):
                    if j: yield i, j
                    else:
                       yield j
      # between columns
    yield -1
  # still
print(list(blocks()), reduce(add, [1, 2]), reduce(mul, [3, 4]), file=sys.stdout)
    # the last line is a comment without a line break