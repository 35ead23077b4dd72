package tutti.runtime.process;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * Takes what a rank prints.
 *
 * <p>Called on the rank's threads, the two streams at the same time, each stream in order and by one thread at a time. May block, which holds
 * the rank back, but must return when the thread is interrupted. Must not start threads that outlive the rank: they would inherit
 * the rank's thread group and context class loader.
 */
@ConsumerType
@FunctionalInterface
public interface RankOutput {

    /**
     * Takes whole lines with their ends. What has no end is the rank's last line, or a piece of a line longer than 64 KiB.
     *
     * @param error  whether it was printed on standard error
     * @param bytes  in UTF-8, only valid during the call
     * @param offset of the first byte
     * @param length in bytes, never 0
     */
    void write(boolean error, byte[] bytes, int offset, int length);
}
