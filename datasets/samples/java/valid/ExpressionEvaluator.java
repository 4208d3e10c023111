package calc;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;

/** Evaluates arithmetic by the shunting-yard algorithm. */
public class ExpressionEvaluator {

    enum Operator implements DoubleBinaryOperator {
        ADD('+', 1) {
            @Override
            public double applyAsDouble(double a, double b) {
                return a + b;
            }
        },
        SUBTRACT('-', 1) {
            @Override
            public double applyAsDouble(double a, double b) {
                return a - b;
            }
        },
        MULTIPLY('*', 2) {
            @Override
            public double applyAsDouble(double a, double b) {
                return a * b;
            }
        },
        DIVIDE('/', 2) {
            @Override
            public double applyAsDouble(double a, double b) {
                if (b == 0) throw new ArithmeticException("division by zero");
                return a / b;
            }
        },
        POWER('^', 3, true) {
            @Override
            public double applyAsDouble(double a, double b) {
                return Math.pow(a, b);
            }
        };

        private static final Map<Character, Operator> BY_SYMBOL = new HashMap<>();

        static {
            for (Operator op : values()) {
                BY_SYMBOL.put(op.symbol, op);
            }
        }

        final char symbol;
        final int precedence;
        final boolean rightAssociative;

        Operator(char symbol, int precedence) {
            this(symbol, precedence, false);
        }

        Operator(char symbol, int precedence, boolean rightAssociative) {
            this.symbol = symbol;
            this.precedence = precedence;
            this.rightAssociative = rightAssociative;
        }

        boolean yieldsTo(Operator next) {
            return next.precedence > precedence
                || next.precedence == precedence && next.rightAssociative;
        }
    }

    private final Map<String, Double> variables = new HashMap<>(Map.of("pi", Math.PI, "e", Math.E));
    private final Map<String, DoubleUnaryOperator> functions = new HashMap<>();
    private String text;
    private int at;

    public ExpressionEvaluator() {
        functions.put("sin", Math::sin);
        functions.put("sqrt", Math::sqrt);
        functions.put("neg", x -> -x);
        functions.put("half", x -> { return x / 2; });
    }

    public double evaluate(String source) {
        text = source;
        at = 0;
        double value = expression();
        if (at < text.length()) {
            throw error("unexpected '" + text.charAt(at) + '\'');
        }
        return value;
    }

    private double expression() {
        Deque<Double> values = new ArrayDeque<>();
        Deque<Operator> pending = new ArrayDeque<>();
        values.push(operand());
        for (Operator next; (next = operator()) != null; ) {
            while (!pending.isEmpty() && !pending.peek().yieldsTo(next)) {
                reduce(values, pending.pop());
            }
            pending.push(next);
            values.push(operand());
        }
        while (!pending.isEmpty()) reduce(values, pending.pop());
        return values.pop();
    }

    private static void reduce(Deque<Double> values, Operator op) {
        double right = values.pop(), left = values.pop();
        values.push(op.applyAsDouble(left, right));
    }

    private Operator operator() {
        skipSpaces();
        Operator op = at < text.length() ? Operator.BY_SYMBOL.get(text.charAt(at)) : null;
        if (op != null) at++;
        return op;
    }

    private double operand() {
        skipSpaces();
        int start = at;
        if (peek() == '(') {
            at++;
            double inner = expression();
            if (peek() != ')') throw error("missing )");
            at++;
            return inner;
        }
        if (peek() == '-') {
            at++;
            return -operand();
        }
        while (Character.isDigit(peek()) || peek() == '.') at++;
        if (at > start) return Double.parseDouble(text.substring(start, at));
        while (Character.isLetter(peek())) at++;
        String name = text.substring(start, at);
        if (functions.containsKey(name)) return functions.get(name).applyAsDouble(operand());
        Double value = variables.get(name);
        if (value == null) throw error(name.isEmpty() ? "operand expected" : "unknown name " + name);
        return value;
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private void skipSpaces() {
        while (Character.isWhitespace(peek())) at++;
    }

    private IllegalArgumentException error(String message) {
        return new IllegalArgumentException(message + " at " + (at + 1));
    }

    public static void main(String[] args) {
        ExpressionEvaluator evaluator = new ExpressionEvaluator();
        for (String s : new String[] {"1 + 2 * 3", "2 ^ 3 ^ 2", "-(pi - 3) * sqrt 2", "4 / (2 - 2)"}) {
            try {
                System.out.println(s + " = " + evaluator.evaluate(s));
            } catch (IllegalArgumentException | ArithmeticException e) {
                System.out.println(s + ": " + e.getMessage());
            }
        }
    }
}
