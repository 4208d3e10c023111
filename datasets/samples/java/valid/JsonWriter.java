package text.json;

import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.util.*;

/* Writes JSON, pretty or dense. Values are maps, lists, arrays, strings,
 * numbers, booleans and null ** anything else is written as a string. */
public class JsonWriter implements AutoCloseable {

	private static final char[] HEX = "0123456789abcdef".toCharArray();
	private static final String[] INDENTS = {"", "  ", "    ", "      "};
	private static final Map<Character, String> ESCAPES;

	static {
		Map<Character, String> escapes = new HashMap<Character, String>();
		escapes.put('"', "\\\"");
		escapes.put('\\', "\\\\");
		escapes.put('\n', "\\n");
		escapes.put('\r', "\\r");
		escapes.put('\t', "\\t");
		escapes.put('\b', "\\b");
		escapes.put('\f', "\\f");
		ESCAPES = Collections.unmodifiableMap(escapes);
	}

	private final Writer out;
	private final boolean pretty;
	private int depth = 0;

	public JsonWriter(Writer out, boolean pretty) {
		this.out = Objects.requireNonNull(out);
		this.pretty = pretty;
	}

	public JsonWriter value(Object value) throws IOException {
		if (value == null) {
			out.write("null");
		} else if (value instanceof CharSequence) {
			string((CharSequence) value);
		} else if (value instanceof Number || value instanceof Boolean) {
			out.write(value.toString());
		} else if (value instanceof Map<?, ?> map) {
			object(map);
		} else if (value instanceof Iterable<?>) {
			array((Iterable<?>) value);
		} else if (value instanceof Object[] items) {
			array(Arrays.asList(items));
		} else {
			string(String.valueOf(value));
		}
		return this;
	}

	private void object(Map<?, ?> map) throws IOException {
		out.write('{');
		depth++;
		boolean first = true;
		for (Map.Entry<?, ?> entry : map.entrySet()) {
			if (!first) out.write(',');
			first = false;
			newline();
			string(entry.getKey().toString());
			out.write(pretty ? ": " : ":");
			value(entry.getValue());
		}
		depth--;
		if (!first) newline();
		out.write('}');
	}

	private void array(Iterable<?> items) throws IOException {
		out.write('[');
		depth++;
		Iterator<?> it = items.iterator();
		while (it.hasNext()) {
			newline();
			value(it.next());
			if (it.hasNext()) out.write(",");
		}
		--depth;
		newline();
		out.write(']');
	}

	private void string(CharSequence text) throws IOException {
		out.append('"');
		for (int i = 0, n = text.length(); i < n; i++) {
			char c = text.charAt(i);
			String escape = ESCAPES.get(c);
			if (escape != null) {
				out.write(escape);
			} else if (c < ' ' || c >= '\u007f' && c <= '\u009f' || c == '\u2028') {
				out.write("\\u");
				for (int shift = 12; shift >= 0; shift -= 4)
					out.write(HEX[(c >> shift) & 0xF]);
			} else {
				out.write(c);
			}
		}
		out.append('"');
	}

	private void newline() throws IOException {
		if (!pretty) return;
		out.write('\n');
		int rest = depth;
		while (rest > 0) {
			int step = Math.min(rest, INDENTS.length - 1);
			out.write(INDENTS[step]);
			rest -= step;
		}
	}

	@Override
	public void close() throws IOException {
		out.close();
	}

	public static void main(String[] args) throws IOException {
		Map<String, Object> person = new TreeMap<>(Comparator.reverseOrder());
		person.put("name", "Zoë \"Z\" Müller");
		person.put("age", 42);
		person.put("tags", List.of("a", 'b', 3.0e-2, true));
		person.put("nested", new Object[] {null, new int[0].length, Map.of("x", -1L)});
		person.put("日本", "\0\7\177 \t→ 😀");
		try (StringWriter text = new StringWriter(); JsonWriter json = new JsonWriter(text, true)) {
			json.value(person).value(null);
			System.out.println(text);
		}
	}
}
