package samples;

public class MissingResultType {
    private final int limit;

    MissingResultType(int limit) {
        this.limit = limit;
    }

    public limit() {
        return limit;
    }
}
