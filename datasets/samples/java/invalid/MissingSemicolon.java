package stats;

import java.util.Arrays;

/** Simple statistics of a series. */
public class MissingSemicolon {

    private final double[] values;

    public MissingSemicolon(double... values) {
        this.values = values.clone();
    }

    public double mean() {
        double sum = 0
        for (double v : values) {
            sum += v;
        }
        return values.length == 0 ? 0 : sum / values.length;
    }

    public static void main(String[] args) {
        System.out.println(new MissingSemicolon(1, 2, 3.5).mean());
        System.out.println(Arrays.toString(args));
    }
}
