package util.cache;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Function;

/**
 * A map of bounded size that forgets what was used least recently.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public class LruCache<K, V> implements Iterable<Map.Entry<K, V>> {

  /** A link of the ring; the ring's head is a link without a key. */
  private static class Node<K, V> implements Map.Entry<K, V> {
    final K key;
    V value;
    Node<K, V> newer, older;

    Node(K key, V value) {
      this.key = key;
      this.value = value;
    }

    @Override public K getKey() { return key; }

    @Override public V getValue() { return value; }

    @Override
    public V setValue(V value) {
      V old = this.value;
      this.value = value;
      return old;
    }

    void unlink() {
      newer.older = older;
      older.newer = newer;
      newer = older = null;
    }
  }

  private final int capacity;
  private final Map<K, Node<K, V>> index;
  private final Node<K, V> head = new Node<>(null, null);
  private long hits, misses;

  {
    head.newer = head;
    head.older = head;
  }

  public LruCache(int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("capacity " + capacity + " < 1");
    }
    this.capacity = capacity;
    this.index = new HashMap<>((int) (capacity / 0.75f) + 1);
  }

  private void insertNewest(Node<K, V> node) {
    node.older = head.older;
    node.newer = head;
    head.older.newer = node;
    head.older = node;
  }

  public synchronized V get(K key, Function<? super K, ? extends V> load) {
    Node<K, V> node = index.get(key);
    if (node != null) {
      hits++;
      node.unlink();
      insertNewest(node);
      return node.value;
    }
    ++misses;
    V value = load.apply(key);
    put(key, value);
    return value;
  }

  public synchronized void put(K key, V value) {
    Node<K, V> node = index.get(key);
    if (node == null) {
      if (index.size() >= capacity) {
        Node<K, V> eldest = head.newer;
        eldest.unlink();
        index.remove(eldest.key);
      }
      node = new Node<>(key, value);
      index.put(key, node);
    } else {
      node.setValue(value);
      node.unlink();
    }
    insertNewest(node);
  }

  public double hitRate() {
    long total = hits + misses;
    return total == 0 ? Double.NaN : (double) hits / total;
  }

  /** Walks from the newest entry to the oldest. */
  @Override
  public Iterator<Map.Entry<K, V>> iterator() {
    return new Iterator<Map.Entry<K, V>>() {
      private Node<K, V> next = head.older;

      @Override
      public boolean hasNext() {
        return next != head;
      }

      @Override
      public Map.Entry<K, V> next() {
        if (!hasNext()) throw new NoSuchElementException();
        Node<K, V> result = next;
        next = next.older;
        return result;
      }
    };
  }

  public static void main(String... args) {
    LruCache<Integer, String> squares = new LruCache<>(3);
    int[] requests = {1, 2, 3, 1, 4, 5, 1, 2};
    for (int n : requests) {
      String text = squares.get(n, k -> k + "^2=" + k * k);
      System.out.println(text);
    }
    StringBuilder order = new StringBuilder("order:");
    for (Map.Entry<Integer, String> e : squares)
      order.append(' ').append(e.getKey());
    System.out.printf("%s, hit rate %.1f%%%n", order, 100 * squares.hitRate());
  }
}
