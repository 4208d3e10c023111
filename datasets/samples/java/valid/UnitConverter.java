package units;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Converts between units of one kind. */
public class UnitConverter {

    private interface Scale {
        double toBase(double value);
        double fromBase(double value);
    }

    enum Kind { LENGTH, MASS, TEMPERATURE, DATA }

    enum Unit implements Scale {
        METRE(Kind.LENGTH, "m", 1),
        KILOMETRE(Kind.LENGTH, "km", 1e3),
        MILE(Kind.LENGTH, "mi", 1_609.344),
        GRAM(Kind.MASS, "g", 1e-3),
        POUND(Kind.MASS, "lb", 0.453_592_37),
        KELVIN(Kind.TEMPERATURE, "K", 1),
        CELSIUS(Kind.TEMPERATURE, "°C", 1, 273.15),
        FAHRENHEIT(Kind.TEMPERATURE, "°F", 5.0 / 9.0, 459.67 * 5 / 9),
        BYTE(Kind.DATA, "B", 1) {
            @Override
            public double fromBase(double value) {
                return Math.rint(super.fromBase(value));
            }
        },
        KIBIBYTE(Kind.DATA, "KiB", 1 << 10),
        MEBIBYTE(Kind.DATA, "MiB", 1L << 20);

        final Kind kind;
        final String symbol;
        private final double factor, offset;

        Unit(Kind kind, String symbol, double factor) { this(kind, symbol, factor, 0.0D); }

        Unit(Kind kind, String symbol, double factor, double offset) {
            this.kind = kind;
            this.symbol = symbol;
            this.factor = factor;
            this.offset = offset;
        }

        public double toBase(double value) { return value * factor + offset; }

        public double fromBase(double value) { return (value - offset) / factor; }

        static Optional<Unit> parse(String text) {
            return Arrays.stream(values())
                    .filter(u -> u.symbol.equals(text) || u.name().equalsIgnoreCase(text))
                    .findFirst();
        }
    }

    record Quantity(double value, Unit unit) {
        Quantity in(Unit target) {
            if (target.kind != unit.kind)
                throw new IllegalArgumentException(unit.kind + " is not " + target.kind);
            return new Quantity(target.fromBase(unit.toBase(value)), target);
        }

        int digits() {
            return switch (unit.kind) {
                case TEMPERATURE -> 1;
                case DATA -> 0;
                case LENGTH, MASS -> {
                    double size = Math.abs(value);
                    int digits = 0;
                    while (size < 100 && digits < 6) {
                        size *= 10;
                        digits++;
                    }
                    yield digits;
                }
            };
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%." + digits() + "f %s", value, unit.symbol);
        }
    }

    static String comment(Quantity q) {
        String text = switch (q.unit()) {
            case CELSIUS:
                if (q.value() < -273.15) yield "impossible";
                yield q.value() > 30 ? "hot" : "bearable";
            case MILE:
            case KILOMETRE:
                yield "far";
            default:
                yield "";
        };
        switch (text.length()) {
            case 0 -> text = "-";
            case 1, 2, 3 -> text += '!';
            default -> {
                if (text.charAt(0) == 'i')
                    throw new IllegalStateException(text);
            }
        }
        return text;
    }

    static Quantity read(String line) {
        String[] parts = line.split(" ", 2);
        double value = parts[0].startsWith("0x")
                ? Integer.parseInt(parts[0].substring(2), 16)
                : Double.parseDouble(parts[0]);
        Unit unit = Unit.parse(parts[1]).orElseThrow(() -> new IllegalArgumentException("unit " + parts[1]));
        return new Quantity(value, unit);
    }

    public static void main(String[] args) {
        String[][] wishes = {
            {"26.2188 mi", "km"}, {"212 °F", "celsius"}, {"0x100000 B", "MiB"}, {"5 lb", "kelvin"},
        };
        for (String[] wish : wishes) {
            String out;
            try {
                Quantity q = read(wish[0]).in(Unit.parse(wish[1]).get());
                out = q + " (" + comment(q) + ")";
            } catch (IllegalArgumentException e) {
                out = e.getMessage();
            }
            System.out.println(wish[0] + " = " + out);
        }
    }
}
