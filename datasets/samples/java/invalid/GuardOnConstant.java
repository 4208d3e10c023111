package samples;

class GuardOnConstant {
    static String size(Integer n) {
        return switch (n) {
            case 0 -> "none";
            case 1 when n.hashCode() > 0 -> "one";
            default -> "many";
        };
    }
}
