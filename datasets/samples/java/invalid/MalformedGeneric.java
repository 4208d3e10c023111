package text;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

public class MalformedGeneric {

    /** Groups words that are anagrams of one another. */
    static Map<String, List<String>> group(List<String> words) {
        Map<String, List<String> groups = new TreeMap<>();
        for (String word : words) {
            char[] letters = word.toCharArray();
            java.util.Arrays.sort(letters);
            String key = new String(letters);
            groups.computeIfAbsent(key, k -> new ArrayList<>()).add(word);
        }
        return groups;
    }

    public static void main(String[] args) {
        System.out.println(group(List.of("tea", "eat", "tan", "ate")));
    }
}
