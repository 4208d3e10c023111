package time;

public enum WrongSwitchArrow {
    JANUARY, FEBRUARY, MARCH, APRIL, MAY, JUNE,
    JULY, AUGUST, SEPTEMBER, OCTOBER, NOVEMBER, DECEMBER;

    static boolean leap(int year) {
        return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    }

    int days(int year) {
        return switch (this) {
            case APRIL, JUNE, SEPTEMBER, NOVEMBER -> 30;
            case FEBRUARY => leap(year) ? 29 : 28;
            default -> 31;
        };
    }

    public static void main(String[] args) {
        for (WrongSwitchArrow month : values()) {
            System.out.printf("%s %d%n", month, month.days(2024));
        }
    }
}
