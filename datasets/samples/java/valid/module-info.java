import java.sql.Driver;
import static java.lang.annotation.RetentionPolicy.*;

/**
 * A module, in which most words are keywords only where they stand: elsewhere they name
 * modules, packages and types.
 */
@Deprecated(since = "3", forRemoval = false)
@SuppressWarnings({"module", "opens"})
module samples.inventory {
    requires java.base;
    requires transitive java.sql;
    requires static java.compiler;
    requires static transitive java.logging;
    requires transitive static java.xml;

    // Names that are words of this language.
    requires samples.module.open.to.with;
    requires transitive.record;
    requires var;
    requires transitive;

    exports samples.inventory;
    exports samples.inventory.exports to samples.uses;
    exports samples.inventory.spi to
        samples.uses,
        samples.provides,
        samples.requires.exports;
    exports to.to to to, to.to;

    opens samples.inventory.model;
    opens samples.inventory.entities to samples.opens, when.sealed;

    uses java.sql.Driver;
    uses samples.inventory.spi.Stock;

    provides Driver with samples.inventory.Offline;
    provides samples.inventory.spi.Stock with
        samples.inventory.Counted,
        samples.inventory.Estimated;
    provides with.with with with.permits;
}
