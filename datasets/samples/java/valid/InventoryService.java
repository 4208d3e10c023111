/*
 * A small service of a shop: products, stock and reservations.
 */
package shop.inventory;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;

public class InventoryService
{
    private static final Logger LOG = Logger.getLogger(InventoryService.class.getName());

    /** Where products are kept. */
    public interface Repository<I, T>
    {
        int MAX_RESULTS = 0x64;

        Optional<T> find(I id);

        void save(T item);

        Collection<T> all();

        default T require(I id) throws NotFoundException
        {
            return find(id).orElseThrow(() -> new NotFoundException("no item " + id));
        }

        static <I, T> Repository<I, T> inMemory(java.util.function.Function<T, I> idOf)
        {
            return new Repository<>()
            {
                private final Map<I, T> items = new HashMap<>();

                public Optional<T> find(I id) { return Optional.ofNullable(items.get(id)); }

                public void save(T item) { items.put(idOf.apply(item), item); }

                public Collection<T> all() { return items.values(); }
            };
        }
    }

    public static class NotFoundException extends Exception
    {
        public NotFoundException(String message) { super(message); }
    }

    public static class Product
    {
        private final UUID id;
        private final String name;
        private int stock;
        private int reserved;
        private final Set<String> tags;

        private Product(Builder builder)
        {
            this.id = builder.id;
            this.name = builder.name;
            this.stock = builder.stock;
            this.tags = builder.tags;
        }

        public static Builder builder(String name) { return new Builder(name); }

        public int available() { return stock - reserved; }

        @Override
        public boolean equals(Object o)
        {
            if (this == o) return true;
            if (o == null || getClass() != o.getClass()) return false;
            Product that = (Product) o;
            return id.equals(that.id);
        }

        @Override
        public int hashCode() { return 31 * id.hashCode() + 7; }

        public static class Builder
        {
            private UUID id = UUID.randomUUID();
            private final String name;
            private int stock;
            private Set<String> tags = new TreeSet<>();

            private Builder(String name) { this.name = name; }

            public Builder id(UUID id) { this.id = id; return this; }

            public Builder stock(int stock)
            {
                this.stock = Math.max(0, stock);
                return this;
            }

            public Builder tag(String first, String... more)
            {
                tags.add(first);
                for (int i = 0; i < more.length; i++) tags.add(more[i]);
                return this;
            }

            public Product build() { return new Product(this); }
        }
    }

    private final Repository<UUID, Product> products;

    public InventoryService(Repository<UUID, Product> products) { this.products = products; }

    /**
     * Reserves items of a product.
     *
     * @param id    the product
     * @param count how many, at least 1
     * @return whether there were enough
     * @throws NotFoundException if there is no such product
     */
    public boolean reserve(UUID id, int count) throws NotFoundException
    {
        Product product = products.require(id);
        synchronized (product)
        {
            if (count < 1 || product.available() < count)
            {
                LOG.log(Level.FINE, "{0}: wanted {1}", new Object[] {product.name, count});
                return false;
            }
            product.reserved += count;
        }
        products.save(product);
        return true;
    }

    public int countTagged(String tag)
    {
        int count = 0;
        for (Product p : products.all())
        {
            if (!p.tags.contains(tag)) continue;
            count += p.stock;
        }
        return count;
    }

    public static void main(String[] args) throws NotFoundException
    {
        Repository<UUID, Product> repository = Repository.inMemory((Product p) -> p.id);
        InventoryService service = new InventoryService(repository);
        Product lamp = Product.builder("lamp").stock(3).tag("light", "home").build();
        repository.save(lamp);
        repository.save(Product.builder("chair").id(new UUID(0L, 1L)).stock(-4).tag("home").build());
        boolean first = service.reserve(lamp.id, 2), second = service.reserve(lamp.id, 2);
        System.out.println(first + "/" + second + "/" + service.countTagged("home"));
        try
        {
            service.reserve(new UUID(~0L, 0), Repository.MAX_RESULTS);
        }
        catch (NotFoundException e)
        {
            LOG.warning(e::getMessage);
        }
    }
}
