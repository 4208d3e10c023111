package events;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Delivers events to whoever subscribed to their class or one of its parents. */
public class EventBus {

  @FunctionalInterface
  public interface Listener<E> extends Consumer<E> {
    default Listener<E> when(Predicate<? super E> condition) {
      return event -> {
        if (condition.test(event)) accept(event);
      };
    }

    static <E> Listener<E> counting(int[] counter) {
      return e -> counter[0]++;
    }
  }

  public final class Subscription implements AutoCloseable {
    private final Class<?> type;
    private final Listener<?> listener;

    private Subscription(Class<?> type, Listener<?> listener) {
      this.type = type;
      this.listener = listener;
    }

    public EventBus bus() {
      return EventBus.this;
    }

    @Override
    public void close() {
      List<Listener<?>> list = listeners.get(type);
      if (list != null && list.remove(listener) && list.isEmpty()) listeners.remove(type);
    }
  }

  private final Map<Class<?>, List<Listener<?>>> listeners = new HashMap<Class<?>, List<Listener<?>>>();
  private final Map<String, Map<String, List<Function<Object, Map<String, List<Integer>>>>>> unused = null;
  private BiConsumer<Object, ? super Throwable> onError = (event, error) -> error.printStackTrace();

  public <E> Subscription subscribe(Class<E> type, Listener<? super E> listener) {
    listeners.computeIfAbsent(type, t -> new ArrayList<>()).add(listener);
    return new Subscription(type, listener);
  }

  public EventBus onError(BiConsumer<Object, ? super Throwable> handler) {
    onError = handler;
    return this;
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  public int publish(Object event) {
    int delivered = 0;
    for (Class<?> c = event.getClass(); c != null; c = c.getSuperclass()) {
      for (Listener listener : listeners.getOrDefault(c, Collections.emptyList())) {
        try {
          listener.accept(event);
          delivered++;
        } catch (RuntimeException | Error e) {
          onError.accept(event, e);
        }
      }
    }
    return delivered;
  }

  static <T extends Comparable<? super T>> T largest(Collection<? extends T> items) {
    T best = null;
    for (T item : items) {
      if (best == null || item.compareTo(best) > 0) best = item;
    }
    return best;
  }

  static <A> UnaryOperator<A> twice(UnaryOperator<A> f) {
    return x -> f.apply(f.apply(x));
  }

  public static void main(String[] args) {
    EventBus bus = new EventBus().onError((Object event, Throwable error) -> System.out.println(event + ": " + error));
    int[] numbers = {0};
    class Login {
      final String user;

      Login(String user) {
        this.user = user;
      }

      public String toString() {
        return "login of " + user;
      }
    }
    class AdminLogin extends Login {
      AdminLogin() {
        super("root");
      }
    }
    Listener<Login> printer = System.out::println;
    EventBus.Subscription logins = bus.subscribe(Login.class, printer.when(l -> l.user.length() > 3));
    bus.subscribe(Number.class, Listener.counting(numbers));
    bus.subscribe(Integer.class, (var n) -> System.out.println(100 / n));
    int delivered = bus.publish(new AdminLogin()) + bus.publish(new Login("eve")) + bus.publish(0) + bus.publish(2.5);
    try (Subscription s = logins) {
      System.out.println(s.bus() == bus);
    }
    bus.publish(new Login("after the end"));
    Comparator<String> byLength = (Comparator<String> & Serializable) (a, b) -> a.length() - b.length();
    List<String> words = new ArrayList<>(List.of("pear", "fig", "banana"));
    words.sort(byLength.reversed().thenComparing(Comparator.naturalOrder()));
    System.out.println(words + " " + largest(words) + " " + twice((String w) -> w + "!").apply("ok"));
    System.out.println(delivered == 4 ? numbers[0] : -1);
  }
}
