package queue;

import java.util.LinkedList;

public class UnclosedComment<T> {

    private final LinkedList<T> items = new LinkedList<>(); /* oldest first */

    public void put(T item) {
        items.addLast(item);
    }

    /* Takes the oldest item.
    public T take() {
        return items.removeFirst();
    }

    public boolean isEmpty() {
        return items.isEmpty();
    }
}
