package shop.report;

import static java.util.Comparator.comparing;
import static java.util.stream.Collectors.*;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

public class OrderReport {

    enum Status { NEW, PAID, SHIPPED, RETURNED; boolean open() { return this == NEW || this == PAID; } }

    record Item(String sku, int quantity, double price) {
        double total() { return quantity * price; }
    }

    record Order(int id, String customer, Status status, List<Item> items) {
        double total() {
            return items.stream().mapToDouble(Item::total).sum();
        }
    }

    private static final String TEMPLATE = """
            <html>
              <body title="Orders of \"%s\"">
                <p>%d orders,\tlargest: %s</p>
                <p>A line that \
            goes on, and a quote: "" or ""\"</p>
              </body>
            </html>
            """;

    private final List<Order> orders;

    OrderReport(List<Order> orders) {
        this.orders = List.copyOf(orders);
    }

    Map<Status, List<Order>> byStatus() {
        return orders.stream().collect(groupingBy(Order::status, () -> new EnumMap<>(Status.class), toList()));
    }

    Map<String, Map<Status, Double>> revenue() {
        return orders.stream()
            .filter(o -> o.status() != Status.RETURNED)
            .collect(groupingBy(
                Order::customer,
                TreeMap::new,
                groupingBy(Order::status, summingDouble(Order::total))));
    }

    Optional<Order> largest() {
        return orders.stream().max(comparing(Order::total));
    }

    List<String> bestSellers(int limit) {
        Comparator<Map.Entry<String, Integer>> byCount = Map.Entry.<String, Integer>comparingByValue().reversed();
        return orders.stream()
            .flatMap(order -> order.items().stream())
            .collect(toMap(Item::sku, Item::quantity, Integer::sum, HashMap<String, Integer>::new))
            .entrySet().stream()
            .sorted(byCount.thenComparing(Map.Entry::getKey))
            .limit(limit)
            .map(e -> e.getKey() + " x" + e.getValue())
            .collect(toList());
    }

    String[] customers() {
        return orders.stream().map(Order::customer).distinct().sorted(String::compareToIgnoreCase).toArray(String[]::new);
    }

    private static <A, B, C> Function<A, C> chain(Function<? super A, ? extends B> f, Function<? super B, ? extends C> g) {
        return a -> g.apply(f.apply(a));
    }

    String render() {
        Function<Order, String> label = chain(Order::total, t -> String.format(Locale.ROOT, "%.2f €", t));
        return TEMPLATE.formatted(
            String.join(", ", customers()),
            orders.size(),
            largest().map(label).orElse("none"));
    }

    private static Order sample(int id) {
        var customer = id % 3 == 0 ? "Ana" : id % 3 == 1 ? "Björn" : "chloé";
        var status = Status.values()[id % Status.values().length];
        var items = IntStream.rangeClosed(1, id % 4 + 1)
            .mapToObj(i -> new Item("SKU-" + (char) ('A' + i), i, 9.99 * i))
            .toList();
        return new Order(id, customer, status, items);
    }

    public static void main(String[] args) {
        Supplier<Stream<Order>> source = () -> Stream.iterate(1, i -> i <= 12, i -> i + 1).map(OrderReport::sample);
        var report = new OrderReport(source.get().toList());
        System.out.println(report.render());
        report.byStatus().forEach((status, list) ->
            System.out.println(status + (status.open() ? " (open) " : " ") + list.size()));
        for (var entry : report.revenue().entrySet()) {
            entry.getValue().forEach((status, sum) -> {
                String line = entry.getKey() + '/' + status;
                System.out.printf("%-20s %10.2f%n", line, sum);
            });
        }
        System.out.println(report.bestSellers(3));
    }
}
