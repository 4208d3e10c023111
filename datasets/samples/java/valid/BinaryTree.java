package collections.tree;

import java.util.AbstractCollection;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Consumer;

/**
 * An unbalanced search tree, sorted by a comparator or by the natural order.
 *
 * <pre>{@code
 *   BinaryTree<String> tree = BinaryTree.of("b", "a");
 * }</pre>
 */
public class BinaryTree<T> extends AbstractCollection<T> implements Cloneable {

    private final Comparator<? super T> order;
    private Node root;
    private int size;

    private class Node {
        T value;
        Node left, right;

        Node(T value) { this.value = value; size++; }

        int height() {
            int l = left == null ? 0 : left.height(), r = right == null ? 0 : right.height();
            return 1 + (l > r ? l : r);
        }
    }

    public BinaryTree(Comparator<? super T> order) {
        this.order = order;
    }

    @SafeVarargs
    public static <E extends Comparable<? super E>> BinaryTree<E> of(E... elements) {
        final BinaryTree<E> tree = new BinaryTree<E>(Comparator.<E>naturalOrder());
        for (E element : elements) tree.add(element);
        return tree;
    }

    @Override
    public boolean add(T value) {
        if (root == null) {
            root = new Node(value);
            return true;
        }
        Node at = root;
        for (;;) {
            int c = order.compare(value, at.value);
            if (c == 0) return false;
            Node next = c < 0 ? at.left : at.right;
            if (next == null) {
                Node node = this.new Node(value);
                if (c < 0) at.left = node;
                else at.right = node;
                return true;
            }
            at = next;
        }
    }

    @Override
    @SuppressWarnings("unchecked")
    public boolean contains(Object o) {
        Node at = root;
        while (at != null) {
            int c = order.compare((T) o, at.value);
            if (c == 0) return true;
            at = c < 0 ? at.left : at.right;
        }
        return false;
    }

    public void inOrder(Consumer<? super T> visitor) {
        new Object() {
            void walk(Node node) {
                if (node == null) return;
                walk(node.left);
                visitor.accept(node.value);
                walk(node.right);
            }
        }.walk(root);
    }

    @Override
    public int size() { return size; }

    public int height() { return root == null ? 0 : root.height(); }

    @Override
    public Iterator<T> iterator() {
        class InOrder implements Iterator<T> {
            private final Deque<Node> path = new ArrayDeque<>();

            InOrder() { descend(root); }

            private void descend(Node node) {
                for (; node != null; node = node.left) path.push(node);
            }

            @Override public boolean hasNext() { return !path.isEmpty(); }

            @Override public T next() {
                if (path.isEmpty()) throw new NoSuchElementException();
                Node node = path.pop();
                descend(node.right);
                return node.value;
            }
        }
        return new InOrder();
    }

    @Override
    public BinaryTree<T> clone() {
        BinaryTree<T> copy = new BinaryTree<>(order);
        copy.addAll(this);
        return copy;
    }

    public static void main(String[] args) {
        BinaryTree<Integer> numbers = of(50, 20, 70, 10, 30, 60, 80, 20);
        StringBuilder text = new StringBuilder();
        numbers.inOrder(n -> text.append(n).append(n == 80 ? '.' : ','));
        System.out.println(text + " height " + numbers.height() + ", size " + numbers.size());
        BinaryTree<String> words = new BinaryTree<>(String.CASE_INSENSITIVE_ORDER);
        for (String word : "The quick brown fox jumps over the lazy dog".split(" ")) {
            if (!words.add(word)) System.out.println("again: " + word);
        }
        int total = 0;
        for (Iterator<String> it = words.clone().iterator(); it.hasNext(); total += it.next().length());
        System.out.println(words.contains("FOX") && !words.contains("cat") ? total : -total);
    }
}
