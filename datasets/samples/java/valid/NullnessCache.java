package samples;

import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Target;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** A cache with annotations on its types. */
public class NullnessCache<@NullnessCache.Plain K extends @NullnessCache.Plain Comparable<@NullnessCache.Plain K>, V> {
    @Target(ElementType.TYPE_USE)
    @interface Nullable {
        String[] why() default {};
    }

    @Target({ElementType.TYPE_USE, ElementType.TYPE_PARAMETER})
    @interface Plain {}

    private final Map<K, @Nullable V> values = new @Plain HashMap<K, @Nullable(why = {"removed", "missing"}) V>();
    private java.lang.@Nullable String name;
    protected @Plain int @Nullable [] @Plain [] sizes = new int @Nullable [2] @Plain [];
    final UnaryOperator<int[]> copy = int[]::clone;

    class Entry {
        Entry(NullnessCache<K, V> NullnessCache.this) {}

        @Nullable V value(@Plain NullnessCache<K, V>.@Plain Entry this, K key) {
            return values.get(key);
        }
    }

    @Nullable V get(@Plain NullnessCache<K, V> this, K key) {
        return (@Nullable V) values.get(key);
    }

    <@Plain T> @Nullable T first(T @Nullable ... all) throws @Plain IOException {
        if (all instanceof @Plain Object[] some && some.length > 0) {
            return all[0];
        }
        Function<@Nullable T, @Plain String> show = @Plain Object::toString;
        return null;
    }

    int lengths(String @Nullable [] parts) @Plain [] {
        Map.@Nullable Entry<@Plain String, ? super @Plain Integer> last = null;
        int @Plain [] found = new int @Plain [] {parts == null ? 0 : parts.length};
        for (@Plain int i = 0; i < found.length; i++) {
            found[i] += (@Plain int) -1L + this.<@Plain Object>count();
        }
        return found;
    }

    private <T> int count() {
        return values.size() + (name == null ? 0 : name.length());
    }
}
