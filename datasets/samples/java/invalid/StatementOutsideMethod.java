package config;

import java.util.Properties;

public class StatementOutsideMethod {

    private static final Properties DEFAULTS = new Properties();

    DEFAULTS.setProperty("host", "localhost");

    private final Properties own = new Properties(DEFAULTS);

    public String get(String key) {
        return own.getProperty(key);
    }

    public int getInt(String key, int otherwise) {
        String text = get(key);
        return text == null ? otherwise : Integer.parseInt(text);
    }
}
