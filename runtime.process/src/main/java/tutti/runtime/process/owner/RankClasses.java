package tutti.runtime.process.owner;

import org.jspecify.annotations.Nullable;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Classes that a bundle shares with programs. A whiteboard service; for example, programs load package {@code mpi} through it.
 *
 * <p>In the packages named here, programs load the bundle's own classes. The classes {@link #perRank} are an exception: they hold statics, so
 * each rank's class loader defines its own copy from the bundle's bytes. Such a class may use only public members of the shared classes.
 */
@ConsumerType
public interface RankClasses {

    /** Returns the packages that are shared with programs, for example {@code mpi}. */
    Iterable<String> packages();

    /** Returns the names of the classes that every rank defines for itself. */
    Iterable<String> perRank();

    /** Returns the loader of the shared classes. It also provides the bytes of the classes per rank. */
    ClassLoader loader();

    /** Returns the class through which calls of the shared classes are intercepted; null if they cannot be. Made when first asked for. */
    default @Nullable CallBridge bridge() {
        return null;
    }
}
