package hello;

import java.time.LocalTime;

/** Greets by the time of day. */
public class UnterminatedString {

    static String greeting(LocalTime time) {
        int hour = time.getHour();
        if (hour < 12) {
            return "Good morning";
        } else if (hour < 18) {
            return "Good afternoon;
        }
        return "Good evening";
    }

    public static void main(String[] args) {
        String name = args.length > 0 ? args[0] : "world";
        System.out.println(greeting(LocalTime.now()) + ", " + name + '!');
    }
}
