package tutti.runtime.context;

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
 * @param jobs       the jobs
 * @param jobOfRank  index of the job of each rank
 * @param rankInJob  each rank in COMM_WORLD of its job
 * @param context    context id that the group offers for the intercommunicator
 */
public record GroupDescription(List<JobDescription> jobs, int[] jobOfRank, int[] rankInJob, long context) {

    /** Returns the number of ranks. */
    public int size() {
        return jobOfRank.length;
    }

    /** Returns the description as bytes. */
    public byte[] toBytes() {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(jobs.size());
            for (final JobDescription job : jobs) {
                job.write(out);
            }
            out.writeInt(size());
            for (int r = 0; r < size(); r++) {
                out.writeInt(jobOfRank[r]);
                out.writeInt(rankInJob[r]);
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
    public static GroupDescription of(final byte[] bytes) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            final List<JobDescription> jobs = new ArrayList<>();
            for (int n = in.readInt(); n > 0; n--) {
                jobs.add(JobDescription.read(in));
            }
            final int size = in.readInt();
            if (size < 1 || size > in.available() / (2 * Integer.BYTES)) {
                throw new IOException("size of a group out of range: size=" + size);
            }
            final int[] jobOfRank = new int[size];
            final int[] rankInJob = new int[size];
            for (int r = 0; r < size; r++) {
                jobOfRank[r] = in.readInt();
                rankInJob[r] = in.readInt();
                if (jobOfRank[r] < 0 || jobOfRank[r] >= jobs.size() || rankInJob[r] < 0 || rankInJob[r] >= jobs.get(jobOfRank[r]).size()) {
                    throw new IOException("rank out of range: job=" + jobOfRank[r] + ", rank=" + rankInJob[r]);
                }
            }
            return new GroupDescription(jobs, jobOfRank, rankInJob, in.readLong());
        } catch (final IllegalArgumentException e) {
            throw new IOException("not the description of a group: " + e.getMessage(), e);
        }
    }
}
