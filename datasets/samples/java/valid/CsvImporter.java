package data.csv;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads comma-separated values with quotes, one record at a time. */
public class CsvImporter implements Closeable {

    /** A fault in the file, with its line. */
    public static class CsvException extends Exception {
        public final int line;

        public CsvException(String message, int line, Throwable... causes) {
            super("line " + line + ": " + message, causes.length == 0 ? null : causes[0]);
            this.line = line;
        }
    }

    private enum State { START, PLAIN, QUOTED, QUOTE_IN_QUOTED }

    private final BufferedReader in;
    private final char separator;
    private List<String> header;
    private int line;

    public CsvImporter(Reader in) { this(in, ','); }

    public CsvImporter(Reader in, char separator) {
        this.in = in instanceof BufferedReader b ? b : new BufferedReader(in);
        this.separator = separator;
    }

    public Map<String, String> next() throws IOException, CsvException {
        if (header == null) {
            header = readRow();
            if (header == null) throw new CsvException("no header", line);
        }
        List<String> row = readRow();
        if (row == null) return null;
        if (row.size() != header.size()) {
            throw new CsvException(
                String.format("%d fields, but %d columns", row.size(), header.size()), line);
        }
        Map<String, String> record = new LinkedHashMap<>();
        for (int i = 0; i < row.size(); i++) record.put(header.get(i), row.get(i));
        return record;
    }

    private List<String> readRow() throws IOException, CsvException {
        String text = in.readLine();
        if (text == null) return null;
        line++;
        List<String> row = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        State state = State.START;
        for (int i = 0; ; i++) {
            if (i == text.length()) {
                if (state != State.QUOTED) break;
                String more = in.readLine();
                if (more == null) throw new CsvException("unterminated quote", line);
                field.append('\n');
                text = more;
                line++;
                i = -1;
                continue;
            }
            char c = text.charAt(i);
            switch (state) {
                case START:
                    if (c == '"') {
                        state = State.QUOTED;
                        break;
                    }
                    state = State.PLAIN;
                    // fall through
                case PLAIN:
                    if (c == separator) {
                        row.add(field.toString());
                        field.setLength(0);
                        state = State.START;
                    } else {
                        field.append(c);
                    }
                    break;
                case QUOTED:
                    if (c == '"') state = State.QUOTE_IN_QUOTED;
                    else field.append(c);
                    break;
                case QUOTE_IN_QUOTED:
                    if (c == '"') {
                        field.append('"');
                        state = State.QUOTED;
                    } else {
                        state = State.PLAIN;
                        i--;
                    }
                    break;
                default:
                    throw new AssertionError(state);
            }
        }
        row.add(field.toString());
        return row;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    static int load(String where, List<? super Map<String, String>> into) throws CsvException {
        int count = 0;
        try (Reader reader = where.startsWith("text:")
                ? new StringReader(where.substring(5))
                : Files.newBufferedReader(Path.of(where), StandardCharsets.UTF_8);
             CsvImporter csv = new CsvImporter(reader, ';')) {
            for (Map<String, String> row = csv.next(); row != null; row = csv.next(), count++) {
                into.add(row);
            }
        } catch (FileNotFoundException | InvalidPathException e) {
            throw new CsvException("cannot open " + where, 0, e);
        } catch (final IOException e) {
            throw new CsvException(e.getMessage(), count + 2, e);
        } finally {
            System.err.println(count + " rows from " + where);
        }
        return count;
    }

    public static void main(String[] args) {
        List<Object> rows = new ArrayList<>();
        try {
            load("text:name;note\nAda;\"says \"\"hi\"\";\nand goes\"\nBob;", rows);
            if (args.length > 0) load(args[0], rows);
        } catch (CsvException e) {
            System.err.println(e.getMessage());
            System.exit(e.line > 0 ? 1 : 2);
        }
        rows.forEach(System.out::println);
    }
}
