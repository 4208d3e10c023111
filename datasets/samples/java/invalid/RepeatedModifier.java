package samples;

class RepeatedModifier {
    private static final int A = 1;

    public static static int next(int n) {
        return n + A;
    }
}
