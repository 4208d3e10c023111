import java.util.HashMap;
import java.util.Map;

public class MissingBrace {

    private final Map<String, Integer> counts = new HashMap<>();

    public void count(String text) {
        for (String word : text.split(" ")) {
            if (word.isEmpty()) {
                continue;
            }
            counts.merge(word, 1, Integer::sum);
        }

    public int of(String word) {
        return counts.getOrDefault(word, 0);
    }

    public static void main(String[] args) {
        MissingBrace counter = new MissingBrace();
        counter.count("a b a");
        System.out.println(counter.of("a"));
    }
}
