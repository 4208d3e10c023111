import module java.base;

// A compact source file: its methods and fields belong to a class without a name.

private static final int LIMIT = 10;
final Map<String, Integer> counts = new TreeMap<>();

record Word(String text, int count) implements Comparable<Word> {
    public int compareTo(Word other) {
        return Integer.compare(other.count, count);
    }
}

void add(String line) {
    for (String word : line.toLowerCase().split("\\W+")) {
        if (!word.isEmpty()) {
            counts.merge(word, 1, Integer::sum);
        }
    }
}

<T extends Comparable<T>> List<T> top(Stream<T> all, int limit) {
    return all.sorted().limit(limit).toList();
}

String bar(int count) {
    var line = new StringBuilder();
    for (int _ = 0, i = count; i > 0; i--) {
        line.append('#');
    }
    return line.toString();
}

void main() {
    IO.println("some text, and an empty line");
    for (String line; !(line = IO.readln("> ")).isBlank(); ) {
        add(line);
    }
    var words = counts.entrySet().stream().map(e -> new Word(e.getKey(), e.getValue()));
    top(words, LIMIT).forEach(w -> IO.println(w.text() + ": " + bar(w.count())));
}
