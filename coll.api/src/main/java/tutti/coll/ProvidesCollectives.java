package tutti.coll;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.osgi.annotation.bundle.Attribute;
import org.osgi.annotation.bundle.Capability;

/** Marks the component of a module: gives the bundle the capability {@code tutti.coll}, which the runtime requires at least once. */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
@Capability(namespace = ProvidesCollectives.NAMESPACE)
public @interface ProvidesCollectives {
    /** The capability's namespace. */
    String NAMESPACE = "tutti.coll";

    /** The module's name, the same as in the service property {@link CollModule#NAME}. */
    @Attribute(ProvidesCollectives.NAMESPACE)
    String value();

    /** The ids of the operations that the module may offer. */
    @Attribute
    String[] operations();
}
