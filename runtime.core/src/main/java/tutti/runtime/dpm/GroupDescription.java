package tutti.runtime.dpm;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A group of ranks as it describes itself to another group, of other jobs: the jobs of its ranks, and each rank by its job and its rank there.
 *
 * @param jobs    the jobs
 * @param members the ranks
 * @param context context id that the group offers for the intercommunicator
 */
record GroupDescription(List<JobDescription> jobs, List<Member> members, long context) {

    /**
     * A rank of a group.
     *
     * @param job  index of its job
     * @param rank its rank in COMM_WORLD of the job
     */
    record Member(int job, int rank) {}

    /** Copies the lists. */
    GroupDescription {
        jobs = List.copyOf(jobs);
        members = List.copyOf(members);
    }

    /** Returns the number of ranks. */
    int size() {
        return members.size();
    }

    /** Returns the description as bytes. */
    byte[] toBytes() {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(jobs.size());
            for (final JobDescription job : jobs) {
                job.write(out);
            }
            out.writeInt(size());
            for (final Member m : members) {
                out.writeInt(m.job());
                out.writeInt(m.rank());
            }
            out.writeLong(context);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Reads a description.
     *
     * @throws IOException when the bytes are none
     */
    static GroupDescription of(final byte[] bytes) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            final List<JobDescription> jobs = JobDescription.readList(in, () -> JobDescription.read(in));
            final int size = in.readInt();
            if (size < 1 || size > in.available() / (2 * Integer.BYTES)) {
                throw new IOException("size of a group out of range: size=" + size);
            }
            final List<Member> members = new ArrayList<>();
            for (int r = 0; r < size; r++) {
                final Member m = new Member(in.readInt(), in.readInt());
                if (m.job() < 0 || m.job() >= jobs.size() || m.rank() < 0 || m.rank() >= jobs.get(m.job()).size()) {
                    throw new IOException("rank out of range: job=" + m.job() + ", rank=" + m.rank());
                }
                members.add(m);
            }
            return new GroupDescription(jobs, members, in.readLong());
        } catch (final IllegalArgumentException e) {
            throw new IOException("not the description of a group: " + e.getMessage(), e);
        }
    }
}
