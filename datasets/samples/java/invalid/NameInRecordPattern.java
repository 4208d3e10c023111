package samples;

class NameInRecordPattern {
    record Point(int x, int y) {}

    static int first(Object o) {
        return o instanceof Point(int x, y) ? x : 0;
    }
}
