package tutti.daemon.health;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Findings of a node about itself, its machine and its way to the other nodes. A number is -1 where the machine does not tell it.
 *
 * @param name         name of the node
 * @param version      version of Tutti
 * @param java         version of its Java
 * @param cores        processors that it may use
 * @param heapMax      maximum size of its heap in bytes
 * @param memoryFree   memory of the machine that is available, in bytes
 * @param openFiles    files and sockets that it has open
 * @param maxFiles     most files and sockets that it may have open
 * @param maxProcesses most processes and threads that the user may have
 * @param shared       free bytes of /dev/shm
 * @param folder       its folder
 * @param disk         free bytes where its folder is
 * @param clockMillis  its clock, in milliseconds of the epoch
 * @param host         name of its host
 * @param doesResolve  whether that name has an address
 * @param unreachable  the other nodes to which it cannot connect, each with the reason
 * @param link         its link to the next node in the order of names; null if there is none, or it cannot be measured
 */
public record NodeHealth(String name, String version, String java, int cores, long heapMax, long memoryFree, long openFiles, long maxFiles,
    long maxProcesses, long shared, String folder, long disk, long clockMillis, String host, boolean doesResolve, Map<String, String> unreachable,
    @Nullable LinkQuality link) {

    /** Copies the map. */
    public NodeHealth {
        unreachable = Map.copyOf(unreachable);
    }

    /** Returns the same findings with those about a link. */
    public NodeHealth with(final @Nullable LinkQuality measured) {
        return new NodeHealth(name, version, java, cores, heapMax, memoryFree, openFiles, maxFiles, maxProcesses, shared, folder, disk, clockMillis,
            host, doesResolve, unreachable, measured);
    }
}
