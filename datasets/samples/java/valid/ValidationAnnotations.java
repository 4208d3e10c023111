package validation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Checks fields against the annotations on them. */
public final class ValidationAnnotations {

    @Documented
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.FIELD)
    public @interface Range {
        long min() default Long.MIN_VALUE;
        long max() default Long.MAX_VALUE;
        String message() default "out of range";
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.FIELD, ElementType.PARAMETER})
    public @interface NotNull { }

    @Retention(RetentionPolicy.RUNTIME)
    @Repeatable(Matches.All.class)
    @interface Matches {
        String value();
        int flags() default Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE;
        Class<? extends RuntimeException>[] raises() default {};

        @Retention(value = RetentionPolicy.RUNTIME)
        @interface All {
            Matches[] value();
        }
    }

    static class Person {
        @NotNull @Matches("[a-z]+") @Matches(value = ".{2,40}", flags = 0)
        private String name;

        @Range(min = 0, max = 150)
        private int age;

        @Range(max = (1L << 40) - 1, message = "too " + "rich")
        protected long money;

        @Matches(value = "\\S+@\\S+\\.\\w{2,}", raises = {IllegalArgumentException.class, IllegalStateException.class})
        @Deprecated(since = "2", forRemoval = false)
        String mail;

        Person(@NotNull final String name, int age, long money, String mail) {
            this.name = name;
            this.age = age;
            this.money = money;
            this.mail = mail;
        }
    }

    private ValidationAnnotations() {
        throw new AssertionError();
    }

    public static List<String> check(Object target) throws IllegalAccessException {
        List<String> faults = new ArrayList<>();
        Class<?> type = target.getClass();
        for (Field field : type.getDeclaredFields()) {
            if (field.isSynthetic()) continue;
            field.setAccessible(true);
            Object value = field.get(target);
            if (value == null) {
                if (field.isAnnotationPresent(NotNull.class)) faults.add(field.getName() + " is null");
                continue;
            }
            Range range = field.getAnnotation(Range.class);
            if (range != null && value instanceof Number) {
                long number = ((Number) value).longValue();
                if (number < range.min() || number > range.max()) {
                    faults.add(field.getName() + " is " + range.message());
                }
            }
            for (Matches matches : field.getAnnotationsByType(Matches.class)) {
                Pattern pattern = Pattern.compile(matches.value(), matches.flags());
                if (!pattern.matcher(value.toString()).matches()) {
                    faults.add(field.getName() + " does not match /" + matches.value() + "/");
                }
            }
        }
        return faults;
    }

    @SuppressWarnings(value = {"deprecation", "unused",})
    public static void main(String[] args) throws Exception {
        @Deprecated final int attempts = 3;
        Object[] people = {
            new Person("Grace", 36, 1_000L, "grace@navy.mil"),
            new Person("X", -1, 0x7fff_ffff_ffff_ffffL, "nowhere"),
            new Person(null, 151, 0, null),
        };
        Class<?>[] kinds = {int.class, String[].class, int[][].class, void.class, Person.class};
        for (Object person : people) {
            System.out.println(check(person));
        }
        System.out.println(kinds.length + " " + kinds[1].getSimpleName());
    }
}
