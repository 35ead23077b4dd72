package com.example.coll.aggregate;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.zip.CRC32;
import tutti.coll.advanced.OpaqueTask;
import tutti.coll.advanced.OpaqueWork;

/**
 * Computes checksums of the results of a rank's calls. It only observes, so plans with it are proved. It is polled, as a library would be that has no
 * threads. Safe for any thread.
 */
final class Checksums implements OpaqueWork {
    private long results;
    private long bytes;
    private long last;

    @Override
    public void start(final OpaqueTask task) {
        // computed when it is polled
    }

    @Override
    public boolean isPolled() {
        return true;
    }

    @Override
    public void poll(final OpaqueTask task) {
        final CRC32 checksum = new CRC32();
        long length = 0;
        for (final MemorySegment range : task.reads()) {
            checksum.update(range.toArray(ValueLayout.JAVA_BYTE));
            length += range.byteSize();
        }
        add(length, checksum.getValue());
        task.complete();
    }

    private synchronized void add(final long length, final long checksum) {
        results++;
        bytes += length;
        last = checksum;
    }

    /** Returns the number of results. */
    synchronized long results() {
        return results;
    }

    /** Returns the length of all results together. */
    synchronized long bytes() {
        return bytes;
    }

    /** Returns the checksum of the last result. */
    synchronized long last() {
        return last;
    }
}
