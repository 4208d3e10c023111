import com.sun.source.util.JavacTask;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Judges Java programs: javac's parser on each text, no names or types looked up. Reads lines in base64. The first is
 * a setup, which is not used here, and answered by the version; each further one is a text.
 */
public class Parse {
    static final class Source extends SimpleJavaFileObject {
        final String text;

        Source(String text) {
            super(URI.create("string:///Text.java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    static String quoted(String s) {
        StringBuilder b = new StringBuilder("\"");
        for (char c : s.toCharArray()) {
            if (c == '"' || c == '\\') {
                b.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                b.append(String.format("\\u%04x", (int) c));
            } else {
                b.append(c);
            }
        }
        return b.append('"').toString();
    }

    static String invalid(String rule, String why) {
        return "{\"valid\": false, \"rule\": " + quoted(rule) + ", \"why\": " + quoted(why) + "}";
    }

    static String judge(JavaCompiler javac, StandardJavaFileManager files, byte[] text) throws Exception {
        String program;
        try {
            program = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text)).toString();
        } catch (CharacterCodingException e) {
            return invalid("not UTF-8", "the text is not UTF-8");
        }
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        JavacTask task = (JavacTask) javac.getTask(null, files, found, List.of("-proc:none"), null, List.of(new Source(program)));
        task.parse();
        for (Diagnostic<? extends JavaFileObject> d : found.getDiagnostics()) {
            if (d.getKind() == Diagnostic.Kind.ERROR) {
                String why = d.getMessage(java.util.Locale.ROOT).split("\n")[0];
                return invalid(d.getCode().replace("compiler.err.", ""), "line " + d.getLineNumber() + ": " + why);
            }
        }
        return "{\"valid\": true}";
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        PrintStream out = System.out;
        in.readLine();
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        if (javac == null) {
            out.println("{\"missing\": \"this Java has no compiler: install a JDK\"}");
            return;
        }
        out.println("{\"version\": " + quoted(System.getProperty("java.version")) + "}");
        out.flush();
        StandardJavaFileManager files = javac.getStandardFileManager(null, null, null);
        for (String line; (line = in.readLine()) != null; ) {
            String answer;
            try {
                answer = judge(javac, files, Base64.getDecoder().decode(line));
            } catch (StackOverflowError | OutOfMemoryError e) {
                answer = "{\"no_verdict\": " + quoted(e.toString()) + "}";
            }
            out.println(answer);
            out.flush();
        }
    }
}
