package tutti.interceptors;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What was measured on one rank.
 *
 * @param rank    its number in COMM_WORLD
 * @param node    its node
 * @param nanos   time from its first call to Finalize, without time in which measuring was stopped
 * @param sites   its calls by operation and line
 * @param lengths number of calls with data by length: the key is the least power of two that is not less than the bytes
 */
record RankProfile(int rank, String node, long nanos, List<Site> sites, SortedMap<Long, Long> lengths) {

    /**
     * The calls of an operation at a line of the program.
     *
     * @param operation name of the method
     * @param place     class, method and line
     * @param calls     their number
     * @param nanos     their time
     * @param longest   the longest time
     * @param bytes     their data
     */
    record Site(String operation, String place, long calls, long nanos, long longest, long bytes) {}

    /** Returns the time in MPI. */
    long inMpi() {
        return sites.stream().mapToLong(Site::nanos).sum();
    }

    byte[] toBytes() {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(rank);
            out.writeUTF(node);
            out.writeLong(nanos);
            out.writeInt(sites.size());
            for (final Site s : sites) {
                out.writeUTF(s.operation());
                out.writeUTF(s.place());
                out.writeLong(s.calls());
                out.writeLong(s.nanos());
                out.writeLong(s.longest());
                out.writeLong(s.bytes());
            }
            out.writeInt(lengths.size());
            for (final var l : lengths.entrySet()) {
                out.writeLong(l.getKey());
                out.writeLong(l.getValue());
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static RankProfile of(final byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            final int rank = in.readInt();
            final String node = in.readUTF();
            final long nanos = in.readLong();
            final List<Site> sites = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                sites.add(new Site(in.readUTF(), in.readUTF(), in.readLong(), in.readLong(), in.readLong(), in.readLong()));
            }
            final SortedMap<Long, Long> lengths = new TreeMap<>();
            for (int left = in.readInt(); left > 0; left--) {
                lengths.put(in.readLong(), in.readLong());
            }
            return new RankProfile(rank, node, nanos, sites, lengths);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
