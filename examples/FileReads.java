import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.CompletionHandler;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import mpi.Grequest;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;
import mpi.Status;

/**
 * Counts the lines of a file by nonblocking reads, of which each rank has several in progress.
 *
 * <p>Run it with {@code ./tutti run -n 3 examples/FileReads.java FILE}; every node must have the file. A read is a generalized request: the file
 * channel calls a completion handler on another thread, which completes the request. So reads are waited for as messages and collectives
 * are, and together with them.
 */
public final class FileReads {
    private static final int BLOCK = 64 * 1024;
    /** Number of reads that a rank has in progress. */
    private static final int READS = 4;

    private final AsynchronousFileChannel file;
    private final Read[] reads = new Read[READS];
    private final Request[] requests = new Request[READS];

    private FileReads(final AsynchronousFileChannel file) {
        this.file = file;
        Arrays.setAll(reads, i -> new Read(file));
        Arrays.fill(requests, MPI.REQUEST_NULL);
    }

    /** A nonblocking read of a block, and the functions of its request. It is used again when its request is complete. */
    private static final class Read implements CompletionHandler<Integer, Grequest> {
        private final AsynchronousFileChannel file;
        private final ByteBuffer block = ByteBuffer.allocate(BLOCK);
        private long position;
        private Throwable failure;

        Read(final AsynchronousFileChannel file) {
            this.file = file;
        }

        Request start(final long from) throws MPIException {
            position = from;
            failure = null;
            final Grequest request = Grequest.start(Read::query, Read::free, Read::cancel, this);
            file.read(block.clear(), position, request, this);
            return request;
        }

        @Override
        public void completed(final Integer bytes, final Grequest request) {
            if (bytes >= 0 && block.hasRemaining()) {
                file.read(block, position + block.position(), request, this);
            } else {
                complete(request);
            }
        }

        @Override
        public void failed(final Throwable why, final Grequest request) {
            failure = why;
            complete(request);
        }

        private static void complete(final Grequest request) {
            try {
                request.complete();
            } catch (final MPIException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Sets the status; an error of the file is raised by the call that waits for the request. */
        private void query(final Status status) throws MPIException {
            if (failure != null) {
                throw new MPIException(MPI.ERR_IO, "read failed: " + failure);
            }
            status.setElements(MPI.BYTE, block.position());
        }

        private void free() {
            // the block belongs to the next read
        }

        private void cancel(final boolean isComplete) {
            // a read that was started takes place
        }
    }

    /** Runs the program; its argument is the file. */
    public static void main(final String[] args) throws MPIException, IOException {
        MPI.Init(args);
        if (args.length != 1) {
            System.err.println("one argument is needed: a file that all nodes have");
            System.exit(2);
        }
        try (ExecutorService handlers = Executors.newSingleThreadExecutor();
             AsynchronousFileChannel file = AsynchronousFileChannel.open(Path.of(args[0]), Set.of(StandardOpenOption.READ), handlers)) {
            new FileReads(file).count();
        }
        MPI.Finalize();
    }

    /** Reads every block whose number modulo the number of ranks is this rank. */
    private void count() throws MPIException, IOException {
        final int rank = MPI.COMM_WORLD.getRank();
        final long stride = (long) BLOCK * MPI.COMM_WORLD.getSize();
        final long end = file.size();
        long next = (long) BLOCK * rank;
        long lines = 0;
        long bytes = 0;
        for (int i = 0; i < READS && next < end; i++, next += stride) {
            requests[i] = reads[i].start(next);
        }
        for (Status status = Request.waitAnyStatus(requests); status.getIndex() != MPI.UNDEFINED; status = Request.waitAnyStatus(requests)) {
            final int i = status.getIndex();
            bytes += status.getCount(MPI.BYTE);
            lines += linesIn(reads[i].block.flip());
            if (next < end) {
                requests[i] = reads[i].start(next);
                next += stride;
            }
        }
        final long[] sums = {lines, bytes};
        MPI.COMM_WORLD.allReduce(sums, 2, MPI.LONG, MPI.SUM);
        if (rank == 0) {
            System.out.printf("%d lines in %d bytes%n", sums[0], sums[1]);
        }
    }

    private static long linesIn(final ByteBuffer block) {
        long count = 0;
        while (block.hasRemaining()) {
            if (block.get() == '\n') {
                count++;
            }
        }
        return count;
    }
}
