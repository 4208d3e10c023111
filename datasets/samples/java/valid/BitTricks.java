package lowlevel;

/** Bits, bytes and numbers in all their spellings. */
public strictfp class BitTricks {

    public static final int MASK = 0xFF, SIGN = 0x8000_0000;
    public static final long FNV_PRIME = 0x100000001b3L, FNV_BASIS = 0xcbf29ce484222325L;
    static final byte[] MAGIC = {(byte) 0xCA, (byte) 0xFE, (byte) 0xba, (byte) 0xbe};
    static final int FLAG_READ = 0b001, FLAG_WRITE = 0b010, FLAG_ALL = 0b0000_0111;
    static final int PERMISSIONS = 0755;
    static final double TINY = 0x1.0p-52, BIG = 1e300, THIRD = 1. / 3., HEX_FLOAT = 0x.8P1f;
    static final char BELL = '\7', QUOTE = '\'', BACKSLASH = '\\', OMEGA = '\u03a9', LETTER = 'é';

    private static final int[] POPULATION = new int[256];

    static {
        for (int i = 1; i < POPULATION.length; i++) {
            POPULATION[i] = POPULATION[i >> 1] + (i & 1);
        }
    }

    static int bitCount(long x) {
        int count = 0;
        for (; x != 0; x >>>= 8)
            count += POPULATION[(int) x & MASK];
        return count;
    }

    static int reverse(int x) {
        x = (x & 0x55555555) << 1 | x >>> 1 & 0x55555555;
        x = (x & 0x33333333) << 2 | (x >>> 2) & 0x33333333;
        x = (x & 0x0f0f0f0f) << 4 | (x >>> 4) & 0x0f0f0f0f;
        return x << 24 | (x & 0xff00) << 8 | x >>> 8 & 0xff00 | x >>> 24;
    }

    static long hash(byte... bytes) {
        long h = FNV_BASIS;
        for (byte b : bytes) {
            h ^= b & 0xff;
            h *= FNV_PRIME;
        }
        return h;
    }

    static boolean isPowerOfTwo(int n) {
        return n > 0 && (n & n - 1) == 0;
    }

    static int nextPowerOfTwo(int n) {
        int v = n - 1;
        v |= v >> 1;
        v |= v >> 2;
        v |= v >> 4;
        v |= v >> 8;
        v |= v >> 16;
        return v < 0 ? 1 : v + 1;
    }

    static int setFlag(int flags, int flag, boolean on) {
        if (on) flags |= flag; else flags &= ~flag;
        return flags;
    }

    static int readInt(byte[] b, int offset) {
        return (b[offset++] & 255) << 24
            | (b[offset++] & 255) << 16
            | (b[offset++] & 255) << 8
            | (b[offset] & 255);
    }

    static String binary(int n) {
        char[] digits = new char[Integer.SIZE];
        int i = digits.length;
        do {
            digits[--i] = (char) ('0' + (n & 1));
            n >>>= 1;
        } while (n != 0);
        return new String(digits, i, digits.length - i);
    }

    static int saturatedAdd(int a, int b) {
        int sum = a + b;
        if (((a ^ sum) & (b ^ sum)) < 0) {
            return a < 0 ? Integer.MIN_VALUE : Integer.MAX_VALUE;
        }
        return sum;
    }

    static long shifted(int places, int limit) {
        long one = 1L;
        one <<= places;
        one -= -1;
        one %= limit;
        one /= +1;
        if (places < limit >> 1) one++;
        if (places < limit >>> 1 == limit > 2) --one;
        return one;
    }

    public static void main(String[] args) {
        int i = 7, j = i++ + ++i - -i-- - --i;
        short s = (short) 40_000;
        s += 1.5;
        boolean odd = (j & 1) != 0 ^ s < 0 | false;
        float f = 3.5F * (i << 2) / 1e-3f + 1_000.25f;
        double d = f > 10 ? TINY : -.5e+3D;
        assert bitCount(0xF0F0L) == 8 : "population of " + 0xF0F0L;
        assert readInt(MAGIC, 0) == 0xCAFEBABE;
        System.out.println(binary(PERMISSIONS) + " " + Integer.toOctalString(PERMISSIONS));
        System.out.println(hash((byte) 1, (byte) -1) + ", " + Long.toHexString(hash(MAGIC)));
        System.out.println(reverse(1) == SIGN ? "ok" : "bad");
        System.out.println(isPowerOfTwo(nextPowerOfTwo(1000)) & !isPowerOfTwo(0));
        System.out.println(setFlag(FLAG_READ, FLAG_WRITE, true) == (FLAG_ALL & ~0b100));
        System.out.println((int) 'x' + (char) 65 + "" + (long) (d + BIG) + odd + shifted(3, 10));
        System.out.println(saturatedAdd(Integer.MAX_VALUE, 1) - (THIRD > HEX_FLOAT ? 1 : 0));
        System.out.print("" + BELL + QUOTE + BACKSLASH + OMEGA + LETTER + "\t\101\u00e9\n");
    }
}
