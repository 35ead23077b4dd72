package tutti.mpi.programs;

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
import mpi.Explanation;
import tutti.runtime.introspect.PartSummary;
import tutti.runtime.introspect.PlannedPart;

/**
 * Codec of the nested collectives that each rank explains, to gather them. Public because the classes of this package that every rank defines
 * belong to another run-time package.
 */
public final class ExplainedParts {
    private ExplainedParts() {}

    /** Returns nested collectives as bytes. */
    public static byte[] write(final List<Explanation.Part> parts) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            for (final Explanation.Part p : parts) {
                for (final String text : List.of(p.operation(), p.communicator(), p.module(), p.algorithm(), p.reason())) {
                    out.writeUTF(text);
                }
                out.writeLong(p.bytes());
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Reads the nested collectives of all ranks.
     *
     * @param bytes   those of each rank, in the order of ranks
     * @param lengths number of bytes of each rank
     */
    public static List<PartSummary> read(final byte[] bytes, final int[] lengths) {
        final SortedMap<Integer, List<PlannedPart>> parts = new TreeMap<>();
        int offset = 0;
        for (int rank = 0; rank < lengths.length; rank++) {
            parts.put(rank, read(new DataInputStream(new ByteArrayInputStream(bytes, offset, lengths[rank]))));
            offset += lengths[rank];
        }
        return PartSummary.of(parts);
    }

    private static List<PlannedPart> read(final DataInputStream in) {
        final List<PlannedPart> parts = new ArrayList<>();
        try {
            while (in.available() > 0) {
                final String operation = in.readUTF();
                final String communicator = in.readUTF();
                final String module = in.readUTF();
                final String algorithm = in.readUTF();
                final String reason = in.readUTF();
                parts.add(new PlannedPart(0, 0, operation, communicator, in.readLong(), module, algorithm, reason));
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return parts;
    }
}
