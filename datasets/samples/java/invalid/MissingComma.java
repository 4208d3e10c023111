package geometry;

import java.util.function.DoubleUnaryOperator;

public class MissingComma {

    /** Simpson's rule on n intervals. */
    static double integrate(DoubleUnaryOperator f, double from, double to, int n) {
        double h = (to - from) / n;
        double sum = f.applyAsDouble(from) + f.applyAsDouble(to);
        for (int i = 1; i < n; i++) {
            sum += (i % 2 == 0 ? 2 : 4) * f.applyAsDouble(from + i * h);
        }
        return sum * h / 3;
    }

    public static void main(String[] args) {
        double area = integrate(x -> x * x, 0.0 1.0, 100);
        System.out.println("größe: " + area);
        System.out.println(integrate(Math::sin, 0, Math.PI, 50));
    }
}
