package tutti.runtime.process;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * Classes that a bundle shares with programs. A whiteboard service: package {@code mpi} comes to programs by it.
 *
 * <p>Of the packages named here programs see the bundle's own classes, but for the classes {@link #perRank}: those hold statics and are
 * defined anew by each rank's class loader, from the bundle's bytes. Such a class must use only public members of the shared ones.
 */
@ConsumerType
public interface RankClasses {

    /** The packages that programs see, {@code mpi} for one. */
    Iterable<String> packages();

    /** The names of the classes that every rank defines for itself. */
    Iterable<String> perRank();

    /** The loader that has the shared classes and the bytes of the others. */
    ClassLoader loader();
}
