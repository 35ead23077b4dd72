package tutti.runtime.process.owner;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * Receives the output that a rank prints.
 *
 * <p>Called on the rank's threads. Standard output and standard error may be written at the same time; each of them is written in order and by
 * one thread at a time. An implementation may block, which delays the rank, but must return when the thread is interrupted. It must not start
 * threads that outlive the rank: they would inherit the rank's thread group and context class loader.
 */
@ConsumerType
@FunctionalInterface
public interface RankOutput {

    /**
     * Receives whole lines with their line ends. Data without a line end is the rank's last line, or a piece of a line longer than 64 KiB.
     *
     * @param error  whether the lines were printed on standard error
     * @param bytes  the text in UTF-8, only valid during the call
     * @param offset offset of the first byte
     * @param length number of bytes, never 0
     */
    void write(boolean error, byte[] bytes, int offset, int length);
}
