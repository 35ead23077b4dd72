package tutti.daemon.part;

import java.util.List;
import java.util.Objects;

/**
 * Preparation of the part of a job in a job JVM.
 *
 * @param order     order of the coordinator, without files
 * @param classPath files of the programs
 * @param modules   modules that the node offers
 * @param places    number of cores of the cluster
 */
record JvmPreparation(Preparation order, List<String> classPath, OfferedModules modules, int places) {
    /** Checks that all is present. */
    JvmPreparation {
        Objects.requireNonNull(order, "order");
        Objects.requireNonNull(modules, "modules");
        classPath = List.copyOf(classPath);
    }
}
