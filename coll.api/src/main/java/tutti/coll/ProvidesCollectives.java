package tutti.coll;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.osgi.annotation.bundle.Attribute;
import org.osgi.annotation.bundle.Capability;

/**
 * Marks the component class of a module: adds the capability {@code tutti.coll} to the bundle's manifest. The runtime requires at least one
 * bundle with that capability.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
@Capability(namespace = ProvidesCollectives.NAMESPACE)
public @interface ProvidesCollectives {
    /** The namespace of the capability. */
    String NAMESPACE = "tutti.coll";

    /** Returns the module's name, the same as in the service property {@link CollModule#NAME}. */
    @Attribute(ProvidesCollectives.NAMESPACE)
    String value();

    /** Returns the ids of the operations that the module may offer. */
    @Attribute
    String[] operations();
}
