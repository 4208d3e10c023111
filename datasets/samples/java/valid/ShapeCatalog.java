package geometry;

import java.util.List;
import java.util.function.BiFunction;

/** Plane figures in a closed hierarchy. */
public abstract sealed class ShapeCatalog permits ShapeCatalog.Round, ShapeCatalog.Polygon, ShapeCatalog.Custom {

    protected final String name;

    protected ShapeCatalog(String name) {
        this.name = name;
    }

    public abstract double area();

    public double perimeter() {
        throw new UnsupportedOperationException(name + " has no perimeter");
    }

    public sealed interface Scalable<S extends ShapeCatalog & Scalable<S>> permits Circle, Rectangle {
        S scaled(double factor);
    }

    public static abstract sealed class Round extends ShapeCatalog {
        Round(String name) { super(name); }
    }

    public static final class Circle extends Round implements Scalable<Circle> {
        private final double radius;

        public Circle(double radius) {
            super("circle");
            this.radius = radius;
        }

        @Override public double area() { return Math.PI * radius * radius; }
        @Override public double perimeter() { return 2 * Math.PI * radius; }
        @Override public Circle scaled(double factor) { return new Circle(radius * factor); }
    }

    public static final class Ring extends Round {
        private final Circle outer, inner;

        public Ring(double outer, double inner) {
            super("ring");
            if (!(inner < outer)) {
                throw new IllegalArgumentException("a ring of " + inner + " in " + outer);
            }
            this.outer = new Circle(outer);
            this.inner = new Circle(inner);
        }

        @Override public double area() { return outer.area() - inner.area(); }
    }

    /** A vertex; records are values, so two equal points are one point. */
    public record Point(double x, double y) {
        public static final Point ORIGIN = new Point(0, 0);

        public Point {
            if (Double.isNaN(x) || Double.isNaN(y)) throw new IllegalArgumentException();
        }

        public double distance(Point that) {
            return Math.hypot(x - that.x, y - that.y);
        }

        public <R> R map(BiFunction<? super Double, ? super Double, ? extends R> f) {
            return f.apply(x, y);
        }
    }

    public static non-sealed class Polygon extends ShapeCatalog {
        private final List<Point> points;

        public Polygon(String name, Point... points) {
            super(name);
            this.points = List.of(points);
        }

        @Override
        public double area() {
            double twice = 0;
            for (int i = 0, n = points.size(); i < n; i++) {
                Point a = points.get(i), b = points.get((i + 1) % n);
                twice += a.x() * b.y() - b.x() * a.y();
            }
            return Math.abs(twice) / 2;
        }

        @Override
        public double perimeter() {
            double sum = 0;
            Point last = points.get(points.size() - 1);
            for (Point p : points) {
                sum += last.distance(p);
                last = p;
            }
            return sum;
        }
    }

    public static final class Rectangle extends Polygon implements Scalable<Rectangle> {
        final double width, height;

        public Rectangle(double width, double height) {
            super("rectangle", Point.ORIGIN, new Point(width, 0), new Point(width, height), new Point(0, height));
            this.width = width;
            this.height = height;
        }

        @Override
        public Rectangle scaled(double factor) {
            return new Rectangle(width * factor, height * factor);
        }
    }

    public static non-sealed abstract class Custom extends ShapeCatalog {
        protected Custom() { super("custom"); }
    }

    static String describe(ShapeCatalog shape) {
        String kind;
        if (shape instanceof Circle c && c.radius == 1.0) kind = "the unit circle";
        else if (shape instanceof Rectangle r) kind = r.width == r.height ? "a square" : "a rectangle";
        else if (!(shape instanceof Custom)) kind = "a " + shape.name;
        else kind = "something else";
        return String.format("%s of area %.3f", kind, shape.area());
    }

    public static void main(String[] args) {
        ShapeCatalog[] shapes = {
            new Circle(1), new Ring(3, 2), new Rectangle(2, 2).scaled(1.5),
            new Polygon("triangle", Point.ORIGIN, new Point(4, 0), new Point(0, 3)),
            new Custom() {
                private int asked;
                { asked = 10; }
                @Override public double area() { return ++asked; }
            },
        };
        for (final ShapeCatalog shape : shapes) {
            System.out.println(describe(shape));
        }
        System.out.println(new Point(3, 4).<String>map((x, y) -> "<" + x + "|" + y + ">"));
    }
}
