package sorting;

public class CommaInForHeader {

	static <T extends Comparable<T>> void bubbleSort(T[] items) {
		boolean swapped = true;
		while (swapped) {
			swapped = false;
			for (int i = 1; i < items.length, i++) {
				if (items[i - 1].compareTo(items[i]) > 0) {
					T item = items[i];
					items[i] = items[i - 1];
					items[i - 1] = item;
					swapped = true;
				}
			}
		}
	}

	public static void main(String[] args) {
		bubbleSort(args);
		System.out.println(String.join(" ", args));
	}
}
