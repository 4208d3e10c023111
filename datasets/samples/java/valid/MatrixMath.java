import java.util.Arrays;
import java.util.Random;

/** Dense matrices of doubles: products, determinants, spirals. */
public class MatrixMath
{
    static final double EPSILON = 1e-9;
    static final float HALF = .5f;
    static final double[][] IDENTITY_2 = { { 1.0, 0.0 }, { 0d, 1D }, };

    private MatrixMath() { }

    static double[][] multiply(double[][] a, double[][] b)
    {
        int rows = a.length, inner = b.length, columns = b[0].length;
        double[][] product = new double[rows][columns];
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++)
            {
                double sum = 0.0;
                for (int k = 0; k < inner; ++k)
                    sum += a[i][k] * b[k][j];
                product[i][j] = sum;
            }
        return product;
    }

    static double[][] power(double[][] base, int exponent)
    {
        double[][] result = new double[base.length][];
        for (int i = 0; i < base.length; i++)
        {
            result[i] = new double[base.length];
            result[i][i] = 1;
        }
        while (exponent > 0)
        {
            if ((exponent & 1) == 1)
                result = multiply(result, base);
            base = multiply(base, base);
            exponent >>= 1;
        }
        return result;
    }

    static double determinant(double[][] input)
    {
        final int n = input.length;
        double m[][] = new double[n][];
        for (int i = 0; i < n; i++)
            m[i] = input[i].clone();
        double det = 1.0;
        for (int column = 0; column < n; column++)
        {
            int pivot = column;
            for (int row = column + 1; row < n; row++)
                if (Math.abs(m[row][column]) > Math.abs(m[pivot][column]))
                    pivot = row;
            if (Math.abs(m[pivot][column]) < EPSILON)
                return 0;
            if (pivot != column)
            {
                double[] swap = m[pivot];
                m[pivot] = m[column];
                m[column] = swap;
                det = -det;
            }
            det *= m[column][column];
            for (int row = column + 1; row < n; row++)
            {
                double factor = m[row][column] / m[column][column];
                for (int k = column; k < n; k++)
                    m[row][k] -= factor * m[column][k];
            }
        }
        return det;
    }

    /** Finds the first cell holding the value, or null. */
    static int[] find(int[][] grid, int value)
    {
        int[] place = null;
        search:
        for (int y = 0; y < grid.length; y++)
        {
            for (int x = 0; x < grid[y].length; x++)
            {
                if (grid[y][x] < 0)
                    continue search;
                if (grid[y][x] == value)
                {
                    place = new int[] { x, y };
                    break search;
                }
            }
        }
        return place;
    }

    static int[][] spiral(int n)
    {
        int[][] grid = new int[n][n];
        int top = 0, left = 0, bottom = n - 1, right = n - 1, next = 1;
        do
        {
            for (int x = left; x <= right; x++) grid[top][x] = next++;
            top++;
            for (int y = top; y <= bottom; y++) grid[y][right] = next++;
            right--;
            for (int x = right; x >= left; x--) grid[bottom][x] = next++;
            bottom--;
            for (int y = bottom; y >= top; y--) grid[y][left] = next++;
            left++;
        }
        while (next <= n * n);
        return grid;
    }

    static double norm(double... values)
    {
        double sum = 0;
        for (double v : values)
            sum += v * v;
        return Math.sqrt(sum);
    }

    public static void main(String[] args)
    {
        int size = args.length > 0 ? Integer.parseInt(args[0]) : 4;
        Random random = new Random(42L);
        double[][] m = new double[size][size];
        for (double[] row : m)
            Arrays.setAll(row, i -> random.nextInt(10) - 5);
        System.out.println("det = " + determinant(m));
        System.out.println("norm = " + norm(m[0]) * HALF + " " + norm());
        System.out.println(Arrays.deepToString(power(IDENTITY_2, 10)));
        for (int[] row : spiral(5))
        {
            for (int cell : row)
                System.out.printf("%4d", cell);
            System.out.println();
        }
        int[] place = find(spiral(5), 25);
        assert place != null : "25 must be there";
        System.out.println(place[0] + "," + place[1]);
    }
}
