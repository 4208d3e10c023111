package samples;

import java.util.List;

/** Reduces small programs, by patterns of records. */
public final class PatternInterpreter {
    sealed interface Term permits Number, Text, Sum, Call, Nothing {}

    record Number(long value) implements Term {
        Number {
            if (value == Long.MIN_VALUE) {
                throw new IllegalArgumentException("no negation");
            }
        }
    }

    record Text(String value) implements Term {}

    record Sum(Term left, Term right) implements Term {}

    record Call(String name, List<Term> arguments) implements Term {}

    record Nothing() implements Term {}

    static non-sealed class Failure extends Problem {
        Failure(String message) {
            var text = message.strip();
            super(text.isEmpty() ? "unknown" : text);
        }
    }

    static sealed class Problem extends RuntimeException permits Failure {
        Problem(String message) { super(message); }
    }

    private int steps;

    Term reduce(Term term) {
        steps++;
        return switch (term) {
            case null -> new Nothing();
            case Sum(Number(var a), Number(long b)) -> new Number(a + b);
            case Sum(Text(String a), Text(String b)) when !a.isEmpty() && b.length() < 80 -> new Text(a + b);
            case Sum(Nothing(), var other) -> reduce(other);
            case Sum(Term left, Nothing _) -> reduce(left);
            case Sum(_, _) -> throw new Failure("cannot add");
            case Call(String name, _) when name.equals("when") -> new Text("when");
            case Call c when c.arguments() instanceof List<Term> list && !list.isEmpty() -> {
                Term first = reduce(list.get(0));
                yield first instanceof Number(var n) && n > 0 ? first : new Nothing();
            }
            case Number _, Text _, Call _, Nothing _ -> term;
        };
    }

    static String kind(Object o) {
        switch (o) {
            case Integer i when i > 9:
                return "large number";
            case Integer _, Long _:
                return "number";
            case final CharSequence s:
                return s.length() + " characters";
            case int[] numbers:
                return numbers.length + " numbers";
            case null, default:
                return "something";
        }
    }

    static int count(Iterable<?> all) {
        int found = 0;
        for (var _ : all) {
            found += 1;
        }
        try (var _ = new java.io.StringReader("")) {
            int _ = found++;
        } catch (RuntimeException _) {
            return -1;
        }
        return found;
    }

    public static void main(String[] arguments) {
        var interpreter = new PatternInterpreter();
        System.out.println(interpreter.reduce(new Sum(new Number(1), new Number(0x29))));
        if (!(interpreter.reduce(new Sum(new Text("a"), new Text("b"))) instanceof Text(var text))) {
            throw new AssertionError();
        }
        System.out.println(text + kind(text) + interpreter.steps);
    }
}
